// Package openapitest compares real answers with the API description
// (docs/openapi.json): the operation is known, the status is listed, and the
// body has the shape that stands there, with no field that does not. Test
// clients give it every answer that they see. It knows nothing of how answers
// are made.
package openapitest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"mime"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// Document is an API description that answers are compared with. It is safe for
// concurrent use.
type Document struct {
	paths    map[string]map[string]any // by template
	root     map[string]any
	compiler *jsonschema.Compiler

	mu       sync.Mutex
	compiled map[string]*jsonschema.Schema // by place in the document
}

// address is what the compiler calls the document.
const address = "file:///openapi.json"

// New reads an OpenAPI 3.1 document.
func New(raw []byte) (*Document, error) {
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(raw))
	if err != nil {
		return nil, err
	}
	root, ok := value.(map[string]any)
	if !ok {
		return nil, fmt.Errorf("the description is no object")
	}
	closeObjects(root)
	d := &Document{paths: map[string]map[string]any{}, root: root, compiler: jsonschema.NewCompiler(), compiled: map[string]*jsonschema.Schema{}}
	d.compiler.DefaultDraft(jsonschema.Draft2020)
	for template, item := range object(root["paths"]) {
		d.paths[template] = object(item)
	}
	if len(d.paths) == 0 {
		return nil, fmt.Errorf("the description has no paths")
	}
	return d, d.compiler.AddResource(address, root)
}

// closeObjects makes every object schema refuse fields that it does not name:
// the description may leave room for later versions, this version may not.
func closeObjects(value any) {
	switch v := value.(type) {
	case map[string]any:
		_, named := v["properties"]
		_, said := v["additionalProperties"]
		if v["type"] == "object" && named && !said {
			v["additionalProperties"] = false
		}
		for _, inner := range v {
			closeObjects(inner)
		}
	case []any:
		for _, inner := range v {
			closeObjects(inner)
		}
	}
}

// Check returns how an answer differs from the description; nil when it does
// not, or when the address is none of the API's. target is the path and query
// of the request.
func (d *Document) Check(method, target string, status int, header http.Header, body []byte) error {
	u, err := url.ParseRequestURI(target)
	if err != nil || !strings.HasPrefix(u.Path, "/api/") {
		return nil
	}
	path := u.EscapedPath()
	if strings.HasPrefix(path, "/api/api/") { // the doubled prefix of old clients' queues
		path = strings.TrimPrefix(path, "/api")
	}
	if err := d.check(method, path, status, header, body); err != nil {
		return fmt.Errorf("%s %s: %d: %w", method, u.Path, status, err)
	}
	return nil
}

func (d *Document) check(method, path string, status int, header http.Header, body []byte) error {
	head := method == http.MethodHead
	if head {
		method = http.MethodGet
	}
	template, found := d.find(strings.ToLower(method), path)
	if !found {
		return d.unknown(status, head, body)
	}
	place := "/paths/" + Escape(template) + "/" + strings.ToLower(method)
	responses := object(object(d.paths[template][strings.ToLower(method)])["responses"])
	response, ok := responses[strconv.Itoa(status)]
	if !ok {
		return fmt.Errorf("%s does not list the status%s", object(d.paths[template][strings.ToLower(method)])["operationId"], code(body))
	}
	place += "/responses/" + strconv.Itoa(status)
	if ref, ok := object(response)["$ref"].(string); ok {
		place = strings.TrimPrefix(ref, "#")
		response = object(object(d.root["components"])["responses"])[place[strings.LastIndexByte(place, '/')+1:]]
	}
	content := object(object(response)["content"])
	if head || status == http.StatusNotModified || status == http.StatusNoContent {
		if len(body) > 0 {
			return fmt.Errorf("a body where there can be none")
		}
		return nil
	}
	if len(content) == 0 {
		if len(body) > 0 {
			return fmt.Errorf("a body of %d bytes; none is described", len(body))
		}
		return nil
	}
	kind, err := matching(content, header.Get("Content-Type"))
	if err != nil || kind != "application/json" {
		return err
	}
	return d.Validate(place+"/content/application~1json/schema", body)
}

// unknown checks the answer to an address that no operation has: an error.
func (d *Document) unknown(status int, head bool, body []byte) error {
	if status < 400 {
		return fmt.Errorf("no operation is described")
	}
	if head {
		return nil
	}
	return d.Validate("/components/schemas/Error", body)
}

// find returns the template of the operation that a path belongs to: the one
// with the most fixed segments. A variable at the end may take several segments
// when nothing else fits.
func (d *Document) find(method, path string) (template string, found bool) {
	best := -1
	asked := strings.Split(path, "/")
	for _, segment := range asked[1:] {
		if plain, err := url.PathUnescape(segment); err != nil || plain == "" || plain == "." || plain == ".." {
			return "", false // refused before anybody looks for an operation
		}
	}
	for candidate, methods := range d.paths {
		if methods[method] == nil {
			continue
		}
		segments := strings.Split(candidate, "/")
		last := segments[len(segments)-1]
		deep := len(asked) > len(segments) && strings.HasPrefix(last, "{")
		if len(asked) != len(segments) && !deep {
			continue
		}
		fixed := 0
		for i, segment := range segments {
			if strings.HasPrefix(segment, "{") {
				continue
			}
			if segment != asked[i] {
				fixed = -1
				break
			}
			fixed += 2
		}
		if fixed >= 0 && !deep {
			fixed++
		}
		if fixed > best {
			best, template = fixed, candidate
		}
	}
	return template, best >= 0
}

// matching returns which of the described kinds of content a header names.
func matching(content map[string]any, header string) (string, error) {
	media, _, err := mime.ParseMediaType(header)
	if err != nil {
		return "", fmt.Errorf("content type %q", header)
	}
	main, _, _ := strings.Cut(media, "/")
	for _, kind := range []string{media, main + "/*", "*/*"} {
		if _, ok := content[kind]; ok {
			return kind, nil
		}
	}
	return "", fmt.Errorf("content type %s is not described", media)
}

// Validate compares a body with the schema at a place in the document, a JSON
// pointer whose segments are written by Escape.
func (d *Document) Validate(place string, body []byte) error {
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(body))
	if err != nil {
		return fmt.Errorf("no JSON: %.200q", body)
	}
	d.mu.Lock()
	schema, ok := d.compiled[place]
	if !ok {
		schema, err = d.compiler.Compile(address + (&url.URL{Fragment: place}).String())
		d.compiled[place] = schema
	}
	d.mu.Unlock()
	if err != nil {
		return fmt.Errorf("schema %s: %w", place, err)
	}
	if schema == nil {
		return fmt.Errorf("schema %s cannot be used", place)
	}
	if err := schema.Validate(value); err != nil {
		return fmt.Errorf("%w\n%.600s", err, body)
	}
	return nil
}

// code names the machine code of an error's body.
func code(body []byte) string {
	var e struct{ Error string }
	if json.Unmarshal(body, &e) != nil || e.Error == "" {
		return ""
	}
	return " (" + e.Error + ")"
}

func object(value any) map[string]any {
	o, _ := value.(map[string]any)
	return o
}

// Escape writes a name as a segment of a JSON pointer.
func Escape(name string) string {
	return strings.NewReplacer("~", "~0", "/", "~1").Replace(name)
}
