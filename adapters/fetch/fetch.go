// Package fetch reads addresses of the web on behalf of callers who are not
// trusted. It hides everything that makes that dangerous: which hosts may be
// reached, redirects, name servers that change their mind, and sites that are
// slow or never end. It keeps nothing and knows nothing of shares.
package fetch

import (
	"context"
	"errors"
	"mime"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	"pasteport/ports"
	"pasteport/ports/outbound"
)

// Bounds of one fetch.
const (
	maxAddress   = 8 << 10  // bytes of an address
	maxHeader    = 64 << 10 // bytes of an answer's header
	maxRedirects = 5
	userAgent    = "Pasteport"
)

// pace says how long a site may take.
type pace struct {
	connect time.Duration // to look up the name and connect
	first   time.Duration // from the request to the header
	lead    time.Duration // all redirects together, up to the last header
	whole   time.Duration // all of it
	grace   time.Duration // reading time before the rate counts
	rate    int64         // bytes a second, at least
}

var usual = pace{connect: 5 * time.Second, first: 10 * time.Second, lead: 30 * time.Second, whole: 10 * time.Minute, grace: 10 * time.Second, rate: 10_000}

// The errors of a fetch. A host that may not be reached and one that does not
// answer look alike.
var (
	errAddress     = &ports.Error{Code: ports.Invalid, Key: "invalid_argument", Text: "url_invalid"}
	errUnreachable = &ports.Error{Code: ports.Invalid, Key: "invalid_argument", Text: "url_unreachable"}
	errStatus      = &ports.Error{Code: ports.Invalid, Key: "invalid_argument", Text: "url_status"}

	// errRefused is the guard's own refusal; it leaves as errUnreachable.
	errRefused = errors.New("this address may not be fetched")
)

// Client implements ports.Fetcher. It is safe for concurrent use.
type Client struct {
	http *http.Client
	mail *guard
	pace pace
}

var _ ports.Fetcher = (*Client)(nil)

// New returns a client. allow lists what may be reached besides public hosts
// on the usual ports: hosts, addresses, CIDR blocks, and hosts or addresses
// with a port. It returns an error for an entry that is none of these.
func New(allow []string) (*Client, error) {
	list, err := parseAllow(allow)
	if err != nil {
		return nil, err
	}
	return newClient(&guard{allow: list, ports: usualPorts}, usual), nil
}

func newClient(g *guard, p pace) *Client {
	g.connect = p.connect
	transport := &http.Transport{
		Proxy:                  nil, // the environment's proxy would make the connection for us
		DialContext:            g.dial,
		DisableKeepAlives:      true, // each request is checked anew
		DisableCompression:     true,
		TLSHandshakeTimeout:    p.connect,
		ResponseHeaderTimeout:  p.first,
		MaxResponseHeaderBytes: maxHeader,
	}
	return &Client{pace: p, mail: &guard{allow: g.allow, ports: mailPorts, connect: p.connect, resolver: g.resolver}, http: &http.Client{Transport: transport, CheckRedirect: checkRedirect}}
}

func checkRedirect(r *http.Request, via []*http.Request) error {
	if len(via) > maxRedirects {
		return errRefused
	}
	r.Header.Del("Referer")
	return checkAddress(r.URL)
}

// parse reads an address. Returns Invalid for one that is not of the web.
func parse(address string) (*url.URL, error) {
	if len(address) > maxAddress {
		return nil, errAddress
	}
	u, err := url.Parse(address)
	if err != nil {
		return nil, errAddress
	}
	return u, checkAddress(u)
}

// checkAddress refuses addresses by their form: other schemes than http and
// https, no host, and names or passwords in front of the host. Where an
// address leads is the guard's question.
func checkAddress(u *url.URL) error {
	if u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "" || u.User != nil || u.Opaque != "" {
		return errAddress
	}
	return nil
}

// Look asks by HEAD, and by GET where a site does not answer that.
func (c *Client) Look(ctx context.Context, address string) (ports.Remote, error) {
	u, err := parse(address)
	if err != nil {
		return ports.Remote{}, err
	}
	ctx, cancel := context.WithTimeout(ctx, c.pace.lead)
	defer cancel()
	answer, err := c.ask(ctx, http.MethodHead, u)
	if err != nil && retryWithGet(err) {
		answer, err = c.ask(ctx, http.MethodGet, u)
	}
	if err != nil {
		return ports.Remote{}, translate(ctx, err)
	}
	answer.Body.Close()
	return describe(answer), nil
}

// retryWithGet reports whether a failed HEAD says nothing about GET: the site
// answered it with an error, or hung up on it.
func retryWithGet(err error) bool {
	var op *net.OpError
	if errors.Is(err, errRefused) || errors.As(err, &op) && op.Op == "dial" {
		return false
	}
	return !errors.Is(err, context.DeadlineExceeded) && !errors.Is(err, context.Canceled)
}

// Open reads an address by GET.
func (c *Client) Open(ctx context.Context, address string) (*ports.RemoteBody, error) {
	u, err := parse(address)
	if err != nil {
		return nil, err
	}
	running, cancel := context.WithTimeout(ctx, c.pace.whole)
	lead := time.AfterFunc(c.pace.lead, cancel)
	answer, err := c.ask(running, http.MethodGet, u)
	if err == nil && !lead.Stop() {
		answer.Body.Close()
		err = context.DeadlineExceeded
	}
	if err != nil {
		lead.Stop()
		cancel()
		return nil, translate(ctx, err)
	}
	return &ports.RemoteBody{ReadCloser: newPacedBody(answer.Body, c.pace, cancel), Remote: describe(answer)}, nil
}

// ask sends one request and follows its redirects. An answer other than 2xx is
// an error.
func (c *Client) ask(ctx context.Context, method string, u *url.URL) (*http.Response, error) {
	r := (&http.Request{Method: method, URL: u, Host: u.Host, Header: http.Header{
		"User-Agent": {userAgent}, "Accept": {"*/*"}, "Accept-Encoding": {"identity"},
	}}).WithContext(ctx)
	answer, err := c.http.Do(r)
	if err != nil {
		if answer != nil {
			answer.Body.Close()
		}
		return nil, err
	}
	if answer.StatusCode < 200 || answer.StatusCode > 299 {
		answer.Body.Close()
		return nil, errStatus.WithParams(map[string]any{"status": answer.StatusCode})
	}
	return answer, nil
}

// translate gives errors their meaning. The address itself stays out of them:
// its query may hold a secret, and errors are logged.
func translate(ctx context.Context, err error) error {
	if errors.Is(ctx.Err(), context.Canceled) {
		return ctx.Err() // the caller went away
	}
	var own *ports.Error
	if errors.As(err, &own) && own.Text == errStatus.Text {
		return own
	}
	return errUnreachable.With(outbound.WithoutAddress(err))
}

// describe reads an answer's header.
func describe(a *http.Response) ports.Remote {
	r := ports.Remote{Method: a.Request.Method, Size: a.ContentLength, CORS: a.Header.Get("Access-Control-Allow-Origin") == "*"}
	if media, _, err := mime.ParseMediaType(a.Header.Get("Content-Type")); err == nil && strings.Count(media, "/") == 1 {
		r.ContentType = media
	}
	if _, params, err := mime.ParseMediaType(a.Header.Get("Content-Disposition")); err == nil {
		r.Name = params["filename"]
	}
	if modified := a.Header.Get("Last-Modified"); modified != "" {
		if _, err := http.ParseTime(modified); err == nil {
			r.LastModified = modified
		}
	}
	return r
}
