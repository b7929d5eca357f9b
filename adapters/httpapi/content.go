package httpapi

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/textproto"
	"strconv"
	"strings"
	"time"

	"pasteport/ports"
	"pasteport/ports/objstore"
)

// sandboxPolicy keeps what users stored from running in the app's origin
// (security rule C1).
const sandboxPolicy = "default-src 'none'; img-src 'self' data:; media-src 'self'; style-src 'unsafe-inline'; sandbox; frame-ancestors 'self'"

// Content is what users stored, on its way to a browser.
type Content struct {
	Name    string    // file name for people
	Type    string    // decided by the server; empty means unknown
	Size    int64     // bytes
	ETag    string    // without quotes; empty means none
	ModTime time.Time // zero means unknown
	// Attachment asks the browser to save it, whatever the type.
	Attachment bool
	// SignedIn says that a credential was needed: other sites may not embed it.
	SignedIn bool
	// CacheControl is the header's value; empty means no-store.
	CacheControl string
	// Open gives the bytes. It is called at most once, when the request's
	// conditions hold and a body will be sent: not for HEAD, 304, 412 and 416.
	// That is the moment to take a view. The caller closes the body.
	Open func(ctx context.Context, r objstore.Range) (*objstore.Body, error)
}

// ServeContent answers GET and HEAD with content: conditional requests, one
// range, and the headers that keep hostile content inert. Several ranges are
// answered with the whole body, more than eight with 416.
func ServeContent(w http.ResponseWriter, r *http.Request, c Content) error {
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
	part, status, err := c.rangeOf(r.Header)
	if err != nil {
		h.Set("Content-Range", "bytes */"+strconv.FormatInt(c.Size, 10))
		return err
	}
	return c.send(w, r, part, status)
}

// headers sets everything that does not depend on the range.
func (c *Content) headers(h http.Header) {
	typ, inline := contentType(c.Type)
	if c.Attachment {
		inline = false
	}
	contentSafety(h, c.SignedIn)
	h["Content-Type"] = []string{typ}
	h["Content-Disposition"] = []string{disposition(inline, c.Name)}
	h["Accept-Ranges"] = []string{"bytes"}
	h["Cache-Control"] = noStore
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

// contentSafety sets the headers of every answer that carries users' bytes.
func contentSafety(h http.Header, signedIn bool) {
	h["X-Content-Type-Options"] = nosniff
	h["Content-Security-Policy"] = sandbox
	h["Referrer-Policy"] = noReferrer
	h["Cross-Origin-Resource-Policy"] = crossOrigin
	if signedIn {
		h["Cross-Origin-Resource-Policy"] = sameOrigin
	}
}

var (
	noReferrer  = []string{"no-referrer"}
	crossOrigin = []string{"cross-origin"}
	sameOrigin  = []string{"same-origin"}
)

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
		h["Content-Type"] = []string{octets}
		h["Content-Disposition"] = []string{disposition(false, c.Name)}
	}
	return head, nil
}

// condition evaluates the conditional headers (RFC 9110 §13.2.2); 0 means go on.
func (c *Content) condition(h http.Header) int {
	if match := h.Get("If-Match"); match != "" && !tagIn(match, c.tag(), true) {
		return http.StatusPreconditionFailed
	}
	if none := h.Get("If-None-Match"); none != "" {
		if tagIn(none, c.tag(), false) {
			return http.StatusNotModified
		}
		return 0
	}
	if since, err := http.ParseTime(h.Get("If-Modified-Since")); err == nil && !c.ModTime.IsZero() {
		if !c.ModTime.Truncate(time.Second).After(since) {
			return http.StatusNotModified
		}
	}
	return 0
}

// tagIn reports whether a list of entity tags holds tag.
func tagIn(list, tag string, strong bool) bool {
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

// maxRanges is how many ranges a request may ask for.
const maxRanges = 8

var errRange = &ports.Error{Code: ports.Range, Key: "range_invalid"}

// rangeOf finds the one range to send and the status it gives.
func (c *Content) rangeOf(h http.Header) (objstore.Range, int, error) {
	header := h.Get("Range")
	if header == "" || c.Size == 0 || !c.rangeStillValid(h.Get("If-Range")) {
		return objstore.Range{}, http.StatusOK, nil
	}
	parts, err := parseRanges(header, c.Size)
	switch {
	case errors.Is(err, errNoRange):
		return objstore.Range{}, http.StatusOK, nil
	case err != nil:
		return objstore.Range{}, 0, err
	case len(parts) == 1:
		return parts[0], http.StatusPartialContent, nil
	}
	return objstore.Range{}, http.StatusOK, nil
}

func (c *Content) rangeStillValid(condition string) bool {
	if condition == "" {
		return true
	}
	if strings.HasPrefix(condition, `"`) {
		return condition == c.tag()
	}
	at, err := http.ParseTime(condition)
	return err == nil && !c.ModTime.IsZero() && c.ModTime.Truncate(time.Second).Equal(at)
}

// errNoRange is a header that is not a list of byte ranges; it is ignored.
var errNoRange = errors.New("no byte range")

// parseRanges reads a Range header for content of the given size. Returns
// errRange when none of the ranges can be satisfied or there are too many.
func parseRanges(header string, size int64) ([]objstore.Range, error) {
	list, ok := strings.CutPrefix(header, "bytes=")
	if !ok {
		return nil, errNoRange
	}
	var parts []objstore.Range
	asked := 0
	for item := range strings.SplitSeq(list, ",") {
		if item = textproto.TrimString(item); item == "" {
			continue
		}
		if asked++; asked > maxRanges {
			return nil, errRange
		}
		part, satisfiable, err := parseRange(item, size)
		if err != nil {
			return nil, err
		}
		if satisfiable {
			parts = append(parts, part)
		}
	}
	if asked == 0 {
		return nil, errNoRange
	}
	if len(parts) == 0 {
		return nil, errRange
	}
	return parts, nil
}

func parseRange(item string, size int64) (part objstore.Range, satisfiable bool, err error) {
	from, to, ok := strings.Cut(item, "-")
	if !ok {
		return part, false, errNoRange
	}
	from, to = textproto.TrimString(from), textproto.TrimString(to)
	if from == "" {
		n, err := digits(to)
		if err != nil {
			return part, false, err
		}
		n = min(n, size)
		return objstore.Range{Offset: size - n, Length: n}, n > 0, nil
	}
	start, err := digits(from)
	if err != nil {
		return part, false, err
	}
	end := size - 1
	if to != "" {
		if end, err = digits(to); err != nil || end < start {
			return part, false, errNoRange
		}
		end = min(end, size-1)
	}
	if start >= size {
		return part, false, nil
	}
	return objstore.Range{Offset: start, Length: end - start + 1}, true, nil
}

// digits reads a number without a sign; one too large for 63 bits counts as
// the largest.
func digits(s string) (int64, error) {
	if s == "" || strings.Trim(s, "0123456789") != "" {
		return 0, errNoRange
	}
	n, err := strconv.ParseInt(s, 10, 64)
	if err != nil {
		return 1<<63 - 1, nil
	}
	return n, nil
}

// octets is the type of bytes that nobody should interpret.
const octets = "application/octet-stream"

// inlineTypes are shown by browsers without harm (security rule C2, and PDF by
// decision 56).
var inlineTypes = map[string]bool{
	"image/png": true, "image/jpeg": true, "image/gif": true, "image/webp": true, "image/avif": true, "image/bmp": true,
	"image/x-icon": true, "image/vnd.microsoft.icon": true,
	"video/mp4": true, "video/webm": true, "video/ogg": true, "application/ogg": true,
	"audio/mpeg": true, "audio/mp4": true, "audio/ogg": true, "audio/wav": true, "audio/x-wav": true, "audio/wave": true,
	"audio/flac": true, "audio/x-flac": true, "audio/aac": true, "audio/webm": true, "audio/opus": true,
	"application/pdf": true,
}

// activeText are text types that a browser would run or render.
var activeText = map[string]bool{"text/html": true, "text/xml": true, "text/xsl": true, "text/css": true,
	"text/javascript": true, "text/ecmascript": true, "text/vtt": false}

// contentType gives the type to send and whether it may be shown inline.
func contentType(stored string) (typ string, inline bool) {
	media := mediaType(stored)
	switch {
	case media == "" || !headerSafe(media):
		return octets, false
	case inlineTypes[media]:
		return media, true
	case activeText[media]:
		return media + "; charset=utf-8", false
	case strings.HasPrefix(media, "text/"), media == "application/json":
		return plainText[0], true
	}
	return media, false
}

// mediaType is a content type without its parameters, in lower case.
func mediaType(stored string) string {
	media, _, _ := strings.Cut(stored, ";")
	return strings.ToLower(strings.TrimSpace(media))
}

func headerSafe(media string) bool {
	if strings.Count(media, "/") != 1 {
		return false
	}
	for _, b := range []byte(media) {
		if b <= ' ' || b >= 0x7f || b == '"' || b == ',' || b == '\\' {
			return false
		}
	}
	return true
}

// sniffed reports whether the type is one whose first bytes are looked at.
func sniffed(stored string) bool { return inlineTypes[mediaType(stored)] }

// agrees reports whether first bytes that look like found fit the type told.
func agrees(told, found string) bool {
	told, found = mediaType(told), mediaType(found)
	kind := func(media string) string {
		if media == "application/ogg" {
			return "av"
		}
		major, _, _ := strings.Cut(media, "/")
		if major == "audio" || major == "video" {
			return "av"
		}
		if media == "application/pdf" {
			return media
		}
		return major
	}
	return found == octets || kind(told) == kind(found)
}

// disposition is the Content-Disposition of a name: the percent-encoded name
// as contract §7.14 has it, then the form of RFC 8187. Whatever the name
// holds, the value is plain ASCII without a line end or quote.
func disposition(inline bool, name string) string {
	kind := "attachment"
	if inline {
		kind = "inline"
	}
	if name = strings.ToValidUTF8(name, "\uFFFD"); name == "" {
		return kind
	}
	safe := percent(name)
	return kind + `; filename="` + safe + `"; filename*=UTF-8''` + safe
}

// percent encodes everything but letters, digits and "-._~".
func percent(s string) string {
	const hexDigits = "0123456789ABCDEF"
	var b bytes.Buffer
	for _, c := range []byte(s) {
		switch {
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9', strings.IndexByte("-._~", c) >= 0:
			b.WriteByte(c)
		case c == '/' || c == '\\' || c < ' ' || c == 0x7f:
			b.WriteByte('_') // part of no name; a browser might take it for a folder
		default:
			b.WriteByte('%')
			b.WriteByte(hexDigits[c>>4])
			b.WriteByte(hexDigits[c&15])
		}
	}
	return b.String()
}

// Disposition is the Content-Disposition for a link that storage will answer.
func Disposition(inline bool, name string) string { return disposition(inline, name) }
