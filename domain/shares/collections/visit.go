package collections

import (
	"context"

	"pasteport/domain/shares"
	"pasteport/domain/shares/internal/gate"
	"pasteport/domain/shares/internal/naming"
	"pasteport/domain/shares/openings"
	"pasteport/ports"
	"pasteport/ports/policy"
)

// Visits let those who come with the link of a collection at what is in
// it, as far as its gate allows. A visit is one view, whatever of it is opened
// (ADR 6). It is safe for concurrent use.
type Visits struct {
	d           Deps
	collections *Collections
	files       *shares.FileVisits
	guard       *gate.Guard
}

// NewVisits returns the visits to collections; files refreshes the
// records of items whose objects were replaced.
func NewVisits(collections *Collections, files *shares.FileVisits) *Visits {
	return &Visits{d: collections.d, collections: collections, files: files, guard: collections.d.Guard()}
}

// Reading is what a visitor gets to know of a collection.
type Reading struct {
	*Collection
	Items   []shares.File // in their order; none while it is locked
	Views   int64         // after this visit
	Last    bool          // this was the last view
	Locked  bool          // a password is needed; title and items must not be shown
	Ticket  string
	Folders []Folder // of a shared folder, before the items
	Way     []Folder // from the shared folder, which is not named, to the one shown
	Lost    []Lost   // of a folder as it stood: what is not handed out; at most MaxPage
	Total   int      // entries of the folder shown; 0 where all items are here
	// Download names what is downloaded from this answer, so that each counts once;
	// empty where downloads are not limited.
	Download string
	// Resume lets the ZIP file of all go on for as long as ResumeLength.
	Resume string
}

// Shown is which part of a shared folder is looked at. The zero value is its
// beginning, and all of a collection of files.
type Shown struct {
	Folder string // id of a folder below it; empty means itself
	From   int    // entries to leave out
}

// Read tells a visitor what is in a collection, with a ticket for its items, and
// takes a view; a protected one comes locked. It asks share.list.
//
// Returns NotFound for an unknown slug or folder, Gone when it has expired or its
// views are used up.
func (c *Visits) Read(ctx context.Context, who policy.Principal, v shares.Visit) (Reading, error) {
	return c.ReadFolder(ctx, who, v, Shown{})
}

// ReadFolder is Read for a part of a shared folder.
func (c *Visits) ReadFolder(ctx context.Context, who policy.Principal, v shares.Visit, shown Shown) (Reading, error) {
	by := page(who)
	s, admitted, err := c.enter(ctx, by, policy.ShareList, v, shown.asked())
	if err != nil {
		return Reading{}, err
	}
	if s.Protected() && !admitted {
		return Reading{Collection: s, Views: c.viewsOf(s), Locked: true}, nil
	}
	return c.reading(ctx, by, s, shown, admitted || v.Uncounted)
}

// asked are the rules about the folder that is looked at.
func (shown Shown) asked() asked {
	return asked{about: func(s *Collection) (policy.Resource, error) {
		on := s.resource()
		rel, err := s.folderAt(shown.Folder)
		if err == nil && rel != "" {
			on.Paths = []string{s.at(rel)}
		}
		return on, err
	}}
}

// Verify is Read for a protected collection and its password. It asks
// share.verify.
//
// Returns Invalid without a password and for a collection that has none,
// Unauthenticated for a wrong one, and the errors of Read.
func (c *Visits) Verify(ctx context.Context, who policy.Principal, v shares.Visit) (Reading, error) {
	return c.VerifyFolder(ctx, who, v, Shown{})
}

// VerifyFolder is Verify for a part of a shared folder.
func (c *Visits) VerifyFolder(ctx context.Context, who policy.Principal, v shares.Visit, shown Shown) (Reading, error) {
	v.Ticket = ""
	by := page(who)
	s, _, err := c.enter(ctx, by, policy.ShareVerify, v, shown.asked())
	switch {
	case err != nil:
		return Reading{}, err
	case v.Password == "":
		return Reading{}, gate.ErrPasswordMissing
	case !s.Protected():
		return Reading{}, gate.ErrNotProtected
	}
	if err := c.unlock(ctx, by, s, v.Password); err != nil {
		return Reading{}, err
	}
	return c.reading(ctx, by, s, shown, v.Uncounted)
}

// shares.Peek tells what a collection is without opening it; it takes no view and asks
// share.list. Returns NotFound and Gone as Read does.
func (c *Visits) Peek(ctx context.Context, who policy.Principal, slug string) (shares.Peek, error) {
	s, _, err := c.enter(ctx, page(who), policy.ShareList, shares.Visit{Slug: slug}, asked{})
	if err != nil {
		return shares.Peek{}, err
	}
	return shares.PeekOf(&s.Gate, slug), nil
}

// page is who comes for the page of a collection.
func page(who policy.Principal) openings.By { return openings.By{Who: who, How: openings.AsPage} }

func (c *Visits) reading(ctx context.Context, by openings.By, s *Collection, shown Shown, uncounted bool) (Reading, error) {
	r := Reading{Collection: s, Views: c.viewsOf(s)}
	var err error
	if s.Live() {
		rel, _ := s.folderAt(shown.Folder)
		err = c.readFolder(ctx, &r, rel, shown.From)
	} else {
		r.Items, err = c.d.Items.Items(ctx, s.ID)
	}
	if err != nil {
		return Reading{}, err
	}
	if !uncounted {
		if r.Views, err = c.take(ctx, by, s); err != nil {
			return Reading{}, err
		}
		r.Last = s.MaxViews > 0 && r.Views >= s.MaxViews
	}
	if s.MaxDownloads > 0 {
		r.Download = c.d.Random.ID()
	}
	r.Ticket, r.Resume = c.guard.Ticket(s.ID, s.Version), c.guard.TicketFor(resumeID(s), s.Version, ResumeLength)
	return r, nil
}

// Open lets a visitor at the bytes of one item. It asks do, which is share.view
// or share.download, for the item. No view is taken yet: Read of what it returns
// does that, unless a ticket shows that this visit has one.
//
// Returns the errors of Read, Unauthenticated when the password is missing or
// wrong and no ticket stands for it, NotFound for what is no item.
func (c *Visits) Open(ctx context.Context, who policy.Principal, do policy.Action, v shares.Visit, item string) (*shares.Opened, error) {
	var file *shares.File
	by := openings.BytesBy(who, do, "")
	s, admitted, err := c.enter(ctx, by, do, v, asked{about: func(s *Collection) (policy.Resource, error) {
		on := s.resource()
		found, err := c.item(ctx, s, item)
		if err != nil {
			return on, err
		}
		file, on = found, found.Resource()
		on.Slug = s.Slug
		return on, nil
	}})
	if err != nil {
		return nil, err
	}
	if s.Protected() && !admitted {
		if err := c.unlock(ctx, by, s, v.Password); err != nil {
			return nil, err
		}
	}
	by.Item = file.Filename
	fare := c.fare(by, s, admitted)
	if do == policy.ShareDownload || !c.shows(file) {
		fare.Download = c.downloads(s, v.Download, file.ID)
	}
	return c.files.Admit(ctx, file, fare)
}

// fare is how a visit pays for the bytes that it gets.
func (c *Visits) fare(by openings.By, s *Collection, admitted bool) gate.Fare {
	pays := gate.Fare{Guard: c.guard, ID: s.ID, Version: s.Version, Limited: s.MaxViews > 0, Paid: admitted, Take: func(ctx context.Context) error {
		_, err := c.take(ctx, by, s)
		return err
	}}
	if by.How != openings.AsRaw { // what is shown belongs to the page that shows it
		pays.Again = func(ctx context.Context) { c.d.Openings.Again(ctx, by, s.opening()) }
	}
	return pays
}

// item finds an item of a collection.
func (c *Visits) item(ctx context.Context, s *Collection, id string) (*shares.File, error) {
	if s.Live() {
		return c.liveItem(ctx, s, id)
	}
	if !naming.IsID(id) {
		return nil, shares.ErrFileUnknown
	}
	file, err := c.d.Files.Get(ctx, id)
	if ports.Is(err, ports.NotFound) {
		return nil, shares.ErrFileUnknown.With(err)
	}
	if err != nil {
		return nil, err
	}
	if file.Collection != s.ID || file.ErasedAt != nil || file.Pending {
		return nil, shares.ErrFileUnknown
	}
	return file, nil
}

// asked is what of a collection a visitor asks for.
type asked struct {
	// about is what the rules are asked for; nil means all of it.
	about func(*Collection) (policy.Resource, error)
	// resume lets a ZIP file go on; empty means that it does not.
	resume string
}

// enter lets a visitor up to the password, as that of FileVisits.
func (c *Visits) enter(ctx context.Context, by openings.By, do policy.Action, v shares.Visit, a asked) (s *Collection, admitted bool, err error) {
	now := c.d.Clock.Now()
	s, missing := c.load(ctx, v.Slug)
	on, absent := policy.Resource{Kind: policy.KindCollection, Slug: v.Slug}, error(nil)
	if missing == nil {
		on = s.resource()
		if a.about != nil {
			on, absent = a.about(s)
		}
		on.Share = s.Seen(now)
	}
	if _, err := policy.Check(ctx, c.d.Decider, by.Who, do, on); err != nil {
		return nil, false, err
	}
	if missing != nil {
		return nil, false, missing
	}
	admitted = c.paid(s, v) || a.resume != "" && c.guard.Admits(a.resume, resumeID(s), s.Version)
	if err := s.Shut(by.Who, now, admitted, ends); err != nil {
		return nil, false, c.d.Openings.Refused(ctx, by, s.opening(), err)
	}
	if absent != nil && s.Protected() && !admitted {
		// Who has no password does not learn which items there are.
		if err := c.unlock(ctx, by, s, v.Password); err != nil {
			return nil, false, err
		}
	}
	return s, admitted, absent
}

// paid reports whether a visitor comes back within a visit.
func (c *Visits) paid(s *Collection, v shares.Visit) bool {
	return v.Ticket != "" && c.guard.Admits(v.Ticket, s.ID, s.Version)
}

func (c *Visits) load(ctx context.Context, slug string) (*Collection, error) {
	if err := c.guard.Open(ctx); err != nil {
		return nil, err
	}
	if !naming.PossibleSlug(slug) {
		return nil, c.guard.Unknown(ctx, errUnknown)
	}
	s, err := c.collections.d.Collections.BySlug(ctx, slug)
	if ports.Is(err, ports.NotFound) {
		return nil, c.guard.Unknown(ctx, errUnknown.With(err))
	}
	return s, err
}

func (c *Visits) unlock(ctx context.Context, by openings.By, s *Collection, password string) error {
	return c.d.Openings.Refused(ctx, by, s.opening(), c.guard.Unlock(ctx, c.lock(s), password))
}

func (c *Visits) lock(s *Collection) gate.Lock {
	return gate.Lock{ID: s.ID, Version: s.Version, Hash: s.PasswordHash, Renew: func(ctx context.Context, hash string) error {
		_, err := c.collections.d.Collections.Update(ctx, s.ID, func(e *Collection) error {
			if e.PasswordHash == s.PasswordHash {
				e.PasswordHash = hash
			}
			return nil
		})
		return err
	}}
}

// viewsOf are the views of a collection with those that are not stored yet.
func (c *Visits) viewsOf(s *Collection) int64 {
	return s.Views + c.collections.views.Pending(s.ID)
}

func (s *Collection) opening() openings.Opening {
	return openings.Opening{Kind: policy.KindCollection, ID: s.ID, Name: s.Title, Owner: s.CreatedBy, Max: s.MaxViews}
}

// take counts a view.
func (c *Visits) take(ctx context.Context, by openings.By, s *Collection) (int64, error) {
	if s.MaxViews == 0 {
		c.collections.views.Count(s.ID)
		views := c.viewsOf(s)
		c.d.Openings.Saw(ctx, by, s.opening(), views)
		return views, nil
	}
	now := c.d.Clock.Now()
	views, err := c.d.Openings.Take(ctx, by, s.opening(), func(ctx context.Context) (int64, error) { return c.collections.d.Collections.TakeView(ctx, s.ID, now) })
	if err != nil {
		return 0, c.d.Openings.Refused(ctx, by, s.opening(), s.Refused(err, now, ends))
	}
	c.guard.Came(ctx, s.ID, s.Version)
	return views, nil
}
