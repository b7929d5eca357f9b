package mounts

import (
	"context"
	"strings"
	"sync"
	"time"

	"pasteport/domain/internal/objects"
	"pasteport/ports"
	"pasteport/ports/objstore"
)

// IndexState is how far the index knows the objects of a storage.
type IndexState struct {
	StorageID string
	ScannedAt *time.Time // when the last whole scan began; nil means there was none
	Scan      string     // id of the task that scans it now; empty means none
	BeatAt    *time.Time // last sign of that task
	FailedAt  *time.Time // when a scan has failed after the last whole one
}

// Span is what a storage holds directly in a folder, in a range of names. The
// index is made to agree with it.
type Span struct {
	Folder string // key prefix: "" or it ends in "/"
	// From and To bound the names, in the order of their bytes: after From, up
	// to To and that too. Names of folders end in "/". An empty To means the end.
	From, To string
	// Objects are in ascending order of their keys; folders have keys that end
	// in "/".
	Objects []objstore.Object
	// Markers says that folders with a time have a marker, and others none. Else
	// nothing is known of markers.
	Markers bool
	// At is when the storage was asked: what was noted later is left alone.
	At time.Time
}

// Area is a part of a storage.
type Area struct {
	Storage string // id of the storage config
	Prefix  string // "" or it ends in "/"
	// Except are folders in it that do not count, and files of the same names;
	// they end in "/".
	Except []string
}

// IndexQuery asks for names that contain a text.
type IndexQuery struct {
	Text  string // in the form of Folded
	Sieve Sieve
	Areas []Area
	Most  int // matches that are looked at in each area
}

// IndexRef is a match before it is read whole.
type IndexRef struct {
	Area     int // index into the query's areas
	ID       int64
	Rank     Rank
	Modified int64 // milliseconds since 1970; 0 means unknown
}

// IndexHit is a match.
type IndexHit struct {
	IndexRef
	Object objstore.Object // the key of a folder ends in "/"
}

// Rank tells how well a name fits a searched text; less is better.
type Rank int

// The ranks, in the order of results (contract §4.15).
const (
	Exact Rank = iota
	Begins
	Contains
)

// RankOf compares a name with a searched text, both Folded; ok is false when
// the text is not in it.
func RankOf(name, text string) (r Rank, ok bool) {
	switch {
	case name == text:
		return Exact, true
	case strings.HasPrefix(name, text):
		return Begins, true
	}
	return Contains, strings.Contains(name, text)
}

// Folded is the form in which names are compared: in lower case.
func Folded(name string) string { return strings.ToLower(name) }

// IndexRepository stores what is known of the objects in storages, so that
// they can be searched and summed up without asking the storages. A folder is
// known by its marker or by what lies in it.
type IndexRepository interface {
	// States lists the storages that the index knows.
	States(ctx context.Context) ([]IndexState, error)
	// SaveState changes the state of a storage, and begins one where there is none.
	SaveState(ctx context.Context, storageID string, change func(*IndexState) error) (*IndexState, error)
	// Put notes objects that were written at a time.
	Put(ctx context.Context, storageID string, at time.Time, objects []objstore.Object) error
	// Merge makes the index agree with spans. Folders that are no more come
	// back: they are still known, and to be dropped. It writes in small groups
	// with pauses, and only what differs.
	Merge(ctx context.Context, storageID string, spans ...Span) (vanished []string, err error)
	// Drop forgets an object, or with "/" at the end of key the folder and all
	// below it; "" is all of the storage. It forgets about most entries at once
	// and reports whether there are more.
	Drop(ctx context.Context, storageID, key string, most int) (more bool, err error)
	// Forget removes the state of a storage of which everything was dropped.
	Forget(ctx context.Context, storageID string) error
	// Search finds matches, lets choose say which of them are wanted, and reads
	// those in that order, all from one snapshot.
	Search(ctx context.Context, q IndexQuery, choose func([]IndexRef) []IndexRef) ([]IndexHit, error)
	// Totals sums up the folders directly below a prefix, by name without "/".
	Totals(ctx context.Context, storageID, prefix string) (map[string]Total, error)
	// Total sums up what lies below a prefix.
	Total(ctx context.Context, storageID, prefix string) (Total, error)
}

// IndexChanged is the kind of events that tell of a new state; the id is that
// of the storage config.
const IndexChanged = "index"

// Bounds of the index.
const (
	maxQueued   = 20_000           // objects that wait to be noted
	putGroup    = 200              // objects noted at once
	dropGroup   = 1000             // entries forgotten at once
	noteTime    = 30 * time.Second // for one group
	statesFor   = 30 * time.Second // how long states are trusted without an event
	gatherFor   = 100 * time.Millisecond
	rescanFor   = 5 * time.Minute // for one folder
	maxRecent   = 4096            // keys that were removed lately
	scanSilence = 10 * time.Minute
)

// indexer keeps the index in step with the storages. What writes and listings
// tell is queued and noted in groups, off the path of requests.
type indexer struct {
	t    *Tree
	repo IndexRepository

	working chan struct{} // held by who notes
	wake    chan struct{}

	mu      sync.Mutex
	states  map[string]IndexState
	read    time.Time // when states were read; zero means they are to be
	pending []indexWork
	queued  int               // objects in pending
	behind  map[string]bool   // storages that are to be scanned again
	unders  map[string]string // folders to be scanned again, by storage and prefix: the storage
	changes map[string]int64  // how often what is known of a storage has changed
	serial  int64             // of removals
	recent  []removal
}

// indexWork is one thing to note about a storage.
type indexWork struct {
	storage string
	at      time.Time
	put     []objstore.Object
	gone    []string
	span    *Span
}

func (w *indexWork) size() int {
	n := 1 + len(w.put) + len(w.gone)
	if w.span != nil {
		n += len(w.span.Objects)
	}
	return n
}

// removal is a key that was removed lately: a listing that was begun before
// may still show it.
type removal struct {
	serial  int64
	storage string
	key     string
}

func newIndexer(t *Tree, repo IndexRepository) *indexer {
	return &indexer{t: t, repo: repo, working: make(chan struct{}, 1), wake: make(chan struct{}, 1), behind: map[string]bool{},
		unders: map[string]string{}, changes: map[string]int64{}}
}

// state returns what the index knows of a storage; false when it knows nothing.
func (x *indexer) state(ctx context.Context, storageID string) (IndexState, bool) {
	states := x.all(ctx)
	s, ok := states[storageID]
	return s, ok
}

// all returns the states by storage. A database that does not answer knows
// nothing.
func (x *indexer) all(ctx context.Context) map[string]IndexState {
	if x.repo == nil {
		return nil
	}
	x.mu.Lock()
	states, fresh := x.states, !x.read.IsZero() && x.t.Clock.Now().Sub(x.read) < statesFor
	x.mu.Unlock()
	if fresh {
		return states
	}
	at := x.t.Clock.Now()
	list, err := x.repo.States(ctx)
	if err != nil {
		x.report(ctx, "read what is indexed", err)
		return states
	}
	states = make(map[string]IndexState, len(list))
	for _, s := range list {
		states[s.StorageID] = s
	}
	x.mu.Lock()
	x.states, x.read = states, at
	x.mu.Unlock()
	return states
}

// complete returns when the last whole scan of a storage began; nil means that
// not all of it is known.
func (x *indexer) complete(ctx context.Context, storageID string) *time.Time {
	s, _ := x.state(ctx, storageID)
	return s.ScannedAt
}

// save changes the state of a storage, here and on other nodes.
func (x *indexer) save(ctx context.Context, storageID string, change func(*IndexState) error) (*IndexState, error) {
	s, err := x.repo.SaveState(ctx, storageID, change)
	x.forgetStates(storageID)
	if err == nil {
		err = x.t.Invalidation.Publish(ctx, IndexChanged, storageID)
	}
	return s, err
}

// forgetStates makes the next look read the states again.
func (x *indexer) forgetStates(storageID string) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.read = time.Time{}
	x.changes[storageID]++
}

// version tells apart what was known of a storage at two times.
func (x *indexer) version(storageID string) int64 {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.changes[storageID]
}

// note queues what a write did to a storage that mounts show.
func (x *indexer) note(ch Change) {
	if x.repo == nil || len(ch.Put)+len(ch.Gone)+len(ch.Under) == 0 {
		return
	}
	if s := x.t.current.Load(); s != nil && !s.Shows(ch.Storage) {
		return
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	for _, key := range ch.Gone {
		x.serial++
		x.recent = append(x.recent, removal{x.serial, ch.Storage, key})
	}
	if len(x.recent) > 2*maxRecent {
		x.recent = append(x.recent[:0:0], x.recent[len(x.recent)-maxRecent:]...)
	}
	for _, prefix := range ch.Under {
		x.unders[ch.Storage+"\x00"+prefix] = ch.Storage
	}
	x.pushLocked(indexWork{storage: ch.Storage, at: x.t.Clock.Now(), put: ch.Put, gone: ch.Gone})
}

// pushLocked queues work. What finds no room is found by the next scan, which
// is due then.
func (x *indexer) pushLocked(w indexWork) {
	if n := w.size(); x.queued+n > maxQueued {
		x.behind[w.storage] = true
	} else {
		x.queued += n
		x.pending = append(x.pending, w)
	}
	select {
	case x.wake <- struct{}{}:
	default:
	}
}

// listed queues what a storage has just listed in a folder. It is dropped when
// there is much to do already: a listing comes again.
func (x *indexer) listed(ctx context.Context, key dirKey, f *folder) {
	if x.repo == nil || f.next != "" || key.token != "" || x.complete(ctx, key.storage) == nil {
		return
	}
	span := f.span(key.prefix)
	x.mu.Lock()
	defer x.mu.Unlock()
	w := indexWork{storage: key.storage, span: &span}
	if x.queued+w.size() <= maxQueued/2 {
		x.pushLocked(w)
	}
}

// flush notes what is queued now. Work that was begun goes on when ctx ends.
func (x *indexer) flush(ctx context.Context) error {
	if x.repo == nil {
		return nil
	}
	select {
	case x.working <- struct{}{}:
	case <-ctx.Done():
		return ctx.Err()
	}
	defer func() { <-x.working }()
	for ctx.Err() == nil {
		x.mu.Lock()
		works := x.pending
		x.pending, x.queued = nil, 0
		x.mu.Unlock()
		if len(works) == 0 {
			return nil
		}
		x.noteAll(context.WithoutCancel(ctx), works)
	}
	return ctx.Err()
}

// noteAll notes works in their order; puts that follow each other go together.
func (x *indexer) noteAll(ctx context.Context, works []indexWork) {
	touched := map[string]bool{}
	var puts indexWork
	put := func() {
		if len(puts.put) > 0 {
			x.try(ctx, puts.storage, func(ctx context.Context) error { return x.repo.Put(ctx, puts.storage, puts.at, puts.put) })
		}
		puts = indexWork{}
	}
	for i := range works {
		w := &works[i]
		touched[w.storage] = true
		for _, o := range w.put {
			if !indexable(o.Key) {
				continue
			}
			if puts.storage != w.storage || len(puts.put) >= putGroup {
				put()
				puts.storage, puts.at = w.storage, w.at
			}
			puts.put = append(puts.put, o)
		}
		if len(w.gone) == 0 && w.span == nil {
			continue
		}
		put()
		for _, key := range w.gone {
			x.try(ctx, w.storage, func(ctx context.Context) error { return x.drop(ctx, w.storage, key) })
		}
		if w.span != nil {
			x.try(ctx, w.storage, func(ctx context.Context) error { return x.merge(ctx, w.storage, *w.span) })
		}
	}
	put()
	x.mu.Lock()
	defer x.mu.Unlock()
	for id := range touched {
		x.changes[id]++
	}
}

// try does one thing; what fails is left to the next scan.
func (x *indexer) try(ctx context.Context, storageID string, do func(context.Context) error) {
	ctx, cancel := context.WithTimeout(ctx, noteTime)
	defer cancel()
	if err := do(ctx); err != nil {
		x.report(ctx, "keep the index", err)
		x.lag(storageID)
	}
}

// lag makes a storage due for a scan.
func (x *indexer) lag(storageID string) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.behind[storageID] = true
}

// merge makes the index agree with spans and drops the folders that are no more.
func (x *indexer) merge(ctx context.Context, storageID string, spans ...Span) error {
	vanished, err := x.repo.Merge(ctx, storageID, spans...)
	if err != nil {
		return err
	}
	for _, key := range vanished {
		if err := x.drop(ctx, storageID, key); err != nil {
			return err
		}
	}
	return nil
}

// drop forgets a key and all below it, group by group.
func (x *indexer) drop(ctx context.Context, storageID, key string) error {
	for {
		more, err := x.repo.Drop(ctx, storageID, key, dropGroup)
		if err != nil || !more {
			return err
		}
	}
}

// mark remembers the present, for removedSince.
func (x *indexer) mark() int64 {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.serial
}

// removedSince returns a test for keys that were removed after mark.
func (x *indexer) removedSince(storageID string, mark int64) func(key string) bool {
	x.mu.Lock()
	defer x.mu.Unlock()
	var keys []string
	for i := len(x.recent) - 1; i >= 0 && x.recent[i].serial > mark; i-- {
		if x.recent[i].storage == storageID {
			keys = append(keys, x.recent[i].key)
		}
	}
	return func(key string) bool {
		for _, k := range keys {
			if objects.Holds(k, key) {
				return true
			}
		}
		return false
	}
}

func (x *indexer) report(ctx context.Context, doing string, err error) {
	if ctx.Err() == nil || ports.CodeOf(err) != ports.Unavailable {
		x.t.Report(doing, err)
	}
}

// RunIndex notes what writes and listings tell, until ctx ends; then it notes
// what is left.
func (t *Tree) RunIndex(ctx context.Context) {
	x := t.index
	if x.repo == nil {
		return
	}
	for {
		select {
		case <-x.wake:
		case <-ctx.Done():
			last, cancel := context.WithTimeout(context.WithoutCancel(ctx), 10*time.Second)
			defer cancel()
			if err := x.flush(last); err != nil {
				t.Report("keep the index", err)
			}
			return
		}
		pause := time.NewTimer(gatherFor)
		select {
		case <-pause.C:
		case <-ctx.Done():
			pause.Stop()
		}
		_ = x.flush(context.WithoutCancel(ctx))
		x.scanUnders(ctx)
	}
}

// scanUnders looks again at the folders of which it is only known that much
// has changed.
func (x *indexer) scanUnders(ctx context.Context) {
	for {
		x.mu.Lock()
		storage, prefix := "", ""
		for id, of := range x.unders {
			storage, prefix = of, strings.TrimPrefix(id, of+"\x00")
			delete(x.unders, id)
			break
		}
		x.mu.Unlock()
		if storage == "" || ctx.Err() != nil {
			return
		}
		if x.complete(ctx, storage) == nil {
			continue // the first scan finds it
		}
		err := func() error {
			ctx, cancel := context.WithTimeout(ctx, rescanFor)
			defer cancel()
			return x.scanFolder(ctx, storage, prefix)
		}()
		if err != nil && ctx.Err() == nil {
			x.report(ctx, "look for what has changed in a folder", err)
			x.lag(storage)
		}
	}
}
