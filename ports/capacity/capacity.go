// Package capacity is the vocabulary of the one ledger that counts what storages
// hold and what keys have uploaded: a claim is made before bytes are written and
// settled when they are stored. domain/storage keeps the ledger.
package capacity

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"time"

	"pasteport/ports"
)

// Step is how much is claimed at once for a body of unknown length, in bytes.
const Step = 4 << 20

// Claim is the place of something that is about to be stored.
type Claim struct {
	// ID names the reservation: the id of a file share or an upload, or a fresh
	// one. A second claim of the same ID raises the first.
	ID       string
	ConfigID string // of the storage
	Capacity int64  // of the storage, in bytes; 0 means no bound
	Size     int64  // bytes
	Old      int64  // bytes of what it takes the place of
	// Instead are reservations that end where this one is made by ReserveWith.
	Instead []string
	// Owner is the created_by of who uploads; empty: it counts for nobody.
	Owner  string
	Limits Limits // of the owner
	// Noted keeps a reservation even where nothing bounds the claim, for bytes
	// that clients send to storage themselves: it remembers whose they are.
	Noted bool
	// Arrived says, of what is settled, that it lies in storage already. Without
	// a reservation it may have been counted before.
	Arrived bool
	// Kept is how long the reservation stands unless it is settled or released;
	// 0 means DefaultKept.
	Kept time.Duration
}

// DefaultKept outlives every body that flows through this server.
const DefaultKept = 24 * time.Hour

// Bound reports whether anything bounds the claim, so that it has to be
// reserved.
func (c *Claim) Bound() bool {
	return c.Noted || c.Capacity > 0 || c.Owner != "" && (c.Limits.BytesDay > 0 || c.Limits.FilesDay > 0)
}

// Limits are quotas of one owner; 0 means none. Days are those of UTC.
type Limits struct {
	BytesDay    int64
	FilesDay    int64
	BytesStored int64 // of its file shares; kept by who stores their records
}

// IDOf is the reservation of the one object that can lie under a key.
func IDOf(configID, key string) string {
	sum := sha256.Sum256([]byte(configID + "\x00" + key))
	return "key:" + base64.RawURLEncoding.EncodeToString(sum[:])
}

// Full is the refusal of size bytes where used of total are taken.
func Full(size, used, total int64) error {
	return &ports.Error{Code: ports.Quota, Key: "quota_exceeded", Params: map[string]any{
		"size": max(size, 0), "used": used, "limit": total, "rest": max(total-used, 0), "total": total,
	}}
}

// The quotas of an owner, by the names of the texts that refuse.
const (
	BytesDay    = "quota_bytes_day"
	FilesDay    = "quota_files_day"
	BytesStored = "quota_bytes_stored"
)

// Spent is the refusal of size more where used of limit are taken; quota is one
// of the names above.
func Spent(quota string, size, used, limit int64) error {
	return &ports.Error{Code: ports.Quota, Key: "quota_exceeded", Text: quota, Reason: quota, Params: map[string]any{
		"size": max(size, 0), "used": used, "limit": limit, "rest": max(limit-used, 0), "total": limit,
	}}
}

// Adder raises claims by what has come.
type Adder interface {
	Add(ctx context.Context, c Claim) error
}

// Taker claims what arrives of a body of unknown length, in steps, before it is
// passed on. It belongs to one body.
type Taker struct {
	ledger Adder
	claim  Claim
	have   int64 // bytes that are claimed
}

// NewTaker returns a Taker for a claim whose Size is reserved already.
func NewTaker(ledger Adder, claim Claim) *Taker {
	return &Taker{ledger: ledger, claim: claim, have: claim.Size}
}

// Take says that n bytes have come in all. Returns Quota when there is no room
// for them. Near the end of the room the steps are small.
func (t *Taker) Take(ctx context.Context, n int64) error {
	var err error
	for _, step := range []int64{Step, Step / 32, 0} {
		if n <= t.have {
			return nil
		}
		c := t.claim
		c.Size = max(step, n-t.have)
		if err = t.ledger.Add(ctx, c); err == nil {
			t.have += c.Size
			return nil
		}
		if !ports.Is(err, ports.Quota) {
			return err
		}
	}
	return err
}
