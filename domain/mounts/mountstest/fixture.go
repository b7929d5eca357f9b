package mountstest

import (
	"context"
	"strings"
	"sync"
	"testing"
	"time"

	"pasteport/domain/domaintest"
	"pasteport/domain/mounts"
	"pasteport/domain/mounts/dav"
	"pasteport/domain/mounts/index"
	"pasteport/ports"
	"pasteport/ports/objstore"
	"pasteport/ports/policy"
	"pasteport/ports/portstest"
)

// Fixture is a tree to look at. It has two storages, "open" for keys too and
// "shut" for the administrator alone, and no mount yet.
type Fixture struct {
	*mounts.Tree
	*index.Index
	*dav.Resources
	Admin  *mounts.Mounts
	T      testing.TB
	Clock  *portstest.Clock
	Memory *domaintest.Memory
	Events *portstest.Invalidation
	Open   *portstest.Bucket
	Shut   *portstest.Bucket
	Walker *walker

	mu    sync.Mutex
	Calls []string // of the open storage, "method key"
}

// walker decides as the policies do: keys go down to their base path, and may
// do anything below it. It remembers the questions.
type walker struct {
	mu    sync.Mutex
	Asked []policy.Action
	Limit int64
	Deny  bool
}

// Decide implements policy.Decider.
func (r *walker) Decide(_ context.Context, who policy.Principal, do policy.Action, on policy.Resource) (policy.Decision, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.Asked = append(r.Asked, do)
	outside := policy.Decision{Reasons: []policy.Reason{{Code: "outside_basic_path"}}}
	for _, p := range on.Paths {
		if !mounts.Within(who.BasicPath, p) && (do != policy.MountList || !mounts.Above(who.BasicPath, p)) {
			return outside, nil
		}
	}
	if r.Deny {
		return policy.Decision{Reasons: []policy.Reason{{Code: "permission_missing"}}}, nil
	}
	return policy.Decision{Allow: true, Scope: policy.All, Obligations: policy.Obligations{ListLimit: r.Limit}}, nil
}

// Pair gives two storages.
type Pair struct {
	portstest.Opener
}

// Storage implements mounts.Storages.
func (Pair) Storage(_ context.Context, id string) (objstore.Storage, error) {
	switch id {
	case "open":
		return objstore.Storage{ID: id, Type: "S3", Public: true}, nil
	case "shut":
		return objstore.Storage{ID: id, Type: objstore.OwnDisk, OwnDisk: true}, nil
	}
	return objstore.Storage{}, ports.ErrNotFound
}

// NewFixture returns a fixture; each change may say more of what its tree needs.
func NewFixture(t testing.TB, change ...func(*mounts.Deps)) *Fixture {
	w := &Fixture{T: t, Clock: portstest.NewClock(), Events: &portstest.Invalidation{}, Open: portstest.NewBucket(), Shut: portstest.NewBucket(), Walker: &walker{}}
	w.Memory = domaintest.NewMemory(w.Clock)
	w.Open.Clock, w.Shut.Clock = w.Clock, w.Clock
	w.Open.Fail = func(method, key string) error {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.Calls = append(w.Calls, method+" "+key)
		return nil
	}
	deps := mounts.Deps{
		Mounts: w.Memory.Mounts(), Storages: Pair{portstest.Opener{"open": w.Open, "shut": w.Shut}}, Decider: w.Walker, Work: w.Memory,
		Invalidation: w.Events, Settings: &values{}, MAC: portstest.MAC{}, Random: &portstest.Random{}, Clock: w.Clock,
		Report: func(doing string, err error) { t.Errorf("%s: %v", doing, err) },
	}
	for _, c := range change {
		c(&deps)
	}
	w.Tree = mounts.NewTree(deps)
	w.Index = index.New(w.Tree, nil)
	w.Resources = dav.New(w.Tree, w.Memory.Locks(), w.Memory.Properties())
	w.Join(w.Index, w.Resources)
	w.Admin = mounts.NewMounts(w.Tree)
	return w
}

// Mount makes a mount of the storage "open" at a path; each change may say more.
func (w *Fixture) Mount(path string, change ...func(*mounts.Draft)) *mounts.Mount {
	w.T.Helper()
	name, config, kind := "mount "+strings.Trim(strings.ReplaceAll(path, "/", "-"), "-"), "open", "S3"
	d := mounts.Draft{Name: &name, StorageType: &kind, StorageConfigID: &config, Path: &path}
	for _, c := range change {
		c(&d)
	}
	m, err := w.Admin.Create(context.Background(), Admin.Who, d)
	if err != nil {
		w.T.Fatalf("mount %s: %v", path, err)
	}
	return m
}

// Private puts the mount on the storage that keys may not use.
func Private(d *mounts.Draft) { *d.StorageConfigID = "shut" }

// TTL sets the seconds for which listings are kept.
func TTL(seconds int64) func(*mounts.Draft) {
	return func(d *mounts.Draft) { d.CacheTTL = &seconds }
}

// Ptr points to a value.
func Ptr[T any](v T) *T { return &v }

// Put stores objects of the open storage.
func (w *Fixture) Put(keys ...string) {
	for _, key := range keys {
		w.Open.Put(key, strings.TrimSuffix(key, "/"))
	}
	w.Calls = nil
}

// Key is a caller with a base path.
func Key(base string) mounts.Caller {
	return mounts.Caller{Who: policy.Principal{Kind: policy.APIKey, ID: "k" + base, BasicPath: base, Permissions: policy.AllPermissions}}
}

// Listed lists a folder.
func (w *Fixture) Listed(c mounts.Caller, path string) (*mounts.Listing, error) {
	return w.List(context.Background(), c, mounts.ListQuery{Path: path})
}

// Shown writes a listing in one line: "dir/" for folders, "(dir)/" for virtual
// ones, "(dir:mount)/" for mount points.
func Shown(l *mounts.Listing) string {
	var words []string
	for e := range l.All() {
		word := e.Name
		switch {
		case e.MountPoint != nil:
			word = "(" + word + ":" + e.MountPoint.ID[len(e.MountPoint.ID)-1:] + ")/"
		case e.Virtual:
			word = "(" + word + ")/"
		case e.Folder:
			word += "/"
		}
		words = append(words, word)
	}
	return strings.Join(words, " ")
}

// Want checks what a caller sees at a path; a word that begins with "!" is the
// key of an error.
func (w *Fixture) Want(c mounts.Caller, path, want string) {
	w.T.Helper()
	l, err := w.Listed(c, path)
	got := ""
	if err != nil {
		got = "!" + ErrorKey(err)
	} else {
		got = Shown(l)
	}
	if got != want {
		w.T.Errorf("%s lists %q: got %q, want %q", c.Who.BasicPath, path, got, want)
	}
}

// ErrorKey is the key of an error of ports, else its text.
func ErrorKey(err error) string {
	e, ok := err.(*ports.Error)
	if !ok {
		return err.Error()
	}
	return e.Key
}

// Endless is a bucket whose root holds n files.
type Endless struct {
	*portstest.Bucket
	N      int
	Marked bool // the first object is the folder's marker

	mu    sync.Mutex
	Pages int
}

// List implements objstore.Bucket.
func (b *Endless) List(_ context.Context, q objstore.ListQuery) (objstore.ListPage, error) {
	b.mu.Lock()
	b.Pages++
	b.mu.Unlock()
	first := 0
	if q.Token != "" {
		first = len(q.Token)
	}
	var page objstore.ListPage
	for i := first; i < min(first+q.Limit, b.N); i++ {
		key := q.Prefix + number(i)
		if b.Marked && i == 0 {
			key = q.Prefix
		}
		page.Objects = append(page.Objects, objstore.Object{Key: key, Size: 1, ETag: "e", ModTime: time.Unix(int64(i), 0)})
	}
	if first+q.Limit < b.N {
		page.Next = strings.Repeat("x", first+q.Limit)
	}
	return page, nil
}

func number(i int) string {
	text := []byte("f000000")
	for at := len(text) - 1; i > 0; at, i = at-1, i/10 {
		text[at] = byte('0' + i%10)
	}
	return string(text)
}
