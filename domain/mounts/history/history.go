// Package history keeps the contents that edits of files in mounts replace, shows
// them to those who may edit the files, and brings one back.
//
// They are records, not objects: no listing, WebDAV client, search, share or
// comparison of storages can come to them, and whoever has the storage itself
// does not see them. The ledger counts them as held by the storage of their file.
package history

import (
	"bytes"
	"context"
	"io"
	"slices"
	"strings"
	"time"

	"pasteport/domain/mounts"
	"pasteport/ports"
	"pasteport/ports/filetype"
	"pasteport/ports/objstore"
	"pasteport/ports/revision"
)

// Bounds of what is kept, in bytes.
const (
	// MaxFile is the largest content of a file that is kept: what an editor saves.
	MaxFile = 10 << 20
	// MaxBytes bounds what all contents of one file hold together.
	MaxBytes = 4 * MaxFile
	// maxByPut is the largest text that a PUT over WebDAV keeps. It waits while
	// the file is read, so that it stays as fast as without.
	maxByPut = 1 << 20
)

// Object names the object of a file: its storage config and its key. With "/" at
// the end of the key it names all that lies below a folder.
type Object struct{ ConfigID, Key string }

// Kept is a content of a file, by the ETag that the file had with it.
type Kept struct {
	revision.Revision
	ETag string
}

// Noted is what is known of a file whose edits are kept.
type Noted struct {
	Off     bool // edits keep nothing
	Present Kept // as the last edit left it, without content; Version is that of the file now
	Earlier []Kept
}

// Bounds say how much of a file is kept: the newest contents, so many and so
// many bytes together.
type Bounds struct {
	Most  int
	Bytes int64
}

// Repository stores contents that edits have replaced. A storage config that is
// deleted takes those of its files along. What is removed here leaves a doubt
// about what its storage holds, so that the ledger counts it again.
type Repository interface {
	// Keep stores the content of a file as its newest revision, with who wrote it
	// if the present one is noted with the same ETag. It does nothing when edits
	// of the file keep nothing, or the newest revision has this ETag: then a write
	// was broken off after Keep, or changed nothing. That leaves a doubt, too.
	Keep(ctx context.Context, o Object, k Kept) error
	// Drop takes the newest revision back, if it has this ETag.
	Drop(ctx context.Context, o Object, etag string) error
	// Edited notes what an edit has made of a file, and removes the oldest
	// revisions past the bounds.
	Edited(ctx context.Context, o Object, k Kept, b Bounds) error
	// Noted returns the zero value for a file that no edit has changed.
	Noted(ctx context.Context, o Object) (Noted, error)
	// Get returns a revision; NotFound when it is not kept.
	Get(ctx context.Context, o Object, version int64) (*Kept, error)
	// Switch says whether edits of a file keep what they replace; off removes what
	// is kept.
	Switch(ctx context.Context, o Object, off bool) error
	// Remove forgets what is known of objects.
	Remove(ctx context.Context, objects ...Object) error
	// Move lets it go along to another name; what was known there is forgotten.
	Move(ctx context.Context, from, to Object) error
	// Forget removes revisions that were replaced before a time, and returns how
	// many; at most limit.
	Forget(ctx context.Context, before time.Time, limit int) (int, error)
}

// Settings say how many contents are kept.
type Settings interface{ Revisions() ports.Revisions }

var errUnknown = &ports.Error{Code: ports.NotFound, Key: "not_found", Text: "paste.revision_unknown"}

// Files are the earlier contents of files.
type Files struct {
	tree     *mounts.Tree
	repo     Repository
	settings Settings
}

// New returns the earlier contents of the files of a tree, and joins it.
func New(tree *mounts.Tree, repo Repository, settings Settings) *Files {
	f := &Files{tree, repo, settings}
	tree.JoinVersions(f)
	return f
}

// History is what is kept of a file.
type History struct {
	revision.History
	// Large says that the file is larger than MaxFile, so that the next edit keeps
	// nothing of it.
	Large bool
	ETag  string // of the file as it is
}

func objectAt(p *mounts.Place) Object { return Object{p.Storage.ID, p.Key()} }

// History lists what is kept of a file. It asks mount.edit and mount.read: who
// only reads a file has no business with what was taken out of it. Errors are
// those of Tree.File.
func (f *Files) History(ctx context.Context, c mounts.Caller, path string) (h History, err error) {
	p, entry, err := f.editable(ctx, c, path)
	if err != nil {
		return h, err
	}
	noted, err := f.repo.Noted(ctx, objectAt(p))
	if err != nil {
		return h, err
	}
	h.Off, h.Large, h.ETag = noted.Off, entry.Size > MaxFile, entry.ETag
	h.Current = revision.Revision{Version: max(noted.Present.Version, 1), Size: entry.Size}
	if entry.ModTime != nil {
		h.Current.EditedAt = *entry.ModTime
	}
	if noted.Present.ETag == entry.ETag {
		h.Current.EditedBy, h.Current.EditedAt = noted.Present.EditedBy, noted.Present.EditedAt
	}
	for i, k := range noted.Earlier {
		if i > 0 || k.ETag != entry.ETag { // else a write was broken off
			h.Earlier = append(h.Earlier, k.Revision)
		}
	}
	return h, nil
}

// Get returns an earlier content of a file. It asks what History asks.
func (f *Files) Get(ctx context.Context, c mounts.Caller, path string, version int64) (*revision.Revision, error) {
	p, _, err := f.editable(ctx, c, path)
	if err != nil {
		return nil, err
	}
	k, err := f.repo.Get(ctx, objectAt(p), version)
	if ports.Is(err, ports.NotFound) {
		return nil, errUnknown.With(err)
	}
	if err != nil {
		return nil, err
	}
	return &k.Revision, nil
}

// Restore makes an earlier content that of the file again, which is an edit like
// others. It asks what History asks; further errors are those of Tree.Write.
func (f *Files) Restore(ctx context.Context, c mounts.Caller, path string, version int64, ifMatch string) (mounts.Stored, error) {
	old, err := f.Get(ctx, c, path, version)
	if err != nil {
		return mounts.Stored{}, err
	}
	stored, _, err := f.tree.Write(ctx, c, path, bytes.NewReader(old.Content), mounts.Write{
		Size: old.Size, Overwrite: true, Edit: true, Conditions: mounts.Conditions{IfMatch: ifMatch},
	})
	return stored, err
}

// Switch says whether edits of a file keep what they replace. If not, what is
// kept is removed. It asks what History asks.
func (f *Files) Switch(ctx context.Context, c mounts.Caller, path string, keep bool) error {
	p, _, err := f.editable(ctx, c, path)
	if err != nil {
		return err
	}
	return f.repo.Switch(ctx, objectAt(p), !keep)
}

// editable finds a file that the caller may read and edit.
func (f *Files) editable(ctx context.Context, c mounts.Caller, path string) (*mounts.Place, *mounts.Entry, error) {
	p, _, err := f.tree.EnterNew(ctx, c, mounts.OpEdit, path, 0)
	if err != nil {
		return nil, nil, err
	}
	if _, _, err := f.tree.Enter(ctx, c, mounts.OpRead, path); err != nil {
		return nil, nil, err
	}
	file, err := f.tree.FileAt(ctx, p)
	if err != nil {
		return nil, nil, err
	}
	return p, &file.Entry, nil
}

// Keeps implements mounts.Versions: what people save by an editor keeps the file,
// what replaces a version that its sender has seen, and a PUT over WebDAV that
// finds a text of ordinary size.
func (f *Files) Keeps(ctx context.Context, c mounts.Caller, p *mounts.Place, w mounts.Write, old *mounts.Entry) (bool, error) {
	if old == nil { // what is known is of a file that was deleted past us
		f.report(f.repo.Remove(ctx, objectAt(p)))
		return false, nil
	}
	if old.Size > MaxFile || f.settings.Revisions().Kept == 0 {
		return false, nil
	}
	edits := w.Edit || w.IfMatch != "" // a text in another encoding comes by a PUT over the version that was opened
	if !edits && (c.Door != mounts.WebDAV || old.Size == 0 || old.Size > maxByPut || !text(p.Path)) {
		return false, nil
	}
	noted, err := f.repo.Noted(ctx, objectAt(p))
	return err == nil && !noted.Off, err
}

// text reports whether people read files of this name as text.
func text(path string) bool {
	media, _, _ := strings.Cut(filetype.ContentType(mounts.Base(path)), ";")
	return strings.HasPrefix(media, "text/") || slices.Contains([]string{"application/json", "application/xml", "application/yaml", "application/sql", "application/x-sh"}, media)
}

// Keep implements mounts.Versions.
func (f *Files) Keep(ctx context.Context, c mounts.Caller, p *mounts.Place, now *mounts.Entry) (func(*objstore.Object), error) {
	if now == nil || now.Size > MaxFile {
		f.tree.Freed(ctx, p.Storage.ID) // room was found for both
		return nil, nil
	}
	o, after := objectAt(p), context.WithoutCancel(ctx)
	content, etag, err := f.read(ctx, p, now)
	if err != nil {
		f.tree.Report("keep what an edit replaces", err)
		f.tree.Freed(ctx, p.Storage.ID)
		return nil, nil // who mends a file that cannot be read is not refused
	}
	was := Kept{revision.Revision{Size: int64(len(content)), Content: content}, etag}
	if now.ModTime != nil {
		was.EditedAt = *now.ModTime
	}
	if err := f.repo.Keep(ctx, o, was); err != nil {
		return nil, err
	}
	return func(stored *objstore.Object) {
		if stored == nil {
			f.report(f.repo.Drop(after, o, etag))
			return
		}
		is := Kept{revision.Revision{EditedBy: c.Who.Owner(), EditedAt: f.tree.Clock.Now()}, stored.ETag}
		f.report(f.repo.Edited(after, o, is, Bounds{f.settings.Revisions().Kept, MaxBytes}))
	}, nil
}

// read reads a file that is to be replaced.
func (f *Files) read(ctx context.Context, p *mounts.Place, now *mounts.Entry) (content []byte, etag string, err error) {
	bucket, err := f.tree.Bucket(ctx, p)
	if err != nil {
		return nil, "", err
	}
	body, err := bucket.Read(ctx, p.Key(), objstore.Range{IfMatch: now.ETag})
	if err != nil {
		return nil, "", err
	}
	content, err = io.ReadAll(io.LimitReader(body, MaxFile+1))
	if closed := body.Close(); err == nil {
		err = closed
	}
	if err == nil && int64(len(content)) != now.Size {
		err = objstore.ErrChanged
	}
	return content, now.ETag, err
}

// Vanished implements mounts.Versions.
func (f *Files) Vanished(ctx context.Context, places ...*mounts.Place) {
	objects := make([]Object, 0, 2*len(places))
	for _, p := range places {
		objects = append(objects, objectAt(p), Object{p.Storage.ID, p.Prefix()})
	}
	f.report(f.repo.Remove(context.WithoutCancel(ctx), objects...))
}

// Moved implements mounts.Versions. What goes to another storage goes without.
func (f *Files) Moved(ctx context.Context, from, to *mounts.Place) {
	ctx = context.WithoutCancel(ctx)
	if from.Storage.ID != to.Storage.ID {
		f.Vanished(ctx, from, to)
		return
	}
	f.report(f.repo.Move(ctx, objectAt(from), objectAt(to)))
	f.report(f.repo.Move(ctx, Object{from.Storage.ID, from.Prefix()}, Object{to.Storage.ID, to.Prefix()}))
}

func (f *Files) report(err error) {
	if err != nil {
		f.tree.Report("keep the revisions of files", err)
	}
}

var _ mounts.Versions = (*Files)(nil)
