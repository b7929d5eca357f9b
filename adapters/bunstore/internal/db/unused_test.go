package db_test

import (
	"path/filepath"
	"testing"
	"time"

	"pasteport/adapters/bunstore/bunstoretest"
	"pasteport/domain/mounts/dav"
	"pasteport/ports/portstest"
)

// A table that nothing was stored in is not asked; from then on it is, by every
// repository of the database and after a restart.
func TestWhatIsStoredInATableThatWasEmptyIsSeen(t *testing.T) {
	path, clock := filepath.Join(t.TempDir(), "test.db"), portstest.NewClock()
	s := bunstoretest.Open(t, path, clock)
	around := func() int {
		t.Helper()
		found, err := s.Locks().Around(t.Context(), clock.Now(), dav.Reach{Path: "/a", Deep: true})
		if err != nil {
			t.Fatal(err)
		}
		return len(found)
	}
	if n := around(); n != 0 {
		t.Fatalf("%d locks of an empty table", n)
	}
	lock := &dav.Lock{Token: "t", Path: "/a/b", Holder: "admin", Created: clock.Now(), Expires: clock.Now().Add(time.Hour)}
	if err := s.Locks().Insert(t.Context(), lock, clock.Now(), func([]dav.Lock, int) error { return nil }); err != nil {
		t.Fatal(err)
	}
	if n := around(); n != 1 {
		t.Errorf("%d locks after the first was stored", n)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	s = bunstoretest.Open(t, path, clock)
	if n := around(); n != 1 {
		t.Errorf("%d locks after a restart", n)
	}
}
