package treeapi

import (
	"context"
	"net/http"

	"pasteport/adapters/httpapi"
	"pasteport/adapters/httpapi/wire"
	"pasteport/domain/mounts"
	"pasteport/ports/policy"
)

// fsSharesOps tell which files of a folder are shared.
func fsSharesOps(a *httpapi.API, tree *mounts.Tree) {
	httpapi.Handle(a, httpapi.Op{Name: "fs.shares", Method: http.MethodGet, Path: "/api/fs/shares", Actions: []policy.Action{policy.MountList},
		Errors: fsErrors, Summary: "Lists the open shares of the files directly in a folder: all for the admin, their own for keys; newest first, at most 1,000."},
		func(ctx context.Context, who policy.Principal, in pathQuery) (marksJSON, error) {
			path, err := in.required()
			if err != nil {
				return marksJSON{}, err
			}
			marks, err := tree.Shares(ctx, explorer(who), path)
			out := marksJSON{Shares: make([]markJSON, len(marks))}
			for i := range marks {
				out.Shares[i] = markOf(ctx, &marks[i])
			}
			return out, err
		})
}

type marksJSON struct {
	Shares []markJSON `json:"shares"`
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
