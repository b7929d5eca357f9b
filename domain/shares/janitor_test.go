package shares_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"pasteport/domain/shares"
	"pasteport/domain/shares/cleanup"
	"pasteport/ports"
	"pasteport/ports/objstore"
	"pasteport/ports/policy"
	"pasteport/ports/portstest"
	"pasteport/ports/upload"
)

func (w *world) sweep() cleanup.Swept {
	w.t.Helper()
	s, err := w.janitor.Sweep(w.t.Context())
	if err != nil {
		w.t.Fatalf("sweep: %v", err)
	}
	return s
}

func TestJanitorErasesUsedUpSharesAfterTheLastVisit(t *testing.T) {
	w := newWorld(t)
	w.paste(shares.NewPaste{Slug: "pp", Terms: shares.Terms{MaxViews: 1}})
	f := w.upload(shares.NewUpload{Slug: "f", MaxViews: 1}, "x")
	w.read("pp")
	r, err := w.visits.Info(t.Context(), policy.Nobody, shares.Visit{Slug: "f"})
	if err != nil {
		t.Fatal(err)
	}
	w.clock.Add(shares.VisitLength - time.Second)
	if s := w.sweep(); s != (cleanup.Swept{}) {
		t.Errorf("too early: %+v", s)
	}
	if _, err := w.visits.Open(t.Context(), policy.Nobody, policy.ShareView, shares.Visit{Slug: "f", Ticket: r.Ticket}); err != nil {
		t.Errorf("the last visitor: %v", err)
	}
	w.clock.Add(2 * time.Second)
	if s := w.sweep(); s.PastesErased != 1 || s.FilesErased != 1 {
		t.Errorf("got %+v", s)
	}
	if s := w.sweep(); s != (cleanup.Swept{}) {
		t.Errorf("a second sweep: %+v", s)
	}
	if _, err := w.object(f.StoragePath); !ports.Is(err, ports.NotFound) {
		t.Error("the object is still there")
	}
	_, err = w.read("pp")
	wantCode(t, err, ports.Gone, "used_up")
	w.clock.Add(30*24*time.Hour + time.Second)
	if s := w.sweep(); s.Purged != 2 {
		t.Errorf("got %+v", s)
	}
	_, err = w.read("pp")
	wantCode(t, err, ports.NotFound, "not_found")
	w.paste(shares.NewPaste{Slug: "pp"}) // the slug is free again
}

func TestJanitorErasesExpiredSharesAfterTheGraceTime(t *testing.T) {
	w := newWorld(t)
	w.paste(shares.NewPaste{Slug: "pp", Terms: shares.Terms{ExpiresAt: at(time.Hour)}})
	f := w.upload(shares.NewUpload{Slug: "f", ExpiresIn: 1}, "x")
	w.clock.Add(time.Hour + w.settings.grace)
	if s := w.sweep(); s != (cleanup.Swept{}) {
		t.Errorf("within the grace time: %+v", s)
	}
	w.clock.Add(time.Second)
	w.settings.grace = 0
	if s := w.sweep(); s != (cleanup.Swept{}) {
		t.Errorf("without an end of the grace time: %+v", s)
	}
	w.settings.grace = 7 * 24 * time.Hour
	if s := w.sweep(); s.PastesErased != 1 || s.FilesErased != 1 {
		t.Errorf("got %+v", s)
	}
	_, err := w.pastes.Update(t.Context(), keyA, "pp", shares.PasteChange{Content: []byte("x"), ExpiresAt: shares.To(at(1000 * time.Hour))})
	wantCode(t, err, ports.Gone, "used_up")
	_, err = w.files.Update(t.Context(), keyA, f.ID, shares.FileChange{ExpiresAt: shares.To(at(1000 * time.Hour))})
	wantCode(t, err, ports.NotFound, "not_found")
}

func TestJanitorRetriesObjectsForAWeek(t *testing.T) {
	w := newWorld(t)
	w.upload(shares.NewUpload{Slug: "f", MaxViews: 1}, "x")
	w.visits.Info(t.Context(), policy.Nobody, shares.Visit{Slug: "f"})
	w.bucket.Fail = func(method, _ string) error { return ports.ErrUnavailable }
	w.clock.Add(time.Hour)
	if s, err := w.janitor.Sweep(t.Context()); err == nil || s.FilesErased != 0 {
		t.Errorf("got %+v, %v", s, err)
	}
	w.clock.Add(7 * 24 * time.Hour)
	if s := w.sweep(); s.FilesErased != 1 {
		t.Errorf("after a week: %+v", s)
	}
}

func TestJanitorKeepsObjectsThatOthersUse(t *testing.T) {
	w := newWorld(t)
	f := w.upload(shares.NewUpload{Slug: "f", Filename: "same.txt", MaxViews: 1}, "x")
	w.twin(f, "other", nil)
	w.visits.Info(t.Context(), policy.Nobody, shares.Visit{Slug: "f"})
	mount := *f
	mount.ID, mount.Slug, mount.StoragePath, mount.FilePath = w.random.ID(), "m", "mounted.txt", "/mnt/mounted.txt"
	if _, err := w.bucket.Write(t.Context(), "mounted.txt", strings.NewReader("x"), objstore.WriteOptions{Size: 1}); err != nil {
		t.Fatal(err)
	}
	if err := w.deps.Files.Insert(t.Context(), &mount); err != nil {
		t.Fatal(err)
	}
	w.visits.Info(t.Context(), policy.Nobody, shares.Visit{Slug: "m"})
	w.clock.Add(time.Hour)
	if s := w.sweep(); s.FilesErased != 2 {
		t.Errorf("got %+v", s)
	}
	for _, key := range []string{f.StoragePath, "mounted.txt"} {
		if _, err := w.object(key); err != nil {
			t.Errorf("%s: %v", key, err)
		}
	}
}

func TestJanitorRemovesUnfinishedUploads(t *testing.T) {
	w := newWorld(t)
	put, _ := w.uploads.Presign(t.Context(), keyA, presign(shares.NewUpload{Slug: "put", Filename: "put.txt"}))
	w.put(put.URL, "x")
	never, _ := w.uploads.Presign(t.Context(), keyA, presign(shares.NewUpload{Slug: "never", Filename: "never.txt"}))
	parts, _ := w.uploads.Presign(t.Context(), keyA, presign(shares.NewUpload{Slug: "parts", Filename: "parts.txt"}))
	session := &upload.Session{ID: parts.File.ID, For: upload.ForShares, StorageConfigID: parts.File.StorageConfigID, Key: parts.File.StoragePath}
	if err := w.deps.Uploads.Begin(t.Context(), w.bucket, session, ""); err != nil {
		t.Fatal(err)
	}
	w.clock.Add(24 * time.Hour)
	if s := w.sweep(); s != (cleanup.Swept{}) {
		t.Errorf("at exactly a day: %+v", s)
	}
	w.clock.Add(time.Second)
	if s := w.sweep(); s.Uploads != 2 {
		t.Errorf("after a day: %+v", s)
	}
	if _, err := w.object(put.File.StoragePath); !ports.Is(err, ports.NotFound) {
		t.Error("the object without commit is still there")
	}
	_, err := w.uploads.Commit(t.Context(), keyA, never.File.ID)
	wantCode(t, err, ports.NotFound, "not_found")
	w.clock.Add(6 * 24 * time.Hour)
	if s := w.sweep(); s.Uploads != 1 {
		t.Errorf("after a week: %+v", s)
	}
	if uploads, _ := w.bucket.Multipart().ListUploads(t.Context(), ""); len(uploads) != 0 {
		t.Errorf("parts are still there: %v", uploads)
	}
}

// atStale does something when a janitor has seen what never came.
type atStale struct {
	shares.FileObjects
	happens func()
}

func (a atStale) Stale(ctx context.Context, createdBefore time.Time, after string, limit int) ([]shares.File, error) {
	found, err := a.FileObjects.Stale(ctx, createdBefore, after, limit)
	a.happens()
	return found, err
}

// An upload that is confirmed while the janitor is about to remove it is whole, or its
// client hears that it is gone.
func TestContract7_4_AnUploadThatComesUnderTheJanitorsHandsIsKept(t *testing.T) {
	for what, confirm := range map[string]func(w *world, f *shares.File) error{
		"its client":     func(w *world, f *shares.File) error { _, err := w.uploads.Commit(t.Context(), keyA, f.ID); return err },
		"a first reader": func(w *world, _ *shares.File) error { w.opens(); return nil },
	} {
		t.Run(what, func(t *testing.T) {
			w := newWorld(t)
			put, _ := w.uploads.Presign(t.Context(), keyA, presign(shares.NewUpload{Slug: "s", Filename: "a.txt"}))
			w.put(put.URL, "x")
			w.clock.Add(24*time.Hour + time.Second)
			w.deps.FileObjects = atStale{w.deps.FileObjects, func() {
				if err := confirm(w, put.File); err != nil {
					t.Error(err)
				}
			}}
			w.janitor = w.newJanitor()
			if s := w.sweep(); s.Uploads != 0 {
				t.Errorf("%+v", s)
			}
			if got := w.opens(); got != "x" {
				t.Errorf("visitors get %q", got)
			}
		})
	}
}

// An upload whose object the janitor could not delete yet cannot be confirmed any more.
func TestContract7_4_AnUploadThatTheJanitorIsAtIsGone(t *testing.T) {
	w := newWorld(t)
	put, _ := w.uploads.Presign(t.Context(), keyA, presign(shares.NewUpload{Slug: "s", Filename: "a.txt"}))
	w.put(put.URL, "x")
	w.clock.Add(24*time.Hour + time.Second)
	w.bucket.Fail = func(method, _ string) error {
		if method == "Delete" {
			return ports.ErrUnavailable
		}
		return nil
	}
	if _, err := w.janitor.Sweep(t.Context()); err == nil {
		t.Error("the sweep tells nothing")
	}
	_, err := w.uploads.Commit(t.Context(), keyA, put.File.ID)
	wantCode(t, err, ports.NotFound, "not_found")
	w.bucket.Fail = nil
	if s := w.sweep(); s.Uploads != 1 {
		t.Errorf("%+v", s)
	}
	if _, err := w.object(put.File.StoragePath); !ports.Is(err, ports.NotFound) {
		t.Errorf("the object: %v", err)
	}
}

func TestJanitorSparesAnOlderObjectUnderTheKeyOfAnUploadThatNeverCame(t *testing.T) {
	w := newWorld(t)
	if _, err := w.bucket.Write(t.Context(), "up/a.txt", strings.NewReader("of a mount"), objstore.WriteOptions{Size: 10}); err != nil {
		t.Fatal(err)
	}
	w.clock.Add(time.Hour)
	if _, err := w.uploads.Presign(t.Context(), keyA, presign(shares.NewUpload{})); err != nil {
		t.Fatal(err)
	}
	w.clock.Add(25 * time.Hour)
	if s := w.sweep(); s.Uploads != 1 {
		t.Errorf("got %+v", s)
	}
	if _, err := w.object("up/a.txt"); err != nil {
		t.Errorf("the object that was there before: %v", err)
	}
}

func TestJanitorErasesWhateverIsDueAtOnce(t *testing.T) {
	w := newWorld(t)
	keys := map[string]bool{}
	for i := range 1250 { // more than a page, and all there is
		w.paste(shares.NewPaste{Slug: fmt.Sprint("n", i), Terms: shares.Terms{ExpiresAt: at(time.Hour)}})
		// Ten files share an object, as overwriting leaves them.
		f := w.upload(shares.NewUpload{Slug: fmt.Sprint("f", i), Filename: fmt.Sprint(i/10, ".txt"), ExpiresIn: 1}, "x")
		keys[f.StoragePath] = true
	}
	w.clock.Add(time.Hour + w.settings.grace + time.Second)
	if s := w.sweep(); s.PastesErased != 1250 || s.FilesErased != 1250 {
		t.Errorf("got %+v", s)
	}
	for key := range keys {
		if _, err := w.object(key); !ports.Is(err, ports.NotFound) {
			t.Errorf("%s is still there", key)
		}
	}
	w.clock.Add(30*24*time.Hour + time.Second)
	if s := w.sweep(); s.Purged != 2500 {
		t.Errorf("got %+v", s)
	}
}

// smallWrites fails erasing of many records at once, or while others are erased.
type smallWrites[E any] struct {
	cleanup.Remains[E]
	t       *testing.T
	writing *atomic.Int32 // at the moment, of all kinds
}

func (s smallWrites[E]) Erase(ctx context.Context, now time.Time, seen ...cleanup.Seen) (int, error) {
	if n := s.writing.Add(1); n > 1 || len(seen) > 25 {
		s.t.Errorf("%d writes at once, of %d records", n, len(seen))
	}
	defer s.writing.Add(-1)
	return s.Remains.Erase(ctx, now, seen...)
}

// afterTheLook has something happen between what a janitor sees and what it does.
type afterTheLook[E any] struct {
	cleanup.Remains[E]
	happens func()
}

func (a afterTheLook[E]) Erasable(ctx context.Context, usedBefore, expiredBefore time.Time, after string, limit int) ([]E, string, error) {
	found, next, err := a.Remains.Erasable(ctx, usedBefore, expiredBefore, after, limit)
	a.happens()
	return found, next, err
}

// Whoever brings a share back, or puts another file behind it, while the janitor is at
// it, has it whole or hears that it is gone.
func TestJanitorSparesWhatChangesUnderItsHands(t *testing.T) {
	begin := func(t *testing.T, paste, file func(w *world)) (*world, cleanup.Swept) {
		w := newWorld(t)
		w.settings.revisions = ports.Revisions{Kept: 5, Age: 24 * time.Hour}
		w.paste(shares.NewPaste{Slug: "pp", Terms: shares.Terms{ExpiresAt: at(time.Hour)}})
		w.upload(shares.NewUpload{Slug: "s", Filename: "old.txt", ExpiresIn: 1}, "old")
		w.clock.Add(time.Hour + w.settings.grace + time.Second)
		w.janitor = cleanup.New(w.deps, cleanup.Records{Pastes: afterTheLook[cleanup.Seen]{w.db.PasteRemains(), func() { paste(w) }},
			Files: afterTheLook[shares.File]{w.db.FileRemains(), func() { file(w) }}, Collections: w.db.CollectionRemains(), Sweeps: w.db.Sweeps()})
		return w, w.sweep()
	}
	nothing := func(*world) {}
	t.Run("a text that is brought back", func(t *testing.T) {
		w, s := begin(t, func(w *world) {
			if _, err := w.pastes.Update(t.Context(), keyA, "pp", shares.PasteChange{Content: []byte("new"), ExpiresAt: shares.To(at(1000 * time.Hour))}); err != nil {
				t.Error(err)
			}
		}, nothing)
		if r, err := w.read("pp"); s.PastesErased != 0 || err != nil || string(r.Paste.Content) != "new" {
			t.Errorf("%+v, %v", s, err)
		}
	})
	t.Run("a file that is replaced", func(t *testing.T) {
		var f *shares.File
		w, s := begin(t, nothing, func(w *world) {
			f = w.upload(shares.NewUpload{Slug: "s", Filename: "new.txt", Override: true, ExpiresIn: 1000}, "new")
		})
		if got := w.opens(); s.FilesErased != 0 || got != "new" {
			t.Errorf("%+v, visitors get %q", s, got)
		}
		w.wantKept(f.ID) // the janitor was at it
		w.clock.Add(24 * time.Hour)
		w.sweep()
		if got := w.opens(); got != "new" {
			t.Errorf("a day later visitors get %q", got)
		}
	})
	t.Run("a file whose end is moved", func(t *testing.T) {
		_, s := begin(t, nothing, func(w *world) {
			f, err := w.deps.Files.BySlug(t.Context(), "s")
			if err != nil {
				t.Fatal(err)
			}
			_, err = w.files.Update(t.Context(), keyA, f.ID, shares.FileChange{ExpiresAt: shares.To(at(1000 * time.Hour))})
			wantCode(t, err, ports.NotFound, "not_found")
		})
		if s.FilesErased != 1 {
			t.Errorf("%+v", s)
		}
	})
}

// What the janitor may be at is gone for its owner, whether or not it has come.
func TestAFileIsBroughtBackUntilItsContentMayGo(t *testing.T) {
	later := shares.FileChange{ExpiresAt: shares.To(at(1000 * time.Hour)), MaxViews: shares.To(int64(5))}
	for what, c := range map[string]struct {
		in  shares.NewUpload
		end func(w *world) time.Duration // from the upload to when it may go
	}{
		"expired": {shares.NewUpload{Slug: "s", ExpiresIn: 1}, func(w *world) time.Duration { return time.Hour + w.settings.grace }},
		"used up": {shares.NewUpload{Slug: "s", MaxViews: 1}, func(w *world) time.Duration {
			w.visits.Info(t.Context(), policy.Nobody, shares.Visit{Slug: "s"})
			return shares.VisitLength
		}},
	} {
		t.Run(what, func(t *testing.T) {
			for _, far := range []bool{false, true} {
				w := newWorld(t)
				f := w.upload(c.in, "x")
				w.clock.Add(c.end(w) - time.Minute)
				if far {
					w.clock.Add(time.Second)
				}
				_, err := w.files.Update(t.Context(), keyA, f.ID, later)
				if far {
					wantCode(t, err, ports.NotFound, "not_found")
				} else if err != nil {
					t.Errorf("a minute before: %v", err)
				}
			}
		})
	}
}

func TestJanitorWritesToFewRecordsAtATime(t *testing.T) {
	w := newWorld(t)
	private := w.storages.configs["private"]
	private.Public = true
	w.storages.configs["private"] = private
	for i := range 120 {
		w.paste(shares.NewPaste{Slug: fmt.Sprint("n", i), Terms: shares.Terms{ExpiresAt: at(time.Hour)}})
		w.upload(shares.NewUpload{StorageConfigID: []string{"private", "public"}[i%2], Slug: fmt.Sprint("f", i), Filename: fmt.Sprint(i, ".txt"), ExpiresIn: 1}, "x")
	}
	w.clock.Add(time.Hour + w.settings.grace + time.Second)
	var writing atomic.Int32
	w.janitor = cleanup.New(w.deps, cleanup.Records{Pastes: smallWrites[cleanup.Seen]{w.db.PasteRemains(), t, &writing}, Files: smallWrites[shares.File]{w.db.FileRemains(), t, &writing},
		Collections: w.db.CollectionRemains(), Sweeps: w.db.Sweeps()})
	if s := w.sweep(); s.PastesErased != 120 || s.FilesErased != 120 {
		t.Errorf("got %+v", s)
	}
}

func TestJanitorPassesOverAStorageThatIsAway(t *testing.T) {
	w := newWorld(t)
	away := portstest.NewBucket()
	away.Clock = w.clock
	w.storages.Opener["private"] = away
	open := w.storages.configs["private"]
	open.Public = true
	w.storages.configs["private"] = open
	for i := range 1100 { // more than a page of them before the other's
		w.upload(shares.NewUpload{StorageConfigID: "private", Slug: fmt.Sprint("a", i), Filename: fmt.Sprint(i, ".txt"), ExpiresIn: 1}, "x")
	}
	f := w.upload(shares.NewUpload{StorageConfigID: "public", Slug: "f", ExpiresIn: 1}, "x")
	away.Fail = func(string, string) error { return ports.ErrUnavailable }
	w.clock.Add(time.Hour + w.settings.grace + time.Second)
	s, err := w.janitor.Sweep(t.Context())
	if !ports.Is(err, ports.Unavailable) || s.FilesErased != 1 || len(err.Error()) > 2000 {
		t.Errorf("got %+v, %v", s, err)
	}
	if _, err := w.object(f.StoragePath); !ports.Is(err, ports.NotFound) {
		t.Error("the object of the storage that works is still there")
	}
}

// A sweep by a wrong clock would erase what its owners want to keep for long.
func TestJanitorHoldsBackWhileTheClockIsInDoubt(t *testing.T) {
	held := func(t *testing.T, w *world, want bool) {
		t.Helper()
		if _, err := w.janitor.Sweep(t.Context()); errors.Is(err, cleanup.ErrHeldBack) != want || !want && err != nil {
			t.Errorf("sweep: %v, want held back = %t", err, want)
		}
	}
	state := func(t *testing.T, w *world) cleanup.ClockState {
		t.Helper()
		s, err := w.janitor.Clock(t.Context(), admin)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	alone := func(t *testing.T) *world { // as over SQLite
		w := newWorld(t)
		w.db.Sweeps().Clock = nil
		held(t, w, false)
		return w
	}
	t.Run("a jump while the server runs waits for a confirmation", func(t *testing.T) {
		w := alone(t)
		w.clock.Add(24 * time.Hour)
		held(t, w, false)
		w.clock.Add(24*time.Hour + time.Second)
		for range 100 {
			held(t, w, true)
			w.clock.Add(time.Minute)
		}
		if s := state(t, w); !s.Held || !s.Until.IsZero() {
			t.Errorf("state %+v", s)
		}
		if err := w.janitor.ConfirmClock(t.Context(), admin); err != nil {
			t.Fatal(err)
		}
		if s := state(t, w); s.Held {
			t.Errorf("state %+v", s)
		}
		held(t, w, false)
	})
	t.Run("a clock that is set right goes on", func(t *testing.T) {
		w := alone(t)
		w.clock.Add(365 * 24 * time.Hour)
		held(t, w, true)
		w.clock.Add(-365 * 24 * time.Hour)
		held(t, w, false)
	})
	t.Run("a server that was off waits an hour for its clock to be set", func(t *testing.T) {
		w := alone(t)
		w.clock.Add(48 * time.Hour)
		w.janitor = w.newJanitor()
		for range 2 { // before the first sweep too
			if s := state(t, w); !s.Held || !s.Until.Equal(w.clock.Now().Add(time.Hour)) {
				t.Errorf("state %+v", s)
			}
			held(t, w, true)
		}
		w.clock.Add(59 * time.Minute)
		held(t, w, true)
		w.clock.Add(time.Minute)
		held(t, w, false)
	})
	t.Run("a jump within that hour waits for a confirmation", func(t *testing.T) {
		w := alone(t)
		w.clock.Add(48 * time.Hour)
		w.janitor = w.newJanitor()
		held(t, w, true)
		w.clock.Add(48 * time.Hour)
		held(t, w, true)
		w.clock.Add(2 * time.Hour)
		held(t, w, true)
	})
	t.Run("the database's clock proves the server's", func(t *testing.T) {
		w := newWorld(t)
		held(t, w, false)
		w.clock.Add(365 * 24 * time.Hour)
		held(t, w, false)
		right := w.clock.Now()
		w.db.Sweeps().Clock = func() time.Time { return right }
		w.clock.Add(25 * time.Hour)
		held(t, w, true)
		w.janitor = w.newJanitor()
		held(t, w, true)
		w.clock.Add(2 * time.Hour)
		held(t, w, true)
	})
}

func TestTwoJanitorsDoTheWorkOfOne(t *testing.T) {
	w := newWorld(t)
	for i := range 50 {
		w.upload(shares.NewUpload{Slug: fmt.Sprint("f", i), Filename: fmt.Sprint(i, ".txt"), ExpiresIn: 1}, "x")
		w.paste(shares.NewPaste{Slug: fmt.Sprint("n", i), Terms: shares.Terms{ExpiresAt: at(time.Hour)}})
	}
	w.clock.Add(time.Hour + w.settings.grace + time.Second)
	var all [2]cleanup.Swept
	var wg sync.WaitGroup
	for i := range all {
		wg.Go(func() {
			var err error
			if all[i], err = w.newJanitor().Sweep(t.Context()); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if pastes, files := all[0].PastesErased+all[1].PastesErased, all[0].FilesErased+all[1].FilesErased; pastes != 50 || files != 50 {
		t.Errorf("erased %d pastes and %d files, want 50 and 50", pastes, files)
	}
	if page, _ := w.bucket.List(t.Context(), objstore.ListQuery{}); len(page.Objects) != 0 {
		t.Errorf("%d objects are left", len(page.Objects))
	}
}
