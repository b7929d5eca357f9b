package storage_test

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pasteport/domain/storage"
	"pasteport/ports/objstore"
)

func TestAStorageTellsWhatItsConfigSaysAndWhatIsPeculiarToIt(t *testing.T) {
	for name, c := range map[string]struct {
		config storage.Config
		want   objstore.Storage
	}{
		"S3": {storage.Config{ID: "c", Name: "n", Driver: "s3", ProviderType: "AWS S3", StorageType: "S3", EndpointURL: "https://s3.example", BucketName: "b", Region: "r", PathStyle: true,
			Options: `{"root_prefix":"/a/b/"}`, DefaultFolder: "d", IsPublic: true, TotalStorageBytes: 7, CustomHost: "https://cdn.example", SignatureExpiresIn: 60},
			objstore.Storage{ID: "c", Name: "n", Type: "S3", ProviderType: "AWS S3", Public: true, Capacity: 7, LinkSeconds: 60, DefaultFolder: "d", EndpointURL: "https://s3.example",
				BucketName: "b", Region: "r", PathStyle: true, CustomHost: "https://cdn.example", Prefix: "a/b/"}},
		"a disk of this server": {storage.Config{Driver: "local", ProviderType: "Local disk", StorageType: "LOCAL"},
			objstore.Storage{Type: "LOCAL", ProviderType: "Local disk", OwnDisk: true}},
		"one that refuses links with a type": {storage.Config{Driver: "s3", ProviderType: "Aliyun OSS", StorageType: "S3"},
			objstore.Storage{Type: "S3", ProviderType: "Aliyun OSS", FixedType: true}},
	} {
		if d := cmp.Diff(c.config.Storage(), c.want); d != "" {
			t.Error(name, "got -, want +\n"+d)
		}
	}
}

func TestConfigsOfOnePlaceHaveOneHome(t *testing.T) {
	resolve := func(directory string) (string, error) {
		if directory == "" {
			return "", errors.New("no directory")
		}
		return "/data/" + directory, nil
	}
	for name, c := range map[string]struct {
		config storage.Config
		want   string
	}{
		"a folder":                {storage.Config{Driver: "local", Options: `{"directory":"files"}`}, "/data/files/"},
		"a folder that is none":   {storage.Config{Driver: "local", Options: `{}`}, ""},
		"options that are broken": {storage.Config{Driver: "local", Options: `{`}, ""},
		"a bucket":                {storage.Config{Driver: "s3", EndpointURL: "https://S3.example:443/", BucketName: "b", Options: `{"x":"y"}`}, "s3.example/b/"},
		"another port":            {storage.Config{Driver: "s3", EndpointURL: "http://s3.example:443/v1/", BucketName: "b"}, "s3.example:443/v1/b/"},
		"no endpoint":             {storage.Config{Driver: "r2", BucketName: "b", Options: `{"account":"a"}`}, `r2 {"account":"a"}/b/`},
		"no bucket":               {storage.Config{Driver: "s3", EndpointURL: "https://s3.example"}, ""},
	} {
		if got := c.config.Home(resolve); got != c.want {
			t.Errorf("%s: got %q, want %q", name, got, c.want)
		}
	}
}
