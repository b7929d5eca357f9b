package mounts_test

import (
	"testing"

	"pasteport/domain/domaintest"
	"pasteport/ports/portstest"
)

func TestRandomOperationsAgreeWithAModel(t *testing.T) {
	for seed := range uint64(12) {
		domaintest.RunTreeModel(t, portstest.NewBucket(), portstest.NewBucket(), seed, 300)
	}
}
