package domaintest

import (
	"context"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"path"
	"slices"
	"strings"
	"testing"
	"time"

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

// RunTreeModel does random operations on a tree over two empty buckets and on a
// plain model of folders and files, and compares them after each. What a seed
// finds is found again with it.
func RunTreeModel(t *testing.T, near, far objstore.Bucket, seed uint64, steps int) {
	m := &treeModel{t: t, random: rand.New(rand.NewPCG(seed, 1)), near: near, far: far,
		files: map[string]string{}, folders: map[string]bool{"/near": true, "/far": true}}
	m.tree, m.transfers = newModelTree(t, near, far)
	for step := range steps {
		m.step(step)
		m.compare(step)
		if t.Failed() {
			t.Fatalf("seed %d; the last steps were\n%s", seed, strings.Join(m.log[max(0, len(m.log)-12):], "\n"))
		}
	}
}

var modelCaller = mounts.Caller{Who: policy.Principal{Kind: policy.Admin, ID: "admin", BasicPath: "/"}}

// newModelTree mounts near at /near and far at /far.
func newModelTree(t *testing.T, near, far objstore.Bucket) (*mounts.Tree, *transfer.Transfers) {
	memory := NewMemory(ports.SystemClock)
	for _, name := range []string{"near", "far"} {
		err := memory.Mounts().Insert(t.Context(), &mounts.Mount{ID: name, Name: name, Path: "/" + name, StorageConfigID: name, Active: true})
		if err != nil {
			t.Fatal(err)
		}
	}
	storages := modelStorages{"near": near, "far": far}
	tree := mounts.NewTree(mounts.Deps{
		Mounts: memory.Mounts(), Uploads: memory.UploadSessions(storages, nil, ports.SystemClock),
		Storages: storages, Sharer: modelSharer{}, Tasks: modelTasks{}, Decider: modelRules{}, Work: memory,
		Invalidation: &portstest.Invalidation{}, Settings: modelSettings{}, MAC: portstest.MAC{}, Random: &portstest.Random{}, Clock: ports.SystemClock,
		Report: func(doing string, err error) { t.Errorf("%s: %v", doing, err) },
	})
	tree.Join(index.New(tree, nil), dav.New(tree, memory.Locks(), memory.Properties()))
	return tree, transfer.New(tree, memory.Journal())
}

type modelStorages portstest.Opener

func (s modelStorages) Bucket(ctx context.Context, id string) (objstore.Bucket, error) {
	return portstest.Opener(s).Bucket(ctx, id)
}

func (modelStorages) Storage(_ context.Context, id string) (objstore.Storage, error) {
	return objstore.Storage{ID: id, Type: "S3", Public: true}, nil
}

type modelRules struct{}

func (modelRules) Decide(context.Context, policy.Principal, policy.Action, policy.Resource) (policy.Decision, error) {
	return policy.Decision{Allow: true, Scope: policy.All}, nil
}

type modelSharer struct{}

func (modelSharer) Share(context.Context, policy.Principal, policy.Obligations, mounts.NewShare) (mounts.Shared, error) {
	return mounts.Shared{}, nil
}
func (modelSharer) SharedIn(context.Context, string, *mounts.Place) (mounts.Marks, error) {
	return mounts.Marks{}, nil
}
func (modelSharer) Holds(context.Context, string, string) (bool, error) { return false, nil }
func (modelSharer) Moved(context.Context, mounts.Moved) (func(context.Context) error, error) {
	return func(context.Context) error { return nil }, nil
}

type modelTasks struct{}

func (modelTasks) Start(context.Context, jobs.Start) (string, error) { return "", ports.ErrUnavailable }

type modelSettings struct{}

func (modelSettings) MaxUploadSize() int64            { return 0 }
func (modelSettings) DefaultUseProxy() bool           { return true }
func (modelSettings) RandomSuffix() bool              { return false }
func (modelSettings) ShareLimits() ports.ShareLimits  { return ports.ShareLimits{} }
func (modelSettings) Revisions() ports.Revisions      { return ports.Revisions{} }
func (modelSettings) PreviewTypes(string) []string    { return nil }
func (modelSettings) ExpiredGrace() time.Duration     { return 0 }
func (modelSettings) ProxySignAll() bool              { return true }
func (modelSettings) ProxySignExpires() time.Duration { return 0 }
func (modelSettings) ProxySignEpoch() int64           { return 0 }

// treeModel is a file system as everybody knows it, and the tree to compare.
type treeModel struct {
	t         *testing.T
	tree      *mounts.Tree
	transfers *transfer.Transfers
	random    *rand.Rand
	near, far objstore.Bucket
	files     map[string]string
	folders   map[string]bool
	log       []string
}

func (m *treeModel) note(format string, args ...any) {
	m.log = append(m.log, fmt.Sprintf(format, args...))
}

// path draws a path of one to three names below a mount.
func (m *treeModel) path() string {
	names := []string{"a", "b", "b(1)", "资料", "c d.txt", "#%?"}
	p := []string{"/near", "/near", "/far"}[m.random.IntN(3)]
	for range 1 + m.random.IntN(3) {
		p += "/" + names[m.random.IntN(len(names))]
	}
	return p
}

// existing draws a path that is there, most times.
func (m *treeModel) existing() string {
	all := slices.Sorted(maps.Keys(m.files))
	for _, f := range slices.Sorted(maps.Keys(m.folders)) {
		if f != "/near" && f != "/far" {
			all = append(all, f)
		}
	}
	if len(all) == 0 || m.random.IntN(8) == 0 {
		return m.path()
	}
	return all[m.random.IntN(len(all))]
}

// blocked reports whether a file stands on the way to p.
func (m *treeModel) blocked(p string) bool {
	for dir := path.Dir(p); dir != "/"; dir = path.Dir(dir) {
		if _, file := m.files[dir]; file {
			return true
		}
	}
	return false
}

func (m *treeModel) there(p string) bool {
	_, file := m.files[p]
	return file || m.folders[p]
}

func (m *treeModel) parents(p string) {
	for dir := path.Dir(p); dir != "/"; dir = path.Dir(dir) {
		m.folders[dir] = true
	}
}

func (m *treeModel) step(n int) {
	switch m.random.IntN(8) {
	case 0, 1:
		m.write(m.path(), fmt.Sprintf("content %d", n))
	case 2:
		m.mkdir(m.path())
	case 3:
		m.remove(m.existing())
	case 4, 5:
		m.rename(m.existing(), m.path())
	case 6:
		m.transfer(m.existing(), m.path(), false)
	case 7:
		m.transfer(m.existing(), m.path(), true)
	}
}

func (m *treeModel) fails(doing string, err error, want bool) {
	m.t.Helper()
	if (err != nil) != want {
		m.t.Errorf("%s: got the error %v, want one: %t", doing, err, want)
	}
}

func (m *treeModel) write(p, content string) {
	if m.blocked(p) {
		return
	}
	m.note("write %s", p)
	_, _, err := m.tree.Write(m.t.Context(), modelCaller, p, strings.NewReader(content), mounts.Write{Size: int64(len(content)), Overwrite: true, MakeParents: true})
	m.fails("write", err, m.folders[p])
	if !m.folders[p] {
		m.files[p] = content
		m.parents(p)
	}
}

func (m *treeModel) mkdir(p string) {
	if m.blocked(p) {
		return
	}
	m.note("mkdir %s", p)
	_, file := m.files[p]
	m.fails("mkdir", m.tree.Mkdir(m.t.Context(), modelCaller, p, mounts.NewFolder{}), file)
	if !file {
		m.folders[p] = true
		m.parents(p)
	}
}

func (m *treeModel) remove(p string) {
	m.note("remove %s", p)
	done, err := m.transfers.Remove(m.t.Context(), modelCaller, []string{p}, false)
	if err != nil || done.Done != 1 {
		m.t.Errorf("remove: %+v, %v", done, err)
	}
	m.drop(p)
}

func (m *treeModel) drop(p string) {
	for f := range m.files {
		if mounts.Within(p, f) {
			delete(m.files, f)
		}
	}
	for f := range m.folders {
		if mounts.Within(p, f) {
			delete(m.folders, f)
		}
	}
}

// copy adds at to what is at from; folders that exist are merged.
func (m *treeModel) copy(from, to string) {
	files, folders := map[string]string{}, []string{}
	for f, content := range m.files {
		if mounts.Within(from, f) && !(mounts.Within(to, f) && mounts.Within(from, to) && from != to) {
			files[to+strings.TrimPrefix(f, from)] = content
		}
	}
	for f := range m.folders {
		if mounts.Within(from, f) && !(mounts.Within(to, f) && mounts.Within(from, to) && from != to) {
			folders = append(folders, to+strings.TrimPrefix(f, from))
		}
	}
	maps.Copy(m.files, files)
	for _, f := range folders {
		m.folders[f] = true
	}
	m.parents(to)
}

func (m *treeModel) rename(from, to string) {
	if m.blocked(to) {
		return
	}
	m.note("rename %s to %s", from, to)
	_, err := m.transfers.Rename(m.t.Context(), modelCaller, from, to, false)
	sameMount := strings.HasPrefix(from, "/near/") == strings.HasPrefix(to, "/near/")
	ok := sameMount && m.there(from) && (from == to || !m.there(to) && !mounts.Within(from, to))
	m.fails("rename", err, !ok)
	if ok && from != to {
		m.copy(from, to)
		m.drop(from)
	}
}

// transfer copies or moves by the rules of contract §4.12.
func (m *treeModel) transfer(from, to string, move bool) {
	if m.blocked(to) || strings.HasPrefix(from, "/near/") != strings.HasPrefix(to, "/near/") && !move {
		return // the caller would carry it itself
	}
	r := transfer.CopyRequest{Items: []transfer.CopyItem{{Source: from, Target: to}}, SkipExisting: m.random.IntN(2) == 0,
		Conflict: []transfer.Conflict{transfer.ByDefault, transfer.ByDefault, transfer.Overwrite, transfer.Skip, transfer.Other, transfer.Fail}[m.random.IntN(6)]}
	if r.Conflict == transfer.Overwrite && m.clash(from, to) {
		return
	}
	m.note("move=%t %s to %s skip=%t conflict=%q", move, from, to, r.SkipExisting, r.Conflict)
	use := m.transfers.Copy
	if move {
		use = m.transfers.Move
	}
	got, err := use(m.t.Context(), modelCaller, r)
	if err != nil {
		m.t.Errorf("the call failed: %v", err)
		return
	}
	target, outcome := m.expect(from, to, move, r)
	if outcome != jobs.Completed {
		if want := map[jobs.ItemStatus]int{jobs.Skipped: got.Skipped, jobs.Failed: len(got.Failed)}[outcome]; want != 1 || got.Success != 0 {
			m.t.Errorf("got %+v, want the item %s", got, outcome)
		}
		return
	}
	if len(got.Failed)+got.Skipped != 0 || got.Success == 0 || strings.TrimSuffix(got.Details[0].Target, "/") != target {
		m.t.Errorf("got %+v, want it at %s", got, target)
	}
	m.copy(from, target)
	if move && from != target {
		m.drop(from)
	}
}

// clash reports whether merging two folders would put a file and a folder of
// one name beside each other, which some storages can and others cannot.
func (m *treeModel) clash(from, to string) bool {
	for f := range m.files {
		if mounts.Within(from, f) && m.folders[to+strings.TrimPrefix(f, from)] {
			return true
		}
	}
	for f := range m.folders {
		if _, file := m.files[to+strings.TrimPrefix(f, from)]; mounts.Within(from, f) && file {
			return true
		}
	}
	return false
}

// expect is the outcome of one item, and where it goes.
func (m *treeModel) expect(from, to string, move bool, r transfer.CopyRequest) (string, jobs.ItemStatus) {
	folder := m.folders[from]
	_, file := m.files[to]
	switch {
	case !m.there(from), move && from != to && mounts.Within(from, to):
		return "", jobs.Failed
	case !m.there(to):
		return to, jobs.Completed
	case folder == file:
		return "", jobs.Failed
	}
	answer := r.Conflict
	if answer == transfer.ByDefault {
		switch {
		case move && from == to, !folder && r.SkipExisting:
			answer = transfer.Skip
		case folder, from == to:
			answer = transfer.Other
		default:
			answer = transfer.Overwrite
		}
	}
	switch {
	case answer == transfer.Skip:
		return "", jobs.Skipped
	case answer == transfer.Fail:
		return "", jobs.Failed
	case answer == transfer.Overwrite && folder && from != to && mounts.Within(to, from):
		return "", jobs.Failed
	case answer == transfer.Overwrite && from != to:
		return to, jobs.Completed
	}
	dir, base, ext := path.Dir(to), path.Base(to), ""
	if !folder {
		ext = path.Ext(base)
		base = strings.TrimSuffix(base, ext)
	}
	base = strings.TrimSuffix(base, "(1)")
	for n := 1; ; n++ {
		if other := fmt.Sprintf("%s/%s(%d)%s", dir, base, n, ext); !m.there(other) {
			return other, jobs.Completed
		}
	}
}

// compare looks at all that the buckets hold.
func (m *treeModel) compare(step int) {
	files, folders := map[string]string{}, map[string]bool{"/near": true, "/far": true}
	for front, b := range map[string]objstore.Bucket{"/near/": m.near, "/far/": m.far} {
		for token := ""; ; {
			page, err := b.List(m.t.Context(), objstore.ListQuery{Token: token})
			if err != nil {
				m.t.Fatal(err)
			}
			for _, o := range page.Objects {
				p := strings.TrimSuffix(front+o.Key, "/")
				for dir := path.Dir(p); dir != "/"; dir = path.Dir(dir) {
					folders[dir] = true
				}
				if strings.HasSuffix(o.Key, "/") {
					folders[p] = true
				} else {
					files[p] = m.content(b, o.Key)
				}
			}
			if token = page.Next; token == "" {
				break
			}
		}
	}
	if !maps.Equal(files, m.files) {
		m.t.Errorf("after step %d there are the files\n%v, want\n%v", step, files, m.files)
	}
	if !maps.Equal(folders, m.folders) {
		m.t.Errorf("after step %d there are the folders\n%v, want\n%v", step, slices.Sorted(maps.Keys(folders)), slices.Sorted(maps.Keys(m.folders)))
	}
}

func (m *treeModel) content(b objstore.Bucket, key string) string {
	body, err := b.Read(m.t.Context(), key, objstore.Range{})
	if err != nil {
		m.t.Fatal(err)
	}
	defer body.Close()
	content, err := io.ReadAll(body)
	if err != nil {
		m.t.Fatal(err)
	}
	return string(content)
}
