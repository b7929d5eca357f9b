package shares

import (
	"context"
	"time"

	"pasteport/domain/shares/internal/gate"
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

func (in FileChange) change() gate.Change {
	return gate.Change{ExpiresAt: in.ExpiresAt, MaxViews: in.MaxViews, Password: in.Password}
}

// gates reports whether a change sets what an item of a collection does not have:
// a link or a gate of its own.
func (in FileChange) gates() bool {
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
	gate gate.Change
	hash string // of the new password; empty without one
	now  time.Time
}

// PlanUpdate is the first step of Update: it asks, checks and hashes. It changes
// nothing, so it may run before a transaction that Apply joins.
func (f *Files) PlanUpdate(ctx context.Context, who policy.Principal, id string, in FileChange) (*FileUpdatePlan, error) {
	now := f.d.Clock.Now()
	file, decision, err := f.Own(ctx, who, policy.FileUpdate, id)
	if err != nil {
		return nil, gate.HideForeign(decision, err, ErrFileUnknown)
	}
	if in.Slug.Value == file.Slug {
		in.Slug.Value = ""
	}
	if file.Collection != "" && in.gates() {
		return nil, errItemGate
	}
	if err := in.check(who); err != nil {
		return nil, err
	}
	change, err := in.change().Fit(f.d.Settings.ShareLimits(), decision.Obligations, file.Gate, now)
	if err != nil {
		return nil, err
	}
	plan := &FileUpdatePlan{id: id, in: in, gate: change, now: now}
	if in.Password.Value != "" {
		plan.hash, err = f.d.Hasher.Hash(ctx, in.Password.Value)
	}
	return plan, err
}

// Apply is the second step of Update.
func (f *Files) Apply(ctx context.Context, plan *FileUpdatePlan) (*File, error) {
	seen := f.views.Take(plan.id) // they belong to the old limit
	changed, err := f.repo.Update(ctx, plan.id, func(e *File) error {
		if f.d.Over(e) {
			return ErrFileUnknown
		}
		if e.Collection != "" && plan.in.gates() {
			return errItemGate
		}
		e.Views += seen
		plan.gate.Apply(&e.Gate, plan.hash)
		plan.in.apply(e, plan.now)
		return nil
	})
	if err != nil {
		f.views.GiveBack(plan.id, seen)
		return nil, err
	}
	f.Forget(ctx, plan.id)
	return changed, nil
}

func (in FileChange) check(who policy.Principal) error {
	if in.empty() && who.Kind == policy.APIKey {
		return ports.InvalidInput("nothing_to_change", "body")
	}
	if in.Slug.Value != "" {
		if err := naming.CheckSlug(in.Slug.Value); err != nil {
			return err
		}
	}
	return checkRemark(in.Remark.Value)
}

func (in FileChange) apply(e *File, now time.Time) {
	if in.Remark.Set {
		e.Remark = in.Remark.Value
	}
	if in.Slug.Value != "" {
		e.Slug = in.Slug.Value
	}
	if in.UseProxy.Set {
		e.UseProxy = in.UseProxy.Value
	}
	e.UpdatedAt = now
	e.Version++
}
