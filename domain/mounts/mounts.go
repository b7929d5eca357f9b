package mounts

import (
	"context"
	"errors"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"pasteport/ports"
	"pasteport/ports/objstore"
	"pasteport/ports/policy"
)

// maxRemark bounds the remark of a mount, in characters.
const maxRemark = 1000

// Mounts is what people may know of mounts and do to them.
type Mounts struct{ t *Tree }

// NewMounts returns the use cases of the mounts of a tree.
func NewMounts(t *Tree) *Mounts { return &Mounts{t} }

// Usable is a mount that a caller may browse.
type Usable struct {
	Mount
	Public bool // whether API keys may use its storage config
}

// List returns all mounts, inactive ones too, by sort order and name (contract
// §9.2). It asks admin.mounts.read.
func (m *Mounts) List(ctx context.Context, who policy.Principal) ([]Mount, error) {
	if err := m.ask(ctx, who, policy.MountsAdmin, ""); err != nil {
		return nil, err
	}
	return m.t.allMounts(ctx, MountFilter{})
}

// PageSize is how many mounts a page has when nothing is said.
const PageSize = 30

// Page returns a page of the mounts that the filter chooses, and the paging that
// was used. An order that it does not know counts as absent. It asks
// admin.mounts.read.
func (m *Mounts) Page(ctx context.Context, who policy.Principal, f MountFilter) (ports.Page[Mount], ports.Paging, error) {
	if err := m.ask(ctx, who, policy.MountsAdmin, ""); err != nil {
		return ports.Page[Mount]{}, ports.Paging{}, err
	}
	if !slices.Contains([]string{SortOrder, SortName, SortPath, SortCreated}, f.By) {
		f.MountSort = MountSort{By: SortOrder}
	}
	if f.Limit == 0 {
		f.Limit = PageSize
	}
	page, err := m.t.Mounts.List(ctx, f)
	return page, f.Paging, err
}

// Get returns one mount, active or not. It asks admin.mounts.read. Returns
// NotFound.
func (m *Mounts) Get(ctx context.Context, who policy.Principal, id string) (*Mount, error) {
	if err := m.ask(ctx, who, policy.MountsAdmin, id); err != nil {
		return nil, err
	}
	mount, err := m.t.Mounts.Get(ctx, id)
	return mount, unknownMount(err)
}

// ForWrite is Get for who is about to do something to the mount. It asks
// admin.mounts.write. Returns NotFound.
func (m *Mounts) ForWrite(ctx context.Context, who policy.Principal, id string) (*Mount, error) {
	if err := m.ask(ctx, who, policy.MountsWrite, id); err != nil {
		return nil, err
	}
	mount, err := m.t.Mounts.Get(ctx, id)
	return mount, unknownMount(err)
}

// ListUsable returns the active mounts that the caller can use (contract §2.3):
// the administrator's all. It asks mounts.read.
func (m *Mounts) ListUsable(ctx context.Context, who policy.Principal) ([]Usable, error) {
	if err := m.ask(ctx, who, policy.MountsRead, ""); err != nil {
		return nil, err
	}
	s, err := m.t.Snapshot(ctx)
	if err != nil {
		return nil, err
	}
	found := []Usable{}
	for i := range s.Mounts {
		if a := &s.Mounts[i]; MayUse(who, a) {
			found = append(found, Usable{a.Mount, a.Storage.Public})
		}
	}
	return found, nil
}

// GetUsable returns one mount as ListUsable does. It asks mounts.read.
//
// Returns NotFound for an unknown or inactive mount, Forbidden for one that the
// caller cannot use.
func (m *Mounts) GetUsable(ctx context.Context, who policy.Principal, id string) (*Usable, error) {
	if err := m.ask(ctx, who, policy.MountsRead, id); err != nil {
		return nil, err
	}
	s, err := m.t.Snapshot(ctx)
	if err != nil {
		return nil, err
	}
	for i := range s.Mounts {
		switch a := &s.Mounts[i]; {
		case a.ID != id:
		case !MayUse(who, a):
			return nil, ErrForeign
		default:
			return &Usable{a.Mount, a.Storage.Public}, nil
		}
	}
	return nil, ErrNoMount
}

// Draft holds the fields of a new or changed mount; nil means absent.
type Draft struct {
	Name            *string
	StorageType     *string
	StorageConfigID *string
	Path            *string
	Remark          *string
	Active          *bool
	SortOrder       *int64
	CacheTTL        *int64 // seconds
	WebProxy        *bool
	EnableSign      *bool
	// SignExpires is in seconds, 0 means never; with SignDefault the site's
	// value is taken again.
	SignExpires  *int64
	SignDefault  bool
	WebDAVPolicy *string
	// IfMatch is the ETag that a mount must still have that is changed; empty
	// means any.
	IfMatch string
}

// Create stores a new mount (contract §9.1). It asks admin.mounts.write.
//
// Returns Invalid for a missing or bad field and names it, Conflict when
// another mount has the path.
func (m *Mounts) Create(ctx context.Context, who policy.Principal, d Draft) (*Mount, error) {
	if err := m.ask(ctx, who, policy.MountsWrite, ""); err != nil {
		return nil, err
	}
	for _, field := range []struct {
		name  string
		value *string
	}{{"name", d.Name}, {"storage_type", d.StorageType}, {"storage_config_id", d.StorageConfigID}, {"mount_path", d.Path}} {
		if field.value == nil {
			return nil, ports.InvalidInput("field_required", field.name)
		}
	}
	now := m.t.Clock.Now().UTC()
	mount := &Mount{ID: m.t.Random.ID(), Active: true, CreatedBy: who.ID, CacheTTL: DefaultCacheTTL, WebDAVPolicy: Redirect,
		CreatedAt: now, UpdatedAt: now}
	err := m.changed(ctx, mount.ID, func(ctx context.Context) error {
		config, err := m.config(ctx, d)
		if err != nil {
			return err
		}
		if err := m.showable(ctx, config.ID); err != nil {
			return err
		}
		if err := d.apply(mount, config); err != nil {
			return err
		}
		if err := m.t.Mounts.Insert(ctx, mount); err != nil {
			return takenPath(err)
		}
		return m.remounted(ctx, mount, nil)
	})
	if err != nil {
		return nil, err
	}
	return mount, nil
}

// remounted tells what is known by paths that a mount has come, when after is nil
// that it ends, else that it is another one now.
func (m *Mounts) remounted(ctx context.Context, before, after *Mount) error {
	to := ""
	if after != nil {
		same, err := m.sameFiles(ctx, before.StorageConfigID, after.StorageConfigID)
		if err != nil || same && before.Path == after.Path {
			return err
		}
		if to = after.Path; !same {
			return errors.Join(m.remounted(ctx, before, nil), m.remounted(ctx, after, nil))
		}
	}
	all, err := m.t.allMounts(ctx, MountFilter{})
	if err != nil {
		return err
	}
	var others []string
	for i := range all {
		if all[i].ID != before.ID {
			others = append(others, all[i].Path)
		}
	}
	return m.t.Guard().Remounted(ctx, before.Path, to, others)
}

// sameFiles reports whether two storage configs show the same files.
func (m *Mounts) sameFiles(ctx context.Context, a, b string) (bool, error) {
	if a == b {
		return true, nil
	}
	one, err := m.t.Storages.Storage(ctx, a)
	if err != nil {
		return false, err
	}
	other, err := m.t.Storages.Storage(ctx, b)
	return one.Origin()+one.Prefix == other.Origin()+other.Prefix, err
}

// Update changes the fields that d names, and returns what the mount was and is.
// It asks admin.mounts.write. Errors are those of Create, NotFound, and
// Precondition when IfMatch does not hold.
func (m *Mounts) Update(ctx context.Context, who policy.Principal, id string, d Draft) (ports.Change[Mount], error) {
	var done ports.Change[Mount]
	if err := m.ask(ctx, who, policy.MountsWrite, id); err != nil {
		return done, err
	}
	var configs []string
	err := m.changed(ctx, id, func(ctx context.Context) error {
		before, err := m.t.Mounts.Get(ctx, id)
		if err != nil {
			return unknownMount(err)
		}
		if d.StorageConfigID == nil && d.StorageType != nil {
			d.StorageConfigID = &before.StorageConfigID
		}
		config, err := m.config(ctx, d)
		if err != nil {
			return err
		}
		if config != nil && config.ID != before.StorageConfigID {
			if err := m.showable(ctx, config.ID); err != nil {
				return err
			}
		}
		after, err := m.t.Mounts.Update(ctx, id, func(mount *Mount) error {
			if err := ports.Unchanged(d.IfMatch, mount.ETag()); err != nil {
				return err
			}
			mount.UpdatedAt = m.t.Clock.Now().UTC()
			return d.apply(mount, config)
		})
		if err != nil {
			return unknownMount(takenPath(err))
		}
		done.Before, done.After = *before, *after
		configs = []string{before.StorageConfigID, after.StorageConfigID}
		return m.remounted(ctx, before, after)
	})
	for _, config := range configs {
		m.t.dirs.drop(config)
	}
	if err != nil {
		return ports.Change[Mount]{}, err
	}
	return done, nil
}

// Delete removes a mount and returns what it was; the objects stay in the
// storage. It asks admin.mounts.write. Returns NotFound.
func (m *Mounts) Delete(ctx context.Context, who policy.Principal, id string) (before *Mount, err error) {
	if err := m.ask(ctx, who, policy.MountsWrite, id); err != nil {
		return nil, err
	}
	err = m.changed(ctx, id, func(ctx context.Context) error {
		if before, err = m.t.Mounts.Get(ctx, id); err != nil {
			return unknownMount(err)
		}
		if _, err := m.t.Mounts.Delete(ctx, id); err != nil {
			return err
		}
		return m.remounted(ctx, before, nil)
	})
	if err != nil {
		return nil, err
	}
	m.t.dirs.drop(before.StorageConfigID)
	return before, nil
}

// EnsureLocal creates the mount /local of the first start on a storage config
// (decision 3).
func (m *Mounts) EnsureLocal(ctx context.Context, adminID, configID, storageType string) error {
	now := m.t.Clock.Now().UTC()
	mount := &Mount{ID: m.t.Random.ID(), Name: "Local disk", StorageType: storageType, StorageConfigID: configID, Path: "/local", Active: true,
		CreatedBy: adminID, CacheTTL: DefaultCacheTTL, WebDAVPolicy: Native, CreatedAt: now, UpdatedAt: now}
	return m.changed(ctx, mount.ID, func(ctx context.Context) error { return m.t.Mounts.Insert(ctx, mount) })
}

// CountByConfig tells how many mounts use a storage config.
func (m *Mounts) CountByConfig(ctx context.Context, configID string) (int64, error) {
	page, err := m.t.Mounts.List(ctx, MountFilter{ConfigID: configID, Paging: ports.Paging{Limit: 1}})
	return int64(page.Total), err
}

// changed runs a change of a mount in one transaction and makes this and the
// other nodes read the mounts again.
func (m *Mounts) changed(ctx context.Context, id string, change func(context.Context) error) error {
	err := m.t.Work.Do(ctx, func(ctx context.Context) error {
		if err := change(ctx); err != nil {
			return err
		}
		return m.t.Invalidation.Publish(ctx, MountsChanged, id)
	})
	m.t.forgetMounts()
	return err
}

func (m *Mounts) ask(ctx context.Context, who policy.Principal, do policy.Action, id string) error {
	_, err := policy.Check(ctx, m.t.decider, who, do, policy.Resource{Kind: policy.KindMount, ID: id})
	return err
}

// config returns the storage config that a draft names, nil when it names none.
func (m *Mounts) config(ctx context.Context, d Draft) (*objstore.Storage, error) {
	if d.StorageConfigID == nil {
		return nil, nil
	}
	if *d.StorageConfigID == "" {
		return nil, ports.InvalidInput("field_required", "storage_config_id")
	}
	config, err := m.t.Storages.Storage(ctx, *d.StorageConfigID)
	if ports.Is(err, ports.NotFound) {
		return nil, ports.InvalidInput("storage_unknown", "storage_config_id")
	}
	return &config, err
}

// showable returns Invalid when no further mount may show a storage config.
func (m *Mounts) showable(ctx context.Context, configID string) error {
	if m.t.Showable == nil {
		return nil
	}
	err := m.t.Showable(ctx, configID)
	if ports.Is(err, ports.Invalid) {
		return ports.InvalidInput("storage_misplaced", "storage_config_id").With(err)
	}
	return err
}

// oldStorageType is the only word that old clients know for a kind of storage.
const oldStorageType = "S3"

// apply changes the mount as the draft says. config is the storage config that
// the draft names.
func (d Draft) apply(m *Mount, config *objstore.Storage) (err error) {
	if d.Name != nil {
		if m.Name, err = cleanName(*d.Name); err != nil {
			return err
		}
	}
	if d.Path != nil {
		if err := checkMountPath(*d.Path); err != nil {
			return err
		}
		m.Path = *d.Path
	}
	if config != nil {
		if d.StorageType != nil && *d.StorageType != config.Type && *d.StorageType != oldStorageType {
			return ports.InvalidInput("field_invalid", "storage_type")
		}
		m.StorageConfigID, m.StorageType = config.ID, config.Type
	}
	if d.Remark != nil {
		if utf8.RuneCountInString(*d.Remark) > maxRemark {
			return ports.InvalidInput("too_long", "remark")
		}
		m.Remark = *d.Remark
	}
	set(&m.Active, d.Active)
	set(&m.SortOrder, d.SortOrder)
	set(&m.WebProxy, d.WebProxy)
	set(&m.EnableSign, d.EnableSign)
	return d.applyNumbers(m)
}

func (d Draft) applyNumbers(m *Mount) error {
	if d.CacheTTL != nil {
		if *d.CacheTTL < 0 || *d.CacheTTL > MaxCacheTTL {
			return ports.InvalidInput("field_invalid", "cache_ttl")
		}
		m.CacheTTL = *d.CacheTTL
	}
	switch {
	case d.SignDefault:
		m.SignExpires = nil
	case d.SignExpires != nil && *d.SignExpires < 0:
		return ports.InvalidInput("field_invalid", "sign_expires")
	case d.SignExpires != nil:
		m.SignExpires = d.SignExpires
	}
	if d.WebDAVPolicy != nil {
		if *d.WebDAVPolicy != Redirect && *d.WebDAVPolicy != Native {
			return ports.InvalidInput("field_invalid", "webdav_policy")
		}
		m.WebDAVPolicy = *d.WebDAVPolicy
	}
	return nil
}

func set[T any](field *T, value *T) {
	if value != nil {
		*field = *value
	}
}

// cleanName checks the name of a mount.
func cleanName(name string) (string, error) {
	name = strings.TrimSpace(name)
	switch {
	case name == "":
		return "", ports.InvalidInput("field_required", "name")
	case utf8.RuneCountInString(name) > MaxName:
		return "", ports.InvalidInput("too_long", "name")
	case !utf8.ValidString(name) || strings.ContainsFunc(name, unicode.IsControl):
		return "", ports.InvalidInput("field_invalid", "name")
	}
	return name, nil
}

// reservedPaths are no mounts, nor is anything below them (contract §9.1).
var reservedPaths = []string{"/bin", "/etc", "/lib", "/root", "/sys", "/proc", "/dev"}

// checkMountPath returns Invalid when no mount can have the path: it is
// canonical and holds letters, digits, "_", "-" and what lies beyond ASCII. The
// root is allowed (decision 53).
func checkMountPath(p string) error {
	clean, _, err := Clean(p)
	if err != nil || clean != p {
		return ports.InvalidInput("mount_path_invalid", "mount_path")
	}
	for _, r := range p {
		ascii := 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' || r == '_' || r == '-' || r == '/'
		if !ascii && (r < utf8.RuneSelf || !unicode.IsPrint(r)) {
			return ports.InvalidInput("mount_path_invalid", "mount_path")
		}
	}
	for _, reserved := range reservedPaths {
		if Within(reserved, p) {
			return ports.InvalidInput("mount_path_reserved", "mount_path")
		}
	}
	return nil
}

// takenPath words the conflict of a path that another mount has.
func takenPath(err error) error {
	if ports.Is(err, ports.Conflict) {
		return &ports.Error{Code: ports.Conflict, Key: "already_exists", Text: "mount_path_taken", Cause: err}
	}
	return err
}

// unknownMount words NotFound for a mount.
func unknownMount(err error) error {
	if errors.Is(err, ports.ErrNotFound) {
		return ErrNoMount
	}
	return err
}

// allMounts reads all mounts that the filter lets through.
func (pl *Places) allMounts(ctx context.Context, f MountFilter) ([]Mount, error) {
	all := []Mount{}
	for {
		f.Paging = ports.Paging{Limit: 1000, Offset: len(all)}
		page, err := pl.mounts.List(ctx, f)
		if err != nil {
			return nil, err
		}
		all = append(all, page.Items...)
		if len(page.Items) == 0 || len(all) >= page.Total {
			return all, nil
		}
	}
}
