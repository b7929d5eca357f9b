// Package notify writes messages of events for the channels and sends them. It
// hides the protocols; when something is sent again is not its business.
package notify

import (
	"context"
	"crypto/x509"
	"encoding/json"
	"errors"
	"net"
	"net/http"
	"os"
	"strconv"
	"strings"
	"time"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"pasteport/domain/events"
	"pasteport/ports"
	"pasteport/ports/outbound"
)

// Poster sends a body to an address within bounds, as adapters/fetch does: it
// follows no redirects, and returns Forbidden where connections may not lead.
type Poster interface {
	Post(ctx context.Context, address string, header http.Header, body []byte) (status int, answered http.Header, err error)
}

// Dial connects to a mail server, host:port, within bounds of its own, as
// adapters/fetch does. Returns Forbidden where connections may not lead.
type Dial func(ctx context.Context, network, address string) (net.Conn, error)

// Site is what messages for people say of where they come from.
type Site struct {
	Title func() string
	// Address is that of the pages, without a slash at its end; empty when nobody
	// has told it, and then messages have no link.
	Address string
}

// Sender implements events.Sender. It is safe for concurrent use.
type Sender struct {
	post  Poster
	dial  Dial
	site  Site
	roots *x509.CertPool // that mail servers are trusted by; nil for the system's
}

var _ events.Sender = (*Sender)(nil)

// New returns a sender over post and dial.
func New(post Poster, dial Dial, site Site) *Sender {
	return &Sender{post: post, dial: dial, site: site}
}

// Send brings a message to a channel.
func (s *Sender) Send(ctx context.Context, to events.Target, m events.Message) events.Outcome {
	var address string
	var header http.Header
	var body []byte
	var err error
	switch to.Type {
	case events.Mail:
		return s.mail(ctx, to, m)
	case events.Ntfy:
		address, header, body, err = s.ntfy(to, m)
	case events.Gotify:
		address, header, body, err = s.gotify(to, m)
	case events.Push:
		address = to.Address
		header, body, err = s.webPush(to, m)
	default:
		address = to.Address
		header, body, err = webhook(to, m)
	}
	if err != nil {
		return events.Outcome{Problem: "unsendable"}
	}
	status, answered, err := s.post.Post(ctx, address, header, body)
	if err != nil {
		return unsent(err)
	}
	out := outcome(status, answered)
	if to.Type == events.Push && status == http.StatusNotFound { // RFC 8030 §7.3: it has expired
		out = events.Outcome{Status: status, Problem: "gone", Gone: true}
	}
	return out
}

// payload is the body of a webhook, as Standard Webhooks recommends it.
type payload struct {
	Type      string          `json:"type"`
	Timestamp string          `json:"timestamp"` // of the event
	ID        string          `json:"id"`
	Subject   string          `json:"subject"`
	Data      json.RawMessage `json:"data"`
}

// webhook writes a message as Standard Webhooks says: github.com/standard-webhooks.
func webhook(to events.Target, m events.Message) (http.Header, []byte, error) {
	body, err := json.Marshal(payload{string(m.Kind), m.At.UTC().Format(time.RFC3339Nano), m.ID, m.Subject, m.Data})
	if err != nil {
		return nil, nil, err
	}
	if len(to.Secrets) == 0 {
		return nil, nil, errors.New("no secret")
	}
	var signatures []string
	for _, secret := range to.Secrets {
		signer, err := standardwebhooks.NewWebhookRaw(secret)
		if err != nil {
			return nil, nil, err
		}
		signature, err := signer.Sign(m.ID, m.Sent, body)
		if err != nil {
			return nil, nil, err
		}
		signatures = append(signatures, signature)
	}
	header := http.Header{"Content-Type": {"application/json"}}
	header.Set(standardwebhooks.HeaderWebhookID, m.ID)
	header.Set(standardwebhooks.HeaderWebhookTimestamp, strconv.FormatInt(m.Sent.Unix(), 10))
	header.Set(standardwebhooks.HeaderWebhookSignature, strings.Join(signatures, " "))
	return header, body, nil
}

// unsent is the outcome without an answer.
func unsent(err error) events.Outcome {
	switch {
	case ports.Is(err, ports.Forbidden):
		return events.Outcome{Problem: "address_refused", Away: true}
	case errors.Is(err, context.DeadlineExceeded), errors.Is(err, os.ErrDeadlineExceeded):
		return events.Outcome{Problem: "timeout", Away: true}
	}
	return events.Outcome{Problem: "unreachable", Away: true}
}

// outcome is what an answer means: for this message, and for all that wait.
func outcome(status int, header http.Header) events.Outcome {
	out := events.Outcome{Status: status, Problem: "status"}
	switch {
	case status >= 200 && status <= 299:
		out.Problem = ""
	case status == http.StatusGone:
		out.Problem, out.Gone = "gone", true
	case status >= 300 && status <= 399:
		out.Problem, out.Away = "redirected", true
	case status == http.StatusBadRequest, status == http.StatusRequestEntityTooLarge, status == http.StatusUnprocessableEntity, status == http.StatusInternalServerError:
		// It may be this message alone that the receiver cannot take.
	default:
		out.Away = true
	}
	if out.Problem != "" {
		out.RetryAfter = min(outbound.RetryAfter(header, time.Now()), time.Hour)
	}
	return out
}
