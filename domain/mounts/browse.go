package mounts

import (
	"context"
	"errors"
	"iter"
	"slices"
	"time"

	"pasteport/ports"
	"pasteport/ports/objstore"
	"pasteport/ports/policy"
)

// View is what a WebDAV client sees at a path: the file or folder there, and
// of a folder what lies directly in it. It belongs to one request.
type View struct {
	Self Entry
	// Changed is when the newest of the caller's mounts was changed; zero
	// without mounts.
	Changed time.Time

	tree     *Tree
	who      policy.Principal
	snapshot *Snapshot
	listing  *Listing // nil for a file, and without children
	place    *Place   // nil for a virtual folder
	limit    int      // entries; 0 means all
	locks    []Lock
	own      []Property
	of       map[string][]Property
}

// Browse describes the file or folder at path, with children also what lies in
// it. It asks webdav.list once and costs at most one listing and two lookups of
// rows, however many entries there are (contract §8.5).
//
// A path with "/" at its end names a folder only. Returns NotFound when there
// is nothing, also for mounts that the caller cannot use.
func (t *Tree) Browse(ctx context.Context, c Caller, path string, children bool) (*View, error) {
	clean, asFolder, err := Clean(path)
	if err != nil {
		return nil, err
	}
	decision, err := t.Ask(ctx, c, OpList, policy.Resource{Paths: []string{clean}})
	if err != nil {
		return nil, err
	}
	if err := t.holds(ctx, c); err != nil {
		return nil, err
	}
	s, err := t.Snapshot(ctx)
	if err != nil {
		return nil, err
	}
	v := &View{tree: t, who: c.Who, snapshot: s, limit: int(decision.Obligations.ListLimit), Changed: s.changed(c.Who)}
	if err := v.look(ctx, clean, asFolder, children); err != nil {
		return nil, err
	}
	if err := v.rows(ctx); err != nil {
		return nil, err
	}
	v.Self = v.stamped(v.Self)
	if err := c.Conditions.Check(&v.Self); err != nil {
		return nil, err
	}
	return v, nil
}

func (s *Snapshot) changed(who policy.Principal) (newest time.Time) {
	for i := range s.Mounts {
		if m := &s.Mounts[i]; MayUse(who, m) && m.UpdatedAt.After(newest) {
			newest = m.UpdatedAt
		}
	}
	return newest
}

// look finds what is at the path.
func (v *View) look(ctx context.Context, path string, asFolder, children bool) error {
	m := v.snapshot.Find(path)
	if m == nil || !MayUse(v.who, m) || v.who.Kind == policy.APIKey && Above(v.who.BasicPath, path) {
		return v.lookVirtual(path)
	}
	v.place = m.Place(path)
	v.tree.Touch(m.ID)
	if len(v.place.Prefix()) > objstore.MaxKey {
		return ports.ErrNotFound
	}
	if v.place.Sub != "" && !asFolder {
		entry, err := v.tree.Glance(ctx, v.place)
		if err == nil && (!entry.Folder || !children) {
			v.Self = entry
			return nil
		}
		if err != nil && !(ports.Is(err, ports.NotFound) && v.ownBase(path)) {
			return err
		}
	}
	return v.lookFolder(ctx, path, children)
}

// ownBase reports whether the path is the base of a key, which exists even
// when nothing is stored there yet (contract §4.1).
func (v *View) ownBase(path string) bool {
	return v.who.Kind == policy.APIKey && path == v.who.BasicPath
}

// lookFolder describes a folder of a mount.
func (v *View) lookFolder(ctx context.Context, path string, children bool) error {
	v.Self = FolderEntry(v.place, nil)
	if !children {
		if v.place.Sub == "" {
			return nil
		}
		entry, err := v.tree.StatAt(ctx, v.place, true)
		if ports.Is(err, ports.NotFound) && (v.ownBase(path) || len(v.snapshot.Below(v.who, path)) > 0) {
			return nil
		}
		if err == nil {
			v.Self = entry
		}
		return err
	}
	v.listing = &Listing{Path: path, Mount: v.place.Mount, place: v.place}
	if err := v.tree.real(ctx, v.listing, v.snapshot, v.who, ListQuery{}, ""); err != nil {
		return err
	}
	if f := v.tree.dirs.peek(v.listing.key, time.Duration(v.place.Mount.CacheTTL)*time.Second); f != nil {
		v.Self.ModTime = f.touched
	}
	return nil
}

// lookVirtual describes a folder that only leads to mounts, or the way down to
// the base of a key.
func (v *View) lookVirtual(path string) error {
	v.listing = &Listing{Path: path, Virtual: true}
	v.Self = Entry{Path: path, Name: Base(path), Folder: true, Virtual: true, Size: -1, ContentType: FolderType}
	if v.who.Kind == policy.APIKey && Above(v.who.BasicPath, path) {
		if m := v.snapshot.Find(path); m != nil {
			if !MayUse(v.who, m) {
				return ports.ErrNotFound
			}
			v.place = m.Place(path)
		}
		v.listing.wayDown(v.snapshot, v.who)
		return nil
	}
	return v.listing.virtual(v.snapshot, v.who)
}

// rows reads the locks and dead properties.
func (v *View) rows(ctx context.Context) (err error) {
	t, path := v.tree, v.Self.Path
	if v.locks, err = t.Locks.Around(ctx, t.Clock.Now(), Reach{Path: path, Deep: v.listing != nil}); err != nil {
		return ports.Wrap("look for locks", err)
	}
	if v.own, err = t.Properties.Of(ctx, path); err != nil {
		return ports.Wrap("read properties", err)
	}
	if v.listing != nil {
		v.of, err = t.Properties.OfChildren(ctx, path)
	}
	return ports.Wrap("read properties", err)
}

// Len is how many children are known of before the first of them is given.
func (v *View) Len() int {
	if v.listing == nil {
		return 0
	}
	return v.listing.Len()
}

// Children gives what lies directly in the folder, in the order of listings.
// Names that no path can have are left out. After an error it ends.
func (v *View) Children(ctx context.Context) iter.Seq2[Entry, error] {
	return func(yield func(Entry, error) bool) {
		left := v.limit
		for l := v.listing; l != nil; {
			for e := range l.All() {
				if e.Unreachable {
					continue
				}
				if v.limit > 0 {
					if left--; left < 0 {
						return
					}
				}
				if !yield(v.stamped(e), nil) {
					return
				}
			}
			if l.Next == "" {
				return
			}
			more := &Listing{Path: l.Path, Mount: l.Mount, place: l.place}
			if err := v.tree.real(ctx, more, v.snapshot, v.who, ListQuery{}, l.Next); err != nil {
				yield(Entry{}, err)
				return
			}
			l = more
		}
	}
}

// Locks are the locks that cover an entry of the view: its own, and deep ones
// of folders above it.
func (v *View) Locks(path string) []Lock {
	if len(v.locks) == 0 {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(v.locks), func(l Lock) bool { return !l.covers(path) })
}

// Properties are the dead properties of an entry of the view.
func (v *View) Properties(path string) []Property {
	all := v.properties(path)
	if slices.ContainsFunc(all, func(p Property) bool { return p.Space == OwnSpace }) {
		all = slices.DeleteFunc(slices.Clone(all), func(p Property) bool { return p.Space == OwnSpace })
	}
	return all
}

func (v *View) properties(path string) []Property {
	if path == v.Self.Path {
		return v.own
	}
	return v.of[path]
}

// Quota tells how full the storage behind the view is: bytes used and bytes
// left, -1 where nobody knows (RFC 4331).
func (v *View) Quota(ctx context.Context) (used, available int64, err error) {
	if v.place == nil {
		return -1, -1, nil
	}
	t, config := v.tree, v.place.Storage
	bucket, err := t.Bucket(ctx, v.place)
	if err != nil {
		return -1, -1, err
	}
	if config.Capacity > 0 && t.Ledger != nil {
		held, reserved, err := t.Ledger.Held(ctx, config.ID)
		if err != nil {
			return -1, -1, err
		}
		return held, max(config.Capacity-held-reserved, 0), nil
	}
	usage, err := bucket.Usage(ctx)
	if ports.Is(err, ports.NotImplemented) {
		return -1, -1, nil
	}
	if err != nil {
		return -1, -1, err
	}
	return usage.Used, usage.Free, nil
}

// Download is a file that a WebDAV client reads.
type Download struct {
	*File
	tree   *Tree
	caller Caller
	place  *Place
	limits policy.Obligations
}

// Fetch finds the file at path for a WebDAV client. Asks webdav.read. Unlike
// File it knows no file by a path with "/" at its end. Returns ErrType for a
// folder, NotFound when nothing is there (contract §8.6).
func (t *Tree) Fetch(ctx context.Context, c Caller, path string) (*Download, error) {
	places, decision, err := t.Enter(ctx, c, OpRead, path)
	switch {
	case errors.Is(err, ErrRoot):
		return nil, ErrType
	case errors.Is(err, ErrNoMount):
		if s, read := t.Snapshot(ctx); read == nil && len(s.Below(c.Who, cleaned(path))) > 0 {
			return nil, ErrType
		}
		return nil, err
	case err != nil:
		return nil, err
	}
	if err := t.holds(ctx, c); err != nil {
		return nil, err
	}
	p := places[0]
	if p.Folder && p.Sub != "" {
		if _, err := t.StatAt(ctx, p, true); err != nil {
			return nil, err
		}
		return nil, ErrType
	}
	f, err := t.FileAt(ctx, p)
	if err != nil {
		return nil, err
	}
	return &Download{File: f, tree: t, caller: c, place: p, limits: decision.Obligations}, nil
}

// cleaned is the canonical form of a path that was found clean before.
func cleaned(path string) string {
	clean, _, _ := Clean(path)
	return clean
}

// shortestRedirect is how long a redirected client has at least, in seconds.
const shortestRedirect = 300

// Elsewhere is the address of the file's bytes at its storage, for a client
// that follows redirects. Empty says that it has to come through this server:
// the mount wants that, or the storage signs no addresses of its own.
func (d *Download) Elsewhere(ctx context.Context) (string, error) {
	if d.Mount.WebDAVPolicy != Redirect {
		return "", nil
	}
	seconds := max(d.place.Storage.LinkSeconds, shortestRedirect)
	if d.place.Storage.LinkSeconds <= 0 {
		seconds = DefaultLinkSeconds
	}
	link, err := d.tree.StorageLink(ctx, d.caller, d.place, false, LinkLife(d.place.Storage, seconds, d.limits), d.Mount.CacheTTL > 0)
	switch {
	case ports.Is(err, ports.NotImplemented):
		return "", nil
	case err != nil:
		return "", err
	case len(link.URL) > 0 && link.URL[0] == '/':
		return "", nil // it would only come back to this server
	}
	return link.URL, nil
}
