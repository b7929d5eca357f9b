package requests

import (
	"context"
	"errors"
	"time"

	"pasteport/ports"
)

// turnLength is how long somebody who takes a content holds the file without a word.
// A process that dies at it keeps nobody out for longer; the clocks of nodes may be a
// minute apart.
const turnLength = 90 * time.Second

// turn is the work of one call at the content of a file. Of several the latest counts.
type turn struct {
	d    *Deps
	file string
	n    int64
}

var errLost = errors.New("somebody else takes the file by now")

// take notes that the content of a file is being taken. Alone returns Conflict while
// somebody else is at it who lives. The file comes back as it is then; of one that is
// stored nothing changes.
func (d *Deps) take(ctx context.Context, id string, alone bool) (*File, turn, error) {
	now := d.Clock.Now()
	f, err := d.Files.Update(ctx, id, func(f *File) error {
		switch {
		case f.State == Stored:
			return nil
		case alone && f.taken(now):
			waits := *errJoining
			waits.RetryAfter = f.TakenUntil.Sub(now)
			return &waits
		}
		f.State, f.Turn, f.TakenUntil = Joining, f.Turn+1, d.turnEnd()
		return nil
	})
	if ports.Is(err, ports.NotFound) {
		err = ErrFileUnknown.With(err)
	}
	if err != nil {
		return nil, turn{}, err
	}
	return f, turn{d, id, f.Turn}, nil
}

func (d *Deps) turnEnd() *time.Time {
	end := d.Clock.Now().Add(turnLength).UTC()
	return &end
}

// mine returns errJoining when the file has come, or somebody else is at it.
func (t turn) mine(f *File) error {
	if f.State != Joining || f.Turn != t.n {
		return errJoining.With(errLost)
	}
	return nil
}

// hold keeps the turn until stop is called. The context it returns ends when the turn
// is lost: to somebody else, or since nobody could be told for so long that it goes on.
func (t turn) hold(ctx context.Context) (_ context.Context, stop func()) {
	ctx, lose := context.WithCancelCause(ctx)
	beat, ended := time.NewTicker(t.d.beat()), make(chan struct{})
	go func() {
		defer close(ended)
		defer beat.Stop()
		for last := time.Now(); ; {
			select {
			case <-ctx.Done():
				return
			case <-beat.C:
			}
			_, err := t.d.Files.Update(ctx, t.file, func(f *File) error {
				if err := t.mine(f); err != nil {
					return err
				}
				f.TakenUntil = t.d.turnEnd()
				return nil
			})
			switch {
			case err == nil:
				last = time.Now()
			case errors.Is(err, errLost), ports.Is(err, ports.NotFound), time.Since(last) >= turnLength:
				lose(errLost)
			}
		}
	}()
	return ctx, func() {
		lose(nil)
		<-ended
	}
}

// beat is how often who takes a content says so.
func (d *Deps) beat() time.Duration {
	if d.Beat > 0 {
		return d.Beat
	}
	return turnLength / 4
}

// leave lets a file wait for another try, unless somebody else is at it.
func (t turn) leave(ctx context.Context) error {
	_, err := t.d.Files.Update(ctx, t.file, func(f *File) error {
		if t.mine(f) == nil {
			f.State, f.TakenUntil = Sending, nil
		}
		return nil
	})
	if ports.Is(err, ports.NotFound) {
		return nil
	}
	return err
}

// Start ends the turns that a process before this one has left, where no other node
// can have one.
func (q *Requests) Start(ctx context.Context, alone bool) error {
	if !alone {
		return nil
	}
	for f := (FileFilter{Unfinished: true}); ; {
		page, err := q.d.Files.List(ctx, f)
		if err != nil || len(page.Items) == 0 {
			return err
		}
		f.Offset += len(page.Items)
		for _, left := range page.Items {
			if left.TakenUntil == nil {
				continue
			}
			if err := (turn{&q.d, left.ID, left.Turn}).leave(ctx); err != nil {
				return err
			}
		}
	}
}
