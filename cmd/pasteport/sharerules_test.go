package main

import (
	"fmt"
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

// Where a shared file lies is for its owner alone, also in shares from the time
// when their remark was the path, and after the file has moved.
func TestTheFolderOfASharedFileIsNotToldToStrangers(t *testing.T) {
	p := start(t, t.TempDir())
	c := changes{t, p.admin()}
	c.store("/local/secret-folder/plan.txt", "plan")
	const place = "/local/secret-folder/plan.txt"
	c.ok("/api/fs/create-share", pair{"path": place, "slug": "fresh"}, nil)
	c.ok("/api/fs/create-share", pair{"path": place, "slug": "old", "remark": place}, nil)
	c.ok("/api/fs/create-share", pair{"path": place, "slug": "older", "remark": "来自文件系统: " + place}, nil)
	c.ok("/api/fs/create-share", pair{"path": place, "slug": "locked", "remark": place, "password": "pw"}, nil)
	c.ok("/api/fs/create-share", pair{"path": place, "slug": "named", "remark": "for all"}, nil)

	reads := func(when string) {
		for _, path := range []string{"/api/public/files/%", "/api/public/files/%?peek=1", "/file/%", "/api/file-view/%", "/api/file-download/%", "/api/office-preview/%"} {
			for _, slug := range []string{"fresh", "old", "older", "locked", "named"} {
				a := p.visitor().get(strings.Replace(path, "%", slug, 1))
				if headers := fmt.Sprint(a.header); strings.Contains(string(a.body)+headers, "secret-folder") {
					t.Errorf("%s of %s tells a stranger where it lies, %s: %s %s", path, slug, when, headers, a.body)
				}
			}
		}
		if a := p.visitor().post("/api/public/files/locked/verify", pair{"password": "pw"}); a.status != http.StatusOK || strings.Contains(string(a.body), "secret-folder") {
			t.Errorf("the password opens more than the file, %s: %d %s", when, a.status, a.body)
		}
	}
	reads("at first")
	if a := p.visitor().get("/api/public/files/named"); !strings.Contains(string(a.body), `"remark":"for all"`) {
		t.Errorf("a remark of one's own is not told: %s", a.body)
	}
	if a := c.get("/api/files"); a.status != http.StatusOK || !strings.Contains(string(a.body), `"file_path":"`+place+`"`) {
		t.Errorf("the owner does not see where it lies: %d %s", a.status, a.body)
	}

	c.ok("/api/fs/rename", pair{"oldPath": "/local/secret-folder/", "newPath": "/local/other/"}, nil)
	reads("after a move")
}
