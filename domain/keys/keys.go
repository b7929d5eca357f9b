package keys

import (
	"context"
	"regexp"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"pasteport/ports"
	"pasteport/ports/policy"
)

// The form of key values (contract §1.7, security rules K1 and K3).
const (
	valuePrefix = "pp_"
	valueLength = 32 // characters after the prefix
	minCustom   = 8
	maxCustom   = 128
	maxName     = 100 // characters
	maxPath     = 4096
	maxSegment  = 255
	maskedShown = 6
	firstExpiry = 24 * time.Hour
)

var customValue = regexp.MustCompile(`^[a-zA-Z0-9_-]+$`)

var (
	errKeyName     = ports.InvalidInput("key.name", "name")
	errKeyBits     = ports.InvalidInput("key.permissions", "permissions")
	errKeyRole     = ports.InvalidInput("key.role", "role")
	errKeyPath     = ports.InvalidInput("key.basic_path", "basic_path")
	errKeyExpiry   = ports.InvalidInput("key.expires_at", "expires_at")
	errKeyValue    = ports.InvalidInput("key.custom", "custom_key")
	errKeyShort    = ports.InvalidInput("key.custom_short", "custom_key").WithParams(map[string]any{"field": "custom_key", "min": minCustom, "max": maxCustom})
	errKeyCommon   = ports.InvalidInput("key.custom_common", "custom_key")
	errKeyUntil    = ports.InvalidInput("key.old_until", "old_until")
	errKeyNothing  = ports.InvalidInput("key.nothing", "name")
	errKeyUnknown  = &ports.Error{Code: ports.NotFound, Key: "not_found", Text: "key.unknown"}
	errKeyConflict = &ports.Error{Code: ports.Conflict, Key: "already_exists", Text: "key.taken"}
)

// Principal is who a request with this key is.
func (k *Key) Principal() policy.Principal {
	return policy.Principal{Kind: policy.APIKey, ID: k.ID, Name: k.Name, Permissions: k.Permissions, BasicPath: k.BasicPath, Guest: k.IsGuest, Role: k.Role}
}

// Expired reports whether the key's time has run out; at exactly ExpiresAt it
// has.
func (k *Key) Expired(now time.Time) bool { return !now.Before(k.ExpiresAt) }

// KeyFields are the fields of a key that its administrator sets. Nil means
// absent: the default for a new key, unchanged for an old one.
type KeyFields struct {
	Name        *string
	Permissions *int64
	Role        *string
	BasicPath   *string
	IsGuest     *bool
	IsActive    *bool
	ExpiresAt   *time.Time
	// IfMatch is the ETag that the key must still have; empty means any.
	IfMatch string
}

// empty reports whether nothing is set.
func (f KeyFields) empty() bool {
	f.IfMatch = ""
	return f == KeyFields{}
}

// ETag identifies what an administrator can set of a key; using it does not
// change it. It is quoted.
func (k *Key) ETag() string {
	return ports.TagOf(k.ID, k.Name, k.Permissions, k.Role, k.BasicPath, k.IsGuest, k.IsActive, k.ExpiresAt.UnixMilli())
}

// Issued is a key together with its value, which cannot be had again.
type Issued struct {
	Key
	Value string
}

// Keys are the API keys, for those who manage them. It is safe for concurrent
// use.
type Keys struct {
	d      Deps
	access *Access // forgets what it knew of a key that has changed
}

// NewKeys returns the keys that access lets in.
func NewKeys(access *Access) *Keys { return &Keys{d: access.d, access: access} }

// ListKeys returns all keys, newest first. Asks admin.keys.read.
func (ks *Keys) ListKeys(ctx context.Context, who policy.Principal) ([]Key, error) {
	if _, err := policy.Check(ctx, ks.d.Decider, who, policy.KeysRead, policy.Resource{Kind: policy.KindKey}); err != nil {
		return nil, err
	}
	var all []Key
	for {
		page, err := ks.d.Keys.List(ctx, KeyFilter{Paging: ports.Paging{Offset: len(all)}})
		if err != nil {
			return nil, ports.Wrap("list API keys", err)
		}
		all = append(all, page.Items...)
		if len(page.Items) == 0 || len(all) >= page.Total {
			return all, nil
		}
	}
}

// PageSize is how many keys a page has when nothing is said.
const PageSize = 30

// PageKeys returns a page of the keys that the filter chooses, and the paging
// that was used. What it does not know of order and state counts as absent.
// Asks admin.keys.read.
func (ks *Keys) PageKeys(ctx context.Context, who policy.Principal, f KeyFilter) (ports.Page[Key], ports.Paging, error) {
	if _, err := policy.Check(ctx, ks.d.Decider, who, policy.KeysRead, policy.Resource{Kind: policy.KindKey}); err != nil {
		return ports.Page[Key]{}, ports.Paging{}, err
	}
	if f.KeySort = f.known(ks.d.Clock.Now()); f.Limit == 0 {
		f.Limit = PageSize
	}
	page, err := ks.d.Keys.List(ctx, f)
	return page, f.Paging, ports.Wrap("page API keys", err)
}

// GetKey returns one key. Asks admin.keys.read. Returns NotFound.
func (ks *Keys) GetKey(ctx context.Context, who policy.Principal, id string) (*Key, error) {
	if _, err := policy.Check(ctx, ks.d.Decider, who, policy.KeysRead, policy.Resource{Kind: policy.KindKey, ID: id}); err != nil {
		return nil, err
	}
	key, err := ks.d.Keys.Get(ctx, id)
	if err != nil {
		return nil, takenOr("find API key", err)
	}
	return key, nil
}

// CountKeys returns the number of keys, for a caller who has asked
// admin.stats.read.
func (ks *Keys) CountKeys(ctx context.Context) (int, error) {
	page, err := ks.d.Keys.List(ctx, KeyFilter{Paging: ports.Paging{Limit: 1}})
	return page.Total, ports.Wrap("count API keys", err)
}

// KeyNames returns the names of keys by id, for callers that show what keys
// have made and have asked about that. Ids of deleted keys are absent.
func (ks *Keys) KeyNames(ctx context.Context, ids []string) (map[string]string, error) {
	names := make(map[string]string, len(ids))
	for _, id := range ids {
		if _, known := names[id]; known {
			continue
		}
		key, err := ks.d.Keys.Get(ctx, id)
		if ports.Is(err, ports.NotFound) {
			continue
		}
		if err != nil {
			return nil, ports.Wrap("name API keys", err)
		}
		names[id] = key.Name
	}
	return names, nil
}

// CreateKey makes a key; custom is its value, empty for a random one. A name
// is needed; without an expiry it lives for a day. Asks admin.keys.write.
// Returns Invalid for bad fields, Conflict when name or value exists.
func (ks *Keys) CreateKey(ctx context.Context, who policy.Principal, f KeyFields, custom string) (Issued, error) {
	if err := ks.mayWriteKey(ctx, who, ""); err != nil {
		return Issued{}, err
	}
	now := ks.d.Clock.Now()
	key := Key{ID: ks.d.Random.ID(), Role: "GENERAL", BasicPath: "/", IsActive: true, ExpiresAt: now.Add(firstExpiry), CreatedAt: now, UpdatedAt: now}
	if f.Name == nil {
		return Issued{}, errKeyName
	}
	if err := key.set(f); err != nil {
		return Issued{}, err
	}
	value, err := ks.newValue(custom)
	if err != nil {
		return Issued{}, err
	}
	if key.MAC, err = ks.unused(ctx, value); err != nil {
		return Issued{}, err
	}
	key.Masked = masked(value)
	// A custom value may have been refused a moment ago.
	err = ks.access.change(ctx, func(ctx context.Context) error { return ks.d.Keys.Insert(ctx, &key) })
	if err != nil {
		return Issued{}, takenOr("store API key", err)
	}
	return Issued{key, value}, nil
}

// UpdateKey changes fields of a key, and returns what it was and is. Asks
// admin.keys.write. Returns Invalid for bad fields or none, NotFound, Conflict
// when the name exists, Precondition when IfMatch does not hold.
func (ks *Keys) UpdateKey(ctx context.Context, who policy.Principal, id string, f KeyFields) (ports.Change[Key], error) {
	var done ports.Change[Key]
	if err := ks.mayWriteKey(ctx, who, id); err != nil {
		return done, err
	}
	if f.empty() {
		return done, errKeyNothing
	}
	after, err := ks.update(ctx, id, func(k *Key) error {
		if err := ports.Unchanged(f.IfMatch, k.ETag()); err != nil {
			return err
		}
		done.Before = *k
		k.UpdatedAt = ks.d.Clock.Now()
		return k.set(f)
	})
	if err != nil {
		return ports.Change[Key]{}, takenOr("update API key", err)
	}
	done.After = *after
	return done, nil
}

// update changes a key and tells the other nodes.
func (ks *Keys) update(ctx context.Context, id string, change func(*Key) error) (after *Key, err error) {
	err = ks.access.change(ctx, func(ctx context.Context) (err error) {
		after, err = ks.d.Keys.Update(ctx, id, change)
		return err
	})
	return after, err
}

// Rotation is how a key gets a new value.
type Rotation struct {
	Custom string    // the value; empty for a random one
	Until  time.Time // until when the old value works; zero: it ends at once
}

// RotateKey gives a key a new value. The old one ends at once, or works until a
// time that the rotation names; one before it ends in any case. Asks
// admin.keys.write. Returns NotFound for an unknown key, Invalid for a time that
// has passed, Conflict when the value exists.
func (ks *Keys) RotateKey(ctx context.Context, who policy.Principal, id string, in Rotation) (Issued, error) {
	if err := ks.mayWriteKey(ctx, who, id); err != nil {
		return Issued{}, err
	}
	now := ks.d.Clock.Now()
	if !in.Until.IsZero() && !now.Before(in.Until) {
		return Issued{}, errKeyUntil
	}
	value, err := ks.newValue(in.Custom)
	if err != nil {
		return Issued{}, err
	}
	mac, err := ks.unused(ctx, value)
	if err != nil {
		return Issued{}, err
	}
	key, err := ks.update(ctx, id, func(k *Key) error {
		former := Former{}
		if !in.Until.IsZero() {
			former = Former{MAC: k.MAC, Masked: k.Masked, Until: in.Until.Truncate(time.Millisecond)}
		}
		k.MAC, k.Masked, k.Former, k.UpdatedAt = mac, masked(value), former, now
		return nil
	})
	if err != nil {
		return Issued{}, takenOr("rotate API key", err)
	}
	return Issued{*key, value}, nil
}

// unused returns the MAC of a value that no key has. Returns Conflict for one
// that works, be it as the former value of a key; one that has ended is free.
func (ks *Keys) unused(ctx context.Context, value string) (string, error) {
	mac := macOf(ks.d.MAC, value)
	key, err := ks.d.Keys.ByMAC(ctx, mac)
	switch {
	case ports.Is(err, ports.NotFound):
		return mac, nil
	case err != nil:
		return "", ports.Wrap("find API key", err)
	case key.MAC == mac || key.Former.At(ks.d.Clock.Now()) != (Former{}):
		return "", errKeyConflict
	}
	_, err = ks.d.Keys.Update(ctx, key.ID, func(k *Key) error {
		k.Former = Former{}
		return nil
	})
	return mac, ports.Wrap("forget the former value of an API key", err)
}

// EndFormer ends the former value of a key before its time. Asks
// admin.keys.write. Returns NotFound for an unknown key; without a former value
// there is nothing to do.
func (ks *Keys) EndFormer(ctx context.Context, who policy.Principal, id string) error {
	if err := ks.mayWriteKey(ctx, who, id); err != nil {
		return err
	}
	_, err := ks.update(ctx, id, func(k *Key) error {
		k.Former, k.UpdatedAt = Former{}, ks.d.Clock.Now()
		return nil
	})
	if err != nil {
		return takenOr("end the former value of an API key", err)
	}
	return nil
}

// DeleteKey removes a key and returns what it was; what it has shared stays.
// Asks admin.keys.write. Returns NotFound for an unknown key.
func (ks *Keys) DeleteKey(ctx context.Context, who policy.Principal, id string) (before Key, err error) {
	if err := ks.mayWriteKey(ctx, who, id); err != nil {
		return Key{}, err
	}
	err = ks.access.change(ctx, func(ctx context.Context) error {
		key, err := ks.d.Keys.Get(ctx, id)
		if err != nil {
			return takenOr("find API key", err)
		}
		before = *key
		n, err := ks.d.Keys.Delete(ctx, id)
		if err != nil {
			return ports.Wrap("delete API key", err)
		}
		if n == 0 {
			return errKeyUnknown
		}
		if ks.d.Gone == nil {
			return nil
		}
		return ports.Wrap("remove what an API key has of its own", ks.d.Gone(ctx, ownerOf(id)))
	})
	if err != nil {
		return Key{}, err
	}
	return before, nil
}

// CountShares tells what a key has shared, before it is deleted. Asks
// admin.keys.write. Returns NotFound for an unknown key that left nothing.
func (ks *Keys) CountShares(ctx context.Context, who policy.Principal, id string) (Shared, error) {
	if err := ks.mayWriteKey(ctx, who, id); err != nil {
		return Shared{}, err
	}
	_, missing := ks.d.Keys.Get(ctx, id)
	if missing != nil && !ports.Is(missing, ports.NotFound) {
		return Shared{}, ports.Wrap("load API key", missing)
	}
	shared, err := ks.d.Shares.CountShares(ctx, ownerOf(id))
	if err != nil {
		return shared, ports.Wrap("count the shares of an API key", err)
	}
	if missing != nil && shared == (Shared{}) {
		return shared, errKeyUnknown
	}
	return shared, nil
}

// RevokeShares deletes all that a key has shared and tells how much that was;
// the key stays as it is. It may be repeated after a failure. Asks
// admin.keys.write. Returns NotFound for an unknown key.
func (ks *Keys) RevokeShares(ctx context.Context, who policy.Principal, id string) (Shared, error) {
	if err := ks.mayWriteKey(ctx, who, id); err != nil {
		return Shared{}, err
	}
	if _, err := ks.d.Keys.Get(ctx, id); err != nil {
		return Shared{}, ports.Wrap("load API key", err)
	}
	return ks.revokeShares(ctx, id)
}

func (ks *Keys) revokeShares(ctx context.Context, id string) (Shared, error) {
	shared, err := ks.d.Shares.RevokeShares(ctx, ownerOf(id))
	if err != nil {
		return shared, ports.Wrap("revoke the shares of an API key", err)
	}
	return shared, nil
}

// DeleteKeyAndShares removes a key and then all that it has shared, and tells
// what the key was and how much it had shared. What a failure leaves of it goes
// when the call is repeated; the key is empty then. Asks admin.keys.write.
// Returns NotFound for an unknown key that left nothing.
func (ks *Keys) DeleteKeyAndShares(ctx context.Context, who policy.Principal, id string) (before Key, shared Shared, err error) {
	before, err = ks.DeleteKey(ctx, who, id) // first, so that it can share nothing more
	gone := ports.Is(err, ports.NotFound)
	if err != nil && !gone {
		return Key{}, Shared{}, err
	}
	if shared, err = ks.revokeShares(ctx, id); err != nil {
		return before, shared, err
	}
	if gone && shared == (Shared{}) {
		return Key{}, shared, errKeyUnknown
	}
	return before, shared, nil
}

// ownerOf is the created_by of what a key makes.
func ownerOf(id string) string { return policy.Principal{Kind: policy.APIKey, ID: id}.Owner() }

func (ks *Keys) mayWriteKey(ctx context.Context, who policy.Principal, id string) error {
	_, err := policy.Check(ctx, ks.d.Decider, who, policy.KeysWrite, policy.Resource{Kind: policy.KindKey, ID: id})
	return err
}

// newValue returns custom when it is good enough, or a random value.
func (ks *Keys) newValue(custom string) (string, error) {
	switch {
	case custom == "":
		return valuePrefix + ks.d.Random.Text(valueLength), nil
	case !customValue.MatchString(custom):
		return "", errKeyValue
	case len(custom) < minCustom || len(custom) > maxCustom:
		return "", errKeyShort
	case isCommon(strings.ToLower(custom)):
		return "", errKeyCommon
	}
	return custom, nil
}

// set takes over the fields that are there.
func (k *Key) set(f KeyFields) error {
	if f.Name != nil {
		k.Name = strings.TrimSpace(*f.Name)
		if k.Name == "" || utf8.RuneCountInString(k.Name) > maxName {
			return errKeyName
		}
	}
	if f.Permissions != nil {
		// Bits without a meaning today must not gain one tomorrow, and whoever
		// sends one has meant something else.
		if policy.Permission(*f.Permissions)&^policy.AllPermissions != 0 {
			return errKeyBits
		}
		k.Permissions = policy.Permission(*f.Permissions)
	}
	if f.Role != nil {
		switch *f.Role {
		case "GUEST", "GENERAL", "ADMIN":
			k.Role = *f.Role
		default:
			return errKeyRole
		}
	}
	if f.BasicPath != nil {
		path, ok := cleanPath(*f.BasicPath)
		if !ok {
			return errKeyPath
		}
		k.BasicPath = path
	}
	if f.IsGuest != nil {
		k.IsGuest = *f.IsGuest
	}
	if f.IsActive != nil {
		k.IsActive = *f.IsActive
	}
	if f.ExpiresAt != nil {
		k.ExpiresAt = *f.ExpiresAt
	}
	return nil
}

// cleanPath returns a basic path without a slash at its end. It refuses what
// does not start with a slash and what is unclean, and repairs nothing else.
func cleanPath(path string) (string, bool) {
	if path == "/" {
		return path, true
	}
	path = strings.TrimSuffix(path, "/")
	if !strings.HasPrefix(path, "/") || len(path) > maxPath || !utf8.ValidString(path) {
		return "", false
	}
	if strings.ContainsFunc(path, func(r rune) bool { return r == '\\' || unicode.IsControl(r) }) {
		return "", false
	}
	for segment := range strings.SplitSeq(path[1:], "/") {
		if segment == "" || segment == "." || segment == ".." || len(segment) > maxSegment {
			return "", false
		}
	}
	return path, true
}

// ParseExpiry reads the expiry of a key: nothing or "never", or a date in one
// of the usual forms; without a zone it is UTC. Returns Invalid otherwise.
func ParseExpiry(text string) (time.Time, error) {
	text = strings.TrimSpace(text)
	if text == "" || strings.EqualFold(text, "never") {
		return Never, nil
	}
	for _, form := range []string{time.RFC3339Nano, "2006-01-02T15:04:05", "2006-01-02T15:04", "2006-01-02 15:04:05", "2006-01-02 15:04", time.DateOnly} {
		if at, err := time.Parse(form, text); err == nil && at.Year() >= 1970 && at.Year() <= 9999 {
			return at.UTC().Truncate(time.Millisecond), nil
		}
	}
	return time.Time{}, errKeyExpiry
}

// ParseEnd reads when the old value of a key ends, as ParseExpiry does; never is
// no such time. Returns Invalid for it, and for what is no date.
func ParseEnd(text string) (time.Time, error) {
	end, err := ParseExpiry(text)
	if err != nil || !end.Before(Never) {
		return time.Time{}, errKeyUntil
	}
	return end, nil
}

// masked is what is shown of a value (contract §3.3).
func masked(value string) string { return value[:min(maskedShown, max(len(value)-2, 0))] + "..." }

// takenOr names conflicts and missing keys, and wraps the rest.
func takenOr(doing string, err error) error {
	switch {
	case ports.Is(err, ports.Conflict):
		return errKeyConflict.With(err)
	case ports.Is(err, ports.NotFound):
		return errKeyUnknown
	}
	return ports.Wrap(doing, err)
}
