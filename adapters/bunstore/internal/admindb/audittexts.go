package admindb

import (
	"context"
	"time"

	"github.com/uptrace/bun"

	"pasteport/adapters/bunstore/internal/db"
	"pasteport/domain/audit"
	"pasteport/ports/yield"
)

// The index of the audit log's texts. Entries never change, so it has all of them up
// to one; those behind are looked at without it. What is deleted leaves it by itself.
const auditGrams db.GramIndex = "index_audit"

// auditTexts are the columns that searches look at.
const auditTexts = "name || ' ' || action || ' ' || target || ' ' || details"

// indexedAtOnce is how many entries are indexed in one transaction.
const indexedAtOnce = 100

// lastIndexed is the last entry that the index has.
func lastIndexed(c *db.Conn) string {
	if c.SQLite {
		return "SELECT coalesce(max(id), 0) FROM index_audit_docsize"
	}
	return "SELECT coalesce(max(n), 0) FROM index_audit"
}

// searchesMany reports whether a search finds far more than so many entries.
func searchesMany(ctx context.Context, c *db.Conn, f audit.Filter, rows int) (bool, error) {
	if f.Search == "" && f.Target == "" {
		return false, nil
	}
	return db.Many(ctx, c, "audit_entries", rows, func(q *bun.SelectQuery) *bun.SelectQuery { return chosen(c, q, f) })
}

// withText narrows a query to the entries that may have a text.
func withText(ctx context.Context, c *db.Conn, q *bun.SelectQuery, text string) (*bun.SelectQuery, error) {
	asked := db.AskedGrams(text)
	if len(asked) == 0 {
		return q, nil
	}
	found, args, err := auditGrams.Find(ctx, c, asked)
	if err != nil {
		return nil, err
	}
	known, err := db.Known(ctx, c, found, args, "SELECT n FROM audit_entries WHERE n > ("+lastIndexed(c)+")")
	if err != nil || known.To == nil {
		return q, err
	}
	return known.To(q), nil
}

// KeepTexts indexes the texts of new entries, until all are or ctx ends. It rests so
// many times as long as it works.
func (r *Audit) KeepTexts(ctx context.Context, rest int) error {
	last, err := r.settled(ctx)
	for err == nil && ctx.Err() == nil {
		began, n := time.Now(), 0
		if n, err = r.indexSome(ctx, last); n == 0 {
			break
		}
		yield.Wait(ctx, time.Duration(rest)*time.Since(began))
	}
	return err
}

// settled is the entry before which none can appear any more. PostgreSQL numbers
// entries before they are committed: there it is the last one of an earlier call, once
// all transactions of that time have ended.
func (r *Audit) settled(ctx context.Context) (last int64, err error) {
	if r.db.SQLite() {
		err := r.db.Read(ctx).Row(ctx, "SELECT coalesce(max(n), 0) FROM audit_entries", nil, &last)
		return last, db.Failure(err)
	}
	var seen, until int64
	var now struct{ last, oldest, next int64 }
	if err := r.db.Read(ctx).Row(ctx, "SELECT coalesce((SELECT n FROM index_audit_seen), 0), coalesce((SELECT until FROM index_audit_seen), 0), "+
		"(SELECT coalesce(max(n), 0) FROM audit_entries), txid_snapshot_xmin(txid_current_snapshot()), txid_snapshot_xmax(txid_current_snapshot())",
		nil, &seen, &until, &now.last, &now.oldest, &now.next); err != nil {
		return 0, db.Failure(err)
	}
	if until > now.next {
		seen, until = 0, 0 // noted on another server, whose transactions had other numbers
	}
	if now.oldest < until {
		return 0, nil // this time none
	}
	if now.last != seen {
		if _, err := r.db.Exec(ctx, "INSERT INTO index_audit_seen (one, n, until) VALUES (1, ?, ?) ON CONFLICT (one) DO UPDATE SET n = excluded.n, until = excluded.until", now.last, now.next); err != nil {
			return 0, err
		}
	}
	return seen, nil
}

// indexSome indexes entries up to one, and returns how many.
func (r *Audit) indexSome(ctx context.Context, last int64) (int, error) {
	c := r.db.Read(ctx)
	var rows []db.Grams
	err := c.Rows(ctx, "SELECT n, "+auditTexts+" FROM audit_entries WHERE n > ("+lastIndexed(c)+") AND n <= ? ORDER BY n LIMIT ?", []any{last, indexedAtOnce}, func(scan func(...any) error) error {
		var n int64
		var text string
		if err := scan(&n, &text); err != nil {
			return err
		}
		rows = append(rows, db.Grams{N: n, Grams: db.GramsOf("", text)})
		return nil
	})
	if err != nil || len(rows) == 0 {
		return 0, db.Failure(err)
	}
	return len(rows), r.db.Write(ctx, db.Work{Do: func(ctx context.Context, c *db.Conn) error { return auditGrams.Put(ctx, c, rows) }})
}
