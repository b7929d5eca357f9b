// Package probe sends single requests to storages for the storage test. It has
// no guard against private addresses: only addresses that the administrator
// set reach it.
package probe

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"time"

	"pasteport/ports"
	"pasteport/ports/outbound"
)

// Waits and bounds of a request.
const (
	dialWait  = 5 * time.Second
	tlsWait   = 5 * time.Second
	firstByte = 10 * time.Second
	maxHeader = 64 << 10 // bytes
	maxBody   = 64 << 10 // bytes read before the connection is given up
)

// Client implements ports.Prober over HTTP.
type Client struct{ http *http.Client }

var _ ports.Prober = (*Client)(nil)

// New returns a client that keeps no connection and no cookie and connects
// within reach.
func New(reach outbound.Reach) *Client {
	return &Client{&http.Client{
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		Transport: &http.Transport{
			Proxy:               reach.Proxy, // as the drivers do
			DialContext:         reach.Dialer(dialWait).DialContext,
			TLSHandshakeTimeout: tlsWait, ResponseHeaderTimeout: firstByte,
			MaxResponseHeaderBytes: maxHeader, DisableKeepAlives: true, DisableCompression: true,
		},
	}}
}

// Probe implements ports.Prober.
func (c *Client) Probe(ctx context.Context, p ports.Probe) (ports.ProbeAnswer, error) {
	request, err := http.NewRequestWithContext(ctx, p.Method, p.URL, bytes.NewReader(p.Body))
	if err != nil {
		return ports.ProbeAnswer{}, ports.ErrUnavailable.With(err)
	}
	for name, values := range p.Header {
		request.Header[name] = values
	}
	if host := request.Header.Get("Host"); host != "" {
		request.Host = host
	}
	answer, err := c.http.Do(request)
	if err != nil {
		if ctx.Err() != nil {
			return ports.ProbeAnswer{}, ctx.Err()
		}
		return ports.ProbeAnswer{}, ports.ErrUnavailable.With(outbound.WithoutAddress(err))
	}
	defer answer.Body.Close()
	_, _ = io.Copy(io.Discard, io.LimitReader(answer.Body, maxBody)) // a server may want to finish its sentence
	return ports.ProbeAnswer{Status: answer.StatusCode, Header: answer.Header}, nil
}
