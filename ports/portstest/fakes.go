package portstest

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"fmt"
	"strings"
	"sync"
	"time"

	"pasteport/ports"
)

// Start is the time at which a Clock begins when the test does not care.
var Start = time.Date(2026, 11, 21, 8, 0, 0, 0, time.UTC)

// Clock stands still until the test moves it. It is safe for concurrent use.
type Clock struct {
	mu  sync.Mutex
	now time.Time
}

// NewClock returns a clock that shows Start.
func NewClock() *Clock { return &Clock{now: Start} }

// Now tells the time of the clock.
func (c *Clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

// Add moves the clock by d and tells the new time.
func (c *Clock) Add(d time.Duration) time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
	return c.now
}

// Set moves the clock to t.
func (c *Clock) Set(t time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = t.UTC()
}

// Hasher is a fake of ports.Hasher that costs nothing and counts its work.
type Hasher struct {
	mu      sync.Mutex
	hashes  int
	checks  int
	Failure error // when set, every call returns it
}

const fakeHash = "fake$"

// Hash returns a readable stand-in for a hash.
func (h *Hasher) Hash(_ context.Context, password string) (string, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.hashes++
	return fakeHash + password, h.Failure
}

// Verify reports whether hash was made of password. An empty hash never fits.
func (h *Hasher) Verify(_ context.Context, password, hash string) (bool, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.checks++
	return strings.HasPrefix(hash, fakeHash) && hash[len(fakeHash):] == password, h.Failure
}

// Outdated reports true for hashes that this fake did not make.
func (h *Hasher) Outdated(hash string) bool { return !strings.HasPrefix(hash, fakeHash) }

// Calls tells how often Hash and Verify were called.
func (h *Hasher) Calls() (hashes, checks int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.hashes, h.checks
}

// Random is a fake of ports.Random whose answers are all different, ordered
// and the same in each run.
type Random struct {
	mu     sync.Mutex
	n      uint64
	queued []string
}

// Queue makes the next calls of Text return these, whatever their length.
func (r *Random) Queue(texts ...string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.queued = append(r.queued, texts...)
}

func (r *Random) next() uint64 {
	r.n++
	return r.n
}

// ID returns a new id in the form of a UUIDv7.
func (r *Random) ID() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	n := r.next()
	return fmt.Sprintf("0199%04x-%04x-7000-8000-%012x", n>>16&0xffff, n&0xffff, n)
}

// Text returns n characters from A-Z a-z 0-9, or the next queued text.
func (r *Random) Text(n int) string {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.queued) > 0 {
		text := r.queued[0]
		r.queued = r.queued[1:]
		return text
	}
	const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
	text := bytes.Repeat([]byte{'A'}, n)
	for i, v := n-1, r.next(); i >= 0 && v > 0; i, v = i-1, v/62 {
		text[i] = letters[v%62]
	}
	return string(text)
}

// Bytes returns n bytes.
func (r *Random) Bytes(n int) []byte {
	r.mu.Lock()
	defer r.mu.Unlock()
	var out []byte
	for len(out) < n {
		sum := sha256.Sum256(fmt.Append(nil, "bytes", r.next()))
		out = append(out, sum[:]...)
	}
	return out[:n]
}

// MAC is a fake of ports.MAC: the purpose itself is the key.
type MAC struct{}

// Sum returns the HMAC-SHA-256 of data under purpose.
func (MAC) Sum(purpose string, data []byte) [32]byte {
	h := hmac.New(sha256.New, []byte(purpose))
	h.Write(data)
	return [32]byte(h.Sum(nil))
}

// Sealer is a fake of ports.Sealer: what it seals does not contain the plain
// bytes, and opens for the same place only.
type Sealer struct{}

// Seal turns plain over and binds it to place.
func (Sealer) Seal(plain []byte, place string) ([]byte, error) {
	return append(MAC{}.bytes(place, plain), flip(plain)...), nil
}

// Open gives back what Seal was given for the same place, Invalid otherwise.
func (Sealer) Open(sealed []byte, place string) ([]byte, error) {
	if len(sealed) < sha256.Size {
		return nil, errSeal
	}
	plain := flip(sealed[sha256.Size:])
	if !hmac.Equal(sealed[:sha256.Size], MAC{}.bytes(place, plain)) {
		return nil, errSeal
	}
	return plain, nil
}

// Versioned is a Sealer with a number of keys: it seals with the current one,
// whose number stands in front, and opens what any has sealed.
type Versioned struct {
	Sealer
	Current byte
}

// Seal seals with the current key.
func (v *Versioned) Seal(plain []byte, place string) ([]byte, error) {
	sealed, err := v.Sealer.Seal(plain, place)
	return append([]byte{v.Current}, sealed...), err
}

// Open opens what any key has sealed.
func (v *Versioned) Open(sealed []byte, place string) ([]byte, error) {
	return v.Sealer.Open(sealed[1:], place)
}

// Outdated reports whether another key than the current one has sealed it.
func (v *Versioned) Outdated(sealed []byte) bool { return sealed[0] != v.Current }

var errSeal = &ports.Error{Code: ports.Invalid, Key: "seal_broken"}

func (m MAC) bytes(purpose string, data []byte) []byte {
	sum := m.Sum(purpose, data)
	return sum[:]
}

func flip(b []byte) []byte {
	out := make([]byte, len(b))
	for i := range b {
		out[i] = ^b[i]
	}
	return out
}

// Invalidation is a fake of ports.Invalidation that remembers what was
// published and lets a test play the other node.
type Invalidation struct {
	mu        sync.Mutex
	published []string
	listeners []listener
}

type listener struct {
	ctx  context.Context
	kind string
	fn   func(id string)
}

// Publish remembers the event.
func (i *Invalidation) Publish(_ context.Context, kind, id string) error {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.published = append(i.published, kind+"/"+id)
	return nil
}

// Subscribe calls fn for each event that the test sends with Arrive.
func (i *Invalidation) Subscribe(ctx context.Context, kind string, fn func(id string)) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.listeners = append(i.listeners, listener{ctx, kind, fn})
}

// Arrive delivers an event of another node to the subscribers.
func (i *Invalidation) Arrive(kind, id string) {
	i.mu.Lock()
	listeners := i.listeners
	i.mu.Unlock()
	for _, l := range listeners {
		if l.kind == kind && l.ctx.Err() == nil {
			l.fn(id)
		}
	}
}

// Published lists the events so far, as "kind/id".
func (i *Invalidation) Published() []string {
	i.mu.Lock()
	defer i.mu.Unlock()
	return append([]string(nil), i.published...)
}

var (
	_ ports.Clock        = (*Clock)(nil)
	_ ports.Hasher       = (*Hasher)(nil)
	_ ports.Random       = (*Random)(nil)
	_ ports.MAC          = MAC{}
	_ ports.Sealer       = Sealer{}
	_ ports.Invalidation = (*Invalidation)(nil)
)
