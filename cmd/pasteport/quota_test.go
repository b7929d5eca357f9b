package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// quotas are the rules of a site whose keys may upload so much.
func quotas(t *testing.T, rules string) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "quotas.rego"), []byte("package pasteport.site\n\n"+rules), 0o600); err != nil {
		t.Fatal(err)
	}
	return dir
}

// The example of the quotas kept a server from starting.
func TestAServerStartsWithTheExampleOfQuotas(t *testing.T) {
	example, err := os.ReadFile("../../policies/examples/quotas.rego")
	if err != nil {
		t.Fatal(err)
	}
	rules := quotas(t, strings.TrimPrefix(string(example[bytes.Index(example, []byte("package")):]), "package pasteport.site"))
	p := start(t, t.TempDir(), "PASTEPORT_POLICY_DIR="+rules)
	key, _ := p.admin().key("sender", 2, "/")
	if a := key.send(http.MethodPut, "/api/upload-direct/a.txt?expires_in=24", strings.NewReader("hello")); a.status != http.StatusOK {
		t.Errorf("upload: %d %s", a.status, a.body)
	}
}

// Of 100 uploads at once no more pass than the quota lets in, whatever the door,
// and the answers and the panel tell the numbers.
func TestQuotasOfKeysHoldFor100UploadsAtOnce(t *testing.T) {
	for name, c := range map[string]struct{ limit, text string }{
		"bytes":  {`{"name": "quota_bytes_day", "value": 105}`, "quota_bytes_day"},
		"files":  {`{"name": "quota_files_day", "value": 10}`, "quota_files_day"},
		"stored": {`{"name": "quota_bytes_stored", "value": 105}`, "quota_bytes_stored"},
	} {
		t.Run(name, func(t *testing.T) {
			p := start(t, t.TempDir(), "PASTEPORT_POLICY_DIR="+quotas(t, `limit contains `+c.limit+` if input.subject.type == "apikey"`))
			admin := p.admin()
			key, id := admin.key("sender", 2|256|512, "/")
			var mu sync.Mutex
			took, refused := 0, answer{}
			var wait sync.WaitGroup
			for n := range 100 {
				wait.Go(func() {
					var a answer
					if n%2 == 0 && name != "stored" { // what lies in mounts is nobody's
						a = key.send(http.MethodPut, fsURL("upload", fmt.Sprintf("/local/%d.txt", n)), strings.NewReader("0123456789"))
					} else {
						a = key.send(http.MethodPut, fmt.Sprintf("/api/upload-direct/%d.txt", n), stream{strings.NewReader("0123456789")})
					}
					mu.Lock()
					defer mu.Unlock()
					if a.status == http.StatusOK {
						took++
					} else {
						refused = a
					}
				})
			}
			wait.Wait()
			if took != 10 {
				t.Errorf("%d uploads passed, want 10", took)
			}
			var numbers struct {
				Reason            string
				Size, Used, Limit int64
			}
			e := refused.envelope(t)
			if err := json.Unmarshal(e.Data, &numbers); err != nil || e.Error != "quota_exceeded" || numbers.Reason != c.text || numbers.Used == 0 || numbers.Limit == 0 {
				t.Errorf("refused with %d %s", refused.status, refused.body)
			}
			type usage struct {
				Bytes  int64 `json:"bytes_today"`
				Files  int64 `json:"files_today"`
				Stored int64 `json:"bytes_stored"`
			}
			var own, listed struct{ Usage usage }
			var site struct{ Uploads usage }
			key.get("/api/test/api-key").into(t, &own)
			admin.get("/api/admin/api-keys/"+id).into(t, &listed)
			admin.get("/api/admin/dashboard/stats").into(t, &site)
			if own.Usage.Bytes != 100 || own.Usage.Files != 10 || own != listed || site.Uploads != own.Usage {
				t.Errorf("used: the key sees %+v, the panel %+v, of the site %+v", own, listed, site)
			}
		})
	}
}

// A key sees what it has used of what the rules let it upload, and no limit of
// what it may not do.
func TestAKeySeesItsQuotas(t *testing.T) {
	p := start(t, t.TempDir(), "PASTEPORT_POLICY_DIR="+quotas(t, `limit contains {"name": "quota_bytes_day", "value": 100} if input.subject.type == "apikey"

limit contains {"name": "quota_bytes_day", "value": 50} if input.action == "mount.upload"

limit contains {"name": "quota_files_day", "value": 7} if input.action == "file.upload"

limit contains {"name": "quota_bytes_stored", "value": 80} if input.subject.type == "apikey"
`))
	type usage struct {
		Bytes  int64 `json:"bytes_today"`
		Files  int64 `json:"files_today"`
		Stored int64 `json:"bytes_stored"`
	}
	type quotas struct{ Usage, Limits usage }
	for name, c := range map[string]struct {
		bits   int
		limits usage
	}{
		"texts":            {1, usage{}},
		"files":            {2, usage{100, 7, 80}},
		"files and mounts": {2 + 256 + 512, usage{50, 7, 80}},
	} {
		key, _ := p.admin().key(name, c.bits, "/")
		want := quotas{Limits: c.limits}
		if c.bits&2 != 0 {
			if a := key.send(http.MethodPut, "/api/upload-direct/"+strings.ReplaceAll(name, " ", "-")+".txt?expires_in=24", strings.NewReader("hello")); a.status != http.StatusOK {
				t.Fatalf("%s: upload: %d %s", name, a.status, a.body)
			}
			want.Usage = usage{5, 1, 5}
		}
		var got quotas
		if key.get("/api/usage").into(t, &got); got != want {
			t.Errorf("%s: got %+v, want %+v", name, got, want)
		}
	}
	if a := p.visitor().get("/api/usage"); a.status != http.StatusUnauthorized {
		t.Errorf("a visitor: %d %s", a.status, a.body)
	}
}
