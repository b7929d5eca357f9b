package db

import (
	"database/sql/driver"
	"net"
	"sync"
	"time"

	"github.com/uptrace/bun"
)

// What the tests of this package see of its insides. They open databases with
// their repositories, and so cannot stand in it.

const (
	PoolSize   = poolSize
	MaxWaiting = maxWaiting
	Deep       = deep

	MigrationLock = migrationLock
)

var (
	ErrClosed    = errClosed
	ErrLost      = errLost
	ErrSlugTaken = errSlugTaken

	ApplyMigrations = applyMigrations
	RegisterLower   = registerLower
	DiskFull        = diskFull
)

// Bun is the pool with bun on top.
func (p *Pool) Bun() *bun.DB { return p.bun }

// Turn is held by who runs jobs of the writer.
func (d *DB) Turn() *sync.Mutex { return &d.writer.turn }

// LastBatch is how many jobs the writer's batch before had.
func (d *DB) LastBatch() *int { return &d.writer.last }

// Waiting is how many jobs wait for the writer.
func (d *DB) Waiting() int { return len(d.writer.queue) }

// WriterConn is the writer's connection.
func (d *DB) WriterConn() bun.Conn { return d.writer.raw }

// OnFullDisk replaces what makes room on a full disk.
func (d *DB) OnFullDisk(full func() bool) { d.writer.full = full }

// Subscriptions is how many subscribers hear events of other nodes.
func (d *DB) Subscriptions() int {
	d.notifier.mu.Lock()
	defer d.notifier.mu.Unlock()
	return len(d.notifier.subs)
}

// Turns is SharedDB with another longest pause.
func (d *DB) Turns(pause time.Duration) driver.Connector { return turns{d, pause} }

// NewTimedConn is a connection on which an answer comes within a time.
func NewTimedConn(c net.Conn, within time.Duration) net.Conn {
	return &timedConn{Conn: c, within: within}
}
