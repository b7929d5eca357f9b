package admindb

import (
	"context"
	"strings"
	"time"

	"github.com/uptrace/bun"

	"pasteport/adapters/bunstore/internal/db"
	"pasteport/domain/audit"
	"pasteport/ports/policy"
	"pasteport/ports/yield"
)

// Audit stores the audit log.
type Audit struct{ db *db.DB }

var _ audit.Repository = (*Audit)(nil)

// NewAudit returns the repository of the audit log.
func NewAudit(d *db.DB) *Audit { return &Audit{d} }

type auditRow struct {
	bun.BaseModel `bun:"table:audit_entries,alias:audit_entries"`
	N             int64 `bun:",pk,autoincrement"`
	Chain         string
	Seq           int64
	At            int64
	Kind          string
	Actor         string
	Name          string
	Action        string
	Target        string
	Outcome       string
	Code          string
	ClientIP      string `bun:"client_ip"`
	RequestID     string
	Details       string
	Prev          string
	Hash          string
}

func (r *auditRow) entry() audit.Entry {
	return audit.Entry{N: r.N, Chain: r.Chain, Seq: r.Seq, At: db.Time(r.At), Kind: policy.Kind(r.Kind), Actor: r.Actor, Name: r.Name, Action: r.Action, Target: r.Target,
		Outcome: r.Outcome, Code: r.Code, ClientIP: r.ClientIP, RequestID: r.RequestID, Details: r.Details, Prev: r.Prev, Hash: r.Hash}
}

const headColumns = "chain, seq, hash, mac, doubt, base_seq, base_hash, base_mac"

func headFields(h *audit.Head) []any {
	return []any{&h.Chain, &h.Seq, &h.Hash, &h.MAC, &h.Doubt, &h.BaseSeq, &h.BaseHash, &h.BaseMAC}
}

// putHead stores a head whose row is there.
func putHead(ctx context.Context, c *db.Conn, h audit.Head) error {
	_, err := c.Exec(ctx, "UPDATE audit_heads SET seq = ?, hash = ?, mac = ?, doubt = ?, base_seq = ?, base_hash = ?, base_mac = ? WHERE chain = ?",
		h.Seq, h.Hash, h.MAC, h.Doubt, h.BaseSeq, h.BaseHash, h.BaseMAC, h.Chain)
	return err
}

// Sign lets sign look at every head, and stores those that it changes.
func (r *Audit) Sign(ctx context.Context, sign func(*audit.Head) bool) error {
	return r.db.Write(ctx, db.Work{Do: func(ctx context.Context, c *db.Conn) error {
		if !c.SQLite {
			if _, err := c.Exec(ctx, "LOCK TABLE audit_heads IN SHARE ROW EXCLUSIVE MODE"); err != nil {
				return err
			}
		}
		heads, err := headsIn(ctx, c)
		if err != nil {
			return err
		}
		for _, h := range heads {
			if sign(&h) {
				if err := putHead(ctx, c, h); err != nil {
					return err
				}
			}
		}
		return nil
	}})
}

// Append adds an entry to the end of its chain.
func (r *Audit) Append(ctx context.Context, e *audit.Entry, seal func(*audit.Head, *audit.Entry)) error {
	return r.db.Write(ctx, db.Work{Do: func(ctx context.Context, c *db.Conn) error {
		if _, err := c.Exec(ctx, "INSERT INTO audit_heads (chain, seq, hash, base_seq, base_hash) VALUES (?, 0, '', 0, '') ON CONFLICT (chain) DO NOTHING", e.Chain); err != nil {
			return err
		}
		var h audit.Head // as it was; its row is locked by the update
		if err := c.Row(ctx, "UPDATE audit_heads SET seq = seq WHERE chain = ? RETURNING "+headColumns, []any{e.Chain}, headFields(&h)...); err != nil {
			return err
		}
		seal(&h, e)
		n, err := c.Insert(ctx, "INSERT INTO audit_entries (chain, seq, at, kind, actor, name, action, target, outcome, code, client_ip, request_id, details, prev, hash) "+
			"VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
			e.Chain, e.Seq, db.Millis(e.At), string(e.Kind), e.Actor, e.Name, e.Action, e.Target, e.Outcome, e.Code, e.ClientIP, e.RequestID, e.Details, e.Prev, e.Hash)
		if err != nil {
			return err
		}
		e.N = n
		return putHead(ctx, c, h)
	}})
}

// List returns entries, newest first.
func (r *Audit) List(ctx context.Context, f audit.Filter) ([]audit.Entry, error) {
	var rows []auditRow
	c := r.db.Read(ctx)
	order := "n DESC"
	if f.Oldest {
		order = "n"
	}
	q, err := r.narrowed(ctx, c, c.NewSelect().Model(&rows), f)
	if err != nil {
		return nil, err
	}
	q = q.OrderExpr(order).Limit(db.PageSize(f.Limit)).Offset(max(int64(f.Offset), 0))
	if f.Before > 0 {
		q = q.Where("n < ?", f.Before)
	}
	if err := q.Scan(ctx); err != nil {
		return nil, db.Failure(err)
	}
	entries := make([]audit.Entry, len(rows))
	for i := range rows {
		entries[i] = rows[i].entry()
	}
	return entries, nil
}

// Count counts what a filter chooses, up to audit.MaxTotal.
func (r *Audit) Count(ctx context.Context, f audit.Filter) (int, error) {
	c := r.db.Read(ctx)
	if f == (audit.Filter{Actor: f.Actor, Before: f.Before, Limit: f.Limit, Offset: f.Offset, Oldest: f.Oldest}) && f.Actor != "" {
		return db.CountOf(ctx, c, c.NewSelect().TableExpr("(?) AS of", byActor(c, f.Actor, audit.MaxTotal)), audit.MaxTotal)
	}
	if many, err := searchesMany(ctx, c, f, audit.MaxTotal); err != nil || many {
		return audit.MaxTotal, err
	}
	q, err := r.narrowed(ctx, c, c.NewSelect().Table("audit_entries"), f)
	if err != nil {
		return 0, err
	}
	return db.CountOf(ctx, c, q, audit.MaxTotal)
}

// byActor finds some of what somebody has done, by the indexes of both names.
func byActor(c *db.Conn, actor string, most int) *bun.SelectQuery {
	by := func(column string) *bun.SelectQuery {
		return c.NewSelect().Table("audit_entries").Column("n").Where("? = ?", bun.Ident(column), actor).Limit(int64(most))
	}
	return c.NewSelect().TableExpr("(SELECT n FROM (?) AS a UNION SELECT n FROM (?) AS b) AS entries", by("actor"), by("name")).Column("n")
}

// narrowed narrows a query to what a filter chooses. What somebody has done is
// found first where it is not much: in the order of the log it may be far behind.
// So are texts, by their index, unless many entries have them.
func (r *Audit) narrowed(ctx context.Context, c *db.Conn, q *bun.SelectQuery, f audit.Filter) (*bun.SelectQuery, error) {
	q = chosen(c, q, f)
	if f.Search != "" || f.Target != "" {
		many, err := searchesMany(ctx, c, f, db.FewMatches)
		if err != nil {
			return nil, err
		}
		if !many {
			for _, text := range []string{f.Search, f.Target} {
				if q, err = withText(ctx, c, q, text); err != nil {
					return nil, err
				}
			}
		}
	}
	if f.Actor == "" {
		return q, nil
	}
	found := []int64{}
	if err := byActor(c, f.Actor, db.FewMatches+1).Scan(ctx, &found); err != nil {
		return nil, db.Failure(err)
	}
	if len(found) <= db.FewMatches {
		q = q.Where("n IN (?)", bun.List(found))
	}
	return q, nil
}

// chosen narrows a query to what a filter chooses.
func chosen(c *db.Conn, q *bun.SelectQuery, f audit.Filter) *bun.SelectQuery {
	if !f.From.IsZero() {
		q = q.Where("at >= ?", db.Millis(f.From))
	}
	if !f.To.IsZero() {
		q = q.Where("at < ?", db.Millis(f.To))
	}
	if f.Actor != "" {
		q = q.Where("(actor || '' = ? OR name || '' = ?)", f.Actor, f.Actor) // not by their indexes, whose order is another
	}
	if strings.HasSuffix(f.Action, ".") {
		q = q.Where("action LIKE ? ESCAPE '\\'", db.EscapeLike(f.Action)+"%")
	} else if f.Action != "" {
		q = q.Where("action = ?", f.Action)
	}
	if f.Target != "" {
		q = db.Contains(c, q, f.Target, "target", "details")
	}
	if f.Outcome != "" {
		if q = q.Where("outcome = ?", f.Outcome); f.Outcome != "done" {
			q = q.Where("outcome <> 'done'") // as the index has it
		}
	}
	if f.Search != "" {
		q = db.Contains(c, q, f.Search, "name", "action", "target", "details")
	}
	return q
}

// Walk calls each for the entries of a chain behind seq.
func (r *Audit) Walk(ctx context.Context, chain string, seq int64, limit int, each func(audit.Entry) error) error {
	var rows []auditRow
	if err := r.db.Read(ctx).NewSelect().Model(&rows).Where("chain = ? AND seq > ?", chain, seq).OrderExpr("seq").Limit(db.PageSize(limit)).Scan(ctx); err != nil {
		return db.Failure(err)
	}
	for i := range rows {
		if err := each(rows[i].entry()); err != nil {
			return err
		}
	}
	return nil
}

// Heads returns the ends of all chains.
func (r *Audit) Heads(ctx context.Context) ([]audit.Head, error) {
	heads, err := headsIn(ctx, r.db.Read(ctx))
	return heads, db.Failure(err)
}

func headsIn(ctx context.Context, c *db.Conn) ([]audit.Head, error) {
	heads := []audit.Head{}
	err := c.Rows(ctx, "SELECT "+headColumns+" FROM audit_heads ORDER BY chain", nil, func(scan func(...any) error) error {
		var h audit.Head
		err := scan(headFields(&h)...)
		heads = append(heads, h)
		return err
	})
	return heads, err
}

// DeleteOld removes entries from before and notes where each chain begins now.
func (r *Audit) DeleteOld(ctx context.Context, before time.Time, proven func(audit.Head) bool, seal func(*audit.Head)) (removed int, err error) {
	heads, err := r.Heads(ctx)
	if err != nil {
		return 0, err
	}
	for _, h := range heads {
		var last int64
		// Clocks go back now and then; what follows in the chain stays in it.
		if err := r.db.Read(ctx).Row(ctx, "SELECT COALESCE(MIN(seq), ?) - 1 FROM audit_entries WHERE chain = ? AND at >= ?", []any{h.Seq + 1, h.Chain, db.Millis(before)}, &last); err != nil {
			return removed, db.Failure(err)
		}
		for n := deletedAtOnce; n == deletedAtOnce && h.BaseSeq < last; {
			began := time.Now()
			if n, err = r.deleteSome(ctx, &h, last, proven, seal); err != nil {
				return removed, err
			}
			removed += n
			yield.Wait(ctx, time.Since(began))
		}
	}
	if removed > 0 {
		err = auditGrams.Compact(ctx, r.db, 1)
	}
	return removed, err
}

// deletedAtOnce is how many entries are deleted in one transaction, which takes some
// milliseconds.
const deletedAtOnce = 250

// deleteSome deletes the oldest entries of a chain up to last, and returns how many.
func (r *Audit) deleteSome(ctx context.Context, h *audit.Head, last int64, proven func(audit.Head) bool, seal func(*audit.Head)) (removed int, err error) {
	err = r.db.Write(ctx, db.Work{Do: func(ctx context.Context, c *db.Conn) error {
		removed = 0
		var now audit.Head
		if err := c.Row(ctx, "UPDATE audit_heads SET seq = seq WHERE chain = ? RETURNING "+headColumns, []any{h.Chain}, headFields(&now)...); err != nil {
			return err
		}
		if *h = now; !proven(now) {
			return nil // what is left of it is evidence
		}
		var to int64
		if err := c.Row(ctx, "SELECT COALESCE(MAX(seq), ?) FROM (SELECT seq FROM audit_entries WHERE chain = ? AND seq <= ? ORDER BY seq LIMIT ?) AS oldest", []any{last, h.Chain, last, deletedAtOnce}, &to); err != nil {
			return err
		}
		now.BaseSeq = to
		if err := c.Row(ctx, "SELECT hash FROM audit_entries WHERE chain = ? AND seq = ?", []any{h.Chain, to}, &now.BaseHash); err != nil {
			return err
		}
		seal(&now)
		if err := putHead(ctx, c, now); err != nil {
			return err
		}
		n, err := c.Exec(ctx, "DELETE FROM audit_entries WHERE chain = ? AND seq <= ?", h.Chain, to)
		removed, *h = int(n), now
		return err
	}})
	return removed, err
}
