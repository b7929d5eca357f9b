package webdav

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"pasteport/ports"
	"pasteport/ports/objstore"
	"pasteport/ports/outbound"
)

// answerTime is until an answer begins; workTime when the server first moves
// bytes of its own.
const (
	answerTime = 15 * time.Second
	workTime   = 10 * time.Minute
)

func transport(reach outbound.Reach, roots *x509.CertPool, answer time.Duration) *http.Transport {
	return &http.Transport{
		Proxy:                  reach.Proxy,
		DialContext:            reach.Dialer(5 * time.Second).DialContext,
		TLSClientConfig:        &tls.Config{RootCAs: roots, MinVersion: tls.VersionTLS12},
		TLSHandshakeTimeout:    5 * time.Second,
		ResponseHeaderTimeout:  answer,
		IdleConnTimeout:        90 * time.Second,
		MaxIdleConnsPerHost:    32,
		ReadBufferSize:         64 << 10,
		WriteBufferSize:        64 << 10,
		DisableCompression:     true,
		MaxResponseHeaderBytes: 64 << 10,
		ForceAttemptHTTP2:      true,
	}
}

// client sends requests to one folder of one server.
type client struct {
	base                  *url.URL
	user, password, token string
	hurried, patient      *http.Transport
}

func (c *client) close() {
	c.hurried.CloseIdleConnections()
	c.patient.CloseIdleConnections()
}

// address is that of a name below the folder; slash is "/" for folders.
func (c *client) address(name, slash string) *url.URL {
	u := *c.base
	u.Path = strings.TrimRight(c.base.Path, "/")
	raw := strings.TrimRight(c.base.EscapedPath(), "/")
	if name != "" {
		u.Path += "/" + name
		raw += "/" + objstore.EscapeKey(name)
	}
	u.Path += slash
	u.RawPath = raw + slash
	if u.Path == "" {
		u.Path, u.RawPath = "/", "/"
	}
	return &u
}

// request is what is asked of a server.
type request struct {
	method string
	to     *url.URL
	header map[string]string
	body   io.Reader
	size   int64 // of the body; -1 means unknown
	slow   bool  // the answer may take as long as the work does
}

// send sends a request and gives the answer to be closed when its status is 2xx,
// else an error.
func (c *client) send(ctx context.Context, r request) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, r.method, r.to.String(), nil)
	if err != nil {
		return nil, objstore.ErrBadKey.With(errors.New("no address can be made of the name"))
	}
	if r.body != nil && r.size != 0 {
		req.Body, req.ContentLength = io.NopCloser(r.body), r.size
	}
	for name, value := range r.header {
		req.Header.Set(name, value)
	}
	req.Header.Set("Accept-Encoding", "identity")
	req.Header.Set("User-Agent", "pasteport")
	switch {
	case c.token != "":
		req.Header.Set("Authorization", "Bearer "+c.token)
	case c.user != "" || c.password != "":
		req.SetBasicAuth(c.user, c.password)
	}
	t := c.hurried
	if r.slow {
		t = c.patient
	}
	resp, err := t.RoundTrip(req) // which follows no redirect
	if err != nil {
		return nil, lost(ctx, r.method, err)
	}
	if resp.StatusCode/100 != 2 {
		defer drop(resp)
		return nil, refusal(r.method, resp)
	}
	return resp, nil
}

// longestLock is how long do waits for somebody else's lock, about.
const longestLock = 2 * time.Second

// do is send for answers without anything to read. An answer of several parts
// tells what went wrong inside. Servers lock what a request works on, also for
// requests of ours that run beside it, so what is locked is asked for again.
func (c *client) do(ctx context.Context, r request) error {
	resp, err := c.send(ctx, r)
	for pause := 20 * time.Millisecond; errors.Is(err, errLocked) && r.body == nil && pause < longestLock; pause *= 2 {
		select {
		case <-time.After(pause):
		case <-ctx.Done():
			return err
		}
		resp, err = c.send(ctx, r)
	}
	if err != nil {
		return err
	}
	defer drop(resp)
	if resp.StatusCode == http.StatusMultiStatus {
		return objstore.ErrBadAnswer.With(fmt.Errorf("%s: done in part only", r.method))
	}
	return nil
}

// drop reads a little of what is left, so that the connection can be used again.
func drop(resp *http.Response) {
	_, _ = io.CopyN(io.Discard, resp.Body, 16<<10)
	resp.Body.Close()
}

// lost is the error of a request without an answer. It never tells the address.
func lost(ctx context.Context, doing string, err error) error {
	if ctx.Err() != nil {
		return fmt.Errorf("%s: %w", doing, ctx.Err())
	}
	var ours *ports.Error
	if errors.As(err, &ours) {
		return ours
	}
	var cert *tls.CertificateVerificationError
	if errors.As(err, &cert) {
		return denied.Saying(text(
			"The server's certificate is not trusted. If your own authority made it, enter that authority's certificate.",
			"服务器证书不受信任。如由自建 CA 签发，请填写该 CA 的证书。")).With(fmt.Errorf("%s: %w", doing, cert.Err))
	}
	if errors.Is(err, outbound.ErrPrivate) {
		return denied.With(fmt.Errorf("%s: %w", doing, outbound.ErrPrivate))
	}
	for next := errors.Unwrap(err); next != nil; next = errors.Unwrap(err) {
		err = next
	}
	return ports.ErrUnavailable.With(fmt.Errorf("%s: %w", doing, err))
}

var denied = &ports.Error{Code: ports.BadGateway, Key: "storage_denied", Text: "storage_access_denied"}

// errStatus are the errors by what a server answers. Conflict is a folder that is
// missing (RFC 4918 §9.3.1, §9.7.1, §9.9.4).
var errStatus = map[int]*ports.Error{
	http.StatusUnauthorized: denied.Saying(text("The server refuses the user name, the password or the token.", "服务器拒绝了用户名、密码或令牌。")),
	http.StatusForbidden:    denied,
	http.StatusNotFound:     ports.ErrNotFound,
	http.StatusGone:         ports.ErrNotFound,
	http.StatusConflict:     ports.ErrNotFound,
	http.StatusMethodNotAllowed: objstore.ErrUnsupported.Saying(text(
		"The server does not allow a method of WebDAV here.", "服务器在此处不允许所需的 WebDAV 方法。")),
	http.StatusPreconditionFailed:           objstore.ErrExists,
	http.StatusRequestEntityTooLarge:        {Code: ports.TooLarge, Key: "too_large"},
	http.StatusRequestURITooLong:            objstore.ErrBadKey,
	http.StatusRequestedRangeNotSatisfiable: objstore.ErrBadRange,
	http.StatusNotImplemented:               objstore.ErrUnsupported,
	http.StatusInsufficientStorage:          {Code: ports.Quota, Key: "quota_exceeded", Text: "storage_cap_exceeded"},
}

// errLocked is an answer of 423.
var errLocked = errors.New("it is locked")

// errElsewhere is a redirect.
var errElsewhere = errors.New("redirects are not followed")

// refusal is the error of an answer that is none of 2xx.
func refusal(doing string, resp *http.Response) error {
	cause := fmt.Errorf("%s: the server answered %d", doing, resp.StatusCode)
	e := errStatus[resp.StatusCode]
	switch {
	case e != nil:
		return e.With(cause)
	case resp.StatusCode/100 == 3:
		return (&ports.Error{Code: ports.BadGateway, Key: "storage_unavailable"}).Saying(text(
			"The server sends us to another address. Enter the final address of the folder.", "服务器要求跳转到其他地址，请填写文件夹的最终地址。")).With(errors.Join(cause, errElsewhere))
	case resp.StatusCode/100 == 5, resp.StatusCode == http.StatusTooManyRequests, resp.StatusCode == http.StatusLocked:
		if resp.StatusCode == http.StatusLocked {
			cause = errors.Join(cause, errLocked)
		}
		e := ports.ErrUnavailable.With(cause)
		e.RetryAfter = outbound.RetryAfter(resp.Header, time.Now())
		return e
	}
	return (&ports.Error{Code: ports.BadGateway, Key: "storage_unavailable"}).With(cause)
}
