package admindb_test

import (
	"context"
	"fmt"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"pasteport/adapters/bunstore"
	"pasteport/adapters/bunstore/bunstoretest"
	"pasteport/ports"
	"pasteport/ports/portstest"
)

func TestFailedGuessesHoldAfterARestart(t *testing.T) {
	path, clock := filepath.Join(t.TempDir(), "test.db"), portstest.NewClock()
	l := ports.GuessLimit{Subject: "x", Max: 1, Window: time.Hour}
	s := bunstoretest.Open(t, path, clock)
	if err := s.Guesses().Fail(t.Context(), l); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	wait, err := bunstoretest.Open(t, path, clock).Guesses().Check(t.Context(), l)
	if err != nil || wait != time.Minute {
		t.Errorf("wait = %v, %v, want a minute", wait, err)
	}
}

func TestSweepingForgetsNoLiveCount(t *testing.T) {
	s := bunstoretest.SQLite(t)
	limit := func(n int) ports.GuessLimit {
		return ports.GuessLimit{Subject: fmt.Sprint(n), Max: 1, Window: time.Hour}
	}
	var wg sync.WaitGroup
	for worker := range 4 {
		wg.Go(func() {
			for n := range 50 {
				if err := s.Guesses().Fail(t.Context(), limit(worker*50+n)); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Go(func() {
		for range 50 {
			if _, err := s.Guesses().DeleteExpired(t.Context(), portstest.Start); err != nil {
				t.Error(err)
			}
		}
	})
	wg.Wait()
	canceled, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := s.Guesses().DeleteExpired(canceled, portstest.Start); err == nil {
		t.Error("a sweep without a context went through")
	}
	for n := range 200 {
		if wait, err := s.Guesses().Check(t.Context(), limit(n)); err != nil || wait != time.Minute {
			t.Errorf("subject %d: wait = %v, %v, want a minute", n, wait, err)
		}
	}
	if _, err := s.Guesses().DeleteExpired(t.Context(), portstest.Start.Add(time.Hour)); err != nil {
		t.Fatal(err)
	}
	if n := s.Guesses().Remembered(); n != 0 {
		t.Errorf("%d subjects are remembered after the end of all windows", n)
	}
}

func TestExpiredCountsAndAnswersAreSwept(t *testing.T) {
	bunstoretest.OnBoth(t, func(t *testing.T, s *bunstore.Store) {
		l := ports.GuessLimit{Subject: "x", Max: 1, Window: 1e9}
		if err := s.Guesses().Fail(t.Context(), l); err != nil {
			t.Fatal(err)
		}
		if _, err := s.Idempotency().Begin(t.Context(), ports.IdempotentCall{Key: "k"}, portstest.Start); err != nil {
			t.Fatal(err)
		}
		for _, later := range []bool{false, true} {
			now, want := portstest.Start, 0
			if later {
				now, want = portstest.Start.Add(ports.IdempotencyKept), 1
			}
			if n, err := s.Guesses().DeleteExpired(t.Context(), now); n != want || err != nil {
				t.Errorf("counts swept = %d, %v, want %d", n, err, want)
			}
			if n, err := s.Idempotency().DeleteExpired(t.Context(), now); n != want || err != nil {
				t.Errorf("answers swept = %d, %v, want %d", n, err, want)
			}
		}
	})
}

func BenchmarkGuessCheckOfTheInnocent(b *testing.B) {
	r := bunstoretest.SQLite(b).Guesses()
	l := ports.GuessLimit{Subject: "share|x|203.0.113.7", Max: 10, Window: time.Hour}
	for b.Loop() {
		if _, err := r.Check(b.Context(), l, l); err != nil {
			b.Fatal(err)
		}
	}
}
