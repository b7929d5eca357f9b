package db_test

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"pasteport/adapters/bunstore"
	"pasteport/adapters/bunstore/bunstoretest"
	"pasteport/ports/portstest"
)

// sharedTable makes a table as a library would.
func sharedTable(t *testing.T, s *bunstore.Store) *sql.DB {
	t.Helper()
	db := s.SharedDB()
	if _, err := db.Exec("CREATE TABLE guests (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, picture BYTEA, seen TIMESTAMP)"); err != nil {
		if _, err = db.Exec("CREATE TABLE guests (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, picture BLOB, seen TIMESTAMP)"); err != nil {
			t.Fatal(err)
		}
	}
	return db
}

func guests(t *testing.T, db *sql.DB) (n int) {
	t.Helper()
	if err := db.QueryRow("SELECT COUNT(*) FROM guests").Scan(&n); err != nil {
		t.Fatal(err)
	}
	return n
}

func TestSharedDBWorksLikeAnyOther(t *testing.T) {
	bunstoretest.OnBoth(t, func(t *testing.T, s *bunstore.Store) {
		db := sharedTable(t, s)
		seen := time.Date(2026, 11, 21, 8, 0, 0, 0, time.UTC)
		var name string
		err := db.QueryRow("INSERT INTO guests (id, name, picture, seen) VALUES ($1, $2, $3, $4) RETURNING name", 1, "客人", []byte{0, 255}, seen).Scan(&name)
		if err != nil || name != "客人" {
			t.Fatalf("name = %q, %v", name, err)
		}
		var picture []byte
		var at sql.NullTime
		if err := db.QueryRow("SELECT picture, seen FROM guests WHERE name = $1", "客人").Scan(&picture, &at); err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(picture, []byte{0, 255}) || !at.Time.Equal(seen) {
			t.Errorf("picture %v, seen %v", picture, at.Time)
		}
		if err := db.QueryRow("SELECT name FROM guests WHERE id = 9").Scan(&name); !errors.Is(err, sql.ErrNoRows) {
			t.Errorf("error = %v, want no rows", err)
		}
		result, err := db.Exec("UPDATE guests SET name = 'x' WHERE id IN (1, 2)")
		if err != nil {
			t.Fatal(err)
		}
		if n, err := result.RowsAffected(); n != 1 || err != nil {
			t.Errorf("%d rows, %v", n, err)
		}
	})
}

func TestSharedTransactionsCommitAndRollBack(t *testing.T) {
	bunstoretest.OnBoth(t, func(t *testing.T, s *bunstore.Store) {
		db := sharedTable(t, s)
		insert := func(tx *sql.Tx, id int) error {
			_, err := tx.Exec("INSERT INTO guests (id, name) VALUES ($1, $2)", id, fmt.Sprint(id))
			return err
		}
		for _, c := range []struct {
			end  func(*sql.Tx) error
			want int
		}{{(*sql.Tx).Rollback, 0}, {(*sql.Tx).Commit, 2}} {
			tx, err := db.BeginTx(t.Context(), nil)
			if err != nil {
				t.Fatal(err)
			}
			if err := errors.Join(insert(tx, 1), insert(tx, 2)); err != nil {
				t.Fatal(err)
			}
			var n int
			if err := tx.QueryRow("SELECT COUNT(*) FROM guests").Scan(&n); err != nil || n != 2 {
				t.Errorf("the transaction sees %d of its rows, %v", n, err)
			}
			if err := c.end(tx); err != nil {
				t.Fatal(err)
			}
			if got := guests(t, db); got != c.want {
				t.Errorf("%d rows are stored, want %d", got, c.want)
			}
		}
		tx, err := db.BeginTx(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := tx.Exec("SAVEPOINT a"); err != nil {
			t.Fatal(err)
		}
		if err := insert(tx, 1); err == nil {
			t.Error("a taken id was inserted")
		}
		if _, err := tx.Exec("ROLLBACK TO a"); err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(insert(tx, 3), tx.Commit()); err != nil {
			t.Fatal(err)
		}
		if got := guests(t, db); got != 3 {
			t.Errorf("%d rows are stored, want 3", got)
		}
		ctx, cancel := context.WithCancel(t.Context())
		if tx, err = db.BeginTx(ctx, nil); err != nil {
			t.Fatal(err)
		}
		if err := insert(tx, 4); err != nil {
			t.Fatal(err)
		}
		cancel()
		portstest.Eventually(t, func() bool { _, err := tx.Exec("SELECT 1"); return err != nil }, "the cancellation has undone it")
		if got := guests(t, db); got != 3 {
			t.Errorf("%d rows are stored after a cancelled transaction, want 3", got)
		}
	})
}

func TestUnitOfWorkAndSharedTransactionsShareTheWriter(t *testing.T) {
	s := bunstoretest.SQLite(t)
	db := sharedTable(t, s)
	var all sync.WaitGroup
	for worker := range 8 {
		all.Go(func() {
			for i := range 20 {
				id := worker*100 + i
				switch i % 4 {
				case 0:
					if _, err := db.Exec("INSERT INTO guests (id, name) VALUES ($1, $2)", id, fmt.Sprint(id)); err != nil {
						t.Error(err)
					}
				case 1:
					tx, err := db.BeginTx(t.Context(), nil)
					if err != nil {
						t.Error(err)
						continue
					}
					_, err = tx.Exec("INSERT INTO guests (id, name) VALUES ($1, $2)", id, fmt.Sprint(id))
					if err := errors.Join(err, tx.Commit()); err != nil {
						t.Error(err)
					}
				case 2:
					tx, err := db.BeginTx(t.Context(), nil)
					if err != nil {
						t.Error(err)
						continue
					}
					_, err = tx.Exec("INSERT INTO guests (id, name) VALUES ($1, $2)", id, fmt.Sprint(id))
					if err := errors.Join(err, tx.Rollback()); err != nil {
						t.Error(err)
					}
				case 3: // a library's insert in our transaction
					err := s.Do(t.Context(), func(ctx context.Context) error {
						_, err := s.Tx(ctx).ExecContext(ctx, "INSERT INTO guests (id, name) VALUES ($1, $2)", id, fmt.Sprint(id))
						return err
					})
					if err != nil {
						t.Error(err)
					}
				}
			}
		})
	}
	all.Wait()
	if got := guests(t, db); got != 8*15 {
		t.Errorf("%d rows are stored, want %d", got, 8*15)
	}
}

func TestSharedTransactionThatKeepsTheWriterWaitingIsUndone(t *testing.T) {
	s := bunstoretest.SQLite(t)
	sharedTable(t, s)
	var tx *sql.Tx
	// A busy machine may pause for as long between two statements.
	for pause := 20 * time.Millisecond; ; pause *= 5 {
		db := sql.OpenDB(s.Turns(pause))
		t.Cleanup(func() { _ = db.Close() })
		var err error
		if tx, err = db.BeginTx(t.Context(), nil); err != nil {
			t.Fatal(err)
		}
		if _, err = tx.Exec("INSERT INTO guests (id, name) VALUES (1, 'a')"); err == nil {
			break
		}
		if pause > time.Minute {
			t.Fatal(err)
		}
		_ = tx.Rollback()
	}
	if n := guests(t, s.SharedDB()); n != 0 { // waits for its turn
		t.Errorf("%d rows are stored", n)
	}
	if _, err := tx.Exec("INSERT INTO guests (id, name) VALUES (2, 'b')"); err == nil {
		t.Error("the undone transaction went on")
	}
	if err := tx.Commit(); err == nil {
		t.Error("the undone transaction was committed")
	}
}
