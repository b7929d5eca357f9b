package predecessor

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"strings"
	"unicode/utf8"

	"pasteport/domain/keys"
	"pasteport/domain/mounts"
	"pasteport/domain/shares"
	"pasteport/domain/storage"
	"pasteport/ports"
	"pasteport/ports/filetype"
	"pasteport/ports/objstore"
	"pasteport/ports/policy"
)

// What each old record becomes. The functions read as tables: a field here,
// the column there. Rules that hold for every record of a kind are the
// domain's; rows say for themselves what they cannot be turned into.

func (m *move) paste(ctx context.Context, r *row) *shares.Paste {
	if !r.flag("is_public", true) {
		r.leave("it is private there; a text that needs a login does not exist here")
	}
	content := r.text("content")
	p := &shares.Paste{
		ID: r.id(), Slug: r.text("slug"), Content: []byte(content), Size: int64(len(content)), Remark: r.remark(), Gate: m.gate(ctx, r),
		CreatedBy: m.owner(r), CreatedAt: r.past("created_at", m.now), UpdatedAt: r.past("updated_at", m.now), Version: 1,
	}
	r.obey(p.CheckAdopted())
	return p
}

func (m *move) file(ctx context.Context, r *row) *shares.File {
	config := m.config(ctx, r, "storage_config_id", "s3_config_id")
	f := &shares.File{
		ID: r.id(), Slug: r.text("slug"), Filename: r.text("filename"), StorageConfigID: config.ID, StorageType: config.StorageType,
		StoragePath: r.text("storage_path"), FilePath: r.mountPath("file_path"), MimeType: filetype.ContentType(r.text("filename")), Size: r.count("size"),
		ETag: strings.Trim(r.text("etag"), `"`), Remark: r.remark(), Gate: m.gate(ctx, r), UseProxy: r.flag("use_proxy", false),
		CreatedBy: m.owner(r), CreatedAt: r.past("created_at", m.now), UpdatedAt: r.past("updated_at", m.now), Version: 1,
	}
	if f.Expired(m.now) || f.UsedUp() {
		// As one that was erased its link says "gone", and the object, which the
		// predecessor never removed, is nobody's to remove here.
		f.ErasedAt = &m.now
		r.note("it is over; its link says so, and its object stays in the storage")
	}
	r.obey(f.CheckAdopted())
	return f
}

func (m *move) key(_ context.Context, r *row) *keys.Key {
	name, permissions, role, path, guest := r.text("name"), r.permissions(), r.role(), r.orRoot("basic_path"), r.flag("is_guest", false)
	k := keys.Key{
		ID: r.id(), IsActive: r.flag("is_enable", true), ExpiresAt: keys.Never,
		CreatedAt: r.past("created_at", m.now), UpdatedAt: m.now, LastUsed: r.used("last_used"),
	}
	if at := r.moment("expires_at"); at != nil {
		k.ExpiresAt = *at
	}
	if k.Expired(m.now) {
		r.leave("it has expired")
	}
	if m.limited[r.text("id")] && k.IsActive {
		k.IsActive = false
		r.note("it was bound to certain storages, which keys here cannot be; it is switched off until you have looked at it")
	}
	value := r.text("key")
	if k.IsActive && keys.Guessable(value) {
		r.note("its value is easy to guess; it is switched off until you rotate it")
	}
	made, err := keys.Adopt(m.to.MAC, k, value, keys.KeyFields{Name: &name, Permissions: &permissions, Role: &role, BasicPath: &path, IsGuest: &guest})
	r.obey(err)
	return made
}

func (m *move) storageConfig(ctx context.Context, r *row) *storage.Config {
	if kind := r.text("storage_type"); kind != "" && kind != "S3" {
		r.leave("there is no driver here for its storage, %s", kind)
	}
	if _, has := r.cells["config_json"]; has {
		r.unfold("config_json")
	}
	public := r.flag("is_public", false)
	if status := r.text("status"); public && status != "" && status != "ENABLED" {
		public = false
		r.note("it was switched off there; API keys cannot use it here")
	}
	name, provider, folder, host := r.short("name", 100), r.provider(), r.text("default_folder"), r.text("custom_host")
	capacity, seconds := r.count("total_storage_bytes"), r.count("signature_expires_in")
	draft := storage.Draft{
		Name: &name, ProviderType: &provider, DefaultFolder: &folder, CustomHost: &host, IsPublic: &public, Capacity: &capacity, SignatureSeconds: &seconds,
		Options: map[string]string{
			storage.OptionEndpoint: r.text("endpoint_url"), storage.OptionBucket: r.text("bucket_name"), storage.OptionRegion: r.text("region"),
			storage.OptionPathStyle: map[bool]string{true: "1", false: "0"}[r.flag("path_style", false)],
			storage.OptionAccessKey: m.credential(r, "access_key_id"), storage.OptionSecretKey: m.credential(r, "secret_access_key"),
		},
	}
	old := storage.Config{
		ID: r.id(), AdminID: m.admin, CreatedAt: r.past("created_at", m.now), UpdatedAt: r.past("updated_at", m.now), LastUsed: r.used("last_used"),
	}
	if r.reason != "" {
		return nil // its secrets may be unreadable
	}
	made, err := m.to.PrepareConfig(ctx, old, draft)
	if field(err) == "custom_host" {
		r.note("its custom host is not an address with http or https and was dropped")
		draft.CustomHost = nil
		made, err = m.to.PrepareConfig(ctx, old, draft)
	}
	r.obey(err)
	if r.reason != "" || made == nil {
		return nil
	}
	m.markDefault(r, made)
	r.obey(keepPrefix(made, r.text("root_prefix")))
	return made
}

func (m *move) mount(ctx context.Context, r *row) *mounts.Mount {
	config := m.config(ctx, r, "storage_config_id")
	name, path, remark := r.short("name", mounts.MaxName), r.mountPath("mount_path"), r.short("remark", 1000)
	active, proxied, signed := r.flag("is_active", true), r.flag("web_proxy", false), r.flag("enable_sign", false)
	order, ttl, webdav := r.whole("sort_order", 0), r.cacheTTL(), r.webDAVPolicy()
	draft := mounts.Draft{
		Name: &name, Path: &path, Remark: &remark, Active: &active, SortOrder: &order, CacheTTL: &ttl, WebProxy: &proxied, EnableSign: &signed, WebDAVPolicy: &webdav,
	}
	if r.cells["sign_expires"] != nil {
		seconds := r.count("sign_expires")
		draft.SignExpires = &seconds
	}
	old := mounts.Mount{
		ID: r.id(), CreatedBy: m.admin, CreatedAt: r.past("created_at", m.now), UpdatedAt: r.past("updated_at", m.now), LastUsed: r.used("last_used"),
	}
	made, err := mounts.Adopt(old, draft, objstore.Storage{ID: config.ID, Type: config.StorageType})
	r.obey(err)
	return made
}

// gate is what stood before a share.
func (m *move) gate(ctx context.Context, r *row) shares.Gate {
	g := shares.Gate{PasswordHash: m.passwordHash(ctx, r), ExpiresAt: r.moment("expires_at"), MaxViews: r.count("max_views"), Views: r.count("views")}
	if g.UsedUp() {
		at := r.past("updated_at", m.now)
		g.UsedUpAt = &at
	}
	return g
}

// passwordHash keeps a bare SHA-256, which the first visitor with the right
// password replaces. A password that lies there as it is, as very old versions
// kept it, is hashed now.
func (m *move) passwordHash(ctx context.Context, r *row) string {
	stored := r.text("password")
	if stored == "" {
		return ""
	}
	if sum, err := hex.DecodeString(stored); err == nil && len(sum) == 32 {
		return strings.ToLower(stored)
	}
	if len(stored) == 64 || len(stored) > shares.MaxPassword {
		r.leave("its password cannot be checked any more")
		return ""
	}
	hash, err := m.to.Hasher.Hash(ctx, stored)
	if err != nil {
		r.failure = err
	}
	return hash
}

// keyOwner begins the owner of what an API key has made, here and there.
const keyOwner = "apikey:"

// owner is who made a record: an API key, else the administrator, for there is
// one.
func (m *move) owner(r *row) string {
	if id, ok := strings.CutPrefix(r.text("created_by"), keyOwner); ok && id != "" {
		return keyOwner + newID(id)
	}
	return m.admin
}

// config is the storage config that a record names, in the first of the
// columns that has one.
func (m *move) config(ctx context.Context, r *row, columns ...string) storage.Config {
	for _, column := range columns {
		id := r.text(column)
		if id == "" {
			continue
		}
		config, err := m.configByID(ctx, newID(id))
		if ports.Is(err, ports.NotFound) {
			r.leave("its storage config was not taken over")
			return storage.Config{}
		}
		if err != nil {
			r.failure = err
			return storage.Config{}
		}
		return *config
	}
	r.leave("it names no storage config")
	return storage.Config{}
}

// credential is a secret as it was before it was stored.
func (m *move) credential(r *row, column string) string {
	value, proven, ok := unseal(r.text(column), m.secret)
	switch {
	case !ok:
		r.leave("its %s is damaged", column)
	case m.secret != "" && !proven && strings.HasPrefix(r.text(column), sealMark):
		r.leave("its %s was not stored with the given encryption secret", column)
	}
	return value
}

// markDefault makes a config the default one when it was that there, and there
// is none here.
func (m *move) markDefault(r *row, c *storage.Config) {
	if !r.flag("is_default", false) {
		return
	}
	if m.defaultID != "" && m.defaultID != c.ID {
		r.note("it was the default one there; here another is")
		return
	}
	m.defaultID, c.IsDefault = c.ID, true
}

// keepPrefix keeps the key prefix that mounts of the config show.
func keepPrefix(c *storage.Config, prefix string) error {
	if strings.Trim(prefix, "/") == "" {
		return nil
	}
	options := map[string]string{}
	if c.Options != "" {
		if err := json.Unmarshal([]byte(c.Options), &options); err != nil {
			return err
		}
	}
	options["root_prefix"] = prefix
	data, err := json.Marshal(options)
	c.Options = string(data)
	return err
}

// remark is the remark, or the title that later versions have.
func (r *row) remark() string {
	if r.text("remark") == "" && r.text("title") != "" {
		r.note("its title became its remark")
		return r.short("title", shares.MaxRemark)
	}
	return r.short("remark", shares.MaxRemark)
}

// permissions are the bits that have a meaning here, or the yes and no of
// versions before them.
func (r *row) permissions() int64 {
	if _, has := r.cells["permissions"]; has {
		return r.count("permissions") & int64(policy.AllPermissions)
	}
	var bits policy.Permission
	for column, means := range map[string]policy.Permission{
		"text_permission":  policy.PermText,
		"file_permission":  policy.PermFileShare,
		"mount_permission": policy.PermMountView | policy.PermMountUpload | policy.PermMountCopy | policy.PermMountRename | policy.PermMountDelete,
	} {
		if r.flag(column, false) {
			bits |= means
		}
	}
	return int64(bits)
}

func (r *row) role() string {
	switch role := r.text("role"); role {
	case "GUEST", "GENERAL", "ADMIN":
		return role
	case "":
	default:
		r.note("its role is unknown and became GENERAL")
	}
	return "GENERAL"
}

func (r *row) provider() string {
	if text := strings.TrimSpace(r.text("provider_type")); text != "" {
		return text
	}
	return "Other"
}

func (r *row) orRoot(column string) string {
	if path := r.text(column); path != "" {
		return path
	}
	return "/"
}

// mountPath is a path of the tree without a slash at its end.
func (r *row) mountPath(column string) string {
	path := r.text(column)
	if trimmed := strings.TrimRight(path, "/"); trimmed != "" || path == "" {
		return trimmed
	}
	return "/"
}

func (r *row) cacheTTL() int64 {
	ttl := r.whole("cache_ttl", mounts.DefaultCacheTTL)
	if fits := min(max(ttl, 0), mounts.MaxCacheTTL); fits != ttl {
		r.note("its cache time became %d seconds", fits)
		return fits
	}
	return ttl
}

func (r *row) webDAVPolicy() string {
	switch how := r.text("webdav_policy"); how {
	case mounts.Redirect, mounts.Native:
		return how
	case "":
		return mounts.Redirect
	default:
		r.note("its WebDAV policy is unknown and became %s: downloads pass through this server", mounts.Native)
		return mounts.Native
	}
}

// obey leaves the record when a rule of the domain refuses it. Any other error
// ends the import.
func (r *row) obey(err error) {
	switch {
	case err == nil:
	case ports.Is(err, ports.Invalid), ports.Is(err, ports.NotFound):
		r.leave("%s", words(err))
	case r.failure == nil:
		r.failure = err
	}
}

// words say what a rule of the domain refuses.
func words(err error) string {
	var e *ports.Error
	if errors.As(err, &e) {
		for _, name := range []string{e.Text, e.Key} {
			if text, known := refusals[name]; known {
				return text
			}
		}
		if name := field(err); name != "" {
			return "its " + name + " is not one that is allowed here"
		}
	}
	return err.Error()
}

var refusals = map[string]string{
	"slug_invalid":        "its link is not 1 to 50 letters, digits, hyphens and underscores; give it another there and repeat",
	"content_empty":       "it is empty",
	"content_too_large":   "it is larger than 10 MiB",
	"path_invalid":        "the key of its object is unclean",
	"key.custom":          "its value is empty, over 128 characters, or has other characters than letters, digits, - and _",
	"mount_path_reserved": "its path is reserved here",
	"settings.unknown":    "there is no such setting here",
	"settings.read_only":  "it belongs to the program, not to the site",
}

// field is the field that an error names, empty when it names none.
func field(err error) string {
	var e *ports.Error
	if !errors.As(err, &e) {
		return ""
	}
	name, _ := e.Params["field"].(string)
	return name
}

// label names a record in the report; never by a secret.
func label(r *row, columns ...string) string {
	for _, column := range columns {
		if text, ok := plainText(r.cells[column]); ok && text != "" && utf8.ValidString(text) {
			return text
		}
	}
	return "(nameless)"
}
