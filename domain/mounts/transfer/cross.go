package transfer

import (
	"context"
	"errors"
	"strings"
	"time"

	"pasteport/domain/mounts"
	"pasteport/ports"
	"pasteport/ports/capacity"
	"pasteport/ports/objstore"
)

// Bounds of what a caller carries itself (contract §4.12).
const (
	crossLinks = 10_000    // files of one folder; more is for a task
	crossLife  = time.Hour // of the signed requests
)

// errCrossMany is the failure of a folder with too many files to sign.
var errCrossMany = ports.InvalidInput("batch_large", "items")

// CrossItem is an item that leads from one storage to another: the caller reads
// and writes its files by signed requests and then calls CommitCopies.
type CrossItem struct {
	Folder         bool
	Source, Target string // a folder's end in "/"
	Asked          string // the target before it was renamed
	Renamed        bool
	SourceMount    string // ids
	TargetMount    string
	Files          []CrossFile // the file itself, or all files of the folder
}

// CrossFile is one file that the caller carries.
type CrossFile struct {
	SourceKey, TargetKey string
	Name                 string
	Dir                  string // the folder below the item, without "/" at either end
	ContentType          string
	Size                 int64  // bytes
	Download, Upload     string // absolute, or paths of this server that start with "/"
}

// signCross signs the requests for all files of an item. Returns NotImplemented
// where one of the storages cannot sign.
func (t *Transfers) signCross(ctx context.Context, p *plan) (CrossItem, error) {
	r, err := t.open(ctx, p)
	if err != nil {
		return CrossItem{}, err
	}
	item := CrossItem{Folder: p.folder, Source: p.source(), Target: p.target(), Asked: mounts.Slashed(p.asked, p.folder), Renamed: p.renamed,
		SourceMount: p.from.Mount.ID, TargetMount: p.to.Mount.ID}
	err = r.objects(ctx, "", func(page []objstore.Object) error {
		for _, o := range page {
			if strings.HasSuffix(o.Key, "/") {
				continue
			}
			if len(item.Files) == crossLinks {
				return errCrossMany
			}
			file, err := t.signFile(ctx, r, &p.to.Storage, o)
			if err != nil {
				return err
			}
			item.Files = append(item.Files, file)
		}
		return nil
	})
	if err == nil && p.folder {
		err = t.crossFolders(ctx, r, p)
	}
	return item, err
}

func (t *Transfers) signFile(ctx context.Context, r *copier, to *objstore.Storage, o objstore.Object) (CrossFile, error) {
	f := CrossFile{SourceKey: o.Key, TargetKey: r.target(o.Key), Name: o.Key[strings.LastIndexByte(o.Key, '/')+1:], Size: o.Size}
	f.ContentType = mounts.ContentTypeOf(f.Name)
	if r.folder {
		if rest := strings.TrimPrefix(o.Key, r.src); strings.Contains(rest, "/") {
			f.Dir = rest[:strings.LastIndexByte(rest, '/')]
		}
	}
	get, err := r.from.Sign(ctx, objstore.SignRequest{Verb: objstore.VerbGet, Key: o.Key, Audience: objstore.Browser, TTL: crossLife})
	if err != nil {
		return f, err
	}
	upload := objstore.SignRequest{Verb: objstore.VerbPut, Key: f.TargetKey, Audience: objstore.Browser, TTL: crossLife, MaxSize: o.Size}
	if t.tree.Ledger != nil && to.Capacity > 0 {
		room := capacity.Claim{ID: capacity.IDOf(to.ID, f.TargetKey), ConfigID: to.ID, Capacity: to.Capacity, Size: o.Size, Kept: crossLife + mounts.SentWithin}
		if err := t.tree.Ledger.Reserve(ctx, room); err != nil {
			return f, err
		}
		upload.Claim, upload.Settles = room.ID, true
	}
	put, err := r.to.Sign(ctx, upload)
	f.Download, f.Upload = get.URL, put.URL
	return f, err
}

// crossFolders makes the folders of an item, which no caller would.
func (t *Transfers) crossFolders(ctx context.Context, r *copier, p *plan) error {
	ch := mounts.Change{Storage: p.to.Storage.ID}
	defer func() { t.tree.Changed(ctx, ch) }()
	if err := mounts.WriteMarker(ctx, r.to, r.dst); err != nil {
		return err
	}
	ch.Put = append(ch.Put, t.tree.Marker(r.dst))
	t.tree.WriteMarkers(ctx, r.to, p.to)
	return r.objects(ctx, "", func(page []objstore.Object) error {
		for _, o := range page {
			if strings.HasSuffix(o.Key, "/") && o.Key != r.src {
				if err := mounts.WriteMarker(ctx, r.to, r.target(o.Key)); err != nil {
					return err
				}
				ch.Put = append(ch.Put, t.tree.Marker(r.target(o.Key)))
			}
		}
		return nil
	})
}

// Carried is a file that a caller says to have carried.
type Carried struct {
	Path string
	Key  string // as the caller was told
	Size int64  // bytes; 0 means not said
}

// Committed is the outcome of CommitCopies.
type Committed struct {
	Done   []string // canonical paths
	Failed []FailedPath
}

// CommitCopies ends a copy that the caller carried out by signed requests: each
// file must be there. mountID names a mount that the caller can use; the files
// may lie in others too. Asks mount.copy. Returns Invalid without files or
// mount, NotFound for an unknown mount (contract §4.13).
func (t *Transfers) CommitCopies(ctx context.Context, c mounts.Caller, mountID string, files []Carried) (Committed, error) {
	switch {
	case mountID == "":
		return Committed{}, ports.InvalidInput("required", "targetMountId")
	case len(files) == 0:
		return Committed{}, ports.InvalidInput("required", "files")
	case len(files) > MaxBatch:
		return Committed{}, errBatch
	}
	var paths []string
	for _, f := range files {
		if f.Path != "" {
			paths = append(paths, f.Path)
		}
	}
	if len(paths) == 0 {
		paths = []string{c.Who.BasicPath}
	}
	targets, _, err := t.enterEach(ctx, c, mounts.OpCopy, paths...)
	if err != nil {
		return Committed{}, err
	}
	if err := knownMount(ctx, t.tree, c, mountID); err != nil {
		return Committed{}, err
	}
	var done Committed
	touched := map[string][]objstore.Object{}
	next := 0
	for _, f := range files {
		err := error(ports.InvalidInput("required", "targetPath, s3Path"))
		if f.Path != "" {
			s := targets[next]
			next++
			if f.Key != "" {
				err = t.commitCopy(ctx, s, f, touched)
			}
		}
		if err != nil {
			done.Failed = append(done.Failed, FailedPath{Path: f.Path, Err: err})
			continue
		}
		done.Done = append(done.Done, f.Path)
	}
	for id, put := range touched {
		t.tree.Changed(ctx, mounts.Change{Storage: id, Put: put})
	}
	return done, nil
}

// knownMount returns ErrNoMount when the caller cannot use the mount.
func knownMount(ctx context.Context, t *mounts.Tree, c mounts.Caller, id string) error {
	s, err := t.Snapshot(ctx)
	if err != nil {
		return err
	}
	for i := range s.Mounts {
		if m := &s.Mounts[i]; m.ID == id && mounts.MayUse(c.Who, m) {
			return nil
		}
	}
	return mounts.ErrNoMount
}

func (t *Transfers) commitCopy(ctx context.Context, s target, f Carried, touched map[string][]objstore.Object) error {
	switch {
	case s.err != nil:
		return s.err
	case s.Sub == "" || s.Folder:
		return mounts.ErrType
	}
	bucket, err := t.tree.Bucket(ctx, s.Place)
	if err != nil {
		return err
	}
	put := touched[s.Storage.ID]
	touched[s.Storage.ID] = put // whatever is there
	o, err := bucket.Stat(ctx, s.Key())
	if err != nil {
		return err
	}
	if s.Storage.Capacity > 0 && !s.Storage.OwnDisk { // there its link has counted it
		room := capacity.Claim{ID: capacity.IDOf(s.Storage.ID, s.Key()), ConfigID: s.Storage.ID, Capacity: s.Storage.Capacity, Arrived: true}
		switch err := t.tree.Count(ctx, room, o.Size); {
		case err == nil:
		case !t.tree.Release(ctx, room.ID):
			return err // nobody announced what lies there: it stays
		default:
			_, undo := bucket.Delete(context.WithoutCancel(ctx), s.Key())
			t.tree.Changed(ctx, mounts.Change{Storage: s.Storage.ID, Gone: []string{s.Key()}})
			return errors.Join(err, undo)
		}
	}
	touched[s.Storage.ID] = append(put, o)
	if f.Size > 0 && f.Size != o.Size {
		return errSizeDiffers
	}
	t.tree.WriteMarkers(ctx, bucket, s.Place)
	return nil
}

// errSizeDiffers is the failure of an upload that arrived in another length.
var errSizeDiffers = &ports.Error{Code: ports.Conflict, Key: "invalid_argument", Text: "body_length"}
