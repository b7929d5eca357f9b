package keys_test

import (
	"context"
	"slices"
	"testing"

	"pasteport/domain/keys"
	"pasteport/ports"
	"pasteport/ports/policy"
)

// sharesFake holds how many shares an owner has. It fails once when told to.
type sharesFake struct {
	t     *testing.T
	w     *world
	of    map[string]keys.Shared
	fail  error
	asked []string
}

func (s *sharesFake) CountShares(_ context.Context, owner string) (keys.Shared, error) {
	s.permitted()
	return s.of[owner], nil
}

func (s *sharesFake) RevokeShares(_ context.Context, owner string) (keys.Shared, error) {
	s.permitted()
	s.asked = append(s.asked, owner)
	if err := s.fail; err != nil {
		s.fail = nil
		return keys.Shared{}, err
	}
	had := s.of[owner]
	delete(s.of, owner)
	return had, nil
}

// permitted fails the test when the policy was not asked before.
func (s *sharesFake) permitted() {
	s.w.decider.mu.Lock()
	defer s.w.decider.mu.Unlock()
	if n := len(s.w.decider.asked); n == 0 || s.w.decider.asked[n-1] != policy.KeysWrite {
		s.t.Errorf("shares were touched after %v", s.w.decider.asked)
	}
}

func TestDeletingAKeyMayRevokeItsShares(t *testing.T) {
	w := newWorld(t)
	admin := w.admin()
	stays, goes := w.key(keys.KeyFields{}), w.key(keys.KeyFields{})
	w.shares.of = map[string]keys.Shared{
		"apikey:" + stays.ID: {Pastes: 1}, "apikey:" + goes.ID: {Pastes: 2, Files: 3, Folders: 1}, admin.Owner(): {Pastes: 7}, goes.ID: {Files: 9},
	}
	if n, err := w.CountShares(w.ctx(), admin, goes.ID); err != nil || n != (keys.Shared{Pastes: 2, Files: 3, Folders: 1}) {
		t.Errorf("counted %+v, %v", n, err)
	}
	if _, err := w.DeleteKey(w.ctx(), admin, stays.ID); err != nil || len(w.shares.asked) != 0 {
		t.Errorf("shares outlive their key: %v, %v", err, w.shares.asked)
	}

	w.shares.fail = ports.ErrUnavailable
	_, _, err := w.DeleteKeyAndShares(w.ctx(), admin, goes.ID)
	wantCode(t, "a storage that fails", err, ports.Unavailable)
	_, err = w.Authenticate(w.ctx(), apiKey(goes.Value))
	wantCode(t, "the key all the same", err, ports.Unauthenticated)
	if was, n, err := w.DeleteKeyAndShares(w.ctx(), admin, goes.ID); err != nil || was.ID != "" || n != (keys.Shared{Pastes: 2, Files: 3, Folders: 1}) {
		t.Errorf("repeated: %+v, %v", n, err)
	}
	_, _, err = w.DeleteKeyAndShares(w.ctx(), admin, goes.ID)
	wantCode(t, "when nothing is left", err, ports.NotFound)
	_, err = w.CountShares(w.ctx(), admin, goes.ID)
	wantCode(t, "counting then", err, ports.NotFound)
	if n, err := w.CountShares(w.ctx(), admin, stays.ID); err != nil || n.Pastes != 1 {
		t.Errorf("what a deleted key has left: %+v, %v", n, err)
	}
	_, _, err = w.DeleteKeyAndShares(w.ctx(), admin, admin.ID)
	wantCode(t, "the id of the administrator", err, ports.NotFound)
	if w.shares.of[admin.Owner()].Pastes != 7 {
		t.Error("the administrator's own shares are gone")
	}
}

func TestOnlyTheAdministratorSeesOrRevokesSharesOfKeys(t *testing.T) {
	w := newWorld(t)
	key := w.key(keys.KeyFields{Permissions: bits(policy.AllPermissions)})
	for name, who := range map[string]policy.Principal{"the key": key.Principal(), "nobody": policy.Nobody} {
		_, err1 := w.CountShares(w.ctx(), who, key.ID)
		_, _, err2 := w.DeleteKeyAndShares(w.ctx(), who, key.ID)
		for _, err := range []error{err1, err2} {
			if code := ports.CodeOf(err); !slices.Contains([]ports.Code{ports.Forbidden, ports.Unauthenticated}, code) {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
	if len(w.shares.asked) != 0 {
		t.Errorf("shares of %v were revoked", w.shares.asked)
	}
}
