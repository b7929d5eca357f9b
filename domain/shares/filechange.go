package shares

import (
	"context"
	"time"

	"pasteport/domain/shares/internal/naming"
	"pasteport/ports"
	"pasteport/ports/policy"
)

// FileChange is an update of a file. What is not set stays.
type FileChange struct {
	Remark    Field[string]
	Slug      Field[string] // empty keeps the old one
	ExpiresAt Field[*time.Time]
	MaxViews  Field[int64]  // setting it starts the count anew
	Password  Field[string] // empty removes it
	UseProxy  Field[bool]
}

func (in FileChange) empty() bool {
	return !(in.Remark.Set || in.Slug.Set || in.ExpiresAt.Set || in.MaxViews.Set || in.Password.Set || in.UseProxy.Set)
}

// gate reports whether a change sets what an item of a collection does not have:
// a link or a gate of its own.
func (in FileChange) gate() bool {
	return in.Slug.Value != "" || in.Password.Value != "" || in.ExpiresAt.Value != nil || in.MaxViews.Value != 0
}

// Update changes a file. It asks file.update.
//
// Returns Invalid for bad input and for a key that names no field, NotFound for
// an unknown file or one of others, Conflict when the slug is taken.
func (f *Files) Update(ctx context.Context, who policy.Principal, id string, in FileChange) (*File, error) {
	plan, err := f.PlanUpdate(ctx, who, id, in)
	if err != nil {
		return nil, err
	}
	return f.Apply(ctx, plan)
}

// FileUpdatePlan is a change that may be made.
type FileUpdatePlan struct {
	id   string
	in   FileChange
	hash string // of the new password; empty without one
	now  time.Time
}

// PlanUpdate is the first step of Update: it asks, checks and hashes. It changes
// nothing, so it may run before a transaction that Apply joins.
func (f *Files) PlanUpdate(ctx context.Context, who policy.Principal, id string, in FileChange) (*FileUpdatePlan, error) {
	now := f.d.Clock.Now()
	file, decision, err := f.own(ctx, who, policy.FileUpdate, id)
	if err != nil {
		return nil, hideForeign(decision, err, ErrFileUnknown)
	}
	if in.Slug.Value == file.Slug {
		in.Slug.Value = ""
	}
	if file.Collection != "" && in.gate() {
		return nil, errItemGate
	}
	if err := in.check(who, file, now); err != nil {
		return nil, err
	}
	limits := f.d.Settings.ShareLimits()
	if err := limited(limits, &in.ExpiresAt, &in.MaxViews, file.Gate, now); err != nil {
		return nil, err
	}
	if limits.Password && in.Password.Set && in.Password.Value == "" && file.Protected() {
		return nil, overPolicy("share_password", 1)
	}
	after := *file
	in.apply(&after, "", now)
	terms := shareTerms(after.Protected() || in.Password.Value != "", after.ExpiresAt, after.MaxViews, now)
	if err := keep(decision.Obligations, terms, 0); err != nil {
		return nil, err
	}
	plan := &FileUpdatePlan{id: id, in: in, now: now}
	if in.Password.Value != "" {
		plan.hash, err = f.d.Hasher.Hash(ctx, in.Password.Value)
	}
	return plan, err
}

// Apply is the second step of Update.
func (f *Files) Apply(ctx context.Context, plan *FileUpdatePlan) (*File, error) {
	seen := f.views.Take(plan.id) // they belong to the old limit
	changed, err := f.repo.Update(ctx, plan.id, func(e *File) error {
		if e.ErasedAt != nil {
			return ErrFileUnknown
		}
		if e.Collection != "" && plan.in.gate() {
			return errItemGate
		}
		e.Views += seen
		plan.in.apply(e, plan.hash, plan.now)
		return nil
	})
	if err != nil {
		f.views.GiveBack(plan.id, seen)
		return nil, err
	}
	f.forget(ctx, plan.id)
	return changed, nil
}

func (in FileChange) check(who policy.Principal, old *File, now time.Time) error {
	if in.empty() && who.Kind == policy.APIKey {
		return ports.InvalidInput("nothing_to_change", "body")
	}
	if in.Slug.Value != "" {
		if err := naming.CheckSlug(in.Slug.Value); err != nil {
			return err
		}
	}
	terms := Terms{Password: in.Password.Value, MaxViews: in.MaxViews.Value}
	if !sameTime(in.ExpiresAt.Value, old.ExpiresAt) {
		terms.ExpiresAt = in.ExpiresAt.Value
	}
	return first(checkRemark(in.Remark.Value), terms.check(now))
}

func (in FileChange) apply(e *File, hash string, now time.Time) {
	if in.Remark.Set {
		e.Remark = in.Remark.Value
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
	if in.UseProxy.Set {
		e.UseProxy = in.UseProxy.Value
	}
	e.UpdatedAt = now
	e.Version++
}
