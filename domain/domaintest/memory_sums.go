package domaintest

import (
	"context"
	"maps"
	"sync"
	"time"

	"pasteport/domain/shares/collections"
)

var _ collections.Sums = (*Sums)(nil)

// Sums keeps checksums in memory. The zero value is ready.
type Sums struct {
	mu   sync.Mutex
	sums map[string]uint32
	at   map[string]time.Time
}

// Of returns those of the names that are known.
func (s *Sums) Of(_ context.Context, names []string) (map[string]uint32, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	known := map[string]uint32{}
	for _, name := range names {
		if sum, ok := s.sums[name]; ok {
			known[name] = sum
		}
	}
	return known, nil
}

// Keep stores sums and drops old ones.
func (s *Sums) Keep(_ context.Context, sums map[string]uint32, now time.Time) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.sums == nil {
		s.sums, s.at = map[string]uint32{}, map[string]time.Time{}
	}
	maps.DeleteFunc(s.sums, func(name string, _ uint32) bool { return s.at[name].Before(now.Add(-collections.SumsKept)) })
	maps.Copy(s.sums, sums)
	for name := range sums {
		s.at[name] = now
	}
	return nil
}
