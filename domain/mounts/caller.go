package mounts

import (
	"context"

	"pasteport/ports"
	"pasteport/ports/policy"
)

// Door is the way by which a caller came in. It decides which action of the
// policy an operation asks for.
type Door int

// The doors.
const (
	Explorer Door = iota // /api/fs
	WebDAV               // /dav
)

// Caller is who uses the tree, and how.
type Caller struct {
	Who  policy.Principal
	Door Door
	// Locks are the tokens of WebDAV locks that the request submits.
	Locks []string
	// If is the request's If header: one of the lists must hold. Empty means
	// no condition.
	If []IfList
	// Conditions are those of the request about its own path.
	Conditions Conditions
}

// operation is what a use case does, whichever door it is asked at.
type operation int

const (
	listing operation = iota
	reading
	searching
	sharing
	archiving
	uploading
	making
	editing
	copying
	moving
	renaming
	deleting
)

// actions names the action of each operation by door; an empty one is not
// offered at that door.
var actions = [...][2]policy.Action{
	listing:   {policy.MountList, policy.WebDAVList},
	reading:   {policy.MountRead, policy.WebDAVGet},
	searching: {policy.MountSearch, ""},
	sharing:   {policy.MountShare, ""},
	archiving: {policy.MountArchive, ""},
	uploading: {policy.MountUpload, policy.WebDAVWrite},
	making:    {policy.MountMkdir, policy.WebDAVWrite},
	editing:   {policy.MountEdit, policy.WebDAVWrite},
	copying:   {policy.MountCopy, policy.WebDAVWrite},
	moving:    {policy.MountMove, policy.WebDAVWrite},
	renaming:  {policy.MountRename, policy.WebDAVWrite},
	deleting:  {policy.MountDelete, policy.WebDAVWrite},
}

// ask asks the policy whether the caller may do op to all the paths, which are
// canonical. Use cases call it once, first. The policy is told the mount of the
// first path; others stand in the paths alone.
func (t *Tree) ask(ctx context.Context, c Caller, op operation, on policy.Resource) (policy.Decision, error) {
	action := actions[op][c.Door]
	if action == "" {
		return policy.Decision{}, ports.ErrNotFound
	}
	s, err := t.snapshot(ctx)
	if err != nil {
		return policy.Decision{}, err
	}
	return policy.Check(ctx, t.decider, c.Who, action, s.about(on))
}

// about adds to what is asked for the mount that it is in.
func (s *snapshot) about(on policy.Resource) policy.Resource {
	if on.Kind == "" {
		on.Kind = "mount"
	}
	if len(on.Paths) > 0 {
		if m := s.find(on.Paths[0]); m != nil {
			on.ID, on.Mount = m.ID, m.Name
		}
	}
	return on
}
