package keys

import (
	"context"
	"errors"
	"net/netip"

	"pasteport/ports"
	"pasteport/ports/event"
	"pasteport/ports/policy"
)

// Changed is the kind of event that other nodes get after a credential changed.
const Changed = "credentials"

// Errors of wrong credentials. None tells what was wrong about them.
var (
	errCredential   = &ports.Error{Code: ports.Unauthenticated, Key: "unauthenticated", Text: "auth.credential"}
	errLogin        = &ports.Error{Code: ports.Unauthenticated, Key: "unauthenticated", Text: "auth.login"}
	errPlainBasic   = &ports.Error{Code: ports.Forbidden, Key: "permission_denied", Text: "auth.plain_basic"}
	errNoWebDAV     = &ports.Error{Code: ports.Forbidden, Key: "permission_denied", Text: "auth.basic_needs_webdav"}
	errTooManyTries = &ports.Error{Code: ports.RateLimited, Key: "rate_limited", Text: "auth.too_many"}
)

// Deps are what the module needs.
type Deps struct {
	Keys         KeyRepository
	Admins       AdminRepository
	Sessions     SessionRepository
	Work         ports.UnitOfWork
	Guesses      ports.Guesses
	Hasher       ports.Hasher
	MAC          ports.MAC
	Random       ports.Random
	Clock        ports.Clock
	Invalidation ports.Invalidation
	Decider      policy.Decider
	Site         Site
	Shares       Shares
	Limits       Limits
	TOTP         TOTPRepository // nil: there is no second step at sign-in
	Sealer       ports.Sealer   // required with TOTP
	Notes        Notes          // keeps where administrators have signed in; nil: nothing is kept
	Outbox       event.Outbox   // told of new places; nil: nobody is
	// Gone removes what the owner of a deleted key has of its own elsewhere; nil for nothing.
	Gone func(ctx context.Context, owner string) error
	// Guessed hears of credentials beside the sign-in that fitted nobody:
	// "apikey" or "basic", and the error of the answer, which says
	// Unauthenticated or RateLimited. Nil means nobody does.
	Guessed func(ctx context.Context, scheme string, why *ports.Error) error
}

// Shares are what keys have shared. They are asked after the policy, by the
// created_by of the key.
type Shares interface {
	CountShares(ctx context.Context, owner string) (Shared, error)
	// RevokeShares deletes all of them and tells how many there were. It may be
	// repeated.
	RevokeShares(ctx context.Context, owner string) (Shared, error)
}

// Shared counts what a key has shared.
type Shared struct {
	Pastes  int
	Files   int // those of collections, too
	Folders int // links for folders of mounts
}

// Total is how many they are.
func (s Shared) Total() int { return s.Pastes + s.Files + s.Folders }

// Site is what the module must know of the operator's choices.
type Site interface {
	SiteTitle() string
	// BasicOverPublicHTTP allows Basic credentials from public addresses over
	// plain HTTP.
	BasicOverPublicHTTP() bool
}

// Access finds out who is asking, signs the administrator in and out, and
// keeps the account. It is safe for concurrent use.
type Access struct {
	d       Deps
	proven  *cache
	refused *cache // credentials that fitted nobody, so that a stale one counts as one guess
	used    usage
	guesses *guesses
}

// New returns an Access.
func New(d Deps) *Access {
	d.Limits = d.Limits.orDefault()
	return &Access{d: d, proven: newCache(), refused: newCache(), guesses: &guesses{d: d}}
}

// Credential is what a request shows to say who sent it. Where it came from
// stands in policy.CallFrom.
type Credential struct {
	Scheme    string // "bearer", "apikey", "basic", or empty for none that is known
	Token     string // of Bearer and ApiKey
	Username  string // of Basic
	Password  string // of Basic
	CustomKey string // X-Custom-Auth-Key, looked at when the rest does not fit
}

// Authenticate turns a credential into a principal: Nobody for none at all.
// Returns Unauthenticated for one that does not fit, RateLimited when its
// sender has guessed too often, and Forbidden for Basic with a key that lacks
// WEBDAV_READ, with the administrator's name while a second step is on, or over
// an open line (contract §2.1).
func (a *Access) Authenticate(ctx context.Context, c Credential) (policy.Principal, error) {
	if c == (Credential{}) {
		return policy.Nobody, nil
	}
	who, err := a.byScheme(ctx, c)
	if c.CustomKey != "" && ports.Is(err, ports.Unauthenticated) {
		who, err = a.byKey(ctx, c.CustomKey)
	}
	if err != nil {
		return policy.Principal{}, err
	}
	if who.Kind == policy.APIKey {
		a.used.note(who.ID, a.d.Clock.Now())
	}
	return who, nil
}

// Now returns the principal of an API key with the rights it has at the moment,
// for work that goes on without its credential. Others come back as they are.
// Returns NotFound for a key that was deleted or disabled or has expired.
func (a *Access) Now(ctx context.Context, who policy.Principal) (policy.Principal, error) {
	if who.Kind != policy.APIKey {
		return who, nil
	}
	key, err := a.d.Keys.Get(ctx, who.ID)
	if err != nil {
		return policy.Principal{}, ports.Wrap("find API key", err)
	}
	if !key.IsActive || key.Expired(a.d.Clock.Now()) {
		return policy.Principal{}, ports.ErrNotFound
	}
	return key.Principal(), nil
}

func (a *Access) byScheme(ctx context.Context, c Credential) (policy.Principal, error) {
	switch c.Scheme {
	case "bearer":
		return a.bySession(ctx, c.Token)
	case "apikey":
		return a.byKey(ctx, c.Token)
	case "basic":
		return a.byBasic(ctx, c.Username, c.Password)
	}
	return policy.Principal{}, errCredential
}

// bySession finds the administrator of a session's token.
func (a *Access) bySession(ctx context.Context, token string) (policy.Principal, error) {
	return a.remembered("bearer "+token, func() (cached, error) {
		session, err := a.d.Sessions.Get(ctx, sessionID(token))
		if ports.Is(err, ports.NotFound) {
			return cached{}, errCredential
		}
		if err != nil {
			return cached{}, ports.Wrap("find session", err)
		}
		if !a.d.Clock.Now().Before(session.ExpiresAt) {
			if err := a.d.Sessions.Delete(ctx, session.ID); err != nil && !ports.Is(err, ports.NotFound) {
				return cached{}, ports.Wrap("delete expired session", err)
			}
			return cached{}, errCredential
		}
		admin, err := a.d.Admins.Get(ctx, session.AdminID)
		if ports.Is(err, ports.NotFound) {
			return cached{}, errCredential
		}
		if err != nil {
			return cached{}, ports.Wrap("find admin of session", err)
		}
		return cached{principalOf(admin), session.ExpiresAt}, nil
	})
}

// byKey finds the API key of a value. Unknown values count as guesses.
func (a *Access) byKey(ctx context.Context, value string) (policy.Principal, error) {
	return a.remembered("apikey "+value, func() (cached, error) {
		limits := a.guesses.keyLimits(ctx)
		unlock, err := a.guesses.turns.Lock(ctx, limits[0].Subject)
		if err != nil {
			return cached{}, err
		}
		defer unlock()
		if err := a.guesses.may(ctx, limits...); err != nil {
			return cached{}, a.guesses.tell(ctx, "apikey", err)
		}
		mac := macOf(a.d.MAC, value)
		key, err := a.d.Keys.ByMAC(ctx, mac)
		if ports.Is(err, ports.NotFound) {
			return cached{}, a.guesses.tell(ctx, "apikey", a.guesses.failed(ctx, errCredential, limits...))
		}
		if err != nil {
			return cached{}, ports.Wrap("find API key", err)
		}
		end := key.ExpiresAt
		if key.MAC != mac && key.Former.Until.Before(end) {
			end = key.Former.Until
		}
		if !key.IsActive || !a.d.Clock.Now().Before(end) {
			return cached{}, errCredential
		}
		return cached{key.Principal(), end}, nil
	})
}

// byBasic takes the administrator's name and password, or a key twice.
func (a *Access) byBasic(ctx context.Context, name, password string) (policy.Principal, error) {
	call := policy.CallFrom(ctx)
	if !call.TLS && !isNear(call.ClientIP) && !a.d.Site.BasicOverPublicHTTP() {
		return policy.Principal{}, errPlainBasic
	}
	if name == password {
		who, err := a.byKey(ctx, name)
		if err == nil && who.Permissions&basicBits(call) == 0 {
			return policy.Principal{}, errNoWebDAV
		}
		return who, err
	}
	return a.remembered("basic "+name+":"+password, func() (cached, error) {
		admin, err := a.password(ctx, name, password)
		if err != nil {
			return cached{}, a.guesses.tell(ctx, "basic", err)
		}
		if on, err := a.secondStep(ctx, admin.ID); err != nil {
			return cached{}, err
		} else if on != nil {
			return cached{}, errBasicTOTP
		}
		return cached{principalOf(admin), Never}, nil
	})
}

// basicBits are the permissions of which a key needs one to come as Basic: over
// WebDAV itself, who may only write may come too (contract §8.3).
func basicBits(call *policy.Call) policy.Permission {
	if call.Protocol == policy.WebDAV {
		return policy.PermWebDAVRead | policy.PermWebDAVManage
	}
	return policy.PermWebDAVRead
}

// remembered answers from the cache, else looks up and remembers what came
// out: who it is, or that it is nobody.
func (a *Access) remembered(credential string, look func() (cached, error)) (policy.Principal, error) {
	id := a.d.MAC.Sum("credential cache", []byte(credential))
	now := a.d.Clock.Now()
	who, ok, generation := a.proven.get(id, now)
	if ok {
		return who, nil
	}
	_, nobody, refusals := a.refused.get(id, now)
	if nobody {
		return policy.Principal{}, errCredential
	}
	end := now.Add(cacheLife)
	found, err := look()
	if errors.Is(err, errCredential) {
		a.refused.put(id, cached{end: end}, refusals)
	}
	if err != nil {
		return policy.Principal{}, err
	}
	if end.Before(found.end) {
		found.end = end
	}
	a.proven.put(id, found, generation)
	return found.who, nil
}

// password checks name and password of the administrator within the limits on
// guesses. An unknown name costs the same time and gets the same answer.
func (a *Access) password(ctx context.Context, name, password string) (*Admin, error) {
	byName, bySource := a.guesses.loginLimits(ctx, name)
	limits := append(a.guesses.webdavLimits(ctx), bySource, byName)
	unlock, err := a.guesses.turns.Lock(ctx, limits[0].Subject)
	if err != nil {
		return nil, err
	}
	defer unlock()
	if err := a.guesses.may(ctx, limits...); err != nil {
		return nil, err
	}
	admin, err := a.d.Admins.ByName(ctx, name)
	if ports.Is(err, ports.NotFound) {
		admin = &Admin{}
	} else if err != nil {
		return nil, ports.Wrap("find admin", err)
	}
	ok, err := a.d.Hasher.Verify(ctx, password, admin.PasswordHash)
	if err != nil {
		return nil, ports.Wrap("check password", err)
	}
	if !ok {
		return nil, a.guesses.failed(ctx, errLogin, limits...)
	}
	if err := a.d.Guesses.Forget(ctx, byName); err != nil {
		return nil, ports.Wrap("forget guesses", err)
	}
	return admin, nil
}

// Forget drops what is remembered of credentials, after a change elsewhere.
func (a *Access) Forget() {
	a.proven.empty()
	a.refused.empty()
}

// change stores a change of credentials together with the news of it for the other
// nodes, so that none goes on with what was, and drops what is remembered here.
func (a *Access) change(ctx context.Context, store func(ctx context.Context) error) error {
	defer a.Forget() // also after an error: whether it was stored may be unknown
	return a.d.Work.Do(ctx, func(ctx context.Context) error {
		if err := store(ctx); err != nil {
			return err
		}
		return ports.Wrap("announce changed credentials", a.d.Invalidation.Publish(ctx, Changed, ""))
	})
}

// principalOf makes the administrator's principal.
func principalOf(admin *Admin) policy.Principal {
	return policy.Principal{Kind: policy.Admin, ID: admin.ID, Name: admin.Username, Permissions: policy.AllPermissions, BasicPath: "/"}
}

// isNear reports whether ip is of this machine or a private network.
func isNear(ip string) bool {
	address, err := netip.ParseAddr(ip)
	if err != nil {
		return false
	}
	address = address.Unmap()
	return address.IsLoopback() || address.IsPrivate() || address.IsLinkLocalUnicast()
}
