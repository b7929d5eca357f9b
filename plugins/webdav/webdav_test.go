package webdav_test

import (
	"testing"

	"pasteport/plugins/webdav"
	"pasteport/plugins/webdav/davtest"
	"pasteport/ports/objstore"
	"pasteport/ports/objstore/objstoretest"
)

func TestDriverKeepsTheContract(t *testing.T) {
	options := davtest.Start(t, t.TempDir())
	objstoretest.Run(t, func(t *testing.T) objstore.Bucket { return open(t, davtest.Folder(t, options)) }, objstoretest.Want{
		Features: webdav.About().Features, Limits: webdav.About().Limits, Names: true, Segment: 255, Markers: true,
	})
}

// open opens the folder of a config.
func open(t *testing.T, options map[string]string) objstore.Bucket {
	t.Helper()
	b, err := webdav.Driver{}.Open(t.Context(), objstore.Config{ID: "c", Options: options})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { b.Close() })
	return b
}
