package eventdb

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/uptrace/bun"

	"pasteport/adapters/bunstore/internal/db"
	"pasteport/domain/events"
	"pasteport/ports"
	"pasteport/ports/event"
)

// Deliveries stores events and their deliveries.
type Deliveries struct {
	db.Table[events.Delivery, deliveryRow]
}

var _ events.Deliveries = (*Deliveries)(nil)

type deliveryRow struct {
	bun.BaseModel `bun:"table:event_deliveries,alias:event_deliveries"`
	N             int64
	ID            string
	ChannelID     string
	Status        string
	Times         int
	Attempts      int
	NextAt        int64
	Answer        int
	Problem       string
	UpdatedAt     int64

	EventN  int64  `bun:",scanonly"`
	EventID string `bun:",scanonly"`
	Kind    string `bun:",scanonly"`
	Subject string `bun:",scanonly"`
	At      int64  `bun:",scanonly"`
	Data    string `bun:",scanonly"`
}

func (r *deliveryRow) delivery() *events.Delivery {
	return &events.Delivery{N: r.N, ID: r.ID, ChannelID: r.ChannelID, Status: events.Status(r.Status), Times: r.Times, Attempts: r.Attempts, NextAt: db.Time(r.NextAt), Answer: r.Answer, Problem: r.Problem,
		UpdatedAt: db.Time(r.UpdatedAt),
		Event:     events.Noted{N: r.EventN, ID: r.EventID, Kind: event.Kind(r.Kind), Subject: r.Subject, At: db.Time(r.At), Data: []byte(r.Data)}}
}

// NewDeliveries returns the outbox and what became of it.
func NewDeliveries(d *db.DB) *Deliveries {
	return &Deliveries{db.NewTable(d, "event_deliveries", nil, (*deliveryRow).delivery)}
}

// Add puts an event into the outbox.
func (r *Deliveries) Add(ctx context.Context, e *events.Noted) error {
	_, err := r.DB.Exec(ctx, "INSERT INTO events (id, kind, subject, owner, at, data, routed) VALUES (?, ?, ?, ?, ?, ?, ?)", e.ID, string(e.Kind), e.Subject, e.Owner, db.Millis(e.At), string(e.Data), false)
	return err
}

// routeOrder is the advisory lock of who hands events to channels.
const routeOrder = 0x7061737465707665 // of PostgreSQL: "pastepve"

// Route takes the oldest events out of the outbox.
func (r *Deliveries) Route(ctx context.Context, limit int, to func(e *events.Noted) []events.Route, id func() string) (taken int, err error) {
	waits := false
	c := r.DB.Read(ctx)
	// The round that finds nothing writes nothing.
	if err := c.Row(c.Brief(ctx), "SELECT EXISTS (SELECT 1 FROM events WHERE NOT routed)", nil, &waits); err != nil || !waits {
		return 0, db.Failure(err)
	}
	err = r.DB.Write(ctx, db.Work{Do: func(ctx context.Context, c *db.Conn) error {
		taken = 0
		if err := c.Alone(ctx, routeOrder); err != nil {
			return err
		}
		found, err := outbox(ctx, c, limit)
		if err != nil {
			return err
		}
		taken = len(found)
		return route(ctx, c, found, to, id)
	}})
	return taken, err
}

// outbox reads the oldest events that were not routed.
func outbox(ctx context.Context, c *db.Conn, limit int) (found []events.Noted, err error) {
	err = c.Rows(ctx, "SELECT n, id, kind, subject, owner, at, data FROM events WHERE NOT routed ORDER BY n LIMIT ?", []any{limit}, func(scan func(...any) error) error {
		var e events.Noted
		var at int64
		if err := scan(&e.N, &e.ID, &e.Kind, &e.Subject, &e.Owner, &at, &e.Data); err != nil {
			return err
		}
		e.At = db.Time(at)
		found = append(found, e)
		return nil
	})
	return found, err
}

// insertedDelivery is a delivery as it is made.
type insertedDelivery struct {
	bun.BaseModel `bun:"table:event_deliveries"`
	ID            string
	ChannelID     string
	EventN        int64 `bun:"event_n"`
	Subject       string
	Status        string
	Times         int
	Attempts      int
	NextAt        int64
	Answer        int
	Problem       string
	UpdatedAt     int64
}

func route(ctx context.Context, c *db.Conn, found []events.Noted, to func(e *events.Noted) []events.Route, id func() string) error {
	var rows []insertedDelivery
	var kept, done []int64
	byHeld := map[string]int{} // index in rows
	digests := map[string]*collected{}
	for i := range found {
		e := &found[i]
		ways := to(e)
		alone := false // whether it goes to somebody by itself
		for _, way := range ways {
			if !way.Until.IsZero() {
				if digests[way.Channel] == nil {
					digests[way.Channel] = &collected{until: way.Until}
				}
				digests[way.Channel].events = append(digests[way.Channel].events, e)
				continue
			}
			alone = true
			row := insertedDelivery{ID: id(), ChannelID: way.Channel, EventN: e.N, Subject: e.Subject, Status: string(events.Waiting), Times: 1,
				NextAt: db.Millis(e.At.Add(way.Hold)), UpdatedAt: db.Millis(e.At)}
			if way.Hold > 0 {
				gathered, err := gather(ctx, c, &row, e, rows, byHeld)
				if err != nil {
					return err
				}
				if gathered {
					continue
				}
			}
			rows = append(rows, row)
		}
		if alone {
			kept = append(kept, e.N)
		} else {
			done = append(done, e.N) // nobody wants it, or digests tell it
		}
	}
	for _, channel := range slices.Sorted(maps.Keys(digests)) {
		if err := collect(ctx, c, channel, digests[channel], id); err != nil {
			return err
		}
	}
	for some := range slices.Chunk(rows, db.Chunk) {
		if _, err := c.NewInsert().Model(&some).Exec(ctx); err != nil {
			return err
		}
	}
	if len(kept) > 0 {
		if _, err := c.NewUpdate().Table("events").Set("routed = ?", true).Where("n IN (?)", bun.List(kept)).Exec(ctx); err != nil {
			return err
		}
	}
	if len(done) > 0 {
		if _, err := c.NewDelete().Table("events").Where("n IN (?)", bun.List(done)).Exec(ctx); err != nil {
			return err
		}
	}
	return nil
}

// gather counts an event with one of its kind that is held for the same channel and
// subject: among rows, or stored already. False when there is none; then row is one.
func gather(ctx context.Context, c *db.Conn, row *insertedDelivery, e *events.Noted, rows []insertedDelivery, held map[string]int) (bool, error) {
	key := row.ChannelID + "\x00" + row.Subject + "\x00" + string(e.Kind)
	at, known := held[key]
	if known && db.Millis(e.At) < rows[at].NextAt {
		rows[at].Times++
		return true, nil
	}
	if !known {
		n, err := c.Exec(ctx, `UPDATE event_deliveries SET times = times + 1 WHERE n = (SELECT d.n FROM event_deliveries d JOIN events e ON e.n = d.event_n
			WHERE d.channel_id = ? AND d.subject = ? AND d.status = 'waiting' AND d.attempts = 0 AND d.next_at > ? AND e.kind = ? ORDER BY d.n DESC LIMIT 1)`,
			row.ChannelID, row.Subject, db.Millis(e.At), string(e.Kind))
		if err != nil || n > 0 {
			return err == nil, err
		}
	}
	held[key] = len(rows)
	return false, nil
}

// collected are events for the digest of one channel.
type collected struct {
	until  time.Time
	events []*events.Noted
}

// collect adds events to the digest of a channel that is held, or begins one. The
// update of the delivery keeps Close away until both are stored.
func collect(ctx context.Context, c *db.Conn, channel string, new *collected, id func() string) error {
	var n int64
	var text string
	var digest events.Digest
	err := c.Row(ctx, "UPDATE event_deliveries SET times = times + ? WHERE channel_id = ? AND status = 'held' RETURNING event_n", []any{len(new.events), channel}, &n)
	fresh := errors.Is(err, sql.ErrNoRows)
	if err == nil {
		err = c.Row(ctx, "SELECT data FROM events WHERE n = ?", []any{n}, &text)
	}
	if err == nil {
		err = json.Unmarshal([]byte(text), &digest)
	}
	if err != nil && !fresh {
		return err
	}
	for _, e := range new.events {
		digest.Add(e)
	}
	data, err := json.Marshal(digest)
	if err != nil {
		return err
	}
	if !fresh {
		_, err = c.Exec(ctx, "UPDATE events SET data = ? WHERE n = ?", string(data), n)
		return err
	}
	subject, until := "channel:"+channel, db.Millis(new.until)
	err = c.Row(ctx, "INSERT INTO events (id, kind, subject, owner, at, data, routed) VALUES (?, ?, ?, '', ?, ?, ?) RETURNING n",
		[]any{id(), string(event.Digest), subject, until, string(data), true}, &n)
	if err != nil {
		return err
	}
	_, err = c.NewInsert().Model(&insertedDelivery{ID: id(), ChannelID: channel, EventN: n, Subject: subject, Status: string(events.Held), Times: len(new.events), NextAt: until,
		UpdatedAt: db.Millis(new.events[0].At)}).Exec(ctx)
	return err
}

// Close has the digests wait that are held until now or before.
func (r *Deliveries) Close(ctx context.Context, now time.Time) error {
	ready := false
	c := r.DB.Read(ctx)
	// The round that finds nothing writes nothing.
	if err := c.Row(c.Brief(ctx), "SELECT EXISTS (SELECT 1 FROM event_deliveries WHERE status = 'held' AND next_at <= ?)", []any{db.Millis(now)}, &ready); err != nil || !ready {
		return db.Failure(err)
	}
	_, err := r.DB.Exec(ctx, "UPDATE event_deliveries SET status = 'waiting', updated_at = ? WHERE status = 'held' AND next_at <= ?", db.Millis(now), db.Millis(now))
	return err
}

// Move has the digest of a channel that is held sent at a time.
func (r *Deliveries) Move(ctx context.Context, channelID string, at time.Time) error {
	return r.DB.Write(ctx, db.Work{Do: func(ctx context.Context, c *db.Conn) error {
		var n int64
		err := c.Row(ctx, "UPDATE event_deliveries SET next_at = ? WHERE channel_id = ? AND status = 'held' RETURNING event_n", []any{db.Millis(at), channelID}, &n)
		if errors.Is(err, sql.ErrNoRows) {
			return nil
		}
		if err == nil {
			_, err = c.Exec(ctx, "UPDATE events SET at = ? WHERE n = ?", db.Millis(at), n)
		}
		return err
	}})
}

const (
	deliveryColumns = "d.n, d.id, d.channel_id, d.status, d.times, d.attempts, d.next_at, d.answer, d.problem, d.updated_at, e.n, e.id, e.kind, e.subject, e.at, e.data"
	joined          = " FROM event_deliveries d JOIN events e ON e.n = d.event_n"
)

func scanDelivery(scan func(...any) error) (events.Delivery, error) {
	var row deliveryRow
	err := scan(&row.N, &row.ID, &row.ChannelID, &row.Status, &row.Times, &row.Attempts, &row.NextAt, &row.Answer, &row.Problem, &row.UpdatedAt,
		&row.EventN, &row.EventID, &row.Kind, &row.Subject, &row.At, &row.Data)
	return *row.delivery(), err
}

func (r *Deliveries) read(ctx context.Context, query string, args ...any) ([]events.Delivery, error) {
	list := []events.Delivery{}
	c := r.DB.Read(ctx)
	err := c.Rows(c.Brief(ctx), query, args, func(scan func(...any) error) error {
		d, err := scanDelivery(scan)
		list = append(list, d)
		return err
	})
	return list, db.Failure(err)
}

// Due lists deliveries of a channel whose time has come, in their order, but none
// whose subject has an earlier one that must wait. Each of its statements reads
// what waits at most once, whatever PostgreSQL believes of the tables. As one
// statement it may read all of it for each delivery while the statistics know of
// few, after a burst.
func (r *Deliveries) Due(ctx context.Context, channelID string, now time.Time, limit int) ([]events.Delivery, error) {
	var due []waiting
	for after, most := int64(0), limit; len(due) < limit; most = db.Chunk {
		come, err := r.come(ctx, channelID, now, after, most)
		if err != nil {
			return nil, db.Failure(err)
		}
		free, err := r.free(ctx, come, channelID, now)
		if err != nil {
			return nil, db.Failure(err)
		}
		due = append(due, free...)
		if len(come) < most {
			break
		}
		after = come[most-1].N
	}
	list, err := r.whole(ctx, due[:min(limit, len(due))])
	return list, db.Failure(err)
}

// waiting is where a delivery stands in the order of its subject.
type waiting struct {
	N, EventN int64
	Subject   string
}

// come lists what waits after a delivery and whose own time has come.
func (r *Deliveries) come(ctx context.Context, channelID string, now time.Time, after int64, most int) (list []waiting, err error) {
	c := r.DB.Read(ctx)
	err = c.Rows(c.Brief(ctx), "SELECT n, event_n, subject FROM event_deliveries WHERE channel_id = ? AND status = 'waiting' AND next_at <= ? AND n > ? ORDER BY n LIMIT ?",
		[]any{channelID, db.Millis(now), after, most}, func(scan func(...any) error) error {
			var w waiting
			err := scan(&w.N, &w.EventN, &w.Subject)
			list = append(list, w)
			return err
		})
	return list, err
}

// free are those that no earlier one of their subject holds up.
func (r *Deliveries) free(ctx context.Context, come []waiting, channelID string, now time.Time) ([]waiting, error) {
	if len(come) == 0 {
		return nil, nil
	}
	subjects := make([]string, len(come))
	for i, w := range come {
		subjects[i] = w.Subject
	}
	slices.Sort(subjects)
	var held []waiting
	c := r.DB.Read(ctx)
	if err := c.NewSelect().Table("event_deliveries").Column("subject").ColumnExpr("MIN(n) AS n").Where("channel_id = ?", channelID).Where("status = 'waiting'").
		Where("next_at > ?", db.Millis(now)).Where("subject IN (?)", bun.List(slices.Compact(subjects))).Group("subject").Scan(c.Brief(ctx), &held); err != nil {
		return nil, err
	}
	first := make(map[string]int64, len(held))
	for _, w := range held {
		first[w.Subject] = w.N
	}
	return slices.DeleteFunc(slices.Clone(come), func(w waiting) bool {
		n, ok := first[w.Subject]
		return ok && n < w.N
	}), nil
}

// whole reads deliveries with their events.
func (r *Deliveries) whole(ctx context.Context, due []waiting) ([]events.Delivery, error) {
	list := make([]events.Delivery, 0, len(due))
	if len(due) == 0 {
		return list, nil
	}
	ns, eventNs := make([]int64, len(due)), make([]int64, len(due))
	for i, w := range due {
		ns[i], eventNs[i] = w.N, w.EventN
	}
	c := r.DB.Read(ctx)
	rows, err := c.NewSelect().ColumnExpr(deliveryColumns).TableExpr("event_deliveries AS d").Join("JOIN events AS e ON e.n = d.event_n").
		Where("d.n IN (?)", bun.List(ns)).Where("e.n IN (?)", bun.List(eventNs)).OrderExpr("d.n").Rows(c.Brief(ctx))
	if err != nil {
		return nil, err
	}
	defer func() { _ = rows.Close() }()
	for rows.Next() {
		d, err := scanDelivery(rows.Scan)
		if err != nil {
			return nil, err
		}
		list = append(list, d)
	}
	return list, rows.Err()
}

// Waits reports whether something of a channel is due.
func (r *Deliveries) Waits(ctx context.Context, channelID string, now time.Time) (yes bool, err error) {
	c := r.DB.Read(ctx)
	err = c.Row(c.Brief(ctx), "SELECT EXISTS (SELECT 1 FROM event_deliveries WHERE channel_id = ? AND status = 'waiting' AND next_at <= ?)", []any{channelID, db.Millis(now)}, &yes)
	return yes, db.Failure(err)
}

// Settle stores how attempts went, while turn is still the channel's lease.
func (r *Deliveries) Settle(ctx context.Context, channelID string, turn int64, done []events.Delivery) (ok bool, err error) {
	if len(done) == 0 {
		return true, nil
	}
	err = r.DB.Write(ctx, db.Work{Do: func(ctx context.Context, c *db.Conn) error {
		ok = false
		query := c.ForUpdate("SELECT turn FROM event_leases WHERE channel_id = ? AND until > 0")
		var now int64
		if err := c.Row(ctx, query, []any{channelID}, &now); errors.Is(err, sql.ErrNoRows) || err == nil && now != turn {
			return nil
		} else if err != nil {
			return err
		}
		for some := range slices.Chunk(done, db.Chunk) {
			if err := settle(ctx, c, some); err != nil {
				return err
			}
		}
		ok = true
		return nil
	}})
	return ok, err
}

// attempt is how an attempt went.
type attempt struct {
	bun.BaseModel `bun:"table:event_deliveries,alias:d"`
	N             int64
	Status        string
	Attempts      int
	NextAt        int64
	Answer        int
	Problem       string
	UpdatedAt     int64
}

// settle stores some attempts by one statement.
func settle(ctx context.Context, c *db.Conn, done []events.Delivery) error {
	rows := make([]attempt, len(done))
	for i, d := range done {
		rows[i] = attempt{N: d.N, Status: string(d.Status), Attempts: d.Attempts, NextAt: db.Millis(d.NextAt), Answer: d.Answer, Problem: d.Problem, UpdatedAt: db.Millis(d.UpdatedAt)}
	}
	_, err := c.NewUpdate().With("went", c.NewValues(&rows)).Table("event_deliveries").TableExpr("went").
		Set("status = went.status, attempts = went.attempts, next_at = went.next_at, answer = went.answer, problem = went.problem, updated_at = went.updated_at").
		Where("event_deliveries.n = went.n").Exec(ctx)
	return err
}

// List returns a page of deliveries, the newest first.
func (r *Deliveries) List(ctx context.Context, f events.DeliveryFilter) (ports.Page[events.Delivery], error) {
	where, args := []string{"1 = 1"}, []any{}
	if f.ChannelID != "" {
		where, args = append(where, "d.channel_id = ?"), append(args, f.ChannelID)
	}
	if f.Status != "" {
		where, args = append(where, "d.status = ?"), append(args, string(f.Status))
	}
	narrow := " WHERE " + strings.Join(where, " AND ")
	var page ports.Page[events.Delivery]
	c := r.DB.Read(ctx)
	if err := c.Row(c.Brief(ctx), "SELECT COUNT(*) FROM event_deliveries d"+narrow, args, &page.Total); err != nil {
		return page, db.Failure(err)
	}
	var err error
	page.Items, err = r.read(ctx, "SELECT "+deliveryColumns+joined+narrow+" ORDER BY d.n DESC LIMIT ? OFFSET ?", append(args, db.PageSize(f.Limit), max(f.Offset, 0))...)
	return page, err
}

// Counts counts the deliveries of each channel by their status.
func (r *Deliveries) Counts(ctx context.Context) (map[string]map[events.Status]int, error) {
	counts := map[string]map[events.Status]int{}
	c := r.DB.Read(ctx)
	err := c.Rows(c.Brief(ctx), "SELECT channel_id, status, COUNT(*) FROM event_deliveries GROUP BY channel_id, status", nil, func(scan func(...any) error) error {
		var id, status string
		var n int
		if err := scan(&id, &status, &n); err != nil {
			return err
		}
		if counts[id] == nil {
			counts[id] = map[events.Status]int{}
		}
		counts[id][events.Status(status)] = n
		return nil
	})
	return counts, db.Failure(err)
}

// standing asks for all channels at once, by the indexes of what waits and of what
// was given up; what was delivered is not looked at.
const standing = `SELECT c.name, c.owner, c.active, c.stopped, c.failures, COALESCE(w.count, 0), COALESCE(g.count, 0), COALESCE(e.at, 0) FROM event_channels c
	LEFT JOIN (SELECT channel_id, COUNT(*) AS count, MIN(n) AS first FROM event_deliveries WHERE status = 'waiting' GROUP BY channel_id) w ON w.channel_id = c.id
	LEFT JOIN (SELECT channel_id, COUNT(*) AS count FROM event_deliveries WHERE status = 'dead' GROUP BY channel_id) g ON g.channel_id = c.id
	LEFT JOIN event_deliveries d ON d.n = w.first LEFT JOIN events e ON e.n = d.event_n ORDER BY c.n`

// Standing tells how all channels do, and since when the outbox waits.
func (r *Deliveries) Standing(ctx context.Context) (all []events.Health, outbox time.Time, err error) {
	c := r.DB.Read(ctx)
	ctx = c.Brief(ctx)
	err = c.Rows(ctx, standing, nil, func(scan func(...any) error) error {
		var h events.Health
		var owner string
		var oldest int64
		if err := scan(&h.Name, &owner, &h.Active, &h.Stopped, &h.Failures, &h.Waiting, &h.Dead, &oldest); err != nil {
			return err
		}
		h.Own = owner != ""
		if oldest != 0 {
			h.Oldest = db.Time(oldest)
		}
		all = append(all, h)
		return nil
	})
	if err != nil {
		return nil, outbox, db.Failure(err)
	}
	var at int64
	err = c.Row(ctx, "SELECT at FROM events WHERE NOT routed ORDER BY n LIMIT 1", nil, &at)
	if errors.Is(err, sql.ErrNoRows) {
		return all, outbox, nil
	}
	return all, db.Time(at), db.Failure(err)
}

// Again has dead deliveries of a channel tried again now.
func (r *Deliveries) Again(ctx context.Context, channelID, id string, now time.Time) (int, error) {
	query, args := "UPDATE event_deliveries SET status = 'waiting', attempts = 0, next_at = ?, updated_at = ? WHERE channel_id = ? AND status = 'dead'", []any{db.Millis(now), db.Millis(now), channelID}
	if id != "" {
		query, args = query+" AND id = ?", append(args, id)
	}
	n, err := r.DB.Exec(ctx, query, args...)
	return int(n), err
}

// Drop removes what is old, and gives up what has waited too long.
func (r *Deliveries) Drop(ctx context.Context, old events.Retention, limit int) (n int, err error) {
	for _, do := range []struct {
		query string
		args  []any
	}{
		{"DELETE FROM event_deliveries WHERE n IN (SELECT n FROM event_deliveries WHERE status = 'delivered' AND updated_at < ? ORDER BY updated_at LIMIT ?)", []any{db.Millis(old.Delivered), limit}},
		{"DELETE FROM event_deliveries WHERE n IN (SELECT n FROM event_deliveries WHERE status = 'dead' AND updated_at < ? ORDER BY updated_at LIMIT ?)", []any{db.Millis(old.Dead), limit}},
		{`UPDATE event_deliveries SET status = 'dead', problem = CASE WHEN problem = '' THEN 'waited_too_long' ELSE problem END WHERE n IN (SELECT d.n FROM event_deliveries d
			JOIN events e ON e.n = d.event_n WHERE d.status = 'waiting' AND d.updated_at < ? AND e.at < ? ORDER BY d.updated_at LIMIT ?)`, []any{db.Millis(old.Stale), db.Millis(old.Stale), limit}},
		{"DELETE FROM events WHERE n IN (SELECT e.n FROM events e WHERE e.routed AND NOT EXISTS (SELECT 1 FROM event_deliveries d WHERE d.event_n = e.n) ORDER BY e.n LIMIT ?)", []any{limit}},
	} {
		gone, err := r.DB.Exec(ctx, do.query, do.args...)
		if err != nil {
			return n, err
		}
		n += int(gone)
	}
	return n, nil
}
