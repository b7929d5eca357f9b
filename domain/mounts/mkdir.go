package mounts

import (
	"context"
	"strings"

	"pasteport/domain/internal/objects"
	"pasteport/ports"
	"pasteport/ports/objstore"
)

// NewFolder says how a folder is made.
type NewFolder struct {
	// Strict refuses a folder that is there already (Conflict) and one whose
	// parent is missing (ErrNoParent), as WebDAV does.
	Strict bool
	// MakeParents lets a strict call make the folders above, too.
	MakeParents bool
}

// Mkdir makes a folder and those above it that are missing inside the mount. Asks mount.mkdir. Returns
// Conflict when a file has the name, ErrLocked. A folder that is there is no error (contract §4.4).
func (t *Tree) Mkdir(ctx context.Context, c Caller, path string, o NewFolder) error {
	places, _, err := t.Enter(ctx, c, OpMkdir, path)
	if err != nil {
		return err
	}
	p := places[0]
	if p.Sub == "" {
		if o.Strict {
			return ports.ErrConflict
		}
		return nil
	}
	if err := t.Guard().Unlocked(ctx, c, LockedWrite{Path: p.Path, Member: true}); err != nil {
		return err
	}
	bucket, err := t.Bucket(ctx, p)
	if err != nil {
		return err
	}
	entry, err := t.StatAt(ctx, p, false)
	switch {
	case err == nil && (o.Strict || !entry.Folder):
		return ports.ErrConflict
	case err != nil && !ports.Is(err, ports.NotFound):
		return err
	}
	if o.Strict && !o.MakeParents {
		if err := t.ParentExists(ctx, c, p); err != nil {
			return err
		}
	}
	release, err := t.Met(ctx, c, p)
	if err != nil {
		return err
	}
	defer release()
	unlock, err := t.writers.Lock(ctx, p.Storage.ID+"\x00"+p.Prefix()) // for storages that take no conditions
	if err != nil {
		return err
	}
	defer unlock()
	made, err := objects.Make(ctx, bucket, p.Prefix(), FolderType)
	switch {
	case err != nil:
		return err
	case made:
		defer t.Changed(ctx, Change{Storage: p.Storage.ID, Put: []objstore.Object{t.Marker(p.Prefix())}})
	case o.Strict:
		return ports.ErrConflict // somebody was faster
	}
	t.WriteMarkers(ctx, bucket, p)
	return nil
}

// KeepParent writes the marker of the folder that held what was removed, when
// nothing else shows that it exists (contract §4.6).
func (t *Tree) KeepParent(ctx context.Context, b objstore.Bucket, p *Place) error {
	if p.Sub == "" || !strings.Contains(p.Sub, "/") {
		return nil
	}
	ctx = context.WithoutCancel(ctx)
	prefix := p.Parent().Prefix()
	there, err := objects.AnyBelow(ctx, b, prefix)
	if err != nil || there {
		return err
	}
	if err = WriteMarker(ctx, b, prefix); err == nil {
		t.index.Changed(Change{Storage: p.Storage.ID, Put: []objstore.Object{t.Marker(prefix)}})
	}
	return err
}
