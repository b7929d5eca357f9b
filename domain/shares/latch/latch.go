// Package latch says who may come to a share at all, and how its end moves when it
// is opened, for shares of every kind.
package latch

import (
	"context"
	"time"

	"pasteport/domain/shares"
	"pasteport/domain/shares/collections"
	"pasteport/domain/shares/internal/gate"
	"pasteport/ports"
	"pasteport/ports/policy"
)

// Latches change the latch of shares, for those who own them.
type Latches struct {
	d           shares.Deps
	pastes      *shares.Pastes
	files       *shares.Files
	collections collections.Repository
}

// New returns the latches of all shares.
func New(d shares.Deps, pastes *shares.Pastes, files *shares.Files, sets collections.Repository) *Latches {
	return &Latches{d, pastes, files, sets}
}

var (
	errUnknown = &ports.Error{Code: ports.NotFound, Key: "not_found", Text: "file.not_found"}
	errItem    = &ports.Error{Code: ports.Conflict, Key: "item_taken", Text: "item_gate"}
)

// found is a share of any kind.
type found struct {
	on   policy.Resource
	gate shares.Gate
	item bool // of a collection, which has the gate
}

// Get returns the gate of a share with its latch. It asks paste.read_own or
// file.read_own.
//
// Returns NotFound for an unknown or erased share and one of others, Conflict for an
// item of a collection, Invalid for an unknown kind.
func (l *Latches) Get(ctx context.Context, who policy.Principal, kind, id string) (shares.Gate, error) {
	f, _, err := l.own(ctx, who, kind, id, policy.PasteReadOwn, policy.FileReadOwn)
	return f.gate, err
}

// Change changes the latch of a share and returns its gate. It asks paste.update or
// file.update.
//
// Returns the errors of Get, Invalid for what no share may have, Forbidden past the
// limits of the site and of the rules.
func (l *Latches) Change(ctx context.Context, who policy.Principal, kind, id string, change shares.LatchChange) (shares.Gate, error) {
	f, decision, err := l.own(ctx, who, kind, id, policy.PasteUpdate, policy.FileUpdate)
	if err != nil {
		return shares.Gate{}, err
	}
	now, limits := l.d.Clock.Now(), l.d.Settings.ShareLimits()
	if _, err := change.Fit(limits, decision.Obligations, f.gate, now); err != nil {
		return shares.Gate{}, err
	}
	var after shares.Gate
	err = l.update(ctx, kind, id, func(g *shares.Gate, version *int64, updated *time.Time) error {
		if g.ErasedAt != nil {
			return errUnknown
		}
		fit, err := change.Fit(limits, decision.Obligations, *g, now)
		if err != nil {
			return err
		}
		*g, *updated = fit, now
		*version++ // visits begin anew: who was let in may be a stranger now
		after = fit
		return nil
	})
	return after, err
}

// own finds a share and asks whether who may do this to it: one action for texts,
// one for all else.
func (l *Latches) own(ctx context.Context, who policy.Principal, kind, id string, text, other policy.Action) (found, policy.Decision, error) {
	do, known := other, true
	switch kind {
	case policy.KindPaste:
		do = text
	case policy.KindFile, policy.KindCollection:
	default:
		known = false
	}
	f, missing := l.find(ctx, kind, id)
	if missing != nil && !ports.Is(missing, ports.NotFound) {
		return found{}, policy.Decision{}, missing
	}
	if missing != nil {
		f.on = policy.Resource{Kind: kind, Owner: who.Owner()}
	}
	decision, err := policy.Check(ctx, l.d.Decider, who, do, f.on)
	switch {
	case err != nil:
		return found{}, decision, gate.HideForeign(decision, err, errUnknown)
	case !known:
		return found{}, decision, ports.InvalidInput("share.kind", "kind")
	case missing != nil, f.gate.ErasedAt != nil:
		return found{}, decision, errUnknown.With(missing)
	case f.item:
		return found{}, decision, errItem
	}
	return f, decision, nil
}

func (l *Latches) find(ctx context.Context, kind, id string) (found, error) {
	switch kind {
	case policy.KindPaste:
		p, err := l.d.Pastes.Get(ctx, id)
		if err != nil {
			return found{}, err
		}
		return found{policy.Resource{Kind: kind, ID: id, Slug: p.Slug, Owner: p.CreatedBy, Size: p.Size}, p.Gate, false}, nil
	case policy.KindCollection:
		c, err := l.collections.Get(ctx, id)
		if err != nil {
			return found{}, err
		}
		return found{policy.Resource{Kind: kind, ID: id, Slug: c.Slug, Owner: c.CreatedBy, Name: c.Title}, c.Gate, false}, nil
	case policy.KindFile:
		f, err := l.d.Files.Get(ctx, id)
		if err != nil {
			return found{}, err
		}
		return found{f.Resource(), f.Gate, f.Collection != "" || f.VersionOf != ""}, nil
	}
	return found{}, ports.ErrNotFound
}

// update changes the record of a share and has its readers see it.
func (l *Latches) update(ctx context.Context, kind, id string, change func(g *shares.Gate, version *int64, updated *time.Time) error) error {
	switch kind {
	case policy.KindPaste:
		_, err := l.d.Pastes.Update(ctx, id, func(p *shares.Paste) error { return change(&p.Gate, &p.Version, &p.UpdatedAt) })
		l.pastes.Forget(ctx, id)
		return err
	case policy.KindFile:
		_, err := l.d.Files.Update(ctx, id, func(f *shares.File) error { return change(&f.Gate, &f.Version, &f.UpdatedAt) })
		l.files.Forget(ctx, id)
		return err
	}
	_, err := l.collections.Update(ctx, id, func(c *collections.Collection) error { return change(&c.Gate, &c.Version, &c.UpdatedAt) })
	return err
}
