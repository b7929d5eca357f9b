package storagedb

import (
	"context"
	"database/sql"
	"errors"
	"strings"
	"time"

	"pasteport/adapters/bunstore/internal/db"
	"pasteport/domain/storage"
	"pasteport/ports"
	"pasteport/ports/capacity"
	"pasteport/ports/policy"
)

// Ledger stores what storages with a capacity hold, what is reserved in them,
// and what owners upload in a day. Each bound is part of the statement that adds
// to what it bounds.
type Ledger struct{ db *db.DB }

// NewLedger returns the ledger of capacity.
func NewLedger(d *db.DB) *Ledger { return &Ledger{d} }

var _ storage.LedgerRepository = (*Ledger)(nil)

// Do runs fn in one transaction, which the ledger joins.
func (l *Ledger) Do(ctx context.Context, fn func(ctx context.Context) error) error {
	return l.db.Do(ctx, fn)
}

const (
	takeRoom = "UPDATE storage_capacity SET reserved = reserved + CAST(? AS BIGINT) WHERE storage_config_id = ? AND doubt < 2 " +
		"AND held - CASE WHEN held < CAST(? AS BIGINT) THEN held ELSE CAST(? AS BIGINT) END + reserved + CAST(? AS BIGINT) <= CAST(? AS BIGINT)"
	// fillRoom turns a reservation into what is held; its last arguments are the
	// capacity, where a negative one means no bound. A count since the reservation
	// may have found what it is for.
	fillRoom = "UPDATE storage_capacity SET reserved = reserved - CAST(? AS BIGINT), held = held + CAST(? AS BIGINT), added = added + CAST(? AS BIGINT), " +
		"doubt = CASE WHEN doubt < 1 AND counts > CAST(? AS BIGINT) THEN 1 WHEN doubt < CAST(? AS BIGINT) THEN CAST(? AS BIGINT) ELSE doubt END WHERE storage_config_id = ? " +
		"AND (CAST(? AS BIGINT) < 0 OR held - CASE WHEN held < CAST(? AS BIGINT) THEN held ELSE CAST(? AS BIGINT) END + reserved + CAST(? AS BIGINT) <= CAST(? AS BIGINT))"
	giveRoom = "UPDATE storage_capacity SET reserved = reserved - CAST(? AS BIGINT) WHERE storage_config_id = ?"

	putReservation = "INSERT INTO storage_reservations (id, storage_config_id, bytes, counted, owner, day, expires_at, counts) " +
		"SELECT ?, CAST(? AS TEXT), CAST(? AS BIGINT), CAST(? AS BOOLEAN), ?, ?, CAST(? AS BIGINT), coalesce((SELECT counts FROM storage_capacity WHERE storage_config_id = ?), 0) WHERE TRUE " +
		"ON CONFLICT (id) DO UPDATE SET bytes = storage_reservations.bytes + excluded.bytes, counted = excluded.counted, day = excluded.day, expires_at = excluded.expires_at"
	takeReservation = "DELETE FROM storage_reservations WHERE id = ? RETURNING storage_config_id, bytes, counted, owner, day, counts"

	// addDay adds to what an owner has uploaded in a day, unless that passes a
	// quota; a negative one means none.
	addDay = "INSERT INTO upload_days (owner, day, bytes, files) VALUES (?, ?, ?, ?) " +
		"ON CONFLICT (owner, day) DO UPDATE SET bytes = upload_days.bytes + excluded.bytes, files = upload_days.files + excluded.files " +
		"WHERE (CAST(? AS BIGINT) < 0 OR upload_days.bytes + excluded.bytes <= CAST(? AS BIGINT)) AND (CAST(? AS BIGINT) < 0 OR upload_days.files + excluded.files <= CAST(? AS BIGINT))"
)

// reservation is a row of storage_reservations.
type reservation struct {
	configID string
	bytes    int64
	counted  bool // in storage_capacity
	owner    string
	day      string
	counts   int64 // how often its storage was counted before
	known    bool
}

// roomed is what the row takes of the room of its storage, in bytes.
func (r *reservation) roomed() int64 {
	if !r.counted {
		return 0
	}
	return r.bytes
}

// Reserve makes or raises the reservation of a claim: to its size, or by it
// with add.
func (l *Ledger) Reserve(ctx context.Context, c capacity.Claim, add bool, now time.Time) error {
	daily := c.Owner != "" && (c.Limits.BytesDay > 0 || c.Limits.FilesDay > 0)
	return l.db.Write(ctx, db.Work{Whole: !daily || c.Capacity <= 0, Do: func(ctx context.Context, conn *db.Conn) error {
		was := reservation{}
		err := conn.Row(ctx, "SELECT storage_config_id, bytes, counted, owner, day FROM storage_reservations WHERE id = ?", []any{c.ID},
			&was.configID, &was.bytes, &was.counted, &was.owner, &was.day)
		if err != nil && !errors.Is(err, sql.ErrNoRows) {
			return err
		}
		was.known = err == nil
		kept := c.Kept
		if kept <= 0 {
			kept = capacity.DefaultKept
		}
		end, more := db.Millis(now.Add(kept)), c.Size
		if !add {
			more -= was.bytes
		}
		if was.known && more <= 0 {
			_, err := conn.Exec(ctx, "UPDATE storage_reservations SET expires_at = ? WHERE id = ? AND expires_at < ?", end, c.ID, end)
			return err
		}
		if c.Capacity > 0 {
			if err := l.takeRoom(ctx, conn, &c, was.bytes-was.roomed()+more); err != nil {
				return err
			}
		}
		day := was.day
		if daily {
			bytes, files := more, int64(0)
			if day == "" {
				day, bytes, files = dayOf(now), was.bytes+more, 1
			}
			if err := l.addDay(ctx, conn, &c, day, bytes, files); err != nil {
				return err
			}
		}
		_, err = conn.Exec(ctx, putReservation, c.ID, c.ConfigID, more, c.Capacity > 0, c.Owner, day, end, c.ConfigID)
		return err
	}})
}

func (l *Ledger) takeRoom(ctx context.Context, conn *db.Conn, c *capacity.Claim, more int64) error {
	return l.within(ctx, conn, c, more, takeRoom, more, c.ConfigID, c.Old, c.Old, more, c.Capacity)
}

// within changes an account by a statement that changes nothing where there is
// no room for more bytes of a claim, and tells why: Quota, or NotFound when the
// storage has to be counted first. On PostgreSQL a count or a release may end
// between the statement and the look at the account; then it is tried again.
func (l *Ledger) within(ctx context.Context, conn *db.Conn, c *capacity.Claim, more int64, statement string, args ...any) error {
	for {
		changed, err := conn.Exec(ctx, statement, args...)
		if err != nil || changed > 0 {
			return err
		}
		a, err := l.account(ctx, conn, c.ConfigID)
		if err != nil {
			return err
		}
		if a.Doubt >= storage.Uncounted {
			return ports.ErrNotFound
		}
		if used := a.Held - min(a.Held, c.Old) + a.Reserved; used+more > c.Capacity {
			return capacity.Full(more, used, c.Capacity)
		}
	}
}

func dayOf(t time.Time) string { return t.UTC().Format(time.DateOnly) }

// addDay adds to an owner's day within the quotas of a claim.
func (l *Ledger) addDay(ctx context.Context, conn *db.Conn, c *capacity.Claim, day string, bytes, files int64) error {
	bound := func(limit, more int64) int64 {
		if limit <= 0 || more <= 0 {
			return -1 // giving back is never refused
		}
		return limit
	}
	most, mostFiles := bound(c.Limits.BytesDay, bytes), bound(c.Limits.FilesDay, files)
	fits := (most < 0 || bytes <= most) && (mostFiles < 0 || files <= mostFiles) // the first row of a day meets no other bound
	if fits {
		changed, err := conn.Exec(ctx, addDay, c.Owner, day, bytes, files, most, most, mostFiles, mostFiles)
		if err != nil || changed > 0 {
			return err
		}
	}
	used, err := l.day(ctx, conn, []string{c.Owner}, day)
	if err != nil {
		return err
	}
	if mostFiles >= 0 && used.FilesToday+files > mostFiles {
		return capacity.Spent(capacity.FilesDay, files, used.FilesToday, mostFiles)
	}
	return capacity.Spent(capacity.BytesDay, bytes, used.BytesToday, most)
}

// Settle ends the reservation of a claim: size bytes are stored.
func (l *Ledger) Settle(ctx context.Context, c capacity.Claim, size int64, now time.Time) (known bool, err error) {
	err = l.db.Write(ctx, db.Work{Do: func(ctx context.Context, conn *db.Conn) error {
		was, err := l.take(ctx, conn, c.ID)
		if err != nil {
			return err
		}
		known = was.known
		if known || !c.Arrived {
			if err := l.fill(ctx, conn, &c, was, size); err != nil {
				return err
			}
		}
		if was.owner != "" {
			c.Owner = was.owner
		}
		switch {
		case c.Owner == "":
			return nil
		case was.day != "":
			return l.addDay(ctx, conn, &c, was.day, size-was.bytes, 0)
		}
		return l.addDay(ctx, conn, &c, dayOf(now), size, 1)
	}})
	return known, err
}

// fill moves what is stored from reserved to held.
func (l *Ledger) fill(ctx context.Context, conn *db.Conn, c *capacity.Claim, was reservation, size int64) error {
	if c.Capacity <= 0 {
		return l.give(ctx, conn, was)
	}
	bound, doubt, more := int64(-1), storage.AsCounted, size-was.roomed()
	if more > 0 {
		bound = c.Capacity
	}
	if c.Old > 0 {
		doubt = storage.Overcounted
	}
	err := l.within(ctx, conn, c, more, fillRoom, was.roomed(), size, size, was.counts, doubt, doubt, c.ConfigID, bound, c.Old, c.Old, more, c.Capacity)
	if ports.Is(err, ports.NotFound) && bound < 0 {
		return nil // nothing was counted yet; the first count sees it
	}
	return err
}

// take removes a reservation; one that is not known has no bytes.
func (l *Ledger) take(ctx context.Context, conn *db.Conn, id string) (r reservation, err error) {
	err = conn.Row(ctx, takeReservation, []any{id}, &r.configID, &r.bytes, &r.counted, &r.owner, &r.day, &r.counts)
	if errors.Is(err, sql.ErrNoRows) {
		return reservation{}, nil
	}
	r.known = err == nil
	return r, err
}

func (l *Ledger) give(ctx context.Context, conn *db.Conn, r reservation) error {
	if r.roomed() == 0 {
		return nil
	}
	_, err := conn.Exec(ctx, giveRoom, r.roomed(), r.configID)
	return err
}

// Release gives reservations back, with what they count for in an owner's day.
func (l *Ledger) Release(ctx context.Context, ids ...string) (released int, err error) {
	err = l.db.Write(ctx, db.Work{Do: func(ctx context.Context, conn *db.Conn) error {
		released = 0
		for _, id := range ids {
			was, err := l.take(ctx, conn, id)
			if err != nil {
				return err
			}
			if was.known {
				released++
			}
			if err := l.give(ctx, conn, was); err != nil {
				return err
			}
			if was.day != "" {
				if _, err := conn.Exec(ctx, addDay, was.owner, was.day, -was.bytes, -1, -1, -1, -1, -1); err != nil {
					return err
				}
			}
		}
		return nil
	}})
	return released, err
}

// Expired lists reservations that have ended, and the storages they were in.
func (l *Ledger) Expired(ctx context.Context, now time.Time, limit int) (ids, configs []string, err error) {
	err = l.db.Read(ctx).Rows(ctx, "SELECT id, storage_config_id FROM storage_reservations WHERE expires_at < ? ORDER BY expires_at LIMIT ?",
		[]any{db.Millis(now), limit}, func(scan func(...any) error) error {
			var id, config string
			err := scan(&id, &config)
			ids, configs = append(ids, id), append(configs, config)
			return err
		})
	return ids, configs, db.Failure(err)
}

// Account tells how full a storage is; NotFound when it was never counted.
func (l *Ledger) Account(ctx context.Context, configID string) (storage.Account, error) {
	a, err := l.account(ctx, l.db.Read(ctx), configID)
	return a, db.Failure(err)
}

func (l *Ledger) account(ctx context.Context, conn *db.Conn, configID string) (a storage.Account, err error) {
	err = conn.Row(ctx, "SELECT held, reserved, added, doubt FROM storage_capacity WHERE storage_config_id = ?", []any{configID}, &a.Held, &a.Reserved, &a.Added, &a.Doubt)
	if errors.Is(err, sql.ErrNoRows) {
		return a, ports.ErrNotFound
	}
	return a, err
}

// Open makes the row of a storage that is to be counted.
func (l *Ledger) Open(ctx context.Context, configID string) error {
	return l.db.Write(ctx, db.Work{Do: func(ctx context.Context, conn *db.Conn) error {
		_, err := conn.Exec(ctx, "INSERT INTO storage_capacity (storage_config_id, held, reserved, added, doubt) VALUES (?, 0, 0, 0, ?) ON CONFLICT (storage_config_id) DO NOTHING",
			configID, storage.Uncounted)
		return err
	}})
}

// Counted corrects a storage to what a count has found, what was added since it
// began, and what is kept of earlier contents of its files. The count may have found that too, and what is only reserved.
func (l *Ledger) Counted(ctx context.Context, configID string, held, added int64) error {
	return l.db.Write(ctx, db.Work{Do: func(ctx context.Context, conn *db.Conn) error {
		// This waits for the reservations under way. The next statement sees them then,
		// where one that had waited itself would sum up those of before.
		if _, err := conn.Exec(ctx, "UPDATE storage_capacity SET counts = counts + 1 WHERE storage_config_id = ?", configID); err != nil {
			return err
		}
		_, err := conn.Exec(ctx, "UPDATE storage_capacity SET held = CAST(? AS BIGINT) + added - CAST(? AS BIGINT)"+
			" + (SELECT CAST(coalesce(sum(r.size), 0) AS BIGINT) FROM file_revisions r JOIN kept_files f ON f.n = r.n WHERE f.storage_config_id = ?), "+
			"doubt = CASE WHEN added = CAST(? AS BIGINT) THEN CAST(? AS BIGINT) ELSE CAST(? AS BIGINT) END, "+
			"reserved = (SELECT coalesce(sum(bytes), 0) FROM storage_reservations WHERE storage_config_id = ? AND counted) WHERE storage_config_id = ?",
			held, added, configID, added, storage.AsCounted, storage.Overcounted, configID, configID)
		return err
	}})
}

// Question raises the doubt about a storage.
func (l *Ledger) Question(ctx context.Context, configID string, doubt int64) error {
	return l.db.Write(ctx, db.Work{Do: func(ctx context.Context, conn *db.Conn) error {
		_, err := conn.Exec(ctx, "UPDATE storage_capacity SET doubt = ? WHERE storage_config_id = ? AND doubt < ?", doubt, configID, doubt)
		return err
	}})
}

// Uploads tells what owners, all of them when none is named, have uploaded in
// the day of now, and what their file shares hold.
func (l *Ledger) Uploads(ctx context.Context, now time.Time, owners ...string) (policy.Usage, error) {
	conn := l.db.Read(ctx)
	used, err := l.day(ctx, conn, owners, dayOf(now))
	if err != nil {
		return used, db.Failure(err)
	}
	where, args := ownedBy("owner", owners)
	err = conn.Row(ctx, "SELECT CAST(coalesce(sum(bytes), 0) AS BIGINT) FROM owner_usage"+strings.Replace(where, " AND", " WHERE", 1), args, &used.BytesStored)
	return used, db.Failure(err)
}

func (l *Ledger) day(ctx context.Context, conn *db.Conn, owners []string, day string) (used policy.Usage, err error) {
	where, args := ownedBy("owner", owners)
	err = conn.Row(ctx, "SELECT CAST(coalesce(sum(bytes), 0) AS BIGINT), CAST(coalesce(sum(files), 0) AS BIGINT) FROM upload_days WHERE day = ?"+where,
		append([]any{day}, args...), &used.BytesToday, &used.FilesToday)
	return used, err
}

// ownedBy narrows a query to some owners; none means all.
func ownedBy(column string, owners []string) (where string, args []any) {
	if len(owners) == 0 {
		return "", nil
	}
	for _, o := range owners {
		args = append(args, o)
	}
	return " AND " + column + " IN (?" + strings.Repeat(", ?", len(owners)-1) + ")", args
}

// UploadsOf is Uploads for each of many owners; who has none is left out.
func (l *Ledger) UploadsOf(ctx context.Context, now time.Time, owners []string) (map[string]policy.Usage, error) {
	found := map[string]policy.Usage{}
	if len(owners) == 0 {
		return found, nil
	}
	conn := l.db.Read(ctx)
	where, args := ownedBy("owner", owners)
	err := conn.Rows(ctx, "SELECT owner, bytes, files FROM upload_days WHERE day = ?"+where, append([]any{dayOf(now)}, args...), func(scan func(...any) error) error {
		var owner string
		var u policy.Usage
		err := scan(&owner, &u.BytesToday, &u.FilesToday)
		found[owner] = u
		return err
	})
	if err != nil {
		return nil, db.Failure(err)
	}
	err = conn.Rows(ctx, "SELECT owner, bytes FROM owner_usage"+strings.Replace(where, " AND", " WHERE", 1), args, func(scan func(...any) error) error {
		var owner string
		var bytes int64
		err := scan(&owner, &bytes)
		u := found[owner]
		u.BytesStored = bytes
		found[owner] = u
		return err
	})
	return found, db.Failure(err)
}

// Forget drops the days before a time.
func (l *Ledger) Forget(ctx context.Context, before time.Time) (int, error) {
	return l.db.Exec(ctx, "DELETE FROM upload_days WHERE day < ?", dayOf(before))
}
