package shares

import (
	"context"
	"sync/atomic"
	"time"

	"pasteport/domain/shares/internal/gate"
	"pasteport/domain/shares/internal/naming"
	"pasteport/domain/shares/openings"
	"pasteport/ports"
	"pasteport/ports/objstore"
	"pasteport/ports/policy"
)

// FileVisits let those who come with a link at the files behind it, as far as
// the gate allows. It is safe for concurrent use.
type FileVisits struct {
	d     Deps
	files *Files
	guard *gate.Guard
}

// NewFileVisits returns the visits to files.
func NewFileVisits(files *Files) *FileVisits {
	return &FileVisits{d: files.d, files: files, guard: files.d.Guard()}
}

// fileSnapshot is a file as readers see it, with the views not stored yet.
type fileSnapshot struct {
	File
	views atomic.Int64
}

// FileReading is what a visitor gets to know of a file.
type FileReading struct {
	*File
	Views  int64 // after this visit
	Last   bool  // this was the last view
	Locked bool  // a password is needed; no links may be shown
	Direct Links // empty when the file is proxied, or when a gate stands
	Ticket string
}

// Info tells a visitor about a file, with links and a ticket for them, and
// takes a view; a protected one comes locked. It asks share.view.
//
// Returns NotFound for an unknown slug or a file that has not arrived, Gone
// when it has expired or its views are used up.
func (f *FileVisits) Info(ctx context.Context, who policy.Principal, v Visit) (FileReading, error) {
	by := openings.By{Who: who, How: openings.AsPage}
	s, admitted, err := f.enter(ctx, by, policy.ShareView, v.Slug, v.Ticket)
	if err != nil {
		return FileReading{}, err
	}
	if s.Protected() && !admitted {
		return FileReading{File: &s.File, Views: s.views.Load(), Locked: true}, nil
	}
	return f.reading(ctx, by, s, admitted || v.Uncounted)
}

// Verify is Info for a protected file and its password. It asks share.verify.
//
// Returns Invalid without a password and for a file that has none,
// Unauthenticated for a wrong one, and the errors of Info.
func (f *FileVisits) Verify(ctx context.Context, who policy.Principal, v Visit) (FileReading, error) {
	by := openings.By{Who: who, How: openings.AsPage}
	s, _, err := f.enter(ctx, by, policy.ShareVerify, v.Slug, "")
	switch {
	case err != nil:
		return FileReading{}, err
	case v.Password == "":
		return FileReading{}, gate.ErrPasswordMissing
	case !s.Protected():
		return FileReading{}, gate.ErrNotProtected
	}
	if err := f.unlock(ctx, by, s, v.Password); err != nil {
		return FileReading{}, err
	}
	return f.reading(ctx, by, s, v.Uncounted)
}

func (f *FileVisits) unlock(ctx context.Context, by openings.By, s *fileSnapshot, password string) error {
	return f.d.Openings.Refused(ctx, by, s.opening(), f.guard.Unlock(ctx, f.lock(s), password))
}

func (f *FileVisits) lock(s *fileSnapshot) gate.Lock {
	return gate.Lock{ID: s.ID, Version: s.Version, Hash: s.PasswordHash, Renew: func(ctx context.Context, hash string) error {
		_, err := f.d.Files.Update(ctx, s.ID, func(e *File) error {
			if e.PasswordHash == s.PasswordHash {
				e.PasswordHash = hash
			}
			return nil
		})
		f.files.Forget(ctx, s.ID)
		return err
	}}
}

// reading signs the links and takes the view, where views are limited after the
// storage has shown the object: one that does not answer costs no view. What a
// gate stands before gets no link that leads round it.
func (f *FileVisits) reading(ctx context.Context, by openings.By, s *fileSnapshot, uncounted bool) (r FileReading, err error) {
	r = FileReading{File: &s.File, Views: s.views.Load()}
	switch {
	case s.MaxViews > 0 && !uncounted:
		_, _, err = f.files.arrived(ctx, &s.File)
	case !s.Gated() && !s.UseProxy:
		r.Direct, err = f.files.direct(ctx, &s.File)
	}
	if err != nil {
		return r, storageError(err)
	}
	if !uncounted {
		if r.Views, err = f.take(ctx, by, s); err != nil {
			return r, err
		}
		r.Last = s.MaxViews > 0 && r.Views >= s.MaxViews
	}
	r.Ticket = f.guard.Ticket(s.ID, s.Version)
	return r, nil
}

// enter lets a visitor up to the password: load, ask as Pastes.enter does, check
// that the share is open. admitted says that a ticket already proves password and view.
func (f *FileVisits) enter(ctx context.Context, by openings.By, do policy.Action, slug, ticket string) (s *fileSnapshot, admitted bool, err error) {
	now := f.d.Clock.Now()
	s, missing := f.load(ctx, slug, now)
	on := policy.Resource{Kind: kindFile, Slug: slug}
	if missing == nil {
		on = s.File.Resource()
		on.Share = s.Seen(now)
	}
	if _, err := policy.Check(ctx, f.d.Decider, by.Who, do, on); err != nil {
		return nil, false, err
	}
	if missing != nil {
		return nil, false, missing
	}
	admitted = ticket != "" && f.guard.Admits(ticket, s.ID, s.Version)
	if err := s.Shut(by.Who, f.d.Clock.Now(), admitted, fileEnds); err != nil {
		return nil, false, f.d.Openings.Refused(ctx, by, s.opening(), err)
	}
	if s.Pending {
		if s, err = f.settle(ctx, s); err != nil {
			return nil, false, err
		}
	}
	return s, admitted, nil
}

// load finds a file for a visitor; only unlimited ones are cached.
func (f *FileVisits) load(ctx context.Context, slug string, now time.Time) (*fileSnapshot, error) {
	if s := f.files.cache.Get(slug, now); s != nil {
		return s, nil
	}
	if err := f.guard.Open(ctx); err != nil {
		return nil, err
	}
	if !naming.PossibleSlug(slug) {
		return nil, f.guard.Unknown(ctx, ErrFileUnknown)
	}
	file, err := f.d.Files.BySlug(ctx, slug)
	if ports.Is(err, ports.NotFound) {
		return nil, f.guard.Unknown(ctx, ErrFileUnknown.With(err))
	}
	if err != nil {
		return nil, err
	}
	if file.Collection != "" || file.VersionOf != "" || file.Replaces != "" {
		return nil, f.guard.Unknown(ctx, ErrFileUnknown) // it has no link of its own
	}
	s := f.snapshot(file)
	if s.Exact() || s.Pending || s.ErasedAt != nil {
		return s, nil
	}
	return f.files.cache.Put(slug, s.ID, s, 1024), nil
}

func (f *FileVisits) snapshot(file *File) *fileSnapshot {
	s := &fileSnapshot{File: *file}
	s.views.Store(file.Views + f.files.views.Pending(file.ID))
	return s
}

// settle commits a file whose uploader never did, when its object is there:
// scripts that only PUT keep working. Otherwise the file is unknown.
func (f *FileVisits) settle(ctx context.Context, s *fileSnapshot) (*fileSnapshot, error) {
	object, storage, err := f.files.arrived(ctx, &s.File)
	switch {
	case ports.Is(err, ports.NotFound):
		return nil, ErrFileUnknown.With(err)
	case err != nil:
		return nil, err
	}
	if foreign, err := f.files.belongsToAnother(ctx, &s.File, object); err != nil {
		return nil, err
	} else if foreign {
		return nil, ErrFileUnknown
	}
	file, err := f.record(ctx, &s.File, object, storage)
	if err != nil {
		return nil, err
	}
	return f.snapshot(file), nil
}

// record notes size and ETag of an object that a visitor found. One over the
// size limit or the capacity is nothing that was shared, and so unknown; files
// of mounts have their own bounds.
func (f *FileVisits) record(ctx context.Context, file *File, object objstore.Object, storage objstore.Storage) (*File, error) {
	if limit := f.files.SizeLimit(); file.FilePath == "" && limit > 0 && object.Size > limit {
		return nil, ErrFileUnknown
	}
	c := claim(file, storage, policy.Obligations{})
	c.Arrived = true
	changed, err := f.files.place(ctx, file, c, object, nil)
	switch {
	case ports.Is(err, ports.Quota):
		return nil, ErrFileUnknown.With(err)
	case err == nil:
		f.d.tellStored(ctx, file, object)
	}
	return changed, storageError(err)
}

func (f *File) opening() openings.Opening {
	return openings.Opening{Kind: policy.KindFile, ID: f.ID, Name: f.Filename, Owner: f.CreatedBy, Max: f.MaxViews}
}

// take counts a view.
func (f *FileVisits) take(ctx context.Context, by openings.By, s *fileSnapshot) (int64, error) {
	if s.MaxViews == 0 {
		f.files.views.Count(s.ID)
		views := s.views.Add(1)
		f.d.Openings.Saw(ctx, by, s.opening(), views)
		return views, nil
	}
	views, err := f.d.Openings.Take(ctx, by, s.opening(), func(ctx context.Context) (int64, error) { return f.d.Files.TakeView(ctx, s.ID, f.d.Clock.Now()) })
	if err != nil {
		return 0, f.d.Openings.Refused(ctx, by, s.opening(), s.Refused(err, f.d.Clock.Now(), fileEnds))
	}
	f.guard.Came(ctx, s.ID, s.Version)
	return views, nil
}

// Peek tells what a file is without opening it; it takes no view and asks
// share.view. Returns NotFound and Gone as Info does.
func (f *FileVisits) Peek(ctx context.Context, who policy.Principal, slug string) (Peek, error) {
	s, _, err := f.enter(ctx, openings.By{Who: who, How: openings.AsPage}, policy.ShareView, slug, "")
	if err != nil {
		return Peek{}, err
	}
	peek := PeekOf(&s.Gate, slug)
	if !s.Protected() {
		peek.Size, peek.Filename, peek.MimeType = s.Size, s.Filename, s.MimeType
	}
	return peek, nil
}
