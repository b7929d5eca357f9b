package opa

import (
	"context"
	"testing"
	"testing/synctest"
	"time"
)

func TestDeadlineStopsAnEvaluationThatMovesAllTheTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		l := newDeadline(t.Context(), 50*time.Millisecond)
		defer l.release()
		for !l.Cancelled() {
			time.Sleep(time.Millisecond)
		}
		if took := time.Since(start); took < 50*time.Millisecond || took > 55*time.Millisecond {
			t.Errorf("stopped after %s, want 50 ms", took)
		}
	})
}

func TestDeadlineDoesNotCountTimeWithoutAProcessor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newDeadline(t.Context(), 50*time.Millisecond)
		defer l.release()
		for range 5 {
			if l.Cancelled() {
				t.Fatal("stopped too early")
			}
			time.Sleep(100 * time.Millisecond) // somebody else has the processor
		}
		if l.Cancelled() {
			t.Error("stopped because others were at work")
		}
	})
}

func TestDeadlineComesAtTheLatestAfterTwentyTimesItsLength(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newDeadline(t.Context(), 50*time.Millisecond)
		defer l.release()
		time.Sleep(1001 * time.Millisecond)
		if !l.Cancelled() {
			t.Error("still going on")
		}
	})
}

func TestDeadlineStopsWhenTheCallerGoes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		l := newDeadline(ctx, time.Hour)
		defer l.release()
		cancel()
		synctest.Wait()
		if !l.Cancelled() {
			t.Error("still going on")
		}
	})
}

func TestReleasedDeadlineEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newDeadline(t.Context(), 50*time.Millisecond)
		l.release()
		time.Sleep(2 * time.Second)
		if l.Cancelled() || l.passed.Load() != 0 {
			t.Errorf("counted %d slices after its end", l.passed.Load())
		}
	})
}
