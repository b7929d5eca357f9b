package domaintest

import (
	"pasteport/domain/mounts/archive"
	"testing"
)

func TestTicketsInMemoryPassTheSuite(t *testing.T) {
	RunArchives(t, func(*testing.T) archive.Repository { return NewArchives() })
}
