package transfer_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"pasteport/domain/domaintest"
	"pasteport/domain/mounts/mountstest"
	"pasteport/domain/mounts/transfer"
	"pasteport/ports"
	"pasteport/ports/objstore"
	"pasteport/ports/portstest"
)

// fault says how the n-th storage call goes wrong.
type fault struct {
	name string
	// after lets the call do its work and loses the answer.
	after bool
	// lasting makes all later calls fail too, until the storage is repaired.
	lasting bool
	// crash also takes away the database and the process.
	crash bool
}

var faults = []fault{{name: "one call fails"}, {name: "one answer is lost", after: true}, {name: "storage is gone", lasting: true},
	{name: "storage goes after a call", after: true, lasting: true}, {name: "crash", lasting: true, crash: true}, {name: "crash after a call", after: true, lasting: true, crash: true}}

// faulty counts the calls of two buckets and breaks one of them.
type faulty struct {
	mu    sync.Mutex
	calls int
	at    int // the call that fails; 0 means none
	fault
	memory *domaintest.Memory
}

var errBroken = ports.ErrUnavailable.With(errors.New("injected fault"))

// enter counts a call and tells whether it fails before or after its work.
func (f *faulty) enter() (before, after bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.calls++
	hit := f.calls == f.at
	if hit && f.crash {
		f.memory.FailWith(ports.ErrUnavailable)
	}
	if f.at > 0 && f.calls > f.at && f.lasting {
		return true, false
	}
	return hit && !f.after, hit && f.after
}

func (f *faulty) repair() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.at = 0
	f.memory.FailWith(nil)
}

// faultyBucket is a bucket whose calls go through a faulty line.
type faultyBucket struct {
	*portstest.Bucket
	line *faulty
}

func through[T any](f *faulty, call func() (T, error)) (T, error) {
	var none T
	before, after := f.enter()
	if before {
		return none, errBroken
	}
	got, err := call()
	if after {
		return none, errBroken
	}
	return got, err
}

func (b faultyBucket) Stat(ctx context.Context, key string) (objstore.Object, error) {
	return through(b.line, func() (objstore.Object, error) { return b.Bucket.Stat(ctx, key) })
}

func (b faultyBucket) List(ctx context.Context, q objstore.ListQuery) (objstore.ListPage, error) {
	q.Limit = 3 // so that folders take several pages
	return through(b.line, func() (objstore.ListPage, error) { return b.Bucket.List(ctx, q) })
}

func (b faultyBucket) Read(ctx context.Context, key string, r objstore.Range) (*objstore.Body, error) {
	return through(b.line, func() (*objstore.Body, error) { return b.Bucket.Read(ctx, key, r) })
}

func (b faultyBucket) Write(ctx context.Context, key string, body io.Reader, o objstore.WriteOptions) (objstore.Object, error) {
	return through(b.line, func() (objstore.Object, error) { return b.Bucket.Write(ctx, key, body, o) })
}

func (b faultyBucket) Copy(ctx context.Context, dst, src string) (objstore.Object, error) {
	return through(b.line, func() (objstore.Object, error) { return b.Bucket.Copy(ctx, dst, src) })
}

func (b faultyBucket) Delete(ctx context.Context, keys ...string) (map[string]error, error) {
	return through(b.line, func() (map[string]error, error) { return b.Bucket.Delete(ctx, keys...) })
}

// Sign makes copies between the storages the server's work.
func (b faultyBucket) Sign(context.Context, objstore.SignRequest) (objstore.SignedRequest, error) {
	return objstore.SignedRequest{}, objstore.ErrUnsupported
}

// doing is a change whose storage calls are broken one after the other. It
// tells whether everything was reported as done, and the paths that were not.
type doing struct {
	name string
	do   func(y *fixture) (whole bool, failed []string)
	want map[string]string // where each file goes; "" means it is deleted
	copy bool              // the originals stay
}

func movedItems(result transfer.CopyResult, err error) (bool, []string) {
	if err != nil {
		return false, []string{"all"}
	}
	var failed []string
	for _, f := range result.Failed {
		failed = append(failed, f.Source)
	}
	return len(failed) == 0, failed
}

func doings() []doing {
	folder := []string{"d/a", "d/b", "d/e/c", "d/e/f/g", "d/z"}
	to := func(front string) map[string]string {
		where := map[string]string{}
		for _, name := range folder {
			where["near:"+name] = front + strings.TrimPrefix(name, "d/")
		}
		return where
	}
	gone := map[string]string{}
	for _, name := range folder {
		gone["near:"+name] = ""
	}
	request := func(from, to string) transfer.CopyRequest { return items(from, to) }
	return []doing{
		{"rename a folder", func(y *fixture) (bool, []string) {
			_, err := y.Rename(context.Background(), mountstest.Admin, "/m/d", "/m/new", false)
			return err == nil, nil
		}, to("near:new/"), false},
		{"rename a file", func(y *fixture) (bool, []string) {
			_, err := y.Rename(context.Background(), mountstest.Admin, "/m/d/a", "/m/d/a2", false)
			return err == nil, nil
		}, map[string]string{"near:d/a": "near:d/a2"}, false},
		{"move a folder to another storage", func(y *fixture) (bool, []string) {
			return movedItems(y.Move(context.Background(), mountstest.Admin, request("/m/d/", "/far/new")))
		}, to("far:new/"), false},
		{"move a file over another", func(y *fixture) (bool, []string) {
			r := request("/m/d/a", "/far/old")
			r.SkipExisting = false
			return movedItems(y.Move(context.Background(), mountstest.Admin, r))
		}, map[string]string{"near:d/a": "far:old"}, false},
		{"copy a folder", func(y *fixture) (bool, []string) {
			return movedItems(y.Copy(context.Background(), mountstest.Admin, request("/m/d/", "/m/new")))
		}, to("near:new/"), true},
		{"copy a folder to another storage", func(y *fixture) (bool, []string) {
			return movedItems(y.Copy(context.Background(), mountstest.Admin, request("/m/d/", "/far/new")))
		}, to("far:new/"), true},
		{"delete a folder", func(y *fixture) (bool, []string) {
			done, err := y.Remove(context.Background(), mountstest.Admin, []string{"/m/d/"}, false)
			return err == nil && done.Done == 1, nil
		}, gone, false},
	}
}

// faultyYard is a fixture with files in both storages and a line that can break.
func faultyYard(t *testing.T, at int, f fault) (*fixture, *faulty) {
	y := newFixture(t)
	y.Put(y.Near, "d/", "d/a", "d/b", "d/e/", "d/e/c", "d/e/f/g", "d/z", "other")
	y.Put(y.Far, "old=before", "other=far")
	line := &faulty{at: at, fault: f, memory: y.Memory}
	deps := y.Deps
	deps.Storages = mountstest.Stores{Opener: portstest.Opener{"near": faultyBucket{y.Near, line}, "far": faultyBucket{y.Far, line}}, About: y.Deps.Storages.(mountstest.Stores).About}
	deps.Report = func(string, error) {}
	y.Build(deps)
	y.Deps = deps
	return y, line
}

// all are the contents of both storages, as "near:d/a".
func (y *fixture) all() map[string]string {
	all := map[string]string{}
	for name, content := range y.Files(y.Near) {
		all["near:"+name] = content
	}
	for name, content := range y.Files(y.Far) {
		all["far:"+name] = content
	}
	return all
}

func TestFaultsNeverLoseOrDoubleAnObjectUnreported(t *testing.T) {
	for _, d := range doings() {
		t.Run(d.name, func(t *testing.T) {
			y, line := faultyYard(t, 0, fault{})
			if _, err := y.Rename(t.Context(), mountstest.Admin, "/m/none", "/m/x", false); err == nil {
				t.Fatal("a missing file was renamed") // and the mounts are read now
			}
			before := y.all()
			line.calls = 0
			if whole, failed := d.do(y); !whole {
				t.Fatalf("without a fault: %v", failed)
			}
			after := y.all()
			for n := 1; n <= line.calls; n++ {
				for _, f := range faults {
					checkFault(t, d, n, f, before, after)
				}
			}
			if line.calls < 4 {
				t.Errorf("only %d calls were broken", line.calls)
			}
		})
	}
}

func checkFault(t *testing.T, d doing, n int, f fault, before, after map[string]string) {
	t.Helper()
	y, line := faultyYard(t, n, f)
	whole, failed := d.do(y)
	line.repair()
	started := y.Clock.Add(2 * time.Minute)
	y.Build(y.Deps) // the process is another one after a crash
	if err := y.Recover(t.Context(), started); err != nil {
		t.Errorf("%s at call %d: recover: %v", f.name, n, err)
	}
	got := y.all()
	say := func(text string, args ...any) {
		t.Helper()
		t.Errorf("%s at call %d (whole %t, failed %v): %s\n%v", f.name, n, whole, failed, fmt.Sprintf(text, args...), got)
	}
	if left, err := y.Journal.List(t.Context(), transfer.MoveFilter{IdleSince: started.Add(time.Hour)}); err != nil || left.Total > 0 {
		say("the journal is not empty: %v, %v", left.Items, err)
	}
	switch {
	case whole && !maps.Equal(got, after):
		say("it was reported as done and is not")
	case d.copy:
		checkCopied(say, d, before, got, whole)
	case d.name == "delete a folder":
		for name, content := range before {
			if _, named := d.want[name]; !named && got[name] != content {
				say("%s is gone", name)
			}
		}
	case !maps.Equal(got, before) && !maps.Equal(got, after) && !halfReplaced(d, before, got):
		say("it is neither as before nor as it should be")
	}
}

// halfReplaced reports whether a file was put over another and its original is
// still there, which was reported as failed.
func halfReplaced(d doing, before, got map[string]string) bool {
	if d.name != "move a file over another" {
		return false
	}
	want := maps.Clone(before)
	want["far:old"] = before["near:d/a"]
	return maps.Equal(got, want)
}

// checkCopied checks that originals stay and copies are whole.
func checkCopied(say func(string, ...any), d doing, before, got map[string]string, whole bool) {
	for name, content := range before {
		if got[name] != content {
			say("%s has changed", name)
		}
	}
	targets := slices.Collect(maps.Values(d.want))
	for name, content := range got {
		if _, old := before[name]; old {
			continue
		}
		if !slices.Contains(targets, name) {
			say("%s is not wanted", name)
		}
		for from, to := range d.want {
			if to == name && before[from] != content {
				say("%s is not a copy", name)
			}
		}
	}
	for _, name := range targets {
		if _, there := got[name]; whole && !there {
			say("%s is missing", name)
		}
	}
}
