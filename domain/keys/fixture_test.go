package keys_test

import (
	"context"
	"sync"
	"testing"

	"pasteport/domain/domaintest"
	"pasteport/domain/keys"
	"pasteport/ports"
	"pasteport/ports/policy"
	"pasteport/ports/portstest"
)

// decider lets administrators do everything, keys ask about themselves, and
// everybody sign in and out. It remembers what it was asked.
type decider struct {
	mu    sync.Mutex
	asked []policy.Action
}

func (d *decider) Decide(_ context.Context, who policy.Principal, do policy.Action, _ policy.Resource) (policy.Decision, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.asked = append(d.asked, do)
	open := do == policy.SessionOpen || do == policy.SessionClose || (do == policy.KeySelf && who.Kind == policy.APIKey)
	return policy.Decision{Allow: open || who.Kind == policy.Admin}, nil
}

type site struct{ basicOverHTTP bool }

func (s *site) SiteTitle() string         { return "Mysite" }
func (s *site) BasicOverPublicHTTP() bool { return s.basicOverHTTP }

// world is an Access over fakes, with an administrator "admin".
type world struct {
	*keys.Access
	*keys.Keys
	t            *testing.T
	clock        *portstest.Clock
	memory       *domaintest.Memory
	hasher       *portstest.Hasher
	random       *portstest.Random
	decider      *decider
	site         *site
	shares       *sharesFake
	invalidation *portstest.Invalidation
	steps        keys.TOTPRepository // nil in most tests

	mu      sync.Mutex
	guessed []string // what Guessed was told
}

const rightPassword = "a quiet river"

func newWorld(t *testing.T) *world {
	t.Helper()
	clock := portstest.NewClock()
	w := &world{t: t, clock: clock, memory: domaintest.NewMemory(clock), hasher: &portstest.Hasher{}, random: &portstest.Random{},
		decider: &decider{}, site: &site{}, invalidation: &portstest.Invalidation{}}
	w.shares = &sharesFake{t: t, w: w}
	w.open()
	if made, err := w.FirstAdmin(t.Context(), "admin", rightPassword); err != nil || made == nil || made.Password != "" {
		t.Fatal(made, err)
	}
	return w
}

// open starts the server anew.
func (w *world) open() {
	w.Access = w.access()
	w.Keys = keys.NewKeys(w.Access)
}

// access makes another server over the same database.
func (w *world) access() *keys.Access { return w.accessWith(func(*keys.Deps) {}) }

// accessWith is access with something else in it.
func (w *world) accessWith(change func(*keys.Deps)) *keys.Access {
	d := keys.Deps{Keys: w.memory.Keys(), Admins: w.memory.Admins(), Sessions: w.memory.Sessions(), Work: w.memory,
		Guesses: w.memory.Guesses(), Hasher: w.hasher, MAC: portstest.MAC{}, Random: w.random, Clock: w.clock,
		Invalidation: w.invalidation, Decider: w.decider, Site: w.site, Shares: w.shares, TOTP: w.steps, Sealer: portstest.Sealer{}, Guessed: w.noteGuess}
	change(&d)
	return keys.New(d)
}

func (w *world) noteGuess(_ context.Context, scheme string, why *ports.Error) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.guessed = append(w.guessed, scheme+" "+why.Key)
	return nil
}

// from is a request of a client at ip over plain HTTP.
func from(t *testing.T, ip string) context.Context {
	return policy.WithCall(t.Context(), &policy.Call{ClientIP: ip})
}

func (w *world) ctx() context.Context { return from(w.t, "127.0.0.1") }

// signIn opens a session and returns its token.
func (w *world) signIn() string {
	w.t.Helper()
	in, err := w.Login(w.ctx(), policy.Nobody, keys.SignIn{Username: "admin", Password: rightPassword})
	if err != nil {
		w.t.Fatal(err)
	}
	return in.Token
}

// admin signs in and returns the principal.
func (w *world) admin() policy.Principal {
	w.t.Helper()
	who, err := w.Authenticate(w.ctx(), bearer(w.signIn()))
	if err != nil {
		w.t.Fatal(err)
	}
	return who
}

// key makes an API key.
func (w *world) key(f keys.KeyFields) keys.Issued {
	w.t.Helper()
	if f.Name == nil {
		f.Name = ptr("key " + w.random.ID())
	}
	issued, err := w.CreateKey(w.ctx(), w.admin(), f, "")
	if err != nil {
		w.t.Fatal(err)
	}
	return issued
}

func bearer(token string) keys.Credential { return keys.Credential{Scheme: "bearer", Token: token} }
func apiKey(value string) keys.Credential { return keys.Credential{Scheme: "apikey", Token: value} }
func basic(user, password string) keys.Credential {
	return keys.Credential{Scheme: "basic", Username: user, Password: password}
}

func ptr[T any](v T) *T { return &v }

func wantCode(t *testing.T, what string, err error, want ports.Code) {
	t.Helper()
	if err == nil || ports.CodeOf(err) != want {
		t.Errorf("%s: %v, want code %d", what, err, want)
	}
}

func bits(p policy.Permission) *int64 { return ptr(int64(p)) }

// errorOf drops what a call returns beside its error.
func errorOf[T any](_ T, err error) error { return err }
