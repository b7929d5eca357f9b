package treeapi

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"

	"pasteport/adapters/httpapi"
	"pasteport/adapters/httpapi/wire"
	"pasteport/domain/mounts"
	"pasteport/domain/mounts/index"
	"pasteport/ports"
	"pasteport/ports/policy"
)

// mountOps are the calls about mounts (contract §9).
func mountOps(a *httpapi.API, use *mounts.Mounts, tree *mounts.Tree, objects *index.Index) {
	mountAdminOps(a, use)
	mountIndexOps(a, objects)
	mountUserOps(a, use, tree)
}

// mountAdminOps are those of the administrator.
func mountAdminOps(a *httpapi.API, use *mounts.Mounts) {
	read, write := []policy.Action{policy.MountsAdmin}, []policy.Action{policy.MountsWrite}

	httpapi.Handle(a, httpapi.Op{Name: "mount.list", Method: http.MethodGet, Path: "/api/admin/mounts", Actions: read,
		Top: map[string]any{"pagination": wire.Pagination{}}, Summary: "Lists all mounts, inactive ones too, by sort order and name. Without a parameter the answer is the whole list; with one it is a page of it, and pagination stands beside data."},
		func(ctx context.Context, who policy.Principal, in mountListRequest) (httpapi.Answer[[]mountJSON], error) {
			if !wire.AsksForPage(httpapi.ScopeOf(ctx).Request().URL.Query()) {
				all, err := use.List(ctx, who)
				return httpapi.Answer[[]mountJSON]{Data: mountsOf(all)}, err
			}
			found, paging, err := use.Page(ctx, who, in.filter())
			if err != nil {
				return httpapi.Answer[[]mountJSON]{}, err
			}
			return httpapi.Answer[[]mountJSON]{Data: mountsOf(found.Items), Top: map[string]any{"pagination": wire.PaginationOf(paging, found.Total, true)}}, nil
		})

	httpapi.Handle(a, httpapi.Op{Name: "mount.get", Method: http.MethodGet, Path: "/api/admin/mounts/{id}", Actions: read, Errors: []string{"mount_not_found"},
		Summary: "Reads one mount."},
		func(ctx context.Context, who policy.Principal, in wire.IDRequest) (mountJSON, error) {
			mount, err := use.Get(ctx, who, in.ID)
			if err != nil {
				return mountJSON{}, err
			}
			httpapi.ScopeOf(ctx).Header().Set("ETag", mount.ETag())
			return mountOf(mount), nil
		})

	httpapi.Handle(a, httpapi.Op{Name: "mount.create", Method: http.MethodPost, Path: "/api/admin/mounts", Actions: write, Body: httpapi.JSON, Answer: httpapi.Created, Idem: httpapi.Afterwards,
		Errors: []string{"already_exists"}, Summary: "Makes a mount: the bucket of a storage config appears at a path of the tree."},
		func(ctx context.Context, who policy.Principal, in mountRequest) (mountJSON, error) {
			draft, err := in.draft()
			if err != nil {
				return mountJSON{}, err
			}
			mount, err := use.Create(ctx, who, draft)
			if err != nil {
				return mountJSON{}, err
			}
			return mountOf(mount), nil
		})

	httpapi.Handle(a, httpapi.Op{Name: "mount.update", Method: http.MethodPut, Path: "/api/admin/mounts/{id}", Actions: write, Body: httpapi.JSON, Idem: httpapi.Afterwards,
		Errors:  []string{"mount_not_found", "already_exists", "precondition_failed"},
		Summary: "Changes the named fields of a mount. With If-Match only when it still has that entity tag. The answer has the new one."},
		func(ctx context.Context, who policy.Principal, in mountRequest) (httpapi.None, error) {
			draft, err := in.draft()
			if err != nil {
				return httpapi.None{}, err
			}
			draft.IfMatch = httpapi.ScopeOf(ctx).IfMatch()
			done, err := use.Update(ctx, who, in.ID, draft)
			if err == nil {
				httpapi.ScopeOf(ctx).Header().Set("ETag", done.After.ETag())
				httpapi.ScopeOf(ctx).NoteBefore(in, mountOf(&done.Before))
			}
			return httpapi.None{}, err
		})

	httpapi.Handle(a, httpapi.Op{Name: "mount.delete", Method: http.MethodDelete, Path: "/api/admin/mounts/{id}", Actions: write, Errors: []string{"mount_not_found"},
		Summary: "Deletes a mount; what lies in the storage stays."},
		func(ctx context.Context, who policy.Principal, in wire.IDRequest) (httpapi.None, error) {
			before, err := use.Delete(ctx, who, in.ID)
			if err == nil {
				httpapi.ScopeOf(ctx).NoteBefore(nil, mountOf(before))
			}
			return httpapi.None{}, err
		})
}

// mountUserOps are those of everybody who may browse mounts.
func mountUserOps(a *httpapi.API, use *mounts.Mounts, tree *mounts.Tree) {
	read := []policy.Action{policy.MountsRead}

	httpapi.Handle(a, httpapi.Op{Name: "mount.list_usable", Method: http.MethodGet, Path: "/api/user/mounts", Actions: read,
		Summary: "Lists the active mounts that the caller can browse."},
		func(ctx context.Context, who policy.Principal, _ httpapi.None) ([]usableMountJSON, error) {
			all, err := use.ListUsable(ctx, who)
			out := make([]usableMountJSON, len(all))
			for i := range all {
				out[i] = usableMountJSON{mountOf(&all[i].Mount), wire.Bit(all[i].Public)}
			}
			return out, err
		})

	httpapi.Handle(a, httpapi.Op{Name: "mount.get_usable", Method: http.MethodGet, Path: "/api/user/mounts/{id}", Actions: read,
		Errors: []string{"mount_not_found", "mount_forbidden"}, Summary: "Reads one active mount that the caller can browse."},
		func(ctx context.Context, who policy.Principal, in wire.IDRequest) (usableMountJSON, error) {
			mount, err := use.GetUsable(ctx, who, in.ID)
			if err != nil {
				return usableMountJSON{}, err
			}
			return usableMountJSON{mountOf(&mount.Mount), wire.Bit(mount.Public)}, nil
		})

	httpapi.Handle(a, httpapi.Op{Name: "mount.clear_cache", Method: http.MethodPost, Path: "/api/user/cache/clear", Actions: read, Body: httpapi.JSON, Idem: httpapi.Afterwards,
		Summary: "Forgets the cached listings of the mounts that the caller can browse."},
		func(ctx context.Context, who policy.Principal, in wire.ClearRequest) (wire.ClearedData, error) {
			n, err := tree.ClearOwnCache(ctx, who, in.MountID.Value, in.ConfigID.Value)
			return wire.ClearedData{ClearedCount: n, Timestamp: wire.Instant(httpapi.ScopeOf(ctx).Now())}, err
		})
}

// mountListRequest is the query of the list of mounts.
type mountListRequest struct {
	wire.PageRequest
	Sort    string `query:"sort"`  // sort_order, name, mount_path, created_at
	State   string `query:"state"` // active, inactive
	Storage string `query:"storage_config_id"`
}

func (in mountListRequest) filter() mounts.MountFilter {
	return mounts.MountFilter{Paging: in.Paging(mounts.PageSize), Search: strings.TrimSpace(in.Search), ConfigID: in.Storage,
		MountSort:  mounts.MountSort{By: in.Sort, Descending: strings.EqualFold(in.Order, "desc")},
		ActiveOnly: in.State == "active", InactiveOnly: in.State == "inactive"}
}

func mountsOf(all []mounts.Mount) []mountJSON {
	out := make([]mountJSON, len(all))
	for i := range all {
		out[i] = mountOf(&all[i])
		out[i].ETag = all[i].ETag()
	}
	return out
}

// mountRequest holds the fields of a new or changed mount.
type mountRequest struct {
	ID              string              `path:"id"`
	Name            wire.Opt[string]    `json:"name"`
	StorageType     wire.Opt[string]    `json:"storage_type"`
	StorageConfigID wire.Opt[string]    `json:"storage_config_id"`
	MountPath       wire.Opt[string]    `json:"mount_path"`
	Remark          wire.Opt[string]    `json:"remark"` // null means none
	IsActive        wire.Opt[wire.Flag] `json:"is_active"`
	SortOrder       wire.Opt[wire.Int]  `json:"sort_order"`
	CacheTTL        wire.Opt[wire.Int]  `json:"cache_ttl"` // seconds
	WebProxy        wire.Opt[wire.Flag] `json:"web_proxy"`
	EnableSign      wire.Opt[wire.Flag] `json:"enable_sign"`
	// SignExpires is in seconds, 0 means never; null and empty mean the site's
	// value.
	SignExpires  wire.Opt[json.RawMessage] `json:"sign_expires"`
	WebDAVPolicy wire.Opt[string]          `json:"webdav_policy"`
}

// draft turns the request into the words of the domain.
func (in mountRequest) draft() (mounts.Draft, error) {
	d := mounts.Draft{Name: wire.Optional(in.Name), StorageType: wire.Optional(in.StorageType), StorageConfigID: wire.Optional(in.StorageConfigID),
		Path: wire.Optional(in.MountPath), Active: wire.AsPlain[bool](wire.Optional(in.IsActive)), SortOrder: wire.AsPlain[int64](wire.Optional(in.SortOrder)),
		CacheTTL: wire.AsPlain[int64](wire.Optional(in.CacheTTL)), WebProxy: wire.AsPlain[bool](wire.Optional(in.WebProxy)), EnableSign: wire.AsPlain[bool](wire.Optional(in.EnableSign)),
		WebDAVPolicy: wire.Optional(in.WebDAVPolicy)}
	if in.Remark.Set {
		d.Remark = &in.Remark.Value
	}
	if in.SignExpires.Set {
		text, null, err := wire.Scalar(in.SignExpires.Value)
		var n wire.Int
		if err == nil {
			err = n.FromText(text)
		}
		if !null && err != nil {
			return d, ports.InvalidInput("field_invalid", "sign_expires")
		}
		if d.SignDefault = null || strings.TrimSpace(text) == ""; !d.SignDefault {
			d.SignExpires = (*int64)(&n)
		}
	}
	return d, nil
}

// mountJSON is a mount (contract §3.5).
type mountJSON struct {
	ID              string       `json:"id"`
	Name            string       `json:"name"`
	StorageType     string       `json:"storage_type"`
	StorageConfigID string       `json:"storage_config_id"`
	MountPath       string       `json:"mount_path"`
	Remark          *string      `json:"remark"`
	IsActive        wire.Bit     `json:"is_active"`
	CreatedBy       string       `json:"created_by"`
	SortOrder       int64        `json:"sort_order"`
	CacheTTL        int64        `json:"cache_ttl"` // seconds
	WebProxy        wire.Bit     `json:"web_proxy"`
	EnableSign      wire.Bit     `json:"enable_sign"`
	SignExpires     *int64       `json:"sign_expires"` // seconds; null means the site's value, 0 never
	WebDAVPolicy    string       `json:"webdav_policy"`
	CreatedAt       wire.Instant `json:"created_at"`
	UpdatedAt       wire.Instant `json:"updated_at"`
	LastUsed        wire.Instant `json:"last_used"`
	ETag            string       `json:"etag,omitempty"` // of rows of the administrator's list; a single mount has it as a header
}

// usableMountJSON is a mount as those see it who browse it.
type usableMountJSON struct {
	mountJSON
	IsPublic wire.Bit `json:"is_public"`
}

func mountOf(m *mounts.Mount) mountJSON {
	out := mountJSON{ID: m.ID, Name: m.Name, StorageType: m.StorageType, StorageConfigID: m.StorageConfigID, MountPath: m.Path, IsActive: wire.Bit(m.Active),
		CreatedBy: m.CreatedBy, SortOrder: m.SortOrder, CacheTTL: m.CacheTTL, WebProxy: wire.Bit(m.WebProxy), EnableSign: wire.Bit(m.EnableSign),
		SignExpires: m.SignExpires, WebDAVPolicy: m.WebDAVPolicy, CreatedAt: wire.Instant(m.CreatedAt), UpdatedAt: wire.Instant(m.UpdatedAt),
		LastUsed: wire.InstantOf(m.LastUsed)}
	if m.Remark != "" {
		out.Remark = &m.Remark
	}
	return out
}
