package domaintest

import (
	"context"
	"slices"
	"sync"
	"time"

	"pasteport/domain/mounts/archive"
	"pasteport/ports"
)

// Archives is a repository of tickets for archives in memory.
type Archives struct {
	mu      sync.Mutex
	tickets map[string]archive.Ticket
}

var _ archive.Repository = (*Archives)(nil)

// NewArchives returns an empty repository of tickets.
func NewArchives() *Archives { return &Archives{tickets: map[string]archive.Ticket{}} }

// Insert implements mounts.ArchiveRepository.
func (r *Archives) Insert(_ context.Context, t *archive.Ticket, now time.Time) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	for id, other := range r.tickets {
		if !other.ExpiresAt.After(now) {
			delete(r.tickets, id)
		}
	}
	if _, taken := r.tickets[t.ID]; taken {
		return ports.ErrConflict
	}
	kept := *t
	kept.Paths, kept.ExpiresAt = slices.Clone(t.Paths), milli(t.ExpiresAt)
	r.tickets[t.ID] = kept
	return nil
}

// Get implements mounts.ArchiveRepository.
func (r *Archives) Get(_ context.Context, id string, now time.Time) (*archive.Ticket, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	t, ok := r.tickets[id]
	if !ok || !t.ExpiresAt.After(now) {
		return nil, ports.ErrNotFound
	}
	t.Paths = slices.Clone(t.Paths)
	return &t, nil
}

// Take implements mounts.ArchiveRepository.
func (r *Archives) Take(ctx context.Context, id string, now time.Time) (*archive.Ticket, error) {
	t, err := r.Get(ctx, id, now)
	if err != nil {
		return nil, err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if _, ok := r.tickets[id]; !ok {
		return nil, ports.ErrNotFound
	}
	delete(r.tickets, id)
	return t, nil
}
