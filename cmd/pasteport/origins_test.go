package main

import (
	"strings"
	"testing"

	"pasteport/ports/portstest"
)

// TestPagesMayTalkToTheStoragesThereAre reads the policy header of pages while
// storage configs come and go.
func TestPagesMayTalkToTheStoragesThereAre(t *testing.T) {
	p := start(t, t.TempDir())
	admin := p.admin()
	allows := func(name string, want map[string]bool) {
		t.Helper()
		portstest.Eventually(t, func() bool {
			policy := p.visitor().get("/upload", "Accept", "text/html").header.Get("Content-Security-Policy")
			fits := policy != ""
			for origin, allowed := range want {
				for _, kind := range []string{"connect-src", "img-src", "media-src"} {
					_, rest, _ := strings.Cut(policy, kind+" ")
					list, _, _ := strings.Cut(rest, ";")
					fits = fits && strings.Contains(list+" ", " "+origin+" ") == allowed
				}
			}
			return fits
		}, name, " the policy allows what it should")
	}
	const path, host, cdn = "https://s3.example.com", "https://bkt.objects.example.com:8443", "https://cdn.example.com"
	allows("at first", map[string]bool{path: false, host: false, cdn: false})
	secrets := func(more map[string]any) map[string]any {
		fields := map[string]any{"driver": "s3", "bucket_name": "bkt", "region": "us-east-1", "access_key_id": "AKIDEXAMPLE0", "secret_access_key": "secret"}
		for name, value := range more {
			fields[name] = value
		}
		return fields
	}
	one := admin.configID(secrets(map[string]any{"name": "one", "endpoint_url": path, "path_style": true, "custom_host": cdn}))
	admin.configID(secrets(map[string]any{"name": "two", "endpoint_url": "https://objects.example.com:8443", "path_style": false}))
	allows("with two storages", map[string]bool{path: true, host: true, cdn: true})
	if a := admin.put("/api/s3-configs/"+one, map[string]any{"endpoint_url": "https://moved.example.com"}); a.status != 200 {
		t.Fatalf("%d %s", a.status, a.body)
	}
	allows("after one moved", map[string]bool{path: false, "https://moved.example.com": true, host: true, cdn: true})
	if a := admin.delete("/api/s3-configs/"+one, nil); a.status != 200 {
		t.Fatalf("%d %s", a.status, a.body)
	}
	allows("after one is gone", map[string]bool{"https://moved.example.com": false, host: true, cdn: false})
}
