package gate

import (
	"cmp"
	"time"

	"pasteport/ports"
	"pasteport/ports/policy"
)

// clockSlack is how far the clock of a caller may be ahead when it names the
// end of a share.
const clockSlack = 5 * time.Minute

// Bounded gives terms that name no end, or no limit of views, the largest that
// the site allows: old callers do not know of its limits. An end that moves has a
// last one there.
func (t Terms) Bounded(l ports.ShareLimits, now time.Time) Terms {
	t.Latch = t.Latch.Bounded(l, now)
	t = t.Begun(now)
	if t.ExpiresAt == nil {
		t.ExpiresAt = latest(l, now)
	}
	if t.MaxViews == 0 {
		t.MaxViews = l.MaxViews
	}
	return t
}

// latest is the last end a share may have, nil when it may have none.
func latest(l ports.ShareLimits, now time.Time) *time.Time {
	if l.MaxAge == 0 {
		return nil
	}
	end := now.Add(l.MaxAge)
	return &end
}

// Obey refuses terms of a new share, of size bytes, that go past the limits of
// the site or the obligations of the decision.
func (t Terms) Obey(l ports.ShareLimits, o policy.Obligations, now time.Time, size int64) error {
	if l.Password && !t.Protected() {
		return policy.Over("share_password", 1)
	}
	if err := cmp.Or(overLimit(l, t.Gate("").SlideUntil, 0, now), overLimit(l, t.ExpiresAt, t.MaxViews, now)); err != nil {
		return err
	}
	return keep(o, t.Resource(now), size)
}

// overLimit refuses an end and a limit of views past those of the site; nil
// and 0 are not looked at.
func overLimit(l ports.ShareLimits, end *time.Time, views int64, now time.Time) error {
	switch {
	case end != nil && l.MaxAge > 0 && end.Sub(now) > l.MaxAge+clockSlack:
		return policy.Over("share_max_age", int64(l.MaxAge/time.Second))
	case l.MaxViews > 0 && views > l.MaxViews:
		return policy.Over("share_max_views", l.MaxViews)
	}
	return nil
}

// limited fits what a change sets into the limits of the site; what it leaves
// as it was stays, also when it goes past them.
func limited(l ports.ShareLimits, end *Field[*time.Time], views *Field[int64], old Gate, now time.Time) error {
	wanted := end.Value
	if !end.Set || sameTime(end.Value, old.ExpiresAt) {
		wanted = nil
	} else if end.Value == nil {
		end.Value = latest(l, now)
	}
	if !views.Set || views.Value == old.MaxViews {
		return overLimit(l, wanted, 0, now)
	}
	if views.Value == 0 {
		views.Value = l.MaxViews
	}
	return overLimit(l, wanted, views.Value, now)
}
