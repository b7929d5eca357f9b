package boundary

import (
	"net/http"
	"testing"
	"time"

	"pasteport/ports"
	"pasteport/ports/objstore"
)

func TestRulesForBrowsersAreSetThroughTheBoundary(t *testing.T) {
	for name, d := range drivers {
		t.Run(name, func(t *testing.T) {
			b := open(t, name)
			err := b.(objstore.CORSAdmin).EnsureCORS(t.Context(), []string{"https://paste.example"})
			if !d.Profile.Info.Features.CORSAdmin {
				if !ports.Is(err, ports.NotImplemented) {
					t.Errorf("EnsureCORS gave %v, want NotImplemented", err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			s, err := b.Sign(t.Context(), objstore.SignRequest{Verb: objstore.VerbPut, Key: "k", Audience: objstore.Browser, TTL: time.Hour})
			if err != nil {
				t.Fatal(err)
			}
			req, err := http.NewRequestWithContext(t.Context(), http.MethodOptions, cloud.URL(s.URL), nil)
			if err != nil {
				t.Fatal(err)
			}
			req.Header.Set("Origin", "https://paste.example")
			req.Header.Set("Access-Control-Request-Method", "PUT")
			resp, err := http.DefaultClient.Do(req)
			if err != nil {
				t.Fatal(err)
			}
			resp.Body.Close()
			if got := resp.Header.Get("Access-Control-Allow-Origin"); got != "https://paste.example" {
				t.Errorf("the preflight gave %d and allows %q", resp.StatusCode, got)
			}
		})
	}
}
