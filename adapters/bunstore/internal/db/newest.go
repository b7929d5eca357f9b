package db

import "context"

// Newest removes the oldest rows of a table of revisions past a number or a sum
// of bytes, and returns how
// many. The table has the columns n, of what they are
// revisions, version and size.
func Newest(ctx context.Context, c *Conn, table string, n int64, most int, bytes int64) (int64, error) {
	return c.Exec(ctx, "DELETE FROM "+table+" WHERE n = ? AND version IN (SELECT version FROM ("+
		"SELECT version, ROW_NUMBER() OVER (ORDER BY version DESC) AS place, SUM(size) OVER (ORDER BY version DESC) AS bytes"+
		" FROM "+table+" WHERE n = ?) AS ordered WHERE place > ? OR bytes > ?)", n, n, most, bytes)
}
