package sharedb_test

import (
	"testing"

	"pasteport/adapters/bunstore"
	"pasteport/adapters/bunstore/bunstoretest"
	"pasteport/domain/domaintest"
	"pasteport/domain/shares/collections"
)

func TestChecksumsPassTheSuite(t *testing.T) {
	bunstoretest.OnBoth(t, func(t *testing.T, s *bunstore.Store) {
		domaintest.RunSums(t, func(*testing.T) collections.Sums { return s.Sums() })
	})
}
