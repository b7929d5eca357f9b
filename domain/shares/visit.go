package shares

import (
	"context"
	"errors"
	"strings"
	"sync/atomic"
	"time"

	"pasteport/domain/shares/internal/gate"
	"pasteport/domain/shares/internal/largetext"
	"pasteport/domain/shares/internal/naming"
	"pasteport/domain/shares/openings"
	"pasteport/ports"
	"pasteport/ports/policy"
)

// Snapshot is a paste as readers see it. It may be shared by many readers and
// must not be changed.
type Snapshot struct {
	Paste
	views atomic.Int64 // with those not stored yet
	memo  atomic.Value
	large *largetext.Content // what Content is a view of; nil when it is not large
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

// Large reports whether the content is shared with readers of other snapshots,
// so that nobody should make a copy of it for each.
func (s *Snapshot) Large() bool { return s.large != nil }

// ContentMemo is Memo for what make derives from a large content alone: it is
// kept as long as somebody reads this version of the paste.
func (s *Snapshot) ContentMemo(make func(content []byte) any) any {
	if m := s.large.Memo.Load(); m != nil {
		return m
	}
	m := make(s.Content)
	s.large.Memo.CompareAndSwap(nil, m)
	return m
}

// Visit is somebody who comes with a link.
type Visit struct {
	Slug     string
	Password string // as given; empty means none
	Ticket   string // of an earlier answer; empty means none
	Download string // what an earlier answer calls its downloads; empty means none
	// Uncounted marks requests that show no content, such as HEAD.
	Uncounted bool
	// Known reports whether the visitor holds the content with this entity tag
	// already; nil means no. Such a visit takes no view.
	Known func(etag string) bool
	// Admit is asked with the size of the content, in bytes, before the content
	// is loaded and a view is taken; its error ends the visit. Nil admits.
	Admit func(ctx context.Context, size int64) error
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
	return p.visit(ctx, openings.By{Who: who, How: openings.AsPage}, policy.ShareView, v, func(s *Snapshot) (Reading, error) {
		return Reading{Snapshot: s, Views: s.views.Load(), Locked: true}, nil
	})
}

// Raw is Read for callers who want content or an error: without the password of
// a protected paste it returns Unauthenticated. It asks share.view.
func (p *Pastes) Raw(ctx context.Context, who policy.Principal, v Visit) (Reading, error) {
	return p.visit(ctx, openings.By{Who: who, How: openings.AsRaw}, policy.ShareView, v, func(*Snapshot) (Reading, error) {
		return Reading{}, gate.ErrPasswordRequired
	})
}

// Verify is Raw for a password sent on purpose: a paste without password and a
// missing password are Invalid. It asks share.verify.
func (p *Pastes) Verify(ctx context.Context, who policy.Principal, v Visit) (Reading, error) {
	if v.Password == "" {
		if _, err := p.enter(ctx, who, policy.ShareVerify, v.Slug); err != nil && !ports.Is(err, ports.NotFound) {
			return Reading{}, err
		}
		return Reading{}, gate.ErrPasswordMissing
	}
	return p.visit(ctx, openings.By{Who: who, How: openings.AsPage}, policy.ShareVerify, v, nil)
}

// enter finds a paste for a visitor and asks whether it may be opened. The rules
// see which one it is; for what cannot be found they are asked all the same, so
// that who may open nothing learns nothing.
func (p *Pastes) enter(ctx context.Context, who policy.Principal, do policy.Action, slug string) (*Snapshot, error) {
	now := p.d.Clock.Now()
	s, missing := p.load(ctx, slug, now)
	on := policy.Resource{Kind: kindPaste, Slug: slug}
	if missing == nil {
		on = pasteResource(&s.Paste, s.Seen(now))
	}
	if _, err := policy.Check(ctx, p.d.Decider, who, do, on); err != nil {
		return nil, err
	}
	return s, missing
}

// pasteResource is what the rules see of a paste.
func pasteResource(p *Paste, terms policy.ShareTerms) policy.Resource {
	return policy.Resource{Kind: kindPaste, ID: p.ID, Slug: p.Slug, Owner: p.CreatedBy, Size: p.Size, Share: terms}
}

// visit lets a visitor in: load, ask, check the gate, take a view. locked
// answers when a password is needed and none was given; nil means that the
// paste must be protected.
func (p *Pastes) visit(ctx context.Context, by openings.By, do policy.Action, v Visit, locked func(*Snapshot) (Reading, error)) (Reading, error) {
	const tries = 3
	for try := 1; ; try++ {
		reading, err := p.tryVisit(ctx, by, do, v, locked)
		if try == tries || !errors.Is(err, errPasteChanged) {
			return reading, err
		}
	}
}

// tryVisit is visit, unless the paste changes meanwhile: then it returns
// errPasteChanged and has taken no view.
func (p *Pastes) tryVisit(ctx context.Context, by openings.By, do policy.Action, v Visit, locked func(*Snapshot) (Reading, error)) (Reading, error) {
	s, err := p.enter(ctx, by.Who, do, v.Slug)
	if err != nil {
		return Reading{}, err
	}
	admitted := v.Ticket != "" && p.guard.Admits(v.Ticket, s.ID, s.Version)
	if err := s.Shut(by.Who, p.d.Clock.Now(), admitted, pasteEnds); err != nil {
		return Reading{}, p.d.Openings.Refused(ctx, by, s.opening(), err)
	}
	switch {
	case admitted:
	case !s.Protected() && locked == nil:
		return Reading{}, gate.ErrNotProtected
	case s.Protected() && v.Password == "":
		return locked(s)
	case s.Protected():
		if err := p.guard.Unlock(ctx, p.lock(s), v.Password); err != nil {
			return Reading{}, p.d.Openings.Refused(ctx, by, s.opening(), err)
		}
	}
	if v.Known != nil && v.Known(s.ETag()) {
		return Reading{Snapshot: s, Views: s.views.Load(), Fresh: true}, nil
	}
	if v.Admit != nil {
		if err := v.Admit(ctx, s.Size); err != nil {
			return Reading{}, err
		}
	}
	if s, err = p.whole(ctx, s); err != nil {
		return Reading{}, err
	}
	if admitted || v.Uncounted {
		return Reading{Snapshot: s, Views: s.views.Load()}, nil
	}
	return p.take(ctx, by, s)
}

// whole gives a snapshot its content where load has left it out.
func (p *Pastes) whole(ctx context.Context, s *Snapshot) (*Snapshot, error) {
	if s.Content != nil || s.Size <= LargeContent {
		return s, nil
	}
	large, err := p.texts.Of(ctx, s.ID, s.Version)
	if ports.Is(err, ports.NotFound) {
		return nil, errPasteChanged
	}
	if err != nil {
		return nil, err
	}
	s.large, s.Content = large, large.Bytes
	return p.keep(s), nil
}

// keep puts a snapshot with its content into the cache.
func (p *Pastes) keep(s *Snapshot) *Snapshot {
	if s.Exact() || s.ErasedAt != nil {
		return s
	}
	cost := int64(len(s.Content)) + 1024
	if !s.Large() {
		cost += int64(len(s.Content)) // the rendered form, which is kept beside it
	}
	return p.cache.Put(s.Slug, s.ID, s, cost)
}

func (p *Pastes) lock(s *Snapshot) gate.Lock {
	return gate.Lock{ID: s.ID, Version: s.Version, Hash: s.PasswordHash, Renew: func(ctx context.Context, hash string) error {
		_, err := p.repo.Update(ctx, s.ID, func(e *Paste) error {
			if e.PasswordHash == s.PasswordHash {
				e.PasswordHash = hash
			}
			return nil
		})
		p.Forget(ctx, s.ID)
		return err
	}}
}

func (p *Paste) opening() openings.Opening {
	return openings.Opening{Kind: policy.KindPaste, ID: p.ID, Name: p.Remark, Owner: p.CreatedBy, Max: p.MaxViews}
}

// take counts a view before content leaves.
func (p *Pastes) take(ctx context.Context, by openings.By, s *Snapshot) (Reading, error) {
	r := Reading{Snapshot: s}
	if s.MaxViews > 0 || s.Protected() || s.KeyOnly {
		r.Ticket = p.guard.Ticket(s.ID, s.Version)
	}
	if s.MaxViews == 0 {
		p.views.Count(s.ID)
		r.Views = s.views.Add(1)
		p.d.Openings.Saw(ctx, by, s.opening(), r.Views)
		return r, nil
	}
	var err error
	if r.Views, err = p.d.Openings.Take(ctx, by, s.opening(), func(ctx context.Context) (int64, error) { return p.repo.TakeView(ctx, s.ID, p.d.Clock.Now()) }); err != nil {
		return Reading{}, p.d.Openings.Refused(ctx, by, s.opening(), s.Refused(err, p.d.Clock.Now(), pasteEnds))
	}
	r.Last = r.Views >= s.MaxViews
	return r, nil
}

// load finds a paste for a visitor. Only unlimited pastes are cached: the state
// of limited ones is what the database says now.
func (p *Pastes) load(ctx context.Context, slug string, now time.Time) (*Snapshot, error) {
	if s := p.cache.Get(slug, now); s != nil {
		return s, nil
	}
	if err := p.guard.Open(ctx); err != nil {
		return nil, err
	}
	if !naming.PossibleSlug(slug) {
		return nil, p.guard.Unknown(ctx, errPasteUnknown)
	}
	paste, err := p.repo.Visited(ctx, slug)
	if ports.Is(err, ports.NotFound) {
		return nil, p.guard.Unknown(ctx, errPasteUnknown.With(err))
	}
	if err != nil {
		return nil, err
	}
	s := &Snapshot{Paste: *paste}
	s.views.Store(paste.Views + p.views.Pending(paste.ID))
	if s.Content == nil {
		return s, nil // large, or erased
	}
	return p.keep(s), nil
}

// Peek is what can be told of a paste before it is opened.
type Peek struct {
	Slug      string
	Protected bool
	Counted   bool // it has a view limit
	Last      bool // opening it takes the last view
	// Size and ExpiresAt are zero when the share is protected.
	Size      int64
	ExpiresAt *time.Time
	Filename  string // of a file, unless protected
	MimeType  string // of a file, unless protected
	Syntax    string // of a paste, unless protected
	// Remark and Start, of a paste, are what everybody may see without taking a
	// view: empty when it is protected or has a view limit. Start is the
	// beginning of the text, StartLength bytes at most; empty for large texts.
	Remark string
	Start  string
}

// PeekOf is what a gate lets everybody know of a share.
func PeekOf(g *Gate, slug string) Peek {
	p := Peek{Slug: slug, Protected: g.Protected(), Counted: g.MaxViews > 0, Last: g.MaxViews > 0 && g.Views == g.MaxViews-1}
	if !p.Protected {
		p.ExpiresAt = g.ExpiresAt
	}
	return p
}

// StartLength is how much of a text Peek tells, in bytes.
const StartLength = 1 << 10

// Peek tells what a paste is without opening it. It takes no view and asks
// share.view. Returns NotFound and Gone as Read does.
func (p *Pastes) Peek(ctx context.Context, who policy.Principal, slug string) (Peek, error) {
	s, err := p.enter(ctx, who, policy.ShareView, slug)
	if err != nil {
		return Peek{}, err
	}
	if err := s.Shut(who, p.d.Clock.Now(), false, pasteEnds); err != nil {
		return Peek{}, p.d.Openings.Refused(ctx, openings.By{Who: who, How: openings.AsPage}, s.opening(), err)
	}
	peek := PeekOf(&s.Gate, slug)
	if !s.Protected() {
		peek.Size, peek.Syntax = s.Size, s.Syntax
	}
	if !s.Protected() && s.MaxViews == 0 {
		peek.Remark = s.Remark
		peek.Start = strings.ToValidUTF8(string(s.Content[:min(len(s.Content), StartLength)]), "")
	}
	return peek, nil
}
