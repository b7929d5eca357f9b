package keys

import (
	"slices"
	"time"
)

// KeySort orders a list of keys and narrows it to a state at a time. The zero
// value means all keys, newest first.
type KeySort struct {
	By        string // one of the keys below; empty means SortCreated
	Ascending bool
	State     string // one of the states below; empty means any
	Now       time.Time
}

// What lists of keys are sorted by. Keys that were never used come before all
// others, going up.
const (
	SortCreated = "created_at"
	SortName    = "name" // in any case
	SortPath    = "basic_path"
	SortExpiry  = "expires_at"
	SortUsed    = "last_used"
)

// The states that lists of keys are narrowed to.
const (
	StateActive  = "active"  // can be used
	StateExpired = "expired" // past its end
	StateOff     = "off"     // switched off, whether it has ended or not
)

// known leaves only what lists of keys know.
func (s KeySort) known(now time.Time) KeySort {
	if !slices.Contains([]string{SortCreated, SortName, SortPath, SortExpiry, SortUsed}, s.By) {
		s.By, s.Ascending = SortCreated, false
	}
	if !slices.Contains([]string{StateActive, StateExpired, StateOff}, s.State) {
		s.State = ""
	}
	s.Now = now
	return s
}
