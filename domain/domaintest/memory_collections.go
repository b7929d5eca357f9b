package domaintest

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"pasteport/domain/shares"
	"pasteport/domain/shares/cleanup"
	"pasteport/domain/shares/collections"
	"pasteport/ports"
)

type memCollections struct {
	*memTable[collections.Collection]
}

func cloneCollection(c collections.Collection) collections.Collection {
	c.Gate = cloneGate(c.Gate)
	c.Picks = slices.Clone(c.Picks)
	c.CreatedAt, c.UpdatedAt = milli(c.CreatedAt), milli(c.UpdatedAt)
	return c
}

func (r *memCollections) BySlug(ctx context.Context, slug string) (*collections.Collection, error) {
	return r.first(ctx, func(c *collections.Collection) bool { return c.Slug == slug })
}

func (r *memCollections) List(ctx context.Context, f collections.Filter) (ports.Page[collections.Collection], error) {
	return r.list(ctx, f.Paging, func(c *collections.Collection) bool {
		return listed(&c.Gate) && (f.CreatedBy == "" || c.CreatedBy == f.CreatedBy) && (f.Root == "" || c.Root == f.Root && len(c.Picks) == 0) && (!f.Folders || c.Root != "") && (f.Search == "" || contains(c.Title, f.Search) || contains(c.Slug, f.Search))
	}, func(a, b collections.Collection) int {
		return ordered(shares.Sort{}, sorted{id: a.ID, created: a.CreatedAt}, sorted{id: b.ID, created: b.CreatedAt})
	})
}

func (r *memCollections) Around(ctx context.Context, createdBy string, at []string, below string, now time.Time, limit int) ([]collections.Collection, error) {
	rows, err := r.all(ctx, func(c *collections.Collection) bool {
		name, under := strings.CutPrefix(c.Root, below)
		child := under && name != "" && !strings.Contains(name, "/") && len(c.Picks) == 0
		return listed(&c.Gate) && !c.Expired(now) && (createdBy == "" || c.CreatedBy == createdBy) && c.Root != "" && (child || slices.Contains(at, c.Root))
	})
	slices.SortFunc(rows, func(a, b collections.Collection) int {
		return cmp.Or(b.CreatedAt.Compare(a.CreatedAt), cmp.Compare(a.ID, b.ID))
	})
	return rows[:min(limit, len(rows))], err
}

func (r *memCollections) TakeView(ctx context.Context, id string, now time.Time) (int64, error) {
	return takeView(ctx, r.memTable, id, now, func(c *collections.Collection) *shares.Gate { return &c.Gate })
}

// takenRow is a download that was counted.
type takenRow struct {
	id, name string
	at       time.Time
}

func (r *memCollections) TakeDownload(ctx context.Context, id string, d collections.Download) error {
	return r.m.Do(ctx, func(ctx context.Context) error {
		row := takenRow{id, d.Name, d.At}
		switch known, err := r.m.taken.Get(ctx, id+" "+d.Name); {
		case err == nil && !known.at.Before(d.Since):
			return nil
		case err == nil:
			if _, err := r.m.taken.Update(ctx, id+" "+d.Name, func(e *takenRow) error { *e = row; return nil }); err != nil {
				return err
			}
		case ports.Is(err, ports.NotFound):
			if err := r.m.taken.Insert(ctx, &row); err != nil {
				return err
			}
		default:
			return err
		}
		_, err := r.Update(ctx, id, func(c *collections.Collection) error {
			if c.MaxDownloads > 0 && c.Downloads >= c.MaxDownloads {
				return &ports.Error{Code: ports.Gone, Key: "gone"}
			}
			c.Downloads++
			return nil
		})
		return err
	})
}

// standRow is what a collection was at a path.
type standRow struct {
	id string
	collections.Stand
}

func (r *memCollections) KeepStands(ctx context.Context, id string, all []collections.Stand) error {
	for _, s := range all {
		if err := r.m.stands.Insert(ctx, &standRow{id, s}); err != nil {
			return err
		}
	}
	return nil
}

func (r *memCollections) Stands(ctx context.Context, id, at string) (found []collections.Stand, err error) {
	rows, err := r.m.stands.all(ctx, func(s *standRow) bool {
		return s.id == id && (at == "" || s.Path == at || strings.HasPrefix(s.Path, at+"/"))
	})
	for i := range rows {
		found = append(found, rows[i].Stand)
	}
	slices.SortFunc(found, func(a, b collections.Stand) int { return cmp.Compare(a.Path, b.Path) })
	return found, err
}

func (r *memCollections) Delete(ctx context.Context, ids ...string) (int, error) {
	if _, err := r.m.stands.remove(ctx, func(s *standRow) bool { return slices.Contains(ids, s.id) }); err != nil {
		return 0, err
	}
	if _, err := r.m.taken.remove(ctx, func(d *takenRow) bool { return slices.Contains(ids, d.id) }); err != nil {
		return 0, err
	}
	return r.memTable.Delete(ctx, ids...)
}

func (r *memCollections) AddViews(ctx context.Context, views map[string]int64) error {
	_, err := r.change(ctx, func(c *collections.Collection) bool { return views[c.ID] != 0 && c.MaxViews == 0 },
		func(c *collections.Collection) { c.Views, c.ExpiresAt = c.Views+views[c.ID], slid(r.m, &c.Gate) })
	return err
}

func (r *memCollections) Erasable(ctx context.Context, usedBefore, expiredBefore time.Time, after string, limit int) ([]cleanup.Seen, string, error) {
	rows, err := r.all(ctx, func(c *collections.Collection) bool {
		return c.ID > after && erasable(&c.Gate, usedBefore, expiredBefore)
	})
	found := make([]cleanup.Seen, 0, len(rows))
	for i := range rows {
		found = append(found, cleanup.Saw(rows[i].ID, rows[i].Version, &rows[i].Gate))
	}
	return pageOf(found, limit, func(s cleanup.Seen) string { return s.ID }, err)
}

func (r *memCollections) Erase(ctx context.Context, now time.Time, seen ...cleanup.Seen) (int, error) {
	return r.change(ctx, func(c *collections.Collection) bool { return asSeen(seen, c.ID, c.Version, &c.Gate) },
		func(c *collections.Collection) { c.ErasedAt = milliPtr(&now) })
}

func (r *memCollections) Purge(ctx context.Context, erasedBefore time.Time, limit int) (int, error) {
	files, err := r.m.files.all(ctx, func(f *shares.File) bool { return f.Collection != "" && f.ErasedAt == nil })
	if err != nil {
		return 0, err
	}
	return r.remove(ctx, upTo(limit, func(c *collections.Collection) bool {
		held := slices.ContainsFunc(files, func(f shares.File) bool { return f.Collection == c.ID })
		return c.ErasedAt != nil && c.ErasedAt.Before(erasedBefore) && !held
	}))
}
