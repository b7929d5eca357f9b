package mounts

import (
	"cmp"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"iter"
	"slices"
	"strconv"
	"sync"
	"time"

	"pasteport/ports"
	"pasteport/ports/policy"
)

// MaxListLimit is the most entries of one page of a listing (contract §4.1).
const MaxListLimit = 5000

// ListQuery asks for a folder.
type ListQuery struct {
	Path string
	// Refresh reads the storage again, at most every two seconds per folder and
	// caller; in between it is an ordinary listing.
	Refresh bool
	Limit   int    // entries, 1 to MaxListLimit; 0 means all, up to MaxEntries
	Cursor  string // Next of the page before; empty means the first
	Order   Order
}

// Listing is a folder of the tree, or a part of it.
type Listing struct {
	Path    string // canonical
	Virtual bool   // no mount holds it: it only leads to mounts
	Mount   *Mount // that holds it; nil when Virtual. Not to be changed
	// Next is the cursor of the entries after these; empty means there are none.
	Next  string
	Total int // entries of the whole folder; -1 means unknown
	// Kept says that a refresh was asked for too soon after the one before, so
	// that this may be the cached listing.
	Kept bool
	// Read is when the storage was asked; zero when Virtual.
	Read time.Time

	items  []item
	mounts map[string]*Entry // virtual folders among the items, by name
	place  *Place
	tag    [sha256.Size]byte
	cache  *dircache
	whole  *folder // when the listing is all of it and nothing else
	key    dirKey
	view   string        // tells apart what whole is rendered for
	sums   *FolderTotals // of the folders; nil when unknown
}

// Len tells how many entries All gives.
func (l *Listing) Len() int { return len(l.items) }

// All gives the entries in their order.
func (l *Listing) All() iter.Seq[Entry] {
	return func(yield func(Entry) bool) {
		for i := range l.items {
			if !yield(l.entry(&l.items[i])) {
				return
			}
		}
	}
}

// Tag is the same for two listings that show the same. It is an opaque text of
// hexadecimal digits.
func (l *Listing) Tag() string { return hex.EncodeToString(l.tag[:16]) }

// Keep returns what render makes of the listing, and keeps it with a cached
// folder for the next caller who sees the same. form names all that the result
// depends on besides the listing; results do not change.
func (l *Listing) Keep(form string, render func() []byte) []byte {
	data, ok := l.Made(form)
	if !ok {
		data = render()
		l.Put(form, data)
	}
	return data
}

// Whole reports whether the listing is all of a folder and nothing else, so that
// what is put with it is kept.
func (l *Listing) Whole() bool { return l.whole != nil && l.Next == "" }

// Made is what was made of the listing under a form, if that was kept.
func (l *Listing) Made(form string) (data []byte, ok bool) {
	if l.whole == nil {
		return nil, false
	}
	l.whole.mu.Lock()
	defer l.whole.mu.Unlock()
	data, ok = l.whole.kept[form+"\x00"+l.view]
	return data, ok
}

// Put keeps what was made of the listing, as Keep does.
func (l *Listing) Put(form string, data []byte) {
	if l.whole == nil {
		return
	}
	l.whole.mu.Lock()
	if l.whole.kept == nil || len(l.whole.kept) >= maxForms {
		l.whole.kept = map[string][]byte{}
	}
	l.whole.kept[form+"\x00"+l.view] = data
	l.whole.mu.Unlock()
	l.cache.grow(l.key, l.whole, int64(len(data)))
}

// maxForms bounds the rendered forms of one folder.
const maxForms = 8

func (l *Listing) entry(it *item) Entry {
	if it.folder {
		if e := l.mounts[it.name]; e != nil {
			return *e
		}
	}
	e := it.entry(l.Path)
	l.sums.addTo(&e)
	return e
}

// entry is the item as an entry of the folder dir.
func (it *item) entry(dir string) Entry {
	e := Entry{Path: Join(dir, it.name), Name: it.name, Folder: it.folder, Size: it.size, ETag: it.etag, Unreachable: it.unreachable, ContentType: FolderType}
	if !it.folder {
		e.ContentType = ContentTypeOf(it.name)
	}
	if it.modified != 0 {
		at := time.UnixMilli(it.modified).UTC()
		e.ModTime = &at
	}
	return e
}

// Lister lists folders. It is safe for concurrent use.
type Lister struct {
	*Places
	*wings
	cursors
	forms Forms
	dirs  *dircache
}

// List lists a folder (contract §4.1). It asks mount.list, or webdav.list.
//
// A key that is still above its base path sees the one step towards it. Returns
// NotFound when there is no such folder, Invalid for a bad order, limit or
// cursor.
func (ls *Lister) List(ctx context.Context, c Caller, q ListQuery) (*Listing, error) {
	return inForms(ls.forms, q.Path, func(path string) (*Listing, error) {
		q := q
		q.Path = path
		return ls.list(ctx, c, q)
	})
}

func (ls *Lister) list(ctx context.Context, c Caller, q ListQuery) (*Listing, error) {
	path, _, err := Clean(q.Path)
	if err != nil {
		return nil, err
	}
	decision, err := ls.Ask(ctx, c, OpList, policy.Resource{Paths: []string{path}})
	if err != nil {
		return nil, err
	}
	last, err := ls.checkList(path, &q)
	if err != nil {
		return nil, err
	}
	if most := int(decision.Obligations.ListLimit); most > 0 && (q.Limit == 0 || q.Limit > most) {
		q.Limit = most
	}
	s, err := ls.Snapshot(ctx)
	if err != nil {
		return nil, err
	}
	l := &Listing{Path: path}
	if m := s.Find(path); m != nil && MayUse(c.Who, m) {
		l.Mount, l.place = &m.Mount, m.Place(path)
		ls.Touch(m.ID)
	}
	l.Virtual = l.Mount == nil
	switch {
	case c.Who.Kind == policy.APIKey && Above(c.Who.BasicPath, path):
		l.wayDown(s, c.Who)
	case l.Virtual:
		err = l.virtual(s, c.Who)
	default:
		err = ls.real(ctx, l, s, c.Who, q, last.Token)
	}
	if err != nil {
		return nil, err
	}
	return l, ls.page(l, q, last)
}

// wayDown is the listing of a folder above the base of a key: the one step
// towards it, if the key can reach anything there (contract §2.2).
func (l *Listing) wayDown(s *Snapshot, who policy.Principal) {
	name := Step(l.Path, who.BasicPath)
	e := &Entry{Path: Join(l.Path, name), Name: name, Folder: true, Virtual: l.Virtual, Size: -1, ContentType: FolderType}
	at := s.Find(who.BasicPath)
	if (at == nil || !MayUse(who, at)) && len(s.Below(who, who.BasicPath)) == 0 {
		l.show(nil)
		return
	}
	if m := s.Find(e.Path); m != nil && m.Path == e.Path && MayUse(who, m) {
		e.MountPoint, e.Virtual = &m.Mount, true
	}
	l.show([]*Entry{e})
}

// virtual lists a folder that only leads to mounts (contract §3.2).
func (l *Listing) virtual(s *Snapshot, who policy.Principal) error {
	steps := s.steps(who, l.Path)
	if len(steps) == 0 && l.Path != "/" && (who.Kind != policy.APIKey || l.Path != who.BasicPath) {
		return ports.ErrNotFound
	}
	l.show(steps)
	return nil
}

// show makes the listing consist of virtual folders.
func (l *Listing) show(entries []*Entry) {
	l.mounts = map[string]*Entry{}
	h := sha256.New()
	for _, e := range entries {
		it := item{name: e.Name, size: -1, folder: true}
		l.items = append(l.items, it)
		l.mounts[e.Name] = e
		e.writeTo(h)
	}
	h.Sum(l.tag[:0])
}

// steps are the next segments from a folder towards the usable mounts below
// it, in the order of the mounts.
func (s *Snapshot) steps(who policy.Principal, path string) []*Entry {
	var found []*Entry
	seen := map[string]*Entry{}
	for _, m := range s.Below(who, path) {
		name := Step(path, m.Path)
		e := seen[name]
		if e == nil {
			e = &Entry{Path: Join(path, name), Name: name, Folder: true, Virtual: true, Size: -1, ContentType: FolderType}
			seen[name] = e
			found = append(found, e)
		}
		if m.Path == e.Path {
			e.MountPoint = &m.Mount
		}
	}
	return found
}

// ListAt lists the folder at a place that the policy was asked for, or the part
// of it that begins at a token, together with the mounts below it. Returns
// NotFound when there is nothing.
func (ls *Lister) ListAt(ctx context.Context, s *Snapshot, who policy.Principal, p *Place, token string) (*Listing, error) {
	l := &Listing{Path: p.Path, Mount: p.Mount, place: p}
	return l, ls.real(ctx, l, s, who, ListQuery{}, token)
}

// Touched is when the marker of a listed folder was written, as far as the cache
// still tells; nil when it does not.
func (ls *Lister) Touched(l *Listing) *time.Time {
	if f := ls.dirs.peek(l.key, time.Duration(l.Mount.CacheTTL)*time.Second); f != nil {
		return f.touched
	}
	return nil
}

// ListVirtual lists a folder that only leads to mounts. Returns ErrNoMount when
// it leads to none that the caller may use.
func (s *Snapshot) ListVirtual(who policy.Principal, path string) (*Listing, error) {
	l := &Listing{Path: path, Virtual: true}
	return l, l.virtual(s, who)
}

// ListWayDown lists the one step from a folder towards the base path of a key.
func (s *Snapshot) ListWayDown(who policy.Principal, path string) *Listing {
	l := &Listing{Path: path, Virtual: true}
	l.wayDown(s, who)
	return l
}

// real lists a folder of a mount, together with the mounts below it.
func (ls *Lister) real(ctx context.Context, l *Listing, s *Snapshot, who policy.Principal, q ListQuery, token string) error {
	key := dirKey{l.place.Storage.ID, l.place.Prefix(), token}
	fresh := q.Refresh && ls.dirs.refreshes.allow(who, key, ls.clock.Now())
	f, err := ls.folder(ctx, l.place, key, fresh)
	if err != nil {
		return err
	}
	l.Kept, l.Read = q.Refresh && !fresh, f.read
	var steps []*Entry
	if token == "" {
		steps = s.steps(who, l.Path)
		own := who.Kind == policy.APIKey && l.Path == who.BasicPath
		if !f.exists && l.place.Sub != "" && len(steps) == 0 && !own {
			return ports.ErrNotFound
		}
	}
	l.key, l.cache, l.Next = key, ls.dirs, f.next
	if f.folders() {
		l.sums = ls.index.Totals(ctx, l.place)
	}
	hidden := s.hidden(l.Path, steps)
	if len(hidden) == 0 && q.Order.byName() && q.Limit == 0 && q.Cursor == "" {
		l.whole, l.items = f, f.items
		l.view = l.Path + "\x00" + l.Mount.ID + "\x00" + l.sums.text()
	} else {
		l.merge(f, steps, hidden, q.Order)
	}
	h := sha256.New()
	h.Write(f.tag[:])
	h.Write([]byte(l.sums.text()))
	for _, e := range steps {
		e.writeTo(h)
	}
	for _, text := range []string{l.Path, l.Mount.ID, l.Mount.StorageType, q.Order.By, strconv.FormatBool(q.Order.Desc), strconv.Itoa(q.Limit), q.Cursor} {
		h.Write([]byte(text + "\x00"))
	}
	h.Sum(l.tag[:0])
	return nil
}

// folder returns what the storage lists at a place, from the cache where the
// mount allows it.
func (ls *Lister) folder(ctx context.Context, p *Place, key dirKey, fresh bool) (*folder, error) {
	return ls.dirs.get(ctx, key, time.Duration(p.Mount.CacheTTL)*time.Second, fresh, func(ctx context.Context) (*folder, error) {
		bucket, err := ls.Bucket(ctx, p)
		if err != nil {
			return nil, err
		}
		return readFolder(ctx, bucket, key.prefix, key.token, ls.clock.Now)
	})
}

// hidden are the names in a folder that a mount takes away from the storage:
// those of the steps towards usable mounts, and of mounts that begin there
// whoever may use them (contract §3.3).
func (s *Snapshot) hidden(path string, steps []*Entry) map[string]bool {
	var names map[string]bool
	hide := func(name string) {
		if names == nil {
			names = map[string]bool{}
		}
		names[name] = true
	}
	for _, e := range steps {
		hide(e.Name)
	}
	for i := range s.Mounts {
		if m := &s.Mounts[i]; m.Path != path && Parent(m.Path) == path {
			hide(Base(m.Path))
		}
	}
	return names
}

// merge joins the storage's items with the mounts below the folder.
func (l *Listing) merge(f *folder, steps []*Entry, hidden map[string]bool, order Order) {
	l.items = make([]item, 0, len(f.items)+len(steps))
	for i := range f.items {
		if !hidden[f.items[i].name] {
			l.items = append(l.items, l.sums.with(f.items[i]))
		}
	}
	l.mounts = map[string]*Entry{}
	for _, e := range steps {
		l.items = append(l.items, item{name: e.Name, size: -1, folder: true})
		l.mounts[e.Name] = e
	}
	slices.SortFunc(l.items, func(a, b item) int { return order.compare(&a, &b) })
}

// writeTo tells a hash what is seen of a virtual folder.
func (e *Entry) writeTo(h interface{ Write([]byte) (int, error) }) {
	id := ""
	if e.MountPoint != nil {
		id = e.MountPoint.ID + e.MountPoint.Name
	}
	_, _ = h.Write([]byte("\x01" + e.Path + "\x00" + strconv.FormatBool(e.Virtual) + "\x00" + id))
}

// mark is where a page ended.
type mark struct {
	Token string `json:"t,omitempty"` // of the part of a long folder
	Last  *last  `json:"l,omitempty"` // nil: at the beginning of that part
}

// last is the last item of a page.
type last struct {
	Name     string `json:"n"`
	Folder   bool   `json:"f,omitempty"`
	Size     int64  `json:"s,omitempty"`
	Modified int64  `json:"m,omitempty"`
}

// cursors tell where the pages of listings end.
type cursors struct{ mac ports.MAC }

// checkList returns Invalid for a query that cannot be answered, else where it
// begins.
func (cu cursors) checkList(path string, q *ListQuery) (mark, error) {
	if !q.Order.valid() {
		return mark{}, ports.InvalidInput("field_invalid", "sort")
	}
	if q.Limit < 0 || q.Limit > MaxListLimit {
		return mark{}, ports.InvalidInput("field_invalid", "limit")
	}
	if q.Cursor == "" {
		return mark{}, nil
	}
	c, ok := cu.openCursor(path, q.Order, q.Cursor)
	if !ok {
		return mark{}, ports.InvalidInput("field_invalid", "cursor")
	}
	return c, nil
}

// cursorProof is how many bytes of a cursor prove that we made it.
const cursorProof = 16

// sealCursor writes a cursor so that it fits only the same folder and order.
func (cu cursors) sealCursor(path string, o Order, c mark) (string, error) {
	data, err := json.Marshal(c)
	if err != nil {
		return "", err
	}
	proof := cu.mac.Sum("list-cursor", cursorText(path, o, data))
	return base64.RawURLEncoding.EncodeToString(append(proof[:cursorProof:cursorProof], data...)), nil
}

func (cu cursors) openCursor(path string, o Order, text string) (c mark, ok bool) {
	data, err := base64.RawURLEncoding.DecodeString(text)
	if err != nil || len(data) <= cursorProof {
		return c, false
	}
	proof := cu.mac.Sum("list-cursor", cursorText(path, o, data[cursorProof:]))
	if !hmac.Equal(proof[:cursorProof], data[:cursorProof]) {
		return c, false
	}
	return c, json.Unmarshal(data[cursorProof:], &c) == nil
}

func cursorText(path string, o Order, data []byte) []byte {
	return append([]byte(path+"\x00"+cmp.Or(o.By, "name")+"\x00"+strconv.FormatBool(o.Desc)+"\x00"), data...)
}

// page cuts the page out of the listing. Next of the listing is the storage's
// token when it comes in and a cursor when it goes out.
func (ls *Lister) page(l *Listing, q ListQuery, from mark) error {
	token := l.Next
	l.Next = ""
	l.Total = len(l.items)
	if token != "" || from.Token != "" {
		l.Total = -1
	}
	if from.Last != nil {
		l.items = l.items[l.after(from.Last, q.Order):]
	}
	var next *mark
	switch {
	case q.Limit > 0 && len(l.items) > q.Limit:
		l.items = l.items[:q.Limit]
		it := l.items[q.Limit-1]
		next = &mark{Token: from.Token, Last: &last{it.name, it.folder, it.size, it.modified}}
	case token != "":
		next = &mark{Token: token}
	}
	if next == nil {
		return nil
	}
	var err error
	l.Next, err = ls.sealCursor(l.Path, q.Order, *next)
	return err
}

// after returns the index of the first item behind the last one of a page.
func (l *Listing) after(at *last, o Order) int {
	if l.Virtual { // in the order of the mounts
		i := slices.IndexFunc(l.items, func(it item) bool { return it.name == at.Name })
		return i + 1
	}
	end := item{name: at.Name, folder: at.Folder, size: at.Size, modified: at.Modified}
	i, found := slices.BinarySearchFunc(l.items, &end, func(it item, end *item) int { return o.compare(&it, end) })
	if found {
		i++
	}
	return i
}

// refreshes bounds how often a caller may pass the cache.
type refreshes struct {
	mu   sync.Mutex
	last map[refresh]time.Time
}

type refresh struct {
	who policy.Principal
	key dirKey
}

// Bounds of refreshes.
const (
	refreshPause = 2 * time.Second
	maxRefreshes = 4096
)

// allow reports whether a caller may refresh a folder now.
func (r *refreshes) allow(who policy.Principal, key dirKey, now time.Time) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	id := refresh{who, key}
	if now.Sub(r.last[id]) < refreshPause {
		return false
	}
	if r.last == nil || len(r.last) >= maxRefreshes {
		r.last = map[refresh]time.Time{}
	}
	r.last[id] = now
	return true
}
