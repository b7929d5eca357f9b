// Package roundtrip sends requests to this server through its public address, to see
// what stands between: proxies that cut or buffer bodies, lose headers or block
// methods.
package roundtrip

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"time"

	"pasteport/domain/doctor"
)

// Echo is what the server tells.
type Echo struct {
	Bytes   int64    `json:"bytes"`     // of the body
	Spread  int64    `json:"spread_ms"` // between its first and its last byte
	Scheme  string   `json:"scheme"`    // http or https
	Client  string   `json:"client"`    // address that the request comes from
	Headers []string `json:"headers"`   // those of doctor.Headers that arrived
}

const (
	bodySize = 12 << 20 // larger than a part, and than what proxies take by default
	firstBit = 64 << 10
	pause    = 700 * time.Millisecond
	maxTime  = 30 * time.Second
)

// methods are those of WebDAV that proxies block.
var methods = []string{"PROPFIND", "PROPPATCH", "MKCOL", "COPY", "MOVE", "LOCK", "UNLOCK", http.MethodPut, http.MethodDelete}

// Client implements doctor.Outside over HTTP. The zero value works.
type Client struct {
	// Transport is that of the requests; nil for a new one without proxies.
	Transport http.RoundTripper
}

var _ doctor.Outside = Client{}

// Look implements doctor.Outside.
func (c Client) Look(ctx context.Context, address, token string) (seen doctor.Seen, err error) {
	ctx, cancel := context.WithTimeout(ctx, maxTime)
	defer cancel()
	transport := c.Transport
	if transport == nil {
		own := &http.Transport{TLSHandshakeTimeout: 5 * time.Second, ResponseHeaderTimeout: 15 * time.Second, DisableCompression: true}
		defer own.CloseIdleConnections()
		transport = own
	}
	client := &http.Client{Transport: transport, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	address = strings.TrimRight(address, "/")

	small, answer, err := echo(ctx, client, address, token, strings.NewReader("doctor"), 6)
	if err != nil {
		return seen, err
	}
	if answer.TLS != nil && len(answer.TLS.PeerCertificates) > 0 {
		seen.Secure, seen.CertEnds = true, answer.TLS.PeerCertificates[0].NotAfter
	}
	if small == nil {
		seen.Other = true
		return seen, nil
	}
	seen.Scheme, seen.Client = small.Scheme, small.Client
	for _, name := range doctor.Headers {
		if !slices.Contains(small.Headers, name) {
			seen.Lost = append(seen.Lost, name)
		}
	}
	large, answer, err := echo(ctx, client, address, token, &slowly{rest: bodySize, ctx: ctx}, bodySize)
	seen.Sent = bodySize
	switch {
	case err != nil && ctx.Err() != nil:
		return seen, err
	case err != nil: // cut in the middle
	case large == nil:
		seen.BodyLimit = answer.StatusCode
	default:
		seen.Got = large.Bytes
		seen.Buffered = large.Bytes == bodySize && large.Spread < pause.Milliseconds()/2
	}
	for _, method := range methods {
		if arrived, err := arrives(ctx, client, method, address+"/dav/"); err != nil {
			return seen, err
		} else if !arrived {
			seen.Blocked = append(seen.Blocked, method)
		}
	}
	return seen, nil
}

// echo posts a body; it is nil when somebody else answered.
func echo(ctx context.Context, client *http.Client, address, token string, body io.Reader, size int64) (*Echo, *http.Response, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, address+doctor.EchoPath, body)
	if err != nil {
		return nil, nil, err
	}
	request.ContentLength = size
	request.Header.Set("Content-Type", "application/octet-stream")
	request.Header.Set(doctor.TokenHeader, token)
	request.Header.Set("X-Forwarded-For", doctor.Forged)
	for _, name := range doctor.Headers {
		request.Header.Set(name, `"doctor"`)
	}
	answer, err := client.Do(request)
	if err != nil {
		return nil, nil, err
	}
	defer func() { _ = answer.Body.Close() }()
	var in struct {
		Data *Echo `json:"data"`
	}
	text, err := io.ReadAll(io.LimitReader(answer.Body, 64<<10))
	if err != nil {
		return nil, nil, err
	}
	if answer.StatusCode != http.StatusOK || json.Unmarshal(text, &in) != nil || in.Data == nil || in.Data.Scheme == "" {
		return nil, answer, nil
	}
	return in.Data, answer, nil
}

// arrives reports whether a request without credentials is answered by the server
// itself: it gives each request an id, and asks who is there.
func arrives(ctx context.Context, client *http.Client, method, address string) (bool, error) {
	request, err := http.NewRequestWithContext(ctx, method, address, http.NoBody)
	if err != nil {
		return false, err
	}
	answer, err := client.Do(request)
	if err != nil {
		return false, fmt.Errorf("%s: %w", method, err)
	}
	defer func() { _ = answer.Body.Close() }()
	_, _ = io.Copy(io.Discard, io.LimitReader(answer.Body, 64<<10))
	return answer.Header.Get("X-Request-Id") != "" && answer.StatusCode == http.StatusUnauthorized, nil
}

// slowly is a body that pauses after its first bit.
type slowly struct {
	ctx  context.Context
	rest int64
	n    int64
}

// Read implements io.Reader.
func (s *slowly) Read(p []byte) (int, error) {
	if s.n == firstBit {
		wait := time.NewTimer(pause)
		defer wait.Stop()
		select {
		case <-wait.C:
		case <-s.ctx.Done():
			return 0, s.ctx.Err()
		}
	}
	most := s.rest
	if s.n < firstBit {
		most = firstBit - s.n
	}
	if most == 0 {
		return 0, io.EOF
	}
	n := min(int64(len(p)), most)
	copy(p, bytes.Repeat([]byte{'x'}, int(n)))
	s.n, s.rest = s.n+n, s.rest-n
	return int(n), nil
}
