//go:build bench

package bunstore_test

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"pasteport/adapters/bunstore"
	"pasteport/adapters/bunstore/internal/db"
)

// growthPart is a part of a site whose tables grow together.
type growthPart struct {
	name   string
	tables []string
	then   []string // completes what triggers would have done
	grams  []gramsOf
}

// gramsOf is an index of texts: a query for numbers, names and other texts.
type gramsOf struct{ index, query string }

var growthParts = []growthPart{
	{
		name: "texts", tables: []string{"pastes", "paste_contents"}, then: countsOf("paste", "pastes", ""),
		grams: []gramsOf{{"index_pastes", "SELECT t.n, t.slug || ' ' || t.remark, convert_from(b.content, 'UTF8') FROM pastes t JOIN paste_contents b ON b.n = t.n"}},
	},
	{
		name: "files", tables: []string{"files"}, then: countsOf("file", "files", " AND NOT pending"),
		grams: []gramsOf{{"index_files", "SELECT t.n, t.slug || ' ' || t.filename, t.remark FROM files t"}},
	},
	{name: "keys", tables: []string{"api_keys", "key_uses", "mounts", "decisions"}},
	{
		name: "log", tables: []string{"audit_entries"},
		grams: []gramsOf{{"index_audit", "SELECT n, '', name || ' ' || action || ' ' || target || ' ' || details FROM audit_entries"}},
	},
	{name: "names", tables: []string{"index_storages", "index_folders", "index_entries"}},
}

// countsOf are the counts that the triggers of a table of shares keep.
func countsOf(kind, table, and string) []string {
	const groups = " FROM %[2]s WHERE used_up_at IS NULL AND erased_at IS NULL%[3]s"
	return []string{
		fmt.Sprintf("INSERT INTO share_counts (kind, created_by, day, part, listed, protected, limited) SELECT '%[1]s', created_by, created_at / 86400000, 0, count(*), "+
			"count(*) FILTER (WHERE password_hash <> ''), count(*) FILTER (WHERE max_views > 0)"+groups+" GROUP BY created_by, created_at / 86400000", kind, table, and),
		fmt.Sprintf("INSERT INTO share_ends (kind, created_by, day, part, listed) SELECT '%[1]s', created_by, expires_at / 86400000, 0, count(*)"+groups+
			" AND expires_at IS NOT NULL GROUP BY created_by, expires_at / 86400000", kind, table, and),
	}
}

// nameTables are those of the index of names, with the objects of benchObject. The
// folders have the numbers of their order.
func nameTables(rows int) []filledTable {
	words := "(ARRAY['" + strings.Join(benchWords, "','") + "'])"
	const at = "1760000000000"
	top, teams := 20, 4000
	word, group := words+"[1 + (i - 1) % 13]", "((i - 1) / 13)"
	path := "'dep' || lpad((" + group + " % 20)::text, 2, '0') || '/team' || lpad((" + group + " / 20 % 200)::text, 3, '0') || '/'"
	folder := func(k, w string) string { return fmt.Sprintf("%d + (%s) * 13 + (%s)", 1+top+teams+1, k, w) }
	leaf := word + " || '-' || " + group
	leaves := max(rows/100, 1) * 13
	team := fmt.Sprintf("%d + %s %% 20 * 200 + %s / 20 %% 200", 1+top+1, group, group)
	return []filledTable{
		{"index_storages", "config_id, scan", "'s', ''", 1},
		{"index_folders", "store, path, size, files, folders, newest", "1, '', 0, 0, 20, 0", 1},
		{"index_folders", "store, path, size, files, folders, newest", "1, 'dep' || lpad((i - 1)::text, 2, '0') || '/', 0, 0, 200, 0", top},
		{"index_folders", "store, path, size, files, folders, newest", "1, 'dep' || lpad(((i - 1) / 200)::text, 2, '0') || '/team' || lpad(((i - 1) % 200)::text, 3, '0') || '/', 0, 0, 13, 0", teams},
		{"index_folders", "store, path, size, files, folders, newest", "1, " + path + " || " + leaf + " || '/', 100, 8, 0, " + at, leaves},
		{"index_entries", "store, folder, name, folded, size, modified, etag, marker, noted_at", "1, " + team + ", " + leaf + " || '/', " + leaf + ", 0, 0, '', false, " + at, leaves},
		{"index_entries", "store, folder, name, folded, size, modified, etag, marker, noted_at", "1, " + folder("(i - 1) / 100", "(i - 1) % 13") + ", " +
			word + " || '_' || lpad((i - 1)::text, 7, '0') || '.pdf', " + word + " || '_' || lpad((i - 1)::text, 7, '0') || '.pdf', i, " + at + " + i * 1000, lpad(to_hex(i), 32, '0'), false, " + at, rows},
	}
}

// fillPostgres fills the tables that are empty. It does so without their triggers
// and indexes, which come afterwards: 10^7 rows take minutes, not hours.
func fillPostgres(t testing.TB, s *bunstore.Store, url string, rows int) {
	t.Helper()
	ctx := t.Context()
	c, err := pgx.Connect(ctx, url)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = c.Close(context.WithoutCancel(ctx)) }()
	exec := func(query string) error {
		_, err := c.Exec(ctx, query, pgx.QueryExecModeSimpleProtocol)
		return err
	}
	must := func(query string) {
		t.Helper()
		if err := exec(query); err != nil {
			t.Fatalf("%.200s: %v", query, err)
		}
	}
	must("SET session_replication_role = replica; SET maintenance_work_mem = '256MB'; SET jit = off")
	all := append(listTables(false, rows, 4), nameTables(rows)...)
	for _, part := range growthParts {
		if only := os.Getenv("PASTEPORT_GROWTH_OF"); only != "" && only != part.name {
			continue
		}
		var there bool
		if err := c.QueryRow(ctx, "SELECT EXISTS (SELECT 1 FROM "+part.tables[0]+")").Scan(&there); err != nil || there { // an earlier run has left it
			continue
		}
		began := time.Now()
		tables := slices.Clone(part.tables)
		for _, g := range part.grams {
			tables = append(tables, g.index)
		}
		indexes := dropIndexes(t, c, tables)
		for _, table := range all {
			if slices.Contains(part.tables, table.name) {
				table.fill(t, 500_000, exec)
			}
		}
		for _, g := range part.grams {
			fillGrams(t, url, g)
		}
		for _, query := range append(indexes, part.then...) {
			must(query)
		}
		for _, table := range tables {
			must("VACUUM ANALYZE " + table)
		}
		t.Logf("%d rows of %s in %s", rows, part.name, time.Since(began).Round(time.Second))
	}
	if _, err := s.Files().Recount(ctx); err != nil {
		t.Fatal(err)
	}
}

// dropIndexes drops the indexes of tables but those of keys, and returns what makes
// them again.
func dropIndexes(t testing.TB, c *pgx.Conn, tables []string) (made []string) {
	t.Helper()
	rows, err := c.Query(t.Context(), "SELECT i.indexname, i.indexdef FROM pg_indexes i WHERE i.schemaname = 'public' AND i.tablename = ANY ($1) "+
		"AND NOT EXISTS (SELECT 1 FROM pg_constraint k WHERE k.conname = i.indexname)", tables)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	var name, definition string
	if _, err := pgx.ForEachRow(rows, []any{&name, &definition}, func() error {
		names, made = append(names, name), append(made, definition)
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		if _, err := c.Exec(t.Context(), "DROP INDEX "+name); err != nil {
			t.Fatal(err)
		}
	}
	return made
}

// fillGrams fills an index of texts.
func fillGrams(t testing.TB, url string, g gramsOf) {
	t.Helper()
	ctx := t.Context()
	var both [2]*pgx.Conn
	for i := range both {
		c, err := pgx.Connect(ctx, url)
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = c.Close(context.WithoutCancel(ctx)) }()
		if _, err := c.Exec(ctx, "SET session_replication_role = replica"); err != nil {
			t.Fatal(err)
		}
		both[i] = c
	}
	rows, err := both[0].Query(ctx, g.query)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	_, err = both[1].CopyFrom(ctx, pgx.Identifier{g.index}, []string{"n", "grams"}, pgx.CopyFromFunc(func() ([]any, error) {
		if !rows.Next() {
			return nil, rows.Err()
		}
		var n int64
		var names, texts string
		err := rows.Scan(&n, &names, &texts)
		return []any{n, db.GramsOf(names, texts)}, err
	}))
	if err != nil {
		t.Fatal(err)
	}
}
