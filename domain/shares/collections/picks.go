package collections

import (
	"context"
	"math"
	"strings"

	"pasteport/ports"
	"pasteport/ports/objstore"
)

// foldersOf leads into what of the mounts a collection is, as it stood or as it is
// now.
func (c *Visits) foldersOf(s *Collection) Folders {
	if s.Stood {
		return &stood{Folders: c.d.Folders, repository: c.d.Collections, id: s.ID}
	}
	return s.within(c.d.Folders)
}

// within leads into what of some folders a collection is now.
func (c *Collection) within(all Folders) Folders {
	if len(c.Picks) > 0 {
		return picked{all, c.Picks}
	}
	return all
}

// picked is a choice of what lies in a folder: the folders above a pick are there
// with what leads to one, and nothing beside it.
type picked struct {
	Folders
	picks []string
}

// granted reports whether a path is a pick or lies in one, and leads whether picks
// lie below it.
func (p picked) granted(rel string) (granted, leads bool) {
	for _, pick := range p.picks {
		granted = granted || rel == pick || strings.HasPrefix(rel, pick+"/")
		leads = leads || rel == "" || strings.HasPrefix(pick, rel+"/")
	}
	return granted, leads
}

func (p picked) List(ctx context.Context, root, rel string, from, limit int) (some []objstore.Object, all int, err error) {
	granted, leads := p.granted(rel)
	switch {
	case granted:
		return p.Folders.List(ctx, root, rel, from, limit)
	case !leads:
		return nil, 0, ports.ErrNotFound
	}
	there, _, err := p.Folders.List(ctx, root, rel, 0, math.MaxInt/2)
	if err != nil {
		return nil, 0, err
	}
	for _, o := range there {
		below := join(rel, strings.TrimSuffix(o.Key, "/"))
		if granted, leads := p.granted(below); !granted && !(leads && strings.HasSuffix(o.Key, "/")) {
			continue
		}
		if all++; all > from && all <= from+limit {
			some = append(some, o)
		}
	}
	return some, all, nil
}

func (p picked) File(ctx context.Context, root, rel string) (objstore.Object, objstore.Storage, error) {
	if granted, _ := p.granted(rel); !granted {
		return objstore.Object{}, objstore.Storage{}, ports.ErrNotFound
	}
	return p.Folders.File(ctx, root, rel)
}

func (p picked) Walk(ctx context.Context, root, rel string, do func(string, objstore.Object, objstore.Storage) error) error {
	granted, leads := p.granted(rel)
	switch {
	case granted:
		return p.Folders.Walk(ctx, root, rel, do)
	case !leads:
		return ports.ErrNotFound
	}
	for _, pick := range p.picks {
		if rel != "" && !strings.HasPrefix(pick, rel+"/") {
			continue
		}
		object, in, err := p.Folders.File(ctx, root, pick)
		if err == nil {
			err = do(pick, object, in)
		} else if ports.Is(err, ports.NotFound) {
			err = p.Folders.Walk(ctx, root, pick, do)
		}
		// What is gone from its place is not part of it any more.
		if err != nil && !ports.Is(err, ports.NotFound) {
			return err
		}
	}
	return nil
}

// join is the path of a name in a folder.
func join(rel, name string) string { return strings.TrimPrefix(rel+"/"+name, "/") }
