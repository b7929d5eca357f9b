package dav

import (
	"context"
	"errors"
	"iter"
	"slices"
	"time"

	"pasteport/domain/mounts"
	"pasteport/ports"
	"pasteport/ports/objstore"
	"pasteport/ports/policy"
)

// View is what a WebDAV client sees at a path: the file or folder there, and
// of a folder what lies directly in it. It belongs to one request.
type View struct {
	Self mounts.Entry
	// Changed is when the newest of the caller's mounts was changed; zero
	// without mounts.
	Changed time.Time

	resources *Resources
	who       policy.Principal
	snapshot  *mounts.Snapshot
	listing   *mounts.Listing // nil for a file, and without children
	place     *mounts.Place   // nil for a virtual folder
	limit     int             // entries; 0 means all
	locks     []Lock
	own       []Property
	of        map[string][]Property
	many      bool // of holds the properties of the present child alone
}

// Browse describes the file or folder at path, with children also what lies in
// it. It asks webdav.list once and costs at most one listing and two lookups of
// rows, however many entries there are (contract §8.5), unless they have more dead
// properties than memory is spent on.
//
// A path with "/" at its end names a folder only. Returns NotFound when there
// is nothing, also for mounts that the caller cannot use.
func (t *Resources) Browse(ctx context.Context, c mounts.Caller, path string, children bool) (*View, error) {
	clean, asFolder, err := mounts.Clean(path)
	if err != nil {
		return nil, err
	}
	decision, err := t.tree.Ask(ctx, c, mounts.OpList, policy.Resource{Paths: []string{clean}})
	if err != nil {
		return nil, err
	}
	if err := t.IfHolds(ctx, c); err != nil {
		return nil, err
	}
	s, err := t.tree.Snapshot(ctx)
	if err != nil {
		return nil, err
	}
	v := &View{resources: t, who: c.Who, snapshot: s, limit: int(decision.Obligations.ListLimit), Changed: lastChange(s, c.Who)}
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

// lastChange is when the newest mount that a principal may use was changed.
func lastChange(s *mounts.Snapshot, who policy.Principal) (newest time.Time) {
	for i := range s.Mounts {
		if m := &s.Mounts[i]; mounts.MayUse(who, m) && m.UpdatedAt.After(newest) {
			newest = m.UpdatedAt
		}
	}
	return newest
}

// look finds what is at the path.
func (v *View) look(ctx context.Context, path string, asFolder, children bool) error {
	m := v.snapshot.Find(path)
	if m == nil || !mounts.MayUse(v.who, m) || v.who.Kind == policy.APIKey && mounts.Above(v.who.BasicPath, path) {
		return v.lookVirtual(path)
	}
	v.place = m.Place(path)
	v.resources.tree.Touch(m.ID)
	if len(v.place.Prefix()) > objstore.MaxKey {
		return ports.ErrNotFound
	}
	if v.place.Sub != "" && !asFolder {
		entry, err := v.resources.tree.Glance(ctx, v.place)
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
	v.Self = mounts.FolderEntry(v.place, nil)
	if !children {
		if v.place.Sub == "" {
			return nil
		}
		entry, err := v.resources.tree.StatAt(ctx, v.place, true)
		if ports.Is(err, ports.NotFound) && (v.ownBase(path) || len(v.snapshot.Below(v.who, path)) > 0) {
			return nil
		}
		if err == nil {
			v.Self = entry
		}
		return err
	}
	var err error
	if v.listing, err = v.resources.tree.ListAt(ctx, v.snapshot, v.who, v.place, ""); err != nil {
		return err
	}
	if at := v.resources.tree.Touched(v.listing); at != nil {
		v.Self.ModTime = at
	}
	return nil
}

// lookVirtual describes a folder that only leads to mounts, or the way down to
// the base of a key.
func (v *View) lookVirtual(path string) error {
	v.Self = mounts.Entry{Path: path, Name: mounts.Base(path), Folder: true, Virtual: true, Size: -1, ContentType: mounts.FolderType}
	if v.who.Kind == policy.APIKey && mounts.Above(v.who.BasicPath, path) {
		if m := v.snapshot.Find(path); m != nil {
			if !mounts.MayUse(v.who, m) {
				return ports.ErrNotFound
			}
			v.place = m.Place(path)
		}
		v.listing = v.snapshot.ListWayDown(v.who, path)
		return nil
	}
	var err error
	v.listing, err = v.snapshot.ListVirtual(v.who, path)
	return err
}

// rows reads the locks and dead properties.
func (v *View) rows(ctx context.Context) (err error) {
	t, path := v.resources, v.Self.Path
	if v.locks, err = t.locks.Around(ctx, t.tree.Clock.Now(), Reach{Path: path, Deep: v.listing != nil}); err != nil {
		return ports.Wrap("look for locks", err)
	}
	if v.listing != nil {
		v.of, v.many, err = t.properties.OfFolder(ctx, path, maxFolderBytes)
		v.own = v.of[path]
		delete(v.of, path)
	}
	if err == nil && (v.listing == nil || v.many) {
		v.own, err = t.properties.Of(ctx, path)
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

// Made is what was made of the children under a form, if that was kept: form
// names all that it depends on besides them.
func (v *View) Made(form string) (data []byte, ok bool) {
	if !v.plain() {
		return nil, false
	}
	return v.listing.Made(form)
}

// Keep returns what keeps something made of the children for the next who sees
// the same; nil when it would not be kept.
func (v *View) Keep(form string) func(data []byte) {
	if !v.plain() {
		return nil
	}
	return func(data []byte) { v.listing.Put(form, data) }
}

// plain reports whether what is seen of the children follows from the cached
// folder alone: all of it is shown, and nobody has added anything to it.
func (v *View) plain() bool {
	return v.listing != nil && v.listing.Whole() && v.limit == 0 && len(v.locks) == 0 && len(v.of) == 0 && !v.many
}

// Children gives what lies directly in the folder, in the order of listings.
// Names that no path can have are left out. After an error it ends.
func (v *View) Children(ctx context.Context) iter.Seq2[mounts.Entry, error] {
	return func(yield func(mounts.Entry, error) bool) {
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
				if v.many {
					of, err := v.resources.properties.Of(ctx, e.Path)
					if err != nil {
						yield(mounts.Entry{}, ports.Wrap("read properties", err))
						return
					}
					v.of = map[string][]Property{e.Path: of}
				}
				if !yield(v.stamped(e), nil) {
					return
				}
			}
			if l.Next == "" {
				return
			}
			more, err := v.resources.tree.ListAt(ctx, v.snapshot, v.who, v.place, l.Next)
			if err != nil {
				yield(mounts.Entry{}, err)
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
	t, config := v.resources, v.place.Storage
	bucket, err := t.tree.Bucket(ctx, v.place)
	if err != nil {
		return -1, -1, err
	}
	if config.Capacity > 0 && t.tree.Ledger != nil {
		held, reserved, err := t.tree.Ledger.Held(ctx, config.ID)
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
	*mounts.File
	resources *Resources
	caller    mounts.Caller
	place     *mounts.Place
	limits    policy.Obligations
}

// Fetch finds the file at path for a WebDAV client. Asks webdav.read. Unlike
// File it knows no file by a path with "/" at its end. Returns ErrType for a
// folder, NotFound when nothing is there (contract §8.6).
func (t *Resources) Fetch(ctx context.Context, c mounts.Caller, path string) (*Download, error) {
	places, decision, err := t.tree.Enter(ctx, c, mounts.OpRead, path)
	switch {
	case errors.Is(err, mounts.ErrRoot):
		return nil, mounts.ErrType
	case errors.Is(err, mounts.ErrNoMount):
		if s, read := t.tree.Snapshot(ctx); read == nil && len(s.Below(c.Who, cleaned(path))) > 0 {
			return nil, mounts.ErrType
		}
		return nil, err
	case err != nil:
		return nil, err
	}
	if err := t.IfHolds(ctx, c); err != nil {
		return nil, err
	}
	p := places[0]
	if p.Folder && p.Sub != "" {
		if _, err := t.tree.StatAt(ctx, p, true); err != nil {
			return nil, err
		}
		return nil, mounts.ErrType
	}
	f, err := t.tree.FileAt(ctx, p)
	if err != nil {
		return nil, err
	}
	return &Download{File: f, resources: t, caller: c, place: p, limits: decision.Obligations}, nil
}

// cleaned is the canonical form of a path that was found clean before.
func cleaned(path string) string {
	clean, _, _ := mounts.Clean(path)
	return clean
}

// shortestRedirect is how long a redirected client has at least, in seconds.
const shortestRedirect = 300

// Elsewhere is the address of the file's bytes at its storage, for a client
// that follows redirects. Empty says that it has to come through this server:
// the mount wants that, or the storage signs no addresses of its own.
func (d *Download) Elsewhere(ctx context.Context) (string, error) {
	if d.Mount.WebDAVPolicy != mounts.Redirect {
		return "", nil
	}
	seconds := max(d.place.Storage.LinkSeconds, shortestRedirect)
	if d.place.Storage.LinkSeconds <= 0 {
		seconds = mounts.DefaultLinkSeconds
	}
	link, err := d.resources.tree.StorageLink(ctx, d.caller, d.place, false, mounts.LinkLife(d.place.Storage, seconds, d.limits), d.Mount.CacheTTL > 0)
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
