package collections

import (
	"cmp"
	"context"
	"slices"
	"time"

	"pasteport/domain/shares"
	"pasteport/domain/shares/internal/gate"
	"pasteport/domain/shares/internal/naming"
	"pasteport/ports"
	"pasteport/ports/filetype"
	"pasteport/ports/policy"
)

// Change is an update of a collection. What is not set stays.
type Change struct {
	Title        shares.Field[string]
	Slug         shares.Field[string] // empty keeps the old one
	ExpiresAt    shares.Field[*time.Time]
	MaxViews     shares.Field[int64] // setting it starts the count anew
	Look         shares.Field[Look]
	MaxDownloads shares.Field[int64]  // setting it starts the count anew
	Password     shares.Field[string] // empty removes it
	IfMatch      string               // the ETag that was seen; empty asks nothing
}

// Update changes a collection, but for its items. It asks file.update.
//
// Returns Invalid for bad input, NotFound for an unknown collection or one of
// others, Conflict when the slug is taken, Precondition when IfMatch is not its
// ETag any more.
func (c *Collections) Update(ctx context.Context, who policy.Principal, id string, in Change) (*Collection, []shares.File, error) {
	now := c.d.Clock.Now()
	old, obligations, err := c.own(ctx, who, policy.FileUpdate, id)
	if err != nil {
		return nil, nil, err
	}
	if in.Slug.Value == old.Slug {
		in.Slug.Value = ""
	}
	if err := in.check(); err != nil {
		return nil, nil, err
	}
	change, err := in.gate().Fit(c.d.Settings.ShareLimits(), obligations, old.Gate, now)
	if err != nil {
		return nil, nil, err
	}
	hash := ""
	if in.Password.Value != "" {
		if hash, err = c.d.Hasher.Hash(ctx, in.Password.Value); err != nil {
			return nil, nil, err
		}
	}
	seen := c.views.Take(old.ID) // they belong to the old limit
	var changed *Collection
	var items []shares.File
	err = c.d.Work.Do(ctx, func(ctx context.Context) error {
		if items, err = c.d.Items.Items(ctx, old.ID); err != nil {
			return err
		}
		changed, err = c.d.Collections.Update(ctx, old.ID, func(e *Collection) error {
			if err := e.changeable(in.IfMatch, items); err != nil {
				return err
			}
			e.Views += seen
			change.Apply(&e.Gate, hash)
			in.apply(e, now)
			return nil
		})
		return err
	})
	if err != nil {
		c.views.GiveBack(old.ID, seen)
		return nil, nil, unknownCollection(err)
	}
	return changed, items, nil
}

// changeable refuses a change of what has ended, or was changed since it was seen.
func (c *Collection) changeable(seen string, items []shares.File) error {
	switch {
	case c.ErasedAt != nil:
		return errUnknown
	case seen != "" && seen != c.ETag(items):
		return errStale
	}
	return nil
}

func (in Change) check() error {
	if in.Slug.Value != "" {
		if err := naming.CheckSlug(in.Slug.Value); err != nil {
			return err
		}
	}
	return cmp.Or(checkTitle(in.Title.Value), checkDownloads(in.MaxDownloads.Value), checkLook(in.Look.Value))
}

// gate is what of a change the gate is changed by.
func (in Change) gate() gate.Change {
	return gate.Change{ExpiresAt: in.ExpiresAt, MaxViews: in.MaxViews, Password: in.Password}
}

func (in Change) apply(e *Collection, now time.Time) {
	if in.Title.Set {
		e.Title = in.Title.Value
	}
	if in.Slug.Value != "" {
		e.Slug = in.Slug.Value
	}
	if in.Look.Set {
		e.Look = in.Look.Value
	}
	if in.MaxDownloads.Set {
		e.MaxDownloads, e.Downloads = in.MaxDownloads.Value, 0
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
// that comes. seen is the ETag that was seen; empty asks nothing.
//
// Returns the errors of Create and of Update.
func (c *Collections) Arrange(ctx context.Context, who policy.Principal, id, seen string, in []ItemChange) (*Collection, []shares.File, error) {
	to, _, err := c.own(ctx, who, policy.FileUpdate, id)
	if err != nil {
		return nil, nil, err
	}
	if to.Live() {
		return nil, nil, errLive
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
	there, err := c.d.Items.Items(ctx, to.ID)
	if err != nil {
		return nil, nil, err
	}
	isThere := func(id string) bool {
		return slices.ContainsFunc(there, func(f shares.File) bool { return f.ID == id })
	}
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
	err = c.d.Work.Do(ctx, func(ctx context.Context) error {
		if err := c.touch(ctx, to.ID, seen); err != nil {
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

// touch notes that a collection was changed, and keeps it from ending meanwhile. It
// refuses when the collection is not what was seen.
func (c *Collections) touch(ctx context.Context, id, seen string) error {
	items, err := c.d.Items.Items(ctx, id)
	if err != nil {
		return err
	}
	_, err = c.d.Collections.Update(ctx, id, func(e *Collection) error {
		if err := e.changeable(seen, items); err != nil {
			return err
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
		_, err := c.d.Files.Update(ctx, item.ID, func(e *shares.File) error {
			if e.Collection != of.ID {
				return ports.ErrNotFound
			}
			e.Position = int64(i) + 1
			if item.Name != "" && item.Name != e.Filename {
				e.Filename, e.MimeType, e.UpdatedAt = item.Name, filetype.ContentType(item.Name), c.d.Clock.Now()
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
func (c *Collections) RemoveItems(ctx context.Context, who policy.Principal, id string, ids []string) (shares.Deleted, error) {
	of, _, err := c.own(ctx, who, policy.FileUpdate, id)
	if err != nil {
		return shares.Deleted{}, err
	}
	if of.Live() {
		return shares.Deleted{}, errLive
	}
	if err := shares.CheckBatch(ids); err != nil {
		return shares.Deleted{}, err
	}
	var done shares.Deleted
	for _, id := range ids {
		err := c.removeItem(ctx, who, of, id)
		if err != nil {
			done.Failed = append(done.Failed, shares.FailedItem{ID: id, Err: err})
			continue
		}
		done.Done++
	}
	return done, c.touch(ctx, of.ID, "")
}

func (c *Collections) removeItem(ctx context.Context, who policy.Principal, of *Collection, id string) error {
	switch file, err := c.d.Files.Get(ctx, id); {
	case ports.Is(err, ports.NotFound):
		return shares.ErrFileUnknown
	case err != nil:
		return err
	case file.Collection != of.ID:
		return shares.ErrFileUnknown
	}
	return c.d.Owned.DeleteOne(ctx, who, id, shares.DeleteBoth)
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
	if !naming.IsID(id) {
		return errUnknown
	}
	return c.end(ctx, id, objects)
}

// FoldersBy counts the links for folders of an owner, by its created_by; the items
// of its other collections are files.
func (c *Collections) FoldersBy(ctx context.Context, owner string) (int, error) {
	if owner == "" {
		return 0, errNoOwner
	}
	page, err := c.d.Collections.List(ctx, Filter{Paging: ports.Paging{Limit: 1}, CreatedBy: owner, Folders: true})
	return page.Total, err
}

// RevokeBy ends all collections of an owner, by its created_by, for a caller who
// has asked to change the owner, and returns how many were links for folders. It
// may be repeated.
func (c *Collections) RevokeBy(ctx context.Context, owner string) (folders int, err error) {
	if owner == "" {
		return 0, errNoOwner
	}
	for {
		page, err := c.d.Collections.List(ctx, Filter{Paging: ports.Paging{Limit: shares.MaxBatch}, CreatedBy: owner})
		if err != nil || len(page.Items) == 0 {
			return folders, err
		}
		for i := range page.Items {
			err := c.end(ctx, page.Items[i].ID, true)
			switch {
			case err == nil && page.Items[i].Root != "":
				folders++
			case err != nil && !ports.Is(err, ports.NotFound):
				return folders, err
			}
		}
	}
}

// end closes the link first, so that readers stop at once, and leaves to the
// janitor what it does not come to.
func (c *Collections) end(ctx context.Context, id string, objects bool) error {
	now := c.d.Clock.Now()
	_, err := c.d.Collections.Update(ctx, id, func(e *Collection) error {
		e.ErasedAt = &now
		return nil
	})
	if err != nil {
		return unknownCollection(err)
	}
	for {
		items, err := c.d.Items.Items(ctx, id)
		if err != nil {
			return err
		}
		if len(items) == 0 {
			break
		}
		for i := range items {
			if err := c.d.Owned.Revoke(ctx, items[i].ID, objects); err != nil && !ports.Is(err, ports.NotFound) {
				return err
			}
		}
	}
	n, err := c.d.Collections.Delete(ctx, id)
	if err == nil && n == 0 {
		return errUnknown
	}
	return err
}

func unknownCollection(err error) error {
	if ports.Is(err, ports.NotFound) {
		return errUnknown.With(err)
	}
	return err
}
