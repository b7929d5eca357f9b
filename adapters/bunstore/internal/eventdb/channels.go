package eventdb

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"strings"
	"time"

	"github.com/uptrace/bun"

	"pasteport/adapters/bunstore/internal/db"
	"pasteport/domain/events"
	"pasteport/ports"
)

type channelRow struct {
	bun.BaseModel `bun:"table:event_channels,alias:event_channels"`
	ID            string
	Owner         string
	Name          string
	Type          string
	Address       string
	Kinds         string // separated by spaces, which no kind holds
	Active        bool
	Secrets       string // JSON
	Options       string // JSON
	Failures      int
	RetryAt       int64
	Stopped       string
	CreatedAt     int64
	UpdatedAt     int64
	Version       int64
}

// millis and timeOf keep the zero time as 0.
func millis(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return db.Millis(t)
}

func timeOf(ms int64) time.Time {
	if ms == 0 {
		return time.Time{}
	}
	return db.Time(ms)
}

func newChannelRow(c *events.Channel) *channelRow {
	secrets, err := json.Marshal(c.Secrets)
	if err != nil {
		panic(err) // bytes and times
	}
	options, err := json.Marshal(c.Options)
	if err != nil {
		panic(err) // texts
	}
	return &channelRow{ID: c.ID, Owner: c.Owner, Name: c.Name, Type: string(c.Type), Address: c.Address, Kinds: strings.Join(c.Kinds, " "), Active: c.Active, Secrets: string(secrets), Options: string(options),
		Failures: c.Failures, RetryAt: millis(c.RetryAt), Stopped: c.Stopped, CreatedAt: db.Millis(c.CreatedAt), UpdatedAt: db.Millis(c.UpdatedAt), Version: c.Version}
}

func (r *channelRow) channel() *events.Channel {
	c := &events.Channel{ID: r.ID, Owner: r.Owner, Name: r.Name, Type: events.Type(r.Type), Address: r.Address, Kinds: strings.Fields(r.Kinds), Active: r.Active,
		Failures: r.Failures, RetryAt: timeOf(r.RetryAt), Stopped: r.Stopped, CreatedAt: db.Time(r.CreatedAt), UpdatedAt: db.Time(r.UpdatedAt), Version: r.Version}
	// What a person has spoilt by hand reads as no secret, and then nothing is sent.
	_ = json.Unmarshal([]byte(r.Secrets), &c.Secrets)
	_ = json.Unmarshal([]byte(r.Options), &c.Options)
	return c
}

// Channels stores who wants to hear of events.
type Channels struct {
	db.Table[events.Channel, channelRow]
}

var _ events.Repository = (*Channels)(nil)

// NewChannels returns the repository of channels.
func NewChannels(d *db.DB) *Channels {
	return &Channels{db.NewTable(d, "event_channels", newChannelRow, (*channelRow).channel)}
}

// List returns a page of channels, by name.
func (r *Channels) List(ctx context.Context, f events.Filter) (ports.Page[events.Channel], error) {
	c := r.DB.Read(ctx)
	return r.Page(ctx, f.Paging, "name, id", func(q *bun.SelectQuery) *bun.SelectQuery {
		if !f.Anybody {
			q = q.Where("owner = ?", f.Owner)
		}
		if f.Active {
			q = q.Where("active")
		}
		if f.Search != "" {
			q = db.Contains(c, q, f.Search, "name", "address")
		}
		return q
	})
}

// Count counts the channels of an account and of all.
func (r *Channels) Count(ctx context.Context, owner string) (own, all int, err error) {
	c := r.DB.Read(ctx)
	if err := c.Alone(ctx, db.Named("event channels")); err != nil {
		return 0, 0, db.Failure(err)
	}
	err = c.Row(c.Brief(ctx), "SELECT COUNT(CASE WHEN owner = ? THEN 1 END), COUNT(*) FROM event_channels", []any{owner}, &own, &all)
	return own, all, db.Failure(err)
}

// Delete removes channels with what was on its way to them.
func (r *Channels) Delete(ctx context.Context, ids ...string) (n int, err error) {
	err = r.DB.Write(ctx, db.Work{Do: func(ctx context.Context, c *db.Conn) error {
		n = 0
		for _, id := range ids {
			for _, query := range []string{"DELETE FROM event_leases WHERE channel_id = ?", "DELETE FROM event_deliveries WHERE channel_id = ?"} {
				if _, err := c.Exec(ctx, query, id); err != nil {
					return err
				}
			}
			gone, err := c.Exec(ctx, "DELETE FROM event_channels WHERE id = ?", id)
			if err != nil {
				return err
			}
			n += int(gone)
		}
		return nil
	}})
	return n, err
}

// Lease takes a channel for a node until a time.
func (r *Channels) Lease(ctx context.Context, id string, now, until time.Time) (turn int64, ok bool, err error) {
	err = r.DB.Write(ctx, db.Work{Whole: true, Do: func(ctx context.Context, c *db.Conn) error {
		turn, ok = 0, false
		err := c.Row(ctx, `INSERT INTO event_leases (channel_id, turn, until) SELECT id, 1, CAST(? AS BIGINT) FROM event_channels WHERE id = ? AND active AND retry_at <= ?
			ON CONFLICT (channel_id) DO UPDATE SET turn = event_leases.turn + 1, until = EXCLUDED.until WHERE event_leases.until <= ? RETURNING turn`,
			[]any{db.Millis(until), id, db.Millis(now), db.Millis(now)}, &turn)
		if errors.Is(err, sql.ErrNoRows) {
			return nil
		}
		ok = err == nil
		return err
	}})
	return turn, ok, err
}

// Prolong keeps the lease that turn names.
func (r *Channels) Prolong(ctx context.Context, id string, turn int64, until time.Time) (bool, error) {
	n, err := r.DB.Exec(ctx, "UPDATE event_leases SET until = ? WHERE channel_id = ? AND turn = ? AND until > 0", db.Millis(until), id, turn)
	return n > 0, err
}

// Release ends the lease that turn names, and notes how the channel stands.
func (r *Channels) Release(ctx context.Context, id string, turn, version int64, how events.Standing) error {
	return r.DB.Write(ctx, db.Work{Do: func(ctx context.Context, c *db.Conn) error {
		n, err := c.Exec(ctx, "UPDATE event_leases SET until = 0 WHERE channel_id = ? AND turn = ?", id, turn)
		if err != nil || n == 0 {
			return err
		}
		if how.Stopped != "" {
			_, err = c.Exec(ctx, "UPDATE event_channels SET active = ?, stopped = ?, failures = 0, retry_at = 0, version = version + 1 WHERE id = ? AND version = ?", false, how.Stopped, id, version)
			return err
		}
		_, err = c.Exec(ctx, "UPDATE event_channels SET failures = ?, retry_at = ? WHERE id = ? AND version = ?", how.Failures, millis(how.RetryAt), id, version)
		return err
	}})
}

// Unlease ends all leases.
func (r *Channels) Unlease(ctx context.Context) error {
	_, err := r.DB.Exec(ctx, "UPDATE event_leases SET until = 0")
	return err
}
