package wire

import "time"

// Access is who may open a new share at all, and how its end moves when it is
// opened.
type Access struct {
	KeyOnly      Flag `json:"key_only" query:"key_only"`           // strangers may not open it
	SlidingDays  Int  `json:"sliding_days" query:"sliding_days"`   // how long it lives after it was last opened; 0: its end stays
	SlidingUntil When `json:"sliding_until" query:"sliding_until"` // no opening moves the end past this; null: there is no such end
}

// SlideBy is SlidingDays as a time; what no share may have stays that.
func (a Access) SlideBy() time.Duration {
	return time.Duration(ClampInt(int64(a.SlidingDays), -1, 100_000)) * 24 * time.Hour
}
