package apiclient

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
)

// Content is what an address holds, from a place of it on. Who got it closes it.
type Content struct {
	io.ReadCloser
	From int64  // bytes that stand before what is read
	Size int64  // bytes of the whole; -1 when nobody tells
	ETag string // of a content that can be gone on with; else empty
}

// Source opens a content behind its first bytes, as long as it is still the one
// with this ETag, and from its beginning when it is another one. Without an
// ETag it is opened from its beginning.
type Source func(ctx context.Context, from int64, etag string) (Content, error)

// Visit is an open share of a file.
type Visit struct {
	Name     string `json:"filename"`
	Ticket   string // proves for some hours that the visit was paid for by a view
	Checksum *Checksum
}

// Checksum says of a content byte for byte what it is.
type Checksum struct {
	Algorithm string `json:"algorithm"`
	Value     string `json:"value"` // in hex
}

// Visit opens a share of a file, which takes a view. password is the share's,
// or empty.
func (c *Client) Visit(ctx context.Context, slug, password string) (v Visit, err error) {
	at := "/api/public/files/" + url.PathEscape(slug)
	if password == "" {
		_, err = c.call(ctx, exchange{method: http.MethodGet, path: at, out: &v})
	} else {
		_, err = c.call(ctx, exchange{method: http.MethodPost, path: at + "/verify", in: map[string]string{"password": password}, out: &v})
	}
	return v, err
}

// OpenShared is the source of a visited share.
func (c *Client) OpenShared(slug, ticket string) Source {
	return c.source(request{method: http.MethodGet, path: "/api/file-download/" + url.PathEscape(slug), query: url.Values{"ticket": {ticket}}})
}

// OpenText is the source of a shared text, which comes whole. Opening it takes a
// view.
func (c *Client) OpenText(slug, password string) Source {
	in := request{method: http.MethodGet, path: "/api/raw/" + url.PathEscape(slug)}
	if password != "" {
		in.header = http.Header{passwordHeader: {password}}
	}
	source := c.source(in)
	return func(ctx context.Context, _ int64, _ string) (Content, error) {
		content, err := source(ctx, 0, "")
		content.ETag = ""
		return content, err
	}
}

// OpenFile is the source of a file of the mounts.
func (c *Client) OpenFile(file string) Source {
	return c.source(request{method: http.MethodGet, path: "/api/fs/download", query: url.Values{"path": {file}}})
}

// passwordHeader carries the password of a share; no other server is told it.
const passwordHeader = "X-Share-Password"

func (c *Client) source(in request) Source {
	return func(ctx context.Context, from int64, etag string) (Content, error) {
		call := in
		call.header = in.header.Clone()
		if call.header == nil {
			call.header = http.Header{}
		}
		if from > 0 && etag != "" {
			call.header.Set("Range", fmt.Sprintf("bytes=%d-", from))
			call.header.Set("If-Range", etag)
		}
		answer, err := c.send(ctx, call)
		if err != nil {
			return Content{}, err
		}
		content := Content{ReadCloser: answer.Body, Size: answer.ContentLength, ETag: strong(answer.Header.Get("ETag"))}
		if answer.StatusCode == http.StatusPartialContent {
			content.From, content.Size, err = placeIn(answer.Header.Get("Content-Range"))
			if err == nil && content.From != from {
				err = ErrForeign
			}
			if err != nil {
				return Content{}, errors.Join(err, answer.Body.Close())
			}
		}
		return content, nil
	}
}

// strong is an ETag that says byte for byte what a content is, or nothing.
func strong(etag string) string {
	if strings.HasPrefix(etag, `"`) {
		return etag
	}
	return ""
}

// placeIn reads a header such as "bytes 3-10/11".
func placeIn(contentRange string) (from, size int64, err error) {
	var end int64
	var whole string
	if _, err := fmt.Sscanf(contentRange, "bytes %d-%d/%s", &from, &end, &whole); err != nil {
		return 0, 0, ErrForeign
	}
	if whole == "*" {
		return from, -1, nil
	}
	size, err = strconv.ParseInt(whole, 10, 64)
	if err != nil || end != size-1 {
		return 0, 0, ErrForeign
	}
	return from, size, nil
}

// Kept is a file that holds the beginning of a content.
type Kept interface {
	io.ReaderAt
	io.WriterAt
	Truncate(size int64) error
}

// Fetch is a content that is brought into a file.
type Fetch struct {
	Source Source
	To     Kept
	ETag   string // of the content whose first Have bytes To holds
	Have   int64
	// Began is told of the content before its first byte is written, Moved of
	// how many bytes of it To has.
	Began func(etag string) error
	Moved func(have, size int64)
}

const (
	// fetchTries is how often a content is opened in a row without a byte more.
	fetchTries = 6
	// fetchOverlap is how many bytes are fetched again, to see that those To
	// holds come from the same content.
	fetchOverlap = 64 << 10
)

// Run brings the content. What was cut goes on where it was, over several tries;
// when the content is another one than that of ETag, or To holds other bytes, it
// is brought anew. After an error To holds what has come.
func (f *Fetch) Run(ctx context.Context) error {
	for try := 1; ; try++ {
		before := f.Have
		whole, err := f.once(ctx)
		if whole || err == nil {
			return err
		}
		if f.Have > before {
			try = 1
		}
		if f.ETag == "" || final(ctx, err) || try >= fetchTries {
			return err
		}
		if err := pause(ctx, try); err != nil {
			return err
		}
	}
}

// Pipe passes a content on as it comes. It remembers the end of what it passed
// on, so that a content that was cut can go on.
func Pipe(to io.Writer) Kept { return &pipe{to: to} }

type pipe struct {
	to   io.Writer
	end  int64  // bytes that were passed on
	last []byte // the last of them
}

func (p *pipe) WriteAt(piece []byte, at int64) (int, error) {
	if at != p.end {
		return 0, errOther
	}
	n, err := p.to.Write(piece)
	p.end += int64(n)
	p.last = append(p.last, piece[:n]...)
	p.last = append(p.last[:0], p.last[max(0, len(p.last)-fetchOverlap):]...)
	return n, err
}

func (p *pipe) ReadAt(piece []byte, at int64) (int, error) {
	front := at - (p.end - int64(len(p.last)))
	if front < 0 || front+int64(len(piece)) > int64(len(p.last)) {
		return 0, io.EOF
	}
	return copy(piece, p.last[front:]), nil
}

// Truncate fails once something was passed on: nobody can take it back.
func (p *pipe) Truncate(int64) error {
	if p.end > 0 {
		return errOther
	}
	return nil
}

// ErrSpoilt is a content that is not the one its checksum speaks of.
var ErrSpoilt = errors.New("what has come is not what the server has")

// Prove reads a content that is whole and compares it. A checksum of a kind that
// is not known proves nothing, and so does none.
//
// Returns ErrSpoilt for another content.
func (s *Checksum) Prove(content io.Reader) error {
	if s == nil || s.Algorithm != "sha256-128" {
		return nil
	}
	sum := sha256.New()
	if _, err := io.Copy(sum, content); err != nil {
		return err
	}
	if hex.EncodeToString(sum.Sum(nil)[:16]) != s.Value {
		return ErrSpoilt
	}
	return nil
}

// errOther is a file that does not hold what the content begins with.
var errOther = errors.New("what is here is not the beginning of what is there")

// once brings what is missing until it is cut. whole reports that trying again
// would not help.
func (f *Fetch) once(ctx context.Context) (whole bool, err error) {
	again := min(f.Have, fetchOverlap)
	if f.ETag == "" {
		f.Have, again = 0, 0
	}
	content, err := f.Source(ctx, f.Have-again, f.ETag)
	if err != nil {
		return false, err
	}
	defer func() { _ = content.Close() }()
	switch {
	case f.Have > 0 && (content.From != f.Have-again || content.ETag != f.ETag):
		f.Have = 0 // another content, from its beginning
	case f.Have > 0:
		err = f.compare(content, again)
		if errors.Is(err, errOther) {
			f.ETag, f.Have = "", 0
			return f.once(ctx)
		}
		if err != nil {
			return false, err
		}
	}
	if f.Have == 0 {
		if err := errors.Join(f.To.Truncate(0), f.Began(content.ETag)); err != nil {
			return true, err
		}
		f.ETag = content.ETag
	}
	return f.copy(content)
}

// compare reads the last bytes that To holds again.
func (f *Fetch) compare(content io.Reader, again int64) error {
	theirs, ours := make([]byte, again), make([]byte, again)
	if _, err := io.ReadFull(content, theirs); err != nil {
		return err
	}
	if _, err := f.To.ReadAt(ours, f.Have-again); err != nil || !bytes.Equal(ours, theirs) {
		return errOther
	}
	return nil
}

// copy writes the rest of the content.
func (f *Fetch) copy(content Content) (whole bool, err error) {
	piece := make([]byte, 256<<10)
	for {
		n, err := content.Read(piece)
		if n > 0 {
			if _, err := f.To.WriteAt(piece[:n], f.Have); err != nil {
				return true, err
			}
			f.Have += int64(n)
			f.Moved(f.Have, content.Size)
		}
		switch {
		case err == io.EOF && content.Size >= 0 && f.Have != content.Size:
			return false, io.ErrUnexpectedEOF
		case err == io.EOF:
			return true, nil
		case err != nil:
			return false, err
		}
	}
}

// final reports whether trying again would bring the same.
func final(ctx context.Context, err error) bool {
	status := StatusOf(err)
	return ctx.Err() != nil || errors.Is(err, ErrForeign) ||
		status >= 400 && status < 500 && status != http.StatusTooManyRequests && status != http.StatusRequestTimeout
}

// pause waits before a further try: a quarter of a second, then twice as long
// each time.
func pause(ctx context.Context, try int) error {
	select {
	case <-time.After(250 * time.Millisecond << (try - 1)):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
