package webdav

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/text/unicode/norm"

	"pasteport/domain/domaintest"
	"pasteport/domain/mounts"
	"pasteport/domain/mounts/dav"
	"pasteport/domain/mounts/index"
	"pasteport/domain/mounts/transfer"
	"pasteport/ports"
	"pasteport/ports/objstore"
	"pasteport/ports/policy"
	"pasteport/ports/portstest"
)

// rules allow everything and remember what they were asked.
type rules struct {
	mu    sync.Mutex
	asked []policy.Action
	paths [][]string
}

func (r *rules) Decide(_ context.Context, _ policy.Principal, do policy.Action, on policy.Resource) (policy.Decision, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.asked, r.paths = append(r.asked, do), append(r.paths, on.Paths)
	return policy.Decision{Allow: true, Scope: policy.All}, nil
}

// values are the operator's choices: nothing out of the ordinary.
type values struct{}

func (values) MaxUploadSize() int64             { return 0 }
func (values) DefaultUseProxy() bool            { return true }
func (values) RandomSuffix() bool               { return true }
func (values) ShareLimits() ports.ShareLimits   { return ports.ShareLimits{} }
func (values) Revisions() ports.Revisions       { return ports.Revisions{} }
func (values) PreviewTypes(string) []string     { return nil }
func (values) ExpiredGrace() time.Duration      { return 0 }
func (values) ProxySignAll() bool               { return true }
func (values) ProxySignExpires() time.Duration  { return 0 }
func (values) ProxySignEpoch() int64            { return 0 }
func (values) WebDAVUploadMode() string         { return "direct" }
func (values) WebDAVCreateParents() bool        { return false }
func (values) WebDAVIgnoreSystemFiles() bool    { return false }
func (values) WebDAVNoRedirectAgents() []string { return nil }

type stores struct{ portstest.Opener }

func (stores) Storage(_ context.Context, id string) (objstore.Storage, error) {
	return objstore.Storage{ID: id, Type: "S3", Public: true}, nil
}

type sharer struct{}

func (sharer) Share(context.Context, policy.Principal, policy.Obligations, mounts.NewShare) (mounts.Shared, error) {
	return mounts.Shared{}, ports.ErrNotFound
}
func (sharer) SharedIn(context.Context, string, *mounts.Place) (mounts.Marks, error) {
	return mounts.Marks{}, nil
}
func (sharer) Holds(context.Context, string, string) (bool, error) { return false, nil }
func (sharer) Moved(context.Context, mounts.Moved) (func(context.Context) error, error) {
	return func(context.Context) error { return nil }, nil
}

// frame is a Handler over one mount, /m, whose storage counts its calls.
type frame struct {
	*Handler
	t      testing.TB
	rules  *rules
	bucket *portstest.Bucket

	mu    sync.Mutex
	calls map[string]int
}

var boss = policy.Principal{Kind: policy.Admin, ID: "admin", BasicPath: "/"}

func newFrame(t testing.TB) *frame {
	t.Helper()
	clock := portstest.NewClock()
	memory := domaintest.NewMemory(clock)
	f := &frame{t: t, rules: &rules{}, bucket: portstest.NewBucket(), calls: map[string]int{}}
	f.bucket.Clock = clock
	f.bucket.Fail = func(method, _ string) error {
		f.mu.Lock()
		defer f.mu.Unlock()
		f.calls[method]++
		return nil
	}
	m := mounts.Mount{ID: "m", Name: "m", StorageType: "S3", StorageConfigID: "s", Path: "/m", Active: true, CacheTTL: 300, WebDAVPolicy: mounts.Native,
		CreatedAt: clock.Now(), UpdatedAt: clock.Now()}
	if err := memory.Mounts().Insert(t.Context(), &m); err != nil {
		t.Fatal(err)
	}
	tree := mounts.NewTree(mounts.Deps{Mounts: memory.Mounts(), Uploads: memory.UploadSessions(portstest.Opener{"s": f.bucket}, nil, clock),
		Sharer: sharer{}, Storages: stores{portstest.Opener{"s": f.bucket}}, Decider: f.rules, Work: memory,
		Invalidation: &portstest.Invalidation{}, Settings: values{}, MAC: portstest.MAC{}, Random: &portstest.Random{}, Clock: clock, Forms: forms,
		Report: func(doing string, err error) { t.Errorf("%s: %v", doing, err) }})
	resources := dav.New(tree, memory.Locks(), memory.Properties())
	tree.Join(index.New(tree, nil), resources)
	f.Handler = New(Options{Tree: tree, Resources: resources, Transfers: transfer.New(tree, memory.Journal()), Settings: values{}, Prefix: "/base/dav", Send: send})
	return f
}

// forms are the other normal forms of a text.
func forms(text string) (others []string) {
	for _, form := range []norm.Form{norm.NFC, norm.NFD} {
		if other := form.String(text); other != text {
			others = append(others, other)
		}
	}
	return others
}

// send stands for the handler that sends stored content.
func send(w http.ResponseWriter, r *http.Request, file *mounts.File, _ func(context.Context) (string, error)) error {
	body, err := file.Read(r.Context(), objstore.Range{})
	if err != nil {
		return err
	}
	defer body.Close()
	w.WriteHeader(http.StatusOK)
	_, err = body.WriteTo(w)
	return err
}

// call sends a request to a path below the prefix and returns the status and
// the body. header holds pairs of name and value.
func (f *frame) call(method, path, body string, header ...string) (int, string) {
	f.t.Helper()
	r := httptest.NewRequestWithContext(f.t.Context(), method, "/base/dav"+path, strings.NewReader(body))
	for i := 0; i < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	w := httptest.NewRecorder()
	if err := f.Serve(w, r, boss); err != nil {
		var status interface{ HTTPStatus() int }
		if as(err, &status) {
			return status.HTTPStatus(), err.Error()
		}
		return -int(ports.CodeOf(err)), err.Error()
	}
	return w.Code, w.Body.String()
}

// as is errors.As for interfaces that are no errors.
func as(err error, target *interface{ HTTPStatus() int }) bool {
	for err != nil {
		if s, ok := err.(interface{ HTTPStatus() int }); ok {
			*target = s
			return true
		}
		u, ok := err.(interface{ Unwrap() error })
		if !ok {
			return false
		}
		err = u.Unwrap()
	}
	return false
}

// fill puts n files into the folder /m/big.
func (f *frame) fill(n int) {
	for i := range n {
		f.bucket.Put(fmt.Sprintf("big/file-%05d.txt", i), "x")
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	clear(f.calls)
}
