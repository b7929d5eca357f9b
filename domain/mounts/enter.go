package mounts

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"pasteport/ports"
	"pasteport/ports/objstore"
	"pasteport/ports/policy"
)

// Places leads paths to places in the mounts, for those who may go there. It is
// safe for concurrent use.
type Places struct {
	mounts   MountRepository
	storages Storages
	decider  policy.Decider
	clock    ports.Clock
	used     uses

	current    atomic.Pointer[Snapshot] // nil when it is to be read
	loading    sync.Mutex
	generation atomic.Int64 // grows when mounts or storage configs change
}

// Enter is how every use case begins: it cleans the paths, asks the policy once
// with all of them, and leads each to its place.
//
// Returns Invalid for an unclean path, the policy's refusal, ErrRoot for the
// root, ErrVirtual when a virtual folder is to be changed, ErrNoMount,
// ErrForeign and ErrOutside. After an error of one path the places of those
// before it come back.
func (pl *Places) Enter(ctx context.Context, c Caller, op Operation, paths ...string) ([]*Place, policy.Decision, error) {
	return pl.EnterWith(ctx, c, op, policy.Resource{}, paths...)
}

// EnterWith is enter for use cases that tell the policy more than the paths,
// such as the size of an upload.
func (pl *Places) EnterWith(ctx context.Context, c Caller, op Operation, on policy.Resource, paths ...string) ([]*Place, policy.Decision, error) {
	asked, s, err := pl.AskFor(ctx, c, op, on, paths)
	if err != nil {
		return nil, asked.Decision, err
	}
	places := make([]*Place, len(paths))
	for i, p := range asked.Paths {
		if places[i], err = s.Resolve(c.Who, p); err != nil {
			if errors.Is(err, ErrNoMount) && op.writes() && len(s.Below(c.Who, p)) > 0 {
				err = ErrVirtual
			}
			return places[:i], asked.Decision, err
		}
		places[i].Folder = asked.Folders[i]
		if len(places[i].Key()) > objstore.MaxKey {
			return nil, asked.Decision, ports.InvalidInput("path_too_long", "path")
		}
		pl.Touch(places[i].Mount.ID)
	}
	return places, asked.Decision, nil
}

// Asked are paths that the policy was asked for.
type Asked struct {
	Paths    []string // canonical
	Folders  []bool   // written with "/" at the end
	Decision policy.Decision
}

// AskFor cleans paths, asks the policy once with all of them and returns the
// mounts as they are now.
func (pl *Places) AskFor(ctx context.Context, c Caller, op Operation, on policy.Resource, paths []string) (a Asked, s *Snapshot, err error) {
	a.Paths, a.Folders = make([]string, len(paths)), make([]bool, len(paths))
	for i, p := range paths {
		if a.Paths[i], a.Folders[i], err = Clean(p); err != nil {
			return a, nil, err
		}
	}
	on.Paths = a.Paths
	if a.Decision, err = pl.Ask(ctx, c, op, on); err != nil {
		return a, nil, err
	}
	s, err = pl.Snapshot(ctx)
	return a, s, err
}

// writes reports whether the operation changes what it names.
func (op Operation) writes() bool { return op >= OpUpload }

// Snapshot returns the active mounts as they are now. They are read once and
// kept until a mount or a storage config changes.
func (pl *Places) Snapshot(ctx context.Context) (*Snapshot, error) {
	if s := pl.current.Load(); s != nil {
		return s, nil
	}
	pl.loading.Lock()
	defer pl.loading.Unlock()
	if s := pl.current.Load(); s != nil {
		return s, nil
	}
	generation := pl.generation.Load()
	s, err := pl.readMounts(ctx)
	if err != nil {
		return nil, err
	}
	pl.current.Store(s)
	if pl.generation.Load() != generation { // changed while it was read
		pl.current.CompareAndSwap(s, nil)
	}
	return s, nil
}

// Loaded returns the active mounts as they were last read; nil when they are to
// be read again.
func (pl *Places) Loaded() *Snapshot { return pl.current.Load() }

// forgetMounts makes the next use read the mounts again.
func (pl *Places) forgetMounts() {
	pl.generation.Add(1)
	pl.current.Store(nil)
}

func (pl *Places) readMounts(ctx context.Context) (*Snapshot, error) {
	mounts, err := pl.allMounts(ctx, MountFilter{ActiveOnly: true})
	if err != nil {
		return nil, err
	}
	all := make([]Active, 0, len(mounts))
	for _, m := range mounts {
		storage, err := pl.storages.Storage(ctx, m.StorageConfigID)
		switch {
		case ports.Is(err, ports.NotFound): // a mount without storage shows nothing
		case err != nil:
			return nil, err
		default:
			all = append(all, Active{Mount: m, Storage: storage})
		}
	}
	return newSnapshot(all), nil
}

// Bucket returns the open bucket of the place's mount. The caller does not
// close it.
func (pl *Places) Bucket(ctx context.Context, p *Place) (objstore.Bucket, error) {
	return pl.storages.Bucket(ctx, p.Storage.ID)
}

// Change is what a write did, or may have done, to the objects of a storage.
type Change struct {
	Storage string            // id of the storage config
	Put     []objstore.Object // new or replaced
	Gone    []string          // keys; one that ends in "/" means all below it too
	Under   []string          // prefixes below which more was put than put names
}

// Changed follows every write before its answer, also one that failed: it drops
// the cached listings of all mounts of the storage, and of the storages that
// are known to show the same objects, on all nodes.
func (t *Tree) Changed(ctx context.Context, ch Change) {
	t.changedIn(ctx, ch)
	for _, seen := range t.seenElsewhere(ctx, ch) {
		t.changedIn(ctx, seen)
	}
}

func (t *Tree) changedIn(ctx context.Context, ch Change) {
	t.dirs.drop(ch.Storage)
	if len(ch.Gone) > 0 {
		t.Freed(ctx, ch.Storage)
	}
	t.signed.forget(ch)
	t.index.Changed(ch)
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), publishTime)
	defer cancel()
	if err := t.Invalidation.Publish(ctx, ListingsChanged, ch.Storage); err != nil {
		t.Report("tell other nodes of changed listings", err)
	}
}

// publishTime bounds how long a write waits to tell the other nodes.
const publishTime = 5 * time.Second

// WriteMarkers writes the folder markers that are missing above the place, inside
// its mount (contract §7.3). What the write was for is already stored, so a
// failure is only reported.
func (t *Tree) WriteMarkers(ctx context.Context, bucket objstore.Bucket, p *Place) {
	ctx = context.WithoutCancel(ctx)
	var missing []string
	for dir := ParentSub(p.Sub); dir != ""; dir = ParentSub(dir) {
		key := p.Storage.Prefix + dir + "/"
		_, err := bucket.Stat(ctx, key)
		if err == nil {
			break // who wrote it wrote those above too
		}
		if !ports.Is(err, ports.NotFound) {
			t.Report("look for a folder marker", err)
			return
		}
		missing = append(missing, key)
	}
	slices.Reverse(missing)
	for _, key := range missing {
		if err := WriteMarker(ctx, bucket, key); err != nil {
			t.Report("write a folder marker", err)
			return
		}
		t.index.Changed(Change{Storage: p.Storage.ID, Put: []objstore.Object{t.Marker(key)}})
	}
}

// Marker is a folder marker that was just written.
func (t *Tree) Marker(key string) objstore.Object {
	return objstore.Object{Key: key, ContentType: FolderType, ModTime: t.Clock.Now()}
}

// FolderType is the content type of folder markers (contract §7.2).
const FolderType = "application/x-directory"

// WriteMarker stores the marker of a folder; one that is there stays.
func WriteMarker(ctx context.Context, bucket objstore.Bucket, key string) error {
	_, err := bucket.Write(ctx, key, strings.NewReader(""), objstore.WriteOptions{ContentType: FolderType})
	return err
}

// ParentSub returns the folder above a path below the mount point; "" is the
// mount point.
func ParentSub(sub string) string {
	if i := strings.LastIndexByte(sub, '/'); i >= 0 {
		return sub[:i]
	}
	return ""
}

// Total is what lies below a folder, at any depth.
type Total struct {
	Size   int64 // bytes
	Files  int64
	Newest *time.Time // of files and folder markers; nil means none has a time
}

// Shows reports whether an active mount is on the storage.
func (s *Snapshot) Shows(storageID string) bool {
	for i := range s.Mounts {
		if s.Mounts[i].Storage.ID == storageID {
			return true
		}
	}
	return false
}

// Add counts one object.
func (s *Total) Add(o objstore.Object) {
	if !strings.HasSuffix(o.Key, "/") {
		s.Size += o.Size
		s.Files++
	}
	if at := KnownTime(o.ModTime); at != nil && (s.Newest == nil || at.After(*s.Newest)) {
		s.Newest = at
	}
}
