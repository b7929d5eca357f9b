package audit

import (
	"context"
	"sync"
	"time"

	"pasteport/ports"
)

// Bounds of a stream.
const (
	sentAtOnce  = 200              // entries that a sink gets in one call
	lookEvery   = 2 * time.Second  // for entries that another process of this node has written
	firstPause  = time.Second      // after a failure, doubled each time
	longestWait = 30 * time.Second // between two tries
)

// Sink takes entries elsewhere. It is used by one goroutine.
type Sink interface {
	// Name is what people call it, such as "syslog". It stays the same.
	Name() string
	// Send hands entries over in their order. When it fails, some may have arrived.
	Send(ctx context.Context, entries []Entry) error
	// Arrived returns the number of the last entry that is known to have arrived, 0
	// for none since the sink was opened. Returns an error when what was sent after
	// it may be lost and has to be sent again.
	Arrived() (int64, error)
	// Again is how many of the entries that count as arrived are sent once more after
	// a failure, because the other side may not have read them.
	Again() int64
	// Close gives up what the sink holds; Send opens it anew.
	Close() error
}

// Places keeps how far this node's chain was sent, by the names of sinks.
type Places interface {
	// Place returns the number of the last entry that arrived; false before the
	// first.
	Place(sink string) (int64, bool, error)
	SetPlace(sink string, seq int64) error
}

// StreamState is how a stream does.
type StreamState struct {
	Sink    string
	Sent    int64     // number of the last entry that arrived
	Failing time.Time // since when it fails; zero when it does not
	Problem string    // what the sink said last
	Lost    int64     // entries that retention removed before they arrived
}

// Stream sends the chain of this node to a sink: every entry that was committed,
// in order, at least once. What is asked of it waits for nobody: it reads the
// entries from where they are kept, from the place at which it was, so that a sink
// that was away gets what it missed.
type Stream struct {
	audit  *Audit
	sink   Sink
	places Places
	report func(doing string, err error)
	wake   chan struct{}

	mu    sync.Mutex
	state StreamState
	upTo  time.Time // when the last entry that arrived was written; zero for none
}

// Stream returns a stream to a sink. Call it before entries are added, and Run once.
// report hears when the sink begins to fail.
func (a *Audit) Stream(sink Sink, places Places, report func(doing string, err error)) *Stream {
	s := &Stream{audit: a, sink: sink, places: places, report: report, wake: make(chan struct{}, 1), state: StreamState{Sink: sink.Name()}}
	a.streams = append(a.streams, s)
	return s
}

// Streams tells how the streams of this node do.
func (a *Audit) Streams() []StreamState {
	states := make([]StreamState, len(a.streams))
	for i, s := range a.streams {
		s.mu.Lock()
		states[i] = s.state
		s.mu.Unlock()
	}
	return states
}

// Unsent counts the entries of this node that have not arrived at each sink. It
// asks no policy.
func (a *Audit) Unsent(ctx context.Context) (map[string]int64, error) {
	end, err := a.own(ctx)
	unsent := map[string]int64{}
	for _, s := range a.Streams() {
		unsent[s.Sink] = max(0, end.Seq-s.Sent)
	}
	return unsent, err
}

// own is the head of this node's chain.
func (a *Audit) own(ctx context.Context) (Head, error) {
	heads, err := a.d.Repository.Heads(ctx)
	for _, h := range heads {
		if h.Chain == a.d.Chain {
			return h, err
		}
	}
	return Head{Chain: a.d.Chain}, err
}

// added lets the streams look.
func (a *Audit) added() {
	for _, s := range a.streams {
		select {
		case s.wake <- struct{}{}:
		default:
		}
	}
}

// keepsFrom bounds a time from which on entries may be removed, so that none goes
// before it arrived.
func (a *Audit) keepsFrom(before time.Time) time.Time {
	for _, s := range a.streams {
		s.mu.Lock()
		if s.upTo.Before(before) {
			before = s.upTo
		}
		s.mu.Unlock()
	}
	return before
}

// Run sends until ctx ends. What had not arrived then is sent after the next start.
func (s *Stream) Run(ctx context.Context) {
	at, pause := int64(0), firstPause
	begun, again := false, int64(0)
	for ctx.Err() == nil {
		var err error
		if !begun {
			at, err = s.begin(ctx, again)
			begun = err == nil
		}
		more := false
		if err == nil {
			at, more, err = s.round(ctx, at)
		}
		if err != nil && ctx.Err() == nil {
			s.fails(err)
			_ = s.sink.Close() // it has failed; its next Send opens it anew
			begun, again = false, s.sink.Again()
			wait(ctx, nil, pause)
			pause = min(2*pause, longestWait)
			continue
		}
		pause = firstPause
		if !more {
			wait(ctx, s.wake, lookEvery)
		}
	}
	if _, err := s.settle(); err != nil {
		s.report("keep the place of the audit stream to "+s.sink.Name(), err)
	}
	if err := s.sink.Close(); err != nil {
		s.report("close the audit stream to "+s.sink.Name(), err)
	}
}

func wait(ctx context.Context, wake <-chan struct{}, most time.Duration) {
	timer := time.NewTimer(most)
	defer timer.Stop()
	select {
	case <-ctx.Done():
	case <-wake:
	case <-timer.C:
	}
}

// begin finds out behind which entry to go on, so many before the place that was kept. Entries that are not kept any more
// are counted as lost.
func (s *Stream) begin(ctx context.Context, again int64) (int64, error) {
	at, known, err := s.places.Place(s.sink.Name())
	if err != nil {
		return 0, ports.Wrap("read the place of the audit stream", err)
	}
	head, err := s.audit.own(ctx)
	if err != nil {
		return 0, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if at < head.BaseSeq {
		if known {
			s.state.Lost += head.BaseSeq - at
		}
		at = head.BaseSeq
	}
	s.state.Sent = at
	if at >= head.Seq {
		s.upTo = s.audit.d.Clock.Now()
	}
	return max(at-again, head.BaseSeq), nil
}

// round sends what comes next and keeps what has arrived.
func (s *Stream) round(ctx context.Context, at int64) (now int64, more bool, err error) {
	var entries []Entry
	err = s.audit.d.Repository.Walk(ctx, s.audit.d.Chain, at, sentAtOnce, func(e Entry) error {
		entries = append(entries, e)
		return nil
	})
	if err != nil {
		return at, false, err
	}
	if len(entries) > 0 {
		if err := s.sink.Send(ctx, entries); err != nil {
			return at, false, err
		}
		at = entries[len(entries)-1].Seq
	}
	arrived, err := s.settle()
	if err != nil {
		return at, false, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if arrived >= at && len(entries) < sentAtOnce {
		s.upTo = s.audit.d.Clock.Now()
	} else if len(entries) > 0 {
		s.upTo = entries[0].At
	}
	s.state.Failing, s.state.Problem = time.Time{}, ""
	return at, len(entries) == sentAtOnce, nil
}

// settle keeps how far entries have arrived.
func (s *Stream) settle() (int64, error) {
	arrived, err := s.sink.Arrived()
	s.mu.Lock()
	was := s.state.Sent
	s.state.Sent = max(was, arrived)
	s.mu.Unlock()
	if arrived > was {
		if e := s.places.SetPlace(s.sink.Name(), arrived); e != nil && err == nil {
			err = e
		}
	}
	return max(was, arrived), err
}

// fails notes why, and tells when it begins.
func (s *Stream) fails(err error) {
	s.mu.Lock()
	first := s.state.Failing.IsZero()
	if first {
		s.state.Failing = s.audit.d.Clock.Now()
	}
	s.state.Problem = err.Error()
	s.mu.Unlock()
	if first {
		s.report("send the audit log to "+s.sink.Name()+"; it goes on when that is back", err)
	}
}
