package versions

import (
	"context"
	"time"

	"pasteport/domain/shares"
	"pasteport/domain/shares/internal/gate"
	"pasteport/ports"
	"pasteport/ports/objstore"
	"pasteport/ports/policy"
	"pasteport/ports/revision"
)

var errUnknown = &ports.Error{Code: ports.NotFound, Key: "not_found", Text: "paste.revision_unknown"}

// Versions are the files that shares had before, for those who own the shares.
type Versions struct {
	files  *shares.Files
	keeper *Keeper
}

// New returns the versions of files.
func New(files *shares.Files, keeper *Keeper) *Versions { return &Versions{files, keeper} }

// Version is a file that a share has or had.
type Version struct {
	revision.Revision // EditedAt is when it was uploaded or brought back
	Filename          string
}

// History is what is kept of a share.
type History struct {
	Off     bool // what is replaced is not kept
	Current Version
	Earlier []Version // newest first
}

func versionOf(f *shares.File) Version {
	return Version{revision.Revision{Version: f.Version, Size: f.Size, EditedBy: f.CreatedBy, EditedAt: f.CreatedAt}, f.Filename}
}

// History lists what is kept of a file share. It asks file.read_own. Returns
// NotFound for an unknown id, Forbidden for a file of somebody else.
func (v *Versions) History(ctx context.Context, who policy.Principal, id string) (h History, err error) {
	file, _, err := v.files.Own(ctx, who, policy.FileReadOwn, id)
	if err != nil {
		return h, err
	}
	earlier, err := v.keeper.repo.Versions(ctx, id)
	if err != nil {
		return h, err
	}
	h = History{Off: file.KeepNone, Current: versionOf(file)}
	for i := range earlier {
		h.Earlier = append(h.Earlier, versionOf(&earlier[i]))
	}
	return h, nil
}

// Opened is a version whose bytes can be read.
type Opened struct {
	*shares.File
	bucket objstore.Bucket
}

// Open finds a version of a file share. It asks what History asks.
func (v *Versions) Open(ctx context.Context, who policy.Principal, id string, version int64) (*Opened, error) {
	if _, _, err := v.files.Own(ctx, who, policy.FileReadOwn, id); err != nil {
		return nil, err
	}
	earlier, err := v.keeper.repo.Versions(ctx, id)
	if err != nil {
		return nil, err
	}
	for i := range earlier {
		if earlier[i].Version == version {
			bucket, err := v.keeper.d.Storages.Bucket(ctx, earlier[i].StorageConfigID)
			return &Opened{&earlier[i], bucket}, err
		}
	}
	return nil, errUnknown
}

// Read reads a version or a part of it. The caller closes the body. Returns
// NotFound when storage has lost it.
func (o *Opened) Read(ctx context.Context, r objstore.Range) (*objstore.Body, error) {
	return o.bucket.Read(ctx, o.StoragePath, r)
}

// Restore makes a version the file of its share again, and what the share has now
// its newest version. No byte moves. It asks file.update.
//
// Returns NotFound for files of others, and for a version that is not kept.
func (v *Versions) Restore(ctx context.Context, who policy.Principal, id string, version int64) (*shares.File, error) {
	_, decision, err := v.files.Own(ctx, who, policy.FileUpdate, id)
	if err != nil {
		return nil, gate.HideForeign(decision, err, shares.ErrFileUnknown)
	}
	now := v.keeper.d.Clock.Now()
	present, err := v.keeper.repo.Exchange(ctx, id, version, func(present, former *shares.File) error {
		if present.Pending || v.keeper.d.Over(present) {
			return shares.ErrFileUnknown
		}
		exchange(present, former, now)
		return nil
	})
	v.files.Forget(ctx, id)
	if ports.Is(err, ports.NotFound) {
		return nil, errUnknown.With(err)
	}
	return present, err
}

// exchange swaps what two shares hold. Links and gates stay.
func exchange(present, former *shares.File, now time.Time) {
	was, placed := *present, present.Placed()
	took := former.Placed()
	hold(present, former)
	hold(former, &was)
	present.PlacedAt, former.PlacedAt = &took, &placed
	former.CreatedBy, former.CreatedAt, former.UpdatedAt, former.UsedUpAt, former.Version = was.CreatedBy, was.CreatedAt, now, &now, was.Version
	present.CreatedAt, present.UpdatedAt, present.Version = now, now, was.Version+1
}

func hold(f, other *shares.File) {
	f.Filename, f.StorageConfigID, f.StorageType, f.StoragePath = other.Filename, other.StorageConfigID, other.StorageType, other.StoragePath
	f.MimeType, f.Size, f.ETag = other.MimeType, other.Size, other.ETag
}

// Switch says whether uploads keep what they replace of a share. If not, what is
// kept is gone at once, and its bytes with the next sweeps. It asks file.update.
//
// Returns Invalid when keep is not set.
func (v *Versions) Switch(ctx context.Context, who policy.Principal, id string, keep shares.Field[bool]) error {
	file, decision, err := v.files.Own(ctx, who, policy.FileUpdate, id)
	if err != nil {
		return gate.HideForeign(decision, err, shares.ErrFileUnknown)
	}
	if file.Replaces != "" {
		id = file.Replaces
	}
	if !keep.Set {
		return ports.InvalidInput("required", "keep")
	}
	if _, err := v.keeper.d.Files.Update(ctx, id, func(e *shares.File) error {
		e.KeepNone = !keep.Value
		return nil
	}); err != nil || keep.Value {
		return err
	}
	return v.keeper.repo.LetGo(ctx, id, 0, v.keeper.d.Clock.Now())
}
