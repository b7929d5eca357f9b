// Package index keeps what is known of the objects in storages that mounts show,
// so that they can be searched and summed up without asking the storages: the
// queue of what writes and listings tell, scans, searches and sums of folders.
package index

import (
	"context"
	"slices"
	"strings"
	"sync"
	"time"

	"pasteport/domain/internal/objects"
	"pasteport/domain/mounts"
	"pasteport/ports"
	"pasteport/ports/objstore"
)

// State is how far the index knows the objects of a storage.
type State struct {
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

// Query asks for names that contain a text.
type Query struct {
	Text  string // in the form of Folded
	Sieve Sieve
	Areas []Area
	Most  int // matches that are looked at in each area
}

// Ref is a match before it is read whole.
type Ref struct {
	Area     int // index into the query's areas
	ID       int64
	Rank     Rank
	Modified int64 // milliseconds since 1970; 0 means unknown
}

// Hit is a match.
type Hit struct {
	Ref
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

// Repository stores what is known of the objects in storages, so that
// they can be searched and summed up without asking the storages. A folder is
// known by its marker or by what lies in it.
type Repository interface {
	// States lists the storages that the index knows.
	States(ctx context.Context) ([]State, error)
	// SaveState changes the state of a storage, and begins one where there is none.
	SaveState(ctx context.Context, storageID string, change func(*State) error) (*State, error)
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
	Search(ctx context.Context, q Query, choose func([]Ref) []Ref) ([]Hit, error)
	// Totals sums up the folders directly below a prefix, by name without "/".
	Totals(ctx context.Context, storageID, prefix string) (map[string]mounts.Total, error)
	// Total sums up what lies below a prefix.
	Total(ctx context.Context, storageID, prefix string) (mounts.Total, error)
}

// StateChanged is the kind of events that tell of a new state; the id is that
// of the storage config.
const StateChanged = "index"

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

// Index keeps the index in step with the storages. What writes and listings
// tell is queued and noted in groups, off the path of requests.
type Index struct {
	tree  *mounts.Tree
	admin *mounts.Mounts
	repo  Repository

	sums   sumCache
	lives  lives
	writes writes

	working chan struct{} // held by who notes
	wake    chan struct{}

	mu      sync.Mutex
	states  map[string]State
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

func New(t *mounts.Tree, repo Repository) *Index {
	return &Index{tree: t, admin: mounts.NewMounts(t), repo: repo, working: make(chan struct{}, 1), wake: make(chan struct{}, 1), behind: map[string]bool{},
		unders: map[string]string{}, changes: map[string]int64{}}
}

// state returns what the index knows of a storage; false when it knows nothing.
func (x *Index) state(ctx context.Context, storageID string) (State, bool) {
	states := x.all(ctx)
	s, ok := states[storageID]
	return s, ok
}

// all returns the states by storage. A database that does not answer knows
// nothing.
func (x *Index) all(ctx context.Context) map[string]State {
	if x.repo == nil {
		return nil
	}
	x.mu.Lock()
	states, fresh := x.states, !x.read.IsZero() && x.tree.Clock.Now().Sub(x.read) < statesFor
	x.mu.Unlock()
	if fresh {
		return states
	}
	at := x.tree.Clock.Now()
	list, err := x.repo.States(ctx)
	if err != nil {
		x.report(ctx, "read what is indexed", err)
		return states
	}
	states = make(map[string]State, len(list))
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
func (x *Index) complete(ctx context.Context, storageID string) *time.Time {
	s, _ := x.state(ctx, storageID)
	return s.ScannedAt
}

// save changes the state of a storage, here and on other nodes.
func (x *Index) save(ctx context.Context, storageID string, change func(*State) error) (*State, error) {
	s, err := x.repo.SaveState(ctx, storageID, change)
	x.forgetStates(storageID)
	if err == nil {
		err = x.tree.Invalidation.Publish(ctx, StateChanged, storageID)
	}
	return s, err
}

// forgetStates makes the next look read the states again.
func (x *Index) forgetStates(storageID string) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.read = time.Time{}
	x.changes[storageID]++
}

// version tells apart what was known of a storage at two times.
func (x *Index) version(storageID string) int64 {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.changes[storageID]
}

// Changed implements mounts.Index: it queues what a write did to a storage that
// mounts show.
func (x *Index) Changed(ch mounts.Change) {
	x.writes.note(ch.Storage)
	if x.repo == nil || len(ch.Put)+len(ch.Gone)+len(ch.Under) == 0 {
		return
	}
	if s := x.tree.Loaded(); s != nil && !s.Shows(ch.Storage) {
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
	x.pushLocked(indexWork{storage: ch.Storage, at: x.tree.Clock.Now(), put: ch.Put, gone: ch.Gone})
}

// pushLocked queues work. What finds no room is found by the next scan, which
// is due then.
func (x *Index) pushLocked(w indexWork) {
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

// Listed implements mounts.Index: it queues what a storage has just listed in a
// folder. It is dropped when there is much to do already: a listing comes again.
func (x *Index) Listed(ctx context.Context, storageID, prefix string, at time.Time, found func() []objstore.Object) {
	if x.repo == nil || x.complete(ctx, storageID) == nil {
		return
	}
	span := Span{Folder: prefix, At: at, Objects: slices.DeleteFunc(found(), func(o objstore.Object) bool { return !indexable(o.Key) })}
	x.mu.Lock()
	defer x.mu.Unlock()
	w := indexWork{storage: storageID, span: &span}
	if x.queued+w.size() <= maxQueued/2 {
		x.pushLocked(w)
	}
}

// flush notes what is queued now. Work that was begun goes on when ctx ends.
func (x *Index) flush(ctx context.Context) error {
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
func (x *Index) noteAll(ctx context.Context, works []indexWork) {
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
func (x *Index) try(ctx context.Context, storageID string, do func(context.Context) error) {
	ctx, cancel := context.WithTimeout(ctx, noteTime)
	defer cancel()
	if err := do(ctx); err != nil {
		x.report(ctx, "keep the index", err)
		x.lag(storageID)
	}
}

// lag makes a storage due for a scan.
func (x *Index) lag(storageID string) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.behind[storageID] = true
}

// merge makes the index agree with spans and drops the folders that are no more.
func (x *Index) merge(ctx context.Context, storageID string, spans ...Span) error {
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
func (x *Index) drop(ctx context.Context, storageID, key string) error {
	for {
		more, err := x.repo.Drop(ctx, storageID, key, dropGroup)
		if err != nil || !more {
			return err
		}
	}
}

// mark remembers the present, for removedSince.
func (x *Index) mark() int64 {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.serial
}

// removedSince returns a test for keys that were removed after mark.
func (x *Index) removedSince(storageID string, mark int64) func(key string) bool {
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

func (x *Index) report(ctx context.Context, doing string, err error) {
	if ctx.Err() == nil || ports.CodeOf(err) != ports.Unavailable {
		x.tree.Report(doing, err)
	}
}

// Run notes what writes and listings tell, until ctx ends; then it notes
// what is left.
func (x *Index) Run(ctx context.Context) {
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
				x.tree.Report("keep the index", err)
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
func (x *Index) scanUnders(ctx context.Context) {
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

// Watch takes notice of what other nodes change, until ctx ends.
func (x *Index) Watch(ctx context.Context, events ports.Invalidation) {
	events.Subscribe(ctx, mounts.ListingsChanged, x.writes.note)
	events.Subscribe(ctx, StateChanged, x.forgetStates)
}
