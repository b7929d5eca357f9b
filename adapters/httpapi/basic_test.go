package httpapi

import (
	"net/http"
	"testing"

	"pasteport/adapters/httpapi/edgetest"
	"pasteport/ports/policy"
)

func TestNoChallengeCountsForTheWholeServer(t *testing.T) {
	for _, base := range []string{"", "/box"} {
		f := newFrame(t, func(o *Options) { o.PublicURL = "https://a.example" + base })
		challenge := `Basic realm="Pasteport"`
		f.ServeDAV(DAV{Ops: []Op{{Name: "dav.get", Method: "GET", Actions: []policy.Action{policy.WebDAVWrite}, Challenge: challenge},
			{Name: "dav.find", Method: "PROPFIND", Actions: []policy.Action{policy.WebDAVWrite}, Challenge: challenge}},
			Serve: func(w http.ResponseWriter, _ *http.Request, _ policy.Principal) error {
				w.WriteHeader(http.StatusNoContent)
				return nil
			}, Announce: func(http.Header) {}})
		for _, auth := range []string{"", "Basic d3Jvbmc6d3Jvbmc=", edgetest.AsAdmin} {
			for _, method := range []string{"GET", "HEAD"} {
				for below, target := range map[string]string{"": "/", "%2f": "/", "%2Flocal": "/local", "%2Flocal%2Fa%20b": "/local/a%20b"} {
					a := f.Call(method, base+"/dav"+below, "", "Authorization", auth)
					if a.ResponseRecorder.Code != http.StatusPermanentRedirect || a.Header().Get("Location") != base+"/dav"+target || a.Header().Get("WWW-Authenticate") != "" {
						t.Errorf("%s %s/dav%s as %q: %d %v", method, base, below, auth, a.ResponseRecorder.Code, a.Header())
					}
				}
			}
			if a := f.Call("POST", base+"/dav", "x=y", "Authorization", auth); a.Header().Get("WWW-Authenticate") != "" || a.ResponseRecorder.Code != http.StatusMethodNotAllowed {
				t.Errorf("a form: %d %v", a.ResponseRecorder.Code, a.Header())
			}
		}
		if a := f.Call("GET", base+"/dav/", ""); a.ResponseRecorder.Code != http.StatusUnauthorized || a.Header().Get("WWW-Authenticate") != challenge {
			t.Errorf("GET %s/dav/: %d %v", base, a.ResponseRecorder.Code, a.Header())
		}
		if a := f.Call("PROPFIND", base+"/dav", ""); a.ResponseRecorder.Code != http.StatusUnauthorized {
			t.Errorf("PROPFIND %s/dav: %d", base, a.ResponseRecorder.Code)
		}
	}
}
