package mounts

import (
	"context"
	"strings"

	"pasteport/ports/objstore"
)

// seenElsewhere is a change as the mounted storages see it that are known to
// show the same objects, or some of them.
func (t *Tree) seenElsewhere(ctx context.Context, ch Change) []Change {
	s := t.Loaded()
	if s == nil {
		return nil // nothing is kept yet
	}
	here, err := t.Storages.Storage(context.WithoutCancel(ctx), ch.Storage)
	if err != nil || here.Home == "" {
		return nil
	}
	var seen []Change
	for _, id := range s.Storages(func(m *Active) bool { return m.Storage.ID != here.ID && m.Storage.Home != "" }) {
		if other, known := ch.seenFrom(here, s.storage(id)); known {
			seen = append(seen, other)
		}
	}
	return seen
}

// storage is that of a mount.
func (s *Snapshot) storage(id string) objstore.Storage {
	for i := range s.Mounts {
		if s.Mounts[i].Storage.ID == id {
			return s.Mounts[i].Storage
		}
	}
	return objstore.Storage{}
}

// seenFrom translates the keys of a change in one storage to those of another.
func (ch Change) seenFrom(here, there objstore.Storage) (Change, bool) {
	front, strip := "", ""
	switch {
	case strings.HasPrefix(here.Home, there.Home):
		front = strings.TrimPrefix(here.Home, there.Home)
	case strings.HasPrefix(there.Home, here.Home):
		strip = strings.TrimPrefix(there.Home, here.Home)
	default:
		return Change{}, false
	}
	// named is the other name of a key; all says that it stands for all that
	// lies below it, which may hold all of the other storage.
	named := func(key string, all bool) (string, bool) {
		if rest, ok := strings.CutPrefix(key, strip); ok {
			return front + rest, rest != "" || all
		}
		return "", all && strings.HasSuffix(key, "/") && strings.HasPrefix(strip, key)
	}
	seen := Change{Storage: there.ID}
	for _, o := range ch.Put {
		if key, ok := named(o.Key, false); ok {
			o.Key = key
			seen.Put = append(seen.Put, o)
		}
	}
	for _, key := range ch.Gone {
		if key, ok := named(key, true); ok && key != "" {
			seen.Gone = append(seen.Gone, key)
		} else if ok {
			seen.Under = append(seen.Under, "") // all of it is to be looked at
		}
	}
	for _, key := range ch.Under {
		if key, ok := named(key, true); ok {
			seen.Under = append(seen.Under, key)
		}
	}
	return seen, true
}

// OtherPaths are the other paths by which mounts show what is at a path, as far
// as is known; with deep also the mounts that show what lies below it.
func (s *Snapshot) OtherPaths(path string, deep bool) []string {
	m := s.Find(path)
	if m == nil {
		return nil
	}
	at := m.Place(path)
	here := at.Storage.Origin() + at.Prefix()
	var paths []string
	for i := range s.Mounts {
		other := &s.Mounts[i]
		if other.ID == m.ID {
			continue
		}
		root := other.Storage.Origin() + other.Storage.Prefix
		switch rest, within := strings.CutPrefix(here, root); {
		case within:
			path := other.Path
			if rest != "" {
				path = Join(path, strings.TrimSuffix(rest, "/"))
			}
			if s.Find(path) == other { // and not hidden by a mount inside it
				paths = append(paths, path)
			}
		case deep && strings.HasPrefix(root, here):
			paths = append(paths, other.Path)
		}
	}
	return paths
}
