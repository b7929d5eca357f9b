package fetch

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"time"

	"pasteport/ports"
)

// Bounds of a message.
const (
	postLength = 15 * time.Second // from the connection to the end of the answer
	postAnswer = 16 << 10         // bytes of an answer that are read
)

// errInside is for those who have named the address themselves and may know why it
// is not reached.
var errInside = &ports.Error{Code: ports.Forbidden, Key: "invalid_argument", Text: "url_unreachable"}

// Post sends a body to an address that an administrator has named, and returns the
// status and the header of the answer. It follows no redirects, reads little of the
// answer and keeps none of it. Returns Forbidden where connections may not lead, and
// Invalid for what is no address of the web or does not answer in time.
func (c *Client) Post(ctx context.Context, address string, header http.Header, body []byte) (status int, answered http.Header, err error) {
	u, err := parse(address)
	if err != nil {
		return 0, nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, postLength)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, u.String(), bytes.NewReader(body))
	if err != nil {
		return 0, nil, errAddress
	}
	r.Header = header.Clone()
	r.Header.Set("User-Agent", userAgent)
	direct := *c.http
	direct.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	answer, err := direct.Do(r)
	switch {
	case errors.Is(err, errRefused):
		return 0, nil, errInside.With(err)
	case err != nil && ctx.Err() != nil:
		return 0, nil, errors.Join(errUnreachable, ctx.Err())
	case err != nil:
		return 0, nil, translate(ctx, err)
	}
	defer answer.Body.Close()
	// A receiver that has taken the message and is slow to say more has taken it.
	_, _ = io.Copy(io.Discard, io.LimitReader(answer.Body, postAnswer))
	return answer.StatusCode, answer.Header, nil
}

// mailPorts are where mail servers listen for those who send.
var mailPorts = map[uint16]bool{25: true, 465: true, 587: true, 2525: true}

// mailAnswers bounds what a mail server says in one conversation, in bytes.
const mailAnswers = 256 << 10

// DialMail connects to a mail server that somebody has named, host:port. The
// connection lasts as long as a message may take and not longer, whatever deadlines
// are set on it, and of what the server says a bounded part is read. Returns
// Forbidden where connections may not lead.
func (c *Client) DialMail(ctx context.Context, network, address string) (net.Conn, error) {
	conn, err := c.mail.dial(ctx, network, address)
	if errors.Is(err, errRefused) {
		return nil, errInside.With(err)
	}
	if err != nil {
		return nil, err
	}
	if err := conn.SetDeadline(time.Now().Add(postLength)); err != nil {
		_ = conn.Close()
		return nil, err
	}
	return &mailConn{Conn: conn, rest: io.LimitReader(conn, mailAnswers)}, nil
}

// mailConn is a connection to a mail server.
type mailConn struct {
	net.Conn
	rest io.Reader
}

func (c *mailConn) Read(b []byte) (int, error)       { return c.rest.Read(b) }
func (c *mailConn) SetDeadline(time.Time) error      { return nil }
func (c *mailConn) SetReadDeadline(time.Time) error  { return nil }
func (c *mailConn) SetWriteDeadline(time.Time) error { return nil }
