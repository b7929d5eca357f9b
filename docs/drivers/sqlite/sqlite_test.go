package main

import (
	"path/filepath"
	"testing"

	"pasteport/ports/objstore"
	"pasteport/ports/objstore/objstoretest"
)

func TestDriver(t *testing.T) {
	info, err := driver{}.Info(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	objstoretest.Run(t, func(t *testing.T) objstore.Bucket {
		file := filepath.Join(t.TempDir(), "objects.db")
		b, err := driver{}.Open(t.Context(), objstore.Config{Options: map[string]string{"file": file}})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { b.Close() })
		return b
	}, objstoretest.Want{Features: info.Features, Limits: info.Limits, Types: true})
}
