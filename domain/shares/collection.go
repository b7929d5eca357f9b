package shares

import (
	"context"
	"time"

	"pasteport/ports"
	"pasteport/ports/policy"
)

// kindCollection names collections in policy resources and messages to other
// nodes.
const kindCollection = policy.KindCollection

// Bounds of collections.
const (
	MaxItems = 1000 // files in one collection
	MaxTitle = 200  // bytes
)

// Collection is one link for several files. Its items are File records that
// name it: what they hold is counted as for every file, but they have no gate
// and no link of their own any more.
type Collection struct {
	ID    string // UUIDv7
	Slug  string // among collections
	Title string // for people; may be empty
	Gate
	CreatedBy string
	CreatedAt time.Time
	UpdatedAt time.Time
	Version   int64 // grows with every change of the link and its gate
}

// CollectionFilter chooses collections for a list, newest first. Used-up and
// erased ones are not listed; expired ones are until they are erased.
type CollectionFilter struct {
	ports.Paging
	CreatedBy string // empty means everybody's
	Search    string // substring of title and slug
}

// CollectionRepository stores collections; their items are in the
// FileRepository.
type CollectionRepository interface {
	// Insert returns Conflict with Key "slug_taken" when the slug exists.
	ports.Repository[Collection, CollectionFilter]

	// BySlug returns the collection, expired, used-up and erased ones included.
	BySlug(ctx context.Context, slug string) (*Collection, error)
	// TakeView counts one view of a collection that has a limit, as for pastes.
	TakeView(ctx context.Context, id string, now time.Time) (views int64, err error)
	// AddViews adds counted views of unlimited collections, by id, as for pastes.
	AddViews(ctx context.Context, views map[string]int64) error
}

// resource is what the rules see of a collection.
func (c *Collection) resource() policy.Resource {
	return policy.Resource{Kind: kindCollection, ID: c.ID, Slug: c.Slug, Owner: c.CreatedBy, Name: c.Title}
}
