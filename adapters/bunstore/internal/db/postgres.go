package db

import (
	"context"
	"database/sql"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/uptrace/bun"
	"github.com/uptrace/bun/dialect/pgdialect"
)

const poolSize = 20

// openPostgres connects to PostgreSQL. bun writes arguments into the text of
// its queries, so preparing them would keep a statement for each text; hence
// the mode exec.
func (d *DB) openPostgres(ctx context.Context, address string) error {
	config, err := pgx.ParseConfig(address)
	if err != nil {
		return fmt.Errorf("database address: %w", withoutPassword(err))
	}
	config.DefaultQueryExecMode = pgx.QueryExecModeExec
	if config.ConnectTimeout == 0 {
		config.ConnectTimeout = 5 * time.Second
	}
	setDefault(config.RuntimeParams, "application_name", "pasteport")
	setDefault(config.RuntimeParams, "statement_timeout", "10s")
	setDefault(config.RuntimeParams, "idle_in_transaction_session_timeout", "30s")
	setDefault(config.RuntimeParams, "jit", "off")             // compiling a query takes longer than any of ours
	config.RuntimeParams["standard_conforming_strings"] = "on" // bun'd quoting relies on it
	calls := config.Copy()
	calls.DialFunc = timed(config.DialFunc, answerWithin)
	db := d.connect(stdlib.GetConnector(*calls))
	db.SetMaxOpenConns(poolSize)
	db.SetMaxIdleConns(poolSize)
	db.SetConnMaxIdleTime(5 * time.Minute)
	d.reads = &Pool{DB: db, bun: bun.NewDB(db, pgdialect.New(), bun.WithConnResolver(bounded{db}))}
	// Most starts find nothing to migrate, and need neither the lock nor a
	// connection of its own for that.
	if d.CheckSchema(ctx) != nil {
		if err := d.migratePostgres(ctx, config); err != nil {
			return err
		}
	}
	if err := d.checkEncoding(ctx, db); err != nil {
		return err
	}
	d.notifier = newNotifier(config, d.log)
	return nil
}

func setDefault(params map[string]string, name, value string) {
	if _, set := params[name]; !set {
		params[name] = value
	}
}

// checkEncoding refuses a database that cannot hold every text, and warns of a
// locale in which upper and lower case outside ASCII are strangers.
func (d *DB) checkEncoding(ctx context.Context, db *sql.DB) error {
	var encoding, locale string
	err := db.QueryRowContext(ctx, "SELECT pg_encoding_to_char(encoding), datctype FROM pg_database WHERE datname = current_database()").
		Scan(&encoding, &locale)
	if err != nil {
		return err
	}
	if encoding != "UTF8" {
		return fmt.Errorf("database encoding is %s: create it with ENCODING 'UTF8'", encoding)
	}
	if locale == "C" || locale == "POSIX" {
		d.log.Warn("database locale knows ASCII only; searches outside it are case-sensitive", "locale", locale)
	}
	return nil
}

// withoutPassword keeps only the kind of a parse error: its text may hold the
// address.
func withoutPassword(error) error {
	return fmt.Errorf("not a valid postgres:// address")
}
