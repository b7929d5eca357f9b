package routes

import (
	"testing"

	"pasteport/adapters/httpapi"
)

func TestReliability_ArchivesAreOfTheClassPacking(t *testing.T) {
	for _, op := range registered().Ops() {
		if op.Name == "fs.archive_read" && op.Class != httpapi.Packing {
			t.Errorf("archives have class %d", op.Class)
		}
	}
}
