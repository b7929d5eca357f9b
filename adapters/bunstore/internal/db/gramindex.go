package db

import (
	"cmp"
	"context"
	"slices"
	"strconv"
	"strings"
	"time"

	"pasteport/ports/yield"
)

// GramIndex is the name of a table that knows which grams rows have: on SQLite one
// of FTS5 with the grams as words, on PostgreSQL one of arrays.
type GramIndex string

// Grams are those of a row.
type Grams struct {
	N     int64
	Grams []int32
}

// Find is a query for the numbers of the rows that have all grams of one of the
// ways, or perhaps only those that few rows have.
func (x GramIndex) Find(ctx context.Context, c *Conn, ways ...[]int32) (query string, args []any, err error) {
	if c.SQLite {
		match := make([]string, len(ways))
		for i, grams := range ways {
			match[i] = "(" + joined(grams, " AND ", 36) + ")"
		}
		return "SELECT rowid FROM " + string(x) + " WHERE " + string(x) + " MATCH ?", []any{strings.Join(match, " OR ")}, nil
	}
	frequency, err := x.frequent(ctx, c, slices.Concat(ways...))
	if err != nil {
		return "", nil, err
	}
	for _, grams := range ways {
		args = append(args, arrayOf(rare(grams, frequency)))
	}
	return "SELECT n FROM " + string(x) + " WHERE grams @> CAST(? AS INTEGER[])" + strings.Repeat(" OR grams @> CAST(? AS INTEGER[])", len(ways)-1), args, nil
}

// enough is how many grams are asked for of those that many rows have: to follow each
// of them through the index takes long, and leaves out little.
const enough = 4

// frequent are the parts of all rows that have these grams, of those that PostgreSQL
// has found to be frequent.
func (x GramIndex) frequent(ctx context.Context, c *Conn, grams []int32) (map[int32]float64, error) {
	parts := map[int32]float64{}
	err := c.Rows(ctx, "SELECT m.gram, m.part FROM pg_stats s, unnest(CAST(CAST(s.most_common_elems AS TEXT) AS INTEGER[]), s.most_common_elem_freqs) AS m (gram, part) "+
		"WHERE s.schemaname = current_schema() AND s.tablename = ? AND s.attname = 'grams' AND m.gram = ANY (CAST(? AS INTEGER[]))", []any{string(x), arrayOf(grams)},
		func(scan func(...any) error) error {
			var gram int32
			var part float64
			err := scan(&gram, &part)
			parts[gram] = part
			return err
		})
	return parts, Failure(err)
}

// rare are the grams that are not frequent, and so many of the others that they are
// enough.
func rare(grams []int32, frequency map[int32]float64) []int32 {
	sorted := slices.Clone(grams)
	slices.SortStableFunc(sorted, func(a, b int32) int { return cmp.Compare(frequency[a], frequency[b]) })
	n := 0
	for n < len(sorted) && (n < enough || frequency[sorted[n]] == 0) {
		n++
	}
	return sorted[:n]
}

// Put stores the grams of rows of which it has none.
func (x GramIndex) Put(ctx context.Context, c *Conn, rows []Grams) error {
	if c.SQLite {
		for _, row := range rows {
			if _, err := c.Exec(ctx, "INSERT INTO "+string(x)+" (rowid, grams) VALUES (?, ?)", row.N, joined(row.Grams, " ", 36)); err != nil {
				return err
			}
		}
		return nil
	}
	if len(rows) == 0 {
		return nil
	}
	values, args := make([]string, len(rows)), make([]any, 0, 2*len(rows))
	for i, row := range rows {
		values[i], args = "(?, CAST(? AS INTEGER[]))", append(args, row.N, arrayOf(row.Grams))
	}
	// Another node may do the same.
	_, err := c.NewRaw("INSERT INTO "+string(x)+" (n, grams) VALUES "+strings.Join(values, ", ")+" ON CONFLICT DO NOTHING", args...).Exec(ctx)
	return err
}

// arrayOf are numbers as an array of PostgreSQL.
func arrayOf(grams []int32) string { return "{" + joined(grams, ",", 10) + "}" }

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

// compactedPages is how many pages of an index one step of Compact writes, which takes
// some milliseconds.
const compactedPages = 8

// Compact takes out of the index what was deleted from it, until little is left of
// that or ctx ends, and rests so many times as long as it works. On SQLite a deletion
// only notes it: FTS5 would do this within the transactions that delete, hundreds of
// milliseconds at a time. PostgreSQL has its autovacuum.
func (x GramIndex) Compact(ctx context.Context, d *DB, rest int) error {
	name := string(x)
	set := "INSERT INTO " + name + " (" + name + ", rank) VALUES (?, ?)"
	for more := d.SQLite(); more && ctx.Err() == nil; {
		began := time.Now()
		if err := d.Write(ctx, Work{Do: func(ctx context.Context, c *Conn) error {
			var before, after int64
			for _, step := range []func() error{
				func() error { _, err := c.Exec(ctx, set, "deletemerge", 10); return err }, // percent of a part that were deleted
				func() error { return c.Row(ctx, "SELECT total_changes()", nil, &before) },
				func() error { _, err := c.Exec(ctx, set, "merge", compactedPages); return err },
				func() error { return c.Row(ctx, "SELECT total_changes()", nil, &after) },
				func() error { _, err := c.Exec(ctx, set, "deletemerge", 0); return err },
			} {
				if err := step(); err != nil {
					return err
				}
			}
			more = after-before >= 2 // fewer say that nothing was to be done
			return nil
		}}); err != nil {
			return err
		}
		yield.Wait(ctx, time.Duration(rest)*time.Since(began))
	}
	return nil
}
