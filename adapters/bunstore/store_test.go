package bunstore_test

import (
	"os"
	"testing"

	"pasteport/adapters/bunstore"
	"pasteport/adapters/bunstore/bunstoretest"
	"pasteport/domain/domaintest"
	"pasteport/ports/portstest"
)

func TestMain(m *testing.M) { os.Exit(portstest.RunWithoutLeaks(m)) }

func stores(s *bunstore.Store) domaintest.Stores {
	return domaintest.Stores{
		Pastes: s.Pastes(), PasteRemains: s.Pastes(), Revisions: s.Revisions(), History: s.History(), Visits: s.Visits(), Files: s.Files(), FileObjects: s.Files(), FileRemains: s.Files(), FileVersions: s.Files(), Collections: s.Collections(), CollectionItems: s.Files(), SetRemains: s.Collections(), Keys: s.Keys(), Admins: s.Admins(), Sessions: s.Sessions(), Settings: s.Settings(),
		StorageConfigs: s.StorageConfigs(), Tasks: s.Tasks(), TaskRuns: s.Tasks(), Mounts: s.Mounts(), Locks: s.Locks(), Properties: s.Properties(), Uploads: s.Uploads(), Requests: s.Requests(), RequestFiles: s.RequestFiles(), Journal: s.Journal(), Index: s.Index(), Ledger: s.Ledger(), Guesses: s.Guesses(), Idempotency: s.Idempotency(), Unit: s, FileKeys: s.Files(), UploadKeys: s.Uploads(), Clock: s.Clock.(*portstest.Clock),
	}
}

func TestSQLitePassesTheSuites(t *testing.T) {
	domaintest.RunAll(t, func(t *testing.T) domaintest.Stores { return stores(bunstoretest.SQLite(t)) })
}

func TestPostgresPassesTheSuites(t *testing.T) {
	domaintest.RunAll(t, func(t *testing.T) domaintest.Stores { return stores(bunstoretest.Postgres(t)) })
}
