package yield

import (
	"context"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

func TestRestsLeaveATwentiethOfTheProcessors(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, c := range []struct {
			worked     time.Duration
			processors int
			want       time.Duration
		}{
			{time.Millisecond, 1, 19 * time.Millisecond}, {time.Millisecond, 2, 9 * time.Millisecond}, {time.Millisecond, 32, 0}, {time.Minute, 2, most},
		} {
			if got := new(line).join(c.worked, c.processors); got != c.want {
				t.Errorf("after %v beside %d processors: %v, want %v", c.worked, c.processors, got, c.want)
			}
		}
		l := new(line)
		l.join(time.Millisecond, 2)
		if got := l.join(time.Millisecond, 2); got != 18*time.Millisecond {
			t.Errorf("the second in the line rests for %v, want until the first has rested and then as long", got)
		}
		time.Sleep(time.Minute)
		if got := l.join(time.Millisecond, 2); got != 9*time.Millisecond {
			t.Errorf("with nobody in the line: %v", got)
		}
	})
}

func TestARestEndsWithItsContext(t *testing.T) {
	ctx, end := context.WithCancel(t.Context())
	end()
	Rest(ctx, time.Hour)
	all = line{}
}

// In a bubble of synctest time stands still while anybody works: nobody waits.
func TestWhereNobodyWaitsThereIsNoRest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		After(t.Context(), time.Second)
		turn := Begin()
		time.Sleep(2 * length)
		over := time.Now()
		turn.Pass(t.Context())
		if time.Since(over) != 0 || turn.began != over {
			t.Errorf("rested for %v; the next turn began %v after the one before", time.Since(over), turn.began.Sub(over))
		}
		turn.Pass(t.Context())
		if turn.began != over {
			t.Error("a turn that had just begun began anew")
		}
	})
}

// BenchmarkWorkBesideRequests tells which part of the processors work takes that
// passes, while more requests than processors want them.
func BenchmarkWorkBesideRequests(b *testing.B) {
	var worked, answered atomic.Int64
	spin := func(n int) (sum int) {
		for i := range n {
			sum += i * i
		}
		return sum
	}
	ctx, end := context.WithCancel(b.Context())
	var all sync.WaitGroup
	for range 2 {
		all.Go(func() {
			for turn := Begin(); ctx.Err() == nil; turn.Pass(ctx) {
				spin(2000)
				worked.Add(1)
			}
		})
	}
	var requests sync.WaitGroup
	for range 64 * runtime.GOMAXPROCS(0) {
		requests.Go(func() {
			for answered.Add(1) < int64(b.N) {
				spin(2000 * 20)
				runtime.Gosched()
			}
		})
	}
	requests.Wait()
	end()
	all.Wait()
	b.ReportMetric(100*float64(worked.Load())/float64(worked.Load()+20*answered.Load()), "%-of-processors")
}
