package treeapi

import (
	"context"
	"net/http"

	"pasteport/adapters/httpapi"
	"pasteport/adapters/httpapi/wire"
	"pasteport/domain/mounts/index"
	"pasteport/ports"
	"pasteport/ports/policy"
)

// fsSearchOps find files and folders and sum them up (contract §4.15, §6.3).
func fsSearchOps(a *httpapi.API, objects *index.Index) {
	httpapi.Handle(a, httpapi.Op{Name: "fs.search", Method: http.MethodGet, Path: "/api/fs/search", Actions: []policy.Action{policy.MountSearch}, Class: httpapi.Heavy,
		Errors: []string{"path_forbidden", "mount_forbidden"}, Summary: "Finds files and folders by a part of their name, of a kind, size and age if wanted."},
		func(ctx context.Context, who policy.Principal, in searchRequest) (searchJSON, error) {
			query, err := in.query()
			if err != nil {
				return searchJSON{}, err
			}
			found, err := objects.Search(ctx, explorer(who), query)
			if err != nil {
				return searchJSON{}, err
			}
			return searchOf(found, in), nil
		})

	httpapi.Handle(a, httpapi.Op{Name: "fs.size", Method: http.MethodGet, Path: "/api/fs/size", Actions: []policy.Action{policy.MountRead}, Class: httpapi.Heavy, Errors: fsErrors,
		Summary: "Sums up a folder with all that is in it."},
		func(ctx context.Context, who policy.Principal, in pathQuery) (sizeJSON, error) {
			path, err := in.required()
			if err != nil {
				return sizeJSON{}, err
			}
			size, err := objects.Size(ctx, explorer(who), path)
			if err != nil {
				return sizeJSON{}, err
			}
			return sizeOf(size), nil
		})
}

// searchRequest is what to search for, and where.
type searchRequest struct {
	Q       string             `query:"q"`
	Scope   string             `query:"scope"`         // global, mount or directory
	Limit   wire.Opt[wire.Int] `query:"limit,lenient"` // 1 to 200; more counts as 200, what is no number as 50
	Offset  wire.Int           `query:"offset,lenient"`
	MountID string             `query:"mount_id"`
	Path    string             `query:"path"`
	Kind    string             `query:"kind"`     // folder, image, video, audio, text, document or other; all when absent
	MinSize wire.Int           `query:"min_size"` // bytes of a file, inclusive; 0 means no bound
	MaxSize wire.Int           `query:"max_size"`
	After   string             `query:"modified_after"` // RFC 3339, inclusive
	Before  string             `query:"modified_before"`
}

func (in searchRequest) query() (index.SearchQuery, error) {
	q := index.SearchQuery{Text: in.Q, Scope: index.Scope(in.Scope), MountID: in.MountID, Path: in.Path,
		Limit: wire.ClampInt(int64(in.Limit.Value), 0, index.MaxFound), Offset: wire.ClampInt(int64(in.Offset), 0, 1<<30)}
	if in.Limit.Set && in.Limit.Value < 1 {
		return q, ports.InvalidInput("field_invalid", "limit")
	}
	q.Narrow = index.Narrow{Kind: in.Kind, MinSize: int64(in.MinSize), MaxSize: int64(in.MaxSize)}
	var err error
	if q.Narrow.After, err = wire.InstantIn(in.After, "modified_after"); err != nil {
		return q, err
	}
	q.Narrow.Before, err = wire.InstantIn(in.Before, "modified_before")
	return q, err
}

// searchJSON is a page of what was found.
type searchJSON struct {
	Results        []foundJSON      `json:"results"`
	Total          int              `json:"total"` // at most 1000 for each mount
	HasMore        bool             `json:"hasMore"`
	MountsSearched int              `json:"mountsSearched"`
	SearchParams   searchParamsJSON `json:"searchParams"`
	// IndexedAt is how fresh the oldest index is that was asked; null when the
	// storages themselves were.
	IndexedAt wire.Instant `json:"indexedAt"`
	Partial   bool         `json:"partial"` // not everything could be searched
	Cut       bool         `json:"cut,omitempty" doc:"true when some mount has more matches than total counts"`
}

type searchParamsJSON struct {
	Query   string `json:"query"`
	Scope   string `json:"scope"`
	MountID string `json:"mountId"`
	Path    string `json:"path"`
	Limit   int    `json:"limit"`
	Offset  int    `json:"offset"`
}

// foundJSON is a file or folder that fits.
type foundJSON struct {
	Name        string       `json:"name"`
	Path        string       `json:"path"` // ends in "/" for a folder
	Size        int64        `json:"size"` // bytes; 0 for a folder
	Modified    wire.Instant `json:"modified"`
	IsDirectory bool         `json:"isDirectory"`
	ContentType string       `json:"contentType"`
	MountID     string       `json:"mount_id"`
	MountName   string       `json:"mount_name"`
	StorageType string       `json:"storage_type"`
	S3Key       string       `json:"s3_key"`
}

func searchOf(r *index.SearchResult, in searchRequest) searchJSON {
	out := searchJSON{Results: make([]foundJSON, len(r.Found)), Total: r.Total, HasMore: r.More, MountsSearched: r.Mounts, IndexedAt: wire.InstantOf(r.IndexedAt),
		Partial: r.Partial, Cut: r.Cut, SearchParams: searchParamsJSON{Query: r.Query.Text, Scope: string(r.Query.Scope), MountID: in.MountID, Path: in.Path,
			Limit: r.Query.Limit, Offset: r.Query.Offset}}
	for i, f := range r.Found {
		out.Results[i] = foundJSON{Name: f.Name, Path: f.Path, Size: max(f.Size, 0), Modified: wire.InstantOf(f.ModTime), IsDirectory: f.Folder,
			ContentType: f.ContentType, MountID: f.Mount.ID, MountName: f.Mount.Name, StorageType: f.Mount.StorageType, S3Key: f.Key}
		if f.Folder {
			out.Results[i].Path = folderPath(f.Path)
		}
	}
	return out
}

// sizeJSON is what a file or folder comes to.
type sizeJSON struct {
	Path        string       `json:"path"` // ends in "/" for a folder
	IsDirectory bool         `json:"isDirectory"`
	Size        int64        `json:"size"`  // bytes, with all below
	Files       int64        `json:"files"` // with all below
	Modified    wire.Instant `json:"modified"`
	SizeSource  string       `json:"size_source"` // index or storage
	IndexedAt   wire.Instant `json:"indexedAt"`   // how fresh the index is; null when the storage was asked
	Partial     bool         `json:"partial"`     // the storage could not be listed to its end
}

func sizeOf(s *index.FolderSize) sizeJSON {
	out := sizeJSON{Path: s.Path, IsDirectory: s.Folder, Size: s.Total.Size, Files: s.Total.Files, Modified: wire.InstantOf(s.Total.Newest), SizeSource: fromStorage,
		IndexedAt: wire.InstantOf(s.IndexedAt), Partial: s.Partial}
	if s.Folder {
		out.Path = folderPath(s.Path)
	}
	if s.IndexedAt != nil {
		out.SizeSource = fromIndex
	}
	return out
}

// mountIndexOps keep the index of what is in mounts.
func mountIndexOps(a *httpapi.API, objects *index.Index) {
	missing := []string{"mount_not_found"}

	httpapi.Handle(a, httpapi.Op{Name: "mount.read_index", Method: http.MethodGet, Path: "/api/admin/mounts/{id}/index", Actions: []policy.Action{policy.MountsAdmin}, Errors: missing,
		Summary: "Tells how far the storage of a mount is indexed."},
		func(ctx context.Context, who policy.Principal, in wire.IDRequest) (indexJSON, error) {
			known, err := objects.Read(ctx, who, in.ID)
			if err != nil {
				return indexJSON{}, err
			}
			return indexJSON{StorageConfigID: known.StorageID, IndexedAt: wire.InstantOf(known.ScannedAt), FailedAt: wire.InstantOf(known.FailedAt), TaskID: known.Scan,
				Files: known.Total.Files, Size: known.Total.Size}, nil
		})

	httpapi.Handle(a, httpapi.Op{Name: "mount.rebuild_index", Method: http.MethodPost, Path: "/api/admin/mounts/{id}/index", Actions: []policy.Action{policy.MountsWrite}, Body: httpapi.JSON,
		Idem: httpapi.Afterwards, Errors: append([]string{"not_supported"}, missing...), Summary: "Begins a task that reads through the storage of a mount and makes its index agree."},
		func(ctx context.Context, who policy.Principal, in wire.IDRequest) (rebuiltJSON, error) {
			task, err := objects.Rebuild(ctx, who, in.ID)
			return rebuiltJSON{task}, err
		})
}

// indexJSON is the state of an index. Mounts on the same storage share it.
type indexJSON struct {
	StorageConfigID string       `json:"storage_config_id"`
	IndexedAt       wire.Instant `json:"indexedAt"` // when the last whole scan began; null when there was none
	FailedAt        wire.Instant `json:"failedAt"`  // when a later scan failed
	TaskID          string       `json:"taskId"`    // of the scan under way; empty when there is none
	Files           int64        `json:"files"`
	Size            int64        `json:"size"` // bytes
}

type rebuiltJSON struct {
	TaskID string `json:"taskId"`
}
