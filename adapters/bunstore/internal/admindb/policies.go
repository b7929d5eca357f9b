package admindb

import (
	"context"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/uptrace/bun"

	"pasteport/adapters/bunstore/internal/db"
	"pasteport/domain/policies"
	"pasteport/ports"
	"pasteport/ports/policy"
)

// Policies stores revisions of the site's rules, and which is in force.
type Policies struct{ db *db.DB }

var _ policies.Repository = (*Policies)(nil)

// NewPolicies returns the repository of the site's rules.
func NewPolicies(d *db.DB) *Policies { return &Policies{d} }

// revisionsKey is alone who inserts revisions, or names those in use.
var revisionsKey = db.Named("policy revisions")

const revisionColumns = "id, number, hash, note, author, created_at"

// Insert gives the revision its number and drops the oldest ones.
func (r *Policies) Insert(ctx context.Context, v *policies.Revision, keep int) error {
	return r.db.Write(ctx, db.Work{Do: func(ctx context.Context, c *db.Conn) error {
		if err := c.Alone(ctx, revisionsKey); err != nil {
			return err
		}
		if err := c.Row(ctx, "SELECT COALESCE(MAX(number), 0) + 1 FROM policy_revisions", nil, &v.Number); err != nil {
			return err
		}
		if _, err := c.Exec(ctx, "INSERT INTO policy_revisions (id, number, rules, hash, note, author, created_at) VALUES (?, ?, ?, ?, ?, ?, ?)",
			v.ID, v.Number, asJSON(v.Rules), v.Hash, v.Note, v.Author, db.Millis(v.CreatedAt)); err != nil {
			return err
		}
		_, err := c.Exec(ctx, "DELETE FROM policy_revisions WHERE number <= ? AND id NOT IN (SELECT active FROM policy_state UNION SELECT previous FROM policy_state UNION SELECT shadow FROM policy_state)",
			v.Number-keep)
		return err
	}})
}

// Get returns a revision.
func (r *Policies) Get(ctx context.Context, id string) (*policies.Revision, error) {
	v, rules := new(policies.Revision), ""
	var created int64
	err := r.db.Read(ctx).Row(ctx, "SELECT "+revisionColumns+", rules FROM policy_revisions WHERE id = ?", []any{id},
		&v.ID, &v.Number, &v.Hash, &v.Note, &v.Author, &created, &rules)
	if err != nil {
		return nil, db.Failure(err)
	}
	v.CreatedAt = db.Time(created)
	fromJSON(rules, &v.Rules)
	return v, nil
}

// List returns all revisions without their rules, newest first.
func (r *Policies) List(ctx context.Context) ([]policies.Revision, error) {
	all := []policies.Revision{}
	err := r.db.Read(ctx).Rows(ctx, "SELECT "+revisionColumns+" FROM policy_revisions ORDER BY number DESC LIMIT 100", nil, func(scan func(...any) error) error {
		var v policies.Revision
		var created int64
		err := scan(&v.ID, &v.Number, &v.Hash, &v.Note, &v.Author, &created)
		v.CreatedAt = db.Time(created)
		all = append(all, v)
		return err
	})
	return all, db.Failure(err)
}

// State returns which revision is in force.
func (r *Policies) State(ctx context.Context) (policies.State, error) {
	var s policies.State
	var ends *int64
	var changed int64
	err := db.Failure(r.db.Read(ctx).Row(ctx, "SELECT version, active, previous, trial_ends, changed_at, changed_by, shadow, failed FROM policy_state WHERE id = 1", nil,
		&s.Version, &s.Active, &s.Previous, &ends, &changed, &s.ChangedBy, &s.Shadow, &s.Failed))
	if ports.Is(err, ports.NotFound) {
		return policies.State{Active: policies.None}, nil
	}
	if ends != nil {
		s.TrialEnds = db.Time(*ends)
	}
	s.ChangedAt = db.Time(changed)
	return s, err
}

// SetState replaces the state of the version before.
func (r *Policies) SetState(ctx context.Context, s policies.State) error {
	var ends *int64
	if s.Trial() {
		m := db.Millis(s.TrialEnds)
		ends = &m
	}
	return r.db.Write(ctx, db.Work{Do: func(ctx context.Context, c *db.Conn) error {
		err := c.Alone(ctx, revisionsKey)
		if err != nil {
			return err
		}
		var n int64
		if s.Version == 1 {
			n, err = c.Exec(ctx, "INSERT INTO policy_state (id, version, active, previous, trial_ends, changed_at, changed_by, shadow, failed) VALUES (1, 1, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (id) DO NOTHING",
				s.Active, s.Previous, ends, db.Millis(s.ChangedAt), s.ChangedBy, s.Shadow, s.Failed)
		} else {
			n, err = c.Exec(ctx, "UPDATE policy_state SET version = ?, active = ?, previous = ?, trial_ends = ?, changed_at = ?, changed_by = ?, shadow = ?, failed = ? WHERE id = 1 AND version = ?",
				s.Version, s.Active, s.Previous, ends, db.Millis(s.ChangedAt), s.ChangedBy, s.Shadow, s.Failed, s.Version-1)
		}
		if err == nil && n == 0 {
			err = ports.ErrConflict
		}
		return err
	}})
}

// Decisions stores the decision log.
type Decisions struct{ db *db.DB }

var _ policies.LogRepository = (*Decisions)(nil)

// NewDecisions returns the repository of the decision log.
func NewDecisions(d *db.DB) *Decisions { return &Decisions{d} }

// hour is the hour of a time, as a number.
func hour(t time.Time) int64 { return t.Unix() / 3600 }

// Insert stores lines and counts refusals.
func (r *Decisions) Insert(ctx context.Context, lines []policies.Line, refused map[string]policies.Hits) error {
	return r.db.Write(ctx, db.Work{Do: func(ctx context.Context, c *db.Conn) error {
		for _, l := range lines {
			if _, err := c.Exec(ctx, "INSERT INTO decisions (id, at, revision, kind, principal, name, action, path, outcome, codes, failed, request_id, client_ip, took_us, input) "+
				"VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
				l.ID, db.Millis(l.At), l.Revision, string(l.Kind), l.Principal, l.Name, string(l.Action), l.Path, outcomeOf(l), ","+strings.Join(l.Codes, ",")+",", l.Failed,
				l.RequestID, l.ClientIP, l.Took.Microseconds(), l.Input); err != nil {
				return err
			}
		}
		for _, code := range slices.Sorted(maps.Keys(refused)) { // so that nodes do not wait for each other in a circle
			h := refused[code]
			if _, err := c.Exec(ctx, "INSERT INTO policy_hits (code, hour, hits, last_at) VALUES (?, ?, ?, ?) "+
				"ON CONFLICT (code, hour) DO UPDATE SET hits = policy_hits.hits + excluded.hits, last_at = excluded.last_at",
				code, hour(h.Last), h.Day, db.Millis(h.Last)); err != nil {
				return err
			}
		}
		return nil
	}})
}

func outcomeOf(l policies.Line) string {
	switch {
	case l.Failed != "":
		return "error"
	case l.Allow:
		return "allow"
	}
	return "deny"
}

type decisionRow struct {
	bun.BaseModel `bun:"table:decisions,alias:decisions"`
	N             int64
	ID            string
	At            int64
	Revision      string
	Kind          string
	Principal     string
	Name          string
	Action        string
	Path          string
	Outcome       string
	Codes         string
	Failed        string
	RequestID     string
	ClientIP      string `bun:"client_ip"`
	TookUs        int64
	Input         []byte
}

func (r *decisionRow) line() policies.Line {
	l := policies.Line{N: r.N, ID: r.ID, At: db.Time(r.At), Revision: r.Revision, Kind: policy.Kind(r.Kind), Principal: r.Principal, Name: r.Name, Action: policy.Action(r.Action),
		Path: r.Path, Allow: r.Outcome == "allow", Failed: r.Failed, RequestID: r.RequestID, ClientIP: r.ClientIP, Took: time.Duration(r.TookUs) * time.Microsecond, Input: r.Input}
	if codes := strings.Trim(r.Codes, ","); codes != "" {
		l.Codes = strings.Split(codes, ",")
	}
	return l
}

// Get finds a line by its id.
func (r *Decisions) Get(ctx context.Context, id string) (*policies.Line, error) {
	row := new(decisionRow)
	if err := r.db.Read(ctx).NewSelect().Model(row).Where("id = ?", id).Limit(1).Scan(ctx); err != nil {
		return nil, db.Failure(err)
	}
	l := row.line()
	return &l, nil
}

// List returns lines, newest first.
func (r *Decisions) List(ctx context.Context, f policies.LineFilter) ([]policies.Line, error) {
	var rows []decisionRow
	q := r.db.Read(ctx).NewSelect().Model(&rows).OrderExpr("n DESC").Limit(db.PageSize(f.Limit))
	for _, condition := range []struct {
		when  bool
		where string
		arg   any
	}{
		{f.Before > 0, "n < ?", f.Before}, {!f.From.IsZero(), "at >= ?", db.Millis(f.From)}, {!f.To.IsZero(), "at < ?", db.Millis(f.To)},
		{f.Action != "", "action = ?", string(f.Action)}, {f.Principal != "", "principal = ?", f.Principal}, {f.Outcome != "", "outcome = ?", f.Outcome},
		{f.Code != "", "codes LIKE ? ESCAPE '\\'", "%" + db.EscapeLike(f.Code) + ",%"},
	} {
		if condition.when {
			q = q.Where(condition.where, condition.arg)
		}
	}
	if err := q.Scan(ctx); err != nil {
		return nil, db.Failure(err)
	}
	lines := make([]policies.Line, len(rows))
	for i := range rows {
		lines[i] = rows[i].line()
	}
	return lines, nil
}

// Hits tells the refusals by code.
func (r *Decisions) Hits(ctx context.Context, day time.Time) ([]policies.Hits, error) {
	hits := []policies.Hits{}
	err := r.db.Read(ctx).Rows(ctx, "SELECT code, COALESCE(SUM(CASE WHEN hour >= ? THEN hits ELSE 0 END), 0), SUM(hits), MAX(last_at) FROM policy_hits GROUP BY code ORDER BY code", []any{hour(day)},
		func(scan func(...any) error) error {
			var h policies.Hits
			var last int64
			err := scan(&h.Code, &h.Day, &h.All, &last)
			h.Last = db.Time(last)
			hits = append(hits, h)
			return err
		})
	return hits, db.Failure(err)
}

// DeleteOld removes lines and hits from before, and all but the newest lines.
func (r *Decisions) DeleteOld(ctx context.Context, before time.Time, newest int) (int, error) {
	n, err := r.db.Exec(ctx, "DELETE FROM decisions WHERE at < ? OR n <= (SELECT COALESCE(MAX(n), 0) FROM decisions) - ?", db.Millis(before), newest)
	if err != nil {
		return n, err
	}
	_, err = r.db.Exec(ctx, "DELETE FROM policy_hits WHERE hour < ?", hour(before))
	return n, err
}
