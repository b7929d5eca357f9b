package admindb_test

import (
	"testing"
	"time"

	"pasteport/adapters/bunstore"
	"pasteport/adapters/bunstore/bunstoretest"
)

func TestManyOldUsesOfKeysGoSomeAtATime(t *testing.T) {
	bunstoretest.OnBoth(t, func(t *testing.T, s *bunstore.Store) {
		if _, err := s.Exec(t.Context(), "INSERT INTO key_uses (key_id, day, calls) WITH RECURSIVE r(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM r WHERE i < 1200) "+
			"SELECT 'key' || i, CASE WHEN i % 12 = 0 THEN '2026-01-02' ELSE '2026-01-01' END, 1 FROM r"); err != nil {
			t.Fatal(err)
		}
		if n, err := s.Keys().DeleteUses(t.Context(), time.Date(2026, 1, 2, 12, 0, 0, 0, time.UTC)); err != nil || n != 1100 {
			t.Errorf("%d went, %v; want 1100", n, err)
		}
		if left, err := s.Read(t.Context()).NewSelect().Table("key_uses").Count(t.Context()); err != nil || left != 100 {
			t.Errorf("%d are left, %v; want 100", left, err)
		}
	})
}
