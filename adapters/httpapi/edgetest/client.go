// Package edgetest calls the edge as tests do, and stands in for those whom it
// asks. It knows nothing of how answers are made; every answer of the product is
// compared with docs/openapi.json.
package edgetest

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"pasteport/adapters/httpapi/openapitest"
	"pasteport/domain/keys"
	"pasteport/ports"
	"pasteport/ports/policy"
)

// Tokens are the bearer tokens and API keys that the fake Auth knows.
var Tokens = map[string]policy.Principal{
	"admin-token": {Kind: policy.Admin, ID: "admin-id", Name: "admin", BasicPath: "/"},
	"key-a":       {Kind: policy.APIKey, ID: "key-a-id", Name: "a", BasicPath: "/", Permissions: policy.PermText},
	"key-b":       {Kind: policy.APIKey, ID: "key-b-id", Name: "b", BasicPath: "/", Permissions: policy.PermText},
}

// Auth is an engine.Authenticator.
type Auth struct{ Asked atomic.Int64 }

// Confirmed finds every password fresh.
func (f *Auth) Confirmed(context.Context, policy.Principal, string) error { return nil }

// Authenticate knows the tokens.
func (f *Auth) Authenticate(_ context.Context, c keys.Credential) (policy.Principal, error) {
	f.Asked.Add(1)
	if who, ok := Tokens[c.Token]; ok && c.Scheme != "" {
		return who, nil
	}
	if who, ok := Tokens[c.CustomKey]; ok {
		return who, nil
	}
	return policy.Principal{}, &ports.Error{Code: ports.Unauthenticated, Key: "unauthenticated"}
}

// Rules is a decider that allows everything to everybody known.
type Rules struct {
	Refuse func(policy.Action, policy.Resource) bool // nil: nothing
	Limits policy.Obligations
}

// Decide implements policy.Decider.
func (a *Rules) Decide(_ context.Context, who policy.Principal, do policy.Action, on policy.Resource) (policy.Decision, error) {
	if a.Refuse != nil && a.Refuse(do, on) {
		return policy.Decision{Reasons: []policy.Reason{{Code: "permission_missing"}}}, nil
	}
	return policy.Decision{Allow: who.Kind != policy.Anonymous, Scope: policy.All, Obligations: a.Limits}, nil
}

// InChinese is what a site says whose answers are Chinese unless asked.
func InChinese() string { return "zh" }

// AsAdmin is the Authorization header of the administrator.
const AsAdmin = "Bearer admin-token"

// Client calls a handler as a test. Every answer is compared with the API
// description.
type Client struct {
	Handler http.Handler
	T       testing.TB
	Own     bool // the operations are the test's own, which no description has
}

// Answer is an answer as tests look at it.
type Answer struct {
	*httptest.ResponseRecorder
	Code    int
	Message string
	Success bool
	Data    json.RawMessage
	Error   string
	ID      string
}

// Call sends one request. headers are name, value pairs.
func (f *Client) Call(method, target, body string, headers ...string) Answer {
	f.T.Helper()
	r := httptest.NewRequest(method, "/", strings.NewReader(body))
	r.RequestURI = target
	u, err := url.ParseRequestURI(target)
	if err != nil {
		f.T.Fatalf("parse %q: %v", target, err)
	}
	r.URL = u
	if body != "" && method != "GET" {
		r.Header.Set("Content-Type", "application/json")
	}
	for i := 0; i+1 < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	return f.Do(r)
}

// published is docs/openapi.json, which a test compares with the registry.
var published = sync.OnceValue(func() *openapitest.Document {
	raw, err := os.ReadFile(repository("docs/openapi.json"))
	if err != nil {
		panic(err)
	}
	d, err := openapitest.New(raw)
	if err != nil {
		panic(err)
	}
	return d
})

// repository is a file of this repository, as seen from the folder of a test.
func repository(name string) string {
	for up := name; len(up) < 100; up = "../" + up {
		if _, err := os.Stat(up); err == nil {
			return up
		}
	}
	panic("there is no " + name)
}

// Do sends a request. Every answer is compared with the API description.
func (f *Client) Do(r *http.Request) Answer {
	f.T.Helper()
	w := httptest.NewRecorder()
	f.Handler.ServeHTTP(w, r)
	if !f.Own {
		if err := published().Check(r.Method, r.RequestURI, w.Code, w.Result().Header, w.Body.Bytes()); err != nil {
			f.T.Errorf("the API description: %v", err)
		}
	}
	a := Answer{ResponseRecorder: w}
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

// NewRequest is a signed-in request with a JSON body.
func NewRequest(method, target, body string) *http.Request {
	r := httptest.NewRequest(method, target, strings.NewReader(body))
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Authorization", AsAdmin)
	return r
}

// JSON values that look like a truth value and are none, and those that are one
// (contract §1.5).
var (
	NoFlags = []string{`"TRUE"`, `"True"`, `"yes"`, `"on"`, `""`, `" true"`, `null`, `2`, `-1`, `1.5`, `"null"`, `[true]`, `{}`}
	Flags   = map[string]bool{`true`: true, `1`: true, `"true"`: true, `"1"`: true, `false`: false, `0`: false, `"false"`: false, `"0"`: false}
)
