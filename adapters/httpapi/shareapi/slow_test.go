package shareapi

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"runtime"
	"strings"
	"testing"

	"pasteport/adapters/httpapi"
	"pasteport/adapters/httpapi/edgetest"
	"pasteport/adapters/httpapi/listen"
	"pasteport/domain/shares"
	"pasteport/ports/policy"
	"pasteport/ports/portstest"
)

const asJSON = "Content-Type: application/json"

// reachable fails when what everybody needs is not answered.
func reachable(s *edgetest.Started, slug string) {
	s.T.Helper()
	for name, request := range map[string]string{
		"a small text":  edgetest.Head("GET /api/raw/" + slug),
		"a new text":    edgetest.Head("POST /api/paste", asJSON, "Authorization: "+asKeyA, "Content-Length: 15") + `{"content":"a"}`,
		"sign-in":       edgetest.Head("POST /api/sign-in"),
		"the panel":     edgetest.Head("GET /api/pastes", "Authorization: "+edgetest.AsAdmin),
		"a health call": edgetest.Head("GET /api/alive"),
	} {
		if a := s.Open(request).Answer(); a.StatusCode != http.StatusOK {
			s.T.Errorf("%s: %s", name, a.Status)
		}
	}
}

// crowdedSite is a site with a small text and calls of the lanes of their own;
// more may add further ones, nil adds none.
func crowdedSite(t *testing.T, room httpapi.Concurrency, more func(*httpapi.API)) (*site, *edgetest.Started, string) {
	f := newSiteWith(t, func(o *httpapi.Options) { o.Concurrency = room })
	ok := func(ctx context.Context, who policy.Principal, _ httpapi.None) (httpapi.None, error) {
		_, _ = httpapi.Watched(shareRules{}).Decide(ctx, who, policy.ShareView, policy.Resource{})
		return httpapi.None{}, nil
	}
	view := []policy.Action{policy.ShareView}
	httpapi.Handle(f.API, httpapi.Op{Name: "test.sign_in", Method: "POST", Path: "/api/sign-in", Public: true, Actions: view, Class: httpapi.SignIn, Summary: "Sign in."}, ok)
	httpapi.Handle(f.API, httpapi.Op{Name: "test.alive", Method: "GET", Path: "/api/alive", Public: true, Actions: view, Class: httpapi.Vital, Summary: "Alive."}, ok)
	if more != nil {
		more(f.API)
	}
	small := f.paste(`{"content":"small"}`)["slug"].(string)
	return f, edgetest.StartServer(t, listen.ServerOptions{Handler: f.API, Drain: -1, PerAddress: -1}, nil), small
}

// A thousand readers that read nothing hold no place that others need.
func TestAThousandSlowReadersKeepNobodyWaiting(t *testing.T) {
	f, s, small := crowdedSite(t, httpapi.Concurrency{}, nil)
	body, _ := json.Marshal(map[string]string{"content": strings.Repeat("large text ", 2<<20/11)})
	large := f.paste(string(body))["slug"].(string)
	for i := range 1000 {
		path := "/api/raw/" + large
		if i%2 == 1 {
			path = "/api/paste/" + large
		}
		if a := s.SlowReader(fmt.Sprintf("127.0.0.%d", 2+i/250), path); a.StatusCode != http.StatusOK {
			t.Fatalf("reader %d: %s", i, a.Status)
		}
	}
	reachable(s, small)
	if a := s.SlowReader("127.0.0.9", "/api/raw/"+large); a.StatusCode != http.StatusOK {
		t.Errorf("a reader from another address: %s", a.Status)
	}
}

// Each lane that a long answer could hold: it is given back when the answer
// begins, whatever the class, and the streams have bounds of their own.
func TestALongAnswerHoldsNoPlaceOfTheOthers(t *testing.T) {
	for class, name := range map[httpapi.Class]string{httpapi.Interactive: "interactive", httpapi.Streaming: "streaming", httpapi.Heavy: "heavy", httpapi.Fetching: "fetching", httpapi.Packing: "packing"} {
		t.Run(name, func(t *testing.T) {
			_, s, small := crowdedSite(t, httpapi.Concurrency{Interactive: 1, Heavy: 1, Fetching: 1, Packing: 4, SignIn: 1, Panel: 1, Vital: 1, Streams: 3, StreamsPerAddress: 2}, func(a *httpapi.API) {
				httpapi.Stream(a, httpapi.Op{Name: "test.long", Method: "GET", Path: "/api/long", Public: true, Signed: true, Actions: []policy.Action{policy.ShareView}, Class: class, Answer: httpapi.Bytes, Summary: "Long."},
					func(w http.ResponseWriter, r *http.Request, _ policy.Principal) error {
						if err := httpapi.ScopeOf(r.Context()).EnterStream(); err != nil {
							return err
						}
						piece := make([]byte, 64<<10)
						for range 1 << 10 {
							if _, err := w.Write(piece); err != nil {
								return err
							}
						}
						return nil
					})
			})
			for i, from := range []string{"127.0.0.2", "127.0.0.2", "127.0.0.3"} {
				if a := s.SlowReader(from, "/api/long"); a.StatusCode != http.StatusOK {
					t.Fatalf("reader %d: %s", i, a.Status)
				}
				reachable(s, small)
			}
			for from, want := range map[string]int{"127.0.0.2": http.StatusTooManyRequests, "127.0.0.4": http.StatusServiceUnavailable} {
				if a := s.SlowReader(from, "/api/long"); a.StatusCode != want || a.Header.Get("Retry-After") == "" {
					t.Errorf("one more from %s: %s %v, want %d", from, a.Status, a.Header, want)
				}
			}
		})
	}
}

// A reader who is sent away has taken no view.
func TestARefusedReaderTakesNoView(t *testing.T) {
	f, s, _ := crowdedSite(t, httpapi.Concurrency{Streams: 1, StreamsPerAddress: 1}, nil)
	content := strings.Repeat("x", 1<<20)
	body, _ := json.Marshal(map[string]any{"content": content, "maxViews": 1})
	once := f.paste(string(body))["slug"].(string)
	body, _ = json.Marshal(map[string]any{"content": strings.Repeat("y", 9<<20)}) // more than waits in the kernel
	holder := f.paste(string(body))["slug"].(string)
	held := s.SlowReader("127.0.0.2", "/api/raw/"+holder)
	if held.StatusCode != http.StatusOK {
		t.Fatal(held.Status)
	}
	if a := s.SlowReader("127.0.0.3", "/api/raw/"+once); a.StatusCode != http.StatusServiceUnavailable {
		t.Fatal(a.Status)
	}
	held.Body.Close()
	var a *http.Response
	portstest.Eventually(t, func() bool {
		a = s.Open(edgetest.Head("GET /api/raw/" + once)).Answer()
		return a.StatusCode != http.StatusServiceUnavailable
	}, "the place of a reader who left is free")
	got, err := io.ReadAll(a.Body)
	if err != nil || a.StatusCode != http.StatusOK || string(got) != content {
		t.Errorf("the only view: %s, %d bytes, %v", a.Status, len(got), err)
	}
}

// What readers of one text cost together stays far below a copy for each.
func TestReadersOfALargeTextShareOneCopy(t *testing.T) {
	f, s, _ := crowdedSite(t, httpapi.Concurrency{}, nil)
	const size, readers = 9 << 20, 100
	slugs := map[string]string{}
	for name, views := range map[string]int{"without a limit": 0, "with a limit": 1000} {
		body, _ := json.Marshal(map[string]any{"content": strings.Repeat("nine MiB ", size/9), "maxViews": views})
		slugs[name] = f.paste(string(body))["slug"].(string)
	}
	f.pastes.ClearCache()
	used := func() uint64 {
		var m runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	for name, slug := range slugs {
		before := used()
		for i := range readers {
			path := "/api/raw/" + slug
			if i%2 == 1 {
				path = "/api/paste/" + slug
			}
			if a := s.SlowReader("127.0.0.2", path); a.StatusCode != http.StatusOK {
				t.Fatalf("%s: reader %d: %s", name, i, a.Status)
			}
		}
		// One copy, and buffers; the readers are in this process, too.
		if grown := int64(used()) - int64(before); grown > size+readers*200<<10 {
			t.Errorf("%s: %d readers of %d MiB hold %d MiB", name, readers, size>>20, grown>>20)
		}
	}
}

// A large text is written in pieces; nobody can tell.
func TestALargeTextInPiecesIsTheSameJSON(t *testing.T) {
	f, s, _ := crowdedSite(t, httpapi.Concurrency{}, nil)
	for name, unit := range map[string]string{
		"ASCII":            "plain words, ",
		"Chinese":          "共享文本",
		"across pieces":    "a共享\U0001F600",
		"to be escaped":    "\"\\/<>&\u2028\u2029\t\r\n\b\f\x01\x7f",
		"one rune a piece": "\U0001F600",
	} {
		t.Run(name, func(t *testing.T) {
			want := "x" + strings.Repeat(unit, (shares.LargeContent+escapedPiece)/len(unit)+1)
			body, err := json.Marshal(map[string]any{"content": want, "remark": `"content":""`, "password": "secret word"})
			if err != nil {
				t.Fatal(err)
			}
			slug := f.paste(string(body))["slug"].(string)
			request := `{"password":"secret word"}`
			a := s.Open(edgetest.Head("POST /api/paste/"+slug, asJSON, fmt.Sprint("Content-Length: ", len(request))) + request).Answer()
			data, err := io.ReadAll(a.Body)
			if err != nil || a.StatusCode != http.StatusOK || a.ContentLength != int64(len(data)) {
				t.Fatalf("%s, length %d, %d bytes, %v", a.Status, a.ContentLength, len(data), err)
			}
			var got pasteAnswer
			if err := json.Unmarshal(data, &got); err != nil {
				t.Fatal(err)
			}
			if got.Content != want || got.Slug != slug || got.Views != 1 || got.PlainPassword == nil || got.Ticket == "" || *got.Remark != `"content":""` {
				t.Errorf("another answer: %.200q, views %d", data, got.Views)
			}
			whole := renderPaste(&shares.Paste{Content: []byte(want)}).(*rendered).head
			var escaped bytes.Buffer
			_ = writeEscaped(&escaped, []byte(want))
			if !bytes.Contains(whole, append(append([]byte(`"content":"`), escaped.Bytes()...), '"')) {
				t.Error("the pieces together are not what encoding/json writes at once")
			}
		})
	}
}
