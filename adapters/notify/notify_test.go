package notify

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"pasteport/domain/events"
	"pasteport/ports"
)

// poster sends what it is given, wherever that leads.
type poster struct{ failure error }

func (p poster) Post(ctx context.Context, address string, header http.Header, body []byte) (int, http.Header, error) {
	if p.failure != nil {
		return 0, nil, p.failure
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, address, bytes.NewReader(body))
	if err != nil {
		return 0, nil, err
	}
	r.Header = header
	answer, err := (&http.Transport{DisableKeepAlives: true}).RoundTrip(r)
	if err != nil {
		return 0, nil, err
	}
	return answer.StatusCode, answer.Header, answer.Body.Close()
}

func sender(p Poster) *Sender { return New(p, nil, Site{}) }

func message() events.Message {
	return events.Message{ID: "0199-1", Kind: "backup.failed", Subject: "backup", At: time.Now(), Sent: time.Now(), Data: []byte(`{"a":1}`)}
}

func TestAWebhookIsSignedWithEverySecretAsStandardWebhooksSays(t *testing.T) {
	old, fresh := []byte("an old secret of some length....."), []byte("a new secret of some length.....")
	verified := 0
	receiver := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		for _, secret := range [][]byte{old, fresh} {
			check, err := standardwebhooks.NewWebhookRaw(secret)
			if err == nil {
				err = check.Verify(body, r.Header)
			}
			if err != nil {
				t.Errorf("%s: %v", body, err)
				continue
			}
			verified++
		}
		if r.Header.Get("webhook-id") != "0199-1" || r.Header.Get("Content-Type") != "application/json" {
			t.Errorf("header %v", r.Header)
		}
	}))
	defer receiver.Close()
	out := sender(poster{}).Send(t.Context(), events.Target{Type: events.Webhook, Address: receiver.URL, Secrets: [][]byte{fresh, old}}, message())
	if out.Problem != "" || out.Status != 200 || verified != 2 {
		t.Errorf("%+v, %d signatures fit", out, verified)
	}
}

func TestWhatAReceiverAnswersDecidesAboutTheMessageOrTheChannel(t *testing.T) {
	for _, c := range []struct {
		status     int
		problem    string
		away, gone bool
	}{
		{204, "", false, false}, {301, "redirected", true, false}, {307, "redirected", true, false}, {400, "status", false, false}, {401, "status", true, false},
		{404, "status", true, false}, {410, "gone", false, true}, {422, "status", false, false}, {429, "status", true, false}, {500, "status", false, false}, {503, "status", true, false},
	} {
		inside := 0
		receiver := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path == "/inside" {
				inside++
			}
			w.Header().Set("Location", "/inside")
			w.Header().Set("Retry-After", "7")
			w.WriteHeader(c.status)
		}))
		out := sender(poster{}).Send(t.Context(), events.Target{Address: receiver.URL, Secrets: [][]byte{[]byte("s")}}, message())
		receiver.Close()
		wait := 7 * time.Second
		if c.problem == "" {
			wait = 0
		}
		if want := (events.Outcome{Status: c.status, Problem: c.problem, RetryAfter: wait, Away: c.away, Gone: c.gone}); out != want || inside > 0 {
			t.Errorf("%d: %+v, want %+v; %d redirects were followed", c.status, out, want, inside)
		}
	}
}

func TestWhatDoesNotAnswerIsAway(t *testing.T) {
	for problem, failure := range map[string]error{
		"address_refused": &ports.Error{Code: ports.Forbidden, Key: "invalid_argument"}, "timeout": fmt.Errorf("post: %w", context.DeadlineExceeded), "unreachable": errors.New("refused"),
	} {
		out := sender(poster{failure}).Send(t.Context(), events.Target{Secrets: [][]byte{[]byte("s")}}, message())
		if want := (events.Outcome{Problem: problem, Away: true}); out != want {
			t.Errorf("%+v, want %+v", out, want)
		}
	}
}
