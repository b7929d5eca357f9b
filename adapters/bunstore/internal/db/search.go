package db

import (
	"database/sql/driver"
	"strings"
	"sync"
	"unicode"

	"github.com/uptrace/bun"
	"modernc.org/sqlite"
)

// Contains narrows q to rows where part occurs in one of the columns, in upper
// or lower case. Columns are constant expressions.
func Contains(c *Conn, q *bun.SelectQuery, part string, columns ...string) *bun.SelectQuery {
	pattern := "%" + EscapeLike(part) + "%"
	like := "? LIKE ? ESCAPE '\\'"
	switch folds := foldsOutsideASCII(part); {
	case c.SQLite && folds:
		like, pattern = "lower_all(?) LIKE ? ESCAPE '\\'", strings.ToLower(pattern)
	case c.SQLite:
	case folds:
		like = "? ILIKE ? ESCAPE '\\'"
	default: // byte by byte, which is faster than by the rules of a language
		like, pattern = `lower(? COLLATE "C") LIKE ? ESCAPE '\'`, strings.ToLower(pattern)
	}
	return q.WhereGroup(" AND ", func(q *bun.SelectQuery) *bun.SelectQuery {
		for _, column := range columns {
			q = q.WhereOr(like, bun.Safe(column), pattern)
		}
		return q
	})
}

var likeEscaper = strings.NewReplacer(`\`, `\\`, `%`, `\%`, `_`, `\_`)

// EscapeLike makes a text stand for itself in a pattern of LIKE, whose escape
// character is the backslash.
func EscapeLike(s string) string { return likeEscaper.Replace(s) }

// foldsOutsideASCII reports whether s has letters beyond ASCII with two cases,
// which LIKE of SQLite does not know. Chinese has none.
func foldsOutsideASCII(s string) bool {
	return strings.ContainsFunc(s, func(r rune) bool {
		return r > unicode.MaxASCII && (unicode.ToLower(r) != r || unicode.ToUpper(r) != r)
	})
}

// registerLower gives SQLite a function lower_all that knows all letters. The
// driver keeps functions for the whole process.
var registerLower = sync.OnceValue(func() error {
	return sqlite.RegisterDeterministicScalarFunction("lower_all", 1,
		func(_ *sqlite.FunctionContext, args []driver.Value) (driver.Value, error) {
			switch v := args[0].(type) {
			case string:
				return strings.ToLower(v), nil
			case []byte:
				return strings.ToLower(string(v)), nil
			}
			return args[0], nil
		})
})
