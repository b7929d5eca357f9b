package domaintest

import (
	"bytes"
	"cmp"
	"context"
	"slices"
	"time"

	"pasteport/domain/shares"
	"pasteport/domain/shares/cleanup"
	"pasteport/domain/shares/collections"
	"pasteport/ports"
	"pasteport/ports/capacity"
	"pasteport/ports/objstore"
)

type memPastes struct{ *memTable[shares.Paste] }

func clonePaste(p shares.Paste) shares.Paste {
	p.Content = bytes.Clone(p.Content)
	p.Gate = cloneGate(p.Gate)
	p.CreatedAt, p.UpdatedAt = milli(p.CreatedAt), milli(p.UpdatedAt)
	return p
}

func cloneGate(g shares.Gate) shares.Gate {
	g.ExpiresAt, g.UsedUpAt, g.ErasedAt = milliPtr(g.ExpiresAt), milliPtr(g.UsedUpAt), milliPtr(g.ErasedAt)
	g.SlideUntil = milliPtr(g.SlideUntil)
	return g
}

func listed(g *shares.Gate) bool { return g.UsedUpAt == nil && g.ErasedAt == nil }

func (r *memPastes) List(ctx context.Context, f shares.PasteFilter) (ports.Page[shares.Paste], error) {
	page, err := r.list(ctx, f.Paging, func(p *shares.Paste) bool {
		text := string(p.Content)
		if !f.SearchAll {
			text = firstRunes(text, 200)
		}
		return listed(&p.Gate) && inState(&p.Gate, f.Sort) && (f.CreatedBy == "" || p.CreatedBy == f.CreatedBy) &&
			(f.Search == "" || contains(p.Slug, f.Search) || contains(p.Remark, f.Search) || contains(text, f.Search))
	}, func(a, b shares.Paste) int {
		return ordered(f.Sort, sorted{a.ID, a.Slug, "", a.Size, a.Views, a.ExpiresAt, a.CreatedAt}, sorted{b.ID, b.Slug, "", b.Size, b.Views, b.ExpiresAt, b.CreatedAt})
	})
	for i := range page.Items {
		p := &page.Items[i]
		switch f.Content {
		case shares.NoContent:
			p.Content = nil
		case shares.ContentPreview:
			p.Content = []byte(firstRunes(string(p.Content), 201))
		}
	}
	return page, err
}

func firstRunes(s string, n int) string {
	for i := range s {
		if n == 0 {
			return s[:i]
		}
		n--
	}
	return s
}

func (r *memPastes) BySlug(ctx context.Context, slug string) (*shares.Paste, error) {
	return r.first(ctx, func(p *shares.Paste) bool { return p.Slug == slug })
}

func (r *memPastes) Visited(ctx context.Context, slug string) (*shares.Paste, error) {
	p, err := r.BySlug(ctx, slug)
	if err == nil && p.Size > shares.LargeContent {
		p.Content = nil
	}
	return p, err
}

func (r *memPastes) Content(ctx context.Context, id string, version int64) ([]byte, error) {
	p, err := r.first(ctx, func(p *shares.Paste) bool { return p.ID == id && p.Version == version && p.Content != nil })
	if err != nil {
		return nil, err
	}
	return p.Content, nil
}

func (r *memPastes) TakeView(ctx context.Context, id string, now time.Time) (int64, error) {
	return takeView(ctx, r.memTable, id, now, func(p *shares.Paste) *shares.Gate { return &p.Gate })
}

func takeView[E any](ctx context.Context, t *memTable[E], id string, now time.Time, gate func(*E) *shares.Gate) (views int64, err error) {
	n, err := t.change(ctx, func(e *E) bool {
		g := gate(e)
		return t.id(e) == id && !g.UsedUp() && !g.Expired(now) && g.ErasedAt == nil
	}, func(e *E) {
		g := gate(e)
		g.Views++
		g.ExpiresAt = g.Slid(now)
		views = g.Views
		if g.UsedUp() {
			at := milli(now)
			g.UsedUpAt = &at
		}
	})
	if err == nil && n == 0 {
		err = &ports.Error{Code: ports.Gone, Key: "gone"}
	}
	return views, err
}

func (r *memPastes) AddViews(ctx context.Context, views map[string]int64) error {
	_, err := r.change(ctx, func(p *shares.Paste) bool { return views[p.ID] != 0 && p.MaxViews == 0 },
		func(p *shares.Paste) { p.Views, p.ExpiresAt = p.Views+views[p.ID], slid(r.m, &p.Gate) })
	return err
}

// slid is the end of a share that was opened a moment ago.
func slid(m *Memory, g *shares.Gate) *time.Time {
	now := m.clock.Now()
	if g.Expired(now) {
		return g.ExpiresAt
	}
	return g.Slid(now)
}

func erasable(g *shares.Gate, usedBefore, expiredBefore time.Time) bool {
	return g.ErasedAt == nil &&
		(g.UsedUpAt != nil && g.UsedUpAt.Before(usedBefore) || g.ExpiresAt != nil && g.ExpiresAt.Before(expiredBefore))
}

func (r *memPastes) Erasable(ctx context.Context, usedBefore, expiredBefore time.Time, after string, limit int) ([]cleanup.Seen, string, error) {
	rows, err := r.all(ctx, func(p *shares.Paste) bool { return p.ID > after && erasable(&p.Gate, usedBefore, expiredBefore) })
	found := make([]cleanup.Seen, 0, len(rows))
	for i := range rows {
		found = append(found, cleanup.Saw(rows[i].ID, rows[i].Version, &rows[i].Gate))
	}
	return pageOf(found, limit, func(s cleanup.Seen) string { return s.ID }, err)
}

// asSeen reports whether a share is one of those that were seen, and as it was then.
func asSeen(seen []cleanup.Seen, id string, version int64, g *shares.Gate) bool {
	same := func(a, b *time.Time) bool { return a == b || a != nil && b != nil && a.Equal(*b) }
	return g.ErasedAt == nil && slices.ContainsFunc(seen, func(s cleanup.Seen) bool {
		return s.ID == id && s.Version == version && same(s.ExpiresAt, g.ExpiresAt) && same(s.UsedUpAt, g.UsedUpAt)
	})
}

// pageOf is a page of shares in the order of their ids, and where the next begins.
func pageOf[E any](all []E, limit int, id func(E) string, err error) ([]E, string, error) {
	slices.SortFunc(all, func(a, b E) int { return cmp.Compare(id(a), id(b)) })
	if len(all) <= limit {
		return all, "", err
	}
	return all[:limit], id(all[limit-1]), err
}

func (r *memPastes) Erase(ctx context.Context, now time.Time, seen ...cleanup.Seen) (int, error) {
	return r.change(ctx, func(p *shares.Paste) bool { return asSeen(seen, p.ID, p.Version, &p.Gate) },
		func(p *shares.Paste) { p.Content, p.ErasedAt = nil, milliPtr(&now) })
}

func (r *memPastes) Purge(ctx context.Context, erasedBefore time.Time, limit int) (int, error) {
	return r.remove(ctx, upTo(limit, func(p *shares.Paste) bool { return p.ErasedAt != nil && p.ErasedAt.Before(erasedBefore) }))
}

func (r *memPastes) ClearExpired(ctx context.Context, now time.Time) (int, error) {
	return r.remove(ctx, func(p *shares.Paste) bool {
		return p.ErasedAt == nil && (p.Expired(now) || p.UsedUpAt != nil)
	})
}

func (r *memPastes) CountByDay(ctx context.Context, now time.Time, days int) (int, []int, error) {
	rows, err := r.all(ctx, func(p *shares.Paste) bool { return listed(&p.Gate) })
	return len(rows), countByDay(rows, now, days, func(p *shares.Paste) time.Time { return p.CreatedAt }), err
}

func countByDay[E any](rows []E, now time.Time, days int, created func(*E) time.Time) []int {
	perDay := make([]int, days)
	today := now.UTC().Truncate(24 * time.Hour)
	for i := range rows {
		ago := int(today.Sub(created(&rows[i]).UTC().Truncate(24*time.Hour)) / (24 * time.Hour))
		if ago >= 0 && ago < days {
			perDay[days-1-ago]++
		}
	}
	return perDay
}

type memFiles struct{ *memTable[shares.File] }

func cloneFile(f shares.File) shares.File {
	f.Gate = cloneGate(f.Gate)
	f.CreatedAt, f.UpdatedAt = milli(f.CreatedAt), milli(f.UpdatedAt)
	return f
}

func (r *memFiles) List(ctx context.Context, f shares.FileFilter) (ports.Page[shares.File], error) {
	return r.list(ctx, f.Paging, func(e *shares.File) bool {
		return listed(&e.Gate) && !e.Pending && inState(&e.Gate, f.Sort) && (f.CreatedBy == "" || e.CreatedBy == f.CreatedBy) &&
			(f.StorageConfigID == "" || e.StorageConfigID == f.StorageConfigID) &&
			(f.Search == "" || contains(e.Filename, f.Search) || contains(e.Slug, f.Search) || contains(e.Remark, f.Search))
	}, func(a, b shares.File) int {
		return ordered(f.Sort, sorted{a.ID, a.Slug, a.Filename, a.Size, a.Views, a.ExpiresAt, a.CreatedAt}, sorted{b.ID, b.Slug, b.Filename, b.Size, b.Views, b.ExpiresAt, b.CreatedAt})
	})
}

func (r *memFiles) BySlug(ctx context.Context, slug string) (*shares.File, error) {
	return r.first(ctx, func(f *shares.File) bool { return f.Slug == slug })
}

// owned sums the sizes of an owner's files; the caller holds the writer's place.
func (r *memFiles) owned(owner string) int64 {
	var n int64
	for _, f := range r.rows {
		if f.CreatedBy == owner && f.ErasedAt == nil && f.FilePath == "" {
			n += f.Size
		}
	}
	return n
}

func (r *memFiles) Insert(ctx context.Context, f *shares.File) error {
	end, err := r.m.begin(ctx)
	if err != nil {
		return err
	}
	defer end()
	return r.insert(f)
}

func (r *memFiles) insert(f *shares.File) error {
	if r.m.retired[f.StorageConfigID] {
		return shares.ErrStorageUnknown
	}
	return r.memTable.insert(f)
}

func (r *memFiles) Retire(ctx context.Context, configID string) (int64, error) {
	end, err := r.m.begin(ctx)
	if err != nil {
		return 0, err
	}
	defer end()
	var n int64
	for _, f := range r.rows {
		if f.StorageConfigID == configID && f.ErasedAt == nil {
			n++
		}
	}
	if n == 0 {
		r.m.retired[configID] = true
	}
	return n, nil
}

func (r *memFiles) Reserve(ctx context.Context, f *shares.File, most int64) error {
	end, err := r.m.begin(ctx)
	if err != nil {
		return err
	}
	defer end()
	if used := r.owned(f.CreatedBy); most > 0 && used+f.Size > most {
		return capacity.Spent(capacity.BytesStored, f.Size, used, most)
	}
	pending := *f
	pending.Pending = true
	if err := r.insert(&pending); err != nil {
		return err
	}
	f.Pending = true
	return nil
}

func (r *memFiles) Commit(ctx context.Context, id string, awaited bool, arrived objstore.Object, most int64, now time.Time) (*shares.File, error) {
	return r.Update(ctx, id, func(f *shares.File) error {
		if f.ErasedAt != nil || f.Late() || awaited && !f.Pending {
			return ports.ErrNotFound
		}
		if used := r.owned(f.CreatedBy) - f.Size; most > 0 && used+arrived.Size > most {
			return capacity.Spent(capacity.BytesStored, arrived.Size, used, most)
		}
		f.Size, f.ETag, f.Pending, f.UpdatedAt = arrived.Size, arrived.ETag, false, now
		return nil
	})
}

func (r *memFiles) TakeView(ctx context.Context, id string, now time.Time) (int64, error) {
	return takeView(ctx, r.memTable, id, now, func(f *shares.File) *shares.Gate { return &f.Gate })
}

func (r *memFiles) AddViews(ctx context.Context, views map[string]int64) error {
	_, err := r.change(ctx, func(f *shares.File) bool { return views[f.ID] != 0 && f.MaxViews == 0 },
		func(f *shares.File) { f.Views, f.ExpiresAt = f.Views+views[f.ID], slid(r.m, &f.Gate) })
	return err
}

func (r *memFiles) ObjectUsers(ctx context.Context, configID, storagePath, exceptID string) (int, error) {
	rows, err := r.all(ctx, func(f *shares.File) bool {
		return f.StorageConfigID == configID && f.StoragePath == storagePath && f.ID != exceptID && f.ErasedAt == nil
	})
	return len(rows), err
}

func (r *memFiles) ObjectHolders(ctx context.Context, configID, storagePath, exceptID string) ([]shares.ObjectHolder, error) {
	rows, err := r.all(ctx, func(f *shares.File) bool {
		return f.StorageConfigID == configID && f.StoragePath == storagePath && f.ID != exceptID && f.ErasedAt == nil
	})
	var holders []shares.ObjectHolder
	for _, f := range rows {
		holders = append(holders, shares.ObjectHolder{CreatedBy: f.CreatedBy, Pending: f.Pending, Mounted: f.FilePath != ""})
	}
	return holders, err
}

func (r *memFiles) Erasable(ctx context.Context, usedBefore, expiredBefore time.Time, after string, limit int) ([]shares.File, string, error) {
	sets, err := r.m.sets.all(ctx, func(c *collections.Collection) bool { return c.ErasedAt != nil })
	if err != nil {
		return nil, "", err
	}
	rows, err := r.all(ctx, func(f *shares.File) bool {
		ended := slices.ContainsFunc(sets, func(c collections.Collection) bool { return c.ID == f.Collection })
		return f.ID > after && (f.VersionOf == "" && erasable(&f.Gate, usedBefore, expiredBefore) || f.ErasedAt == nil && ended)
	})
	return pageOf(rows, limit, func(f shares.File) string { return f.ID }, err)
}

func (r *memFiles) Items(ctx context.Context, collection string) ([]shares.File, error) {
	rows, err := r.all(ctx, func(f *shares.File) bool {
		return collection != "" && f.Collection == collection && f.ErasedAt == nil && !f.Pending
	})
	slices.SortFunc(rows, func(a, b shares.File) int {
		return cmp.Or(cmp.Compare(a.Position, b.Position), cmp.Compare(a.ID, b.ID))
	})
	return rows[:min(collections.MaxItems, len(rows))], err
}

func (r *memFiles) Stale(ctx context.Context, createdBefore time.Time, after string, limit int) ([]shares.File, error) {
	return r.some(ctx, limit, func(f *shares.File) bool {
		return f.ID > after && f.Pending && f.ErasedAt == nil && f.CreatedAt.Before(createdBefore)
	})
}

func (r *memFiles) some(ctx context.Context, limit int, fits func(*shares.File) bool) ([]shares.File, error) {
	rows, err := r.all(ctx, fits)
	slices.SortFunc(rows, func(a, b shares.File) int { return cmp.Compare(a.ID, b.ID) })
	return rows[:min(limit, len(rows))], err
}

func (r *memFiles) Erase(ctx context.Context, now time.Time, seen ...cleanup.Seen) (int, error) {
	var ids []string
	n, err := r.change(ctx, func(f *shares.File) bool { return asSeen(seen, f.ID, f.Version, &f.Gate) },
		func(f *shares.File) { f.ErasedAt, ids = milliPtr(&now), append(ids, f.ID) })
	if err == nil {
		_, err = r.letGo(ctx, &now, func(f *shares.File) bool { return slices.Contains(ids, f.VersionOf) })
	}
	return n, err
}

func (r *memFiles) Purge(ctx context.Context, erasedBefore time.Time, limit int) (int, error) {
	return r.remove(ctx, upTo(limit, func(f *shares.File) bool { return f.ErasedAt != nil && f.ErasedAt.Before(erasedBefore) }))
}

// upTo takes at most limit of what fits.
func upTo[E any](limit int, fits func(*E) bool) func(*E) bool {
	taken := 0
	return func(row *E) bool {
		if taken == limit || !fits(row) {
			return false
		}
		taken++
		return true
	}
}

func (r *memFiles) Usage(ctx context.Context) (map[string]shares.FileUsage, error) {
	rows, err := r.all(ctx, func(f *shares.File) bool { return f.ErasedAt == nil })
	usage := map[string]shares.FileUsage{}
	for _, f := range rows {
		u := usage[f.StorageConfigID]
		u.Files++
		u.Bytes += f.Size
		usage[f.StorageConfigID] = u
	}
	return usage, err
}

func (r *memFiles) CountByDay(ctx context.Context, now time.Time, days int) (int, []int, error) {
	rows, err := r.all(ctx, func(f *shares.File) bool { return listed(&f.Gate) && !f.Pending })
	return len(rows), countByDay(rows, now, days, func(f *shares.File) time.Time { return f.CreatedAt }), err
}

// sorted is what lists of shares are sorted by.
type sorted struct {
	id, slug, name string
	size, views    int64
	end            *time.Time
	created        time.Time
}

// ordered compares two shares as a list asks for it.
func ordered(s shares.Sort, a, b sorted) int {
	var way int
	switch s.By {
	case shares.SortSlug:
		way = cmp.Compare(a.slug, b.slug)
	case shares.SortName:
		way = cmp.Compare(a.name, b.name)
	case shares.SortSize:
		way = cmp.Compare(a.size, b.size)
	case shares.SortViews:
		way = cmp.Compare(a.views, b.views)
	case shares.SortExpiry:
		switch {
		case a.end != nil && b.end != nil:
			way = a.end.Compare(*b.end)
		case a.end != nil:
			way = -1
		case b.end != nil:
			way = 1
		}
	default:
		way = a.created.Compare(b.created)
	}
	way = cmp.Or(way, cmp.Compare(a.id, b.id))
	if s.Ascending {
		return way
	}
	return -way
}

// inState reports whether a share belongs to a list that is narrowed to a state.
func inState(g *shares.Gate, s shares.Sort) bool {
	expired := g.ExpiresAt != nil && !g.ExpiresAt.After(s.Now)
	switch s.State {
	case shares.StateActive:
		return !expired
	case shares.StateExpired:
		return expired
	case shares.StateProtected:
		return g.PasswordHash != ""
	case shares.StateLimited:
		return g.MaxViews > 0
	}
	return true
}
