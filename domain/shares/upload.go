package shares

import (
	"cmp"
	"context"
	"errors"
	"io"
	"path"
	"time"

	"pasteport/domain/shares/internal/naming"
	"pasteport/ports"
	"pasteport/ports/filetype"
	"pasteport/ports/objstore"
	"pasteport/ports/policy"
	"pasteport/ports/upload"
)

// FileUploads make shares of the files that clients send: in one piece through
// this server or to storage, and in parts. It is safe for concurrent use.
type FileUploads struct {
	d     Deps
	files *Files
}

// NewFileUploads returns the uploads into files.
func NewFileUploads(files *Files) *FileUploads { return &FileUploads{d: files.d, files: files} }

// UploadLinkLife is how long a presigned upload may begin.
const UploadLinkLife = time.Hour

// Naming says how a stored name follows from the file's name.
type Naming int

// The namings.
const (
	NameBySetting Naming = iota // random suffix or not, as the operator chose
	NameKept                    // the name as it is, where it is free
	NameSuffixed                // always a random suffix, the base cut short
)

// NewUpload is what a file share is made of.
type NewUpload struct {
	StorageConfigID string // empty means the default one
	Filename        string
	// Type is the sender's media type, used when the extension says nothing and
	// TrustType is set.
	Type      string
	TrustType bool
	Size      int64 // bytes as announced; 0 means unknown
	Path      string
	Slug      string // empty means a generated one
	// Unguessable makes the generated slug long.
	Unguessable bool
	Remark      string
	Password    string
	ExpiresIn   int64 // hours; 0 means never
	MaxViews    int64 // 0 means unlimited
	Latch
	UseProxy Field[bool] // not set means the operator's choice
	// Override replaces the caller's file that has this slug, and keeps what of its
	// gate is not given here.
	Override bool
	Naming   Naming
	kept     *Gate // what stays of the gate of the share that is replaced
}

// Presigned is an upload that the client sends to storage itself.
type Presigned struct {
	File    *File
	Storage objstore.Storage
	URL     string // absolute, or a path of this server that begins with "/"
}

// Presign reserves a file share and signs the request that uploads it. The
// share is pending until Commit. It asks file.upload.
//
// Returns Invalid for bad input and for a file over the size limit, Quota when
// the storage is full, Forbidden for a storage config that the caller may not
// use, NotFound for an unknown one, Conflict when the slug is taken.
func (u *FileUploads) Presign(ctx context.Context, who policy.Principal, in NewUpload) (*Presigned, error) {
	if in.StorageConfigID == "" {
		if _, err := u.Ask(ctx, who, in); err != nil {
			return nil, err
		}
		return nil, ErrNoStorage
	}
	r, err := u.begin(ctx, who, in)
	if err != nil {
		return nil, err
	}
	announced, ahead := *r.File, make(chan uploadLink, 1)
	early, enough := context.WithCancel(ctx)
	defer enough()
	go func() { ahead <- u.signUpload(early, &announced, r.Storage, r.Obligations) }() // while the record is stored
	if err := r.insert(ctx, in.Slug, in.Unguessable); err != nil {
		enough()
		<-ahead
		return nil, err
	}
	link := <-ahead
	if r.File.StoragePath != announced.StoragePath {
		link = u.signUpload(ctx, r.File, r.Storage, r.Obligations)
	}
	if link.err != nil {
		r.Undo(ctx, false)
		return nil, link.err
	}
	file, err := u.d.Announced(ctx, r.File)
	if err != nil {
		r.Undo(ctx, false)
		return nil, err
	}
	return &Presigned{File: file, Storage: r.Storage, URL: link.url}, nil
}

// uploadLink is the address that a client sends a file to, or why there is none.
type uploadLink struct {
	url string
	err error
}

func (u *FileUploads) signUpload(ctx context.Context, file *File, storage objstore.Storage, o policy.Obligations) uploadLink {
	bucket, err := u.d.Storages.Bucket(ctx, storage.ID)
	if err != nil {
		return uploadLink{err: err}
	}
	r := objstore.SignRequest{Verb: objstore.VerbPut, Key: file.StoragePath, Audience: objstore.Browser, TTL: UploadLinkLife, Awaited: file.ID}
	if o.LinkExpires > 0 {
		r.TTL = min(r.TTL, time.Duration(o.LinkExpires)*time.Second)
	}
	if storage.OwnDisk {
		r.Size = file.Size // our own disk can hold the sender to it; foreign clients of S3 cannot be (contract §7.3)
		if r.Size == 0 {
			r.Claim = file.ID
		}
	}
	signed, err := bucket.Sign(ctx, r)
	return uploadLink{signed.URL, err}
}

// MayUpload refuses a caller who may upload nothing, before the terms of the
// upload are known. Rules that may depend on those are asked again by Upload,
// and so refuse nothing here. It asks file.upload.
func (u *FileUploads) MayUpload(ctx context.Context, who policy.Principal, filename string) error {
	_, err := u.Ask(ctx, who, NewUpload{Filename: filename})
	if ports.Is(err, ports.Forbidden) && !permissionMissing(err) {
		return nil
	}
	return err
}

func permissionMissing(err error) bool {
	var e *ports.Error
	return errors.As(err, &e) && e.Reason == "permission_missing"
}

// Awaits reports whether the file of an upload link is still to come: not when
// it was committed, deleted or given up. The link is the authority; no policy
// is asked.
func (u *FileUploads) Awaits(ctx context.Context, id string) (bool, error) {
	file, err := u.d.Files.Get(ctx, id)
	if ports.Is(err, ports.NotFound) {
		return false, nil
	}
	return err == nil && file.Pending && !file.Late() && file.ErasedAt == nil, err
}

// Upload takes a whole file: size is its length in bytes, -1 when unknown. A
// body that ends early leaves nothing behind. It asks file.upload and returns
// the errors of Presign.
func (u *FileUploads) Upload(ctx context.Context, who policy.Principal, in NewUpload, body io.Reader, size int64) (*File, error) {
	in.Size = max(size, 0)
	r, err := u.Reserve(ctx, who, in)
	if err != nil {
		return nil, err
	}
	return r.take(ctx, body, size)
}

// take stores the bytes of a reservation and makes the share of them, or undoes it.
func (r *Reservation) take(ctx context.Context, body io.Reader, size int64) (*File, error) {
	stored, err := r.Store(ctx, body, size)
	if err != nil {
		r.Undo(ctx, true) // the answer of the storage may be lost
		return nil, err
	}
	done, err := r.Settle(ctx, stored)
	if err != nil {
		r.Undo(ctx, false)
	}
	return done, err
}

// apart gives an upload a key of its own: where another record holds the key,
// or an object lies there, the name gets a random suffix. A share's bytes change
// only by an edit of that share (decision 67); and an object that is there
// already would count as the upload. there is what lies under the key it has now;
// nil where a random suffix makes sure that it is nothing.
func (u *FileUploads) apart(ctx context.Context, file *File, there <-chan error) error {
	front, name := path.Split(file.StoragePath)
	for range naming.Tries {
		// Looked for after the record is in: of two that come at once, the later
		// one sees the other.
		free, err := u.keyFree(ctx, file, there)
		if err != nil || free {
			return err
		}
		key := front + naming.Stored(name, u.d.Random.Text(naming.SuffixLen), false)
		if len(key) > naming.MaxKey {
			return ports.InvalidInput("path_unclean", "path")
		}
		changed, err := u.d.Files.Update(ctx, file.ID, func(e *File) error {
			e.StoragePath = key
			return nil
		})
		if err != nil {
			return err
		}
		*file, there = *changed, nil
	}
	return &ports.Error{Code: ports.Internal, Key: "internal", Cause: errors.New("no free name for an upload")}
}

// keyFree reports whether nothing lies under the key of a new file, and no
// other living record has it.
func (u *FileUploads) keyFree(ctx context.Context, file *File, there <-chan error) (bool, error) {
	others, err := u.d.FileObjects.ObjectUsers(ctx, file.StorageConfigID, file.StoragePath, file.ID)
	if err != nil || others > 0 || there == nil {
		return err == nil && others == 0, err
	}
	if err = <-there; ports.Is(err, ports.NotFound) {
		return true, nil
	}
	return false, storageError(err)
}

// lookAt asks storage what lies under the key of a file, while others work, until
// it is told that this is enough.
func (u *FileUploads) lookAt(ctx context.Context, file *File) (there <-chan error, enough func()) {
	ctx, cancel := context.WithCancel(ctx)
	found, configID, key := make(chan error, 1), file.StorageConfigID, file.StoragePath
	go func() {
		defer close(found)
		bucket, err := u.d.Storages.Bucket(ctx, configID)
		if err == nil {
			_, err = bucket.Stat(ctx, key)
		}
		found <- err
	}()
	return found, func() {
		cancel()
		for range found { // until it has ended
		}
	}
}

// Ask asks file.upload for what is known of an upload.
func (u *FileUploads) Ask(ctx context.Context, who policy.Principal, in NewUpload) (policy.Decision, error) {
	return policy.Check(ctx, u.d.Decider, who, policy.FileUpload, policy.Resource{
		Kind: kindFile, Owner: who.Owner(), Name: in.Filename, Extension: filetype.Extension(in.Filename), ContentType: filetype.ContentType(in.Filename),
		Size: in.Size, Share: in.Share(u.d.Clock.Now()),
	})
}

// Share gives the policy the terms of the share, as far as they are known.
func (in NewUpload) Share(now time.Time) policy.ShareTerms { return in.terms(now).Resource(now) }

// bounded is as that of Terms.
func (in NewUpload) bounded(l ports.ShareLimits, now time.Time) NewUpload {
	kept := Gate{}
	if in.kept != nil {
		kept = *in.kept
		kept.Latch = kept.Latch.Bounded(l, now)
		in.kept = &kept
	}
	in.Latch = in.Latch.Bounded(l, now)
	if in.ExpiresIn == 0 && in.SlideBy == 0 && kept.ExpiresAt == nil {
		in.ExpiresIn = int64(l.MaxAge / time.Hour)
	}
	if in.MaxViews == 0 && kept.MaxViews == 0 {
		in.MaxViews = l.MaxViews
	}
	return in
}

// given are the terms that an upload names itself.
func (in NewUpload) given(now time.Time) Terms {
	return Terms{Password: in.Password, ExpiresAt: In(now, in.ExpiresIn), MaxViews: in.MaxViews, Latch: in.Latch}.Begun(now)
}

// terms are those that the share will have.
func (in NewUpload) terms(now time.Time) Terms {
	t := in.given(now)
	if in.kept == nil {
		return t
	}
	g := t.Gate("").Over(*in.kept)
	if t.Password == "" {
		t.Hash = g.PasswordHash
	}
	t.ExpiresAt, t.MaxViews, t.Latch = g.ExpiresAt, g.MaxViews, g.Latch
	return t
}

func (in NewUpload) check(now time.Time) error {
	if in.Filename == "" {
		return ports.InvalidInput("required", "filename")
	}
	if in.Slug != "" {
		if err := naming.CheckSlug(in.Slug); err != nil {
			return err
		}
	}
	if in.Size < 0 {
		return ports.InvalidInput("size_invalid", "size")
	}
	if in.ExpiresIn < 0 {
		return ports.InvalidInput("expiry_invalid", "expires_in")
	}
	return cmp.Or(naming.CheckFile(in.Filename), checkRemark(in.Remark), in.terms(now).Check(now))
}

// choose returns the storage config of an upload. Keys may use public ones
// only.
func (u *FileUploads) choose(ctx context.Context, who policy.Principal, id string) (objstore.Storage, error) {
	publicOnly := who.Kind != policy.Admin
	if id == "" {
		storage, err := u.d.Storages.Default(ctx, publicOnly)
		if ports.Is(err, ports.NotFound) {
			return storage, ErrNoStorage.With(err)
		}
		return storage, err
	}
	storage, err := u.d.Storages.Storage(ctx, id)
	if ports.Is(err, ports.NotFound) {
		return storage, ErrStorageUnknown.With(err)
	}
	if err == nil && publicOnly && !storage.Public {
		return storage, ErrStorageForbidden
	}
	return storage, err
}

// pending builds the record of an upload. The stored name may have a random suffix.
func (u *FileUploads) pending(who policy.Principal, in NewUpload, suffixed bool, storage objstore.Storage, now time.Time) (*File, error) {
	suffix := ""
	if suffixed {
		suffix = u.d.Random.Text(naming.SuffixLen)
	}
	key, err := naming.Key(storage.DefaultFolder, in.Path, naming.Stored(in.Filename, suffix, in.Naming == NameSuffixed))
	if err != nil {
		return nil, err
	}
	mimeType := filetype.ContentType(in.Filename)
	if mimeType == filetype.OctetStream && in.TrustType && in.Type != "" {
		mimeType = in.Type
	}
	useProxy := u.d.Settings.DefaultUseProxy()
	if in.UseProxy.Set {
		useProxy = in.UseProxy.Value
	}
	return &File{
		ID: u.d.Random.ID(), Filename: in.Filename, StorageConfigID: storage.ID, StorageType: storage.Type, StoragePath: key,
		MimeType: mimeType, Size: in.Size, Remark: in.Remark, Gate: in.given(now).Gate(""),
		UseProxy: useProxy, CreatedBy: who.Owner(), CreatedAt: now, UpdatedAt: now, Pending: true, Version: 1,
	}, nil
}

// replaced finds the share that an upload replaces; nil when there is none with
// that slug. A file of somebody else is Forbidden, before the policy is told the
// terms of that one: what rules say of them is nothing for strangers.
func (u *FileUploads) replaced(ctx context.Context, who policy.Principal, in NewUpload) (*File, error) {
	if !in.Override || in.Slug == "" {
		return nil, nil
	}
	old, err := u.d.Files.BySlug(ctx, in.Slug)
	if ports.Is(err, ports.NotFound) {
		return nil, nil
	}
	if err != nil || who.Owns(old.CreatedBy) {
		return old, err
	}
	decision, err := u.Ask(ctx, who, in)
	if err == nil && decision.Scope != policy.All {
		err = errOverrideForeign
	}
	return old, err
}

// mine finds a file that who uploads, as Commit does: of one that has become the
// content of a share, that share.
func (u *FileUploads) mine(ctx context.Context, who policy.Principal, id string) (*File, policy.Decision, error) {
	file, decision, err := u.own(ctx, who, id)
	if id == "" && ports.Is(err, ports.NotFound) {
		return nil, decision, ports.InvalidInput("required", "file_id")
	}
	if err != nil {
		return nil, decision, err
	}
	if decision.Scope != policy.All && !who.Owns(file.CreatedBy) {
		return nil, decision, errOverrideForeign
	}
	return file, decision, nil
}

// Commit confirms that a presigned upload has arrived: size and ETag come from
// storage. It may be repeated. It asks file.upload.
//
// Returns NotFound for an unknown file, Forbidden for one of somebody else,
// Invalid without an id and when storage has no object yet; a file over the size limit or the
// capacity is removed with its object and returns Invalid or Quota.
func (u *FileUploads) Commit(ctx context.Context, who policy.Principal, id string) (*File, error) {
	file, decision, err := u.mine(ctx, who, id)
	if err != nil || file.ID != id {
		return file, err
	}
	return u.commit(ctx, file, decision.Obligations)
}

// commit is Commit for a file that the caller may commit.
func (u *FileUploads) commit(ctx context.Context, file *File, o policy.Obligations) (*File, error) {
	object, storage, err := u.files.arrived(ctx, file)
	if ports.Is(err, ports.NotFound) {
		return nil, ErrNotUploaded.With(err)
	}
	if err != nil {
		return nil, err
	}
	if foreign, err := u.files.belongsToAnother(ctx, file, object); err != nil {
		return nil, err
	} else if foreign {
		return nil, ErrNotUploaded
	}
	// What has arrived before, and grew no larger, obeyed the limit of its time.
	if file.Pending || object.Size > file.Size {
		if err := u.d.limits(o).Check(object.Size); err != nil {
			return u.files.refuse(ctx, file, object, err)
		}
	}
	c := claim(file, storage, o)
	c.Arrived = true
	done, err := u.files.place(ctx, file, c, object, nil)
	if ports.Is(err, ports.Quota) || errors.Is(err, ErrNothingToReplace) {
		return u.files.refuse(ctx, file, object, quota(err, object.Size))
	}
	if err != nil {
		return nil, storageError(err)
	}
	u.files.Forget(ctx, done.ID)
	u.d.tellStored(ctx, file, object)
	return done, nil
}

// limits bound the size of a file.
func (d Deps) limits(o policy.Obligations) upload.Limits {
	return upload.LimitsOf(d.Settings.MaxUploadSize(), o)
}

// quota adds the size of the file to the repository's refusal, for the text
// that clients read (contract §1.4).
func quota(err error, size int64) error {
	var e *ports.Error
	if !errors.As(err, &e) || e.Code != ports.Quota {
		return err
	}
	params := map[string]any{"size": size}
	for k, v := range e.Params {
		params[k] = v
	}
	return e.WithParams(params)
}
