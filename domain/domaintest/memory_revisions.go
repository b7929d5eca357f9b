package domaintest

import (
	"bytes"
	"cmp"
	"context"
	"slices"
	"time"

	"pasteport/domain/shares"
	"pasteport/domain/shares/revisions"
	"pasteport/ports"
)

// edition is a content of a paste. The present one has version 0 and no bytes,
// and says whether edits keep any.
type edition struct {
	pasteID string
	off     bool
	revisions.Revision
}

type memRevisions struct {
	editions *memTable[edition]
	pastes   *memTable[shares.Paste]
}

func (r *memRevisions) present(ctx context.Context, pasteID string) (edition, *shares.Paste, error) {
	p, err := r.pastes.Get(ctx, pasteID)
	if err != nil || p.Content == nil {
		return edition{}, nil, cmp.Or(err, error(ports.ErrNotFound))
	}
	now := edition{pasteID: pasteID, Revision: revisions.Revision{EditedBy: p.CreatedBy, EditedAt: p.CreatedAt}}
	if kept, err := r.editions.first(ctx, func(e *edition) bool { return e.pasteID == pasteID && e.Version == 0 }); err == nil {
		now = *kept
	}
	return now, p, nil
}

// put replaces the edition of a version.
func (r *memRevisions) put(ctx context.Context, e edition) error {
	if _, err := r.editions.remove(ctx, func(old *edition) bool { return old.pasteID == e.pasteID && old.Version == e.Version }); err != nil {
		return err
	}
	return r.editions.Insert(ctx, &e)
}

func (r *memRevisions) Keep(ctx context.Context, e shares.Edit) error {
	now, p, err := r.present(ctx, e.PasteID)
	if ports.Is(err, ports.NotFound) || err == nil && bytes.Equal(p.Content, e.Content) {
		return nil
	}
	if err != nil {
		return err
	}
	old := edition{pasteID: e.PasteID, Revision: now.Revision}
	old.Version, old.Size, old.Content = p.Version, p.Size, p.Content
	now.EditedBy, now.EditedAt = e.By, milli(e.At)
	if err := r.put(ctx, now); err != nil || now.off || e.Most == 0 {
		return err
	}
	if err := r.put(ctx, old); err != nil {
		return err
	}
	kept, err := r.earlier(ctx, e.PasteID)
	if err != nil {
		return err
	}
	var sum int64
	for i, one := range kept {
		if sum += one.Size; i < e.Most && sum <= e.Bytes {
			continue
		}
		if _, err := r.editions.remove(ctx, func(x *edition) bool { return x.pasteID == e.PasteID && x.Version == one.Version }); err != nil {
			return err
		}
	}
	return nil
}

// earlier lists the earlier contents, newest first.
func (r *memRevisions) earlier(ctx context.Context, pasteID string) ([]edition, error) {
	kept, err := r.editions.all(ctx, func(e *edition) bool { return e.pasteID == pasteID && e.Version > 0 })
	slices.SortFunc(kept, func(a, b edition) int { return cmp.Compare(b.Version, a.Version) })
	return kept, err
}

func (r *memRevisions) History(ctx context.Context, pasteID string) (revisions.History, error) {
	now, p, err := r.present(ctx, pasteID)
	if err != nil {
		return revisions.History{}, err
	}
	h := revisions.History{Off: now.off, Current: now.Revision}
	h.Current.Version, h.Current.Size = p.Version, p.Size
	kept, err := r.earlier(ctx, pasteID)
	for _, e := range kept {
		e.Content = nil
		h.Earlier = append(h.Earlier, e.Revision)
	}
	return h, err
}

func (r *memRevisions) Get(ctx context.Context, pasteID string, version int64) (*revisions.Revision, error) {
	if _, _, err := r.present(ctx, pasteID); err != nil {
		return nil, err
	}
	e, err := r.editions.first(ctx, func(e *edition) bool { return e.pasteID == pasteID && e.Version == version && version > 0 })
	if err != nil {
		return nil, err
	}
	return &e.Revision, nil
}

func (r *memRevisions) Switch(ctx context.Context, pasteID string, off bool) error {
	now, _, err := r.present(ctx, pasteID)
	if err != nil {
		return err
	}
	now.off = off
	if err := r.put(ctx, now); err != nil || !off {
		return err
	}
	_, err = r.editions.remove(ctx, func(e *edition) bool { return e.pasteID == pasteID && e.Version > 0 })
	return err
}

func (r *memRevisions) Forget(ctx context.Context, before time.Time, limit int) (int, error) {
	all, err := r.editions.all(ctx, func(*edition) bool { return true })
	if err != nil {
		return 0, err
	}
	// replaced is when the next one came, or, after the newest, the present one.
	replaced := func(e *edition) time.Time {
		var next edition
		for _, other := range all {
			later := other.Version > e.Version && (next.Version == 0 || other.Version < next.Version)
			if other.pasteID == e.pasteID && (later || other.Version == 0 && next.Version == 0) {
				next = other
			}
		}
		return next.EditedAt
	}
	return r.editions.remove(ctx, upTo(limit, func(e *edition) bool {
		return e.Version > 0 && e.EditedAt.Before(before) && replaced(e).Before(before)
	}))
}
