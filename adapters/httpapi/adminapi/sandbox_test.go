package adminapi

import (
	"bytes"
	"io"
	"mime/multipart"
	"net/http/httptest"
	"strings"
	"testing"

	"pasteport/adapters/httpapi"
	"pasteport/adapters/httpapi/edgetest"
	"pasteport/adapters/httpapi/enginetest"
	"pasteport/domain/shares"
)

// blockForm is a form as a page sends it.
func blockForm(t testing.TB, fields ...string) (body, contentType string) {
	t.Helper()
	var b bytes.Buffer
	w := multipart.NewWriter(&b)
	for i := 0; i < len(fields); i += 2 {
		if err := w.WriteField(fields[i], fields[i+1]); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String(), w.FormDataContentType()
}

func TestABlockComesBackWithoutAnOrigin(t *testing.T) {
	h := newHouse(t)
	const block = "<h1>Hi</h1><script>alert(1)</script>"
	for name, c := range map[string]struct {
		fields  []string
		headers []string
		status  int
		policy  string
	}{
		"from a page":                      {[]string{"html", block}, []string{"Sec-Fetch-Site", "same-origin", "Origin", "null"}, 200, inertBlock},
		"with scripts":                     {[]string{"scripts", "1", "html", block}, []string{"Sec-Fetch-Site", "same-origin"}, 200, activeBlock},
		"scripts that were not asked for":  {[]string{"scripts", "0", "html", block}, []string{"Sec-Fetch-Site", "same-origin"}, 200, inertBlock},
		"an older browser":                 {[]string{"scripts", "1", "html", block}, []string{"Origin", "http://example.com"}, 200, activeBlock},
		"over http from a page that hides": {[]string{"scripts", "1", "html", block}, []string{"Origin", "null"}, 200, inertBlock},
		"from another site":                {[]string{"html", block}, []string{"Sec-Fetch-Site", "cross-site"}, 403, ""},
		"from a neighbour":                 {[]string{"html", block}, []string{"Sec-Fetch-Site", "same-site"}, 403, ""},
		"from another site, older browser": {[]string{"html", block}, []string{"Origin", "http://evil.example"}, 403, ""},
		"from what is no browser":          {[]string{"html", block}, nil, 403, ""},
		"without a block":                  {[]string{"other", block}, []string{"Origin", "null"}, 400, ""},
		"more than a paste may hold":       {[]string{"html", strings.Repeat("x", shares.MaxContent+1)}, []string{"Origin", "null"}, 400, ""},
		"as much as a paste may hold":      {[]string{"html", strings.Repeat("x", shares.MaxContent)}, []string{"Origin", "null"}, 200, inertBlock},
	} {
		t.Run(name, func(t *testing.T) {
			body, kind := blockForm(t, c.fields...)
			r := httptest.NewRequest("POST", "http://example.com/api/sandbox", strings.NewReader(body))
			r.Header.Set("Content-Type", kind)
			for i := 0; i < len(c.headers); i += 2 {
				r.Header.Set(c.headers[i], c.headers[i+1])
			}
			w := httptest.NewRecorder()
			h.ServeHTTP(w, r)
			got := w.Result().Header
			if w.Code != c.status {
				t.Fatalf("status %d: %.200s", w.Code, w.Body)
			}
			if c.status != 200 {
				if strings.Contains(w.Body.String(), "<h1>") || strings.HasPrefix(got.Get("Content-Type"), "text/html") {
					t.Errorf("a refusal carries the block: %s %s", got.Get("Content-Type"), w.Body)
				}
				return
			}
			for header, want := range map[string]string{"Content-Security-Policy": c.policy, "Content-Type": "text/html; charset=utf-8", "Cache-Control": "no-store",
				"X-Content-Type-Options": "nosniff", "Referrer-Policy": "no-referrer", "Cross-Origin-Resource-Policy": "same-origin"} {
				if got.Get(header) != want {
					t.Errorf("%s is %q, want %q", header, got.Get(header), want)
				}
			}
			if want := c.fields[len(c.fields)-1]; w.Body.String() != want {
				t.Errorf("%d bytes came back, want %d", w.Body.Len(), len(want))
			}
			if !strings.Contains(got.Get("Content-Security-Policy"), "sandbox") || strings.Contains(got.Get("Content-Security-Policy"), "allow-same-origin") {
				t.Error("the block has this server's origin")
			}
		})
	}
}

func TestLargeBlocksTakeAPlaceAndGiveItBack(t *testing.T) {
	h := newHouse(t)
	send := func(size int, fields ...string) *httptest.ResponseRecorder {
		body, kind := blockForm(t, append(fields, "html", strings.Repeat("x", size))...)
		r := httptest.NewRequest("POST", "http://example.com/api/sandbox", strings.NewReader(body))
		r.Header.Set("Content-Type", kind)
		r.Header.Set("Sec-Fetch-Site", "same-origin")
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		return w
	}
	const places = 6 // of blocks that are kept whole, two of them for one sender
	for range 2 * places {
		if w := send(1 << 20); w.Code != 200 {
			t.Fatalf("one after another: %d", w.Code)
		}
	}
	first, second := h.sendBlockSlowly(), h.sendBlockSlowly()
	if w := send(1 << 20); w.Code != 429 {
		t.Errorf("without a place: %d", w.Code)
	}
	if w := send(httpapi.SmallBody - 1); w.Code != 200 {
		t.Errorf("a small one needs no place: %d", w.Code)
	}
	if w := send(1, "a", "", "b", "", "c", "", "d", ""); w.Code != 400 {
		t.Errorf("many fields before it: %d", w.Code)
	}
	for _, finish := range []func() int{first, second} {
		if code := finish(); code != 200 {
			t.Errorf("a slow one: %d", code)
		}
	}
	for range 2 * places {
		if w := send(1 << 20); w.Code != 200 {
			t.Fatalf("places that are still taken: %d", w.Code)
		}
	}
	if h.Flowing() {
		t.Error("a body has left its place taken")
	}
}

// sendBlockSlowly sends a large block but for its end, and returns when it has a
// place. finish sends the rest and returns the status of the answer.
func (h *house) sendBlockSlowly() (finish func() int) {
	h.T.Helper()
	body, kind := blockForm(h.T, "html", strings.Repeat("x", 1<<20))
	from, to := io.Pipe()
	r := httptest.NewRequest("POST", "http://example.com/api/sandbox", from)
	r.Header.Set("Content-Type", kind)
	r.Header.Set("Sec-Fetch-Site", "same-origin")
	status := make(chan int, 1)
	go func() {
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		_ = from.Close()
		status <- w.Code
	}()
	start, end := body[:len(body)-512], body[len(body)-512:]
	if _, err := io.WriteString(to, start); err != nil { // what is read behind SmallBody has a place
		h.T.Fatal(err)
	}
	return func() int {
		_, _ = io.WriteString(to, end)
		_ = to.Close()
		return <-status
	}
}

// An origin has no path, also where the site lies below one.
func TestABlockIsAskedForBelowABasePath(t *testing.T) {
	f := enginetest.New(t, func(o *httpapi.Options) { o.PublicURL = "https://example.com/box" })
	sandboxOps(f.API, f.Decider)
	for origin, want := range map[string]int{"https://example.com": 200, "https://example.com/box": 403, "https://evil.example": 403} {
		body, kind := blockForm(t, "scripts", "1", "html", "<h1>Hi</h1>")
		a := f.Call("POST", "/box/api/sandbox", body, "Content-Type", kind, "Origin", origin, "Authorization", edgetest.AsAdmin)
		if policy := a.Header().Get("Content-Security-Policy"); a.ResponseRecorder.Code != want || want == 200 && policy != activeBlock {
			t.Errorf("%s: %d %q %s", origin, a.ResponseRecorder.Code, policy, a.Body)
		}
	}
}
