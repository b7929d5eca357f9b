package bunstore

import (
	"testing"

	"pasteport/domain/mounts"
	"pasteport/ports/portstest"
)

func TestTicketsOfArchivesPassTheSuite(t *testing.T) {
	onBoth(t, func(t *testing.T, s *Store) {
		portstest.RunArchives(t, func(*testing.T) mounts.ArchiveRepository { return s.Archives() })
	})
}
