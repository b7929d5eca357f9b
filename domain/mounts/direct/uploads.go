// Package direct holds the uploads that clients send to storage themselves: in
// one signed request, or in parts. Like every wing of the tree it imports the
// tree alone.
package direct

import (
	"cmp"
	"context"
	"errors"
	"strings"
	"time"

	"pasteport/domain/mounts"
	"pasteport/ports"
	"pasteport/ports/capacity"
	"pasteport/ports/objstore"
	"pasteport/ports/policy"
	"pasteport/ports/upload"
)

// UploadLinkLife is how long links for uploads work.
const UploadLinkLife = time.Hour

// Uploads are what clients send to the storages of a tree themselves. It is safe
// for concurrent use.
type Uploads struct{ tree *mounts.Tree }

// New returns the uploads into a tree.
func New(tree *mounts.Tree) *Uploads { return &Uploads{tree} }

// Target is the path of a file that clients name in one of two ways: the file
// itself, or its folder and its name (contract §4.10). A path whose last segment
// is the name is that of the file; a "/" at its end makes it a folder. Returns
// Invalid for a name that is no segment.
func Target(path, name string) (string, error) {
	if name == "" {
		return path, nil
	}
	if err := mounts.CheckName(name); err != nil {
		return "", err
	}
	dir, folder, err := mounts.Clean(path)
	if err != nil {
		return "", err
	}
	if !folder && mounts.Base(dir) == name {
		return dir, nil
	}
	return mounts.Join(dir, name), nil
}

// Presigned is an upload that the client sends to storage in one piece.
type Presigned struct {
	ID              string // fresh; nothing is stored under it
	Path            string // of the file
	Key             string
	ContentType     string
	URL             string // absolute, or a path of this server
	ObjectURL       string // without a signature; empty where storage has no address
	MountID         string
	StorageConfigID string
}

// Presign signs the request that uploads a file of size bytes, 0 for unknown.
// It asks mount.upload (contract §4.11).
//
// Returns Conflict where a folder has the name, TooLarge over the policy's
// limit, Quota when the storage is full, ErrLocked.
func (d *Uploads) Presign(ctx context.Context, c mounts.Caller, path string, size int64) (Presigned, error) {
	p, decision, room, err := d.announce(ctx, c, path, size)
	if err != nil {
		return Presigned{}, err
	}
	bucket, err := d.tree.Bucket(ctx, p)
	if err != nil {
		return Presigned{}, err
	}
	r := objstore.SignRequest{Verb: objstore.VerbPut, Key: p.Key(), Audience: objstore.Browser, TTL: uploadLife(0, decision.Obligations)}
	if d.tree.Ledger != nil {
		room.ID, room.Kept = capacity.IDOf(p.Storage.ID, p.Key()), r.TTL+mounts.SentWithin
		if err := d.tree.Ledger.Reserve(ctx, room); err != nil {
			return Presigned{}, err
		}
		// What the commit has yet to judge stays announced until then.
		r.Claim, r.Settles = room.ID, size > 0 || decision.Obligations.MaxSize == 0
	}
	if p.Storage.OwnDisk {
		r.Size = size // our own disk can hold the sender to it; foreign clients of S3 cannot be (contract §7.6)
	}
	signed, err := bucket.Sign(ctx, r)
	if err != nil {
		d.tree.Release(ctx, room.ID)
		return Presigned{}, err
	}
	return Presigned{ID: d.tree.Random.ID(), Path: p.Path, Key: p.Key(), ContentType: mounts.ContentTypeOf(mounts.Base(p.Path)), URL: signed.URL, ObjectURL: p.Storage.Address().Object(p.Key()),
		MountID: p.Mount.ID, StorageConfigID: p.Storage.ID}, nil
}

// announce admits an upload that the client sends to storage itself, and gives
// the claim of its room, which is the caller's to reserve.
func (d *Uploads) announce(ctx context.Context, c mounts.Caller, path string, size int64) (*mounts.Place, policy.Decision, capacity.Claim, error) {
	none := capacity.Claim{}
	p, decision, err := d.tree.EnterNew(ctx, c, mounts.OpUpload, path, size)
	if err != nil {
		return nil, decision, none, err
	}
	if size < 0 {
		return nil, decision, none, ports.InvalidInput("size_invalid", "fileSize")
	}
	if err := upload.LimitsOf(0, decision.Obligations).Check(size); err != nil {
		return nil, decision, none, err
	}
	old, err := d.tree.Present(ctx, p)
	if err != nil {
		return nil, decision, none, err
	}
	if err := d.tree.Guard().Unlocked(ctx, c, mounts.LockedWrite{Path: p.Path, Member: old == nil}); err != nil {
		return nil, decision, none, err
	}
	if old == nil {
		d.tree.Begins(ctx, c, p)
	}
	room := mounts.ClaimOf(&p.Storage, c, decision.Obligations, size, mounts.SizeOf(old))
	room.Noted = true
	return p, decision, room, nil
}

// uploadLife is how long links for uploads work: as said in seconds, else an
// hour, and no longer than the policy allows.
func uploadLife(seconds int64, o policy.Obligations) time.Duration {
	life := UploadLinkLife
	if seconds > 0 {
		life = time.Duration(min(seconds, mounts.MaxLinkSeconds)) * time.Second
	}
	if o.LinkExpires > 0 {
		life = min(life, time.Duration(o.LinkExpires)*time.Second)
	}
	return life
}

// Commit tells that a presigned upload to path has arrived: size and ETag come
// from storage. size is what the client says it sent, negative for nothing. It
// may be repeated. It asks mount.upload (contract §4.11).
//
// Returns Invalid when mountID is not the mount of the path, NotFound when
// there is no object, Conflict when it has another size, and Quota, with what was
// uploaded removed, when the storage holds more than it may.
func (d *Uploads) Commit(ctx context.Context, c mounts.Caller, path, mountID string, size int64) (mounts.Entry, error) {
	p, decision, err := d.tree.EnterNew(ctx, c, mounts.OpUpload, path, size)
	if err != nil {
		return mounts.Entry{}, err
	}
	if mountID != p.Mount.ID {
		return mounts.Entry{}, ports.InvalidInput("mount_mismatch", "mountId")
	}
	bucket, err := d.tree.Bucket(ctx, p)
	if err != nil {
		return mounts.Entry{}, err
	}
	object, err := bucket.Stat(ctx, p.Key())
	if err != nil {
		return mounts.Entry{}, err
	}
	d.tree.Changed(ctx, mounts.Change{Storage: p.Storage.ID, Put: []objstore.Object{object}})
	switch err := d.tooMuch(ctx, p, object, decision.Obligations); {
	case err == nil:
	case d.tree.Release(ctx, capacity.IDOf(p.Storage.ID, p.Key())):
		_, undo := bucket.Delete(context.WithoutCancel(ctx), p.Key())
		d.tree.Changed(ctx, mounts.Change{Storage: p.Storage.ID, Gone: []string{p.Key()}})
		return mounts.Entry{}, errors.Join(err, undo)
	case p.Storage.OwnDisk && ports.Is(err, ports.Quota): // its link has counted it
	default:
		return mounts.Entry{}, err // nobody announced what lies there: it stays
	}
	d.tree.WriteMarkers(ctx, bucket, p)
	if size >= 0 && size != object.Size {
		return mounts.Entry{}, errSize
	}
	return mounts.FileEntry(p, object), nil
}

// errSize is the refusal of a file that has not the size that was told.
var errSize = &ports.Error{Code: ports.Conflict, Key: "already_exists", Text: "size_differs"}

// tooMuch returns Quota or TooLarge when an object that lies in storage already
// is more than it may be.
func (d *Uploads) tooMuch(ctx context.Context, p *mounts.Place, o objstore.Object, obligations policy.Obligations) error {
	if err := upload.LimitsOf(0, obligations).Check(o.Size); err != nil {
		return err
	}
	return d.tree.Count(ctx, capacity.Claim{ID: capacity.IDOf(p.Storage.ID, p.Key()), ConfigID: p.Storage.ID, Capacity: p.Storage.Capacity,
		Noted: true, Arrived: true}, o.Size)
}

// NewUpload announces an upload in parts.
type NewUpload struct {
	Size      int64 // bytes; 0 means unknown or empty
	PartSize  int64 // bytes; 0 means upload.PartSize
	PartCount int64 // 0 means what Size needs
}

// Begun is an upload in parts that the client sends to storage itself.
type Begun struct {
	upload.Session
	Mount      mounts.Mount
	BucketName string
	Links      []upload.Link
}

// Begin begins an upload in parts and signs the request of each. It asks
// mount.upload (contract §4.10, init). Returns the errors of Presign, Invalid
// for parts that cannot be, NotImplemented when the storage knows no uploads in
// parts.
func (d *Uploads) Begin(ctx context.Context, c mounts.Caller, path string, in NewUpload) (Begun, error) {
	p, decision, room, err := d.announce(ctx, c, path, in.Size)
	if err != nil {
		return Begun{}, err
	}
	cut, err := upload.CutOf(in.Size, in.PartSize, in.PartCount)
	if err != nil {
		return Begun{}, err
	}
	bucket, err := d.tree.Bucket(ctx, p)
	if err != nil {
		return Begun{}, err
	}
	u := upload.Session{ID: d.tree.Random.ID(), For: upload.ForTree, StorageConfigID: p.Storage.ID, Path: p.Path, Key: p.Key(), Owner: c.Who.Owner(), Cut: cut}
	if d.tree.Ledger != nil {
		room.ID, room.Kept = u.ID, upload.Kept+24*time.Hour // the sweep is sooner
		if err := d.tree.Ledger.Reserve(ctx, room); err != nil {
			return Begun{}, err
		}
	}
	if err := d.tree.Uploads.Begin(ctx, bucket, &u, mounts.ContentTypeOf(mounts.Base(p.Path))); err != nil {
		d.tree.Release(ctx, u.ID)
		return Begun{}, err
	}
	links, err := d.tree.Uploads.Links(ctx, bucket, &u, cut.Numbers(), signing(p, decision.Obligations))
	if err != nil {
		return Begun{}, errors.Join(err, d.tree.Uploads.GiveUp(context.WithoutCancel(ctx), bucket, &u))
	}
	return Begun{Session: u, Mount: *p.Mount, BucketName: p.Storage.BucketName, Links: links}, nil
}

// signing says how the parts of uploads to the place are signed.
func signing(p *mounts.Place, o policy.Obligations) upload.Signing {
	s := upload.Signing{Life: uploadLife(p.Storage.LinkSeconds, o)}
	if p.Storage.OwnDisk {
		s.Bound = upload.Exactly
	}
	return s
}

// Sent is an upload that a client goes on with: its path in one of the forms
// that Target knows, and the storage's name for it.
type Sent struct {
	Path, Name string
	UploadID   string
}

// enterUpload is enter for an upload that was begun before. Keys find their own
// uploads only; the administrator also those that others began in the bucket.
// Returns objstore.ErrNoUpload for all else.
func (d *Uploads) enterUpload(ctx context.Context, c mounts.Caller, in Sent) (*mounts.Place, *upload.Session, policy.Decision, error) {
	path, err := Target(in.Path, in.Name)
	if err != nil {
		return nil, nil, policy.Decision{}, err
	}
	places, decision, err := d.tree.Enter(ctx, c, mounts.OpUpload, path)
	if err != nil {
		return nil, nil, decision, err
	}
	p := places[0]
	u, err := d.tree.Uploads.Find(ctx, p.Storage.ID, in.UploadID)
	switch {
	case ports.Is(err, ports.NotFound), err == nil && u.For != upload.ForTree:
		if c.Who.Kind != policy.Admin || p.Sub == "" {
			return nil, nil, decision, objstore.ErrNoUpload
		}
		return p, &upload.Session{StorageConfigID: p.Storage.ID, UploadID: in.UploadID, Path: p.Path, Key: p.Key()}, decision, nil
	case err != nil:
		return nil, nil, decision, err
	case !c.Who.Owns(u.Owner):
		return nil, nil, decision, objstore.ErrNoUpload
	case u.Path == p.Path && u.Key == p.Key():
		return p, u, decision, nil
	case in.Name == "" && mounts.Parent(u.Path) == p.Path && u.Key == p.Prefix()+mounts.Base(u.Path):
		p.Path, p.Sub, p.Folder = u.Path, strings.TrimPrefix(u.Key, p.Storage.Prefix), false // the folder was named alone
		return p, u, decision, nil
	}
	return nil, nil, decision, objstore.ErrNoUpload
}

// Complete joins the parts of an upload. Parts may come in any order; size is
// what the client says the file has, negative for nothing. Within ten minutes
// it may be repeated and answers the same. It asks mount.upload (contract
// §4.10, complete).
//
// Returns objstore.ErrNoUpload for an upload that is not the caller's, Invalid
// for parts that are not those in storage, TooLarge, with the upload given up,
// over the policy's limit, Quota when the storage is full, ErrLocked, and
// Conflict, with the file kept, when it has another size.
func (d *Uploads) Complete(ctx context.Context, c mounts.Caller, in Sent, sent []objstore.Part, size int64) (mounts.Stored, error) {
	p, u, decision, err := d.enterUpload(ctx, c, in)
	if err != nil {
		return mounts.Stored{}, err
	}
	parts, err := upload.Sorted(sent)
	if err != nil {
		return mounts.Stored{}, err
	}
	object := u.Stored()
	if u.CompletedAt == nil {
		if err := d.tree.Guard().Unlocked(ctx, c, mounts.LockedWrite{Path: p.Path, Member: true}); err != nil {
			return mounts.Stored{}, err
		}
		if object, err = d.join(ctx, p, u, parts, decision.Obligations); err != nil {
			return mounts.Stored{}, err
		}
	} else if d.tree.Clock.Now().After(u.CompletedAt.Add(upload.AnswerKept)) {
		return mounts.Stored{}, objstore.ErrNoUpload
	}
	if size >= 0 && size != object.Size {
		return mounts.Stored{}, errSize
	}
	return mounts.StoredAt(p, object), nil
}

// join completes an upload in storage and notes that.
func (d *Uploads) join(ctx context.Context, p *mounts.Place, u *upload.Session, parts []objstore.Part, o policy.Obligations) (objstore.Object, error) {
	bucket, err := d.tree.Bucket(ctx, p)
	if err != nil {
		return objstore.Object{}, err
	}
	room, err := d.partsFit(ctx, bucket, p, u, o)
	if ports.Is(err, ports.TooLarge) { // it will never fit
		return objstore.Object{}, errors.Join(err, d.tree.Uploads.GiveUp(context.WithoutCancel(ctx), bucket, u))
	}
	if err != nil {
		return objstore.Object{}, err
	}
	stored := int64(-1)
	defer func() { // when the index knows of the object
		if stored >= 0 {
			d.tree.ReportUncounted("count what was stored", d.tree.Count(ctx, room, stored))
		}
	}()
	ch := mounts.Change{Storage: p.Storage.ID}
	defer func() { d.tree.Changed(ctx, ch) }()
	object, err := d.tree.Uploads.Join(ctx, bucket, u, parts)
	if err != nil {
		return object, err
	}
	ch.Put = []objstore.Object{object}
	d.tree.WriteMarkers(ctx, bucket, p)
	first, err := d.tree.Uploads.Done(ctx, u, object)
	if first {
		stored = object.Size
	} else if err == nil { // whoever was faster counts it
		d.tree.Release(ctx, room.ID)
	}
	return object, err
}

// partsFit claims room for the file that the parts in storage make, and returns
// Quota or TooLarge when that is more than it may be. Storage is not asked where
// there is no bound.
func (d *Uploads) partsFit(ctx context.Context, bucket objstore.Bucket, p *mounts.Place, u *upload.Session, o policy.Obligations) (capacity.Claim, error) {
	room := capacity.Claim{ID: u.ID, ConfigID: p.Storage.ID, Capacity: p.Storage.Capacity, Owner: u.Owner, Noted: true,
		Limits: o.Quotas}
	if u.ID == "" {
		room.ID = capacity.IDOf(p.Storage.ID, u.UploadID)
	}
	if p.Storage.Capacity <= 0 && o.MaxSize <= 0 && room.Limits.BytesDay <= 0 {
		return room, nil
	}
	parts, err := d.tree.Uploads.Parts(ctx, bucket, u)
	if errors.Is(err, objstore.ErrNoUpload) && u.ID != "" {
		room.Arrived = true
		return room, nil // ours: join finds out whether the answer to an earlier try was lost
	}
	if err != nil {
		return room, err
	}
	total := int64(0)
	for _, part := range parts {
		total += part.Size
	}
	if err := upload.LimitsOf(0, o).Check(total); err != nil {
		return room, err
	}
	old, err := d.tree.Present(ctx, p)
	if err != nil || d.tree.Ledger == nil {
		return room, err
	}
	room.Size, room.Old = total, mounts.SizeOf(old)
	return room, d.tree.Ledger.Reserve(ctx, room)
}

// Abort gives an upload up: its parts go. One that is not known, or not the
// caller's, is no error and stays. It asks mount.upload (contract §4.10, abort).
func (d *Uploads) Abort(ctx context.Context, c mounts.Caller, in Sent) error {
	p, u, _, err := d.enterUpload(ctx, c, in)
	if errors.Is(err, objstore.ErrNoUpload) {
		return nil
	}
	if err != nil || u.CompletedAt != nil {
		return err
	}
	bucket, err := d.tree.Bucket(ctx, p)
	if err != nil {
		return err
	}
	if bucket.Multipart() == nil {
		return objstore.ErrUnsupported
	}
	return d.tree.Uploads.GiveUp(ctx, bucket, u)
}

// Listed are the unfinished uploads below a folder.
type Listed struct {
	BucketName string
	Prefix     string // object keys of the folder begin with it
	Uploads    []objstore.Upload
}

// ListUploads lists the unfinished uploads to a file or to all files below a
// folder: for the administrator all in the bucket, for keys their own. An empty
// path lists none. It asks mount.upload (contract §4.10, list-uploads).
func (d *Uploads) ListUploads(ctx context.Context, c mounts.Caller, path string) (Listed, error) {
	if clean, _, err := mounts.Clean(path); err == nil && clean == "/" {
		asked := policy.Resource{Paths: []string{cmp.Or(c.Who.BasicPath, "/")}}
		if _, err := d.tree.Ask(ctx, c, mounts.OpUpload, asked); err != nil {
			return Listed{}, err
		}
		s, err := d.tree.Snapshot(ctx)
		if err != nil {
			return Listed{}, err
		}
		p, err := s.Resolve(c.Who, "/")
		if err != nil {
			return Listed{}, nil
		}
		return d.listUploads(ctx, c, p)
	}
	places, _, err := d.tree.Enter(ctx, c, mounts.OpUpload, path)
	if err != nil {
		return Listed{}, err
	}
	return d.listUploads(ctx, c, places[0])
}

func (d *Uploads) listUploads(ctx context.Context, c mounts.Caller, p *mounts.Place) (Listed, error) {
	bucket, err := d.tree.Bucket(ctx, p)
	if err != nil {
		return Listed{}, err
	}
	multipart := bucket.Multipart()
	if multipart == nil {
		return Listed{}, objstore.ErrUnsupported
	}
	all, err := multipart.ListUploads(ctx, p.Key())
	if err != nil {
		return Listed{}, err
	}
	mine, err := d.ownUploads(ctx, c, p.Storage.ID)
	if err != nil {
		return Listed{}, err
	}
	out := Listed{BucketName: p.Storage.BucketName, Prefix: p.Prefix()}
	for _, u := range all {
		if (u.Key == p.Key() || strings.HasPrefix(u.Key, p.Prefix())) && (mine == nil || mine[u.ID]) {
			out.Uploads = append(out.Uploads, u)
		}
	}
	return out, nil
}

// ownUploads are the names of the uploads that the caller may see; nil means
// all.
func (d *Uploads) ownUploads(ctx context.Context, c mounts.Caller, storageID string) (map[string]bool, error) {
	if c.Who.Kind == policy.Admin {
		return nil, nil
	}
	open, err := d.tree.Uploads.Open(ctx, upload.ForTree, storageID, c.Who.Owner())
	mine := map[string]bool{}
	for _, u := range open {
		mine[u.UploadID] = true
	}
	return mine, err
}

// Arrived are the parts of an upload that storage has.
type Arrived struct {
	BucketName string
	Key        string
	Parts      []objstore.Part // in ascending order, all of them
}

// ListParts lists the parts that have arrived. It asks mount.upload (contract
// §4.10, list-parts). Returns objstore.ErrNoUpload for an upload that is not
// the caller's.
func (d *Uploads) ListParts(ctx context.Context, c mounts.Caller, in Sent) (Arrived, error) {
	p, u, _, err := d.enterUpload(ctx, c, in)
	if err != nil {
		return Arrived{}, err
	}
	bucket, err := d.tree.Bucket(ctx, p)
	if err != nil {
		return Arrived{}, err
	}
	parts, err := d.tree.Uploads.Parts(ctx, bucket, u)
	return Arrived{BucketName: p.Storage.BucketName, Key: u.Key, Parts: parts}, err
}

// Refreshed are new links for some parts of an upload.
type Refreshed struct {
	Seconds int64 // how long they work
	Links   []upload.Link
}

// RefreshLinks signs the requests of some parts anew. It asks mount.upload
// (contract §4.10, refresh-urls). Returns objstore.ErrNoUpload for an upload
// that is not the caller's or that storage has forgotten.
func (d *Uploads) RefreshLinks(ctx context.Context, c mounts.Caller, in Sent, numbers []int) (Refreshed, error) {
	p, u, decision, err := d.enterUpload(ctx, c, in)
	if err != nil {
		return Refreshed{}, err
	}
	if err := upload.CheckNumbers(numbers, "partNumbers"); err != nil {
		return Refreshed{}, err
	}
	bucket, err := d.tree.Bucket(ctx, p)
	if err != nil {
		return Refreshed{}, err
	}
	if _, err := d.tree.Uploads.Parts(ctx, bucket, u); err != nil {
		return Refreshed{}, err
	}
	how := signing(p, decision.Obligations)
	links, err := d.tree.Uploads.Links(ctx, bucket, u, numbers, how)
	return Refreshed{Seconds: int64(how.Life / time.Second), Links: links}, err
}
