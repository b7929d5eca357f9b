package openapitest

import (
	"net/http"
	"strings"
	"testing"
)

const small = `{"openapi":"3.1.0","paths":{
 "/api/note/{id}":{"get":{"operationId":"note.get","responses":{
  "200":{"content":{"application/json":{"schema":{"$ref":"#/components/schemas/Note"}}}},
  "206":{"content":{"*/*":{"schema":{"type":"string"}}}},
  "304":{"description":"kept"},
  "404":{"$ref":"#/components/responses/404"}}},
  "put":{"operationId":"note.put","responses":{"200":{"description":"no body"}}}},
 "/api/note/last":{"get":{"operationId":"note.last","responses":{"200":{"content":{"image/*":{"schema":{"type":"string"}}}}}}},
 "/api/p/{path}":{"get":{"operationId":"proxy.read","responses":{"200":{"content":{"*/*":{"schema":{"type":"string"}}}}}}}},
 "components":{
  "responses":{"404":{"content":{"application/json":{"schema":{"allOf":[{"$ref":"#/components/schemas/Error"},{"properties":{"error":{"enum":["not_found"]}}}]}}}}},
  "schemas":{
   "Note":{"type":"object","required":["id"],"properties":{"id":{"type":"string"},"size":{"type":"integer"}}},
   "Error":{"type":"object","required":["error"],"properties":{"error":{"type":"string"},"code":{"type":"integer"}}}}}}`

func TestADifferenceIsFound(t *testing.T) {
	d, err := New([]byte(small))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name, method, target string
		status               int
		typ, body            string
		want                 string // part of the complaint; empty for none
	}{
		{"as described", "GET", "/api/note/1", 200, "application/json; charset=utf-8", `{"id":"1"}`, ""},
		{"with a query", "GET", "/api/note/1?x=y", 200, "application/json", `{"id":"1","size":2}`, ""},
		{"a missing field", "GET", "/api/note/1", 200, "application/json", `{"size":2}`, "missing property 'id'"},
		{"a field too many", "GET", "/api/note/1", 200, "application/json", `{"id":"1","more":1}`, "'more' not allowed"},
		{"another type", "GET", "/api/note/1", 200, "application/json", `{"id":1}`, "want string"},
		{"no JSON", "GET", "/api/note/1", 200, "application/json", `{"id`, "no JSON"},
		{"another content type", "GET", "/api/note/1", 200, "text/html", `<p>`, "text/html is not described"},
		{"a status that is not listed", "GET", "/api/note/1", 410, "application/json", `{"error":"gone"}`, "does not list the status (gone)"},
		{"a part", "GET", "/api/note/1", 206, "video/mp4", "x", ""},
		{"nothing new", "GET", "/api/note/1", 304, "", "", ""},
		{"a body beside 304", "GET", "/api/note/1", 304, "", "x", "there can be none"},
		{"HEAD", "HEAD", "/api/note/1", 200, "application/json", "", ""},
		{"a listed code", "GET", "/api/note/1", 404, "application/json", `{"error":"not_found","code":404}`, ""},
		{"another code", "GET", "/api/note/1", 404, "application/json", `{"error":"expired"}`, "value must be 'not_found'"},
		{"the fixed path is stronger", "GET", "/api/note/last", 200, "image/png", "x", ""},
		{"no body", "PUT", "/api/note/1", 200, "", "", ""},
		{"a body that is not described", "PUT", "/api/note/1", 200, "text/plain", "x", "none is described"},
		{"a path of several segments", "GET", "/api/p/a/b/c.txt", 200, "text/plain", "x", ""},
		{"an unknown address", "GET", "/api/none", 404, "application/json", `{"error":"not_found"}`, ""},
		{"an unknown method", "POST", "/api/note/1", 404, "application/json", `{"error":"not_found"}`, ""},
		{"an answer of nobody", "GET", "/api/none", 200, "application/json", `{}`, "no operation is described"},
		{"an unclean path", "GET", "/api/note/%2e%2e", 400, "application/json", `{"error":"invalid_argument"}`, ""},
		{"a page", "GET", "/paste/x", 200, "text/html", "<p>", ""},
	} {
		err := d.Check(c.method, c.target, c.status, http.Header{"Content-Type": {c.typ}}, []byte(c.body))
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s: %v, want %q", c.name, err, c.want)
		}
	}
}

func TestWhatIsNoDescriptionIsRefused(t *testing.T) {
	for _, raw := range []string{"", "[]", "{}", `{"paths":{}}`} {
		if _, err := New([]byte(raw)); err == nil {
			t.Errorf("%q was taken", raw)
		}
	}
}
