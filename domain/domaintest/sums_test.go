package domaintest

import (
	"testing"

	"pasteport/domain/shares/collections"
)

func TestSumsInMemoryPassTheSuite(t *testing.T) {
	RunSums(t, func(*testing.T) collections.Sums { return &Sums{} })
}
