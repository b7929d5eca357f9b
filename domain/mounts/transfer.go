package mounts

import (
	"cmp"
	"context"
	"errors"
	"io"
	"strings"
	"time"

	"pasteport/ports"
	"pasteport/ports/capacity"
	"pasteport/ports/filetype"
	"pasteport/ports/objstore"
	"pasteport/ports/policy"
	"pasteport/ports/upload"
)

// File is a file that somebody may read. It belongs to one request.
type File struct {
	Entry
	// Mount is the mount that holds it.
	Mount  Mount
	key    string
	bucket objstore.Bucket
}

// Key is the object key of the file.
func (f *File) Key() string { return f.key }

// Read opens the file or a part of it. The caller closes the body. Errors are
// those of objstore.Bucket.Read.
func (f *File) Read(ctx context.Context, r objstore.Range) (*objstore.Body, error) {
	return f.bucket.Read(ctx, f.key, r)
}

// Reader looks at what is at places and reads it. It is safe for concurrent use.
type Reader struct {
	*Places
	forms Forms
	dirs  *dircache
}

// File finds the file at path, for a reader who wants to know its size and
// version first. It asks mount.read or webdav.read (contract §4.3).
//
// Returns ErrType for a folder, NotFound when nothing is there, and the errors
// of a path that leads nowhere.
func (rd *Reader) File(ctx context.Context, c Caller, path string) (*File, error) {
	return inForms(rd.forms, path, func(path string) (*File, error) {
		places, _, err := rd.Enter(ctx, c, OpRead, path)
		if err != nil {
			return nil, err
		}
		return rd.FileAt(ctx, places[0])
	})
}

// Open is File and Read in one.
func (rd *Reader) Open(ctx context.Context, c Caller, path string, r objstore.Range) (*objstore.Body, Entry, error) {
	f, err := rd.File(ctx, c, path)
	if err != nil {
		return nil, Entry{}, err
	}
	body, err := f.Read(ctx, r)
	return body, f.Entry, err
}

// FileAt describes the file at the place. A "/" at the end of its path is
// overlooked where no folder of the name exists.
func (rd *Reader) FileAt(ctx context.Context, p *Place) (*File, error) {
	entry, err := rd.StatAt(ctx, p, p.Folder)
	if p.Folder && ports.Is(err, ports.NotFound) {
		entry, err = rd.StatAt(ctx, p, false)
	}
	if err != nil {
		return nil, err
	}
	if entry.Folder {
		return nil, ErrType
	}
	bucket, err := rd.Bucket(ctx, p)
	if err != nil {
		return nil, err
	}
	return &File{Entry: entry, Mount: *p.Mount, key: p.Key(), bucket: bucket}, nil
}

// Stored is a file that was just stored.
type Stored struct {
	Entry
	Key       string
	ObjectURL string // without a signature; empty where storage has no address
	Stamped   bool   // Write.ModTime is kept
}

// StoredAt describes the object at the place.
func StoredAt(p *Place, o objstore.Object) Stored {
	return Stored{Entry: FileEntry(p, o), Key: p.Key(), ObjectURL: p.Storage.Address().Object(p.Key())}
}

// Write says how a file is stored.
type Write struct {
	Size int64 // bytes; -1 means unknown
	// ContentType is what the sender calls the content. It counts over WebDAV
	// only, and there only when it says something (contract §1.3).
	ContentType string
	Conditions
	// Overwrite lets it replace a file; without it that is Conflict.
	Overwrite bool
	// MakeParents makes the folders above that are missing; without it their
	// absence is ErrNoParent.
	MakeParents bool
	// InParts hands a large body to the storage in parts, of which one is in
	// memory, instead of in one stream.
	InParts bool
	// Edit says that people save a text: mount.edit is asked.
	Edit bool
	// Limit bounds the content, in bytes; 0 means the policy's limit alone.
	Limit int64
	// ModTime is when the content was last changed, as its sender says; zero
	// means now. WebDAV clients are told it again (contract §8.7).
	ModTime time.Time
}

// Write stores a file: the body flows to storage as it comes, and a body that
// is cut leaves what was there before. It asks mount.upload, mount.edit or
// webdav.write (contract §4.5, §4.8, §8.7).
//
// created says that there was no such file. Returns ErrType for the path of a
// folder, Conflict where a folder has the name and where Overwrite is missing,
// Precondition when a condition does not hold, with the present ETag as the
// parameter "etag", ErrLocked, ErrNoParent, TooLarge over the limit, Quota when
// the storage is full, and the errors of objstore.Bucket.Write.
func (t *Tree) Write(ctx context.Context, c Caller, path string, body io.Reader, w Write) (s Stored, created bool, err error) {
	op := OpUpload
	if w.Edit {
		op = OpEdit
	}
	p, decision, err := t.EnterNew(ctx, c, op, path, w.Size)
	if err != nil {
		return Stored{}, false, err
	}
	old, err := t.Present(ctx, p)
	if err != nil {
		return Stored{}, false, err
	}
	if err := w.holds(old); err != nil {
		return Stored{}, false, err
	}
	if err := t.Guard().Unlocked(ctx, c, LockedWrite{Path: p.Path, Member: old == nil}); err != nil {
		return Stored{}, false, err
	}
	if !w.MakeParents && old == nil {
		if err := t.ParentExists(ctx, c, p); err != nil {
			return Stored{}, false, err
		}
	}
	w.ContentType = w.contentType(c, Base(p.Path))
	keep, err := t.versions.Keeps(ctx, c, p, w, old)
	if err != nil {
		return Stored{}, false, err
	}
	object, err := t.store(ctx, body, writing{c: c, p: p, w: w, limits: w.limits(decision.Obligations),
		claim: ClaimOf(&p.Storage, c, decision.Obligations, w.Size, SizeOf(old)), keep: keep, isNew: old == nil})
	if err != nil {
		return Stored{}, false, err
	}
	s = StoredAt(p, object)
	t.Guard().Stamp(context.WithoutCancel(ctx), &s, w.ModTime)
	return s, old == nil, nil
}

// MayUpload asks mount.upload for a file whose path is not known yet, so that
// nothing is kept for somebody who may upload nowhere. Write asks again.
func (t *Tree) MayUpload(ctx context.Context, c Caller, name string) error {
	on := aboutFile(name, 0)
	on.Paths = []string{cmp.Or(c.Who.BasicPath, "/")}
	_, err := t.Ask(ctx, c, OpUpload, on)
	return err
}

// aboutFile is what the policy gets to know of a file besides its path.
func aboutFile(name string, size int64) policy.Resource {
	return policy.Resource{Name: name, Extension: filetype.Extension(name), ContentType: ContentTypeOf(name), Size: max(size, 0)}
}

// EnterNew is Enter for a file that is to come or to be replaced.
func (t *Tree) EnterNew(ctx context.Context, c Caller, op Operation, path string, size int64) (*Place, policy.Decision, error) {
	name := path[strings.LastIndexByte(path, '/')+1:]
	places, decision, err := t.EnterWith(ctx, c, op, aboutFile(name, size), path)
	switch {
	case err != nil:
		return nil, decision, err
	case places[0].Sub == "":
		return nil, decision, ErrVirtual
	case places[0].Folder:
		return nil, decision, ErrType
	}
	return places[0], decision, nil
}

// Present describes the file that is at the place; nil when there is none.
// Returns Conflict when a folder has the name.
func (rd *Reader) Present(ctx context.Context, p *Place) (*Entry, error) {
	entry, err := rd.StatAt(ctx, p, false)
	switch {
	case ports.Is(err, ports.NotFound):
		return nil, nil
	case err != nil:
		return nil, err
	case entry.Folder:
		return nil, objstore.ErrFolderInTheWay
	}
	return &entry, nil
}

// room finds room for what is written. With keep the file that it replaces stays
// as a version, if there is room for both: no save fails for the sake of those.
func (t *Tree) room(ctx context.Context, claim capacity.Claim, sized, keep bool) (room *Reservation, kept bool, err error) {
	if keep {
		both := claim
		both.Old = 0
		if room, err = t.Reserve(ctx, both, sized); !ports.Is(err, ports.Quota) {
			return room, true, err
		}
	}
	room, err = t.Reserve(ctx, claim, sized)
	return room, false, err
}

// writing is a write that was let in.
type writing struct {
	c      Caller
	p      *Place
	w      Write
	limits upload.Limits
	claim  capacity.Claim
	keep   bool // what it replaces
	isNew  bool // it replaces nothing
}

// store writes the bytes, and then the markers of the folders above.
func (t *Tree) store(ctx context.Context, body io.Reader, in writing) (object objstore.Object, err error) {
	p, w := in.p, in.w
	bucket, err := t.Bucket(ctx, p)
	if err != nil {
		return object, err
	}
	if err := in.limits.Check(w.Size); err != nil {
		return object, err
	}
	room, keep, err := t.room(ctx, in.claim, w.Size >= 0, in.keep)
	if err != nil {
		return object, err
	}
	defer room.End(ctx)
	ch := Change{Storage: p.Storage.ID}
	defer func() { t.Changed(ctx, ch) }()

	counted := upload.NewMeter(ctx, body, w.Size, in.limits, room.taker)
	last := &lastWord{r: counted, left: w.Size}
	var kept func(*objstore.Object)
	last.say = func() (release func(), err error) {
		release, now, err := t.settle(ctx, in)
		if err != nil || !keep {
			return release, err
		}
		kept, err = t.versions.Keep(ctx, in.c, p, now)
		return release, err
	}
	defer last.end()
	if w.Size == 0 { // nobody may read an empty body
		if err := last.speak(); err != nil {
			return object, err
		}
	}
	object, err = bucket.Write(ctx, p.Key(), last, objstore.WriteOptions{
		Size: w.sent(), ContentType: w.ContentType, IfNoneMatch: !w.Overwrite || strings.TrimSpace(w.IfNoneMatch) == "*",
	})
	if kept != nil {
		defer func() {
			if err != nil {
				kept(nil)
				return
			}
			kept(&object)
		}()
	}
	if last.refused != nil {
		return object, last.refused
	}
	err = counted.Why(err)
	if errors.Is(err, objstore.ErrExists) && w.IfNoneMatch != "" {
		err = objstore.ErrChanged.With(err) // somebody was faster
	}
	if err != nil {
		return object, err
	}
	ch.Put = []objstore.Object{object}
	room.Stored = object.Size
	t.WriteMarkers(ctx, bucket, p)
	return object, nil
}

// limits bound the size of the content.
func (w *Write) limits(o policy.Obligations) upload.Limits { return upload.LimitsOf(w.Limit, o) }

// inOnePiece is the largest body that goes to storage in one piece although
// parts are asked for, in bytes.
const inOnePiece = 5 << 20

// sent is the size as the storage is told: -1 makes it take parts.
func (w Write) sent() int64 {
	if w.InParts && w.Size > inOnePiece {
		return -1
	}
	return w.Size
}

// settle looks once more when the whole body is there, at the locks and at what
// the write demands of the file, and keeps others back from both until this one is
// done: of two editors that saw the same version one wins, and who has locked the
// file meanwhile finds it as it was. now is what is there, as far as it matters.
func (t *Tree) settle(ctx context.Context, in writing) (release func(), now *Entry, err error) {
	release, err = t.Turn(ctx, in.p)
	if err != nil {
		return nil, nil, err
	}
	in.c.If = nil // it held when the body began, and names locks that may have ended since
	err = t.Guard().Unlocked(ctx, in.c, LockedWrite{Path: in.p.Path, Member: in.isNew})
	if err == nil && (in.w.conditional() || in.keep) {
		if now, err = t.Present(ctx, in.p); err == nil {
			err = in.w.holds(now)
		}
	}
	if err != nil {
		release()
		return nil, nil, err
	}
	return release, now, nil
}

func (w Write) conditional() bool { return w.Conditions != (Conditions{}) || !w.Overwrite }

// holds evaluates the conditions against what is there; nil means nothing.
func (w Write) holds(old *Entry) error {
	if err := w.Check(old); err != nil {
		return err
	}
	if !w.Overwrite && old != nil {
		return objstore.ErrExists
	}
	return nil
}

// contentType is what the storage keeps: the type of the name, but what WebDAV
// clients say.
func (w Write) contentType(c Caller, name string) string {
	if media, _, _ := strings.Cut(w.ContentType, ";"); c.Door == WebDAV && media != "" && media != filetype.OctetStream {
		return w.ContentType
	}
	return ContentTypeOf(name)
}

// lastWord reads a body and asks say before it gives the end away, so that a
// write can still be refused when all of it has come.
type lastWord struct {
	r       io.Reader
	left    int64 // bytes; negative means unknown
	say     func() (release func(), err error)
	said    bool
	release func()
	refused error
}

func (l *lastWord) Read(p []byte) (int, error) {
	n, err := l.r.Read(p)
	l.left -= int64(n)
	if err == io.EOF || l.left == 0 {
		if refused := l.speak(); refused != nil {
			return 0, refused
		}
	}
	return n, err
}

func (l *lastWord) speak() error {
	if l.say != nil && !l.said {
		l.said = true
		l.release, l.refused = l.say()
	}
	return l.refused
}

// end lets others go on.
func (l *lastWord) end() {
	if l.release != nil {
		l.release()
	}
}

// lesser is the smaller of two bounds, of which 0 is none.
func lesser(a, b int64) int64 {
	if a <= 0 || b > 0 && b < a {
		return b
	}
	return a
}

// SizeOf is the size of an entry in bytes, 0 for none.
func SizeOf(e *Entry) int64 {
	if e == nil {
		return 0
	}
	return e.Size
}
