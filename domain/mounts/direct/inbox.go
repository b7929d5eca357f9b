package direct

import (
	"bytes"
	"context"
	"errors"
	"io"
	"sync"

	"pasteport/domain/mounts"
	"pasteport/ports"
	"pasteport/ports/objstore"
	"pasteport/ports/policy"
	"pasteport/ports/upload"
)

// Inbox takes the files of others into folders of a tree. Who sends two files of
// one name at a time, or one that is there, finds the second under another name.
type Inbox struct {
	d *Uploads

	mu    sync.Mutex
	taken map[string]bool // paths of files that are being stored or announced here
}

var _ upload.Inbox = (*Inbox)(nil)

// Inbox returns the inbox of the tree.
func (d *Uploads) Inbox() *Inbox { return &Inbox{d: d, taken: map[string]bool{}} }

// Check implements upload.Inbox. It asks mount.upload. Returns ErrType for a
// file, NotFound when there is no such folder.
func (in *Inbox) Check(ctx context.Context, owner policy.Principal, folder string) error {
	places, _, err := in.d.tree.Enter(ctx, mounts.Caller{Who: owner}, mounts.OpUpload, folder)
	if err != nil || places[0].Sub == "" {
		return err
	}
	entry, err := in.d.tree.StatAt(ctx, places[0], true)
	if err == nil && !entry.Folder {
		err = mounts.ErrType
	}
	return err
}

// Store implements upload.Inbox. It asks mount.upload.
func (in *Inbox) Store(ctx context.Context, owner policy.Principal, f upload.Incoming, body io.Reader) (upload.Received, error) {
	c, sent := mounts.Caller{Who: owner}, &replayed{r: body}
	for try := 1; ; try++ {
		path, release, err := in.name(ctx, c, f)
		if err != nil {
			return upload.Received{}, err
		}
		defer release()
		s, _, err := in.d.tree.Write(ctx, c, path, sent, mounts.Write{Size: f.Size, MakeParents: true})
		if err == nil {
			return in.came(ctx, c, f, s)
		}
		// Something has the name that nothing tells of: a link on a disk. Senders do not
		// get to know of it; the name stays taken, so that the next try has another.
		if !errors.Is(err, objstore.ErrExists) || try > numbered || !sent.again() {
			return upload.Received{}, err
		}
	}
}

// came tells of a file that was stored, and takes one away again that is refused.
func (in *Inbox) came(ctx context.Context, c mounts.Caller, f upload.Incoming, s mounts.Stored) (upload.Received, error) {
	received := upload.Received{Place: s.Path, Name: s.Name, Size: s.Size}
	if f.Came == nil {
		return received, nil
	}
	refused := f.Came(ctx, received)
	if !upload.Refused(refused) {
		return received, refused
	}
	ctx = context.WithoutCancel(ctx)
	p, _, err := in.d.tree.EnterNew(ctx, c, mounts.OpUpload, s.Path, f.Size)
	if err != nil {
		return upload.Received{}, errors.Join(refused, err)
	}
	bucket, err := in.d.tree.Bucket(ctx, p)
	if err == nil {
		err = in.takeBack(ctx, bucket, p, s.ETag)
	}
	return upload.Received{}, errors.Join(refused, err)
}

// replayed is a body that can be read anew while little of it was read.
type replayed struct {
	r    io.Reader
	kept []byte
	over bool // more was read than is kept
}

// replayedMost is how much of a body is kept to be read anew, in bytes: more than
// storages take before they refuse a name.
const replayedMost = 1 << 20

func (b *replayed) Read(p []byte) (int, error) {
	n, err := b.r.Read(p)
	if !b.over {
		if b.over = len(b.kept)+n > replayedMost; b.over {
			b.kept = nil
		} else {
			b.kept = append(b.kept, p[:n]...)
		}
	}
	return n, err
}

// again begins the body anew, and reports whether it can.
func (b *replayed) again() bool {
	if b.over {
		return false
	}
	b.r, b.kept = io.MultiReader(bytes.NewReader(b.kept), b.r), nil
	return true
}

// Begin implements upload.Inbox. It asks mount.upload.
func (in *Inbox) Begin(ctx context.Context, owner policy.Principal, f upload.Incoming) (upload.Underway, error) {
	c := mounts.Caller{Who: owner}
	path, release, err := in.name(ctx, c, f)
	if err != nil {
		return upload.Underway{}, err
	}
	defer release()
	begun, err := in.d.Begin(ctx, c, path, NewUpload{Size: f.Size, PartSize: upload.PartSizeOf(f.Size)})
	if err != nil {
		return upload.Underway{}, err
	}
	return upload.Underway{ID: begun.ID, Place: begun.Path, Name: mounts.Base(begun.Path), Cut: begun.Cut}, nil
}

// numbered is how many numbers are tried behind a name that is taken, before it
// gets a random suffix.
const numbered = 20

// name finds a path in the folder that nothing has and nobody here is about to
// take, and keeps it until release.
func (in *Inbox) name(ctx context.Context, c mounts.Caller, f upload.Incoming) (path string, release func(), err error) {
	if err := mounts.CheckName(f.Name); err != nil {
		return "", nil, err
	}
	folder, _, err := mounts.Clean(f.Folder)
	if err != nil {
		return "", nil, err
	}
	for n := 0; n <= numbered+1; n++ {
		name := f.Name
		switch {
		case n > numbered:
			name = mounts.Suffixed(f.Name, in.d.tree.Random.Text(6))
		case n > 0:
			name = mounts.Numbered(f.Name, false, n)
		}
		path := mounts.Join(folder, name)
		if !in.take(path) {
			continue
		}
		free, err := in.free(ctx, c, path, f.Size)
		if err == nil && free {
			return path, func() { in.leave(path) }, nil
		}
		in.leave(path)
		if err != nil {
			return "", nil, err
		}
	}
	return "", nil, objstore.ErrExists
}

func (in *Inbox) take(path string) bool {
	in.mu.Lock()
	defer in.mu.Unlock()
	if in.taken[path] {
		return false
	}
	in.taken[path] = true
	return true
}

func (in *Inbox) leave(path string) {
	in.mu.Lock()
	defer in.mu.Unlock()
	delete(in.taken, path)
}

// free reports whether nothing has the path, in any Unicode form, and no upload
// of the owner is on its way there.
func (in *Inbox) free(ctx context.Context, c mounts.Caller, path string, size int64) (bool, error) {
	forms := []string{path}
	if in.d.tree.Forms != nil {
		forms = append(forms, in.d.tree.Forms(path)...)
	}
	for _, form := range forms {
		p, _, err := in.d.tree.EnterNew(ctx, c, mounts.OpUpload, form, size)
		if err != nil {
			return false, err
		}
		old, err := in.d.tree.Present(ctx, p)
		switch {
		case errors.Is(err, objstore.ErrFolderInTheWay), err == nil && old != nil:
			return false, nil
		case err != nil:
			return false, err
		}
		open, err := in.d.tree.Uploads.Open(ctx, upload.ForTree, p.Storage.ID, c.Who.Owner())
		if err != nil {
			return false, err
		}
		for _, s := range open {
			if s.Key == p.Key() {
				return false, nil
			}
		}
	}
	return true, nil
}

// resume finds an upload again. It asks mount.upload.
func (in *Inbox) resume(ctx context.Context, owner policy.Principal, u upload.Underway) (*mounts.Place, *upload.Session, policy.Decision, error) {
	p, decision, err := in.d.tree.EnterNew(ctx, mounts.Caller{Who: owner}, mounts.OpUpload, u.Place, u.Size)
	if err != nil {
		return nil, nil, decision, err
	}
	s, err := in.d.tree.Uploads.Of(ctx, u.ID)
	if ports.Is(err, ports.NotFound) || err == nil && (s.StorageConfigID != p.Storage.ID || s.Key != p.Key()) {
		return nil, nil, decision, objstore.ErrNoUpload // a mount has changed
	}
	return p, s, decision, err
}

// Links implements upload.Inbox. It asks mount.upload.
func (in *Inbox) Links(ctx context.Context, owner policy.Principal, u upload.Underway, numbers []int) ([]upload.Link, error) {
	p, s, decision, err := in.resume(ctx, owner, u)
	if err != nil {
		return nil, err
	}
	bucket, err := in.d.tree.Bucket(ctx, p)
	if err != nil {
		return nil, err
	}
	return in.d.tree.Uploads.Links(ctx, bucket, s, numbers, signing(p, decision.Obligations))
}

// Parts implements upload.Inbox. It asks mount.upload.
func (in *Inbox) Parts(ctx context.Context, owner policy.Principal, u upload.Underway) ([]objstore.Part, error) {
	p, s, _, err := in.resume(ctx, owner, u)
	if err != nil {
		return nil, err
	}
	bucket, err := in.d.tree.Bucket(ctx, p)
	if err != nil {
		return nil, err
	}
	return in.d.tree.Uploads.Parts(ctx, bucket, s)
}

// Complete implements upload.Inbox. It asks mount.upload.
func (in *Inbox) Complete(ctx context.Context, owner policy.Principal, u upload.Underway, accept upload.Accept) (upload.Received, error) {
	p, s, decision, err := in.resume(ctx, owner, u)
	if err != nil {
		return upload.Received{}, err
	}
	bucket, err := in.d.tree.Bucket(ctx, p)
	if err != nil {
		return upload.Received{}, err
	}
	object, joined := s.Stored(), s.CompletedAt != nil
	if !joined {
		if object, joined, err = in.join(ctx, owner, bucket, p, s, decision.Obligations); err != nil {
			return upload.Received{}, err
		}
	}
	head, err := objstore.Head(ctx, bucket, p.Key(), upload.HeadSize)
	if err != nil {
		return upload.Received{}, err
	}
	err = accept(head, object.Size)
	if joined && upload.Refused(err) {
		err = errors.Join(err, in.remove(ctx, bucket, p, s, object))
	}
	return upload.Received{Place: p.Path, Name: mounts.Base(p.Path), Size: object.Size}, err
}

// join makes the file of the parts; ours says that it did, and not an earlier
// try whose answer was lost.
func (in *Inbox) join(ctx context.Context, owner policy.Principal, bucket objstore.Bucket, p *mounts.Place, s *upload.Session, o policy.Obligations) (object objstore.Object, ours bool, err error) {
	parts, err := in.d.tree.Uploads.Parts(ctx, bucket, s)
	if errors.Is(err, objstore.ErrNoUpload) {
		object, err = in.d.join(ctx, p, s, nil, o)
		if err == nil && object.Size != s.Size {
			err = objstore.ErrNoUpload
		}
		return object, false, err
	}
	if err == nil {
		err = s.Whole(parts)
	}
	if err != nil {
		return object, false, err
	}
	old, err := in.d.tree.Present(ctx, p)
	if err == nil && old != nil {
		err = objstore.ErrExists
	}
	if err == nil {
		err = in.d.tree.Guard().Unlocked(ctx, mounts.Caller{Who: owner}, mounts.LockedWrite{Path: p.Path, Member: true})
	}
	if err != nil {
		return object, false, err
	}
	object, err = in.d.join(ctx, p, s, parts, o)
	return object, true, err
}

// remove deletes what an upload has become, unless somebody has written over it.
func (in *Inbox) remove(ctx context.Context, bucket objstore.Bucket, p *mounts.Place, s *upload.Session, object objstore.Object) error {
	ctx = context.WithoutCancel(ctx)
	err := in.takeBack(ctx, bucket, p, object.ETag)
	in.d.tree.Release(ctx, s.ID)
	return err
}

// takeBack deletes the object at the place while it has this ETag.
func (in *Inbox) takeBack(ctx context.Context, bucket objstore.Bucket, p *mounts.Place, etag string) error {
	now, err := bucket.Stat(ctx, p.Key())
	if err != nil || now.ETag != etag {
		return err
	}
	failed, err := bucket.Delete(ctx, p.Key())
	in.d.tree.Changed(ctx, mounts.Change{Storage: p.Storage.ID, Gone: []string{p.Key()}})
	return errors.Join(err, failed[p.Key()])
}

// Abort implements upload.Inbox.
func (in *Inbox) Abort(ctx context.Context, u upload.Underway) error {
	s, err := in.d.tree.Uploads.Of(ctx, u.ID)
	if ports.Is(err, ports.NotFound) || err == nil && s.CompletedAt != nil {
		return nil
	}
	if err != nil {
		return err
	}
	bucket, err := in.d.tree.Storages.Bucket(ctx, s.StorageConfigID)
	if ports.Is(err, ports.NotFound) { // its storage is gone, and the sweep ends it
		return nil
	}
	if err != nil {
		return err
	}
	return in.d.tree.Uploads.GiveUp(ctx, bucket, s)
}
