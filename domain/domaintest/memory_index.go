package domaintest

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"
	"time"

	"pasteport/domain/mounts"
	"pasteport/domain/mounts/index"
	"pasteport/ports/objstore"
)

// memIndex is the index in memory: objects by storage and key. Folders have
// rows of their own, whose keys end in "/".
type memIndex struct {
	m      *Memory
	states map[string]index.State
	rows   map[indexKey]indexRow
	next   int64
}

type indexKey struct{ storage, key string }

type indexRow struct {
	n      int64
	object objstore.Object
	marker bool
	noted  time.Time
}

func newMemIndex(m *Memory) *memIndex {
	return &memIndex{m: m, states: map[string]index.State{}, rows: map[indexKey]indexRow{}}
}

func (r *memIndex) snapshot() (restore func()) {
	states, rows := maps.Clone(r.states), maps.Clone(r.rows)
	return func() { r.states, r.rows = states, rows }
}

func cloneIndexState(s index.State) index.State {
	s.ScannedAt, s.BeatAt, s.FailedAt = milliPtr(s.ScannedAt), milliPtr(s.BeatAt), milliPtr(s.FailedAt)
	return s
}

// States implements mounts.IndexRepository.
func (r *memIndex) States(ctx context.Context) ([]index.State, error) {
	end, err := r.m.begin(ctx)
	if err != nil {
		return nil, err
	}
	defer end()
	states := []index.State{}
	for _, id := range slices.Sorted(maps.Keys(r.states)) {
		states = append(states, cloneIndexState(r.states[id]))
	}
	return states, nil
}

// SaveState implements mounts.IndexRepository.
func (r *memIndex) SaveState(ctx context.Context, storageID string, change func(*index.State) error) (*index.State, error) {
	end, err := r.m.begin(ctx)
	if err != nil {
		return nil, err
	}
	defer end()
	s := cloneIndexState(r.states[storageID])
	s.StorageID = storageID
	if err := change(&s); err != nil {
		return nil, err
	}
	r.states[storageID] = cloneIndexState(s)
	return &s, nil
}

// Put implements mounts.IndexRepository.
func (r *memIndex) Put(ctx context.Context, storageID string, at time.Time, objects []objstore.Object) error {
	end, err := r.m.begin(ctx)
	if err != nil {
		return err
	}
	defer end()
	for _, o := range objects {
		r.put(storageID, o, strings.HasSuffix(o.Key, "/"), at)
	}
	return nil
}

// put stores a row and those of the folders above it.
func (r *memIndex) put(storageID string, o objstore.Object, marker bool, at time.Time) {
	if strings.HasSuffix(o.Key, "/") {
		o.Size, o.ETag = 0, ""
	}
	key := indexKey{storageID, o.Key}
	row, ok := r.rows[key]
	if !ok {
		r.next++
		row.n = r.next
	}
	o.ModTime, o.ContentType = milli(o.ModTime), ""
	row.object, row.marker, row.noted = o, marker, milli(at)
	r.rows[key] = row
	for folder := above(o.Key); folder != ""; folder = above(folder) {
		if _, ok := r.rows[indexKey{storageID, folder}]; !ok {
			r.next++
			r.rows[indexKey{storageID, folder}] = indexRow{n: r.next, object: objstore.Object{Key: folder}, noted: milli(at)}
		}
	}
}

// above is the folder that a key lies in.
func above(key string) string {
	return key[:strings.LastIndexByte(strings.TrimSuffix(key, "/"), '/')+1]
}

// Merge implements mounts.IndexRepository.
func (r *memIndex) Merge(ctx context.Context, storageID string, spans ...index.Span) (vanished []string, err error) {
	end, err := r.m.begin(ctx)
	if err != nil {
		return nil, err
	}
	defer end()
	for _, s := range spans {
		listed := map[string]bool{}
		for _, o := range s.Objects {
			listed[o.Key] = true
			r.merge(storageID, s, o)
		}
		for key, row := range r.rows {
			name := strings.TrimPrefix(key.key, s.Folder)
			if key.storage != storageID || above(key.key) != s.Folder || listed[key.key] || name <= s.From || s.To != "" && name > s.To || row.noted.After(s.At) {
				continue
			}
			if strings.HasSuffix(key.key, "/") {
				vanished = append(vanished, key.key)
			} else {
				delete(r.rows, key)
			}
		}
	}
	slices.Sort(vanished)
	return vanished, nil
}

func (r *memIndex) merge(storageID string, s index.Span, o objstore.Object) {
	old, known := r.rows[indexKey{storageID, o.Key}]
	if known && old.noted.After(s.At) {
		return
	}
	marker := strings.HasSuffix(o.Key, "/") && !o.ModTime.IsZero()
	if !s.Markers {
		marker = old.marker
		if strings.HasSuffix(o.Key, "/") && old.object.ModTime.After(o.ModTime) {
			o.ModTime = old.object.ModTime
		}
	}
	r.put(storageID, o, marker, s.At)
}

// Drop implements mounts.IndexRepository.
func (r *memIndex) Drop(ctx context.Context, storageID, key string, most int) (more bool, err error) {
	end, err := r.m.begin(ctx)
	if err != nil {
		return false, err
	}
	defer end()
	for k := range r.rows {
		if k.storage == storageID && (k.key == key || (key == "" || strings.HasSuffix(key, "/")) && strings.HasPrefix(k.key, key)) {
			if most--; most < 0 {
				return true, nil
			}
			delete(r.rows, k)
		}
	}
	for folder := above(key); folder != ""; folder = above(folder) {
		row, ok := r.rows[indexKey{storageID, folder}]
		if !ok || row.marker || r.holds(storageID, folder) {
			break
		}
		delete(r.rows, indexKey{storageID, folder})
	}
	return false, nil
}

func (r *memIndex) holds(storageID, folder string) bool {
	for k := range r.rows {
		if k.storage == storageID && k.key != folder && strings.HasPrefix(k.key, folder) {
			return true
		}
	}
	return false
}

// Forget implements mounts.IndexRepository.
func (r *memIndex) Forget(ctx context.Context, storageID string) error {
	end, err := r.m.begin(ctx)
	if err != nil {
		return err
	}
	defer end()
	delete(r.states, storageID)
	return nil
}

// Search implements mounts.IndexRepository.
func (r *memIndex) Search(ctx context.Context, q index.Query, choose func([]index.Ref) []index.Ref) ([]index.Hit, error) {
	end, err := r.m.begin(ctx)
	if err != nil {
		return nil, err
	}
	defer end()
	var refs []index.Ref
	objects := map[int64]objstore.Object{}
	for i, area := range q.Areas {
		var found []index.Ref
		for k, row := range r.rows {
			rank, ok := index.RankOf(index.Searchable(k.key), q.Text)
			if !ok || !q.Sieve.Passes(row.object) || area.Storage == "" || k.storage != area.Storage || !inArea(area, k.key) {
				continue
			}
			objects[row.n] = row.object
			ref := index.Ref{Area: i, ID: row.n, Rank: rank}
			if !row.object.ModTime.IsZero() {
				ref.Modified = row.object.ModTime.UnixMilli()
			}
			found = append(found, ref)
		}
		slices.SortFunc(found, func(a, b index.Ref) int { return cmp.Or(cmp.Compare(a.Rank, b.Rank), cmp.Compare(a.ID, b.ID)) })
		refs = append(refs, found[:min(len(found), q.Most)]...)
	}
	var hits []index.Hit
	for _, ref := range choose(refs) {
		hits = append(hits, index.Hit{Ref: ref, Object: objects[ref.ID]})
	}
	return hits, nil
}

func inArea(a index.Area, key string) bool {
	if !strings.HasPrefix(key, a.Prefix) || key == a.Prefix {
		return false
	}
	for _, x := range a.Except {
		if strings.HasPrefix(key, x) || key+"/" == x {
			return false
		}
	}
	return true
}

// Totals implements mounts.IndexRepository.
func (r *memIndex) Totals(ctx context.Context, storageID, prefix string) (map[string]mounts.Total, error) {
	end, err := r.m.begin(ctx)
	if err != nil {
		return nil, err
	}
	defer end()
	totals := map[string]mounts.Total{}
	for k := range r.rows {
		if rest, ok := strings.CutPrefix(k.key, prefix); ok && k.storage == storageID {
			if name, _, below := strings.Cut(rest, "/"); below {
				totals[name] = r.total(storageID, prefix+name+"/")
			}
		}
	}
	return totals, nil
}

// Total implements mounts.IndexRepository.
func (r *memIndex) Total(ctx context.Context, storageID, prefix string) (mounts.Total, error) {
	end, err := r.m.begin(ctx)
	if err != nil {
		return mounts.Total{}, err
	}
	defer end()
	return r.total(storageID, prefix), nil
}

func (r *memIndex) total(storageID, prefix string) (t mounts.Total) {
	for k, row := range r.rows {
		if k.storage != storageID || !strings.HasPrefix(k.key, prefix) {
			continue
		}
		t.Size += row.object.Size
		if !strings.HasSuffix(k.key, "/") {
			t.Files++
		}
		if at := row.object.ModTime; !at.IsZero() && (t.Newest == nil || at.After(*t.Newest)) {
			t.Newest = &at
		}
	}
	return t
}
