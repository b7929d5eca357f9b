package httpapi

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"

	"pasteport/domain/mounts"
	"pasteport/domain/mounts/index"
	"pasteport/ports"
	"pasteport/ports/policy"
)

// mountOps are the calls about mounts (contract §9).
func mountOps(a *API, use *mounts.Mounts, tree *mounts.Tree, objects *index.Index) {
	mountAdminOps(a, use)
	mountIndexOps(a, objects)
	mountUserOps(a, use, tree)
}

// mountAdminOps are those of the administrator.
func mountAdminOps(a *API, use *mounts.Mounts) {
	read, write := []policy.Action{policy.MountsAdmin}, []policy.Action{policy.MountsWrite}

	Handle(a, Op{Name: "mount.list", Method: http.MethodGet, Path: "/api/admin/mounts", Actions: read,
		Top: map[string]any{"pagination": pagination{}}, Summary: "Lists all mounts, inactive ones too, by sort order and name. Without a parameter the answer is the whole list; with one it is a page of it, and pagination stands beside data."},
		func(ctx context.Context, who policy.Principal, in mountListRequest) (Answer[[]mountJSON], error) {
			if !asksForPage(ScopeOf(ctx).Request().URL.Query()) {
				all, err := use.List(ctx, who)
				return Answer[[]mountJSON]{Data: mountsOf(all)}, err
			}
			found, paging, err := use.Page(ctx, who, in.filter())
			if err != nil {
				return Answer[[]mountJSON]{}, err
			}
			return Answer[[]mountJSON]{Data: mountsOf(found.Items), Top: map[string]any{"pagination": paginationOf(paging, found.Total, true)}}, nil
		})

	Handle(a, Op{Name: "mount.get", Method: http.MethodGet, Path: "/api/admin/mounts/{id}", Actions: read, Errors: []string{"mount_not_found"},
		Summary: "Reads one mount."},
		func(ctx context.Context, who policy.Principal, in idRequest) (mountJSON, error) {
			mount, err := use.Get(ctx, who, in.ID)
			if err != nil {
				return mountJSON{}, err
			}
			ScopeOf(ctx).Header().Set("ETag", mount.ETag())
			return mountOf(mount), nil
		})

	Handle(a, Op{Name: "mount.create", Method: http.MethodPost, Path: "/api/admin/mounts", Actions: write, Body: JSON, Answer: Created, Idem: Afterwards,
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

	Handle(a, Op{Name: "mount.update", Method: http.MethodPut, Path: "/api/admin/mounts/{id}", Actions: write, Body: JSON, Idem: Afterwards,
		Errors:  []string{"mount_not_found", "already_exists", "precondition_failed"},
		Summary: "Changes the named fields of a mount. With If-Match only when it still has that entity tag. The answer has the new one."},
		func(ctx context.Context, who policy.Principal, in mountRequest) (None, error) {
			draft, err := in.draft()
			if err != nil {
				return None{}, err
			}
			draft.IfMatch = ScopeOf(ctx).IfMatch()
			done, err := use.Update(ctx, who, in.ID, draft)
			if err == nil {
				ScopeOf(ctx).Header().Set("ETag", done.After.ETag())
				ScopeOf(ctx).NoteBefore(in, mountOf(&done.Before))
			}
			return None{}, err
		})

	Handle(a, Op{Name: "mount.delete", Method: http.MethodDelete, Path: "/api/admin/mounts/{id}", Actions: write, Errors: []string{"mount_not_found"},
		Summary: "Deletes a mount; what lies in the storage stays."},
		func(ctx context.Context, who policy.Principal, in idRequest) (None, error) {
			before, err := use.Delete(ctx, who, in.ID)
			if err == nil {
				ScopeOf(ctx).NoteBefore(nil, mountOf(before))
			}
			return None{}, err
		})
}

// mountUserOps are those of everybody who may browse mounts.
func mountUserOps(a *API, use *mounts.Mounts, tree *mounts.Tree) {
	read := []policy.Action{policy.MountsRead}

	Handle(a, Op{Name: "mount.list_usable", Method: http.MethodGet, Path: "/api/user/mounts", Actions: read,
		Summary: "Lists the active mounts that the caller can browse."},
		func(ctx context.Context, who policy.Principal, _ None) ([]usableMountJSON, error) {
			all, err := use.ListUsable(ctx, who)
			out := make([]usableMountJSON, len(all))
			for i := range all {
				out[i] = usableMountJSON{mountOf(&all[i].Mount), Bit(all[i].Public)}
			}
			return out, err
		})

	Handle(a, Op{Name: "mount.get_usable", Method: http.MethodGet, Path: "/api/user/mounts/{id}", Actions: read,
		Errors: []string{"mount_not_found", "mount_forbidden"}, Summary: "Reads one active mount that the caller can browse."},
		func(ctx context.Context, who policy.Principal, in idRequest) (usableMountJSON, error) {
			mount, err := use.GetUsable(ctx, who, in.ID)
			if err != nil {
				return usableMountJSON{}, err
			}
			return usableMountJSON{mountOf(&mount.Mount), Bit(mount.Public)}, nil
		})

	Handle(a, Op{Name: "mount.clear_cache", Method: http.MethodPost, Path: "/api/user/cache/clear", Actions: read, Body: JSON, Idem: Afterwards,
		Summary: "Forgets the cached listings of the mounts that the caller can browse."},
		func(ctx context.Context, who policy.Principal, in clearRequest) (clearedData, error) {
			n, err := tree.ClearOwnCache(ctx, who, in.MountID.Value, in.ConfigID.Value)
			return clearedData{n, instant(ScopeOf(ctx).Now())}, err
		})
}

// mountListRequest is the query of the list of mounts.
type mountListRequest struct {
	pageRequest
	Sort    string `query:"sort"`  // sort_order, name, mount_path, created_at
	State   string `query:"state"` // active, inactive
	Storage string `query:"storage_config_id"`
}

func (in mountListRequest) filter() mounts.MountFilter {
	return mounts.MountFilter{Paging: in.paging(mounts.PageSize), Search: strings.TrimSpace(in.Search), ConfigID: in.Storage,
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
	ID              string      `path:"id"`
	Name            Opt[string] `json:"name"`
	StorageType     Opt[string] `json:"storage_type"`
	StorageConfigID Opt[string] `json:"storage_config_id"`
	MountPath       Opt[string] `json:"mount_path"`
	Remark          Opt[string] `json:"remark"` // null means none
	IsActive        Opt[Flag]   `json:"is_active"`
	SortOrder       Opt[Int]    `json:"sort_order"`
	CacheTTL        Opt[Int]    `json:"cache_ttl"` // seconds
	WebProxy        Opt[Flag]   `json:"web_proxy"`
	EnableSign      Opt[Flag]   `json:"enable_sign"`
	// SignExpires is in seconds, 0 means never; null and empty mean the site's
	// value.
	SignExpires  Opt[json.RawMessage] `json:"sign_expires"`
	WebDAVPolicy Opt[string]          `json:"webdav_policy"`
}

// draft turns the request into the words of the domain.
func (in mountRequest) draft() (mounts.Draft, error) {
	d := mounts.Draft{Name: optional(in.Name), StorageType: optional(in.StorageType), StorageConfigID: optional(in.StorageConfigID),
		Path: optional(in.MountPath), Active: as[bool](optional(in.IsActive)), SortOrder: as[int64](optional(in.SortOrder)),
		CacheTTL: as[int64](optional(in.CacheTTL)), WebProxy: as[bool](optional(in.WebProxy)), EnableSign: as[bool](optional(in.EnableSign)),
		WebDAVPolicy: optional(in.WebDAVPolicy)}
	if in.Remark.Set {
		d.Remark = &in.Remark.Value
	}
	if in.SignExpires.Set {
		text, null, err := scalar(in.SignExpires.Value)
		var n Int
		if err == nil {
			err = n.fromText(text)
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
	ID              string  `json:"id"`
	Name            string  `json:"name"`
	StorageType     string  `json:"storage_type"`
	StorageConfigID string  `json:"storage_config_id"`
	MountPath       string  `json:"mount_path"`
	Remark          *string `json:"remark"`
	IsActive        Bit     `json:"is_active"`
	CreatedBy       string  `json:"created_by"`
	SortOrder       int64   `json:"sort_order"`
	CacheTTL        int64   `json:"cache_ttl"` // seconds
	WebProxy        Bit     `json:"web_proxy"`
	EnableSign      Bit     `json:"enable_sign"`
	SignExpires     *int64  `json:"sign_expires"` // seconds; null means the site's value, 0 never
	WebDAVPolicy    string  `json:"webdav_policy"`
	CreatedAt       instant `json:"created_at"`
	UpdatedAt       instant `json:"updated_at"`
	LastUsed        instant `json:"last_used"`
	ETag            string  `json:"etag,omitempty"` // of rows of the administrator's list; a single mount has it as a header
}

// usableMountJSON is a mount as those see it who browse it.
type usableMountJSON struct {
	mountJSON
	IsPublic Bit `json:"is_public"`
}

func mountOf(m *mounts.Mount) mountJSON {
	out := mountJSON{ID: m.ID, Name: m.Name, StorageType: m.StorageType, StorageConfigID: m.StorageConfigID, MountPath: m.Path, IsActive: Bit(m.Active),
		CreatedBy: m.CreatedBy, SortOrder: m.SortOrder, CacheTTL: m.CacheTTL, WebProxy: Bit(m.WebProxy), EnableSign: Bit(m.EnableSign),
		SignExpires: m.SignExpires, WebDAVPolicy: m.WebDAVPolicy, CreatedAt: instant(m.CreatedAt), UpdatedAt: instant(m.UpdatedAt),
		LastUsed: instantOf(m.LastUsed)}
	if m.Remark != "" {
		out.Remark = &m.Remark
	}
	return out
}
