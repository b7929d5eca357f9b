package db

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/uptrace/bun"
	"github.com/uptrace/bun/dialect/pgdialect"
)

// trialPool is one connection to a PostgreSQL database, on which nothing is ever
// committed: what was done is undone when it is closed.
func trialPool(address string) (*Pool, error) {
	config, err := pgx.ParseConfig(address)
	if err != nil {
		return nil, fmt.Errorf("database address: %w", withoutPassword(err))
	}
	config.DefaultQueryExecMode = pgx.QueryExecModeExec
	config.RuntimeParams["standard_conforming_strings"] = "on" // bun's quoting relies on it
	db := sql.OpenDB(trialConnector{stdlib.GetConnector(*config)})
	db.SetMaxOpenConns(1)
	return &Pool{DB: db, bun: bun.NewDB(db, pgdialect.New())}, nil
}

type trialConnector struct{ driver.Connector }

// Connect implements driver.Connector: the connection begins a transaction,
// which ends with it.
func (c trialConnector) Connect(ctx context.Context) (driver.Conn, error) {
	opened, err := c.Connector.Connect(ctx)
	if err != nil {
		return nil, err
	}
	conn := trialConn{opened.(*stdlib.Conn)}
	if err := conn.exec(ctx, "BEGIN"); err != nil {
		return nil, errors.Join(err, conn.Close())
	}
	return conn, nil
}

// trialConn is a connection within a transaction. A transaction on it is a part
// of that one.
type trialConn struct{ *stdlib.Conn }

func (c trialConn) exec(ctx context.Context, statement string) error {
	_, err := c.ExecContext(ctx, statement, nil)
	return err
}

// BeginTx implements driver.ConnBeginTx.
func (c trialConn) BeginTx(ctx context.Context, _ driver.TxOptions) (driver.Tx, error) {
	return c, c.exec(ctx, "SAVEPOINT trial")
}

// Commit implements driver.Tx.
func (c trialConn) Commit() error { return c.exec(context.Background(), "RELEASE SAVEPOINT trial") }

// Rollback implements driver.Tx.
func (c trialConn) Rollback() error {
	return c.exec(context.Background(), "ROLLBACK TO SAVEPOINT trial")
}

// ResetSession implements driver.SessionResetter; that of the connection would
// give up one with an open transaction.
func (c trialConn) ResetSession(context.Context) error { return nil }
