package admindb

import (
	"context"

	"pasteport/adapters/bunstore/internal/db"
	"pasteport/domain/settings"
)

var _ settings.Repository = (*Settings)(nil)

// Settings stores setting values.
type Settings struct{ db *db.DB }

// NewSettings returns the repository of setting values.
func NewSettings(d *db.DB) *Settings { return &Settings{d} }

// All returns every stored value, by key.
func (r *Settings) All(ctx context.Context) ([]settings.Setting, error) {
	values, err := r.stored(ctx, r.db.Read(ctx), false)
	return values, db.Failure(err)
}

func (r *Settings) stored(ctx context.Context, c *db.Conn, locked bool) ([]settings.Setting, error) {
	query := "SELECT name, value, created_at, updated_at FROM settings ORDER BY name"
	if locked {
		query = c.ForUpdate(query)
	}
	values := []settings.Setting{}
	err := c.Rows(ctx, query, nil,
		func(scan func(...any) error) error {
			var v settings.Setting
			var created, updated int64
			err := scan(&v.Key, &v.Value, &created, &updated)
			v.CreatedAt, v.UpdatedAt = db.Time(created), db.Time(updated)
			values = append(values, v)
			return err
		})
	return values, err
}

const putSetting = "INSERT INTO settings (name, value, created_at, updated_at) VALUES (?, ?, ?, ?) " +
	"ON CONFLICT (name) DO UPDATE SET value = excluded.value, updated_at = excluded.updated_at"

// Put stores values, replacing older ones of the same keys.
func (r *Settings) Put(ctx context.Context, values ...settings.Setting) error {
	return r.store(ctx, putSetting, values)
}

// PutAfter stores values once check has agreed to those that are stored. On
// PostgreSQL their rows are locked until then; SQLite has one writer.
func (r *Settings) PutAfter(ctx context.Context, check func(stored []settings.Setting) error, values ...settings.Setting) error {
	return r.db.Write(ctx, db.Work{Do: func(ctx context.Context, c *db.Conn) error {
		stored, err := r.stored(ctx, c, true)
		if err != nil {
			return err
		}
		if err := check(stored); err != nil {
			return err
		}
		return r.storeIn(ctx, c, putSetting, values)
	}})
}

// Seed stores the values whose keys are absent.
func (r *Settings) Seed(ctx context.Context, values ...settings.Setting) error {
	return r.store(ctx, "INSERT INTO settings (name, value, created_at, updated_at) VALUES (?, ?, ?, ?) ON CONFLICT (name) DO NOTHING", values)
}

func (r *Settings) store(ctx context.Context, query string, values []settings.Setting) error {
	return r.db.Write(ctx, db.Work{Do: func(ctx context.Context, c *db.Conn) error { return r.storeIn(ctx, c, query, values) }})
}

func (r *Settings) storeIn(ctx context.Context, c *db.Conn, query string, values []settings.Setting) error {
	for _, v := range values {
		if _, err := c.Exec(ctx, query, v.Key, v.Value, db.Millis(v.CreatedAt), db.Millis(v.UpdatedAt)); err != nil {
			return err
		}
	}
	return nil
}

// Secrets stores small values that the server keeps for itself, such as the
// value that proves the master key.
type Secrets struct{ db *db.DB }

// NewSecrets returns the small values that the server keeps for itself.
func NewSecrets(d *db.DB) *Secrets { return &Secrets{d} }

// Get returns the value of name; NotFound without one.
func (r *Secrets) Get(ctx context.Context, name string) ([]byte, error) {
	var value []byte
	err := r.db.Read(ctx).Row(ctx, "SELECT value FROM secrets WHERE name = ?", []any{name}, &value)
	return value, db.Failure(err)
}

// Add stores the value of name unless there is one.
func (r *Secrets) Add(ctx context.Context, name string, value []byte) error {
	_, err := r.db.Exec(ctx, "INSERT INTO secrets (name, value) VALUES (?, ?) ON CONFLICT (name) DO NOTHING", name, value)
	return err
}

// Put stores the value of name, replacing an older one.
func (r *Secrets) Put(ctx context.Context, name string, value []byte) error {
	_, err := r.db.Exec(ctx, "INSERT INTO secrets (name, value) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value", name, value)
	return err
}
