package httpapi

import (
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"testing"

	"pasteport/adapters/httpapi/edgetest"
	"pasteport/adapters/httpapi/listen"
)

// nullWriter is a response writer that costs nothing.
type nullWriter struct{ header http.Header }

func (w *nullWriter) Header() http.Header         { return w.header }
func (w *nullWriter) Write(p []byte) (int, error) { return len(p), nil }
func (w *nullWriter) WriteHeader(int)             {}

// BenchmarkPasteReadThroughTheChain is what a public read costs above net/http
// and below the use case: routing, chain, metrics and the log line.
func BenchmarkPasteReadThroughTheChain(b *testing.B) {
	f := newFrame(b, func(o *Options) {
		l := listen.NewLogWriter(io.Discard)
		b.Cleanup(func() { _ = l.Close() })
		o.Access, o.Log, o.Limits.Off = slog.New(slog.NewJSONHandler(l, nil)), nil, true
	})
	r := httptest.NewRequest("GET", "/api/paste/AbCdEf1234", nil)
	w := &nullWriter{header: http.Header{}}
	b.ReportAllocs()
	for b.Loop() {
		clear(w.header)
		f.ServeHTTP(w, r)
	}
}

// BenchmarkTypedCall is a small JSON write, below which a use case would stand.
func BenchmarkTypedCall(b *testing.B) {
	f := newFrame(b, func(o *Options) { o.Limits.Off, o.Access, o.Log = true, nil, nil })
	b.ReportAllocs()
	for b.Loop() {
		w := &nullWriter{header: http.Header{}}
		f.ServeHTTP(w, edgetest.NewRequest("POST", "/api/note/s", `{"name":"x","size":"5"}`))
	}
}
