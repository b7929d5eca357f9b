package mounts

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"hash"
	"slices"
	"strings"
	"sync"
	"time"

	"pasteport/ports/objstore"
)

// MaxEntries is the most entries of one listing; a longer folder comes in parts
// (contract §4.1).
const MaxEntries = 50_000

// folder is what a storage says about one folder, or about a part of a long
// one. It does not change.
type folder struct {
	items   []item // folders first, then by name
	exists  bool   // its marker or anything below it is there
	next    string // token of the part after this one; empty means the end
	read    time.Time
	tag     [sha256.Size]byte // over everything above but read
	touched *time.Time        // of its marker

	mu   sync.Mutex
	kept map[string][]byte // rendered forms, see Listing.Keep
}

// item is a file or a folder in it.
type item struct {
	name        string
	etag        string
	size        int64 // bytes; -1 means unknown
	modified    int64 // milliseconds since 1970; 0 means unknown
	folder      bool
	unreachable bool // no path can have this name
}

// cost is the memory it takes, in bytes.
func (f *folder) cost() int64 {
	cost := int64(256)
	for i := range f.items {
		cost += 64 + int64(len(f.items[i].name)+len(f.items[i].etag))
	}
	return cost
}

// find returns the item of a name, nil when there is none.
func (f *folder) find(name string, isFolder bool) *item {
	want := item{name: name, folder: isFolder}
	i, ok := slices.BinarySearchFunc(f.items, &want, func(it item, want *item) int { return Order{}.compare(&it, want) })
	if !ok {
		return nil
	}
	return &f.items[i]
}

// readFolder lists what lies at prefix, from token on. While one page is being
// worked on, the next is on its way.
func readFolder(ctx context.Context, bucket objstore.Bucket, prefix, token string, now func() time.Time) (*folder, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	f := &folder{read: now()}
	pages := make(chan objstore.ListPage, 1)
	failed := make(chan error, 1)
	go func() {
		defer close(pages)
		failed <- eachPage(ctx, bucket, prefix, token, pages)
	}()
	folders := map[string]bool{}
	for page := range pages {
		f.add(prefix, page, folders)
		f.next = page.Next
	}
	if err := <-failed; err != nil {
		return nil, err
	}
	slices.SortFunc(f.items, func(a, b item) int { return Order{}.compare(&a, &b) })
	f.seal()
	return f, nil
}

// eachPage sends pages until the end of the folder or MaxEntries.
func eachPage(ctx context.Context, bucket objstore.Bucket, prefix, token string, pages chan<- objstore.ListPage) error {
	var tokens objstore.Tokens
	for count := 0; ; {
		page, err := bucket.List(ctx, objstore.ListQuery{Prefix: prefix, Delimiter: "/", Token: token, Limit: min(objstore.MaxList, MaxEntries-count)})
		if err != nil {
			return err
		}
		select {
		case pages <- page:
		case <-ctx.Done():
			return ctx.Err()
		}
		if len(page.Objects) > 0 && page.Objects[0].Key == prefix {
			count-- // the folder's own marker is no entry of it
		}
		token = page.Next
		if count += len(page.Objects) + len(page.Prefixes); token == "" || count >= MaxEntries {
			return nil
		}
		if err := tokens.Follow(token); err != nil {
			return err
		}
	}
}

// add takes over a page. Only what lies directly in the folder counts, whatever
// the storage says.
func (f *folder) add(prefix string, page objstore.ListPage, folders map[string]bool) {
	for i := range page.Objects {
		o := &page.Objects[i]
		name, ok := strings.CutPrefix(o.Key, prefix)
		switch {
		case !ok:
			continue
		case name == "":
			f.touched = KnownTime(o.ModTime)
		case strings.HasSuffix(name, "/"):
			f.addFolder(strings.TrimSuffix(name, "/"), o.ModTime, folders)
		case !strings.Contains(name, "/"):
			f.items = append(f.items, item{name: name, etag: o.ETag, size: o.Size, modified: Milliseconds(o.ModTime), unreachable: CheckName(name) != nil})
		}
		f.exists = true
	}
	for _, p := range page.Prefixes {
		if name, ok := strings.CutPrefix(p, prefix); ok {
			f.exists = true
			f.addFolder(strings.TrimSuffix(name, "/"), time.Time{}, folders)
		}
	}
}

// addFolder adds a folder once.
func (f *folder) addFolder(name string, modified time.Time, folders map[string]bool) {
	if folders[name] || strings.Contains(name, "/") {
		return
	}
	folders[name] = true
	f.items = append(f.items, item{name: name, size: -1, modified: Milliseconds(modified), folder: true, unreachable: CheckName(name) != nil})
}

func Milliseconds(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixMilli()
}

// seal computes the tag.
func (f *folder) seal() {
	h := sha256.New()
	for i := range f.items {
		f.items[i].writeTo(h)
	}
	h.Write([]byte(f.next))
	h.Sum(f.tag[:0])
}

func (it *item) writeTo(h hash.Hash) {
	var numbers [17]byte
	binary.LittleEndian.PutUint64(numbers[0:], uint64(it.size))
	binary.LittleEndian.PutUint64(numbers[8:], uint64(it.modified))
	if it.folder {
		numbers[16] = 1
	}
	h.Write(numbers[:])
	h.Write([]byte(it.name))
	h.Write([]byte{0})
	h.Write([]byte(it.etag))
	h.Write([]byte{0})
}

// FolderTotals are the totals of the folders directly below a prefix. They do not
// change.
type FolderTotals struct {
	Of  map[string]Total // by name
	Tag string           // the same for the same totals
}

// addTo puts what is known of a folder into its entry.
func (s *FolderTotals) addTo(e *Entry) {
	if s == nil || !e.Folder || e.Virtual {
		return
	}
	total, ok := s.Of[e.Name]
	if !ok {
		return
	}
	e.Size, e.SizeIndexed = total.Size, true
	if total.Newest != nil {
		e.ModTime, e.TimeIndexed = total.Newest, true
	}
}

// with is an item with what is known of it, so that it is sorted by that.
func (s *FolderTotals) with(it item) item {
	if s == nil || !it.folder {
		return it
	}
	if total, ok := s.Of[it.name]; ok {
		it.size = total.Size
		if total.Newest != nil {
			it.modified = Milliseconds(*total.Newest)
		}
	}
	return it
}

// text tells sums apart; empty for none.
func (s *FolderTotals) text() string {
	if s == nil {
		return ""
	}
	return s.Tag
}

// folders reports whether there is a folder in it.
func (f *folder) folders() bool { return len(f.items) > 0 && f.items[0].folder }

// objects are the files and folders of the folder at a prefix, as objects in
// ascending order of their keys; the keys of folders end in "/".
func (f *folder) objects(prefix string) []objstore.Object {
	found := make([]objstore.Object, 0, len(f.items))
	for i := range f.items {
		it := &f.items[i]
		o := objstore.Object{Key: prefix + it.name, Size: max(it.size, 0), ETag: it.etag}
		if it.folder {
			o.Key += "/"
		}
		if it.modified != 0 {
			o.ModTime = time.UnixMilli(it.modified).UTC()
		}
		found = append(found, o)
	}
	slices.SortFunc(found, func(a, b objstore.Object) int { return strings.Compare(a.Key, b.Key) })
	return found
}
