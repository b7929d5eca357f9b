package shares

import (
	"context"
	"errors"
	"io"
	"time"

	"pasteport/domain/shares/internal/naming"
	"pasteport/ports"
	"pasteport/ports/objstore"
	"pasteport/ports/policy"
	"pasteport/ports/upload"
)

// Reservation is a file share whose bytes are still to come: its record is
// pending, its key is its own and its room is taken. Whoever holds one stores
// the bytes or undoes it; what nobody does, the janitor undoes.
type Reservation struct {
	File        *File
	Storage     objstore.Storage
	Obligations policy.Obligations // of the answer to file.upload
	u           *FileUploads
	seen        bool // visitors may have met the pending record
	suffixed    bool // its name has a random suffix, so that nothing lies there yet
	// came is told of the share in the unit of work that makes it; its error undoes
	// that. Nil: nobody is told.
	came func(ctx context.Context, file *File) error
}

// Reserve makes the pending record of an upload: ask, check, choose storage and
// key, insert within the capacity. It asks file.upload and returns the errors
// of Presign.
func (u *FileUploads) Reserve(ctx context.Context, who policy.Principal, in NewUpload) (*Reservation, error) {
	r, err := u.begin(ctx, who, in)
	if err != nil {
		return nil, err
	}
	return r, r.insert(ctx, in.Slug, in.Unguessable)
}

// begin is Reserve before anything is stored.
func (u *FileUploads) begin(ctx context.Context, who policy.Principal, in NewUpload) (*Reservation, error) {
	now, limits := u.d.Clock.Now(), u.d.Settings.ShareLimits()
	old, err := u.replaced(ctx, who, in)
	if err != nil {
		return nil, err
	}
	if old != nil {
		stays := old.Stays(now)
		in.kept = &stays
	}
	in = in.bounded(limits, now)
	decision, err := u.Ask(ctx, who, in)
	if err != nil {
		return nil, err
	}
	if err := in.check(now); err != nil {
		return nil, err
	}
	if err := in.terms(now).Obey(limits, decision.Obligations, now, in.Size); err != nil {
		return nil, err
	}
	if err := u.d.limits(decision.Obligations).Check(in.Size); err != nil {
		return nil, err
	}
	storage, err := u.choose(ctx, who, in.StorageConfigID)
	if err != nil {
		return nil, err
	}
	suffixed := in.Naming == NameSuffixed || in.Naming == NameBySetting && u.d.Settings.RandomSuffix()
	file, err := u.pending(who, in, suffixed, storage, now)
	if err != nil {
		return nil, err
	}
	if in.Password != "" {
		if file.PasswordHash, err = u.d.Hasher.Hash(ctx, in.Password); err != nil {
			return nil, err
		}
	}
	if old != nil {
		// One that has not come has nothing to be kept; what is no share of its own
		// holds on to its slug.
		if old.Pending && old.Replaces == "" {
			err = u.d.Withdraw(ctx, old, true)
		}
		switch {
		case !old.Pending && old.VersionOf == "" && old.Replaces == "" || errors.Is(err, errArrived):
			file.Replaces, err = old.ID, nil
		case ports.Is(err, ports.NotFound): // somebody was faster
			err = nil
		}
	}
	return &Reservation{File: file, Storage: storage, Obligations: decision.Obligations, u: u, suffixed: suffixed}, err
}

// Renew makes an undone reservation again, under its slug, for another try at
// bytes that could not be had. The caller has asked file.upload anew; o are the
// limits of the first answer.
func (u *FileUploads) Renew(ctx context.Context, file *File, o policy.Obligations) (*Reservation, error) {
	storage, err := u.d.Storages.Storage(ctx, file.StorageConfigID)
	if err != nil {
		return nil, err
	}
	if left, missing := u.d.Files.Get(ctx, file.ID); missing == nil && left.Late() {
		if err := u.d.drop(ctx, left); err != nil {
			return nil, err
		}
	}
	r := &Reservation{File: file, Storage: storage, Obligations: o, u: u}
	return r, r.insert(ctx, file.Slug, false)
}

// Resume returns the reservation of a file that is pending. Its storage config
// is read when it is needed.
func (u *FileUploads) Resume(file *File, o policy.Obligations) *Reservation {
	return &Reservation{File: file, Obligations: o, u: u, seen: true}
}

// insert takes the room of the file, stores its record, and gives it a key of
// its own; or nothing of that stays. An empty slug means a generated one.
func (r *Reservation) insert(ctx context.Context, slug string, unguessable bool) error {
	d, c := r.u.d, claim(r.File, r.Storage, r.Obligations)
	var there <-chan error
	if !r.suffixed {
		var enough func()
		there, enough = r.u.lookAt(ctx, r.File)
		defer enough()
	}
	if r.File.Replaces != "" { // the share has its slug until this has come
		slug, unguessable = "", true
	}
	insert := func(ctx context.Context, most int64) error {
		return naming.WithSlug(d.Random, slug, unguessable, func(slug string) error {
			r.File.Slug = slug
			return d.Files.Reserve(ctx, r.File, most)
		})
	}
	err := d.ReserveWith(ctx, c, func(ctx context.Context) error { return insert(ctx, c.Limits.BytesStored) })
	if r.File.Replaces != "" && ports.Is(err, ports.Quota) {
		err = d.Replaced.Instead(ctx, r.File, c, err, insert)
	}
	if err == nil {
		if err = r.u.apart(ctx, r.File, there); err != nil {
			r.Undo(ctx, false)
		}
	}
	return quota(err, r.File.Size)
}

// Store writes the bytes: size is their length, -1 when unknown. On an error
// storage holds what it held before, and the reservation stands.
func (r *Reservation) Store(ctx context.Context, body io.Reader, size int64) (objstore.Object, error) {
	d, none := r.u.d, objstore.Object{}
	if r.Storage.ID == "" {
		storage, err := d.Storages.Storage(ctx, r.File.StorageConfigID)
		if err != nil {
			return none, err
		}
		r.Storage = storage
	}
	bucket, err := d.Storages.Bucket(ctx, r.Storage.ID)
	if err != nil {
		return none, err
	}
	c := claim(r.File, r.Storage, r.Obligations)
	if size > r.File.Size {
		c.Size = size
		if err := d.reserve(ctx, c); err != nil {
			return none, err
		}
	}
	counted := upload.NewMeter(ctx, body, size, d.limits(r.Obligations), d.taker(c, size))
	object, err := bucket.Write(ctx, r.File.StoragePath, counted, objstore.WriteOptions{Size: size, ContentType: r.File.MimeType})
	if err = counted.Why(err); err != nil {
		return none, quota(err, counted.Count())
	}
	return object, nil
}

// Settle makes the share of what Store has stored. On an error record and object
// are gone, or the janitor looks after them.
func (r *Reservation) Settle(ctx context.Context, object objstore.Object) (*File, error) {
	d, c := r.u.d, claim(r.File, r.Storage, r.Obligations)
	done, err := r.u.files.place(ctx, r.File, c, object, r.came)
	if err != nil {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), undoFor)
		defer cancel()
		return r.u.files.refuse(ctx, r.File, object, quota(err, object.Size))
	}
	d.tellStored(ctx, r.File, object)
	if r.seen {
		r.u.files.Forget(ctx, done.ID)
	}
	return done, nil
}

// Signing says how the parts of the file are signed.
func (r *Reservation) Signing() upload.Signing { return signing(r.Storage, r.Obligations) }

// BeginParts begins the upload in parts and signs those. When that fails, the
// reservation is undone.
func (r *Reservation) BeginParts(ctx context.Context, cut upload.Cut, how upload.Signing) (*PartsBegun, error) {
	begun, err := &PartsBegun{Storage: r.Storage}, error(nil)
	if cut.Length(cut.PartCount) == 0 { // as far as the links let in
		c := claim(r.File, r.Storage, r.Obligations)
		c.Size = int64(cut.PartCount) * cut.PartSize
		err = quota(r.u.d.reserve(ctx, c), c.Size)
	}
	if err == nil {
		begun.Session, begun.Links, err = r.u.beginParts(ctx, r.File, cut, how)
	}
	if err == nil {
		begun.File, err = r.u.d.Announced(ctx, r.File)
	}
	if err != nil {
		r.Undo(ctx, begun.UploadID != "") // drops the parts with the object
		return nil, err
	}
	return begun, nil
}

// Undo removes the record of an upload that failed, and what is stored under
// its key if that is its own. What cannot be removed now the janitor finds
// later.
func (r *Reservation) Undo(ctx context.Context, stored bool) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), undoFor)
	defer cancel()
	if err := r.u.d.Withdraw(ctx, r.File, stored); !ports.Is(err, ports.NotFound) {
		r.u.d.Tell("remove a failed upload", err)
	}
	r.u.d.Release(ctx, r.File.ID)
}

// undoFor bounds what nobody waits for.
const undoFor = 30 * time.Second
