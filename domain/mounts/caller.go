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

// Operation is what a use case does, whichever door it is asked at.
type Operation int

const (
	OpList Operation = iota
	OpRead
	OpSearch
	OpShare
	OpArchive
	OpUpload
	OpMkdir
	OpEdit
	OpCopy
	OpMove
	OpRename
	OpDelete
)

// actions names the action of each operation by door; an empty one is not
// offered at that door.
var actions = [...][2]policy.Action{
	OpList:    {policy.MountList, policy.WebDAVList},
	OpRead:    {policy.MountRead, policy.WebDAVGet},
	OpSearch:  {policy.MountSearch, ""},
	OpShare:   {policy.MountShare, ""},
	OpArchive: {policy.MountArchive, ""},
	OpUpload:  {policy.MountUpload, policy.WebDAVWrite},
	OpMkdir:   {policy.MountMkdir, policy.WebDAVWrite},
	OpEdit:    {policy.MountEdit, policy.WebDAVWrite},
	OpCopy:    {policy.MountCopy, policy.WebDAVWrite},
	OpMove:    {policy.MountMove, policy.WebDAVWrite},
	OpRename:  {policy.MountRename, policy.WebDAVWrite},
	OpDelete:  {policy.MountDelete, policy.WebDAVWrite},
}

// Ask asks the policy whether the caller may do op to all the paths, which are
// canonical. Use cases call it once, first. The policy is told the mount of the
// first path; others stand in the paths alone.
func (pl *Places) Ask(ctx context.Context, c Caller, op Operation, on policy.Resource) (policy.Decision, error) {
	action := actions[op][c.Door]
	if action == "" {
		return policy.Decision{}, ports.ErrNotFound
	}
	s, err := pl.Snapshot(ctx)
	if err != nil {
		return policy.Decision{}, err
	}
	return policy.Check(ctx, pl.decider, c.Who, action, s.about(on))
}

// about adds to what is asked for the mount that it is in.
func (s *Snapshot) about(on policy.Resource) policy.Resource {
	if on.Kind == "" {
		on.Kind = policy.KindMount
	}
	if len(on.Paths) > 0 {
		if m := s.Find(on.Paths[0]); m != nil {
			on.ID, on.Mount = m.ID, m.Name
		}
	}
	return on
}
