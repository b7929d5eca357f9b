package storage_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"pasteport/domain/domaintest"
	"pasteport/domain/storage"
	"pasteport/ports"
	"pasteport/ports/objstore"
	"pasteport/ports/objstore/objstoretest"
	"pasteport/ports/policy"
	"pasteport/ports/portstest"
)

var (
	admin = policy.Principal{Kind: policy.Admin, ID: "admin-1", BasicPath: "/"}
	key   = policy.Principal{Kind: policy.APIKey, ID: "key-1", BasicPath: "/", Permissions: policy.PermFileShare}
)

// decider allows everything but what is refused, and remembers the questions.
type decider struct {
	mu     sync.Mutex
	asked  []policy.Action
	refuse bool
}

func (d *decider) Decide(_ context.Context, _ policy.Principal, do policy.Action, _ policy.Resource) (policy.Decision, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.asked = append(d.asked, do)
	return policy.Decision{Allow: !d.refuse}, nil
}

// disk is a driver like local: its buckets name files and sign nothing.
type disk struct {
	portstest.Driver
	mu      sync.Mutex
	opened  []objstore.Config
	closed  int
	fail    error
	buckets map[string]*portstest.Bucket
}

type unsigned struct {
	*portstest.Bucket
	d *disk
}

func (unsigned) Sign(context.Context, objstore.SignRequest) (objstore.SignedRequest, error) {
	return objstore.SignedRequest{}, objstore.ErrUnsupported
}

func (u unsigned) Close() error {
	u.d.mu.Lock()
	defer u.d.mu.Unlock()
	u.d.closed++
	return nil
}

var diskFeatures = objstore.Features{
	LocalLinks: true, Multipart: true, ServerCopy: true, Range: true, Usage: true, BrowserUpload: true, ConditionalWrite: true,
}

func (d *disk) Info(context.Context) (objstore.Info, error) {
	return objstore.Info{Name: "local", Features: diskFeatures}, nil
}

func (d *disk) Open(_ context.Context, c objstore.Config) (objstore.Bucket, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.opened = append(d.opened, c)
	if d.fail != nil {
		return nil, d.fail
	}
	if d.buckets[c.ID] == nil {
		d.buckets[c.ID] = portstest.NewBucket()
	}
	return unsigned{d.buckets[c.ID], d}, nil
}

func (d *disk) count() (opened, closed int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	return len(d.opened), d.closed
}

// house is the module with fakes around it.
type house struct {
	repo    storage.ConfigRepository
	decider *decider
	disk    *disk
	clock   ports.Clock
	configs *storage.Configs
	opener  *storage.Opener
	ledger  *storage.Ledger
	blobs   *storage.Blobs
	maxSize int64
	events  portstest.Invalidation
	files   int64
	awaited map[string]bool
	mounts  int64
	probe   func(ports.Probe) (ports.ProbeAnswer, error)
}

func (h *house) uses(n *int64) func(context.Context, string) (int64, error) {
	return func(context.Context, string) (int64, error) { return *n, nil }
}

// Probe answers what the test said.
func (h *house) Probe(_ context.Context, p ports.Probe) (ports.ProbeAnswer, error) { return h.probe(p) }

type drivers struct{ *disk }

func (d drivers) Driver(name string) (objstore.Driver, error) {
	if name != "local" {
		return nil, ports.ErrNotFound
	}
	return d.disk, nil
}

func (d drivers) Drivers() []string { return []string{"local"} }

func newHouse(t *testing.T, clock ports.Clock) *house {
	memory := domaintest.NewMemory(clock)
	h := &house{
		repo: memory.StorageConfigs(), decider: &decider{}, clock: clock,
		disk: &disk{buckets: map[string]*portstest.Bucket{}}, maxSize: 1 << 30,
	}
	h.opener = storage.NewOpener(h.repo, drivers{h.disk}, portstest.Sealer{}, portstest.MAC{}, clock)
	h.ledger = storage.NewLedger(memory.Ledger(), h.opener, clock, nil)
	h.configs = storage.NewConfigs(storage.Deps{
		Configs: h.repo, Drivers: drivers{h.disk}, Opener: h.opener, Work: memory, Sealer: portstest.Sealer{}, Invalidation: &h.events,
		Decider: h.decider, Prober: h, Random: &portstest.Random{}, Clock: clock,
		Uses: storage.Uses{Files: h.uses(&h.files), Mounts: h.uses(&h.mounts)},
	})
	h.blobs = storage.NewBlobs(h.opener, func() int64 { return h.maxSize }, func(_ context.Context, id string) (bool, error) { return h.awaited[id], nil }, h.ledger)
	t.Cleanup(func() {
		if err := h.opener.Close(); err != nil {
			t.Error(err)
		}
	})
	return h
}

func (h *house) insert(t *testing.T, c storage.Config) storage.Config {
	t.Helper()
	if c.Driver == "" {
		c.Driver = "local"
	}
	if err := h.repo.Insert(t.Context(), &c); err != nil {
		t.Fatal(err)
	}
	return c
}

func (h *house) bucket(t *testing.T, id string) objstore.Bucket {
	t.Helper()
	b, err := h.opener.Bucket(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// ServeHTTP is the least HTTP handler over Blobs.
func (h *house) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	token, _, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, storage.BlobPath), "/")
	blob, err := h.blobs.Resolve(r.Context(), token, objstore.Verb(r.Method))
	if err == nil && r.Method == http.MethodPut {
		err = put(w, r, blob)
	} else if err == nil {
		err = get(w, r, blob)
	}
	if err != nil {
		w.WriteHeader(map[ports.Code]int{
			ports.Forbidden: 403, ports.NotFound: 404, ports.Invalid: 400, ports.TooLarge: 413, ports.Conflict: 409,
		}[ports.CodeOf(err)])
	}
}

func put(w http.ResponseWriter, r *http.Request, blob *storage.Blob) error {
	number, _ := strconv.Atoi(r.URL.Query().Get("partNumber"))
	etag, err := blob.Write(r.Context(), storage.Upload{Body: r.Body, Size: r.ContentLength, PartNumber: number})
	if err == nil {
		w.Header().Set("ETag", strconv.Quote(etag))
	}
	return err
}

func get(w http.ResponseWriter, r *http.Request, blob *storage.Blob) error {
	o, err := blob.Stat(r.Context())
	if err != nil {
		return err
	}
	body, err := blob.Read(r.Context(), objstore.Range{})
	if err != nil {
		return err
	}
	defer body.Close()
	content, err := io.ReadAll(body)
	if err != nil {
		return err
	}
	w.Header().Set("Content-Type", blob.ContentType())
	w.Header().Set("Content-Disposition", blob.Disposition())
	http.ServeContent(w, r, "", o.ModTime, strings.NewReader(string(content)))
	return nil
}

func TestLastUsesOfStoragesAreWrittenWhenAsked(t *testing.T) {
	clock := portstest.NewClock()
	h := newHouse(t, clock)
	h.insert(t, storage.Config{ID: "c1", Name: "used"})
	h.insert(t, storage.Config{ID: "c2", Name: "idle"})
	h.bucket(t, "c1")
	h.bucket(t, "c1")
	for range 2 {
		if err := h.opener.FlushUsage(t.Context()); err != nil {
			t.Fatal(err)
		}
		clock.Add(time.Minute)
	}
	used, err := h.repo.Get(t.Context(), "c1")
	if err != nil || used.LastUsed == nil || !used.LastUsed.Equal(clock.Now().Add(-2*time.Minute)) {
		t.Errorf("the last use is %v, %v", used.LastUsed, err)
	}
	if idle, err := h.repo.Get(t.Context(), "c2"); err != nil || idle.LastUsed != nil {
		t.Errorf("an idle storage was last used %v, %v", idle.LastUsed, err)
	}
}

func TestLinkedBucketsKeepTheContract(t *testing.T) {
	var base string
	objstoretest.Run(t, func(t *testing.T) objstore.Bucket {
		h := newHouse(t, ports.SystemClock)
		h.insert(t, storage.Config{ID: "c1"})
		server := httptest.NewServer(h)
		t.Cleanup(server.Close)
		base = server.URL
		return h.bucket(t, "c1")
	}, objstoretest.Want{
		Features: diskFeatures, Signs: true, Types: true, URL: func(signed string) string { return base + signed },
	})
}

func sign(t *testing.T, h *house, r objstore.SignRequest) (token string) {
	t.Helper()
	if r.TTL == 0 {
		r.TTL = time.Hour
	}
	signed, err := h.bucket(t, "c1").Sign(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	u, err := url.Parse(signed.URL)
	if err != nil {
		t.Fatal(err)
	}
	token, name, _ := strings.Cut(strings.TrimPrefix(u.Path, storage.BlobPath), "/")
	if want := r.Key[strings.LastIndexByte(r.Key, '/')+1:]; name != want {
		t.Errorf("the link ends in %q, want %q", name, want)
	}
	return token
}

func TestEveryChangedByteOfATokenIsRefused(t *testing.T) {
	h := newHouse(t, portstest.NewClock())
	h.insert(t, storage.Config{ID: "c1"})
	h.disk.Open(t.Context(), objstore.Config{ID: "c1"})
	h.disk.buckets["c1"].Put("k", "x")
	token := sign(t, h, objstore.SignRequest{Verb: objstore.VerbGet, Key: "k"})
	if _, err := h.blobs.Resolve(t.Context(), token, objstore.VerbGet); err != nil {
		t.Fatal(err)
	}
	for i := range token {
		for _, c := range []byte{'A', 'z', '-', '.'} {
			if token[i] == c {
				continue
			}
			forged := token[:i] + string(c) + token[i+1:]
			if _, err := h.blobs.Resolve(t.Context(), forged, objstore.VerbGet); !ports.Is(err, ports.Forbidden) {
				t.Fatalf("byte %d changed to %q: %v", i, c, err)
			}
		}
	}
	front, _, _ := strings.Cut(token, ".")
	for _, forged := range []string{"", ".", front, front + ".", "." + token, token + "x", token[:len(token)-1], "\xff\xfe", strings.Repeat("A", 9000)} {
		if _, err := h.blobs.Resolve(t.Context(), forged, objstore.VerbGet); !ports.Is(err, ports.Forbidden) {
			t.Errorf("Resolve(%.40q) = %v", forged, err)
		}
	}
}

func TestALinkServesItsVerbOnly(t *testing.T) {
	h := newHouse(t, portstest.NewClock())
	h.insert(t, storage.Config{ID: "c1"})
	tokens := map[objstore.Verb]string{}
	for _, v := range []objstore.Verb{objstore.VerbGet, objstore.VerbHead, objstore.VerbPut, objstore.VerbPart} {
		tokens[v] = sign(t, h, objstore.SignRequest{Verb: v, Key: "a/k", UploadID: "u", PartNumber: 1})
	}
	allowed := map[string]bool{"GET GET": true, "GET HEAD": true, "HEAD HEAD": true, "PUT PUT": true, "PART PUT": true}
	for signed, token := range tokens {
		for _, asked := range []objstore.Verb{objstore.VerbGet, objstore.VerbHead, objstore.VerbPut, objstore.VerbPart, "DELETE", "POST", ""} {
			_, err := h.blobs.Resolve(t.Context(), token, asked)
			if want := allowed[string(signed)+" "+string(asked)]; want != (err == nil) {
				t.Errorf("a link for %s, asked for %q: %v", signed, asked, err)
			}
		}
	}
}

func TestALinkEndsAtItsExpiry(t *testing.T) {
	clock := portstest.NewClock()
	h := newHouse(t, clock)
	h.insert(t, storage.Config{ID: "c1"})
	token := sign(t, h, objstore.SignRequest{Verb: objstore.VerbPut, Key: "k", TTL: time.Hour})
	clock.Add(time.Hour - time.Millisecond)
	if _, err := h.blobs.Resolve(t.Context(), token, objstore.VerbPut); err != nil {
		t.Errorf("a moment before: %v", err)
	}
	clock.Add(time.Millisecond)
	if _, err := h.blobs.Resolve(t.Context(), token, objstore.VerbPut); !ports.Is(err, ports.Forbidden) {
		t.Errorf("at its expiry: %v", err)
	}
	for _, ttl := range []time.Duration{0, -time.Second, 8 * 24 * time.Hour} {
		if _, err := h.bucket(t, "c1").Sign(t.Context(), objstore.SignRequest{Verb: objstore.VerbGet, Key: "k", TTL: ttl}); !ports.Is(err, ports.Invalid) {
			t.Errorf("a life of %v: %v", ttl, err)
		}
	}
}

func TestAnUploadLinkEndsWithItsUpload(t *testing.T) {
	h := newHouse(t, portstest.NewClock())
	h.insert(t, storage.Config{ID: "c1"})
	h.awaited = map[string]bool{"u1": true}
	token := sign(t, h, objstore.SignRequest{Verb: objstore.VerbPut, Key: "k", Awaited: "u1"})
	blob, err := h.blobs.Resolve(t.Context(), token, objstore.VerbPut)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := blob.Write(t.Context(), storage.Upload{Body: strings.NewReader("first"), Size: 5}); err != nil {
		t.Errorf("while it is awaited: %v", err)
	}
	// It ends while the body is on its way.
	body := &ending{Reader: strings.NewReader("second"), end: func() { delete(h.awaited, "u1") }}
	if _, err := blob.Write(t.Context(), storage.Upload{Body: body, Size: 6}); !ports.Is(err, ports.Forbidden) {
		t.Errorf("while the body came: %v", err)
	}
	if o, err := h.disk.buckets["c1"].Stat(t.Context(), "k"); err != nil || o.Size != 5 {
		t.Errorf("the object is now %+v, %v", o, err)
	}
	if _, err := h.blobs.Resolve(t.Context(), token, objstore.VerbPut); !ports.Is(err, ports.Forbidden) {
		t.Errorf("afterwards: %v", err)
	}
}

// shareBook knows shares and their objects.
type shareBook struct {
	versions map[string]int64
	held     map[string]bool // by key
}

func (b *shareBook) Current(_ context.Context, id string, version int64, _, _ string) (bool, error) {
	return b.versions[id] == version, nil
}

func (b *shareBook) Holds(_ context.Context, _, key string) (bool, error) { return b.held[key], nil }

func TestALinkToAShareEndsWithItsVersion(t *testing.T) {
	h := newHouse(t, portstest.NewClock())
	h.insert(t, storage.Config{ID: "c1"})
	token := sign(t, h, objstore.SignRequest{Verb: objstore.VerbGet, Key: "k", Share: "s1", ShareVersion: 3})
	if _, err := h.blobs.Resolve(t.Context(), token, objstore.VerbGet); !ports.Is(err, ports.Forbidden) {
		t.Errorf("where nobody knows of shares: %v", err)
	}
	book := &shareBook{versions: map[string]int64{"s1": 3, "s2": 3}}
	h.blobs.WithShares(book)
	for _, verb := range []objstore.Verb{objstore.VerbGet, objstore.VerbHead} {
		book.versions["s1"] = 3
		if _, err := h.blobs.Resolve(t.Context(), token, verb); err != nil {
			t.Errorf("%s in its version: %v", verb, err)
		}
		book.versions["s1"] = 4
		if _, err := h.blobs.Resolve(t.Context(), token, verb); !ports.Is(err, ports.Forbidden) {
			t.Errorf("%s after a change: %v", verb, err)
		}
		delete(book.versions, "s1")
		if _, err := h.blobs.Resolve(t.Context(), token, verb); !ports.Is(err, ports.Forbidden) {
			t.Errorf("%s after its end: %v", verb, err)
		}
	}
	plain := sign(t, h, objstore.SignRequest{Verb: objstore.VerbGet, Key: "k"})
	if _, err := h.blobs.Resolve(t.Context(), plain, objstore.VerbGet); err != nil {
		t.Errorf("a link to no share: %v", err)
	}
}

func TestAnUploadLinkLeavesTheObjectsOfSharesAlone(t *testing.T) {
	h := newHouse(t, portstest.NewClock())
	h.insert(t, storage.Config{ID: "c1"})
	h.awaited = map[string]bool{"u1": true}
	book := &shareBook{held: map[string]bool{}}
	h.blobs.WithShares(book)
	token := sign(t, h, objstore.SignRequest{Verb: objstore.VerbPut, Key: "k"})
	blob, err := h.blobs.Resolve(t.Context(), token, objstore.VerbPut)
	if err != nil {
		t.Fatal(err)
	}
	body := &ending{Reader: strings.NewReader("second"), end: func() { book.held["k"] = true }}
	if _, err := blob.Write(t.Context(), storage.Upload{Body: body, Size: 6}); !ports.Is(err, ports.Forbidden) {
		t.Errorf("a share came while the body came: %v", err)
	}
	if _, err := h.blobs.Resolve(t.Context(), token, objstore.VerbPut); !ports.Is(err, ports.Forbidden) {
		t.Errorf("the object of a share: %v", err)
	}
	own := sign(t, h, objstore.SignRequest{Verb: objstore.VerbPut, Key: "k", Awaited: "u1"})
	if _, err := h.blobs.Resolve(t.Context(), own, objstore.VerbPut); err != nil {
		t.Errorf("the share's own upload: %v", err)
	}
}

// ending calls end before its first byte.
type ending struct {
	io.Reader
	end func()
}

func (e *ending) Read(p []byte) (int, error) {
	e.end()
	return e.Reader.Read(p)
}

func TestUploadsByLinkKeepTheirLength(t *testing.T) {
	for _, c := range []struct {
		name         string
		signed, max  int64
		most         int64 // that the link allows
		size         int64
		body         string
		code         ports.Code
		stored, part bool
	}{
		{name: "as signed", signed: 3, max: 2, size: 3, body: "abc", stored: true},
		{name: "announced longer", signed: 3, max: 100, size: 4, body: "abcd", code: ports.Forbidden},
		{name: "announced shorter", signed: 3, max: 100, size: 2, body: "ab", code: ports.Forbidden},
		{name: "not announced and longer", signed: 3, max: 100, size: -1, body: "abcd", code: ports.Invalid},
		{name: "not announced and right", signed: 3, max: 100, size: -1, body: "abc", stored: true},
		{name: "not bound, at the limit", max: 3, size: 3, body: "abc", stored: true},
		{name: "not bound, over the limit", max: 3, size: 4, body: "abcd", code: ports.TooLarge},
		{name: "nothing known, at the limit", max: 3, size: -1, body: "abc", stored: true},
		{name: "nothing known, over the limit", max: 3, size: -1, body: "abcd", code: ports.TooLarge},
		{name: "a limit of zero is none", max: 0, size: -1, body: "abcd", stored: true},
		{name: "the most that the link allows", most: 4, max: 100, size: 4, body: "abcd", stored: true},
		{name: "more than the link allows", most: 3, max: 100, size: 4, body: "abcd", code: ports.TooLarge},
		{name: "more than the link allows, not announced", most: 3, size: -1, body: "abcd", code: ports.TooLarge},
		{name: "the limit is less than the link allows", most: 100, max: 3, size: 4, body: "abcd", code: ports.TooLarge},
		{name: "cut short", max: 100, size: 5, body: "abc", code: ports.Invalid},
	} {
		t.Run(c.name, func(t *testing.T) {
			h := newHouse(t, portstest.NewClock())
			h.insert(t, storage.Config{ID: "c1"})
			h.maxSize = c.max
			token := sign(t, h, objstore.SignRequest{Verb: objstore.VerbPut, Key: "k", Size: c.signed, MaxSize: c.most})
			blob, err := h.blobs.Resolve(t.Context(), token, objstore.VerbPut)
			if err != nil {
				t.Fatal(err)
			}
			etag, err := blob.Write(t.Context(), storage.Upload{Body: strings.NewReader(c.body), Size: c.size})
			if c.stored != (err == nil) || !c.stored && !ports.Is(err, c.code) || c.stored && etag == "" {
				t.Errorf("Write = %q, %v", etag, err)
			}
			if got := string(h.disk.buckets["c1"].Bytes("k")); c.stored != (got == c.body) {
				t.Errorf("stored: %q", got)
			}
		})
	}
}

func TestAPartLinkTakesItsOwnPartOnly(t *testing.T) {
	h := newHouse(t, portstest.NewClock())
	h.insert(t, storage.Config{ID: "c1"})
	id, err := h.bucket(t, "c1").Multipart().Create(t.Context(), "k", objstore.WriteOptions{Size: -1})
	if err != nil {
		t.Fatal(err)
	}
	token := sign(t, h, objstore.SignRequest{Verb: objstore.VerbPart, Key: "k", UploadID: id, PartNumber: 1})
	for number, code := range map[int]ports.Code{0: ports.Invalid, -1: ports.Invalid, 10001: ports.Invalid, 2: ports.Forbidden, 20: ports.Forbidden, 10000: ports.Forbidden} {
		blob, err := h.blobs.Resolve(t.Context(), token, objstore.VerbPut)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := blob.Write(t.Context(), storage.Upload{Body: strings.NewReader("x"), Size: 1, PartNumber: number}); !ports.Is(err, code) {
			t.Errorf("part %d: %v", number, err)
		}
	}
	for range 2 { // a part may be sent again
		blob, err := h.blobs.Resolve(t.Context(), token, objstore.VerbPut)
		if err != nil {
			t.Fatal(err)
		}
		if etag, err := blob.Write(t.Context(), storage.Upload{Body: strings.NewReader("x"), Size: 1, PartNumber: 1}); err != nil || etag == "" {
			t.Error(err)
		}
	}
	bound := sign(t, h, objstore.SignRequest{Verb: objstore.VerbPart, Key: "k", UploadID: id, PartNumber: 2, MaxSize: 5})
	for size, code := range map[int]ports.Code{6: ports.TooLarge, -6: ports.TooLarge} { // announced, and not
		blob, err := h.blobs.Resolve(t.Context(), bound, objstore.VerbPut)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := blob.Write(t.Context(), storage.Upload{Body: strings.NewReader("123456"), Size: max(int64(size), -1), PartNumber: 2}); !ports.Is(err, code) {
			t.Errorf("%d bytes: %v", size, err)
		}
	}
	if _, err := h.bucket(t, "c1").Sign(t.Context(), objstore.SignRequest{Verb: objstore.VerbPart, Key: "k", TTL: time.Hour, PartNumber: 1}); !ports.Is(err, ports.Invalid) {
		t.Errorf("a part without an upload: %v", err)
	}
}

func TestALinkOfADeletedConfigIsForbidden(t *testing.T) {
	h := newHouse(t, portstest.NewClock())
	h.insert(t, storage.Config{ID: "c1"})
	token := sign(t, h, objstore.SignRequest{Verb: objstore.VerbGet, Key: "k"})
	if _, err := h.repo.Delete(t.Context(), "c1"); err != nil {
		t.Fatal(err)
	}
	h.opener.Forget("c1")
	if _, err := h.blobs.Resolve(t.Context(), token, objstore.VerbGet); !ports.Is(err, ports.Forbidden) {
		t.Errorf("Resolve = %v", err)
	}
}

func TestABucketIsOpenedOnceAndAgainAfterAChange(t *testing.T) {
	h := newHouse(t, portstest.NewClock())
	h.insert(t, storage.Config{ID: "c1"})
	var wait sync.WaitGroup
	for range 16 {
		wait.Go(func() {
			if _, err := h.opener.Bucket(t.Context(), "c1"); err != nil {
				t.Error(err)
			}
		})
	}
	wait.Wait()
	if opened, _ := h.disk.count(); opened != 1 {
		t.Errorf("opened %d times", opened)
	}
	events := &portstest.Invalidation{}
	h.opener.Watch(t.Context(), events)
	events.Arrive(storage.InvalidationKind, "other")
	h.bucket(t, "c1")
	if opened, _ := h.disk.count(); opened != 1 {
		t.Errorf("another config's change opened it again")
	}
	events.Arrive(storage.InvalidationKind, "c1")
	h.bucket(t, "c1")
	if opened, closed := h.disk.count(); opened != 2 || closed != 0 {
		t.Errorf("after a change: opened %d, closed %d; calls under way need the old one", opened, closed)
	}
	if err := h.opener.Close(); err != nil {
		t.Fatal(err)
	}
	if _, closed := h.disk.count(); closed != 2 {
		t.Errorf("closed %d buckets, want 2", closed)
	}
	if _, err := h.opener.Bucket(t.Context(), "c1"); !ports.Is(err, ports.Unavailable) {
		t.Errorf("after Close: %v", err)
	}
}

func TestAFailedOpeningIsTriedAgain(t *testing.T) {
	h := newHouse(t, portstest.NewClock())
	h.insert(t, storage.Config{ID: "c1"})
	h.insert(t, storage.Config{ID: "strange", Driver: "nosuch"})
	h.disk.fail = ports.ErrUnavailable
	if _, err := h.opener.Bucket(t.Context(), "c1"); !ports.Is(err, ports.Unavailable) {
		t.Errorf("Bucket = %v", err)
	}
	h.disk.fail = nil
	h.bucket(t, "c1")
	if _, err := h.opener.Bucket(t.Context(), "missing"); !ports.Is(err, ports.NotFound) {
		t.Errorf("an unknown config: %v", err)
	}
	if _, err := h.opener.Bucket(t.Context(), "strange"); !ports.Is(err, ports.Unavailable) {
		t.Errorf("an unknown driver: %v", err)
	}
}

// TestSecurityE4_SecretsReachOnlyTheirOwnDriver checks what a driver is given.
func TestSecurityE4_SecretsReachOnlyTheirOwnDriver(t *testing.T) {
	h := newHouse(t, portstest.NewClock())
	sealed, err := storage.SealCredentials(portstest.Sealer{}, "c1", map[string]string{"secret_access_key": "s3cret"})
	if err != nil {
		t.Fatal(err)
	}
	h.insert(t, storage.Config{
		ID: "c1", Sealed: sealed, Options: `{"directory":"/srv"}`, EndpointURL: "https://e", BucketName: "b", Region: "auto", PathStyle: true, IsPublic: true,
	})
	h.insert(t, storage.Config{ID: "c2", Sealed: sealed})
	h.bucket(t, "c1")
	want := map[string]string{
		"secret_access_key": "s3cret", "directory": "/srv", "endpoint_url": "https://e", "bucket_name": "b", "region": "auto", "path_style": "1",
	}
	if diff := cmp.Diff(want, h.disk.opened[0].Options); diff != "" {
		t.Errorf("options (-want +got):\n%s", diff)
	}
	if _, err := h.opener.Bucket(t.Context(), "c2"); err == nil {
		t.Error("the credentials of one config open another")
	}
	for _, who := range []policy.Principal{admin, key} {
		list, err := h.configs.List(t.Context(), who)
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range list {
			if c.Sealed != nil {
				t.Errorf("%s is shown sealed credentials", who.Kind)
			}
		}
	}
	if c, err := h.configs.Lookup(t.Context(), "c1"); err != nil || c.Sealed != nil {
		t.Errorf("Lookup = %+v, %v", c, err)
	}
}

func TestContract8_KeysSeePublicConfigsNarrowly(t *testing.T) {
	h := newHouse(t, portstest.NewClock())
	h.insert(t, storage.Config{ID: "c1", Name: "public", IsPublic: true, EndpointURL: "https://e", BucketName: "b", DefaultFolder: "up", TotalStorageBytes: 5, ProviderType: "Other"})
	h.insert(t, storage.Config{ID: "c2", Name: "private", EndpointURL: "https://e"})
	all, err := h.configs.List(t.Context(), admin)
	if err != nil || len(all) != 2 || all[0].Name != "private" || all[0].EndpointURL == "" {
		t.Errorf("the admin's list: %+v, %v", all, err)
	}
	own, err := h.configs.List(t.Context(), key)
	want := []storage.Config{{ID: "c1", Name: "public", IsPublic: true, DefaultFolder: "up", TotalStorageBytes: 5, ProviderType: "Other"}}
	if diff := cmp.Diff(want, own); err != nil || diff != "" {
		t.Errorf("a key's list (-want +got):\n%s, %v", diff, err)
	}
	if _, err := h.configs.Get(t.Context(), key, "c2"); !ports.Is(err, ports.NotFound) {
		t.Errorf("a private config by id: %v", err)
	}
	if c, err := h.configs.Get(t.Context(), key, "c1"); err != nil || c.EndpointURL != "" {
		t.Errorf("a public config by id: %+v, %v", c, err)
	}
	if c, err := h.configs.Get(t.Context(), admin, "c2"); err != nil || c.EndpointURL == "" {
		t.Errorf("the admin's config by id: %+v, %v", c, err)
	}
	for _, asked := range h.decider.asked {
		if asked != policy.StorageList {
			t.Errorf("asked %s", asked)
		}
	}
	h.decider.refuse = true
	if _, err := h.configs.List(t.Context(), key); !ports.Is(err, ports.Forbidden) {
		t.Errorf("a refused list: %v", err)
	}
	if _, err := h.configs.Get(t.Context(), key, "c1"); !ports.Is(err, ports.Forbidden) {
		t.Errorf("a refused get: %v", err)
	}
}

func TestTheConfigOfAnUpload(t *testing.T) {
	h := newHouse(t, portstest.NewClock())
	if _, err := h.configs.ForUpload(t.Context(), admin, ""); !ports.Is(err, ports.NotFound) {
		t.Errorf("without any config: %v", err)
	}
	h.insert(t, storage.Config{ID: "a", Name: "a", IsPublic: true})
	h.insert(t, storage.Config{ID: "b", Name: "b", IsPublic: true})
	h.insert(t, storage.Config{ID: "z", Name: "z", IsDefault: true})
	for _, c := range []struct {
		name string
		who  policy.Principal
		id   string
		want string
		code ports.Code
	}{
		{name: "the admin's default", who: admin, want: "z"},
		{name: "a key's default is public", who: key, want: "a"},
		{name: "a named public one", who: key, id: "b", want: "b"},
		{name: "a private one by the admin", who: admin, id: "z", want: "z"},
		{name: "a private one by a key", who: key, id: "z", code: ports.Forbidden},
		{name: "an unknown one", who: key, id: "q", code: ports.NotFound},
	} {
		got, err := h.configs.ForUpload(t.Context(), c.who, c.id)
		if c.want == "" && !ports.Is(err, c.code) || c.want != "" && (err != nil || got.ID != c.want) {
			t.Errorf("%s: %+v, %v", c.name, got, err)
		}
	}
}

func TestTheFirstStartMakesOneLocalConfig(t *testing.T) {
	h := newHouse(t, portstest.NewClock())
	made, err := h.configs.EnsureLocal(t.Context(), "admin-1", "files")
	if err != nil || made == nil {
		t.Fatal(made, err)
	}
	if !made.IsDefault || !made.IsPublic || made.Driver != "local" || made.StorageType != "LOCAL" || made.Name != "Local disk" || made.SignatureExpiresIn != 3600 {
		t.Errorf("made %+v", made)
	}
	if again, err := h.configs.EnsureLocal(t.Context(), "admin-1", "files"); err != nil || again != nil {
		t.Errorf("the second start made %+v, %v", again, err)
	}
	h.bucket(t, made.ID)
	if got := h.disk.opened[0].Options["directory"]; got != "files" {
		t.Errorf("directory %q", got)
	}
	if c, err := h.configs.Default(t.Context(), true); err != nil || c.ID != made.ID {
		t.Errorf("Default = %+v, %v", c, err)
	}
}

func TestWaitingForAnOpeningEndsWithItsCaller(t *testing.T) {
	h := newHouse(t, portstest.NewClock())
	h.insert(t, storage.Config{ID: "c1"})
	h.disk.mu.Lock() // the opening hangs
	first := make(chan error, 1)
	go func() {
		_, err := h.opener.Bucket(t.Context(), "c1")
		first <- err
	}()
	ctx, cancel := context.WithCancel(t.Context())
	second := make(chan error, 1)
	go func() {
		_, err := h.opener.Bucket(ctx, "c1")
		second <- err
	}()
	cancel()
	// Whichever came first opens; the cancelled one may only wait.
	select {
	case err := <-second:
		if err != nil && !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
		h.disk.mu.Unlock()
	case <-time.After(100 * time.Millisecond):
		h.disk.mu.Unlock()
		<-second
	}
	if err := <-first; err != nil {
		t.Error(err)
	}
}
