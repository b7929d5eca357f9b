package main

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The shipped example of rules by network, put in force as it is: a folder that
// is not open to this machine is not open by a link into it either.
func TestANetworkRuleOnAFolderHoldsForLinksIntoIt(t *testing.T) {
	rules, err := os.ReadFile("../../policies/examples/networks.rego")
	if err != nil {
		t.Fatal(err)
	}
	dir, folder := t.TempDir(), t.TempDir()
	text := strings.ReplaceAll(string(rules), `"10.20.0.0/16"`, `"127.0.0.0/8"`) // whose panel it is
	for name, content := range map[string]string{"networks.rego": text, "data.json": `{"folder_networks": {"/local/internal": ["10.20.0.0/16"], "/local/office": ["127.0.0.0/8"]}}`} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	p := start(t, dir)
	c := changes{t, p.admin()}
	for _, place := range []string{"internal", "office"} {
		c.store("/local/"+place+"/plan.docx", "plan")
		c.ok("/api/fs/create-share", pair{"path": "/local/" + place + "/plan.docx", "slug": place}, nil)
		c.ok("/api/fs/create-share", pair{"path": "/local/" + place + "/plan.docx", "slug": place + "-pw", "password": "pw"}, nil)
	}
	if code := p.stop(); code != 0 {
		t.Fatalf("it ended with %d", code)
	}
	p = start(t, dir, "PASTEPORT_POLICY_DIR="+folder)
	for call, do := range map[string]func(slug string) answer{
		"info": func(slug string) answer { return p.visitor().get("/api/public/files/" + slug) },
		"peek": func(slug string) answer { return p.visitor().get("/api/public/files/" + slug + "?peek=1") },
		"verify": func(slug string) answer {
			return p.visitor().post("/api/public/files/"+slug+"-pw/verify", pair{"password": "pw"})
		},
		"view":     func(slug string) answer { return p.visitor().get("/api/file-view/" + slug) },
		"download": func(slug string) answer { return p.visitor().get("/api/file-download/" + slug) },
		"office":   func(slug string) answer { return p.visitor().get("/api/office-preview/" + slug) },
	} {
		if a := do("internal"); a.status != http.StatusUnauthorized || a.header.Get("X-Decision-Id") == "" {
			t.Errorf("%s of a link into a closed folder: %d %s", call, a.status, a.body)
		}
		if a := do("office"); a.status != http.StatusOK {
			t.Errorf("%s of a link into an open folder: %d %s", call, a.status, a.body)
		}
	}
}
