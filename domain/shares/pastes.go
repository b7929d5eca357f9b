package shares

import (
	"cmp"
	"context"
	"strconv"
	"time"
	"unicode/utf8"

	"pasteport/domain/internal/cache"
	"pasteport/domain/shares/internal/gate"
	"pasteport/domain/shares/internal/largetext"
	"pasteport/domain/shares/internal/naming"
	"pasteport/domain/shares/internal/slugcache"
	"pasteport/domain/shares/internal/views"
	"pasteport/ports"
	"pasteport/ports/policy"
)

// MaxContent is the largest content of a paste, in bytes (spec §5).
const MaxContent = 10 << 20

// kindPaste names pastes in policy resources and messages to other nodes.
const kindPaste = policy.KindPaste

// Pastes are the shared texts. It is safe for concurrent use. Somebody must
// call Run once, so that counted views are stored.
type Pastes struct {
	d     Deps
	repo  PasteRepository
	guard *gate.Guard
	views *views.Counter
	cache *slugcache.Cache[Snapshot]
	texts *largetext.Texts
}

// NewPastes returns the shared texts over the ports of d.
func NewPastes(d Deps) *Pastes {
	size := d.CacheBytes
	if size == 0 {
		size = 64 << 20
	}
	return &Pastes{d: d, repo: d.Pastes, guard: d.Guard(), views: views.New(d.Pastes.AddViews), cache: slugcache.New[Snapshot](size, d.Clock),
		texts: largetext.New(d.Pastes)}
}

// Run stores counted views each second and listens to other nodes until ctx
// ends; then it stores the rest and returns.
func (p *Pastes) Run(ctx context.Context) {
	if p.d.Invalidation != nil {
		p.d.Invalidation.Subscribe(ctx, kindPaste, func(id string) {
			if id == "" {
				p.cache.Empty()
			} else {
				p.cache.Drop(id)
			}
		})
	}
	p.views.Run(ctx, p.d.Tell)
}

// CacheUse is how a cache of shares is used.
type CacheUse = cache.Use

// CacheUse tells how the cache of pastes was used, for a caller who has asked
// admin.stats.read.
func (p *Pastes) CacheUse() CacheUse { return p.cache.Use() }

// ClearCache forgets the cached pastes and tells how many there were, for a
// caller who has asked admin.cache.write.
func (p *Pastes) ClearCache() int { return p.cache.Empty() }

// Flush stores the views counted so far.
func (p *Pastes) Flush(ctx context.Context) error { return p.views.Flush(ctx) }

// NewPaste is what a paste is made of.
type NewPaste struct {
	Content     []byte // UTF-8, 1 byte to MaxContent
	Slug        string // empty means a generated one
	Unguessable bool   // the generated slug is long
	Syntax      string
	Remark      string
	Terms
}

// Create stores a new paste. It asks paste.create.
//
// Returns Invalid for bad input and Conflict when the slug is taken.
func (p *Pastes) Create(ctx context.Context, who policy.Principal, in NewPaste) (*Paste, error) {
	plan, err := p.PlanCreate(ctx, who, in)
	if err != nil {
		return nil, err
	}
	return p.Store(ctx, plan)
}

// PastePlan is a paste that may be stored.
type PastePlan struct {
	paste       Paste
	unguessable bool
}

// PlanCreate is the first step of Create: it asks, checks and hashes. It changes
// nothing, so it may run before a transaction that Store joins.
func (p *Pastes) PlanCreate(ctx context.Context, who policy.Principal, in NewPaste) (*PastePlan, error) {
	now, limits := p.d.Clock.Now(), p.d.Settings.ShareLimits()
	in.Terms = in.Bounded(limits, now)
	terms := in.Resource(now)
	decision, err := policy.Check(ctx, p.d.Decider, who, policy.PasteCreate,
		policy.Resource{Kind: kindPaste, Owner: who.Owner(), Size: int64(len(in.Content)), Share: terms})
	if err != nil {
		return nil, err
	}
	if err := in.check(now); err != nil {
		return nil, err
	}
	if err := in.Obey(limits, decision.Obligations, now, int64(len(in.Content))); err != nil {
		return nil, err
	}
	hash, err := p.hash(ctx, in.Password)
	return &PastePlan{unguessable: in.Unguessable, paste: Paste{
		ID: p.d.Random.ID(), Slug: in.Slug, Content: in.Content, Size: int64(len(in.Content)), Syntax: in.Syntax, Remark: in.Remark,
		Gate:      in.Gate(hash),
		CreatedBy: who.Owner(), CreatedAt: now, UpdatedAt: now, Version: 1,
	}}, err
}

// Store is the second step of Create.
func (p *Pastes) Store(ctx context.Context, plan *PastePlan) (*Paste, error) {
	paste := plan.paste
	err := naming.WithSlug(p.d.Random, paste.Slug, plan.unguessable, func(slug string) error {
		paste.Slug = slug
		return p.repo.Insert(ctx, &paste)
	})
	if err != nil {
		return nil, err
	}
	return &paste, nil
}

// hash hashes a password; none has no hash.
func (p *Pastes) hash(ctx context.Context, password string) (string, error) {
	if password == "" {
		return "", nil
	}
	return p.d.Hasher.Hash(ctx, password)
}

func (in NewPaste) check(now time.Time) error {
	if err := checkContent(in.Content); err != nil {
		return err
	}
	if in.Slug != "" {
		if err := naming.CheckSlug(in.Slug); err != nil {
			return err
		}
	}
	return cmp.Or(checkRemark(in.Remark), naming.CheckSyntax(in.Syntax), in.Terms.Check(now))
}

func checkContent(content []byte) error {
	switch {
	case len(content) == 0:
		return errContentEmpty
	case len(content) > MaxContent:
		return errContentTooLarge
	case !utf8.Valid(content):
		return ports.InvalidInput("not_utf8", "content")
	}
	return nil
}

// List gives one page of pastes, newest first: their own to keys, all or one
// creator's to the admin. The content comes whole to keys and as a preview to
// the admin. It asks paste.list and obeys its scope.
func (p *Pastes) List(ctx context.Context, who policy.Principal, f PasteFilter) (ports.Page[Paste], ports.Paging, error) {
	decision, err := policy.Check(ctx, p.d.Decider, who, policy.PasteList, policy.Resource{Kind: kindPaste, Owner: who.Owner()})
	if err != nil {
		return ports.Page[Paste]{}, ports.Paging{}, err
	}
	normal := 10
	f.Content, f.SearchAll = ContentPreview, false
	if who.Kind == policy.APIKey {
		normal = 30
		f.Content, f.SearchAll = WholeContent, true
	}
	if decision.Scope != policy.All {
		f.CreatedBy = who.Owner()
	}
	f.Paging, f.Sort = gate.Page(f.Paging, normal, decision.Obligations), f.Sort.known(p.d.Clock.Now())
	found, err := p.repo.List(ctx, f)
	for i := range found.Items {
		found.Items[i].Views += p.views.Pending(found.Items[i].ID)
	}
	return found, f.Paging, err
}

// Get returns a paste to its owner, by id or slug, and takes no view. It asks
// paste.read_own. Returns NotFound for pastes of others, too.
func (p *Pastes) Get(ctx context.Context, who policy.Principal, idOrSlug string) (*Paste, error) {
	paste, _, err := p.own(ctx, who, policy.PasteReadOwn, idOrSlug)
	if err != nil {
		return nil, err
	}
	paste.Views += p.views.Pending(paste.ID)
	return paste, nil
}

// own finds a paste and asks whether who may do this to it, and within what
// limits. For a paste that does not exist it asks as for one's own, so that a
// caller without the right learns nothing.
func (p *Pastes) own(ctx context.Context, who policy.Principal, do policy.Action, idOrSlug string) (*Paste, policy.Obligations, error) {
	paste, missing := p.find(ctx, idOrSlug)
	if missing != nil && !ports.Is(missing, ports.NotFound) {
		return nil, policy.Obligations{}, missing
	}
	on := policy.Resource{Kind: kindPaste, Owner: who.Owner()}
	if missing == nil {
		on = pasteResource(paste, policy.ShareTerms{})
	}
	decision, err := policy.Check(ctx, p.d.Decider, who, do, on)
	if err != nil {
		return nil, decision.Obligations, gate.HideForeign(decision, err, errPasteUnknown)
	}
	if missing != nil {
		return nil, decision.Obligations, errPasteUnknown.With(missing)
	}
	return paste, decision.Obligations, nil
}

func (p *Pastes) find(ctx context.Context, idOrSlug string) (*Paste, error) {
	if naming.IsID(idOrSlug) {
		paste, err := p.repo.Get(ctx, idOrSlug)
		if !ports.Is(err, ports.NotFound) {
			return paste, err
		}
	}
	if !naming.PossibleSlug(idOrSlug) {
		return nil, errPasteUnknown
	}
	return p.repo.BySlug(ctx, idOrSlug)
}

// Numbers counts pastes, in all and by day, for a caller who has asked
// admin.stats.read.
func (p *Pastes) Numbers(ctx context.Context, days int) (Numbers, error) {
	total, perDay, err := p.repo.CountByDay(ctx, p.d.Clock.Now(), days)
	return Numbers{Total: total, PerDay: perDay}, err
}

// forget drops a changed paste here and on other nodes.
func (p *Pastes) Forget(ctx context.Context, id string) {
	p.cache.Drop(id)
	p.d.Publish(ctx, kindPaste, id)
}

// ETag identifies a paste in one version; views do not change it. It is quoted.
func (p *Paste) ETag() string {
	return `"` + p.ID + "." + strconv.FormatInt(p.Version, 10) + `"`
}
