package keys

import (
	"cmp"
	"context"
	"slices"
	"sync"
	"time"

	"pasteport/ports"
	"pasteport/ports/policy"
)

// UseKept is how long the use of keys is kept.
const UseKept = 40 * 24 * time.Hour

// useDays is how many days are shown, today included.
const useDays = 30

// Use is how often a key was used on a day.
type Use struct {
	KeyID string
	Day   string // of UTC: 2006-01-02
	Calls int64
	Last  time.Time // when it was used last on that day; not read back
}

// usage collects how often keys were used, so that a request costs no write.
type usage struct {
	mu   sync.Mutex
	used map[keyDay]*Use
}

type keyDay struct{ id, day string }

func (u *usage) note(id string, now time.Time) {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.add(Use{KeyID: id, Day: now.UTC().Format(time.DateOnly), Calls: 1, Last: now})
}

// add counts a use; the caller holds mu.
func (u *usage) add(more Use) {
	if u.used == nil {
		u.used = map[keyDay]*Use{}
	}
	at := keyDay{more.KeyID, more.Day}
	use := u.used[at]
	if use == nil {
		use = &Use{KeyID: more.KeyID, Day: more.Day}
		u.used[at] = use
	}
	use.Calls += more.Calls
	if more.Last.After(use.Last) {
		use.Last = more.Last
	}
}

// take returns what was noted, by day and key, and starts anew.
func (u *usage) take() []Use {
	u.mu.Lock()
	defer u.mu.Unlock()
	all := make([]Use, 0, len(u.used))
	for _, use := range u.used {
		all = append(all, *use)
	}
	u.used = nil
	slices.SortFunc(all, func(a, b Use) int { return cmp.Or(cmp.Compare(a.Day, b.Day), cmp.Compare(a.KeyID, b.KeyID)) })
	return all
}

// giveBack keeps what could not be stored.
func (u *usage) giveBack(all []Use) {
	u.mu.Lock()
	defer u.mu.Unlock()
	for _, use := range all {
		u.add(use)
	}
}

// FlushUsage stores how often keys were used, and when last. Call it about once
// a second and at the end.
func (a *Access) FlushUsage(ctx context.Context) error {
	used := a.used.take()
	if len(used) == 0 {
		return nil
	}
	if err := a.d.Keys.AddUse(ctx, used); err != nil {
		a.used.giveBack(used)
		return ports.Wrap("store the use of keys", err)
	}
	return nil
}

// KeyUse tells how often a key was used on each of the last 30 days, today
// last, and returns the key. What was used in the last second may be missing.
// Asks admin.keys.read. Returns NotFound for an unknown key.
func (ks *Keys) KeyUse(ctx context.Context, who policy.Principal, id string) (Key, []Use, error) {
	if _, err := policy.Check(ctx, ks.d.Decider, who, policy.KeysRead, policy.Resource{Kind: policy.KindKey, ID: id}); err != nil {
		return Key{}, nil, err
	}
	key, err := ks.d.Keys.Get(ctx, id)
	if err != nil {
		return Key{}, nil, takenOr("find API key", err)
	}
	first := ks.d.Clock.Now().UTC().AddDate(0, 0, 1-useDays)
	stored, err := ks.d.Keys.Uses(ctx, id, first.Format(time.DateOnly))
	if err != nil {
		return Key{}, nil, ports.Wrap("read the use of an API key", err)
	}
	calls := map[string]int64{}
	for _, use := range stored {
		calls[use.Day] = use.Calls
	}
	days := make([]Use, useDays)
	for i := range days {
		day := first.AddDate(0, 0, i).Format(time.DateOnly)
		days[i] = Use{KeyID: id, Day: day, Calls: calls[day]}
	}
	return *key, days, nil
}
