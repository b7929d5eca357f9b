package main

import (
	"pasteport/adapters/httpapi/adminapi"
	"testing"
)

func TestADiskThatFillsUpIsWarnedOf(t *testing.T) {
	for _, c := range []struct {
		free       int64
		full, warn bool
	}{{free: 1000}, {free: 101}, {free: 100, warn: true}, {free: 50, warn: true}, {free: 0, warn: true}, {free: 500, full: true, warn: true}} {
		err := diskHasRoom(func() (adminapi.DiskUse, error) {
			return adminapi.DiskUse{Total: 1000, Free: c.free, Full: c.full}, nil
		})(t.Context())
		if (err != nil) != c.warn {
			t.Errorf("%d of 1000 bytes free: %v, want a warning = %t", c.free, err, c.warn)
		}
	}
	if use, err := diskOf(t.TempDir())(); err != nil || use.Total <= 0 || use.Free < 0 || use.Free > use.Total {
		t.Errorf("the disk of a folder that is there: %+v, %v", use, err)
	}
}
