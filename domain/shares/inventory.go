package shares

import (
	"context"
	"time"

	"pasteport/ports"
	"pasteport/ports/policy"
)

// Share is a text or a file in the inventory of all that is shared.
type Share struct {
	Kind            string // "paste" or "file"
	ID              string
	Slug            string
	Name            string // file name, or remark of a text
	StorageConfigID string // of a file
	Path            string // mount path of a file that was shared from there, else its object key
	Size            int64  // bytes
	Protected       bool
	ExpiresAt       *time.Time
	MaxViews        int64
	Views           int64
	CreatedBy       string
	CreatedAt       time.Time
}

// ShareFilter chooses shares, newest first. Empty fields choose all.
type ShareFilter struct {
	Limit           int // 1 to 1000
	Before          ShareCursor
	Kind            string // "paste" or "file"
	StorageConfigID string
	MountPath       string // files that were shared from this folder of the mounts or below
	CreatedBy       string // "apikey:<id>" or an administrator's id
	Search          string // part of name or slug
	NeverExpires    bool
	Unused          bool      // nobody has looked yet
	CreatedBefore   time.Time // with Unused: those who had time to be looked at
}

// ShareCursor is where a page ended; the zero value is the beginning.
type ShareCursor struct {
	CreatedAt time.Time
	ID        string
}

// SharePage is a page of the inventory.
type SharePage struct {
	Shares []Share
	Total  int
	More   bool
}

// ShareRepository lists texts and files together. Used-up and erased ones and
// pending files are left out.
type ShareRepository interface {
	Shares(ctx context.Context, f ShareFilter) (SharePage, error)
}

// Inventory is what is shared, for the administrator.
type Inventory struct {
	repository ShareRepository
	pastes     *Pastes
	files      *Files
	decider    policy.Decider
}

// NewInventory returns an Inventory over the shares of pastes and files.
func NewInventory(repository ShareRepository, pastes *Pastes, files *Files, decider policy.Decider) *Inventory {
	return &Inventory{repository, pastes, files, decider}
}

// List tells what is shared. Asks admin.shares.read.
func (i *Inventory) List(ctx context.Context, who policy.Principal, f ShareFilter) (SharePage, error) {
	if _, err := policy.Check(ctx, i.decider, who, policy.SharesRead, policy.Resource{Kind: policy.KindShare}); err != nil {
		return SharePage{}, err
	}
	page, err := i.repository.Shares(ctx, f)
	return page, ports.Wrap("list shares", err)
}

// ShareRef names a share of the inventory.
type ShareRef struct {
	Kind string
	ID   string
}

// Revoke deletes shares; each fails by itself. With objects the objects of
// files go too, unless they belong to a mount or to another share. Asks
// admin.shares.write. Returns Invalid for none or too many.
func (i *Inventory) Revoke(ctx context.Context, who policy.Principal, refs []ShareRef, objects bool) (Deleted, error) {
	if _, err := policy.Check(ctx, i.decider, who, policy.SharesWrite, policy.Resource{Kind: policy.KindShare}); err != nil {
		return Deleted{}, err
	}
	ids := make([]string, len(refs))
	for n, ref := range refs {
		ids[n] = ref.ID
	}
	if err := checkBatch(ids); err != nil {
		return Deleted{}, err
	}
	var done Deleted
	for _, ref := range refs {
		if err := i.revoke(ctx, ref, objects); err != nil {
			done.Failed = append(done.Failed, FailedItem{ID: ref.ID, Err: err})
		} else {
			done.Done++
		}
	}
	return done, nil
}

func (i *Inventory) revoke(ctx context.Context, ref ShareRef, objects bool) error {
	if !looksLikeID(ref.ID) {
		return ErrFileUnknown
	}
	switch ref.Kind {
	case kindPaste:
		n, err := i.pastes.repo.Delete(ctx, ref.ID)
		i.pastes.forget(ctx, ref.ID)
		if err == nil && n == 0 {
			return errPasteUnknown
		}
		return err
	case kindFile:
		file, err := i.files.repo.Get(ctx, ref.ID)
		if ports.Is(err, ports.NotFound) {
			return ErrFileUnknown
		}
		if err != nil {
			return err
		}
		return i.files.remove(ctx, file, objects)
	}
	return ports.InvalidInput("share.kind", "kind")
}
