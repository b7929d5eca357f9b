package treeapi

import (
	"context"
	"net/http"

	"pasteport/adapters/httpapi"
	"pasteport/adapters/httpapi/wire"
	"pasteport/domain/mounts"
	"pasteport/ports/policy"
)

// fsSharesOps tell what of a folder is shared.
func fsSharesOps(a *httpapi.API, tree *mounts.Tree) {
	httpapi.Handle(a, httpapi.Op{Name: "fs.shares", Method: http.MethodGet, Path: "/api/fs/shares", Actions: []policy.Action{policy.MountList},
		Errors: fsErrors, Summary: "Lists the open shares that lead to what lies directly in a folder, those of its files and the links for several entries: all for the admin, their own for keys; newest first, at most 1,000 of each."},
		func(ctx context.Context, who policy.Principal, in pathQuery) (marksJSON, error) {
			path, err := in.required()
			if err != nil {
				return marksJSON{}, err
			}
			marks, err := tree.Shares(ctx, explorer(who), path)
			out := marksJSON{Shares: make([]markJSON, len(marks.Files)), Links: make([]linkJSON, len(marks.Links))}
			for i := range marks.Files {
				out.Shares[i] = markOf(ctx, &marks.Files[i])
			}
			for i, l := range marks.Links {
				out.Links[i] = linkJSON{l.Name, l.ID, l.Slug, l.Title, wire.CollectionPlace(httpapi.ScopeOf(ctx).Origin(), l.Slug)}
			}
			return out, err
		})
}

type marksJSON struct {
	Shares []markJSON `json:"shares"`
	Links  []linkJSON `json:"links,omitempty"` // for folders, selections and several files
}

// linkJSON is a link for several entries that leads to one of a folder.
type linkJSON struct {
	Name  string `json:"name"` // of the entry in the folder; empty means all of them
	ID    string `json:"id"`
	Slug  string `json:"slug"`
	Title string `json:"title"`
	wire.SharePlace
}

// markJSON is a share of a file in a folder, with what its edit form needs.
type markJSON struct {
	Name        string   `json:"name"` // of the file in the folder
	ID          string   `json:"id"`
	Slug        string   `json:"slug"`
	Remark      *string  `json:"remark"`
	HasPassword bool     `json:"has_password"`
	ExpiresAt   *string  `json:"expires_at"`
	MaxViews    *int64   `json:"max_views"`
	Views       int64    `json:"views"`
	UseProxy    wire.Bit `json:"use_proxy"`
	CreatedAt   string   `json:"created_at"`
	wire.SharePlace
}

func markOf(ctx context.Context, m *mounts.Mark) markJSON {
	return markJSON{Name: m.Name, ID: m.ID, Slug: m.Slug, Remark: wire.TextOrNull(m.Remark), HasPassword: m.Protected, ExpiresAt: wire.ISOTime(m.ExpiresAt),
		MaxViews: wire.OrNull(m.MaxViews), Views: m.Views, UseProxy: wire.Bit(m.UseProxy), CreatedAt: wire.ISO(m.CreatedAt), SharePlace: wire.FilePlace(httpapi.ScopeOf(ctx).Origin(), m.Slug)}
}
