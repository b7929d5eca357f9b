package bunstore

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"pasteport/ports"
	"pasteport/ports/portstest"
)

func TestFailedGuessesHoldAfterARestart(t *testing.T) {
	path, clock := filepath.Join(t.TempDir(), "test.db"), portstest.NewClock()
	l := ports.GuessLimit{Subject: "x", Max: 1, Window: time.Hour}
	s := openStore(t, path, clock)
	if err := s.Guesses().Fail(t.Context(), l); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	wait, err := openStore(t, path, clock).Guesses().Check(t.Context(), l)
	if err != nil || wait != time.Minute {
		t.Errorf("wait = %v, %v, want a minute", wait, err)
	}
}

func TestSweepingForgetsNoLiveCount(t *testing.T) {
	s := openSQLiteTest(t)
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
	if n := len(s.suspects.now) + len(s.suspects.old); n != 0 {
		t.Errorf("%d subjects are remembered after the end of all windows", n)
	}
}

func TestDatabaseIsItsOwnersOnly(t *testing.T) {
	path := filepath.Join(t.TempDir(), "test.db")
	s := openStore(t, path, portstest.NewClock())
	if err := s.Pastes().Insert(t.Context(), paste("a")); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{path, path + "-wal", path + "-shm", path + ".lock"} {
		info, err := os.Stat(name)
		if err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%s: %v, %v, want 0600", name, info.Mode(), err)
		}
	}
}

func BenchmarkGuessCheckOfTheInnocent(b *testing.B) {
	r := openSQLiteTest(b).Guesses()
	l := ports.GuessLimit{Subject: "share|x|203.0.113.7", Max: 10, Window: time.Hour}
	for b.Loop() {
		if _, err := r.Check(b.Context(), l, l); err != nil {
			b.Fatal(err)
		}
	}
}
