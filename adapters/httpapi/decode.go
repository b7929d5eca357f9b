package httpapi

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"mime"
	"net/http"
	"net/url"
	"reflect"
	"strings"
	"unicode/utf8"

	"pasteport/adapters/httpapi/wire"
)

// Limits of JSON bodies, in bytes, and of their nesting (decision 37).
const (
	jsonLimit    = 1 << 20
	BigJSONLimit = 64 << 20 // of operations with BigJSON
	jsonDepth    = 64
	// streamLimit bounds bodies that handlers read themselves (contract §1.1).
	streamLimit = 5 << 30
)

// decoder reads requests into one struct type by its tags. The fields are
// found once, when the operation is registered.
type decoder struct {
	op     Op
	typ    reflect.Type
	fields []field
}

type field struct {
	index   []int
	from    source
	name    string
	lenient bool
	raw     bool // may hold a NUL
}

type source int

const (
	fromPath source = iota
	fromQuery
	fromJSON
	fromWholeJSON
)

func newDecoder[Req any](op Op) *decoder {
	d := &decoder{op: op, typ: reflect.TypeFor[Req]()}
	if d.typ.Kind() != reflect.Struct {
		panic(fmt.Sprintf("httpapi: %s: the request must be a struct", op.Name))
	}
	for _, f := range reflect.VisibleFields(d.typ) {
		if f.Anonymous || !f.IsExported() {
			continue
		}
		if d.add(f); len(d.fields) > 0 && op.Body == NoBody && d.fields[len(d.fields)-1].from >= fromJSON {
			panic(fmt.Sprintf("httpapi: %s has no JSON body for its field %s", op.Name, f.Name))
		}
	}
	return d
}

func (d *decoder) add(f reflect.StructField) {
	for _, t := range []struct {
		tag  string
		from source
	}{{"path", fromPath}, {"query", fromQuery}, {"json", fromJSON}} {
		tag, ok := f.Tag.Lookup(t.tag)
		if !ok || tag == "-" {
			continue
		}
		name, option, _ := strings.Cut(tag, ",")
		next := field{index: f.Index, from: t.from, name: name, lenient: option == "lenient", raw: f.Tag.Get("nul") == "keep"}
		if t.from == fromJSON && name == "*" {
			next.from = fromWholeJSON
		}
		d.fields = append(d.fields, next)
	}
}

// request reads one request. The result holds a value of the decoder's type.
func (d *decoder) request(x *exchange, r *http.Request) (any, error) {
	dst := reflect.New(d.typ)
	var body map[string]json.RawMessage
	var whole []byte
	switch {
	case x.sentAsText():
		var err error
		if body, err = x.textFields(); err != nil {
			return nil, err
		}
	case d.op.Body == JSON || d.op.Body == BigJSON:
		var err error
		if whole, err = readJSON(x); err != nil {
			return nil, err
		}
		if body, err = splitObject(whole); err != nil {
			return nil, err
		}
	}
	var query url.Values
	for i := range d.fields {
		f := &d.fields[i]
		v := dst.Elem().FieldByIndex(f.index).Addr().Interface()
		var err error
		switch f.from {
		case fromPath:
			err = wire.SetText(v, x.vars.get(f.name))
		case fromQuery:
			if query == nil {
				query = r.URL.Query()
			}
			if values := query[f.name]; len(values) > 0 {
				if !wire.Storable(values[0]) {
					err = errNUL
				} else if err = wire.SetText(v, values[0]); err != nil && f.lenient {
					dst.Elem().FieldByIndex(f.index).SetZero()
					err = nil
				}
			}
		case fromJSON:
			if raw, ok := body[f.name]; ok {
				if err = json.Unmarshal(raw, v); err == nil && !f.raw && holdsNUL(raw) {
					err = errNUL
				}
			}
		case fromWholeJSON:
			if err = json.Unmarshal(whole, v); err == nil && holdsNUL(whole) {
				err = errNUL
			}
		}
		if err != nil {
			return nil, TextError(ErrJSON.With(err), "field_type", map[string]any{"field": f.name})
		}
	}
	return dst.Elem().Interface(), nil
}

// errNUL is the refusal of text that databases cannot keep.
var errNUL = errors.New("text with a NUL character or broken UTF-8")

// holdsNUL reports whether a text in valid JSON holds an escaped NUL. Broken
// UTF-8 becomes U+FFFD when JSON is read.
func holdsNUL(data []byte) bool {
	const escaped = `\u0000`
	for {
		at := bytes.Index(data, []byte(escaped))
		if at < 0 {
			return false
		}
		before := at
		for before > 0 && data[before-1] == '\\' {
			before--
		}
		if (at-before)%2 == 0 { // the backslash is not itself escaped
			return true
		}
		data = data[at+len(escaped):]
	}
}

// readJSON returns the body that admit has read, "{}" when there is none or it
// is not JSON and was not sent as such.
func readJSON(x *exchange) ([]byte, error) {
	empty := []byte("{}")
	if !x.hasJSON() {
		x.body = sha256.Sum256(empty)
		return empty, nil
	}
	data := x.json
	if x.wantsBodyHash() {
		x.body = sha256.Sum256(data)
	}
	if len(strings.TrimSpace(string(data[:min(len(data), 64)]))) == 0 && len(data) <= 64 {
		return empty, nil
	}
	if !utf8.Valid(data) || !json.Valid(data) {
		if !isJSON(x.r.Header.Get("Content-Type")) {
			return empty, nil
		}
		return nil, ErrJSON
	}
	return data, nil
}

// hasJSON reports whether the request carries a body that is sent as JSON. On
// calls of the file tree it may be sent as anything (contract §1.1 of those).
func (x *exchange) hasJSON() bool {
	return x.paced != nil && (isJSON(x.r.Header.Get("Content-Type")) || strings.HasPrefix(x.route.op.Path, "/api/fs/"))
}

func isJSON(contentType string) bool {
	if contentType == "application/json" {
		return true
	}
	media, _, err := mime.ParseMediaType(contentType)
	return err == nil && (media == "application/json" || strings.HasSuffix(media, "+json"))
}

// splitObject cuts valid JSON into the members of its object without copying
// them. It refuses other values, deep nesting and names that stand twice.
func splitObject(data []byte) (map[string]json.RawMessage, error) {
	s := splitter{data: data}
	s.space()
	if s.at >= len(data) || data[s.at] != '{' {
		return nil, TextError(ErrJSON, "field_type", map[string]any{"field": "body"})
	}
	s.at++
	members := map[string]json.RawMessage{}
	for {
		s.space()
		if data[s.at] == '}' {
			return members, nil
		}
		if data[s.at] == ',' {
			s.at++
			continue
		}
		raw, err := s.value()
		if err != nil {
			return nil, err
		}
		var name string
		if err := json.Unmarshal(raw, &name); err != nil {
			return nil, ErrJSON.With(err)
		}
		if _, twice := members[name]; twice {
			return nil, TextError(ErrJSON, "json_duplicate", map[string]any{"field": name})
		}
		s.space()
		s.at++ // the colon
		s.space()
		if members[name], err = s.value(); err != nil {
			return nil, err
		}
	}
}

// splitter walks over JSON that is known to be valid.
type splitter struct {
	data []byte
	at   int
}

func (s *splitter) space() {
	for s.at < len(s.data) && (s.data[s.at] == ' ' || s.data[s.at] == '\n' || s.data[s.at] == '\t' || s.data[s.at] == '\r') {
		s.at++
	}
}

// value passes over one value and returns it.
func (s *splitter) value() (json.RawMessage, error) {
	from, depth := s.at, 1 // the object around it counts
	for s.at < len(s.data) {
		switch c := s.data[s.at]; c {
		case '"':
			s.text()
			if depth == 1 {
				return s.data[from:s.at], nil
			}
			continue
		case '{', '[':
			if depth++; depth > jsonDepth {
				return nil, errDeepJSON
			}
		case '}', ']':
			if depth--; depth == 0 {
				return s.data[from:s.at], nil // of a number before the end
			}
			if depth == 1 {
				s.at++
				return s.data[from:s.at], nil
			}
		case ',', ' ', '\n', '\t', '\r':
			if depth == 1 {
				return s.data[from:s.at], nil
			}
		}
		s.at++
	}
	return s.data[from:s.at], nil
}

// text passes over a string.
func (s *splitter) text() {
	for s.at++; s.data[s.at] != '"'; s.at++ {
		if s.data[s.at] == '\\' {
			s.at++
		}
	}
	s.at++
}
