package admindb

import (
	"context"
	"time"

	"github.com/uptrace/bun"

	"pasteport/adapters/bunstore/internal/db"
	"pasteport/domain/keys"
	"pasteport/ports"
	"pasteport/ports/policy"
	"pasteport/ports/yield"
)

type keyRow struct {
	bun.BaseModel `bun:"table:api_keys,alias:api_keys"`
	ID            string `bun:",pk"`
	Name          string
	Mac           string
	Masked        string
	Permissions   int64
	Role          string
	BasicPath     string
	IsGuest       bool
	IsActive      bool
	ExpiresAt     int64
	CreatedAt     int64
	UpdatedAt     int64
	LastUsed      *int64
	FormerMac     string
	FormerMasked  string
	FormerUntil   int64
}

func newKeyRow(k *keys.Key) *keyRow {
	return &keyRow{
		ID: k.ID, Name: k.Name, Mac: k.MAC, Masked: k.Masked, Permissions: int64(k.Permissions), Role: k.Role,
		BasicPath: k.BasicPath, IsGuest: k.IsGuest, IsActive: k.IsActive, ExpiresAt: db.Millis(k.ExpiresAt), CreatedAt: db.Millis(k.CreatedAt),
		UpdatedAt: db.Millis(k.UpdatedAt), LastUsed: db.MillisPtr(k.LastUsed),
		FormerMac: k.Former.MAC, FormerMasked: k.Former.Masked, FormerUntil: formerMillis(k.Former),
	}
}

func (r *keyRow) key() *keys.Key {
	return &keys.Key{
		ID: r.ID, Name: r.Name, MAC: r.Mac, Masked: r.Masked, Permissions: policy.Permission(r.Permissions), Role: r.Role,
		BasicPath: r.BasicPath, IsGuest: r.IsGuest, IsActive: r.IsActive, ExpiresAt: db.Time(r.ExpiresAt), CreatedAt: db.Time(r.CreatedAt),
		UpdatedAt: db.Time(r.UpdatedAt), LastUsed: db.TimePtr(r.LastUsed), Former: r.former(),
	}
}

func (r *keyRow) former() keys.Former {
	if r.FormerMac == "" {
		return keys.Former{}
	}
	return keys.Former{MAC: r.FormerMac, Masked: r.FormerMasked, Until: db.Time(r.FormerUntil)}
}

func formerMillis(f keys.Former) int64 {
	if f.MAC == "" {
		return 0
	}
	return db.Millis(f.Until)
}

var (
	_ keys.KeyRepository     = (*Keys)(nil)
	_ keys.AdminRepository   = (*Admins)(nil)
	_ keys.SessionRepository = (*Sessions)(nil)
)

// Keys stores API keys.
type Keys struct{ db.Table[keys.Key, keyRow] }

// NewKeys returns the repository of API keys.
func NewKeys(d *db.DB) *Keys {
	return &Keys{db.NewTable(d, "api_keys", newKeyRow, (*keyRow).key)}
}

// List returns a page of keys.
func (r *Keys) List(ctx context.Context, f keys.KeyFilter) (ports.Page[keys.Key], error) {
	c := r.DB.Read(ctx)
	return r.PageOf(ctx, f.Paging, db.Listing{Conn: c, Table: r.Name, State: f.State, Order: r.order(f.KeySort),
		Searched: f.Search != "" || f.State != "", Most: db.MostCounted, Whole: true,
		Narrow: func(q *bun.SelectQuery, state string) *bun.SelectQuery {
			switch state {
			case keys.StateActive:
				q = q.Where("is_active AND expires_at > ?", db.Millis(f.Now))
			case keys.StateExpired:
				q = q.Where("expires_at <= ?", db.Millis(f.Now))
			case keys.StateOff:
				q = q.Where("NOT is_active")
			}
			if f.Search != "" {
				q = db.Contains(c, q, f.Search, "name", "basic_path", "masked")
			}
			return q
		}})
}

// order is the ORDER BY of a list of keys, as the indexes have it.
func (r *Keys) order(s keys.KeySort) func(back bool) string {
	column := "created_at"
	switch s.By {
	case keys.SortName:
		column = r.DB.InAnyCase("name")
	case keys.SortPath:
		column = r.DB.ByBytes("basic_path")
	case keys.SortExpiry:
		column = "expires_at"
	case keys.SortUsed:
		column = "COALESCE(last_used, 0)"
	}
	return func(back bool) string { return db.Directed(s.Ascending != back, column, "n") }
}

func all(q *bun.SelectQuery) *bun.SelectQuery { return q }

// ByMAC returns the key that has or had a value of this MAC.
func (r *Keys) ByMAC(ctx context.Context, mac string) (*keys.Key, error) {
	return r.Find(ctx, "mac = ? OR (former_mac = ? AND former_mac <> '')", mac, mac)
}

// AddUse counts uses of keys and stores when they were last used.
func (r *Keys) AddUse(ctx context.Context, uses []keys.Use) error {
	if len(uses) == 0 {
		return nil
	}
	return r.DB.Write(ctx, db.Work{Do: func(ctx context.Context, c *db.Conn) error {
		for _, use := range uses {
			n, err := c.Exec(ctx, "UPDATE api_keys SET last_used = CASE WHEN last_used > CAST(? AS BIGINT) THEN last_used ELSE CAST(? AS BIGINT) END WHERE id = ?",
				db.Millis(use.Last), db.Millis(use.Last), use.KeyID)
			if err != nil {
				return err
			}
			if n == 0 {
				continue // it was deleted meanwhile
			}
			if _, err := c.Exec(ctx, "INSERT INTO key_uses (key_id, day, calls) VALUES (?, ?, ?) ON CONFLICT (key_id, day) DO UPDATE SET calls = key_uses.calls + excluded.calls",
				use.KeyID, use.Day, use.Calls); err != nil {
				return err
			}
		}
		return nil
	}})
}

// Uses returns the days from a day on on which a key was used.
func (r *Keys) Uses(ctx context.Context, id, from string) ([]keys.Use, error) {
	uses := []keys.Use{}
	err := r.DB.Read(ctx).Rows(ctx, "SELECT day, calls FROM key_uses WHERE key_id = ? AND day >= ? ORDER BY day", []any{id, from}, func(scan func(...any) error) error {
		use := keys.Use{KeyID: id}
		err := scan(&use.Day, &use.Calls)
		uses = append(uses, use)
		return err
	})
	return uses, db.Failure(err)
}

// DeleteUses removes the days that ended before, some at a time, so that others can
// write: of a day there are as many as keys.
func (r *Keys) DeleteUses(ctx context.Context, before time.Time) (gone int, err error) {
	for n := db.Chunk; n == db.Chunk && err == nil && ctx.Err() == nil; {
		began := time.Now()
		n, err = r.DB.Exec(ctx, "DELETE FROM key_uses WHERE (key_id, day) IN (SELECT key_id, day FROM key_uses WHERE day < ? LIMIT ?)", before.UTC().Format(time.DateOnly), db.Chunk)
		gone += n
		yield.Wait(ctx, time.Since(began))
	}
	return gone, err
}

type adminRow struct {
	bun.BaseModel `bun:"table:admins,alias:admins"`
	ID            string `bun:",pk"`
	Username      string
	PasswordHash  string
	CreatedAt     int64
	UpdatedAt     int64
}

func newAdminRow(a *keys.Admin) *adminRow {
	return &adminRow{ID: a.ID, Username: a.Username, PasswordHash: a.PasswordHash, CreatedAt: db.Millis(a.CreatedAt), UpdatedAt: db.Millis(a.UpdatedAt)}
}

func (r *adminRow) admin() *keys.Admin {
	return &keys.Admin{ID: r.ID, Username: r.Username, PasswordHash: r.PasswordHash, CreatedAt: db.Time(r.CreatedAt), UpdatedAt: db.Time(r.UpdatedAt)}
}

// Admins stores admin accounts.
type Admins struct{ db.Table[keys.Admin, adminRow] }

// NewAdmins returns the repository of admin accounts.
func NewAdmins(d *db.DB) *Admins {
	return &Admins{db.NewTable(d, "admins", newAdminRow, (*adminRow).admin)}
}

// List returns a page of admin accounts, newest first.
func (r *Admins) List(ctx context.Context, f keys.AdminFilter) (ports.Page[keys.Admin], error) {
	return r.Page(ctx, f.Paging, "created_at DESC, n DESC", all)
}

// ByName returns the account with this name.
func (r *Admins) ByName(ctx context.Context, username string) (*keys.Admin, error) {
	return r.Find(ctx, "username = ?", username)
}

type sessionRow struct {
	bun.BaseModel `bun:"table:sessions,alias:sessions"`
	ID            string `bun:",pk"`
	AdminID       string
	CreatedAt     int64
	ExpiresAt     int64
	ClientIP      string
	UserAgent     string
	ConfirmedAt   int64
}

func newSessionRow(s *keys.Session) *sessionRow {
	return &sessionRow{
		ID: s.ID, AdminID: s.AdminID, CreatedAt: db.Millis(s.CreatedAt), ExpiresAt: db.Millis(s.ExpiresAt), ClientIP: s.ClientIP, UserAgent: s.UserAgent, ConfirmedAt: db.Millis(s.ConfirmedAt),
	}
}

func (r *sessionRow) session() *keys.Session {
	return &keys.Session{
		ID: r.ID, AdminID: r.AdminID, CreatedAt: db.Time(r.CreatedAt), ExpiresAt: db.Time(r.ExpiresAt), ClientIP: r.ClientIP, UserAgent: r.UserAgent, ConfirmedAt: db.Time(r.ConfirmedAt),
	}
}

// Sessions stores sessions.
type Sessions struct {
	table db.Table[keys.Session, sessionRow]
}

// NewSessions returns the repository of sessions.
func NewSessions(d *db.DB) *Sessions {
	return &Sessions{db.NewTable(d, "sessions", newSessionRow, (*sessionRow).session)}
}

// Insert adds a session and removes the oldest of its admin until at most
// maxSessions remain.
func (r *Sessions) Insert(ctx context.Context, s *keys.Session, maxSessions int) error {
	return r.table.DB.Write(ctx, db.Work{Do: func(ctx context.Context, c *db.Conn) error {
		if err := c.Alone(ctx, db.Named("sessions of "+s.AdminID)); err != nil {
			return err
		}
		if err := r.table.InsertIn(ctx, c, s); err != nil {
			return err
		}
		_, err := c.Exec(ctx, "DELETE FROM sessions WHERE admin_id = ? AND id <> ? AND id NOT IN ("+
			"SELECT id FROM sessions WHERE admin_id = ? AND id <> ? ORDER BY created_at DESC, n DESC LIMIT ?)",
			s.AdminID, s.ID, s.AdminID, s.ID, max(maxSessions-1, 0))
		return err
	}})
}

// Get returns the session with this id.
func (r *Sessions) Get(ctx context.Context, id string) (*keys.Session, error) {
	return r.table.Get(ctx, id)
}

// List returns the sessions of an admin, newest first.
func (r *Sessions) List(ctx context.Context, adminID string) ([]keys.Session, error) {
	var rows []sessionRow
	err := r.table.DB.Read(ctx).NewSelect().Model(&rows).Where("admin_id = ?", adminID).
		OrderExpr("created_at DESC, n DESC").Limit(db.PageSize(0)).Scan(ctx)
	return r.table.Entities(rows), db.Failure(err)
}

// Confirm notes when the password was shown last.
func (r *Sessions) Confirm(ctx context.Context, id string, at time.Time) error {
	n, err := r.table.DB.Exec(ctx, "UPDATE sessions SET confirmed_at = ? WHERE id = ?", db.Millis(at), id)
	if err == nil && n == 0 {
		return ports.ErrNotFound
	}
	return err
}

// Delete removes a session; a missing one is no error.
func (r *Sessions) Delete(ctx context.Context, id string) error {
	_, err := r.table.DB.Exec(ctx, "DELETE FROM sessions WHERE id = ?", id)
	return err
}

// DeleteByAdmin removes all sessions of an admin.
func (r *Sessions) DeleteByAdmin(ctx context.Context, adminID string) error {
	_, err := r.table.DB.Exec(ctx, "DELETE FROM sessions WHERE admin_id = ?", adminID)
	return err
}

// DeleteExpired removes the sessions that have ended by now.
func (r *Sessions) DeleteExpired(ctx context.Context, now time.Time) (int, error) {
	return r.table.DB.Exec(ctx, "DELETE FROM sessions WHERE expires_at <= ?", db.Millis(now))
}
