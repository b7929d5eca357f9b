package shares

import (
	"bytes"
	"cmp"
	"context"
	"time"

	"pasteport/domain/shares/internal/gate"
	"pasteport/domain/shares/internal/naming"
	"pasteport/ports"
	"pasteport/ports/policy"
)

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
// Returns Invalid for bad input, TooLarge over the policy's limit, NotFound for
// an unknown paste or one of others, Gone when it has expired or is used up, Conflict when the new slug is
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
	gate gate.Change
	hash string // of the new password; empty without one
	by   string // who edits
	now  time.Time
}

// PlanUpdate is the first step of Update, as PlanCreate is that of Create.
func (p *Pastes) PlanUpdate(ctx context.Context, who policy.Principal, idOrSlug string, in PasteChange) (*PasteUpdatePlan, error) {
	now := p.d.Clock.Now()
	paste, o, err := p.own(ctx, who, policy.PasteUpdate, idOrSlug)
	if err != nil {
		return nil, err
	}
	if o.MaxSize > 0 && int64(len(in.Content)) > o.MaxSize {
		return nil, policy.Over("max_size", o.MaxSize)
	}
	if err := in.check(paste); err != nil {
		return nil, err
	}
	change, err := in.change().Fit(p.d.Settings.ShareLimits(), policy.Obligations{}, paste.Gate, now)
	if err != nil {
		return nil, err
	}
	if in.Slug.Set && in.Slug.Value == paste.Slug {
		in.Slug.Set = false
	}
	hash, err := p.hash(ctx, in.Password)
	return &PasteUpdatePlan{id: paste.ID, in: in, gate: change, hash: hash, by: who.Owner(), now: now}, err
}

// Apply is the second step of Update.
func (p *Pastes) Apply(ctx context.Context, plan *PasteUpdatePlan) (changed *Paste, err error) {
	seen := p.views.Take(plan.id) // they belong to the old limit
	change := func(slug string) error {
		return p.edited(ctx, Edit{PasteID: plan.id, Content: plan.in.Content, By: plan.by, At: plan.now}, func(ctx context.Context) error {
			changed, err = p.repo.Update(ctx, plan.id, func(e *Paste) error {
				e.Views += seen
				return plan.apply(e, slug)
			})
			return err
		})
	}
	if plan.in.Slug.Set {
		err = naming.WithSlug(p.d.Random, plan.in.Slug.Value, false, change)
	} else {
		err = change("")
	}
	if err != nil {
		p.views.GiveBack(plan.id, seen)
		return nil, err
	}
	p.Forget(ctx, plan.id)
	return changed, nil
}

// MayUpdate asks paste.update for a paste, by id or slug, and returns its id.
// Returns NotFound for pastes of others, too.
func (p *Pastes) MayUpdate(ctx context.Context, who policy.Principal, idOrSlug string) (string, error) {
	paste, _, err := p.own(ctx, who, policy.PasteUpdate, idOrSlug)
	if err != nil {
		return "", err
	}
	return paste.ID, nil
}

func (in PasteChange) check(old *Paste) error {
	if err := checkContent(in.Content); err != nil {
		return err
	}
	if in.Slug.Set && in.Slug.Value != "" && in.Slug.Value != old.Slug {
		if err := naming.CheckSlug(in.Slug.Value); err != nil {
			return err
		}
	}
	return cmp.Or(checkRemark(in.Remark.Value), naming.CheckSyntax(in.Syntax.Value))
}

func (in PasteChange) change() gate.Change {
	return gate.Change{ExpiresAt: in.ExpiresAt, MaxViews: in.MaxViews, Password: Field[string]{Set: in.Password != "" || in.ClearPassword, Value: in.Password}}
}

func (plan *PasteUpdatePlan) apply(e *Paste, slug string) error {
	in := plan.in
	if in.IfMatch != "" && in.IfMatch != e.ETag() {
		return errStale
	}
	after := e.Gate
	if in.ExpiresAt.Set { // a new end brings an expired paste back
		after.ExpiresAt = plan.gate.ExpiresAt.Value
	}
	if err := after.Closed(plan.now, false, pasteEnds); err != nil {
		return err
	}
	plan.gate.Apply(&e.Gate, plan.hash)
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
	e.UpdatedAt = plan.now
	e.Version++
	return nil
}

// Delete removes pastes and returns how many. Unknown ones and those of others
// are passed over. It asks paste.delete for each, and removes none when a rule
// of the site refuses one. Returns Invalid without ids and for more than
// MaxBatch.
func (p *Pastes) Delete(ctx context.Context, who policy.Principal, ids []string) (int, error) {
	if bad := CheckBatch(ids); bad != nil {
		_, err := policy.Check(ctx, p.d.Decider, who, policy.PasteDelete, policy.Resource{Kind: kindPaste, Owner: who.Owner()})
		return 0, cmp.Or(err, bad)
	}
	var mine []string
	for _, id := range ids {
		switch yes, err := p.mayDelete(ctx, who, id); {
		case err != nil:
			return 0, err
		case yes:
			mine = append(mine, id)
		}
	}
	if len(mine) == 0 {
		return 0, nil
	}
	n, err := p.repo.Delete(ctx, mine...)
	for _, id := range mine {
		p.Forget(ctx, id)
	}
	return n, err
}

// mayDelete asks for one paste of a batch; no for an unknown one and one of
// somebody else.
func (p *Pastes) mayDelete(ctx context.Context, who policy.Principal, id string) (bool, error) {
	on := policy.Resource{Kind: kindPaste, Owner: who.Owner()}
	paste, missing := p.repo.Get(ctx, id)
	switch {
	case missing == nil:
		on = pasteResource(paste, policy.ShareTerms{})
	case !ports.Is(missing, ports.NotFound):
		return false, missing
	}
	decision, err := policy.Check(ctx, p.d.Decider, who, policy.PasteDelete, on)
	if err = gate.HideForeign(decision, err, errPasteUnknown); ports.Is(err, ports.NotFound) {
		return false, nil
	}
	return err == nil && missing == nil && (decision.Scope == policy.All || who.Owns(on.Owner)), err
}

// ClearExpired deletes pastes that have expired or are used up and returns how
// many. It asks paste.clear_expired.
func (p *Pastes) ClearExpired(ctx context.Context, who policy.Principal) (int, error) {
	if _, err := policy.Check(ctx, p.d.Decider, who, policy.PasteClearExpired, policy.Resource{Kind: kindPaste}); err != nil {
		return 0, err
	}
	n, err := p.repo.ClearExpired(ctx, p.d.Clock.Now())
	if err == nil && n > 0 {
		p.cache.Empty()
		p.d.Publish(ctx, kindPaste, "")
	}
	return n, err
}
