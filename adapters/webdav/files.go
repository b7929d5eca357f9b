package webdav

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"

	"pasteport/domain/mounts"
	"pasteport/domain/mounts/transfer"
	"pasteport/ports"
)

// get answers GET and HEAD (contract §8.6). Clients that cannot follow a
// redirect get the bytes from this server, whatever the mount says.
func (h *Handler) get(x *exchange) error {
	d, err := h.Resources.Fetch(x.r.Context(), x.caller, x.path)
	if errors.Is(err, mounts.ErrType) {
		return x.notAllowed()
	}
	if err != nil {
		return err
	}
	elsewhere := d.Elsewhere
	if h.stays(x.r.UserAgent()) {
		elsewhere = func(context.Context) (string, error) { return "", nil }
	}
	return h.Send(x.ResponseWriter, x.r, d.File, elsewhere)
}

// stays reports whether a client cannot follow a redirect to a storage.
func (h *Handler) stays(agent string) bool {
	for _, part := range h.Settings.WebDAVNoRedirectAgents() {
		if part != "" && strings.Contains(strings.ToLower(agent), strings.ToLower(part)) {
			return true
		}
	}
	return false
}

// put answers PUT (contract §8.7). What refuses it is known before the first
// byte of the body is asked for.
func (h *Handler) put(x *exchange) error {
	r := x.r
	if r.Header.Get("Content-Range") != "" {
		return ports.InvalidInput("content_range", "Content-Range")
	}
	if h.ignores(x.path) {
		return errIgnored
	}
	body := &sized{r: r.Body, want: r.ContentLength}
	if body.want < 0 {
		body.want = expectedLength(r.Header)
	}
	w := mounts.Write{
		Size: body.want, ContentType: r.Header.Get("Content-Type"), Conditions: x.caller.Conditions,
		Overwrite: true, MakeParents: h.Settings.WebDAVCreateParents(), InParts: h.Settings.WebDAVUploadMode() == "multipart",
	}
	w.ModTime = sentTime(r.Header)
	e, created, err := h.Tree.Write(r.Context(), x.caller, x.path, body, w)
	if body.wrong {
		return ports.InvalidInput("body_length", "body")
	}
	if err != nil {
		return err
	}
	if e.ETag != "" {
		x.Header()["Etag"] = []string{`"` + e.ETag + `"`}
	}
	if e.Stamped {
		x.Header()["X-Oc-Mtime"] = []string{"accepted"}
	}
	return x.created(created)
}

// sentTime is when the content was last changed, as sync clients tell it in
// seconds since 1970; zero when they do not.
func sentTime(h http.Header) time.Time {
	seconds, err := strconv.ParseInt(h.Get("X-OC-Mtime"), 10, 64)
	if err != nil || seconds <= 0 || seconds > latestTime {
		return time.Time{}
	}
	return time.Unix(seconds, 0)
}

// latestTime is the end of the year 9999, in seconds since 1970: later times
// cannot be written.
const latestTime = 253402300799

// expectedLength is the length that the Finder announces when it sends a body
// in chunks; -1 when there is none.
func expectedLength(h http.Header) int64 {
	n, err := strconv.ParseInt(h.Get("X-Expected-Entity-Length"), 10, 64)
	if err != nil || n < 0 {
		return -1
	}
	return n
}

// sized fails a body that is longer or shorter than announced.
type sized struct {
	r     io.Reader
	want  int64 // bytes; -1 means unknown
	n     int64
	wrong bool
}

func (s *sized) Read(p []byte) (int, error) {
	n, err := s.r.Read(p)
	s.n += int64(n)
	if s.want >= 0 && (s.n > s.want || err == io.EOF && s.n < s.want) {
		s.wrong = true
		return 0, io.ErrUnexpectedEOF
	}
	return n, err
}

// created answers a write.
func (x *exchange) created(isNew bool) error {
	if isNew {
		return x.respond(http.StatusCreated)
	}
	return x.respond(http.StatusNoContent)
}

// errIgnored refuses what file managers scatter, where the operator wants that.
var errIgnored = &Failure{Status: http.StatusForbidden, Err: &ports.Error{Code: ports.Forbidden, Key: "permission_denied", Text: "system_file"}}

// ignores reports whether a file is one of those, by its name.
func (h *Handler) ignores(path string) bool {
	if !h.Settings.WebDAVIgnoreSystemFiles() {
		return false
	}
	name := path[strings.LastIndexByte(strings.TrimSuffix(path, "/"), '/')+1:]
	name = strings.ToLower(strings.TrimSuffix(name, "/"))
	switch name {
	case ".ds_store", ".localized", ".metadata_never_index", ".spotlight-v100", ".trashes", ".fseventsd", ".apdisk",
		"thumbs.db", "ehthumbs.db", "desktop.ini", "$recycle.bin", "system volume information":
		return true
	}
	return strings.HasPrefix(name, "._")
}

// mkcol answers MKCOL (contract §8.8).
func (h *Handler) mkcol(x *exchange) error {
	if hasBody(x.r) {
		return &ports.Error{Code: ports.Unsupported, Key: "unsupported_media"}
	}
	if h.ignores(x.path) {
		return errIgnored
	}
	err := h.Tree.Mkdir(x.r.Context(), x.caller, x.path, mounts.NewFolder{Strict: true, MakeParents: h.Settings.WebDAVCreateParents()})
	if errors.Is(err, ports.ErrConflict) {
		return x.notAllowed() // it is there
	}
	if err != nil {
		return err
	}
	return x.respond(http.StatusCreated)
}

func hasBody(r *http.Request) bool {
	return r.ContentLength > 0 || r.ContentLength < 0 && r.Body != nil && r.Body != http.NoBody
}

// remove answers DELETE (contract §8.9). A folder goes with all that is in it,
// whatever the client would like; of a file Depth says nothing.
func (h *Handler) remove(x *exchange) error {
	depth, err := x.depth(infinite)
	if err != nil {
		return err
	}
	if err := h.Transfers.Delete(x.r.Context(), x.caller, x.path, transfer.Deletion{Shallow: depth != infinite}); err != nil {
		return err
	}
	if h.Deleted != nil {
		if err := h.Deleted(x.r.Context(), x.path); err != nil {
			return err
		}
	}
	return x.respond(http.StatusNoContent)
}
