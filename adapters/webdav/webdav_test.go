package webdav

import (
	"context"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	encodings "golang.org/x/text/encoding/unicode"

	"pasteport/domain/mounts"
	"pasteport/domain/mounts/dav"
	"pasteport/ports"
	"pasteport/ports/policy"
)

func TestEveryMethodNamesItsAction(t *testing.T) {
	named := []string{"OPTIONS"}
	for _, m := range Methods() {
		if len(m.Actions) == 0 || m.serve == nil {
			t.Errorf("%s names no action", m.Name)
		}
		for _, do := range m.Actions {
			if !slices.Contains([]policy.Action{policy.WebDAVList, policy.WebDAVGet, policy.WebDAVWrite}, do) {
				t.Errorf("%s: %s is no action of WebDAV", m.Name, do)
			}
		}
		named = append(named, m.Name)
	}
	offered := strings.Split(allowed, ", ")
	slices.Sort(named)
	slices.Sort(offered)
	if d := cmp.Diff(named, offered); d != "" {
		t.Errorf("the table and the Allow header differ: %s", d)
	}
}

const (
	lockBody  = `<D:lockinfo xmlns:D="DAV:"><D:lockscope><D:exclusive/></D:lockscope><D:locktype><D:write/></D:locktype></D:lockinfo>`
	patchBody = `<D:propertyupdate xmlns:D="DAV:"><D:set><D:prop><x xmlns="urn:x">1</x></D:prop></D:set></D:propertyupdate>`
)

// Decision 32: the use case asks the policy once, for its action and with all
// its paths, before storage is touched.
func TestEachMethodAsksThePolicyOnceWithAllItsPaths(t *testing.T) {
	for _, c := range []struct {
		method, path, body string
		header             []string
		want               policy.Action
		paths              []string
	}{
		{"PROPFIND", "/m/f", "", nil, policy.WebDAVList, []string{"/m/f"}},
		{"PROPFIND", "/", "", nil, policy.WebDAVList, []string{"/"}},
		{"GET", "/m/f", "", nil, policy.WebDAVGet, []string{"/m/f"}},
		{"HEAD", "/m/f", "", nil, policy.WebDAVGet, []string{"/m/f"}},
		{"PUT", "/m/new", "x", nil, policy.WebDAVWrite, []string{"/m/new"}},
		{"DELETE", "/m/f", "", nil, policy.WebDAVWrite, []string{"/m/f"}},
		{"MKCOL", "/m/d/", "", nil, policy.WebDAVWrite, []string{"/m/d"}},
		{"COPY", "/m/f", "", []string{"Destination", "/base/dav/m/g"}, policy.WebDAVWrite, []string{"/m/f", "/m/g"}},
		{"MOVE", "/m/f", "", []string{"Destination", "/base/dav/m/g"}, policy.WebDAVWrite, []string{"/m/f", "/m/g"}},
		{"PROPPATCH", "/m/f", patchBody, nil, policy.WebDAVWrite, []string{"/m/f"}},
		{"LOCK", "/m/f", lockBody, nil, policy.WebDAVWrite, []string{"/m/f"}},
		{"LOCK", "/m/unmapped", lockBody, nil, policy.WebDAVWrite, []string{"/m/unmapped"}},
		{"UNLOCK", "/m/f", "", []string{"Lock-Token", "<urn:uuid:x>"}, policy.WebDAVWrite, []string{"/m/f"}},
	} {
		f := newFrame(t)
		f.bucket.Put("f", "content")
		before := 0
		f.bucket.Fail = func(string, string) error {
			if len(f.rules.asked) == 0 {
				before++
			}
			return nil
		}
		f.call(c.method, c.path, c.body, c.header...)
		if d := cmp.Diff(f.rules.asked, []policy.Action{c.want}); d != "" {
			t.Errorf("%s %s: %s", c.method, c.path, d)
		}
		if d := cmp.Diff(f.rules.paths, [][]string{c.paths}); d != "" {
			t.Errorf("%s %s: %s", c.method, c.path, d)
		}
		if before > 0 {
			t.Errorf("%s %s: storage was asked first", c.method, c.path)
		}
	}
}

func TestContract8_5_AFolderOfManyEntriesCostsOneListing(t *testing.T) {
	f := newFrame(t)
	f.fill(2500)
	status, body := f.call("PROPFIND", "/m/big/", "", "Depth", "1")
	if status != http.StatusMultiStatus || strings.Count(body, "<D:response>") != 2501 {
		t.Fatalf("%d with %d responses", status, strings.Count(body, "<D:response>"))
	}
	if d := cmp.Diff(f.calls, map[string]int{"List": 3}); d != "" {
		t.Errorf("storage calls: %s", d)
	}
	// What the listing tells is known: neither the folder nor a file that is not
	// there costs another call.
	f.call("PROPFIND", "/m/big/", "", "Depth", "1")
	if status, _ := f.call("PROPFIND", "/m/big/._none", "", "Depth", "0"); status != -int(ports.NotFound) {
		t.Errorf("a missing file: %d", status)
	}
	if status, _ := f.call("PROPFIND", "/m/big/file-00001.txt", "", "Depth", "0"); status != http.StatusMultiStatus {
		t.Errorf("a file: %d", status)
	}
	if d := cmp.Diff(f.calls, map[string]int{"List": 3}); d != "" {
		t.Errorf("storage calls afterwards: %s", d)
	}
}

// pieces is an answer that counts the writes it gets.
type pieces struct {
	*httptest.ResponseRecorder
	writes int
	most   int
}

func (p *pieces) Write(b []byte) (int, error) {
	p.writes++
	p.most = max(p.most, len(b))
	return p.ResponseRecorder.Write(b)
}

func TestALongAnswerLeavesInPieces(t *testing.T) {
	f := newFrame(t)
	f.fill(2000)
	w := &pieces{ResponseRecorder: httptest.NewRecorder()}
	if err := f.Serve(w, httptest.NewRequestWithContext(t.Context(), "PROPFIND", "/base/dav/m/big/", nil), boss); err != nil {
		t.Fatal(err)
	}
	if w.writes < 10 || w.most > 2*piece {
		t.Errorf("%d writes of at most %d bytes", w.writes, w.most)
	}
}

func TestAPropertyWithoutAValueIsOneElement(t *testing.T) {
	f := newFrame(t)
	f.fill(1)
	_, body := f.call("PROPFIND", "/m/big/", "", "Depth", "1")
	for _, name := range []string{"resourcetype", "lockdiscovery"} {
		if !strings.Contains(body, "<D:"+name+"/>") || strings.Contains(body, "<D:"+name+"></D:") {
			t.Errorf("%s in %s", name, body)
		}
	}
}

func TestIfHeader(t *testing.T) {
	x := &exchange{prefix: "/dav", path: "/m/f"}
	list := func(path string, terms ...mounts.IfTerm) mounts.IfList {
		return mounts.IfList{Path: path, Terms: terms}
	}
	for header, want := range map[string][]mounts.IfList{
		`(<urn:a>)`:                          {list("/m/f", mounts.IfTerm{Token: "urn:a"})},
		`(<urn:a> ["tag"])(Not <urn:b>)`:     {list("/m/f", mounts.IfTerm{Token: "urn:a"}, mounts.IfTerm{ETag: "tag"}), list("/m/f", mounts.IfTerm{Not: true, Token: "urn:b"})},
		`</dav/m/g> (<urn:a>) (["x"])`:       {list("/m/g", mounts.IfTerm{Token: "urn:a"}), list("/m/g", mounts.IfTerm{ETag: "x"})},
		`<http://h/dav/a%20b/> (<urn:a>)`:    {list("/a b", mounts.IfTerm{Token: "urn:a"})},
		`<http://h/other> (<urn:a>)`:         {list("", mounts.IfTerm{Token: "urn:a"})},
		`</dav/../x> (<urn:a>)`:              {list("", mounts.IfTerm{Token: "urn:a"})},
		`(NOT[W/"weak"])`:                    {list("/m/f", mounts.IfTerm{Not: true})},
		`(<urn:a>)(Not <DAV:no-lock>)`:       {list("/m/f", mounts.IfTerm{Token: "urn:a"}), list("/m/f", mounts.IfTerm{Not: true, Token: "DAV:no-lock"})},
		`</dav/x> (<urn:a>) </dav/y>(["t"])`: {list("/x", mounts.IfTerm{Token: "urn:a"}), list("/y", mounts.IfTerm{ETag: "t"})},
	} {
		got, _, err := x.parseIf(header)
		if d := cmp.Diff(got, want); d != "" || err != nil {
			t.Errorf("%s: %v %s", header, err, d)
		}
	}
	for _, header := range []string{"", "x", "()", "(", "(<urn:a>", "<urn:a>", `(["x)`, `([x])`, `(<>)`, `(<noscheme>)`, `(<urn:a>) </dav/x> (<urn:b>)`, `</dav/x>`, `(Not)`, `(Not Not <urn:a>)`,
		strings.Repeat("(<urn:a>)", maxLists+1), "(" + strings.Repeat("<urn:a>", maxTerms+2) + ")"} {
		if _, _, err := x.parseIf(header); !ports.Is(err, ports.Invalid) {
			t.Errorf("%.40q: %v, want Invalid", header, err)
		}
	}
}

func TestIfTokensOfEveryListAreSubmitted(t *testing.T) {
	x := &exchange{prefix: "/dav", path: "/m/f"}
	_, tokens, err := x.parseIf(`</dav/x> (<urn:a> ["t"]) (Not <urn:b>)`)
	if d := cmp.Diff(tokens, []string{"urn:a", "urn:b"}); d != "" || err != nil {
		t.Error(err, d)
	}
}

func TestDestination(t *testing.T) {
	for header, want := range map[string]string{
		"/dav/a":                             "/a",
		"http://other:1/dav/a%20b/":          "/a b/",
		"https://h/dav":                      "/",
		"/dav/%E6%96%87%3F%23%25+&;=":        "/文?#%+&;=",
		"http://h/dav/m/a b":                 "/m/a b",
		"":                                   "400",
		"relative":                           "400",
		"ftp://h/dav/a":                      "400",
		"//h/dav/a":                          "400",
		"mailto:x":                           "400",
		"/dav/a?b":                           "400",
		"/dav/a#b":                           "400",
		"/dav/%zz":                           "400",
		"/dav/a%2Fb":                         "400",
		"/dav/a/../b":                        "400",
		"/dav/a//b":                          "400",
		"/dav/%00":                           "400",
		"/davy/a":                            "502",
		"http://h/":                          "502",
		"http://h":                           "502",
		"/dav/" + strings.Repeat("a/", 3000): "414",
	} {
		x := &exchange{prefix: "/dav", r: httptest.NewRequest("COPY", "/dav/x", nil)}
		x.r.Header.Set("Destination", header)
		got, err := x.destination()
		var own *Failure
		switch {
		case errors.As(err, &own):
			got = map[int]string{502: "502", 414: "414"}[own.Status]
		case ports.Is(err, ports.Invalid):
			got = "400"
		case err != nil:
			got = err.Error()
		}
		if got != want {
			t.Errorf("%.60q: %q, want %q", header, got, want)
		}
	}
}

func TestLockTime(t *testing.T) {
	for header, want := range map[string]time.Duration{
		"": 0, "Second-60": time.Minute, "second-60": time.Minute, "Infinite": dav.LongestLock, "Infinite, Second-5": dav.LongestLock,
		"Extended, Second-5": 5 * time.Second, "Second-0": 0, "Second--1": 0, "Second-99999999999999999999": 0, "Second-4100000000": dav.LongestLock, "nonsense": 0,
	} {
		x := &exchange{r: httptest.NewRequest("LOCK", "/", nil)}
		x.r.Header.Set("Timeout", header)
		if got := x.lockTime(); got != want {
			t.Errorf("%q: %v, want %v", header, got, want)
		}
	}
}

func TestXMLKeepsNamespacesAndLanguage(t *testing.T) {
	for in, want := range map[string]string{
		`<a xmlns="urn:a"/>`:                                       `<a xmlns="urn:a"/>`,
		`<p:a xmlns:p="urn:a"><p:b/><c/></p:a>`:                    `<a xmlns="urn:a"><b/><c xmlns=""/></a>`,
		`<a xml:lang="de">x &lt; &amp; "y"</a>`:                    `<a xml:lang="de">x &lt; &amp; &#34;y&#34;</a>`,
		`<a xmlns:q="urn:q" q:x="1&#34;" y="&#x4e2d;"/>`:           `<a xmlns:aa="urn:q" aa:x="1&#34;" y="中"/>`,
		"<a>line\r\nend&#13;</a>":                                  "<a>line\nend&#13;</a>",
		`<?xml version="1.0" encoding="utf-8"?><!-- no --><a></a>`: `<a/>`,
		`<a><![CDATA[<b>]]></a>`:                                   `<a>&lt;b&gt;</a>`,
	} {
		root, err := parseXML(strings.NewReader(in))
		if err != nil {
			t.Errorf("%s: %v", in, err)
			continue
		}
		if got := root.whole(); got != want {
			t.Errorf("%s: got %s, want %s", in, got, want)
		}
	}
	inherited, err := parseXML(strings.NewReader(`<a xml:lang="en"><b>text</b></a>`))
	if err != nil || inherited.elements()[0].whole() != `<b xml:lang="en">text</b>` {
		t.Errorf("the language above: %v %v", inherited, err)
	}
}

func TestXMLRefusesWhatIsNotWellFormed(t *testing.T) {
	for _, in := range []string{"x", "<a>", "<a></b>", "</a>", "<a/><b/>", "<p:a/>", "<a p:b='1'/>", "<a xmlns:p=''/>", `<!DOCTYPE a><a/>`, "<a>&e;</a>", "<a/>x",
		`<?php echo ?><a/>`, `<a xmlns:xml="urn:x"/>`, `<?xml version="1.0" encoding="utf-16"?><a/>`, strings.Repeat("<a>", 40) + strings.Repeat("</a>", 40),
		"<a>" + strings.Repeat("<b/>", maxParts) + "</a>"} {
		if root, err := parseXML(strings.NewReader(in)); err == nil {
			t.Errorf("%.60s: parsed as %v", in, root)
		}
	}
	if root, err := parseXML(strings.NewReader(" \n")); root != nil || err != nil {
		t.Errorf("an empty body: %v %v", root, err)
	}
}

// What comes out is well-formed and means the same, whatever went in.
func FuzzXML(f *testing.F) {
	for _, seed := range []string{`<a xmlns="urn:a" xml:lang="x"><b y="1">&amp;</b></a>`, `<p:a xmlns:p="u" p:b="&#9;"/>`, "<a>\r]]&gt;</a>"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, in string) {
		root, err := parseXML(strings.NewReader(in))
		if err != nil || root == nil {
			return
		}
		once := root.whole()
		again, err := parseXML(strings.NewReader(once))
		if err != nil || again == nil {
			t.Fatalf("%q became %q: %v", in, once, err)
		}
		if twice := again.whole(); twice != once {
			t.Fatalf("%q became %q, then %q", in, once, twice)
		}
	})
}

func TestHrefsHoldEveryName(t *testing.T) {
	if got := string(appendHref(nil, "/b/dav", `/m/文 %?#&<>"'+;:*|`, true)); got != "/b/dav/m/%E6%96%87%20%25%3F%23%26%3C%3E%22%27%2B%3B%3A*%7C/" {
		t.Error(got)
	}
	if got := string(appendHref(nil, "/dav", "/", true)); got != "/dav/" {
		t.Error(got)
	}
}

func TestABodyIsAsLongAsAnnounced(t *testing.T) {
	for _, c := range []struct {
		body  string
		want  int64
		wrong bool
	}{{"abc", 3, false}, {"abc", -1, false}, {"", 0, false}, {"abc", 2, true}, {"abc", 4, true}} {
		s := &sized{r: strings.NewReader(c.body), want: c.want}
		_, err := io.ReadAll(s)
		if s.wrong != c.wrong || (err != nil) != c.wrong {
			t.Errorf("%q of %d: wrong %t, %v", c.body, c.want, s.wrong, err)
		}
	}
}

func TestGzipIsAcceptedUnlessRefused(t *testing.T) {
	for header, want := range map[string]bool{"gzip": true, "deflate, GZIP;q=0.5": true, "gzip;q=0": false, "gzip; q=0.000": false, "": false, "br": false} {
		if got := accepts(header, "gzip"); got != want {
			t.Errorf("%q: %t", header, got)
		}
	}
}

func BenchmarkPropfind10000(b *testing.B) {
	f := newFrame(b)
	f.fill(10000)
	four := `<D:propfind xmlns:D="DAV:"><D:prop><D:resourcetype/><D:getcontentlength/><D:getlastmodified/><D:getetag/></D:prop></D:propfind>`
	for name, body := range map[string]string{"all": "", "four": four} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				w := &discard{header: http.Header{}}
				r := httptest.NewRequestWithContext(b.Context(), "PROPFIND", "/base/dav/m/big/", strings.NewReader(body))
				if err := f.Serve(w, r, boss); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// What was written for one caller is sent to the next as long as nothing of it
// has changed.
func TestAPropfindFromTheCacheTellsWhatIsNew(t *testing.T) {
	f := newFrame(t)
	f.fill(300) // more than one piece
	list := func() string {
		t.Helper()
		status, body := f.call("PROPFIND", "/m/big/", "", "Depth", "1")
		if status != http.StatusMultiStatus || !strings.HasSuffix(body, "</D:multistatus>") {
			t.Fatalf("%d %.300s", status, body)
		}
		return body
	}
	first := list()
	if again := list(); again != first || strings.Count(first, "<D:response>") != 301 {
		t.Errorf("the second answer differs, or the first has %d responses", strings.Count(first, "<D:response>"))
	}
	if _, short := f.call("PROPFIND", "/m/big/", `<D:propfind xmlns:D="DAV:"><D:prop><D:getetag/></D:prop></D:propfind>`, "Depth", "1"); strings.Contains(short, "getlastmodified") {
		t.Errorf("another question got %.300s", short)
	}
	for _, c := range []struct {
		method, path, body, shows string
	}{
		{"PUT", "/m/big/new.txt", "x", "new.txt"},
		{"LOCK", "/m/big/new.txt", `<D:lockinfo xmlns:D="DAV:"><D:lockscope><D:exclusive/></D:lockscope><D:locktype><D:write/></D:locktype></D:lockinfo>`, "<D:activelock>"},
		{"PROPPATCH", "/m/big/file-00007.txt", `<D:propertyupdate xmlns:D="DAV:"><D:set><D:prop><o:colour xmlns:o="o:">blue</o:colour></D:prop></D:set></D:propertyupdate>`, "colour"},
	} {
		if strings.Contains(list(), c.shows) {
			t.Errorf("%q is there before %s", c.shows, c.method)
		}
		if status, body := f.call(c.method, c.path, c.body); status < 200 || status > 299 {
			t.Fatalf("%s: %d %s", c.method, status, body)
		}
		if !strings.Contains(list(), c.shows) {
			t.Errorf("%q is missing after %s", c.shows, c.method)
		}
	}
}

// A client that is told the length needs no chunks and knows how far it is.
func TestAPropfindFromTheCacheTellsItsLength(t *testing.T) {
	f := newFrame(t)
	f.fill(300) // more than one piece
	for _, c := range []struct{ coding, length string }{{"identity", ""}, {"identity", "its own"}, {"gzip", ""}} {
		r := httptest.NewRequestWithContext(t.Context(), "PROPFIND", "/base/dav/m/big/", nil)
		r.Header.Set("Accept-Encoding", c.coding)
		w := httptest.NewRecorder()
		if err := f.Serve(w, r, boss); err != nil {
			t.Fatal(err)
		}
		want := c.length
		if want != "" {
			want = strconv.Itoa(w.Body.Len())
		}
		if got := w.Header().Get("Content-Length"); got != want {
			t.Errorf("%s: length %q of %d bytes, want %q", c.coding, got, w.Body.Len(), want)
		}
	}
}

// discard is an answer that nobody reads.
type discard struct{ header http.Header }

func (d *discard) Header() http.Header         { return d.header }
func (d *discard) Write(p []byte) (int, error) { return len(p), nil }
func (d *discard) WriteHeader(int)             {}

// A listing of more than a thousand entries waits for a place among the heavy
// calls; a short one does not.
func TestSecurity4_5_ALongListingIsAHeavyCall(t *testing.T) {
	f := newFrame(t)
	f.fill(longListing + 1)
	f.bucket.Put("small/a.txt", "x")
	taken, released := 0, 0
	full := error(nil)
	f.Heavy = func(context.Context) (func(), error) {
		taken++
		return func() { released++ }, full
	}
	for path, want := range map[string]int{"/m/small/": 0, "/m/big/": 1} {
		taken, released = 0, 0
		if status, body := f.call("PROPFIND", path, "", "Depth", "1"); status != 207 || taken != want || released != want {
			t.Errorf("%s: %d, %d places taken and %d given back, want %d: %.200s", path, status, taken, released, want, body)
		}
	}
	full = &ports.Error{Code: ports.RateLimited, Key: "rate_limited"}
	if status, _ := f.call("PROPFIND", "/m/big/", "", "Depth", "1"); status != -int(ports.RateLimited) {
		t.Errorf("without a place: %d", status)
	}
	if status, _ := f.call("PROPFIND", "/m/big/", "", "Depth", "0"); status != 207 {
		t.Errorf("the folder alone: %d", status)
	}
}

func TestContract8_7_TheTimeOfASyncClientIsKept(t *testing.T) {
	f := newFrame(t)
	const sent, day = "1262304000", "Fri, 01 Jan 2010 00:00:00 GMT"
	put := func(path, body string, header ...string) string {
		t.Helper()
		r := httptest.NewRequestWithContext(t.Context(), "PUT", "/base/dav"+path, strings.NewReader(body))
		for i := 0; i < len(header); i += 2 {
			r.Header.Set(header[i], header[i+1])
		}
		w := httptest.NewRecorder()
		if err := f.Serve(w, r, boss); err != nil {
			t.Fatal(err)
		}
		return w.Header().Get("X-OC-MTime")
	}
	shows := func(path, depth string) bool {
		t.Helper()
		status, body := f.call("PROPFIND", path, "", "Depth", depth)
		if status != 207 || strings.Contains(body, dav.OwnSpace) {
			t.Errorf("%s: %d, and what is ours alone is shown: %s", path, status, body)
		}
		return strings.Contains(body, day)
	}
	f.call("MKCOL", "/m/d", "")
	if got := put("/m/d/f", "one", "X-OC-Mtime", sent); got != "accepted" {
		t.Errorf("got %q", got)
	}
	if !shows("/m/d/f", "0") || !shows("/m/d", "1") {
		t.Error("the time is not shown")
	}
	if status, _ := f.call("MOVE", "/m/d/f", "", "Destination", "/base/dav/m/d/g"); status != 201 || !shows("/m/d/g", "0") {
		t.Errorf("after a move (%d) the time is not shown", status)
	}
	if got := put("/m/d/g", "two"); got != "" || shows("/m/d/g", "0") {
		t.Errorf("new content has the time of the old one; got %q", got)
	}
	for _, wrong := range []string{"", "x", "-1", "0", "1.5", "99999999999999"} {
		if got := put("/m/d/h", "x", "X-OC-Mtime", wrong); got != "" {
			t.Errorf("%q: got %q", wrong, got)
		}
	}
	status, body := f.call("PROPPATCH", "/m/d/g", `<D:propertyupdate xmlns:D="DAV:"><D:set><D:prop><o:modified xmlns:o="`+dav.OwnSpace+`">1 x</o:modified></D:prop></D:set></D:propertyupdate>`)
	if status != 207 || !strings.Contains(body, "403") {
		t.Errorf("a client set what is ours: %d %s", status, body)
	}
}

// macOS writes an accent as a letter of its own, most others do not. Names stay
// as they were sent; both find them.
func TestContract1_2_NamesAreFoundInEitherForm(t *testing.T) {
	const composed, decomposed = "caf\u00e9", "cafe\u0301"
	f := newFrame(t)
	f.bucket.Put(composed+"/", "")
	f.bucket.Put(composed+"/"+composed+".txt", "menu")
	at := func(path string) string { return (&url.URL{Path: path}).EscapedPath() }
	folder, file := at("/m/"+decomposed), at("/m/"+decomposed+"/"+decomposed+".txt")
	want := func(wanted int, method, path, body string, header ...string) string {
		t.Helper()
		status, got := f.call(method, path, body, header...)
		if status != wanted {
			t.Errorf("%s %s: got %d %s, want %d", method, path, status, got, wanted)
		}
		return got
	}
	listed := want(207, "PROPFIND", folder+"/", "", "Depth", "1")
	for _, href := range []string{"/base/dav" + folder + "/</D:href>", "/base/dav" + folder + at("/"+composed+".txt") + "</D:href>"} {
		if !strings.Contains(listed, href) {
			t.Errorf("%s is missing in %s", href, listed)
		}
	}
	if got := want(200, "GET", file, ""); got != "menu" {
		t.Errorf("got %q", got)
	}
	want(204, "PUT", file, "new")
	want(201, "PUT", folder+at("/"+decomposed+"2"), "other")
	want(201, "MKCOL", folder+"/sub", "")
	lock := want(200, "LOCK", file, exclusive)
	_, token, _ := strings.Cut(lock, "urn:uuid:")
	token, _, _ = strings.Cut(token, "<")
	want(423, "PUT", file, "no token")
	want(204, "PUT", file, "token", "If", "(<urn:uuid:"+token+">)")
	want(204, "PUT", file, "token", "If", "</base/dav"+file+"> (<urn:uuid:"+token+">)")
	want(204, "UNLOCK", file, "", "Lock-Token", "<urn:uuid:"+token+">")
	want(201, "MOVE", file, "", "Destination", "/base/dav"+folder+"/sub/moved")
	want(204, "DELETE", folder+"/sub", "")
	want(-int(ports.NotFound), "GET", at("/m/na\u00efve"), "")
	if got, want := f.bucket.Keys(), []string{composed + "/", composed + "/" + decomposed + "2"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	for i, paths := range f.rules.paths {
		if len(paths) == 0 {
			t.Errorf("question %d names no path", i)
		}
	}
}

const exclusive = `<D:lockinfo xmlns:D="DAV:"><D:lockscope><D:exclusive/></D:lockscope><D:locktype><D:write/></D:locktype></D:lockinfo>`

// The other form of a path is another path: who may not go there is not led there.
func TestTheOtherFormOfAPathIsNoWayAround(t *testing.T) {
	f := newFrame(t)
	f.bucket.Put("caf\u00e9/secret.txt", "secret")
	f.bucket.Put("cafe\u0301/mine.txt", "mine")
	confined := policy.Principal{Kind: policy.APIKey, ID: "k", BasicPath: "/m/cafe\u0301", Permissions: policy.AllPermissions}
	for _, method := range []string{"GET", "PROPFIND", "DELETE"} {
		for _, path := range []string{"/m/cafe\u0301/secret.txt", "/m/caf\u00e9/secret.txt"} {
			r := httptest.NewRequestWithContext(t.Context(), method, "/base/dav"+(&url.URL{Path: path}).EscapedPath(), nil)
			w := httptest.NewRecorder()
			if err := f.Serve(w, r, confined); err == nil {
				t.Errorf("%s %q: got %d", method, path, w.Code)
			}
		}
	}
	if !slices.Contains(f.bucket.Keys(), "caf\u00e9/secret.txt") {
		t.Error("it is gone")
	}
}

func TestUnlockTakesATokenWithoutBrackets(t *testing.T) {
	for _, form := range []string{"<%s>", "%s", " <%s> "} {
		f := newFrame(t)
		f.bucket.Put("f", "content")
		_, body := f.call("LOCK", "/m/f", lockBody)
		token := regexp.MustCompile(`urn:uuid:[^<]+`).FindString(body)
		if status, body := f.call("UNLOCK", "/m/f", "", "Lock-Token", fmt.Sprintf(form, token)); status != http.StatusNoContent {
			t.Errorf("%s: %d %s", form, status, body)
		}
		if status, _ := f.call("PUT", "/m/f", "new"); status != http.StatusNoContent {
			t.Errorf("%s: still locked, %d", form, status)
		}
	}
	f := newFrame(t)
	f.bucket.Put("f", "content")
	for _, broken := range []string{"", "<urn:uuid:x", "urn:uuid:x>", "<>"} {
		if status, _ := f.call("UNLOCK", "/m/f", "", "Lock-Token", broken); status != -int(ports.Invalid) {
			t.Errorf("%q: %d", broken, status)
		}
	}
}

// A new name beside the mounts is refused the same way by every method that
// would make one; a source that is not there is missing.
func TestNothingIsMadeBesideTheMounts(t *testing.T) {
	f := newFrame(t)
	f.bucket.Put("f", "content")
	for _, c := range []struct {
		method, path, to string
		want             int
	}{
		{"PUT", "/new", "", 403}, {"MKCOL", "/new", "", 403}, {"LOCK", "/new", "", 403}, {"PUT", "/new/below", "", 403},
		{"COPY", "/m/f", "/new", 403}, {"MOVE", "/m/f", "/new", 403}, {"COPY", "/m/f", "/new/below", 403}, {"MOVE", "/m/f", "/new/below", 403},
		{"COPY", "/m/f", "/", 403}, {"COPY", "/none", "/m/to", 404}, {"MOVE", "/none", "/m/to", 404}, {"COPY", "/none", "/new", 404},
	} {
		body, header := "", []string{}
		if c.method == "LOCK" {
			body = lockBody
		}
		if c.to != "" {
			header = append(header, "Destination", "/base/dav"+c.to)
		}
		if status, answer := f.call(c.method, c.path, body, header...); status != c.want {
			t.Errorf("%s %s %s: %d %s, want %d", c.method, c.path, c.to, status, answer, c.want)
		}
	}
	if got := f.bucket.Keys(); !slices.Equal(got, []string{"f"}) {
		t.Errorf("the storage holds %v", got)
	}
}

func TestBodiesInEveryEncodingOfXMLAreRead(t *testing.T) {
	wide := func(order encodings.Endianness, bom encodings.BOMPolicy, text string) string {
		out, err := encodings.UTF16(order, bom).NewEncoder().String(text)
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	const patch = `<D:propertyupdate xmlns:D="DAV:"><D:set><D:prop><x xmlns="urn:x">值 ü 😀</x></D:prop></D:set></D:propertyupdate>`
	const find = `<D:propfind xmlns:D="DAV:"><D:prop><x xmlns="urn:x"/></D:prop></D:propfind>`
	for name, encode := range map[string]func(body string) string{
		"UTF-8":                func(s string) string { return s },
		"UTF-8, declared":      func(s string) string { return `<?xml version="1.0" encoding="utf-8"?>` + s },
		"UTF-8 with a mark":    func(s string) string { return "\ufeff" + s },
		"UTF-8 with both":      func(s string) string { return "\ufeff" + `<?xml version="1.0" encoding="UTF-8"?>` + "\n" + s },
		"UTF-16, big first":    func(s string) string { return wide(encodings.BigEndian, encodings.UseBOM, s) },
		"UTF-16, little first": func(s string) string { return wide(encodings.LittleEndian, encodings.UseBOM, s) },
		"UTF-16, declared": func(s string) string {
			return wide(encodings.LittleEndian, encodings.UseBOM, `<?xml version="1.0" encoding="UTF-16"?>`+s)
		},
		"UTF-16LE without a mark": func(s string) string {
			return wide(encodings.LittleEndian, encodings.IgnoreBOM, `<?xml version="1.0" encoding="utf-16le"?>`+s)
		},
		"UTF-16BE without a mark": func(s string) string {
			return wide(encodings.BigEndian, encodings.IgnoreBOM, `<?xml version="1.0" encoding="UTF-16BE"?>`+s)
		},
		"UTF-16BE, neither declared": func(s string) string { return wide(encodings.BigEndian, encodings.IgnoreBOM, s) },
	} {
		f := newFrame(t)
		f.bucket.Put("f", "content")
		if status, body := f.call("PROPPATCH", "/m/f", encode(patch)); status != http.StatusMultiStatus {
			t.Errorf("%s: PROPPATCH: %d %s", name, status, body)
		}
		if status, body := f.call("PROPFIND", "/m/f", encode(find), "Depth", "0"); status != http.StatusMultiStatus || !strings.Contains(body, "值 ü 😀</x>") {
			t.Errorf("%s: PROPFIND: %d %s", name, status, body)
		}
		if status, body := f.call("LOCK", "/m/f", encode(lockBody)); status != http.StatusOK {
			t.Errorf("%s: LOCK: %d %s", name, status, body)
		}
	}
	f := newFrame(t)
	f.bucket.Put("f", "content")
	for name, body := range map[string]string{
		"another encoding":            `<?xml version="1.0" encoding="ISO-8859-1"?>` + find,
		"UTF-16 that is UTF-8":        `<?xml version="1.0" encoding="UTF-16"?>` + find,
		"half a character":            wide(encodings.LittleEndian, encodings.UseBOM, find) + "<",
		"a document type in UTF-16":   wide(encodings.LittleEndian, encodings.UseBOM, `<!DOCTYPE x [<!ENTITY e "e">]>`+find),
		"more than the bound, UTF-16": wide(encodings.LittleEndian, encodings.UseBOM, find+strings.Repeat(" ", maxXML)),
	} {
		want := -int(ports.Invalid)
		if strings.HasPrefix(name, "more") {
			want = -int(ports.TooLarge)
		}
		if status, body := f.call("PROPFIND", "/m/f", body, "Depth", "0"); status != want {
			t.Errorf("%s: %d %s", name, status, body)
		}
	}
}

// XML has no U+FFFE and U+FFFF: one file with such a name must not hide its folder.
func TestAFolderIsReadableWhateverItsFilesAreCalled(t *testing.T) {
	f := newFrame(t)
	for _, name := range []string{"a\uffff", "\ufffeb", "c\U0001f600", "d\ufffd"} {
		if status, body := f.call("PUT", "/m/"+url.PathEscape(name), "x"); status != http.StatusCreated {
			t.Fatalf("PUT %q: %d %s", name, status, body)
		}
	}
	_, body := f.call("PROPFIND", "/m/", "", "Depth", "1")
	if err := xml.Unmarshal([]byte(body), new(struct{})); err != nil {
		t.Error(err)
	}
	for _, want := range []string{"a%EF%BF%BF<", ">a\ufffd<", ">\ufffdb<", ">c\U0001f600<", ">d\ufffd<"} {
		if !strings.Contains(body, want) {
			t.Errorf("no %q in %s", want, body)
		}
	}
}
