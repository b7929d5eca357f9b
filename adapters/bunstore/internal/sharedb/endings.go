package sharedb

import (
	"context"
	"maps"
	"slices"
	"time"

	"github.com/uptrace/bun"

	"pasteport/adapters/bunstore/internal/db"
	"pasteport/domain/events"
	"pasteport/ports/policy"
)

// Endings stores of which ends of shares somebody was told.
type Endings struct{ db *db.DB }

var _ events.Endings = (*Endings)(nil)

// NewEndings returns the ends of shares that are told.
func NewEndings(d *db.DB) *Endings { return &Endings{d} }

// endingNames are the columns of the name of a share, by its kind.
var endingNames = map[string]string{policy.KindPaste: "remark", policy.KindFile: "filename", policy.KindCollection: "title"}

type endingRow struct {
	ID        string
	Name      string
	CreatedBy string
	Views     int64
	MaxViews  int64
	ExpiresAt int64
}

// alone leaves out files that end with another share, and those that have not come.
func alone(kind string) string {
	if kind == policy.KindFile {
		return " AND collection_id = '' AND NOT pending"
	}
	return ""
}

// Untold lists shares that end soon and of whose end nobody was told.
func (r *Endings) Untold(ctx context.Context, near events.Near) (list []events.Ending, err error) {
	c := r.db.Read(ctx)
	now := db.Millis(near.Now)
	after := max(now, db.Millis(near.From)-1) // several may end at the same time
	for _, kind := range slices.Sorted(maps.Keys(endingNames)) {
		var rows []endingRow
		q := c.NewSelect().TableExpr(shareTables[kind]+" AS s").ColumnExpr("id, "+endingNames[kind]+" AS name, created_by, views, max_views, expires_at").
			Where("expires_at > ? AND expires_at <= ? AND erased_at IS NULL AND used_up_at IS NULL"+alone(kind), after, now+near.Lead.Milliseconds()).
			Where("(expires_at - ?) * 2 <= CASE WHEN slide_ms > 0 THEN slide_ms ELSE expires_at - created_at END", now).
			Where("NOT EXISTS (SELECT 1 FROM event_endings t WHERE t.share = s.id AND t.expires_at = s.expires_at)").
			OrderExpr("expires_at").Limit(int64(near.Limit))
		if near.Owners != nil {
			// By the index of ends, not by that of owners, who may have a million shares.
			q = q.Where("created_by || '' IN (?)", bun.List(near.Owners))
		}
		if err := q.Scan(c.Brief(ctx), &rows); err != nil {
			return nil, db.Failure(err)
		}
		for _, e := range rows {
			list = append(list, events.Ending{Kind: kind, ID: e.ID, Name: e.Name, Owner: e.CreatedBy, Views: e.Views, MaxViews: e.MaxViews, ExpiresAt: db.Time(e.ExpiresAt)})
		}
	}
	return list, nil
}

// Mark notes that the end of a share was told.
func (r *Endings) Mark(ctx context.Context, e events.Ending) (bool, error) {
	n, err := r.db.Exec(ctx, "INSERT INTO event_endings (share, expires_at) SELECT id, expires_at FROM "+shareTables[e.Kind]+` WHERE id = ? AND expires_at = ? AND used_up_at IS NULL AND erased_at IS NULL
		ON CONFLICT (share) DO UPDATE SET expires_at = EXCLUDED.expires_at WHERE event_endings.expires_at <> EXCLUDED.expires_at`, e.ID, db.Millis(e.ExpiresAt))
	return n > 0, err
}

// Sweep forgets marks of ends before now.
func (r *Endings) Sweep(ctx context.Context, now time.Time, limit int) (int, error) {
	n, err := r.db.Exec(ctx, "DELETE FROM event_endings WHERE share IN (SELECT share FROM event_endings WHERE expires_at < ? ORDER BY expires_at LIMIT ?)", db.Millis(now), limit)
	return int(n), err
}
