// Package checkup measures for the doctor what it judges: how the database does,
// each storage in its test, and the channels for notifications.
package checkup

import (
	"cmp"
	"context"
	"net/http"
	"strings"
	"sync"
	"time"

	"pasteport/domain/doctor"
	"pasteport/domain/events"
	"pasteport/domain/shares/cleanup"
	"pasteport/domain/storage"
	"pasteport/ports"
)

// Store is an open database.
type Store interface {
	Ping(ctx context.Context) error
	// CheckSchema returns an error when its tables are not those of this version.
	CheckSchema(ctx context.Context) error
}

// Database implements doctor.Database.
type Database struct {
	Store
	// Note stores something small under a name.
	Note func(ctx context.Context, name string, value []byte) error
	// Time is that of the database, zero where it has no clock of its own.
	Time  func(ctx context.Context) (time.Time, error)
	Clock ports.Clock
}

var _ doctor.Database = Database{}

// Newest implements doctor.Database.
func (d Database) Newest(ctx context.Context) error { return d.CheckSchema(ctx) }

// Write implements doctor.Database.
func (d Database) Write(ctx context.Context) error {
	return d.Note(ctx, "doctor", []byte(d.Clock.Now().UTC().Format(time.RFC3339)))
}

// Now implements doctor.Database.
func (d Database) Now(ctx context.Context) (time.Time, error) { return d.Time(ctx) }

// Storages tests storage configs.
type Storages struct {
	List    storage.ConfigRepository
	Configs *storage.Configs
	Address string              // of the public server; empty when none is configured
	Own     func() ports.Prober // answers requests to this server without the network
	Prober  ports.Prober
	Clock   ports.Clock
}

// testsAtOnce bounds the storages that are tested at the same time.
const testsAtOnce = 4

// Look tests all of them.
func (s Storages) Look(ctx context.Context) ([]doctor.StorageState, error) {
	all, err := s.List.List(ctx, storage.ConfigFilter{})
	if err != nil {
		return nil, err
	}
	states := make([]doctor.StorageState, len(all.Items))
	turns, done := make(chan struct{}, testsAtOnce), sync.WaitGroup{}
	for i := range all.Items {
		done.Go(func() {
			turns <- struct{}{}
			defer func() { <-turns }()
			states[i] = s.test(ctx, &all.Items[i])
		})
	}
	done.Wait()
	return states, nil
}

func (s Storages) test(ctx context.Context, c *storage.Config) doctor.StorageState {
	report := s.Configs.Examine(ctx, c, storage.Page{Origin: cmp.Or(originOf(s.Address), "http://localhost"), SameOrigin: true, Own: s.Own()})
	out := doctor.StorageState{Name: c.Name, Failed: report.Verdict() == storage.Unusable}
	for _, step := range report.Steps {
		// Whom the storage lets in from browsers is known with the address of pages.
		if step.OK() || s.Address == "" && (step.Name == storage.StepCORS || step.Name == storage.StepBrowser) {
			continue
		}
		out.Partial = true
		out.Cause, out.Remedy, out.Params, out.Messages, out.Detail = step.Cause, step.Remedy, step.Params, step.Messages, step.Detail
		break
	}
	if c.EndpointURL == "" {
		return out
	}
	answer, err := s.Prober.Probe(ctx, ports.Probe{Method: http.MethodHead, URL: c.EndpointURL})
	if err != nil {
		return out
	}
	if now, err := http.ParseTime(answer.Header.Get("Date")); err == nil {
		out.Skew, out.Timed = now.Sub(s.Clock.Now()), true
	}
	return out
}

// originOf is the scheme and host of an address, "" for none.
func originOf(address string) string {
	scheme, rest, found := strings.Cut(address, "://")
	if !found {
		return ""
	}
	host, _, _ := strings.Cut(rest, "/")
	return scheme + "://" + host
}

// Channels tells how the site's channels for notifications do. Those of accounts
// are theirs, and what a person has switched off fails nobody.
func Channels(e *events.Events) func(ctx context.Context) ([]doctor.ChannelState, error) {
	return func(ctx context.Context) (out []doctor.ChannelState, err error) {
		all, _, err := e.Standing(ctx)
		for _, c := range all {
			if !c.Own && (c.Active || c.Stopped != "") {
				out = append(out, doctor.ChannelState{Name: c.Name, Stopped: c.Stopped != "", Failures: c.Failures, Dead: c.Dead})
			}
		}
		return out, err
	}
}

// Sweeps tells what the times of a janitor's sweeps say of the clock.
func Sweeps(j *cleanup.Janitor) func(ctx context.Context) (doctor.SweepState, error) {
	return func(ctx context.Context) (doctor.SweepState, error) {
		state, err := j.LookAtClock(ctx)
		return doctor.SweepState{Last: state.Last, Held: state.Held}, err
	}
}
