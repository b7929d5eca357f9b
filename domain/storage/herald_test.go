package storage_test

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"pasteport/domain/storage"
	"pasteport/ports"
	"pasteport/ports/event"
)

// pad is an outbox that writes down what happened.
type pad struct {
	deaf  bool
	fails error
	lines []string
}

func (p *pad) Wanted(event.Event) bool { return !p.deaf }

func (p *pad) Happened(_ context.Context, e event.Event) error {
	data, err := json.Marshal(e.Data)
	p.lines = append(p.lines, string(e.Kind)+" "+e.Subject+" "+string(data))
	return errors.Join(err, p.fails)
}

func (p *pad) want(t *testing.T, h *storage.Herald, want ...string) {
	t.Helper()
	if err := h.Close(); err != nil || !slices.Equal(p.lines, want) {
		t.Errorf("%v, %q instead of %q", err, p.lines, want)
	}
}

func TestAStorageThatFailsIsToldOnceAndOnceWhenItWorksAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := roughHouse(t)
		p := &pad{}
		h := storage.NewHerald(r.repo, p, func(doing string, err error) { t.Errorf("%s: %v", doing, err) })
		r.opener.OnHealth(h.Tell)
		b := r.bucket(t, "c1")
		r.fault.Store(&ports.Error{Code: ports.Unavailable})
		for range 40 {
			if _, err := b.Stat(t.Context(), "fault"); err == nil {
				t.Fatal("no fault")
			}
		}
		if s := r.status("c1"); s.Health.State != storage.Down {
			t.Fatalf("it is %s", s.Health.State)
		}
		r.fault.Store(nil)
		for s := r.status("c1"); s.Health.State != storage.Healthy; s = r.status("c1") {
			// The clock of the bubble goes on until a call is let through.
			if _, err := b.Stat(t.Context(), "file"); err != nil {
				time.Sleep(5 * time.Second)
			}
		}
		for range 10 {
			if _, err := b.Stat(t.Context(), "file"); err != nil {
				t.Fatal(err)
			}
		}
		p.want(t, h, `storage.down storage:c1 {"id":"c1","name":"c1","state":"down"}`, `storage.up storage:c1 {"id":"c1","name":"c1","state":"ok"}`)
	})
}

func TestWhatNobodyWantsToHearOfAStorageIsNotNoted(t *testing.T) {
	house := newHouse(t, ports.SystemClock)
	house.insert(t, storage.Config{ID: "c1", Name: "disk"})
	broken := errors.New("broken")
	var reported []error
	herald := func(p *pad) *storage.Herald {
		return storage.NewHerald(house.repo, p, func(_ string, err error) { reported = append(reported, err) })
	}
	for _, c := range []struct {
		pad    *pad
		states []storage.HealthState
		config string
		want   []string
	}{
		{&pad{deaf: true}, []storage.HealthState{storage.Down}, "c1", nil},
		{&pad{}, []storage.HealthState{storage.Down}, "deleted", nil},
		{&pad{}, []storage.HealthState{storage.Healthy, storage.Unknown}, "c1", nil}, // it never failed
		{&pad{}, []storage.HealthState{storage.Refused, storage.Unknown, storage.Healthy}, "c1",
			[]string{`storage.down storage:c1 {"id":"c1","name":"disk","state":"refused"}`, `storage.up storage:c1 {"id":"c1","name":"disk","state":"unknown"}`}},
	} {
		h := herald(c.pad)
		for _, state := range c.states {
			h.Tell(c.config, storage.Health{State: state})
		}
		c.pad.want(t, h, c.want...)
	}
	if len(reported) > 0 {
		t.Errorf("reported: %v", reported)
	}
	p := &pad{fails: broken}
	h := herald(p)
	h.Tell("c1", storage.Health{State: storage.Down})
	if err := h.Close(); err != nil || len(reported) != 1 || !errors.Is(reported[0], broken) {
		t.Errorf("%v, %v", err, reported)
	}
	h.Tell("c1", storage.Health{State: storage.Healthy})
	if len(p.lines) != 1 {
		t.Errorf("told after its end: %q", p.lines)
	}
}
