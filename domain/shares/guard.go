package shares

import (
	"context"
	"crypto/hmac"
	"encoding/base64"
	"encoding/binary"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"pasteport/domain/internal/keymutex"
	"pasteport/ports"
	"pasteport/ports/policy"
)

// VisitLength is how long a visitor who was let in once may come back with the
// ticket of that visit, without password and without taking another view.
const VisitLength = 10 * time.Minute

// Bounds on failed guesses at share passwords and slugs.
const (
	guessesPerAddress = 10 // in 15 minutes, per share and address
	guessesPerShare   = 100
	unknownPerMinute  = 60 // unknown slugs per address
	proofsKept        = 8192
)

// guard checks passwords and tickets for pastes and files alike.
type guard struct {
	hasher   ports.Hasher
	guesses  ports.Guesses
	mac      ports.MAC
	clock    ports.Clock
	proofs   proofs
	visits   proofs
	misses   misses
	guessing keymutex.Mutex[string] // by share and address
}

func newGuard(d Deps) *guard {
	g := &guard{hasher: d.Hasher, guesses: d.Guesses, mac: d.MAC, clock: d.Clock}
	g.misses.max = unknownPerMinute
	if d.UnknownSlugsPerMinute != 0 {
		g.misses.max = d.UnknownSlugsPerMinute
	}
	return g
}

// lock is what a password must fit: that of a share in one version.
type lock struct {
	id      string
	version int64
	hash    string
	// renew stores a stronger hash of the same password.
	renew func(ctx context.Context, hash string) error
}

// unlock checks a password. It counts failures per share and address and per
// share; too many answer RateLimited. Who proved the password from the same
// address within the visit is not asked again.
func (g *guard) unlock(ctx context.Context, l lock, password string) error {
	if password == "" {
		return errPasswordRequired
	}
	if len(password) > MaxPassword {
		return errPasswordWrong
	}
	now, from := g.clock.Now(), policy.ClientOf(ctx)
	proof := g.mac.Sum("share-proof", []byte(strings.Join([]string{l.id, strconv.FormatInt(l.version, 10), from, password}, "\x00")))
	if g.proofs.has(proof, now) {
		return nil
	}
	here := ports.GuessLimit{Subject: "share|" + l.id + "|" + from, Max: guessesPerAddress, Window: 15 * time.Minute}
	// One at a time, so that a burst cannot pass the limit before its first
	// failure is counted.
	done, err := g.guessing.Lock(ctx, here.Subject)
	if err != nil {
		return err
	}
	defer done()
	if g.proofs.has(proof, now) {
		return nil
	}
	anywhere := ports.GuessLimit{Subject: "share|" + l.id, Max: guessesPerShare, Window: time.Hour, Slow: 30 * time.Second}
	wait, err := g.guesses.Check(ctx, here, anywhere)
	if err != nil {
		return err
	}
	if wait > 0 {
		return &ports.Error{Code: ports.RateLimited, Key: "rate_limited", Text: "too_many_guesses", RetryAfter: wait}
	}
	ok, err := g.hasher.Verify(ctx, password, l.hash)
	if err != nil {
		return err
	}
	if !ok {
		if err := g.guesses.Fail(ctx, here, anywhere); err != nil {
			return err
		}
		return errPasswordWrong
	}
	g.proofs.add(proof, now)
	if g.hasher.Outdated(l.hash) {
		if err := g.strengthen(ctx, l, password); err != nil {
			return err
		}
	}
	return g.guesses.Forget(ctx, here)
}

// strengthen replaces a hash that an import brought, or that was made with
// older parameters, now that its password is known.
func (g *guard) strengthen(ctx context.Context, l lock, password string) error {
	hash, err := g.hasher.Hash(ctx, password)
	if err != nil {
		return err
	}
	return l.renew(ctx, hash)
}

// ticket names a visit to a share in one version, until the visit ends.
func (g *guard) ticket(id string, version int64) string {
	end := g.clock.Now().Add(VisitLength).Unix()
	return strconv.FormatInt(end, 36) + "." + g.ticketSum(id, version, end)
}

// admits reports whether ticket belongs to a visit of this share that has not
// ended.
func (g *guard) admits(ticket, id string, version int64) bool {
	// Old pages append their own query to a link that already has one.
	ticket, _, _ = strings.Cut(ticket, "?")
	head, sum, found := strings.Cut(ticket, ".")
	if !found {
		return false
	}
	end, err := strconv.ParseInt(head, 36, 64)
	if err != nil || g.clock.Now().Unix() >= end {
		return false
	}
	return hmac.Equal([]byte(sum), []byte(g.ticketSum(id, version, end)))
}

func (g *guard) ticketSum(id string, version, end int64) string {
	data := append(make([]byte, 0, len(id)+16), id...)
	data = binary.BigEndian.AppendUint64(data, uint64(version))
	data = binary.BigEndian.AppendUint64(data, uint64(end))
	sum := g.mac.Sum("share-ticket", data)
	return base64.RawURLEncoding.EncodeToString(sum[:])
}

// came remembers, on this node, that the caller's address has opened a visit of
// a share in one version.
func (g *guard) came(ctx context.Context, id string, version int64) {
	if from := policy.ClientOf(ctx); from != "" {
		g.visits.add(g.visitProof(id, version, from), g.clock.Now())
	}
}

// returns reports whether the caller's address has opened a visit of this share
// that has not ended. It frees the later parts of a download that carries no
// ticket; it opens nothing that is closed.
func (g *guard) returns(ctx context.Context, id string, version int64) bool {
	from := policy.ClientOf(ctx)
	return from != "" && g.visits.has(g.visitProof(id, version, from), g.clock.Now())
}

func (g *guard) visitProof(id string, version int64, from string) [32]byte {
	return g.mac.Sum("share-visit", []byte(strings.Join([]string{id, strconv.FormatInt(version, 10), from}, "\x00")))
}

// unknown counts a request for a slug that does not exist and gives it its
// error; open refuses addresses that have tried too many.
func (g *guard) unknown(ctx context.Context, err error) error {
	g.misses.add(policy.ClientOf(ctx), g.clock.Now())
	return err
}

func (g *guard) open(ctx context.Context) error {
	if !g.misses.any.Load() {
		return nil
	}
	if wait := g.misses.wait(policy.ClientOf(ctx), g.clock.Now()); wait > 0 {
		e := *errUnknownSlugs
		e.RetryAfter = wait
		return &e
	}
	return nil
}

// proofs remembers for the length of a visit which passwords were proved, or
// who came, as keyed hashes. It forgets all when full, which only costs hashing
// again, or a view.
type proofs struct {
	mu   sync.RWMutex
	ends map[[32]byte]time.Time
}

func (p *proofs) has(proof [32]byte, now time.Time) bool {
	p.mu.RLock()
	defer p.mu.RUnlock()
	end, ok := p.ends[proof]
	return ok && now.Before(end)
}

func (p *proofs) add(proof [32]byte, now time.Time) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.ends == nil || len(p.ends) >= proofsKept {
		p.ends = map[[32]byte]time.Time{}
	}
	p.ends[proof] = now.Add(VisitLength)
}

// misses counts requests for unknown slugs by address, in windows of a minute.
type misses struct {
	max   int // negative means no limit
	any   atomic.Bool
	mu    sync.Mutex
	start time.Time
	count map[string]int
}

func (m *misses) add(from string, now time.Time) {
	if m.max < 0 || from == "" {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.turn(now)
	if len(m.count) < 100_000 {
		m.count[from]++
	}
	m.any.Store(true)
}

func (m *misses) wait(from string, now time.Time) time.Duration {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.turn(now)
	if len(m.count) == 0 {
		m.any.Store(false)
	}
	if m.count[from] < m.max {
		return 0
	}
	return m.start.Add(time.Minute).Sub(now)
}

// turn opens a new window when the last one is over, or lies in the future
// because the clock was set back.
func (m *misses) turn(now time.Time) {
	if m.count == nil || now.Sub(m.start) >= time.Minute || now.Before(m.start) {
		m.start, m.count = now, map[string]int{}
	}
}
