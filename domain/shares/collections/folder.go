package collections

import (
	"context"
	"encoding/base64"
	"path"
	"strings"

	"pasteport/domain/shares"
	"pasteport/domain/shares/internal/naming"
	"pasteport/ports"
	"pasteport/ports/filetype"
	"pasteport/ports/objstore"
	"pasteport/ports/policy"
)

// MaxPage is how many entries of a folder one answer holds.
const MaxPage = 1000

// Folders leads into folders of mounts, and never out of them: paths below a
// root are canonical or unknown. domain/mounts/lent does it.
type Folders interface {
	// Lend asks mount.share for a folder and returns its canonical path.
	Lend(ctx context.Context, who policy.Principal, path string) (root string, o policy.Obligations, err error)
	// LendSome asks mount.share for files and folders of one mount and returns the
	// folder that they lie in with their paths below it.
	LendSome(ctx context.Context, who policy.Principal, paths []string) (root string, picks []string, o policy.Obligations, err error)
	// List gives what lies directly in a folder below root, and how much there is
	// in all; keys are names, those of folders end in "/".
	List(ctx context.Context, root, rel string, from, limit int) (some []objstore.Object, all int, err error)
	// File tells of a file below root: its object and where it is stored.
	File(ctx context.Context, root, rel string) (objstore.Object, objstore.Storage, error)
	// Walk calls do for every file below a folder.
	Walk(ctx context.Context, root, rel string, do func(rel string, o objstore.Object, in objstore.Storage) error) error
}

// errLive is a change of the items of a folder: they are what lies in it.
var errLive = &ports.Error{Code: ports.Conflict, Key: "item_taken", Text: "folder_live"}

// Live reports whether a collection is a folder of a mount, as it is now.
func (c *Collection) Live() bool { return c.Root != "" }

// createFolder is Create for a folder of a mount. It asks mount.share.
func (c *Collections) createFolder(ctx context.Context, who policy.Principal, in Draft) (*Collection, []shares.File, error) {
	now, limits := c.d.Clock.Now(), c.d.Settings.ShareLimits()
	in.Terms = in.Bounded(limits, now)
	root, picks, obligations, err := c.lend(ctx, who, in)
	if err != nil {
		return nil, nil, err
	}
	if len(in.Files) > 0 {
		return nil, nil, ports.InvalidInput("too_many_items", "file_ids")
	}
	if err := in.checkLink(); err != nil {
		return nil, nil, err
	}
	if err := in.Check(now); err != nil {
		return nil, nil, err
	}
	if err := in.Obey(limits, obligations, now, 0); err != nil {
		return nil, nil, err
	}
	if in.Title == "" && picks == nil && root != "/" && len(path.Base(root)) <= MaxTitle {
		in.Title = path.Base(root)
	}
	made, err := c.made(ctx, who, in, now)
	if err != nil {
		return nil, nil, err
	}
	made.Root, made.Picks, made.Stood = root, picks, in.Stood
	var stands []Stand
	if made.Stood {
		if stands, err = c.stands(ctx, made); err != nil {
			return nil, nil, err
		}
	}
	return made, nil, naming.WithSlug(c.d.Random, in.Slug, in.Unguessable, func(slug string) error {
		made.Slug = slug
		return c.d.Work.Do(ctx, func(ctx context.Context) error {
			if err := c.d.Collections.Insert(ctx, made); err != nil || !made.Stood {
				return err
			}
			return c.d.Collections.KeepStands(ctx, made.ID, stands)
		})
	})
}

// lend asks for a folder, or for a choice of entries.
func (c *Collections) lend(ctx context.Context, who policy.Principal, in Draft) (root string, picks []string, o policy.Obligations, err error) {
	switch {
	case in.Folder == "":
		if len(in.Paths) > MaxItems {
			return "", nil, o, ports.InvalidInput("too_many_items", "paths")
		}
		return c.d.Folders.LendSome(ctx, who, in.Paths)
	case len(in.Paths) > 0:
		return "", nil, o, ports.InvalidInput("too_many_items", "paths")
	}
	root, o, err = c.d.Folders.Lend(ctx, who, in.Folder)
	return root, nil, o, err
}

// pathID names what lies at a path below a shared folder, as the id of an item.
func pathID(rel string) string { return "p" + base64.RawURLEncoding.EncodeToString([]byte(rel)) }

// pathOf is the path that an id names.
func pathOf(id string) (rel string, ok bool) {
	text, found := strings.CutPrefix(id, "p")
	if !found {
		return "", false
	}
	rel0, err := base64.RawURLEncoding.Strict().DecodeString(text)
	return string(rel0), err == nil && len(rel0) > 0
}

// Folder is a folder on the page of a shared folder.
type Folder struct {
	ID   string
	Name string
}

// folderAt is what an id of a folder names; "" is the shared folder itself.
func (s *Collection) folderAt(id string) (rel string, err error) {
	if id == "" {
		return "", nil
	}
	rel, ok := pathOf(id)
	if !s.Live() || !ok {
		return "", shares.ErrFileUnknown
	}
	return rel, nil
}

// at is a path below a shared folder in the tree of mounts.
func (s *Collection) at(rel string) string {
	if rel == "" {
		return s.Root
	}
	return strings.TrimSuffix(s.Root, "/") + "/" + rel
}

// liveFile makes what the rules, and those who send it, know of a file in a shared
// folder. It is no record.
func (s *Collection) liveFile(rel string, o objstore.Object, in objstore.Storage) shares.File {
	name := path.Base(rel)
	return shares.File{ID: pathID(rel), Filename: name, MimeType: filetype.ContentType(name), StorageConfigID: in.ID, StorageType: in.Type, StoragePath: o.Key, FilePath: s.at(rel),
		Size: o.Size, ETag: o.ETag, CreatedBy: s.CreatedBy, CreatedAt: o.ModTime, UpdatedAt: o.ModTime}
}

// readFolder fills a reading with what lies in a folder, from an entry on.
func (c *Visits) readFolder(ctx context.Context, r *Reading, rel string, from int) error {
	folders := c.foldersOf(r.Collection)
	some, all, err := folders.List(ctx, r.Root, rel, max(from, 0), MaxPage)
	if err != nil {
		return gone(err)
	}
	if f, is := folders.(*stood); is && from <= 0 {
		r.Lost = f.lost[:min(len(f.lost), MaxPage)]
	}
	r.Total = all
	for at, name := "", ""; rel != ""; {
		name, rel, _ = strings.Cut(rel, "/")
		at = strings.TrimPrefix(at+"/"+name, "/")
		r.Way = append(r.Way, Folder{ID: pathID(at), Name: name})
	}
	in := ""
	if n := len(r.Way); n > 0 {
		in, _ = pathOf(r.Way[n-1].ID)
		in += "/"
	}
	for _, o := range some {
		if name, folder := strings.CutSuffix(o.Key, "/"); folder {
			r.Folders = append(r.Folders, Folder{ID: pathID(in + name), Name: name})
		} else {
			r.Items = append(r.Items, r.liveFile(in+o.Key, o, objstore.Storage{}))
		}
	}
	return nil
}

// gone makes what is not there, or lies elsewhere, an unknown file; what the tree
// said of it is for the log.
func gone(err error) error {
	if ports.Is(err, ports.NotFound) || ports.Is(err, ports.Invalid) {
		return shares.ErrFileUnknown.With(err)
	}
	return err
}

// liveItem finds a file of a shared folder.
func (c *Visits) liveItem(ctx context.Context, s *Collection, id string) (*shares.File, error) {
	rel, ok := pathOf(id)
	if !ok {
		return nil, shares.ErrFileUnknown
	}
	object, in, err := c.foldersOf(s).File(ctx, s.Root, rel)
	if err != nil {
		return nil, gone(err)
	}
	file := s.liveFile(rel, object, in)
	return &file, nil
}
