package aws_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"pasteport/plugins/aws"
	"pasteport/ports"
	"pasteport/ports/objstore"
)

// open opens a bucket with the machine's credentials. Nothing is sent: the
// endpoint is on a port where nobody listens.
func open(t *testing.T) objstore.Bucket {
	t.Helper()
	b, err := aws.Driver().Open(t.Context(), objstore.Config{Options: map[string]string{
		"bucket_name": "bkt", "region": "eu-west-2", "credentials": "ambient", "endpoint_url": "http://127.0.0.1:9",
	}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { b.Close() })
	return b
}

// bare makes a machine without credentials and with a metadata service that
// refuses.
func bare(t *testing.T) {
	t.Helper()
	for _, name := range aws.Environment {
		t.Setenv(name, "")
		os.Unsetenv(name)
	}
	t.Setenv("HOME", t.TempDir())
	t.Setenv("AWS_EC2_METADATA_SERVICE_ENDPOINT", "http://127.0.0.1:9")
}

func TestTheMachinesCredentialsSignWhereTheConfigSaysSo(t *testing.T) {
	for name, c := range map[string]struct {
		prepare func(t *testing.T)
		want    string // the key id in the link
	}{
		"environment": {func(t *testing.T) {
			t.Setenv("AWS_ACCESS_KEY_ID", "AKIAENVIRONMENT")
			t.Setenv("AWS_SECRET_ACCESS_KEY", "secret")
		}, "AKIAENVIRONMENT"},
		"credentials file": {func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "credentials")
			text := "[default]\naws_access_key_id = AKIADEFAULT\naws_secret_access_key = secret\n[other]\naws_access_key_id = AKIAOTHER\naws_secret_access_key = secret\n"
			if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
			t.Setenv("AWS_SHARED_CREDENTIALS_FILE", file)
			t.Setenv("AWS_PROFILE", "other")
		}, "AKIAOTHER"},
	} {
		t.Run(name, func(t *testing.T) {
			bare(t)
			c.prepare(t)
			signed, err := open(t).Sign(t.Context(), objstore.SignRequest{Verb: objstore.VerbGet, Key: "k", TTL: time.Minute})
			if err != nil || !strings.Contains(signed.URL, "X-Amz-Credential="+c.want+"%2F") {
				t.Errorf("Sign = %s, %v", signed.URL, err)
			}
		})
	}
}

func TestAMachineWithoutCredentialsSaysSo(t *testing.T) {
	bare(t)
	b := open(t)
	_, signErr := b.Sign(t.Context(), objstore.SignRequest{Verb: objstore.VerbGet, Key: "k", TTL: time.Minute})
	_, statErr := b.Stat(t.Context(), "k")
	for call, err := range map[string]error{"Sign": signErr, "Stat": statErr} {
		var e *ports.Error
		if !errors.As(err, &e) || e.Code != ports.BadGateway || e.Text != "storage_credentials_missing" {
			t.Errorf("%s = %v", call, err)
		}
	}
}

func TestTheMachinesCredentialsAreNotTakenUnasked(t *testing.T) {
	bare(t)
	t.Setenv("AWS_ACCESS_KEY_ID", "AKIAENVIRONMENT")
	t.Setenv("AWS_SECRET_ACCESS_KEY", "secret")
	_, err := aws.Driver().Open(t.Context(), objstore.Config{Options: map[string]string{"bucket_name": "bkt", "region": "eu-west-2"}})
	if !ports.Is(err, ports.Invalid) {
		t.Errorf("Open without keys = %v", err)
	}
}
