// Command sqlite is a storage driver that keeps objects in a SQLite database:
// the example of docs/drivers.md.
package main

import (
	"context"
	"database/sql"
	"fmt"
	"net/url"
	"path/filepath"
	"time"

	_ "modernc.org/sqlite" // the database driver "sqlite"

	"pasteport/plugins/sdk"
	"pasteport/ports"
	"pasteport/ports/objstore"
)

func main() { sdk.Serve(driver{}) }

type driver struct{}

// Info implements objstore.Driver.
func (driver) Info(context.Context) (objstore.Info, error) {
	return objstore.Info{
		Name: "sqlite", StorageType: "SQLITE", Version: "1.0.0",
		Label:    map[string]string{"en": "SQLite database", "zh": "SQLite 数据库"},
		Features: objstore.Features{Stream: true, Range: true, ServerCopy: true, Usage: true, ConditionalWrite: true},
		Fields: []objstore.Field{{
			Key: "file", Type: "text", Required: true,
			Label: map[string]string{"en": "Database file", "zh": "数据库文件"},
			Help:  map[string]string{"en": "An absolute path. A missing file is made.", "zh": "绝对路径。文件不存在时会自动创建。"},
		}},
	}, nil
}

// schema keeps bytes in pieces of a version. A key points to the version that
// readers see.
const schema = `
CREATE TABLE IF NOT EXISTS objects (key TEXT PRIMARY KEY, version TEXT, size INTEGER, type TEXT, modified INTEGER);
CREATE TABLE IF NOT EXISTS pieces (version TEXT, n INTEGER, data BLOB, PRIMARY KEY (version, n)) WITHOUT ROWID;`

// Open implements objstore.Driver. It drops what uploads left behind that were
// cut by a crash more than a day ago.
func (driver) Open(ctx context.Context, config objstore.Config) (objstore.Bucket, error) {
	file := config.Options["file"]
	if !filepath.IsAbs(file) {
		return nil, ports.InvalidInput("directory_invalid", "file")
	}
	address := url.URL{Scheme: "file", Path: file, RawQuery: "_pragma=busy_timeout(10000)&_pragma=journal_mode(WAL)"}
	db, err := sql.Open("sqlite", address.String())
	if err != nil {
		return nil, failed(err)
	}
	if _, err = exec(ctx, db, schema); err == nil {
		_, err = exec(ctx, db, `DELETE FROM pieces WHERE version < ? AND version NOT IN (SELECT version FROM objects)`,
			newVersion(time.Now().Add(-24*time.Hour)))
	}
	if err != nil {
		db.Close()
		return nil, err
	}
	return &bucket{db}, nil
}

// failed says that the storage is to blame, not the caller.
func failed(err error) error { return ports.ErrUnavailable.With(fmt.Errorf("sqlite: %w", err)) }

// exec runs a statement and returns how many rows it changed.
func exec(ctx context.Context, on interface {
	ExecContext(context.Context, string, ...any) (sql.Result, error)
}, statement string, args ...any) (int64, error) {
	done, err := on.ExecContext(ctx, statement, args...)
	if err != nil {
		return 0, failed(err)
	}
	return done.RowsAffected()
}
