package bunstore

import (
	"testing"

	"pasteport/domain/domaintest"
	"pasteport/domain/mounts"
)

func TestTicketsOfArchivesPassTheSuite(t *testing.T) {
	onBoth(t, func(t *testing.T, s *Store) {
		domaintest.RunArchives(t, func(*testing.T) mounts.ArchiveRepository { return s.Archives() })
	})
}
