package bunstore_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"pasteport/adapters/bunstore"
	"pasteport/adapters/bunstore/bunstoretest"
	"pasteport/domain/shares"
	"pasteport/domain/shares/cleanup"
	"pasteport/domain/shares/versions"
	"pasteport/domain/storage"
	"pasteport/domain/uploads"
	"pasteport/ports"
	"pasteport/ports/capacity"
	"pasteport/ports/objstore"
	"pasteport/ports/policy"
	"pasteport/ports/portstest"
	"pasteport/ports/upload"
)

// process is a server that dies at one of its writes, to the database or to the
// storage: before it, or after it and without an answer. Nothing that it does then has
// any effect.
type process struct {
	mu    sync.Mutex
	n     int
	dies  int // at which write; 0: at none
	after bool
	dead  bool
}

var errDead = ports.ErrUnavailable.With(errors.New("the process is dead"))

// writes does a write, unless the process is dead.
func (p *process) writes(do func() error) error {
	p.mu.Lock()
	p.n++
	dies := p.n == p.dies
	if p.dead || dies && !p.after {
		p.dead = true
		p.mu.Unlock()
		return errDead
	}
	p.mu.Unlock()
	err := do()
	if dies {
		p.mu.Lock()
		p.dead = true
		p.mu.Unlock()
		return errDead
	}
	return err
}

type inUnit struct{}

// write is a write of ctx; what belongs to a unit of work is none of its own.
func (p *process) write(ctx context.Context, do func(ctx context.Context) error) error {
	if ctx.Value(inUnit{}) != nil {
		return do(ctx)
	}
	return p.writes(func() error { return do(context.WithValue(ctx, inUnit{}, true)) })
}

type dyingWork struct {
	ports.UnitOfWork
	p *process
}

func (d dyingWork) Do(ctx context.Context, fn func(context.Context) error) error {
	return d.p.write(ctx, func(ctx context.Context) error { return d.UnitOfWork.Do(ctx, fn) })
}

type dyingFiles struct {
	shares.FileRepository
	p *process
}

func (d dyingFiles) Insert(ctx context.Context, f *shares.File) error {
	return d.p.write(ctx, func(ctx context.Context) error { return d.FileRepository.Insert(ctx, f) })
}

func (d dyingFiles) Reserve(ctx context.Context, f *shares.File, most int64) error {
	return d.p.write(ctx, func(ctx context.Context) error { return d.FileRepository.Reserve(ctx, f, most) })
}

func (d dyingFiles) Update(ctx context.Context, id string, change func(*shares.File) error) (f *shares.File, err error) {
	err = d.p.write(ctx, func(ctx context.Context) error {
		f, err = d.FileRepository.Update(ctx, id, change)
		return err
	})
	return f, err
}

func (d dyingFiles) Delete(ctx context.Context, ids ...string) (n int, err error) {
	err = d.p.write(ctx, func(ctx context.Context) error {
		n, err = d.FileRepository.Delete(ctx, ids...)
		return err
	})
	return n, err
}

type dyingLedger struct {
	*storage.Ledger
	p *process
}

func (d dyingLedger) Reserve(ctx context.Context, c capacity.Claim) error {
	return d.p.write(ctx, func(ctx context.Context) error { return d.Ledger.Reserve(ctx, c) })
}

func (d dyingLedger) Add(ctx context.Context, c capacity.Claim) error {
	return d.p.write(ctx, func(ctx context.Context) error { return d.Ledger.Add(ctx, c) })
}

func (d dyingLedger) ReserveWith(ctx context.Context, c capacity.Claim, also func(context.Context) error) error {
	return d.p.write(ctx, func(ctx context.Context) error { return d.Ledger.ReserveWith(ctx, c, also) })
}

func (d dyingLedger) SettleWith(ctx context.Context, c capacity.Claim, size int64, also func(context.Context) error) error {
	return d.p.write(ctx, func(ctx context.Context) error { return d.Ledger.SettleWith(ctx, c, size, also) })
}

func (d dyingLedger) Release(ctx context.Context, id string) (stood bool, err error) {
	err = d.p.write(ctx, func(ctx context.Context) error {
		stood, err = d.Ledger.Release(ctx, id)
		return err
	})
	return stood, err
}

func (d dyingLedger) Freed(ctx context.Context, id string) error {
	return d.p.write(ctx, func(ctx context.Context) error { return d.Ledger.Freed(ctx, id) })
}

type dyingBucket struct {
	*portstest.Bucket
	p *process
	// lost is an answer of Write that gets lost, with the process alive.
	lost error
}

func (b dyingBucket) Write(ctx context.Context, key string, body io.Reader, o objstore.WriteOptions) (object objstore.Object, err error) {
	err = b.p.writes(func() error {
		object, err = b.Bucket.Write(ctx, key, body, o)
		return cmpErr(err, b.lost)
	})
	return object, err
}

func cmpErr(err, or error) error {
	if err != nil {
		return err
	}
	return or
}

func (b dyingBucket) Delete(ctx context.Context, keys ...string) (failed map[string]error, err error) {
	err = b.p.writes(func() error {
		failed, err = b.Bucket.Delete(ctx, keys...)
		return err
	})
	return failed, err
}

// allowed lets owners do what they ask for, within quotas.
type allowed struct{ quotas capacity.Limits }

func (a allowed) Decide(context.Context, policy.Principal, policy.Action, policy.Resource) (policy.Decision, error) {
	return policy.Decision{Allow: true, Scope: policy.Own, Obligations: policy.Obligations{Quotas: a.quotas}}, nil
}

type plainSettings struct{}

func (plainSettings) MaxUploadSize() int64           { return 0 }
func (plainSettings) DefaultUseProxy() bool          { return false }
func (plainSettings) ShareLimits() ports.ShareLimits { return ports.ShareLimits{} }
func (plainSettings) Revisions() ports.Revisions     { return ports.Revisions{} }
func (plainSettings) RandomSuffix() bool             { return false }
func (plainSettings) PreviewTypes(string) []string   { return nil }
func (plainSettings) ExpiredGrace() time.Duration    { return time.Hour }

// oneStorage is a storage with a capacity, the only one there is.
type oneStorage struct{ bucket objstore.Bucket }

func (s oneStorage) Bucket(context.Context, string) (objstore.Bucket, error) { return s.bucket, nil }

func (s oneStorage) Storage(context.Context, string) (objstore.Storage, error) {
	return objstore.Storage{ID: "c", Type: "S3", Public: true, Capacity: 1000}, nil
}

func (s oneStorage) Default(ctx context.Context, _ bool) (objstore.Storage, error) {
	return s.Storage(ctx, "c")
}

// site is what outlives a process: the database, the storage and the clock.
type site struct {
	t      *testing.T
	db     *bunstore.Store
	bucket *portstest.Bucket
	clock  *portstest.Clock
	random *portstest.Random
	quotas capacity.Limits
}

func newSite(t *testing.T) *site {
	s := &site{t: t, bucket: portstest.NewBucket(), clock: portstest.NewClock(), random: &portstest.Random{}, quotas: capacity.Limits{BytesDay: 2000, BytesStored: 500}}
	s.bucket.Clock = s.clock
	path := filepath.Join(t.TempDir(), "test.db")
	bunstoretest.WriteMigrated(t, path)
	s.db = bunstoretest.Open(t, path, s.clock)
	if err := s.db.Sweeps().SetLast(t.Context(), s.clock.Now()); err != nil {
		t.Fatal(err)
	}
	return s
}

// running is a server of a site.
type running struct {
	deps    shares.Deps
	files   *shares.Files
	uploads *shares.FileUploads
	janitor *cleanup.Janitor
	ledger  *storage.Ledger
}

func (s *site) start(p *process, lost error) *running {
	there := oneStorage{dyingBucket{s.bucket, p, lost}}
	ledger := dyingLedger{storage.NewLedger(s.db.Ledger(), there, s.clock, nil), p}
	sessions := uploads.New(uploads.Deps{Sessions: s.db.Uploads(), Buckets: there, Ledger: ledger, Clock: s.clock})
	r := &running{ledger: ledger.Ledger, deps: shares.Deps{Files: dyingFiles{s.db.Files(), p}, FileObjects: s.db.Files(), Storages: there, Ledger: ledger, Uploads: sessions, Decider: allowed{s.quotas},
		Hasher: &portstest.Hasher{}, MAC: portstest.MAC{}, Random: s.random, Clock: s.clock, Settings: plainSettings{}, Work: dyingWork{s.db, p}}}
	keeper := versions.NewKeeper(r.deps, s.db.Files())
	r.deps.Replaced = keeper
	r.files = shares.NewFiles(r.deps)
	r.uploads = shares.NewFileUploads(r.files)
	sessions.Serve(upload.ForShares, r.uploads)
	r.janitor = cleanup.New(r.deps, cleanup.Records{Pastes: s.db.Pastes(), Files: s.db.Files(), Collections: s.db.Collections(), Sweeps: s.db.Sweeps(), Revisions: []cleanup.Revisions{keeper}})
	return r
}

// tidied lets a new server sweep for as long as anything is waited for.
func (s *site) tidied() *running {
	s.t.Helper()
	r := s.start(&process{}, nil)
	for range 4 {
		s.clock.Add(13 * time.Hour)
		if _, err := r.janitor.Sweep(s.t.Context()); err != nil {
			s.t.Fatal(err)
		}
	}
	return r
}

// whole checks that every object belongs to a share and every share has its object,
// and that no room is taken by anything else.
func (s *site) whole(want map[string]string) {
	s.t.Helper()
	r := s.tidied()
	page, err := s.db.Files().List(s.t.Context(), shares.FileFilter{})
	if err != nil {
		s.t.Fatal(err)
	}
	got, held := map[string]string{}, int64(0)
	var keys []string
	for _, f := range page.Items {
		got[f.Slug] = string(s.bucket.Bytes(f.StoragePath))
		keys = append(keys, f.StoragePath)
		held += f.Size
	}
	if !maps.Equal(got, want) {
		s.t.Errorf("shared are %q, want %q", got, want)
	}
	slices.Sort(keys)
	if there := s.bucket.Keys(); !slices.Equal(there, keys) {
		s.t.Errorf("the storage has %q, shares have %q", there, keys)
	}
	used, err := s.db.Ledger().Uploads(s.t.Context(), s.clock.Now(), owner.Owner())
	if err != nil || used.BytesStored != held {
		s.t.Errorf("%d bytes count as stored, %v; there are %d", used.BytesStored, err, held)
	}
	usage, err := s.db.Files().Usage(s.t.Context())
	if err != nil || usage["c"].Files != int64(len(want)) {
		s.t.Errorf("%d files count, %v", usage["c"].Files, err)
	}
	if a, err := s.db.Ledger().Account(s.t.Context(), "c"); err != nil && !ports.Is(err, ports.NotFound) || a.Reserved != 0 {
		s.t.Errorf("%d bytes are reserved, %v", a.Reserved, err)
	}
	// Another file may have all of the room that is left, and no more.
	fits := func(size int64) error {
		in := shares.NewUpload{StorageConfigID: "c", Filename: "rest.bin"}
		_, err := r.uploads.Upload(s.t.Context(), other, in, strings.NewReader(strings.Repeat("x", int(size))), size)
		return err
	}
	s.quotas = capacity.Limits{}
	r = s.start(&process{}, nil)
	if err := fits(1000 - held + 1); !ports.Is(err, ports.Quota) {
		s.t.Errorf("more than there is room for: %v", err)
	}
	if err := fits(1000 - held); err != nil {
		s.t.Errorf("as much as there is room for: %v", err)
	}
}

var (
	owner = policy.Principal{Kind: policy.APIKey, ID: "a", Permissions: policy.AllPermissions, BasicPath: "/"}
	other = policy.Principal{Kind: policy.APIKey, ID: "b", Permissions: policy.AllPermissions, BasicPath: "/"}
)

// A process may die at any write of an upload, whether that ends well or not: the
// janitor or whoever goes on leaves the share with its object or nothing of either, and
// nothing is counted twice or for what is not there.
func TestNoUploadIsHalfThereWhereverItsProcessDies(t *testing.T) {
	refused := &ports.Error{Code: ports.Conflict, Key: "no"}
	one := map[string]string{"s": "content"}
	put := func(slug, content string, more func(*shares.NewUpload)) func(*site, *running) error {
		return func(s *site, r *running) error {
			in := shares.NewUpload{StorageConfigID: "c", Filename: "a.txt", Slug: slug}
			if more != nil {
				more(&in)
			}
			_, err := r.uploads.Upload(s.t.Context(), owner, in, strings.NewReader(content), int64(len(content)))
			return err
		}
	}
	inbox := func(came error) func(*site, *running) error {
		return func(s *site, r *running) error {
			_, err := r.uploads.Inbox().Store(s.t.Context(), owner, upload.Incoming{Name: "a.txt", Size: 7, Came: func(context.Context, upload.Received) error { return came }}, strings.NewReader("content"))
			return err
		}
	}
	announced := func(end func(s *site, r *running, id string) error) func(*site, *running) error {
		return func(s *site, r *running) error {
			p, err := r.uploads.Presign(s.t.Context(), owner, shares.NewUpload{StorageConfigID: "c", Filename: "a.txt", Slug: "s", Size: 7})
			if err != nil {
				return err
			}
			s.bucket.Put(p.File.StoragePath, "content")
			return end(s, r, p.File.ID)
		}
	}
	for name, c := range map[string]struct {
		before func(*site, *running) error
		do     func(*site, *running) error
		lost   error // the answer of the storage to a write
		// may are what may be shared afterwards; without a death the last is.
		may []map[string]string
	}{
		"one that ends well":            {do: put("s", "content", nil), may: []map[string]string{{}, one}},
		"one whose body is cut":         {do: func(s *site, r *running) error { return cut(s, r) }, may: []map[string]string{{}}},
		"one whose answer is lost":      {do: put("s", "content", nil), lost: ports.ErrUnavailable, may: []map[string]string{{}}},
		"one that is refused when told": {do: inbox(refused), may: []map[string]string{{}}},
		"one that is larger than its quota": {do: func(s *site, r *running) error {
			_, err := r.uploads.Upload(s.t.Context(), owner, shares.NewUpload{StorageConfigID: "c", Filename: "a.txt", Slug: "s"}, strings.NewReader(strings.Repeat("x", 501)), -1)
			return err
		}, may: []map[string]string{{}}},
		"one that is cancelled": {do: announced(func(s *site, r *running, id string) error { return r.uploads.Cancel(s.t.Context(), owner, id) }), may: []map[string]string{{}}},
		"one that is committed": {do: announced(func(s *site, r *running, id string) error {
			_, err := r.uploads.Commit(s.t.Context(), owner, id)
			return err
		}), may: []map[string]string{{}, one}},
		"one that replaces": {before: put("s", "former", nil), do: put("s", "content", func(in *shares.NewUpload) { in.Override = true }),
			may: []map[string]string{{"s": "former"}, one}},
		"one that replaces where there is no room for both": {before: put("s", strings.Repeat("f", 300), nil), do: put("s", strings.Repeat("n", 300), func(in *shares.NewUpload) { in.Override = true }),
			may: []map[string]string{{"s": strings.Repeat("f", 300)}, {"s": strings.Repeat("n", 300)}}},
		"one that takes the place of one to come": {before: func(s *site, r *running) error {
			p, err := r.uploads.Presign(s.t.Context(), owner, shares.NewUpload{StorageConfigID: "c", Filename: "a.txt", Slug: "s", Size: 7})
			if err == nil {
				s.bucket.Put(p.File.StoragePath, "nothing")
			}
			return err
		}, do: put("s", "content", func(in *shares.NewUpload) { in.Override = true }), may: []map[string]string{{}, one}},
	} {
		t.Run(name, func(t *testing.T) {
			for at := 0; ; at++ {
				for _, after := range []bool{false, true} {
					if at == 0 && after {
						continue
					}
					p := &process{dies: at, after: after}
					died := false
					t.Run(fmt.Sprintf("write %d, after it %t", at, after), func(t *testing.T) {
						s := newSite(t)
						if c.before != nil {
							if err := c.before(s, s.start(&process{}, nil)); err != nil {
								t.Fatal(err)
							}
							s.clock.Add(time.Minute)
						}
						err := c.do(s, s.start(p, c.lost))
						died = p.dead
						want := c.may[len(c.may)-1]
						if died {
							want = nil
							for _, may := range c.may {
								if s.shows(may) {
									want = may
								}
							}
							if err == nil && !s.shows(c.may[len(c.may)-1]) {
								t.Error("it was said to have come")
							}
						}
						s.whole(want)
					})
					if at > 0 && !died {
						return
					}
				}
			}
		})
	}
}

// shows reports whether visitors get these contents by these links, once all that waits
// is done.
func (s *site) shows(want map[string]string) bool {
	for slug, content := range want {
		f, err := s.db.Files().BySlug(s.t.Context(), slug)
		if err != nil || f.Pending || f.UsedUpAt != nil || string(s.bucket.Bytes(f.StoragePath)) != content {
			return false
		}
	}
	return true
}

// cut uploads a file whose body ends too early.
func cut(s *site, r *running) error {
	_, err := r.uploads.Upload(s.t.Context(), owner, shares.NewUpload{StorageConfigID: "c", Filename: "a.txt", Slug: "s"}, strings.NewReader("cont"), 7)
	return err
}
