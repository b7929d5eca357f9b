package aws_test

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
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

// agents answers as a container's agent, the security token service and an
// instance's metadata service.
func agents(t *testing.T) string {
	t.Helper()
	const expires = "2999-01-01T00:00:00Z"
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		keys := func(id string) string {
			return `{"Code":"Success","AccessKeyId":"` + id + `","SecretAccessKey":"secret","Token":"session","Expiration":"` + expires + `"}`
		}
		switch {
		case r.URL.Path == "/container" && r.Header.Get("Authorization") == "let me in":
			io.WriteString(w, keys("ASIACONTAINER"))
		case r.URL.Path == "/latest/api/token":
			w.Header().Set("X-Aws-Ec2-Metadata-Token-Ttl-Seconds", "21600")
			io.WriteString(w, "token")
		case r.URL.Path == "/latest/meta-data/iam/security-credentials/":
			io.WriteString(w, "role")
		case r.URL.Path == "/latest/meta-data/iam/security-credentials/role":
			io.WriteString(w, keys("ASIAINSTANCE"))
		case r.Method == "POST" && r.FormValue("RoleArn") != "":
			action := r.FormValue("Action")
			fmt.Fprintf(w, `<%[1]sResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/"><%[1]sResult><Credentials><AccessKeyId>ASIA%[1]s</AccessKeyId>`+
				`<SecretAccessKey>secret</SecretAccessKey><SessionToken>session</SessionToken><Expiration>%[2]s</Expiration></Credentials></%[1]sResult></%[1]sResponse>`, action, expires)
		default:
			http.Error(w, "no", http.StatusForbidden)
		}
	}))
	t.Cleanup(server.Close)
	return server.URL
}

// fileOf is a file with the text.
func fileOf(t *testing.T, text string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
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
		"container": {func(t *testing.T) {
			agent := agents(t)
			t.Setenv("AWS_CONTAINER_CREDENTIALS_FULL_URI", agent+"/container")
			t.Setenv("AWS_CONTAINER_AUTHORIZATION_TOKEN", "let me in")
		}, "ASIACONTAINER"},
		"web identity": {func(t *testing.T) {
			t.Setenv("AWS_ENDPOINT_URL_STS", agents(t))
			t.Setenv("AWS_ROLE_ARN", "arn:aws:iam::123456789012:role/web")
			t.Setenv("AWS_WEB_IDENTITY_TOKEN_FILE", fileOf(t, "token"))
		}, "ASIAAssumeRoleWithWebIdentity"},
		"a role taken on with another profile's keys": {func(t *testing.T) {
			t.Setenv("AWS_ENDPOINT_URL_STS", agents(t))
			t.Setenv("AWS_CONFIG_FILE", fileOf(t, "[profile worker]\nrole_arn = arn:aws:iam::123456789012:role/worker\nsource_profile = base\nexternal_id = x\n"+
				"[profile base]\naws_access_key_id = AKIABASE\naws_secret_access_key = secret\n"))
			t.Setenv("AWS_PROFILE", "worker")
		}, "ASIAAssumeRole"},
		"instance": {func(t *testing.T) { t.Setenv("AWS_EC2_METADATA_SERVICE_ENDPOINT", agents(t)) }, "ASIAINSTANCE"},
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

func TestProfilesForWorkstationsAndAgentsElsewhereAreRefused(t *testing.T) {
	for name, prepare := range map[string]func(t *testing.T){
		"sso": func(t *testing.T) {
			t.Setenv("AWS_CONFIG_FILE", fileOf(t, "[default]\nsso_start_url = https://example.com\nsso_region = eu-west-2\nsso_account_id = 1\nsso_role_name = r\n"))
		},
		"sso session": func(t *testing.T) {
			t.Setenv("AWS_CONFIG_FILE", fileOf(t, "[default]\nsso_session = s\nsso_account_id = 1\nsso_role_name = r\n[sso-session s]\nsso_region = eu-west-2\nsso_start_url = https://example.com\n"))
		},
		"login": func(t *testing.T) {
			t.Setenv("AWS_CONFIG_FILE", fileOf(t, "[default]\nlogin_session = arn:aws:iam::123456789012:user/one\n"))
		},
		"a role taken on with what a program says": func(t *testing.T) {
			t.Setenv("AWS_CONFIG_FILE", fileOf(t, "[default]\nrole_arn = arn:aws:iam::123456789012:role/worker\nsource_profile = base\n[profile base]\ncredential_process = /bin/true\n"))
		},
		"a role that asks for a second factor": func(t *testing.T) {
			t.Setenv("AWS_CONFIG_FILE", fileOf(t, "[default]\nrole_arn = arn:aws:iam::123456789012:role/worker\nsource_profile = base\nmfa_serial = x\n"+
				"[profile base]\naws_access_key_id = AKIABASE\naws_secret_access_key = secret\n"))
		},
		"process": func(t *testing.T) {
			t.Setenv("AWS_CONFIG_FILE", fileOf(t, "[default]\ncredential_process = /bin/true\n"))
		},
		"unknown profile": func(t *testing.T) { t.Setenv("AWS_PROFILE", "nobody") },
		"agent elsewhere": func(t *testing.T) { t.Setenv("AWS_CONTAINER_CREDENTIALS_FULL_URI", "http://192.0.2.1/keys") },
	} {
		t.Run(name, func(t *testing.T) {
			bare(t)
			prepare(t)
			_, err := aws.Driver().Open(t.Context(), objstore.Config{Options: map[string]string{
				"bucket_name": "bkt", "region": "eu-west-2", "credentials": "ambient", "endpoint_url": "http://127.0.0.1:9",
			}})
			var e *ports.Error
			if !errors.As(err, &e) || e.Text != "storage_credentials_missing" {
				t.Errorf("Open = %v", err)
			}
		})
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
