package uploads

import (
	"context"
	"errors"
	"fmt"

	"pasteport/ports"
	"pasteport/ports/upload"
)

// sweptAtOnce is how many sessions a sweep reads at once.
const sweptAtOnce = 1000

// Sweep implements upload.Sessions, and forgets the finished sessions. What a
// storage refuses stays for the next time, for another week. It returns how many
// it gave up; it may run on two nodes at once.
func (u *Sessions) Sweep(ctx context.Context) (int, error) {
	dropped := 0
	var errs []error
	now := u.d.Clock.Now()
	f := Filter{Unfinished: true, Before: now.Add(-upload.Kept)}
	for f.Limit = sweptAtOnce; ; {
		page, err := u.d.Sessions.List(ctx, f)
		if err != nil {
			return dropped, errors.Join(append(errs, err)...)
		}
		for i := range page.Items {
			s := &page.Items[i]
			if err := u.drop(ctx, s, now.Sub(s.CreatedAt) >= upload.Kept+retryFor); err != nil {
				errs = append(errs, fmt.Errorf("upload %s: %w", s.ID, err))
				f.Offset++ // the others take its place
				continue
			}
			dropped++
		}
		if len(page.Items) < sweptAtOnce {
			break
		}
	}
	return dropped, errors.Join(append(errs, u.forgetFinished(ctx))...)
}

// drop gives a session up, and tells what it was for. After enough tries the
// storage is no longer waited for.
func (u *Sessions) drop(ctx context.Context, s *upload.Session, tried bool) error {
	b, err := u.d.Buckets.Bucket(ctx, s.StorageConfigID)
	if err == nil {
		err = abort(ctx, b, s)
	}
	if err != nil && !tried && !ports.Is(err, ports.NotFound) { // of a config that is gone nobody can be asked
		return err
	}
	if d := u.destinations[s.For]; d != nil {
		if err := d.Dropped(ctx, s); err != nil {
			return err
		}
	}
	return u.forget(ctx, s)
}

func (u *Sessions) forgetFinished(ctx context.Context) error {
	for {
		page, err := u.d.Sessions.List(ctx, Filter{Finished: true, Before: u.d.Clock.Now().Add(-upload.AnswerKept)})
		if err != nil || len(page.Items) == 0 {
			return err
		}
		ids := make([]string, len(page.Items))
		for i := range page.Items {
			ids[i] = page.Items[i].ID
		}
		if _, err := u.d.Sessions.Delete(ctx, ids...); err != nil {
			return err
		}
	}
}
