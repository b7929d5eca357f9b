package storage_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"pasteport/domain/storage"
	"pasteport/ports"
	"pasteport/ports/objstore"
	"pasteport/ports/portstest"
)

// rough is a house whose storages do what a test says: the key of a call names
// a storage's fault.
type rough struct {
	*house
	hang  chan struct{} // calls for "hang" wait for it
	asked atomic.Int64  // calls that reached a storage
	fault atomic.Pointer[ports.Error]
	told  []storage.HealthState
	mu    sync.Mutex
}

// roughHouse has the storages c1 and c2. Run it inside a synctest bubble: its
// waits are real.
func roughHouse(t *testing.T) *rough {
	t.Helper()
	r := &rough{house: newHouse(t, ports.SystemClock), hang: make(chan struct{})}
	r.opener.OnHealth(func(id string, h storage.Health) {
		r.mu.Lock()
		defer r.mu.Unlock()
		if id == "c1" {
			r.told = append(r.told, h.State)
		}
	})
	for _, id := range []string{"c1", "c2"} {
		r.insert(t, storage.Config{ID: id, Name: id, IsPublic: true})
		b := portstest.NewBucket()
		r.disk.buckets[id] = b
		if _, err := b.Write(t.Context(), "file", strings.NewReader("hello"), objstore.WriteOptions{Size: 5}); err != nil {
			t.Fatal(err)
		}
		b.Fail = func(_, key string) error {
			r.asked.Add(1)
			switch key {
			case "hang":
				<-r.hang
			case "fault":
				return r.fault.Load()
			}
			return nil
		}
	}
	return r
}

func (r *rough) status(id string) storage.Status {
	for _, s := range r.opener.Status() {
		if s.ConfigID == id {
			return s
		}
	}
	return storage.Status{}
}

// asError returns the error's ports.Error; it fails the test for another.
func asError(t *testing.T, err error) *ports.Error {
	t.Helper()
	var e *ports.Error
	if !errors.As(err, &e) {
		t.Fatalf("got %v", err)
	}
	return e
}

func TestReliability2_3_AHangingStorageHoldsSixtyFourCallsAndSixteenThatWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := roughHouse(t)
		b := r.bucket(t, "c1")
		results := make(chan error, 100)
		for range 64 + 16 {
			go func() {
				_, err := b.Stat(context.Background(), "hang")
				results <- err
			}()
		}
		synctest.Wait()
		if s := r.status("c1"); s.InFlight != 64 || s.Waiting != 16 || r.asked.Load() != 64 {
			t.Errorf("%d in flight, %d waiting, %d asked", s.InFlight, s.Waiting, r.asked.Load())
		}
		before := time.Now()
		_, err := b.Stat(t.Context(), "file")
		if e := asError(t, err); e.Code != ports.Unavailable || e.RetryAfter <= 0 || e.Reason != "storage_busy" || time.Now() != before {
			t.Errorf("one more: %+v after %v", e, time.Since(before))
		}
		_, err = b.Read(t.Context(), "file", objstore.Range{})
		if !ports.Is(err, ports.Unavailable) || r.status("c1").Streams != 0 {
			t.Errorf("a read: %v", err)
		}
		if _, err := r.bucket(t, "c2").Stat(t.Context(), "file"); err != nil {
			t.Errorf("another storage: %v", err)
		}
		for range 16 { // a wait has an end
			if err := <-results; !ports.Is(err, ports.Unavailable) || time.Since(before) > 10*time.Second {
				t.Errorf("a waiting call ended with %v after %v", err, time.Since(before))
			}
		}
		close(r.hang)
		for range 64 {
			if err := <-results; !ports.Is(err, ports.NotFound) {
				t.Errorf("a call ended with %v", err)
			}
		}
		if s := r.status("c1"); s.InFlight != 0 || s.Waiting != 0 || s.Health.State != storage.Healthy {
			t.Errorf("afterwards: %+v", s)
		}
		if _, err := b.Stat(t.Context(), "file"); err != nil {
			t.Error(err)
		}
	})
}

func TestAWaitingCallGoesWithItsCaller(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := roughHouse(t)
		b := r.bucket(t, "c1")
		for range 64 {
			go b.Stat(context.Background(), "hang")
		}
		synctest.Wait()
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan error, 1)
		go func() {
			_, err := b.Stat(ctx, "file")
			done <- err
		}()
		synctest.Wait()
		cancel()
		if err := <-done; !errors.Is(err, context.Canceled) {
			t.Errorf("Stat = %v", err)
		}
		close(r.hang)
		synctest.Wait()
	})
}

func TestReliability2_3_AStorageThatIsDownIsAskedEveryFiveSecondsOnly(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := roughHouse(t)
		b := r.bucket(t, "c1")
		r.fault.Store(ports.ErrUnavailable)
		for i := range 10 {
			if h := r.opener.Health("c1"); h.State == storage.Down {
				t.Fatalf("down after %d failures", i)
			}
			if _, err := b.Stat(t.Context(), "fault"); !ports.Is(err, ports.Unavailable) {
				t.Fatal(err)
			}
			time.Sleep(time.Second)
		}
		if h := r.opener.Health("c1"); h.State != storage.Down || h.Cause != "doctor.unreachable" || h.Since.IsZero() {
			t.Fatalf("after ten failures in ten seconds: %+v", h)
		}
		time.Sleep(5 * time.Second)
		for range 3 {
			before := r.asked.Load()
			for range 20 {
				if _, err := b.Stat(t.Context(), "fault"); !ports.Is(err, ports.Unavailable) {
					t.Fatal(err)
				}
			}
			if n := r.asked.Load() - before; n != 1 {
				t.Errorf("%d calls were let through", n)
			}
			time.Sleep(5 * time.Second)
		}
		if _, err := b.Stat(t.Context(), "fault"); err == nil {
			t.Fatal("no failure")
		}
		calls := map[string]func() error{
			"Stat": func() error { _, err := b.Stat(t.Context(), "file"); return err },
			"Sign": func() error { _, err := b.Sign(t.Context(), objstore.SignRequest{}); return err },
			"Read": func() error { _, err := b.Read(t.Context(), "file", objstore.Range{}); return err },
			"Write": func() error {
				_, err := b.Write(t.Context(), "k", strings.NewReader(""), objstore.WriteOptions{})
				return err
			},
			"Copy": func() error { _, err := b.Copy(t.Context(), "a", "file"); return err },
			"Delete": func() error {
				_, err := b.Delete(t.Context(), "a")
				return err
			},
			"Create": func() error {
				_, err := b.Multipart().Create(t.Context(), "a", objstore.WriteOptions{})
				return err
			},
		}
		before := r.asked.Load()
		for name, call := range calls {
			e := asError(t, call())
			if e.Code != ports.Unavailable || e.Reason != "storage_down" || e.RetryAfter <= 0 || e.RetryAfter > 5*time.Second {
				t.Errorf("%s = %+v", name, e)
			}
		}
		if r.asked.Load() != before {
			t.Error("the storage was asked while it is down")
		}
		if _, err := r.bucket(t, "c2").Stat(t.Context(), "file"); err != nil {
			t.Errorf("another storage: %v", err)
		}
		time.Sleep(5 * time.Second)
		body, err := b.Read(t.Context(), "file", objstore.Range{})
		if err != nil {
			t.Fatalf("the storage is back: %v", err)
		}
		body.Close()
		if _, err := b.Stat(t.Context(), "file"); err != nil {
			t.Errorf("the storage is back: %v", err)
		}
		if _, err := b.Stat(t.Context(), "fault"); err == nil || r.opener.Health("c1").State != storage.Healthy {
			t.Errorf("one failure afterwards: %v, %+v", err, r.opener.Health("c1"))
		}
		r.mu.Lock()
		defer r.mu.Unlock()
		if got := fmt.Sprint(r.told); got != "[down ok]" {
			t.Errorf("told %s", got)
		}
		s := r.status("c1")
		if s.Calls[storage.Call{Op: "stat", Result: "failed"}] < 14 || s.Calls[storage.Call{Op: "read", Result: "busy"}] != 1 || s.Calls[storage.Call{Op: "stat", Result: "ok"}] != 1 {
			t.Errorf("counted %v", s.Calls)
		}
	})
}

func TestWhatDoesNotCountAgainstAStorage(t *testing.T) {
	cut := errors.New("the browser went away")
	for name, c := range map[string]struct {
		fault *ports.Error
		call  func(ctx context.Context, b objstore.Bucket, i int)
	}{
		"what is not there": {call: func(ctx context.Context, b objstore.Bucket, _ int) { b.Stat(ctx, "nosuch") }},
		"a full storage": {&ports.Error{Code: ports.Quota, Key: "quota_exceeded"}, func(ctx context.Context, b objstore.Bucket, _ int) {
			b.Stat(ctx, "fault")
		}},
		"callers who go away": {ports.ErrUnavailable, func(ctx context.Context, b objstore.Bucket, _ int) {
			ctx, cancel := context.WithCancel(ctx)
			cancel()
			b.Stat(ctx, "fault")
		}},
		"bodies that break off": {call: func(ctx context.Context, b objstore.Bucket, _ int) {
			body := io.MultiReader(strings.NewReader("some"), failing{ports.ErrUnavailable.With(cut)})
			if _, err := b.Write(ctx, "k", body, objstore.WriteOptions{Size: 100}); err == nil {
				t.Error("a cut body was stored")
			}
		}},
		"one failure a second": {ports.ErrUnavailable, func(ctx context.Context, b objstore.Bucket, _ int) {
			b.Stat(ctx, "fault")
			time.Sleep(1200 * time.Millisecond)
		}},
		"failures among answers": {ports.ErrUnavailable, func(ctx context.Context, b objstore.Bucket, _ int) {
			b.Stat(ctx, "fault")
			b.Stat(ctx, "file")
			b.Stat(ctx, "file")
		}},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := roughHouse(t)
				r.fault.Store(c.fault)
				b := r.bucket(t, "c1")
				for i := range 30 {
					c.call(t.Context(), b, i)
				}
				if h := r.opener.Health("c1"); h.State == storage.Down {
					t.Errorf("health %+v", h)
				}
				if _, err := b.Stat(t.Context(), "file"); err != nil {
					t.Error(err)
				}
			})
		})
	}
}

type failing struct{ err error }

func (f failing) Read([]byte) (int, error) { return 0, f.err }

func TestReliability2_3_ARefusingStorageIsShownAsBroken(t *testing.T) {
	r := roughHouse(t)
	b := r.bucket(t, "c1")
	health := func() storage.Health {
		t.Helper()
		c, err := r.configs.Get(t.Context(), admin, "c1")
		if err != nil {
			t.Fatal(err)
		}
		return c.Health
	}
	if h := health(); h.State != storage.Unknown || !h.Since.IsZero() {
		t.Errorf("before the first call: %+v", h)
	}
	r.fault.Store(&ports.Error{Code: ports.BadGateway, Key: "storage_denied", Text: "storage_clock_skew", Params: map[string]any{"seconds": int64(900)}})
	for range 20 {
		if _, err := b.Stat(t.Context(), "fault"); !ports.Is(err, ports.BadGateway) {
			t.Fatalf("a refusal became %v", err)
		}
	}
	if h := health(); h.State != storage.Refused || h.Cause != "doctor.clock_skew" || h.Params["seconds"] != int64(900) {
		t.Errorf("refused: %+v", h)
	}
	if c, err := r.configs.Get(t.Context(), key, "c1"); err != nil || c.Health.State != "" {
		t.Errorf("a key sees %+v, %v", c.Health, err)
	}
	r.opener.Forget("c1") // as a changed config does
	if h := health(); h.State != storage.Unknown {
		t.Errorf("after a change: %+v", h)
	}
	b = r.bucket(t, "c1")
	r.fault.Store(&ports.Error{Code: ports.BadGateway, Key: "storage_denied", Text: "storage_object_archived"})
	for _, name := range []string{"file", "fault"} { // an archived object says nothing of its storage
		_, _ = b.Stat(t.Context(), name)
		if h := health(); h.State != storage.Healthy || h.Cause != "" {
			t.Errorf("%s: %+v", name, h)
		}
	}
}

func TestTransfersHaveARoomOfTheirOwn(t *testing.T) {
	r := roughHouse(t)
	b := r.bucket(t, "c1")
	var bodies []*objstore.Body
	for range 500 {
		body, err := b.Read(t.Context(), "file", objstore.Range{})
		if err != nil {
			t.Fatal(err)
		}
		bodies = append(bodies, body)
	}
	if _, err := b.Read(t.Context(), "file", objstore.Range{}); !ports.Is(err, ports.Unavailable) {
		t.Errorf("one more: %v", err)
	}
	if _, err := b.Write(t.Context(), "k", strings.NewReader("x"), objstore.WriteOptions{Size: 1}); !ports.Is(err, ports.Unavailable) {
		t.Errorf("an upload: %v", err)
	}
	if _, err := b.Stat(t.Context(), "file"); err != nil {
		t.Errorf("a short call beside them: %v", err)
	}
	if s := r.status("c1"); s.Streams != 500 || s.InFlight != 0 {
		t.Errorf("status %+v", s)
	}
	for _, body := range bodies {
		body.Close()
		body.Close() // counts once
	}
	if s := r.status("c1"); s.Streams != 0 {
		t.Errorf("%d transfers are left", s.Streams)
	}
	body, err := b.Read(t.Context(), "file", objstore.Range{})
	if err != nil {
		t.Fatal(err)
	}
	defer body.Close()
	if got, err := io.ReadAll(body); err != nil || string(got) != "hello" {
		t.Errorf("read %q, %v", got, err)
	}
}

// slow answers when its caller has no more patience.
type slow struct{ *portstest.Bucket }

func (slow) Stat(ctx context.Context, _ string) (objstore.Object, error) {
	<-ctx.Done()
	return objstore.Object{}, ctx.Err()
}

type slowDrivers struct{ disk *disk }

func (d slowDrivers) Driver(string) (objstore.Driver, error) {
	return portstest.Driver{New: func(objstore.Config) (objstore.Bucket, error) { return slow{portstest.NewBucket()}, nil }}, nil
}

func TestReliability2_3_AShortCallEndsIn20Seconds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := roughHouse(t)
		opener := storage.NewOpener(r.repo, slowDrivers{r.disk}, portstest.Sealer{}, portstest.MAC{}, ports.SystemClock)
		defer opener.Close()
		b, err := opener.Bucket(t.Context(), "c1")
		if err != nil {
			t.Fatal(err)
		}
		before := time.Now()
		if _, err := b.Stat(t.Context(), "k"); !ports.Is(err, ports.Unavailable) || time.Since(before) != 20*time.Second {
			t.Errorf("%v after %v", err, time.Since(before))
		}
	})
}

func TestADriverThatDoesNotOpenHoldsNoMoreThanItsCalls(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := roughHouse(t)
		r.disk.fail = ports.ErrUnavailable
		for range 10 {
			if _, err := r.opener.Bucket(t.Context(), "c1"); !ports.Is(err, ports.Unavailable) {
				t.Fatal(err)
			}
		}
		opened, _ := r.disk.count()
		if _, err := r.opener.Bucket(t.Context(), "c1"); asError(t, err).Reason != "storage_down" {
			t.Errorf("after ten failures: %v", err)
		}
		if again, _ := r.disk.count(); again != opened {
			t.Error("it was opened again at once")
		}
		if _, err := r.opener.Bucket(t.Context(), "nosuch"); !ports.Is(err, ports.NotFound) || len(r.opener.Status()) != 1 {
			t.Errorf("an unknown config: %v, %v", err, r.opener.Status())
		}
		r.disk.fail = nil
		time.Sleep(5 * time.Second)
		if _, err := r.bucket(t, "c1").Stat(t.Context(), "file"); err != nil || r.opener.Health("c1").State != storage.Healthy {
			t.Errorf("back: %v, %+v", err, r.opener.Health("c1"))
		}
	})
}
