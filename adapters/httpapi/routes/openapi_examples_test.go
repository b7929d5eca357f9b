package routes

import (
	"bytes"
	"encoding/json"
	"maps"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"

	"pasteport/adapters/httpapi/openapitest"
)

func sorted[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }

// recordedFile holds exchanges of the real program, by the name of the operation:
// what was asked and what was answered.
const recordedFile = "testdata/examples.json"

type exchange struct {
	Request json.RawMessage `json:"request,omitempty"`
	Answer  json.RawMessage `json:"answer,omitempty"`
}

func recorded() map[string]exchange {
	raw, err := os.ReadFile(recordedFile)
	if err != nil {
		panic(err)
	}
	all := map[string]exchange{}
	if err := json.Unmarshal(raw, &all); err != nil {
		panic(recordedFile + ": " + err.Error())
	}
	return all
}

// exemplify gives every body of the document and every answer of success an
// example: the recorded one where its schema still allows that, else one that is
// made from the schema. Of failures those have one that operations share.
func exemplify(root doc) {
	raw, err := json.Marshal(root)
	if err != nil {
		panic(err)
	}
	e := examples{root: root, recorded: recorded()}
	if e.valid, err = openapitest.New(raw); err != nil {
		panic(err)
	}
	for path, item := range root["paths"].(doc) {
		for method, op := range item.(doc) {
			op, place := op.(doc), "/paths/"+openapitest.Escape(path)+"/"+method
			name, _, _ := strings.Cut(op["operationId"].(string), ".alias")
			if body, ok := op["requestBody"].(doc); ok {
				e.fill(place+"/requestBody", body["content"].(doc), e.recorded[name].Request)
			}
			for status, answer := range op["responses"].(doc) {
				if content, ok := answer.(doc)["content"].(doc); ok && status == "200" {
					e.fill(place+"/responses/200", content, e.recorded[name].Answer)
				}
			}
		}
	}
	for status, answer := range root["components"].(doc)["responses"].(doc) {
		e.fill("/components/responses/"+status, answer.(doc)["content"].(doc), nil)
	}
}

type examples struct {
	root     doc
	recorded map[string]exchange
	valid    *openapitest.Document
}

// fill adds examples to kinds of content whose bodies are no mere bytes. place is
// where the content is in the document.
func (e examples) fill(place string, content doc, known json.RawMessage) {
	for kind, described := range content {
		described := described.(doc)
		schema := plain(described["schema"])
		switch {
		case schema["format"] == "binary":
		case known != nil && kind != "text/plain" && e.valid.Validate(place+"/content/"+openapitest.Escape(kind)+"/schema", known) == nil:
			described["example"] = known
		default:
			described["example"] = e.of(schema, "", 0)
		}
	}
}

// plain is a schema in the form of decoded JSON.
func plain(schema any) (out map[string]any) {
	raw, err := json.Marshal(schema)
	if err == nil {
		err = json.Unmarshal(raw, &out)
	}
	if err != nil {
		panic(err)
	}
	return out
}

// usual are values by the name of their field.
var usual = map[string]any{
	"id": "0c2f4f1e-6f0b-4f0a-9a52-2f1f6f0f3c11", "slug": "meeting-notes", "name": "Team", "title": "Pasteport", "filename": "report.pdf", "path": "/team/report.pdf",
	"content": "Harbour log, page 1", "remark": "for the meeting", "username": "admin", "mimetype": "application/pdf", "size": 48211, "message": "Success", "request_id": "5d0f0c1e2b7a4c66",
	"error": "invalid_argument", "field": "slug", "success": true, "password": "correct horse battery", "url": "https://paste.example/meeting-notes",
}

// of makes a value that a schema allows. name is the field's; depth ends circles.
func (e examples) of(schema map[string]any, name string, depth int) any {
	if ref, ok := schema["$ref"].(string); ok {
		found := e.root["components"].(doc)["schemas"].(doc)[strings.TrimPrefix(ref, "#/components/schemas/")]
		return e.of(plain(found), name, depth+1)
	}
	if value, ok := schema["const"]; ok {
		return value
	}
	if values, ok := schema["enum"].([]any); ok {
		return values[0]
	}
	if any, ok := schema["anyOf"].([]any); ok {
		return e.of(plain(any[0]), name, depth+1)
	}
	if all, ok := schema["allOf"].([]any); ok {
		merged := map[string]any{}
		for _, part := range all {
			if value, ok := e.of(plain(part), name, depth+1).(map[string]any); ok {
				maps.Copy(merged, value)
			}
		}
		return merged
	}
	kind, _ := schema["type"].(string)
	if kinds, ok := schema["type"].([]any); ok {
		kind = kinds[0].(string)
	}
	properties, _ := schema["properties"].(map[string]any)
	switch {
	case properties != nil:
		out := map[string]any{}
		for field, of := range properties {
			out[field] = e.of(plain(of), field, depth+1)
		}
		if code, ok := out["code"].(int); ok && code == 0 && out["error"] != nil {
			out["code"] = http.StatusBadRequest
		}
		return out
	case kind == "array":
		items := plain(schema["items"])
		if depth > 8 {
			return []any{}
		}
		return []any{e.of(items, strings.TrimSuffix(name, "s"), depth+1)}
	case kind == "object":
		return map[string]any{}
	case kind == "boolean":
		return name == "success"
	case kind == "number", kind == "integer":
		if value, ok := usual[strings.ToLower(name)].(int); ok {
			return value
		}
		return 0
	case kind == "string" && schema["format"] == "date-time":
		return "2026-11-24T10:00:00Z"
	case kind == "string":
		if value, ok := usual[strings.ToLower(name)].(string); ok {
			return value
		}
		return ""
	}
	return nil
}

func compact(t *testing.T, raw []byte) []byte {
	t.Helper()
	var value any
	if err := json.Unmarshal(raw, &value); err != nil {
		t.Fatal(err)
	}
	out, err := json.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// What a reader copies is what the server takes and says: every example is valid,
// and no field in it is unknown.
func TestEveryBodyHasAnExampleThatItsSchemaAllows(t *testing.T) {
	root := plain(describe(registered()))
	raw, err := json.Marshal(root)
	if err != nil {
		t.Fatal(err)
	}
	published, err := openapitest.New(raw)
	if err != nil {
		t.Fatal(err)
	}
	names, checked := map[string]bool{}, 0
	check := func(place string, content any) {
		for kind, described := range plain(content) {
			described := plain(described)
			schema := plain(described["schema"])
			if schema["format"] == "binary" {
				continue
			}
			example, ok := described["example"]
			if !ok {
				t.Errorf("%s %s: no example", place, kind)
				continue
			}
			raw, err := json.Marshal(example)
			if err != nil {
				t.Fatal(err)
			}
			if err := published.Validate(place+"/content/"+openapitest.Escape(kind)+"/schema", raw); err != nil {
				t.Errorf("%s %s: %v", place, kind, err)
			}
			checked++
		}
	}
	for path, item := range root["paths"].(map[string]any) {
		for method, op := range item.(map[string]any) {
			op, place := op.(map[string]any), "/paths/"+openapitest.Escape(path)+"/"+method
			names[op["operationId"].(string)] = true
			if body, ok := op["requestBody"].(map[string]any); ok {
				check(place+"/requestBody", body["content"])
			}
			for status, answer := range op["responses"].(map[string]any) {
				if content, ok := answer.(map[string]any)["content"]; ok && status == "200" {
					check(place+"/responses/"+status, content)
				}
			}
		}
	}
	for status, answer := range root["components"].(map[string]any)["responses"].(map[string]any) {
		check("/components/responses/"+status, answer.(map[string]any)["content"])
	}
	if checked < 250 {
		t.Errorf("only %d examples were checked", checked)
	}
	used := 0
	for name, exchange := range recorded() {
		if !names[name] {
			t.Errorf("%s tells of %s, which is no operation", recordedFile, name)
		}
		if exchange.Answer == nil || bytes.Contains(raw, compact(t, exchange.Answer)) {
			used++
		}
	}
	if used < 100 { // those that the schemas outgrew are to be recorded anew, one day
		t.Errorf("only %d recorded exchanges are still as their schemas say", used)
	}
}
