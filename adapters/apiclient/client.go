// Package apiclient calls the HTTP interface of a Pasteport server, as
// docs/openapi.json describes it. It keeps nothing, asks nobody and prints
// nothing: who uses it knows the credential and talks to people. Bodies and
// files are streams, whatever their size.
package apiclient

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"syscall"
)

// Client calls one server. It is safe for concurrent use.
type Client struct {
	base   string // without a slash at the end
	header http.Header
	http   *http.Client
}

// New returns a client of the server at an address such as
// https://paste.example/base. authorization is the header's value, "ApiKey …"
// or "Bearer …"; empty asks as a visitor. agent is how the client calls itself.
func New(server, authorization, agent string) (*Client, error) {
	u, err := url.Parse(server)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || u.User != nil || u.RawQuery != "" || u.Fragment != "" {
		return nil, fmt.Errorf("%q is not an address like https://paste.example", server)
	}
	h := http.Header{"User-Agent": {agent}, "Accept": {"application/json"}}
	if authorization != "" {
		h.Set("Authorization", authorization)
	}
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.DisableCompression = true // answers keep their lengths
	return &Client{base: strings.TrimRight(server, "/"), header: h, http: &http.Client{Transport: transport, CheckRedirect: withoutSecrets}}, nil
}

// maxRedirects is how often a request is sent elsewhere.
const maxRedirects = 10

// withoutSecrets takes the secrets from a request that is sent on to another
// host or port, such as to a storage.
func withoutSecrets(r *http.Request, before []*http.Request) error {
	if len(before) >= maxRedirects {
		return ErrForeign
	}
	if first := before[0].URL; r.URL.Host != first.Host || r.URL.Scheme != first.Scheme {
		r.Header.Del("Authorization")
		r.Header.Del(passwordHeader)
	}
	return nil
}

// Server is the address of the server, without a slash at the end.
func (c *Client) Server() string { return c.base }

// Error is a refusal of the server.
type Error struct {
	Status  int
	Code    string // the stable machine code; empty where the answer has none
	Message string // for people
	ETag    string // of what is there now, in conflicts
}

// Error is the message without the Chinese words that servers put before an
// English one for programs of the predecessor (docs/api.md, "Answers").
func (e *Error) Error() string { return marked.ReplaceAllString(e.Message, "$1$2") }

var marked = regexp.MustCompile(`^\p{Han}[\p{Han}，]* \((.*?)\)(:|$)`)

// StatusOf is the HTTP status of a refusal, 0 of any other error.
func StatusOf(err error) int {
	var refused *Error
	if errors.As(err, &refused) {
		return refused.Status
	}
	return 0
}

// CodeOf is the machine code of a refusal, "" of any other error.
func CodeOf(err error) string {
	var refused *Error
	if errors.As(err, &refused) {
		return refused.Code
	}
	return ""
}

// ErrForeign is an answer that no Pasteport server gives, or none of a version
// that this client understands.
var ErrForeign = errors.New("the answer is not one that this client understands")

// maxAnswer bounds JSON answers, in bytes.
const maxAnswer = 64 << 20

// request is one call: path begins with "/api/"; header may be nil.
type request struct {
	method, path string
	query        url.Values
	header       http.Header
	body         io.Reader
	size         int64 // of the body; -1: unknown
}

// send makes a call and returns the answer of a success. The caller closes its
// body.
func (c *Client) send(ctx context.Context, in request) (*http.Response, error) {
	address := c.base + in.path
	if strings.Contains(in.path, "://") {
		address = in.path // a link that the server has made
	}
	if len(in.query) > 0 {
		address += "?" + in.query.Encode()
	}
	r, err := http.NewRequestWithContext(ctx, in.method, address, in.body)
	if err != nil {
		return nil, err
	}
	if strings.HasPrefix(address, c.base+"/") { // a storage is not told the credential
		r.Header = c.header.Clone()
	}
	for name, values := range in.header {
		r.Header[name] = values
	}
	if in.body != nil {
		r.ContentLength = in.size
		if in.size == 0 {
			r.Body = http.NoBody
		}
	}
	answer, err := c.http.Do(r)
	if err != nil {
		return nil, withoutAddress(err)
	}
	if answer.StatusCode >= 300 {
		defer func() { _ = answer.Body.Close() }()
		return nil, refusal(answer)
	}
	return answer, nil
}

// withoutAddress is why a request failed, without its address, which may be a
// secret. A server that went away before it answered is no end of anything read.
func withoutAddress(err error) error {
	var failed *url.Error
	if !errors.As(err, &failed) {
		return err
	}
	if failed.Err == io.EOF {
		return io.ErrUnexpectedEOF
	}
	return failed.Err
}

// refusal reads the error of an answer: the envelope, or a text.
func refusal(answer *http.Response) error {
	text, err := io.ReadAll(io.LimitReader(answer.Body, 64<<10))
	if err != nil {
		return err
	}
	e := &Error{Status: answer.StatusCode, ETag: answer.Header.Get("ETag")}
	var body struct {
		Message string
		Error   string
		Data    json.RawMessage
	}
	if json.Unmarshal(text, &body) == nil && body.Message != "" {
		e.Message, e.Code = body.Message, body.Error
		var now struct{ ETag string }
		if json.Unmarshal(body.Data, &now) == nil && now.ETag != "" {
			e.ETag = now.ETag
		}
		return e
	}
	if strings.HasPrefix(answer.Header.Get("Content-Type"), "text/plain") {
		e.Message = strings.TrimSpace(string(text))
	}
	if e.Message == "" {
		e.Message = "the server answers " + answer.Status
	}
	return e
}

// exchange is a call with JSON on both sides.
type exchange struct {
	method, path string
	query        url.Values
	header       http.Header
	in           any  // nil: no body
	out          any  // where the data of the answer goes; nil: nowhere
	bare         bool // the answer has no envelope
	looks        bool // nothing changes by it, not even a view is taken
}

// call makes a call, reads its answer, and returns the answer's header. One that only
// looks is made again when its answer is cut.
func (c *Client) call(ctx context.Context, e exchange) (http.Header, error) {
	for try := 1; ; try++ {
		header, err := c.callOnce(ctx, e)
		if err == nil || !e.looks || try == lookTries || !cut(err) {
			return header, err
		}
		if pause(ctx, try) != nil {
			return header, err
		}
	}
}

// lookTries is how often a call that only looks is made.
const lookTries = 4

// cut reports whether a connection ended before the whole answer had come.
func cut(err error) bool {
	return errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, syscall.ECONNRESET)
}

func (c *Client) callOnce(ctx context.Context, e exchange) (http.Header, error) {
	r := request{method: e.method, path: e.path, query: e.query, header: e.header}
	if e.in != nil {
		body, err := json.Marshal(e.in)
		if err != nil {
			return nil, err
		}
		r.body, r.size = bytes.NewReader(body), int64(len(body))
		if r.header == nil {
			r.header = http.Header{}
		}
		r.header.Set("Content-Type", "application/json")
	}
	answer, err := c.send(ctx, r)
	if err != nil {
		return nil, err
	}
	return answer.Header, read(answer, e.out, e.bare)
}

// read reads a JSON answer and closes its body.
func read(answer *http.Response, out any, bare bool) error {
	defer func() { _ = answer.Body.Close() }()
	if !strings.HasPrefix(answer.Header.Get("Content-Type"), "application/json") {
		return ErrForeign
	}
	raw, err := io.ReadAll(io.LimitReader(answer.Body, maxAnswer))
	if err != nil {
		return err
	}
	if bare {
		if json.Unmarshal(raw, out) != nil {
			return ErrForeign
		}
		return nil
	}
	var envelope struct {
		Success *bool
		Message string
		Data    json.RawMessage
	}
	if json.Unmarshal(raw, &envelope) != nil || envelope.Success == nil {
		return ErrForeign
	}
	if out == nil {
		return nil
	}
	if json.Unmarshal(envelope.Data, out) != nil {
		return ErrForeign
	}
	return nil
}

// Version is the version that the server says it has.
func (c *Client) Version(ctx context.Context) (string, error) {
	var out struct{ Version string }
	_, err := c.call(ctx, exchange{method: http.MethodGet, path: "/api/version", out: &out, looks: true})
	return out.Version, err
}

// SignIn opens a session of an administrator and returns the value of the
// Authorization header for it; code is the second step's, or empty. The refusal
// totp_required says that it is needed.
func (c *Client) SignIn(ctx context.Context, user, password, code string) (string, error) {
	var out struct{ Token string }
	_, err := c.call(ctx, exchange{method: http.MethodPost, path: "/api/admin/login", in: map[string]string{"username": user, "password": password, "totp": code}, out: &out})
	return "Bearer " + out.Token, err
}

// TestKey reports by its error whether the credential is a key that fits.
func (c *Client) TestKey(ctx context.Context) error {
	_, err := c.call(ctx, exchange{method: http.MethodGet, path: "/api/test/api-key"})
	return err
}

// SignOut ends the session of the credential.
func (c *Client) SignOut(ctx context.Context) error {
	_, err := c.call(ctx, exchange{method: http.MethodPost, path: "/api/admin/logout"})
	return err
}
