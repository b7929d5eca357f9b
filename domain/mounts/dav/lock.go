package dav

import (
	"context"
	"errors"
	"slices"
	"time"

	"pasteport/domain/mounts"
	"pasteport/ports"
	"pasteport/ports/policy"
)

// Bounds of locks (contract §8.11, security rule W5).
const (
	DefaultLock = 600 * time.Second  // when the client names no time
	LongestLock = 7200 * time.Second // when it asks for more, or for ever
	MaxLocks    = 1000               // of one holder at once
)

// Lock is a WebDAV write lock (RFC 4918 §6). It holds at every door: a write
// through /api/fs meets it too.
type Lock struct {
	Token   string // "urn:uuid:...", unique
	Path    string // canonical; the lock's root
	Folder  bool   // the root is a folder
	Deep    bool   // everything below the root is locked too (depth infinity)
	Shared  bool   // others may hold shared locks beside it
	Note    string // the client's owner element: what is inside it, as XML
	Holder  string // who locked: the owner value of its principal
	Created time.Time
	Expires time.Time // the lock is in force before this moment
}

// covers reports whether the lock protects the state of the file or folder at
// path: its root does, and what lies below when the lock is deep.
func (l *Lock) covers(path string) bool {
	return l.Path == path || l.Deep && mounts.Within(l.Path, path)
}

// Reach names a path whose locks are asked for.
type Reach struct {
	Path string // canonical
	Deep bool   // locks on what lies below count too
}

// Region is a path and what lies below it, without what other mounts show there.
type Region struct {
	Path   string   // canonical
	Except []string // paths below it that do not belong to it, nor what lies below those
}

// LockRepository stores locks. A lock counts as long as it has not expired and,
// when an API key holds it, the key is active and has not expired either.
type LockRepository interface {
	// Insert stores a lock when check agrees to the locks that count on its
	// path, on the folders above it and on what lies below, and to how many its
	// holder has that count. No other lock is stored in between. check must not
	// call the repository and may run more than once; its error comes back.
	Insert(ctx context.Context, l *Lock, now time.Time, check func(around []Lock, held int) error) error
	// Around returns the locks that count on the paths, on the folders above
	// them and, where a reach is deep, on what lies below; by path, then token.
	Around(ctx context.Context, now time.Time, reaches ...Reach) ([]Lock, error)
	// Get returns the lock with this token; NotFound when it does not count.
	Get(ctx context.Context, token string, now time.Time) (*Lock, error)
	// Prolong moves the end of a lock that counts; NotFound for others.
	Prolong(ctx context.Context, token string, now, end time.Time) (*Lock, error)
	// Delete removes a lock; a missing one is no error.
	Delete(ctx context.Context, token string) error
	// DeleteWithin removes the locks on the paths and on all that lies below.
	DeleteWithin(ctx context.Context, paths ...string) error
	// Clear removes the locks in a region.
	Clear(ctx context.Context, of Region) error
	// DeleteExpired removes the locks that have ended by now.
	DeleteExpired(ctx context.Context, now time.Time) (int, error)
}

// Unlocked returns ErrLocked when a lock stands against one of the writes and
// the caller has not submitted its token, with the path of what is locked as
// the parameter "path". Before that it checks the caller's If condition:
// Precondition when that does not hold. Every use case that writes calls it
// after enter and before the storage (contract §8.11).
func (t *Resources) Unlocked(ctx context.Context, c mounts.Caller, writes ...mounts.LockedWrite) error {
	if err := t.IfHolds(ctx, c); err != nil {
		return err
	}
	seen, err := t.seenWrites(ctx, writes)
	if err != nil {
		return err
	}
	reaches := make([]Reach, len(seen))
	for i, w := range seen {
		reaches[i] = Reach{Path: w.Path, Deep: w.Deep}
	}
	locks, err := t.locks.Around(ctx, t.tree.Clock.Now(), reaches...)
	if err != nil {
		return ports.Wrap("look for locks", err)
	}
	if len(locks) == 0 {
		return nil
	}
	for _, w := range seen {
		if path, free := free(c, locks, w.LockedWrite); !free {
			if w.Path != w.as {
				path = w.as // the other path may be none of the caller's business
			}
			return mounts.ErrLocked.WithParams(map[string]any{"path": path})
		}
	}
	return nil
}

// seenWrite is a write as one of the mounts shows it; as is its path as the
// caller names it.
type seenWrite struct {
	mounts.LockedWrite
	as string
}

// seenWrites are writes by all the paths by which mounts show what they change:
// a lock by any of them stands against it.
func (t *Resources) seenWrites(ctx context.Context, writes []mounts.LockedWrite) ([]seenWrite, error) {
	s, err := t.tree.Snapshot(ctx)
	if err != nil {
		return nil, err
	}
	seen := make([]seenWrite, 0, len(writes))
	for _, w := range writes {
		seen = append(seen, seenWrite{w, w.Path})
		for _, other := range s.OtherPaths(w.Path, w.Deep) {
			seen = append(seen, seenWrite{mounts.LockedWrite{Path: other, Deep: w.Deep, Member: w.Member}, w.Path})
		}
	}
	return seen, nil
}

// excluded returns ErrLocked when a lock excludes the new one, by its path or by
// another that shows the same place.
func (t *Resources) excluded(ctx context.Context, l *Lock) error {
	s, err := t.tree.Snapshot(ctx)
	if err != nil {
		return err
	}
	for _, path := range append([]string{l.Path}, s.OtherPaths(l.Path, l.Deep)...) {
		around, err := t.locks.Around(ctx, l.Created, Reach{Path: path, Deep: true})
		if err != nil {
			return ports.Wrap("look for locks", err)
		}
		there := *l
		there.Path = path
		err = there.conflict(around)
		if err != nil && path != l.Path {
			return mounts.ErrLocked.WithParams(map[string]any{"path": l.Path}) // the other path may be none of the caller's business
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// free reports whether the caller may do the write in face of the locks, and
// if not, whose lock stands against it.
func free(c mounts.Caller, locks []Lock, w mounts.LockedWrite) (path string, free bool) {
	states := []string{w.Path}
	if w.Member {
		states = append(states, mounts.Parent(w.Path))
	}
	if w.Deep {
		for _, l := range locks {
			if l.Path != w.Path && mounts.Within(w.Path, l.Path) {
				states = append(states, l.Path)
			}
		}
	}
	for _, state := range states {
		if root, free := mayChange(c, locks, state); !free {
			return root, false
		}
	}
	return "", true
}

// mayChange reports whether the state of a file or folder is unlocked, or
// locked with a token that the caller submits and holds. One of several shared
// locks is enough.
func mayChange(c mounts.Caller, locks []Lock, state string) (root string, may bool) {
	for _, l := range locks {
		if !l.covers(state) {
			continue
		}
		if l.Holder == c.Who.Owner() && slices.Contains(c.Locks, l.Token) {
			return "", true
		}
		root = l.Path
	}
	return root, root == ""
}

// NewLock asks for a lock.
type NewLock struct {
	Shared bool
	Deep   bool
	Note   string // the client's owner element: what is inside it, as XML
	// Life is how long the lock shall hold: zero means DefaultLock, over
	// LongestLock means that.
	Life time.Duration
}

func (n NewLock) life() time.Duration { return lockLife(n.Life) }

func lockLife(asked time.Duration) time.Duration {
	if asked <= 0 {
		return DefaultLock
	}
	return min(asked, LongestLock)
}

// Errors of locks.
var (
	ErrNoLock       = &ports.Error{Code: ports.Conflict, Key: "precondition_failed", Text: "lock_unknown"}
	ErrForeignLock  = &ports.Error{Code: ports.Forbidden, Key: "not_owner", Text: "lock_foreign"}
	ErrTooManyLocks = &ports.Error{Code: ports.Unavailable, Key: "overloaded", Text: "locks_many"}
	ErrLockEnded    = &ports.Error{Code: ports.Precondition, Key: "precondition_failed", Text: "lock_unknown"}
)

// conflict returns ErrLocked when one of the locks around excludes the new
// one: one of the two is exclusive and they have something in common.
func (l *Lock) conflict(around []Lock) error {
	for _, other := range around {
		if other.Token == l.Token {
			continue
		}
		common := other.covers(l.Path) || l.covers(other.Path)
		if common && !(l.Shared && other.Shared) {
			return mounts.ErrLocked.WithParams(map[string]any{"path": other.Path})
		}
	}
	return nil
}

// mayJoin returns ErrTooManyLocks when its holder has as many locks as may be, else
// what conflict does.
func (l *Lock) mayJoin(around []Lock, held int) error {
	if held >= MaxLocks {
		return ErrTooManyLocks
	}
	return l.conflict(around)
}

// Lock locks the file or folder at path. Where there is none it creates an
// empty file, and created is true. Asks webdav.write. Returns ErrLocked when
// another lock excludes it, with the path of that as a parameter, ErrNoParent
// when the folder of a new file is missing (contract §8.11).
func (t *Resources) Lock(ctx context.Context, c mounts.Caller, path string, n NewLock) (l Lock, created bool, err error) {
	places, _, err := t.tree.Enter(ctx, c, mounts.OpEdit, path)
	if err != nil {
		return Lock{}, false, err
	}
	if err := t.IfHolds(ctx, c); err != nil {
		return Lock{}, false, err
	}
	p := places[0]
	entry, err := t.tree.Lookup(ctx, p)
	missing := ports.Is(err, ports.NotFound)
	if err != nil && !missing {
		return Lock{}, false, err
	}
	if missing {
		if err := t.mayCreate(ctx, c, p); err != nil {
			return Lock{}, false, err
		}
	}
	now := t.tree.Clock.Now()
	l = Lock{Token: "urn:uuid:" + t.tree.Random.ID(), Path: p.Path, Folder: entry.Folder, Deep: n.Deep, Shared: n.Shared, Note: n.Note,
		Holder: c.Who.Owner(), Created: now, Expires: now.Add(n.life())}
	if err := t.excluded(ctx, &l); err != nil {
		return Lock{}, false, err
	}
	release, err := t.tree.Turn(ctx, p) // a write that has looked for locks for the last time comes first
	if err != nil {
		return Lock{}, false, err
	}
	defer release()
	if err := t.tree.Meets(ctx, c, p); err != nil {
		return Lock{}, false, err
	}
	if err := t.locks.Insert(ctx, &l, now, l.mayJoin); err != nil {
		return Lock{}, false, ports.Wrap("lock", err)
	}
	// Two who lock one place by two paths at once are told apart by what they
	// find afterwards: the later one sees the other, if not both do.
	if err := t.excluded(ctx, &l); err != nil {
		return Lock{}, false, errors.Join(err, t.locks.Delete(context.WithoutCancel(ctx), l.Token))
	}
	if missing {
		if err := t.createEmpty(ctx, p); err != nil {
			return Lock{}, false, ports.Wrap("create what is locked", errors.Join(err, t.locks.Delete(context.WithoutCancel(ctx), l.Token)))
		}
	}
	return l, missing, nil
}

// mayCreate reports whether a file may come to be at p, which holds nothing:
// its folder exists and is not locked by others.
func (t *Resources) mayCreate(ctx context.Context, c mounts.Caller, p *mounts.Place) error {
	if p.Folder {
		return ports.ErrNotFound // a file cannot be asked for as a folder
	}
	if err := t.tree.ParentExists(ctx, c, p); err != nil {
		return err
	}
	return t.Unlocked(ctx, c, mounts.LockedWrite{Path: p.Path, Member: true})
}

// Prolong gives the lock with one of the caller's tokens that covers path a new
// end. Asks webdav.write. Returns ErrLockEnded when no token of the caller
// fits (contract §8.11, refresh).
func (t *Resources) Prolong(ctx context.Context, c mounts.Caller, path string, life time.Duration) (Lock, error) {
	places, _, err := t.tree.Enter(ctx, c, mounts.OpEdit, path)
	if err != nil {
		return Lock{}, err
	}
	if err := t.IfHolds(ctx, c); err != nil {
		return Lock{}, err
	}
	now := t.tree.Clock.Now()
	for _, token := range c.Locks {
		l, err := t.locks.Get(ctx, token, now)
		if ports.Is(err, ports.NotFound) || err == nil && (!l.covers(places[0].Path) || l.Holder != c.Who.Owner()) {
			continue
		}
		if err == nil {
			release, unmet := t.tree.Met(ctx, c, places[0])
			if unmet != nil {
				return Lock{}, unmet
			}
			release()
			l, err = t.locks.Prolong(ctx, token, now, now.Add(lockLife(life)))
		}
		if ports.Is(err, ports.NotFound) {
			continue
		}
		if err != nil {
			return Lock{}, ports.Wrap("prolong lock", err)
		}
		return *l, nil
	}
	return Lock{}, ErrLockEnded
}

// Unlock removes the lock with the token, which must cover path. Asks
// webdav.write. Returns ErrNoLock when it does not, ErrForeignLock for a lock
// of somebody else, which only the administrator may remove (contract §8.11).
func (t *Resources) Unlock(ctx context.Context, c mounts.Caller, path, token string) error {
	places, _, err := t.tree.Enter(ctx, c, mounts.OpEdit, path)
	if err != nil {
		return err
	}
	if err := t.IfHolds(ctx, c); err != nil {
		return err
	}
	l, err := t.locks.Get(ctx, token, t.tree.Clock.Now())
	switch {
	case ports.Is(err, ports.NotFound), err == nil && !l.covers(places[0].Path):
		return ErrNoLock
	case err != nil:
		return ports.Wrap("find lock", err)
	case l.Holder != c.Who.Owner() && c.Who.Kind != policy.Admin:
		return ErrForeignLock
	}
	release, err := t.tree.Met(ctx, c, places[0])
	if err != nil {
		return err
	}
	defer release()
	return ports.Wrap("unlock", t.locks.Delete(ctx, token))
}

// ErrCondition says that an If header does not hold.
var ErrCondition = &ports.Error{Code: ports.Precondition, Key: "precondition_failed", Text: "condition_failed"}

// IfHolds returns ErrCondition when the caller's If header does not hold: none
// of its lists does. What the caller may not reach counts as nothing there.
func (t *Resources) IfHolds(ctx context.Context, c mounts.Caller) error {
	if len(c.If) == 0 {
		return nil
	}
	reaches := make([]Reach, 0, len(c.If))
	for _, list := range c.If {
		reaches = append(reaches, Reach{Path: list.Path})
	}
	locks, err := t.locks.Around(ctx, t.tree.Clock.Now(), reaches...)
	if err != nil {
		return ports.Wrap("look for locks", err)
	}
	tags := map[string]string{}
	for _, list := range c.If {
		ok, err := t.listHolds(ctx, c, list, locks, tags)
		if ok || err != nil {
			return err
		}
	}
	return ErrCondition
}

func (t *Resources) listHolds(ctx context.Context, c mounts.Caller, list mounts.IfList, locks []Lock, tags map[string]string) (bool, error) {
	for _, term := range list.Terms {
		var fits bool
		if term.Token != "" {
			fits = hasToken(locks, list.Path, term.Token)
		} else {
			tag, err := t.tagAt(ctx, c, list.Path, tags)
			if err != nil {
				return false, err
			}
			fits = tag != "" && tag == term.ETag
		}
		if fits == term.Not {
			return false, nil
		}
	}
	return true, nil
}

func hasToken(locks []Lock, path, token string) bool {
	for _, l := range locks {
		if l.Token == token && path != "" && l.covers(path) {
			return true
		}
	}
	return false
}

// tagAt returns the entity tag of the file at path, empty without one. It
// keeps what it finds in tags.
func (t *Resources) tagAt(ctx context.Context, c mounts.Caller, path string, tags map[string]string) (string, error) {
	if tag, known := tags[path]; known || path == "" {
		return tag, nil
	}
	s, err := t.tree.Snapshot(ctx)
	if err != nil {
		return "", err
	}
	p, err := s.Resolve(c.Who, path)
	if err != nil {
		return "", nil
	}
	entry, err := t.tree.StatAt(ctx, p, false)
	if err != nil && !ports.Is(err, ports.NotFound) {
		return "", err
	}
	tags[path] = entry.ETag
	return entry.ETag, nil
}
