package keys_test

import (
	"context"
	"encoding/base32"
	"slices"
	"strings"
	"testing"
	"time"

	"pasteport/domain/keys"
	"pasteport/ports"
	"pasteport/ports/policy"
	"pasteport/ports/portstest"
)

// steps is a TOTPRepository in memory.
type steps struct{ all map[string]keys.TOTP }

func (s *steps) Get(_ context.Context, id string) (*keys.TOTP, error) {
	t, ok := s.all[id]
	if !ok {
		return nil, ports.ErrNotFound
	}
	return &t, nil
}
func (s *steps) Put(_ context.Context, t *keys.TOTP) error { s.all[t.AdminID] = *t; return nil }
func (s *steps) Delete(_ context.Context, id string) error { delete(s.all, id); return nil }
func (s *steps) UseStep(_ context.Context, id string, step int64) (bool, error) {
	t := s.all[id]
	ok := step > t.LastStep
	t.LastStep = max(step, t.LastStep)
	s.all[id] = t
	return ok, nil
}
func (s *steps) UseRecovery(_ context.Context, id, hash string) (bool, error) {
	t := s.all[id]
	before := len(t.Recovery)
	t.Recovery = slices.DeleteFunc(slices.Clone(t.Recovery), func(h string) bool { return h == hash })
	s.all[id] = t
	return len(t.Recovery) < before, nil
}

// app makes codes.
func (w *world) code(secret string, later time.Duration) string {
	w.t.Helper()
	raw, err := base32.StdEncoding.WithPadding(base32.NoPadding).DecodeString(secret)
	if err != nil {
		w.t.Fatal(err)
	}
	return keys.CodeAt(raw, w.clock.Now().Add(later).Unix())
}

func wantTOTP(t *testing.T, what string, err error, code ports.Code, key string) {
	t.Helper()
	wantCode(t, what, err, code)
	if e, ok := err.(*ports.Error); !ok || e.Key != key {
		t.Errorf("%s: %v, want %s", what, err, key)
	}
}

func TestTheSecondStepAtSignIn(t *testing.T) {
	w := newWorld(t)
	store := &steps{all: map[string]keys.TOTP{}}
	w.steps = store
	w.open()
	admin := w.admin()
	login := func(totp string) error {
		_, err := w.Login(w.ctx(), policy.Nobody, keys.SignIn{Username: "admin", Password: rightPassword, TOTP: totp})
		return err
	}

	_, err := w.EnableTOTP(w.ctx(), admin, "", "123456")
	wantTOTP(t, "before there is a secret", err, ports.NotFound, "not_found")
	_, err = w.BeginTOTP(w.ctx(), admin, "wrong")
	wantTOTP(t, "a wrong password", err, ports.Invalid, "invalid_argument")
	_, err = w.BeginTOTP(w.ctx(), policy.Nobody, rightPassword)
	wantCode(t, "a visitor", err, ports.Unauthenticated)
	offer, err := w.BeginTOTP(w.ctx(), admin, rightPassword)
	if err != nil || !strings.HasPrefix(offer.URL, "otpauth://totp/Mysite:admin?") || !strings.Contains(offer.URL, "secret="+offer.Secret) {
		t.Fatal(offer, err)
	}
	if err := login(""); err != nil {
		t.Errorf("before it is on: %v", err)
	}
	if _, err := w.Authenticate(w.ctx(), basic("admin", rightPassword)); err != nil {
		t.Errorf("Basic before it is on: %v", err)
	}
	if strings.Contains(string(store.all[admin.ID].Sealed), offer.Secret) {
		t.Error("the secret is not sealed")
	}
	_, err = w.EnableTOTP(w.ctx(), admin, "", "000000")
	wantTOTP(t, "a wrong code", err, ports.Invalid, "invalid_argument")
	codes, err := w.EnableTOTP(w.ctx(), admin, "", w.code(offer.Secret, 0))
	if err != nil || len(codes) != 10 {
		t.Fatal(codes, err)
	}
	_, err = w.BeginTOTP(w.ctx(), admin, rightPassword)
	wantTOTP(t, "a second secret", err, ports.Conflict, "already_exists")

	wantTOTP(t, "no code", login(""), ports.Unauthenticated, "totp_required")
	wantTOTP(t, "the code that turned it on", login(w.code(offer.Secret, 0)), ports.Unauthenticated, "totp_wrong")
	_, err = w.Login(w.ctx(), policy.Nobody, keys.SignIn{Username: "admin", Password: "wrong", TOTP: w.code(offer.Secret, 0)})
	wantTOTP(t, "a wrong password with a code", err, ports.Unauthenticated, "unauthenticated")
	w.clock.Add(time.Minute)
	if err := login(w.code(offer.Secret, -30*time.Second)); err != nil {
		t.Errorf("a code of the step before: %v", err)
	}
	now := w.code(offer.Secret, 0)
	if err := login(now[:3] + " " + now[3:]); err != nil {
		t.Errorf("a fresh code with a blank: %v", err)
	}
	wantTOTP(t, "it again", login(now), ports.Unauthenticated, "totp_wrong")
	wantTOTP(t, "one from the future", login(w.code(offer.Secret, time.Minute)), ports.Unauthenticated, "totp_wrong")

	if err := login(codes[3]); err != nil {
		t.Errorf("a recovery code: %v", err)
	}
	wantTOTP(t, "it again", login(codes[3]), ports.Unauthenticated, "totp_wrong")
	if s, err := w.TOTPState(w.ctx(), admin); err != nil || !s.Enabled || s.Recovery != 9 {
		t.Error(s, err)
	}
	_, err = w.Authenticate(w.ctx(), basic("admin", rightPassword))
	wantTOTP(t, "Basic with the name", err, ports.Forbidden, "permission_denied")

	w.clock.Add(time.Hour)
	fresh, err := w.RenewRecovery(w.ctx(), admin, rightPassword, w.code(offer.Secret, 0))
	if err != nil || len(fresh) != 10 {
		t.Fatal(err)
	}
	wantTOTP(t, "an old recovery code", login(codes[4]), ports.Unauthenticated, "totp_wrong")
	wantTOTP(t, "turning it off without the password", w.DisableTOTP(w.ctx(), admin, "wrong", fresh[0]), ports.Invalid, "invalid_argument")
	if err := w.DisableTOTP(w.ctx(), admin, rightPassword, fresh[0]); err != nil {
		t.Fatal(err)
	}
	if err := login(""); err != nil {
		t.Errorf("when it is off: %v", err)
	}
	if _, err := w.Authenticate(w.ctx(), basic("admin", rightPassword)); err != nil {
		t.Errorf("Basic when it is off: %v", err)
	}
}

func TestCodesOfTheSecondStepCannotBeGuessed(t *testing.T) {
	w := newWorld(t)
	w.steps = &steps{all: map[string]keys.TOTP{}}
	w.open()
	admin := w.admin()
	offer, err := w.BeginTOTP(w.ctx(), admin, rightPassword)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.EnableTOTP(w.ctx(), admin, "", w.code(offer.Secret, 0)); err != nil {
		t.Fatal(err)
	}
	w.clock.Add(time.Minute)
	guess := func(ip, code string) error {
		_, err := w.Login(from(t, ip), policy.Nobody, keys.SignIn{Username: "admin", Password: rightPassword, TOTP: code})
		return err
	}
	for i := range 10 {
		wantTOTP(t, "a guess", guess("192.0.2.1", "00000x"), ports.Unauthenticated, "totp_wrong")
		_ = i
	}
	wantCode(t, "the eleventh, with the right code", guess("192.0.2.1", w.code(offer.Secret, 0)), ports.RateLimited)
	if err := guess("192.0.2.2", w.code(offer.Secret, 0)); err != nil {
		t.Errorf("the administrator from elsewhere: %v", err)
	}
	if name, _, err := w.ResetAdmin(w.ctx(), "", rightPassword); err != nil || name != "admin" {
		t.Fatal(err)
	}
	if err := guess("192.0.2.1", ""); err != nil {
		t.Errorf("after a reset: %v", err)
	}
}

func TestE3_ASecondStepIsSealedAnewWithTheKeyOfTheDay(t *testing.T) {
	w := newWorld(t)
	all, sealer := &steps{all: map[string]keys.TOTP{}}, &portstest.Versioned{Current: 1}
	reseal := func() int {
		t.Helper()
		n, err := keys.Reseal(t.Context(), w.memory.Admins(), all, sealer, sealer.Outdated)
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	if n := reseal(); n != 0 {
		t.Errorf("without a second step: %d", n)
	}
	id := w.admin().ID
	sealed, err := sealer.Seal([]byte("the secret"), "admin_totp/"+id)
	if err != nil {
		t.Fatal(err)
	}
	all.all[id] = keys.TOTP{AdminID: id, Sealed: sealed, Enabled: true, LastStep: 7, Recovery: []string{"hash"}}
	sealer.Current = 2
	if n := reseal(); n != 1 {
		t.Errorf("sealed anew: %d", n)
	}
	after := all.all[id]
	plain, err := sealer.Open(after.Sealed, "admin_totp/"+id)
	if err != nil || string(plain) != "the secret" || sealer.Outdated(after.Sealed) || !after.Enabled || after.LastStep != 7 || len(after.Recovery) != 1 {
		t.Errorf("%q, %+v, %v", plain, after, err)
	}
	if n := reseal(); n != 0 {
		t.Errorf("again: %d", n)
	}
}

func TestSessionsWithoutTheSecondStepEndWhenItIsTurnedOn(t *testing.T) {
	w := newWorld(t)
	w.steps = &steps{all: map[string]keys.TOTP{}}
	w.open()
	admin := w.admin()
	mine, stolen := w.signIn(), w.signIn()
	offer, err := w.BeginTOTP(w.ctx(), admin, rightPassword)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.EnableTOTP(w.ctx(), admin, "Bearer "+mine, "000000"); err == nil {
		t.Error("a wrong code turns it on")
	}
	if _, err := w.Authenticate(w.ctx(), keys.Credential{Scheme: "bearer", Token: stolen}); err != nil {
		t.Errorf("a wrong code ends sessions: %v", err)
	}
	if _, err := w.EnableTOTP(w.ctx(), admin, "Bearer "+mine, w.code(offer.Secret, 0)); err != nil {
		t.Fatal(err)
	}
	if _, err := w.Authenticate(w.ctx(), keys.Credential{Scheme: "bearer", Token: mine}); err != nil {
		t.Errorf("the session that turned it on: %v", err)
	}
	_, err = w.Authenticate(w.ctx(), keys.Credential{Scheme: "bearer", Token: stolen})
	wantCode(t, "a session from before", err, ports.Unauthenticated)
}
