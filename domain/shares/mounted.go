package shares

import (
	"context"
	"strings"

	"pasteport/ports"
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
}

// ShareMounted makes a share of a file that stays in its mount: deleting the
// share never deletes the object. The caller has asked the policy for
// mount.share; o are the limits of its answer.
//
// Returns Invalid for bad input, Conflict when the slug is taken, Forbidden
// when the limits do not allow what is asked (contract §4.14).
func (f *Files) ShareMounted(ctx context.Context, who policy.Principal, o policy.Obligations, in MountedFile) (*File, error) {
	now, limits := f.d.Clock.Now(), f.d.Settings.ShareLimits()
	asked := NewUpload{Filename: in.Filename, Slug: in.Slug, Remark: in.Remark, Password: in.Password, ExpiresIn: in.ExpiresIn, MaxViews: in.MaxViews}.bounded(limits)
	if err := asked.check(now); err != nil {
		return nil, err
	}
	terms := asked.terms(now)
	if err := first(terms.obey(limits, now), keep(o, terms.resource(now), in.Size)); err != nil {
		return nil, err
	}
	file := &File{
		ID: f.d.Random.ID(), Filename: in.Filename, StorageConfigID: in.StorageConfigID, StorageType: in.StorageType, StoragePath: in.StoragePath,
		FilePath: in.FilePath, MimeType: MimeType(in.Filename), Size: in.Size, ETag: in.ETag, Remark: in.Remark,
		Gate:     Gate{ExpiresAt: utc(terms.ExpiresAt), MaxViews: terms.MaxViews},
		UseProxy: true, CreatedBy: who.Owner(), CreatedAt: now, UpdatedAt: now, Version: 1,
	}
	if in.Password != "" {
		var err error
		if file.PasswordHash, err = f.d.Hasher.Hash(ctx, in.Password); err != nil {
			return nil, err
		}
	}
	err := withSlug(f.d.Random, in.Slug, false, func(slug string) error {
		file.Slug = slug
		return f.repo.Insert(ctx, file)
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
func (f *Files) SharedIn(ctx context.Context, createdBy, configID, prefix string) ([]File, error) {
	found, err := f.repo.InFolder(ctx, configID, prefix, createdBy, f.d.Clock.Now(), MaxMarks)
	for i := range found {
		found[i].Views += f.views.pending(found[i].ID)
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

// Follow lets the shares of moved objects lead to where those are now. It asks
// nobody, joins the unit of work in ctx, and may be repeated.
func (f *Files) Follow(ctx context.Context, m MovedObjects) error {
	const some = 500
	for {
		files, err := f.repo.AtObjects(ctx, m.FromConfig, m.FromKey, m.Folder, some)
		if err != nil {
			return err
		}
		for i := range files {
			if _, err := f.repo.Update(ctx, files[i].ID, func(e *File) error {
				m.apply(e)
				return nil
			}); err != nil && !ports.Is(err, ports.NotFound) {
				return err
			}
			f.forget(ctx, files[i].ID)
		}
		if len(files) < some {
			return nil
		}
	}
}

func (m MovedObjects) apply(f *File) {
	rest, inside := strings.CutPrefix(f.StoragePath, m.FromKey)
	if f.StorageConfigID != m.FromConfig || !inside || rest != "" && !m.Folder {
		return // it was moved by somebody else meanwhile
	}
	f.StorageConfigID, f.StorageType, f.StoragePath = m.ToConfig, m.ToType, m.ToKey+rest
	if f.FilePath == "" {
		return
	}
	f.FilePath = m.ToPath
	if rest != "" {
		f.FilePath = strings.TrimSuffix(m.ToPath, "/") + "/" + rest
	}
}
