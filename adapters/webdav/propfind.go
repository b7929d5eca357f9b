package webdav

import (
	"compress/gzip"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"

	"pasteport/domain/mounts"
	"pasteport/domain/mounts/dav"
)

// propfind answers PROPFIND (contract §8.5). The answer leaves while the
// listing is walked.
func (h *Handler) propfind(x *exchange) error {
	depth, err := x.depth(one)
	if err != nil {
		return err
	}
	if depth == infinite {
		return &precondition{status: http.StatusForbidden, body: "<D:propfind-finite-depth/>"}
	}
	root, err := x.readXML()
	if err != nil {
		return err
	}
	asked, err := askedFor(root)
	if err != nil {
		return err
	}
	view, err := h.Resources.Browse(x.r.Context(), x.caller, x.path, depth == one)
	if err != nil {
		return err
	}
	if h.Heavy != nil && view.Len() > longListing {
		release, err := h.Heavy(x.r.Context())
		if err != nil {
			return err
		}
		defer release()
	}
	a := &answer{asked: asked, root: view.Self.Path, as: x.own(x.asked), viewed: viewed{view: view, now: time.Now(), prefix: x.prefix, fallback: view.Changed}}
	if a.fallback.IsZero() {
		a.fallback = h.started
	}
	if a.quota, err = asked.quota(x, view); err != nil {
		return err
	}
	form, ok := a.form()
	return x.multistatus(func(out *multistatus) error {
		out.take(a.response(out.b, &view.Self))
		if depth == zero {
			return nil
		}
		var keep func([]byte)
		if ok {
			if data, known := view.Made(form); known {
				return out.send(data)
			}
			if keep = view.Keep(form); keep != nil {
				out.copied, out.from = []byte{}, len(out.b)
			}
		}
		for e, err := range view.Children(x.r.Context()) {
			if err != nil {
				return err
			}
			if err := out.take(a.response(out.b, &e)); err != nil {
				return err
			}
		}
		if keep != nil {
			keep(append(out.copied, out.b[out.from:]...))
		}
		return nil
	})
}

// longListing is how many children make a PROPFIND a heavy call (security rule
// 4.5).
const longListing = 1000

// wanted is what a PROPFIND asks for.
type wanted struct {
	names bool   // the names alone
	all   bool   // every property, and those in props besides
	props []prop // by name
}

// prop is a property asked for by its name.
type prop struct {
	space, name string
	live        *live
	empty       []byte // the element without content
	front, end  []byte // what stands around the value of a live property
}

// maxProps is how many properties one request may name.
const maxProps = 1000

// askedFor reads the body of a PROPFIND; none means all properties.
func askedFor(root *element) (*wanted, error) {
	if root == nil {
		return &wanted{all: true}, nil
	}
	if !root.is("propfind") {
		return nil, errXML
	}
	w := &wanted{}
	kinds := 0
	for _, c := range root.elements() {
		switch {
		case c.is("propname"):
			w.names = true
			kinds++
		case c.is("allprop"):
			w.all = true
			kinds++
		case c.is("prop"):
			kinds++
			fallthrough
		case c.is("include"):
			for _, p := range c.elements() {
				w.props = append(w.props, newProp(p.space, p.name))
			}
		}
	}
	if kinds != 1 || len(w.props) > maxProps {
		return nil, errXML
	}
	return w, nil
}

func newProp(space, name string) prop {
	p := prop{space: space, name: name, live: liveNamed(space, name)}
	if space == davSpace {
		p.empty = []byte("<D:" + name + "/>")
		p.front, p.end = []byte("<D:"+name+">"), []byte("</D:"+name+">")
		return p
	}
	e := element{space: space, name: name}
	p.empty = e.appendTo(nil, "")
	return p
}

// liveProps are the live properties as asked by their names.
var liveProps = func() []prop {
	props := make([]prop, len(lives))
	for i := range lives {
		props[i] = newProp(davSpace, lives[i].name)
	}
	return props
}()

// quota finds the quota at most once, and only when it is asked for.
func (w *wanted) quota(x *exchange, view *dav.View) (func() (used, available int64), error) {
	for _, p := range w.props {
		if p.live != nil && p.live.named {
			used, available, err := view.Quota(x.r.Context())
			return func() (int64, int64) { return used, available }, err
		}
	}
	return func() (int64, int64) { return -1, -1 }, nil
}

// answer writes the responses of one PROPFIND.
type answer struct {
	viewed
	asked   *wanted
	root    string // path of the resource itself
	as      string // that path as the client writes it, which answers repeat
	missing []byte // properties that the present entry lacks
}

// form names what the responses of children depend on besides the children; ok
// says whether that is all there is, and short enough.
func (a *answer) form() (form string, ok bool) {
	var b strings.Builder
	fmt.Fprintf(&b, "propfind %q %q %q %d %t %t", a.prefix, a.root, a.as, a.fallback.Unix(), a.asked.names, a.asked.all)
	for _, p := range a.asked.props {
		if p.live != nil && p.live.named {
			return "", false // the quota
		}
		fmt.Fprintf(&b, " %q %q", p.space, p.name)
	}
	return b.String(), len(a.asked.props) <= len(liveProps)
}

const (
	okStatus      = "</D:prop><D:status>HTTP/1.1 200 OK</D:status></D:propstat>"
	missingStatus = "</D:prop><D:status>HTTP/1.1 404 Not Found</D:status></D:propstat>"
)

// response appends the DAV:response of an entry.
func (a *answer) response(b []byte, e *mounts.Entry) []byte {
	a.Entry = e
	b = append(b, "<D:response><D:href>"...)
	path := e.Path
	if a.as != a.root {
		path = a.as + strings.TrimPrefix(path, a.root)
	}
	b = append(appendHref(b, a.prefix, path, e.Folder), "</D:href><D:propstat><D:prop>"...)
	empty := len(b)
	dead := a.view.Properties(e.Path)
	a.missing = a.missing[:0]
	switch {
	case a.asked.names:
		b = a.propNames(b, dead)
	case a.asked.all:
		b = a.allProps(b, dead)
		b = a.named(b, dead, true)
	default:
		b = a.named(b, dead, false)
	}
	if len(b) == empty && len(a.missing) > 0 {
		b = b[:empty-len("<D:propstat><D:prop>")] // nothing was found
	} else {
		b = append(b, okStatus...)
	}
	if len(a.missing) > 0 {
		b = append(append(append(b, "<D:propstat><D:prop>"...), a.missing...), missingStatus...)
	}
	return append(b, "</D:response>"...)
}

// propNames writes the names of what the entry has.
func (a *answer) propNames(b []byte, dead []dav.Property) []byte {
	for i := range liveProps {
		if p := &liveProps[i]; !p.live.named {
			before := len(b)
			var has bool
			b, has = p.live.put(b, &a.viewed)
			if b = b[:before]; has {
				b = append(b, p.empty...)
			}
		}
	}
	for _, d := range dead {
		b = append(b, newProp(d.Space, d.Name).empty...)
	}
	return b
}

// allProps writes what the entry has.
func (a *answer) allProps(b []byte, dead []dav.Property) []byte {
	for i := range liveProps {
		if p := &liveProps[i]; !p.live.named {
			b, _ = a.live(b, p)
		}
	}
	for _, d := range dead {
		b = append(b, d.XML...)
	}
	return b
}

// live writes a live property; false when the entry has none.
func (a *answer) live(b []byte, p *prop) ([]byte, bool) {
	before := len(b)
	b = append(b, p.front...)
	value := len(b)
	b, has := p.live.put(b, &a.viewed)
	switch {
	case !has:
		return b[:before], false
	case len(b) == value:
		return append(b[:before], p.empty...), true
	}
	return append(b, p.end...), true
}

// named writes the properties that were asked for by name. besides says that
// all others were written before, so that only the shy ones are left.
func (a *answer) named(b []byte, dead []dav.Property, besides bool) []byte {
	for i := range a.asked.props {
		p := &a.asked.props[i]
		if p.live != nil {
			if besides && !p.live.named {
				continue
			}
			var has bool
			if b, has = a.live(b, p); has {
				continue
			}
		} else if xml := deadNamed(dead, p); xml != "" {
			if !besides {
				b = append(b, xml...)
			}
			continue
		}
		a.missing = append(a.missing, p.empty...)
	}
	return b
}

func deadNamed(dead []dav.Property, p *prop) string {
	for i := range dead {
		if dead[i].Name == p.name && dead[i].Space == p.space {
			return dead[i].XML
		}
	}
	return ""
}

// multistatus is a 207 answer that leaves in pieces.
type multistatus struct {
	w      io.Writer
	head   *headed
	b      []byte // not yet sent
	copied []byte // what has left, where that is wanted; else nil
	from   int    // where in b that begins
}

// piece is how much of an answer is gathered before it leaves, in bytes.
const piece = 64 << 10

// take is given the buffer with more in it.
func (m *multistatus) take(b []byte) error {
	m.b = b
	if len(b) < piece {
		return nil
	}
	return m.flush()
}

// flush sends what is gathered.
func (m *multistatus) flush() error {
	if m.copied != nil {
		m.copied, m.from = append(m.copied, m.b[m.from:]...), 0
	}
	_, err := m.w.Write(m.b)
	m.b = m.b[:0]
	return err
}

// send sends what is gathered, and after it data, which are the last responses.
func (m *multistatus) send(data []byte) error {
	if len(m.b)+len(data) < piece {
		m.b = append(m.b, data...)
		return nil
	}
	m.head.end(len(m.b) + len(data) + len(multistatusEnd))
	if err := m.flush(); err != nil {
		return err
	}
	_, err := m.w.Write(data)
	return err
}

var buffers = sync.Pool{New: func() any { b := make([]byte, 0, piece+8192); return &b }}

const multistatusEnd = "</D:multistatus>"

// multistatus answers 207 with what write adds. Once the first piece has left,
// an error can only end the connection.
func (x *exchange) multistatus(write func(*multistatus) error) error {
	buffer := buffers.Get().(*[]byte)
	head := &headed{x: x}
	out := &multistatus{w: head, head: head, b: (*buffer)[:0]}
	var pack *gzip.Writer
	if accepts(x.r.Header.Get("Accept-Encoding"), "gzip") {
		pack = packers.Get().(*gzip.Writer)
		pack.Reset(head)
		head.packed, out.w = true, pack
		defer packers.Put(pack)
	}
	out.b = append(append(out.b, xmlHead...), `<D:multistatus xmlns:D="DAV:">`...)
	err := write(out)
	if err == nil {
		out.b = append(out.b, multistatusEnd...)
		head.end(len(out.b))
		_, err = out.w.Write(out.b)
	}
	if err == nil && pack != nil {
		err = pack.Close()
	}
	*buffer = out.b[:0]
	buffers.Put(buffer)
	return err
}

// headed sends the header of a 207 with the first byte.
type headed struct {
	x      *exchange
	packed bool
	sent   bool
}

// end tells the length of an answer, in bytes, of which nothing has left.
func (h *headed) end(length int) {
	if !h.packed && !h.sent {
		h.x.Header()["Content-Length"] = []string{strconv.Itoa(length)}
	}
}

func (h *headed) Write(p []byte) (int, error) {
	if !h.sent {
		h.sent = true
		header := h.x.Header()
		header["Content-Type"] = xmlType
		header["Vary"] = []string{"Accept-Encoding"}
		if h.packed {
			header["Content-Encoding"] = []string{"gzip"}
		}
		h.x.WriteHeader(http.StatusMultiStatus)
	}
	return h.x.Write(p)
}

var packers = sync.Pool{New: func() any {
	w, err := gzip.NewWriterLevel(io.Discard, gzip.BestSpeed)
	if err != nil {
		panic(err) // the level is known
	}
	return w
}}

// accepts reports whether an Accept-Encoding header names a coding without
// refusing it.
func accepts(header, coding string) bool {
	for item := range strings.SplitSeq(header, ",") {
		name, params, _ := strings.Cut(strings.TrimSpace(item), ";")
		if strings.EqualFold(strings.TrimSpace(name), coding) {
			q := strings.ReplaceAll(strings.ToLower(params), " ", "")
			return q != "q=0" && !strings.HasPrefix(q, "q=0.0")
		}
	}
	return false
}
