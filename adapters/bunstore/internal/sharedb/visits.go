package sharedb

import (
	"context"
	"time"

	"github.com/uptrace/bun"

	"pasteport/adapters/bunstore/internal/db"
	"pasteport/domain/shares/openings"
	"pasteport/domain/shares/visitlog"
	"pasteport/ports"
	"pasteport/ports/policy"
)

var _ visitlog.Repository = (*Visits)(nil)

// Visits stores who opened shares. Triggers of the database remove the lines of a
// share with its record.
type Visits struct{ db *db.DB }

// NewVisits returns the repository of who opened shares.
func NewVisits(d *db.DB) *Visits { return &Visits{d} }

// shareTables are the tables of the kinds of shares.
var shareTables = map[string]string{policy.KindPaste: "pastes", policy.KindFile: "files", policy.KindCollection: "collections"}

// Add adds lines of shares that are there.
func (r *Visits) Add(ctx context.Context, lines []visitlog.Line) error {
	return r.db.Write(ctx, db.Work{Do: func(ctx context.Context, c *db.Conn) error {
		lock := ""
		if !c.SQLite { // else a share that is being deleted leaves lines behind
			lock = " FOR KEY SHARE"
		}
		for _, l := range lines {
			if _, err := c.Exec(ctx, "INSERT INTO share_visits (kind, share_id, at, who, address, agent, how, item, verdict, refused, times, views) "+
				"SELECT CAST(? AS TEXT), id, CAST(? AS BIGINT), CAST(? AS TEXT), CAST(? AS TEXT), CAST(? AS TEXT), CAST(? AS TEXT), CAST(? AS TEXT), CAST(? AS TEXT), CAST(? AS BOOLEAN), CAST(? AS BIGINT), CAST(? AS BIGINT) "+
				"FROM "+shareTables[l.Kind]+" WHERE id = ?"+lock,
				l.Kind, db.Millis(l.At), l.Who, l.Address, l.Agent, string(l.How), l.Item, string(l.Verdict), l.Verdict != openings.WasOpened, l.Times, l.Views, l.ShareID); err != nil {
				return err
			}
		}
		return nil
	}})
}

// Trim removes the oldest lines of a share past a number.
func (r *Visits) Trim(ctx context.Context, shareID string, refused bool, keep int) error {
	_, err := r.db.Exec(ctx, "DELETE FROM share_visits WHERE share_id = ? AND refused = ? AND n < "+
		"(SELECT n FROM share_visits WHERE share_id = ? AND refused = ? ORDER BY n DESC LIMIT 1 OFFSET ?)", shareID, refused, shareID, refused, keep-1)
	return err
}

type visitRow struct {
	bun.BaseModel `bun:"table:share_visits,alias:share_visits"`
	N             int64
	Kind          string
	ShareID       string
	At            int64
	Who           string
	Address       string
	Agent         string
	How           string
	Item          string
	Verdict       string
	Times         int64
	Views         int64

	Slug  string `bun:",scanonly"`
	Name  string `bun:",scanonly"`
	Owner string `bun:",scanonly"`
}

// visitColumns are those of a line and of its share, which is one of three tables'.
const visitColumns = "share_visits.n, share_visits.kind, share_id, at, who, address, agent, how, item, verdict, times, share_visits.views, " +
	"coalesce(p.slug, f.slug, k.slug, '') AS slug, coalesce(p.remark, f.filename, k.title, '') AS name, coalesce(p.created_by, f.created_by, k.created_by, '') AS owner"

// List returns lines, newest first.
func (r *Visits) List(ctx context.Context, f visitlog.Filter) ([]visitlog.Shown, error) {
	var rows []visitRow
	c := r.db.Read(ctx)
	q := visitsOf(c, c.NewSelect().Model(&rows), f).ColumnExpr(visitColumns).OrderExpr("share_visits.n DESC").Limit(db.PageSize(f.Limit)).Offset(max(int64(f.Offset), 0))
	if f.Before > 0 {
		q = q.Where("share_visits.n < ?", f.Before)
	}
	if err := q.Scan(ctx); err != nil {
		return nil, db.Failure(err)
	}
	out := make([]visitlog.Shown, len(rows))
	for i := range rows {
		v := &rows[i]
		out[i] = visitlog.Shown{Slug: v.Slug, Name: v.Name, Owner: v.Owner, Line: visitlog.Line{N: v.N, Kind: v.Kind, ShareID: v.ShareID, At: db.Time(v.At), Who: v.Who,
			Address: v.Address, Agent: v.Agent, How: openings.How(v.How), Item: v.Item, Verdict: openings.Verdict(v.Verdict), Times: v.Times, Views: v.Views}}
	}
	return out, nil
}

// Count counts what a filter chooses, up to visitlog.MaxTotal.
func (r *Visits) Count(ctx context.Context, f visitlog.Filter) (int, error) {
	c := r.db.Read(ctx)
	n, err := c.NewSelect().TableExpr("(?) AS counted", visitsOf(c, c.NewSelect().Table("share_visits").ColumnExpr("1 AS one"), f).Limit(visitlog.MaxTotal)).Count(ctx)
	return int(n), db.Failure(err)
}

// visitsOf narrows a query to what a filter chooses.
func visitsOf(c *db.Conn, q *bun.SelectQuery, f visitlog.Filter) *bun.SelectQuery {
	for _, table := range []string{"pastes AS p", "files AS f", "collections AS k"} {
		q = q.Join("LEFT JOIN " + table + " ON " + table[len(table)-1:] + ".id = share_id")
	}
	if f.ShareID != "" {
		q = q.Where("share_id = ?", f.ShareID)
	}
	if f.Kind != "" {
		q = q.Where("share_visits.kind = ?", f.Kind)
	}
	if f.Owner != "" {
		q = q.Where("coalesce(p.created_by, f.created_by, k.created_by) = ?", f.Owner)
	}
	if f.Verdict != "" {
		q = q.Where("verdict = ?", string(f.Verdict)).Where("refused = ?", f.Verdict != openings.WasOpened)
	}
	if f.Refused {
		q = q.Where("refused")
	}
	if !f.From.IsZero() {
		q = q.Where("at >= ?", db.Millis(f.From))
	}
	if !f.To.IsZero() {
		q = q.Where("at < ?", db.Millis(f.To))
	}
	if f.Search != "" {
		q = db.Contains(c, q, f.Search, "address", "agent", "item", "share_id", "p.slug", "f.slug", "k.slug", "p.remark", "f.filename", "k.title")
	}
	return q
}

// Owner tells whose a share is.
func (r *Visits) Owner(ctx context.Context, kind, id string) (owner string, err error) {
	table, known := shareTables[kind]
	if !known {
		return "", ports.ErrNotFound
	}
	err = r.db.Read(ctx).Row(ctx, "SELECT created_by FROM "+table+" WHERE id = ?", []any{id}, &owner)
	return owner, db.Failure(err)
}

// Forget removes lines from before a time.
func (r *Visits) Forget(ctx context.Context, before time.Time, limit int) (int, error) {
	return r.db.Exec(ctx, "DELETE FROM share_visits WHERE n IN (SELECT n FROM share_visits WHERE at < ? ORDER BY at LIMIT ?)", db.Millis(before), limit)
}
