package bunstore

import (
	"testing"

	"pasteport/domain/domaintest"
	"pasteport/domain/mounts/archive"
)

func TestTicketsOfArchivesPassTheSuite(t *testing.T) {
	onBoth(t, func(t *testing.T, s *Store) {
		domaintest.RunArchives(t, func(*testing.T) archive.Repository { return s.Archives() })
	})
}
