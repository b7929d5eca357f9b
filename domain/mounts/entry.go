package mounts

import (
	"context"
	"time"

	"pasteport/ports"
	"pasteport/ports/filetype"
	"pasteport/ports/objstore"
)

// Entry is a file or a folder of the tree.
type Entry struct {
	Path       string // canonical, without "/" at the end
	Name       string
	Folder     bool
	Virtual    bool       // a folder that only leads to mounts
	MountPoint *Mount     // the mount that begins here; not to be changed
	Size       int64      // bytes; -1 means unknown
	ModTime    *time.Time // UTC; nil means unknown
	ETag       string     // without quotes; empty means unknown
	// SizeIndexed and TimeIndexed say that the index told what is known of a
	// folder.
	SizeIndexed, TimeIndexed bool
	// ContentType is that of the name, or application/x-directory.
	ContentType string
	// StoredType is the content type that the storage keeps; empty in listings.
	StoredType string
	// Unreachable says that the storage holds a name which no path can have: it
	// is listed and cannot be opened (decision 34).
	Unreachable bool
}

// contentTypeOf returns the content type of a file by its name (contract §1.3).
func contentTypeOf(name string) string { return filetype.ContentType(name) }

// statAt describes what is at the place: the file of that name, else the
// folder; with wantFolder only the folder. Returns NotFound when there is none.
func (t *Tree) statAt(ctx context.Context, p *place, wantFolder bool) (Entry, error) {
	if p.sub == "" {
		return folderEntry(p, nil), nil
	}
	bucket, err := t.bucket(ctx, p)
	if err != nil {
		return Entry{}, err
	}
	if !wantFolder {
		o, err := bucket.Stat(ctx, p.key())
		if err == nil {
			return fileEntry(p, o), nil
		}
		if !ports.Is(err, ports.NotFound) {
			return Entry{}, err
		}
	}
	return t.statFolder(ctx, bucket, p)
}

// statFolder describes a folder: it exists when its marker or anything below
// it does. That is one call, since the marker is the first key with its prefix.
func (t *Tree) statFolder(ctx context.Context, bucket objstore.Bucket, p *place) (Entry, error) {
	prefix := p.prefix()
	page, err := bucket.List(ctx, objstore.ListQuery{Prefix: prefix, Delimiter: "/", Limit: 1})
	if err != nil {
		return Entry{}, err
	}
	switch {
	case len(page.Objects) > 0 && page.Objects[0].Key == prefix:
		return folderEntry(p, &page.Objects[0].ModTime), nil
	case len(page.Objects)+len(page.Prefixes) > 0:
		return folderEntry(p, nil), nil
	}
	return Entry{}, ports.ErrNotFound
}

// fileEntry is the file at the place.
func fileEntry(p *place, o objstore.Object) Entry {
	name := Base(p.path)
	return Entry{Path: p.path, Name: name, Size: o.Size, ModTime: knownTime(o.ModTime), ETag: o.ETag,
		ContentType: contentTypeOf(name), StoredType: o.ContentType}
}

// folderEntry is the folder at the place.
func folderEntry(p *place, modified *time.Time) Entry {
	e := Entry{Path: p.path, Name: Base(p.path), Folder: true, Size: -1, ContentType: FolderType}
	if modified != nil {
		e.ModTime = knownTime(*modified)
	}
	if p.sub == "" {
		e.MountPoint = p.mount
	}
	return e
}

// knownTime is nil for the zero time.
func knownTime(at time.Time) *time.Time {
	if at.IsZero() {
		return nil
	}
	return &at
}
