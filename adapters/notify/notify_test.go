package notify

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"pasteport/adapters/fetch"
	"pasteport/domain/events"
)

func client(t *testing.T, allow ...string) *fetch.Client {
	t.Helper()
	c, err := fetch.New(allow)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

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
	out := New(client(t, receiver.Listener.Addr().String())).Send(t.Context(), events.Target{Type: events.Webhook, Address: receiver.URL, Secrets: [][]byte{fresh, old}}, message())
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
		out := New(client(t, receiver.Listener.Addr().String())).Send(t.Context(), events.Target{Address: receiver.URL, Secrets: [][]byte{[]byte("s")}}, message())
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

func TestNoMessageGoesWhereConnectionsMayNotLead(t *testing.T) {
	asked := false
	receiver := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { asked = true }))
	defer receiver.Close()
	for address, problem := range map[string]string{receiver.URL: "address_refused", "http://[::ffff:127.0.0.1]/": "address_refused", "http://169.254.169.254/": "address_refused", "ftp://example.com/": "unreachable"} {
		out := New(client(t)).Send(t.Context(), events.Target{Address: address, Secrets: [][]byte{[]byte("s")}}, message())
		if out.Problem != problem || asked {
			t.Errorf("%s: %+v, asked: %t", address, out, asked)
		}
	}
}

func TestAReceiverThatHangsIsGivenUp(t *testing.T) {
	hang := make(chan struct{})
	receiver := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { <-hang }))
	defer receiver.Close()
	defer close(hang)
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	out := New(client(t, receiver.Listener.Addr().String())).Send(ctx, events.Target{Address: receiver.URL, Secrets: [][]byte{[]byte("s")}}, message())
	if want := (events.Outcome{Problem: "timeout", Away: true}); out != want {
		t.Errorf("%+v", out)
	}
}
