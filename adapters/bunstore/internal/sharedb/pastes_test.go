package sharedb_test

import (
	"testing"

	"pasteport/adapters/bunstore"
	"pasteport/adapters/bunstore/bunstoretest"
	"pasteport/domain/shares/cleanup"
	"pasteport/ports/portstest"
)

func TestContentsGoWithTheirPastes(t *testing.T) {
	bunstoretest.OnBoth(t, func(t *testing.T, s *bunstore.Store) {
		for _, slug := range []string{"a", "b"} {
			if err := s.Pastes().Insert(t.Context(), bunstoretest.Paste(slug)); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := s.Pastes().Delete(t.Context(), "id-a"); err != nil {
			t.Fatal(err)
		}
		p, err := s.Pastes().Get(t.Context(), "id-b")
		if err != nil {
			t.Fatal(err)
		}
		if _, err := s.Pastes().Erase(t.Context(), portstest.Start, cleanup.Saw(p.ID, p.Version, &p.Gate)); err != nil {
			t.Fatal(err)
		}
		if got := bunstoretest.Query(t, s, "SELECT 'left' FROM paste_contents"); got != nil {
			t.Errorf("contents left: %v", got)
		}
	})
}
