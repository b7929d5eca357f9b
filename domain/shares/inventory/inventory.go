// Package inventory is what is shared, texts, files and collections together, for
// administrators.
package inventory

import (
	"context"
	"time"

	"pasteport/domain/shares"
	"pasteport/domain/shares/collections"
	"pasteport/ports"
	"pasteport/ports/policy"
)

// Share is a text, a file or a collection in the inventory of all that is shared.
type Share struct {
	Kind            string // "paste", "file" or "collection"
	ID              string
	Slug            string
	Collection      string // slug of the collection that a file is an item of
	Name            string // file name, remark of a text, or title
	StorageConfigID string // of a file
	Path            string // mount path of a file that was shared from there, else its object key
	Size            int64  // bytes; of a collection, those of its items
	Protected       bool
	ExpiresAt       *time.Time
	MaxViews        int64
	Views           int64
	CreatedBy       string
	CreatedAt       time.Time
}

// Filter chooses shares, newest first unless Sort says otherwise. Empty fields
// choose all.
type Filter struct {
	Limit           int // 1 to 1000
	Before          Cursor
	Offset          int // shares to leave out, for lists that count their pages
	Sort            Sort
	Kind            string // "paste", "file" or "collection"
	StorageConfigID string
	MountPath       string // files that were shared from this folder of the mounts or below
	CreatedBy       string // "apikey:<id>" or an administrator's id
	Search          string // part of name or slug
	NeverExpires    bool
	Unused          bool      // nobody has looked yet
	CreatedBefore   time.Time // with Unused: those who had time to be looked at
	EndsAfter       time.Time // with EndsBefore: shares that end between the two
	EndsBefore      time.Time
}

// Sort says in which order a list comes.
type Sort struct {
	By        string // one of SortKeys; empty means SortCreated
	Ascending bool
}

// The keys that the inventory is sorted by.
const (
	SortCreated = "created_at"
	SortSize    = "size"
	SortViews   = "views"
	SortExpiry  = "expires_at" // shares without end come after all others, going up
)

// SortKeys are all keys that the inventory is sorted by.
var SortKeys = []string{SortCreated, SortSize, SortViews, SortExpiry}

// Cursor is where a page ended; the zero value is the beginning.
type Cursor struct {
	CreatedAt time.Time
	ID        string
}

// Page is a page of the inventory.
type Page struct {
	Shares []Share
	Total  int
	More   bool
}

// Repository lists texts, files and collections together; items of collections
// are files. Used-up and erased ones and
// pending files are left out.
type Repository interface {
	Shares(ctx context.Context, f Filter) (Page, error)
}

// Inventory is what is shared, for the administrator.
type Inventory struct {
	repository Repository
	pastes     *shares.Pastes
	files      *shares.Files
	sets       *collections.Collections
	decider    policy.Decider
}

// New returns an Inventory over all shares.
func New(repository Repository, pastes *shares.Pastes, files *shares.Files, sets *collections.Collections, decider policy.Decider) *Inventory {
	return &Inventory{repository, pastes, files, sets, decider}
}

// List tells what is shared. Asks admin.shares.read.
func (i *Inventory) List(ctx context.Context, who policy.Principal, f Filter) (Page, error) {
	if _, err := policy.Check(ctx, i.decider, who, policy.SharesRead, policy.Resource{Kind: policy.KindShare}); err != nil {
		return Page{}, err
	}
	page, err := i.repository.Shares(ctx, f)
	return page, ports.Wrap("list shares", err)
}

// Ref names a share of the inventory.
type Ref struct {
	Kind string
	ID   string
}

// Revoke deletes shares; each fails by itself. With objects the objects of
// files go too, unless they belong to a mount or to another share. Asks
// admin.shares.write. Returns Invalid for none or too many.
func (i *Inventory) Revoke(ctx context.Context, who policy.Principal, refs []Ref, objects bool) (shares.Deleted, error) {
	if _, err := policy.Check(ctx, i.decider, who, policy.SharesWrite, policy.Resource{Kind: policy.KindShare}); err != nil {
		return shares.Deleted{}, err
	}
	ids := make([]string, len(refs))
	for n, ref := range refs {
		ids[n] = ref.ID
	}
	if err := shares.CheckBatch(ids); err != nil {
		return shares.Deleted{}, err
	}
	var done shares.Deleted
	for _, ref := range refs {
		if err := i.revoke(ctx, ref, objects); err != nil {
			done.Failed = append(done.Failed, shares.FailedItem{ID: ref.ID, Err: err})
		} else {
			done.Done++
		}
	}
	return done, nil
}

func (i *Inventory) revoke(ctx context.Context, ref Ref, objects bool) error {
	switch ref.Kind {
	case policy.KindPaste:
		return i.pastes.Revoke(ctx, ref.ID)
	case policy.KindFile:
		return i.files.Revoke(ctx, ref.ID, objects)
	case policy.KindCollection:
		return i.sets.Revoke(ctx, ref.ID, objects)
	}
	return ports.InvalidInput("share.kind", "kind")
}
