package pluginhost

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"pasteport/ports"
	"pasteport/ports/objstore"
)

// httpClient sends signed requests. It follows no redirect and never tells the
// address of a request, which holds its signature.
type httpClient struct {
	*http.Client
}

func newHTTPClient() *httpClient {
	transport := &http.Transport{
		Proxy:                 http.ProxyFromEnvironment,
		DialContext:           (&net.Dialer{Timeout: 5 * time.Second, KeepAlive: 30 * time.Second}).DialContext,
		TLSHandshakeTimeout:   5 * time.Second,
		ResponseHeaderTimeout: 15 * time.Second,
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
	var withAddress *url.Error
	if errors.As(err, &withAddress) {
		err = withAddress.Err
	}
	return ports.ErrUnavailable.With(err)
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

// readHTTP reads by a signed request. A refused link may be an old one of the
// cache and is tried once more with a new one.
func (b *remoteBucket) readHTTP(ctx context.Context, key string, r objstore.Range) (*objstore.Body, error) {
	for try := 0; ; try++ {
		link, err := b.readLink(ctx, key)
		if err != nil {
			return nil, err
		}
		body, err := b.http.get(ctx, b.p.timing.Idle, link, key, r)
		if !ports.Is(err, ports.BadGateway) || try > 0 {
			return body, err
		}
		b.links.Remove(key)
	}
}

func (c *httpClient) get(ctx context.Context, idle time.Duration, link objstore.SignedRequest, key string, r objstore.Range) (*objstore.Body, error) {
	ctx, idler := newIdler(ctx, idle)
	resp, err := c.send(ctx, http.MethodGet, link.URL, headerOf(link.Header, r), nil, 0)
	if err != nil {
		idler.cancel()
		return nil, err
	}
	body, err := bodyOf(resp, key, r)
	if err != nil {
		drain(resp.Body)
		idler.cancel()
		return nil, err
	}
	body.ReadCloser = &receivedBody{&answerBody{resp.Body, ctx, body.Length}, idler}
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

// statusError turns the answer of a storage into an error. A refusal by the
// storage is never one of the visitor.
func statusError(resp *http.Response) error {
	cause := errors.New("storage answered " + strconv.Itoa(resp.StatusCode))
	switch resp.StatusCode {
	case http.StatusNotFound:
		return ports.ErrNotFound.With(cause)
	case http.StatusUnauthorized, http.StatusForbidden:
		return &ports.Error{Code: ports.BadGateway, Key: "storage_denied", Cause: cause}
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
		e := ports.ErrUnavailable.With(cause)
		if seconds, err := strconv.Atoi(strings.TrimSpace(resp.Header.Get("Retry-After"))); err == nil && seconds > 0 {
			e.RetryAfter = time.Duration(seconds) * time.Second
		}
		return e
	}
	if resp.StatusCode/100 == 5 {
		return ports.ErrUnavailable.With(cause)
	}
	return &ports.Error{Code: ports.BadGateway, Key: "storage_unavailable", Cause: cause}
}

// answerBody makes sure that a body that ends early is seen, and that its
// errors do not tell the address.
type answerBody struct {
	io.ReadCloser
	ctx  context.Context
	left int64
}

func (b *answerBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	b.left -= int64(n)
	if err == io.EOF && b.left > 0 {
		return n, io.ErrUnexpectedEOF
	}
	if err != nil && err != io.EOF && err != io.ErrUnexpectedEOF {
		err = sendError(b.ctx, err)
	}
	return n, err
}
