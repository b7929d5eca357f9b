package conformance

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"sync"
	"time"
)

// Result is how a case ended.
type Result struct {
	Name     string
	Took     time.Duration
	Failures []string // empty when the promise is kept
}

// Report runs all cases, one after the other, and tells each how it ended. It
// returns how many failed, and ends early when ctx does.
func (s *Suite) Report(ctx context.Context, tell func(Result)) (failed int) {
	for _, c := range s.Cases() {
		if ctx.Err() != nil {
			return failed + 1
		}
		r := run(ctx, c)
		if len(r.Failures) > 0 {
			failed++
		}
		tell(r)
	}
	return failed
}

// run runs a case in a goroutine of its own, which Fatal ends.
func run(ctx context.Context, c Case) Result {
	ctx, cancel := context.WithCancel(ctx)
	r := &reporter{ctx: ctx, name: c.Name}
	start := time.Now()
	var wait sync.WaitGroup
	wait.Go(func() { // what Fatal ends
		defer r.recovered()
		c.Test(r)
	})
	wait.Wait()
	cancel() // as testing does before the clean-up
	for _, do := range slices.Backward(r.cleanups) {
		do()
	}
	return Result{Name: c.Name, Took: time.Since(start), Failures: r.failures}
}

// reporter is a T that keeps what failed.
type reporter struct {
	ctx  context.Context
	name string

	mu       sync.Mutex
	failures []string
	cleanups []func()
}

var _ T = (*reporter)(nil)

func (r *reporter) Helper()                  {}
func (r *reporter) Name() string             { return r.name }
func (r *reporter) Context() context.Context { return r.ctx }

func (r *reporter) Cleanup(do func()) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.cleanups = append(r.cleanups, do)
}

func (r *reporter) add(failure string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.failures = append(r.failures, failure)
}

func (r *reporter) Error(args ...any)                 { r.add(fmt.Sprint(args...)) }
func (r *reporter) Errorf(format string, args ...any) { r.add(fmt.Sprintf(format, args...)) }

func (r *reporter) Fatal(args ...any) {
	r.Error(args...)
	runtime.Goexit()
}

func (r *reporter) Fatalf(format string, args ...any) {
	r.Errorf(format, args...)
	runtime.Goexit()
}

func (r *reporter) recovered() {
	if p := recover(); p != nil {
		r.add(fmt.Sprint("panic: ", p))
	}
}
