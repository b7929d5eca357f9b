package predecessor

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"maps"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"

	_ "modernc.org/sqlite" // the format of the old file
)

// Source is a database of the predecessor, read in one transaction: what
// another process writes meanwhile is not seen.
type Source struct {
	db     *sql.DB
	tx     *sql.Tx
	tables map[string][]string // columns by table
}

// Open opens the file for reading. It is an error when the file is none of the
// predecessor's. The caller closes the Source.
func Open(ctx context.Context, file string) (*Source, error) {
	path, err := filepath.Abs(file)
	if err != nil {
		return nil, err
	}
	if info, err := os.Stat(path); err != nil {
		return nil, err
	} else if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s is not a file", file)
	}
	s := &Source{tables: map[string][]string{}}
	if err := s.open(ctx, path); err != nil {
		return nil, errors.Join(fmt.Errorf("read %s: %w", file, err), s.Close())
	}
	return s, nil
}

func (s *Source) open(ctx context.Context, path string) (err error) {
	// A file without a log beside it has no writer's changes to look for, and
	// may lie in a folder where none can be made.
	how := "mode=ro"
	if !exists(path+"-wal") && !exists(path+"-journal") {
		how = "mode=ro&immutable=1"
	}
	s.db, err = sql.Open("sqlite", "file:"+(&url.URL{Path: path}).EscapedPath()+"?"+how+"&_pragma=query_only(1)&_pragma=busy_timeout(5000)")
	if err != nil {
		return err
	}
	if s.tx, err = s.db.BeginTx(ctx, nil); err != nil {
		return err
	}
	if err := s.readTables(ctx); err != nil {
		return err
	}
	if s.has("paste_contents") {
		return errors.New("this is a database of Pasteport itself")
	}
	if !slices.ContainsFunc([]string{"pastes", "files", "api_keys", "admins"}, s.has) {
		return errors.New("none of the predecessor's tables is in it")
	}
	return nil
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// Close ends the reading.
func (s *Source) Close() error {
	var errs []error
	if s.tx != nil {
		errs = append(errs, s.tx.Rollback())
	}
	if s.db != nil {
		errs = append(errs, s.db.Close())
	}
	return errors.Join(errs...)
}

func (s *Source) readTables(ctx context.Context) error {
	rows, err := s.tx.QueryContext(ctx, "SELECT m.name, c.name FROM sqlite_master m, pragma_table_info(m.name) c WHERE m.type = 'table' AND m.name NOT LIKE 'sqlite!_%' ESCAPE '!' ORDER BY m.name, c.cid")
	if err != nil {
		return err
	}
	defer func() { _ = rows.Close() }()
	for rows.Next() {
		var table, column string
		if err := rows.Scan(&table, &column); err != nil {
			return err
		}
		table = strings.ToLower(table)
		s.tables[table] = append(s.tables[table], strings.ToLower(column))
	}
	return rows.Err()
}

func (s *Source) has(table string) bool { return len(s.tables[table]) > 0 }

// count returns the number of rows of a table, 0 when there is none.
func (s *Source) count(ctx context.Context, table string) (n int, err error) {
	if !s.has(table) {
		return 0, nil
	}
	err = s.tx.QueryRowContext(ctx, "SELECT count(*) FROM "+quote(table)).Scan(&n)
	return n, err
}

// each reads a table, if there is one, in the order in which its rows were
// made.
func (s *Source) each(ctx context.Context, table string, visit func(*row) error) error {
	columns := s.tables[table]
	if len(columns) == 0 {
		return nil
	}
	// The plus takes the declared type away, by which the driver would turn
	// texts into times and numbers into booleans.
	values := make([]string, len(columns))
	for i, column := range columns {
		values[i] = "+" + quote(column)
	}
	rows, err := s.tx.QueryContext(ctx, "SELECT "+strings.Join(values, ", ")+" FROM "+quote(table)+" ORDER BY rowid")
	if err != nil {
		return fmt.Errorf("read table %s: %w", table, err)
	}
	defer func() { _ = rows.Close() }()
	for rows.Next() {
		cells, into := make([]any, len(columns)), make([]any, len(columns))
		for i := range cells {
			into[i] = &cells[i]
		}
		if err := rows.Scan(into...); err != nil {
			return fmt.Errorf("read table %s: %w", table, err)
		}
		r := &row{cells: make(map[string]any, len(columns))}
		for i, column := range columns {
			r.cells[column] = cells[i]
		}
		if err := visit(r); err != nil {
			return err
		}
	}
	if err := rows.Err(); err != nil {
		return fmt.Errorf("read table %s: %w", table, err)
	}
	return nil
}

func quote(name string) string { return `"` + strings.ReplaceAll(name, `"`, `""`) + `"` }

// names are the tables, sorted.
func (s *Source) names() []string { return slices.Sorted(maps.Keys(s.tables)) }
