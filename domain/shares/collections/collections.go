package collections

import (
	"cmp"
	"context"
	"slices"
	"time"

	"pasteport/domain/shares"
	"pasteport/domain/shares/internal/gate"
	"pasteport/domain/shares/internal/naming"
	"pasteport/domain/shares/internal/views"
	"pasteport/ports"
	"pasteport/ports/policy"
)

// Collections are the links for several files, for those who make them. It is
// safe for concurrent use. Somebody must call Run once, so that counted views
// are stored.
type Collections struct {
	d     Deps
	views *views.Counter
}

// Deps are what collections work with.
type Deps struct {
	shares.Deps
	Owned       *shares.Files
	Collections Repository
	Items       Items
	Sums        Sums
	Folders     Folders
	Work        ports.UnitOfWork
}

// New returns the collections of files.
func New(d Deps) *Collections {
	return &Collections{d: d, views: views.New(d.Collections.AddViews)}
}

// Run stores counted views each second until ctx ends; then it stores the rest
// and returns.
func (c *Collections) Run(ctx context.Context) { c.views.Run(ctx, c.d.Tell) }

// Flush stores the views counted so far.
func (c *Collections) Flush(ctx context.Context) error { return c.views.Flush(ctx) }

// Draft is what a collection is made of.
type Draft struct {
	Title        string
	Slug         string   // empty means a generated one
	Unguessable  bool     // the generated slug is long
	Files        []string // ids of arrived files of the caller; they become its items, in this order
	Folder       string   // of a mount, in place of files
	Paths        []string // files and folders of one mount, in place of files
	Stood        bool     // Folder or Paths stay as they are now
	MaxDownloads int64    // 0 means any number
	Look         Look
	shares.Terms
}

// Create makes a collection of files. It asks file.upload for the new link and
// file.update for each file.
//
// Returns Invalid for bad input and for files that have not arrived, NotFound
// for unknown files and those of others, Conflict when the slug is taken or a
// file is an item already.
//
// With Folder it makes a link for what lies in a folder of a mount, as it is when
// somebody looks; with Paths for those files and folders, likewise. Then it asks
// mount.share alone.
func (c *Collections) Create(ctx context.Context, who policy.Principal, in Draft) (*Collection, []shares.File, error) {
	if in.Folder != "" || len(in.Paths) > 0 {
		return c.createFolder(ctx, who, in)
	}
	now, limits := c.d.Clock.Now(), c.d.Settings.ShareLimits()
	in.Terms = in.Bounded(limits, now)
	decision, err := policy.Check(ctx, c.d.Decider, who, policy.FileUpload, policy.Resource{Kind: policy.KindCollection, Owner: who.Owner(), Name: in.Title, Share: in.Resource(now)})
	if err != nil {
		return nil, nil, err
	}
	if err := in.check(); err != nil {
		return nil, nil, err
	}
	if err := cmp.Or(in.Check(now), in.Obey(limits, decision.Obligations, now, 0)); err != nil {
		return nil, nil, err
	}
	made, err := c.made(ctx, who, in, now)
	if err != nil {
		return nil, nil, err
	}
	if err := c.mayAdd(ctx, who, made, in.Files); err != nil {
		return nil, nil, err
	}
	err = naming.WithSlug(c.d.Random, in.Slug, in.Unguessable, func(slug string) error {
		made.Slug = slug
		return c.d.Work.Do(ctx, func(ctx context.Context) error {
			if err := c.d.Collections.Insert(ctx, made); err != nil {
				return err
			}
			return c.add(ctx, made, in.Files, 0)
		})
	})
	if err != nil {
		return nil, nil, err
	}
	c.forgetFiles(ctx, in.Files)
	items, err := c.d.Items.Items(ctx, made.ID)
	return made, items, err
}

// made is a new collection without its link.
func (c *Collections) made(ctx context.Context, who policy.Principal, in Draft, now time.Time) (*Collection, error) {
	made := &Collection{ID: c.d.Random.ID(), Title: in.Title, Gate: in.Gate(""),
		MaxDownloads: in.MaxDownloads, Look: in.Look, CreatedBy: who.Owner(), CreatedAt: now, UpdatedAt: now, Version: 1}
	if in.Password == "" {
		return made, nil
	}
	var err error
	made.PasswordHash, err = c.d.Hasher.Hash(ctx, in.Password)
	return made, err
}

func (in Draft) check() error {
	if err := in.checkLink(); err != nil {
		return err
	}
	if len(in.Files) == 0 {
		return ports.InvalidInput("required", "file_ids")
	}
	return checkItems(in.Files)
}

func (in Draft) checkLink() error {
	if in.Slug != "" {
		if err := naming.CheckSlug(in.Slug); err != nil {
			return err
		}
	}
	return cmp.Or(checkTitle(in.Title), checkDownloads(in.MaxDownloads), checkLook(in.Look))
}

func checkTitle(title string) error {
	if len(title) > MaxTitle {
		return ports.InvalidInput("too_long", "title")
	}
	return nil
}

// checkItems refuses too many ids, and one that is named twice.
func checkItems(ids []string) error {
	if len(ids) > MaxItems {
		return ports.InvalidInput("too_many_items", "file_ids")
	}
	sorted := slices.Sorted(slices.Values(ids))
	if len(slices.Compact(sorted)) < len(ids) {
		return ports.InvalidInput("item_twice", "file_ids")
	}
	return nil
}

// mayAdd asks for each file whether it may become an item of a collection.
func (c *Collections) mayAdd(ctx context.Context, who policy.Principal, to *Collection, ids []string) error {
	for _, id := range ids {
		file, decision, err := c.d.Owned.Own(ctx, who, policy.FileUpdate, id)
		if err != nil {
			return gate.HideForeign(decision, err, shares.ErrFileUnknown)
		}
		if err := c.fits(file, to); err != nil {
			return err
		}
	}
	return nil
}

// fits refuses a file that cannot become an item: one of somebody else, and one whose
// object may be going at this moment, since nobody can bring it back.
func (c *Collections) fits(file *shares.File, to *Collection) error {
	switch {
	case file.CreatedBy != to.CreatedBy, c.d.Over(file):
		return shares.ErrFileUnknown
	case file.Pending:
		return shares.ErrNotUploaded
	case file.Collection != "":
		return errTaken
	}
	return nil
}

// add makes items of files, behind a position, inside a unit of work. What a
// file had of a gate goes: that of the collection stands before it now. Nobody is asked
// for the password of a file: who may update it may also take that away (contract §7.9).
func (c *Collections) add(ctx context.Context, to *Collection, ids []string, behind int64) error {
	for i, id := range ids {
		_, err := c.d.Files.Update(ctx, id, func(e *shares.File) error {
			if err := c.fits(e, to); err != nil {
				return err
			}
			e.Collection, e.Position, e.Gate, e.UpdatedAt = to.ID, behind+int64(i)+1, shares.Gate{Views: e.Views}, c.d.Clock.Now()
			e.Version++
			return nil
		})
		if ports.Is(err, ports.NotFound) {
			return shares.ErrFileUnknown.With(err)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (c *Collections) forgetFiles(ctx context.Context, ids []string) {
	for _, id := range ids {
		c.d.Owned.Forget(ctx, id)
	}
}

// List gives one page of collections, newest first: their own to keys, all or
// one creator's to the admin. It asks file.list and obeys its scope.
func (c *Collections) List(ctx context.Context, who policy.Principal, f Filter) (ports.Page[Collection], ports.Paging, error) {
	decision, err := policy.Check(ctx, c.d.Decider, who, policy.FileList, policy.Resource{Kind: policy.KindCollection, Owner: who.Owner()})
	if err != nil {
		return ports.Page[Collection]{}, ports.Paging{}, err
	}
	if decision.Scope != policy.All {
		f.CreatedBy = who.Owner()
	}
	f.Paging = gate.Page(f.Paging, 30, decision.Obligations)
	found, err := c.d.Collections.List(ctx, f)
	for i := range found.Items {
		found.Items[i].Views += c.views.Pending(found.Items[i].ID)
	}
	return found, f.Paging, err
}

// Get returns a collection, by id or slug, to its owner with its items, and
// takes no view. It asks file.read_own. Returns NotFound for collections of
// others, too.
func (c *Collections) Get(ctx context.Context, who policy.Principal, idOrSlug string) (*Collection, []shares.File, error) {
	found, _, err := c.own(ctx, who, policy.FileReadOwn, idOrSlug)
	if err != nil {
		return nil, nil, err
	}
	found.Views += c.views.Pending(found.ID)
	items, err := c.d.Items.Items(ctx, found.ID)
	return found, items, err
}

// own finds a collection and asks whether who may do this to it, as that of
// Pastes.
func (c *Collections) own(ctx context.Context, who policy.Principal, do policy.Action, idOrSlug string) (*Collection, policy.Obligations, error) {
	found, missing := c.find(ctx, idOrSlug)
	if missing != nil && !ports.Is(missing, ports.NotFound) {
		return nil, policy.Obligations{}, missing
	}
	on := policy.Resource{Kind: policy.KindCollection, Owner: who.Owner()}
	if missing == nil {
		on = found.resource()
	}
	decision, err := policy.Check(ctx, c.d.Decider, who, do, on)
	if err != nil {
		return nil, decision.Obligations, gate.HideForeign(decision, err, errUnknown)
	}
	if missing != nil || found.ErasedAt != nil {
		return nil, decision.Obligations, errUnknown.With(missing)
	}
	return found, decision.Obligations, nil
}

func (c *Collections) find(ctx context.Context, idOrSlug string) (*Collection, error) {
	if naming.IsID(idOrSlug) {
		found, err := c.d.Collections.Get(ctx, idOrSlug)
		if !ports.Is(err, ports.NotFound) {
			return found, err
		}
	}
	if !naming.PossibleSlug(idOrSlug) {
		return nil, errUnknown
	}
	return c.d.Collections.BySlug(ctx, idOrSlug)
}

// Slugs returns the slugs of the collections that files are items of, by the ids
// of the collections. Nobody is asked: who may see a file may know its link.
func (c *Collections) Slugs(ctx context.Context, files []shares.File) (map[string]string, error) {
	slugs := map[string]string{}
	for i := range files {
		id := files[i].Collection
		if _, known := slugs[id]; id == "" || known {
			continue
		}
		of, err := c.d.Collections.Get(ctx, id)
		if ports.Is(err, ports.NotFound) {
			continue
		}
		if err != nil {
			return nil, err
		}
		slugs[id] = of.Slug
	}
	return slugs, nil
}
