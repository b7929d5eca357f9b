package shareapi

import (
	"context"
	"strings"
	"time"

	"pasteport/adapters/httpapi"
	"pasteport/adapters/httpapi/wire"
	"pasteport/domain/shares"
	"pasteport/ports/objstore"
	"pasteport/ports/policy"
)

// fileOps registers the calls of contract §7 that manage files.
func fileOps(a *httpapi.API, u UseCases) {
	f := fileCalls{u}
	httpapi.Handle(a, httpapi.Op{Name: "file.list", Method: "GET", Path: "/api/files", Actions: []policy.Action{policy.FileList}, Top: map[string]any{"key_info": keyInfo{}},
		Summary: "List files: all for the admin, their own for keys."}, f.list)
	httpapi.Handle(a, httpapi.Op{Name: "file.get", Method: "GET", Path: "/api/files/{id}", Actions: []policy.Action{policy.FileReadOwn},
		Errors: []string{"not_owner"}, Summary: "A file with its links, as its owner sees it; takes no view."}, f.get)
	httpapi.HandlePlanned(a, httpapi.Op{Name: "file.update", Method: "PUT", Path: "/api/files/{id}", Actions: []policy.Action{policy.FileUpdate}, Body: httpapi.JSON,
		Idem: httpapi.InTransaction, Errors: []string{"slug_invalid", "slug_reserved", "slug_taken", "item_taken", "not_owner"}, Summary: "Change a file share."}, f.planUpdate, f.update)
	httpapi.Handle(a, httpapi.Op{Name: "file.delete", Method: "DELETE", Path: "/api/files/batch-delete", Actions: []policy.Action{policy.FileDelete}, Body: httpapi.JSON,
		Idem: httpapi.Afterwards, Summary: "Delete files by id, with or without their objects."}, f.delete)
}

// fileCalls answers the calls on files.
type fileCalls struct{ UseCases }

// fileBase are the fields of a file in every answer to its owner (contract
// §3.2).
type fileBase struct {
	ID              string   `json:"id"`
	Filename        string   `json:"filename"`
	Slug            string   `json:"slug"`
	StoragePath     string   `json:"storage_path"`
	StorageConfigID string   `json:"storage_config_id"`
	StorageType     string   `json:"storage_type"`
	FilePath        *string  `json:"file_path"`
	MimeType        string   `json:"mimetype"`
	Size            int64    `json:"size"`
	Remark          *string  `json:"remark"`
	CreatedAt       string   `json:"created_at"`
	UpdatedAt       string   `json:"updated_at"`
	Views           int64    `json:"views"`
	MaxViews        *int64   `json:"max_views"`
	ExpiresAt       *string  `json:"expires_at"`
	ETag            *string  `json:"etag"`
	CreatedBy       string   `json:"created_by"`
	UseProxy        wire.Bit `json:"use_proxy"`
	HasPassword     bool     `json:"has_password"`
	Type            int      `json:"type"`
	TypeName        string   `json:"typeName"`
	wire.SharePlace
}

func (c fileCalls) base(ctx context.Context, f *shares.File) fileBase {
	b := fileBase{ID: f.ID, Filename: f.Filename, Slug: f.Slug, StoragePath: f.StoragePath, StorageConfigID: f.StorageConfigID,
		StorageType: f.StorageType, FilePath: wire.TextOrNull(f.FilePath), MimeType: f.MimeType, Size: f.Size, Remark: wire.TextOrNull(f.Remark),
		CreatedAt: wire.ISO(f.CreatedAt), UpdatedAt: wire.ISO(f.UpdatedAt), Views: f.Views, MaxViews: wire.OrNull(f.MaxViews), ExpiresAt: wire.ISOTime(f.ExpiresAt),
		ETag: wire.TextOrNull(f.ETag), CreatedBy: f.CreatedBy, UseProxy: wire.Bit(f.UseProxy), HasPassword: f.Protected(),
		SharePlace: wire.FilePlace(httpapi.ScopeOf(ctx).Origin(), f.Slug)}
	b.Type, b.TypeName = c.Files.TypeOf(f.Filename)
	return b
}

// storageOf are the names of the storage config that a file lies in; null when
// the config is gone.
type storageOf struct {
	Name     *string `json:"storage_config_name"`
	Provider *string `json:"storage_provider_type"`
	DetailID *string `json:"storage_config_detail_id"`
}

func namesOf(s objstore.Storage) storageOf {
	return storageOf{Name: wire.TextOrNull(s.Name), Provider: wire.TextOrNull(s.ProviderType), DetailID: wire.TextOrNull(s.ID)}
}

type fileRow struct {
	fileBase
	storageOf
	KeyName    *string `json:"key_name"`
	Collection *string `json:"collection,omitempty"` // slug of the collection that it is an item of, and where url leads
}

// rowOf is a file as its owner sees it, given the slugs of collections by id.
func (c fileCalls) rowOf(ctx context.Context, f *shares.File, storage storageOf, keyName *string, collections map[string]string) fileRow {
	row := fileRow{fileBase: c.base(ctx, f), storageOf: storage, KeyName: keyName}
	if slug, item := collections[f.Collection]; item {
		row.Collection, row.SharePlace = &slug, wire.CollectionPlace(httpapi.ScopeOf(ctx).Origin(), slug)
	}
	return row
}

type fileList struct {
	Files      []fileRow       `json:"files"`
	Pagination wire.Pagination `json:"pagination"`
}

func (c fileCalls) list(ctx context.Context, who policy.Principal, in listRequest) (httpapi.Answer[fileList], error) {
	filter := shares.FileFilter{Search: strings.TrimSpace(in.Search), CreatedBy: in.CreatedBy, Paging: in.Paging(30), Sort: in.order(), StorageConfigID: in.Storage}
	found, paging, err := c.Files.List(ctx, who, filter)
	if err != nil {
		return httpapi.Answer[fileList]{}, err
	}
	names, err := c.KeyNames.Of(ctx, len(found.Items), func(i int) string { return found.Items[i].CreatedBy })
	if err != nil {
		return httpapi.Answer[fileList]{}, err
	}
	collections, err := c.Collections.Slugs(ctx, found.Items)
	if err != nil {
		return httpapi.Answer[fileList]{}, err
	}
	list := fileList{Files: make([]fileRow, len(found.Items)), Pagination: wire.PaginationOf(paging, found.Total, false)}
	storages := map[string]storageOf{}
	for i := range found.Items {
		f := &found.Items[i]
		storage, known := storages[f.StorageConfigID]
		if !known {
			storage = namesOf(c.Files.Storage(ctx, f.StorageConfigID))
			storages[f.StorageConfigID] = storage
		}
		list.Files[i] = c.rowOf(ctx, f, storage, names[f.CreatedBy], collections)
	}
	return httpapi.Answer[fileList]{Data: list, Top: listTop(who, map[string]any{})}, nil
}

// fileDetail is a file as its owner sees it (contract §7.8).
type fileDetail struct {
	fileRow
	BucketName    *string  `json:"bucket_name"`
	EndpointURL   *string  `json:"endpoint_url"`
	Region        *string  `json:"region"`
	PathStyle     wire.Bit `json:"path_style"`
	PlainPassword *string  `json:"plain_password"` // always null: only a hash is kept
	URLs          fileURLs `json:"urls"`
}

type fileURLs struct {
	PreviewURL       *string  `json:"previewUrl"`
	DownloadURL      *string  `json:"downloadUrl"`
	ProxyPreviewURL  string   `json:"proxyPreviewUrl"`
	ProxyDownloadURL string   `json:"proxyDownloadUrl"`
	UseProxy         wire.Bit `json:"use_proxy"`
}

func (c fileCalls) get(ctx context.Context, who policy.Principal, in itemRequest) (fileDetail, error) {
	f, direct, err := c.Files.Get(ctx, who, in.ID)
	if err != nil {
		return fileDetail{}, err
	}
	names, err := c.KeyNames.Of(ctx, 1, func(int) string { return f.CreatedBy })
	if err != nil {
		return fileDetail{}, err
	}
	collections, err := c.Collections.Slugs(ctx, []shares.File{*f})
	if err != nil {
		return fileDetail{}, err
	}
	storage := c.Files.Storage(ctx, f.StorageConfigID)
	row := c.rowOf(ctx, f, namesOf(storage), names[f.CreatedBy], collections)
	urls := fileURLs{PreviewURL: httpapi.ScopeOf(ctx).Absolute(direct.Preview), DownloadURL: httpapi.ScopeOf(ctx).Absolute(direct.Download),
		ProxyPreviewURL: wire.ViewURL(httpapi.ScopeOf(ctx).Origin(), f.Slug, ""), ProxyDownloadURL: wire.DownloadURL(httpapi.ScopeOf(ctx).Origin(), f.Slug, ""), UseProxy: wire.Bit(f.UseProxy)}
	if f.Gated() {
		urls.PreviewURL, urls.DownloadURL = &urls.ProxyPreviewURL, &urls.ProxyDownloadURL
	}
	return fileDetail{fileRow: row, BucketName: wire.TextOrNull(storage.BucketName), EndpointURL: wire.TextOrNull(storage.EndpointURL),
		Region: wire.TextOrNull(storage.Region), PathStyle: wire.Bit(storage.PathStyle), URLs: urls}, nil
}

// fileUpdate is the body of a change (contract §7.9).
type fileUpdate struct {
	ID        string              `path:"id"`
	Remark    wire.Opt[string]    `json:"remark"`
	Slug      wire.Opt[string]    `json:"slug"`
	ExpiresAt wire.Opt[wire.When] `json:"expires_at"`
	MaxViews  wire.Opt[wire.Int]  `json:"max_views"`
	Password  wire.Opt[string]    `json:"password"`
	UseProxy  wire.Opt[wire.Flag] `json:"use_proxy"`
}

func (c fileCalls) planUpdate(ctx context.Context, who policy.Principal, in fileUpdate) (*shares.FileUpdatePlan, error) {
	return c.Files.PlanUpdate(ctx, who, in.ID, shares.FileChange{
		Remark: fieldOf(in.Remark), Slug: fieldOf(in.Slug), Password: fieldOf(in.Password),
		ExpiresAt: shares.Field[*time.Time]{Set: in.ExpiresAt.Set, Value: in.ExpiresAt.Value.Time},
		MaxViews:  shares.Field[int64]{Set: in.MaxViews.Set, Value: int64(in.MaxViews.Value)},
		UseProxy:  shares.Field[bool]{Set: in.UseProxy.Set, Value: bool(in.UseProxy.Value)},
	})
}

// fileUpdated tells where a changed share is found.
type fileUpdated struct {
	ID   string `json:"id"`
	Slug string `json:"slug"`
	wire.SharePlace
}

func (c fileCalls) update(ctx context.Context, plan *shares.FileUpdatePlan) (fileUpdated, error) {
	f, err := c.Files.Apply(ctx, plan)
	if err != nil {
		return fileUpdated{}, err
	}
	return fileUpdated{ID: f.ID, Slug: f.Slug, SharePlace: wire.FilePlace(httpapi.ScopeOf(ctx).Origin(), f.Slug)}, nil
}

type fileDelete struct {
	IDs  []string         `json:"ids"`
	Mode wire.Opt[string] `json:"delete_mode"`
}

// fileDeleted is the outcome of a batch delete (contract §7.10).
type fileDeleted struct {
	Success int          `json:"success"`
	Failed  []failedItem `json:"failed"`
}

type failedItem struct {
	ID    string `json:"id"`
	Error string `json:"error"`
}

func (c fileCalls) delete(ctx context.Context, who policy.Principal, in fileDelete) (fileDeleted, error) {
	mode := shares.DeleteBoth
	if in.Mode.Set && !in.Mode.Null {
		mode = shares.DeleteMode(in.Mode.Value)
	}
	done, err := c.Files.Delete(ctx, who, in.IDs, mode)
	if err != nil {
		return fileDeleted{}, err
	}
	return deletedOf(ctx, done), nil
}

func deletedOf(ctx context.Context, done shares.Deleted) fileDeleted {
	scope, out := httpapi.ScopeOf(ctx), fileDeleted{Success: done.Done, Failed: make([]failedItem, len(done.Failed))}
	for i, item := range done.Failed {
		out.Failed[i] = failedItem{ID: item.ID, Error: scope.Failure(item.Err).Message}
	}
	return out
}
