package local

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"pasteport/ports"
	"pasteport/ports/objstore"
)

// upload is the record of a multipart upload, a file beside its parts.
type upload struct {
	Key         string    `json:"key"`
	ContentType string    `json:"content_type,omitempty"`
	IfNoneMatch bool      `json:"if_none_match,omitempty"`
	Initiated   time.Time `json:"initiated"`
	// Done is the ETag of the finished object.
	Done string `json:"done,omitempty"`
}

const (
	recordName = "upload.json"
	partPrefix = "part-"
)

// uploads are the multipart uploads of a bucket, each in a folder below
// uploadsDir.
type uploads struct{ *bucket }

// Multipart implements objstore.Bucket.
func (b *bucket) Multipart() objstore.Multipart { return uploads{b} }

// Create implements objstore.Multipart.
func (b uploads) Create(ctx context.Context, key string, o objstore.WriteOptions) (string, error) {
	if err := errors.Join(ctx.Err(), checkKey(key)); err != nil {
		return "", err
	}
	if strings.HasSuffix(key, "/") {
		return "", objstore.ErrBadKey
	}
	if err := errors.Join(b.writable(key), b.room(max(o.Size, 0))); err != nil {
		return "", err
	}
	b.sweep()
	if err := b.makeOwn(); err != nil {
		return "", err
	}
	id := randomName()
	if err := b.root.Mkdir(uploadsDir+"/"+id, 0o700); err != nil {
		return "", fsError(err)
	}
	record := upload{Key: key, ContentType: o.ContentType, IfNoneMatch: o.IfNoneMatch, Initiated: b.now().UTC()}
	return id, errors.Join(b.saveUpload(id, record), b.syncDir(uploadsDir))
}

func (b uploads) saveUpload(id string, u upload) error {
	data, err := json.Marshal(u)
	if err != nil {
		return err
	}
	t, err := b.newTemp(int64(len(data)))
	if err != nil {
		return err
	}
	defer t.discard()
	if _, err := t.f.Write(data); err != nil {
		return t.full(err, 0)
	}
	if err := b.sync(t.f); err != nil {
		return err
	}
	if err := t.moveTo(uploadsDir+"/"+id+"/"+recordName, false); err != nil {
		return fsError(err)
	}
	return b.syncDir(uploadsDir + "/" + id)
}

// loadUpload returns the record of an upload. Returns ErrNoUpload when id is
// unknown or belongs to another key ("" means any).
func (b uploads) loadUpload(key, id string) (upload, error) {
	if len(id) != 32 || strings.Trim(id, "0123456789abcdef") != "" {
		return upload{}, objstore.ErrNoUpload
	}
	data, err := b.root.ReadFile(uploadsDir + "/" + id + "/" + recordName)
	if err != nil {
		if err = fsError(err); ports.Is(err, ports.NotFound) {
			err = objstore.ErrNoUpload
		}
		return upload{}, err
	}
	var u upload
	if err := json.Unmarshal(data, &u); err != nil {
		return upload{}, unavailable("read the upload's record", err)
	}
	if key != "" && u.Key != key {
		return upload{}, objstore.ErrNoUpload
	}
	return u, nil
}

// openUpload is loadUpload for an upload that is not completed.
func (b uploads) openUpload(ctx context.Context, key, id string) (upload, error) {
	if err := errors.Join(ctx.Err(), checkKey(key)); err != nil {
		return upload{}, err
	}
	u, err := b.loadUpload(key, id)
	if err == nil && u.Done != "" {
		err = objstore.ErrNoUpload
	}
	return u, err
}

func partName(id string, number int) string {
	return fmt.Sprintf("%s/%s/%s%05d", uploadsDir, id, partPrefix, number)
}

// WritePart implements objstore.Multipart.
func (b uploads) WritePart(ctx context.Context, key, id string, number int, body io.Reader, size int64) (objstore.Part, error) {
	if number < 1 || number > objstore.MaxPart {
		return objstore.Part{}, objstore.ErrBadPart
	}
	if _, err := b.openUpload(ctx, key, id); err != nil {
		return objstore.Part{}, err
	}
	t, err := b.newTemp(size)
	if err != nil {
		return objstore.Part{}, err
	}
	defer t.discard()
	etag, err := t.fill(ctx, body, size)
	if err != nil {
		return objstore.Part{}, err
	}
	o, err := t.finish("part", etag, "")
	if err != nil {
		return objstore.Part{}, err
	}
	if err := t.moveTo(partName(id, number), false); err != nil {
		if err = fsError(err); ports.Is(err, ports.NotFound) {
			err = objstore.ErrNoUpload // aborted meanwhile
		}
		return objstore.Part{}, err
	}
	return objstore.Part{Number: number, ETag: o.ETag, Size: o.Size}, b.syncDir(uploadsDir + "/" + id)
}

// ListUploads implements objstore.Multipart.
func (b uploads) ListUploads(ctx context.Context, prefix string) ([]objstore.Upload, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	ids, err := b.namesIn(uploadsDir)
	if err != nil {
		return nil, err
	}
	var found []objstore.Upload
	for _, id := range ids {
		u, err := b.loadUpload("", id)
		if errors.Is(err, objstore.ErrNoUpload) {
			continue
		}
		if err != nil {
			return nil, err
		}
		if u.Done == "" && strings.HasPrefix(u.Key, prefix) {
			found = append(found, objstore.Upload{Key: u.Key, ID: id, Initiated: u.Initiated})
		}
	}
	slices.SortFunc(found, func(x, y objstore.Upload) int {
		return strings.Compare(x.Key+"\x00"+x.ID, y.Key+"\x00"+y.ID)
	})
	return found, nil
}

func (b uploads) namesIn(dir string) ([]string, error) {
	d, err := b.root.Open(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fsError(err)
	}
	defer d.Close()
	names, err := d.Readdirnames(-1)
	slices.Sort(names)
	return names, fsError(err)
}

// ListParts implements objstore.Multipart.
func (b uploads) ListParts(ctx context.Context, key, id string) ([]objstore.Part, error) {
	if _, err := b.openUpload(ctx, key, id); err != nil {
		return nil, err
	}
	names, err := b.namesIn(uploadsDir + "/" + id)
	if err != nil {
		return nil, err
	}
	var parts []objstore.Part
	for _, name := range names {
		number, err := strconv.Atoi(strings.TrimPrefix(name, partPrefix))
		if err != nil {
			continue // the record
		}
		f, p, err := b.openPart(id, number)
		if err != nil {
			return nil, err
		}
		f.Close()
		parts = append(parts, p)
	}
	return parts, nil
}

func (b uploads) openPart(id string, number int) (*os.File, objstore.Part, error) {
	f, err := b.root.Open(partName(id, number))
	if err != nil {
		return nil, objstore.Part{}, fsError(err)
	}
	o, err := describeFile("part", f)
	if err != nil {
		f.Close()
		return nil, objstore.Part{}, err
	}
	return f, objstore.Part{Number: number, ETag: o.ETag, Size: o.Size, ModTime: o.ModTime}, nil
}

// Complete implements objstore.Multipart.
func (b uploads) Complete(ctx context.Context, key, id string, parts []objstore.Part) (objstore.Object, error) {
	if err := errors.Join(ctx.Err(), checkKey(key)); err != nil {
		return objstore.Object{}, err
	}
	u, err := b.loadUpload(key, id)
	if err != nil {
		return objstore.Object{}, err
	}
	if u.Done != "" {
		return b.completed(ctx, u)
	}
	if err := b.writable(key); err != nil {
		return objstore.Object{}, err
	}
	size, etag, err := b.checkParts(id, parts)
	if err != nil {
		return objstore.Object{}, err
	}
	t, err := b.newTemp(size)
	if err != nil {
		return objstore.Object{}, err
	}
	defer t.discard()
	for _, p := range parts {
		if err := b.appendPart(ctx, t, id, p.Number); err != nil {
			return objstore.Object{}, err
		}
	}
	o, err := t.place(key, etag, objstore.WriteOptions{ContentType: u.ContentType, IfNoneMatch: u.IfNoneMatch})
	if err != nil {
		return objstore.Object{}, err
	}
	return o, b.finishUpload(id, u, o.ETag)
}

// completed answers a repeated Complete.
func (b uploads) completed(ctx context.Context, u upload) (objstore.Object, error) {
	o, err := b.Stat(ctx, u.Key)
	if err == nil && o.ETag != u.Done {
		err = objstore.ErrNoUpload
	}
	return o, err
}

// checkParts compares the caller's list with what lies here.
func (b uploads) checkParts(id string, parts []objstore.Part) (size int64, etag string, err error) {
	hash := sha256.New()
	last := 0
	for _, p := range parts {
		if p.Number <= last || p.Number > objstore.MaxPart {
			return 0, "", objstore.ErrBadPart
		}
		last = p.Number
		f, have, err := b.openPart(id, p.Number)
		if ports.Is(err, ports.NotFound) {
			return 0, "", objstore.ErrBadPart.With(err)
		}
		if err != nil {
			return 0, "", err
		}
		f.Close()
		if p.ETag != "" && p.ETag != have.ETag {
			return 0, "", objstore.ErrBadPart
		}
		size += have.Size
		hash.Write([]byte(have.ETag))
	}
	if last == 0 {
		return 0, "", objstore.ErrBadPart
	}
	return size, fmt.Sprintf("%s-%d", etagOf(hash.Sum(nil)), len(parts)), nil
}

func (b uploads) appendPart(ctx context.Context, t *temp, id string, number int) error {
	f, p, err := b.openPart(id, number)
	if err != nil {
		return err
	}
	defer f.Close()
	return t.append(ctx, f, p.Size)
}

// finishUpload remembers the result for a repeated Complete and drops the parts.
func (b uploads) finishUpload(id string, u upload, etag string) error {
	u.Done = etag
	if err := b.saveUpload(id, u); err != nil {
		return err
	}
	names, err := b.namesIn(uploadsDir + "/" + id)
	if err != nil {
		return err
	}
	for _, name := range names {
		if strings.HasPrefix(name, partPrefix) {
			_ = b.root.Remove(uploadsDir + "/" + id + "/" + name)
		}
	}
	return nil
}

// Abort implements objstore.Multipart.
func (b uploads) Abort(ctx context.Context, key, id string) error {
	_, err := b.openUpload(ctx, key, id)
	if errors.Is(err, objstore.ErrNoUpload) {
		return nil
	}
	if err != nil {
		return err
	}
	return fsError(b.root.RemoveAll(uploadsDir + "/" + id))
}
