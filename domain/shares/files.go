package shares

import (
	"context"
	"sync/atomic"
	"time"

	"pasteport/ports"
	"pasteport/ports/objstore"
	"pasteport/ports/policy"
)

// kindFile names files in policy resources and messages to other nodes.
const kindFile = "file"

// Files are the shared files. It is safe for concurrent use. Somebody must call
// Run once, so that counted views are stored.
type Files struct {
	d     Deps
	repo  FileRepository
	guard *guard
	views *counter
	cache *cache[fileSnapshot]
}

// fileSnapshot is a file as readers see it, with the views not stored yet.
type fileSnapshot struct {
	File
	views atomic.Int64
}

// NewFiles returns the shared files over the ports of d.
func NewFiles(d Deps) *Files {
	return &Files{d: d, repo: d.Files, guard: newGuard(d), views: &counter{add: d.Files.AddViews}, cache: newCache[fileSnapshot](8<<20, d.Clock)}
}

// Run stores counted views each second and listens to other nodes until ctx
// ends; then it stores the rest and returns.
func (f *Files) Run(ctx context.Context) {
	if f.d.Invalidation != nil {
		f.d.Invalidation.Subscribe(ctx, kindFile, func(id string) {
			if id == "" {
				f.cache.empty()
			} else {
				f.cache.drop(id)
			}
		})
	}
	f.d.run(ctx, f.views.Flush)
}

// Flush stores the views counted so far.
func (f *Files) Flush(ctx context.Context) error { return f.views.Flush(ctx) }

// FileReading is what a visitor gets to know of a file.
type FileReading struct {
	*File
	Views  int64 // after this visit
	Last   bool  // this was the last view
	Locked bool  // a password is needed; no links may be shown
	Direct Links // empty when the file is proxied or locked
	Ticket string
}

// Links are addresses of a file in its storage: absolute, or paths of this
// server that begin with "/".
type Links struct {
	Preview  string
	Download string
}

// Info tells a visitor about a file, with links and a ticket for them, and
// takes a view; a protected one comes locked. It asks share.view.
//
// Returns NotFound for an unknown slug or a file that has not arrived, Gone
// when it has expired or its views are used up.
func (f *Files) Info(ctx context.Context, who policy.Principal, v Visit) (FileReading, error) {
	s, admitted, err := f.enter(ctx, who, policy.ShareView, v.Slug, v.Ticket)
	if err != nil {
		return FileReading{}, err
	}
	if s.Protected() && !admitted {
		return FileReading{File: &s.File, Views: s.views.Load(), Locked: true}, nil
	}
	return f.reading(ctx, s, admitted || v.Uncounted)
}

// Verify is Info for a protected file and its password. It asks share.verify.
//
// Returns Invalid without a password and for a file that has none,
// Unauthenticated for a wrong one, and the errors of Info.
func (f *Files) Verify(ctx context.Context, who policy.Principal, v Visit) (FileReading, error) {
	s, _, err := f.enter(ctx, who, policy.ShareVerify, v.Slug, "")
	switch {
	case err != nil:
		return FileReading{}, err
	case v.Password == "":
		return FileReading{}, errPasswordMissing
	case !s.Protected():
		return FileReading{}, errNotProtected
	}
	if err := f.guard.unlock(ctx, f.lock(s), v.Password); err != nil {
		return FileReading{}, err
	}
	return f.reading(ctx, s, v.Uncounted)
}

func (f *Files) lock(s *fileSnapshot) lock {
	return lock{s.ID, s.Version, s.PasswordHash, func(ctx context.Context, hash string) error {
		_, err := f.repo.Update(ctx, s.ID, func(e *File) error {
			if e.PasswordHash == s.PasswordHash {
				e.PasswordHash = hash
			}
			return nil
		})
		f.forget(ctx, s.ID)
		return err
	}}
}

// reading signs the links, so that a storage that does not answer costs no
// view, and takes the view.
func (f *Files) reading(ctx context.Context, s *fileSnapshot, uncounted bool) (r FileReading, err error) {
	r = FileReading{File: &s.File, Views: s.views.Load()}
	if !s.UseProxy {
		if r.Direct, err = f.direct(ctx, &s.File); err != nil {
			return r, err
		}
	}
	if !uncounted {
		if r.Views, err = f.take(ctx, s); err != nil {
			return r, err
		}
		r.Last = s.MaxViews > 0 && r.Views >= s.MaxViews
	}
	r.Ticket = f.guard.ticket(s.ID, s.Version)
	return r, nil
}

// enter lets a visitor up to the password: ask, load, check that the share is
// open. admitted says that a ticket already proves password and view.
func (f *Files) enter(ctx context.Context, who policy.Principal, do policy.Action, slug, ticket string) (s *fileSnapshot, admitted bool, err error) {
	if _, err := policy.Check(ctx, f.d.Decider, who, do, policy.Resource{Kind: kindFile}); err != nil {
		return nil, false, err
	}
	if s, err = f.load(ctx, slug); err != nil {
		return nil, false, err
	}
	admitted = ticket != "" && f.guard.admits(ticket, s.ID, s.Version)
	if err := s.closed(f.d.Clock.Now(), admitted, errFileExpired, errFileUsedUp); err != nil {
		return nil, false, err
	}
	if s.Pending {
		if s, err = f.settle(ctx, s); err != nil {
			return nil, false, err
		}
	}
	return s, admitted, nil
}

// load finds a file for a visitor; only unlimited ones are cached.
func (f *Files) load(ctx context.Context, slug string) (*fileSnapshot, error) {
	if s := f.cache.get(slug); s != nil {
		return s, nil
	}
	if err := f.guard.open(ctx); err != nil {
		return nil, err
	}
	if !possibleSlug(slug) {
		return nil, f.guard.unknown(ctx, errFileUnknown)
	}
	file, err := f.repo.BySlug(ctx, slug)
	if ports.Is(err, ports.NotFound) {
		return nil, f.guard.unknown(ctx, errFileUnknown.With(err))
	}
	if err != nil {
		return nil, err
	}
	s := f.snapshot(file)
	if s.MaxViews != 0 || s.Pending || s.ErasedAt != nil {
		return s, nil
	}
	return f.cache.put(slug, s.ID, s, 1024), nil
}

func (f *Files) snapshot(file *File) *fileSnapshot {
	s := &fileSnapshot{File: *file}
	s.views.Store(file.Views + f.views.pending(file.ID))
	return s
}

// settle commits a file whose uploader never did, when its object is there:
// scripts that only PUT keep working. Otherwise the file is unknown.
func (f *Files) settle(ctx context.Context, s *fileSnapshot) (*fileSnapshot, error) {
	object, storage, err := f.arrived(ctx, &s.File)
	switch {
	case ports.Is(err, ports.NotFound):
		return nil, errFileUnknown.With(err)
	case err != nil:
		return nil, err
	}
	if others, err := f.repo.ObjectUsers(ctx, s.StorageConfigID, s.StoragePath, s.ID); err != nil {
		return nil, err
	} else if others > 0 && older(object, &s.File) {
		return nil, errFileUnknown // the object of an older share under the same key
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
func (f *Files) record(ctx context.Context, file *File, object objstore.Object, storage Storage) (*File, error) {
	capacity := storage.Capacity
	if file.FilePath != "" {
		capacity = 0
	} else if limit := f.SizeLimit(); limit > 0 && object.Size > limit {
		return nil, errFileUnknown
	}
	changed, err := f.repo.Commit(ctx, file.ID, object.Size, object.ETag, capacity, f.d.Clock.Now())
	if ports.Is(err, ports.Quota) {
		return nil, errFileUnknown.With(err)
	}
	return changed, storageError(err)
}

// arrived asks storage for the object of a file.
func (f *Files) arrived(ctx context.Context, file *File) (objstore.Object, Storage, error) {
	storage, err := f.d.Storages.Storage(ctx, file.StorageConfigID)
	if err != nil {
		return objstore.Object{}, storage, err
	}
	bucket, err := f.d.Storages.Bucket(ctx, file.StorageConfigID)
	if err != nil {
		return objstore.Object{}, storage, err
	}
	object, err := bucket.Stat(ctx, file.StoragePath)
	return object, storage, err
}

// take counts a view.
func (f *Files) take(ctx context.Context, s *fileSnapshot) (int64, error) {
	if s.MaxViews == 0 {
		f.views.count(s.ID)
		return s.views.Add(1), nil
	}
	views, err := f.repo.TakeView(ctx, s.ID, f.d.Clock.Now())
	if err != nil {
		return 0, gone(err, &s.Gate, f.d.Clock.Now(), errFileExpired, errFileUsedUp, errFileUnknown)
	}
	return views, nil
}

// Peek tells what a file is without opening it; it takes no view and asks
// share.view. Returns NotFound and Gone as Info does.
func (f *Files) Peek(ctx context.Context, who policy.Principal, slug string) (Peek, error) {
	s, _, err := f.enter(ctx, who, policy.ShareView, slug, "")
	if err != nil {
		return Peek{}, err
	}
	peek := s.peek(slug)
	if !s.Protected() {
		peek.Size, peek.Filename, peek.MimeType = s.Size, s.Filename, s.MimeType
	}
	return peek, nil
}

// Opened is a file whose gate a visitor has passed, before its view is taken.
// It belongs to one request.
type Opened struct {
	File   *File
	files  *Files
	shared *fileSnapshot
	bucket objstore.Bucket
	paid   bool // the view was taken, by this visit or one before
}

// Open lets a visitor at the bytes of a file. It asks do, which is share.view or
// share.download. No view is taken yet: Read does that.
//
// Returns the errors of Info, and Unauthenticated when the password is missing
// or wrong and no ticket stands for it.
func (f *Files) Open(ctx context.Context, who policy.Principal, do policy.Action, v Visit) (*Opened, error) {
	s, admitted, err := f.enter(ctx, who, do, v.Slug, v.Ticket)
	if err != nil {
		return nil, err
	}
	if s.Protected() && !admitted {
		if err := f.guard.unlock(ctx, f.lock(s), v.Password); err != nil {
			return nil, err
		}
	}
	bucket, err := f.d.Storages.Bucket(ctx, s.StorageConfigID)
	if err != nil {
		return nil, storageError(err)
	}
	return &Opened{File: &s.File, files: f, shared: s, bucket: bucket, paid: admitted}, nil
}

// Stat describes the object; it takes no view. NotFound when it is missing.
func (o *Opened) Stat(ctx context.Context) (objstore.Object, error) {
	object, err := o.bucket.Stat(ctx, o.File.StoragePath)
	return object, storageError(err)
}

// Read opens the object or a part of it. The first read from byte 0 takes the
// view, after storage has answered and before a byte leaves. The caller closes
// the body. Returns Gone when no view was left.
func (o *Opened) Read(ctx context.Context, r objstore.Range) (*objstore.Body, error) {
	body, err := o.bucket.Read(ctx, o.File.StoragePath, r)
	if err != nil {
		return nil, storageError(err)
	}
	if err := o.pay(ctx, body.Offset); err != nil {
		body.Close()
		return nil, err
	}
	return body, nil
}

// Refresh takes size and ETag from storage, when the object is not the one on
// record. File is another one afterwards.
func (o *Opened) Refresh(ctx context.Context) error {
	object, storage, err := o.files.arrived(ctx, o.File)
	if err != nil {
		return storageError(err)
	}
	changed, err := o.files.record(ctx, o.File, object, storage)
	if err != nil {
		return err
	}
	o.files.forget(ctx, changed.ID)
	o.File = changed
	return nil
}

func (o *Opened) pay(ctx context.Context, offset int64) error {
	if o.paid || offset > 0 {
		return nil
	}
	if _, err := o.files.take(ctx, o.shared); err != nil {
		return err
	}
	o.paid = true
	return nil
}

// storageError makes a missing object an unknown file; what it said of the
// storage is for the log.
func storageError(err error) error {
	if ports.Is(err, ports.NotFound) {
		return errFileUnknown.With(err)
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
func (f *Files) Office(ctx context.Context, who policy.Principal, v Visit) (OfficePreview, error) {
	s, admitted, err := f.enter(ctx, who, policy.SharePreview, v.Slug, v.Ticket)
	if err != nil {
		return OfficePreview{}, err
	}
	if s.Protected() && !admitted {
		if err := f.guard.unlock(ctx, f.lock(s), v.Password); err != nil {
			return OfficePreview{}, err
		}
	}
	if !officeTypes[s.MimeType] {
		return OfficePreview{}, errNotOffice
	}
	p := OfficePreview{File: &s.File, Expires: VisitLength, Ticket: f.guard.ticket(s.ID, s.Version)}
	if storage, err := f.d.Storages.Storage(ctx, s.StorageConfigID); err != nil {
		return p, err
	} else if storage.reachable() {
		if p.Link, err = f.sign(ctx, storage, &s.File, false, VisitLength); err != nil {
			return p, storageError(err)
		}
	}
	if !admitted && !v.Uncounted {
		if _, err := f.take(ctx, s); err != nil {
			return OfficePreview{}, err
		}
	}
	return p, nil
}

// List gives one page of files, newest first: their own to keys, all or one
// creator's to the admin. It asks file.list and obeys its scope.
func (f *Files) List(ctx context.Context, who policy.Principal, filter FileFilter) (ports.Page[File], ports.Paging, error) {
	decision, err := policy.Check(ctx, f.d.Decider, who, policy.FileList, policy.Resource{Kind: kindFile, Owner: who.Owner()})
	if err != nil {
		return ports.Page[File]{}, ports.Paging{}, err
	}
	if decision.Scope != policy.All {
		filter.CreatedBy = who.Owner()
	}
	filter.Paging = page(filter.Paging, 30, decision.Obligations)
	found, err := f.repo.List(ctx, filter)
	for i := range found.Items {
		found.Items[i].Views += f.views.pending(found.Items[i].ID)
	}
	return found, filter.Paging, err
}

// Get returns a file to its owner with its direct links, and takes no view. The
// links are empty when storage does not give them. It asks file.read_own.
// Returns NotFound for an unknown id, Forbidden for a file of somebody else.
func (f *Files) Get(ctx context.Context, who policy.Principal, id string) (*File, Links, error) {
	file, _, err := f.own(ctx, who, policy.FileReadOwn, id)
	if err != nil {
		return nil, Links{}, err
	}
	file.Views += f.views.pending(file.ID)
	return file, f.Links(ctx, file), nil
}

// own finds a file and asks whether who may do this to it. The decision comes
// back for callers that tell foreign files from refused ones.
func (f *Files) own(ctx context.Context, who policy.Principal, do policy.Action, id string) (*File, policy.Decision, error) {
	file, missing := (*File)(nil), error(errFileUnknown)
	if looksLikeID(id) {
		file, missing = f.repo.Get(ctx, id)
	}
	if missing != nil && !ports.Is(missing, ports.NotFound) {
		return nil, policy.Decision{}, missing
	}
	on := policy.Resource{Kind: kindFile, Owner: who.Owner()}
	if missing == nil {
		on = resource(file)
	}
	decision, err := policy.Check(ctx, f.d.Decider, who, do, on)
	if err != nil {
		return nil, decision, err
	}
	if missing != nil || file.ErasedAt != nil {
		return nil, decision, errFileUnknown.With(missing)
	}
	return file, decision, nil
}

func resource(file *File) policy.Resource {
	return policy.Resource{Kind: kindFile, ID: file.ID, Owner: file.CreatedBy, Name: file.Filename, Extension: extension(file.Filename),
		ContentType: file.MimeType, Size: file.Size}
}

// Storage tells which config a file lies in, for its owner's eyes; the zero
// value when it is gone.
func (f *Files) Storage(ctx context.Context, configID string) Storage {
	s, err := f.d.Storages.Storage(ctx, configID)
	if err != nil && !ports.Is(err, ports.NotFound) {
		f.d.report("read a storage config", err)
	}
	return s
}

// Links signs the direct links of a file for its owner; empty when storage does
// not give them.
func (f *Files) Links(ctx context.Context, file *File) Links {
	links, err := f.direct(ctx, file)
	f.d.report("sign links of a file", err)
	return links
}

// SizeLimit is the operator's bound on one file, in bytes; 0 means none.
func (f *Files) SizeLimit() int64 { return max(f.d.Settings.MaxUploadSize(), 0) }

// TypeOf returns the type code and name of a file name, by the settings.
func (f *Files) TypeOf(name string) (int, string) { return TypeOf(f.d.Settings, name) }

// FileChange is an update of a file. What is not set stays.
type FileChange struct {
	Remark    Field[string]
	Slug      Field[string] // empty keeps the old one
	ExpiresAt Field[*time.Time]
	MaxViews  Field[int64]  // setting it starts the count anew
	Password  Field[string] // empty removes it
	UseProxy  Field[bool]
}

func (in FileChange) empty() bool {
	return !(in.Remark.Set || in.Slug.Set || in.ExpiresAt.Set || in.MaxViews.Set || in.Password.Set || in.UseProxy.Set)
}

// Update changes a file. It asks file.update.
//
// Returns Invalid for bad input and for a key that names no field, NotFound for
// an unknown file or one of others, Conflict when the slug is taken.
func (f *Files) Update(ctx context.Context, who policy.Principal, id string, in FileChange) (*File, error) {
	plan, err := f.PlanUpdate(ctx, who, id, in)
	if err != nil {
		return nil, err
	}
	return f.Apply(ctx, plan)
}

// FileUpdatePlan is a change that may be made.
type FileUpdatePlan struct {
	id   string
	in   FileChange
	hash string // of the new password; empty without one
	now  time.Time
}

// PlanUpdate is the first step of Update: it asks, checks and hashes. It changes
// nothing, so it may run before a transaction that Apply joins.
func (f *Files) PlanUpdate(ctx context.Context, who policy.Principal, id string, in FileChange) (*FileUpdatePlan, error) {
	now := f.d.Clock.Now()
	file, decision, err := f.own(ctx, who, policy.FileUpdate, id)
	if err != nil {
		return nil, hideForeign(decision, err, errFileUnknown)
	}
	if in.Slug.Value == file.Slug {
		in.Slug.Value = ""
	}
	if err := in.check(who, file, now); err != nil {
		return nil, err
	}
	after := *file
	in.apply(&after, "", now)
	terms := shareTerms(after.Protected() || in.Password.Value != "", after.ExpiresAt, after.MaxViews, now)
	if err := keep(decision.Obligations, terms, 0); err != nil {
		return nil, err
	}
	plan := &FileUpdatePlan{id: id, in: in, now: now}
	if in.Password.Value != "" {
		plan.hash, err = f.d.Hasher.Hash(ctx, in.Password.Value)
	}
	return plan, err
}

// Apply is the second step of Update.
func (f *Files) Apply(ctx context.Context, plan *FileUpdatePlan) (*File, error) {
	seen := f.views.take(plan.id) // they belong to the old limit
	changed, err := f.repo.Update(ctx, plan.id, func(e *File) error {
		if e.ErasedAt != nil {
			return errFileUnknown
		}
		e.Views += seen
		plan.in.apply(e, plan.hash, plan.now)
		return nil
	})
	if err != nil {
		f.views.giveBack(plan.id, seen)
		return nil, err
	}
	f.forget(ctx, plan.id)
	return changed, nil
}

func (in FileChange) check(who policy.Principal, old *File, now time.Time) error {
	if in.empty() && who.Kind == policy.APIKey {
		return ports.InvalidInput("nothing_to_change", "body")
	}
	if in.Slug.Value != "" {
		if err := CheckSlug(in.Slug.Value); err != nil {
			return err
		}
	}
	terms := Terms{Password: in.Password.Value, MaxViews: in.MaxViews.Value}
	if !sameTime(in.ExpiresAt.Value, old.ExpiresAt) {
		terms.ExpiresAt = in.ExpiresAt.Value
	}
	return first(checkRemark(in.Remark.Value), terms.check(now))
}

func (in FileChange) apply(e *File, hash string, now time.Time) {
	if in.Remark.Set {
		e.Remark = in.Remark.Value
	}
	if in.Slug.Value != "" {
		e.Slug = in.Slug.Value
	}
	if in.ExpiresAt.Set {
		e.ExpiresAt = utc(in.ExpiresAt.Value)
	}
	if in.MaxViews.Set {
		e.MaxViews, e.Views, e.UsedUpAt = in.MaxViews.Value, 0, nil
	}
	if in.Password.Set {
		e.PasswordHash = hash
	}
	if in.UseProxy.Set {
		e.UseProxy = in.UseProxy.Value
	}
	e.UpdatedAt = now
	e.Version++
}

// DeleteMode says what goes when a file is deleted.
type DeleteMode string

// The delete modes (contract §7.10).
const (
	DeleteBoth   DeleteMode = "both"
	DeleteRecord DeleteMode = "record_only"
)

// Deleted is the outcome of a batch delete.
type Deleted struct {
	Done   int
	Failed []FailedItem
}

// FailedItem is an item of a batch that was left alone.
type FailedItem struct {
	ID  string
	Err error
}

// Delete removes files, and their objects with DeleteBoth, unless another file
// uses the same object or the file lies in a mount. Files of others count as
// unknown. It asks file.delete.
//
// Returns Invalid for an unknown mode, without ids and for more than MaxBatch.
func (f *Files) Delete(ctx context.Context, who policy.Principal, ids []string, mode DeleteMode) (Deleted, error) {
	decision, err := policy.Check(ctx, f.d.Decider, who, policy.FileDelete, policy.Resource{Kind: kindFile, Owner: who.Owner()})
	if err != nil {
		return Deleted{}, err
	}
	if err := checkBatch(ids); err != nil {
		return Deleted{}, err
	}
	if mode != DeleteBoth && mode != DeleteRecord {
		return Deleted{}, ports.InvalidInput("delete_mode_invalid", "delete_mode")
	}
	var done Deleted
	for _, id := range ids {
		if err := f.deleteOne(ctx, who, decision.Scope, id, mode); err != nil {
			done.Failed = append(done.Failed, FailedItem{ID: id, Err: err})
		} else {
			done.Done++
		}
	}
	return done, nil
}

func (f *Files) deleteOne(ctx context.Context, who policy.Principal, scope policy.Scope, id string, mode DeleteMode) error {
	if !looksLikeID(id) {
		return errFileUnknown
	}
	file, err := f.repo.Get(ctx, id)
	if err != nil {
		return storageError(err)
	}
	if scope != policy.All && !who.Owns(file.CreatedBy) {
		return errFileUnknown
	}
	return f.remove(ctx, file, mode == DeleteBoth)
}

// remove deletes the record, so that readers stop at once, and then the object.
// An object that cannot be deleted is reported; the record is gone all the same.
func (f *Files) remove(ctx context.Context, file *File, object bool) error {
	n, err := f.repo.Delete(ctx, file.ID)
	if err != nil {
		return err
	}
	f.forget(ctx, file.ID)
	if n == 0 {
		return errFileUnknown
	}
	if object {
		f.d.report("delete the object of a file", dropObject(ctx, f.repo, f.d.Storages, file))
	}
	return nil
}

// dropObject deletes the object of a file that has gone or is about to, unless
// the object belongs to a mount, another file uses it, or it is older than a
// file that never arrived.
func dropObject(ctx context.Context, repo FileRepository, storages Storages, file *File) error {
	if file.FilePath != "" || file.ErasedAt != nil {
		return nil
	}
	others, err := repo.ObjectUsers(ctx, file.StorageConfigID, file.StoragePath, file.ID)
	if err != nil || others > 0 {
		return err
	}
	bucket, err := storages.Bucket(ctx, file.StorageConfigID)
	if err != nil {
		return err
	}
	if file.UploadID != "" && bucket.Multipart() != nil {
		if err := bucket.Multipart().Abort(ctx, file.StoragePath, file.UploadID); err != nil {
			return err
		}
	}
	if file.Pending {
		object, err := bucket.Stat(ctx, file.StoragePath)
		if ports.Is(err, ports.NotFound) || err == nil && older(object, file) {
			return nil
		}
		if err != nil {
			return err
		}
	}
	failed, err := bucket.Delete(ctx, file.StoragePath)
	if err == nil {
		err = failed[file.StoragePath]
	}
	return err
}

// older reports whether an object was there before the file was announced;
// storages round to seconds.
func older(object objstore.Object, file *File) bool {
	return object.ModTime.Before(file.CreatedAt.Add(-time.Second))
}

// Numbers counts files, in all and by day, for a caller who has asked
// admin.stats.read.
func (f *Files) Numbers(ctx context.Context, days int) (Numbers, error) {
	total, perDay, err := f.repo.CountByDay(ctx, f.d.Clock.Now(), days)
	return Numbers{Total: total, PerDay: perDay}, err
}

// Usage sums files and bytes by storage config, for a caller who has asked
// admin.stats.read.
func (f *Files) Usage(ctx context.Context) (map[string]FileUsage, error) { return f.repo.Usage(ctx) }

// forget drops a changed file here and on other nodes.
func (f *Files) forget(ctx context.Context, id string) {
	f.cache.drop(id)
	f.d.publish(ctx, kindFile, id)
}
