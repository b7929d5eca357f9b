package local

import (
	"container/list"
	"os"
	"slices"
	"strings"
	"sync"
	"time"
)

// Bounds of the names that are kept between the pages of a long folder. Only
// folders from manyNames on are, so that a hundred thousand files are read and
// sorted once and not once a page.
const (
	manyNames  = 500
	namesBytes = 64 << 20        // of all folders of a bucket
	namesLife  = 2 * time.Minute // since they were last used
	// settled is how old the last change of a folder must be before its time
	// tells the next one: the clocks of file systems tick slowly.
	settled = 2 * time.Second
)

// names keeps the sorted names of long folders, those used last. They hold as
// long as the folder is the same one and has not changed. It is safe for
// concurrent use.
type names struct {
	mu    sync.Mutex
	kept  map[string]*list.Element // of *namesOf, by folder
	order list.List                // used last in front
	bytes int64
	reads int // of folders, for tests
}

// namesOf are the names in one folder; those of folders in it end in "/".
type namesOf struct {
	dir    string
	sorted []string
	bytes  int64
	state  fileInfo // of the folder, before it was read
	used   time.Time
}

// in returns the sorted names of the plain files and folders in d, which is the
// open folder dir.
func (n *names) in(d *os.File, dir string, now time.Time) ([]string, error) {
	state, err := statFile(d)
	if err != nil {
		return nil, err
	}
	if sorted := n.find(dir, state, now); sorted != nil {
		return sorted, nil
	}
	entries, err := d.ReadDir(-1)
	if err != nil {
		return nil, err
	}
	sorted := make([]string, 0, len(entries))
	bytes := int64(0)
	for _, e := range entries {
		name := e.Name()
		if dir == "" && name == ownDir || !e.IsDir() && !e.Type().IsRegular() {
			continue
		}
		if e.IsDir() {
			name += "/"
		}
		sorted = append(sorted, name)
		bytes += 32 + int64(len(name))
	}
	slices.Sort(sorted)
	n.keep(&namesOf{dir: dir, sorted: sorted, bytes: bytes, state: state, used: now})
	return sorted, nil
}

// find returns what is kept of a folder in this state; nil when nothing is.
func (n *names) find(dir string, state fileInfo, now time.Time) []string {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.expireLocked(now)
	e := n.kept[dir]
	if e == nil {
		n.reads++
		return nil
	}
	of := e.Value.(*namesOf)
	if of.state != state {
		n.removeLocked(e)
		n.reads++
		return nil
	}
	of.used = now
	n.order.MoveToFront(e)
	return of.sorted
}

// keep keeps the names of a long folder that was at rest when it was read, and
// drops others for them.
func (n *names) keep(of *namesOf) {
	if len(of.sorted) < manyNames || of.bytes > namesBytes || of.used.Sub(of.state.latest()) < settled {
		return
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.kept == nil {
		n.kept = map[string]*list.Element{}
	}
	if old := n.kept[of.dir]; old != nil {
		n.removeLocked(old)
	}
	n.kept[of.dir] = n.order.PushFront(of)
	n.bytes += of.bytes
	for n.bytes > namesBytes {
		n.removeLocked(n.order.Back())
	}
}

// expireLocked drops what was not used for long.
func (n *names) expireLocked(now time.Time) {
	for e := n.order.Back(); e != nil && now.Sub(e.Value.(*namesOf).used) > namesLife; e = n.order.Back() {
		n.removeLocked(e)
	}
}

func (n *names) removeLocked(e *list.Element) {
	of := n.order.Remove(e).(*namesOf)
	n.bytes -= of.bytes
	delete(n.kept, of.dir)
}

// span is the part of sorted keys, as front with each of the names behind it,
// that can stand on a page with this prefix and from this key on.
func span(sorted []string, front, prefix, from string) []string {
	begin, _ := slices.BinarySearchFunc(sorted, from, func(name, from string) int { return compareKey(front, name, from) })
	if begin > 0 && strings.HasSuffix(sorted[begin-1], "/") && strings.HasPrefix(from, front+sorted[begin-1]) {
		begin-- // the folder that from lies in
	}
	end := begin
	for end < len(sorted) && compareKey(front, sorted[end], prefix) < 0 {
		end++ // the folder again
	}
	beyond, _ := slices.BinarySearchFunc(sorted[end:], prefix, func(name, prefix string) int {
		if strings.HasPrefix(front+name, prefix) {
			return -1
		}
		return compareKey(front, name, prefix)
	})
	return sorted[begin : end+beyond]
}

// compareKey compares the key of a name with another key.
func compareKey(front, name, key string) int {
	if len(key) < len(front) || key[:len(front)] != front {
		return strings.Compare(front, key)
	}
	return strings.Compare(name, key[len(front):])
}
