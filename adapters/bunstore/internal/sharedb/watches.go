package sharedb

import (
	"context"
	"database/sql"
	"errors"

	"pasteport/adapters/bunstore/internal/db"
	"pasteport/domain/events"
	"pasteport/ports"
)

// Watches stores of which shares accounts want to hear.
type Watches struct{ db *db.DB }

var (
	_ events.Watches = (*Watches)(nil)
	_ events.Shares  = (*Watches)(nil)
)

// NewWatches returns the watches of shares.
func NewWatches(d *db.DB) *Watches { return &Watches{d} }

// OwnerOf returns the created_by of a text, a file or a collection.
func (r *Watches) OwnerOf(ctx context.Context, id string) (owner string, err error) {
	c := r.db.Read(ctx)
	err = c.Row(c.Brief(ctx), "SELECT created_by FROM pastes WHERE id = ? UNION ALL SELECT created_by FROM files WHERE id = ? UNION ALL SELECT created_by FROM collections WHERE id = ? LIMIT 1",
		[]any{id, id, id}, &owner)
	if errors.Is(err, sql.ErrNoRows) {
		return "", ports.ErrNotFound
	}
	return owner, db.Failure(err)
}

// Watch notes that an account watches a share.
func (r *Watches) Watch(ctx context.Context, share, owner string) error {
	_, err := r.db.Exec(ctx, "INSERT INTO event_watches (share, owner) VALUES (?, ?) ON CONFLICT DO NOTHING", share, owner)
	return err
}

// Forget notes that an account does not watch a share any more.
func (r *Watches) Forget(ctx context.Context, share, owner string) error {
	_, err := r.db.Exec(ctx, "DELETE FROM event_watches WHERE share = ? AND owner = ?", share, owner)
	return err
}

// Clear forgets all that an account watches.
func (r *Watches) Clear(ctx context.Context, owner string) error {
	_, err := r.db.Exec(ctx, "DELETE FROM event_watches WHERE owner = ?", owner)
	return err
}

// Watched reports whether an account watches a share.
func (r *Watches) Watched(ctx context.Context, share, owner string) (yes bool, err error) {
	c := r.db.Read(ctx)
	err = c.Row(c.Brief(ctx), "SELECT EXISTS (SELECT 1 FROM event_watches WHERE share = ? AND owner = ?)", []any{share, owner}, &yes)
	return yes, db.Failure(err)
}

// Count counts what an account watches.
func (r *Watches) Count(ctx context.Context, owner string) (n int, err error) {
	c := r.db.Read(ctx)
	if err := c.Alone(ctx, db.Named("watches of "+owner)); err != nil {
		return 0, db.Failure(err)
	}
	err = c.Row(c.Brief(ctx), "SELECT COUNT(*) FROM event_watches WHERE owner = ?", []any{owner}, &n)
	return n, db.Failure(err)
}

// All has who watches a share, by its subject.
func (r *Watches) All(ctx context.Context) (map[string][]string, error) {
	all := map[string][]string{}
	c := r.db.Read(ctx)
	err := c.Rows(c.Brief(ctx), "SELECT share, owner FROM event_watches", nil, func(scan func(...any) error) error {
		var share, owner string
		if err := scan(&share, &owner); err != nil {
			return err
		}
		all["share:"+share] = append(all["share:"+share], owner)
		return nil
	})
	return all, db.Failure(err)
}

// Sweep forgets watches of shares that are no more.
func (r *Watches) Sweep(ctx context.Context, limit int) (int, error) {
	n, err := r.db.Exec(ctx, `DELETE FROM event_watches WHERE share IN (SELECT w.share FROM event_watches w WHERE NOT EXISTS (SELECT 1 FROM pastes p WHERE p.id = w.share)
		AND NOT EXISTS (SELECT 1 FROM files f WHERE f.id = w.share) AND NOT EXISTS (SELECT 1 FROM collections c WHERE c.id = w.share) LIMIT ?)`, limit)
	return int(n), err
}
