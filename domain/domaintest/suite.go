package domaintest

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"pasteport/domain/keys"
	"pasteport/domain/mounts"
	"pasteport/domain/mounts/dav"
	"pasteport/domain/mounts/history"
	"pasteport/domain/mounts/index"
	"pasteport/domain/mounts/transfer"
	"pasteport/domain/requests"
	"pasteport/domain/settings"
	"pasteport/domain/shares"
	"pasteport/domain/shares/cleanup"
	"pasteport/domain/shares/collections"
	"pasteport/domain/shares/reconcile"
	"pasteport/domain/shares/revisions"
	"pasteport/domain/shares/versions"
	"pasteport/domain/shares/visitlog"
	"pasteport/domain/storage"
	"pasteport/domain/tasks"
	"pasteport/domain/uploads"
	"pasteport/ports"
	"pasteport/ports/portstest"
)

// Stores are the repositories of one empty database.
type Stores struct {
	Pastes          shares.PasteRepository
	PasteRemains    cleanup.Remains[cleanup.Seen]
	Revisions       revisions.Repository
	History         history.Repository
	Visits          visitlog.Repository
	Files           shares.FileRepository
	FileObjects     shares.FileObjects
	FileRemains     cleanup.Remains[shares.File]
	FileVersions    versions.Repository
	Collections     collections.Repository
	CollectionItems collections.Items
	SetRemains      cleanup.Remains[cleanup.Seen] // of collections
	Keys            keys.KeyRepository
	Admins          keys.AdminRepository
	Sessions        keys.SessionRepository
	Settings        settings.Repository
	StorageConfigs  storage.ConfigRepository
	Tasks           tasks.Repository
	TaskRuns        tasks.Runs
	Mounts          mounts.MountRepository
	Locks           dav.LockRepository
	Properties      dav.PropertyRepository
	Uploads         uploads.Repository
	Requests        requests.Repository
	RequestFiles    requests.FileRepository
	Journal         transfer.Journal
	Index           index.Repository
	Ledger          storage.LedgerRepository
	Guesses         ports.Guesses
	Idempotency     ports.Idempotency
	Unit            ports.UnitOfWork
	FileKeys        reconcile.Records
	UploadKeys      reconcile.Uploads
	Clock           *portstest.Clock // the one that Guesses looks at
}

// OpenStores gives an empty database for one test.
type OpenStores func(t *testing.T) Stores

// Stores returns the repositories of m for the suites.
func (m *Memory) Stores(clock *portstest.Clock) Stores {
	return Stores{
		m.Pastes(), m.PasteRemains(), m.Revisions(), m.History(), m.Visits(), m.Files(), m.FileObjects(), m.FileRemains(), m.FileVersions(), m.Collections(), m.Items(), m.CollectionRemains(), m.Keys(), m.Admins(), m.Sessions(), m.Settings(), m.StorageConfigs(), m.Tasks(), m.TaskRuns(), m.Mounts(), m.Locks(), m.Properties(), m.Uploads(), m.Requests(), m.RequestFiles(), m.Journal(), m.Index(), m.Ledger(), m.Guesses(), m.Idempotency(), m, m.FileKeys(), m.UploadKeys(), clock,
	}
}

// RunAll runs every suite of this package that a database must pass.
func RunAll(t *testing.T, open OpenStores) {
	t.Run("pastes", func(t *testing.T) { RunPastes(t, open) })
	t.Run("revisions", func(t *testing.T) { RunRevisions(t, open) })
	t.Run("earlier contents of files", func(t *testing.T) { RunHistory(t, open) })
	t.Run("latches", func(t *testing.T) { RunLatches(t, open) })
	t.Run("who opened shares", func(t *testing.T) { RunVisits(t, open) })
	t.Run("files", func(t *testing.T) { RunFiles(t, open) })
	t.Run("versions of files", func(t *testing.T) { RunFileVersions(t, open) })
	t.Run("collections", func(t *testing.T) { RunCollections(t, open) })
	t.Run("keys", func(t *testing.T) { RunKeys(t, open) })
	t.Run("settings", func(t *testing.T) { RunSettings(t, open) })
	t.Run("mounts", func(t *testing.T) { RunMounts(t, open) })
	t.Run("webdav", func(t *testing.T) { RunWebDAV(t, open) })
	t.Run("uploads in parts", func(t *testing.T) { RunUploads(t, open) })
	t.Run("records by key", func(t *testing.T) { RunReconcile(t, open) })
	t.Run("requests", func(t *testing.T) { RunRequests(t, open) })
	t.Run("index", func(t *testing.T) { RunIndex(t, open) })
	t.Run("ledger", func(t *testing.T) { RunLedger(t, open) })
	t.Run("journal", func(t *testing.T) { RunJournal(t, open) })
	t.Run("storage configs", func(t *testing.T) { RunStorageConfigs(t, open) })
	t.Run("tasks", func(t *testing.T) { RunTasks(t, open) })
	t.Run("guesses", func(t *testing.T) { RunGuesses(t, open) })
	t.Run("idempotency", func(t *testing.T) { RunIdempotency(t, open) })
	t.Run("unit of work", func(t *testing.T) { RunUnitOfWork(t, open) })
}

// Subject says how the general suite handles one kind of entity.
type Subject[E, F any] struct {
	New    func(n int) *E // the n-th entity, created n minutes after portstest.Start
	ID     func(*E) string
	Change func(*E) // changes something without touching unique names
	Clash  func(first, second *E)
	Key    string // of the Conflict that Clash leads to; empty when nothing clashes
	Page   func(ports.Paging) F
	Oldest bool // lists go from the first to the last entity
}

// RunRepository checks the five methods that all repositories have.
func RunRepository[E, F any](t *testing.T, open func(t *testing.T) ports.Repository[E, F], s Subject[E, F]) {
	t.Run("what is inserted comes back whole", func(t *testing.T) {
		r, want := open(t), s.New(1)
		must(t, r.Insert(t.Context(), want))
		got, err := r.Get(t.Context(), s.ID(want))
		must(t, err)
		equal(t, got, want)
	})
	t.Run("a missing id is not found", func(t *testing.T) {
		r := open(t)
		_, err := r.Get(t.Context(), "missing")
		wantCode(t, err, ports.NotFound, "not_found")
		_, err = r.Update(t.Context(), "missing", func(*E) error { return nil })
		wantCode(t, err, ports.NotFound, "not_found")
		n, err := r.Delete(t.Context(), "missing")
		must(t, err)
		equal(t, n, 0)
	})
	t.Run("an id is taken once", func(t *testing.T) {
		r, first, second := open(t), s.New(1), s.New(1)
		must(t, r.Insert(t.Context(), first))
		wantCode(t, r.Insert(t.Context(), second), ports.Conflict, "")
	})
	if s.Clash != nil {
		t.Run("a unique name is taken once", func(t *testing.T) {
			r, first, second := open(t), s.New(1), s.New(2)
			must(t, r.Insert(t.Context(), first))
			must(t, r.Insert(t.Context(), second))
			third := s.New(3)
			s.Clash(first, third)
			wantCode(t, r.Insert(t.Context(), third), ports.Conflict, s.Key)
			_, err := r.Get(t.Context(), s.ID(third))
			wantCode(t, err, ports.NotFound, "not_found")
			_, err = r.Update(t.Context(), s.ID(second), func(e *E) error { s.Clash(first, e); return nil })
			wantCode(t, err, ports.Conflict, s.Key)
			got, err := r.Get(t.Context(), s.ID(second))
			must(t, err)
			equal(t, got, second)
		})
	}
	t.Run("update saves what change leaves", func(t *testing.T) {
		r, e := open(t), s.New(1)
		must(t, r.Insert(t.Context(), e))
		want := s.New(1)
		s.Change(want)
		got, err := r.Update(t.Context(), s.ID(e), func(e *E) error { s.Change(e); return nil })
		must(t, err)
		equal(t, got, want)
		got, err = r.Get(t.Context(), s.ID(e))
		must(t, err)
		equal(t, got, want)
	})
	t.Run("a refused update changes nothing", func(t *testing.T) {
		r, e := open(t), s.New(1)
		must(t, r.Insert(t.Context(), e))
		refused := errors.New("refused")
		_, err := r.Update(t.Context(), s.ID(e), func(e *E) error { s.Change(e); return refused })
		if !errors.Is(err, refused) {
			t.Errorf("error = %v, want the one of change", err)
		}
		got, err := r.Get(t.Context(), s.ID(e))
		must(t, err)
		equal(t, got, s.New(1))
	})
	t.Run("concurrent updates all count", func(t *testing.T) {
		r, e := open(t), s.New(1)
		must(t, r.Insert(t.Context(), e))
		var inside, calls atomic.Int64
		var wg sync.WaitGroup
		for range 8 {
			wg.Go(func() {
				_, err := r.Update(t.Context(), s.ID(e), func(*E) error {
					calls.Add(1)
					if now := inside.Add(1); now > 1 {
						t.Errorf("%d updates of one entity at once", now)
					}
					runtime.Gosched()
					inside.Add(-1)
					return nil
				})
				if err != nil {
					t.Error(err)
				}
			})
		}
		wg.Wait()
		if calls.Load() < 8 {
			t.Errorf("calls = %d, want 8", calls.Load())
		}
	})
	t.Run("delete counts those that existed", func(t *testing.T) {
		r := open(t)
		for n := range 3 {
			must(t, r.Insert(t.Context(), s.New(n)))
		}
		n, err := r.Delete(t.Context(), s.ID(s.New(0)), "missing", s.ID(s.New(2)), s.ID(s.New(0)))
		must(t, err)
		equal(t, n, 2)
		_, err = r.Get(t.Context(), s.ID(s.New(0)))
		wantCode(t, err, ports.NotFound, "not_found")
		_, err = r.Get(t.Context(), s.ID(s.New(1)))
		must(t, err)
		n, err = r.Delete(t.Context())
		must(t, err)
		equal(t, n, 0)
	})
	t.Run("lists are ordered and paged", func(t *testing.T) {
		r := open(t)
		for n := range 5 {
			must(t, r.Insert(t.Context(), s.New(n)))
		}
		for _, c := range []struct {
			paging ports.Paging
			want   []int
		}{
			{ports.Paging{}, []int{4, 3, 2, 1, 0}},
			{ports.Paging{Limit: 2}, []int{4, 3}},
			{ports.Paging{Limit: 2, Offset: 3}, []int{1, 0}},
			{ports.Paging{Limit: 5000, Offset: -1}, []int{4, 3, 2, 1, 0}},
			{ports.Paging{Limit: -1, Offset: 4}, []int{0}},
			{ports.Paging{Limit: 2, Offset: 9}, []int{}},
		} {
			page, err := r.List(t.Context(), s.Page(c.paging))
			must(t, err)
			got := []string{}
			for i := range page.Items {
				got = append(got, s.ID(&page.Items[i]))
			}
			want := []string{}
			for _, n := range c.want {
				if s.Oldest {
					n = 4 - n
				}
				want = append(want, s.ID(s.New(n)))
			}
			if page.Total != 5 {
				t.Errorf("%+v: total = %d, want 5", c.paging, page.Total)
			}
			if d := cmp.Diff(got, want); d != "" {
				t.Errorf("%+v: got -, want +\n%s", c.paging, d)
			}
		}
	})
	t.Run("a context that has ended gets nothing", func(t *testing.T) {
		r := open(t)
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if err := r.Insert(ctx, s.New(1)); !errors.Is(err, context.Canceled) || !ports.Is(err, ports.Unavailable) {
			t.Errorf("insert: %v, want Unavailable because of the context", err)
		}
		if _, err := r.Get(ctx, "x"); !errors.Is(err, context.Canceled) || !ports.Is(err, ports.Unavailable) {
			t.Errorf("get: %v, want Unavailable because of the context", err)
		}
		_, err := r.Get(t.Context(), s.ID(s.New(1)))
		wantCode(t, err, ports.NotFound, "not_found")
	})
}

func testID(n int) string { return fmt.Sprintf("01990000-0000-7000-8000-%012d", n) }

// minute is n minutes after Start.
func minute(n int) time.Time { return portstest.Start.Add(time.Duration(n) * time.Minute) }

func ptr[T any](v T) *T { return &v }

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatalf("error = %v, want none", err)
	}
}

func equal(t *testing.T, got, want any) {
	t.Helper()
	if d := cmp.Diff(got, want); d != "" {
		t.Errorf("got -, want +\n%s", d)
	}
}

// wantCode checks an error's code, and its key when that is given.
func wantCode(t *testing.T, err error, code ports.Code, key string) {
	t.Helper()
	var e *ports.Error
	if !errors.As(err, &e) || e.Code != code || key != "" && e.Key != key {
		t.Errorf("error = %v, want code %d with key %q", err, code, key)
	}
}

// erasableOf walks over all that may go, a few at a time; what was used up five
// minutes in may not go yet.
func erasableOf[E any](t *testing.T, of cleanup.Remains[E], expiredBefore time.Time, limit int) []E {
	t.Helper()
	all := []E{}
	for after := ""; ; {
		found, next, err := of.Erasable(t.Context(), minute(5), expiredBefore, after, limit)
		must(t, err)
		if len(found) > limit {
			t.Fatalf("%d on a page of %d", len(found), limit)
		}
		all = append(all, found...)
		if after = next; after == "" {
			return all
		}
	}
}

// changesAfterALook are what a janitor has not seen of a share.
var changesAfterALook = map[string]func(version *int64, g *shares.Gate){
	"edited or replaced":  func(version *int64, _ *shares.Gate) { *version++ },
	"it ends later":       func(_ *int64, g *shares.Gate) { g.ExpiresAt = ptr(minute(900)) },
	"it ends no more":     func(_ *int64, g *shares.Gate) { g.ExpiresAt = nil },
	"its views are taken": func(_ *int64, g *shares.Gate) { g.UsedUpAt = ptr(minute(4)) },
}

// sawPaste is what a janitor sees of paste n now.
func sawPaste(t *testing.T, s Stores, n int) cleanup.Seen {
	t.Helper()
	p, err := s.Pastes.Get(t.Context(), testID(n))
	must(t, err)
	return cleanup.Saw(p.ID, p.Version, &p.Gate)
}

// sawFile is what a janitor sees of file n now.
func sawFile(t *testing.T, s Stores, n int) cleanup.Seen {
	t.Helper()
	f, err := s.Files.Get(t.Context(), testID(n))
	must(t, err)
	return cleanup.Saw(f.ID, f.Version, &f.Gate)
}

// erasableIDs is erasableOf of ids, in their order.
func erasableIDs(t *testing.T, of cleanup.Remains[cleanup.Seen], expiredBefore time.Time, limit int) []string {
	t.Helper()
	ids := []string{}
	for _, share := range erasableOf(t, of, expiredBefore, limit) {
		ids = append(ids, share.ID)
	}
	slices.Sort(ids)
	return ids
}
