package storage

import (
	"context"
	"errors"
	"io"
	"maps"
	"sync"
	"sync/atomic"
	"time"

	"pasteport/ports"
	"pasteport/ports/bulk"
	"pasteport/ports/objstore"
)

// Bounds of one storage, so that a slow or broken one never uses up what others
// need.
const (
	maxCalls   = 64               // short calls under way, the opening of a read among them
	maxWaiting = 16               // calls that wait for one of those
	maxWait    = 5 * time.Second  // of a call that waits
	maxStreams = 500              // transfers and copies under way
	callTime   = 20 * time.Second // of a short call, waiting for an answer

	breakerFailures = 10               // that open the breaker,
	breakerWindow   = 10 * time.Second // when they come within this time
	breakerProbe    = 5 * time.Second  // between two calls that are let through to try
)

// errBusy is the answer when a storage has as many calls as it may.
var errBusy = &ports.Error{Code: ports.Unavailable, Key: "storage_unavailable", Text: "storage_busy", Reason: "storage_busy", RetryAfter: 2 * time.Second}

// HealthState is how the calls of a storage end.
type HealthState string

// The states. Unknown means that nothing has asked the storage since the start
// or the last change of its config.
const (
	Unknown HealthState = "unknown"
	Healthy HealthState = "ok"
	Refused HealthState = "refused" // it answers, but does not let us in
	Down    HealthState = "down"    // it fails; calls are answered without asking it
)

// Health is the state of a storage on this node.
type Health struct {
	State HealthState
	Since time.Time // zero when Unknown
	// Cause names a message of the edge's catalogue, with what fills it; empty
	// when nothing is wrong.
	Cause  string
	Params map[string]any
	// Messages are the driver's own words for Cause, by language tag, and Detail
	// what it tells the log; both are empty where it says nothing.
	Messages map[string]string
	Detail   string
}

// result is how a call ended, for counting.
type result string

const (
	resultOK        result = "ok"        // the storage answered, be it with "not found"
	resultRefused   result = "refused"   // it does not let us in
	resultFailed    result = "failed"    // it did not answer, or has a fault
	resultBusy      result = "busy"      // not sent: too many calls, or the breaker is open
	resultCancelled result = "cancelled" // the caller went away, or the fault is ours
)

// Call is an operation of a bucket and how it ended.
type Call struct{ Op, Result string }

// guard bounds the calls to one storage, counts how they end, and answers in
// its place while it is down. It is safe for concurrent use.
type guard struct {
	slots   chan struct{}
	waiting atomic.Int64
	streams atomic.Int64
	changed func(Health) // told when the state changes, but not of the first good call; may be nil

	mu       sync.Mutex
	health   Health
	answers  int                      // all so far
	failures [breakerFailures]failure // the last ones, as a ring
	next     int                      // place of the oldest in failures
	probeAt  time.Time                // while down
	calls    map[Call]int64
}

// failure remembers when a call failed and how many had been answered by then.
type failure struct {
	at      time.Time
	answers int
}

func newGuard(changed func(Health)) *guard {
	return &guard{slots: make(chan struct{}, maxCalls), changed: changed, health: Health{State: Unknown}, calls: map[Call]int64{}}
}

// admit refuses calls while the storage is down, but for one now and then.
func (g *guard) admit() error {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.health.State != Down {
		return nil
	}
	now := time.Now()
	if wait := g.probeAt.Sub(now); wait > 0 {
		return &ports.Error{Code: ports.Unavailable, Key: "storage_unavailable", Reason: "storage_down", RetryAfter: wait,
			Cause: errors.New("the storage failed too often; it is asked again shortly")}
	}
	g.probeAt = now.Add(breakerProbe)
	return nil
}

// enter takes the place of a short call; leave gives it back. Returns
// Unavailable when there is none for too long.
func (g *guard) enter(ctx context.Context) error {
	if err := g.admit(); err != nil {
		return err
	}
	select {
	case g.slots <- struct{}{}:
		return nil
	default:
	}
	if g.waiting.Add(1) > maxWaiting {
		g.waiting.Add(-1)
		return errBusy
	}
	defer g.waiting.Add(-1)
	timer := time.NewTimer(maxWait)
	defer timer.Stop()
	select {
	case g.slots <- struct{}{}:
	case <-timer.C:
		return errBusy
	case <-ctx.Done():
		return ctx.Err()
	}
	if err := g.admit(); err != nil { // those before it have failed
		g.leave()
		return err
	}
	return nil
}

func (g *guard) leave() { <-g.slots }

// enterStream takes the place of a transfer; leaveStream gives it back.
func (g *guard) enterStream() error {
	if err := g.admit(); err != nil {
		return err
	}
	return g.beginStream()
}

func (g *guard) beginStream() error {
	if g.streams.Add(1) > maxStreams {
		g.streams.Add(-1)
		return errBusy
	}
	return nil
}

func (g *guard) leaveStream() { g.streams.Add(-1) }

// call makes a short call.
func (g *guard) call(ctx context.Context, op string, fn func(context.Context) error) error {
	if err := g.enter(ctx); err != nil {
		return g.turnedAway(op, err)
	}
	defer g.leave()
	within, cancel := context.WithTimeout(ctx, callTime)
	defer cancel()
	err := fn(within)
	if isContext(err) && ctx.Err() == nil {
		err = ports.ErrUnavailable.With(err)
	}
	g.note(ctx, op, err)
	return err
}

// work makes a call that takes as long as bytes need.
func (g *guard) work(ctx context.Context, op string, fn func() error) error {
	if err := g.enterStream(); err != nil {
		return g.turnedAway(op, err)
	}
	defer g.leaveStream()
	err := fn()
	g.note(ctx, op, err)
	return err
}

// upload is work with a body. When the body fails, that is not the storage's
// fault.
func (g *guard) upload(ctx context.Context, op string, body io.Reader, fn func(io.Reader) error) error {
	if err := g.enterStream(); err != nil {
		return g.turnedAway(op, err)
	}
	defer g.leaveStream()
	source := &sourceReader{Reader: body}
	err := fn(source)
	if source.failed.Load() {
		g.count(op, resultCancelled)
		return err
	}
	g.note(ctx, op, err)
	return err
}

// sourceReader remembers that a body failed.
type sourceReader struct {
	io.Reader
	failed atomic.Bool
}

func (s *sourceReader) Read(p []byte) (int, error) {
	n, err := s.Reader.Read(p)
	if err != nil && err != io.EOF {
		s.failed.Store(true)
	}
	return n, err
}

func (g *guard) turnedAway(op string, err error) error {
	if isContext(err) {
		g.count(op, resultCancelled)
	} else {
		g.count(op, resultBusy)
	}
	return err
}

func (g *guard) count(op string, how result) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.calls[Call{op, string(how)}]++
}

// note takes account of how a call ended.
func (g *guard) note(ctx context.Context, op string, err error) {
	how := resultOf(err)
	if how != resultOK && errors.Is(ctx.Err(), context.Canceled) {
		how = resultCancelled
	}
	g.mu.Lock()
	g.calls[Call{op, string(how)}]++
	before := g.health.State
	switch {
	case how == resultOK && op == opSign: // no storage was asked
	case how == resultOK && op == opOpen: // nor here, but the driver runs
		g.health = Health{State: Unknown}
		clear(g.failures[:])
	case how == resultOK:
		g.answers++
		g.set(Health{State: Healthy})
	case how == resultRefused:
		g.answers++
		g.set(Health{State: Refused, Cause: causeOf(err), Params: paramsOf(err), Messages: messagesOf(err), Detail: detailOf(err)})
	case how == resultFailed && g.failed():
		g.probeAt = time.Now().Add(breakerProbe)
		g.set(Health{State: Down, Cause: byCode[ports.Unavailable].cause, Messages: messagesOf(err), Detail: detailOf(err)})
	}
	after := g.health
	g.mu.Unlock()
	firstUse := before == Unknown && after.State == Healthy
	if after.State != before && !firstUse && g.changed != nil {
		g.changed(after)
	}
}

// set changes the health; the caller holds mu. A state that lasts keeps its
// beginning; a storage that comes back starts without old failures.
func (g *guard) set(h Health) {
	h.Since = time.Now().UTC()
	if h.State == g.health.State {
		h.Since = g.health.Since
	} else if g.health.State == Down {
		clear(g.failures[:])
	}
	g.health = h
}

// failed remembers a failure and reports whether the breaker opens: enough of
// them in its window, and no more answers than failures in the same time. The
// caller holds mu.
func (g *guard) failed() bool {
	now := time.Now()
	g.failures[g.next] = failure{now, g.answers}
	g.next = (g.next + 1) % len(g.failures)
	oldest := g.failures[g.next]
	return g.health.State == Down ||
		!oldest.at.IsZero() && now.Sub(oldest.at) <= breakerWindow && g.answers-oldest.answers <= breakerFailures
}

// resultOf sorts the errors of objstore.Bucket.
func resultOf(err error) result {
	var e *ports.Error
	switch {
	case err == nil:
		return resultOK
	case errors.As(err, &e):
	case errors.Is(err, context.DeadlineExceeded), errors.Is(err, io.ErrUnexpectedEOF):
		return resultFailed
	default:
		return resultCancelled
	}
	switch e.Code {
	case ports.Unavailable:
		return resultFailed
	case ports.BadGateway:
		if e.Key == "storage_denied" && e.Text != "storage_object_archived" {
			return resultRefused
		}
		return resultCancelled
	case ports.NotFound, ports.Conflict, ports.Precondition, ports.Range, ports.Quota:
		return resultOK
	}
	return resultCancelled
}

// causeOf names the message that explains a refusal.
func causeOf(err error) string {
	var e *ports.Error
	if errors.As(err, &e) {
		if known, ok := explanations[e.Text]; ok {
			return known.cause
		}
	}
	return byCode[ports.BadGateway].cause
}

func messagesOf(err error) map[string]string {
	var e *ports.Error
	if errors.As(err, &e) {
		return e.Messages
	}
	return nil
}

func paramsOf(err error) map[string]any {
	var e *ports.Error
	if errors.As(err, &e) {
		return e.Params
	}
	return nil
}

// Status is what a node knows of the calls to a storage.
type Status struct {
	ConfigID string
	Health   Health
	InFlight int // short calls
	Waiting  int
	Streams  int
	Calls    map[Call]int64 // since the start or the last change of the config
}

func (g *guard) status(configID string) Status {
	g.mu.Lock()
	defer g.mu.Unlock()
	return Status{
		ConfigID: configID, Health: g.health, InFlight: len(g.slots), Waiting: int(g.waiting.Load()), Streams: int(g.streams.Load()), Calls: maps.Clone(g.calls),
	}
}

// guardedBucket is a bucket whose calls pass a guard.
type guardedBucket struct {
	objstore.Bucket
	guard    *guard
	capacity int64 // of its config, in bytes; 0 means no bound
}

// capacityOfBucket is the capacity of the config that a bucket was opened for.
func capacityOfBucket(b objstore.Bucket) int64 {
	if g, ok := b.(*guardedBucket); ok {
		return g.capacity
	}
	return 0
}

var (
	_ objstore.Bucket    = (*guardedBucket)(nil)
	_ objstore.CORSAdmin = (*guardedBucket)(nil)
)

// The operations that ask no storage.
const (
	opOpen = "open"
	opSign = "sign"
)

// Stat implements objstore.Bucket.
func (b *guardedBucket) Stat(ctx context.Context, key string) (o objstore.Object, err error) {
	err = b.guard.call(ctx, "stat", func(ctx context.Context) (err error) {
		o, err = b.Bucket.Stat(ctx, key)
		return err
	})
	return o, err
}

// List implements objstore.Bucket.
func (b *guardedBucket) List(ctx context.Context, q objstore.ListQuery) (page objstore.ListPage, err error) {
	err = b.guard.call(ctx, "list", func(ctx context.Context) (err error) {
		page, err = b.Bucket.List(ctx, q)
		return err
	})
	return page, err
}

// Usage implements objstore.Bucket.
func (b *guardedBucket) Usage(ctx context.Context) (u objstore.Usage, err error) {
	err = b.guard.call(ctx, "usage", func(ctx context.Context) (err error) {
		u, err = b.Bucket.Usage(ctx)
		return err
	})
	return u, err
}

// Sign implements objstore.Bucket.
func (b *guardedBucket) Sign(ctx context.Context, r objstore.SignRequest) (s objstore.SignedRequest, err error) {
	err = b.guard.call(ctx, opSign, func(ctx context.Context) (err error) {
		s, err = b.Bucket.Sign(ctx, r)
		return err
	})
	return s, err
}

// EnsureCORS implements objstore.CORSAdmin.
func (b *guardedBucket) EnsureCORS(ctx context.Context, origins []string) error {
	admin, ok := b.Bucket.(objstore.CORSAdmin)
	if !ok {
		return objstore.ErrUnsupported
	}
	return b.guard.call(ctx, "cors", func(ctx context.Context) error { return admin.EnsureCORS(ctx, origins) })
}

// Copy implements objstore.Bucket.
func (b *guardedBucket) Copy(ctx context.Context, dst, src string) (o objstore.Object, err error) {
	err = b.guard.work(ctx, "copy", func() (err error) {
		o, err = b.Bucket.Copy(ctx, dst, src)
		return err
	})
	return o, err
}

// Delete implements objstore.Bucket.
func (b *guardedBucket) Delete(ctx context.Context, keys ...string) (failed map[string]error, err error) {
	err = b.guard.work(ctx, "delete", func() (err error) {
		failed, err = b.Bucket.Delete(ctx, keys...)
		return err
	})
	return failed, err
}

// Write implements objstore.Bucket.
func (b *guardedBucket) Write(ctx context.Context, key string, body io.Reader, w objstore.WriteOptions) (o objstore.Object, err error) {
	err = b.guard.upload(ctx, "write", body, func(body io.Reader) (err error) {
		o, err = b.Bucket.Write(ctx, key, body, w)
		return err
	})
	return o, err
}

// Read implements objstore.Bucket. Opening the body is a short call, the body a
// transfer until it is closed.
func (b *guardedBucket) Read(ctx context.Context, key string, r objstore.Range) (*objstore.Body, error) {
	const op = "read"
	g := b.guard
	if err := g.enter(ctx); err != nil {
		return nil, g.turnedAway(op, err)
	}
	if err := g.beginStream(); err != nil {
		g.leave()
		return nil, g.turnedAway(op, err)
	}
	body, err := b.Bucket.Read(ctx, key, r) // the driver bounds it: ctx is the body's, too
	g.leave()
	g.note(ctx, op, err)
	if err != nil {
		g.leaveStream()
		return nil, err
	}
	body.ReadCloser = &guardedBody{ReadCloser: body.ReadCloser, ctx: ctx, guard: g}
	return body, nil
}

// guardedBody gives the place of its transfer back when it is closed.
type guardedBody struct {
	io.ReadCloser
	ctx    context.Context
	guard  *guard
	closed atomic.Bool
	failed atomic.Bool
}

// Read implements io.Reader.
func (b *guardedBody) Read(p []byte) (int, error) { return b.ReadInto(nil, p) }

// ReadInto implements bulk.Source.
func (b *guardedBody) ReadInto(p *bulk.Pipe, buffer []byte) (int, error) {
	n, err := bulk.ReadInto(b.ReadCloser, p, buffer)
	if err != nil && err != io.EOF && !b.failed.Swap(true) {
		b.guard.note(b.ctx, "body", err)
	}
	return n, err
}

// WriteTo implements io.WriterTo, by the way that the driver has.
func (b *guardedBody) WriteTo(w io.Writer) (int64, error) {
	if direct, ok := b.ReadCloser.(io.WriterTo); ok {
		return direct.WriteTo(w)
	}
	return bulk.Copy(w, b)
}

// Close implements io.Closer.
func (b *guardedBody) Close() error {
	if !b.closed.Swap(true) {
		b.guard.leaveStream()
	}
	return b.ReadCloser.Close()
}

// Multipart implements objstore.Bucket.
func (b *guardedBucket) Multipart() objstore.Multipart {
	m := b.Bucket.Multipart()
	if m == nil {
		return nil
	}
	return &guardedMultipart{m, b.guard}
}

type guardedMultipart struct {
	objstore.Multipart
	guard *guard
}

// Create implements objstore.Multipart.
func (m *guardedMultipart) Create(ctx context.Context, key string, o objstore.WriteOptions) (id string, err error) {
	err = m.guard.call(ctx, "create_upload", func(ctx context.Context) (err error) {
		id, err = m.Multipart.Create(ctx, key, o)
		return err
	})
	return id, err
}

// WritePart implements objstore.Multipart.
func (m *guardedMultipart) WritePart(ctx context.Context, key, uploadID string, number int, body io.Reader, size int64) (p objstore.Part, err error) {
	err = m.guard.upload(ctx, "write_part", body, func(body io.Reader) (err error) {
		p, err = m.Multipart.WritePart(ctx, key, uploadID, number, body, size)
		return err
	})
	return p, err
}

// ListUploads implements objstore.Multipart.
func (m *guardedMultipart) ListUploads(ctx context.Context, prefix string) (uploads []objstore.Upload, err error) {
	err = m.guard.call(ctx, "list_uploads", func(ctx context.Context) (err error) {
		uploads, err = m.Multipart.ListUploads(ctx, prefix)
		return err
	})
	return uploads, err
}

// ListParts implements objstore.Multipart.
func (m *guardedMultipart) ListParts(ctx context.Context, key, uploadID string) (parts []objstore.Part, err error) {
	err = m.guard.call(ctx, "list_parts", func(ctx context.Context) (err error) {
		parts, err = m.Multipart.ListParts(ctx, key, uploadID)
		return err
	})
	return parts, err
}

// Complete implements objstore.Multipart.
func (m *guardedMultipart) Complete(ctx context.Context, key, uploadID string, parts []objstore.Part) (o objstore.Object, err error) {
	err = m.guard.work(ctx, "complete_upload", func() (err error) {
		o, err = m.Multipart.Complete(ctx, key, uploadID, parts)
		return err
	})
	return o, err
}

// Abort implements objstore.Multipart.
func (m *guardedMultipart) Abort(ctx context.Context, key, uploadID string) error {
	return m.guard.call(ctx, "abort_upload", func(ctx context.Context) error { return m.Multipart.Abort(ctx, key, uploadID) })
}
