package index

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"pasteport/domain/internal/objects"
	"pasteport/domain/mounts"
	"pasteport/ports"
	"pasteport/ports/filetype"
	"pasteport/ports/objstore"
	"pasteport/ports/policy"
)

// Scope says where to search.
type Scope string

// The scopes (contract §4.15).
const (
	Global      Scope = "global"    // every mount of the caller
	OneMount    Scope = "mount"     // the named mount; all without a name
	OneFolder   Scope = "directory" // a folder and all below it
	minSearch         = 2           // characters
	maxSearch         = 256
	MaxFound          = 200  // results of one page
	DefaultFind       = 50   // results when nothing is said
	maxMatches        = 1000 // that are looked at in each mount (contract §1.7)
	liveTime          = 20 * time.Second
	searchWait        = 300 * time.Millisecond // for what was just written
	liveAtOnce        = 4
	liveFor           = time.Minute // how long a live search is kept for its next pages
	liveKept          = 64
)

// SearchQuery asks for files and folders by name.
type SearchQuery struct {
	Text    string
	Scope   Scope // empty means Global
	MountID string
	Path    string
	Narrow  Narrow
	Limit   int // 1 and more; 0 means DefaultFind, over MaxFound counts as that
	Offset  int // less than 0 counts as 0
}

// SearchResult is a page of what was found.
type SearchResult struct {
	Query  SearchQuery // as it was understood
	Found  []Found
	Total  int  // matches, at most 1000 of each mount
	Cut    bool // some mount has, as it seems, more matches than that
	More   bool
	Mounts int // searched
	// IndexedAt is since when the oldest index that was used is kept; nil when
	// none was.
	IndexedAt *time.Time
	// Partial says that not everything could be searched.
	Partial bool
}

// Found is a file or folder that fits a search.
type Found struct {
	mounts.Entry
	Mount *mounts.Mount // not to be changed
	Key   string        // object key; of a folder with "/" at the end
}

// Search finds files and folders whose name contains a text, whatever its case:
// those whose name is the text, then those that begin with it, then all others,
// the newest first (contract §4.15). It asks mount.search with the folder that
// is searched, or with the base path of the caller, and sees only what the
// caller may use.
//
// Mounts whose storage is indexed are searched in the index, the others by
// listing them within a time. A mount that cannot be searched makes the result
// partial. Returns Invalid for a text that is too short or too long, an unknown
// scope or kind, a bad limit or bound, ErrForeign for a mount that the caller
// cannot use.
func (x *Index) Search(ctx context.Context, c mounts.Caller, q SearchQuery) (*SearchResult, error) {
	folder, err := q.check()
	if err != nil {
		return nil, err
	}
	sieve, err := q.Narrow.sieve(filetype.KindsOf(x.tree.Settings))
	if err != nil {
		return nil, err
	}
	on := c.Who.BasicPath
	if folder != "" {
		on = folder
	}
	decision, err := x.tree.Ask(ctx, c, mounts.OpSearch, policy.Resource{Paths: []string{on}})
	if err != nil {
		return nil, err
	}
	if most := int(decision.Obligations.ListLimit); most > 0 {
		q.Limit = min(q.Limit, most)
	}
	s, err := x.tree.Snapshot(ctx)
	if err != nil {
		return nil, err
	}
	areas, err := areasOf(s, c.Who, q, folder)
	if err != nil {
		return nil, err
	}
	return x.search(ctx, q, sieve, areas)
}

// check puts the query in order. It returns the canonical path of the folder
// to search; empty means everywhere.
func (q *SearchQuery) check() (folder string, err error) {
	q.Text = strings.TrimSpace(q.Text)
	switch n := utf8.RuneCountInString(q.Text); {
	case n < minSearch:
		return "", ports.InvalidInput("search.short", "q")
	case n > maxSearch || !utf8.ValidString(q.Text):
		return "", ports.InvalidInput("field_invalid", "q")
	}
	if q.Limit < 0 {
		return "", ports.InvalidInput("field_invalid", "limit")
	}
	q.Limit, q.Offset = min(cmp.Or(q.Limit, DefaultFind), MaxFound), max(q.Offset, 0)
	switch q.Scope = cmp.Or(q.Scope, Global); q.Scope {
	case Global, OneMount:
	case OneFolder:
		if q.Path != "" {
			folder, _, err = mounts.Clean(q.Path)
		}
	default:
		return "", ports.InvalidInput("field_invalid", "scope")
	}
	return folder, err
}

// searchArea is the part of a mount that a search looks at.
type searchArea struct {
	Area
	place *mounts.Place
}

// areasOf are what the caller may search of the mounts that the query means
// (contract §2.4).
func areasOf(s *mounts.Snapshot, who policy.Principal, q SearchQuery, folder string) ([]searchArea, error) {
	var areas []searchArea
	known := q.MountID == ""
	for i := range s.Mounts {
		m := &s.Mounts[i]
		if !mounts.MayUse(who, m) {
			continue
		}
		named := q.MountID == "" || m.ID == q.MountID
		known = known || named // a global search asks for it, too, and goes on in all of them
		if !named && q.Scope != Global {
			continue
		}
		at, ok := m.Path, true
		for _, base := range []string{who.BasicPath, folder} {
			if base != "" && ok {
				at, ok = deeper(at, base)
			}
		}
		// A mount deeper down takes its folder away from this one.
		if !ok || s.Find(at) != m {
			continue
		}
		p := m.Place(at)
		areas = append(areas, searchArea{place: p, Area: Area{Storage: m.Storage.ID, Prefix: p.Prefix(), Except: taken(s, p)}})
	}
	if !known {
		return nil, mounts.ErrForeign
	}
	return areas, nil
}

// deeper returns the path that lies in the other one, if one does.
func deeper(a, b string) (string, bool) {
	switch {
	case mounts.Within(a, b):
		return b, true
	case mounts.Within(b, a):
		return a, true
	}
	return "", false
}

// taken are the prefixes in the folder at a place that mounts hide, whoever
// may use those.
func taken(s *mounts.Snapshot, p *mounts.Place) (prefixes []string) {
	for i := range s.Mounts {
		if m := &s.Mounts[i]; mounts.Above(m.Path, p.Path) {
			sub := strings.TrimPrefix(strings.TrimPrefix(m.Path, p.Mount.Path), "/")
			prefixes = append(prefixes, p.Storage.Prefix+sub+"/")
		}
	}
	return prefixes
}

// holds reports whether a key lies in the area and no mount hides it.
func (a *Area) holds(key string) bool {
	if !strings.HasPrefix(key, a.Prefix) || key == a.Prefix {
		return false
	}
	for _, x := range a.Except {
		if strings.HasPrefix(key, x) || key == strings.TrimSuffix(x, "/") {
			return false
		}
	}
	return true
}

// cut reports whether some area gave as many matches as are looked at.
func cut(found []Ref, areas int) bool {
	of := make([]int, areas)
	for i := range found {
		of[found[i].Area]++
	}
	return slices.ContainsFunc(of, func(n int) bool { return n >= maxMatches })
}

// catchUp waits a moment until what was written is noted, so that who has just stored a
// file finds it.
func (x *Index) catchUp(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, searchWait)
	go func() {
		defer cancel()
		_ = x.flush(ctx)
	}()
	<-ctx.Done()
}

// search looks in the areas and cuts out the page.
func (x *Index) search(ctx context.Context, q SearchQuery, sieve Sieve, areas []searchArea) (*SearchResult, error) {
	out := &SearchResult{Query: q, Mounts: len(areas), Found: []Found{}}
	indexed := Query{Text: Folded(q.Text), Sieve: sieve, Most: maxMatches, Areas: make([]Area, len(areas))}
	var live []int
	late := len(x.working) > 0
	for i := range areas {
		at := x.complete(ctx, areas[i].Storage)
		if at == nil {
			live = append(live, i)
			continue
		}
		late = late || x.waiting(areas[i].Storage)
		indexed.Areas[i] = areas[i].Area
		if out.IndexedAt == nil || at.Before(*out.IndexedAt) {
			out.IndexedAt = at
		}
	}
	if late {
		x.catchUp(ctx)
	}
	found, whole := x.searchLive(ctx, &indexed, areas, live)
	out.Partial = !whole
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	choose := func(refs []Ref) (wanted []Ref) {
		all := slices.Clone(refs)
		for i := range found {
			all = append(all, found[i].Ref)
		}
		slices.SortFunc(all, Ref.compare)
		out.Total, out.Cut = len(all), cut(all, len(areas))
		all = all[min(q.Offset, len(all)):]
		out.More = len(all) > q.Limit
		all = all[:min(q.Limit, len(all))]
		out.Found = make([]Found, 0, len(all))
		for _, r := range all {
			if r.ID >= 0 {
				wanted = append(wanted, r)
			}
			out.Found = append(out.Found, Found{Mount: areas[r.Area].place.Mount})
			if r.ID < 0 {
				out.Found[len(out.Found)-1] = areas[r.Area].found(found[-1-r.ID].Object)
			}
		}
		return wanted
	}
	if len(live) == len(areas) {
		choose(nil)
		return out, nil
	}
	hits, err := x.repo.Search(ctx, indexed, choose)
	if err != nil {
		return nil, err
	}
	for i := range out.Found { // those from the index, in the same order
		if f := &out.Found[i]; f.Key == "" && len(hits) > 0 {
			*f = areas[hits[0].Area].found(hits[0].Object)
			hits = hits[1:]
		}
	}
	return out, nil
}

// compare is the order of results.
func (r Ref) compare(other Ref) int {
	return cmp.Or(cmp.Compare(r.Rank, other.Rank), cmp.Compare(other.Modified, r.Modified), cmp.Compare(r.Area, other.Area), cmp.Compare(r.ID, other.ID))
}

// found is an object as a result.
func (a *searchArea) found(o objstore.Object) Found {
	path := a.place.PathOf(o.Key)
	e := mounts.Entry{Path: path, Name: mounts.Base(path), Size: o.Size, ModTime: mounts.KnownTime(o.ModTime), ETag: o.ETag, ContentType: mounts.ContentTypeOf(path)}
	if strings.HasSuffix(o.Key, "/") {
		e.Folder, e.Size, e.ContentType = true, -1, mounts.FolderType
	}
	return Found{Entry: e, Mount: a.place.Mount, Key: o.Key}
}

// searchLive lists the areas with the given numbers and returns what fits;
// whole is false when one could not be listed to its end. The hits have
// negative ids: -1 minus their place in the slice.
func (x *Index) searchLive(ctx context.Context, q *Query, areas []searchArea, which []int) (found []Hit, whole bool) {
	ctx, cancel := context.WithTimeout(ctx, liveTime)
	defer cancel()
	lists := make([][]Hit, len(which))
	ends := make([]bool, len(which))
	slots := make(chan struct{}, liveAtOnce)
	var wait sync.WaitGroup
	for n, i := range which {
		slots <- struct{}{}
		wait.Go(func() {
			defer func() { <-slots }()
			lists[n], ends[n] = x.lives.get(ctx, x, q, &areas[i])
		})
	}
	wait.Wait()
	whole = true
	for n, i := range which {
		whole = whole && ends[n]
		for _, h := range lists[n] {
			h.Area, h.ID = i, int64(-1-len(found))
			found = append(found, h)
		}
	}
	return found, whole
}

// lives keeps what was found by listing, so that the next page does not list
// again.
type lives struct {
	mu   sync.Mutex
	kept map[string]live
}

type live struct {
	at      time.Time
	version int64
	hits    []Hit
}

// get lists an area, or returns what was found lately.
func (l *lives) get(ctx context.Context, x *Index, q *Query, a *searchArea) (hits []Hit, whole bool) {
	key := strings.Join(append([]string{a.Storage, a.Prefix, q.Text, q.Sieve.key()}, a.Except...), "\x00")
	now, version := x.tree.Clock.Now(), x.writes.of(a.Storage)
	l.mu.Lock()
	known, ok := l.kept[key]
	l.mu.Unlock()
	if ok && known.version == version && now.Sub(known.at) < liveFor {
		return known.hits, true
	}
	hits, err := x.listMatches(ctx, q, a)
	if err != nil {
		return hits, false
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.kept == nil || len(l.kept) >= liveKept {
		l.kept = map[string]live{}
	}
	l.kept[key] = live{now, version, hits}
	return hits, true
}

// listMatches lists an area and returns the best matches; with an error those
// that were found before.
func (x *Index) listMatches(ctx context.Context, q *Query, a *searchArea) (hits []Hit, err error) {
	bucket, err := x.tree.Storages.Bucket(ctx, a.Storage)
	if err != nil {
		return nil, err
	}
	m := matcher{query: q, area: &a.Area}
	err = objects.WalkAhead(ctx, bucket, a.Prefix, func(page []objstore.Object) error {
		for _, o := range page {
			m.add(o)
		}
		return nil
	})
	return m.best(), err
}

// matcher collects what fits from keys in ascending order.
type matcher struct {
	query *Query
	area  *Area
	last  string
	hits  []Hit
}

// add takes one object, and the folders that lead to it.
func (m *matcher) add(o objstore.Object) {
	if !m.area.holds(o.Key) {
		return
	}
	for at := len(m.area.Prefix); ; {
		slash := strings.IndexByte(o.Key[at:], '/')
		if slash < 0 {
			break
		}
		at += slash + 1
		if at == len(o.Key) || !strings.HasPrefix(m.last, o.Key[:at]) && m.area.holds(o.Key[:at]) {
			folder := objstore.Object{Key: o.Key[:at]}
			if at == len(o.Key) { // its marker, which comes first
				folder.ModTime = o.ModTime
			}
			m.match(folder)
		}
	}
	m.last = o.Key
	if !strings.HasSuffix(o.Key, "/") {
		m.match(o)
	}
}

// match keeps the object if its name fits.
func (m *matcher) match(o objstore.Object) {
	name := strings.TrimSuffix(o.Key, "/")
	name = name[strings.LastIndexByte(name, '/')+1:]
	rank, ok := RankOf(Folded(name), m.query.Text)
	if !ok || !m.query.Sieve.Passes(o) || !reachable(o.Key[len(m.area.Prefix):]) {
		return
	}
	m.hits = append(m.hits, Hit{Ref: Ref{Rank: rank, Modified: mounts.Milliseconds(o.ModTime)}, Object: o})
	if len(m.hits) >= 4*maxMatches {
		m.hits = m.best()
	}
}

// best are the first matches in their order.
func (m *matcher) best() []Hit {
	slices.SortStableFunc(m.hits, func(a, b Hit) int { return a.Ref.compare(b.Ref) })
	return m.hits[:min(len(m.hits), maxMatches)]
}

// reachable reports whether a path can have all the names in a key.
func reachable(key string) bool {
	for name := range strings.SplitSeq(strings.TrimSuffix(key, "/"), "/") {
		if mounts.CheckName(name) != nil {
			return false
		}
	}
	return true
}

// Searchable is the text by which an index finds the object with a key: its
// name, Folded. It is empty when no path leads there.
func Searchable(key string) string {
	if !reachable(key) {
		return ""
	}
	return Folded(mounts.Base("/" + strings.TrimSuffix(key, "/")))
}

// writes counts the changes of storages.
type writes struct {
	mu    sync.Mutex
	count map[string]int64
}

func (w *writes) note(storageID string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.count == nil {
		w.count = map[string]int64{}
	}
	w.count[storageID]++
}

func (w *writes) of(storageID string) int64 {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.count[storageID]
}
