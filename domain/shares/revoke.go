package shares

import (
	"context"
	"errors"
	"slices"
	"time"

	"pasteport/domain/shares/internal/naming"
	"pasteport/ports"
)

// Revoke deletes a paste, whoever has made it, for a caller who has asked
// admin.shares.write. Returns NotFound for an unknown one.
func (p *Pastes) Revoke(ctx context.Context, id string) error {
	n, err := 0, error(nil)
	if naming.IsID(id) {
		n, err = p.repo.Delete(ctx, id)
		p.Forget(ctx, id)
	}
	if err == nil && n == 0 {
		return errPasteUnknown
	}
	return err
}

// Revoke is as for pastes. With object the object goes too, unless it belongs
// to a mount or to another share.
func (f *Files) Revoke(ctx context.Context, id string, object bool) error {
	if !naming.IsID(id) {
		return ErrFileUnknown
	}
	file, err := f.repo.Get(ctx, id)
	if ports.Is(err, ports.NotFound) {
		return ErrFileUnknown
	}
	if err != nil {
		return err
	}
	return f.remove(ctx, file, object)
}

// CountBy returns how many pastes an owner has, by its created_by, for a caller
// who has asked about the owner.
func (p *Pastes) CountBy(ctx context.Context, owner string) (int, error) {
	page, err := p.madeBy(ctx, owner, 1)
	return page.Total, err
}

// RevokeBy deletes all pastes of an owner, by its created_by, and returns how
// many, for a caller who has asked to change the owner. It may be repeated.
func (p *Pastes) RevokeBy(ctx context.Context, owner string) (done int, err error) {
	for {
		page, err := p.madeBy(ctx, owner, MaxBatch)
		if err != nil || len(page.Items) == 0 {
			return done, err
		}
		ids := make([]string, len(page.Items))
		for i := range page.Items {
			ids[i] = page.Items[i].ID
		}
		n, err := p.repo.Delete(ctx, ids...)
		for _, id := range ids {
			p.Forget(ctx, id)
		}
		if done += n; err != nil {
			return done, err
		}
	}
}

func (p *Pastes) madeBy(ctx context.Context, owner string, limit int) (ports.Page[Paste], error) {
	if owner == "" {
		return ports.Page[Paste]{}, errNoOwner
	}
	return p.repo.List(ctx, PasteFilter{Paging: ports.Paging{Limit: limit}, CreatedBy: owner})
}

// errNoOwner keeps an empty owner from meaning everybody.
var errNoOwner = errors.New("shares of nobody in particular")

// CountBy is as for pastes; uploads under way do not count.
func (f *Files) CountBy(ctx context.Context, owner string) (int, error) {
	page, err := f.madeBy(ctx, owner, 1)
	return page.Total, err
}

// RevokeBy is as for pastes. The objects go too, unless they lie in a mount or
// another file uses them; uploads under way are given up. An object that cannot
// be deleted is reported, and its link ends all the same.
func (f *Files) RevokeBy(ctx context.Context, owner string) (done int, err error) {
	for {
		page, err := f.madeBy(ctx, owner, MaxBatch)
		if err != nil {
			return done, err
		}
		if len(page.Items) == 0 {
			return done, f.giveUp(ctx, owner)
		}
		n, err := f.revoke(ctx, page.Items)
		if done += n; err != nil {
			return done, err
		}
	}
}

// giveUp removes the uploads of an owner that are under way.
func (f *Files) giveUp(ctx context.Context, owner string) error {
	for until, after := f.d.Clock.Now().Add(time.Second), ""; ; {
		awaited, err := f.d.FileObjects.Stale(ctx, until, after, MaxBatch)
		if err != nil || len(awaited) == 0 {
			return err
		}
		after = awaited[len(awaited)-1].ID
		mine := slices.DeleteFunc(awaited, func(file File) bool { return file.CreatedBy != owner })
		if _, err := f.revoke(ctx, mine); err != nil {
			return err
		}
	}
}

func (f *Files) revoke(ctx context.Context, files []File) (done int, err error) {
	for i := range files {
		switch err := f.remove(ctx, &files[i], true); {
		case err == nil:
			done++
		case !ports.Is(err, ports.NotFound): // somebody else was faster
			return done, err
		}
	}
	return done, nil
}

func (f *Files) madeBy(ctx context.Context, owner string, limit int) (ports.Page[File], error) {
	if owner == "" {
		return ports.Page[File]{}, errNoOwner
	}
	return f.repo.List(ctx, FileFilter{Paging: ports.Paging{Limit: limit}, CreatedBy: owner})
}
