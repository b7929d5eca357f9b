package filetree

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"sync"
	"time"

	"pasteport/ports"
	"pasteport/ports/objstore"
)

func deepestFirst(keys []string) []string {
	slices.SortFunc(keys, func(a, b string) int { return cmp.Compare(b, a) }) // what is inside is longer
	return keys
}

// List implements objstore.Bucket. It walks only the folders that the prefix
// and the page need; without a delimiter these are all of them.
func (b *Bucket) List(ctx context.Context, q objstore.ListQuery) (objstore.ListPage, error) {
	pager, err := objstore.NewPager(q)
	if err != nil {
		return objstore.ListPage{}, err
	}
	w := &walk{ctx: ctx, b: b, q: q, pager: pager}
	dir := ""
	if i := strings.LastIndexByte(q.Prefix, '/'); i >= 0 {
		dir = q.Prefix[:i]
		if checkKey(dir) != nil {
			return objstore.ListPage{}, ctx.Err() // no key can start like that
		}
		e, err := b.fs.Stat(ctx, dir)
		if err = b.missing(ctx, err); err != nil || !e.Dir {
			return objstore.ListPage{}, gone(err)
		}
		pager.Add(dir+"/", func() (objstore.Object, bool) { return object(dir+"/", e), true })
	}
	if _, err := w.folder(dir); err != nil {
		return objstore.ListPage{}, err
	}
	return pager.Page(), nil
}

type walk struct {
	ctx   context.Context
	b     *Bucket
	q     objstore.ListQuery
	pager *objstore.Pager
}

// folder adds what lies below dir ("" is the whole tree), in byte order of the
// keys.
func (w *walk) folder(dir string) (more bool, err error) {
	if err := w.ctx.Err(); err != nil {
		return false, err
	}
	entries, err := w.b.entries(w.ctx, dir, w.q.Token != "")
	if ports.Is(err, ports.NotFound) {
		return true, gone(w.b.missing(w.ctx, err)) // removed meanwhile
	}
	if err != nil {
		return false, err
	}
	front := ""
	if dir != "" {
		front = dir + "/"
	}
	for _, e := range entries {
		if more, err := w.entry(front, e); err != nil || !more {
			return more, err
		}
	}
	return true, nil
}

func (w *walk) entry(front string, e Entry) (more bool, err error) {
	key := front + e.Name
	if len(key) > objstore.MaxKey-1 && (e.Dir || len(key) > objstore.MaxKey) {
		return true, nil
	}
	describe := func() (objstore.Object, bool) { return object(key, e), true }
	if !e.Dir {
		return w.pager.Add(key, describe), nil
	}
	key += "/"
	if !strings.HasPrefix(key, w.q.Prefix) && !strings.HasPrefix(w.q.Prefix, key) || w.pager.PassedUnder(key) {
		return true, nil
	}
	if !w.pager.Add(key, describe) {
		return false, nil
	}
	if w.pager.Fold(key) != "" {
		return true, nil
	}
	return w.folder(nameOf(key))
}

// Bounds of the folders that are kept between the pages of a listing. Only those
// with manyEntries are: they are read once and not once a page.
const (
	manyEntries = 500
	mostKept    = 200_000 // entries of all folders
	keptFor     = time.Minute
)

// listings keeps long folders for the pages after the first one of a listing, as
// long as we change nothing ourselves.
type listings struct {
	mu      sync.Mutex
	folders map[string]keptFolder
	size    int // entries
}

type keptFolder struct {
	sorted  []Entry
	changes int64
	read    time.Time
}

// find returns what is kept of a folder; nil when nothing is.
func (l *listings) find(dir string, changes int64, now time.Time) []Entry {
	l.mu.Lock()
	defer l.mu.Unlock()
	for name, k := range l.folders {
		if k.changes != changes || now.Sub(k.read) > keptFor {
			l.size -= len(k.sorted)
			delete(l.folders, name)
		}
	}
	return l.folders[dir].sorted
}

func (l *listings) keep(dir string, k keptFolder) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.size -= len(l.folders[dir].sorted)
	delete(l.folders, dir)
	if len(k.sorted) < manyEntries || l.size+len(k.sorted) > mostKept {
		return
	}
	if l.folders == nil {
		l.folders = map[string]keptFolder{}
	}
	l.folders[dir] = k
	l.size += len(k.sorted)
}

// entries are those of a folder in the order of their keys. Later pages may be
// of the folder as the first one found it.
func (b *Bucket) entries(ctx context.Context, dir string, later bool) ([]Entry, error) {
	k := keptFolder{changes: b.changes.Load(), read: b.now()}
	if kept := b.kept.find(dir, k.changes, k.read); later && kept != nil {
		return kept, nil
	}
	entries, err := b.fs.List(ctx, dir)
	if err != nil {
		return nil, err
	}
	k.sorted = slices.DeleteFunc(entries, func(e Entry) bool {
		return !Listable(e.Name) || dir == "" && strings.EqualFold(e.Name, ownDir)
	})
	slices.SortFunc(k.sorted, func(a, b Entry) int { return strings.Compare(sortName(a), sortName(b)) })
	b.kept.keep(dir, k)
	return k.sorted, nil
}

// sortName is the end of an entry's key.
func sortName(e Entry) string {
	if e.Dir {
		return e.Name + "/"
	}
	return e.Name
}
