package bunstore

import (
	"context"
	"strings"
	"time"

	"github.com/uptrace/bun"

	"pasteport/domain/audit"
	"pasteport/ports/policy"
)

// Audit stores the audit log.
type Audit struct{ s *Store }

var _ audit.Repository = (*Audit)(nil)

// Audit returns the repository of the audit log.
func (s *Store) Audit() *Audit { return &Audit{s} }

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
	return audit.Entry{N: r.N, Chain: r.Chain, Seq: r.Seq, At: at(r.At), Kind: policy.Kind(r.Kind), Actor: r.Actor, Name: r.Name, Action: r.Action, Target: r.Target,
		Outcome: r.Outcome, Code: r.Code, ClientIP: r.ClientIP, RequestID: r.RequestID, Details: r.Details, Prev: r.Prev, Hash: r.Hash}
}

const headColumns = "chain, seq, hash, mac, doubt, base_seq, base_hash, base_mac"

func headFields(h *audit.Head) []any {
	return []any{&h.Chain, &h.Seq, &h.Hash, &h.MAC, &h.Doubt, &h.BaseSeq, &h.BaseHash, &h.BaseMAC}
}

// putHead stores a head whose row is there.
func putHead(ctx context.Context, c *conn, h audit.Head) error {
	_, err := c.exec(ctx, "UPDATE audit_heads SET seq = ?, hash = ?, mac = ?, doubt = ?, base_seq = ?, base_hash = ?, base_mac = ? WHERE chain = ?",
		h.Seq, h.Hash, h.MAC, h.Doubt, h.BaseSeq, h.BaseHash, h.BaseMAC, h.Chain)
	return err
}

// Sign lets sign look at every head, and stores those that it changes.
func (r *Audit) Sign(ctx context.Context, sign func(*audit.Head) bool) error {
	return r.s.write(ctx, work{fn: func(ctx context.Context, c *conn) error {
		if !c.sqlite {
			if _, err := c.exec(ctx, "LOCK TABLE audit_heads IN SHARE ROW EXCLUSIVE MODE"); err != nil {
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
	return r.s.write(ctx, work{fn: func(ctx context.Context, c *conn) error {
		if _, err := c.exec(ctx, "INSERT INTO audit_heads (chain, seq, hash, base_seq, base_hash) VALUES (?, 0, '', 0, '') ON CONFLICT (chain) DO NOTHING", e.Chain); err != nil {
			return err
		}
		var h audit.Head // as it was; its row is locked by the update
		if err := c.row(ctx, "UPDATE audit_heads SET seq = seq WHERE chain = ? RETURNING "+headColumns, []any{e.Chain}, headFields(&h)...); err != nil {
			return err
		}
		seal(&h, e)
		n, err := c.insert(ctx, "INSERT INTO audit_entries (chain, seq, at, kind, actor, name, action, target, outcome, code, client_ip, request_id, details, prev, hash) "+
			"VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
			e.Chain, e.Seq, ms(e.At), string(e.Kind), e.Actor, e.Name, e.Action, e.Target, e.Outcome, e.Code, e.ClientIP, e.RequestID, e.Details, e.Prev, e.Hash)
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
	c := r.s.read(ctx)
	q := c.NewSelect().Model(&rows).OrderExpr("n DESC").Limit(pageSize(f.Limit))
	if f.Before > 0 {
		q = q.Where("n < ?", f.Before)
	}
	if !f.From.IsZero() {
		q = q.Where("at >= ?", ms(f.From))
	}
	if !f.To.IsZero() {
		q = q.Where("at < ?", ms(f.To))
	}
	if f.Actor != "" {
		q = q.Where("(actor = ? OR name = ?)", f.Actor, f.Actor)
	}
	if strings.HasSuffix(f.Action, ".") {
		q = q.Where("action LIKE ? ESCAPE '\\'", escapeLike(f.Action)+"%")
	} else if f.Action != "" {
		q = q.Where("action = ?", f.Action)
	}
	if f.Target != "" {
		q = contains(c, q, f.Target, "target", "details")
	}
	if f.Outcome != "" {
		q = q.Where("outcome = ?", f.Outcome)
	}
	if err := q.Scan(ctx); err != nil {
		return nil, failure(err)
	}
	entries := make([]audit.Entry, len(rows))
	for i := range rows {
		entries[i] = rows[i].entry()
	}
	return entries, nil
}

// Walk calls each for the entries of a chain behind seq.
func (r *Audit) Walk(ctx context.Context, chain string, seq int64, limit int, each func(audit.Entry) error) error {
	var rows []auditRow
	if err := r.s.read(ctx).NewSelect().Model(&rows).Where("chain = ? AND seq > ?", chain, seq).OrderExpr("seq").Limit(pageSize(limit)).Scan(ctx); err != nil {
		return failure(err)
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
	heads, err := headsIn(ctx, r.s.read(ctx))
	return heads, failure(err)
}

func headsIn(ctx context.Context, c *conn) ([]audit.Head, error) {
	heads := []audit.Head{}
	err := c.rows(ctx, "SELECT "+headColumns+" FROM audit_heads ORDER BY chain", nil, func(scan func(...any) error) error {
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
		err := r.s.write(ctx, work{fn: func(ctx context.Context, c *conn) error {
			var last int64
			// Clocks go back now and then; what follows in the chain stays in it.
			if err := c.row(ctx, "SELECT COALESCE(MIN(seq), ?) - 1 FROM audit_entries WHERE chain = ? AND at >= ?", []any{h.Seq + 1, h.Chain, ms(before)}, &last); err != nil {
				return err
			}
			if last <= h.BaseSeq {
				return nil
			}
			var now audit.Head
			if err := c.row(ctx, "UPDATE audit_heads SET seq = seq WHERE chain = ? RETURNING "+headColumns, []any{h.Chain}, headFields(&now)...); err != nil {
				return err
			}
			if !proven(now) {
				return nil // what is left of it is evidence
			}
			now.BaseSeq = last
			if err := c.row(ctx, "SELECT hash FROM audit_entries WHERE chain = ? AND seq = ?", []any{h.Chain, last}, &now.BaseHash); err != nil {
				return err
			}
			seal(&now)
			if err := putHead(ctx, c, now); err != nil {
				return err
			}
			n, err := c.exec(ctx, "DELETE FROM audit_entries WHERE chain = ? AND seq <= ?", h.Chain, last)
			removed += int(n)
			return err
		}})
		if err != nil {
			return removed, err
		}
	}
	return removed, nil
}
