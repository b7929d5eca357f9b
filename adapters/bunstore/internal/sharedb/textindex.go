package sharedb

import (
	"context"
	"errors"
	"time"

	"github.com/uptrace/bun"

	"pasteport/adapters/bunstore/internal/db"
	"pasteport/ports/yield"
)

// textIndex knows the grams of the texts of a table, so that a search reads few
// of its rows. Triggers note which rows are due; they are searched without it
// until keep has looked at them, so that no search misses what was just written.
type textIndex struct {
	table string // with the columns n, id, version, size and erased_at
	names string // the columns that the inventory searches
	texts string // others that are searched
	body  string // joins what else is searched, as b.content; empty for nothing
	fresh string // finds the rows that are not even due, on SQLite
}

const (
	// dueRows and dueBytes bound what one step looks at, so that writers wait for a
	// few milliseconds at most. One row may have more bytes.
	dueRows  = 20
	dueBytes = 64 << 10
)

// inNames says that only the names of rows are searched.
type inNames bool

// candidates asks for the rows in which part may occur; without an index any may.
func (x textIndex) candidates(ctx context.Context, c *db.Conn, part string, only inNames) (db.Narrowing, error) {
	asked := db.AskedGrams(part)
	if len(asked) == 0 || x.table == "" {
		return db.Narrowing{Most: db.FewMatches}, nil
	}
	ways := [][]int32{db.NamedGrams(asked)}
	if !only {
		ways = append(ways, asked)
	}
	found, args, err := x.grams().Find(ctx, c, ways...)
	if err != nil {
		return db.Narrowing{}, err
	}
	behind := "SELECT n FROM index_" + x.table + "_due"
	if c.SQLite {
		behind += x.fresh
	}
	return db.Known(ctx, c, found, args, behind)
}

// grams is where the grams are.
func (x textIndex) grams() db.GramIndex { return db.GramIndex("index_" + x.table) }

// dueRow is what is to be indexed of a row, or that it has gone.
type dueRow struct {
	n, version int64
	id         string // empty for one that has gone
	grams      []int32
}

// keep indexes what is due until nothing is or ctx ends, and rests so many times
// as long as it works. Where it needs no rest, it does more at once.
func (x textIndex) keep(ctx context.Context, d *db.DB, rest int) error {
	rows, bytes := dueRows, int64(dueBytes)
	if rest == 0 {
		rows, bytes = db.Chunk, 64*bytes
	}
	for some := false; ctx.Err() == nil; some = true {
		began := time.Now()
		n, err := x.step(ctx, d, rows, bytes)
		if err != nil {
			return err
		}
		if n == 0 {
			if some {
				return x.grams().Compact(ctx, d, rest)
			}
			return nil
		}
		yield.Wait(ctx, time.Duration(rest)*time.Since(began))
	}
	return nil
}

// step indexes some rows of so many bytes, and one at least.
func (x textIndex) step(ctx context.Context, d *db.DB, rows int, bytes int64) (int, error) {
	c := d.Read(ctx)
	var due []dueRow
	err := c.Rows(ctx, "SELECT d.n, coalesce(t.size, 0) FROM index_"+x.table+"_due d LEFT JOIN "+x.table+" t ON t.n = d.n ORDER BY d.n LIMIT ?", []any{rows},
		func(scan func(...any) error) error {
			var row dueRow
			var size int64
			if err := scan(&row.n, &size); err != nil {
				return err
			}
			if x.body != "" {
				bytes -= size
			}
			if len(due) == 0 || bytes >= 0 {
				due = append(due, row)
			}
			return nil
		})
	if err != nil || len(due) == 0 {
		return 0, db.Failure(err)
	}
	if err := x.read(ctx, c, due); err != nil {
		return 0, err
	}
	return len(due), x.save(ctx, d, due)
}

// numbersOf are the rows as an argument of IN.
func numbersOf(rows []dueRow) bun.ListValues {
	numbers := make([]int64, len(rows))
	for i := range rows {
		numbers[i] = rows[i].n
	}
	return bun.List(numbers)
}

// read finds the grams of rows.
func (x textIndex) read(ctx context.Context, c *db.Conn, due []dueRow) error {
	content := "CAST(NULL AS " + blob(c) + ")"
	if x.body != "" {
		content = "b.content"
	}
	places := make(map[int64]*dueRow, len(due))
	for i := range due {
		places[due[i].n] = &due[i]
	}
	found, err := c.NewSelect().TableExpr(x.table+" AS t").Join(x.body).ColumnExpr("t.n, t.id, t.version, "+x.names+", "+x.texts+", "+content).
		Where("t.n IN (?)", numbersOf(due)).Where("t.erased_at IS NULL").Rows(ctx)
	if err != nil {
		return db.Failure(err)
	}
	defer func() { _ = found.Close() }()
	for found.Next() {
		var row dueRow
		var names, texts string
		var content []byte
		if err := found.Scan(&row.n, &row.id, &row.version, &names, &texts, &content); err != nil {
			return db.Failure(err)
		}
		row.grams = db.GramsOf(names, texts, string(content))
		*places[row.n] = row
	}
	return db.Failure(found.Err())
}

// save stores the grams of rows that are still what was read. The others are due
// again.
func (x textIndex) save(ctx context.Context, d *db.DB, due []dueRow) error {
	return d.Write(ctx, db.Work{Do: func(ctx context.Context, c *db.Conn) error {
		same, err := x.same(ctx, c, due)
		if err != nil || len(same) == 0 {
			return err
		}
		column := "n"
		if c.SQLite {
			column = "rowid"
		}
		if _, err := c.NewDelete().Table("index_"+x.table).Where("? IN (?)", bun.Ident(column), numbersOf(same)).Exec(ctx); err != nil {
			return err
		}
		if err := x.put(ctx, c, same); err != nil {
			return err
		}
		_, err = c.NewDelete().Table("index_"+x.table+"_due").Where("n IN (?)", numbersOf(same)).Exec(ctx)
		return err
	}})
}

// same are the rows that are what was read, which others cannot change now.
func (x textIndex) same(ctx context.Context, c *db.Conn, due []dueRow) (same []dueRow, err error) {
	q := c.NewSelect().Table(x.table).Column("n", "id", "version").Where("n IN (?)", numbersOf(due)).Where("erased_at IS NULL")
	if !c.SQLite {
		q = q.OrderExpr("n").For("SHARE")
	}
	var rows []struct {
		N, Version int64
		ID         string
	}
	if err := q.Scan(ctx, &rows); err != nil {
		return nil, err
	}
	now := make(map[int64]dueRow, len(rows))
	for _, row := range rows {
		now[row.N] = dueRow{id: row.ID, version: row.Version}
	}
	for _, row := range due {
		if is := now[row.n]; is.id == row.id && is.version == row.version {
			same = append(same, row)
		}
	}
	return same, nil
}

// put stores the grams of rows that have any.
func (x textIndex) put(ctx context.Context, c *db.Conn, due []dueRow) error {
	rows := make([]db.Grams, 0, len(due))
	for _, row := range due {
		if len(row.grams) > 0 {
			rows = append(rows, db.Grams{N: row.n, Grams: row.grams})
		}
	}
	return x.grams().Put(ctx, c, rows)
}

var (
	pasteTexts = textIndex{table: "pastes", names: "t.slug || ' ' || t.remark", texts: "''", body: "LEFT JOIN paste_contents b ON b.n = t.n",
		fresh: " UNION ALL SELECT n FROM " + freshPastes + " WHERE " + freshRows}
	fileTexts = textIndex{table: "files", names: "t.slug || ' ' || t.filename", texts: "t.remark"}
)

// KeepTexts indexes the texts of shares that are new or were changed, until all
// are or ctx ends. It rests so many times as long as it works, so that others
// have the database.
func (r *Shares) KeepTexts(ctx context.Context, rest int) error {
	return errors.Join(settleAll(ctx, r.db), pasteTexts.keep(ctx, r.db, rest), fileTexts.keep(ctx, r.db, rest))
}
