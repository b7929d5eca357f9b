package content

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"

	"pasteport/ports"
	"pasteport/ports/objstore"
)

// Content is what users stored, on its way to a browser.
type Content struct {
	Name    string    // file name for people
	Type    string    // decided by the server; empty means unknown
	Size    int64     // bytes
	ETag    string    // without quotes; empty means none
	ModTime time.Time // zero means unknown
	// Attachment asks the browser to save it, whatever the type.
	Attachment bool
	// AsNamed keeps the type of texts. Without it what is shown inline is
	// plain text; attachments keep theirs in any case.
	AsNamed bool
	// Active shows types inline that a browser would run: HTML, SVG, XML. The
	// sandbox keeps them inert. Without it they are downloads.
	Active bool
	// SignedIn says that a credential was needed: other sites may not embed it.
	SignedIn bool
	// CacheControl is the header's value; empty means no-store.
	CacheControl string
	// Elsewhere names the address that a GET is sent to in place of an answer
	// with bytes; empty means that there is none. It is asked when the
	// request's conditions hold. Nil means that there is never one.
	Elsewhere func(ctx context.Context) (string, error)
	// Open gives the bytes. It is called at most once, when the request's
	// conditions hold and a body will be sent: not for HEAD, 304, 412 and 416.
	// That is the moment to take a view. The caller closes the body.
	Open func(ctx context.Context, r objstore.Range) (*objstore.Body, error)
}

// Serve answers GET and HEAD with content: conditional requests, one
// range, and the headers that keep hostile content inert. Several ranges are
// answered with the whole body, more than eight with 416.
func Serve(w http.ResponseWriter, r *http.Request, c Content) error {
	h := w.Header()
	c.headers(h)
	if status := c.condition(r.Header); status != 0 {
		if status == http.StatusPreconditionFailed {
			return &ports.Error{Code: ports.Precondition, Key: "precondition_failed"}
		}
		for _, name := range []string{"Content-Type", "Content-Disposition", "Content-Length"} {
			delete(h, name)
		}
		w.WriteHeader(status)
		return nil
	}
	if c.Elsewhere != nil && r.Method == http.MethodGet {
		if address, err := c.Elsewhere(r.Context()); err != nil || address != "" {
			return redirect(w, address, err)
		}
	}
	part, status, err := c.rangeOf(r.Header)
	if err != nil {
		h.Set("Content-Range", "bytes */"+strconv.FormatInt(c.Size, 10))
		return err
	}
	return c.send(w, r, part, status)
}

// redirect sends the client to a signed address, which nobody may keep.
func redirect(w http.ResponseWriter, address string, err error) error {
	if err != nil {
		return err
	}
	h := w.Header()
	for _, name := range []string{"Content-Type", "Content-Disposition", "Content-Security-Policy", "Accept-Ranges"} {
		delete(h, name)
	}
	h["Cache-Control"], h["Location"], h["Content-Length"] = []string{"no-cache, no-store"}, []string{address}, []string{"0"} // contract §8.6, security rule W7
	w.WriteHeader(http.StatusFound)
	return nil
}

// headers sets everything that does not depend on the range.
func (c *Content) headers(h http.Header) {
	typ, inline := TypeOf(c.Type)
	inline = (inline || c.Active) && !c.Attachment
	if c.AsNamed || c.Attachment {
		typ = NamedType(c.Type)
	}
	Safety(h, c.SignedIn)
	h["Content-Type"] = []string{typ}
	h["Content-Disposition"] = []string{Disposition(inline, c.Name)}
	h["Accept-Ranges"] = inBytes
	h["Cache-Control"] = NoStore
	if c.CacheControl != "" {
		h["Cache-Control"] = []string{c.CacheControl}
	}
	if tag := c.tag(); tag != "" {
		h["Etag"] = []string{tag}
	}
	if !c.ModTime.IsZero() {
		h["Last-Modified"] = []string{c.ModTime.UTC().Format(http.TimeFormat)}
	}
}

// Safety sets the headers of every answer that carries users' bytes.
func Safety(h http.Header, signedIn bool) {
	h["X-Content-Type-Options"] = Nosniff
	h["Content-Security-Policy"] = Sandbox
	h["Referrer-Policy"] = NoReferrer
	h["Cross-Origin-Resource-Policy"] = crossOrigin
	if signedIn {
		h["Cross-Origin-Resource-Policy"] = SameOrigin
	}
}

// tag is the ETag as a header, empty when there is none that fits in one.
func (c *Content) tag() string {
	if c.ETag == "" {
		return ""
	}
	for _, b := range []byte(c.ETag) {
		if b <= ' ' || b == '"' || b == 0x7f {
			return ""
		}
	}
	return `"` + c.ETag + `"`
}

// send opens the bytes and copies them.
func (c *Content) send(w http.ResponseWriter, r *http.Request, part objstore.Range, status int) error {
	h := w.Header()
	length := c.Size
	if status == http.StatusPartialContent {
		length = part.Length
		h.Set("Content-Range", fmt.Sprintf("bytes %d-%d/%d", part.Offset, part.Offset+length-1, c.Size))
	} else {
		part = objstore.Range{}
	}
	if r.Method == http.MethodHead {
		h.Set("Content-Length", strconv.FormatInt(length, 10))
		w.WriteHeader(status)
		return nil
	}
	part.IfMatch = c.ETag
	body, err := c.Open(r.Context(), part)
	if err != nil {
		h.Del("Content-Range")
		return err
	}
	defer body.Close()
	if body.Length != length {
		h.Del("Content-Range")
		return &ports.Error{Code: ports.BadGateway, Key: "storage_denied",
			Cause: fmt.Errorf("storage sent %d bytes in place of %d", body.Length, length)}
	}
	head, err := c.look(h, body, part.Offset)
	if err != nil {
		h.Del("Content-Range")
		return err
	}
	h.Set("Content-Length", strconv.FormatInt(length, 10))
	if length <= atOnce {
		return sendAtOnce(w, status, head, body, int(length))
	}
	w.WriteHeader(status)
	if len(head) > 0 {
		if _, err := w.Write(head); err != nil {
			return err
		}
	}
	n, err := io.Copy(w, body)
	if err == nil && n+int64(len(head)) != length {
		err = io.ErrUnexpectedEOF
	}
	return err
}

// atOnce is how long a content may be, in bytes, that leaves together with the
// header: copied, it would cost a packet and a call of the system more.
const atOnce = 32 << 10

var short = sync.Pool{New: func() any { return new([atOnce]byte) }}

// sendAtOnce sends a short content of which head was read before.
func sendAtOnce(w http.ResponseWriter, status int, head []byte, body io.Reader, length int) error {
	buf := short.Get().(*[atOnce]byte)
	defer short.Put(buf)
	n, err := io.ReadFull(body, buf[copy(buf[:], head):length])
	w.WriteHeader(status)
	if _, failed := w.Write(buf[:len(head)+n]); failed != nil {
		return failed
	}
	if errors.Is(err, io.EOF) && len(head) < length {
		err = io.ErrUnexpectedEOF
	}
	return err
}

// look compares the first bytes with the announced type before content is
// shown inline. When they disagree it becomes a download of unknown type.
// The bytes it has read are returned.
func (c *Content) look(h http.Header, body *objstore.Body, offset int64) ([]byte, error) {
	if offset != 0 || c.Attachment || !sniffed(c.Type) || body.Length == 0 {
		return nil, nil
	}
	head := make([]byte, min(512, body.Length))
	if _, err := io.ReadFull(body, head); err != nil {
		return nil, &ports.Error{Code: ports.BadGateway, Key: "storage_denied", Cause: err}
	}
	if !agrees(c.Type, http.DetectContentType(head)) {
		h["Content-Type"] = []string{Octets}
		h["Content-Disposition"] = []string{Disposition(false, c.Name)}
	}
	return head, nil
}

// condition evaluates the conditional headers (RFC 9110 §13.2.2); 0 means go on.
func (c *Content) condition(h http.Header) int {
	if match := TagsOf(h, "If-Match"); match != "" {
		if !TagIn(match, c.tag(), true) {
			return http.StatusPreconditionFailed
		}
	} else if modified, known := c.modifiedSince(h.Get("If-Unmodified-Since")); known && modified {
		return http.StatusPreconditionFailed
	}
	if none := TagsOf(h, "If-None-Match"); none != "" {
		if TagIn(none, c.tag(), false) {
			return http.StatusNotModified
		}
		return 0
	}
	if modified, known := c.modifiedSince(h.Get("If-Modified-Since")); known && !modified {
		return http.StatusNotModified
	}
	return 0
}

// TagsOf are the entity tags of a header, for TagIn; it may stand on several lines
// (RFC 9110 §5.3).
func TagsOf(h http.Header, name string) string { return strings.Join(h[name], ",") }

// modifiedSince reports whether the content has changed since the time that a
// header names; known is false when it names none, or no time of the content is
// known.
func (c *Content) modifiedSince(date string) (modified, known bool) {
	if date == "" || c.ModTime.IsZero() {
		return false, false // what reads dates tries three forms, and says at length why none fits
	}
	since, err := http.ParseTime(date)
	return err == nil && c.ModTime.Truncate(time.Second).After(since), err == nil
}

// TagIn reports whether a list of entity tags holds tag.
func TagIn(list, tag string, strong bool) bool {
	if strings.TrimSpace(list) == "*" {
		return true
	}
	for item := range strings.SplitSeq(list, ",") {
		item = strings.TrimSpace(item)
		if weak, ok := strings.CutPrefix(item, "W/"); ok {
			if strong {
				continue
			}
			item = weak
		}
		if tag != "" && item == tag {
			return true
		}
	}
	return false
}
