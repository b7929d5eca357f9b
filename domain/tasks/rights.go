package tasks

import (
	"context"

	"pasteport/ports"
	"pasteport/ports/policy"
)

// Owners tells who the owners of tasks are by now.
type Owners interface {
	// Now returns a principal with the rights it has at the moment. Returns
	// NotFound when it is no more, is disabled or has expired.
	Now(ctx context.Context, owner policy.Principal) (policy.Principal, error)
}

// errRights ends a task whose owner may no longer do what it does.
var errRights = &ports.Error{Code: ports.Forbidden, Key: "permission_denied", Text: "task.rights_ended"}

// rights looks again and again whether the owner of a run may still do its
// work: a task must not outlive the rights it was started with. It belongs to
// the goroutine of the run.
type rights struct {
	run   *run
	kind  Kind
	known policy.Principal // the owner as it was last found fit
}

// check returns errRights when the owner is no more, is disabled or has
// expired, or was narrowed so that the work is beyond it. What cannot be found
// out now is looked at again with the next beat.
func (r *rights) check(ctx context.Context) error {
	t := r.run.tasks
	if t.d.Owners == nil || r.known.Kind != policy.APIKey {
		return nil
	}
	now, err := t.d.Owners.Now(ctx, r.known)
	switch {
	case ports.Is(err, ports.NotFound):
		return errRights
	case err != nil:
		if ctx.Err() == nil {
			t.d.Report("look at the owner of task "+r.run.task.ID, err)
		}
		return nil
	case now.Permissions == r.known.Permissions && now.BasicPath == r.known.BasicPath && now.Guest == r.known.Guest:
		return nil
	}
	if r.kind.Allowed != nil {
		err := r.kind.Allowed(ctx, now, r.run.task.Payload)
		switch ports.CodeOf(err) {
		case ports.Forbidden, ports.Unauthenticated:
			return errRights.With(err)
		}
	}
	r.known = now
	return nil
}
