package shares

import (
	"context"
	"slices"
	"time"

	"pasteport/domain/shares/internal/naming"
	"pasteport/ports"
	"pasteport/ports/policy"
)

// CollectionChange is an update of a collection. What is not set stays.
type CollectionChange struct {
	Title     Field[string]
	Slug      Field[string] // empty keeps the old one
	ExpiresAt Field[*time.Time]
	MaxViews  Field[int64]  // setting it starts the count anew
	Password  Field[string] // empty removes it
}

// Update changes a collection, but for its items. It asks file.update.
//
// Returns Invalid for bad input, NotFound for an unknown collection or one of
// others, Conflict when the slug is taken.
func (c *Collections) Update(ctx context.Context, who policy.Principal, id string, in CollectionChange) (*Collection, []File, error) {
	now := c.d.Clock.Now()
	old, obligations, err := c.own(ctx, who, policy.FileUpdate, id)
	if err != nil {
		return nil, nil, err
	}
	if in.Slug.Value == old.Slug {
		in.Slug.Value = ""
	}
	if err := in.check(old, now); err != nil {
		return nil, nil, err
	}
	limits := c.d.Settings.ShareLimits()
	if err := limited(limits, &in.ExpiresAt, &in.MaxViews, old.Gate, now); err != nil {
		return nil, nil, err
	}
	if limits.Password && in.Password.Set && in.Password.Value == "" && old.Protected() {
		return nil, nil, overPolicy("share_password", 1)
	}
	after := *old
	in.apply(&after, "", now)
	if err := keep(obligations, shareTerms(after.Protected() || in.Password.Value != "", after.ExpiresAt, after.MaxViews, now), 0); err != nil {
		return nil, nil, err
	}
	hash := ""
	if in.Password.Value != "" {
		if hash, err = c.d.Hasher.Hash(ctx, in.Password.Value); err != nil {
			return nil, nil, err
		}
	}
	seen := c.views.Take(old.ID) // they belong to the old limit
	changed, err := c.repo.Update(ctx, old.ID, func(e *Collection) error {
		if e.ErasedAt != nil {
			return errCollectionUnknown
		}
		e.Views += seen
		in.apply(e, hash, now)
		return nil
	})
	if err != nil {
		c.views.GiveBack(old.ID, seen)
		return nil, nil, unknownCollection(err)
	}
	items, err := c.d.Files.Items(ctx, old.ID)
	return changed, items, err
}

func (in CollectionChange) check(old *Collection, now time.Time) error {
	if in.Slug.Value != "" {
		if err := naming.CheckSlug(in.Slug.Value); err != nil {
			return err
		}
	}
	terms := Terms{Password: in.Password.Value, MaxViews: in.MaxViews.Value}
	if !sameTime(in.ExpiresAt.Value, old.ExpiresAt) {
		terms.ExpiresAt = in.ExpiresAt.Value
	}
	return first(checkTitle(in.Title.Value), terms.check(now))
}

func (in CollectionChange) apply(e *Collection, hash string, now time.Time) {
	if in.Title.Set {
		e.Title = in.Title.Value
	}
	if in.Slug.Value != "" {
		e.Slug = in.Slug.Value
	}
	if in.ExpiresAt.Set {
		e.ExpiresAt = utc(in.ExpiresAt.Value)
	}
	if in.MaxViews.Set {
		e.MaxViews, e.Views, e.UsedUpAt = in.MaxViews.Value, 0, nil
	}
	if in.Password.Set {
		e.PasswordHash = hash
	}
	e.UpdatedAt = now
	e.Version++
}

// ItemChange names an item, or a file that is to become one.
type ItemChange struct {
	ID   string
	Name string // the new file name; empty keeps it
}

// Arrange brings items into an order: those named come first, in theirs, and
// what is not named keeps its order behind them. Files of the owner that are no
// item yet become one. It asks file.update for the collection and for each file
// that comes.
//
// Returns the errors of Create and of Update.
func (c *Collections) Arrange(ctx context.Context, who policy.Principal, id string, in []ItemChange) (*Collection, []File, error) {
	to, _, err := c.own(ctx, who, policy.FileUpdate, id)
	if err != nil {
		return nil, nil, err
	}
	ids := make([]string, len(in))
	for i, item := range in {
		ids[i] = item.ID
		if item.Name != "" {
			if err := naming.CheckFile(item.Name); err != nil {
				return nil, nil, err
			}
		}
	}
	if err := checkItems(ids); err != nil {
		return nil, nil, err
	}
	there, err := c.d.Files.Items(ctx, to.ID)
	if err != nil {
		return nil, nil, err
	}
	isThere := func(id string) bool { return slices.ContainsFunc(there, func(f File) bool { return f.ID == id }) }
	fresh := slices.DeleteFunc(slices.Clone(ids), isThere)
	if len(there)+len(fresh) > MaxItems {
		return nil, nil, ports.InvalidInput("too_many_items", "items")
	}
	if err := c.mayAdd(ctx, who, to, fresh); err != nil {
		return nil, nil, err
	}
	for i := range there {
		if !slices.Contains(ids, there[i].ID) {
			in = append(in, ItemChange{ID: there[i].ID})
		}
	}
	err = c.work.Do(ctx, func(ctx context.Context) error {
		if err := c.touch(ctx, to.ID); err != nil {
			return err
		}
		if err := c.add(ctx, to, fresh, 0); err != nil {
			return err
		}
		return c.order(ctx, to, in)
	})
	c.forgetFiles(ctx, ids)
	if err != nil {
		return nil, nil, err
	}
	return c.Get(ctx, who, to.ID)
}

// touch notes that a collection was changed, and keeps it from ending meanwhile.
func (c *Collections) touch(ctx context.Context, id string) error {
	_, err := c.repo.Update(ctx, id, func(e *Collection) error {
		if e.ErasedAt != nil {
			return errCollectionUnknown
		}
		e.UpdatedAt = c.d.Clock.Now()
		return nil
	})
	return unknownCollection(err)
}

// order gives items their places and names. One that has gone meanwhile stays
// away.
func (c *Collections) order(ctx context.Context, of *Collection, items []ItemChange) error {
	for i, item := range items {
		_, err := c.d.Files.Update(ctx, item.ID, func(e *File) error {
			if e.Collection != of.ID {
				return ports.ErrNotFound
			}
			e.Position = int64(i) + 1
			if item.Name != "" && item.Name != e.Filename {
				e.Filename, e.MimeType, e.UpdatedAt = item.Name, MimeType(item.Name), c.d.Clock.Now()
			}
			return nil
		})
		if err != nil && !ports.Is(err, ports.NotFound) {
			return err
		}
	}
	return nil
}

// RemoveItems deletes items with their objects, as Files.Delete does. It asks
// file.update for the collection and file.delete for each item.
//
// Returns NotFound for an unknown collection; ids of no item fail by themselves.
func (c *Collections) RemoveItems(ctx context.Context, who policy.Principal, id string, ids []string) (Deleted, error) {
	of, _, err := c.own(ctx, who, policy.FileUpdate, id)
	if err != nil {
		return Deleted{}, err
	}
	if err := CheckBatch(ids); err != nil {
		return Deleted{}, err
	}
	var done Deleted
	for _, id := range ids {
		err := error(ErrFileUnknown)
		if file, e := c.d.Files.Get(ctx, id); e == nil && file.Collection == of.ID {
			err = c.files.deleteOne(ctx, who, id, DeleteBoth)
		} else if e != nil && !ports.Is(e, ports.NotFound) {
			err = e
		}
		if err != nil {
			done.Failed = append(done.Failed, FailedItem{ID: id, Err: err})
			continue
		}
		done.Done++
	}
	return done, c.touch(ctx, of.ID)
}

// Delete ends a collection and deletes its items with their objects, but for
// those in mounts. It asks file.delete. Returns NotFound for an unknown one and
// one of others.
func (c *Collections) Delete(ctx context.Context, who policy.Principal, id string) error {
	found, _, err := c.own(ctx, who, policy.FileDelete, id)
	if err != nil {
		return err
	}
	return c.end(ctx, found.ID, true)
}

// Revoke is Delete for a caller who has asked admin.shares.write. Without
// objects those stay in their storage.
func (c *Collections) Revoke(ctx context.Context, id string, objects bool) error {
	if !looksLikeID(id) {
		return errCollectionUnknown
	}
	return c.end(ctx, id, objects)
}

// RevokeBy ends all collections of an owner, by its created_by, for a caller who
// has asked to change the owner. It may be repeated.
func (c *Collections) RevokeBy(ctx context.Context, owner string) error {
	if owner == "" {
		return errNoOwner
	}
	for {
		page, err := c.repo.List(ctx, CollectionFilter{Paging: ports.Paging{Limit: MaxBatch}, CreatedBy: owner})
		if err != nil || len(page.Items) == 0 {
			return err
		}
		for i := range page.Items {
			if err := c.end(ctx, page.Items[i].ID, true); err != nil && !ports.Is(err, ports.NotFound) {
				return err
			}
		}
	}
}

// end closes the link first, so that readers stop at once, and leaves to the
// janitor what it does not come to.
func (c *Collections) end(ctx context.Context, id string, objects bool) error {
	now := c.d.Clock.Now()
	_, err := c.repo.Update(ctx, id, func(e *Collection) error {
		e.ErasedAt = &now
		return nil
	})
	if err != nil {
		return unknownCollection(err)
	}
	for {
		items, err := c.d.Files.Items(ctx, id)
		if err != nil {
			return err
		}
		if len(items) == 0 {
			break
		}
		for i := range items {
			if err := c.files.remove(ctx, &items[i], objects); err != nil && !ports.Is(err, ports.NotFound) {
				return err
			}
		}
	}
	n, err := c.repo.Delete(ctx, id)
	if err == nil && n == 0 {
		return errCollectionUnknown
	}
	return err
}

func unknownCollection(err error) error {
	if ports.Is(err, ports.NotFound) {
		return errCollectionUnknown.With(err)
	}
	return err
}
