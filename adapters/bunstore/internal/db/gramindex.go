package db

import (
	"context"
	"strconv"
	"strings"
)

// GramIndex is the name of a table that knows which grams rows have: on SQLite one
// of FTS5 with the grams as words, on PostgreSQL one of arrays.
type GramIndex string

// Grams are those of a row.
type Grams struct {
	N     int64
	Grams []int32
}

// Find is a query for the numbers of the rows that have all grams of one of the ways.
func (x GramIndex) Find(c *Conn, ways ...[]int32) (query string, args []any) {
	if c.SQLite {
		match := make([]string, len(ways))
		for i, grams := range ways {
			match[i] = "(" + joined(grams, " AND ", 36) + ")"
		}
		return "SELECT rowid FROM " + string(x) + " WHERE " + string(x) + " MATCH ?", []any{strings.Join(match, " OR ")}
	}
	for _, grams := range ways {
		args = append(args, arrayOf(grams))
	}
	return "SELECT n FROM " + string(x) + " WHERE grams @> CAST(? AS INTEGER[])" + strings.Repeat(" OR grams @> CAST(? AS INTEGER[])", len(ways)-1), args
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
