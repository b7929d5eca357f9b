package pluginhost

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptrace"
	"strconv"
	"sync/atomic"
	"syscall"
	"time"

	"pasteport/ports"
	"pasteport/ports/bulk"
	"pasteport/ports/objstore"
	"pasteport/ports/outbound"
)

// httpClient sends signed requests. It follows no redirect and never tells the
// address of a request, which holds its signature.
type httpClient struct {
	*http.Client
}

// newHTTPClient returns a client that waits for the first byte of an answer for
// at most the given time and connects within reach.
func newHTTPClient(reach outbound.Reach, firstByte time.Duration) *httpClient {
	dialer := reach.Dialer(5 * time.Second)
	transport := &http.Transport{
		Proxy: reach.Proxy,
		DialContext: func(ctx context.Context, network, address string) (net.Conn, error) {
			conn, err := dialer.DialContext(ctx, network, address)
			if err != nil {
				return nil, err
			}
			return newBulkConn(conn), nil
		},
		TLSHandshakeTimeout:   5 * time.Second,
		ResponseHeaderTimeout: firstByte,
		ExpectContinueTimeout: time.Second,
		IdleConnTimeout:       90 * time.Second,
		MaxIdleConnsPerHost:   64,
		DisableCompression:    true,
		ReadBufferSize:        64 << 10,
		WriteBufferSize:       64 << 10,
		ForceAttemptHTTP2:     true,
	}
	return &httpClient{&http.Client{
		Transport:     transport,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}
}

// bulkConn sends bodies in large pieces while both sides are fast. The transport
// would send them in small ones, which cost more processor time. Those it receives
// can be read past the memory of this process.
type bulkConn struct {
	net.Conn
	raw    syscall.RawConn             // nil where the kernel has no such connection
	piping atomic.Pointer[pipedBuffer] // what the read under way is for; nil: for memory
}

// pipedBuffer is a buffer whose bytes may stand in a pipe instead.
type pipedBuffer struct {
	pipe  *bulk.Pipe
	begin *byte
}

func newBulkConn(conn net.Conn) *bulkConn {
	c := &bulkConn{Conn: conn}
	if s, ok := conn.(syscall.Conn); ok {
		c.raw, _ = s.SyscallConn()
	}
	return c
}

// Read reads into a pipe what ReadInto wants there. The transport reads the bytes of
// a body that are not in its own memory yet into the buffer that its caller gave, and
// only counts them; whatever it reads otherwise is read as it would be.
func (c *bulkConn) Read(p []byte) (int, error) {
	to := c.piping.Load()
	if to == nil || len(p) == 0 || &p[0] != to.begin || !c.piping.CompareAndSwap(to, nil) {
		return c.Conn.Read(p)
	}
	n, err := to.pipe.Fill(c.raw, len(p))
	if errors.Is(err, syscall.EINVAL) || errors.Is(err, syscall.ENOSYS) || errors.Is(err, syscall.EPERM) {
		return c.Conn.Read(p) // there is no way into a pipe here
	}
	return n, err
}

// answerBody is the body of an answer that comes over a connection as it is.
type answerBody struct {
	io.ReadCloser
	conn *bulkConn
}

// ReadInto implements bulk.Source.
func (b answerBody) ReadInto(p *bulk.Pipe, buffer []byte) (int, error) {
	if len(buffer) > 0 {
		b.conn.piping.Store(&pipedBuffer{p, &buffer[0]})
		defer b.conn.piping.Store(nil)
	}
	return b.ReadCloser.Read(buffer)
}

// fastPiece is until when a piece has left a fast connection. Pieces stay small
// where the storage is slow, so that an idler hears between them that bytes still
// leave, and where the sender is, so that the storage does not wait for long.
const fastPiece = 50 * time.Millisecond

// ReadFrom implements io.ReaderFrom, which the transport asks for.
func (c *bulkConn) ReadFrom(src io.Reader) (sent int64, err error) {
	buffer, release := bulk.Buffer()
	defer release()
	for piece := bulk.Small; ; {
		n, failed := src.Read(buffer[:piece])
		began := time.Now()
		written, err := c.Write(buffer[:n])
		sent += int64(written)
		switch {
		case err != nil:
			return sent, err
		case failed == io.EOF:
			return sent, nil
		case failed != nil:
			return sent, failed
		}
		piece = bulk.Small
		if n >= piece && time.Since(began) < fastPiece {
			piece = len(buffer)
		}
	}
}

// send sends one request. The body of the answer must be closed.
func (c *httpClient) send(ctx context.Context, method, address string, header http.Header, body io.Reader, size int64) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, method, address, body)
	if err != nil {
		return nil, errLink("the link is not usable")
	}
	if header != nil {
		req.Header = header
	}
	req.ContentLength = size
	if body != nil && size == 0 {
		req.Body = http.NoBody
	}
	resp, err := c.Do(req)
	if err != nil {
		return nil, sendError(ctx, err)
	}
	return resp, nil
}

// sendError keeps an error of the body or the context and drops the address.
func sendError(ctx context.Context, err error) error {
	var known *ports.Error
	if errors.As(err, &known) {
		return known
	}
	if cause := context.Cause(ctx); errors.As(cause, &known) {
		return known
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return ports.ErrUnavailable.With(outbound.WithoutAddress(err))
}

// put sends a body of known length and returns the ETag of the answer.
func (c *httpClient) put(ctx context.Context, idle time.Duration, address string, header http.Header, body io.Reader, size int64) (etag string, err error) {
	ctx, idler := newIdler(ctx, idle)
	defer idler.cancel()
	if size == 0 { // the transport would not look at the body
		if _, err := io.Copy(io.Discard, body); err != nil {
			return "", err
		}
	}
	resp, err := c.send(ctx, http.MethodPut, address, header, &sentBody{body, idler}, size)
	if err != nil {
		return "", err
	}
	defer drain(resp.Body)
	if resp.StatusCode/100 != 2 {
		return "", statusError(resp)
	}
	return unquote(resp.Header.Get("ETag")), nil
}

// drain lets the connection be used again when little is left.
func drain(body io.ReadCloser) {
	_, _ = io.CopyN(io.Discard, body, 16<<10)
	body.Close()
}

// readHTTP reads by a signed request. The idle time bounds the opening as well,
// all tries together.
func (b *remoteBucket) readHTTP(ctx context.Context, key string, r objstore.Range) (*objstore.Body, error) {
	ctx, idler := newIdler(ctx, b.p.timing.Idle)
	idler.storageTurn()
	body, err := b.fetch(ctx, key, r)
	idler.otherTurn()
	if err != nil {
		idler.cancel()
		return nil, err
	}
	whole := &resumed{ctx: ctx, bucket: b, body: body.ReadCloser, object: body.Object, at: body.Offset, left: body.Length}
	body.ReadCloser = &receivedBody{whole, idler}
	return body, nil
}

// fetch sends the request of a read, several times if need be. A refused link
// may be an old one of the cache and is tried once more with a new one.
func (b *remoteBucket) fetch(ctx context.Context, key string, r objstore.Range) (*objstore.Body, error) {
	for try, renewed := 1, false; ; {
		link, err := b.signed(ctx, b.toRead(key))
		if err != nil {
			return nil, err
		}
		body, err := b.http.get(ctx, link, key, r)
		if ports.Is(err, ports.BadGateway) && !renewed {
			renewed = true
			b.links.Remove(b.toRead(key))
			continue
		}
		if err == nil || !again(ctx, try, err) {
			return body, err
		}
		try++
	}
}

// again waits before the next try of a request that can be repeated. It reports
// false when there is to be none: the storage answered, or has used up the
// time, or asks for more patience than a caller has.
func again(ctx context.Context, try int, err error) bool {
	var failure *ports.Error
	var network net.Error
	if !errors.As(err, &failure) || failure.Code != ports.Unavailable || try >= objstore.Tries || ctx.Err() != nil {
		return false
	}
	if errors.As(err, &network) && network.Timeout() {
		return false
	}
	wait := max(objstore.Backoff(try), failure.RetryAfter)
	if wait > longestPause {
		return false
	}
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}

// longestPause is how long a storage may ask us to wait before the next try.
const longestPause = 5 * time.Second

func (c *httpClient) get(ctx context.Context, link objstore.SignedRequest, key string, r objstore.Range) (*objstore.Body, error) {
	var over net.Conn
	ctx = httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{GotConn: func(i httptrace.GotConnInfo) { over = i.Conn }})
	resp, err := c.send(ctx, http.MethodGet, link.URL, headerOf(link.Header, r), nil, 0)
	if err != nil {
		return nil, err
	}
	body, err := bodyOf(resp, key, r)
	if err != nil {
		drain(resp.Body)
		return nil, err
	}
	body.ReadCloser = resp.Body
	if conn, ok := over.(*bulkConn); ok && conn.raw != nil && body.Length > bulk.Small {
		body.ReadCloser = answerBody{resp.Body, conn}
	}
	return body, nil
}

// bodyOf describes the answer of a read.
func bodyOf(resp *http.Response, key string, r objstore.Range) (*objstore.Body, error) {
	if resp.StatusCode != http.StatusOK && resp.StatusCode != http.StatusPartialContent {
		return nil, statusError(resp)
	}
	if resp.ContentLength < 0 {
		return nil, errLink("the storage tells no length")
	}
	modTime, _ := http.ParseTime(resp.Header.Get("Last-Modified"))
	o := objstore.Object{
		Key: key, Size: resp.ContentLength, ETag: unquote(resp.Header.Get("ETag")),
		ContentType: resp.Header.Get("Content-Type"), ModTime: modTime.UTC(),
	}
	if r.IfMatch != "" && o.ETag != "" && o.ETag != r.IfMatch {
		return nil, objstore.ErrChanged // the storage ignores the condition
	}
	if resp.StatusCode == http.StatusOK {
		offset, length, err := r.Resolve(o.Size)
		if err != nil {
			return nil, err
		}
		if offset > 0 || length < o.Size {
			return nil, errLink("the storage ignores ranges")
		}
		return &objstore.Body{Object: o, Length: length}, nil
	}
	first, last, total, err := contentRange(resp.Header.Get("Content-Range"))
	if err != nil || last-first+1 != resp.ContentLength {
		return nil, errLink("the storage answers with a bad range")
	}
	o.Size = total
	if offset, length, err := r.Resolve(total); err != nil || offset != first || length != resp.ContentLength {
		return nil, errLink("the storage answers with another range")
	}
	return &objstore.Body{Object: o, Offset: first, Length: resp.ContentLength}, nil
}

func contentRange(h string) (first, last, total int64, err error) {
	_, err = fmt.Sscanf(h, "bytes %d-%d/%d", &first, &last, &total)
	return first, last, total, err
}

func rangeHeader(r objstore.Range) string {
	switch {
	case r.Offset < 0:
		return "bytes=" + strconv.FormatInt(r.Offset, 10)
	case r.Length > 0:
		return fmt.Sprintf("bytes=%d-%d", r.Offset, r.Offset+r.Length-1)
	case r.Offset > 0:
		return fmt.Sprintf("bytes=%d-", r.Offset)
	}
	return ""
}

// mostSkew is how far clocks may be apart before signatures are refused for it.
const mostSkew = 5 * time.Minute

// denied is a refusal; it names the clocks when they are what is wrong.
func denied(resp *http.Response, cause error) error {
	e := &ports.Error{Code: ports.BadGateway, Key: "storage_denied", Cause: cause}
	if theirs, err := http.ParseTime(resp.Header.Get("Date")); err == nil && time.Until(theirs).Abs() > mostSkew {
		e.Text, e.Params = "storage_clock_skew", map[string]any{"seconds": int64(time.Until(theirs) / time.Second)}
	}
	return e
}

// errTurnedAway marks the answer of a storage that has not begun with a request:
// too many come at the moment.
var errTurnedAway = errors.New("turned away")

// statusError turns the answer of a storage into an error. A refusal by the
// storage is never one of the visitor.
func statusError(resp *http.Response) error {
	cause := errors.New("storage answered " + strconv.Itoa(resp.StatusCode))
	switch resp.StatusCode {
	case http.StatusNotFound:
		return ports.ErrNotFound.With(cause)
	case http.StatusUnauthorized, http.StatusForbidden:
		return denied(resp, cause)
	case http.StatusPreconditionFailed:
		return objstore.ErrChanged.With(cause)
	case http.StatusConflict:
		return objstore.ErrExists.With(cause)
	case http.StatusRequestedRangeNotSatisfiable:
		return objstore.ErrBadRange.With(cause)
	case http.StatusRequestEntityTooLarge:
		return &ports.Error{Code: ports.TooLarge, Key: "too_large", Cause: cause}
	case http.StatusInsufficientStorage:
		return &ports.Error{Code: ports.Quota, Key: "quota_exceeded", Cause: cause}
	case http.StatusTooManyRequests, http.StatusServiceUnavailable:
		e := ports.ErrUnavailable.With(fmt.Errorf("%w: %w", errTurnedAway, cause))
		e.RetryAfter = outbound.RetryAfter(resp.Header, time.Now())
		return e
	}
	if resp.StatusCode/100 == 5 {
		return ports.ErrUnavailable.With(cause)
	}
	return &ports.Error{Code: ports.BadGateway, Key: "storage_unavailable", Cause: cause}
}
