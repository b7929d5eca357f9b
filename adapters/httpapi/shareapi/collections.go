package shareapi

import (
	"context"
	"strings"
	"time"

	"pasteport/adapters/httpapi"
	"pasteport/adapters/httpapi/wire"
	"pasteport/domain/shares"
	"pasteport/domain/shares/collections"
	"pasteport/ports/policy"
)

// collectionOps registers the calls by which owners make and change links for
// several files.
func collectionOps(a *httpapi.API, u UseCases) {
	c := collectionCalls{u}
	slugs := []string{"slug_invalid", "slug_reserved", "slug_taken", "item_taken"}
	httpapi.Handle(a, httpapi.Op{Name: "collection.create", Method: "POST", Path: "/api/collections", Actions: []policy.Action{policy.FileUpload, policy.FileUpdate, policy.MountShare}, Body: httpapi.JSON,
		Answer: httpapi.Created, Rate: httpapi.ShareWrite, Grows: httpapi.GrowsRecords, Idem: httpapi.Afterwards,
		Errors:  append([]string{"path_forbidden", "mount_forbidden", "root_forbidden", "mount_not_found", "storage_unavailable", "storage_denied"}, slugs...),
		Summary: "Make one link for several files of the caller, whose own links end, or for a folder or a choice of entries of a mount, as they are whenever somebody looks or as they stand now."}, c.create)
	httpapi.Handle(a, httpapi.Op{Name: "collection.list", Method: "GET", Path: "/api/collections", Actions: []policy.Action{policy.FileList},
		Summary: "List collections: all for the admin, their own for keys."}, c.list)
	httpapi.Handle(a, httpapi.Op{Name: "collection.get", Method: "GET", Path: "/api/collections/{id}", Actions: []policy.Action{policy.FileReadOwn},
		Summary: "A collection with its items, by id or slug, as its owner sees it; takes no view."}, c.get)
	httpapi.Handle(a, httpapi.Op{Name: "collection.update", Method: "PUT", Path: "/api/collections/{id}", Actions: []policy.Action{policy.FileUpdate}, Body: httpapi.JSON,
		Idem: httpapi.Afterwards, Errors: append([]string{"precondition_failed"}, slugs...), Summary: "Change the link of a collection: title, slug, password, end, views, downloads. What is absent stays."}, c.update)
	httpapi.Handle(a, httpapi.Op{Name: "collection.arrange", Method: "PUT", Path: "/api/collections/{id}/items", Actions: []policy.Action{policy.FileUpdate}, Body: httpapi.JSON,
		Idem: httpapi.Afterwards, Errors: []string{"item_taken", "precondition_failed"},
		Summary: "Put items into an order, rename them, and add files of the owner; items that are not named stay behind the others."}, c.arrange)
	httpapi.Handle(a, httpapi.Op{Name: "collection.remove", Method: "DELETE", Path: "/api/collections/{id}/items", Actions: []policy.Action{policy.FileUpdate, policy.FileDelete}, Body: httpapi.JSON,
		Idem: httpapi.Afterwards, Summary: "Delete items by id, with their objects unless those lie in a mount; each fails by itself."}, c.remove)
	httpapi.Handle(a, httpapi.Op{Name: "collection.delete", Method: "DELETE", Path: "/api/collections/{id}", Actions: []policy.Action{policy.FileDelete},
		Summary: "End a collection and delete its items."}, c.delete)
}

// collectionCalls answers the calls on collections.
type collectionCalls struct{ UseCases }

// collectionHead is a collection without its items, as its owner sees it.
type collectionHead struct {
	ID          string   `json:"id"`
	Slug        string   `json:"slug"`
	Title       string   `json:"title"`
	Folder      string   `json:"folder,omitempty"`      // of a mount, whose link it is
	AsItStood   bool     `json:"as_it_stood,omitempty"` // the folder is shown as it was when the link was made
	Paths       []string `json:"paths,omitempty"`       // below that folder, which alone are part of it
	HasPassword bool     `json:"has_password"`
	ExpiresAt   *string  `json:"expires_at"`
	MaxViews    *int64   `json:"max_views"`
	Views       int64    `json:"views"`
	// MaxDownloads and Downloads are absent where downloads are not limited.
	MaxDownloads *int64 `json:"max_downloads,omitempty"`
	Downloads    *int64 `json:"downloads,omitempty"`
	Look         string `json:"look,omitempty"` // what visitors see first: list, grid, gallery or preview (the first file); missing: what they have chosen before
	CreatedBy    string `json:"created_by"`
	CreatedAt    string `json:"created_at"`
	UpdatedAt    string `json:"updated_at"`
	wire.SharePlace
}

func collectionHeadOf(ctx context.Context, c *collections.Collection) collectionHead {
	h := collectionHead{ID: c.ID, Slug: c.Slug, Title: c.Title, Folder: c.Root, AsItStood: c.Stood, Paths: c.Picks, HasPassword: c.Protected(), ExpiresAt: wire.ISOTime(c.ExpiresAt), MaxViews: wire.OrNull(c.MaxViews),
		Views: c.Views, Look: string(c.Look), CreatedBy: c.CreatedBy, CreatedAt: wire.ISO(c.CreatedAt), UpdatedAt: wire.ISO(c.UpdatedAt), SharePlace: wire.CollectionPlace(httpapi.ScopeOf(ctx).Origin(), c.Slug)}
	if c.MaxDownloads > 0 {
		h.MaxDownloads, h.Downloads = &c.MaxDownloads, &c.Downloads
	}
	return h
}

// ownItem is an item as the owner of its collection sees it.
type ownItem struct {
	ID        string  `json:"id"`
	Filename  string  `json:"filename"`
	MimeType  string  `json:"mimetype"`
	Size      int64   `json:"size"`
	FilePath  *string `json:"file_path"` // in the mounts; null for an upload
	CreatedAt string  `json:"created_at"`
	Type      int     `json:"type"`
	TypeName  string  `json:"typeName"`
}

type collectionDetail struct {
	collectionHead
	Items []ownItem `json:"items"`
}

// detail is the answer about a collection, with its entity tag.
func (c collectionCalls) detail(ctx context.Context, of *collections.Collection, items []shares.File) collectionDetail {
	httpapi.ScopeOf(ctx).Header().Set("ETag", of.ETag(items))
	d := collectionDetail{collectionHead: collectionHeadOf(ctx, of), Items: make([]ownItem, len(items))}
	for i := range items {
		f := &items[i]
		d.Items[i] = ownItem{ID: f.ID, Filename: f.Filename, MimeType: f.MimeType, Size: f.Size, FilePath: wire.TextOrNull(f.FilePath), CreatedAt: wire.ISO(f.CreatedAt)}
		d.Items[i].Type, d.Items[i].TypeName = c.Files.TypeOf(f.Filename)
	}
	return d
}

// newCollectionRequest is a link for several files.
type newCollectionRequest struct {
	Title        string    `json:"title"`
	Slug         string    `json:"slug"`
	Unguessable  wire.Flag `json:"unguessable"`
	Password     string    `json:"password"`
	ExpiresIn    wire.Int  `json:"expires_in"` // hours; 0 means never
	MaxViews     wire.Int  `json:"max_views"`
	MaxDownloads wire.Int  `json:"max_downloads"` // of files and ZIP files together; 0 means any number
	Look         string    `json:"look"`          // what visitors see first: list, grid, gallery or preview; empty: what they have chosen before
	Files        []string  `json:"file_ids"`      // ids, in the order of the items
	AsItStood    wire.Flag `json:"as_it_stood"`   // folder or paths are shown as they are now, whenever somebody looks
	Folder       string    `json:"folder"`        // of a mount, in place of files: the link shows what is in it then
	Paths        []string  `json:"paths"`         // of files and folders of one mount, in place of files: the link shows them as they are then
	wire.Access
}

func (c collectionCalls) create(ctx context.Context, who policy.Principal, in newCollectionRequest) (collectionDetail, error) {
	made := collections.Draft{Title: strings.TrimSpace(in.Title), Slug: in.Slug, Unguessable: bool(in.Unguessable), Files: in.Files, Folder: in.Folder, Paths: in.Paths, Stood: bool(in.AsItStood), MaxDownloads: int64(in.MaxDownloads), Look: collections.Look(in.Look),
		Terms: shares.Terms{Password: in.Password, ExpiresAt: shares.In(httpapi.ScopeOf(ctx).Now(), max(int64(in.ExpiresIn), 0)), MaxViews: int64(in.MaxViews), Latch: latchOf(in.Access)}}
	of, items, err := c.Collections.Create(ctx, who, made)
	if err != nil {
		return collectionDetail{}, err
	}
	return c.detail(ctx, of, items), nil
}

type collectionList struct {
	Collections []collectionHead `json:"collections"`
	Pagination  wire.Pagination  `json:"pagination"`
}

func (c collectionCalls) list(ctx context.Context, who policy.Principal, in collectionListRequest) (collectionList, error) {
	found, paging, err := c.Collections.List(ctx, who, collections.Filter{Paging: in.Paging(30), CreatedBy: in.CreatedBy, Root: in.Folder, Search: strings.TrimSpace(in.Search)})
	if err != nil {
		return collectionList{}, err
	}
	list := collectionList{Collections: make([]collectionHead, len(found.Items)), Pagination: wire.PaginationOf(paging, found.Total, false)}
	for i := range found.Items {
		list.Collections[i] = collectionHeadOf(ctx, &found.Items[i])
	}
	return list, nil
}

type collectionListRequest struct {
	wire.PageRequest
	CreatedBy string `query:"created_by"`
	Folder    string `query:"folder"` // the links of this folder of a mount
}

func (c collectionCalls) get(ctx context.Context, who policy.Principal, in itemRequest) (collectionDetail, error) {
	of, items, err := c.Collections.Get(ctx, who, in.ID)
	if err != nil {
		return collectionDetail{}, err
	}
	return c.detail(ctx, of, items), nil
}

type collectionUpdate struct {
	ID           string              `path:"id"`
	Title        wire.Opt[string]    `json:"title"`
	Slug         wire.Opt[string]    `json:"slug"`
	ExpiresAt    wire.Opt[wire.When] `json:"expires_at"`
	MaxViews     wire.Opt[wire.Int]  `json:"max_views"`     // starts the count anew
	MaxDownloads wire.Opt[wire.Int]  `json:"max_downloads"` // starts the count anew; 0 means any number
	Look         wire.Opt[string]    `json:"look"`          // list, grid, gallery or preview; empty: what visitors have chosen before
	Password     wire.Opt[string]    `json:"password"`      // empty removes it
}

func (c collectionCalls) update(ctx context.Context, who policy.Principal, in collectionUpdate) (collectionDetail, error) {
	title := fieldOf(in.Title)
	title.Value = strings.TrimSpace(title.Value)
	of, items, err := c.Collections.Update(ctx, who, in.ID, collections.Change{
		Title: title, Slug: fieldOf(in.Slug), Password: fieldOf(in.Password),
		ExpiresAt:    shares.Field[*time.Time]{Set: in.ExpiresAt.Set, Value: in.ExpiresAt.Value.Time},
		MaxViews:     shares.Field[int64]{Set: in.MaxViews.Set, Value: int64(in.MaxViews.Value)},
		MaxDownloads: shares.Field[int64]{Set: in.MaxDownloads.Set, Value: int64(in.MaxDownloads.Value)},
		Look:         shares.Field[collections.Look]{Set: in.Look.Set, Value: collections.Look(in.Look.Value)},
		IfMatch:      httpapi.ScopeOf(ctx).IfMatch(),
	})
	if err != nil {
		return collectionDetail{}, err
	}
	return c.detail(ctx, of, items), nil
}

type arrangeRequest struct {
	ID    string `path:"id"`
	Items []struct {
		ID       string `json:"id"`
		Filename string `json:"filename"` // the new name; absent or empty keeps it
	} `json:"items"`
}

func (c collectionCalls) arrange(ctx context.Context, who policy.Principal, in arrangeRequest) (collectionDetail, error) {
	items := make([]collections.ItemChange, len(in.Items))
	for i, item := range in.Items {
		items[i] = collections.ItemChange{ID: item.ID, Name: item.Filename}
	}
	of, now, err := c.Collections.Arrange(ctx, who, in.ID, httpapi.ScopeOf(ctx).IfMatch(), items)
	if err != nil {
		return collectionDetail{}, err
	}
	return c.detail(ctx, of, now), nil
}

type removeItemsRequest struct {
	ID  string   `path:"id"`
	IDs []string `json:"ids"`
}

func (c collectionCalls) remove(ctx context.Context, who policy.Principal, in removeItemsRequest) (fileDeleted, error) {
	done, err := c.Collections.RemoveItems(ctx, who, in.ID, in.IDs)
	if err != nil {
		return fileDeleted{}, err
	}
	return deletedOf(ctx, done), nil
}

func (c collectionCalls) delete(ctx context.Context, who policy.Principal, in itemRequest) (httpapi.None, error) {
	return httpapi.None{}, c.Collections.Delete(ctx, who, in.ID)
}
