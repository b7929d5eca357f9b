package domaintest

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"pasteport/domain/mounts"
	"pasteport/domain/mounts/dav"
	"pasteport/ports"
)

type memLocks struct{ *memTable[dav.Lock] }

func cloneLock(l dav.Lock) dav.Lock {
	l.Created, l.Expires = milli(l.Created), milli(l.Expires)
	return l
}

// counts reports whether a lock has not ended, nor its key.
func (r *memLocks) counts(l *dav.Lock, now time.Time) bool {
	if !l.Expires.After(now) {
		return false
	}
	id, ofKey := strings.CutPrefix(l.Holder, "apikey:")
	if !ofKey {
		return true
	}
	key, known := r.m.keys.rows[id]
	return known && key.IsActive && key.ExpiresAt.After(now)
}

func (r *memLocks) Insert(ctx context.Context, l *dav.Lock, now time.Time, check func([]dav.Lock, int) error) error {
	return r.m.Do(ctx, func(ctx context.Context) error {
		around, err := r.Around(ctx, now, dav.Reach{Path: l.Path, Deep: true})
		if err != nil {
			return err
		}
		held, err := r.all(ctx, func(other *dav.Lock) bool { return other.Holder == l.Holder && r.counts(other, now) })
		if err != nil {
			return err
		}
		if err := check(around, len(held)); err != nil {
			return err
		}
		return r.memTable.Insert(ctx, l)
	})
}

func (r *memLocks) Around(ctx context.Context, now time.Time, reaches ...dav.Reach) ([]dav.Lock, error) {
	locks, err := r.all(ctx, func(l *dav.Lock) bool {
		return r.counts(l, now) && slices.ContainsFunc(reaches, func(reach dav.Reach) bool {
			return mounts.Within(l.Path, reach.Path) || reach.Deep && mounts.Within(reach.Path, l.Path)
		})
	})
	slices.SortFunc(locks, func(a, b dav.Lock) int { return cmp.Or(cmp.Compare(a.Path, b.Path), cmp.Compare(a.Token, b.Token)) })
	return locks, err
}

func (r *memLocks) Get(ctx context.Context, token string, now time.Time) (*dav.Lock, error) {
	return r.first(ctx, func(l *dav.Lock) bool { return l.Token == token && r.counts(l, now) })
}

func (r *memLocks) Prolong(ctx context.Context, token string, now, end time.Time) (*dav.Lock, error) {
	n, err := r.change(ctx, func(l *dav.Lock) bool { return l.Token == token && r.counts(l, now) }, func(l *dav.Lock) { l.Expires = end })
	if err != nil {
		return nil, err
	}
	if n == 0 {
		return nil, ports.ErrNotFound
	}
	return r.Get(ctx, token, now)
}

func (r *memLocks) Delete(ctx context.Context, token string) error {
	_, err := r.remove(ctx, func(l *dav.Lock) bool { return l.Token == token })
	return err
}

func (r *memLocks) DeleteWithin(ctx context.Context, paths ...string) error {
	_, err := r.remove(ctx, func(l *dav.Lock) bool { return withinOne(paths, l.Path) })
	return err
}

func (r *memLocks) Clear(ctx context.Context, of dav.Region) error {
	_, err := r.remove(ctx, func(l *dav.Lock) bool { return inRegion(of, l.Path) })
	return err
}

func inRegion(of dav.Region, path string) bool {
	return mounts.Within(of.Path, path) && !withinOne(of.Except, path)
}

func withinOne(paths []string, path string) bool {
	return slices.ContainsFunc(paths, func(p string) bool { return mounts.Within(p, path) })
}

func (r *memLocks) DeleteExpired(ctx context.Context, now time.Time) (int, error) {
	return r.remove(ctx, func(l *dav.Lock) bool { return !l.Expires.After(now) })
}

type propertyRow struct {
	path string
	dav.Property
}

type memProperties struct{ *memTable[propertyRow] }

func (r *memProperties) Of(ctx context.Context, path string) ([]dav.Property, error) {
	rows, err := r.sorted(ctx, func(p *propertyRow) bool { return p.path == path })
	properties := make([]dav.Property, len(rows))
	for i, row := range rows {
		properties[i] = row.Property
	}
	return properties, err
}

func (r *memProperties) OfFolder(ctx context.Context, folder string, most int) (map[string][]dav.Property, bool, error) {
	rows, err := r.sorted(ctx, func(p *propertyRow) bool { return p.path == folder || mounts.Parent(p.path) == folder })
	properties := map[string][]dav.Property{}
	for _, row := range rows {
		if most -= len(row.XML); most < 0 {
			return nil, true, err
		}
		properties[row.path] = append(properties[row.path], row.Property)
	}
	return properties, false, err
}

func (r *memProperties) sorted(ctx context.Context, fits func(*propertyRow) bool) ([]propertyRow, error) {
	rows, err := r.all(ctx, fits)
	slices.SortFunc(rows, func(a, b propertyRow) int {
		return cmp.Or(cmp.Compare(a.path, b.path), cmp.Compare(a.Space, b.Space), cmp.Compare(a.Name, b.Name))
	})
	return rows, err
}

func (r *memProperties) Patch(ctx context.Context, path string, b dav.PropertyBounds, set []dav.Property, remove []dav.PropertyName) error {
	return r.m.Do(ctx, func(ctx context.Context) error {
		names := slices.Clone(remove)
		for _, p := range set {
			names = append(names, dav.PropertyName{Space: p.Space, Name: p.Name})
		}
		if _, err := r.remove(ctx, func(p *propertyRow) bool {
			return p.path == path && slices.Contains(names, dav.PropertyName{Space: p.Space, Name: p.Name})
		}); err != nil {
			return err
		}
		for _, p := range set {
			r.rows[propertyID(&propertyRow{path, p})] = propertyRow{path, p}
		}
		rows, err := r.Of(ctx, path)
		var bytes int64
		for _, p := range rows {
			bytes += int64(len(p.Space) + len(p.Name) + len(p.XML))
		}
		if err != nil || len(rows) > b.Most || bytes > b.Bytes {
			return cmp.Or[error](err, &ports.Error{Code: ports.Quota, Key: "quota_exceeded", Text: "properties_many"})
		}
		return nil
	})
}

func propertyID(p *propertyRow) string { return p.path + "\x00" + p.Space + "\x00" + p.Name }

func (r *memProperties) Copy(ctx context.Context, from, to string, alone bool) error {
	return r.m.Do(ctx, func(ctx context.Context) error { return r.copy(ctx, from, to, alone) })
}

func (r *memProperties) copy(ctx context.Context, from, to string, alone bool) error {
	meant := func(root, path string) bool { return path == root || !alone && mounts.Within(root, path) }
	if _, err := r.remove(ctx, func(p *propertyRow) bool { return meant(to, p.path) }); err != nil {
		return err
	}
	rows, err := r.all(ctx, func(p *propertyRow) bool { return meant(from, p.path) })
	for _, row := range rows {
		row.path = to + strings.TrimPrefix(row.path, from)
		r.rows[propertyID(&row)] = row
	}
	return err
}

func (r *memProperties) Move(ctx context.Context, from, to string) error {
	return r.m.Do(ctx, func(ctx context.Context) error {
		if err := r.copy(ctx, from, to, false); err != nil {
			return err
		}
		return r.DeleteWithin(ctx, from)
	})
}

func (r *memProperties) DeleteWithin(ctx context.Context, paths ...string) error {
	_, err := r.remove(ctx, func(p *propertyRow) bool { return withinOne(paths, p.path) })
	return err
}

func (r *memProperties) Clear(ctx context.Context, of dav.Region) error {
	_, err := r.remove(ctx, func(p *propertyRow) bool { return inRegion(of, p.path) })
	return err
}

func (r *memProperties) Carry(ctx context.Context, from, to dav.Region) error {
	return r.m.Do(ctx, func(ctx context.Context) error {
		rows, err := r.all(ctx, func(p *propertyRow) bool { return inRegion(from, p.path) })
		if err = cmp.Or(err, r.Clear(ctx, from), r.Clear(ctx, to)); err != nil {
			return err
		}
		for _, row := range rows {
			if sub := strings.TrimPrefix(strings.TrimPrefix(row.path, from.Path), "/"); sub == "" {
				row.path = to.Path
			} else {
				row.path = mounts.Join(to.Path, sub)
			}
			r.rows[propertyID(&row)] = row
		}
		return nil
	})
}
