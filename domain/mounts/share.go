package mounts

import (
	"context"
	"time"

	"pasteport/ports"
	"pasteport/ports/policy"
)

// Sharer is what the tree needs of file shares; domain/shares does it by way of
// cmd.
type Sharer interface {
	// Share makes a file share of an object that stays where it is. The tree
	// has asked the policy; o are the limits of its answer.
	Share(ctx context.Context, who policy.Principal, o policy.Obligations, s NewShare) (Shared, error)
	// SharedIn lists the open shares that lead to what lies directly in a folder:
	// those of one owner, or all when createdBy is empty.
	SharedIn(ctx context.Context, createdBy string, folder *Place) (Marks, error)
	// Holds reports whether the object under a key belongs to a file share, and
	// not to a mount; such an object may be moved and deleted, and written by
	// nobody else.
	Holds(ctx context.Context, storageID, key string) (bool, error)
	// Moved looks at where objects lie that were copied, and returns what lets
	// their shares follow them there. That joins the unit of work in its ctx, and
	// repeating it is harmless.
	Moved(ctx context.Context, m Moved) (follow func(ctx context.Context) error, err error)
}

// NewShare is what a share of a mounted file is made of. The tree fills in the
// first fields.
type NewShare struct {
	StorageID   string
	StorageType string
	Key         string // object key
	Path        string // canonical
	Name        string
	Size        int64 // bytes
	ETag        string

	Slug      string // empty means a generated one
	Password  string
	ExpiresIn int64 // hours; 0 means never
	MaxViews  int64 // 0 means unlimited
	Remark    string
	// KeyOnly keeps strangers out. SlideBy is how long the share lives after it was
	// last opened, 0 means that its end stays; no opening moves it past SlideUntil.
	KeyOnly    bool
	SlideBy    time.Duration
	SlideUntil *time.Time
}

// Shared is a new share.
type Shared struct {
	ID   string
	Slug string
	Name string
	Size int64 // bytes
}

// Marks are the shares that lead to what lies directly in a folder, newest first.
type Marks struct {
	Files []Mark // the shares of single files
	Links []Link // the links for folders, selections and several files
}

// Link tells of a link for several entries that leads to one of a folder.
type Link struct {
	Name  string // of the entry in the folder; empty means all of them
	ID    string
	Slug  string
	Title string // for people; may be empty
}

// Mark tells of a share of a file in a folder.
type Mark struct {
	Name      string // of the file in the folder
	ID        string
	Slug      string
	Remark    string
	Protected bool
	ExpiresAt *time.Time // nil: never
	MaxViews  int64      // 0: unlimited
	Views     int64
	UseProxy  bool
	CreatedAt time.Time
}

// Moved says that an object, or all below a prefix, lies elsewhere now.
type Moved struct {
	FromConfig, ToConfig string // ids of the storage configs
	FromKey, ToKey       string // keys, or prefixes of a folder
	FromPath, ToPath     string // canonical
	Folder               bool
	ToType               string // storage type of the target
}

// errShareFolder is ErrType that says how a folder gets a link.
var errShareFolder = &ports.Error{Code: ports.Invalid, Key: "type_mismatch", Text: "share_folder", Cause: ErrType}

// CreateShare makes a file share of the file at path: through this server,
// without an end unless s says so. Asks mount.share. Returns NotFound for a
// missing file, errShareFolder for a folder, and the errors of Sharer (contract §4.14).
func (t *Tree) CreateShare(ctx context.Context, c Caller, path string, s NewShare) (Shared, error) {
	places, decision, err := t.Enter(ctx, c, OpShare, path)
	if err != nil {
		return Shared{}, err
	}
	p := places[0]
	entry, err := t.Lookup(ctx, p)
	if err != nil {
		return Shared{}, err
	}
	if entry.Folder {
		return Shared{}, errShareFolder
	}
	s.StorageID, s.StorageType, s.Key, s.Path = p.Storage.ID, p.Storage.Type, p.Key(), p.Path
	s.Name, s.Size, s.ETag = entry.Name, entry.Size, entry.ETag
	return t.Sharer.Share(ctx, c.Who, decision.Obligations, s)
}

// Shares lists the shares that lead to what lies directly in the folder at path,
// newest first: all for the administrator, their own for keys. It costs a few
// queries and no look at the storage. Asks mount.list. Returns ErrNoMount for a
// folder that no mount holds.
func (t *Tree) Shares(ctx context.Context, c Caller, path string) (Marks, error) {
	places, decision, err := t.Enter(ctx, c, OpList, path)
	if err != nil {
		return Marks{}, err
	}
	createdBy := ""
	if decision.Scope != policy.All {
		createdBy = c.Who.Owner()
	}
	return t.Sharer.SharedIn(ctx, createdBy, places[0])
}
