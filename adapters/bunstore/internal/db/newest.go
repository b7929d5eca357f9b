package db

import "context"

// Replaced selects n and version of revisions in a table, as that of Newest with
// edited_at, that were replaced before a time: by the next one, or by what the row
// of present says. Its arguments are that time, twice, and how many.
func Replaced(table, present string) string {
	return "SELECT r.n, r.version FROM " + table + " r WHERE r.edited_at < ? AND coalesce(" +
		"(SELECT later.edited_at FROM " + table + " later WHERE later.n = r.n AND later.version > r.version ORDER BY later.version LIMIT 1), " +
		"(SELECT edited_at FROM " + present + " WHERE " + present + ".n = r.n), 0) < ? ORDER BY r.edited_at LIMIT ?"
}

// Newest removes the oldest rows of a table of revisions past a number or a sum
// of bytes, and returns how many. The table has the columns n, of what they are
// revisions, version and size.
func Newest(ctx context.Context, c *Conn, table string, n int64, most int, bytes int64) (int64, error) {
	return c.Exec(ctx, "DELETE FROM "+table+" WHERE n = ? AND version IN (SELECT version FROM ("+
		"SELECT version, ROW_NUMBER() OVER (ORDER BY version DESC) AS place, SUM(size) OVER (ORDER BY version DESC) AS bytes"+
		" FROM "+table+" WHERE n = ?) AS ordered WHERE place > ? OR bytes > ?)", n, n, most, bytes)
}
