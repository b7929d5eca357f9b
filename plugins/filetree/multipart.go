package filetree

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"pasteport/ports"
	"pasteport/ports/objstore"
)

// An upload is a folder of its own with a record and one file for each part.
// The name of a part's file tells its number, when it came (so that one sent
// again replaces the first) and the digest of its bytes.
const (
	recordName = "upload.json"
	partPrefix = "part."
	maxRecord  = 64 << 10 // bytes
)

// upload is the record of an upload.
type upload struct {
	Key         string
	IfNoneMatch bool
	Initiated   time.Time
	Done        string // the ETag of the finished object
}

// uploads are the uploads in parts of a bucket.
type uploads struct{ *Bucket }

// Multipart implements objstore.Bucket.
func (b *Bucket) Multipart() objstore.Multipart { return uploads{b} }

// Create implements objstore.Multipart.
func (b uploads) Create(ctx context.Context, key string, o objstore.WriteOptions) (string, error) {
	if err := errors.Join(ctx.Err(), checkKey(key)); err != nil {
		return "", err
	}
	if isFolder(key) {
		return "", objstore.ErrBadKey
	}
	if err := b.inTheWay(ctx, key, o.IfNoneMatch); err != nil {
		return "", err
	}
	if err := b.prepare(ctx); err != nil {
		return "", err
	}
	defer b.sweep(ctx)
	id := randomName()
	if err := b.fs.Mkdir(ctx, uploadsDir+"/"+id); err != nil {
		b.ready.Store(false)
		return "", b.missing(ctx, err)
	}
	return id, b.save(ctx, id, upload{Key: key, IfNoneMatch: o.IfNoneMatch, Initiated: b.now().UTC()})
}

func (b uploads) save(ctx context.Context, id string, u upload) error {
	data, err := json.Marshal(u)
	if err != nil {
		return err
	}
	temp := uploadsDir + "/" + id + "/in." + randomName()
	if err := b.put(ctx, temp, bytes.NewReader(data), int64(len(data))); err != nil {
		return err
	}
	return b.fs.Move(ctx, temp, uploadsDir+"/"+id+"/"+recordName, true)
}

// load returns the record of an upload. Returns ErrNoUpload when id is unknown
// or belongs to another key ("" means any).
func (b uploads) load(ctx context.Context, key, id string) (upload, error) {
	if len(id) != 32 || strings.Trim(id, "0123456789abcdef") != "" {
		return upload{}, objstore.ErrNoUpload
	}
	name := uploadsDir + "/" + id + "/" + recordName
	e, err := b.fs.Stat(ctx, name)
	if ports.Is(err, ports.NotFound) {
		return upload{}, objstore.ErrNoUpload
	}
	if err != nil {
		return upload{}, err
	}
	stream, err := b.fs.Open(ctx, name, e, 0, e.Size)
	if err != nil {
		return upload{}, err
	}
	defer stream.Close()
	data, err := io.ReadAll(io.LimitReader(stream, maxRecord))
	if err != nil {
		return upload{}, err
	}
	var u upload
	if err := json.Unmarshal(data, &u); err != nil {
		return upload{}, objstore.ErrBadAnswer.With(fmt.Errorf("read the upload's record: %w", err))
	}
	if key != "" && u.Key != key {
		return upload{}, objstore.ErrNoUpload
	}
	return u, nil
}

// open is load for an upload that is not completed.
func (b uploads) open(ctx context.Context, key, id string) error {
	if err := errors.Join(ctx.Err(), checkKey(key)); err != nil {
		return err
	}
	u, err := b.load(ctx, key, id)
	if err == nil && u.Done != "" {
		err = objstore.ErrNoUpload
	}
	return err
}

// WritePart implements objstore.Multipart.
func (b uploads) WritePart(ctx context.Context, key, id string, number int, body io.Reader, size int64) (objstore.Part, error) {
	if number < 1 || number > objstore.MaxPart {
		return objstore.Part{}, objstore.ErrBadPart
	}
	if err := b.open(ctx, key, id); err != nil {
		return objstore.Part{}, err
	}
	came := b.now()
	sum := sha256.New()
	temp := uploadsDir + "/" + id + "/in." + randomName()
	err := b.put(ctx, temp, io.TeeReader(body, sum), size)
	tag := digest(sum)
	if err == nil {
		err = b.fs.Move(ctx, temp, uploadsDir+"/"+id+"/"+partName(number, came, tag), true)
	}
	if err != nil {
		if ports.Is(err, ports.NotFound) {
			err = objstore.ErrNoUpload // aborted meanwhile
		}
		b.cleanUp(ctx, func(ctx context.Context) { _ = b.fs.Remove(ctx, temp) })
		return objstore.Part{}, err
	}
	return objstore.Part{Number: number, ETag: tag, Size: size}, nil
}

func digest(sum hash.Hash) string { return hex.EncodeToString(sum.Sum(nil)[:16]) }

func partName(number int, came time.Time, tag string) string {
	return fmt.Sprintf("%s%05d.%016x.%s", partPrefix, number, came.UnixNano(), tag)
}

// ListUploads implements objstore.Multipart.
func (b uploads) ListUploads(ctx context.Context, prefix string) ([]objstore.Upload, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	folders, err := b.fs.List(ctx, uploadsDir)
	if err != nil {
		return nil, gone(b.missing(ctx, err))
	}
	var found []objstore.Upload
	for _, e := range folders {
		u, err := b.load(ctx, "", e.Name)
		if errors.Is(err, objstore.ErrNoUpload) {
			continue
		}
		if err != nil {
			return nil, err
		}
		if u.Done == "" && strings.HasPrefix(u.Key, prefix) {
			found = append(found, objstore.Upload{Key: u.Key, ID: e.Name, Initiated: u.Initiated})
		}
	}
	slices.SortFunc(found, func(x, y objstore.Upload) int {
		return strings.Compare(x.Key+"\x00"+x.ID, y.Key+"\x00"+y.ID)
	})
	return found, nil
}

// storedPart is a part with its file.
type storedPart struct {
	objstore.Part
	name string
	file Entry
}

// stored are the parts of an upload by their numbers: of each the last that came.
func (b uploads) stored(ctx context.Context, id string) (map[int]storedPart, error) {
	dir := uploadsDir + "/" + id
	files, err := b.fs.List(ctx, dir)
	if ports.Is(err, ports.NotFound) {
		err = objstore.ErrNoUpload
	}
	if err != nil {
		return nil, err
	}
	slices.SortFunc(files, func(x, y Entry) int { return strings.Compare(x.Name, y.Name) })
	parts := map[int]storedPart{}
	for _, f := range files {
		fields := strings.Split(strings.TrimPrefix(f.Name, partPrefix), ".")
		if f.Dir || !strings.HasPrefix(f.Name, partPrefix) || len(fields) != 3 {
			continue
		}
		number, err := strconv.Atoi(fields[0])
		if err != nil {
			continue
		}
		part := objstore.Part{Number: number, ETag: fields[2], Size: f.Size, ModTime: f.ModTime.UTC()}
		parts[number] = storedPart{part, dir + "/" + f.Name, f}
	}
	return parts, nil
}

// ListParts implements objstore.Multipart.
func (b uploads) ListParts(ctx context.Context, key, id string) ([]objstore.Part, error) {
	if err := b.open(ctx, key, id); err != nil {
		return nil, err
	}
	stored, err := b.stored(ctx, id)
	if err != nil {
		return nil, err
	}
	parts := make([]objstore.Part, 0, len(stored))
	for _, p := range stored {
		parts = append(parts, p.Part)
	}
	slices.SortFunc(parts, func(x, y objstore.Part) int { return x.Number - y.Number })
	return parts, nil
}

// Complete implements objstore.Multipart. Neither protocol can join files where
// they lie: the parts are read and written once more.
func (b uploads) Complete(ctx context.Context, key, id string, parts []objstore.Part) (objstore.Object, error) {
	if err := errors.Join(ctx.Err(), checkKey(key)); err != nil {
		return objstore.Object{}, err
	}
	u, err := b.load(ctx, key, id)
	if err != nil {
		return objstore.Object{}, err
	}
	if u.Done != "" {
		return b.completed(ctx, u)
	}
	if err := b.inTheWay(ctx, key, u.IfNoneMatch); err != nil {
		return objstore.Object{}, err
	}
	chosen, err := b.choose(ctx, id, parts)
	if err != nil {
		return objstore.Object{}, err
	}
	joined := &joint{ctx: ctx, fs: b.fs, parts: chosen}
	defer joined.Close()
	size := int64(0)
	for _, p := range chosen {
		size += p.Size
	}
	o, err := b.fill(ctx, key, u.IfNoneMatch, func(temp string) error { return b.put(ctx, temp, joined, size) })
	if err != nil {
		return objstore.Object{}, err
	}
	u.Done = o.ETag
	// The object is there: what is left of the upload is swept if this fails.
	if err := b.save(ctx, id, u); err == nil {
		b.dropParts(ctx, id)
	}
	return o, nil
}

// dropParts removes the parts of a finished upload.
func (b uploads) dropParts(ctx context.Context, id string) {
	stored, err := b.fs.List(ctx, uploadsDir+"/"+id)
	if err != nil {
		return
	}
	var names []string
	for _, e := range stored {
		if e.Name != recordName {
			names = append(names, uploadsDir+"/"+id+"/"+e.Name)
		}
	}
	b.together(ctx, names, b.fs.Remove, map[string]error{})
}

// completed answers a repeated Complete.
func (b uploads) completed(ctx context.Context, u upload) (objstore.Object, error) {
	o, err := b.Stat(ctx, u.Key)
	if err == nil && o.ETag != u.Done {
		err = objstore.ErrNoUpload
	}
	return o, err
}

// choose compares the caller's list with what is stored.
func (b uploads) choose(ctx context.Context, id string, parts []objstore.Part) ([]storedPart, error) {
	stored, err := b.stored(ctx, id)
	if err != nil {
		return nil, err
	}
	chosen := make([]storedPart, 0, len(parts))
	last := 0
	for _, p := range parts {
		have, ok := stored[p.Number]
		if !ok || p.Number <= last || p.ETag != "" && p.ETag != have.ETag {
			return nil, objstore.ErrBadPart
		}
		last = p.Number
		chosen = append(chosen, have)
	}
	if last == 0 {
		return nil, objstore.ErrBadPart
	}
	return chosen, nil
}

// joint reads parts one after the other and compares them with their digests.
type joint struct {
	ctx   context.Context
	fs    FS
	parts []storedPart
	open  io.ReadCloser
	sum   hash.Hash
}

// Read implements io.Reader.
func (j *joint) Read(p []byte) (int, error) {
	for {
		if len(j.parts) == 0 {
			return 0, io.EOF
		}
		if j.open == nil {
			if err := j.next(); err != nil {
				return 0, err
			}
		}
		n, err := j.open.Read(p)
		j.sum.Write(p[:n])
		if err == io.EOF {
			err = j.end()
		}
		if n > 0 || err != nil {
			return n, err
		}
	}
}

func (j *joint) next() error {
	first := j.parts[0]
	j.sum = sha256.New()
	if first.Size == 0 {
		j.open = io.NopCloser(strings.NewReader(""))
		return nil
	}
	stream, err := j.fs.Open(j.ctx, first.name, first.file, 0, first.Size)
	if err != nil {
		return err
	}
	j.open = &whole{stream, first.Size}
	return nil
}

func (j *joint) end() error {
	first := j.parts[0]
	j.parts = j.parts[1:]
	err := j.Close()
	if digest(j.sum) != first.ETag {
		return objstore.ErrBadAnswer.With(fmt.Errorf("part %d is not what was sent", first.Number))
	}
	return err
}

// Close closes the part that is read.
func (j *joint) Close() error {
	if j.open == nil {
		return nil
	}
	open := j.open
	j.open = nil
	return open.Close()
}

// Abort implements objstore.Multipart.
func (b uploads) Abort(ctx context.Context, key, id string) error {
	err := b.open(ctx, key, id)
	if errors.Is(err, objstore.ErrNoUpload) {
		return nil
	}
	if err != nil {
		return err
	}
	return gone(b.fs.RemoveAll(ctx, uploadsDir+"/"+id))
}
