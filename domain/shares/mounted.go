package shares

import (
	"context"
	"strings"

	"pasteport/domain/shares/internal/naming"
	"pasteport/ports"
	"pasteport/ports/filetype"
	"pasteport/ports/objstore"
	"pasteport/ports/policy"
)

// MountedFile is a file of a mount that is to be shared where it lies.
type MountedFile struct {
	StorageConfigID string
	StorageType     string
	StoragePath     string // object key
	FilePath        string // path in the tree of mounts
	Filename        string
	Size            int64 // bytes
	ETag            string

	Slug      string // empty means a generated one
	Remark    string
	Password  string
	ExpiresIn int64 // hours; 0 means never
	MaxViews  int64 // 0 means unlimited
	Latch
}

// MountedFiles are the shares of what lies in mounts. It is safe for concurrent
// use.
type MountedFiles struct {
	d     Deps
	files *Files
}

// NewMountedFiles returns the shares of what lies in mounts.
func NewMountedFiles(files *Files) *MountedFiles { return &MountedFiles{d: files.d, files: files} }

// Share makes a share of a file that stays in its mount: deleting the
// share never deletes the object. The caller has asked the policy for
// mount.share; o are the limits of its answer.
//
// Returns Invalid for bad input, Conflict when the slug is taken, Forbidden
// when the limits do not allow what is asked (contract §4.14).
func (f *MountedFiles) Share(ctx context.Context, who policy.Principal, o policy.Obligations, in MountedFile) (*File, error) {
	now, limits := f.d.Clock.Now(), f.d.Settings.ShareLimits()
	asked := NewUpload{Filename: in.Filename, Slug: in.Slug, Remark: in.Remark, Password: in.Password, ExpiresIn: in.ExpiresIn, MaxViews: in.MaxViews, Latch: in.Latch}.bounded(limits, now)
	if err := asked.check(now); err != nil {
		return nil, err
	}
	terms := asked.terms(now)
	if err := terms.Obey(limits, o, now, in.Size); err != nil {
		return nil, err
	}
	file := &File{
		ID: f.d.Random.ID(), Filename: in.Filename, StorageConfigID: in.StorageConfigID, StorageType: in.StorageType, StoragePath: in.StoragePath,
		FilePath: in.FilePath, MimeType: filetype.ContentType(in.Filename), Size: in.Size, ETag: in.ETag, Remark: in.Remark,
		Gate:     terms.Gate(""),
		UseProxy: true, CreatedBy: who.Owner(), CreatedAt: now, UpdatedAt: now, Version: 1,
	}
	if in.Password != "" {
		var err error
		if file.PasswordHash, err = f.d.Hasher.Hash(ctx, in.Password); err != nil {
			return nil, err
		}
	}
	err := naming.WithSlug(f.d.Random, in.Slug, false, func(slug string) error {
		file.Slug = slug
		return f.d.Files.Insert(ctx, file)
	})
	if err != nil {
		return nil, err
	}
	return file, nil
}

// MaxMarks bounds the shares that SharedIn tells of.
const MaxMarks = 1000

// SharedIn lists the open shares of the files that lie directly below prefix,
// newest first and at most MaxMarks: those of one owner, or all when createdBy
// is empty. It asks nobody: whose shares of the folder the caller may see was
// asked before.
func (f *MountedFiles) SharedIn(ctx context.Context, createdBy, configID, prefix string) ([]File, error) {
	found, err := f.d.FileObjects.InFolder(ctx, configID, prefix, createdBy, f.d.Clock.Now(), MaxMarks)
	for i := range found {
		found[i].Views += f.files.views.Pending(found[i].ID)
	}
	return found, ports.Wrap("list shares of a folder", err)
}

// MovedObjects says that an object, or all below a prefix, lies elsewhere now.
type MovedObjects struct {
	FromConfig, ToConfig string // ids of the storage configs
	FromKey, ToKey       string // keys, or prefixes that end in "/"
	FromPath, ToPath     string // in the tree of mounts, without "/" at the end
	ToType               string // storage type of the target
	Folder               bool
}

// Follow looks at the moved objects that shares hold, and returns what lets the
// shares lead to where those are now. That asks nobody, joins the unit of work
// in its ctx, and may be repeated.
//
// A copy may have another ETag than its original, as it does where that came in
// parts; a share that did not learn it would take the copy for a foreign object.
func (f *MountedFiles) Follow(ctx context.Context, m MovedObjects) (follow func(ctx context.Context) error, err error) {
	tags, err := f.tagsOf(ctx, m)
	if err != nil {
		return nil, err
	}
	placed := f.d.Clock.Now()
	return func(ctx context.Context) error {
		return f.each(ctx, m, func(file *File) error {
			_, err := f.d.Files.Update(ctx, file.ID, func(e *File) error {
				if m.apply(e) {
					e.PlacedAt = &placed
					if tag := tags[e.ID]; tag != "" {
						e.ETag = tag
					}
				}
				return nil
			})
			f.files.Forget(ctx, file.ID)
			if ports.Is(err, ports.NotFound) {
				return nil
			}
			return err
		})
	}, nil
}

// followedAtOnce is how many shares of moved objects are read at once.
const followedAtOnce = 500

// each calls do for the shares of what lies where m's objects came from.
func (f *MountedFiles) each(ctx context.Context, m MovedObjects, do func(*File) error) error {
	for after := ""; ; {
		files, err := f.d.FileObjects.AtObjects(ctx, m.FromConfig, m.FromKey, m.Folder, after, followedAtOnce)
		if err != nil {
			return err
		}
		for i := range files {
			if err := do(&files[i]); err != nil {
				return err
			}
			after = files[i].ID
		}
		if len(files) < followedAtOnce {
			return nil
		}
	}
}

// tagsOf asks storage for the ETags that the objects of shares have where m has
// moved them, by the share's id. One that is not there is left out.
func (f *MountedFiles) tagsOf(ctx context.Context, m MovedObjects) (map[string]string, error) {
	var bucket objstore.Bucket
	tags := map[string]string{}
	return tags, f.each(ctx, m, func(file *File) (err error) {
		if bucket == nil { // most moved objects have no share
			if bucket, err = f.d.Storages.Bucket(ctx, m.ToConfig); err != nil {
				return err
			}
		}
		moved := *file
		if !m.apply(&moved) {
			return nil
		}
		object, err := bucket.Stat(ctx, moved.StoragePath)
		if ports.Is(err, ports.NotFound) {
			return nil
		}
		tags[file.ID] = object.ETag
		return err
	})
}

// apply leads a share to where m has moved its object, and reports whether it
// was m that moved it.
func (m MovedObjects) apply(f *File) bool {
	rest, inside := strings.CutPrefix(f.StoragePath, m.FromKey)
	if f.StorageConfigID != m.FromConfig || !inside || rest != "" && !m.Folder {
		return false // it was moved by somebody else meanwhile
	}
	f.StorageConfigID, f.StorageType, f.StoragePath = m.ToConfig, m.ToType, m.ToKey+rest
	if f.FilePath == "" {
		return true
	}
	f.FilePath = m.ToPath
	if rest != "" {
		f.FilePath = strings.TrimSuffix(m.ToPath, "/") + "/" + rest
	}
	return true
}
