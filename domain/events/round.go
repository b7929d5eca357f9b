package events

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"pasteport/ports"
	"pasteport/ports/event"
)

// Bounds of a round. Together they bound its memory: channelsAtOnce × batch events
// of at most 64 KiB.
const (
	routed         = 500 // events taken out of the outbox at once
	batch          = 100 // deliveries read at once, for one channel
	subjectsAtOnce = 4   // messages under way to one channel
	channelsAtOnce = 8
	roundLength    = 30 * time.Second
	leaseLength    = 2 * time.Minute
)

// MaxAttempts is how often a delivery is tried before it is given up: over about
// three days.
const MaxAttempts = 14

// How long things are kept.
const (
	keepDelivered = 7 * 24 * time.Hour
	keepDead      = 30 * 24 * time.Hour
	mostWait      = 7 * 24 * time.Hour // for a channel that is away or switched off
	awayAtMost    = 10 * time.Minute   // between tries of a channel that is away
)

// pause is how long a delivery waits after so many attempts: 5 s, four times as
// long each time, at most 12 h.
func pause(attempts int) time.Duration {
	wait := 5 * time.Second
	for range attempts - 1 {
		if wait *= 4; wait >= 12*time.Hour {
			return 12 * time.Hour
		}
	}
	return wait
}

// Start ends the leases that a process before this one has left, where no other
// node can hold one, and reads what is wanted.
func (e *Events) Start(ctx context.Context, alone bool) error {
	if alone {
		if err := e.d.Channels.Unlease(ctx); err != nil {
			return ports.Wrap("free channels", err)
		}
	}
	return e.Reload(ctx)
}

// Round hands what the outbox holds to the channels and delivers what is due, for
// at most half a minute and the attempts under way. It reports whether something is
// left that could go on at once. Two rounds at the same time share the channels.
func (e *Events) Round(ctx context.Context) (more bool, err error) {
	end := time.Now().Add(roundLength)
	channels, err := e.active(ctx)
	if err != nil {
		return false, err
	}
	left, err := e.route(ctx, channels, end)
	if err != nil {
		return false, err
	}
	if err := e.d.Deliveries.Close(ctx, e.d.Clock.Now()); err != nil {
		return false, ports.Wrap("close digests", err)
	}
	var wg sync.WaitGroup
	var busy atomic.Bool
	places := make(chan struct{}, channelsAtOnce)
	for i := range channels {
		places <- struct{}{}
		wg.Go(func() {
			defer func() { <-places }()
			again, err := e.serve(ctx, &channels[i], end)
			if err != nil && ctx.Err() == nil && e.d.Report != nil {
				e.d.Report("deliver events", err)
			}
			if again {
				busy.Store(true)
			}
		})
	}
	wg.Wait()
	return left || busy.Load(), ctx.Err()
}

// route hands events to the channels that want them.
func (e *Events) route(ctx context.Context, channels []Channel, end time.Time) (left bool, err error) {
	wanted := e.wanted.Load()
	known := map[string]bool{}
	away := func(owner string) bool {
		is, asked := known[owner]
		if !asked {
			is = e.d.away(ctx, owner)
			known[owner] = is
		}
		return is
	}
	now := e.d.Clock.Now()
	to := func(n *Noted) (ways []Route) {
		for i := range channels {
			if c := &channels[i]; wanted.wants(c, n.Kind, n.Subject, n.Owner) && !away(c.Owner) {
				ways = append(ways, way(c, n.Kind, now))
			}
		}
		return ways
	}
	for {
		n, err := e.d.Deliveries.Route(ctx, routed, to, e.d.Random.ID)
		if err != nil || n < routed {
			return false, ports.Wrap("hand events to channels", err)
		}
		if time.Now().After(end) {
			return true, nil
		}
	}
}

// gathered is how long openings of a share are gathered into one message for people.
const gathered = time.Minute

// way is how an event of a kind goes to a channel.
func way(c *Channel, kind event.Kind, now time.Time) Route {
	switch {
	case c.Options.Digest != AtOnce:
		return Route{Channel: c.ID, Until: c.Options.Digest.next(now)}
	case c.Type.ForPeople() && kind == event.ShareOpened:
		return Route{Channel: c.ID, Hold: gathered}
	}
	return Route{Channel: c.ID}
}

// serve delivers what is due for a channel, while the round lasts and the channel
// takes it.
func (e *Events) serve(ctx context.Context, c *Channel, end time.Time) (more bool, err error) {
	now := e.d.Clock.Now()
	if waits, err := e.d.Deliveries.Waits(ctx, c.ID, now); err != nil || !waits {
		return false, err
	}
	if e.d.away(ctx, c.Owner) {
		return false, nil
	}
	turn, ok, err := e.d.Channels.Lease(ctx, c.ID, now, now.Add(leaseLength))
	if err != nil || !ok {
		return false, err
	}
	how := Standing{Failures: c.Failures, RetryAt: c.RetryAt}
	defer func() {
		// A lease that is not ended ends by itself.
		ctx := context.WithoutCancel(ctx)
		failed := e.d.Channels.Release(ctx, c.ID, turn, c.Version, how)
		if failed == nil && how.Stopped != "" && c.Type == Push {
			failed = e.leave(ctx, c)
		}
		if err == nil {
			err = failed
		}
	}()
	current, err := e.d.Channels.Get(ctx, c.ID) // it may have changed since the round began
	if ports.Is(err, ports.NotFound) {
		return false, nil // deleted, and what waited for it, too
	}
	if err != nil {
		return false, err
	}
	c, how = current, Standing{Failures: current.Failures, RetryAt: current.RetryAt}
	if !c.Active {
		return false, nil
	}
	to, err := e.target(ctx, c)
	if err != nil {
		how.RetryAt = now.Add(awayAtMost)
		return false, err
	}
	for {
		due, err := e.d.Deliveries.Due(ctx, c.ID, e.d.Clock.Now(), batch)
		if err != nil || len(due) == 0 {
			return false, err
		}
		tried, last := e.attempt(ctx, to, due, end)
		if ok, err := e.d.Deliveries.Settle(context.WithoutCancel(ctx), c.ID, turn, tried); err != nil || !ok {
			return false, err
		}
		how = standing(how, last, e.d.Clock.Now())
		if last.Away || last.Gone || ctx.Err() != nil {
			return false, nil
		}
		if time.Now().After(end) {
			return true, nil
		}
		if ok, err := e.d.Channels.Prolong(ctx, c.ID, turn, e.d.Clock.Now().Add(leaseLength)); err != nil || !ok {
			return false, err
		}
	}
}

// standing is how a channel stands after a batch.
func standing(before Standing, last Outcome, now time.Time) Standing {
	switch {
	case last.Gone:
		return Standing{Stopped: last.Problem}
	case last.Away:
		failures := before.Failures + 1
		wait := max(min(pause(failures), awayAtMost), min(last.RetryAfter, time.Hour))
		return Standing{Failures: failures, RetryAt: now.Add(wait)}
	}
	return Standing{}
}

// attempt sends a batch: what has one subject in its order, several subjects at
// once. It stops when the channel is away, and after the end, so that the lease
// outlives it however slow the channel is; something is always tried. It returns
// what was tried, and the outcome that says most of the channel.
func (e *Events) attempt(ctx context.Context, to Target, due []Delivery, end time.Time) (tried []Delivery, worst Outcome) {
	var order []string
	bySubject := map[string][]Delivery{}
	for _, d := range due {
		if bySubject[d.Event.Subject] == nil {
			order = append(order, d.Event.Subject)
		}
		bySubject[d.Event.Subject] = append(bySubject[d.Event.Subject], d)
	}
	var mu sync.Mutex
	var stop, begun atomic.Bool
	var wg sync.WaitGroup
	places := make(chan struct{}, subjectsAtOnce)
	for _, subject := range order {
		places <- struct{}{}
		wg.Go(func() {
			defer func() { <-places }()
			for _, d := range bySubject[subject] {
				if stop.Load() || ctx.Err() != nil || begun.Swap(true) && time.Now().After(end) {
					return
				}
				out := e.send(ctx, to, &d)
				if ctx.Err() != nil && out.Problem != "" {
					return // the server stops: that was no attempt
				}
				mu.Lock()
				tried = append(tried, d)
				if out.Away || out.Gone {
					worst = out
				}
				mu.Unlock()
				if out.Away || out.Gone {
					stop.Store(true)
				}
				if d.Status == Waiting {
					return // what comes behind it waits for it
				}
			}
		})
	}
	wg.Wait()
	return tried, worst
}

// send tries one delivery and notes how it went.
func (e *Events) send(ctx context.Context, to Target, d *Delivery) Outcome {
	out := e.d.Sender.Send(ctx, to, Message{ID: d.Event.ID, Kind: d.Event.Kind, Subject: d.Event.Subject, At: d.Event.At, Sent: e.d.Clock.Now(), Times: max(d.Times, 1), Data: d.Event.Data})
	e.count(to.Type, out)
	now := e.d.Clock.Now()
	d.Attempts++
	d.Answer, d.Problem, d.UpdatedAt = out.Status, out.Problem, now
	switch {
	case out.Problem == "":
		d.Status = Delivered
	case d.Attempts >= MaxAttempts:
		d.Status = Dead
	default:
		d.NextAt = now.Add(max(pause(d.Attempts), min(out.RetryAfter, time.Hour)))
	}
	return out
}

// Sweep removes what was told long ago, and gives up what has waited too long.
func (e *Events) Sweep(ctx context.Context, now time.Time) (int, error) {
	n, err := e.d.Deliveries.Drop(ctx, Retention{Delivered: now.Add(-keepDelivered), Dead: now.Add(-keepDead), Stale: now.Add(-mostWait)}, 5000)
	if err != nil || e.d.Watches == nil {
		return n, err
	}
	gone, err := e.d.Watches.Sweep(ctx, 5000)
	if n += gone; err != nil {
		return n, err
	}
	past, err := e.d.Endings.Sweep(ctx, now, 5000)
	return n + past, err
}
