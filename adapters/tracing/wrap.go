package tracing

import (
	"cmp"
	"context"
	"errors"
	"io"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/trace"

	"pasteport/domain/storage"
	"pasteport/ports"
	"pasteport/ports/jobs"
	"pasteport/ports/objstore"
	"pasteport/ports/policy"
)

// under begins a span below the one in ctx; without one there is none, and end
// does nothing: what nobody has asked for is not recorded.
func (t *Tracing) under(ctx context.Context, name string, kind trace.SpanKind, attributes ...attribute.KeyValue) (context.Context, func(error)) {
	if !trace.SpanFromContext(ctx).IsRecording() {
		return ctx, func(error) {}
	}
	ctx, span := t.tracer.Start(ctx, name, trace.WithSpanKind(kind), trace.WithAttributes(attributes...))
	return ctx, func(err error) { end(span, err) }
}

// end ends a span. Of an error it tells the code alone.
func end(span trace.Span, err error) {
	if err != nil {
		code := "internal"
		var known *ports.Error
		switch {
		case errors.As(err, &known):
			code = cmp.Or(known.Key, code)
		case errors.Is(err, context.Canceled), errors.Is(err, jobs.ErrStopping):
			code = "cancelled"
		}
		span.SetAttributes(attribute.String("error.type", code))
		span.SetStatus(codes.Error, "")
	}
	span.End()
}

// Decider makes a span of each decision.
func (t *Tracing) Decider(d policy.Decider) policy.Decider {
	if t == nil {
		return d
	}
	return decider{t, d}
}

type decider struct {
	t    *Tracing
	next policy.Decider
}

// Decide implements policy.Decider.
func (d decider) Decide(ctx context.Context, who policy.Principal, do policy.Action, on policy.Resource) (policy.Decision, error) {
	ctx, end := d.t.under(ctx, "policy.decide", trace.SpanKindInternal, attribute.String("pasteport.action", string(do)))
	decision, err := d.next.Decide(ctx, who, do, on)
	if err == nil {
		trace.SpanFromContext(ctx).SetAttributes(attribute.Bool("pasteport.allowed", decision.Allow))
	}
	end(err)
	return decision, err
}

// Work makes a span of each run of a task. It belongs to the trace of the
// request that has started the task, if ctx knows it.
func (t *Tracing) Work(kind string, work jobs.Worker) jobs.Worker {
	if t == nil {
		return work
	}
	return func(ctx context.Context, run jobs.Run) error {
		ctx, span := t.tracer.Start(ctx, "task "+kind, trace.WithSpanKind(trace.SpanKindConsumer), trace.WithAttributes(attribute.String("pasteport.task", kind)))
		err := work(ctx, run)
		end(span, err)
		return err
	}
}

// Drivers makes a span of each call of the buckets that drivers open.
func (t *Tracing) Drivers(d storage.Drivers) storage.Drivers {
	if t == nil {
		return d
	}
	return drivers{t, d}
}

type drivers struct {
	t    *Tracing
	next storage.Drivers
}

// Driver implements storage.Drivers.
func (d drivers) Driver(name string) (objstore.Driver, error) {
	next, err := d.next.Driver(name)
	if err != nil {
		return nil, err
	}
	return driver{next, d.t, name}, nil
}

type driver struct {
	objstore.Driver
	t    *Tracing
	name string
}

// Open implements objstore.Driver.
func (d driver) Open(ctx context.Context, config objstore.Config) (objstore.Bucket, error) {
	b := &bucket{t: d.t, about: []attribute.KeyValue{attribute.String("pasteport.driver", d.name), attribute.String("pasteport.storage", config.ID)}}
	err := b.call(ctx, "open", func(ctx context.Context) (err error) {
		b.Bucket, err = d.Driver.Open(ctx, config)
		return err
	})
	if err != nil {
		return nil, err
	}
	return b, nil
}

// bucket makes the spans. That of a read ends when the answer has begun: bytes
// flow as fast as their reader takes them.
type bucket struct {
	objstore.Bucket
	t     *Tracing
	about []attribute.KeyValue
}

var (
	_ objstore.Bucket    = (*bucket)(nil)
	_ objstore.CORSAdmin = (*bucket)(nil)
)

func (b *bucket) call(ctx context.Context, op string, do func(context.Context) error) error {
	ctx, end := b.t.under(ctx, "storage."+op, trace.SpanKindClient, b.about...)
	err := do(ctx)
	end(err)
	return err
}

// Stat implements objstore.Bucket.
func (b *bucket) Stat(ctx context.Context, key string) (o objstore.Object, err error) {
	err = b.call(ctx, "stat", func(ctx context.Context) (err error) { o, err = b.Bucket.Stat(ctx, key); return err })
	return o, err
}

// List implements objstore.Bucket.
func (b *bucket) List(ctx context.Context, q objstore.ListQuery) (page objstore.ListPage, err error) {
	err = b.call(ctx, "list", func(ctx context.Context) (err error) { page, err = b.Bucket.List(ctx, q); return err })
	return page, err
}

// Read implements objstore.Bucket.
func (b *bucket) Read(ctx context.Context, key string, r objstore.Range) (body *objstore.Body, err error) {
	err = b.call(ctx, "read", func(ctx context.Context) (err error) { body, err = b.Bucket.Read(ctx, key, r); return err })
	return body, err
}

// Write implements objstore.Bucket.
func (b *bucket) Write(ctx context.Context, key string, body io.Reader, w objstore.WriteOptions) (o objstore.Object, err error) {
	err = b.call(ctx, "write", func(ctx context.Context) (err error) { o, err = b.Bucket.Write(ctx, key, body, w); return err })
	return o, err
}

// Copy implements objstore.Bucket.
func (b *bucket) Copy(ctx context.Context, dst, src string) (o objstore.Object, err error) {
	err = b.call(ctx, "copy", func(ctx context.Context) (err error) { o, err = b.Bucket.Copy(ctx, dst, src); return err })
	return o, err
}

// Delete implements objstore.Bucket.
func (b *bucket) Delete(ctx context.Context, keys ...string) (failed map[string]error, err error) {
	err = b.call(ctx, "delete", func(ctx context.Context) (err error) { failed, err = b.Bucket.Delete(ctx, keys...); return err })
	return failed, err
}

// Sign implements objstore.Bucket.
func (b *bucket) Sign(ctx context.Context, r objstore.SignRequest) (s objstore.SignedRequest, err error) {
	err = b.call(ctx, "sign", func(ctx context.Context) (err error) { s, err = b.Bucket.Sign(ctx, r); return err })
	return s, err
}

// Usage implements objstore.Bucket.
func (b *bucket) Usage(ctx context.Context) (u objstore.Usage, err error) {
	err = b.call(ctx, "usage", func(ctx context.Context) (err error) { u, err = b.Bucket.Usage(ctx); return err })
	return u, err
}

// EnsureCORS implements objstore.CORSAdmin.
func (b *bucket) EnsureCORS(ctx context.Context, origins []string) error {
	admin, ok := b.Bucket.(objstore.CORSAdmin)
	if !ok {
		return objstore.ErrUnsupported
	}
	return b.call(ctx, "cors", func(ctx context.Context) error { return admin.EnsureCORS(ctx, origins) })
}

// Multipart implements objstore.Bucket.
func (b *bucket) Multipart() objstore.Multipart {
	next := b.Bucket.Multipart()
	if next == nil {
		return nil
	}
	return parts{b, next}
}

type parts struct {
	b    *bucket
	next objstore.Multipart
}

// Create implements objstore.Multipart.
func (p parts) Create(ctx context.Context, key string, o objstore.WriteOptions) (id string, err error) {
	err = p.b.call(ctx, "multipart.create", func(ctx context.Context) (err error) { id, err = p.next.Create(ctx, key, o); return err })
	return id, err
}

// WritePart implements objstore.Multipart.
func (p parts) WritePart(ctx context.Context, key, uploadID string, number int, body io.Reader, size int64) (part objstore.Part, err error) {
	err = p.b.call(ctx, "multipart.write", func(ctx context.Context) (err error) {
		part, err = p.next.WritePart(ctx, key, uploadID, number, body, size)
		return err
	})
	return part, err
}

// ListUploads implements objstore.Multipart.
func (p parts) ListUploads(ctx context.Context, prefix string) (uploads []objstore.Upload, err error) {
	err = p.b.call(ctx, "multipart.uploads", func(ctx context.Context) (err error) { uploads, err = p.next.ListUploads(ctx, prefix); return err })
	return uploads, err
}

// ListParts implements objstore.Multipart.
func (p parts) ListParts(ctx context.Context, key, uploadID string) (list []objstore.Part, err error) {
	err = p.b.call(ctx, "multipart.parts", func(ctx context.Context) (err error) { list, err = p.next.ListParts(ctx, key, uploadID); return err })
	return list, err
}

// Complete implements objstore.Multipart.
func (p parts) Complete(ctx context.Context, key, uploadID string, list []objstore.Part) (o objstore.Object, err error) {
	err = p.b.call(ctx, "multipart.complete", func(ctx context.Context) (err error) { o, err = p.next.Complete(ctx, key, uploadID, list); return err })
	return o, err
}

// Abort implements objstore.Multipart.
func (p parts) Abort(ctx context.Context, key, uploadID string) error {
	return p.b.call(ctx, "multipart.abort", func(ctx context.Context) error { return p.next.Abort(ctx, key, uploadID) })
}
