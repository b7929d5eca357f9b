package tracing

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"go.opentelemetry.io/otel/trace"
)

// complaintEvery is how often the log tells that spans are lost.
const complaintEvery = time.Minute

// complaints takes the errors of the exporter: the first of a minute is told.
type complaints struct {
	log *slog.Logger

	mu   sync.Mutex
	next time.Time
}

// Handle implements otel.ErrorHandler.
func (c *complaints) Handle(err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if now := time.Now(); now.After(c.next) {
		c.next = now.Add(complaintEvery)
		c.log.Warn("traces are lost", "error", err)
	}
}

// Handler adds the id of the trace to the lines of a log that are written with a
// context of one.
func Handler(h slog.Handler) slog.Handler { return named{h} }

type named struct{ slog.Handler }

// Handle implements slog.Handler.
func (n named) Handle(ctx context.Context, line slog.Record) error {
	if span := trace.SpanContextFromContext(ctx); span.HasTraceID() {
		line = line.Clone()
		line.AddAttrs(slog.String("trace_id", span.TraceID().String()))
	}
	return n.Handler.Handle(ctx, line)
}

// WithAttrs implements slog.Handler.
func (n named) WithAttrs(attrs []slog.Attr) slog.Handler { return named{n.Handler.WithAttrs(attrs)} }

// WithGroup implements slog.Handler.
func (n named) WithGroup(name string) slog.Handler { return named{n.Handler.WithGroup(name)} }
