package treedb

import (
	"context"
	"encoding/json"
	"time"

	"pasteport/adapters/bunstore/internal/db"
	"pasteport/domain/mounts/archive"
	"pasteport/ports/policy"
)

// Archives stores tickets for archives.
type Archives struct{ db *db.DB }

var _ archive.Repository = (*Archives)(nil)

// NewArchives returns the repository of tickets for archives.
func NewArchives(d *db.DB) *Archives { return &Archives{d} }

// archiveRequest is what a ticket keeps of the one who asked, and for what.
type archiveRequest struct {
	Kind        policy.Kind       `json:"kind"`
	ID          string            `json:"id"`
	Principal   string            `json:"principal"`
	Permissions policy.Permission `json:"permissions"`
	BasicPath   string            `json:"basic_path"`
	Guest       bool              `json:"guest,omitempty"`
	Name        string            `json:"name"`
	Paths       []string          `json:"paths"`
}

// Insert stores a ticket and drops those that have expired.
func (r *Archives) Insert(ctx context.Context, t *archive.Ticket, now time.Time) error {
	request, err := json.Marshal(archiveRequest{Kind: t.Who.Kind, ID: t.Who.ID, Principal: t.Who.Name, Permissions: t.Who.Permissions,
		BasicPath: t.Who.BasicPath, Guest: t.Who.Guest, Name: t.Name, Paths: t.Paths})
	if err != nil {
		return err
	}
	return r.db.Write(ctx, db.Work{Do: func(ctx context.Context, c *db.Conn) error {
		if _, err := c.Exec(ctx, "DELETE FROM archive_tickets WHERE expires_at <= ?", db.Millis(now)); err != nil {
			return err
		}
		_, err := c.Exec(ctx, "INSERT INTO archive_tickets (id, request, expires_at) VALUES (?, ?, ?)", t.ID, string(request), db.Millis(t.ExpiresAt))
		return err
	}})
}

// Get returns a ticket.
func (r *Archives) Get(ctx context.Context, id string, now time.Time) (*archive.Ticket, error) {
	t, err := ticket(ctx, r.db.Read(ctx), "SELECT request, expires_at FROM archive_tickets WHERE id = ? AND expires_at > ?", id, now)
	return t, db.Failure(err)
}

// Take returns and removes a ticket.
func (r *Archives) Take(ctx context.Context, id string, now time.Time) (t *archive.Ticket, err error) {
	err = r.db.Write(ctx, db.Work{Whole: true, Do: func(ctx context.Context, c *db.Conn) (err error) {
		t, err = ticket(ctx, c, "DELETE FROM archive_tickets WHERE id = ? AND expires_at > ? RETURNING request, expires_at", id, now)
		return err
	}})
	return t, err
}

func ticket(ctx context.Context, c *db.Conn, query, id string, now time.Time) (*archive.Ticket, error) {
	var request string
	var expires int64
	if err := c.Row(ctx, query, []any{id, db.Millis(now)}, &request, &expires); err != nil {
		return nil, err
	}
	var a archiveRequest
	if err := json.Unmarshal([]byte(request), &a); err != nil {
		return nil, err
	}
	return &archive.Ticket{ID: id, Name: a.Name, Paths: a.Paths, ExpiresAt: db.Time(expires),
		Who: policy.Principal{Kind: a.Kind, ID: a.ID, Name: a.Principal, Permissions: a.Permissions, BasicPath: a.BasicPath, Guest: a.Guest}}, nil
}
