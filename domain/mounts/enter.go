package mounts

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"pasteport/ports"
	"pasteport/ports/objstore"
	"pasteport/ports/policy"
)

// enter is how every use case begins: it cleans the paths, asks the policy once
// with all of them, and leads each to its place.
//
// Returns Invalid for an unclean path, the policy's refusal, ErrRoot for the
// root, ErrVirtual when a virtual folder is to be changed, ErrNoMount,
// ErrForeign and ErrOutside. After an error of one path the places of those
// before it come back.
func (t *Tree) enter(ctx context.Context, c Caller, op operation, paths ...string) ([]*place, policy.Decision, error) {
	return t.enterWith(ctx, c, op, policy.Resource{}, paths...)
}

// enterWith is enter for use cases that tell the policy more than the paths,
// such as the size of an upload.
func (t *Tree) enterWith(ctx context.Context, c Caller, op operation, on policy.Resource, paths ...string) ([]*place, policy.Decision, error) {
	asked, s, err := t.askFor(ctx, c, op, on, paths)
	if err != nil {
		return nil, asked.decision, err
	}
	places := make([]*place, len(paths))
	for i, p := range asked.paths {
		if places[i], err = s.resolve(c.Who, p); err != nil {
			if errors.Is(err, ErrNoMount) && op.writes() && len(s.below(c.Who, p)) > 0 {
				err = ErrVirtual
			}
			return places[:i], asked.decision, err
		}
		places[i].folder = asked.folders[i]
		if len(places[i].key()) > objstore.MaxKey {
			return nil, asked.decision, ports.InvalidInput("path_too_long", "path")
		}
		t.touch(places[i].mount.ID)
	}
	return places, asked.decision, nil
}

// askedFor are paths that the policy was asked for.
type askedFor struct {
	paths    []string // canonical
	folders  []bool   // written with "/" at the end
	decision policy.Decision
}

// askFor cleans paths, asks the policy once with all of them and returns the
// mounts as they are now.
func (t *Tree) askFor(ctx context.Context, c Caller, op operation, on policy.Resource, paths []string) (a askedFor, s *snapshot, err error) {
	a.paths, a.folders = make([]string, len(paths)), make([]bool, len(paths))
	for i, p := range paths {
		if a.paths[i], a.folders[i], err = Clean(p); err != nil {
			return a, nil, err
		}
	}
	on.Paths = a.paths
	if a.decision, err = t.ask(ctx, c, op, on); err != nil {
		return a, nil, err
	}
	s, err = t.snapshot(ctx)
	return a, s, err
}

// writes reports whether the operation changes what it names.
func (op operation) writes() bool { return op >= uploading }

// snapshot returns the active mounts as they are now. They are read once and
// kept until a mount or a storage config changes.
func (t *Tree) snapshot(ctx context.Context) (*snapshot, error) {
	if s := t.current.Load(); s != nil {
		return s, nil
	}
	t.loading.Lock()
	defer t.loading.Unlock()
	if s := t.current.Load(); s != nil {
		return s, nil
	}
	generation := t.generation.Load()
	s, err := t.readMounts(ctx)
	if err != nil {
		return nil, err
	}
	t.current.Store(s)
	if t.generation.Load() != generation { // changed while it was read
		t.current.CompareAndSwap(s, nil)
	}
	return s, nil
}

// forgetMounts makes the next use read the mounts again.
func (t *Tree) forgetMounts() {
	t.generation.Add(1)
	t.current.Store(nil)
}

func (t *Tree) readMounts(ctx context.Context) (*snapshot, error) {
	mounts, err := t.allMounts(ctx, MountFilter{ActiveOnly: true})
	if err != nil {
		return nil, err
	}
	all := make([]active, 0, len(mounts))
	for _, m := range mounts {
		storage, err := t.Storages.Storage(ctx, m.StorageConfigID)
		switch {
		case ports.Is(err, ports.NotFound): // a mount without storage shows nothing
		case err != nil:
			return nil, err
		default:
			all = append(all, active{Mount: m, storage: storage})
		}
	}
	return newSnapshot(all), nil
}

// bucket returns the open bucket of the place's mount. The caller does not
// close it.
func (t *Tree) bucket(ctx context.Context, p *place) (objstore.Bucket, error) {
	return t.Storages.Bucket(ctx, p.storage.ID)
}

// change is what a write did, or may have done, to the objects of a storage.
type change struct {
	storage string            // id of the storage config
	put     []objstore.Object // new or replaced
	gone    []string          // keys; one that ends in "/" means all below it too
	under   []string          // prefixes below which more was put than put names
}

// changed follows every write before its answer, also one that failed: it drops
// the cached listings of all mounts of the storage, and of the storages that
// are known to show the same objects, on all nodes.
func (t *Tree) changed(ctx context.Context, ch change) {
	t.changedIn(ctx, ch)
	for _, seen := range t.seenElsewhere(ctx, ch) {
		t.changedIn(ctx, seen)
	}
}

func (t *Tree) changedIn(ctx context.Context, ch change) {
	t.dirs.drop(ch.storage)
	if len(ch.gone) > 0 {
		t.freed(ctx, ch.storage)
	}
	t.signed.forget(ch)
	t.writes.note(ch.storage)
	t.index.note(ch)
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), publishTime)
	defer cancel()
	if err := t.Invalidation.Publish(ctx, ListingsChanged, ch.storage); err != nil {
		t.Report("tell other nodes of changed listings", err)
	}
}

// publishTime bounds how long a write waits to tell the other nodes.
const publishTime = 5 * time.Second

// markers writes the folder markers that are missing above the place, inside
// its mount (contract §7.3). What the write was for is already stored, so a
// failure is only reported.
func (t *Tree) markers(ctx context.Context, bucket objstore.Bucket, p *place) {
	ctx = context.WithoutCancel(ctx)
	var missing []string
	for dir := parentSub(p.sub); dir != ""; dir = parentSub(dir) {
		key := p.storage.Prefix + dir + "/"
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
		if err := writeMarker(ctx, bucket, key); err != nil {
			t.Report("write a folder marker", err)
			return
		}
		t.index.note(change{storage: p.storage.ID, put: []objstore.Object{t.marker(key)}})
	}
}

// marker is a folder marker that was just written.
func (t *Tree) marker(key string) objstore.Object {
	return objstore.Object{Key: key, ContentType: FolderType, ModTime: t.Clock.Now()}
}

// FolderType is the content type of folder markers (contract §7.2).
const FolderType = "application/x-directory"

// writeMarker stores the marker of a folder; one that is there stays.
func writeMarker(ctx context.Context, bucket objstore.Bucket, key string) error {
	_, err := bucket.Write(ctx, key, strings.NewReader(""), objstore.WriteOptions{ContentType: FolderType})
	return err
}

// parentSub returns the folder above a path below the mount point; "" is the
// mount point.
func parentSub(sub string) string {
	if i := strings.LastIndexByte(sub, '/'); i >= 0 {
		return sub[:i]
	}
	return ""
}
