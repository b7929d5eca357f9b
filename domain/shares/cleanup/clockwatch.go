package cleanup

import (
	"context"
	"errors"
	"sync"
	"time"

	"pasteport/ports"
	"pasteport/ports/policy"
)

// Bounds of the watch over the clock.
const (
	clockJump   = 24 * time.Hour // more than this is no delay of a sweep
	clockKept   = time.Hour      // how often the time of the last sweep is stored
	clockSettle = time.Hour      // after a start, for the clock of a machine to be set
)

// SweepTimes remembers when the janitor swept, for all nodes.
type SweepTimes interface {
	// Last returns the time of the last sweep by the clock of its server, at most
	// an hour early. It is zero before the first.
	Last(ctx context.Context) (time.Time, error)
	// SetLast stores it.
	SetLast(ctx context.Context, now time.Time) error
	// Now tells the time of the database; zero when it has no clock but that of
	// this server.
	Now(ctx context.Context) (time.Time, error)
}

// ErrHeldBack is the error of a sweep that does not trust the server's time.
var ErrHeldBack = errors.New("held back: the time of this server is more than a day after the last sweep and nothing proves it; " +
	"set the clock, or confirm the time in the panel or with: pasteport clock confirm")

// clockWatch is what a janitor knows of a jump of the clock.
type clockWatch struct {
	mu      sync.Mutex
	swept   bool      // since the start, with a time that was trusted
	since   time.Time // of the jump, by the clock after it; zero without one
	seen    time.Time // when it was looked at before
	settles bool      // found at the start, where it may be that the server was off
}

// ClockState is what the janitor thinks of the server's time.
type ClockState struct {
	Held     bool
	Now      time.Time
	Last     time.Time // of the last sweep; zero before the first
	Database time.Time // zero when the database has no clock of its own
	// Until is when the time is taken to be right after all; zero when only a
	// confirmation ends it.
	Until time.Time
}

// Clock tells whether sweeps are held back because of the clock.
func (j *Janitor) Clock(ctx context.Context, who policy.Principal) (ClockState, error) {
	if _, err := policy.Check(ctx, j.d.Decider, who, policy.StatsRead, policy.Resource{Kind: policy.KindSystem}); err != nil {
		return ClockState{}, err
	}
	return j.LookAtClock(ctx)
}

// ConfirmClock says that the server's time is right, so that the next sweep may
// erase all that is due by it.
func (j *Janitor) ConfirmClock(ctx context.Context, who policy.Principal) error {
	if _, err := policy.Check(ctx, j.d.Decider, who, policy.SettingsWrite, policy.Resource{Kind: policy.KindSystem}); err != nil {
		return err
	}
	return TrustClock(ctx, j.records.Sweeps, j.d.Clock)
}

// TrustClock is Janitor.ConfirmClock for the operator at the machine, whom no policy
// holds back.
func TrustClock(ctx context.Context, sweeps SweepTimes, clock ports.Clock) error {
	return sweeps.SetLast(ctx, clock.Now())
}

// clock compares the server's time with the last sweep's and the database's.
func (j *Janitor) clock(ctx context.Context) (s ClockState, err error) {
	if s.Last, err = j.records.Sweeps.Last(ctx); err != nil {
		return s, err
	}
	if s.Database, err = j.records.Sweeps.Now(ctx); err != nil {
		return s, err
	}
	s.Now = j.d.Clock.Now()
	soon := s.Now.Sub(s.Last) <= clockJump
	if s.Last.IsZero() {
		soon = s.Database.IsZero()
	}
	proven := !s.Database.IsZero() && s.Now.Sub(s.Database).Abs() <= clockJump
	s.Held = !soon && !proven
	return s, nil
}

// LookAtClock is Clock for those who have shown otherwise that they may. It notes
// since when the time is in doubt and whether it settles by itself.
func (j *Janitor) LookAtClock(ctx context.Context) (s ClockState, err error) {
	if s, err = j.clock(ctx); err != nil || !s.Held {
		return s, err
	}
	w := &j.watch
	w.mu.Lock()
	defer w.mu.Unlock()
	if leapt := s.Now.Sub(w.seen).Abs() > clockJump; leapt || w.since.IsZero() {
		w.settles, w.since = w.since.IsZero() && !w.swept && s.Database.IsZero(), s.Now
	}
	w.seen = s.Now
	if w.settles {
		s.Until = w.since.Add(clockSettle)
	}
	return s, nil
}

// watchClock returns ErrHeldBack when the clock has jumped. After a start the
// server may have been off: then it waits until the clock has run on for an
// hour, in which the system may set it.
func (j *Janitor) watchClock(ctx context.Context) error {
	s, err := j.LookAtClock(ctx)
	if err != nil {
		return err
	}
	if s.Held && (s.Until.IsZero() || s.Now.Before(s.Until)) {
		return ErrHeldBack
	}
	j.watch.mu.Lock()
	j.watch.swept, j.watch.since = true, time.Time{}
	j.watch.mu.Unlock()
	if s.Held || s.Last.IsZero() || s.Now.Sub(s.Last) >= clockKept {
		return j.records.Sweeps.SetLast(ctx, s.Now)
	}
	return nil
}
