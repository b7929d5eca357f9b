package main

import (
	"pasteport/adapters/httpapi/adminapi"
	"testing"
)

func TestADiskThatFillsUpIsWarnedOf(t *testing.T) {
	for _, c := range []struct {
		free int64
		warn bool
	}{{1000, false}, {101, false}, {100, true}, {50, true}, {0, true}} {
		err := diskHasRoom(func() (adminapi.DiskUse, error) { return adminapi.DiskUse{Total: 1000, Free: c.free}, nil })(t.Context())
		if (err != nil) != c.warn {
			t.Errorf("%d of 1000 bytes free: %v, want a warning = %t", c.free, err, c.warn)
		}
	}
	if use, err := diskOf(t.TempDir(), nil)(); err != nil || use.Total <= 0 || use.Free < 0 || use.Free > use.Total {
		t.Errorf("the disk of a folder that is there: %+v, %v", use, err)
	}
}
