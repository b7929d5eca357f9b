package admindb_test

import (
	"bytes"
	"testing"

	"pasteport/adapters/bunstore"
	"pasteport/adapters/bunstore/bunstoretest"
)

func TestSecretsAreKept(t *testing.T) {
	bunstoretest.OnBoth(t, func(t *testing.T, s *bunstore.Store) {
		if _, err := s.Secrets().Get(t.Context(), "check"); err == nil {
			t.Fatal("a missing secret was found")
		}
		for _, want := range [][]byte{{0, 255, 1}, []byte("new")} {
			if err := s.Secrets().Put(t.Context(), "check", want); err != nil {
				t.Fatal(err)
			}
			got, err := s.Secrets().Get(t.Context(), "check")
			if err != nil || !bytes.Equal(got, want) {
				t.Errorf("got %v, %v, want %v", got, err, want)
			}
		}
	})
}
