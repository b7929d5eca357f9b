package bunstore_test

import (
	"testing"
	"time"

	"pasteport/adapters/bunstore"
)

func TestARefusalIsMarkedOnceAnHourForEachReason(t *testing.T) {
	onBoth(t, func(t *testing.T, s *bunstore.Store) {
		r, now := s.Refusals(), s.Clock.Now()
		for _, c := range []struct {
			id, reason string
			after      time.Duration
			told       bool
		}{{"1", "type", 0, false}, {"1", "type", time.Minute, true}, {"1", "size", time.Minute, false}, {"2", "type", time.Minute, false}, {"1", "type", time.Hour, false}, {"1", "type", time.Hour + time.Minute, true},
			// The clock goes back: by some minutes it is the same hour, by more another one.
			{"1", "type", time.Minute, true}, {"1", "type", -time.Minute, false}, {"1", "type", 0, true}, {"1", "type", time.Hour, false}} {
			at := now.Add(c.after)
			told, err := r.Told(t.Context(), c.id, c.reason, at, time.Hour)
			if err != nil || told != c.told {
				t.Errorf("%+v: told %t, %v", c, told, err)
			}
			fresh, err := r.Mark(t.Context(), c.id, c.reason, at, time.Hour)
			if err != nil || fresh == c.told {
				t.Errorf("%+v: marked %t, %v", c, fresh, err)
			}
		}
		if err := r.Sweep(t.Context(), now.Add(time.Minute)); err != nil {
			t.Fatal(err)
		}
		for id, want := range map[string]bool{"1": true, "2": false} {
			if told, err := r.Told(t.Context(), id, "type", now.Add(time.Hour), time.Hour); err != nil || told != want {
				t.Errorf("%s: %t, %v", id, told, err)
			}
		}
	})
}
