package domaintest

import (
	"context"
	"sync"
	"time"
)

// Sweeps is a memory of when the janitor swept.
type Sweeps struct {
	mu   sync.Mutex
	last time.Time
	// Clock is the time of the database; nil when it has none of its own.
	Clock func() time.Time
}

// Sweeps returns the memory of when the janitor swept.
func (m *Memory) Sweeps() *Sweeps { return &m.sweeps }

// Last implements cleanup.SweepTimes.
func (s *Sweeps) Last(context.Context) (time.Time, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.last, nil
}

// SetLast implements cleanup.SweepTimes.
func (s *Sweeps) SetLast(_ context.Context, now time.Time) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.last = now
	return nil
}

// Now implements cleanup.SweepTimes.
func (s *Sweeps) Now(context.Context) (time.Time, error) {
	if s.Clock == nil {
		return time.Time{}, nil
	}
	return s.Clock(), nil
}
