package sftp_test

import (
	"testing"

	"pasteport/plugins/sftp"
	"pasteport/plugins/sftp/sftptest"
	"pasteport/ports/objstore"
	"pasteport/ports/objstore/objstoretest"
)

func TestDriverKeepsTheContract(t *testing.T) {
	options := sftptest.Start(t)
	dir := t.TempDir()
	objstoretest.Run(t, func(t *testing.T) objstore.Bucket { return open(t, sftptest.Folder(t, options, dir)) }, objstoretest.Want{
		Features: sftp.About().Features, Limits: sftp.About().Limits, Names: true, Segment: 255, Markers: true,
	})
}

// open opens the folder of a config.
func open(t *testing.T, options map[string]string) objstore.Bucket {
	t.Helper()
	b, err := sftp.Driver{}.Open(t.Context(), objstore.Config{ID: "c", Options: options})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { b.Close() })
	return b
}
