package shares

import (
	"bytes"
	"context"
	"strconv"
	"sync/atomic"
	"time"
	"unicode/utf8"

	"pasteport/ports"
	"pasteport/ports/policy"
)

// MaxContent is the largest content of a paste, in bytes (spec §5).
const MaxContent = 10 << 20

// kindPaste names pastes in policy resources and messages to other nodes.
const kindPaste = "paste"

// Pastes are the shared texts. It is safe for concurrent use. Somebody must
// call Run once, so that counted views are stored.
type Pastes struct {
	d     Deps
	repo  PasteRepository
	guard *guard
	views *counter
	cache *cache[Snapshot]
}

// NewPastes returns the shared texts over the ports of d.
func NewPastes(d Deps) *Pastes {
	size := d.CacheBytes
	if size == 0 {
		size = 64 << 20
	}
	p := &Pastes{d: d, repo: d.Pastes, guard: newGuard(d), views: &counter{add: d.Pastes.AddViews}, cache: newCache[Snapshot](size, d.Clock)}
	return p
}

// Run stores counted views each second and listens to other nodes until ctx
// ends; then it stores the rest and returns.
func (p *Pastes) Run(ctx context.Context) {
	if p.d.Invalidation != nil {
		p.d.Invalidation.Subscribe(ctx, kindPaste, func(id string) {
			if id == "" {
				p.cache.empty()
			} else {
				p.cache.drop(id)
			}
		})
	}
	p.d.run(ctx, p.views.Flush)
}

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
	now := p.d.Clock.Now()
	terms := in.resource(now)
	decision, err := policy.Check(ctx, p.d.Decider, who, policy.PasteCreate,
		policy.Resource{Kind: kindPaste, Owner: who.Owner(), Size: int64(len(in.Content)), Share: terms})
	if err != nil {
		return nil, err
	}
	if err := in.check(now); err != nil {
		return nil, err
	}
	if err := keep(decision.Obligations, terms, int64(len(in.Content))); err != nil {
		return nil, err
	}
	hash, err := p.hash(ctx, in.Password)
	return &PastePlan{unguessable: in.Unguessable, paste: Paste{
		ID: p.d.Random.ID(), Slug: in.Slug, Content: in.Content, Size: int64(len(in.Content)), Syntax: in.Syntax, Remark: in.Remark,
		Gate:      Gate{PasswordHash: hash, ExpiresAt: utc(in.ExpiresAt), MaxViews: in.MaxViews},
		CreatedBy: who.Owner(), CreatedAt: now, UpdatedAt: now, Version: 1,
	}}, err
}

// Store is the second step of Create.
func (p *Pastes) Store(ctx context.Context, plan *PastePlan) (*Paste, error) {
	paste := plan.paste
	err := withSlug(p.d.Random, paste.Slug, plan.unguessable, func(slug string) error {
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
		if err := CheckSlug(in.Slug); err != nil {
			return err
		}
	}
	return first(checkRemark(in.Remark), checkSyntax(in.Syntax), in.Terms.check(now))
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

// Snapshot is a paste as readers see it. It may be shared by many readers and
// must not be changed.
type Snapshot struct {
	Paste
	views atomic.Int64 // with those not stored yet
	memo  atomic.Value
}

// Memo returns what make derived from the paste, keeping it as long as the
// snapshot lives. All callers must use the same type.
func (s *Snapshot) Memo(make func(*Paste) any) any {
	if m := s.memo.Load(); m != nil {
		return m
	}
	m := make(&s.Paste)
	s.memo.CompareAndSwap(nil, m)
	return m
}

// Visit is somebody who comes with a link.
type Visit struct {
	Slug     string
	Password string // as given; empty means none
	Ticket   string // of an earlier answer; empty means none
	// Uncounted marks requests that show no content, such as HEAD.
	Uncounted bool
	// Known reports whether the visitor holds the content with this entity tag
	// already; nil means no. Such a visit takes no view.
	Known func(etag string) bool
}

// Reading is what a visitor gets of a paste.
type Reading struct {
	*Snapshot
	Views  int64 // after this visit
	Last   bool  // this was the last view
	Locked bool  // a password is needed; the content must not be shown
	Fresh  bool  // the visitor holds the content already
	Ticket string
}

// Read returns a paste to a visitor and takes a view, or a locked reading when
// a password is needed and none was given. It asks share.view.
//
// Returns NotFound for an unknown slug, Gone when the paste has expired or its
// views are used up, Unauthenticated for a wrong password.
func (p *Pastes) Read(ctx context.Context, who policy.Principal, v Visit) (Reading, error) {
	return p.visit(ctx, who, policy.ShareView, v, func(s *Snapshot) (Reading, error) {
		return Reading{Snapshot: s, Views: s.views.Load(), Locked: true}, nil
	})
}

// Raw is Read for callers who want content or an error: without the password of
// a protected paste it returns Unauthenticated. It asks share.view.
func (p *Pastes) Raw(ctx context.Context, who policy.Principal, v Visit) (Reading, error) {
	return p.visit(ctx, who, policy.ShareView, v, func(*Snapshot) (Reading, error) {
		return Reading{}, errPasswordRequired
	})
}

// Verify is Raw for a password sent on purpose: a paste without password and a
// missing password are Invalid. It asks share.verify.
func (p *Pastes) Verify(ctx context.Context, who policy.Principal, v Visit) (Reading, error) {
	if v.Password == "" {
		if _, err := policy.Check(ctx, p.d.Decider, who, policy.ShareVerify, policy.Resource{Kind: kindPaste}); err != nil {
			return Reading{}, err
		}
		return Reading{}, errPasswordMissing
	}
	return p.visit(ctx, who, policy.ShareVerify, v, nil)
}

// visit lets a visitor in: ask, load, check the gate, take a view. locked
// answers when a password is needed and none was given; nil means that the
// paste must be protected.
func (p *Pastes) visit(ctx context.Context, who policy.Principal, do policy.Action, v Visit, locked func(*Snapshot) (Reading, error)) (Reading, error) {
	if _, err := policy.Check(ctx, p.d.Decider, who, do, policy.Resource{Kind: kindPaste}); err != nil {
		return Reading{}, err
	}
	s, err := p.load(ctx, v.Slug)
	if err != nil {
		return Reading{}, err
	}
	admitted := v.Ticket != "" && p.guard.admits(v.Ticket, s.ID, s.Version)
	if err := s.closed(p.d.Clock.Now(), admitted, errPasteExpired, errPasteUsedUp); err != nil {
		return Reading{}, err
	}
	switch {
	case admitted:
	case !s.Protected() && locked == nil:
		return Reading{}, errNotProtected
	case s.Protected() && v.Password == "":
		return locked(s)
	case s.Protected():
		if err := p.guard.unlock(ctx, p.lock(s), v.Password); err != nil {
			return Reading{}, err
		}
	}
	fresh := v.Known != nil && v.Known(s.ETag())
	if admitted || fresh || v.Uncounted {
		return Reading{Snapshot: s, Views: s.views.Load(), Fresh: fresh}, nil
	}
	return p.take(ctx, s)
}

func (p *Pastes) lock(s *Snapshot) lock {
	return lock{s.ID, s.Version, s.PasswordHash, func(ctx context.Context, hash string) error {
		_, err := p.repo.Update(ctx, s.ID, func(e *Paste) error {
			if e.PasswordHash == s.PasswordHash {
				e.PasswordHash = hash
			}
			return nil
		})
		p.forget(ctx, s.ID)
		return err
	}}
}

// take counts a view before content leaves.
func (p *Pastes) take(ctx context.Context, s *Snapshot) (Reading, error) {
	r := Reading{Snapshot: s}
	if s.MaxViews > 0 || s.Protected() {
		r.Ticket = p.guard.ticket(s.ID, s.Version)
	}
	if s.MaxViews == 0 {
		p.views.count(s.ID)
		r.Views = s.views.Add(1)
		return r, nil
	}
	var err error
	if r.Views, err = p.repo.TakeView(ctx, s.ID, p.d.Clock.Now()); err != nil {
		return Reading{}, gone(err, &s.Gate, p.d.Clock.Now(), errPasteExpired, errPasteUsedUp, errPasteUnknown)
	}
	r.Last = r.Views >= s.MaxViews
	return r, nil
}

// load finds a paste for a visitor. Only unlimited pastes are cached: the state
// of limited ones is what the database says now.
func (p *Pastes) load(ctx context.Context, slug string) (*Snapshot, error) {
	if s := p.cache.get(slug); s != nil {
		return s, nil
	}
	if err := p.guard.open(ctx); err != nil {
		return nil, err
	}
	if !possibleSlug(slug) {
		return nil, p.guard.unknown(ctx, errPasteUnknown)
	}
	paste, err := p.repo.BySlug(ctx, slug)
	if ports.Is(err, ports.NotFound) {
		return nil, p.guard.unknown(ctx, errPasteUnknown.With(err))
	}
	if err != nil {
		return nil, err
	}
	s := &Snapshot{Paste: *paste}
	s.views.Store(paste.Views + p.views.pending(paste.ID))
	if s.MaxViews != 0 || s.ErasedAt != nil {
		return s, nil
	}
	// A reader keeps the content and about as much of rendered form.
	return p.cache.put(slug, paste.ID, s, 2*int64(len(paste.Content))+1024), nil
}

// Peek is what can be told of a paste before it is opened.
type Peek struct {
	Slug      string
	Protected bool
	Last      bool // opening it takes the last view
	// Size and ExpiresAt are zero when the share is protected.
	Size      int64
	ExpiresAt *time.Time
	Filename  string // of a file, unless protected
	MimeType  string // of a file, unless protected
}

// Peek tells what a paste is without opening it. It takes no view and asks
// share.view. Returns NotFound and Gone as Read does.
func (p *Pastes) Peek(ctx context.Context, who policy.Principal, slug string) (Peek, error) {
	if _, err := policy.Check(ctx, p.d.Decider, who, policy.ShareView, policy.Resource{Kind: kindPaste}); err != nil {
		return Peek{}, err
	}
	s, err := p.load(ctx, slug)
	if err != nil {
		return Peek{}, err
	}
	if err := s.closed(p.d.Clock.Now(), false, errPasteExpired, errPasteUsedUp); err != nil {
		return Peek{}, err
	}
	peek := s.peek(slug)
	if !s.Protected() {
		peek.Size = s.Size
	}
	return peek, nil
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
	f.Paging = page(f.Paging, normal, decision.Obligations)
	found, err := p.repo.List(ctx, f)
	for i := range found.Items {
		found.Items[i].Views += p.views.pending(found.Items[i].ID)
	}
	return found, f.Paging, err
}

// Get returns a paste to its owner, by id or slug, and takes no view. It asks
// paste.read_own. Returns NotFound for pastes of others, too.
func (p *Pastes) Get(ctx context.Context, who policy.Principal, idOrSlug string) (*Paste, error) {
	paste, err := p.own(ctx, who, policy.PasteReadOwn, idOrSlug, policy.ShareTerms{})
	if err != nil {
		return nil, err
	}
	paste.Views += p.views.pending(paste.ID)
	return paste, nil
}

// own finds a paste and asks whether who may do this to it. For a paste that
// does not exist it asks as for one's own, so that a caller without the right
// learns nothing.
func (p *Pastes) own(ctx context.Context, who policy.Principal, do policy.Action, idOrSlug string, terms policy.ShareTerms) (*Paste, error) {
	paste, missing := p.find(ctx, idOrSlug)
	if missing != nil && !ports.Is(missing, ports.NotFound) {
		return nil, missing
	}
	on := policy.Resource{Kind: kindPaste, Owner: who.Owner(), Share: terms}
	if missing == nil {
		on.ID, on.Owner, on.Size = paste.ID, paste.CreatedBy, paste.Size
	}
	decision, err := policy.Check(ctx, p.d.Decider, who, do, on)
	if err != nil {
		return nil, hideForeign(decision, err, errPasteUnknown)
	}
	if missing != nil {
		return nil, errPasteUnknown.With(missing)
	}
	if err := keep(decision.Obligations, terms, 0); terms != (policy.ShareTerms{}) && err != nil {
		return nil, err
	}
	return paste, nil
}

func (p *Pastes) find(ctx context.Context, idOrSlug string) (*Paste, error) {
	if looksLikeID(idOrSlug) {
		paste, err := p.repo.Get(ctx, idOrSlug)
		if !ports.Is(err, ports.NotFound) {
			return paste, err
		}
	}
	if !possibleSlug(idOrSlug) {
		return nil, errPasteUnknown
	}
	return p.repo.BySlug(ctx, idOrSlug)
}

// PasteChange is an update of a paste. What is not set stays.
type PasteChange struct {
	Content       []byte // always set: replaces the content
	Remark        Field[string]
	Syntax        Field[string]
	ExpiresAt     Field[*time.Time] // nil means never
	MaxViews      Field[int64]      // setting it starts the count anew
	Password      string            // not empty: the new one
	ClearPassword bool              // obeyed when Password is empty
	Slug          Field[string]     // empty means a generated one
	// IfMatch is the ETag the paste must still have; empty means any.
	IfMatch string
}

// Update changes a paste, by id or slug. A new expiry brings an expired paste
// back while its content is there. It asks paste.update.
//
// Returns Invalid for bad input, NotFound for an unknown paste or one of
// others, Gone when it has expired or is used up, Conflict when the new slug is
// taken, Precondition when IfMatch does not hold.
func (p *Pastes) Update(ctx context.Context, who policy.Principal, idOrSlug string, in PasteChange) (*Paste, error) {
	plan, err := p.PlanUpdate(ctx, who, idOrSlug, in)
	if err != nil {
		return nil, err
	}
	return p.Apply(ctx, plan)
}

// PasteUpdatePlan is a change that may be made.
type PasteUpdatePlan struct {
	id   string
	in   PasteChange
	hash string // of the new password; empty without one
	now  time.Time
}

// PlanUpdate is the first step of Update, as PlanCreate is that of Create.
func (p *Pastes) PlanUpdate(ctx context.Context, who policy.Principal, idOrSlug string, in PasteChange) (*PasteUpdatePlan, error) {
	now := p.d.Clock.Now()
	paste, err := p.own(ctx, who, policy.PasteUpdate, idOrSlug, policy.ShareTerms{})
	if err != nil {
		return nil, err
	}
	if err := in.check(paste, now); err != nil {
		return nil, err
	}
	if in.Slug.Set && in.Slug.Value == paste.Slug {
		in.Slug.Set = false
	}
	hash, err := p.hash(ctx, in.Password)
	return &PasteUpdatePlan{id: paste.ID, in: in, hash: hash, now: now}, err
}

// Apply is the second step of Update.
func (p *Pastes) Apply(ctx context.Context, plan *PasteUpdatePlan) (changed *Paste, err error) {
	seen := p.views.take(plan.id) // they belong to the old limit
	change := func(slug string) error {
		changed, err = p.repo.Update(ctx, plan.id, func(e *Paste) error {
			e.Views += seen
			return plan.in.apply(e, slug, plan.hash, plan.now)
		})
		return err
	}
	if plan.in.Slug.Set {
		err = withSlug(p.d.Random, plan.in.Slug.Value, false, change)
	} else {
		err = change("")
	}
	if err != nil {
		p.views.giveBack(plan.id, seen)
		return nil, err
	}
	p.forget(ctx, plan.id)
	return changed, nil
}

func (in PasteChange) check(old *Paste, now time.Time) error {
	if err := checkContent(in.Content); err != nil {
		return err
	}
	if in.Slug.Set && in.Slug.Value != "" && in.Slug.Value != old.Slug {
		if err := CheckSlug(in.Slug.Value); err != nil {
			return err
		}
	}
	terms := Terms{Password: in.Password, MaxViews: in.MaxViews.Value}
	if !sameTime(in.ExpiresAt.Value, old.ExpiresAt) {
		terms.ExpiresAt = in.ExpiresAt.Value
	}
	return first(checkRemark(in.Remark.Value), checkSyntax(in.Syntax.Value), terms.check(now))
}

func (in PasteChange) apply(e *Paste, slug, hash string, now time.Time) error {
	if in.IfMatch != "" && in.IfMatch != e.ETag() {
		return errStale
	}
	if in.ExpiresAt.Set {
		e.ExpiresAt = utc(in.ExpiresAt.Value)
	}
	if err := e.closed(now, false, errPasteExpired, errPasteUsedUp); err != nil {
		return err
	}
	if slug != "" {
		e.Slug = slug
	}
	e.Content, e.Size = bytes.Clone(in.Content), int64(len(in.Content))
	if in.Remark.Set {
		e.Remark = in.Remark.Value
	}
	if in.Syntax.Set {
		e.Syntax = in.Syntax.Value
	}
	if in.MaxViews.Set {
		e.MaxViews, e.Views = in.MaxViews.Value, 0
	}
	switch {
	case hash != "":
		e.PasswordHash = hash
	case in.ClearPassword:
		e.PasswordHash = ""
	}
	e.UpdatedAt = now
	e.Version++
	return nil
}

// Delete removes pastes and returns how many. Unknown ones and those of others
// are passed over. It asks paste.delete. Returns Invalid without ids and for
// more than MaxBatch.
func (p *Pastes) Delete(ctx context.Context, who policy.Principal, ids []string) (int, error) {
	decision, err := policy.Check(ctx, p.d.Decider, who, policy.PasteDelete, policy.Resource{Kind: kindPaste, Owner: who.Owner()})
	if err != nil {
		return 0, err
	}
	if err := checkBatch(ids); err != nil {
		return 0, err
	}
	if decision.Scope != policy.All {
		if ids, err = p.owned(ctx, who, ids); err != nil || len(ids) == 0 {
			return 0, err
		}
	}
	n, err := p.repo.Delete(ctx, ids...)
	for _, id := range ids {
		p.forget(ctx, id)
	}
	return n, err
}

func (p *Pastes) owned(ctx context.Context, who policy.Principal, ids []string) ([]string, error) {
	var own []string
	for _, id := range ids {
		paste, err := p.repo.Get(ctx, id)
		if err != nil && !ports.Is(err, ports.NotFound) {
			return nil, err
		}
		if err == nil && who.Owns(paste.CreatedBy) {
			own = append(own, id)
		}
	}
	return own, nil
}

// ClearExpired deletes pastes that have expired or are used up and returns how
// many. It asks paste.clear_expired.
func (p *Pastes) ClearExpired(ctx context.Context, who policy.Principal) (int, error) {
	if _, err := policy.Check(ctx, p.d.Decider, who, policy.PasteClearExpired, policy.Resource{Kind: kindPaste}); err != nil {
		return 0, err
	}
	n, err := p.repo.ClearExpired(ctx, p.d.Clock.Now())
	if err == nil && n > 0 {
		p.cache.empty()
		p.d.publish(ctx, kindPaste, "")
	}
	return n, err
}

// Numbers counts pastes, in all and by day, for a caller who has asked
// admin.stats.read.
func (p *Pastes) Numbers(ctx context.Context, days int) (Numbers, error) {
	total, perDay, err := p.repo.CountByDay(ctx, p.d.Clock.Now(), days)
	return Numbers{Total: total, PerDay: perDay}, err
}

// forget drops a changed paste here and on other nodes.
func (p *Pastes) forget(ctx context.Context, id string) {
	p.cache.drop(id)
	p.d.publish(ctx, kindPaste, id)
}

// ETag identifies a paste in one version; views do not change it. It is quoted.
func (p *Paste) ETag() string {
	return `"` + p.ID + "." + strconv.FormatInt(p.Version, 10) + `"`
}
