package mounts_test

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

// wood is a tree to look at. It has two storages, "open" for keys too and
// "shut" for the administrator alone, and no mount yet.
type wood struct {
	*mounts.Tree
	*index.Index
	*dav.Resources
	use    *mounts.Mounts
	t      testing.TB
	clock  *portstest.Clock
	memory *domaintest.Memory
	events *portstest.Invalidation
	open   *portstest.Bucket
	shut   *portstest.Bucket
	walker *walker

	mu    sync.Mutex
	calls []string // of the open storage, "method key"
}

// walker decides as the policies do: keys go down to their base path, and may
// do anything below it. It remembers the questions.
type walker struct {
	mu    sync.Mutex
	asked []policy.Action
	limit int64
	deny  bool
}

func (r *walker) Decide(_ context.Context, who policy.Principal, do policy.Action, on policy.Resource) (policy.Decision, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.asked = append(r.asked, do)
	outside := policy.Decision{Reasons: []policy.Reason{{Code: "outside_basic_path"}}}
	for _, p := range on.Paths {
		if !mounts.Within(who.BasicPath, p) && (do != policy.MountList || !mounts.Above(who.BasicPath, p)) {
			return outside, nil
		}
	}
	if r.deny {
		return policy.Decision{Reasons: []policy.Reason{{Code: "permission_missing"}}}, nil
	}
	return policy.Decision{Allow: true, Scope: policy.All, Obligations: policy.Obligations{ListLimit: r.limit}}, nil
}

// pair gives two storages.
type pair struct {
	portstest.Opener
}

func (pair) Storage(_ context.Context, id string) (mounts.Storage, error) {
	switch id {
	case "open":
		return mounts.Storage{ID: id, Type: "S3", Public: true}, nil
	case "shut":
		return mounts.Storage{ID: id, Type: "LOCAL"}, nil
	}
	return mounts.Storage{}, ports.ErrNotFound
}

func newWood(t testing.TB, change ...func(*mounts.Deps)) *wood {
	w := &wood{t: t, clock: portstest.NewClock(), events: &portstest.Invalidation{}, open: portstest.NewBucket(), shut: portstest.NewBucket(), walker: &walker{}}
	w.memory = domaintest.NewMemory(w.clock)
	w.open.Clock, w.shut.Clock = w.clock, w.clock
	w.open.Fail = func(method, key string) error {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.calls = append(w.calls, method+" "+key)
		return nil
	}
	deps := mounts.Deps{
		Mounts: w.memory.Mounts(), Storages: pair{portstest.Opener{"open": w.open, "shut": w.shut}}, Decider: w.walker, Work: w.memory,
		Invalidation: w.events, Settings: &values{}, MAC: portstest.MAC{}, Random: &portstest.Random{}, Clock: w.clock,
		Report: func(doing string, err error) { t.Errorf("%s: %v", doing, err) },
	}
	for _, c := range change {
		c(&deps)
	}
	w.Tree = mounts.NewTree(deps)
	w.Index = index.New(w.Tree, nil)
	w.Resources = dav.New(w.Tree, w.memory.Locks(), w.memory.Properties())
	w.Join(w.Index, w.Resources)
	w.use = mounts.NewMounts(w.Tree)
	return w
}

// mount makes a mount of the storage "open" at a path; each change may say more.
func (w *wood) mount(path string, change ...func(*mounts.Draft)) *mounts.Mount {
	w.t.Helper()
	name, config, kind := "mount "+strings.Trim(strings.ReplaceAll(path, "/", "-"), "-"), "open", "S3"
	d := mounts.Draft{Name: &name, StorageType: &kind, StorageConfigID: &config, Path: &path}
	for _, c := range change {
		c(&d)
	}
	m, err := w.use.Create(context.Background(), boss.Who, d)
	if err != nil {
		w.t.Fatalf("mount %s: %v", path, err)
	}
	return m
}

// private puts the mount on the storage that keys may not use.
func private(d *mounts.Draft) { *d.StorageConfigID = "shut" }

// ttl sets the seconds for which listings are kept.
func ttl(seconds int64) func(*mounts.Draft) {
	return func(d *mounts.Draft) { d.CacheTTL = &seconds }
}

func ptr[T any](v T) *T { return &v }

// put stores objects of the open storage.
func (w *wood) put(keys ...string) {
	for _, key := range keys {
		w.open.Put(key, strings.TrimSuffix(key, "/"))
	}
	w.calls = nil
}

// key is a caller with a base path.
func key(base string) mounts.Caller {
	return mounts.Caller{Who: policy.Principal{Kind: policy.APIKey, ID: "k" + base, BasicPath: base, Permissions: policy.AllPermissions}}
}

func (w *wood) list(c mounts.Caller, path string) (*mounts.Listing, error) {
	return w.List(context.Background(), c, mounts.ListQuery{Path: path})
}

// shown writes a listing in one line: "dir/" for folders, "(dir)/" for virtual
// ones, "(dir:mount)/" for mount points.
func shown(l *mounts.Listing) string {
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

// want checks what a caller sees at a path; a word that begins with "!" is the
// key of an error.
func (w *wood) want(c mounts.Caller, path, want string) {
	w.t.Helper()
	l, err := w.list(c, path)
	got := ""
	if err != nil {
		got = "!" + errorKey(err)
	} else {
		got = shown(l)
	}
	if got != want {
		w.t.Errorf("%s lists %q: got %q, want %q", c.Who.BasicPath, path, got, want)
	}
}

func errorKey(err error) string {
	e, ok := err.(*ports.Error)
	if !ok {
		return err.Error()
	}
	return e.Key
}

// endless is a bucket whose root holds n files.
type endless struct {
	*portstest.Bucket
	n      int
	marked bool // the first object is the folder's marker

	mu    sync.Mutex
	pages int
}

func (b *endless) List(_ context.Context, q objstore.ListQuery) (objstore.ListPage, error) {
	b.mu.Lock()
	b.pages++
	b.mu.Unlock()
	first := 0
	if q.Token != "" {
		first = len(q.Token)
	}
	var page objstore.ListPage
	for i := first; i < min(first+q.Limit, b.n); i++ {
		key := q.Prefix + number(i)
		if b.marked && i == 0 {
			key = q.Prefix
		}
		page.Objects = append(page.Objects, objstore.Object{Key: key, Size: 1, ETag: "e", ModTime: time.Unix(int64(i), 0)})
	}
	if first+q.Limit < b.n {
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
