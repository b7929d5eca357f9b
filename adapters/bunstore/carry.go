package bunstore

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"pasteport/adapters/bunstore/internal/db"
)

// errNotEmpty refuses to write over somebody's records.
var errNotEmpty = errors.New("the database is not empty: make a new one (createdb) and name it in --database-url")

// Export writes what a PostgreSQL database holds at one moment to the SQLite
// file to, which does not exist before. Servers may use the database meanwhile.
// The index of mounted objects stays behind; servers fill it anew.
func Export(ctx context.Context, url, to string) (err error) {
	if err := emptyFile(ctx, to); err != nil {
		return err
	}
	s, err := db.Open(ctx, db.Options{URL: url})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	file, err := db.OpenPool(ctx, to, 1, "_pragma=synchronous(OFF)")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	from, err := s.SharedDB().BeginTx(ctx, &sql.TxOptions{Isolation: sql.LevelRepeatableRead, ReadOnly: true})
	if err != nil {
		return err
	}
	defer func() { _ = from.Rollback() }() // it has only read
	if err := patient(ctx, from); err != nil {
		return err
	}
	tables, err := carried(ctx, file.DB)
	if err != nil {
		return err
	}
	into, err := file.DB.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer func() { _ = into.Rollback() }() // after a commit it does nothing
	for _, t := range tables {
		marks := strings.TrimSuffix(strings.Repeat("?, ", len(t.columns)), ", ")
		if err := t.carry(ctx, from, into, "INSERT INTO "+t.name+" ("+t.list()+") VALUES ("+marks+")", nil); err != nil {
			return fmt.Errorf("%s: %w", t.name, err)
		}
	}
	return into.Commit()
}

// emptyFile makes a SQLite file with all tables and no rows.
func emptyFile(ctx context.Context, path string) error {
	s, err := db.Open(ctx, db.Options{URL: path})
	if err != nil {
		return err
	}
	return errors.Join(s.Close(), os.Remove(path+".lock"))
}

// Import writes the rows of a SQLite file that no process has open into an empty
// PostgreSQL database, all or nothing. The file has the tables of this version.
func Import(ctx context.Context, path, url string) (err error) {
	file, err := db.OpenPool(ctx, path, 1, "_pragma=query_only(1)")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	tables, err := carried(ctx, file.DB)
	if err != nil {
		return err
	}
	s, err := db.Open(ctx, db.Options{URL: url})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	from, err := file.DB.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer func() { _ = from.Rollback() }() // it has only read
	into, err := s.SharedDB().BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer func() { _ = into.Rollback() }() // after a commit it does nothing
	if err := patient(ctx, into); err != nil {
		return err
	}
	for _, t := range tables {
		if err := t.importInto(ctx, from, into); err != nil {
			return fmt.Errorf("%s: %w", t.name, err)
		}
	}
	return into.Commit()
}

// patient lets the statements of a transaction take as long as they need.
func patient(ctx context.Context, tx *sql.Tx) error {
	_, err := tx.ExecContext(ctx, "SET LOCAL statement_timeout = 0")
	if err == nil {
		_, err = tx.ExecContext(ctx, "SET LOCAL idle_in_transaction_session_timeout = 0")
	}
	return err
}

// carriedTable is a table whose rows go from one database to the other.
type carriedTable struct {
	name    string
	columns []string
}

func (t *carriedTable) list() string { return strings.Join(t.columns, ", ") }

// carried are the tables of a SQLite file whose rows are worth carrying, parents
// before their children. Each database counts shares by itself, when it is ready to.
func carried(ctx context.Context, db *sql.DB) ([]carriedTable, error) {
	names, err := texts(ctx, db, "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite~_%' ESCAPE '~' "+
		"AND name NOT LIKE 'bun~_%' ESCAPE '~' AND name NOT LIKE 'index~_%' ESCAPE '~' AND name NOT LIKE 'river~_%' ESCAPE '~' "+
		"AND name NOT IN ('share_counts', 'share_ends') ORDER BY name")
	if err != nil {
		return nil, err
	}
	if names, err = parentsFirst(ctx, db, names); err != nil {
		return nil, err
	}
	tables := make([]carriedTable, len(names))
	for i, name := range names {
		columns, err := texts(ctx, db, "SELECT name FROM pragma_table_info(?) WHERE name <> 'settled' ORDER BY cid", name)
		if err != nil {
			return nil, err
		}
		tables[i] = carriedTable{name, columns}
	}
	return tables, nil
}

// parentsFirst puts tables behind those that their foreign keys refer to.
func parentsFirst(ctx context.Context, db *sql.DB, names []string) ([]string, error) {
	ordered := make([]string, 0, len(names))
	for len(ordered) < len(names) {
		before := len(ordered)
		for _, name := range names {
			if slices.Contains(ordered, name) {
				continue
			}
			parents, err := texts(ctx, db, `SELECT DISTINCT "table" FROM pragma_foreign_key_list(?)`, name)
			if err != nil {
				return nil, err
			}
			if !slices.ContainsFunc(parents, func(parent string) bool { return parent != name && !slices.Contains(ordered, parent) }) {
				ordered = append(ordered, name)
			}
		}
		if len(ordered) == before {
			return nil, fmt.Errorf("tables that refer to each other, or to none that is carried: %v", names)
		}
	}
	return ordered, nil
}

// querier is a database or a transaction.
type querier interface {
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
}

// texts are the values of a query with one column.
func texts(ctx context.Context, q querier, query string, args ...any) (all []string, err error) {
	rows, err := q.QueryContext(ctx, query, args...)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	for rows.Next() {
		var text string
		if err := rows.Scan(&text); err != nil {
			return nil, err
		}
		all = append(all, text)
	}
	return all, rows.Err()
}

// carry inserts the rows of a table by a statement; change puts the values of a
// row into the words of the other database, unless it is nil.
func (t *carriedTable) carry(ctx context.Context, from, into *sql.Tx, insert string, change func(values []any)) (err error) {
	if _, err := into.ExecContext(ctx, "DELETE FROM "+t.name); err != nil { // what a migration has put there
		return err
	}
	rows, err := from.QueryContext(ctx, "SELECT "+t.list()+" FROM "+t.name)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	values, places := make([]any, len(t.columns)), make([]any, len(t.columns))
	for i := range values {
		places[i] = &values[i]
	}
	for rows.Next() {
		if err := rows.Scan(places...); err != nil {
			return err
		}
		if change != nil {
			change(values)
		}
		if _, err := into.ExecContext(ctx, insert, values...); err != nil {
			return err
		}
	}
	return rows.Err()
}

// importInto carries a table into PostgreSQL, where it must be empty if people
// make its rows, and lets its numbers go on behind the last one.
func (t *carriedTable) importInto(ctx context.Context, from, into *sql.Tx) error {
	if slices.Contains([]string{"admins", "api_keys", "pastes", "files", "storage_configs", "mounts"}, t.name) {
		if some, err := texts(ctx, into, "SELECT 'x' FROM "+t.name+" LIMIT 1"); err != nil || len(some) > 0 {
			return errors.Join(err, errNotEmpty)
		}
	}
	types := make([]string, len(t.columns))
	marks := make([]string, len(t.columns))
	for i, column := range t.columns {
		kind, err := texts(ctx, into, "SELECT data_type FROM information_schema.columns WHERE table_schema = current_schema() AND table_name = $1 AND column_name = $2", t.name, column)
		if err != nil || len(kind) != 1 {
			return errors.Join(err, fmt.Errorf("column %s: %v", column, kind))
		}
		types[i], marks[i] = kind[0], fmt.Sprintf("$%d", i+1)
	}
	insert := "INSERT INTO " + t.name + " (" + t.list() + ") OVERRIDING SYSTEM VALUE VALUES (" + strings.Join(marks, ", ") + ")"
	if err := t.carry(ctx, from, into, insert, func(values []any) {
		for i, kind := range types {
			values[i] = postgresValue(kind, values[i])
		}
	}); err != nil {
		return err
	}
	identity, err := texts(ctx, into, "SELECT column_name FROM information_schema.columns WHERE table_schema = current_schema() AND table_name = $1 AND is_identity = 'YES'", t.name)
	if err != nil || len(identity) == 0 {
		return err
	}
	_, err = into.ExecContext(ctx, fmt.Sprintf("SELECT setval(pg_get_serial_sequence('%s', '%s'), COALESCE((SELECT MAX(%[2]s) FROM %[1]s), 0) + 1, false)", t.name, identity[0]))
	return err
}

// postgresValue is a value of SQLite as a column of PostgreSQL takes it.
func postgresValue(kind string, value any) any {
	switch v := value.(type) {
	case int64:
		if kind == "boolean" {
			return v != 0
		}
	case string:
		if kind == "bytea" {
			return []byte(v)
		}
	case []byte:
		if kind == "text" {
			return string(v)
		}
	}
	return value
}
