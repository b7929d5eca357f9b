package collections

import (
	"context"
	"math"
	"slices"
	"strings"
	"time"

	"pasteport/ports"
	"pasteport/ports/objstore"
)

// MaxStands is how many files a folder may hold whose link keeps it as it stood.
const MaxStands = 10_000

// Stand is a file as it was when the link for its folder was made.
type Stand struct {
	Path     string // below the root
	Size     int64  // bytes
	ETag     string // empty where the storage tells no versions apart
	Modified time.Time
}

// standOf is how an object is remembered; times to the millisecond.
func standOf(rel string, o objstore.Object) Stand {
	return Stand{rel, o.Size, o.ETag, o.ModTime.UTC().Truncate(time.Millisecond)}
}

// is reports whether an object is what it was.
func (s Stand) is(o objstore.Object) bool {
	now := standOf(s.Path, o)
	return s.Size == now.Size && s.ETag == now.ETag && (s.ETag != "" || s.Modified.Equal(now.Modified))
}

// Lost is a file that is not handed out any more: it is another one than when the
// link was made, or is gone.
type Lost struct {
	Name    string
	Changed bool // it is there, but is another one
}

var errChangedSince = &ports.Error{Code: ports.Gone, Key: "changed_since"}

// stands remembers what a new collection is at this moment.
func (c *Collections) stands(ctx context.Context, of *Collection) (all []Stand, err error) {
	err = of.within(c.d.Folders).Walk(ctx, of.Root, "", func(rel string, o objstore.Object, _ objstore.Storage) error {
		if len(all) == MaxStands {
			return errTooMany
		}
		all = append(all, standOf(rel, o))
		return nil
	})
	return all, err
}

// stood is a folder as it stood: what is there still as it was, and nothing that
// came later. It belongs to one request.
type stood struct {
	Folders
	repository Repository
	id         string
	lost       []Lost // of what was listed or walked
}

func (f *stood) List(ctx context.Context, root, rel string, from, limit int) (some []objstore.Object, all int, err error) {
	kept, err := f.repository.Stands(ctx, f.id, rel)
	if err != nil {
		return nil, 0, err
	}
	there, _, err := f.Folders.List(ctx, root, rel, 0, math.MaxInt/2)
	if err != nil && (!ports.Is(err, ports.NotFound) || len(kept) == 0) {
		return nil, 0, err
	}
	now := make(map[string]objstore.Object, len(there))
	for _, o := range there {
		now[o.Key] = o
	}
	var folders, files []objstore.Object
	for _, s := range kept {
		name, _, deeper := strings.Cut(strings.TrimPrefix(strings.TrimPrefix(s.Path, rel), "/"), "/")
		switch o, is := now[name]; {
		case s.Path == rel:
			return nil, 0, ports.ErrNotFound // a file has nothing in it
		case deeper:
			if n := len(folders); n == 0 || folders[n-1].Key != name+"/" {
				folders = append(folders, objstore.Object{Key: name + "/"})
			}
		case is && s.is(o):
			files = append(files, o)
		default:
			f.lost = append(f.lost, Lost{name, is})
		}
	}
	if len(kept) == 0 && rel != "" {
		return nil, 0, ports.ErrNotFound
	}
	both := append(folders, files...)
	first := min(from, len(both))
	return both[first:min(len(both), first+limit)], len(both), nil
}

func (f *stood) File(ctx context.Context, root, rel string) (objstore.Object, objstore.Storage, error) {
	kept, err := f.repository.Stands(ctx, f.id, rel)
	if err == nil && (len(kept) != 1 || kept[0].Path != rel) {
		err = ports.ErrNotFound
	}
	if err != nil {
		return objstore.Object{}, objstore.Storage{}, err
	}
	object, in, err := f.Folders.File(ctx, root, rel)
	if ports.Is(err, ports.NotFound) || err == nil && !kept[0].is(object) {
		return objstore.Object{}, objstore.Storage{}, errChangedSince.With(err)
	}
	return object, in, err
}

func (f *stood) Walk(ctx context.Context, root, rel string, do func(string, objstore.Object, objstore.Storage) error) error {
	kept, err := f.repository.Stands(ctx, f.id, rel)
	if err != nil {
		return err
	}
	left := make(map[string]Stand, len(kept))
	for _, s := range kept {
		left[s.Path] = s
	}
	changed := map[string]bool{}
	err = f.Folders.Walk(ctx, root, rel, func(path string, o objstore.Object, in objstore.Storage) error {
		s, was := left[path]
		if !was {
			return nil
		}
		if !s.is(o) {
			changed[path] = true
			return nil
		}
		delete(left, path)
		return do(path, o, in)
	})
	for path := range left {
		f.lost = append(f.lost, Lost{path, changed[path]})
	}
	slices.SortFunc(f.lost, func(a, b Lost) int { return strings.Compare(a.Name, b.Name) })
	if ports.Is(err, ports.NotFound) && len(kept) > 0 {
		return nil // all of it is gone
	}
	return err
}
