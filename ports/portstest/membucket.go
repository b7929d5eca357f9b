package portstest

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"pasteport/ports"
	"pasteport/ports/objstore"
)

// Bucket is an objstore.Bucket in memory. It is safe for concurrent use. Its
// signed requests are served by its ServeHTTP.
type Bucket struct {
	// BaseURL goes in front of signed requests; empty gives paths.
	BaseURL string
	// Clock stamps objects and ends signed requests.
	Clock ports.Clock
	// Capacity bounds all objects together, in bytes; 0 means no bound.
	Capacity int64
	// Fail is asked before every call, with the method's name and the key; an
	// error it returns is the call's. Nil means nothing fails.
	Fail func(method, key string) error

	mu      sync.Mutex
	objects map[string]memObject
	uploads map[string]*memUpload
	done    map[string]string // completed upload id to key
	signed  map[string]objstore.SignRequest
	expires map[string]time.Time
	serial  int
}

type memObject struct {
	objstore.Object
	data []byte
}

type memUpload struct {
	objstore.Upload
	options objstore.WriteOptions
	parts   map[int]memPart
}

type memPart struct {
	objstore.Part
	data []byte
}

var (
	_ objstore.Bucket    = (*Bucket)(nil)
	_ objstore.Multipart = (*Bucket)(nil)
	_ objstore.Driver    = Driver{}
	_ objstore.Opener    = Opener(nil)
)

// NewBucket returns an empty bucket.
func NewBucket() *Bucket {
	return &Bucket{
		Clock:   ports.SystemClock,
		objects: map[string]memObject{},
		uploads: map[string]*memUpload{},
		done:    map[string]string{},
		signed:  map[string]objstore.SignRequest{},
		expires: map[string]time.Time{},
	}
}

// Opener is an objstore.Opener over buckets by config id.
type Opener map[string]objstore.Bucket

// Bucket returns NotFound for an unknown config.
func (o Opener) Bucket(_ context.Context, configID string) (objstore.Bucket, error) {
	if b, ok := o[configID]; ok {
		return b, nil
	}
	return nil, ports.ErrNotFound
}

// Driver opens memory buckets; buckets of one config id share New's bucket.
type Driver struct {
	About objstore.Info
	New   func(objstore.Config) (objstore.Bucket, error)
}

// Info returns About.
func (d Driver) Info(context.Context) (objstore.Info, error) { return d.About, nil }

// Open calls New.
func (d Driver) Open(_ context.Context, c objstore.Config) (objstore.Bucket, error) { return d.New(c) }

// MemoryFeatures are the features of Bucket.
var MemoryFeatures = objstore.Features{
	HTTPLinks: true, Multipart: true, ServerCopy: true, Range: true, Usage: true, BrowserUpload: true, ConditionalWrite: true,
}

// Keys returns the keys of all objects, sorted.
func (b *Bucket) Keys() []string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.sortedKeys()
}

// Bytes returns the content under key, nil when there is none.
func (b *Bucket) Bytes(key string) []byte {
	b.mu.Lock()
	defer b.mu.Unlock()
	return bytes.Clone(b.objects[key].data)
}

// Put stores content under key, for the set-up of a test.
func (b *Bucket) Put(key, content string) objstore.Object {
	o, err := b.Write(context.Background(), key, strings.NewReader(content), objstore.WriteOptions{Size: int64(len(content))})
	if err != nil {
		panic(err)
	}
	return o
}

func (b *Bucket) sortedKeys() []string {
	keys := make([]string, 0, len(b.objects))
	for k := range b.objects {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}

func (b *Bucket) begin(ctx context.Context, method, key string) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if b.Fail != nil {
		return b.Fail(method, key)
	}
	return nil
}

func (b *Bucket) beginKey(ctx context.Context, method, key string) error {
	if err := objstore.CheckKey(key); err != nil {
		return err
	}
	return b.begin(ctx, method, key)
}

// Stat implements objstore.Bucket.
func (b *Bucket) Stat(ctx context.Context, key string) (objstore.Object, error) {
	if err := b.beginKey(ctx, "Stat", key); err != nil {
		return objstore.Object{}, err
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	o, ok := b.objects[key]
	if !ok {
		return objstore.Object{}, ports.ErrNotFound
	}
	return o.Object, nil
}

// List implements objstore.Bucket.
func (b *Bucket) List(ctx context.Context, q objstore.ListQuery) (objstore.ListPage, error) {
	if err := b.begin(ctx, "List", q.Prefix); err != nil {
		return objstore.ListPage{}, err
	}
	pager, err := objstore.NewPager(q)
	if err != nil {
		return objstore.ListPage{}, err
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, key := range b.sortedKeys() {
		if !pager.Add(key, func() (objstore.Object, bool) { return b.objects[key].Object, true }) {
			break
		}
	}
	return pager.Page(), nil
}

// Read implements objstore.Bucket.
func (b *Bucket) Read(ctx context.Context, key string, r objstore.Range) (*objstore.Body, error) {
	if err := b.beginKey(ctx, "Read", key); err != nil {
		return nil, err
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	o, ok := b.objects[key]
	if !ok {
		return nil, ports.ErrNotFound
	}
	if r.IfMatch != "" && r.IfMatch != o.ETag {
		return nil, objstore.ErrChanged
	}
	offset, length, err := r.Resolve(o.Size)
	if err != nil {
		return nil, err
	}
	return &objstore.Body{
		ReadCloser: io.NopCloser(&contextReader{ctx, bytes.NewReader(o.data[offset : offset+length])}),
		Object:     o.Object, Offset: offset, Length: length,
	}, nil
}

// Write implements objstore.Bucket.
func (b *Bucket) Write(ctx context.Context, key string, body io.Reader, o objstore.WriteOptions) (objstore.Object, error) {
	if err := b.beginKey(ctx, "Write", key); err != nil {
		return objstore.Object{}, err
	}
	data, err := readExactly(&contextReader{ctx, body}, o.Size)
	if err != nil {
		return objstore.Object{}, err
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.store(key, data, hashOf(data), o)
}

func (b *Bucket) store(key string, data []byte, etag string, o objstore.WriteOptions) (objstore.Object, error) {
	if _, exists := b.objects[key]; exists && o.IfNoneMatch {
		return objstore.Object{}, objstore.ErrExists
	}
	if used := b.used() - b.objects[key].Size; b.Capacity > 0 && used+int64(len(data)) > b.Capacity {
		return objstore.Object{}, &ports.Error{Code: ports.Quota, Key: "quota_exceeded", Params: map[string]any{
			"size": int64(len(data)), "rest": b.Capacity - used, "total": b.Capacity,
		}}
	}
	object := objstore.Object{
		Key: key, Size: int64(len(data)), ETag: etag, ContentType: o.ContentType, ModTime: b.Clock.Now().UTC(),
	}
	b.objects[key] = memObject{object, data}
	return object, nil
}

func (b *Bucket) used() (sum int64) {
	for _, o := range b.objects {
		sum += o.Size
	}
	return sum
}

// Copy implements objstore.Bucket.
func (b *Bucket) Copy(ctx context.Context, dst, src string) (objstore.Object, error) {
	if err := errors.Join(objstore.CheckKey(src), b.beginKey(ctx, "Copy", dst)); err != nil {
		return objstore.Object{}, err
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	from, ok := b.objects[src]
	if !ok {
		return objstore.Object{}, ports.ErrNotFound
	}
	return b.store(dst, from.data, from.ETag, objstore.WriteOptions{ContentType: from.ContentType})
}

// Delete implements objstore.Bucket.
func (b *Bucket) Delete(ctx context.Context, keys ...string) (map[string]error, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	failed := map[string]error{}
	for _, key := range keys {
		if err := b.beginKey(ctx, "Delete", key); err != nil {
			failed[key] = err
			continue
		}
		b.mu.Lock()
		delete(b.objects, key)
		b.mu.Unlock()
	}
	return failed, nil
}

// Multipart implements objstore.Bucket.
func (b *Bucket) Multipart() objstore.Multipart { return b }

// Usage implements objstore.Bucket.
func (b *Bucket) Usage(ctx context.Context) (objstore.Usage, error) {
	if err := b.begin(ctx, "Usage", ""); err != nil {
		return objstore.Usage{}, err
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	u := objstore.Usage{Used: b.used(), Free: -1, Count: int64(len(b.objects))}
	if b.Capacity > 0 {
		u.Free = b.Capacity - u.Used
	}
	return u, nil
}

// Close implements objstore.Bucket. The content stays.
func (b *Bucket) Close() error { return nil }

// Create implements objstore.Multipart.
func (b *Bucket) Create(ctx context.Context, key string, o objstore.WriteOptions) (string, error) {
	if err := b.beginKey(ctx, "Create", key); err != nil {
		return "", err
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.serial++
	id := fmt.Sprintf("upload-%d", b.serial)
	b.uploads[id] = &memUpload{
		Upload:  objstore.Upload{Key: key, ID: id, Initiated: b.Clock.Now().UTC()},
		options: o, parts: map[int]memPart{},
	}
	return id, nil
}

// WritePart implements objstore.Multipart.
func (b *Bucket) WritePart(ctx context.Context, key, uploadID string, number int, body io.Reader, size int64) (objstore.Part, error) {
	if err := b.beginKey(ctx, "WritePart", key); err != nil {
		return objstore.Part{}, err
	}
	if number < 1 || number > objstore.MaxPart {
		return objstore.Part{}, objstore.ErrBadPart
	}
	data, err := readExactly(&contextReader{ctx, body}, size)
	if err != nil {
		return objstore.Part{}, err
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	u, err := b.upload(key, uploadID)
	if err != nil {
		return objstore.Part{}, err
	}
	part := objstore.Part{Number: number, ETag: hashOf(data), Size: int64(len(data))}
	kept := part
	kept.ModTime = b.Clock.Now().UTC()
	u.parts[number] = memPart{kept, data}
	return part, nil
}

func (b *Bucket) upload(key, uploadID string) (*memUpload, error) {
	u, ok := b.uploads[uploadID]
	if !ok || u.Key != key {
		return nil, objstore.ErrNoUpload
	}
	return u, nil
}

// ListUploads implements objstore.Multipart.
func (b *Bucket) ListUploads(ctx context.Context, prefix string) ([]objstore.Upload, error) {
	if err := b.begin(ctx, "ListUploads", prefix); err != nil {
		return nil, err
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	var uploads []objstore.Upload
	for _, u := range b.uploads {
		if strings.HasPrefix(u.Key, prefix) {
			uploads = append(uploads, u.Upload)
		}
	}
	slices.SortFunc(uploads, func(x, y objstore.Upload) int {
		return strings.Compare(x.Key+"\x00"+x.ID, y.Key+"\x00"+y.ID)
	})
	return uploads, nil
}

// ListParts implements objstore.Multipart.
func (b *Bucket) ListParts(ctx context.Context, key, uploadID string) ([]objstore.Part, error) {
	if err := b.beginKey(ctx, "ListParts", key); err != nil {
		return nil, err
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	u, err := b.upload(key, uploadID)
	if err != nil {
		return nil, err
	}
	var parts []objstore.Part
	for _, p := range u.parts {
		parts = append(parts, p.Part)
	}
	slices.SortFunc(parts, func(x, y objstore.Part) int { return x.Number - y.Number })
	return parts, nil
}

// Complete implements objstore.Multipart.
func (b *Bucket) Complete(ctx context.Context, key, uploadID string, parts []objstore.Part) (objstore.Object, error) {
	if err := b.beginKey(ctx, "Complete", key); err != nil {
		return objstore.Object{}, err
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.done[uploadID] == key {
		if o, ok := b.objects[key]; ok {
			return o.Object, nil
		}
	}
	u, err := b.upload(key, uploadID)
	if err != nil {
		return objstore.Object{}, err
	}
	var data []byte
	var hashes strings.Builder
	last := 0
	for _, p := range parts {
		have, ok := u.parts[p.Number]
		if !ok || p.Number <= last || p.ETag != "" && p.ETag != have.ETag {
			return objstore.Object{}, objstore.ErrBadPart
		}
		last = p.Number
		data = append(data, have.data...)
		hashes.WriteString(have.ETag)
	}
	if last == 0 {
		return objstore.Object{}, objstore.ErrBadPart
	}
	o, err := b.store(key, data, fmt.Sprintf("%s-%d", hashOf([]byte(hashes.String())), len(parts)), u.options)
	if err == nil {
		delete(b.uploads, uploadID)
		b.done[uploadID] = key
	}
	return o, err
}

// Abort implements objstore.Multipart.
func (b *Bucket) Abort(ctx context.Context, key, uploadID string) error {
	if err := b.beginKey(ctx, "Abort", key); err != nil {
		return err
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if u, ok := b.uploads[uploadID]; ok && u.Key == key {
		delete(b.uploads, uploadID)
	}
	return nil
}

// Sign implements objstore.Bucket.
func (b *Bucket) Sign(ctx context.Context, r objstore.SignRequest) (objstore.SignedRequest, error) {
	if err := b.beginKey(ctx, "Sign", r.Key); err != nil {
		return objstore.SignedRequest{}, err
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.serial++
	token := fmt.Sprintf("sig-%d", b.serial)
	expires := b.Clock.Now().UTC().Add(r.TTL)
	b.signed[token], b.expires[token] = r, expires
	s := objstore.SignedRequest{Method: string(r.Verb), URL: b.BaseURL + "/" + url.PathEscape(r.Key) + "?token=" + token, Expires: expires}
	if r.Verb == objstore.VerbPart {
		s.Method = http.MethodPut
		s.URL += "&partNumber=" + strconv.Itoa(r.PartNumber)
	}
	return s, nil
}

// ServeHTTP answers signed requests as an object storage does.
func (b *Bucket) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	token := req.URL.Query().Get("token")
	b.mu.Lock()
	r, known := b.signed[token]
	expired := known && !b.Clock.Now().Before(b.expires[token])
	b.mu.Unlock()
	verb := objstore.Verb(req.Method)
	if r.Verb == objstore.VerbPart && verb == objstore.VerbPut {
		verb = objstore.VerbPart
	}
	if !known || expired || verb != r.Verb || r.Size > 0 && req.ContentLength != r.Size {
		w.WriteHeader(http.StatusForbidden)
		return
	}
	if verb == objstore.VerbPut || verb == objstore.VerbPart {
		b.serveWrite(w, req, r)
		return
	}
	b.serveRead(w, req, r)
}

func (b *Bucket) serveWrite(w http.ResponseWriter, req *http.Request, r objstore.SignRequest) {
	var etag string
	var err error
	if r.Verb == objstore.VerbPart {
		var part objstore.Part
		part, err = b.WritePart(req.Context(), r.Key, r.UploadID, r.PartNumber, req.Body, req.ContentLength)
		etag = part.ETag
	} else {
		var o objstore.Object
		o, err = b.Write(req.Context(), r.Key, req.Body, objstore.WriteOptions{
			Size: req.ContentLength, ContentType: req.Header.Get("Content-Type"), IfNoneMatch: req.Header.Get("If-None-Match") == "*",
		})
		etag = o.ETag
	}
	if err != nil {
		w.WriteHeader(statusOf(err))
		return
	}
	w.Header().Set("ETag", strconv.Quote(etag))
}

func (b *Bucket) serveRead(w http.ResponseWriter, req *http.Request, r objstore.SignRequest) {
	b.mu.Lock()
	o, ok := b.objects[r.Key]
	b.mu.Unlock()
	if !ok {
		w.WriteHeader(http.StatusNotFound)
		return
	}
	h := w.Header()
	h.Set("ETag", strconv.Quote(o.ETag))
	h.Set("Content-Type", "application/octet-stream")
	if t := o.ContentType; t != "" {
		h.Set("Content-Type", t)
	}
	if r.ContentType != "" {
		h.Set("Content-Type", r.ContentType)
	}
	if r.Disposition != "" {
		h.Set("Content-Disposition", r.Disposition)
	}
	http.ServeContent(w, req, "", o.ModTime, bytes.NewReader(o.data))
}

func statusOf(err error) int {
	switch ports.CodeOf(err) {
	case ports.NotFound:
		return http.StatusNotFound
	case ports.Invalid:
		return http.StatusBadRequest
	case ports.Conflict, ports.Precondition:
		return http.StatusPreconditionFailed
	case ports.Quota:
		return http.StatusInsufficientStorage
	}
	return http.StatusInternalServerError
}

func hashOf(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:16])
}

// readExactly reads all of r and checks its length; size -1 means any.
func readExactly(r io.Reader, size int64) ([]byte, error) {
	data, err := io.ReadAll(r)
	if err != nil {
		return nil, err
	}
	if size >= 0 && int64(len(data)) != size {
		return nil, objstore.ErrLength
	}
	return data, nil
}

type contextReader struct {
	ctx context.Context
	r   io.Reader
}

func (r *contextReader) Read(p []byte) (int, error) {
	if err := r.ctx.Err(); err != nil {
		return 0, err
	}
	return r.r.Read(p)
}
