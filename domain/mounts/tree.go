package mounts

import (
	"context"
	"slices"
	"strings"

	"pasteport/domain/internal/held"
	"pasteport/domain/internal/keymutex"
	"pasteport/ports"
	"pasteport/ports/jobs"
	"pasteport/ports/objstore"
	"pasteport/ports/policy"
	"pasteport/ports/upload"
)

// Storages gives storage configs and their buckets; domain/storage implements
// it by way of cmd.
type Storages interface {
	objstore.Opener
	// Storage returns a config; NotFound when there is none with this id. It
	// answers from memory where it can.
	Storage(ctx context.Context, id string) (objstore.Storage, error)
}

// Deps are what a Tree needs.
type Deps struct {
	Mounts   MountRepository
	Tasks    jobs.Tasks
	Sharer   Sharer
	Uploads  upload.Sessions
	Storages Storages
	// Showable returns Invalid when no further mount may show a storage config.
	// Nil: any may.
	Showable     func(ctx context.Context, configID string) error
	Ledger       Ledger // nil bounds nothing
	Decider      policy.Decider
	Work         ports.UnitOfWork
	Invalidation ports.Invalidation
	Settings     Settings
	MAC          ports.MAC
	Random       ports.Random
	Clock        ports.Clock
	// ProxySecret signs proxy links, so that those of an earlier installation
	// stay good; empty means a key derived from the master key (decision 14).
	ProxySecret string
	// Forms may be nil: then names are found only as they were sent.
	Forms Forms
	// CacheBytes bounds the cached listings; 0 means DefaultCacheBytes.
	CacheBytes int64
	// Report takes errors of work that nobody waits for.
	Report func(doing string, err error)
}

// Tree is the tree of all mounts. What its parts do can be asked of it as well.
// It is safe for concurrent use.
type Tree struct {
	Deps
	*Places
	*Reader
	*Linker
	*Lister
	*Quota
	*wings
	dirs    *dircache
	writers keymutex.Mutex[string] // of conditional writes, by storage and object key
}

// NewTree returns the tree over the mounts of a repository.
func NewTree(d Deps) *Tree {
	if d.Sharer != nil {
		d.Storages = held.Leaving(d.Storages, d.Sharer)
	}
	t := &Tree{Deps: d, wings: &wings{index: noIndex{}, guard: noGuard{}, versions: noVersions{}}, dirs: newDircache(d.CacheBytes, d.Clock)}
	t.Places = &Places{mounts: d.Mounts, storages: d.Storages, decider: d.Decider, clock: d.Clock}
	t.Reader = &Reader{Places: t.Places, forms: d.Forms, dirs: t.dirs}
	t.Linker = &Linker{Reader: t.Reader, signer: signer{settings: d.Settings, mac: d.MAC, secret: d.ProxySecret, clock: d.Clock}, signed: newLinkCache()}
	t.Lister = &Lister{Places: t.Places, wings: t.wings, cursors: cursors{d.MAC}, forms: d.Forms, dirs: t.dirs}
	t.Quota = &Quota{wings: t.wings, ledger: d.Ledger, random: d.Random, report: d.Report}
	t.dirs.listed = func(ctx context.Context, key dirKey, f *folder) {
		if f.next == "" && key.token == "" {
			t.index.Listed(ctx, key.storage, key.prefix, f.read, func() []objstore.Object { return f.objects(key.prefix) })
		}
	}
	return t
}

// Kinds of events between nodes.
const (
	MountsChanged   = "mounts"   // the id of the mount
	ListingsChanged = "listings" // the id of the storage config
)

// Errors of the tree, compared with errors.Is.
var (
	ErrRoot     = &ports.Error{Code: ports.Forbidden, Key: "root_forbidden"}
	ErrNoMount  = &ports.Error{Code: ports.NotFound, Key: "mount_not_found"}
	ErrForeign  = &ports.Error{Code: ports.Forbidden, Key: "mount_forbidden"}
	ErrOutside  = &ports.Error{Code: ports.Forbidden, Key: "path_forbidden"}
	ErrVirtual  = &ports.Error{Code: ports.Forbidden, Key: "root_forbidden", Text: "virtual_folder"}
	ErrType     = &ports.Error{Code: ports.Invalid, Key: "type_mismatch"}
	ErrCross    = &ports.Error{Code: ports.Invalid, Key: "cross_mount"}
	ErrIntoSelf = &ports.Error{Code: ports.Invalid, Key: "into_self"}
	ErrNoParent = &ports.Error{Code: ports.Conflict, Key: "not_found", Text: "parent_missing"}
	ErrLocked   = &ports.Error{Code: ports.Locked, Key: "locked"}
)

// Place is where a canonical path leads.
type Place struct {
	Path    string           // canonical
	Mount   *Mount           // nil for a virtual folder
	Storage objstore.Storage // of the mount
	Folder  bool             // asked for as a folder, with "/" at the end
	Sub     string           // path below the mount point without "/" at the front; "" is the mount point
}

// Key is the object key of the file at the place.
func (p *Place) Key() string { return p.Storage.Prefix + p.Sub }

// Prefix is the front of all keys below the folder at the place: "" or it ends in "/".
func (p *Place) Prefix() string {
	if p.Sub == "" {
		return p.Storage.Prefix
	}
	return p.Storage.Prefix + p.Sub + "/"
}

// PathOf turns an object key of the place's mount back into a canonical path.
func (p *Place) PathOf(key string) string {
	return Join(p.Mount.Path, strings.TrimSuffix(strings.TrimPrefix(key, p.Storage.Prefix), "/"))
}

// Snapshot is the set of active mounts at one time; it does not change.
type Snapshot struct {
	Mounts []Active // by sort order, then name
	deep   []int    // indices into mounts, longest path first
}

// Active is an active mount and its storage config.
type Active struct {
	Mount
	Storage objstore.Storage
}

func newSnapshot(mounts []Active) *Snapshot {
	s := &Snapshot{Mounts: mounts, deep: make([]int, len(mounts))}
	for i := range mounts {
		s.deep[i] = i
	}
	slices.SortStableFunc(s.deep, func(a, b int) int { return len(mounts[b].Path) - len(mounts[a].Path) })
	return s
}

// MayUse reports whether the principal can use the mount: an administrator
// every one, a key those on public configs whose path and the key's base lie on
// one line (contract §2.3).
func MayUse(who policy.Principal, m *Active) bool {
	switch who.Kind {
	case policy.Admin, policy.System:
		return true
	case policy.APIKey:
		return m.Storage.Public && (Within(who.BasicPath, m.Path) || Within(m.Path, who.BasicPath))
	}
	return false
}

// Below lists the usable mounts strictly below a path, by sort order and name.
func (s *Snapshot) Below(who policy.Principal, path string) []*Active {
	var found []*Active
	for i := range s.Mounts {
		if m := &s.Mounts[i]; Above(m.Path, path) && MayUse(who, m) {
			found = append(found, m)
		}
	}
	return found
}

// Find returns the deepest mount that holds the path, nil when none does.
func (s *Snapshot) Find(path string) *Active {
	for _, i := range s.deep {
		if m := &s.Mounts[i]; Within(m.Path, path) {
			return m
		}
	}
	return nil
}

// Resolve leads to the file or folder at a canonical path that a use case asked
// the policy for. It returns ErrRoot for the root and ErrNoMount where no mount
// holds the path, ErrForeign for a mount the principal cannot use, ErrOutside
// for a path that does not lie within its base.
func (s *Snapshot) Resolve(who policy.Principal, path string) (*Place, error) {
	m := s.Find(path)
	switch {
	case m == nil && path == "/":
		return nil, ErrRoot
	case m == nil:
		return nil, ErrNoMount
	case !MayUse(who, m):
		return nil, ErrForeign
	case who.Kind == policy.APIKey && !Within(who.BasicPath, path):
		return nil, ErrOutside
	}
	return m.Place(path), nil
}

// Place is where path, which lies within the mount, leads.
func (m *Active) Place(path string) *Place {
	sub := strings.TrimPrefix(strings.TrimPrefix(path, m.Path), "/")
	return &Place{Path: path, Mount: &m.Mount, Storage: m.Storage, Sub: sub}
}

// Is reports whether two places are the same object; two mounts may show it,
// also by two storage configs.
func (p *Place) Is(other *Place) bool {
	return p.Storage.Origin()+p.Key() == other.Storage.Origin()+other.Key()
}

// Holds reports whether another place lies in the folder at this one, or is it.
func (p *Place) Holds(other *Place) bool {
	return p.Is(other) || strings.HasPrefix(other.Storage.Origin()+other.Key(), p.Storage.Origin()+p.Prefix())
}
