package gate

import (
	"cmp"
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

// The errors of passwords, and of those who guess.
var (
	ErrPasswordRequired = &ports.Error{Code: ports.Unauthenticated, Key: "password_required"}
	ErrPasswordMissing  = &ports.Error{Code: ports.Invalid, Key: "password_required"}
	ErrNotProtected     = ports.InvalidInput("share_not_protected", "password")
	errPasswordWrong    = &ports.Error{Code: ports.Unauthenticated, Key: "password_wrong"}
	errUnknownSlugs     = &ports.Error{Code: ports.RateLimited, Key: "rate_limited"}
)

// Guard checks passwords and tickets, for every kind of share alike. It is safe
// for concurrent use.
type Guard struct {
	hasher   ports.Hasher
	guesses  ports.Guesses
	mac      ports.MAC
	clock    ports.Clock
	proofs   proofs
	visits   proofs
	misses   misses
	guessing keymutex.Mutex[string] // by share and address
}

// Deps are the ports that a Guard works with.
type Deps struct {
	Hasher  ports.Hasher
	Guesses ports.Guesses
	MAC     ports.MAC
	Clock   ports.Clock
	// UnknownSlugsPerMinute bounds requests for unknown slugs from one address;
	// 0 means 60, negative means no bound.
	UnknownSlugsPerMinute int
}

// NewGuard returns a guard.
func NewGuard(d Deps) *Guard {
	g := &Guard{hasher: d.Hasher, guesses: d.Guesses, mac: d.MAC, clock: d.Clock}
	g.misses.max = cmp.Or(d.UnknownSlugsPerMinute, unknownPerMinute)
	return g
}

// Lock is what a password must fit: that of a share in one version.
type Lock struct {
	ID      string
	Version int64
	Hash    string
	// Renew stores a stronger hash of the same password.
	Renew func(ctx context.Context, hash string) error
}

// Unlock checks a password. It counts failures per share and address and per
// share; too many answer RateLimited. Who proved the password from the same
// address within the visit is not asked again.
func (g *Guard) Unlock(ctx context.Context, l Lock, password string) error {
	if password == "" {
		return ErrPasswordRequired
	}
	if len(password) > MaxPassword {
		return errPasswordWrong
	}
	now, from := g.clock.Now(), policy.ClientOf(ctx)
	proof := g.mac.Sum("share-proof", []byte(strings.Join([]string{l.ID, strconv.FormatInt(l.Version, 10), from, password}, "\x00")))
	if g.proofs.has(proof, now) {
		return nil
	}
	here := ports.GuessLimit{Subject: "share|" + l.ID + "|" + from, Max: guessesPerAddress, Window: 15 * time.Minute}
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
	anywhere := ports.GuessLimit{Subject: "share|" + l.ID, Max: guessesPerShare, Window: time.Hour, Slow: 30 * time.Second}
	wait, err := g.guesses.Check(ctx, here, anywhere)
	if err != nil {
		return err
	}
	if wait > 0 {
		return &ports.Error{Code: ports.RateLimited, Key: "rate_limited", Text: "too_many_guesses", RetryAfter: wait}
	}
	ok, err := g.hasher.Verify(ctx, password, l.Hash)
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
	if g.hasher.Outdated(l.Hash) {
		if err := g.strengthen(ctx, l, password); err != nil {
			return err
		}
	}
	return g.guesses.Forget(ctx, here)
}

// strengthen replaces a hash that an import brought, or that was made with
// older parameters, now that its password is known.
func (g *Guard) strengthen(ctx context.Context, l Lock, password string) error {
	hash, err := g.hasher.Hash(ctx, password)
	if err != nil {
		return err
	}
	return l.Renew(ctx, hash)
}

// Ticket names a visit to a share in one version, until the visit ends.
func (g *Guard) Ticket(id string, version int64) string { return g.TicketFor(id, version, VisitLength) }

// TicketFor is Ticket for a visit of another length.
func (g *Guard) TicketFor(id string, version int64, length time.Duration) string {
	end := g.clock.Now().Add(length).Unix()
	return strconv.FormatInt(end, 36) + "." + g.ticketSum(id, version, end)
}

// Admits reports whether ticket belongs to a visit of this share that has not
// ended.
func (g *Guard) Admits(ticket, id string, version int64) bool {
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

func (g *Guard) ticketSum(id string, version, end int64) string {
	data := append(make([]byte, 0, len(id)+16), id...)
	data = binary.BigEndian.AppendUint64(data, uint64(version))
	data = binary.BigEndian.AppendUint64(data, uint64(end))
	sum := g.mac.Sum("share-ticket", data)
	return base64.RawURLEncoding.EncodeToString(sum[:])
}

// Came remembers, on this node, that the caller's address has opened a visit of
// a share in one version.
func (g *Guard) Came(ctx context.Context, id string, version int64) {
	if from := policy.ClientOf(ctx); from != "" {
		g.visits.add(g.visitProof(id, version, from), g.clock.Now())
	}
}

// Returns reports whether the caller's address has opened a visit of this share
// that has not ended. It frees the later parts of a download that carries no
// ticket; it opens nothing that is closed.
func (g *Guard) Returns(ctx context.Context, id string, version int64) bool {
	from := policy.ClientOf(ctx)
	return from != "" && g.visits.has(g.visitProof(id, version, from), g.clock.Now())
}

func (g *Guard) visitProof(id string, version int64, from string) [32]byte {
	return g.mac.Sum("share-visit", []byte(strings.Join([]string{id, strconv.FormatInt(version, 10), from}, "\x00")))
}

// Unknown counts a request for a slug that does not exist and gives it its
// error.
func (g *Guard) Unknown(ctx context.Context, err error) error {
	g.misses.add(policy.ClientOf(ctx), g.clock.Now())
	return err
}

// Open refuses addresses that have asked for too many unknown slugs.
func (g *Guard) Open(ctx context.Context) error {
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
