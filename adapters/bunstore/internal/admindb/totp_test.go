package admindb_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"pasteport/adapters/bunstore"
	"pasteport/adapters/bunstore/bunstoretest"
	"pasteport/domain/keys"
	"pasteport/ports"
	"pasteport/ports/portstest"
)

func TestASecondStepIsKeptAndItsCodesAreUsedOnce(t *testing.T) {
	bunstoretest.OnBoth(t, func(t *testing.T, s *bunstore.Store) {
		r := s.TOTP()
		if _, err := r.Get(t.Context(), "a"); !ports.Is(err, ports.NotFound) {
			t.Fatal(err)
		}
		want := &keys.TOTP{AdminID: "a", Sealed: []byte{0, 1}, Enabled: true, LastStep: 7, Recovery: []string{"h1", "h2"}, CreatedAt: portstest.Start}
		for range 2 {
			if err := r.Put(t.Context(), want); err != nil {
				t.Fatal(err)
			}
		}
		got, err := r.Get(t.Context(), "a")
		if d := cmp.Diff(got, want); d != "" || err != nil {
			t.Error(err, "got -, want +\n"+d)
		}
		for _, c := range []struct {
			step int64
			want bool
		}{{6, false}, {7, false}, {8, true}, {8, false}, {9, true}} {
			if got, err := r.UseStep(t.Context(), "a", c.step); got != c.want || err != nil {
				t.Errorf("step %d: %t, %v", c.step, got, err)
			}
		}
		for _, want := range []bool{true, false} {
			if got, err := r.UseRecovery(t.Context(), "a", "h1"); got != want || err != nil {
				t.Errorf("%t, %v", got, err)
			}
		}
		if got, err := r.UseRecovery(t.Context(), "b", "h2"); got || err != nil {
			t.Error("somebody else's code", err)
		}
		for range 2 {
			if err := r.Delete(t.Context(), "a"); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := r.Get(t.Context(), "a"); !ports.Is(err, ports.NotFound) {
			t.Error(err)
		}
	})
}
