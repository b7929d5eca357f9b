package adminapi

import (
	"context"
	"net/http"
	"strings"
	"time"

	"pasteport/adapters/httpapi"
	"pasteport/adapters/httpapi/wire"
	"pasteport/domain/keys"
	"pasteport/ports/policy"
)

// keyOps are the calls about API keys (contract §5.6).
func keyOps(a *httpapi.API, apiKeys *keys.Keys, usage Usage) {
	read, write := []policy.Action{policy.KeysRead}, []policy.Action{policy.KeysWrite}
	secrets := []string{"key", "custom_key"}

	httpapi.Handle(a, httpapi.Op{Name: "key.list", Method: http.MethodGet, Path: "/api/admin/api-keys", Actions: read,
		Top: map[string]any{"pagination": wire.Pagination{}}, Summary: "Lists the API keys, newest first. Their values are masked. Without a parameter the answer is the whole list; with one it is a page of it, and pagination stands beside data."},
		func(ctx context.Context, who policy.Principal, in keyListRequest) (httpapi.Answer[[]keyJSON], error) {
			if !wire.AsksForPage(httpapi.ScopeOf(ctx).Request().URL.Query()) {
				all, err := apiKeys.ListKeys(ctx, who)
				return httpapi.Answer[[]keyJSON]{Data: keysOf(all, httpapi.ScopeOf(ctx).Now())}, err
			}
			found, paging, err := apiKeys.PageKeys(ctx, who, in.filter())
			if err != nil {
				return httpapi.Answer[[]keyJSON]{}, err
			}
			list, err := withUsage(ctx, usage, keysOf(found.Items, httpapi.ScopeOf(ctx).Now()))
			return httpapi.Answer[[]keyJSON]{Data: list, Top: map[string]any{"pagination": wire.PaginationOf(paging, found.Total, true)}}, err
		})

	httpapi.Handle(a, httpapi.Op{Name: "key.get", Method: http.MethodGet, Path: "/api/admin/api-keys/{id}", Actions: read, Errors: []string{"not_found"},
		Summary: "Reads one API key. Its value is masked."},
		func(ctx context.Context, who policy.Principal, in wire.IDRequest) (keyJSON, error) {
			key, err := apiKeys.GetKey(ctx, who, in.ID)
			if err != nil {
				return keyJSON{}, err
			}
			one, err := withUsage(ctx, usage, []keyJSON{keyOf(key, key.Masked, httpapi.ScopeOf(ctx).Now())})
			if err != nil {
				return keyJSON{}, err
			}
			httpapi.ScopeOf(ctx).Header().Set("ETag", key.ETag())
			return one[0], nil
		})

	httpapi.Handle(a, httpapi.Op{Name: "key.create", Method: http.MethodPost, Path: "/api/admin/api-keys", Actions: write, Body: httpapi.JSON, Answer: httpapi.Created, Confirm: httpapi.ConfirmAlways,
		Idem: httpapi.Afterwards, Secrets: secrets, Errors: []string{"already_exists"},
		Summary: "Makes an API key. Its value is in this answer and nowhere else."},
		func(ctx context.Context, who policy.Principal, in keyRequest) (keyJSON, error) {
			fields, err := in.fields()
			if err != nil {
				return keyJSON{}, err
			}
			issued, err := apiKeys.CreateKey(ctx, who, fields, in.CustomKey.Value)
			return keyOf(&issued.Key, issued.Value, httpapi.ScopeOf(ctx).Now()), err
		})

	httpapi.Handle(a, httpapi.Op{Name: "key.update", Method: http.MethodPut, Path: "/api/admin/api-keys/{id}", Actions: write, Body: httpapi.JSON,
		Idem: httpapi.Afterwards, Errors: []string{"not_found", "already_exists", "precondition_failed"},
		Summary: "Changes the named fields of an API key; never its value. With If-Match only when it still has that entity tag. The answer has the new one."},
		func(ctx context.Context, who policy.Principal, in keyRequest) (httpapi.None, error) {
			fields, err := in.fields()
			if err != nil {
				return httpapi.None{}, err
			}
			fields.IfMatch = httpapi.ScopeOf(ctx).IfMatch()
			done, err := apiKeys.UpdateKey(ctx, who, in.ID, fields)
			if err == nil {
				httpapi.ScopeOf(ctx).Header().Set("ETag", done.After.ETag())
				httpapi.ScopeOf(ctx).NoteBefore(in, keyOf(&done.Before, done.Before.Masked, httpapi.ScopeOf(ctx).Now()))
			}
			return httpapi.None{}, err
		})

	httpapi.Handle(a, httpapi.Op{Name: "key.rotate", Method: http.MethodPost, Path: "/api/admin/api-keys/{id}/rotate", Actions: write, Body: httpapi.JSON, Confirm: httpapi.ConfirmAlways,
		Idem: httpapi.Afterwards, Secrets: secrets, Errors: []string{"not_found", "already_exists"},
		Summary: "Gives an API key a new value. The old one ends at once, or works until old_until, which former of a key tells. A value that was rotated out before ends in any case."},
		func(ctx context.Context, who policy.Principal, in rotateRequest) (keyJSON, error) {
			rotation, err := in.rotation()
			if err != nil {
				return keyJSON{}, err
			}
			issued, err := apiKeys.RotateKey(ctx, who, in.ID, rotation)
			return keyOf(&issued.Key, issued.Value, httpapi.ScopeOf(ctx).Now()), err
		})

	httpapi.Handle(a, httpapi.Op{Name: "key.retire", Method: http.MethodDelete, Path: "/api/admin/api-keys/{id}/former", Actions: write, Errors: []string{"not_found"},
		Summary: "Ends the old value of a rotated API key before its time."},
		func(ctx context.Context, who policy.Principal, in wire.IDRequest) (httpapi.None, error) {
			return httpapi.None{}, apiKeys.EndFormer(ctx, who, in.ID)
		})

	httpapi.Handle(a, httpapi.Op{Name: "key.use", Method: http.MethodGet, Path: "/api/admin/api-keys/{id}/usage", Actions: read, Errors: []string{"not_found"},
		Summary: "Tells how often an API key was used on each of the last 30 days, today last."},
		func(ctx context.Context, who policy.Principal, in wire.IDRequest) (keyUseJSON, error) {
			key, uses, err := apiKeys.KeyUse(ctx, who, in.ID)
			if err != nil {
				return keyUseJSON{}, err
			}
			out := keyUseJSON{Days: make([]dayUseJSON, len(uses)), LastUsed: wire.InstantOf(key.LastUsed)}
			for i, use := range uses {
				out.Days[i] = dayUseJSON{use.Day, use.Calls}
				out.Total += use.Calls
			}
			return out, nil
		})

	httpapi.Handle(a, httpapi.Op{Name: "key.shares", Method: http.MethodGet, Path: "/api/admin/api-keys/{id}/shares", Actions: write, Errors: []string{"not_found"},
		Summary: "Counts what an API key has shared, to ask before it is deleted whether that goes too."},
		func(ctx context.Context, who policy.Principal, in wire.IDRequest) (sharedJSON, error) {
			shared, err := apiKeys.CountShares(ctx, who, in.ID)
			return sharedOf(shared), err
		})

	httpapi.Handle(a, httpapi.Op{Name: "key.revoke", Method: http.MethodDelete, Path: "/api/admin/api-keys/{id}/shares", Actions: write, Errors: []string{"not_found"},
		Summary: "Deletes all that an API key has shared and counts it. The key stays and may share again."},
		func(ctx context.Context, who policy.Principal, in wire.IDRequest) (sharedJSON, error) {
			shared, err := apiKeys.RevokeShares(ctx, who, in.ID)
			httpapi.ScopeOf(ctx).Note("shares", shared.Total())
			return sharedOf(shared), err
		})

	httpapi.Handle(a, httpapi.Op{Name: "key.delete", Method: http.MethodDelete, Path: "/api/admin/api-keys/{id}", Actions: write, Errors: []string{"not_found"},
		Summary: "Deletes an API key. What it has shared stays, and the answer has no data; with revoke_shares its shares go too and are counted in data."},
		func(ctx context.Context, who policy.Principal, in keyDeletion) (any, error) {
			if !in.RevokeShares {
				before, err := apiKeys.DeleteKey(ctx, who, in.ID)
				httpapi.ScopeOf(ctx).NoteBefore(nil, keyOf(&before, before.Masked, httpapi.ScopeOf(ctx).Now()))
				return httpapi.None{}, err
			}
			before, shared, err := apiKeys.DeleteKeyAndShares(ctx, who, in.ID)
			httpapi.ScopeOf(ctx).NoteBefore(nil, keyOf(&before, before.Masked, httpapi.ScopeOf(ctx).Now()))
			httpapi.ScopeOf(ctx).Note("shares", shared.Total())
			return sharedOf(shared), err
		})
	httpapi.Describe(a, "key.delete", keyDeletion{}, sharedJSON{}, httpapi.None{})
}

// keyListRequest is the query of the list of keys.
type keyListRequest struct {
	wire.PageRequest
	Sort  string `query:"sort"`  // created_at, name, basic_path, expires_at, last_used
	State string `query:"state"` // active, expired, off
}

func (in keyListRequest) filter() keys.KeyFilter {
	return keys.KeyFilter{Paging: in.Paging(keys.PageSize), Search: strings.TrimSpace(in.Search),
		KeySort: keys.KeySort{By: in.Sort, Ascending: strings.EqualFold(in.Order, "asc"), State: in.State}}
}

// keysOf shows keys with their values masked.
func keysOf(all []keys.Key, now time.Time) []keyJSON {
	out := make([]keyJSON, len(all))
	for i := range all {
		out[i] = keyOf(&all[i], all[i].Masked, now)
		out[i].ETag = all[i].ETag()
	}
	return out
}

// keyUseJSON is how often a key was used.
type keyUseJSON struct {
	Days     []dayUseJSON `json:"days"`
	Total    int64        `json:"total"` // of these days
	LastUsed wire.Instant `json:"last_used"`
}

type dayUseJSON struct {
	Day   string `json:"day"` // of UTC, such as 2026-01-31
	Calls int64  `json:"calls"`
}

type keyDeletion struct {
	ID           string    `path:"id"`
	RevokeShares wire.Flag `query:"revoke_shares"` // its pastes and files go too
}

// sharedJSON counts what a key has shared.
type sharedJSON struct {
	Pastes int `json:"pastes"`
	Files  int `json:"files"`
	// Folders are links for folders of mounts.
	Folders int `json:"folders,omitempty"`
	Total   int `json:"total"`
}

func sharedOf(s keys.Shared) sharedJSON {
	return sharedJSON{Pastes: s.Pastes, Files: s.Files, Folders: s.Folders, Total: s.Total()}
}

// keyRequest holds the fields of a new or changed key.
type keyRequest struct {
	ID          string              `path:"id"`
	Name        wire.Opt[string]    `json:"name"`
	Permissions wire.Opt[wire.Int]  `json:"permissions" doc:"Sum of: 1 text, 2 file_share, 256 mount_view, 512 mount_upload, 1024 mount_copy, 2048 mount_rename, 4096 mount_delete, 65536 webdav_read, 131072 webdav_manage. Any other bit answers 400. A new key has 0 unless said."`
	Role        wire.Opt[string]    `json:"role"`
	BasicPath   wire.Opt[string]    `json:"basic_path"`
	IsGuest     wire.Opt[wire.Flag] `json:"is_guest"`
	IsActive    wire.Opt[wire.Flag] `json:"is_active"`
	ExpiresAt   wire.Opt[string]    `json:"expires_at" doc:"null and \"never\" mean without end. A new key for which none is named ends after 24 hours."`
	CustomKey   wire.Opt[string]    `json:"custom_key"` // of a new key
}

type rotateRequest struct {
	ID        string           `path:"id"`
	CustomKey wire.Opt[string] `json:"custom_key"`
	OldUntil  wire.Opt[string] `json:"old_until" doc:"Until when the old value works, in the future. Absent or null: it ends at once."`
}

func (in rotateRequest) rotation() (keys.Rotation, error) {
	r := keys.Rotation{Custom: in.CustomKey.Value}
	if in.OldUntil.Value == "" {
		return r, nil
	}
	until, err := keys.ParseEnd(in.OldUntil.Value)
	r.Until = until
	return r, err
}

// fields turns the request into the words of the domain. Null means absent,
// but for expires_at.
func (in keyRequest) fields() (keys.KeyFields, error) {
	f := keys.KeyFields{
		Name: wire.Optional(in.Name), Role: wire.Optional(in.Role), BasicPath: wire.Optional(in.BasicPath),
		Permissions: wire.AsPlain[int64](wire.Optional(in.Permissions)), IsGuest: wire.AsPlain[bool](wire.Optional(in.IsGuest)), IsActive: wire.AsPlain[bool](wire.Optional(in.IsActive)),
	}
	if in.ExpiresAt.Set {
		end, err := keys.ParseExpiry(in.ExpiresAt.Value)
		if err != nil {
			return f, err
		}
		f.ExpiresAt = &end
	}
	return f, nil
}

// keyJSON is an API key (contract §3.3).
type keyJSON struct {
	ID              string       `json:"id"`
	Name            string       `json:"name"`
	Key             string       `json:"key"` // the value once, masked afterwards (decision 6)
	KeyMasked       string       `json:"key_masked"`
	Permissions     int64        `json:"permissions"`
	PermissionNames []string     `json:"permission_names"`
	Role            string       `json:"role"`
	BasicPath       string       `json:"basic_path"`
	IsGuest         wire.Bit     `json:"is_guest"`
	IsActive        wire.Bit     `json:"is_active"`
	IsExpired       wire.Bit     `json:"is_expired"`
	ExpiresAt       wire.Instant `json:"expires_at"`
	CreatedAt       wire.Instant `json:"created_at"`
	LastUsed        wire.Instant `json:"last_used"`
	ETag            string       `json:"etag,omitempty"`   // of rows of a list; a single key has it as a header
	Former          *formerJSON  `json:"former,omitempty"` // the old value, as long as it works
	// Usage is in lists and where one key is read.
	Usage *usageJSON `json:"usage,omitempty"`
}

// formerJSON is the value that a key had before, as long as it works.
type formerJSON struct {
	KeyMasked string       `json:"key_masked"`
	Until     wire.Instant `json:"until"`
}

func formerOf(k *keys.Key, now time.Time) *formerJSON {
	former := k.Former.At(now)
	if former.MAC == "" {
		return nil
	}
	return &formerJSON{former.Masked, wire.Instant(former.Until)}
}

func keyOf(k *keys.Key, value string, now time.Time) keyJSON {
	names := []string{}
	for _, n := range policy.Names {
		if k.Permissions&n.Bit != 0 {
			names = append(names, n.Name)
		}
	}
	return keyJSON{ID: k.ID, Name: k.Name, Key: value, KeyMasked: k.Masked, Permissions: int64(k.Permissions), PermissionNames: names,
		Role: k.Role, BasicPath: k.BasicPath, IsGuest: wire.Bit(k.IsGuest), IsActive: wire.Bit(k.IsActive), IsExpired: wire.Bit(k.Expired(now)),
		ExpiresAt: wire.Instant(k.ExpiresAt), CreatedAt: wire.Instant(k.CreatedAt), LastUsed: wire.InstantOf(k.LastUsed), Former: formerOf(k, now)}
}
