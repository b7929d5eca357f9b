package shares

import (
	"context"
	"time"

	"pasteport/ports"
)

// Paste is a shared text.
type Paste struct {
	ID      string // UUIDv7
	Slug    string
	Content []byte // UTF-8; nil in lists without content and once erased
	Size    int64  // bytes of the whole content
	Syntax  string // "markdown", "text", a language name, or empty
	Remark  string
	Gate
	CreatedBy string // admin id or "apikey:<id>"
	CreatedAt time.Time
	UpdatedAt time.Time
	Version   int64 // grows by one with each update; not with views
}

// ContentPart says how much of the content a list carries.
type ContentPart int

// The parts of content in lists.
const (
	NoContent      ContentPart = iota
	ContentPreview             // the first 201 characters
	WholeContent
)

// PasteFilter chooses pastes for a list, newest first. Used-up and erased
// pastes are not listed; expired ones are until they are erased.
type PasteFilter struct {
	ports.Paging
	Sort
	CreatedBy string // empty means everybody's
	Search    string // substring of slug, remark and content, case-insensitive
	// SearchAll searches the whole content instead of its first 200 characters.
	SearchAll bool
	Content   ContentPart
}

// LargeContent is how large the content of a paste may be, in bytes, that comes
// with its record; of larger ones all readers share one copy.
const LargeContent = 128 << 10

// PasteRepository stores pastes. Visited, Content, TakeView and AddViews are the
// paths that visitors use.
type PasteRepository interface {
	// Get and Update carry the whole content. Insert returns errSlugTaken-like
	// Conflict with Key "slug_taken" when the slug exists.
	ports.Repository[Paste, PasteFilter]

	// BySlug returns the paste, expired, used-up and erased ones included.
	BySlug(ctx context.Context, slug string) (*Paste, error)
	// Visited is BySlug without the content where Size is over LargeContent.
	Visited(ctx context.Context, slug string) (*Paste, error)
	// Content returns the content of a paste in this version. Returns NotFound
	// when the paste has another version by now, is erased or gone.
	Content(ctx context.Context, id string, version int64) ([]byte, error)

	// TakeView counts one view of a paste that has a limit, in one statement,
	// and returns the count after it. It sets UsedUpAt with the last one.
	// Returns Gone when no view is left, or the paste has expired by now.
	TakeView(ctx context.Context, id string, now time.Time) (views int64, err error)

	// AddViews adds counted views of unlimited pastes, by id. A paste that got a
	// limit since they were counted is passed over.
	AddViews(ctx context.Context, views map[string]int64) error

	// ClearExpired deletes pastes that are expired by now or used up, and
	// returns how many.
	ClearExpired(ctx context.Context, now time.Time) (int, error)

	// CountByDay returns the number of listed pastes and of those created on
	// each of the given number of UTC days, oldest first, the last one being
	// that of now.
	CountByDay(ctx context.Context, now time.Time, days int) (total int, perDay []int, err error)
}
