package opa

import (
	"encoding/json"
	"io/fs"
	"math"
	"reflect"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/open-policy-agent/opa/v1/ast"
	"github.com/open-policy-agent/opa/v1/rego"
	"pgregory.net/rapid"

	"pasteport/ports"
	"pasteport/ports/policy"
)

var testTime = time.Date(2026, 5, 4, 3, 2, 1, 7, time.UTC)

var testClock = ports.ClockFunc(func() time.Time { return testTime })

// document returns an input as plain values.
func document(t testing.TB, in ast.Value) map[string]any {
	t.Helper()
	plain, err := ast.JSON(in)
	if err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(plain)
	if err != nil {
		t.Fatal(err)
	}
	var doc map[string]any
	if err := json.Unmarshal(text, &doc); err != nil {
		t.Fatal(err)
	}
	return doc
}

func TestInputHoldsEveryFieldInItsPlace(t *testing.T) {
	q := question{policy.Principal{Kind: policy.APIKey, ID: "k1", Name: "scanner", Permissions: 769, BasicPath: "/team/a", Guest: true}, policy.MountUpload}
	on := policy.Resource{Kind: "mount", ID: "m1", Owner: "apikey:k1", Mount: "team", Paths: []string{"/team/a/文.pdf", "/team/a"}, Name: "文.pdf",
		Extension: "pdf", ContentType: "application/pdf", Size: 1 << 40,
		Share: policy.ShareTerms{HasPassword: true, ExpiresIn: 60, MaxViews: 3, KeyOnly: true}, URLHost: "example.com", Slug: "abc", Storage: "c1"}
	call := &policy.Call{Time: time.Unix(0, 1754467200000000001), ClientIP: "203.0.113.7", TLS: true, Protocol: "http", Method: "POST", Route: "/api/fs/upload", RequestID: "r1"}
	got := document(t, inputOf(q, on, call, policy.Usage{BytesToday: 1, FilesToday: 2, BytesStored: 3}, testClock))
	var want map[string]any
	if err := json.Unmarshal([]byte(`{
		"api": 1,
		"subject": {"type": "apikey", "id": "k1", "name": "scanner", "guest": true, "permissions": 769, "basic_path": "/team/a",
			"usage": {"bytes_today": 1, "files_today": 2, "bytes_stored": 3}},
		"action": "mount.upload",
		"resource": {"kind": "mount", "id": "m1", "owner": "apikey:k1", "mount": "team", "paths": ["/team/a/文.pdf", "/team/a"], "name": "文.pdf",
			"extension": "pdf", "content_type": "application/pdf", "size": 1099511627776,
			"share": {"has_password": true, "expires_in": 60, "max_views": 3, "key_only": true}, "url_host": "example.com", "slug": "abc", "storage": "c1"},
		"context": {"time_ns": 1754467200000000001, "client_ip": "203.0.113.7", "tls": true, "protocol": "http",
			"method": "POST", "route": "/api/fs/upload", "request_id": "r1"}
	}`), &want); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("input (-want +got):\n%s", diff)
	}
}

func TestInputOfNothingStillHasEveryField(t *testing.T) {
	got := document(t, inputOf(question{policy.Nobody, ""}, policy.Resource{}, &policy.Call{}, policy.Usage{}, testClock))
	var want map[string]any
	if err := json.Unmarshal([]byte(`{
		"api": 1,
		"subject": {"type": "anonymous", "id": "", "name": "", "guest": false, "permissions": 0, "basic_path": "/",
			"usage": {"bytes_today": 0, "files_today": 0, "bytes_stored": 0}},
		"action": "",
		"resource": {"kind": "", "id": "", "owner": "", "mount": "", "paths": [], "name": "", "extension": "", "content_type": "", "size": 0,
			"share": {"has_password": false, "expires_in": 0, "max_views": 0, "key_only": false}, "url_host": "", "slug": "", "storage": ""},
		"context": {"time_ns": 0, "client_ip": "0.0.0.0", "tls": false, "protocol": "", "method": "", "route": "", "request_id": ""}
	}`), &want); err != nil {
		t.Fatal(err)
	}
	want["context"].(map[string]any)["time_ns"] = float64(testTime.UnixNano())
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("input (-want +got):\n%s", diff)
	}
}

// TestInputKnowsEveryFieldOfThePort fails when the port gets a field that the
// input document does not show yet.
func TestInputKnowsEveryFieldOfThePort(t *testing.T) {
	for _, c := range []struct {
		of   any
		want int
	}{
		{policy.Principal{}, 7 /* with Role, which rules do not see */}, {policy.Resource{}, 13}, {policy.ShareTerms{}, 4}, {policy.Call{}, 8 /* with UserAgent, which rules do not see */}, {policy.Usage{}, 3},
	} {
		if got := reflect.TypeOf(c.of).NumField(); got != c.want {
			t.Errorf("%T has %d fields, the input document shows %d: add the rest to inputOf, the schema and docs/policies.md", c.of, got, c.want)
		}
	}
}

func TestAddressesAreInTheFormThatBlocksMatch(t *testing.T) {
	for given, want := range map[string]string{
		"":                    "0.0.0.0",
		"192.0.2.7":           "192.0.2.7",
		"::ffff:192.0.2.7":    "192.0.2.7",
		"fe80::1%eth0":        "fe80::1",
		"2001:db8::1":         "2001:db8::1",
		"not an address":      "not an address",
		"192.0.2.7, 10.0.0.1": "192.0.2.7, 10.0.0.1",
	} {
		if got := address(given); got != want {
			t.Errorf("address(%q) = %q, want %q", given, got, want)
		}
	}
}

// TestInputFitsTheSchema draws requests and checks their documents against the
// shipped schema.
func TestInputFitsTheSchema(t *testing.T) {
	schema, err := fs.ReadFile(shipped(), "schemas/input.json")
	if err != nil {
		t.Fatal(err)
	}
	match, err := rego.New(rego.Query("json.match_schema(input.document, input.schema)[0]")).PrepareForEval(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	fits := func(document any) bool {
		t.Helper()
		result, err := match.Eval(t.Context(), rego.EvalInput(map[string]any{"document": document, "schema": string(schema)}))
		if err != nil {
			t.Fatal(err)
		}
		return result.Allowed()
	}
	actions := portActions(t)
	rapid.Check(t, func(r *rapid.T) {
		q := randomQuestion(r, actions)
		on, call, used := randomRest(r)
		on.Name = rapid.String().Draw(r, "any name")
		on.Size = rapid.Int64Range(0, math.MaxInt64).Draw(r, "any size")
		if doc := document(t, inputOf(q, on, call, used, testClock)); !fits(doc) {
			r.Fatalf("%v does not fit the schema", doc)
		}
	})
	broken := document(t, inputOf(question{policy.Nobody, ""}, policy.Resource{}, &policy.Call{}, policy.Usage{}, testClock))
	delete(broken["subject"].(map[string]any), "guest")
	if fits(broken) {
		t.Error("a document without a field fits the schema")
	}
}
