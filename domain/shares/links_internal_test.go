package shares

import (
	"testing"

	"pasteport/ports/objstore"
)

func TestReachable(t *testing.T) {
	for address, want := range map[string]bool{"https://s3.example.com": true, "http://203.0.113.9:9000": true, "http://10.0.0.1": false, "http://localhost:9000": false,
		"http://127.0.0.1": false, "http://minio:9000": false, "http://[fd00::1]": false, "https://nas.local": false, "": false, "://": false} {
		if got := reachable(objstore.Storage{EndpointURL: address}); got != want {
			t.Errorf("%q: got %t", address, got)
		}
	}
}
