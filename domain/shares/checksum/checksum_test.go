package checksum_test

import (
	"testing"

	"pasteport/domain/shares"
	"pasteport/domain/shares/checksum"
)

func TestAChecksumIsADigestOfTheContent(t *testing.T) {
	const digest = "0123456789abcdef0123456789abcdef"
	for name, c := range map[string]struct {
		file shares.File
		want string
	}{
		"the local disk":     {shares.File{StorageType: "LOCAL", ETag: digest}, "sha256-128"},
		"another storage":    {shares.File{StorageType: "S3", ETag: digest}, "etag"},
		"put there by hand":  {shares.File{StorageType: "LOCAL", ETag: "t" + digest[1:]}, ""},
		"uploaded in parts":  {shares.File{StorageType: "S3", ETag: digest + "-3"}, ""},
		"not yet in storage": {shares.File{StorageType: "S3", ETag: digest, Pending: true}, ""},
		"without a tag":      {shares.File{StorageType: "LOCAL"}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			got, ok := checksum.Of(&c.file)
			if got.Algorithm != c.want || ok != (c.want != "") || ok && got.Value != digest {
				t.Errorf("got %+v, %t", got, ok)
			}
		})
	}
}
