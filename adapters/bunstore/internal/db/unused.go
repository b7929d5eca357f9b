package db

import (
	"context"
	"sync/atomic"
)

// Unused knows of a table that nothing was stored in since the start, which spares
// its readers a query. It knows so of SQLite alone, whose file one process has. It
// is safe for concurrent use.
type Unused struct {
	anything string // the query that finds whether something is in the table
	state    atomic.Int32
}

// The states of a table. One that is in use stays so until the next start.
const (
	unknownUse int32 = iota
	neverUsed
	inUse
)

// Unused returns what is known of a table; whoever stores into it says so by Use.
func (d *DB) Unused(table string) *Unused {
	known, _ := d.unused.LoadOrStore(table, &Unused{anything: "SELECT EXISTS (SELECT 1 FROM " + table + ")"})
	return known.(*Unused)
}

// Is reports whether the table is known to be empty.
func (u *Unused) Is(ctx context.Context, c *Conn) (bool, error) {
	if state := u.state.Load(); !c.SQLite || state != unknownUse {
		return c.SQLite && state == neverUsed, nil
	}
	var any bool
	if err := c.Row(c.Brief(ctx), u.anything, nil, &any); err != nil {
		return false, err
	}
	if any {
		u.Use()
	}
	u.state.CompareAndSwap(unknownUse, neverUsed)
	return u.state.Load() == neverUsed, nil
}

// Use says that something is about to be stored; before the transaction, so that
// nobody who can see it holds the table for empty.
func (u *Unused) Use() { u.state.Store(inUse) }
