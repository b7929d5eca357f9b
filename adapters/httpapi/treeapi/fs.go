package treeapi

import (
	"context"
	"net/http"

	"pasteport/adapters/httpapi"
	"pasteport/adapters/httpapi/wire"
	"pasteport/domain/mounts"
	"pasteport/domain/mounts/index"
	"pasteport/domain/mounts/transfer"
	"pasteport/ports"
	"pasteport/ports/filetype"
	"pasteport/ports/policy"
)

// fsOps are the calls of the mount explorer.
func fsOps(a *httpapi.API, tree *mounts.Tree, objects *index.Index, transfers *transfer.Transfers) {
	fsListOps(a, tree)
	fsGetOps(a, tree)
	fsChangeOps(a, tree, transfers)
	fsSearchOps(a, objects)
	fsSharesOps(a, tree)
}

// explorer is a caller who comes in by /api/fs.
func explorer(who policy.Principal) mounts.Caller {
	return mounts.Caller{Who: who, Door: mounts.Explorer}
}

// fsGetOps describe one file or folder (contract §4.2).
func fsGetOps(a *httpapi.API, tree *mounts.Tree) {
	httpapi.Handle(a, httpapi.Op{Name: "fs.get", Method: http.MethodGet, Path: "/api/fs/get", Actions: []policy.Action{policy.MountRead},
		Errors: fsErrors, Summary: "Describes a file or a folder, with links to a file's content."},
		func(ctx context.Context, who policy.Principal, in pathQuery) (fsDetailsJSON, error) {
			path, err := in.required()
			if err != nil {
				return fsDetailsJSON{}, err
			}
			d, err := tree.Get(ctx, explorer(who), path)
			if err != nil {
				return fsDetailsJSON{}, err
			}
			return detailsOf(ctx, d, filetype.KindsOf(tree.Settings)), nil
		})
}

// fsErrors are the machine codes of the calls that name a path.
var fsErrors = []string{"path_forbidden", "mount_forbidden", "root_forbidden", "mount_not_found", "storage_unavailable", "storage_denied"}

// pathQuery names a path in the query.
type pathQuery struct {
	Path wire.Opt[string] `query:"path"`
}

// required returns the path, or Invalid when it is absent or empty.
func (in pathQuery) required() (string, error) {
	if in.Path.Value == "" {
		return "", ports.InvalidInput("field_required", "path")
	}
	return in.Path.Value, nil
}

// fsDetailsJSON is a file or a folder (contract §4.2). The fields at the end
// are those of files.
type fsDetailsJSON struct {
	Path        string       `json:"path"` // ends in "/" for a folder
	Name        string       `json:"name"`
	IsDirectory bool         `json:"isDirectory"`
	Size        int64        `json:"size"`
	Modified    wire.Instant `json:"modified"`
	ContentType string       `json:"contentType"`
	MountID     string       `json:"mount_id"`
	StorageType string       `json:"storage_type"`
	Type        int          `json:"type"`
	TypeName    string       `json:"typeName"`
	ETag        string       `json:"etag,omitempty"`
	PreviewURL  *string      `json:"preview_url,omitempty"`
	DownloadURL *string      `json:"download_url,omitempty"`
}

func detailsOf(ctx context.Context, d *mounts.Details, kinds filetype.Kinds) fsDetailsJSON {
	out := fsDetailsJSON{Path: d.Path, Name: d.Name, IsDirectory: d.Folder, Size: max(d.Size, 0), Modified: wire.InstantOf(d.ModTime), ContentType: d.ContentType,
		MountID: d.Mount.ID, StorageType: d.Mount.StorageType, Type: filetype.FolderCode, TypeName: filetype.FolderName}
	if d.Folder {
		out.Path = folderPath(d.Path)
		return out
	}
	kind := kinds.Of(d.Name)
	out.Type, out.TypeName, out.ETag = kind.Code, kind.Name, d.ETag
	out.PreviewURL, out.DownloadURL = httpapi.ScopeOf(ctx).Absolute(d.Links.Preview), httpapi.ScopeOf(ctx).Absolute(d.Links.Download)
	return out
}

// folderPath is how answers write the path of a folder: with "/" at its end.
func folderPath(path string) string {
	if path == "/" {
		return path
	}
	return path + "/"
}
