package httpapi

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"io"
	"mime"
	"mime/multipart"
	"net/url"
	"strings"
	"unicode/utf8"
)

// Media types of bodies that forms send.
const (
	formMedia   = "application/x-www-form-urlencoded"
	filesMedia  = "multipart/form-data"
	maxTextPart = 64 // parts of a form that stands for a JSON object
	// textLimit bounds such bodies, in bytes: the largest text, and room for fields
	// and escapes. Where no large JSON is taken it is SmallBody.
	textLimit = 16 << 20
)

// sentAsText reports whether the operation takes a text or a form in place of
// JSON and the request carries one. A body without any type is neither.
func (x *exchange) sentAsText() bool {
	if x.route.op.Text == "" || x.hasJSON() {
		return false
	}
	media, _, _ := mime.ParseMediaType(first(x.r.Header["Content-Type"]))
	return x.paced != nil && (strings.HasPrefix(media, "text/") || media == formMedia || media == filesMedia)
}

// textFields makes the members of a JSON object from a text or a form that
// admit has read. curl --data-binary calls a text a form; a body without the
// field that the text is for is the text itself.
func (x *exchange) textFields() (map[string]json.RawMessage, error) {
	if x.wantsBodyHash() {
		x.body = sha256.Sum256(x.json)
	}
	if !utf8.Valid(x.json) {
		return nil, TextError(ErrJSON.With(errNUL), "field_type", map[string]any{"field": x.route.op.Text})
	}
	name := x.route.op.Text
	media, params, _ := mime.ParseMediaType(first(x.r.Header["Content-Type"]))
	switch media {
	case filesMedia:
		return formFields(multipart.NewReader(bytes.NewReader(x.json), params["boundary"]), name)
	case formMedia:
		if form, err := url.ParseQuery(string(x.json)); err == nil && form.Has(name) {
			fields := map[string]json.RawMessage{}
			for field, values := range form {
				fields[field] = jsonText(values[0])
			}
			return fields, nil
		}
	}
	return map[string]json.RawMessage{name: jsonText(string(x.json))}, nil
}

// formFields reads a multipart form whose file, whatever it is called, is the
// value of text.
func formFields(parts *multipart.Reader, text string) (map[string]json.RawMessage, error) {
	fields := map[string]json.RawMessage{}
	for range maxTextPart {
		part, err := parts.NextPart()
		if errors.Is(err, io.EOF) {
			return fields, nil
		}
		if err != nil {
			return nil, ErrJSON.With(err)
		}
		value, err := io.ReadAll(part) // of a body that is in memory already
		if err != nil {
			return nil, ErrJSON.With(err)
		}
		name := part.FormName()
		if part.FileName() != "" {
			name = text
		}
		if _, twice := fields[name]; twice {
			return nil, TextError(ErrJSON, "json_duplicate", map[string]any{"field": name})
		}
		fields[name] = jsonText(string(value))
	}
	return nil, ErrJSON
}

// jsonText is a text as JSON. Numbers and flags of requests are read from texts
// as well.
func jsonText(text string) json.RawMessage {
	raw, _ := json.Marshal(text) // of valid UTF-8 it cannot fail
	return raw
}
