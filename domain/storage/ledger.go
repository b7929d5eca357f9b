package storage

import (
	"cmp"
	"context"
	"errors"
	"time"

	"pasteport/domain/internal/keymutex"
	"pasteport/domain/internal/objects"
	"pasteport/ports"
	"pasteport/ports/capacity"
	"pasteport/ports/objstore"
	"pasteport/ports/policy"
)

// Account is what the ledger knows of a storage with a capacity.
type Account struct {
	Held     int64 // bytes; never less than the storage has, unless Doubt is Uncounted
	Reserved int64 // bytes that are on their way
	Added    int64 // bytes that were ever settled
	Doubt    int64 // one of the three below
}

// How far an account is right.
const (
	AsCounted   int64 = 0
	Overcounted int64 = 1 // something was deleted, replaced or counted twice since: less may be held
	Uncounted   int64 = 2 // it must be counted before it is used
)

// LedgerRepository stores the ledger. Whatever bounds an addition is checked by
// the statement that adds, so that it holds for any number of callers and nodes.
type LedgerRepository interface {
	ports.UnitOfWork
	// Reserve makes or raises a claim's reservation: to its size, or by it with
	// add. Returns Quota when the storage or the owner's quota has no room for
	// it, NotFound when the storage has to be counted first.
	Reserve(ctx context.Context, c capacity.Claim, add bool, now time.Time) error
	// Settle ends a claim's reservation and counts size bytes as held and
	// uploaded, by whoever reserved or else by the claim's owner. What is more
	// than was reserved is Quota where there is no room for it; the reservation
	// stays then. It reports whether there was one; what has Arrived without is
	// not counted as held.
	Settle(ctx context.Context, c capacity.Claim, size int64, now time.Time) (known bool, err error)
	// Release gives reservations back and returns how many there were.
	Release(ctx context.Context, ids ...string) (int, error)
	// Expired lists reservations that ended before now, and their storages.
	Expired(ctx context.Context, now time.Time, limit int) (ids, configs []string, err error)

	// Account returns NotFound for a storage that Open was never called for.
	Account(ctx context.Context, configID string) (Account, error)
	// Open begins an account, Uncounted, where there is none.
	Open(ctx context.Context, configID string) error
	// Counted corrects an account: held was found by a count that began when
	// Added had the given value; what is kept of earlier contents of files comes
	// on top. The count may have found what was added since,
	// which leaves it Overcounted; and what is only reserved yet, which leaves a
	// doubt when that is settled.
	Counted(ctx context.Context, configID string, held, added int64) error
	// Question raises the doubt about an account; without one it does nothing.
	Question(ctx context.Context, configID string, doubt int64) error

	// Uploads tells what owners, by created_by, have uploaded in the day (UTC) of
	// now and what their file shares hold, together; all owners when none is
	// named. UploadsOf tells it of each, and leaves out who has nothing.
	Uploads(ctx context.Context, now time.Time, owners ...string) (policy.Usage, error)
	UploadsOf(ctx context.Context, now time.Time, owners []string) (map[string]policy.Usage, error)
	// Forget drops what was uploaded on days before a time.
	Forget(ctx context.Context, before time.Time) (int, error)
}

// uploadDaysKept is how long days of uploads are kept.
const uploadDaysKept = 31 * 24 * time.Hour

// Ledger counts what storages hold and what owners upload, by whatever door the
// bytes come: a claim is reserved before bytes are written, settled when they
// are stored, and released when they are not. It is safe for concurrent use, and
// two nodes agree because all of it are rows.
//
// Deleting does not lower an account at once, since nobody can tell which of two
// deletions took the bytes: it leaves a doubt, and who finds no room then counts
// anew.
type Ledger struct {
	repo    LedgerRepository
	buckets objstore.Opener
	clock   ports.Clock
	// indexed tells what an index of objects knows to be in a storage, in bytes;
	// false when it does not know all of it; exact wants no more than what lies
	// there for certain.
	indexed func(ctx context.Context, configID string, exact bool) (bytes int64, ok bool, err error)

	counting keymutex.Mutex[string] // by storage config
}

// NewLedger returns the ledger over a repository. indexed may be nil.
func NewLedger(repo LedgerRepository, buckets objstore.Opener, clock ports.Clock, indexed func(ctx context.Context, configID string, exact bool) (bytes int64, ok bool, err error)) *Ledger {
	return &Ledger{repo: repo, buckets: buckets, clock: clock, indexed: indexed}
}

// Reserve takes room for a claim, or raises what it has. Returns Quota with
// "size", "used" and "limit" when there is none. Where nothing bounds a claim it
// does nothing.
func (l *Ledger) Reserve(ctx context.Context, c capacity.Claim) error {
	return l.reserve(ctx, c, false)
}

// ReserveWith is Reserve and what is stored along with the claim, in one
// transaction: both stay, or nothing. It returns the error of either. also may
// run several times, and waits for no network.
func (l *Ledger) ReserveWith(ctx context.Context, c capacity.Claim, also func(context.Context) error) error {
	if !c.Bound() {
		return also(ctx)
	}
	return l.along(ctx, &c, also, func(ctx context.Context) error {
		if len(c.Instead) > 0 {
			if _, err := l.repo.Release(ctx, c.Instead...); err != nil {
				return err
			}
		}
		return l.repo.Reserve(ctx, c, false, l.clock.Now())
	})
}

// along runs also and what may find no room in one transaction, and both again
// when a count finds some. What also returns is no reason to count.
func (l *Ledger) along(ctx context.Context, c *capacity.Claim, also, try func(context.Context) error) error {
	var refused error
	err := l.within(ctx, c, func() error {
		own := false
		err := l.repo.Do(ctx, func(ctx context.Context) error {
			err := try(ctx)
			if own = err == nil; own {
				err = also(ctx)
			}
			return err
		})
		if refused = nil; own {
			refused, err = err, nil
		}
		return err
	})
	return cmp.Or(refused, err)
}

// Add is Reserve for Size more bytes than the claim has.
func (l *Ledger) Add(ctx context.Context, c capacity.Claim) error { return l.reserve(ctx, c, true) }

func (l *Ledger) reserve(ctx context.Context, c capacity.Claim, add bool) error {
	if !c.Bound() {
		return nil
	}
	return l.within(ctx, &c, func() error { return l.repo.Reserve(ctx, c, add, l.clock.Now()) })
}

// within tries what may find no room, and again after a count where there is a
// doubt. A refusal may be older than a count that somebody else has just ended.
func (l *Ledger) within(ctx context.Context, c *capacity.Claim, try func() error) error {
	err := try()
	for range 2 {
		doubt := int64(0)
		switch {
		case ports.Is(err, ports.NotFound):
			doubt = Uncounted
		case c.Capacity > 0 && noRoom(err):
			doubt = Overcounted
			if _, failed := l.giveBack(ctx); failed != nil {
				return failed
			}
		default:
			return err
		}
		if failed := l.recount(ctx, c.ConfigID, doubt, true); failed != nil {
			return ports.Wrap("count what a storage holds", failed)
		}
		err = try()
	}
	return err
}

// noRoom reports whether a storage is full, and not an owner's quota spent.
func noRoom(err error) bool {
	var e *ports.Error
	return errors.As(err, &e) && e.Code == ports.Quota && e.Text == ""
}

// Settle ends a claim: size bytes are stored, and count for its owner. Returns
// Quota when that is more than was reserved and there is no room for it; the
// reservation stays then, for Release.
func (l *Ledger) Settle(ctx context.Context, c capacity.Claim, size int64) error {
	return l.SettleWith(ctx, c, size, func(context.Context) error { return nil })
}

// SettleWith is Settle and what is stored along with it, as ReserveWith.
func (l *Ledger) SettleWith(ctx context.Context, c capacity.Claim, size int64, also func(context.Context) error) error {
	if !c.Bound() && c.Owner == "" {
		return also(ctx)
	}
	known := false
	err := l.along(ctx, &c, also, func(ctx context.Context) (err error) {
		known, err = l.repo.Settle(ctx, c, size, l.clock.Now())
		return err
	})
	if err != nil || known || !c.Arrived || c.Capacity <= 0 {
		return err
	}
	return l.fits(ctx, &c, size)
}

// fits counts a storage in which something may have come that was never
// reserved. Returns Quota when it holds more than it may.
func (l *Ledger) fits(ctx context.Context, c *capacity.Claim, size int64) error {
	if err := l.recount(ctx, c.ConfigID, AsCounted, true); err != nil {
		return ports.Wrap("count what a storage holds", err)
	}
	a, err := l.repo.Account(ctx, c.ConfigID)
	if err == nil && a.Held+a.Reserved > c.Capacity {
		err = capacity.Full(size, max(a.Held-size, 0)+a.Reserved, c.Capacity)
	}
	return err
}

// Release gives up a claim that was not settled, and reports whether there was one.
func (l *Ledger) Release(ctx context.Context, id string) (stood bool, err error) {
	n, err := l.repo.Release(ctx, id)
	return n > 0, err
}

// Freed tells that something was deleted from a storage or replaced.
func (l *Ledger) Freed(ctx context.Context, configID string) error {
	a, err := l.repo.Account(ctx, configID)
	if ports.Is(err, ports.NotFound) || err == nil && a.Doubt != AsCounted {
		return nil
	}
	if err == nil {
		err = l.repo.Question(ctx, configID, Overcounted)
	}
	return err
}

// Changed tells that a storage config was changed: it may lead elsewhere, or
// have had no capacity until now.
func (l *Ledger) Changed(ctx context.Context, configID string) error {
	return l.repo.Question(ctx, configID, Uncounted)
}

// Held tells how full a storage with a capacity is, in bytes: what lies there
// and what is on its way.
func (l *Ledger) Held(ctx context.Context, configID string) (held, reserved int64, err error) {
	if err := l.recount(ctx, configID, Overcounted, false); err != nil {
		return 0, 0, err
	}
	a, err := l.repo.Account(ctx, configID)
	return a.Held, a.Reserved, err
}

// Recount counts a storage that has an account anew; a whole scan has just ended.
func (l *Ledger) Recount(ctx context.Context, configID string) error {
	if _, err := l.repo.Account(ctx, configID); err != nil {
		if ports.Is(err, ports.NotFound) {
			return nil
		}
		return err
	}
	return l.recount(ctx, configID, AsCounted, false)
}

// recount counts a storage unless it is less in doubt than given.
func (l *Ledger) recount(ctx context.Context, configID string, doubt int64, exact bool) error {
	unlock, err := l.counting.Lock(ctx, configID)
	if err != nil {
		return err
	}
	defer unlock()
	now, err := l.account(ctx, configID)
	if err != nil || now.Doubt < doubt {
		return err
	}
	held, err := l.count(ctx, configID, exact)
	if err != nil {
		return err
	}
	return l.repo.Counted(ctx, configID, held, now.Added)
}

// account reads an account and begins one where there is none.
func (l *Ledger) account(ctx context.Context, configID string) (Account, error) {
	a, err := l.repo.Account(ctx, configID)
	if !ports.Is(err, ports.NotFound) {
		return a, err
	}
	if err := l.repo.Open(ctx, configID); err != nil {
		return a, err
	}
	return l.repo.Account(ctx, configID)
}

// count asks the index, where it knows all of a storage, else the storage.
func (l *Ledger) count(ctx context.Context, configID string, exact bool) (int64, error) {
	if l.indexed != nil {
		bytes, ok, err := l.indexed(ctx, configID, exact)
		if ok || err != nil {
			return bytes, err
		}
	}
	bucket, err := l.buckets.Bucket(ctx, configID)
	if err != nil {
		return 0, err
	}
	return objects.SizeBelow(ctx, bucket, "")
}

// Sweep gives back the reservations that have ended, and forgets old days.
func (l *Ledger) Sweep(ctx context.Context) (swept int, err error) {
	if swept, err = l.giveBack(ctx); err == nil {
		_, err = l.repo.Forget(ctx, l.clock.Now().Add(-uploadDaysKept))
	}
	return swept, err
}

// giveBack gives back the reservations that have ended. What they were for may
// have been stored all the same, so their storages are to be counted.
func (l *Ledger) giveBack(ctx context.Context) (swept int, err error) {
	now, of := l.clock.Now(), map[string]bool{}
	for {
		ids, configs, err := l.repo.Expired(ctx, now, 1000)
		if err != nil {
			return swept, err
		}
		if len(ids) == 0 {
			break
		}
		if _, err := l.repo.Release(ctx, ids...); err != nil {
			return swept, err
		}
		swept += len(ids)
		for _, id := range configs {
			of[id] = true
		}
	}
	for id := range of {
		if err := l.repo.Question(ctx, id, Uncounted); err != nil {
			return swept, err
		}
	}
	return swept, nil
}

// Usage implements policy.UsageSource: what the key has uploaded today and what
// its file shares hold.
func (l *Ledger) Usage(ctx context.Context, who policy.Principal) (policy.Usage, error) {
	if who.Owner() == "" {
		return policy.Usage{}, nil
	}
	return l.repo.Uploads(ctx, l.clock.Now(), who.Owner())
}

// UsageOf is Usage for each of many owners, by created_by.
func (l *Ledger) UsageOf(ctx context.Context, owners []string) (map[string]policy.Usage, error) {
	return l.repo.UploadsOf(ctx, l.clock.Now(), owners)
}

// SiteUsage is what all owners together have uploaded and hold.
func (l *Ledger) SiteUsage(ctx context.Context) (policy.Usage, error) {
	return l.repo.Uploads(ctx, l.clock.Now())
}
