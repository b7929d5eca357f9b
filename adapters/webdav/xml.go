package webdav

import (
	"bufio"
	"encoding/xml"
	"errors"
	"io"
	"net/http"
	"strings"

	"pasteport/ports"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/transform"
)

// Bounds of XML bodies (security rule W4).
const (
	maxXML    = 1 << 20 // bytes
	maxDepth  = 32
	maxParts  = 4000 // elements and attributes
	maxSpaces = 100  // namespaces in scope
	maxSpace  = 1024 // bytes of the name of a namespace or language, which is written again wherever it is used
)

const (
	davSpace = "DAV:"
	xmlSpace = "http://www.w3.org/XML/1998/namespace"
)

// element is an element of a body, with its namespaces resolved.
type element struct {
	space, name string
	attrs       []attribute
	children    []node
	lang        string // xml:lang in force; empty means none
}

// node is an element or, when that is nil, text.
type node struct {
	*element
	text string
}

type attribute struct{ space, name, value string }

func (e *element) is(name string) bool { return e.space == davSpace && e.name == name }

// elements are the children that are elements.
func (e *element) elements() []*element {
	var all []*element
	for _, n := range e.children {
		if n.element != nil {
			all = append(all, n.element)
		}
	}
	return all
}

// child is the first DAV: child of a name; nil when there is none.
func (e *element) child(name string) *element {
	for _, c := range e.elements() {
		if c.is(name) {
			return c
		}
	}
	return nil
}

var errXML = ports.InvalidInput("xml_invalid", "body")

// readXML reads the body; nil when there is none. A body that is not well
// formed, has a document type, or uses a namespace prefix that nobody has
// declared is refused.
func (x *exchange) readXML() (*element, error) {
	if x.r.Body == nil || x.r.Body == http.NoBody || x.r.ContentLength == 0 {
		return nil, nil
	}
	root, err := parseXML(http.MaxBytesReader(x.ResponseWriter, x.r.Body, maxXML))
	var tooBig *http.MaxBytesError
	var known *ports.Error
	switch {
	case errors.As(err, &tooBig):
		return nil, &ports.Error{Code: ports.TooLarge, Key: "too_large", Text: "body_too_large", Params: map[string]any{"limit": int64(maxXML)}}
	case err != nil && !errors.As(err, &known) && x.r.Context().Err() != nil:
		return nil, x.r.Context().Err()
	}
	return root, err
}

// parseXML parses a document; nil for an empty one.
func parseXML(r io.Reader) (*element, error) {
	p := xmlParser{d: newDecoder(r), spaces: []map[string]string{{"xml": xmlSpace, "": ""}}}
	for {
		token, err := p.d.RawToken()
		if err == io.EOF {
			break
		}
		if err != nil {
			var tooBig *http.MaxBytesError
			if errors.As(err, &tooBig) {
				return nil, err
			}
			return nil, errXML
		}
		if err := p.take(token); err != nil {
			return nil, err
		}
	}
	if len(p.open) > 0 {
		return nil, errXML
	}
	return p.root, nil
}

// newDecoder reads UTF-8 and UTF-16, which every XML parser must read (XML 1.0
// §4.3.3): by the byte order mark, else by the first characters.
func newDecoder(r io.Reader) *xml.Decoder {
	front := bufio.NewReader(r)
	start, _ := front.Peek(2)
	fallback := encoding.Nop.NewDecoder()
	switch string(start) {
	case "<\x00":
		fallback = unicode.UTF16(unicode.LittleEndian, unicode.IgnoreBOM).NewDecoder()
	case "\x00<":
		fallback = unicode.UTF16(unicode.BigEndian, unicode.IgnoreBOM).NewDecoder()
	}
	wide := len(start) == 2 && (start[0] == 0 || start[1] == 0 || start[0] >= 0xfe)
	d := xml.NewDecoder(transform.NewReader(front, unicode.BOMOverride(fallback)))
	d.CharsetReader = func(label string, text io.Reader) (io.Reader, error) {
		if wide && strings.HasPrefix(strings.ToLower(label), "utf-16") {
			return text, nil // it is UTF-8 by now
		}
		return nil, errXML
	}
	return d
}

// xmlParser builds the tree. The decoder gives raw tokens: it would let
// undeclared prefixes pass.
type xmlParser struct {
	d      *xml.Decoder
	root   *element
	open   []*element
	tags   []xml.Name // as written, of the open elements
	spaces []map[string]string
	count  int
}

func (p *xmlParser) take(token xml.Token) error {
	switch t := token.(type) {
	case xml.StartElement:
		return p.start(t)
	case xml.EndElement:
		if len(p.open) == 0 || p.tags[len(p.tags)-1] != t.Name {
			return errXML
		}
		p.open, p.tags, p.spaces = p.open[:len(p.open)-1], p.tags[:len(p.tags)-1], p.spaces[:len(p.spaces)-1]
	case xml.CharData:
		if len(p.open) > 0 {
			e := p.open[len(p.open)-1]
			e.children = append(e.children, node{text: string(t)})
		} else if strings.TrimSpace(string(t)) != "" {
			return errXML
		}
	case xml.Directive:
		return errXML
	case xml.ProcInst:
		if t.Target != "xml" || p.root != nil {
			return errXML
		}
	}
	return nil
}

func (p *xmlParser) start(t xml.StartElement) error {
	if p.count += 1 + len(t.Attr); p.count > maxParts || len(p.open) >= maxDepth || p.root != nil && len(p.open) == 0 {
		return errXML
	}
	spaces := p.spaces[len(p.spaces)-1]
	copied := false
	for _, a := range t.Attr {
		prefix, declares := a.Name.Local, a.Name.Space == "xmlns"
		if a.Name.Space == "" && a.Name.Local == "xmlns" {
			prefix, declares = "", true
		}
		if !declares {
			continue
		}
		if prefix != "" && a.Value == "" || prefix == "xml" || prefix == "xmlns" {
			return errXML // a prefix cannot be undeclared, nor these two declared
		}
		if !copied {
			spaces, copied = clone(spaces), true
		}
		spaces[prefix] = a.Value
		if len(spaces) > maxSpaces || len(a.Value) > maxSpace {
			return errXML
		}
	}
	e := &element{name: t.Name.Local}
	var ok bool
	if e.space, ok = spaces[t.Name.Space]; !ok || !plainName(e.name) {
		return errXML
	}
	if len(p.open) > 0 {
		e.lang = p.open[len(p.open)-1].lang
	}
	if err := e.takeAttributes(t.Attr, spaces); err != nil {
		return err
	}
	if len(p.open) > 0 {
		parent := p.open[len(p.open)-1]
		parent.children = append(parent.children, node{element: e})
	} else {
		p.root = e
	}
	p.open, p.tags, p.spaces = append(p.open, e), append(p.tags, t.Name), append(p.spaces, spaces)
	return nil
}

// plainName reports whether a name can be written again as it is.
func plainName(name string) bool { return name != "" && !strings.ContainsAny(name, ": <>&\"'/=") }

func (e *element) takeAttributes(attrs []xml.Attr, spaces map[string]string) error {
	for _, a := range attrs {
		if a.Name.Space == "xmlns" || a.Name.Space == "" && a.Name.Local == "xmlns" {
			continue
		}
		space := ""
		if a.Name.Space != "" {
			var ok bool
			if space, ok = spaces[a.Name.Space]; !ok {
				return errXML
			}
		}
		if !plainName(a.Name.Local) {
			return errXML
		}
		if space == xmlSpace && a.Name.Local == "lang" {
			if len(a.Value) > maxSpace {
				return errXML
			}
			e.lang = a.Value
		}
		e.attrs = append(e.attrs, attribute{space, a.Name.Local, a.Value})
	}
	return nil
}

func clone(m map[string]string) map[string]string {
	c := make(map[string]string, len(m)+1)
	for k, v := range m {
		c[k] = v
	}
	return c
}

// appendTo writes the element so that it can stand anywhere: with its
// namespaces declared. space is the default namespace around it.
func (e *element) appendTo(b []byte, space string) []byte {
	b = append(append(b, '<'), e.name...)
	if e.space != space {
		b = append(appendEscaped(append(b, ` xmlns="`...), e.space), '"')
	}
	for i, a := range e.attrs {
		switch a.space {
		case "":
			b = append(append(b, ' '), a.name...)
		case xmlSpace:
			b = append(append(b, " xml:"...), a.name...)
		default:
			prefix := "a" + string(rune('a'+i%26))
			if i >= 26 {
				prefix += string(rune('a' + i/26%26))
			}
			b = append(append(append(b, " xmlns:"...), prefix...), `="`...)
			b = append(appendEscaped(b, a.space), `" `...)
			b = append(append(append(b, prefix...), ':'), a.name...)
		}
		b = append(appendEscaped(append(b, `="`...), a.value), '"')
	}
	if len(e.children) == 0 {
		return append(b, "/>"...)
	}
	b = append(b, '>')
	b = e.appendInside(b, e.space)
	return append(append(append(b, "</"...), e.name...), '>')
}

// appendInside writes what stands in the element.
func (e *element) appendInside(b []byte, space string) []byte {
	for _, n := range e.children {
		if n.element != nil {
			b = n.appendTo(b, space)
		} else {
			b = appendEscaped(b, n.text)
		}
	}
	return b
}

// whole is the element as a fragment of its own, with the language that is in
// force for it.
func (e *element) whole() string {
	own := *e
	if own.lang != "" && !own.says(xmlSpace, "lang") {
		own.attrs = append(own.attrs[:len(own.attrs):len(own.attrs)], attribute{xmlSpace, "lang", own.lang})
	}
	return string(own.appendTo(nil, ""))
}

func (e *element) says(space, name string) bool {
	for _, a := range e.attrs {
		if a.space == space && a.name == name {
			return true
		}
	}
	return false
}

// appendEscaped writes text for element content and attribute values. In place of
// U+FFFE and U+FFFF, which names may have and XML may not, stands U+FFFD.
func appendEscaped(b []byte, s string) []byte {
	from := 0
	for i := 0; i < len(s); i++ {
		if s[i] == 0xef && i+2 < len(s) && s[i+1] == 0xbf && s[i+2] >= 0xbe {
			b = append(append(b, s[from:i]...), "\ufffd"...)
			from, i = i+3, i+2
			continue
		}
		var escape string
		switch s[i] {
		case '&':
			escape = "&amp;"
		case '<':
			escape = "&lt;"
		case '>':
			escape = "&gt;"
		case '"':
			escape = "&#34;"
		case '\r':
			escape = "&#13;"
		default:
			continue
		}
		b = append(append(b, s[from:i]...), escape...)
		from = i + 1
	}
	return append(b, s[from:]...)
}

// appendHref writes the address of a path: each segment escaped, a folder with
// "/" at its end.
func appendHref(b []byte, prefix, path string, folder bool) []byte {
	b = appendPath(b, prefix)
	if path != "/" {
		b = appendPath(b, path)
	}
	if folder {
		b = append(b, '/')
	}
	return b
}

const upperHex = "0123456789ABCDEF"

func appendPath(b []byte, s string) []byte {
	for i := 0; i < len(s); i++ {
		c := s[i]
		if plainByte[c] {
			b = append(b, c)
		} else {
			b = append(b, '%', upperHex[c>>4], upperHex[c&15])
		}
	}
	return b
}

// plainByte marks the bytes that stand for themselves in an address and in XML.
var plainByte = func() (plain [256]bool) {
	for c := range 256 {
		plain[c] = c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || strings.IndexByte("/-_.~!()*@$,", byte(c)) >= 0
	}
	return plain
}()

// href is the DAV:href element of a path.
func (x *exchange) href(path string, folder bool) string {
	return "<D:href>" + string(appendHref(nil, x.prefix, path, folder)) + "</D:href>"
}
