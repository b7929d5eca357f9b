package main

import (
	"slices"
	"strings"
	"testing"
)

// notedJSON is an entry of the audit log as its list shows it.
type notedJSON struct {
	Action, Target, Outcome, Code, Name, Type string
	Details                                   map[string]any
}

// noted returns the entries of an action, newest first.
func noted(t *testing.T, admin client, action string) []notedJSON {
	t.Helper()
	var data struct{ Entries []notedJSON }
	admin.get("/api/admin/audit?action="+action).into(t, &data)
	return data.Entries
}

func TestG3_TheAuditLogKnowsWebDAVGuessesAndMounts(t *testing.T) {
	p := start(t, t.TempDir())
	admin := p.admin()
	local, id := admin.key("files", 65536|131072|256|4096, "/local")
	auth := basicAuth(strings.TrimPrefix(local.auth, "ApiKey "), strings.TrimPrefix(local.auth, "ApiKey "))
	dav := func(method, path, auth string, header ...string) answer {
		t.Helper()
		return client{p: p, auth: auth}.send(method, "/dav"+path, nil, header...)
	}

	for _, name := range []string{"a.txt", "b.txt"} {
		if a := dav("PUT", "/local/"+name, auth); a.status != 201 {
			t.Fatalf("PUT: %d %s", a.status, a.body)
		}
	}
	if a := dav("DELETE", "/local/a.txt", auth); a.status != 204 {
		t.Fatalf("DELETE: %d %s", a.status, a.body)
	}
	dav("DELETE", "/local/missing.txt", auth)
	if all := noted(t, admin, "dav.delete"); len(all) != 1 || all[0].Target != "/local/a.txt" || all[0].Name != "files" || all[0].Outcome != "done" {
		t.Errorf("a deletion over WebDAV: %+v", all)
	}
	wantAnswer(t, "delete", local.delete("/api/fs/batch-remove", map[string]any{"paths": []string{"/local/b.txt"}}), 200, "")
	if all := noted(t, admin, "fs.remove"); len(all) != 1 || all[0].Details["paths"] == nil {
		t.Errorf("a deletion: %+v", all)
	}

	wantAnswer(t, "a guess", client{p: p, auth: "ApiKey pp_guessed-value"}.get("/api/test/api-key"), 401, "unauthenticated")
	dav("PROPFIND", "/", basicAuth("admin", "guessed-password"))
	guesses := noted(t, admin, "credential.refuse")
	if len(guesses) != 2 || guesses[0].Target != "basic" || guesses[1].Target != "apikey" || guesses[0].Outcome != "failed" || guesses[0].Code != "unauthenticated" {
		t.Errorf("guesses: %+v", guesses)
	}

	var mounts []struct{ ID, Name string }
	admin.get("/api/admin/mounts").into(t, &mounts)
	wantAnswer(t, "rename a mount", admin.put("/api/admin/mounts/"+mounts[0].ID, map[string]any{"name": "Other", "remark": "new"}), 200, "")
	if all := noted(t, admin, "mount.update"); len(all) != 1 || all[0].Details["before"].(map[string]any)["name"] != mounts[0].Name || all[0].Details["name"] != "Other" {
		t.Errorf("a changed mount: %+v", all)
	}
	wantAnswer(t, "change a key", admin.put("/api/admin/api-keys/"+id, map[string]any{"permissions": 65536}), 200, "")
	wantAnswer(t, "delete a mount", admin.delete("/api/admin/mounts/"+mounts[0].ID, nil), 200, "")
	if all := noted(t, admin, "mount.delete"); len(all) != 1 || all[0].Details["before"].(map[string]any)["mount_path"] != "/local" {
		t.Errorf("a deleted mount: %+v", all)
	}
	export := string(admin.get("/api/admin/audit/export").body)
	for _, secret := range []string{"pp_guessed", "guessed-password", strings.TrimPrefix(local.auth, "ApiKey ")} {
		if strings.Contains(export, secret) {
			t.Errorf("%q stands in the audit log", secret)
		}
	}

	described := func(method, xml string) answer {
		return client{p: p, auth: auth}.send(method, "/dav/local/c.txt", strings.NewReader(xml))
	}
	// What the policy refuses carries the id of its decision, over WebDAV too.
	for _, refused := range []answer{
		dav("PUT", "/local/c.txt", auth),
		dav("DELETE", "/local/c.txt", auth),
		dav("MKCOL", "/local/c", auth),
		described("LOCK", `<D:lockinfo xmlns:D="DAV:"><D:lockscope><D:exclusive/></D:lockscope><D:locktype><D:write/></D:locktype></D:lockinfo>`),
		dav("MOVE", "/local/b.txt", auth, "Destination", "/dav/local/c.txt"),
		described("PROPPATCH", `<D:propertyupdate xmlns:D="DAV:"><D:set><D:prop><x xmlns="urn:x">1</x></D:prop></D:set></D:propertyupdate>`),
		local.post("/api/paste", map[string]any{"content": "x"}),
		client{p: p, auth: auth}.get("/api/admin/api-keys"),
	} {
		decision := refused.header.Get("X-Decision-Id")
		if refused.status != 403 || decision == "" {
			t.Errorf("%d %s %q", refused.status, refused.body, decision)
			continue
		}
		var found struct {
			Codes []string
			Allow bool
		}
		admin.get("/api/admin/decisions/"+decision).into(t, &found)
		if found.Allow || len(found.Codes) == 0 || slices.Contains(found.Codes, "") {
			t.Errorf("the decision %s: %+v", decision, found)
		}
	}
}
