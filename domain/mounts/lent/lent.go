// Package lent is what of the tree a link leads to: one folder and what is below
// it, in the mount that it was shared from. It asks no rules about those who come
// with the link; who keeps the link does.
package lent

import (
	"context"
	"errors"
	"path"
	"slices"
	"strings"

	"pasteport/domain/internal/objects"
	"pasteport/domain/mounts"
	"pasteport/ports"
	"pasteport/ports/objstore"
	"pasteport/ports/policy"
)

// Folders leads into folders of the tree, and never out of them. It is safe for
// concurrent use.
type Folders struct{ tree *mounts.Tree }

// New returns the folders of a tree.
func New(tree *mounts.Tree) *Folders { return &Folders{tree} }

// errOutside is a path that does not lie below the folder.
var errOutside = ports.ErrNotFound.With(errors.New("the path leads out of the shared folder"))

// Lend asks mount.share for the folder at path, and returns its canonical path
// with the limits of the answer.
//
// Returns the refusal, NotFound for what is no folder, and the errors of
// mounts.Enter.
func (f *Folders) Lend(ctx context.Context, who policy.Principal, path string) (root string, o policy.Obligations, err error) {
	places, decision, err := f.tree.Enter(ctx, mounts.Caller{Who: who}, mounts.OpShare, path)
	if err != nil {
		return "", decision.Obligations, err
	}
	_, err = f.tree.StatAt(ctx, places[0], true)
	return places[0].Path, decision.Obligations, err
}

// errManyMounts is a choice of entries that lie in more than one mount, or is a
// mount itself.
var errManyMounts = ports.InvalidInput("many_mounts", "paths")

// LendSome asks mount.share for files and folders of one mount. It returns the
// folder that all of them lie in, by its canonical path, and what of it is lent:
// paths below it, of which none lies in another one.
//
// Returns Invalid for entries of several mounts, NotFound for what is not there,
// and the errors of Lend.
func (f *Folders) LendSome(ctx context.Context, who policy.Principal, paths []string) (root string, picks []string, o policy.Obligations, err error) {
	places, decision, err := f.tree.Enter(ctx, mounts.Caller{Who: who}, mounts.OpShare, paths...)
	if err != nil {
		return "", nil, decision.Obligations, err
	}
	clean := make([]string, len(places))
	for i, p := range places {
		if p.Mount.ID != places[0].Mount.ID || p.Path == p.Mount.Path {
			return "", nil, decision.Obligations, errManyMounts
		}
		if _, err := f.tree.Lookup(ctx, p); err != nil {
			return "", nil, decision.Obligations, err
		}
		clean[i] = p.Path
	}
	slices.Sort(clean)
	root = path.Dir(clean[0])
	for _, p := range clean {
		for !mounts.Within(root, path.Dir(p)) {
			root = path.Dir(root)
		}
	}
	for _, p := range clean {
		if !slices.ContainsFunc(picks, func(above string) bool { return mounts.Within(strings.TrimSuffix(root, "/")+"/"+above, p) }) {
			picks = append(picks, strings.TrimPrefix(p, strings.TrimSuffix(root, "/")+"/"))
		}
	}
	return root, picks, decision.Obligations, nil
}

// place leads to a path below root, which is "" or clean and relative. Mounts
// that begin below root are not part of it, and what they cover is not either.
func (f *Folders) place(ctx context.Context, root, rel string) (*mounts.Place, error) {
	s, err := f.tree.Snapshot(ctx)
	if err != nil {
		return nil, err
	}
	at := root
	if rel != "" {
		at = strings.TrimSuffix(root, "/") + "/" + rel
	}
	clean, folder, err := mounts.Clean(at)
	if err != nil || folder || clean != at || !mounts.Within(root, clean) {
		return nil, errOutside
	}
	m := s.Find(root)
	if m == nil {
		return nil, ports.ErrNotFound
	}
	if inner := s.Find(clean); inner == nil || inner.ID != m.ID {
		return nil, errOutside
	}
	f.tree.Touch(m.ID)
	p := m.Place(clean)
	if len(p.Key()) > objstore.MaxKey {
		return nil, errOutside
	}
	return p, nil
}

// List gives what lies directly in a folder, folders first and by name. Their
// keys are names; those of folders end in "/". The number is that of all.
//
// Returns NotFound when there is no such folder.
func (f *Folders) List(ctx context.Context, root, rel string, from, limit int) (some []objstore.Object, all int, err error) {
	p, err := f.place(ctx, root, rel)
	if err != nil {
		return nil, 0, err
	}
	s, err := f.tree.Snapshot(ctx)
	if err != nil {
		return nil, 0, err
	}
	l, err := f.tree.ListAt(ctx, s, policy.Nobody, p, "")
	if err != nil {
		return nil, 0, err
	}
	for e := range l.All() {
		if e.Virtual || e.MountPoint != nil {
			continue
		}
		if all++; all <= from || all > from+limit {
			continue
		}
		o := objstore.Object{Key: e.Name, Size: max(e.Size, 0), ETag: e.ETag}
		if e.Folder {
			o.Key, o.Size = e.Name+"/", 0
		}
		if e.ModTime != nil {
			o.ModTime = *e.ModTime
		}
		some = append(some, o)
	}
	return some, all, nil
}

// File tells of the file at a path below root: its object, as the storage has it
// now, and the id of its storage config. Returns NotFound for a folder, too.
func (f *Folders) File(ctx context.Context, root, rel string) (objstore.Object, objstore.Storage, error) {
	p, err := f.place(ctx, root, rel)
	if err != nil || rel == "" {
		return objstore.Object{}, objstore.Storage{}, errors.Join(err, whenEmpty(rel))
	}
	bucket, err := f.tree.Bucket(ctx, p)
	if err != nil {
		return objstore.Object{}, objstore.Storage{}, err
	}
	object, err := bucket.Stat(ctx, p.Key())
	object.Key = p.Key()
	return object, p.Storage, err
}

func whenEmpty(rel string) error {
	if rel == "" {
		return ports.ErrNotFound
	}
	return nil
}

// Walk calls do for every file below a folder, by their keys; rel is the path of
// each below root.
func (f *Folders) Walk(ctx context.Context, root, rel string, do func(rel string, o objstore.Object, in objstore.Storage) error) error {
	p, err := f.place(ctx, root, rel)
	if err != nil {
		return err
	}
	s, err := f.tree.Snapshot(ctx)
	if err != nil {
		return err
	}
	bucket, err := f.tree.Bucket(ctx, p)
	if err != nil {
		return err
	}
	prefix, up := p.Prefix(), strings.TrimSuffix(p.Path, "/")+"/"
	return objects.Walk(ctx, bucket, prefix, func(page []objstore.Object) error {
		for _, o := range page {
			below := strings.TrimPrefix(o.Key, prefix)
			if below == "" || strings.HasSuffix(below, "/") {
				continue
			}
			clean, _, err := mounts.Clean(up + below)
			if m := s.Find(clean); err != nil || clean != up+below || m == nil || m.ID != p.Mount.ID {
				continue
			}
			if err := do(strings.TrimPrefix(clean, strings.TrimSuffix(root, "/")+"/"), o, p.Storage); err != nil {
				return err
			}
		}
		return nil
	})
}
