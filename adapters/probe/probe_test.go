package probe_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"pasteport/adapters/probe"
	"pasteport/ports"
	"pasteport/ports/outbound"
)

func TestAProbeCarriesItsRequestAndBringsTheHead(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		w.Header().Set("X-Got", r.Method+" "+r.URL.RequestURI()+" "+r.Header.Get("Origin")+" "+string(body))
		w.WriteHeader(http.StatusForbidden)
		_, _ = w.Write([]byte("the secret words of the storage"))
	}))
	defer server.Close()
	got, err := probe.New(outbound.Anywhere).Probe(t.Context(), ports.Probe{
		Method: "PUT", URL: server.URL + "/a%2Bb?x=1", Header: http.Header{"Origin": {"https://me"}}, Body: []byte("hello"),
	})
	if err != nil || got.Status != 403 || got.Header.Get("X-Got") != "PUT /a%2Bb?x=1 https://me hello" {
		t.Errorf("got %+v, %v", got, err)
	}
}

func TestAProbeFollowsNoRedirect(t *testing.T) {
	reached := false
	other := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { reached = true }))
	defer other.Close()
	server := httptest.NewServer(http.RedirectHandler(other.URL, http.StatusTemporaryRedirect))
	defer server.Close()
	got, err := probe.New(outbound.Anywhere).Probe(t.Context(), ports.Probe{Method: "PUT", URL: server.URL, Body: []byte("x")})
	if err != nil || got.Status != http.StatusTemporaryRedirect || reached {
		t.Errorf("got %+v, %v, reached %t", got, err, reached)
	}
}

func TestAProbeWithoutAnswerIsUnavailable(t *testing.T) {
	server := httptest.NewServer(http.NotFoundHandler())
	server.Close()
	for _, address := range []string{server.URL, "ftp://x", "http://[", "/api/blob/x"} {
		if _, err := probe.New(outbound.Anywhere).Probe(t.Context(), ports.Probe{Method: "PUT", URL: address}); !ports.Is(err, ports.Unavailable) {
			t.Errorf("%s: %v", address, err)
		}
	}
}

// Whoever reads the error of a signed request could else send it.
func TestTheErrorOfAProbeKeepsItsAddressToItself(t *testing.T) {
	server := httptest.NewServer(http.NotFoundHandler())
	server.Close()
	_, err := probe.New(outbound.Anywhere).Probe(t.Context(), ports.Probe{Method: "PUT", URL: server.URL + "/a?signature=secret"})
	if err == nil || strings.Contains(fmt.Sprint(err, errors.Unwrap(err)), "secret") || !strings.Contains(fmt.Sprint(errors.Unwrap(err)), "refused") {
		t.Errorf("%v: %v", err, errors.Unwrap(err))
	}
}

func TestAProbeEndsWithItsContext(t *testing.T) {
	release := make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { <-release }))
	defer server.Close()
	defer close(release)
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if _, err := probe.New(outbound.Anywhere).Probe(ctx, ports.Probe{Method: "GET", URL: server.URL}); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got %v", err)
	}
}
