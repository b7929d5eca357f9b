package mountstest

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"pasteport/domain/domaintest"
	"pasteport/domain/mounts"
	"pasteport/domain/mounts/dav"
	"pasteport/domain/mounts/index"
	"pasteport/domain/mounts/transfer"
	"pasteport/ports"
	"pasteport/ports/jobs"
	"pasteport/ports/objstore"
	"pasteport/ports/policy"
	"pasteport/ports/portstest"
)

// WriteFixture is a tree of three mounts to change things in: /m and /twin show the
// storage "near", /far the storage "far".
type WriteFixture struct {
	*mounts.Tree
	*dav.Resources
	*transfer.Transfers
	T        *testing.T
	Clock    *portstest.Clock
	Memory   *domaintest.Memory
	Rules    *rules
	Sharer   *sharer
	Tasks    *starter
	Values   *values
	Random   *portstest.Random
	Near     *portstest.Bucket
	Far      *portstest.Bucket
	Deps     mounts.Deps
	LockRepo dav.LockRepository
	Journal  transfer.Journal
}

// The callers of the tests.
var (
	Admin      = mounts.Caller{Who: policy.Principal{Kind: policy.Admin, ID: "admin", BasicPath: "/"}}
	TeamA      = mounts.Caller{Who: policy.Principal{Kind: policy.APIKey, ID: "a", BasicPath: "/m/a"}}
	AdminByDAV = mounts.Caller{Who: Admin.Who, Door: mounts.WebDAV}
)

// rules allows a key what lies in its basic path and remembers every question.
type rules struct {
	mu    sync.Mutex
	Asked []policy.Action
	Paths [][]string
}

// Decide implements policy.Decider.
func (r *rules) Decide(_ context.Context, who policy.Principal, do policy.Action, on policy.Resource) (policy.Decision, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.Asked, r.Paths = append(r.Asked, do), append(r.Paths, on.Paths)
	for _, p := range on.Paths {
		if !mounts.Within(who.BasicPath, p) {
			return policy.Decision{Reasons: []policy.Reason{{Code: "outside_basic_path"}}}, nil
		}
	}
	if who.Kind == policy.Admin {
		return policy.Decision{Allow: true, Scope: policy.All}, nil
	}
	return policy.Decision{Allow: true, Scope: policy.Own}, nil
}

// values are settings with nothing chosen but the naming of files.
type values struct{ Suffix bool }

func (v *values) MaxUploadSize() int64            { return 0 }
func (v *values) DefaultUseProxy() bool           { return true }
func (v *values) RandomSuffix() bool              { return v.Suffix }
func (v *values) ShareLimits() ports.ShareLimits  { return ports.ShareLimits{} }
func (v *values) Revisions() ports.Revisions      { return ports.Revisions{} }
func (v *values) PreviewTypes(string) []string    { return nil }
func (v *values) ExpiredGrace() time.Duration     { return 0 }
func (v *values) ProxySignAll() bool              { return true }
func (v *values) ProxySignExpires() time.Duration { return 0 }
func (v *values) ProxySignEpoch() int64           { return 0 }

// sharer remembers what was shared and what has moved.
type sharer struct {
	Shared   []mounts.NewShare
	Followed []mounts.Moved
	held     map[string]bool // "storage key" of the objects of shares
	Fail     error
}

func (s *sharer) Holds(_ context.Context, storageID, key string) (bool, error) {
	return s.held[storageID+" "+key], nil
}

func (s *sharer) Share(_ context.Context, _ policy.Principal, _ policy.Obligations, n mounts.NewShare) (mounts.Shared, error) {
	s.Shared = append(s.Shared, n)
	return mounts.Shared{ID: "id", Slug: "slug", Name: n.Name, Size: n.Size}, nil
}

func (s *sharer) SharedIn(_ context.Context, createdBy string, folder *mounts.Place) (mounts.Marks, error) {
	return mounts.Marks{Files: []mounts.Mark{{Name: createdBy + " " + folder.Storage.ID + " " + folder.Prefix()}}}, nil
}

func (s *sharer) Moved(_ context.Context, m mounts.Moved) (func(context.Context) error, error) {
	return func(context.Context) error {
		if s.Fail != nil {
			return s.Fail
		}
		s.Followed = append(s.Followed, m)
		return nil
	}, nil
}

// starter remembers the tasks that were started.
type starter struct{ Started []jobs.Start }

func (s *starter) Start(_ context.Context, j jobs.Start) (string, error) {
	s.Started = append(s.Started, j)
	return "task-1", nil
}

// Stores gives the two storages.
type Stores struct {
	portstest.Opener
	About map[string]objstore.Storage
}

// Storage implements mounts.Storages.
func (s Stores) Storage(_ context.Context, id string) (objstore.Storage, error) {
	if a, ok := s.About[id]; ok {
		return a, nil
	}
	return objstore.Storage{}, ports.ErrNotFound
}

// NewWriteFixture returns a fixture with empty storages.
func NewWriteFixture(t *testing.T) *WriteFixture {
	y := &WriteFixture{T: t, Clock: portstest.NewClock(), Rules: &rules{}, Sharer: &sharer{}, Tasks: &starter{}, Values: &values{}, Random: &portstest.Random{},
		Near: portstest.NewBucket(), Far: portstest.NewBucket()}
	y.Near.Clock, y.Far.Clock = y.Clock, y.Clock
	y.Near.BaseURL, y.Far.BaseURL = "https://near.example", "https://far.example"
	y.Memory = domaintest.NewMemory(y.Clock)
	y.LockRepo, y.Journal = y.Memory.Locks(), y.Memory.Journal()
	y.Deps = mounts.Deps{
		Mounts: y.Memory.Mounts(), Uploads: y.Memory.UploadSessions(portstest.Opener{"near": y.Near, "far": y.Far}, nil, y.Clock),
		Tasks: y.Tasks, Sharer: y.Sharer, Decider: y.Rules, Work: y.Memory, Invalidation: &portstest.Invalidation{}, Settings: y.Values,
		MAC: portstest.MAC{}, Random: y.Random, Clock: y.Clock,
		Storages: Stores{portstest.Opener{"near": y.Near, "far": y.Far}, map[string]objstore.Storage{
			"near": {ID: "near", Type: "S3", Public: true, Prefix: "root/"}, "far": {ID: "far", Type: "S3", Public: true}}},
		Report: func(doing string, err error) { t.Errorf("%s: %v", doing, err) },
	}
	for _, m := range []mounts.Mount{{ID: "m", Name: "m", Path: "/m", StorageConfigID: "near"}, {ID: "twin", Name: "twin", Path: "/twin", StorageConfigID: "near"},
		{ID: "far", Name: "far", Path: "/far", StorageConfigID: "far"}, {ID: "deep", Name: "deep", Path: "/v/deep", StorageConfigID: "far"}} {
		m.Active = true
		if err := y.Deps.Mounts.Insert(t.Context(), &m); err != nil {
			t.Fatal(err)
		}
	}
	y.Build(y.Deps)
	return y
}

// Show adds a storage config of the near bucket and a mount of it.
func (y *WriteFixture) Show(name, prefix, home string) {
	y.T.Helper()
	s := y.Deps.Storages.(Stores)
	s.Opener[name] = y.Near
	s.About[name] = objstore.Storage{ID: name, Type: "S3", Public: true, Prefix: prefix, Home: home}
	if err := y.Deps.Mounts.Insert(y.T.Context(), &mounts.Mount{ID: name, Name: name, Path: "/" + name, StorageConfigID: name, Active: true}); err != nil {
		y.T.Fatal(err)
	}
	y.Build(y.Deps)
}

// Build makes the tree and its wings anew.
func (y *WriteFixture) Build(deps mounts.Deps) {
	y.Tree = mounts.NewTree(deps)
	y.Resources = dav.New(y.Tree, y.LockRepo, y.Memory.Properties())
	y.Transfers = transfer.New(y.Tree, y.Journal)
	y.Join(index.New(y.Tree, nil), y.Resources)
}

// Put stores files: "a/b.txt" holds "a/b.txt" unless "=text" follows; a name
// that ends in "/" is a folder.
func (y *WriteFixture) Put(b *portstest.Bucket, names ...string) {
	for _, name := range names {
		name, content, given := strings.Cut(name, "=")
		if !given && !strings.HasSuffix(name, "/") {
			content = name
		}
		b.Put(y.front(b)+name, content)
	}
}

func (y *WriteFixture) front(b *portstest.Bucket) string {
	if b == y.Near {
		return "root/"
	}
	return ""
}

// Files are the contents of a bucket by name, without folder markers.
func (y *WriteFixture) Files(b *portstest.Bucket) map[string]string {
	files := map[string]string{}
	for _, key := range b.Keys() {
		if !strings.HasSuffix(key, "/") {
			files[strings.TrimPrefix(key, y.front(b))] = string(b.Bytes(key))
		}
	}
	return files
}

// Names are the names in a bucket, folder markers included.
func (y *WriteFixture) Names(b *portstest.Bucket) []string {
	names := b.Keys()
	for i := range names {
		names[i] = strings.TrimPrefix(names[i], y.front(b))
	}
	return names
}

func (y *WriteFixture) WantFiles(b *portstest.Bucket, want ...string) {
	y.T.Helper()
	if got := slices.Sorted(maps.Keys(y.Files(b))); !slices.Equal(got, want) {
		y.T.Errorf("got the files %q, want %q", got, want)
	}
}

// WantError checks an error with errors.Is.
func WantError(t *testing.T, got, want error) {
	t.Helper()
	if !errors.Is(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

// WantCode checks the code of an error.
func WantCode(t *testing.T, got error, want ports.Code) {
	t.Helper()
	if !ports.Is(got, want) {
		t.Errorf("got %v, want code %d", got, want)
	}
}

// Run is one run of a task, and with reuse the next.
type Run struct {
	mu         sync.Mutex
	payload    []byte
	state      []byte
	failedOnce []jobs.Item
	Items      map[string]jobs.Item
	Failures   map[string]error
	StopAfter  int // items; 0 means never
	stop       context.CancelCauseFunc
	Cause      error
}

// NewRun is the first run of a task that was started.
func NewRun(t *testing.T, start jobs.Start) *Run {
	t.Helper()
	payload, err := json.Marshal(start.Payload)
	if err != nil {
		t.Fatal(err)
	}
	return &Run{payload: payload, Items: map[string]jobs.Item{}, Failures: map[string]error{}}
}

func (r *Run) TaskID() string             { return "task-1" }
func (r *Run) Owner() policy.Principal    { return Admin.Who }
func (r *Run) Payload(into any) error     { return json.Unmarshal(r.payload, into) }
func (r *Run) Expect(items, bytes int64)  {}
func (r *Run) Moved(int64)                {}
func (r *Run) Sync(context.Context) error { return nil }
func (r *Run) Failed() []jobs.Item        { return r.failedOnce }
func (r *Run) State(into any) (bool, error) {
	if r.state == nil {
		return false, nil
	}
	return true, json.Unmarshal(r.state, into)
}

func (r *Run) Checkpoint(state any) (err error) {
	r.state, err = json.Marshal(state)
	return err
}

func (r *Run) Item(item jobs.Item, failure error) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.Failures, item.Path)
	if failure != nil {
		item.Status = jobs.Failed
		r.Failures[item.Path] = failure
	}
	r.Items[item.Path] = item
	if r.StopAfter > 0 && len(r.Items) >= r.StopAfter {
		r.stop(r.Cause)
	}
	return nil
}

// Retry is what a retried task finds.
func (r *Run) Retry() *Run {
	next := &Run{payload: r.payload, state: r.state, Items: map[string]jobs.Item{}, Failures: map[string]error{}}
	for path := range r.Failures {
		next.failedOnce = append(next.failedOnce, r.Items[path])
	}
	slices.SortFunc(next.failedOnce, func(a, b jobs.Item) int { return strings.Compare(a.Path, b.Path) })
	return next
}

// Work runs a worker until it ends or its run stops it.
func (y *WriteFixture) Work(kind string, r *Run) error {
	ctx, cancel := context.WithCancelCause(y.T.Context())
	defer cancel(nil)
	r.stop = cancel
	return y.Works()[kind].Run(ctx, r)
}

// Fail makes the calls of a bucket fail that fits names.
func Fail(b *portstest.Bucket, fits func(method, key string) bool) {
	b.Fail = func(method, key string) error {
		if fits(method, key) {
			return ports.ErrUnavailable
		}
		return nil
	}
}

var _ objstore.Opener = Stores{}
