package shares

import (
	"context"
	"errors"
	"time"

	"pasteport/domain/shares/internal/gate"
	"pasteport/domain/shares/internal/shown"
	"pasteport/domain/shares/openings"
	"pasteport/ports"
	"pasteport/ports/objstore"
	"pasteport/ports/policy"
)

// Opened is a file whose gate a visitor has passed, before its view is taken.
// It belongs to one request.
type Opened struct {
	File   *File
	visits *FileVisits
	bucket objstore.Bucket
	fare   gate.Fare
}

// Open lets a visitor at the bytes of a file. It asks do, which is share.view or
// share.download. No view is taken yet: Read does that.
//
// Returns the errors of Info, and Unauthenticated when the password is missing
// or wrong and no ticket stands for it.
func (f *FileVisits) Open(ctx context.Context, who policy.Principal, do policy.Action, v Visit) (*Opened, error) {
	by := openings.BytesBy(who, do, "")
	s, admitted, err := f.enter(ctx, by, do, v.Slug, v.Ticket)
	if err != nil {
		return nil, err
	}
	if s.Protected() && !admitted {
		if err := f.unlock(ctx, by, s, v.Password); err != nil {
			return nil, err
		}
	}
	pays := gate.Fare{Guard: f.guard, ID: s.ID, Version: s.Version, Limited: s.MaxViews > 0, Paid: admitted, Take: func(ctx context.Context) error {
		_, err := f.take(ctx, by, s)
		return err
	}}
	if do == policy.ShareDownload { // what is shown belongs to the page that shows it
		pays.Again = func(ctx context.Context) { f.d.Openings.Again(ctx, by, s.opening()) }
	}
	return f.Admit(ctx, &s.File, pays)
}

// Admit opens a file for a visitor whom a gate, this one or that of a wing, has
// let in; pays says how the visit is counted.
func (f *FileVisits) Admit(ctx context.Context, file *File, pays gate.Fare) (*Opened, error) {
	bucket, err := f.d.Storages.Bucket(ctx, file.StorageConfigID)
	if err != nil {
		return nil, storageError(err)
	}
	return &Opened{File: file, visits: f, bucket: bucket, fare: pays}, nil
}

// Stat describes the object; it takes no view. NotFound when it is missing.
func (o *Opened) Stat(ctx context.Context) (objstore.Object, error) {
	object, err := o.bucket.Stat(ctx, o.File.StoragePath)
	return object, storageError(err)
}

// Read opens the object or a part of it. The first read takes the view, after
// storage has answered and before a byte leaves; one that does not start at
// byte 0 takes none. The caller closes the body.
//
// Returns Gone when no view was left, and Range for a later part of a file with
// a view limit that belongs to no visit: it would show all but the start and
// cost no view (ADR 6).
func (o *Opened) Read(ctx context.Context, r objstore.Range) (*objstore.Body, error) {
	body, err := o.bucket.Read(ctx, o.File.StoragePath, r)
	if err != nil {
		return nil, storageError(err)
	}
	if err := o.fare.Pay(ctx, body.Offset); err != nil {
		body.Close()
		return nil, err
	}
	return body, nil
}

// Pay takes the view of a visit that is shown something made of the object, and
// not its bytes. Returns Gone when no view was left.
func (o *Opened) Pay(ctx context.Context) error { return o.fare.Pay(ctx, 0) }

// Refresh takes size and ETag from storage, when the object is not the one on
// record: the operator has replaced it, or it belongs to a mount. File is
// another one afterwards. Returns NotFound while links for uploads may still
// work under which it could have been replaced.
func (o *Opened) Refresh(ctx context.Context) error {
	object, storage, err := o.visits.files.arrived(ctx, o.File)
	if err != nil {
		return storageError(err)
	}
	// A link for uploads may still work that was given out for this key before,
	// to somebody else or for another share.
	written := object.ModTime
	if written.IsZero() {
		written = o.visits.d.Clock.Now()
	}
	if o.File.FilePath == "" && written.Before(o.File.Placed().Add(UploadLinkLife+time.Minute)) {
		return ErrFileUnknown.With(errors.New("the object was replaced behind its share"))
	}
	changed, err := o.visits.record(ctx, o.File, object, storage)
	if err != nil {
		return err
	}
	o.visits.files.Forget(ctx, changed.ID)
	o.File = changed
	return nil
}

// storageError makes a missing object an unknown file; what it said of the
// storage is for the log.
func storageError(err error) error {
	if ports.Is(err, ports.NotFound) {
		return ErrFileUnknown.With(err)
	}
	return err
}

// OfficePreview is a link that a foreign viewer may fetch.
type OfficePreview struct {
	File *File
	// Link is a signed storage link; empty when storage cannot be reached from
	// outside, and then Ticket opens the file on this server.
	Link    string
	Ticket  string
	Expires time.Duration
}

// Office gives a link to an office document for a foreign viewer and takes a
// view. It asks share.preview.
//
// Returns Invalid for a file that is no office document, and the errors of
// Open.
func (f *FileVisits) Office(ctx context.Context, who policy.Principal, v Visit) (OfficePreview, error) {
	by := openings.By{Who: who, How: openings.AsPreview}
	s, admitted, err := f.enter(ctx, by, policy.SharePreview, v.Slug, v.Ticket)
	if err != nil {
		return OfficePreview{}, err
	}
	if s.Protected() && !admitted {
		if err := f.unlock(ctx, by, s, v.Password); err != nil {
			return OfficePreview{}, err
		}
	}
	if !shown.Office(s.MimeType) {
		return OfficePreview{}, errNotOffice
	}
	p := OfficePreview{File: &s.File, Expires: VisitLength, Ticket: f.guard.Ticket(s.ID, s.Version)}
	if storage, err := f.d.Storages.Storage(ctx, s.StorageConfigID); err != nil {
		return p, err
	} else if reachable(storage) {
		p.Expires = min(VisitLength, f.files.linkLife(storage, &s.File))
		if p.Link, err = f.files.sign(ctx, storage, &s.File, false, p.Expires); err != nil {
			return p, storageError(err)
		}
	}
	if !admitted && !v.Uncounted {
		if _, err := f.take(ctx, by, s); err != nil {
			return OfficePreview{}, err
		}
	}
	return p, nil
}
