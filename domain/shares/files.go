package shares

import (
	"context"
	"sync/atomic"

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

// CacheUse and ClearCache are as for pastes.
func (f *Files) CacheUse() CacheUse { return f.cache.used() }

// ClearCache forgets the cached files and tells how many there were.
func (f *Files) ClearCache() int { return f.cache.empty() }

// Flush stores the views counted so far.
func (f *Files) Flush(ctx context.Context) error { return f.views.Flush(ctx) }

// FileReading is what a visitor gets to know of a file.
type FileReading struct {
	*File
	Views  int64 // after this visit
	Last   bool  // this was the last view
	Locked bool  // a password is needed; no links may be shown
	Direct Links // empty when the file is proxied, or when a gate stands
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

// reading signs the links and takes the view, where views are limited after the
// storage has shown the object: one that does not answer costs no view. What a
// gate stands before gets no link that leads round it.
func (f *Files) reading(ctx context.Context, s *fileSnapshot, uncounted bool) (r FileReading, err error) {
	r = FileReading{File: &s.File, Views: s.views.Load()}
	switch {
	case s.MaxViews > 0 && !uncounted:
		_, _, err = f.arrived(ctx, &s.File)
	case !s.Gated() && !s.UseProxy:
		r.Direct, err = f.direct(ctx, &s.File)
	}
	if err != nil {
		return r, storageError(err)
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

// enter lets a visitor up to the password: load, ask as Pastes.enter does, check
// that the share is open. admitted says that a ticket already proves password and view.
func (f *Files) enter(ctx context.Context, who policy.Principal, do policy.Action, slug, ticket string) (s *fileSnapshot, admitted bool, err error) {
	s, missing := f.load(ctx, slug)
	on := policy.Resource{Kind: kindFile, Slug: slug}
	if missing == nil {
		on = resource(&s.File)
		on.Share = s.seen(f.d.Clock.Now())
	}
	if _, err := policy.Check(ctx, f.d.Decider, who, do, on); err != nil {
		return nil, false, err
	}
	if missing != nil {
		return nil, false, missing
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
	if foreign, err := f.belongsToAnother(ctx, &s.File, object); err != nil {
		return nil, err
	} else if foreign {
		return nil, errFileUnknown
	}
	file, err := f.record(ctx, &s.File, object, storage)
	if err != nil {
		return nil, err
	}
	return f.snapshot(file), nil
}

// belongsToAnother reports whether what lies under the key of a file that is
// awaited is still the object of an older share of the same name. Nobody may
// get at that by announcing a file and never sending it.
func (f *Files) belongsToAnother(ctx context.Context, file *File, object objstore.Object) (bool, error) {
	if !file.Pending || !older(object, file) {
		return false, nil
	}
	others, err := f.d.FileObjects.ObjectUsers(ctx, file.StorageConfigID, file.StoragePath, file.ID)
	return others > 0, err
}

// record notes size and ETag of an object that a visitor found. One over the
// size limit or the capacity is nothing that was shared, and so unknown; files
// of mounts have their own bounds.
func (f *Files) record(ctx context.Context, file *File, object objstore.Object, storage Storage) (*File, error) {
	if file.FilePath == "" {
		if limit := f.SizeLimit(); limit > 0 && object.Size > limit {
			return nil, errFileUnknown
		}
		if file.Pending {
			c := claim(file, storage, policy.Obligations{})
			c.Arrived = true
			if err := f.d.settle(ctx, c, object.Size); ports.Is(err, ports.Quota) {
				return nil, errFileUnknown.With(err)
			} else if err != nil {
				return nil, err
			}
		}
	}
	changed, err := f.repo.Commit(ctx, file.ID, object.Size, object.ETag, 0, f.d.Clock.Now())
	if err == nil {
		f.d.tellStored(ctx, file, object)
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
	f.guard.came(ctx, s.ID, s.Version)
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
	filter.Paging, filter.Sort = page(filter.Paging, 30, decision.Obligations), filter.Sort.known(f.d.Clock.Now(), SortName)
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

// resource is what the rules see of a file. The path of a mounted file stands
// among the paths, so that a rule on a folder holds for links into it.
func resource(file *File) policy.Resource {
	on := policy.Resource{Kind: kindFile, ID: file.ID, Slug: file.Slug, Owner: file.CreatedBy, Name: file.Filename, Extension: extension(file.Filename),
		ContentType: file.MimeType, Size: file.Size, Storage: file.StorageConfigID}
	if file.FilePath != "" {
		on.Paths = []string{file.FilePath}
	}
	return on
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
// not give them, and for a share whose visits the gate must see.
func (f *Files) Links(ctx context.Context, file *File) Links {
	if file.Gated() {
		return Links{}
	}
	links, err := f.direct(ctx, file)
	f.d.report("sign links of a file", err)
	return links
}

// SizeLimit is the operator's bound on one file, in bytes; 0 means none.
func (f *Files) SizeLimit() int64 { return max(f.d.Settings.MaxUploadSize(), 0) }

// TypeOf returns the type code and name of a file name, by the settings.
func (f *Files) TypeOf(name string) (int, string) { return TypeOf(f.d.Settings, name) }

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
