package domaintest

import (
	"testing"

	"pasteport/domain/mounts/archive"
)

func TestTicketsInMemoryPassTheSuite(t *testing.T) {
	RunArchives(t, func(*testing.T) archive.Repository { return NewArchives() })
}
