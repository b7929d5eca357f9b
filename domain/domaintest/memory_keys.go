package domaintest

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"pasteport/domain/keys"
	"pasteport/ports"
)

type memKeys struct {
	*memTable[keys.Key]
	uses *memTable[keys.Use]
}

func cloneKey(k keys.Key) keys.Key {
	k.ExpiresAt, k.CreatedAt, k.UpdatedAt = milli(k.ExpiresAt), milli(k.CreatedAt), milli(k.UpdatedAt)
	k.LastUsed = milliPtr(k.LastUsed)
	return k
}

func (r *memKeys) List(ctx context.Context, f keys.KeyFilter) (ports.Page[keys.Key], error) {
	return r.list(ctx, f.Paging, func(k *keys.Key) bool {
		return keyInState(k, f.KeySort) && (contains(k.Name, f.Search) || contains(k.BasicPath, f.Search) || contains(k.Masked, f.Search))
	}, func(a, b keys.Key) int { return orderedKeys(f.KeySort, a, b) })
}

func keyInState(k *keys.Key, s keys.KeySort) bool {
	switch s.State {
	case keys.StateActive:
		return k.IsActive && !k.Expired(s.Now)
	case keys.StateExpired:
		return k.Expired(s.Now)
	case keys.StateOff:
		return !k.IsActive
	}
	return true
}

func orderedKeys(s keys.KeySort, a, b keys.Key) int {
	way := a.CreatedAt.Compare(b.CreatedAt)
	switch s.By {
	case keys.SortName:
		way = strings.Compare(strings.ToLower(a.Name), strings.ToLower(b.Name))
	case keys.SortPath:
		way = strings.Compare(a.BasicPath, b.BasicPath)
	case keys.SortExpiry:
		way = a.ExpiresAt.Compare(b.ExpiresAt)
	case keys.SortUsed:
		way = usedAt(a).Compare(usedAt(b))
	}
	if way = cmp.Or(way, strings.Compare(a.ID, b.ID)); s.Ascending {
		return way
	}
	return -way
}

func usedAt(k keys.Key) time.Time {
	if k.LastUsed == nil {
		return time.UnixMilli(0)
	}
	return *k.LastUsed
}

func (r *memKeys) ByMAC(ctx context.Context, mac string) (*keys.Key, error) {
	return r.first(ctx, func(k *keys.Key) bool { return k.MAC == mac || k.Former.MAC == mac && mac != "" })
}

func (r *memKeys) AddUse(ctx context.Context, uses []keys.Use) error {
	for _, use := range uses {
		n, err := r.change(ctx, func(k *keys.Key) bool { return k.ID == use.KeyID }, func(k *keys.Key) {
			k.LastUsed = later(k.LastUsed, use.Last)
		})
		if err != nil {
			return err
		}
		if n == 0 {
			continue
		}
		id := use.KeyID + " " + use.Day
		if _, err := r.uses.Update(ctx, id, func(u *keys.Use) error { u.Calls += use.Calls; return nil }); ports.Is(err, ports.NotFound) {
			err = r.uses.Insert(ctx, &keys.Use{KeyID: use.KeyID, Day: use.Day, Calls: use.Calls})
			if err != nil {
				return err
			}
		} else if err != nil {
			return err
		}
	}
	return nil
}

func (r *memKeys) Uses(ctx context.Context, id, from string) ([]keys.Use, error) {
	page, err := r.uses.list(ctx, ports.Paging{}, func(u *keys.Use) bool { return u.KeyID == id && u.Day >= from },
		func(a, b keys.Use) int { return strings.Compare(a.Day, b.Day) })
	return page.Items, err
}

func (r *memKeys) DeleteUses(ctx context.Context, before time.Time) (int, error) {
	return r.uses.remove(ctx, func(u *keys.Use) bool { return u.Day < before.UTC().Format(time.DateOnly) })
}

type memAdmins struct{ *memTable[keys.Admin] }

func cloneAdmin(a keys.Admin) keys.Admin {
	a.CreatedAt, a.UpdatedAt = milli(a.CreatedAt), milli(a.UpdatedAt)
	return a
}

func (r *memAdmins) List(ctx context.Context, f keys.AdminFilter) (ports.Page[keys.Admin], error) {
	return r.list(ctx, f.Paging, func(*keys.Admin) bool { return true },
		func(a, b keys.Admin) int { return newest(a.CreatedAt, b.CreatedAt, a.ID, b.ID) })
}

func (r *memAdmins) ByName(ctx context.Context, username string) (*keys.Admin, error) {
	return r.first(ctx, func(a *keys.Admin) bool { return a.Username == username })
}

type memSessions struct{ *memTable[keys.Session] }

func cloneSession(s keys.Session) keys.Session {
	s.CreatedAt, s.ExpiresAt, s.ConfirmedAt = milli(s.CreatedAt), milli(s.ExpiresAt), milli(s.ConfirmedAt)
	return s
}

func (r *memSessions) Insert(ctx context.Context, s *keys.Session, maxSessions int) error {
	return r.m.Do(ctx, func(ctx context.Context) error {
		if err := r.memTable.Insert(ctx, s); err != nil {
			return err
		}
		own, err := r.all(ctx, func(o *keys.Session) bool { return o.AdminID == s.AdminID && o.ID != s.ID })
		if err != nil {
			return err
		}
		slices.SortFunc(own, newestSession)
		for i := max(maxSessions-1, 0); i < len(own); i++ {
			if _, err := r.memTable.Delete(ctx, own[i].ID); err != nil {
				return err
			}
		}
		return nil
	})
}

func newestSession(a, b keys.Session) int {
	return newest(a.CreatedAt, b.CreatedAt, a.ID, b.ID)
}

func (r *memSessions) List(ctx context.Context, adminID string) ([]keys.Session, error) {
	own, err := r.all(ctx, func(s *keys.Session) bool { return s.AdminID == adminID })
	slices.SortFunc(own, newestSession)
	return own, err
}

func (r *memSessions) Confirm(ctx context.Context, id string, at time.Time) error {
	_, err := r.Update(ctx, id, func(s *keys.Session) error { s.ConfirmedAt = at; return nil })
	return err
}

func (r *memSessions) Delete(ctx context.Context, id string) error {
	_, err := r.memTable.Delete(ctx, id)
	return err
}

func (r *memSessions) DeleteByAdmin(ctx context.Context, adminID string) error {
	_, err := r.remove(ctx, func(s *keys.Session) bool { return s.AdminID == adminID })
	return err
}

func (r *memSessions) DeleteExpired(ctx context.Context, now time.Time) (int, error) {
	return r.remove(ctx, func(s *keys.Session) bool { return !now.Before(s.ExpiresAt) })
}
