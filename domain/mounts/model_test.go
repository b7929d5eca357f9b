package mounts_test

import (
	"testing"

	"pasteport/ports/portstest"
)

func TestRandomOperationsAgreeWithAModel(t *testing.T) {
	for seed := range uint64(12) {
		portstest.RunTreeModel(t, portstest.NewBucket(), portstest.NewBucket(), seed, 300)
	}
}
