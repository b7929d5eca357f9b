// Package collections is one link for several files.
package collections

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"time"

	"pasteport/domain/shares"
	"pasteport/domain/shares/internal/gate"
	"pasteport/ports"
	"pasteport/ports/policy"
)

// Bounds of collections.
const (
	MaxItems = 1000 // files in one collection
	MaxTitle = 200  // bytes
)

// Collection is one link for several files. Its items are shares.File records that
// name it: what they hold is counted as for every file, but they have no gate
// and no link of their own any more.
type Collection struct {
	ID    string // UUIDv7
	Slug  string // among collections
	Title string // for people; may be empty
	// Root is the folder of a mount that it is, by its canonical path; empty means
	// that its items are files.
	Root string
	// Picks are what of Root is part of it, with all below: paths below Root; none
	// means everything.
	Picks []string
	// Stood keeps Root as it was when the link was made: what came later is not part
	// of it, and what was changed is handed out no more.
	Stood bool
	shares.Gate
	// MaxDownloads limits how often files and the ZIP file are downloaded; 0 means
	// any number. What a page shows is no download.
	MaxDownloads int64
	Look         Look  // what visitors see first
	Downloads    int64 // counted where they are limited
	CreatedBy    string
	CreatedAt    time.Time
	UpdatedAt    time.Time
	Version      int64 // grows with every change of the link and its gate
}

// Filter chooses collections for a list, newest first. Used-up and
// erased ones are not listed; expired ones are until they are erased.
type Filter struct {
	ports.Paging
	CreatedBy string // empty means everybody's
	Search    string // substring of title and slug
	Root      string // the folder that they are; empty means any, and files
	Folders   bool   // only those that are folders
}

// Repository stores collections; Items finds what is in them.
type Repository interface {
	// Insert returns Conflict with Key "slug_taken" when the slug exists.
	ports.Repository[Collection, Filter]

	// BySlug returns the collection, expired, used-up and erased ones included.
	BySlug(ctx context.Context, slug string) (*Collection, error)
	// TakeView counts one view of a collection that has a limit, as for pastes.
	TakeView(ctx context.Context, id string, now time.Time) (views int64, err error)
	// AddViews adds counted views of unlimited collections, by id, as for pastes.
	AddViews(ctx context.Context, views map[string]int64) error
	// TakeDownload counts a download once for its name, and again when it was last
	// counted before Since. Returns Gone when none is left.
	TakeDownload(ctx context.Context, id string, d Download) error
	// KeepStands stores what a collection was when it was made.
	KeepStands(ctx context.Context, id string, all []Stand) error
	// Stands returns what a collection was at a path and below it, by path; an empty
	// path means all of it.
	Stands(ctx context.Context, id, at string) ([]Stand, error)
	// Around lists the open links for folders of mounts whose root is one of at, or,
	// for those without picks, is below and a name without "/"; newest first, at most
	// limit. createdBy narrows them to one owner; empty means any.
	Around(ctx context.Context, createdBy string, at []string, below string, now time.Time, limit int) ([]Collection, error)
}

// Items finds the items of collections among the files.
type Items interface {
	// Items lists the arrived files of a collection in their order; at most
	// MaxItems.
	Items(ctx context.Context, collection string) ([]shares.File, error)
}

var (
	errUnknown = &ports.Error{Code: ports.NotFound, Key: "not_found", Text: "collection.not_found"}
	// errTaken is a file that is an item of a collection already.
	errTaken = &ports.Error{Code: ports.Conflict, Key: "item_taken"}
	// errStale is a change of what somebody else has changed since it was seen.
	errStale = &ports.Error{Code: ports.Precondition, Key: "precondition_failed"}
	// errNoOwner keeps an empty owner from meaning everybody.
	errNoOwner = errors.New("collections of nobody in particular")

	ends = gate.Ends{Unknown: errUnknown, Expired: &ports.Error{Code: ports.Gone, Key: "expired", Text: "collection.expired"},
		UsedUp: &ports.Error{Code: ports.Gone, Key: "used_up", Text: "collection.used_up"}}
)

// ETag is the entity tag of the link with its items, in quotes: it is another one
// after every change of either, and the same whatever was only seen.
func (c *Collection) ETag(items []shares.File) string {
	tag := sha256.New()
	fmt.Fprintf(tag, "%s %d %q\n", c.ID, c.Version, c.Title)
	for i := range items {
		fmt.Fprintf(tag, "%s %q\n", items[i].ID, items[i].Filename)
	}
	return `"` + hex.EncodeToString(tag.Sum(nil)[:16]) + `"`
}

// resource is what the rules see of a collection.
func (c *Collection) resource() policy.Resource {
	on := policy.Resource{Kind: policy.KindCollection, ID: c.ID, Slug: c.Slug, Owner: c.CreatedBy, Name: c.Title}
	if c.Live() {
		on.Paths = []string{c.Root}
	}
	return on
}
