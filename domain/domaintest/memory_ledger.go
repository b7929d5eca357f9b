package domaintest

import (
	"context"
	"slices"
	"sync"
	"time"

	"pasteport/domain/shares"
	"pasteport/domain/storage"
	"pasteport/ports"
	"pasteport/ports/capacity"
	"pasteport/ports/objstore"
	"pasteport/ports/policy"
)

// memLedger is the ledger of capacity in memory. It stands outside of the units
// of work, but for what they release and settle.
type memLedger struct {
	m        *Memory
	mu       sync.Mutex
	accounts map[string]*storage.Account
	claims   map[string]memClaim
	days     map[memDay]policy.Usage
}

type memDay struct{ owner, day string }

type memClaim struct {
	config, owner, day string
	bytes              int64
	counted            bool
	recounted          bool // the storage was counted since
	end                time.Time
}

func (c memClaim) roomed() int64 {
	if c.counted {
		return c.bytes
	}
	return 0
}

func newMemLedger(m *Memory) *memLedger {
	return &memLedger{m: m, accounts: map[string]*storage.Account{}, claims: map[string]memClaim{}, days: map[memDay]policy.Usage{}}
}

var _ storage.LedgerRepository = (*memLedger)(nil)

// memUndo is the key of what takes back the changes of a unit of work.
type memUndo struct{}

// Do runs fn in a unit of work. What it releases and settles is as before when it fails.
func (l *memLedger) Do(ctx context.Context, fn func(ctx context.Context) error) error {
	var undo []func()
	err := l.m.Do(context.WithValue(ctx, memUndo{}, &undo), fn)
	if err != nil {
		l.mu.Lock()
		defer l.mu.Unlock()
		for _, back := range slices.Backward(undo) {
			back()
		}
	}
	return err
}

// undoes notes how a change of the unit of work of ctx is taken back.
func undoes(ctx context.Context, back func()) {
	if undo, ok := ctx.Value(memUndo{}).(*[]func()); ok {
		*undo = append(*undo, back)
	}
}

// count adds a claim to what is counted, or takes it out.
func (l *memLedger) count(c memClaim, sign int64) {
	if a := l.accounts[c.config]; a != nil {
		a.Reserved += sign * c.roomed()
	}
	if c.day != "" {
		l.addDay(c.owner, c.day, sign*c.bytes, sign)
	}
}

func today(now time.Time) string { return now.UTC().Format(time.DateOnly) }

// room returns the account that has room for more bytes.
func (l *memLedger) room(c *capacity.Claim, more int64) (*storage.Account, error) {
	a, ok := l.accounts[c.ConfigID]
	if !ok || a.Doubt >= storage.Uncounted {
		return nil, ports.ErrNotFound
	}
	if used := a.Held - min(a.Held, c.Old) + a.Reserved; used+more > c.Capacity {
		return nil, capacity.Full(more, used, c.Capacity)
	}
	return a, nil
}

func (l *memLedger) fitsDay(c *capacity.Claim, day string, bytes, files int64) error {
	used := l.days[memDay{c.Owner, day}]
	if c.Limits.FilesDay > 0 && files > 0 && used.FilesToday+files > c.Limits.FilesDay {
		return capacity.Spent(capacity.FilesDay, files, used.FilesToday, c.Limits.FilesDay)
	}
	if c.Limits.BytesDay > 0 && bytes > 0 && used.BytesToday+bytes > c.Limits.BytesDay {
		return capacity.Spent(capacity.BytesDay, bytes, used.BytesToday, c.Limits.BytesDay)
	}
	return nil
}

func (l *memLedger) addDay(owner, day string, bytes, files int64) {
	used := l.days[memDay{owner, day}]
	used.BytesToday, used.FilesToday = used.BytesToday+bytes, used.FilesToday+files
	l.days[memDay{owner, day}] = used
}

// Counted returns the ledger of capacity over this database, for tests of rooms
// that know it only as an interface. indexed may be nil.
func (m *Memory) Counted(buckets objstore.Opener, clock ports.Clock, indexed func(ctx context.Context, configID string, exact bool) (int64, bool, error)) *storage.Ledger {
	return storage.NewLedger(m.Ledger(), buckets, clock, indexed)
}

// Reserve implements storage.LedgerRepository.
func (l *memLedger) Reserve(_ context.Context, c capacity.Claim, add bool, now time.Time) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	was, known := l.claims[c.ID]
	more := c.Size
	if !add {
		if more -= was.bytes; known && more <= 0 {
			return nil
		}
	}
	var account *storage.Account
	roomMore := was.bytes - was.roomed() + more
	if c.Capacity > 0 {
		var err error
		if account, err = l.room(&c, roomMore); err != nil {
			return err
		}
	}
	day := was.day
	if c.Owner != "" && (c.Limits.BytesDay > 0 || c.Limits.FilesDay > 0) {
		bytes, files := more, int64(0)
		if day == "" {
			day, bytes, files = today(now), was.bytes+more, 1
		}
		if err := l.fitsDay(&c, day, bytes, files); err != nil {
			return err
		}
		l.addDay(c.Owner, day, bytes, files)
	}
	if account != nil {
		account.Reserved += roomMore
	}
	kept := c.Kept
	if kept <= 0 {
		kept = capacity.DefaultKept
	}
	owner := c.Owner
	if known {
		owner = was.owner
	}
	l.claims[c.ID] = memClaim{c.ConfigID, owner, day, was.bytes + more, c.Capacity > 0, was.recounted, now.Add(kept)}
	return nil
}

// Settle implements storage.LedgerRepository.
func (l *memLedger) Settle(ctx context.Context, c capacity.Claim, size int64, now time.Time) (bool, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	was, known := l.claims[c.ID]
	account := l.accounts[c.ConfigID]
	if (known || !c.Arrived) && c.Capacity > 0 && size > was.roomed() {
		if _, err := l.room(&c, size-was.roomed()); err != nil {
			return known, err
		}
	}
	if was.owner != "" {
		c.Owner = was.owner
	}
	day, bytes, files := was.day, size-was.bytes, int64(0)
	if day == "" {
		day, bytes, files = today(now), size, 1
	}
	if c.Owner != "" {
		if err := l.fitsDay(&c, day, bytes, files); err != nil {
			return known, err
		}
		l.addDay(c.Owner, day, bytes, files)
		undoes(ctx, func() { l.addDay(c.Owner, day, -bytes, -files) })
	}
	if account != nil {
		stored := int64(0)
		if c.Capacity > 0 && (known || !c.Arrived) {
			stored = size
			if c.Old > 0 || was.recounted || !known {
				account.Doubt = max(account.Doubt, storage.Overcounted)
			}
		}
		fill := func(sign int64) {
			account.Reserved -= sign * was.roomed()
			account.Held += sign * stored
			account.Added += sign * stored
		}
		fill(1)
		undoes(ctx, func() { fill(-1) })
	}
	if known {
		undoes(ctx, func() { l.claims[c.ID] = was })
	}
	delete(l.claims, c.ID)
	return known, nil
}

// Release implements storage.LedgerRepository.
func (l *memLedger) Release(ctx context.Context, ids ...string) (released int, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, id := range ids {
		was, known := l.claims[id]
		if !known {
			continue
		}
		undoes(ctx, func() {
			l.count(was, 1)
			l.claims[id] = was
		})
		l.count(was, -1)
		delete(l.claims, id)
		released++
	}
	return released, nil
}

// Expired implements storage.LedgerRepository.
func (l *memLedger) Expired(_ context.Context, now time.Time, limit int) (ids, configs []string, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for id, c := range l.claims {
		if c.end.Before(now) && len(ids) < limit {
			ids, configs = append(ids, id), append(configs, c.config)
		}
	}
	return ids, configs, nil
}

// Account implements storage.LedgerRepository.
func (l *memLedger) Account(_ context.Context, configID string) (storage.Account, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if a, ok := l.accounts[configID]; ok {
		return *a, nil
	}
	return storage.Account{}, ports.ErrNotFound
}

// Open implements storage.LedgerRepository.
func (l *memLedger) Open(_ context.Context, configID string) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if _, ok := l.accounts[configID]; !ok {
		l.accounts[configID] = &storage.Account{Doubt: storage.Uncounted}
	}
	return nil
}

// Counted implements storage.LedgerRepository.
func (l *memLedger) Counted(_ context.Context, configID string, held, added int64) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if a, ok := l.accounts[configID]; ok {
		doubt := storage.AsCounted
		if a.Added != added {
			doubt = storage.Overcounted
		}
		a.Held, a.Doubt, a.Reserved = held+a.Added-added, doubt, 0
		for id, c := range l.claims {
			if c.config == configID {
				a.Reserved += c.roomed()
				c.recounted = true
				l.claims[id] = c
			}
		}
	}
	return nil
}

// Question implements storage.LedgerRepository.
func (l *memLedger) Question(_ context.Context, configID string, doubt int64) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if a, ok := l.accounts[configID]; ok {
		a.Doubt = max(a.Doubt, doubt)
	}
	return nil
}

// Uploads implements storage.LedgerRepository.
func (l *memLedger) Uploads(ctx context.Context, now time.Time, owners ...string) (policy.Usage, error) {
	mine := func(owner string) bool { return len(owners) == 0 || slices.Contains(owners, owner) }
	rows, err := l.m.files.all(ctx, func(f *shares.File) bool { return f.ErasedAt == nil && f.FilePath == "" && mine(f.CreatedBy) })
	var sum policy.Usage
	for _, f := range rows {
		sum.BytesStored += f.Size
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	for d, used := range l.days {
		if d.day == today(now) && mine(d.owner) {
			sum.BytesToday, sum.FilesToday = sum.BytesToday+used.BytesToday, sum.FilesToday+used.FilesToday
		}
	}
	return sum, err
}

// UploadsOf implements storage.LedgerRepository.
func (l *memLedger) UploadsOf(ctx context.Context, now time.Time, owners []string) (map[string]policy.Usage, error) {
	found := map[string]policy.Usage{}
	for _, owner := range owners {
		used, err := l.Uploads(ctx, now, owner)
		if err != nil {
			return nil, err
		}
		if used != (policy.Usage{}) {
			found[owner] = used
		}
	}
	return found, nil
}

// Forget implements storage.LedgerRepository.
func (l *memLedger) Forget(_ context.Context, before time.Time) (n int, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for d := range l.days {
		if d.day < today(before) {
			delete(l.days, d)
			n++
		}
	}
	return n, nil
}
