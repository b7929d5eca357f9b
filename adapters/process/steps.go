package process

import (
	"log/slog"
	"time"
)

// Steps measures what a start waits for, part by part.
type Steps struct {
	begun, last time.Time
	parts       []any
	used        time.Duration
}

// NewSteps begins with the first part.
func NewSteps() *Steps {
	now := time.Now()
	return &Steps{begun: now, last: now, used: processorTime()}
}

// Done ends a part and begins the next.
func (s *Steps) Done(part string) {
	now := time.Now()
	s.parts, s.last = append(s.parts, slog.Duration(part, now.Sub(s.last))), now
}

// Tell logs one line, at the level debug.
func (s *Steps) Tell(log *slog.Logger) {
	log.Debug("started", append(s.parts, "took", time.Since(s.begun), "processor", processorTime()-s.used)...)
}
