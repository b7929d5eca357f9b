package shares_test

import (
	"context"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"pasteport/domain/domaintest"
	"pasteport/domain/shares"
	"pasteport/domain/shares/cleanup"
	"pasteport/domain/shares/collections"
	"pasteport/domain/shares/versions"
	"pasteport/ports"
	"pasteport/ports/objstore"
	"pasteport/ports/policy"
	"pasteport/ports/portstest"
	"pasteport/ports/upload"
)

var (
	admin  = policy.Principal{Kind: policy.Admin, ID: "admin-id", BasicPath: "/"}
	keyA   = policy.Principal{Kind: policy.APIKey, ID: "a", Permissions: policy.PermText | policy.PermFileShare, BasicPath: "/"}
	keyB   = policy.Principal{Kind: policy.APIKey, ID: "b", Permissions: policy.PermText | policy.PermFileShare, BasicPath: "/"}
	noBits = policy.Principal{Kind: policy.APIKey, ID: "c", BasicPath: "/"}
)

// decider follows the rules of spec §6 for shares and remembers what it was
// asked, and whether anything had been touched by then.
type decider struct {
	mu      sync.Mutex
	asked   []question
	limits  policy.Obligations
	failure error
	refused string // id of the only share that a rule of the site refuses
	// meanwhile happens while an action is decided, once.
	meanwhile map[policy.Action]func()
}

type question struct {
	do policy.Action
	on policy.Resource
}

var public = []policy.Action{policy.ShareView, policy.ShareList, policy.ShareVerify, policy.ShareDownload, policy.SharePreview}
var itemActions = []policy.Action{policy.PasteReadOwn, policy.PasteUpdate, policy.PasteDelete, policy.FileReadOwn, policy.FileUpdate, policy.FileDelete, policy.ShareLog}

func (d *decider) Decide(_ context.Context, who policy.Principal, do policy.Action, on policy.Resource) (policy.Decision, error) {
	if happens := d.meanwhile[do]; happens != nil {
		delete(d.meanwhile, do)
		happens()
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.asked = append(d.asked, question{do, on})
	if d.failure != nil {
		return policy.Decision{}, d.failure
	}
	if d.refused != "" && on.ID == d.refused {
		return policy.Decision{Reasons: []policy.Reason{{Code: "no"}}}, nil
	}
	if slices.Contains(public, do) || who.Kind == policy.Admin {
		scope := policy.Own
		if who.Kind == policy.Admin {
			scope = policy.All
		}
		return policy.Decision{Allow: true, Scope: scope, Obligations: d.limits}, nil
	}
	var reasons []policy.Reason
	need := policy.PermText
	if strings.HasPrefix(string(do), "file.") {
		need = policy.PermFileShare
	}
	if who.Permissions&need == 0 || do == policy.PasteClearExpired {
		reasons = append(reasons, policy.Reason{Code: "permission_missing"})
	}
	if slices.Contains(itemActions, do) && !who.Owns(on.Owner) {
		reasons = append(reasons, policy.Reason{Code: "not_owner"})
	}
	return policy.Decision{Allow: len(reasons) == 0, Reasons: reasons, Scope: policy.Own, Obligations: d.limits}, nil
}

func (d *decider) actions() []policy.Action {
	d.mu.Lock()
	defer d.mu.Unlock()
	var out []policy.Action
	for _, q := range d.asked {
		out = append(out, q.do)
	}
	return out
}

type settings struct {
	max       int64
	proxy     bool
	suffix    bool
	grace     time.Duration
	limits    ports.ShareLimits
	revisions ports.Revisions
	previews  map[string][]string
}

func (s *settings) MaxUploadSize() int64              { return s.max }
func (s *settings) DefaultUseProxy() bool             { return s.proxy }
func (s *settings) ShareLimits() ports.ShareLimits    { return s.limits }
func (s *settings) Revisions() ports.Revisions        { return s.revisions }
func (s *settings) RandomSuffix() bool                { return s.suffix }
func (s *settings) PreviewTypes(kind string) []string { return s.previews[kind] }
func (s *settings) ExpiredGrace() time.Duration       { return s.grace }

// storages are storage configs over memory buckets.
type storages struct {
	configs map[string]objstore.Storage
	portstest.Opener
}

func (s *storages) Storage(_ context.Context, id string) (objstore.Storage, error) {
	if c, ok := s.configs[id]; ok {
		return c, nil
	}
	return objstore.Storage{}, ports.ErrNotFound
}

func (s *storages) Default(_ context.Context, publicOnly bool) (objstore.Storage, error) {
	for _, id := range []string{"private", "public"} {
		if c, ok := s.configs[id]; ok && (c.Public || !publicOnly) {
			return c, nil
		}
	}
	return objstore.Storage{}, ports.ErrNotFound
}

// world is the whole module over fakes.
type world struct {
	t        testing.TB
	clock    *portstest.Clock
	db       *domaintest.Memory
	decider  *decider
	hasher   *portstest.Hasher
	random   *portstest.Random
	settings *settings
	bucket   *portstest.Bucket
	storages *storages
	events   *portstest.Invalidation
	reports  []string
	deps     shares.Deps
	pastes   *shares.Pastes
	files    *shares.Files
	visits   *shares.FileVisits
	uploads  *shares.FileUploads
	mounted  *shares.MountedFiles
	versions *versions.Versions
	sets     *collections.Collections
	janitor  *cleanup.Janitor
}

func newWorld(t testing.TB) *world {
	w := &world{t: t, clock: portstest.NewClock(), decider: &decider{}, hasher: &portstest.Hasher{}, random: &portstest.Random{},
		settings: &settings{max: 1000, grace: 7 * 24 * time.Hour}, bucket: portstest.NewBucket(), events: &portstest.Invalidation{}}
	w.db = domaintest.NewMemory(w.clock)
	w.bucket.Clock = w.clock
	w.db.Sweeps().Clock = w.clock.Now
	w.bucket.BaseURL = "https://bucket.example"
	w.storages = &storages{Opener: portstest.Opener{"public": w.bucket, "private": w.bucket}, configs: map[string]objstore.Storage{
		"public": {ID: "public", Name: "Public", ProviderType: "Other", Type: "S3", EndpointURL: "https://s3.example.com", BucketName: "bkt",
			PathStyle: true, DefaultFolder: "up", Public: true},
		"private": {ID: "private", Name: "Private", ProviderType: "Other", Type: "S3", EndpointURL: "http://10.0.0.1", BucketName: "bkt"},
	}}
	ledger := w.db.Counted(w.storages, w.clock, nil)
	sessions := w.db.UploadSessions(w.storages, ledger, w.clock)
	w.deps = shares.Deps{
		Uploads: sessions, Pastes: w.db.Pastes(), Files: w.db.Files(), FileObjects: w.db.FileObjects(), Storages: w.storages, Ledger: ledger, Decider: w.decider, Hasher: w.hasher, Guesses: w.db.Guesses(),
		MAC: portstest.MAC{}, Random: w.random, Clock: w.clock, Settings: w.settings, Invalidation: w.events, Editions: w.db.Revisions(), Work: w.db,
		Report: func(doing string, err error) { w.reports = append(w.reports, doing+": "+err.Error()) },
	}
	w.deps.Replaced = versions.NewKeeper(w.deps, w.db.FileVersions())
	w.pastes = shares.NewPastes(w.deps)
	w.janitor = w.newJanitor()
	w.openFiles()
	sessions.Serve(upload.ForShares, w.uploads)
	return w
}

func (w *world) newJanitor() *cleanup.Janitor {
	return cleanup.New(w.deps, cleanup.Records{Pastes: w.db.PasteRemains(), Files: w.db.FileRemains(), Collections: w.db.CollectionRemains(), Sweeps: w.db.Sweeps(), Revisions: []cleanup.Revisions{w.db.Revisions(), versions.NewKeeper(w.deps, w.db.FileVersions())}})
}

// openFiles makes the files anew, with all that stands on them.
func (w *world) openFiles() {
	w.files = shares.NewFiles(w.deps)
	w.versions = versions.New(w.files, versions.NewKeeper(w.deps, w.db.FileVersions()))
	w.visits, w.uploads, w.mounted = shares.NewFileVisits(w.files), shares.NewFileUploads(w.files), shares.NewMountedFiles(w.files)
	w.lend(nil)
}

// lend makes the collections anew, with folders that may be shared.
func (w *world) lend(folders collections.Folders) {
	w.sets = collections.New(collections.Deps{Deps: w.deps, Owned: w.files, Collections: w.db.Collections(), Items: w.db.Items(), Sums: &domaintest.Sums{}, Folders: folders, Work: w.db})
}

// holds gives the public storage a capacity, in bytes.
func (w *world) holds(most int64) {
	public := w.storages.configs["public"]
	public.Capacity = most
	w.storages.configs["public"] = public
}

// from is a context of a caller at an address.
func from(address string) context.Context {
	return policy.WithCall(context.Background(), &policy.Call{ClientIP: address})
}

func (w *world) paste(in shares.NewPaste) *shares.Paste {
	w.t.Helper()
	if in.Content == nil {
		in.Content = []byte("hello")
	}
	p, err := w.pastes.Create(context.Background(), keyA, in)
	if err != nil {
		w.t.Fatalf("create a paste: %v", err)
	}
	return p
}

func (w *world) read(slug string) (shares.Reading, error) {
	return w.pastes.Read(from("192.0.2.1"), policy.Nobody, shares.Visit{Slug: slug})
}

func (w *world) upload(in shares.NewUpload, content string) *shares.File {
	w.t.Helper()
	if in.Filename == "" {
		in.Filename = "a.txt"
	}
	f, err := w.uploads.Upload(context.Background(), keyA, in, strings.NewReader(content), int64(len(content)))
	if err != nil {
		w.t.Fatalf("upload a file: %v", err)
	}
	return f
}

// twin is another record of the object of a file, as it was made when one name
// led to one object.
func (w *world) twin(f *shares.File, slug string, change func(*shares.File)) *shares.File {
	w.t.Helper()
	twin := *f
	twin.ID, twin.Slug, twin.Gate, twin.CreatedAt = w.random.ID(), slug, shares.Gate{}, w.clock.Now()
	if change != nil {
		change(&twin)
	}
	if err := w.deps.Files.Insert(w.t.Context(), &twin); err != nil {
		w.t.Fatal(err)
	}
	return &twin
}

func (w *world) object(key string) (objstore.Object, error) {
	return w.bucket.Stat(context.Background(), key)
}

func wantCode(t testing.TB, err error, code ports.Code, key string) {
	t.Helper()
	if err == nil {
		t.Fatalf("got no error, want %s", key)
	}
	var got *ports.Error
	for e := err; ; {
		var ok bool
		if got, ok = e.(*ports.Error); ok {
			break
		}
		u, ok := e.(interface{ Unwrap() error })
		if !ok {
			break
		}
		e = u.Unwrap()
	}
	if ports.CodeOf(err) != code || got != nil && got.Key != key {
		t.Fatalf("got error %v (code %d), want key %q (code %d)", err, ports.CodeOf(err), key, code)
	}
}

func at(d time.Duration) *time.Time {
	t := portstest.Start.Add(d)
	return &t
}
