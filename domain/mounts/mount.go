package mounts

import (
	"context"
	"time"

	"pasteport/ports"
)

// How WebDAV serves downloads of a mount (spec §3).
const (
	Redirect = "302_redirect"
	Native   = "native_proxy"
)

// Bounds of mount fields (spec §5).
const (
	MaxName         = 50 // characters
	MaxCacheTTL     = 86400
	DefaultCacheTTL = 300
)

// Mount shows the bucket of a storage config at a path of the tree.
type Mount struct {
	ID              string
	Name            string // 1 to MaxName characters
	StorageType     string // "S3", "LOCAL", ...
	StorageConfigID string
	Path            string // canonical: starts with "/", no "/" at the end but for the root; unique
	Remark          string
	Active          bool // inactive mounts do not exist for anybody but the administrator
	CreatedBy       string
	SortOrder       int64
	CacheTTL        int64  // seconds that listings are kept, 0 to MaxCacheTTL; 0 means not at all
	WebProxy        bool   // links lead through this server
	EnableSign      bool   // proxy links need a signature
	SignExpires     *int64 // seconds; nil means the site's value, 0 means never
	WebDAVPolicy    string // Redirect or Native
	CreatedAt       time.Time
	UpdatedAt       time.Time
	LastUsed        *time.Time
}

// ETag identifies what an administrator can set of a mount; using it does not
// change it. It is quoted.
func (m *Mount) ETag() string {
	return ports.TagOf(m.ID, m.Name, m.StorageType, m.StorageConfigID, m.Path, m.Remark, m.Active, m.SortOrder, m.CacheTTL, m.WebProxy, m.EnableSign,
		m.SignExpires, m.WebDAVPolicy)
}

// MountFilter chooses mounts for a list. The zero value means all, by sort order
// and name.
type MountFilter struct {
	ports.Paging
	MountSort
	ActiveOnly   bool
	InactiveOnly bool
	ConfigID     string // mounts of one storage config; empty means all
	Search       string // part of the name, the path or the remark, in any case
}

// MountSort orders a list of mounts. The zero value means by sort order, then by
// name, going up.
type MountSort struct {
	By         string // one of the keys below; empty means SortOrder
	Descending bool
}

// What lists of mounts are sorted by.
const (
	SortOrder   = "sort_order"
	SortName    = "name" // in any case
	SortPath    = "mount_path"
	SortCreated = "created_at"
)

// MountRepository stores mounts. Insert and Update return Conflict when another
// mount has the path.
type MountRepository interface {
	ports.Repository[Mount, MountFilter]
	// Touch notes that mounts were used.
	Touch(ctx context.Context, at time.Time, ids ...string) error
}
