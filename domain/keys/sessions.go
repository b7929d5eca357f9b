package keys

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"strings"
	"time"

	"pasteport/ports"
	"pasteport/ports/policy"
)

// Sessions of the administrator (decision 36).
const (
	sessionLife  = 24 * time.Hour
	sessionsKept = 10
	tokenLength  = 43 // of 62 letters: 256 bits
)

var (
	errLoginFields = ports.InvalidInput("auth.login_fields", "username")
	errNoSession   = &ports.Error{Code: ports.NotFound, Key: "not_found", Text: "auth.no_session"}
)

// SignIn is a request to sign in as administrator.
type SignIn struct {
	Username string
	Password string
	TOTP     string // code of the second step, when it is on
	// UserAgent is how the client calls itself, for the list of sessions.
	UserAgent string
}

// SignedIn is a fresh session. The token is not kept and cannot be had again.
type SignedIn struct {
	Username  string
	Token     string
	ExpiresAt time.Time
}

// Login opens a session. Asks session.open. Returns Invalid when a field is
// empty, Unauthenticated for a wrong name or password and, with the keys
// totp_required and totp_wrong, for the second step, RateLimited after too
// many of them, Unavailable when too many passwords are being checked.
func (a *Access) Login(ctx context.Context, who policy.Principal, in SignIn) (SignedIn, error) {
	if _, err := policy.Check(ctx, a.d.Decider, who, policy.SessionOpen, policy.Resource{Kind: policy.KindSession}); err != nil {
		return SignedIn{}, err
	}
	if in.Username == "" || in.Password == "" {
		return SignedIn{}, errLoginFields
	}
	admin, err := a.password(ctx, in.Username, in.Password)
	if err != nil {
		return SignedIn{}, err
	}
	passed, err := a.passSecondStep(ctx, admin.ID, in.TOTP)
	if err != nil {
		return SignedIn{}, err
	}
	stronger, err := a.stronger(ctx, in.Password, admin.PasswordHash)
	if err != nil {
		return SignedIn{}, err
	}
	now := a.d.Clock.Now()
	token := a.d.Random.Text(tokenLength)
	session := Session{ID: sessionID(token), AdminID: admin.ID, CreatedAt: now, ExpiresAt: now.Add(sessionLife), ClientIP: policy.CallFrom(ctx).ClientIP, UserAgent: clip(in.UserAgent, 256), ConfirmedAt: now}
	for {
		err = a.open(ctx, admin, &session, stronger, passed)
		if !errors.Is(err, errOvertaken) {
			break
		}
		// Its second step was passed already; is the password still right?
		if admin, err = a.d.stillRight(ctx, admin, in.Password); err != nil {
			break
		}
		stronger = ""
	}
	if err != nil {
		return SignedIn{}, err
	}
	return SignedIn{Username: admin.Username, Token: token, ExpiresAt: session.ExpiresAt}, nil
}

// open stores a session; the eleventh pushes out the oldest one. What has changed
// since the password was found right counts: returns errOvertaken for another
// account, errTOTPNeeded for a second step that was not passed.
func (a *Access) open(ctx context.Context, known *Admin, session *Session, stronger string, passed bool) error {
	return a.change(ctx, func(ctx context.Context) error {
		// First, so that who changes the account waits, or is seen.
		_, err := a.d.Admins.Update(ctx, known.ID, func(admin *Admin) error {
			if err := admin.still(known); err != nil {
				return err
			}
			admin.UpdatedAt = session.CreatedAt
			if stronger != "" {
				admin.PasswordHash = stronger
			}
			return nil
		})
		if err != nil {
			return ports.Wrap("note the sign-in", err)
		}
		if on, err := a.secondStep(ctx, known.ID); err != nil || on != nil && !passed {
			return cmp.Or(err, error(errTOTPNeeded))
		}
		if err := a.d.Sessions.Insert(ctx, session, sessionsKept); err != nil {
			return ports.Wrap("store session", err)
		}
		return a.tellPlace(ctx, known, session.UserAgent)
	})
}

// stillRight is an account as it is now, of which a password was right before.
// Returns Unauthenticated when that has changed, or its name.
func (d *Deps) stillRight(ctx context.Context, known *Admin, password string) (*Admin, error) {
	admin, err := d.Admins.Get(ctx, known.ID)
	if ports.Is(err, ports.NotFound) || err == nil && admin.Username != known.Username {
		return nil, errLogin
	}
	if err != nil {
		return nil, ports.Wrap("find admin", err)
	}
	ok, err := d.Hasher.Verify(ctx, password, admin.PasswordHash)
	if err == nil && !ok {
		return nil, errLogin
	}
	return admin, ports.Wrap("check password", err)
}

// stronger returns a new hash of a password that is known to be right when the
// old hash is weaker than today's, else "".
func (a *Access) stronger(ctx context.Context, password, hash string) (string, error) {
	if !a.d.Hasher.Outdated(hash) {
		return "", nil
	}
	stronger, err := a.d.Hasher.Hash(ctx, password)
	return stronger, ports.Wrap("renew hash", err)
}

// Logout ends the session whose token stands in an Authorization header.
// Anything else is no error: whoever logs out is out. Asks session.close.
func (a *Access) Logout(ctx context.Context, who policy.Principal, authorization string) error {
	if _, err := policy.Check(ctx, a.d.Decider, who, policy.SessionClose, policy.Resource{Kind: policy.KindSession}); err != nil {
		return err
	}
	id := SessionID(authorization)
	if id == "" {
		return nil
	}
	return a.endSession(ctx, id)
}

// endSession ends a session; one that has ended is no error.
func (a *Access) endSession(ctx context.Context, id string) error {
	return a.change(ctx, func(ctx context.Context) error {
		err := a.d.Sessions.Delete(ctx, id)
		if ports.Is(err, ports.NotFound) {
			return nil
		}
		return ports.Wrap("end session", err)
	})
}

// ListSessions returns the administrator's running sessions, newest first.
// Asks admin.sessions.write.
func (a *Access) ListSessions(ctx context.Context, who policy.Principal) ([]Session, error) {
	if _, err := policy.Check(ctx, a.d.Decider, who, policy.SessionsWrite, policy.Resource{Kind: policy.KindSession}); err != nil {
		return nil, err
	}
	all, err := a.d.Sessions.List(ctx, who.ID)
	if err != nil {
		return nil, ports.Wrap("list sessions", err)
	}
	running := make([]Session, 0, len(all))
	for _, s := range all {
		if a.d.Clock.Now().Before(s.ExpiresAt) {
			running = append(running, s)
		}
	}
	return running, nil
}

// EndSession ends a session of the administrator. Asks admin.sessions.write.
// Returns NotFound for an unknown one.
func (a *Access) EndSession(ctx context.Context, who policy.Principal, id string) error {
	if _, err := policy.Check(ctx, a.d.Decider, who, policy.SessionsWrite, policy.Resource{Kind: policy.KindSession, ID: id}); err != nil {
		return err
	}
	session, err := a.d.Sessions.Get(ctx, id)
	if ports.Is(err, ports.NotFound) || (err == nil && session.AdminID != who.ID) {
		return errNoSession
	}
	if err != nil {
		return ports.Wrap("find session", err)
	}
	return a.endSession(ctx, id)
}

// SessionID names the session whose Bearer token stands in an Authorization
// header, "" when there is none.
func SessionID(authorization string) string {
	scheme, token, _ := strings.Cut(authorization, " ")
	if token == "" || !strings.EqualFold(scheme, "bearer") {
		return ""
	}
	return sessionID(token)
}

func sessionID(token string) string {
	sum := sha256.Sum256([]byte(token))
	return hex.EncodeToString(sum[:])
}

// clip cuts s to at most n bytes of whole characters.
func clip(s string, n int) string {
	return strings.ToValidUTF8(s[:min(len(s), n)], "")
}
