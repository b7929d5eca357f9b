package remote

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"sync"
	"time"

	"pasteport/ports/policy"
)

// Bounds of what is remembered and of fetches under way.
const (
	announcedFor    = time.Hour
	maxAnnounced    = 10_000
	fetchesPerOwner = 2 // under way at once
	fetchRetry      = 2 * time.Second
)

// announced remembers which addresses may be read through this server, as
// hashes of their exact text. It forgets the oldest when it is full.
type announced struct {
	mu   sync.Mutex
	ends map[string]time.Time
	line []string // in the order of arrival; may name what came again later
}

// add remembers an address and returns the id under which other nodes hear
// of it.
func (a *announced) add(address string, now time.Time) string {
	id := announcedID(address)
	a.hear(id, now)
	return id
}

// hear remembers an address by its id. An empty id means nothing.
func (a *announced) hear(id string, now time.Time) {
	if id == "" {
		return
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.ends == nil {
		a.ends = map[string]time.Time{}
	}
	if _, known := a.ends[id]; !known {
		a.line = append(a.line, id)
	}
	a.ends[id] = now.Add(announcedFor)
	for len(a.line) > 0 && (len(a.line) > maxAnnounced || !now.Before(a.ends[a.line[0]])) {
		delete(a.ends, a.line[0])
		a.line = a.line[1:]
	}
}

func (a *announced) has(address string, now time.Time) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	end, known := a.ends[announcedID(address)]
	return known && now.Before(end)
}

func announcedID(address string) string {
	sum := sha256.Sum256([]byte(address))
	return base64.RawURLEncoding.EncodeToString(sum[:])
}

// fetchTurns bounds how many fetches one caller has under way on this node.
type fetchTurns struct {
	mu    sync.Mutex
	count map[string]int
}

// turnOf names the caller whose fetches are counted: a key, or an address
// without a credential. The administrator is not counted.
func turnOf(ctx context.Context, who policy.Principal) string {
	switch who.Kind {
	case policy.Admin:
		return ""
	case policy.Anonymous:
		return "from " + policy.ClientOf(ctx)
	}
	return who.Owner()
}

// take begins a fetch; done ends it. Returns RateLimited when the caller has
// too many under way.
func (t *fetchTurns) take(subject string) (done func(), err error) {
	if subject == "" {
		return func() {}, nil
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.count == nil {
		t.count = map[string]int{}
	}
	if t.count[subject] >= fetchesPerOwner {
		return nil, errFetchesFull
	}
	t.count[subject]++
	return sync.OnceFunc(func() {
		t.mu.Lock()
		defer t.mu.Unlock()
		if t.count[subject]--; t.count[subject] == 0 {
			delete(t.count, subject)
		}
	}), nil
}
