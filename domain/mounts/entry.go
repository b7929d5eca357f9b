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

// ContentTypeOf returns the content type of a file by its name (contract §1.3).
func ContentTypeOf(name string) string { return filetype.ContentType(name) }

// StatAt describes what is at the place: the file of that name, else the
// folder; with wantFolder only the folder. Returns NotFound when there is none.
func (rd *Reader) StatAt(ctx context.Context, p *Place, wantFolder bool) (Entry, error) {
	if p.Sub == "" {
		return FolderEntry(p, nil), nil
	}
	bucket, err := rd.Bucket(ctx, p)
	if err != nil {
		return Entry{}, err
	}
	if !wantFolder {
		o, err := bucket.Stat(ctx, p.Key())
		if err == nil {
			return FileEntry(p, o), nil
		}
		if !ports.Is(err, ports.NotFound) {
			return Entry{}, err
		}
	}
	return rd.statFolder(ctx, bucket, p)
}

// statFolder describes a folder: it exists when its marker or anything below
// it does. That is one call, since the marker is the first key with its prefix.
func (rd *Reader) statFolder(ctx context.Context, bucket objstore.Bucket, p *Place) (Entry, error) {
	prefix := p.Prefix()
	page, err := bucket.List(ctx, objstore.ListQuery{Prefix: prefix, Delimiter: "/", Limit: 1})
	if err != nil {
		return Entry{}, err
	}
	switch {
	case len(page.Objects) > 0 && page.Objects[0].Key == prefix:
		return FolderEntry(p, &page.Objects[0].ModTime), nil
	case len(page.Objects)+len(page.Prefixes) > 0:
		return FolderEntry(p, nil), nil
	}
	return Entry{}, ports.ErrNotFound
}

// FileEntry is the file at the place.
func FileEntry(p *Place, o objstore.Object) Entry {
	name := Base(p.Path)
	return Entry{Path: p.Path, Name: name, Size: o.Size, ModTime: KnownTime(o.ModTime), ETag: o.ETag,
		ContentType: ContentTypeOf(name), StoredType: o.ContentType}
}

// FolderEntry is the folder at the place.
func FolderEntry(p *Place, modified *time.Time) Entry {
	e := Entry{Path: p.Path, Name: Base(p.Path), Folder: true, Size: -1, ContentType: FolderType}
	if modified != nil {
		e.ModTime = KnownTime(*modified)
	}
	if p.Sub == "" {
		e.MountPoint = p.Mount
	}
	return e
}

// KnownTime is nil for the zero time.
func KnownTime(at time.Time) *time.Time {
	if at.IsZero() {
		return nil
	}
	return &at
}

// Lookup describes what is at a place: the file of that name, unless the path
// was written as a folder, else the folder.
func (rd *Reader) Lookup(ctx context.Context, p *Place) (Entry, error) {
	return rd.StatAt(ctx, p, p.Folder)
}

// ParentExists returns ErrNoParent when the folder that would hold p is
// missing. A mount point exists, and so does, for a key, its basic path
// (contract §4.1).
func (rd *Reader) ParentExists(ctx context.Context, c Caller, p *Place) error {
	if p.Sub == "" {
		return ErrVirtual
	}
	parent := p.Parent()
	if parent.Sub == "" || Within(parent.Path, c.Who.BasicPath) {
		return nil
	}
	_, err := rd.StatAt(ctx, parent, true)
	if ports.Is(err, ports.NotFound) {
		return ErrNoParent
	}
	return err
}

// Parent is the place of the folder that holds p, inside the same mount.
func (p *Place) Parent() *Place {
	return &Place{Path: Parent(p.Path), Mount: p.Mount, Storage: p.Storage, Sub: ParentSub(p.Sub), Folder: true}
}

// Glance is statAt for those who only look: where the folder that holds the
// place was listed lately, it asks nobody. Clients look for many files that
// are not there (contract §8.14).
func (rd *Reader) Glance(ctx context.Context, p *Place) (Entry, error) {
	parent := p.Parent()
	f := rd.dirs.peek(dirKey{p.Storage.ID, parent.Prefix(), ""}, time.Duration(p.Mount.CacheTTL)*time.Second)
	if f == nil || f.next != "" {
		return rd.StatAt(ctx, p, false)
	}
	name := Base(p.Path)
	for _, folder := range []bool{false, true} {
		if it := f.find(name, folder); it != nil {
			return it.entry(parent.Path), nil
		}
	}
	return Entry{}, ports.ErrNotFound
}
