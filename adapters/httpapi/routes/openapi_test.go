package routes

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"net/http"
	"os"
	"reflect"
	"regexp"
	"slices"
	"sort"
	"strconv"
	"strings"
	"testing"
	"time"

	"pasteport/adapters/httpapi"
	"pasteport/adapters/httpapi/adminapi"
	"pasteport/adapters/httpapi/content"
	"pasteport/adapters/httpapi/edgetest"
	"pasteport/adapters/httpapi/wire"
	"pasteport/domain/audit"
	"pasteport/ports"
)

var update = flag.Bool("update", false, "write docs/openapi.json in place of comparing it")

const openAPIFile = "../../../docs/openapi.json"

// registered is an API with every operation of the product. Registering needs
// no use cases.
func registered() *httpapi.API {
	a := httpapi.New(httpapi.Options{Auth: &edgetest.Auth{}})
	Register(a, UseCases{Admin: adminapi.UseCases{System: &adminapi.System{}}})
	return a
}

// product is the registered API, to be called.
type product struct {
	*httpapi.API
	edgetest.Client
}

func productOf(t testing.TB) *product {
	a := registered()
	return &product{a, edgetest.Client{Handler: a, T: t}}
}

// TestOpenAPIIsUpToDate compares docs/openapi.json with the registry. Run it
// with -update after changing an operation or a wire type.
func TestOpenAPIIsUpToDate(t *testing.T) {
	got, err := json.MarshalIndent(describe(registered()), "", " ")
	if err != nil {
		t.Fatal(err)
	}
	got = append(got, '\n')
	if *update {
		if err := os.WriteFile(openAPIFile, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(openAPIFile)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Error("docs/openapi.json does not describe the registered operations; run: go test ./adapters/httpapi/routes -run OpenAPI -update")
	}
}

// An answer of any shape would tell nobody what to expect, and the checks of
// real answers nothing to look at.
func TestEveryOperationSaysWhatItAnswers(t *testing.T) {
	for _, rt := range registered().Routes() {
		for _, res := range rt.Answers {
			res, _ = httpapi.DataOf(res)
			if k := res.Kind(); k == reflect.Interface || k == reflect.Slice && res.Elem().Kind() == reflect.Interface {
				t.Errorf("%s answers %s; name its shapes with Describe", rt.Op.Name, res)
			}
		}
	}
}

// machineCodes says which kind of failure each machine code is.
var machineCodes = map[string]ports.Code{
	"invalid_argument": ports.Invalid, "slug_invalid": ports.Invalid, "slug_reserved": ports.Invalid, "content_too_large": ports.Invalid,
	"downloads_used_up": ports.Gone, "changed_since": ports.Gone, "uri_too_long": ports.Invalid, "body_timeout": ports.Invalid,
	"type_mismatch": ports.Invalid, "cross_mount": ports.Invalid, "into_self": ports.Invalid, "backup_unsigned": ports.Invalid, "reconcile_folder": ports.Invalid, "reconcile_report": ports.Conflict, "reconcile_kept": ports.Conflict, "reconcile_empty": ports.Conflict,
	"unauthenticated": ports.Unauthenticated, "password_required": ports.Unauthenticated, "password_wrong": ports.Unauthenticated, "key_required": ports.Unauthenticated,
	"permission_denied": ports.Forbidden, "policy_denied": ports.Forbidden, "path_forbidden": ports.Forbidden, "mount_forbidden": ports.Forbidden,
	"root_forbidden": ports.Forbidden, "not_owner": ports.Forbidden, "storage_forbidden": ports.Forbidden,
	"confirm_required": ports.Forbidden, "totp_required": ports.Unauthenticated, "totp_wrong": ports.Unauthenticated,
	"policy_invalid": ports.Invalid, "policy_bundle": ports.Invalid, "policy_read_only": ports.Conflict, "policy_lockout": ports.Conflict, "policy_changed": ports.Conflict, "policy_no_trial": ports.Conflict,
	"not_found": ports.NotFound, "mount_not_found": ports.NotFound, "upload_not_found": ports.NotFound,
	"already_exists": ports.Conflict, "slug_taken": ports.Conflict, "item_taken": ports.Conflict, "in_use": ports.Conflict, "root_prefix_confirm": ports.Conflict, "idempotency_running": ports.Conflict, "locked": ports.Locked,
	"expired": ports.Gone, "used_up": ports.Gone, "request_closed": ports.Gone, "request_full": ports.Forbidden, "request_type": ports.Unsupported,
	"precondition_failed": ports.Precondition, "too_large": ports.TooLarge, "unsupported_media": ports.Unsupported,
	"range_invalid": ports.Range, "idempotency_reused": ports.Unprocessable, "rate_limited": ports.RateLimited, "quota_exceeded": ports.Quota,
	"storage_denied": ports.BadGateway, "storage_unavailable": ports.Unavailable, "policy_unavailable": ports.Unavailable, "overloaded": ports.Unavailable,
	"not_supported": ports.NotImplemented, "internal": ports.Internal,
}

// alsoCodes are the machine codes that come as a second kind of failure: a limit
// of the site, apart from that of the transport; a password that is not there at
// all.
var alsoCodes = map[string]ports.Code{"too_large": ports.Invalid, "password_required": ports.Invalid}

// errorsOf lists the machine codes of an operation with their statuses.
func errorsOf(op httpapi.Op) map[int][]string {
	keys := append(slices.Clone(httpapi.CommonErrors), op.Errors...)
	if op.Idem != httpapi.NoIdem {
		keys = append(keys, "idempotency_running", "idempotency_reused")
	}
	rows := map[int][]string{}
	for _, key := range keys {
		codes := []ports.Code{machineCodes[key]}
		if also, ok := alsoCodes[key]; ok {
			codes = append(codes, also)
		}
		for _, code := range codes {
			status := httpapi.StatusOf(&op, &ports.Error{Code: code, Key: key})
			if !slices.Contains(rows[status], key) {
				rows[status] = append(rows[status], key)
			}
		}
	}
	for _, list := range rows {
		sort.Strings(list)
	}
	return rows
}

type doc = map[string]any

var braces = regexp.MustCompile(`\{([^}:]+)(:[^}]*)?\}`)

// describe makes the OpenAPI document of the registered operations.
func describe(a *httpapi.API) doc {
	s := schemas{defs: doc{}, names: map[string]reflect.Type{}}
	paths, noted := doc{}, slices.Clone(audit.Beside)
	for _, rt := range a.Routes() {
		if rt.Audited {
			noted = append(noted, rt.Op.Name)
		}
		for i, form := range append([]string{rt.Op.Method + " " + rt.Op.Path}, rt.Op.Aliases...) {
			method, path, _ := strings.Cut(form, " ")
			path = braces.ReplaceAllString(path, "{$1}")
			if paths[path] == nil {
				paths[path] = doc{}
			}
			paths[path].(doc)[strings.ToLower(method)] = s.operation(rt, path, i)
		}
	}
	s.defs["Error"] = doc{"type": "object", "required": []string{"code", "message", "success", "data", "error", "request_id"}, "properties": doc{
		"code": doc{"type": "integer", "description": "the HTTP status"}, "message": doc{"type": "string", "description": "for people, by Accept-Language"},
		"success": doc{"const": false}, "data": doc{"type": []string{"object", "null"}}, "error": doc{"type": "string", "description": "stable machine code"},
		"request_id": doc{"type": "string"}, "field": doc{"type": "string", "description": "the part of the input that is wrong"}}}
	slices.Sort(noted)
	root := doc{
		"openapi": "3.1.0",
		"info": doc{"title": "Pasteport", "version": "1", "description": "Texts and files shared by link. Generated from the registry of operations.",
			"license": doc{"name": "Apache-2.0", "identifier": "Apache-2.0"}},
		// A server that gives it away says its own address here.
		"servers": []doc{{"url": "/", "description": "This server."}},
		"tags":    tags(paths),
		"paths":   paths,
		// Every action of the audit log: the panel has a sentence for each.
		"x-audit-actions": slices.Compact(noted),
		"components":      doc{"schemas": s.defs, "responses": commonResponses(), "securitySchemes": securitySchemes},
	}
	exemplify(root)
	return root
}

var securitySchemes = doc{
	"admin":     doc{"type": "http", "scheme": "bearer", "description": "Token of an administrator's session."},
	"apiKey":    doc{"type": "apiKey", "in": "header", "name": "Authorization", "description": "ApiKey followed by a blank and the key."},
	"customKey": doc{"type": "apiKey", "in": "header", "name": "X-Custom-Auth-Key", "description": "An API key, for scripts."},
	"basic":     doc{"type": "http", "scheme": "basic"},
}

// operation describes one method of one path.
func (s *schemas) operation(rt httpapi.Route, path string, alias int) doc {
	op := rt.Op
	id := op.Name
	noun, _, _ := strings.Cut(op.Name, ".")
	if alias > 0 {
		id += fmt.Sprintf(".alias%d", alias)
	}
	actions := []string{}
	for _, do := range op.Actions {
		actions = append(actions, string(do))
	}
	out := doc{"operationId": id, "summary": shortly(op.Summary), "description": description(rt, alias), "tags": []string{noun}, "x-actions": actions, "responses": s.responses(rt)}
	if op.Public {
		out["security"] = []doc{{}}
	} else {
		out["security"] = []doc{{"admin": []string{}}, {"apiKey": []string{}}, {"customKey": []string{}}, {"basic": []string{}}}
	}
	if p := s.parameters(rt, path); len(p) > 0 {
		out["parameters"] = p
	}
	if b := s.requestBody(rt); b != nil {
		out["requestBody"] = b
	}
	return out
}

func (s *schemas) parameters(rt httpapi.Route, path string) []doc {
	list := []doc{}
	for _, m := range braces.FindAllStringSubmatch(path, -1) {
		list = append(list, doc{"name": m[1], "in": "path", "required": true, "schema": doc{"type": "string"}})
	}
	for _, f := range fieldsOf(rt.Request) {
		if tag, ok := f.Tag.Lookup("query"); ok && tag != "-" {
			name, _, _ := strings.Cut(tag, ",")
			list = append(list, doc{"name": name, "in": "query", "schema": s.of(f.Type)})
		}
		if name, ok := f.Tag.Lookup("header"); ok {
			list = append(list, doc{"name": name, "in": "header", "schema": doc{"type": "string"}, "description": f.Tag.Get("doc")})
		}
	}
	if rt.Op.Idem != httpapi.NoIdem {
		list = append(list, doc{"name": "Idempotency-Key", "in": "header", "schema": doc{"type": "string", "maxLength": 255}})
	}
	return list
}

func (s *schemas) requestBody(rt httpapi.Route) doc {
	switch rt.Op.Body {
	case httpapi.JSON, httpapi.BigJSON:
		properties := doc{}
		var schema any = doc{"type": "object", "properties": properties}
		for _, f := range fieldsOf(rt.Request) {
			tag, ok := f.Tag.Lookup("json")
			name, _, _ := strings.Cut(tag, ",")
			switch {
			case !ok || name == "-":
			case name == "*":
				schema = s.of(f.Type)
			default:
				properties[name] = explained(f, s.of(f.Type))
			}
		}
		content := doc{"application/json": doc{"schema": schema}}
		if rt.Op.Text != "" {
			content["text/plain"] = doc{"schema": doc{"type": "string", "description": "the field " + rt.Op.Text + " alone"}}
			content["application/x-www-form-urlencoded"] = doc{"schema": schema}
			content["multipart/form-data"] = doc{"schema": schema}
		}
		return doc{"content": content}
	case httpapi.FormBody:
		properties := doc{}
		for _, f := range fieldsOf(rt.Request) {
			if name, ok := f.Tag.Lookup("form"); ok {
				properties[name] = s.of(f.Type)
			}
		}
		return doc{"content": doc{"multipart/form-data": doc{"schema": doc{"type": "object", "properties": properties}}}}
	case httpapi.RawBody:
		bytes := doc{"schema": doc{"type": "string", "format": "binary"}}
		if rt.Op.Door && rt.Op.Method == http.MethodPost {
			return doc{"content": doc{content.Octets: bytes, "multipart/form-data": doc{"schema": doc{"type": "object"}}}}
		}
		return doc{"content": doc{content.Octets: bytes}}
	}
	return nil
}

func (s *schemas) responses(rt httpapi.Route) doc {
	out := doc{"200": doc{"description": "Success."}}
	if content := s.success(rt); content != nil {
		if rt.Op.Method != http.MethodGet && slices.ContainsFunc(rt.Answers, linked) {
			content["text/plain"] = doc{"schema": doc{"type": "string", "description": "the link of the share alone, to who asks for text"}}
		}
		out["200"].(doc)["content"] = content
	}
	for status, keys := range errorsOf(rt.Op) {
		content := errorContent(keys)
		if rt.Op.Fail == httpapi.FailText {
			content = doc{"text/plain": doc{"schema": doc{"type": "string"}}}
		}
		if rt.Op.Fail == httpapi.FailNamed {
			content = doc{"application/json": doc{"schema": doc{"$ref": "#/components/schemas/Error"}}}
		}
		if rt.Op.Door {
			content["text/plain"] = doc{"schema": doc{"type": "string"}}
		} else if rt.Op.Fail == httpapi.FailEnvelope && common(keys) {
			out[strconv.Itoa(status)] = doc{"$ref": "#/components/responses/" + strconv.Itoa(status)}
			continue
		}
		out[strconv.Itoa(status)] = doc{"description": http.StatusText(status) + ": " + strings.Join(keys, ", ") + ".", "content": content}
	}
	for _, status := range rt.Op.Also {
		also := doc{"description": http.StatusText(status) + "."}
		switch {
		case status >= 400: // an answer beside the errors of that status
			also["content"] = doc{"application/json": doc{"schema": doc{"anyOf": []any{
				s.success(rt)["application/json"].(doc)["schema"], errorContent(errorsOf(rt.Op)[status])["application/json"].(doc)["schema"]}}}}
		case status == http.StatusPartialContent:
			also["content"] = doc{"*/*": doc{"schema": doc{"type": "string", "format": "binary"}}}
		}
		out[strconv.Itoa(status)] = also
	}
	return out
}

// linked reports whether an answer tells of a share by its link.
func linked(answer reflect.Type) bool {
	data, _ := httpapi.DataOf(answer)
	_, ok := reflect.Zero(data).Interface().(interface{ Link() string })
	return ok
}

func errorContent(keys []string) doc {
	return doc{"application/json": doc{"schema": doc{"allOf": []doc{
		{"$ref": "#/components/schemas/Error"}, {"properties": doc{"error": doc{"enum": keys}}}}}}}
}

// common reports whether any operation may answer all of these.
func common(keys []string) bool {
	return !slices.ContainsFunc(keys, func(key string) bool { return !slices.Contains(httpapi.CommonErrors, key) })
}

// commonResponses are the error answers that most operations share.
func commonResponses() doc {
	out := doc{}
	for status, keys := range errorsOf(httpapi.Op{}) {
		out[strconv.Itoa(status)] = doc{"description": http.StatusText(status) + ": " + strings.Join(keys, ", ") + ".", "content": errorContent(keys)}
	}
	return out
}

// success is the content of an answer that is no error; nil for one without.
func (s *schemas) success(rt httpapi.Route) doc {
	if len(rt.Answers) == 0 {
		typ := rt.Op.Type
		if typ == "" {
			typ = "*/*"
		}
		return doc{typ: doc{"schema": doc{"type": "string", "format": "binary"}}}
	}
	var shapes []any
	noData, partial := false, false
	for _, res := range rt.Answers {
		res, wrapped := httpapi.DataOf(res)
		partial = partial || wrapped
		if res == reflect.TypeFor[httpapi.None]() {
			noData = true
			continue
		}
		shapes = append(shapes, s.of(res))
	}
	switch {
	case rt.Op.Answer == httpapi.Bare && len(shapes) == 0:
		return nil
	case rt.Op.Answer == httpapi.Bare:
		return doc{"application/json": doc{"schema": anyOf(shapes)}}
	}
	code := 200
	if rt.Op.Answer == httpapi.Created {
		code = 201
	}
	codes := []int{code}
	if partial {
		codes = append(codes, http.StatusAccepted)
	}
	properties := doc{"code": doc{"type": "integer", "enum": codes}, "message": doc{"type": "string"}, "success": doc{"type": "boolean"}}
	required := []string{"code", "message", "success"}
	if len(shapes) > 0 {
		properties["data"] = anyOf(shapes)
		if !noData {
			required = append(required, "data")
		}
	}
	for _, name := range slices.Sorted(maps.Keys(rt.Op.Top)) {
		properties[name] = s.of(reflect.TypeOf(rt.Op.Top[name]))
	}
	return doc{"application/json": doc{"schema": doc{"type": "object", "required": required, "properties": properties}}}
}

// anyOf is one of several shapes, most often of one.
func anyOf(shapes []any) any {
	if len(shapes) == 1 {
		return shapes[0]
	}
	return doc{"anyOf": shapes}
}

// schemas turns Go types into JSON schemas, structs with a name into shared ones.
type schemas struct {
	defs  doc
	names map[string]reflect.Type
}

var (
	marshaler = reflect.TypeFor[json.Marshaler]()
	special   = map[reflect.Type]doc{
		reflect.TypeFor[wire.Int]():        {"type": "integer", "description": "in requests also as decimal text"},
		reflect.TypeFor[wire.Flag]():       {"type": "boolean", "description": "also 1, \"true\" or \"1\" and their opposites"},
		reflect.TypeFor[wire.Bit]():        {"type": "integer", "enum": []int{0, 1}},
		reflect.TypeFor[time.Time]():       {"type": "string", "format": "date-time"},
		reflect.TypeFor[json.RawMessage](): {},
	}
)

func (s *schemas) of(t reflect.Type) any {
	if schema, ok := special[t]; ok {
		return schema
	}
	if t.Kind() == reflect.Pointer {
		return nullable(s.of(t.Elem()))
	}
	if strings.HasPrefix(t.Name(), "Opt[") {
		f, _ := t.FieldByName("Value")
		return nullable(s.of(f.Type))
	}
	if t.Implements(marshaler) && t.Kind() != reflect.Interface {
		return doc{"type": []string{"string", "null"}, "format": "date-time"}
	}
	switch t.Kind() {
	case reflect.String:
		return doc{"type": "string"}
	case reflect.Bool:
		return doc{"type": "boolean"}
	case reflect.Int, reflect.Int64, reflect.Int32, reflect.Uint8, reflect.Uint64:
		return doc{"type": "integer"}
	case reflect.Float64:
		return doc{"type": "number"}
	case reflect.Slice, reflect.Array:
		return doc{"type": "array", "items": s.of(t.Elem())}
	case reflect.Map:
		return doc{"type": "object", "additionalProperties": s.of(t.Elem())}
	case reflect.Struct:
		return s.structure(t)
	}
	return doc{}
}

// explained adds what the field's tag doc says to a schema.
func explained(f reflect.StructField, schema any) any {
	text := f.Tag.Get("doc")
	if text == "" {
		return schema
	}
	with := maps.Clone(schema.(doc))
	with["description"] = text
	return with
}

func nullable(schema any) any {
	if o, ok := schema.(doc); ok {
		if len(o) == 0 {
			return o // anything, null too
		}
		if typ, ok := o["type"].(string); ok {
			c := doc{"type": []string{typ, "null"}}
			for k, v := range o {
				if k != "type" {
					c[k] = v
				}
			}
			return c
		}
	}
	return doc{"anyOf": []any{schema, doc{"type": "null"}}}
}

// schemaName is under which a struct is shared, empty for one without a name. It
// does not tell which package has the type: those that several share have names
// with a capital there.
func schemaName(t reflect.Type) string {
	name := t.Name()
	switch {
	case name == "When":
		return name
	case name == "" || strings.ContainsAny(name, "[/"):
		return ""
	}
	return strings.ToLower(name[:1]) + name[1:]
}

// structure describes a struct, by reference when it has a name.
func (s *schemas) structure(t reflect.Type) any {
	name := schemaName(t)
	if name != "" {
		switch known := s.names[name]; known {
		case nil:
		case t:
			return doc{"$ref": "#/components/schemas/" + name}
		default:
			panic(fmt.Sprintf("the document has one schema %s for %s and %s: give one of them another name", name, known, t))
		}
		s.names[name] = t
		s.defs[name] = doc{}
	}
	properties, required, taken := doc{}, []string{}, map[string]bool{}
	for _, f := range fieldsOf(t) {
		tag, ok := f.Tag.Lookup("json")
		field, options, _ := strings.Cut(tag, ",")
		if !ok || field == "-" || field == "" {
			continue
		}
		properties[field] = s.of(f.Type)
		// Generators of clients make one name of provider_type and providerType.
		plain := strings.ToLower(strings.ReplaceAll(field, "_", ""))
		if schema, ok := properties[field].(doc); ok && taken[plain] {
			schema = maps.Clone(schema)
			schema["x-go-name"] = f.Name
			properties[field] = schema
		}
		taken[plain] = true
		if !strings.Contains(options, "omit") && !throughPointer(t, f) {
			required = append(required, field)
		}
	}
	schema := doc{"type": "object", "properties": properties}
	if len(required) > 0 {
		sort.Strings(required)
		schema["required"] = slices.Compact(required)
	}
	if name == "" {
		return schema
	}
	s.defs[name] = schema
	return doc{"$ref": "#/components/schemas/" + name}
}

// throughPointer reports whether a field belongs to an embedded struct that may
// be missing.
func throughPointer(t reflect.Type, f reflect.StructField) bool {
	for i := 1; i < len(f.Index); i++ {
		if t.FieldByIndex(f.Index[:i]).Type.Kind() == reflect.Pointer {
			return true
		}
	}
	return false
}

func fieldsOf(t reflect.Type) (list []reflect.StructField) {
	if t == nil || t.Kind() != reflect.Struct {
		return nil
	}
	for _, f := range reflect.VisibleFields(t) {
		if !f.Anonymous && f.IsExported() {
			list = append(list, f)
		}
	}
	return list
}
