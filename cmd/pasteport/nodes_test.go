package main

import (
	"database/sql"
	"net/http"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"pasteport/ports/portstest"
)

// twoNodes starts two servers over one PostgreSQL database. They share the
// master key and nothing else. more holds further NAME=value settings.
func twoNodes(t *testing.T, more ...string) (one, two *program, env []string) {
	t.Helper()
	dir := t.TempDir()
	env = []string{"PASTEPORT_DATABASE_URL=" + portstest.Postgres(t), "PASTEPORT_SECRET_KEY_FILE=" + filepath.Join(dir, "secret.key"), "PASTEPORT_RATE_LIMITS=on"}
	env = append(env, more...)
	return start(t, dir, env...), start(t, t.TempDir(), env...), env
}

func TestReliability2_7_WhatOneNodeChangesTheOtherObeys(t *testing.T) {
	one, two, _ := twoNodes(t)
	admin := one.admin()
	there := client{p: two, auth: admin.auth}
	if a := there.get("/api/test/admin-token"); a.status != http.StatusOK {
		t.Fatalf("a session of the other node: %d %s", a.status, a.body)
	}
	if strings.Contains(two.log.String(), "created") {
		t.Error("the second node made an administrator of its own")
	}

	paste := admin.post("/api/paste", map[string]any{"content": "first", "slug": "both"})
	if a := two.visitor().get("/api/raw/both"); paste.status != http.StatusOK || string(a.body) != "first" {
		t.Fatalf("a paste of the other node: %d %s", a.status, a.body)
	}
	admin.put("/api/pastes/both", map[string]any{"content": "second"})
	portstest.Eventually(t, func() bool { return string(two.visitor().get("/api/raw/both").body) == "second" })

	key, id := admin.key("shared", 1, "/")
	elsewhere := client{p: two, auth: key.auth}
	if a := elsewhere.post("/api/paste", map[string]any{"content": "x"}); a.status != http.StatusOK {
		t.Fatalf("a key of the other node: %d %s", a.status, a.body)
	}
	admin.put("/api/admin/api-keys/"+id, map[string]any{"permissions": 2})
	portstest.Eventually(t, func() bool {
		return elsewhere.post("/api/paste", map[string]any{"content": "x"}).status == http.StatusForbidden
	})
	admin.delete("/api/admin/api-keys/"+id, nil)
	portstest.Eventually(t, func() bool { return elsewhere.get("/api/test/api-key").status == http.StatusUnauthorized })

	admin.put("/api/admin/settings/group/1", map[string]any{"max_upload_size": 7})
	portstest.Eventually(t, func() bool {
		return strings.Contains(string(two.visitor().get("/api/system/max-upload-size").body), `"max_upload_size":7`)
	})

	admin.post("/api/admin/logout", nil)
	portstest.Eventually(t, func() bool { return there.get("/api/test/admin-token").status == http.StatusUnauthorized })
}

func TestReliability2_7_TwoNodesGiveOutExactlyTheViewsThereAre(t *testing.T) {
	one, two, _ := twoNodes(t)
	admin := one.admin()
	if a := admin.post("/api/paste", map[string]any{"content": "rare", "slug": "rare", "maxViews": 20}); a.status != http.StatusOK {
		t.Fatalf("%d %s", a.status, a.body)
	}
	var seen, gone atomic.Int32
	var all sync.WaitGroup
	for i := range 60 {
		all.Go(func() {
			switch a := [2]*program{one, two}[i%2].visitor().get("/api/raw/rare"); a.status {
			case http.StatusOK:
				seen.Add(1)
			case http.StatusGone:
				gone.Add(1)
			default:
				t.Errorf("%d %s", a.status, a.body)
			}
		})
	}
	all.Wait()
	if seen.Load() != 20 || gone.Load() != 40 {
		t.Errorf("%d readers saw it and %d came too late, want 20 and 40", seen.Load(), gone.Load())
	}
}

func TestL2_GuessesAreCountedOverAllNodes(t *testing.T) {
	one, two, _ := twoNodes(t)
	for i := range 10 {
		p := [2]*program{one, two}[i%2]
		if a := p.visitor().post("/api/admin/login", map[string]any{"username": "admin", "password": "wrong"}); a.status != http.StatusUnauthorized {
			t.Fatalf("guess %d: %d %s", i+1, a.status, a.body)
		}
	}
	for _, p := range []*program{one, two} {
		if a := p.visitor().post("/api/admin/login", map[string]any{"username": "admin", "password": adminPassword}); a.status != http.StatusTooManyRequests {
			t.Errorf("after ten guesses: %d %s", a.status, a.body)
		}
	}
}

func TestDecision5_ANodeWithAnotherMasterKeyIsRefused(t *testing.T) {
	_, _, env := twoNodes(t)
	dir := t.TempDir()
	out, code := once(t, dir, []string{"serve"}, append(env, "PASTEPORT_SECRET_KEY_FILE="+filepath.Join(dir, "secret.key"))...)
	if code != 1 || !strings.Contains(out, "missing") {
		t.Errorf("exit code %d:\n%s", code, out)
	}
}

func TestA8_ANodeWithANewDataFolderSignsNoAuditLogThatWasCut(t *testing.T) {
	one, two, env := twoNodes(t)
	admin := one.admin()
	for _, name := range []string{"a", "b", "c"} {
		admin.key(name, 1, "/")
	}
	one.stop()
	two.stop()
	db, err := sql.Open("pgx", strings.TrimPrefix(env[0], "PASTEPORT_DATABASE_URL="))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	for _, do := range []string{"DELETE FROM audit_entries WHERE seq > 2",
		"UPDATE audit_heads h SET seq = 2, mac = '', base_mac = '', hash = (SELECT hash FROM audit_entries e WHERE e.chain = h.chain AND e.seq = 2) WHERE seq > 2"} {
		if _, err := db.Exec(do); err != nil {
			t.Fatal(err)
		}
	}
	if out, code := once(t, t.TempDir(), []string{"audit", "verify"}, env...); code != 1 || !strings.Contains(out, "newest entries are missing") {
		t.Errorf("audit verify in a new data folder: %d\n%s", code, out)
	}
	three := start(t, t.TempDir(), env...)
	if got := string(three.admin().get("/api/admin/audit/verify").body); !strings.Contains(got, `"missing":"newest"`) {
		t.Errorf("a new node found the log whole: %s", got)
	}
}
