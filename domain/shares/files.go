package shares

import (
	"context"

	"pasteport/domain/shares/internal/gate"
	"pasteport/domain/shares/internal/naming"
	"pasteport/domain/shares/internal/slugcache"
	"pasteport/domain/shares/internal/views"
	"pasteport/ports"
	"pasteport/ports/filetype"
	"pasteport/ports/objstore"
	"pasteport/ports/policy"
)

// kindFile names files in policy resources and messages to other nodes.
const kindFile = policy.KindFile

// Files are the shared files. It is safe for concurrent use. Somebody must call
// Run once, so that counted views are stored.
type Files struct {
	d     Deps
	repo  FileRepository
	views *views.Counter
	cache *slugcache.Cache[fileSnapshot]
}

// NewFiles returns the shared files over the ports of d.
func NewFiles(d Deps) *Files {
	return &Files{d: d, repo: d.Files, views: views.New(d.Files.AddViews), cache: slugcache.New[fileSnapshot](8<<20, d.Clock)}
}

// Run stores counted views each second and listens to other nodes until ctx
// ends; then it stores the rest and returns.
func (f *Files) Run(ctx context.Context) {
	if f.d.Invalidation != nil {
		f.d.Invalidation.Subscribe(ctx, kindFile, func(id string) {
			if id == "" {
				f.cache.Empty()
			} else {
				f.cache.Drop(id)
			}
		})
	}
	f.views.Run(ctx, f.d.Tell)
}

// CacheUse and ClearCache are as for pastes.
func (f *Files) CacheUse() CacheUse { return f.cache.Use() }

// ClearCache forgets the cached files and tells how many there were.
func (f *Files) ClearCache() int { return f.cache.Empty() }

// Flush stores the views counted so far.
func (f *Files) Flush(ctx context.Context) error { return f.views.Flush(ctx) }

// arrived asks storage for the object of a file.
func (f *Files) arrived(ctx context.Context, file *File) (objstore.Object, objstore.Storage, error) {
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
	filter.Paging, filter.Sort = gate.Page(filter.Paging, 30, decision.Obligations), filter.Sort.known(f.d.Clock.Now(), SortName)
	found, err := f.repo.List(ctx, filter)
	for i := range found.Items {
		found.Items[i].Views += f.views.Pending(found.Items[i].ID)
	}
	return found, filter.Paging, err
}

// Get returns a file to its owner with its direct links, and takes no view. The
// links are empty when storage does not give them. It asks file.read_own.
// Returns NotFound for an unknown id, Forbidden for a file of somebody else.
func (f *Files) Get(ctx context.Context, who policy.Principal, id string) (*File, Links, error) {
	file, _, err := f.Own(ctx, who, policy.FileReadOwn, id)
	if err != nil {
		return nil, Links{}, err
	}
	file.Views += f.views.Pending(file.ID)
	return file, f.Links(ctx, file), nil
}

// Own finds a file and asks whether who may do this to it. The decision comes
// back for callers that tell foreign files from refused ones.
func (f *Files) Own(ctx context.Context, who policy.Principal, do policy.Action, id string) (*File, policy.Decision, error) {
	file, missing := (*File)(nil), error(ErrFileUnknown)
	if naming.IsID(id) {
		if file, missing = f.repo.Get(ctx, id); missing == nil {
			file, missing = f.d.Announced(ctx, file)
		}
	}
	if missing != nil && !ports.Is(missing, ports.NotFound) {
		return nil, policy.Decision{}, missing
	}
	on := policy.Resource{Kind: kindFile, Owner: who.Owner()}
	if missing == nil {
		on = file.Resource()
	}
	decision, err := policy.Check(ctx, f.d.Decider, who, do, on)
	if err != nil {
		return nil, decision, err
	}
	if missing != nil || file.ErasedAt != nil || file.VersionOf != "" || file.Late() {
		return nil, decision, ErrFileUnknown.With(missing)
	}
	return file, decision, nil
}

// Resource is what the rules see of a file. The path of a mounted file stands
// among the paths, so that a rule on a folder holds for links into it.
func (file *File) Resource() policy.Resource {
	on := policy.Resource{Kind: kindFile, ID: file.ID, Slug: file.Slug, Owner: file.CreatedBy, Name: file.Filename, Extension: filetype.Extension(file.Filename),
		ContentType: file.MimeType, Size: file.Size, Storage: file.StorageConfigID}
	if file.FilePath != "" {
		on.Paths = []string{file.FilePath}
	}
	return on
}

// Storage tells which config a file lies in, for its owner's eyes; the zero
// value when it is gone.
func (f *Files) Storage(ctx context.Context, configID string) objstore.Storage {
	s, err := f.d.Storages.Storage(ctx, configID)
	if err != nil && !ports.Is(err, ports.NotFound) {
		f.d.Tell("read a storage config", err)
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
	f.d.Tell("sign links of a file", err)
	return links
}

// SizeLimit is the operator's bound on one file, in bytes; 0 means none.
func (f *Files) SizeLimit() int64 { return max(f.d.Settings.MaxUploadSize(), 0) }

// TypeOf returns the type code and name of a file name, by the settings.
func (f *Files) TypeOf(name string) (int, string) { return filetype.Of(f.d.Settings, name) }

// Numbers counts files, in all and by day, for a caller who has asked
// admin.stats.read.
func (f *Files) Numbers(ctx context.Context, days int) (Numbers, error) {
	total, perDay, err := f.repo.CountByDay(ctx, f.d.Clock.Now(), days)
	return Numbers{Total: total, PerDay: perDay}, err
}

// Usage sums files and bytes by storage config, for a caller who has asked
// admin.stats.read.
func (f *Files) Usage(ctx context.Context) (map[string]FileUsage, error) { return f.repo.Usage(ctx) }

// Forget drops a changed file here and on other nodes.
func (f *Files) Forget(ctx context.Context, id string) {
	f.cache.Drop(id)
	f.d.Publish(ctx, kindFile, id)
}
