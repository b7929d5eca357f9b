package sharedb_test

import (
	"errors"
	"testing"

	"pasteport/adapters/bunstore"
	"pasteport/adapters/bunstore/bunstoretest"
	"pasteport/domain/shares"
	"pasteport/ports/portstest"
)

func TestRecountCorrectsDrift(t *testing.T) {
	bunstoretest.OnBoth(t, func(t *testing.T, s *bunstore.Store) {
		f := &shares.File{ID: "f", Slug: "f", StorageConfigID: "c", Size: 100, CreatedAt: portstest.Start, UpdatedAt: portstest.Start}
		if err := s.Files().Insert(t.Context(), f); err != nil {
			t.Fatal(err)
		}
		if drift, err := s.Files().Recount(t.Context()); err != nil || len(drift) != 0 {
			t.Errorf("drift = %v, %v, want none", drift, err)
		}
		if _, err := s.Exec(t.Context(), "UPDATE storage_usage SET bytes = bytes + ?", 7); err != nil {
			t.Fatal(err)
		}
		if _, err := s.Exec(t.Context(), "INSERT INTO storage_usage (storage_config_id, files, bytes) VALUES (?, 1, 5)", "gone"); err != nil {
			t.Fatal(err)
		}
		if files, err := s.Files().Retire(t.Context(), "retired"); files != 0 || err != nil {
			t.Fatalf("%d files, %v", files, err)
		}
		drift, err := s.Files().Recount(t.Context())
		if err != nil || len(drift) != 2 || drift["c"] != 7 || drift["gone"] != 5 {
			t.Errorf("drift = %v, %v, want c:7 gone:5", drift, err)
		}
		usage, err := s.Files().Usage(t.Context())
		if err != nil || len(usage) != 1 || usage["c"].Bytes != f.Size {
			t.Errorf("usage = %v, %v", usage, err)
		}
		late := &shares.File{ID: "late", Slug: "late", StorageConfigID: "retired", Size: 1, CreatedAt: portstest.Start, UpdatedAt: portstest.Start}
		if err := s.Files().Insert(t.Context(), late); !errors.Is(err, shares.ErrStorageUnknown) {
			t.Errorf("a storage to which no file comes any more: %v", err)
		}
	})
}
