package shares

import (
	"slices"
	"time"
)

// Sort says in which order a list of shares comes, and which of them it holds.
// The zero value is newest first, all of them.
type Sort struct {
	By        string // one of SortKeys; empty and unknown mean SortCreated
	Ascending bool
	State     string // one of States; empty and unknown mean any
	Now       time.Time
}

// The keys that lists are sorted by. SortName is for files only.
const (
	SortCreated = "created_at"
	SortSlug    = "slug"
	SortSize    = "size"
	SortViews   = "views"
	SortExpiry  = "expires_at" // shares without end come after all others, going up
	SortName    = "filename"
)

// The states that lists are narrowed to.
const (
	StateActive    = "active"    // not expired
	StateExpired   = "expired"   // past its end, but not yet removed
	StateProtected = "protected" // has a password
	StateLimited   = "limited"   // has a limit of views
)

var (
	sortKeys = []string{SortCreated, SortSlug, SortSize, SortViews, SortExpiry}
	states   = []string{StateActive, StateExpired, StateProtected, StateLimited}
)

// known leaves only what lists know; extra keys are those of one kind of share.
func (s Sort) known(now time.Time, extra ...string) Sort {
	if !slices.Contains(sortKeys, s.By) && !slices.Contains(extra, s.By) {
		s.By, s.Ascending = SortCreated, false
	}
	if !slices.Contains(states, s.State) {
		s.State = ""
	}
	s.Now = now
	return s
}
