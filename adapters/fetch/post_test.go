package fetch

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"pasteport/ports"
)

func poster(t *testing.T, allow ...string) *Client {
	t.Helper()
	c, err := New(allow)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestPostSendsABodyAndFollowsNoRedirect(t *testing.T) {
	inside := false
	receiver := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		if inside = inside || r.URL.Path == "/inside"; string(body) != "hello" || r.Header.Get("X-One") != "1" || r.Method != http.MethodPost {
			t.Errorf("%s %q %v", r.Method, body, r.Header)
		}
		w.Header().Set("Location", "/inside")
		w.WriteHeader(http.StatusTemporaryRedirect)
	}))
	defer receiver.Close()
	status, header, err := poster(t, receiver.Listener.Addr().String()).Post(t.Context(), receiver.URL, http.Header{"X-One": {"1"}}, []byte("hello"))
	if err != nil || status != http.StatusTemporaryRedirect || header.Get("Location") != "/inside" || inside {
		t.Errorf("%d %v %v, followed: %t", status, header, err, inside)
	}
}

func TestPostGoesNowhereInside(t *testing.T) {
	asked := false
	receiver := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { asked = true }))
	defer receiver.Close()
	for address, code := range map[string]ports.Code{receiver.URL: ports.Forbidden, "http://[::ffff:127.0.0.1]/": ports.Forbidden, "http://169.254.169.254/": ports.Forbidden, "ftp://example.com/": ports.Invalid} {
		if _, _, err := poster(t).Post(t.Context(), address, http.Header{}, nil); ports.CodeOf(err) != code || asked {
			t.Errorf("%s: %v, asked: %t", address, err, asked)
		}
	}
}

func TestPostGivesUpAReceiverThatHangs(t *testing.T) {
	hang := make(chan struct{})
	receiver := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { <-hang }))
	defer receiver.Close()
	defer close(hang)
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	if _, _, err := poster(t, receiver.Listener.Addr().String()).Post(ctx, receiver.URL, http.Header{}, nil); !errors.Is(err, context.DeadlineExceeded) {
		t.Error(err)
	}
}
