package webdav_test

import (
	"encoding/pem"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"pasteport/plugins/webdav"
	"pasteport/ports"
	"pasteport/ports/objstore"
	"pasteport/ports/outbound"
)

// answering is a server that answers by method, and what it was sent.
func answering(t *testing.T, answers map[string]http.HandlerFunc) *httptest.Server {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if answer := answers[r.Method]; answer != nil {
			answer(w, r)
			return
		}
		w.WriteHeader(http.StatusNotFound)
	}))
	t.Cleanup(s.Close)
	return s
}

// multistatus answers with the files and folders of these addresses.
func multistatus(hrefs ...string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusMultiStatus)
		fmt.Fprint(w, `<?xml version="1.0"?><d:multistatus xmlns:d="DAV:">`)
		for _, href := range hrefs {
			kind := `<d:resourcetype/><d:getcontentlength>3</d:getcontentlength><d:getetag>W/"weak"</d:getetag>`
			if strings.HasSuffix(href, "/") {
				kind = `<d:resourcetype><d:collection/></d:resourcetype>`
			}
			fmt.Fprintf(w, `<d:response><d:href>%s</d:href><d:propstat><d:prop>%s<d:getlastmodified>Tue, 24 Nov 2026 10:00:00 GMT</d:getlastmodified></d:prop>`+
				`<d:status>HTTP/1.1 200 OK</d:status></d:propstat><d:propstat><d:prop><d:getcontentlength/></d:prop><d:status>HTTP/1.1 404 Not Found</d:status></d:propstat></d:response>`, href, kind)
		}
		fmt.Fprint(w, `</d:multistatus>`)
	}
}

func TestNamesThatAreNoObjectsAreNotListed(t *testing.T) {
	s := answering(t, map[string]http.HandlerFunc{"PROPFIND": multistatus(
		"/base/", "/base/good", "/base/%2e%2e", "/base/..", "/base/a%2Fb", "/base/a%2F..%2F..%2Fetc", "/base/%00", "/base/x%FF", "/base/..%5C..%5Cetc", "/base/.pasteport/",
		"/etc/passwd", "/base", "http://elsewhere.example/base/absolute", "/base/good/deeper", "/base/%", "/base/sub/",
	)})
	b := open(t, map[string]string{webdav.OptionURL: s.URL + "/base"})
	page, err := b.List(t.Context(), objstore.ListQuery{Delimiter: "/"})
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, o := range page.Objects {
		names = append(names, o.Key)
		if o.ETag != "weak" || o.Size != 3 {
			t.Errorf("%+v", o)
		}
	}
	names = append(names, page.Prefixes...)
	if want := []string{"absolute", "good", "sub/"}; !slices.Equal(names, want) {
		t.Errorf("listed %q, want %q", names, want)
	}
	for _, key := range []string{`..\..\etc`, `a\..\..\b`, ".pasteport/tmp/x", ".PASTEPORT"} {
		if _, err := b.Stat(t.Context(), key); !ports.Is(err, ports.Invalid) {
			t.Errorf("Stat(%q) gave %v, want Invalid", key, err)
		}
	}
}

func TestNoRedirectIsFollowed(t *testing.T) {
	reached := false
	other := answering(t, map[string]http.HandlerFunc{"PROPFIND": func(http.ResponseWriter, *http.Request) { reached = true }, "GET": func(http.ResponseWriter, *http.Request) { reached = true }})
	s := answering(t, map[string]http.HandlerFunc{
		"PROPFIND": func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, other.URL+r.URL.Path, http.StatusTemporaryRedirect)
		},
	})
	b := open(t, map[string]string{webdav.OptionURL: s.URL, webdav.OptionUser: "u", webdav.OptionPassword: "p"})
	if _, err := b.Stat(t.Context(), "k"); !ports.Is(err, ports.BadGateway) || reached {
		t.Errorf("Stat gave %v, followed %t", err, reached)
	}
}

func TestFoldersMayWantASlashBehindTheirNames(t *testing.T) {
	s := answering(t, map[string]http.HandlerFunc{
		"PROPFIND": func(w http.ResponseWriter, r *http.Request) {
			if !strings.HasSuffix(r.URL.Path, "/") {
				http.Redirect(w, r, r.URL.Path+"/", http.StatusMovedPermanently)
				return
			}
			multistatus(r.URL.Path)(w, r)
		},
	})
	b := open(t, map[string]string{webdav.OptionURL: s.URL + "/base"})
	if o, err := b.Stat(t.Context(), "sub/"); err != nil || o.Key != "sub/" {
		t.Errorf("Stat = %+v, %v", o, err)
	}
}

func TestAnswersThatCannotBeUsedAreRefused(t *testing.T) {
	for name, answer := range map[string]http.HandlerFunc{
		"a web page": func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "<html></html>") },
		"no XML":     func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(207); fmt.Fprint(w, "<a><b></a>") },
		"a cut answer": func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(207)
			fmt.Fprint(w, `<d:multistatus xmlns:d="DAV:"><d:resp`)
		},
		"other addresses":   multistatus("/elsewhere/", "/elsewhere/f"),
		"nothing":           multistatus(),
		"a refused sign-in": func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(401) },
		"a teapot":          func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(418) },
		"an entity too large": func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(207)
			fmt.Fprint(w, `<!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a>`)
		},
	} {
		b := open(t, map[string]string{webdav.OptionURL: answering(t, map[string]http.HandlerFunc{"PROPFIND": answer}).URL + "/base"})
		if _, err := b.List(t.Context(), objstore.ListQuery{}); !ports.Is(err, ports.BadGateway) {
			t.Errorf("%s gave %v, want BadGateway", name, err)
		}
	}
}

func TestAMissingFolderIsNoEmptyStorage(t *testing.T) {
	b := open(t, map[string]string{webdav.OptionURL: answering(t, nil).URL + "/base"})
	calls := map[string]func() error{
		"List": func() error { _, err := b.List(t.Context(), objstore.ListQuery{}); return err },
		"Stat": func() error { _, err := b.Stat(t.Context(), "k"); return err },
		"Write": func() error {
			_, err := b.Write(t.Context(), "k", strings.NewReader("x"), objstore.WriteOptions{Size: 1})
			return err
		},
		"ListUploads": func() error { _, err := b.Multipart().ListUploads(t.Context(), ""); return err },
	}
	for name, call := range calls {
		if err := call(); !ports.Is(err, ports.BadGateway) {
			t.Errorf("%s gave %v, want BadGateway", name, err)
		}
	}
}

// A server that knows no ranges is read from its beginning; one that has another
// file by now is not believed.
func TestRangesOfServersThatKnowNone(t *testing.T) {
	content := "abc"
	s := answering(t, map[string]http.HandlerFunc{
		"PROPFIND": multistatus("/f"),
		"GET":      func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, content) },
	})
	b := open(t, map[string]string{webdav.OptionURL: s.URL})
	body, err := b.Read(t.Context(), "f", objstore.Range{Offset: 1, Length: 1})
	if err != nil {
		t.Fatal(err)
	}
	defer body.Close()
	if got, err := io.ReadAll(body); string(got) != "b" || err != nil {
		t.Errorf("read %q, %v", got, err)
	}
	content = "longer"
	if _, err := b.Read(t.Context(), "f", objstore.Range{}); !ports.Is(err, ports.Unavailable) {
		t.Errorf("a file of another length gave %v, want Unavailable", err)
	}
}

func TestSignInAndCertificates(t *testing.T) {
	var seen string
	s := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		seen = r.Header.Get("Authorization")
		multistatus("/")(w, r)
	}))
	s.Config.ErrorLog = log.New(io.Discard, "", 0)
	s.StartTLS()
	t.Cleanup(s.Close)
	ca := string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: s.Certificate().Raw}))
	list := func(options map[string]string) error {
		options[webdav.OptionURL] = s.URL
		_, err := open(t, options).List(t.Context(), objstore.ListQuery{})
		return err
	}
	if err := list(map[string]string{}); !ports.Is(err, ports.BadGateway) || !strings.Contains(err.Error(), "x509") {
		t.Errorf("an unknown authority gave %v, want BadGateway", err)
	}
	if err := list(map[string]string{webdav.OptionCA: ca, webdav.OptionToken: "t0ken"}); err != nil || seen != "Bearer t0ken" {
		t.Errorf("with a token: %v, sent %q", err, seen)
	}
	if err := list(map[string]string{webdav.OptionCA: ca, webdav.OptionUser: "u", webdav.OptionPassword: "p"}); err != nil || seen != "Basic dTpw" {
		t.Errorf("with a password: %v, sent %q", err, seen)
	}
	b, err := webdav.Driver{Reach: outbound.PublicOnly}.Open(t.Context(), objstore.Config{Options: map[string]string{webdav.OptionURL: s.URL, webdav.OptionCA: ca}})
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	if _, err := b.List(t.Context(), objstore.ListQuery{}); !ports.Is(err, ports.BadGateway) {
		t.Errorf("a private address out of reach gave %v, want BadGateway", err)
	}
	for name, options := range map[string]map[string]string{
		"no address":            {},
		"another scheme":        {webdav.OptionURL: "ftp://a.example"},
		"credentials inside":    {webdav.OptionURL: "https://u:p@a.example"},
		"no certificate":        {webdav.OptionURL: s.URL, webdav.OptionCA: "hello"},
		"a token and a user":    {webdav.OptionURL: s.URL, webdav.OptionToken: "t", webdav.OptionUser: "u"},
		"a question after path": {webdav.OptionURL: s.URL + "/?a=b"},
	} {
		if _, err := (webdav.Driver{}).Open(t.Context(), objstore.Config{Options: options}); !ports.Is(err, ports.Invalid) {
			t.Errorf("%s gave %v, want Invalid", name, err)
		}
	}
}

// Two requests of ours at once may meet each other's locks, which last as long as
// they do.
func TestWhatIsLockedForAMomentIsAskedForAgain(t *testing.T) {
	tries := 0
	s := answering(t, map[string]http.HandlerFunc{
		"PROPFIND": multistatus("/base/a"),
		"DELETE": func(w http.ResponseWriter, _ *http.Request) {
			if tries++; tries < 3 {
				w.WriteHeader(http.StatusLocked)
				return
			}
			w.WriteHeader(http.StatusNoContent)
		},
	})
	b := open(t, map[string]string{webdav.OptionURL: s.URL + "/base"})
	if _, err := b.Delete(t.Context(), "a"); err != nil || tries != 3 {
		t.Errorf("%v after %d tries", err, tries)
	}
}
