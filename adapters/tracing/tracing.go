// Package tracing sends OpenTelemetry traces to a collector by OTLP, and makes
// the spans of what lies behind ports: decisions, calls of storage drivers, runs
// of tasks. The edge and the database make their own, as children of the span
// in their context.
//
// A span names kinds of things: operations, actions, drivers, ids of configs. It
// never holds a slug, a path, an object's key, a query, a credential or the text of
// an error, which may hold one of these.
package tracing

import (
	"context"
	"encoding/binary"
	"fmt"
	"log/slog"
	"net/url"
	"strings"
	"time"

	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp"
	"go.opentelemetry.io/otel/sdk/resource"
	sdk "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"

	"pasteport/ports"
)

// Options say where traces go.
type Options struct {
	// Endpoint is the address of the collector, http or https; "/v1/traces" is
	// added to a path that does not end so.
	Endpoint string
	// Ratio is the share of traces that are recorded, above 0 up to 1.
	Ratio float64
	// MAC decides which traces these are, so that no client can choose.
	MAC ports.MAC
	// Version is that of the program.
	Version string
	// Log gets what could not be sent, once a minute at most.
	Log *slog.Logger
}

// Tracing records spans and sends them, on goroutines of its own. A nil one
// records nothing: what it wraps comes back as it is. It is safe for concurrent
// use.
type Tracing struct {
	provider *sdk.TracerProvider
	tracer   trace.Tracer
	client   otlptrace.Client
}

// closeIn is how long the collector may take to answer, when somebody waits for it.
const closeIn = 5 * time.Second

// Open begins to send spans to the collector of o; it need not answer yet. Headers,
// certificates, time limits and attributes of the resource come from the OTEL_
// variables that all programs share. The caller closes it. Returns nil without an endpoint.
func Open(ctx context.Context, o Options) (*Tracing, error) {
	if o.Endpoint == "" {
		return nil, nil
	}
	target, err := targetOf(o.Endpoint)
	if err != nil {
		return nil, err
	}
	if o.Ratio <= 0 || o.Ratio > 1 {
		return nil, fmt.Errorf("the ratio of recorded traces is %v, and not above 0 up to 1", o.Ratio)
	}
	client := otlptracehttp.NewClient(otlptracehttp.WithEndpointURL(target))
	exporter, err := otlptrace.New(ctx, client)
	if err != nil {
		return nil, err
	}
	about, err := resource.New(ctx, resource.WithAttributes(attribute.String("service.name", "pasteport"), attribute.String("service.version", o.Version)), resource.WithFromEnv(), resource.WithTelemetrySDK())
	if err != nil {
		return nil, fmt.Errorf("attributes of traces: %w", err)
	}
	otel.SetErrorHandler(&complaints{log: o.Log})
	chosen := ratio{bound: uint64(o.Ratio * (1 << 63)), mac: o.MAC}
	provider := sdk.NewTracerProvider(sdk.WithBatcher(exporter), sdk.WithResource(about),
		sdk.WithSampler(sdk.ParentBased(chosen, sdk.WithRemoteParentSampled(chosen), sdk.WithRemoteParentNotSampled(chosen))))
	return &Tracing{provider: provider, tracer: provider.Tracer("pasteport"), client: client}, nil
}

// targetOf completes the address of a collector.
func targetOf(endpoint string) (string, error) {
	const path = "/v1/traces"
	u, err := url.Parse(endpoint)
	if err != nil || (u.Scheme != "http" && u.Scheme != "https") || u.Host == "" || u.RawQuery != "" || u.Fragment != "" || u.User != nil {
		return "", fmt.Errorf("%q is not an address like http://collector:4318", endpoint)
	}
	if !strings.HasSuffix(u.Path, path) {
		u.Path = strings.TrimRight(u.Path, "/") + path
	}
	return u.String(), nil
}

// Close sends what is left, for at most five seconds.
func (t *Tracing) Close() error {
	if t == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), closeIn)
	defer cancel()
	return t.provider.Shutdown(ctx)
}

// Check returns what sends the collector an empty batch, past the queue of spans:
// its error says why nothing arrives. Nil when nothing is recorded.
func (t *Tracing) Check() func(ctx context.Context) error {
	if t == nil {
		return nil
	}
	return func(ctx context.Context) error {
		ctx, cancel := context.WithTimeout(ctx, closeIn)
		defer cancel()
		return t.client.UploadTraces(ctx, nil)
	}
}

// Tracer makes the spans of the edge; nil when nothing is recorded.
func (t *Tracing) Tracer() trace.Tracer {
	if t == nil {
		return nil
	}
	return t.tracer
}

// Provider makes the tracers of libraries; nil when nothing is recorded.
func (t *Tracing) Provider() trace.TracerProvider {
	if t == nil {
		return nil
	}
	return t.provider
}

// ratio records a share of the traces. Which ones, a keyed hash of the trace's id
// decides: the same on every node, whatever a client says of its trace.
type ratio struct {
	bound uint64 // of 63 bits
	mac   ports.MAC
}

// ShouldSample implements sdk.Sampler.
func (r ratio) ShouldSample(p sdk.SamplingParameters) sdk.SamplingResult {
	result := sdk.SamplingResult{Decision: sdk.Drop, Tracestate: trace.SpanContextFromContext(p.ParentContext).TraceState()}
	if r.bound == 1<<63 {
		result.Decision = sdk.RecordAndSample
		return result
	}
	sum := r.mac.Sum("trace", p.TraceID[:])
	if binary.BigEndian.Uint64(sum[:])>>1 < r.bound {
		result.Decision = sdk.RecordAndSample
	}
	return result
}

// Description implements sdk.Sampler.
func (r ratio) Description() string { return "KeyedRatio" }
