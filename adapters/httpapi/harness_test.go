package httpapi

import (
	"bytes"
	"context"
	"io"
	"log/slog"
	"net/http"
	"sync/atomic"
	"testing"

	"pasteport/adapters/httpapi/content"
	"pasteport/adapters/httpapi/edgetest"
	"pasteport/adapters/httpapi/wire"
	"pasteport/domain/domaintest"
	"pasteport/ports"
	"pasteport/ports/policy"
	"pasteport/ports/portstest"
)

// frame is an API with a few operations of its own, so that the chain can be
// tested apart from what the product does with it.
type frame struct {
	*API
	edgetest.Client
	auth  *edgetest.Auth
	clock *portstest.Clock
	log   *bytes.Buffer
	rules *edgetest.Rules
	calls atomic.Int64
}

type noteIn struct {
	Slug  string           `path:"slug"`
	Page  wire.Int         `query:"page,lenient"`
	Exact wire.Int         `query:"exact"`
	Name  string           `json:"name"`
	Size  wire.Int         `json:"size"`
	Proxy wire.Flag        `json:"use_proxy"`
	Until wire.Opt[string] `json:"until"`
	Parts []struct {
		Number int `json:"PartNumber"`
	} `json:"parts"`
}

type noteOut struct {
	Slug  string   `json:"slug"`
	Name  string   `json:"name"`
	Size  int64    `json:"size"`
	Page  int64    `json:"page"`
	Proxy wire.Bit `json:"use_proxy"`
	Until string   `json:"until"`
	Who   string   `json:"who"`
	Key   string   `json:"key"`
}

func newFrame(t testing.TB, change func(*Options)) *frame {
	f := &frame{Client: edgetest.Client{T: t, Own: true}, auth: &edgetest.Auth{}, clock: portstest.NewClock(), log: &bytes.Buffer{}, rules: &edgetest.Rules{}}
	lines := slog.NewJSONHandler(f.log, nil) // one for both: it writes line by line
	opts := Options{
		Auth:     f.auth,
		Language: edgetest.InChinese,
		Clock:    f.clock,
		Log:      slog.New(lines),
		Access:   slog.New(lines),
	}
	memory := domaintest.NewMemory(f.clock)
	opts.Idempotency, opts.Work, opts.Decider = memory.Idempotency(), memory, Watched(f.rules)
	if change != nil {
		change(&opts)
	}
	f.API = New(opts)
	f.Handler = f.API
	f.operations()
	return f
}

// operations are one of each kind.
func (f *frame) operations() {
	a, decider := f.API, Watched(f.rules)
	note := func(ctx context.Context, who policy.Principal, in noteIn) (noteOut, error) {
		f.calls.Add(1)
		if _, err := policy.Check(ctx, decider, who, policy.PasteCreate, policy.Resource{Kind: "paste", Name: in.Name}); err != nil {
			return noteOut{}, err
		}
		switch in.Name {
		case "boom":
			panic("boom with a secret")
		case "taken":
			return noteOut{}, &ports.Error{Code: ports.Conflict, Key: "slug_taken"}
		}
		until := "absent"
		if in.Until.Set {
			until = "value " + in.Until.Value
		}
		if in.Until.Null {
			until = "null"
		}
		return noteOut{Slug: in.Slug, Name: in.Name, Size: int64(in.Size), Page: int64(in.Page), Proxy: wire.Bit(in.Proxy), Until: until, Who: who.ID, Key: "pp_secret"}, nil
	}
	actions := []policy.Action{policy.PasteCreate}
	Stream(a, Op{Name: "paste.read", Method: "GET", Path: "/api/paste/{slug}", Actions: []policy.Action{policy.ShareView}, Public: true, Rate: ShareRead, Answer: Bare, Summary: "Read."},
		func(w http.ResponseWriter, r *http.Request, _ policy.Principal) error {
			switch ScopeOf(r.Context()).Var("slug") {
			case "gone":
				return &ports.Error{Code: ports.Gone, Key: "expired"}
			case "late":
				_, _ = w.Write([]byte("half"))
				return &ports.Error{Code: ports.Internal}
			case "none":
				return ports.ErrNotFound
			}
			WriteBytes(w, r, 200, content.JSONType, []byte(`{"slug":"`+ScopeOf(r.Context()).Var("slug")+`"}`))
			return nil
		})
	Stream(a, Op{Name: "paste.raw", Method: "GET", Path: "/api/raw/{slug}", Actions: []policy.Action{policy.ShareView}, Public: true, Fail: FailText, Summary: "Read raw."},
		func(http.ResponseWriter, *http.Request, policy.Principal) error {
			return &ports.Error{Code: ports.Unauthenticated, Key: "password_wrong"}
		})
	Handle(a, Op{Name: "note.create", Method: "POST", Path: "/api/note/{slug}", Actions: actions, Body: JSON, Idem: InTransaction, Secrets: []string{"key"}, Rate: ShareWrite, Summary: "Create."}, note)
	Handle(a, Op{Name: "note.update", Method: "PUT", Path: "/api/note/{slug}", Actions: actions, Body: JSON, Answer: Created, Idem: Afterwards, Summary: "Update."}, note)
	Handle(a, Op{Name: "note.big", Method: "POST", Path: "/api/big", Actions: actions, Body: BigJSON, Answer: Bare, Summary: "Big."}, note)
	Handle(a, Op{Name: "note.undecided", Method: "POST", Path: "/api/undecided", Actions: actions, Body: JSON, Summary: "Never asks."},
		func(context.Context, policy.Principal, None) (None, error) { return None{}, nil })
	Handle(a, Op{Name: "note.partial", Method: "POST", Path: "/api/partial", Actions: actions, Body: JSON, Summary: "Partly done."},
		func(context.Context, policy.Principal, None) (Answer[[]int], error) {
			return Answer[[]int]{Data: []int{1}, Partial: true, Top: map[string]any{"pagination": map[string]int{"total": 4}}}, nil
		})
	Stream(a, Op{Name: "upload.raw", Method: "PUT", Path: "/api/upload-direct/{filename}", Actions: actions, Body: RawBody, Class: Streaming, Summary: "Upload."},
		func(w http.ResponseWriter, r *http.Request, _ policy.Principal) error {
			n, err := io.Copy(io.Discard, r.Body)
			if err != nil {
				return err
			}
			return Send(w, r, map[string]int64{"size": n})
		})
	Describe(a, "upload.raw", nil, map[string]int64{})
}
