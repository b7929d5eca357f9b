// Package revisions shows the owner of a text its earlier contents, and brings
// one back. What an edit replaces is kept by shares.Pastes.
package revisions

import (
	"context"
	"time"

	"pasteport/domain/shares"
	"pasteport/ports"
	"pasteport/ports/policy"
	"pasteport/ports/revision"
)

// Revision is a content that a paste has or had: UTF-8, and who edited it like
// Paste.CreatedBy. Version is the last one of the paste with this content.
type Revision = revision.Revision

// History is what is kept of a paste.
type History = revision.History

// Repository stores earlier contents. They are gone with the content of their
// paste, whether that is erased or deleted.
type Repository interface {
	shares.Editions
	// History returns NotFound for an unknown or erased paste.
	History(ctx context.Context, pasteID string) (History, error)
	// Get returns an earlier content; NotFound when it is not kept.
	Get(ctx context.Context, pasteID string, version int64) (*Revision, error)
	// Switch says whether edits keep contents; off removes those that are kept.
	// Returns NotFound for an unknown or erased paste.
	Switch(ctx context.Context, pasteID string, off bool) error
	// Forget removes contents that were replaced before a time, and returns how
	// many; at most limit.
	Forget(ctx context.Context, before time.Time, limit int) (int, error)
}

var errUnknown = &ports.Error{Code: ports.NotFound, Key: "not_found", Text: "paste.revision_unknown"}

// Revisions are the earlier contents of texts, for those who own the texts.
type Revisions struct {
	pastes *shares.Pastes
	repo   Repository
}

// New returns the earlier contents of these pastes.
func New(pastes *shares.Pastes, repo Repository) *Revisions { return &Revisions{pastes, repo} }

// History lists what is kept of a paste, by id or slug. It asks paste.read_own.
// Returns NotFound for pastes of others, too.
func (r *Revisions) History(ctx context.Context, who policy.Principal, idOrSlug string) (History, error) {
	paste, err := r.pastes.Get(ctx, who, idOrSlug)
	if err != nil {
		return History{}, err
	}
	return r.repo.History(ctx, paste.ID)
}

// Get returns an earlier content of a paste. It asks paste.read_own.
func (r *Revisions) Get(ctx context.Context, who policy.Principal, idOrSlug string, version int64) (*Revision, error) {
	paste, err := r.pastes.Get(ctx, who, idOrSlug)
	if err != nil {
		return nil, err
	}
	return r.kept(ctx, paste.ID, version)
}

// PlanRestore is the first step of bringing an earlier content back, which is an
// edit like others: Pastes.Apply is the second. It asks paste.update.
//
// Returns NotFound when the content is not kept, and what Pastes.Update returns.
func (r *Revisions) PlanRestore(ctx context.Context, who policy.Principal, idOrSlug string, version int64, ifMatch string) (*shares.PasteUpdatePlan, error) {
	id, err := r.pastes.MayUpdate(ctx, who, idOrSlug)
	if err != nil {
		return nil, err
	}
	revision, err := r.kept(ctx, id, version)
	if err != nil {
		return nil, err
	}
	return r.pastes.PlanUpdate(ctx, who, id, shares.PasteChange{Content: revision.Content, IfMatch: ifMatch})
}

// Switch says whether edits of a paste keep what they replace. If not, what is
// kept is removed. It asks paste.update.
//
// Returns Invalid when keep is not set.
func (r *Revisions) Switch(ctx context.Context, who policy.Principal, idOrSlug string, keep shares.Field[bool]) error {
	id, err := r.pastes.MayUpdate(ctx, who, idOrSlug)
	if err != nil {
		return err
	}
	if !keep.Set {
		return ports.InvalidInput("required", "keep")
	}
	return r.repo.Switch(ctx, id, !keep.Value)
}

func (r *Revisions) kept(ctx context.Context, pasteID string, version int64) (*Revision, error) {
	revision, err := r.repo.Get(ctx, pasteID, version)
	if ports.Is(err, ports.NotFound) {
		return nil, errUnknown.With(err)
	}
	return revision, err
}
