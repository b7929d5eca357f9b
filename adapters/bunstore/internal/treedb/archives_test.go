package treedb_test

import (
	"os"
	"testing"

	"pasteport/adapters/bunstore"
	"pasteport/adapters/bunstore/bunstoretest"
	"pasteport/domain/domaintest"
	"pasteport/domain/mounts/archive"
	"pasteport/ports/portstest"
)

func TestMain(m *testing.M) { os.Exit(portstest.RunWithoutLeaks(m)) }

func TestTicketsOfArchivesPassTheSuite(t *testing.T) {
	bunstoretest.OnBoth(t, func(t *testing.T, s *bunstore.Store) {
		domaintest.RunArchives(t, func(*testing.T) archive.Repository { return s.Archives() })
	})
}
