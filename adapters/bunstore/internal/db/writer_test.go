package db_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"

	"pasteport/adapters/bunstore"
	"pasteport/adapters/bunstore/bunstoretest"
	"pasteport/adapters/bunstore/internal/db"
	"pasteport/domain/shares"
	"pasteport/ports"
	"pasteport/ports/portstest"
)

func TestMain(m *testing.M) {
	if path := os.Getenv(childPath); path != "" {
		writeUntilKilled(path)
	}
	os.Exit(portstest.RunWithoutLeaks(m))
}

// hold keeps the writer busy until release is called, so that what is handed
// over meanwhile lands in one batch.
func hold(t *testing.T, s *bunstore.Store) (release func()) {
	t.Helper()
	crowded(s)
	entered, leave, ended := make(chan struct{}), make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		if err := s.Do(context.Background(), func(context.Context) error {
			close(entered)
			<-leave
			return nil
		}); err != nil {
			t.Error(err)
		}
	}()
	<-entered
	return func() {
		close(leave)
		<-ended
	}
}

// crowded makes the writer expect several callers, so that its own goroutine
// runs the next job.
func crowded(s *bunstore.Store) {
	s.Turn().Lock()
	*s.LastBatch() = 2
	s.Turn().Unlock()
}

// together runs calls so that they share one batch, in their order, and returns
// their errors.
func together(t *testing.T, s *bunstore.Store, calls ...func() error) []error {
	t.Helper()
	release := hold(t, s)
	errs := make([]error, len(calls))
	var wg sync.WaitGroup
	for i, call := range calls {
		wg.Go(func() { errs[i] = call() })
		portstest.Eventually(t, func() bool { return s.Waiting() > i })
	}
	release()
	wg.Wait()
	if *s.LastBatch() < len(calls) {
		t.Fatalf("last batch had %d jobs, want %d", *s.LastBatch(), len(calls))
	}
	return errs
}

func exists(t *testing.T, s *bunstore.Store, slug string) bool {
	t.Helper()
	_, err := s.Pastes().BySlug(t.Context(), slug)
	if err != nil && !ports.Is(err, ports.NotFound) {
		t.Fatal(err)
	}
	return err == nil
}

func TestFailureInABatchFailsOnlyItself(t *testing.T) {
	s := bunstoretest.SQLite(t)
	insert := func(slug string) func() error {
		return func() error { return s.Pastes().Insert(t.Context(), bunstoretest.Paste(slug)) }
	}
	refused := errors.New("refused")
	inUnit := func(slug string, err error) func() error {
		return func() error {
			return s.Do(t.Context(), func(ctx context.Context) error {
				if err := s.Pastes().Insert(ctx, bunstoretest.Paste(slug)); err != nil {
					return err
				}
				return err
			})
		}
	}
	errs := together(t, s,
		insert("a"),
		insert("a"),
		inUnit("b", refused),
		inUnit("c", nil),
		func() error {
			return s.Do(t.Context(), func(ctx context.Context) error {
				if err := s.Pastes().Insert(ctx, bunstoretest.Paste("d")); err != nil {
					return err
				}
				panic("broken")
			})
		},
		inUnit("a", nil),
		insert("e"),
	)
	for i, want := range []func(error) bool{
		func(err error) bool { return err == nil },
		func(err error) bool { return errors.Is(err, db.ErrSlugTaken) },
		func(err error) bool { return errors.Is(err, refused) },
		func(err error) bool { return err == nil },
		func(err error) bool { return ports.Is(err, ports.Internal) && strings.Contains(err.Error(), "broken") },
		func(err error) bool { return errors.Is(err, ports.ErrConflict) || ports.Is(err, ports.Conflict) },
		func(err error) bool { return err == nil },
	} {
		if !want(errs[i]) {
			t.Errorf("call %d: error = %v", i, errs[i])
		}
	}
	for slug, want := range map[string]bool{"a": true, "b": false, "c": true, "d": false, "e": true} {
		if got := exists(t, s, slug); got != want {
			t.Errorf("paste %q exists = %t, want %t", slug, got, want)
		}
	}
}

func TestPanicAloneFailsOnlyItself(t *testing.T) {
	bunstoretest.OnBoth(t, func(t *testing.T, s *bunstore.Store) {
		err := s.Do(t.Context(), func(ctx context.Context) error {
			if err := s.Pastes().Insert(ctx, bunstoretest.Paste("a")); err != nil {
				return err
			}
			panic("broken")
		})
		if !ports.Is(err, ports.Internal) {
			t.Errorf("error = %v, want Internal", err)
		}
		if exists(t, s, "a") {
			t.Error("a panic left a paste behind")
		}
		if err := s.Pastes().Insert(t.Context(), bunstoretest.Paste("a")); err != nil {
			t.Errorf("after a panic: %v", err)
		}
	})
}

func TestALoneCallerWritesOnItsOwnGoroutineAndACrowdInBatches(t *testing.T) {
	s := bunstoretest.SQLite(t)
	stack := func() string {
		// A caller has its answer a moment before the writer's turn is over.
		for !s.Turn().TryLock() {
			runtime.Gosched()
		}
		s.Turn().Unlock()
		var text string
		if err := s.Do(t.Context(), func(ctx context.Context) error {
			buffer := make([]byte, 64<<10)
			text = string(buffer[:runtime.Stack(buffer, false)])
			return nil
		}); err != nil {
			t.Fatal(err)
		}
		return text
	}
	const writers = "(*writer).run("
	if strings.Contains(stack(), writers) {
		t.Error("a lone caller's work ran on the writer's goroutine")
	}
	crowded(s)
	if !strings.Contains(stack(), writers) {
		t.Error("work after a batch of several ran on its caller's goroutine")
	}
	if strings.Contains(stack(), writers) {
		t.Error("a caller who is alone again was not noticed")
	}
	// What comes while a lone caller works waits for it, and is stored.
	var wg sync.WaitGroup
	for n := range 20 {
		wg.Go(func() {
			if err := s.Pastes().Insert(t.Context(), bunstoretest.Paste(fmt.Sprint(n))); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	for n := range 20 {
		if !exists(t, s, fmt.Sprint(n)) {
			t.Errorf("paste %d is missing", n)
		}
	}
}

func TestCallerThatLeavesBeforeItsTurnWritesNothing(t *testing.T) {
	s := bunstoretest.SQLite(t)
	release := hold(t, s)
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error)
	go func() { ended <- s.Pastes().Insert(ctx, bunstoretest.Paste("a")) }()
	portstest.Eventually(t, func() bool { return s.Waiting() > 0 })
	cancel()
	if err := <-ended; !errors.Is(err, context.Canceled) || !ports.Is(err, ports.Unavailable) {
		t.Errorf("error = %v, want Unavailable because of the context", err)
	}
	release()
	if err := s.Pastes().Insert(t.Context(), bunstoretest.Paste("b")); err != nil {
		t.Fatal(err)
	}
	if exists(t, s, "a") {
		t.Error("the paste of a caller that left was stored")
	}
}

func TestCallerThatLeavesDuringItsTurnGetsTheTruth(t *testing.T) {
	bunstoretest.OnBoth(t, func(t *testing.T, s *bunstore.Store) {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		err := s.Do(ctx, func(ctx context.Context) error {
			cancel()
			return s.Pastes().Insert(ctx, bunstoretest.Paste("a"))
		})
		if err != nil || !exists(t, s, "a") {
			t.Errorf("error = %v, paste exists = %t, want it stored", err, exists(t, s, "a"))
		}
	})
}

func TestFullQueueIsUnavailable(t *testing.T) {
	s := bunstoretest.SQLite(t)
	release := hold(t, s)
	var wg sync.WaitGroup
	for n := range db.MaxWaiting {
		wg.Go(func() {
			if err := s.Pastes().Insert(t.Context(), bunstoretest.Paste(fmt.Sprint(n))); err != nil {
				t.Error(err)
			}
		})
	}
	portstest.Eventually(t, func() bool { return s.Waiting() == db.MaxWaiting })
	err := s.Pastes().Insert(t.Context(), bunstoretest.Paste("one too many"))
	var e *ports.Error
	if !errors.As(err, &e) || e.Code != ports.Unavailable || e.RetryAfter <= 0 {
		t.Errorf("error = %v, want Unavailable with a time to retry", err)
	}
	release()
	wg.Wait()
}

func TestFullDiskFailsWritesAndKeepsReads(t *testing.T) {
	s := bunstoretest.SQLite(t)
	if err := s.Pastes().Insert(t.Context(), bunstoretest.Paste("before")); err != nil {
		t.Fatal(err)
	}
	setPages := func(pages int) {
		if _, err := s.WriterConn().ExecContext(t.Context(), fmt.Sprintf("PRAGMA max_page_count=%d", pages)); err != nil {
			t.Fatal(err)
		}
	}
	setPages(1) // not below what is in use: no page can be added
	big := bunstoretest.Paste("big")
	big.Content = make([]byte, 1<<20)
	errs := together(t, s,
		func() error {
			return s.Do(t.Context(), func(ctx context.Context) error {
				_, err := s.Pastes().Update(ctx, "id-before", func(p *shares.Paste) error { p.Remark = "changed"; return nil })
				return err
			})
		},
		func() error { return s.Pastes().Insert(t.Context(), big) },
		func() error { // an error that is swallowed does not make a lost transaction a success
			return s.Do(t.Context(), func(ctx context.Context) error {
				lost := bunstoretest.Paste("lost")
				lost.Content = make([]byte, 1<<20)
				_ = s.Pastes().Insert(ctx, lost)
				return nil
			})
		},
		func() error {
			return s.Guesses().Fail(t.Context(), ports.GuessLimit{Subject: "x", Max: 1, Window: 1e9})
		},
	)
	if errs[0] != nil || errs[3] != nil {
		t.Errorf("small writes: %v, %v, want none", errs[0], errs[3])
	}
	var e *ports.Error
	if !errors.As(errs[1], &e) || e.Code != ports.Quota || e.Key != "quota_exceeded" || e.Text != "disk_full" {
		t.Errorf("big write: %v, want quota_exceeded (disk_full)", errs[1])
	}
	for slug, want := range map[string]bool{"before": true, "big": false, "lost": false} {
		if got := exists(t, s, slug); got != want {
			t.Errorf("paste %q exists = %t, want %t", slug, got, want)
		}
	}
	setPages(1 << 30)
	if err := s.Pastes().Insert(t.Context(), big); err != nil {
		t.Errorf("with space again: %v", err)
	}
	if p, err := s.Pastes().Get(t.Context(), "id-before"); err != nil || p.Remark != "changed" {
		t.Errorf("update beside a full disk: %+v, %v", p, err)
	}
}

// A full disk is asked for room once, for what is no new content; content fails
// and takes nothing of it.
func TestAFullDiskMakesRoomForAllButNewContent(t *testing.T) {
	s := bunstoretest.SQLite(t)
	setPages := func(pages int) {
		if _, err := s.WriterConn().ExecContext(context.Background(), fmt.Sprintf("PRAGMA max_page_count=%d", pages)); err != nil {
			t.Error(err)
		}
	}
	asked, room := 0, true
	s.OnFullDisk(func() bool {
		asked++
		if room {
			setPages(1 << 30)
		}
		return room
	})
	big := func(slug string) *shares.Paste {
		p := bunstoretest.Paste(slug)
		p.Content = make([]byte, 1<<20)
		return p
	}
	insert := func(ctx context.Context, slug string) func() error {
		return func() error { return s.Pastes().Insert(ctx, big(slug)) }
	}
	content := ports.WithNewContent(t.Context())
	full := func(err error) bool { return db.DiskFull(err) }

	setPages(1)
	if err := insert(content, "alone")(); !full(err) || asked != 0 {
		t.Errorf("content alone: %v after %d times asked, want a full disk and none", err, asked)
	}
	if err := insert(t.Context(), "vital")(); err != nil || asked != 1 {
		t.Errorf("another write alone: %v after %d times asked, want success after one", err, asked)
	}
	setPages(1)
	errs := together(t, s, insert(content, "first"), insert(t.Context(), "second"), insert(content, "third"))
	if !full(errs[0]) || errs[1] != nil || asked != 2 {
		t.Errorf("in one batch: %v, asked %d times in all; want content before it refused, the other stored", errs, asked)
	}
	room = false
	setPages(1)
	errs = together(t, s, insert(t.Context(), "fourth"), insert(t.Context(), "fifth"))
	if !full(errs[0]) || !full(errs[1]) || asked != 3 {
		t.Errorf("without room: %v after %d times asked, want both refused after one more", errs, asked)
	}
	for slug, want := range map[string]bool{"alone": false, "vital": true, "first": false, "second": true, "fourth": false, "fifth": false} {
		if got := exists(t, s, slug); got != want {
			t.Errorf("paste %q exists = %t, want %t", slug, got, want)
		}
	}
	setPages(1 << 30)
}

func TestDeletedRecordsLeaveReusableRoom(t *testing.T) {
	s := bunstoretest.SQLite(t)
	before, err := s.Reusable(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	p := bunstoretest.Paste("big")
	p.Content = make([]byte, 4<<20)
	if err := s.Pastes().Insert(t.Context(), p); err != nil {
		t.Fatal(err)
	}
	if _, err := s.WriterConn().ExecContext(t.Context(), "DELETE FROM pastes"); err != nil {
		t.Fatal(err)
	}
	if after, err := s.Reusable(t.Context()); err != nil || after-before < 4<<20 {
		t.Errorf("reusable: %d, then %d bytes (%v), want 4 MiB more", before, after, err)
	}
}

// Few jobs can fill the log, as the erasing of many texts does: it is moved into the
// file before the writer has to stop for it.
func TestTheLogOfLargeWritesIsMovedIntoTheFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "test.db")
	s := bunstoretest.Open(t, path, portstest.NewClock())
	if _, err := s.Exec(t.Context(), "CREATE TABLE heap (content BLOB)"); err != nil {
		t.Fatal(err)
	}
	const jobs, each = 20, 1 << 20
	for range jobs {
		if _, err := s.Exec(t.Context(), "INSERT INTO heap VALUES (zeroblob(?))", each); err != nil {
			t.Fatal(err)
		}
	}
	portstest.Eventually(t, func() bool {
		info, err := os.Stat(path)
		return err == nil && info.Size() > jobs*each/2
	}, "the log is moved into the file")
}

func TestClosedStoreIsUnavailable(t *testing.T) {
	bunstoretest.OnBoth(t, func(t *testing.T, s *bunstore.Store) {
		if err := s.Ping(t.Context()); err != nil {
			t.Fatal(err)
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		for what, err := range map[string]error{
			"ping":   s.Ping(t.Context()),
			"insert": s.Pastes().Insert(t.Context(), bunstoretest.Paste("a")),
			"read":   db.Failure(s.Sessions().Delete(t.Context(), "x")),
		} {
			if !ports.Is(err, ports.Unavailable) {
				t.Errorf("%s: %v, want Unavailable", what, err)
			}
		}
		if err := s.Close(); err != nil {
			t.Errorf("second close: %v", err)
		}
	})
}

func TestSecondProcessIsRefusedWithThePid(t *testing.T) {
	path := filepath.Join(t.TempDir(), "test.db")
	first := bunstoretest.Open(t, path, portstest.NewClock())
	_, err := bunstore.Open(t.Context(), bunstore.Options{URL: path, Logger: bunstoretest.Quiet()})
	if err == nil || !strings.Contains(err.Error(), fmt.Sprintf("process %d;", os.Getpid())) {
		t.Errorf("error = %v, want one that names process %d", err, os.Getpid())
	}
	if err := first.Close(); err != nil {
		t.Fatal(err)
	}
	bunstoretest.Open(t, path, portstest.NewClock())
}

// TestAcknowledgedWritesSurviveAKill is promise N8 in small: a child process
// writes from several goroutines and prints what was acknowledged, and is
// killed in the middle.
func TestAcknowledgedWritesSurviveAKill(t *testing.T) {
	path := filepath.Join(t.TempDir(), "test.db")
	child := exec.Command(os.Args[0])
	child.Env = append(os.Environ(), childPath+"="+path)
	out, err := child.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	var slugs []string
	lines := bufio.NewScanner(out)
	for lines.Scan() {
		slugs = append(slugs, lines.Text())
		if len(slugs) == 500 {
			if err := child.Process.Kill(); err != nil {
				t.Fatal(err)
			}
		}
	}
	_ = child.Wait()
	if len(slugs) < 500 {
		t.Fatalf("the child wrote %d pastes, want 500", len(slugs))
	}
	slugs = slugs[:len(slugs)-1] // the last line may be cut
	s := bunstoretest.Open(t, path, portstest.NewClock())
	for _, slug := range slugs {
		p, err := s.Pastes().BySlug(t.Context(), slug)
		if err != nil || string(p.Content) != "text" {
			t.Errorf("paste %q: %v", slug, err)
		}
	}
	var bad string
	if err := s.ReadDB().DB.QueryRow("PRAGMA integrity_check").Scan(&bad); err != nil || bad != "ok" {
		t.Errorf("integrity = %q, %v", bad, err)
	}
}

const childPath = "BUNSTORE_TEST_CHILD"

// writeUntilKilled is the child of TestAcknowledgedWritesSurviveAKill.
func writeUntilKilled(path string) {
	s, err := bunstore.Open(context.Background(), bunstore.Options{URL: path, Logger: bunstoretest.Quiet()})
	if err != nil {
		panic(err)
	}
	var mu sync.Mutex
	var wg sync.WaitGroup
	for worker := range 8 {
		wg.Go(func() {
			for n := 0; ; n++ {
				slug := fmt.Sprintf("w%d-%d", worker, n)
				if err := s.Pastes().Insert(context.Background(), bunstoretest.Paste(slug)); err != nil {
					panic(err)
				}
				mu.Lock()
				fmt.Println(slug)
				mu.Unlock()
			}
		})
	}
	wg.Wait()
}
