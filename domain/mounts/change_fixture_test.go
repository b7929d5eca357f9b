package mounts_test

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

// yard is a tree of three mounts to change things in: /m and /twin show the
// storage "near", /far the storage "far".
type yard struct {
	*mounts.Tree
	*dav.Resources
	*transfer.Transfers
	t        *testing.T
	clock    *portstest.Clock
	memory   *domaintest.Memory
	rules    *rules
	shares   *sharer
	tasks    *starter
	values   *values
	random   *portstest.Random
	near     *portstest.Bucket
	far      *portstest.Bucket
	deps     mounts.Deps
	lockRepo dav.LockRepository
	journal  transfer.Journal
}

var (
	boss   = mounts.Caller{Who: policy.Principal{Kind: policy.Admin, ID: "admin", BasicPath: "/"}}
	teamA  = mounts.Caller{Who: policy.Principal{Kind: policy.APIKey, ID: "a", BasicPath: "/m/a"}}
	davMan = mounts.Caller{Who: boss.Who, Door: mounts.WebDAV}
)

// rules allows a key what lies in its basic path and remembers every question.
type rules struct {
	mu    sync.Mutex
	asked []policy.Action
	paths [][]string
}

func (r *rules) Decide(_ context.Context, who policy.Principal, do policy.Action, on policy.Resource) (policy.Decision, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.asked, r.paths = append(r.asked, do), append(r.paths, on.Paths)
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
type values struct{ suffix bool }

func (v *values) MaxUploadSize() int64            { return 0 }
func (v *values) DefaultUseProxy() bool           { return true }
func (v *values) RandomSuffix() bool              { return v.suffix }
func (v *values) ShareLimits() ports.ShareLimits  { return ports.ShareLimits{} }
func (v *values) PreviewTypes(string) []string    { return nil }
func (v *values) ExpiredGrace() time.Duration     { return 0 }
func (v *values) ProxySignAll() bool              { return true }
func (v *values) ProxySignExpires() time.Duration { return 0 }
func (v *values) ProxySignEpoch() int64           { return 0 }

// sharer remembers what was shared and what has moved.
type sharer struct {
	shared []mounts.NewShare
	moved  []mounts.Moved
	held   map[string]bool // "storage key" of the objects of shares
	fail   error
}

func (s *sharer) Holds(_ context.Context, storageID, key string) (bool, error) {
	return s.held[storageID+" "+key], nil
}

func (s *sharer) Share(_ context.Context, _ policy.Principal, _ policy.Obligations, n mounts.NewShare) (mounts.Shared, error) {
	s.shared = append(s.shared, n)
	return mounts.Shared{ID: "id", Slug: "slug", Name: n.Name, Size: n.Size}, nil
}

func (s *sharer) SharedIn(_ context.Context, createdBy, storageID, prefix string) ([]mounts.Mark, error) {
	return []mounts.Mark{{Name: createdBy + " " + storageID + " " + prefix}}, nil
}

func (s *sharer) Moved(_ context.Context, m mounts.Moved) (func(context.Context) error, error) {
	return func(context.Context) error {
		if s.fail != nil {
			return s.fail
		}
		s.moved = append(s.moved, m)
		return nil
	}, nil
}

// starter remembers the tasks that were started.
type starter struct{ started []jobs.Start }

func (s *starter) Start(_ context.Context, j jobs.Start) (string, error) {
	s.started = append(s.started, j)
	return "task-1", nil
}

// stores gives the two storages.
type stores struct {
	portstest.Opener
	about map[string]mounts.Storage
}

func (s stores) Storage(_ context.Context, id string) (mounts.Storage, error) {
	if a, ok := s.about[id]; ok {
		return a, nil
	}
	return mounts.Storage{}, ports.ErrNotFound
}

func newYard(t *testing.T) *yard {
	y := &yard{t: t, clock: portstest.NewClock(), rules: &rules{}, shares: &sharer{}, tasks: &starter{}, values: &values{}, random: &portstest.Random{},
		near: portstest.NewBucket(), far: portstest.NewBucket()}
	y.near.Clock, y.far.Clock = y.clock, y.clock
	y.near.BaseURL, y.far.BaseURL = "https://near.example", "https://far.example"
	y.memory = domaintest.NewMemory(y.clock)
	y.lockRepo, y.journal = y.memory.Locks(), y.memory.Journal()
	y.deps = mounts.Deps{
		Mounts: y.memory.Mounts(), Uploads: y.memory.UploadSessions(portstest.Opener{"near": y.near, "far": y.far}, nil, y.clock),
		Tasks: y.tasks, Sharer: y.shares, Decider: y.rules, Work: y.memory, Invalidation: &portstest.Invalidation{}, Settings: y.values,
		MAC: portstest.MAC{}, Random: y.random, Clock: y.clock,
		Storages: stores{portstest.Opener{"near": y.near, "far": y.far}, map[string]mounts.Storage{
			"near": {ID: "near", Type: "S3", Public: true, Prefix: "root/"}, "far": {ID: "far", Type: "S3", Public: true}}},
		Report: func(doing string, err error) { t.Errorf("%s: %v", doing, err) },
	}
	for _, m := range []mounts.Mount{{ID: "m", Name: "m", Path: "/m", StorageConfigID: "near"}, {ID: "twin", Name: "twin", Path: "/twin", StorageConfigID: "near"},
		{ID: "far", Name: "far", Path: "/far", StorageConfigID: "far"}, {ID: "deep", Name: "deep", Path: "/v/deep", StorageConfigID: "far"}} {
		m.Active = true
		if err := y.deps.Mounts.Insert(t.Context(), &m); err != nil {
			t.Fatal(err)
		}
	}
	y.build(y.deps)
	return y
}

// build makes the tree and its wings anew.
func (y *yard) build(deps mounts.Deps) {
	y.Tree = mounts.NewTree(deps)
	y.Resources = dav.New(y.Tree, y.lockRepo, y.memory.Properties())
	y.Transfers = transfer.New(y.Tree, y.journal)
	y.Join(index.New(y.Tree, nil), y.Resources)
}

// put stores files: "a/b.txt" holds "a/b.txt" unless "=text" follows; a name
// that ends in "/" is a folder.
func (y *yard) put(b *portstest.Bucket, names ...string) {
	for _, name := range names {
		name, content, given := strings.Cut(name, "=")
		if !given && !strings.HasSuffix(name, "/") {
			content = name
		}
		b.Put(y.front(b)+name, content)
	}
}

func (y *yard) front(b *portstest.Bucket) string {
	if b == y.near {
		return "root/"
	}
	return ""
}

// files are the contents of a bucket by name, without folder markers.
func (y *yard) files(b *portstest.Bucket) map[string]string {
	files := map[string]string{}
	for _, key := range b.Keys() {
		if !strings.HasSuffix(key, "/") {
			files[strings.TrimPrefix(key, y.front(b))] = string(b.Bytes(key))
		}
	}
	return files
}

// names are the names in a bucket, folder markers included.
func (y *yard) names(b *portstest.Bucket) []string {
	names := b.Keys()
	for i := range names {
		names[i] = strings.TrimPrefix(names[i], y.front(b))
	}
	return names
}

func (y *yard) wantFiles(b *portstest.Bucket, want ...string) {
	y.t.Helper()
	if got := slices.Sorted(maps.Keys(y.files(b))); !slices.Equal(got, want) {
		y.t.Errorf("got the files %q, want %q", got, want)
	}
}

func wantError(t *testing.T, got, want error) {
	t.Helper()
	if !errors.Is(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

func wantCode(t *testing.T, got error, want ports.Code) {
	t.Helper()
	if !ports.Is(got, want) {
		t.Errorf("got %v, want code %d", got, want)
	}
}

// fakeRun is one run of a task, and with reuse the next.
type fakeRun struct {
	mu         sync.Mutex
	payload    []byte
	state      []byte
	failedOnce []jobs.Item
	items      map[string]jobs.Item
	failures   map[string]error
	stopAfter  int // items; 0 means never
	stop       context.CancelCauseFunc
	cause      error
}

func newRun(t *testing.T, start jobs.Start) *fakeRun {
	t.Helper()
	payload, err := json.Marshal(start.Payload)
	if err != nil {
		t.Fatal(err)
	}
	return &fakeRun{payload: payload, items: map[string]jobs.Item{}, failures: map[string]error{}}
}

func (r *fakeRun) TaskID() string             { return "task-1" }
func (r *fakeRun) Owner() policy.Principal    { return boss.Who }
func (r *fakeRun) Payload(into any) error     { return json.Unmarshal(r.payload, into) }
func (r *fakeRun) Expect(items, bytes int64)  {}
func (r *fakeRun) Moved(int64)                {}
func (r *fakeRun) Sync(context.Context) error { return nil }
func (r *fakeRun) Failed() []jobs.Item        { return r.failedOnce }
func (r *fakeRun) State(into any) (bool, error) {
	if r.state == nil {
		return false, nil
	}
	return true, json.Unmarshal(r.state, into)
}

func (r *fakeRun) Checkpoint(state any) (err error) {
	r.state, err = json.Marshal(state)
	return err
}

func (r *fakeRun) Item(item jobs.Item, failure error) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.failures, item.Path)
	if failure != nil {
		item.Status = jobs.Failed
		r.failures[item.Path] = failure
	}
	r.items[item.Path] = item
	if r.stopAfter > 0 && len(r.items) >= r.stopAfter {
		r.stop(r.cause)
	}
	return nil
}

// retry is what a retried task finds.
func (r *fakeRun) retry() *fakeRun {
	next := &fakeRun{payload: r.payload, state: r.state, items: map[string]jobs.Item{}, failures: map[string]error{}}
	for path := range r.failures {
		next.failedOnce = append(next.failedOnce, r.items[path])
	}
	slices.SortFunc(next.failedOnce, func(a, b jobs.Item) int { return strings.Compare(a.Path, b.Path) })
	return next
}

// work runs a worker until it ends or its run stops it.
func (y *yard) work(kind string, r *fakeRun) error {
	ctx, cancel := context.WithCancelCause(y.t.Context())
	defer cancel(nil)
	r.stop = cancel
	return y.Works()[kind].Run(ctx, r)
}

// fail makes the calls of a bucket fail that fits names.
func fail(b *portstest.Bucket, fits func(method, key string) bool) {
	b.Fail = func(method, key string) error {
		if fits(method, key) {
			return ports.ErrUnavailable
		}
		return nil
	}
}

var _ objstore.Opener = stores{}
