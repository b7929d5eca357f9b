package upload

import (
	"context"
	"io"

	"pasteport/ports"
	"pasteport/ports/objstore"
	"pasteport/ports/policy"
)

// Incoming is a file that somebody else sends for an owner.
type Incoming struct {
	Folder string // canonical, where the inbox is the tree
	Name   string // one segment of a path
	Size   int64  // bytes
	Remark string // for the owner; who cannot keep it drops it
	// Came is told of a whole file, in the unit of work that makes it one or, where
	// there is none, right after it. A file that it refuses goes again; after another
	// error it stays where nobody can know what became of the telling. Nil: nobody is
	// told.
	Came func(ctx context.Context, r Received) error
}

// Received is a file that lies where it belongs.
type Received struct {
	Place string // path in the tree, or id of the file share
	Name  string // as stored
	Size  int64  // bytes
}

// Underway is an upload in parts into an inbox.
type Underway struct {
	ID    string // of its session
	Place string // path in the tree, or id of the file share
	Name  string // as stored
	Cut
}

// HeadSize is how much of a file Accept is shown, in bytes.
const HeadSize = 3072

// Accept looks at the first HeadSize bytes of a file of size bytes, and returns
// why it may not stay.
type Accept func(head []byte, size int64) error

// Refused reports whether the answer of an Accept is final: the file must go,
// and asking again would not help it.
func Refused(err error) bool {
	switch ports.CodeOf(err) {
	case ports.Internal, ports.Unavailable, ports.RateLimited:
		return false
	}
	return err != nil
}

// Inbox is where the files of others go: the tree of mounts, or the file shares
// of an owner. Every call does what the owner may do at that moment, by the same
// policies, quotas and locks as the owner's own uploads. Nothing that is there is
// ever replaced: a name that is taken gets a suffix.
type Inbox interface {
	// Check returns the error with which a file for the folder would be refused.
	Check(ctx context.Context, owner policy.Principal, folder string) error
	// Store takes a whole file of in.Size bytes, and tells in.Came of it. A body that
	// is cut leaves nothing behind.
	Store(ctx context.Context, owner policy.Principal, in Incoming, body io.Reader) (Received, error)
	// Begin begins an upload in parts. Returns NotImplemented when the storage
	// knows none.
	Begin(ctx context.Context, owner policy.Principal, in Incoming) (Underway, error)
	// Links signs the requests of some parts. Like the calls below it returns
	// objstore.ErrNoUpload for an upload that storage has forgotten.
	Links(ctx context.Context, owner policy.Principal, u Underway, numbers []int) ([]Link, error)
	// Parts lists the parts that have arrived, in ascending order.
	Parts(ctx context.Context, owner policy.Principal, u Underway) ([]objstore.Part, error)
	// Complete joins the parts when they are all there, and removes the file
	// again unless accept lets it stay. Repeating it after a success returns the
	// same. Returns Conflict when something else has taken the name meanwhile.
	Complete(ctx context.Context, owner policy.Principal, u Underway, accept Accept) (Received, error)
	// Abort gives an upload up. It needs no right of the owner's, and an unknown
	// one is no error.
	Abort(ctx context.Context, u Underway) error
}
