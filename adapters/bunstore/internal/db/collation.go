package db

import "strings"

// Directed is an ORDER BY of columns that all go one way.
func Directed(up bool, columns ...string) string {
	way := " DESC"
	if up {
		way = " ASC"
	}
	return strings.Join(columns, way+", ") + way
}

// ByBytes sorts a text column by its bytes, whatever the database's own order.
func (d *DB) ByBytes(column string) string {
	if d.SQLite() {
		return column
	}
	return column + ` COLLATE "C"`
}

// InAnyCase sorts a text column as if it were in lower case; SQLite knows that
// of ASCII only.
func (d *DB) InAnyCase(column string) string {
	if d.SQLite() {
		return column + " COLLATE NOCASE"
	}
	return "lower(" + column + `) COLLATE "C"`
}
