package keymutex

import (
	"context"
	"errors"
	"sync"
	"testing"
)

func TestHoldersOfOneKeyWorkOneAfterTheOther(t *testing.T) {
	var m Mutex[string]
	var wait sync.WaitGroup
	working, most, done := 0, 0, 0
	var mu sync.Mutex
	for range 50 {
		wait.Go(func() {
			unlock, err := m.Lock(t.Context(), "a")
			if err != nil {
				t.Error(err)
				return
			}
			defer unlock()
			mu.Lock()
			working++
			most = max(most, working)
			mu.Unlock()
			mu.Lock()
			working--
			done++
			mu.Unlock()
		})
	}
	wait.Wait()
	if most != 1 || done != 50 {
		t.Errorf("%d worked at once, %d in all", most, done)
	}
	if len(m.held) != 0 {
		t.Errorf("%d keys are kept that nobody holds", len(m.held))
	}
}

func TestOtherKeysDoNotWait(t *testing.T) {
	var m Mutex[string]
	first, err := m.Lock(t.Context(), "a")
	if err != nil {
		t.Fatal(err)
	}
	defer first()
	second, err := m.Lock(t.Context(), "b")
	if err != nil {
		t.Fatal(err)
	}
	second()
}

func TestWaitingEndsWithTheContext(t *testing.T) {
	var m Mutex[string]
	ctx, cancel := context.WithCancel(t.Context())
	unlock, err := m.Lock(ctx, "a")
	if err != nil {
		t.Fatal(err)
	}
	cancel()
	if _, err := m.Lock(ctx, "a"); !errors.Is(err, context.Canceled) {
		t.Errorf("a held lock: %v", err)
	}
	unlock()
	unlock, err = m.Lock(ctx, "a")
	if err != nil {
		t.Fatalf("a free lock: %v", err)
	}
	unlock()
	if len(m.held) != 0 {
		t.Errorf("%d keys are kept that nobody holds", len(m.held))
	}
}
