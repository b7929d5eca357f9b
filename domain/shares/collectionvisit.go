package shares

import (
	"context"

	"pasteport/domain/shares/internal/naming"
	"pasteport/ports"
	"pasteport/ports/policy"
)

// CollectionVisits let those who come with the link of a collection at what is in
// it, as far as its gate allows. A visit is one view, whatever of it is opened
// (ADR 6). It is safe for concurrent use.
type CollectionVisits struct {
	d           Deps
	collections *Collections
	files       *FileVisits
	guard       *guard
}

// NewCollectionVisits returns the visits to collections; files refreshes the
// records of items whose objects were replaced.
func NewCollectionVisits(collections *Collections, files *FileVisits) *CollectionVisits {
	return &CollectionVisits{d: collections.d, collections: collections, files: files, guard: newGuard(collections.d)}
}

// CollectionReading is what a visitor gets to know of a collection.
type CollectionReading struct {
	*Collection
	Items  []File // in their order; none while it is locked
	Views  int64  // after this visit
	Last   bool   // this was the last view
	Locked bool   // a password is needed; title and items must not be shown
	Ticket string
}

// Read tells a visitor what is in a collection, with a ticket for its items, and
// takes a view; a protected one comes locked. It asks share.list.
//
// Returns NotFound for an unknown slug, Gone when it has expired or its views
// are used up.
func (c *CollectionVisits) Read(ctx context.Context, who policy.Principal, v Visit) (CollectionReading, error) {
	s, admitted, err := c.enter(ctx, who, policy.ShareList, v, nil)
	if err != nil {
		return CollectionReading{}, err
	}
	if s.Protected() && !admitted {
		return CollectionReading{Collection: s, Views: c.viewsOf(s), Locked: true}, nil
	}
	return c.reading(ctx, s, admitted || v.Uncounted)
}

// Verify is Read for a protected collection and its password. It asks
// share.verify.
//
// Returns Invalid without a password and for a collection that has none,
// Unauthenticated for a wrong one, and the errors of Read.
func (c *CollectionVisits) Verify(ctx context.Context, who policy.Principal, v Visit) (CollectionReading, error) {
	v.Ticket = ""
	s, _, err := c.enter(ctx, who, policy.ShareVerify, v, nil)
	switch {
	case err != nil:
		return CollectionReading{}, err
	case v.Password == "":
		return CollectionReading{}, errPasswordMissing
	case !s.Protected():
		return CollectionReading{}, errNotProtected
	}
	if err := c.guard.unlock(ctx, c.lock(s), v.Password); err != nil {
		return CollectionReading{}, err
	}
	return c.reading(ctx, s, v.Uncounted)
}

// Peek tells what a collection is without opening it; it takes no view and asks
// share.list. Returns NotFound and Gone as Read does.
func (c *CollectionVisits) Peek(ctx context.Context, who policy.Principal, slug string) (Peek, error) {
	s, _, err := c.enter(ctx, who, policy.ShareList, Visit{Slug: slug}, nil)
	if err != nil {
		return Peek{}, err
	}
	return s.peek(slug), nil
}

func (c *CollectionVisits) reading(ctx context.Context, s *Collection, uncounted bool) (CollectionReading, error) {
	r := CollectionReading{Collection: s, Views: c.viewsOf(s)}
	var err error
	if r.Items, err = c.d.Files.Items(ctx, s.ID); err != nil {
		return CollectionReading{}, err
	}
	if !uncounted {
		if r.Views, err = c.take(ctx, s); err != nil {
			return CollectionReading{}, err
		}
		r.Last = s.MaxViews > 0 && r.Views >= s.MaxViews
	}
	r.Ticket = c.guard.ticket(s.ID, s.Version)
	return r, nil
}

// Open lets a visitor at the bytes of one item. It asks do, which is share.view
// or share.download, for the item. No view is taken yet: Read of what it returns
// does that, unless a ticket shows that this visit has one.
//
// Returns the errors of Read, Unauthenticated when the password is missing or
// wrong and no ticket stands for it, NotFound for what is no item.
func (c *CollectionVisits) Open(ctx context.Context, who policy.Principal, do policy.Action, v Visit, item string) (*Opened, error) {
	var file *File
	s, admitted, err := c.enter(ctx, who, do, v, func(s *Collection) (policy.Resource, error) {
		on := s.resource()
		found, err := c.item(ctx, s, item)
		if err != nil {
			return on, err
		}
		file, on = found, resource(found)
		on.Slug = s.Slug
		return on, nil
	})
	if err != nil {
		return nil, err
	}
	if s.Protected() && !admitted {
		if err := c.guard.unlock(ctx, c.lock(s), v.Password); err != nil {
			return nil, err
		}
	}
	bucket, err := c.d.Storages.Bucket(ctx, file.StorageConfigID)
	if err != nil {
		return nil, storageError(err)
	}
	return &Opened{File: file, visits: c.files, bucket: bucket, fare: c.fare(s, admitted)}, nil
}

// fare is how a visit pays for the bytes that it gets.
func (c *CollectionVisits) fare(s *Collection, admitted bool) fare {
	return fare{guard: c.guard, id: s.ID, version: s.Version, limited: s.MaxViews > 0, paid: admitted, take: func(ctx context.Context) error {
		_, err := c.take(ctx, s)
		return err
	}}
}

// item finds an item of a collection.
func (c *CollectionVisits) item(ctx context.Context, s *Collection, id string) (*File, error) {
	if !looksLikeID(id) {
		return nil, ErrFileUnknown
	}
	file, err := c.d.Files.Get(ctx, id)
	if ports.Is(err, ports.NotFound) {
		return nil, ErrFileUnknown.With(err)
	}
	if err != nil {
		return nil, err
	}
	if file.Collection != s.ID || file.ErasedAt != nil || file.Pending {
		return nil, ErrFileUnknown
	}
	return file, nil
}

// enter lets a visitor up to the password, as that of FileVisits. about says what
// of the collection the rules are asked for; nil means all of it.
func (c *CollectionVisits) enter(ctx context.Context, who policy.Principal, do policy.Action, v Visit,
	about func(*Collection) (policy.Resource, error)) (s *Collection, admitted bool, err error) {
	now := c.d.Clock.Now()
	s, missing := c.load(ctx, v.Slug)
	on, absent := policy.Resource{Kind: kindCollection, Slug: v.Slug}, error(nil)
	if missing == nil {
		on = s.resource()
		if about != nil {
			on, absent = about(s)
		}
		on.Share = s.seen(now)
	}
	if _, err := policy.Check(ctx, c.d.Decider, who, do, on); err != nil {
		return nil, false, err
	}
	if missing != nil {
		return nil, false, missing
	}
	admitted = v.Ticket != "" && c.guard.admits(v.Ticket, s.ID, s.Version)
	if err := s.closed(now, admitted, errCollectionExpired, errCollectionUsedUp); err != nil {
		return nil, false, err
	}
	if absent != nil && s.Protected() && !admitted {
		// Who has no password does not learn which items there are.
		if err := c.guard.unlock(ctx, c.lock(s), v.Password); err != nil {
			return nil, false, err
		}
	}
	return s, admitted, absent
}

func (c *CollectionVisits) load(ctx context.Context, slug string) (*Collection, error) {
	if err := c.guard.open(ctx); err != nil {
		return nil, err
	}
	if !naming.PossibleSlug(slug) {
		return nil, c.guard.unknown(ctx, errCollectionUnknown)
	}
	s, err := c.collections.repo.BySlug(ctx, slug)
	if ports.Is(err, ports.NotFound) {
		return nil, c.guard.unknown(ctx, errCollectionUnknown.With(err))
	}
	return s, err
}

func (c *CollectionVisits) lock(s *Collection) lock {
	return lock{s.ID, s.Version, s.PasswordHash, func(ctx context.Context, hash string) error {
		_, err := c.collections.repo.Update(ctx, s.ID, func(e *Collection) error {
			if e.PasswordHash == s.PasswordHash {
				e.PasswordHash = hash
			}
			return nil
		})
		return err
	}}
}

// viewsOf are the views of a collection with those that are not stored yet.
func (c *CollectionVisits) viewsOf(s *Collection) int64 {
	return s.Views + c.collections.views.Pending(s.ID)
}

// take counts a view.
func (c *CollectionVisits) take(ctx context.Context, s *Collection) (int64, error) {
	if s.MaxViews == 0 {
		c.collections.views.Count(s.ID)
		return c.viewsOf(s), nil
	}
	now := c.d.Clock.Now()
	views, err := c.collections.repo.TakeView(ctx, s.ID, now)
	if err != nil {
		return 0, gone(err, &s.Gate, now, errCollectionExpired, errCollectionUsedUp, errCollectionUnknown)
	}
	c.guard.came(ctx, s.ID, s.Version)
	return views, nil
}
