package httpapi

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"pasteport/adapters/httpapi/openapitest"
	"pasteport/domain/domaintest"
	"pasteport/domain/keys"
	"pasteport/ports"
	"pasteport/ports/policy"
	"pasteport/ports/portstest"
)

// tokens are the bearer tokens and API keys that the fake Auth knows.
var tokens = map[string]policy.Principal{
	"admin-token": {Kind: policy.Admin, ID: "admin-id", Name: "admin", BasicPath: "/"},
	"key-a":       {Kind: policy.APIKey, ID: "key-a-id", Name: "a", BasicPath: "/", Permissions: policy.PermText},
	"key-b":       {Kind: policy.APIKey, ID: "key-b-id", Name: "b", BasicPath: "/", Permissions: policy.PermText},
}

type fakeAuth struct{ asked atomic.Int64 }

func (f *fakeAuth) Confirmed(context.Context, policy.Principal, string) error { return nil }

func (f *fakeAuth) Authenticate(_ context.Context, c keys.Credential) (policy.Principal, error) {
	f.asked.Add(1)
	if who, ok := tokens[c.Token]; ok && c.Scheme != "" {
		return who, nil
	}
	if who, ok := tokens[c.CustomKey]; ok {
		return who, nil
	}
	return policy.Principal{}, errCredentials
}

// allowAll is a decider that allows everything to everybody known.
type allowAll struct {
	refuse func(policy.Action, policy.Resource) bool // nil: nothing
	limits policy.Obligations
}

func (a *allowAll) Decide(_ context.Context, who policy.Principal, do policy.Action, on policy.Resource) (policy.Decision, error) {
	if a.refuse != nil && a.refuse(do, on) {
		return policy.Decision{Reasons: []policy.Reason{{Code: "permission_missing"}}}, nil
	}
	return policy.Decision{Allow: who.Kind != policy.Anonymous, Scope: policy.All, Obligations: a.limits}, nil
}

// inChinese is what a site says whose answers are Chinese unless asked.
func inChinese() string { return "zh" }

// frame is an API with a few operations of its own, so that the chain can be
// tested apart from what the product does with it.
type frame struct {
	*API
	own   bool // its operations are its own, which no description has
	t     testing.TB
	auth  *fakeAuth
	clock *portstest.Clock
	log   *bytes.Buffer
	rules *allowAll
	calls atomic.Int64
}

type noteIn struct {
	Slug  string      `path:"slug"`
	Page  Int         `query:"page,lenient"`
	Exact Int         `query:"exact"`
	Name  string      `json:"name"`
	Size  Int         `json:"size"`
	Proxy Flag        `json:"use_proxy"`
	Until Opt[string] `json:"until"`
	Parts []struct {
		Number int `json:"PartNumber"`
	} `json:"parts"`
}

type noteOut struct {
	Slug  string `json:"slug"`
	Name  string `json:"name"`
	Size  int64  `json:"size"`
	Page  int64  `json:"page"`
	Proxy Bit    `json:"use_proxy"`
	Until string `json:"until"`
	Who   string `json:"who"`
	Key   string `json:"key"`
}

func newFrame(t testing.TB, change func(*Options)) *frame {
	f := &frame{own: true, t: t, auth: &fakeAuth{}, clock: portstest.NewClock(), log: &bytes.Buffer{}, rules: &allowAll{}}
	lines := slog.NewJSONHandler(f.log, nil) // one for both: it writes line by line
	opts := Options{
		Auth:     f.auth,
		Language: inChinese,
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
		return noteOut{Slug: in.Slug, Name: in.Name, Size: int64(in.Size), Page: int64(in.Page), Proxy: Bit(in.Proxy), Until: until, Who: who.ID, Key: "pp_secret"}, nil
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
			WriteBytes(w, r, 200, JSONType, []byte(`{"slug":"`+ScopeOf(r.Context()).Var("slug")+`"}`))
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

// answerOf is an answer as tests look at it.
type answerOf struct {
	*httptest.ResponseRecorder
	Code    int
	Message string
	Success bool
	Data    json.RawMessage
	Error   string
	ID      string
}

// call sends one request. headers are name, value pairs.
func (f *frame) call(method, target, body string, headers ...string) answerOf {
	f.t.Helper()
	r := httptest.NewRequest(method, "/", strings.NewReader(body))
	r.RequestURI = target
	u, err := url.ParseRequestURI(target)
	if err != nil {
		f.t.Fatalf("parse %q: %v", target, err)
	}
	r.URL = u
	if body != "" && method != "GET" {
		r.Header.Set("Content-Type", "application/json")
	}
	for i := 0; i+1 < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	return f.do(r)
}

// published is the description of the product's operations, as it would be written to
// docs/openapi.json.
var published = sync.OnceValue(func() *openapitest.Document {
	raw, err := json.Marshal(describe(registered()))
	if err != nil {
		panic(err)
	}
	d, err := openapitest.New(raw)
	if err != nil {
		panic(err)
	}
	return d
})

// do sends a request. Every answer is compared with the API description.
func (f *frame) do(r *http.Request) answerOf {
	f.t.Helper()
	w := httptest.NewRecorder()
	f.ServeHTTP(w, r)
	if !f.own {
		if err := published().Check(r.Method, r.RequestURI, w.Code, w.Result().Header, w.Body.Bytes()); err != nil {
			f.t.Errorf("the API description: %v", err)
		}
	}
	a := answerOf{ResponseRecorder: w}
	var body struct {
		Code    int             `json:"code"`
		Message string          `json:"message"`
		Success bool            `json:"success"`
		Data    json.RawMessage `json:"data"`
		Error   string          `json:"error"`
		ID      string          `json:"request_id"`
	}
	if json.Unmarshal(w.Body.Bytes(), &body) == nil {
		a.Code, a.Message, a.Success, a.Data, a.Error, a.ID = body.Code, body.Message, body.Success, body.Data, body.Error, body.ID
	}
	return a
}

const asAdmin = "Bearer admin-token"
