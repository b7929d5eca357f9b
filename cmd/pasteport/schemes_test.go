package main

import (
	"strings"
	"testing"

	"pasteport/ports/portstest"
)

// TestPagesMayReachTheStoragesAndNameNone reads the policy header of pages while
// storage configs come and go.
func TestPagesMayReachTheStoragesAndNameNone(t *testing.T) {
	p := start(t, t.TempDir())
	admin := p.admin()
	allows := func(name, want string) {
		t.Helper()
		portstest.Eventually(t, func() bool {
			policy := p.visitor().get("/upload", "Accept", "text/html").header.Get("Content-Security-Policy")
			if strings.Contains(policy, "example.com") || strings.Contains(policy, "bkt") {
				t.Fatalf("%s a stranger is told of a storage: %s", name, policy)
			}
			return strings.Contains(policy, "; connect-src 'self'"+want+";") && strings.Contains(policy, "; media-src 'self' blob:"+want+";")
		}, name, " the policy allows what it should")
	}
	allows("at first", "")
	secrets := func(name, endpoint string) map[string]any {
		return map[string]any{"name": name, "endpoint_url": endpoint, "driver": "s3", "bucket_name": "bkt", "region": "us-east-1", "path_style": true,
			"access_key_id": "AKIDEXAMPLE0", "secret_access_key": "secret"}
	}
	one := admin.configID(secrets("one", "https://s3.example.com"))
	allows("with a storage", " https:")
	if a := admin.put("/api/s3-configs/"+one, map[string]any{"endpoint_url": "http://minio.example.com:9000"}); a.status != 200 {
		t.Fatalf("%d %s", a.status, a.body)
	}
	allows("with a storage without TLS", " https: http:")
	if a := admin.delete("/api/s3-configs/"+one, nil); a.status != 200 {
		t.Fatalf("%d %s", a.status, a.body)
	}
	allows("after it is gone", "")
}
