package keys_test

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"pasteport/domain/keys"
	"pasteport/ports"
	"pasteport/ports/policy"
	"pasteport/ports/portstest"
)

// meanwhile lets something happen, once, after a password was found right and
// before what it was shown for is stored.
type meanwhile struct {
	ports.Hasher
	outdated bool
	once     sync.Once
	happens  func()
}

func (m *meanwhile) Outdated(string) bool {
	m.once.Do(m.happens)
	return m.outdated
}

func TestASignInThatAChangeOfTheAccountOvertakesObeysIt(t *testing.T) {
	const newPassword = "another quiet river"
	change := func(w *world, admin policy.Principal) error {
		return w.ChangeAccount(w.ctx(), admin, keys.AccountChange{CurrentPassword: rightPassword, NewPassword: newPassword})
	}
	for _, c := range []struct {
		name     string
		outdated bool // the hash of the password is made anew at sign-in
		change   func(w *world, admin policy.Principal) error
		refused  bool
		password string // the one in force afterwards
	}{
		{"another password", false, change, true, newPassword},
		{"another password, and an older hash", true, change, true, newPassword},
		{"another name", false, func(w *world, admin policy.Principal) error {
			return w.ChangeAccount(w.ctx(), admin, keys.AccountChange{CurrentPassword: rightPassword, NewUsername: "other"})
		}, true, rightPassword},
		{"another sign-in that makes the hash anew", true, func(w *world, admin policy.Principal) error {
			_, err := w.memory.Admins().Update(w.ctx(), admin.ID, func(a *keys.Admin) (err error) {
				a.PasswordHash, err = w.hasher.Hash(w.ctx(), rightPassword)
				a.PasswordHash += " "
				return err
			})
			return err
		}, false, rightPassword},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := newWorld(t)
			admin := w.admin()
			access := w.accessWith(func(d *keys.Deps) {
				d.Hasher = &meanwhile{Hasher: blanks{w.hasher}, outdated: c.outdated, happens: func() {
					if err := c.change(w, admin); err != nil {
						t.Error(err)
					}
				}}
			})
			in, err := access.Login(w.ctx(), policy.Nobody, keys.SignIn{Username: "admin", Password: rightPassword})
			if c.refused {
				wantCode(t, "the sign-in", err, ports.Unauthenticated)
				if sessions, err := w.memory.Sessions().List(w.ctx(), admin.ID); err != nil || len(sessions) > 0 {
					t.Errorf("sessions afterwards: %v, %v", sessions, err)
				}
			} else if err != nil || in.Token == "" {
				t.Errorf("the sign-in: %v", err)
			}
			stored, err := w.memory.Admins().Get(w.ctx(), admin.ID)
			if err != nil {
				t.Fatal(err)
			}
			if ok, err := (blanks{w.hasher}).Verify(w.ctx(), c.password, stored.PasswordHash); err != nil || !ok {
				t.Errorf("the password in force afterwards is another one: %v", err)
			}
		})
	}
}

// blanks overlooks a blank at the end of a hash.
type blanks struct{ *portstest.Hasher }

func (b blanks) Verify(ctx context.Context, password, hash string) (bool, error) {
	for len(hash) > 0 && hash[len(hash)-1] == ' ' {
		hash = hash[:len(hash)-1]
	}
	return b.Hasher.Verify(ctx, password, hash)
}

func TestASignInThatASecondStepOvertakesNeedsIt(t *testing.T) {
	w := newWorld(t)
	w.steps = &steps{all: map[string]keys.TOTP{}}
	w.open()
	admin := w.admin()
	offer, err := w.BeginTOTP(w.ctx(), admin, rightPassword)
	if err != nil {
		t.Fatal(err)
	}
	access := w.accessWith(func(d *keys.Deps) {
		d.Hasher = &meanwhile{Hasher: w.hasher, happens: func() {
			if _, err := w.EnableTOTP(w.ctx(), admin, "", w.code(offer.Secret, 0)); err != nil {
				t.Error(err)
			}
		}}
	})
	_, err = access.Login(w.ctx(), policy.Nobody, keys.SignIn{Username: "admin", Password: rightPassword})
	wantTOTP(t, "the sign-in", err, ports.Unauthenticated, "totp_required")
	if sessions, err := w.memory.Sessions().List(w.ctx(), admin.ID); err != nil || len(sessions) > 0 {
		t.Errorf("sessions afterwards: %v, %v", sessions, err)
	}
}

// cut is a store of second steps that lets something happen, once, when one was read.
type cut struct {
	keys.TOTPRepository
	once    sync.Once
	happens func()
}

func (c *cut) Get(ctx context.Context, id string) (*keys.TOTP, error) {
	t, err := c.TOTPRepository.Get(ctx, id)
	c.once.Do(c.happens)
	return t, err
}

func TestASecondStepThatIsOnIsNotReplacedByAnOfferAndTellsItsCodesOnce(t *testing.T) {
	w := newWorld(t)
	w.steps = &steps{all: map[string]keys.TOTP{}}
	w.open()
	admin := w.admin()
	offer, err := w.BeginTOTP(w.ctx(), admin, rightPassword)
	if err != nil {
		t.Fatal(err)
	}
	var codes []string
	with := func(happens func()) *keys.Access {
		return w.accessWith(func(d *keys.Deps) { d.TOTP = &cut{TOTPRepository: w.steps, happens: happens} })
	}
	_, err = with(func() {
		if codes, err = w.EnableTOTP(w.ctx(), admin, "", w.code(offer.Secret, -30*time.Second)); err != nil {
			t.Error(err)
		}
	}).EnableTOTP(w.ctx(), admin, "", w.code(offer.Secret, 0))
	wantTOTP(t, "turned on twice at once", err, ports.Conflict, "already_exists")

	if err := w.DisableTOTP(w.ctx(), admin, rightPassword, codes[0]); err != nil {
		t.Errorf("the codes of the first: %v", err)
	}
	if offer, err = w.BeginTOTP(w.ctx(), admin, rightPassword); err != nil {
		t.Fatal(err)
	}
	_, err = with(func() {
		if _, err := w.EnableTOTP(w.ctx(), admin, "", w.code(offer.Secret, 0)); err != nil {
			t.Error(err)
		}
	}).BeginTOTP(w.ctx(), admin, rightPassword)
	wantTOTP(t, "an offer while it is turned on", err, ports.Conflict, "already_exists")
	if s, err := w.TOTPState(w.ctx(), admin); err != nil || !s.Enabled {
		t.Error(s, err)
	}
}

// deaf is an invalidation that cannot be told anything.
type deaf struct{ *portstest.Invalidation }

func (deaf) Publish(context.Context, string, string) error { return ports.ErrUnavailable }

func TestAChangeOfWhichOtherNodesCannotBeToldIsNone(t *testing.T) {
	w := newWorld(t)
	admin, kept := w.admin(), w.key(keys.KeyFields{Name: ptr("kept")})
	broken := keys.NewKeys(w.accessWith(func(d *keys.Deps) { d.Invalidation = deaf{w.invalidation} }))

	_, err := broken.CreateKey(w.ctx(), admin, keys.KeyFields{Name: ptr("new")}, "")
	wantCode(t, "a new key", err, ports.Unavailable)
	_, err = broken.RotateKey(w.ctx(), admin, kept.ID, keys.Rotation{})
	wantCode(t, "a rotation", err, ports.Unavailable)
	_, err = broken.UpdateKey(w.ctx(), admin, kept.ID, keys.KeyFields{IsActive: ptr(false)})
	wantCode(t, "a change", err, ports.Unavailable)
	_, err = broken.DeleteKey(w.ctx(), admin, kept.ID)
	wantCode(t, "a deletion", err, ports.Unavailable)

	if _, err := w.CreateKey(w.ctx(), admin, keys.KeyFields{Name: ptr("new")}, ""); err != nil {
		t.Errorf("the new key again, which nobody has the value of: %v", err)
	}
	if _, err := w.Authenticate(w.ctx(), apiKey(kept.Value)); err != nil {
		t.Errorf("the value of the key whose rotation failed: %v", err)
	}
}

func TestAKeyWhoseOwnThingsCannotGoStays(t *testing.T) {
	w := newWorld(t)
	key, failure := w.key(keys.KeyFields{}), errors.New("no room")
	broken := keys.NewKeys(w.accessWith(func(d *keys.Deps) {
		d.Gone = func(context.Context, string) error { return failure }
	}))
	if _, err := broken.DeleteKey(w.ctx(), w.admin(), key.ID); !errors.Is(err, failure) {
		t.Errorf("got %v, want %v", err, failure)
	}
	if _, err := w.GetKey(w.ctx(), w.admin(), key.ID); err != nil {
		t.Errorf("the key, so that it can be deleted again: %v", err)
	}
}
