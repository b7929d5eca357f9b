package httpapi

import (
	"net/http"
	"slices"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/trace"
)

// traceContext reads the header traceparent (W3C Trace Context).
var traceContext propagation.TraceContext

// startSpan begins the span of a request, in the trace that its client names if
// it names one.
func (x *exchange) startSpan(tracer trace.Tracer) {
	ctx := traceContext.Extract(x.r.Context(), propagation.HeaderCarrier(x.r.Header))
	ctx, x.span = tracer.Start(ctx, "request", trace.WithSpanKind(trace.SpanKindServer), trace.WithTimestamp(x.start))
	x.r = x.r.WithContext(ctx)
}

// endSpan says what the request was and how it ended: by the pattern of its
// address, never by the address.
func (x *exchange) endSpan() {
	method := x.r.Method
	if x.route == nil && !slices.Contains(plainMethods, method) {
		method = "_OTHER"
	} else if x.route != nil && x.route.op.Method == "" {
		method = "_OTHER" // of WebDAV's namespace, unknown
	}
	attributes := []attribute.KeyValue{
		attribute.String("http.request.method", method), attribute.Int("http.response.status_code", x.status), attribute.Int64("http.response.body.size", x.bytes),
		attribute.String("pasteport.operation", x.opName()), attribute.String("pasteport.request_id", x.id[0]), attribute.String("pasteport.principal", string(x.who.Kind)),
	}
	name := method
	if x.route != nil && x.route.op.Path != "" {
		name += " " + x.route.op.Path
		attributes = append(attributes, attribute.String("http.route", x.route.op.Path))
	}
	if x.cause != nil {
		attributes = append(attributes, attribute.String("error.type", translate(nil, x.cause).key))
	}
	x.span.SetName(name)
	x.span.SetAttributes(attributes...)
	if x.status >= http.StatusInternalServerError {
		x.span.SetStatus(codes.Error, "")
	}
	x.span.End()
}

// plainMethods are those that a span names where no operation is known.
var plainMethods = []string{http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodDelete, http.MethodOptions, http.MethodPatch}
