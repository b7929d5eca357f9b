package sharedb

import (
	"context"
	"errors"
	"strconv"
	"strings"
	"time"

	"github.com/uptrace/bun"

	"pasteport/adapters/bunstore/internal/db"
	"pasteport/ports"
)

// textIndex knows the grams of the texts of a table, so that a search reads few
// of its rows. Triggers note which rows are due; they are searched without it
// until keep has looked at them, so that no search misses what was just written.
type textIndex struct {
	table string // with the columns n, id, version, size and erased_at
	texts string // the columns that are searched
	body  string // joins what else is searched, as b.content; empty for nothing
}

const (
	// common is how many rows have grams in common that are not worth asking for:
	// soon enough one of the rows read in their order is one of them.
	common = 20_000
	// dueRows and dueBytes bound what one step looks at, so that writers wait for a
	// few milliseconds at most. One row may have more bytes.
	dueRows  = 20
	dueBytes = 64 << 10
)

// candidates are the rows in which a text may occur, as a query for their n; the
// zero value when the index cannot tell, or nearly all are.
type candidates struct{ query, arg string }

func (m candidates) known() bool { return m.query != "" }

// narrow narrows q to the candidates when they are known.
func (m candidates) narrow(q *bun.SelectQuery) *bun.SelectQuery {
	if !m.known() {
		return q
	}
	return q.Where("n IN ("+m.query+")", m.arg)
}

// candidates asks for the rows in which part may occur; without an index any may.
func (x textIndex) candidates(ctx context.Context, c *db.Conn, part string) (candidates, error) {
	asked := askedGrams(part)
	if len(asked) == 0 || x.table == "" {
		return candidates{}, nil
	}
	found, arg := "SELECT n FROM index_"+x.table+" WHERE grams @> CAST(? AS INTEGER[])", "{"+joined(asked, ",", 10)+"}"
	if c.SQLite {
		found, arg = "SELECT rowid FROM index_"+x.table+" WHERE index_"+x.table+" MATCH ?", joined(asked, " AND ", 36)
	}
	all := found + " UNION ALL SELECT n FROM index_" + x.table + "_due"
	var most int
	err := c.Row(ctx, "SELECT count(*) FROM ("+all+" LIMIT "+strconv.Itoa(common)+") AS may", []any{arg}, &most)
	if err != nil || most == common {
		return candidates{}, db.Failure(err)
	}
	return candidates{all, arg}, nil
}

// joined are numbers as text; those below zero as what their bits are without a
// sign when the base is not ten.
func joined(grams []int32, by string, base int) string {
	all := make([]string, len(grams))
	for i, g := range grams {
		if base == 10 {
			all[i] = strconv.FormatInt(int64(g), base)
		} else {
			all[i] = strconv.FormatUint(uint64(uint32(g)), base)
		}
	}
	return strings.Join(all, by)
}

// dueRow is what is to be indexed of a row, or that it has gone.
type dueRow struct {
	n, version int64
	id         string // empty for one that has gone
	grams      []int32
}

// keep indexes what is due until nothing is or ctx ends, and rests so many times
// as long as it works.
func (x textIndex) keep(ctx context.Context, d *db.DB, rest int) error {
	for {
		began := time.Now()
		n, err := x.step(ctx, d)
		if err != nil || n == 0 {
			return err
		}
		select {
		case <-time.After(time.Duration(rest) * time.Since(began)):
		case <-ctx.Done():
			return nil
		}
	}
}

func (x textIndex) step(ctx context.Context, d *db.DB) (int, error) {
	c := d.Read(ctx)
	var due []dueRow
	var bytes int64
	err := c.Rows(ctx, "SELECT d.n, coalesce(t.size, 0) FROM index_"+x.table+"_due d LEFT JOIN "+x.table+" t ON t.n = d.n ORDER BY d.n LIMIT ?", []any{dueRows},
		func(scan func(...any) error) error {
			var row dueRow
			var size int64
			if err := scan(&row.n, &size); err != nil {
				return err
			}
			if x.body != "" {
				bytes += size
			}
			if len(due) == 0 || bytes <= dueBytes {
				due = append(due, row)
			}
			return nil
		})
	if err != nil {
		return 0, db.Failure(err)
	}
	for i := range due {
		if err := x.read(ctx, c, &due[i]); err != nil {
			return 0, err
		}
	}
	return len(due), x.save(ctx, d, due)
}

// read finds the grams of a row.
func (x textIndex) read(ctx context.Context, c *db.Conn, row *dueRow) error {
	content := "CAST(NULL AS " + blob(c) + ")"
	if x.body != "" {
		content = "b.content"
	}
	err := c.Rows(ctx, "SELECT t.id, t.version, "+x.texts+", "+content+" FROM "+x.table+" t "+x.body+" WHERE t.n = ? AND t.erased_at IS NULL", []any{row.n},
		func(scan func(...any) error) error {
			var texts string
			var content []byte
			if err := scan(&row.id, &row.version, &texts, &content); err != nil {
				return err
			}
			row.grams = gramsOf(texts, string(content))
			return nil
		})
	return db.Failure(err)
}

// save stores the grams of rows that are still what was read.
func (x textIndex) save(ctx context.Context, d *db.DB, due []dueRow) error {
	if len(due) == 0 {
		return nil
	}
	return d.Write(ctx, db.Work{Do: func(ctx context.Context, c *db.Conn) error {
		for i := range due {
			row := &due[i]
			same, err := x.same(ctx, c, row)
			if err != nil {
				return err
			}
			if !same {
				continue // it is due again
			}
			if err := x.put(ctx, c, row); err != nil {
				return err
			}
			if _, err := c.Exec(ctx, "DELETE FROM index_"+x.table+"_due WHERE n = ?", row.n); err != nil {
				return err
			}
		}
		return nil
	}})
}

// same reports whether a row is what was read, and keeps others from changing it.
func (x textIndex) same(ctx context.Context, c *db.Conn, row *dueRow) (bool, error) {
	query := "SELECT id, version FROM " + x.table + " WHERE n = ? AND erased_at IS NULL"
	if !c.SQLite {
		query += " FOR SHARE"
	}
	var now dueRow
	err := db.Failure(c.Row(ctx, query, []any{row.n}, &now.id, &now.version))
	if ports.CodeOf(err) == ports.NotFound {
		err = nil
	}
	return now.id == row.id && now.version == row.version, err
}

func (x textIndex) put(ctx context.Context, c *db.Conn, row *dueRow) error {
	column := "n"
	if c.SQLite {
		column = "rowid"
	}
	if _, err := c.Exec(ctx, "DELETE FROM index_"+x.table+" WHERE "+column+" = ?", row.n); err != nil || len(row.grams) == 0 {
		return err
	}
	if c.SQLite {
		_, err := c.Exec(ctx, "INSERT INTO index_"+x.table+" (rowid, grams) VALUES (?, ?)", row.n, joined(row.grams, " ", 36))
		return err
	}
	_, err := c.Exec(ctx, "INSERT INTO index_"+x.table+" (n, grams) VALUES (?, CAST(? AS INTEGER[]))", row.n, "{"+joined(row.grams, ",", 10)+"}")
	return err
}

var (
	pasteTexts = textIndex{"pastes", "t.slug || ' ' || t.remark", "LEFT JOIN paste_contents b ON b.n = t.n"}
	fileTexts  = textIndex{"files", "t.slug || ' ' || t.filename || ' ' || t.remark", ""}
)

// KeepTexts indexes the texts of shares that are new or were changed, until all
// are or ctx ends. It rests so many times as long as it works, so that others
// have the database.
func (r *Shares) KeepTexts(ctx context.Context, rest int) error {
	return errors.Join(pasteTexts.keep(ctx, r.db, rest), fileTexts.keep(ctx, r.db, rest))
}
