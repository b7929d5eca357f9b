package domaintest

import (
	"testing"

	"pasteport/domain/mounts"
)

func TestTicketsInMemoryPassTheSuite(t *testing.T) {
	RunArchives(t, func(*testing.T) mounts.ArchiveRepository { return NewArchives() })
}
