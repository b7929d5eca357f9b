package admindb

import (
	"context"
	"encoding/binary"
	"fmt"
	"time"

	"pasteport/adapters/bunstore/internal/db"
	"pasteport/domain/shares/cleanup"
	"pasteport/ports"
)

var _ cleanup.SweepTimes = (*Sweeps)(nil)

// Sweeps remembers when the janitor swept, among the values that the server
// keeps for itself.
type Sweeps struct{ db *db.DB }

// NewSweeps returns the memory of when the janitor swept.
func NewSweeps(d *db.DB) *Sweeps { return &Sweeps{d} }

const lastSweep = "last_sweep" // milliseconds, big-endian

// Last returns the time of the last sweep, zero before the first.
func (r *Sweeps) Last(ctx context.Context) (time.Time, error) {
	value, err := NewSecrets(r.db).Get(ctx, lastSweep)
	switch {
	case ports.Is(err, ports.NotFound):
		return time.Time{}, nil
	case err != nil:
		return time.Time{}, err
	case len(value) != 8:
		return time.Time{}, fmt.Errorf("the time of the last sweep has %d bytes, want 8", len(value))
	}
	return db.Time(int64(binary.BigEndian.Uint64(value))), nil
}

// SetLast stores it.
func (r *Sweeps) SetLast(ctx context.Context, now time.Time) error {
	return NewSecrets(r.db).Put(ctx, lastSweep, binary.BigEndian.AppendUint64(nil, uint64(db.Millis(now))))
}

// Now tells the time of a PostgreSQL server. SQLite has none of its own.
func (r *Sweeps) Now(ctx context.Context) (time.Time, error) {
	if r.db.SQLite() {
		return time.Time{}, nil
	}
	var now int64
	err := r.db.Read(ctx).Row(ctx, "SELECT CAST(extract(epoch FROM clock_timestamp()) * 1000 AS BIGINT)", nil, &now)
	return db.Time(now), db.Failure(err)
}
