package main

import (
	"net/http"
	"strings"
	"testing"
)

func TestTheInventoryShowsSharesAndRevokesMany(t *testing.T) {
	p := start(t, t.TempDir())
	admin := p.admin()
	key, id := admin.key("ci", 3, "/")
	for _, slug := range []string{"one", "two"} {
		if a := key.post("/api/paste", map[string]any{"content": "x", "slug": slug}); a.status != http.StatusOK {
			t.Fatalf("%d %s", a.status, a.body)
		}
	}
	if a := admin.send(http.MethodPut, "/api/upload-direct/f.txt?slug=file-one", strings.NewReader("bytes")); a.status != http.StatusOK {
		t.Fatalf("%d %s", a.status, a.body)
	}
	var all struct {
		Total  int
		Shares []struct{ Kind, ID, Slug, Name string }
	}
	admin.get("/api/admin/shares").into(t, &all)
	if all.Total != 3 || len(all.Shares) != 3 || all.Shares[0].Slug != "file-one" || all.Shares[0].Name != "f.txt" {
		t.Fatalf("%+v", all)
	}
	admin.get("/api/admin/shares?created_by=apikey:"+id+"&never_expires=1&unused=1").into(t, &all)
	if all.Total != 2 {
		t.Errorf("of the key: %+v", all)
	}
	wantAnswer(t, "a key", key.get("/api/admin/shares"), 403, "permission_denied")
	a := admin.post("/api/admin/shares/revoke", map[string]any{"items": []map[string]any{
		{"kind": "paste", "id": all.Shares[0].ID}, {"kind": "file", "id": all.Shares[1].ID}, {"kind": "song", "id": all.Shares[1].ID}}})
	var done struct {
		Success int
		Failed  []struct{ ID, Error string }
	}
	a.into(t, &done)
	if done.Success != 1 || len(done.Failed) != 2 || done.Failed[0].ID != all.Shares[1].ID || done.Failed[0].Error == "" {
		t.Errorf("revoke: %s", a.body)
	}
	if a := p.visitor().get("/api/raw/" + all.Shares[0].Slug); a.status != http.StatusNotFound {
		t.Errorf("a revoked share: %d", a.status)
	}
	wantAnswer(t, "none", admin.post("/api/admin/shares/revoke", map[string]any{"items": []any{}}), 400, "invalid_argument")
}
