package bunstore_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"pasteport/adapters/bunstore"
	"pasteport/domain/events"
	"pasteport/ports"
	"pasteport/ports/event"
	"pasteport/ports/portstest"
)

// digested is a channel that is told by digests, and what came to it.
type digested struct {
	e      *events.Events
	random *portstest.Random
	id     string
	mu     sync.Mutex
	came   []events.Message
	away   bool
}

func (d *digested) Send(_ context.Context, _ events.Target, m events.Message) events.Outcome {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.came = append(d.came, m)
	if d.away {
		return events.Outcome{Problem: "timeout", Away: true}
	}
	return events.Outcome{Status: 204}
}

// counts are how many events each message that came tells of, the latest last.
func (d *digested) counts(t *testing.T) (all []int) {
	t.Helper()
	for _, m := range d.came {
		all = append(all, digestIn(t, m.Data).Count)
	}
	return all
}

func digestIn(t *testing.T, data []byte) (out events.Digest) {
	t.Helper()
	if err := json.Unmarshal(data, &out); err != nil {
		t.Fatalf("%v: %s", err, data)
	}
	return out
}

func newDigested(t *testing.T, s *bunstore.Store, often events.Period) *digested {
	t.Helper()
	d := &digested{random: &portstest.Random{}}
	d.e = newEvents(s, d, d.random)
	made, err := d.e.Create(t.Context(), admin, events.Draft{Name: "digest", Type: events.Webhook, Address: "https://one.example/", Active: true,
		Kinds: []string{"request.fulfilled", "share.opened", "audit.key.*"}, Options: events.Options{Digest: often}})
	if err != nil {
		t.Fatal(err)
	}
	d.id = made.ID
	return d
}

func wantCounts(t *testing.T, got []int, want ...int) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestADigestTellsInOneMessageWhatHasHappenedUntilItsTime(t *testing.T) {
	onBoth(t, func(t *testing.T, s *bunstore.Store) {
		d := newDigested(t, s, events.Hourly)
		clockOf(s).Set(time.Date(2026, 11, 24, 16, 5, 0, 0, time.UTC))
		began := s.Clock.Now()
		tell := func(kind event.Kind, subject, name string, times int) {
			t.Helper()
			for range times {
				if err := d.e.Happened(t.Context(), event.Event{Kind: kind, Subject: subject, Data: map[string]string{"name": name}}); err != nil {
					t.Fatal(err)
				}
			}
			round(t, d.e)
		}
		tell(event.ShareOpened, "share:1", "report", 3)
		clockOf(s).Add(40 * time.Minute)
		tell(event.RequestFulfilled, "request:1", "photo.jpg", 1)
		tell(event.ShareOpened, "share:1", "report", 2)
		tell(event.ShareOpened, "share:2", "plan", 1)
		wantCounts(t, d.counts(t))

		page, err := d.e.ListDeliveries(t.Context(), admin, events.DeliveryFilter{ChannelID: d.id})
		if err != nil || page.Total != 1 || page.Items[0].Status != events.Held || page.Items[0].Times != 7 {
			t.Fatalf("%+v, %v", page.Items, err)
		}
		if all, outbox, err := d.e.Standing(t.Context()); err != nil || all[0].Waiting != 0 || !outbox.IsZero() {
			t.Errorf("a digest that gathers is late: %+v, %v, %v", all, outbox, err)
		}
		clockOf(s).Set(time.Date(2026, 11, 24, 17, 0, 0, 0, time.UTC))
		round(t, d.e)
		if len(d.came) != 1 {
			t.Fatalf("%d messages came", len(d.came))
		}
		m := d.came[0]
		want := events.Digest{Since: began, Count: 7, Kinds: []events.Counted{
			{Kind: event.ShareOpened, Count: 6, Subjects: []events.Subject{{Subject: "share:1", Name: "report", Count: 5}, {Subject: "share:2", Name: "plan", Count: 1}}},
			{Kind: event.RequestFulfilled, Count: 1, Subjects: []events.Subject{{Subject: "request:1", Name: "photo.jpg", Count: 1}}},
		}}
		if diff := cmp.Diff(want, digestIn(t, m.Data)); diff != "" {
			t.Error(diff)
		}
		if m.Kind != event.Digest || m.Subject != "channel:"+d.id || !m.At.Equal(s.Clock.Now()) || m.ID != page.Items[0].Event.ID {
			t.Errorf("%+v", m)
		}

		// Nothing has happened since: nothing is sent.
		clockOf(s).Add(30 * 24 * time.Hour)
		round(t, d.e)
		if _, err := d.e.Sweep(t.Context(), s.Clock.Now()); err != nil {
			t.Fatal(err)
		}
		wantCounts(t, d.counts(t), 7)
	})
}

func TestADigestThatDidNotArriveComesAgainWithItsIDAndSaysTheSame(t *testing.T) {
	onBoth(t, func(t *testing.T, s *bunstore.Store) {
		d := newDigested(t, s, events.Hourly)
		d.away = true
		happen(t, d.e, "request:1", 1, 2)
		round(t, d.e)
		clockOf(s).Add(time.Hour)
		round(t, d.e)
		happen(t, d.e, "request:1", 3) // for the next
		round(t, d.e)
		clockOf(s).Add(time.Minute)
		round(t, d.e)
		d.away = false
		clockOf(s).Add(time.Hour)
		round(t, d.e)
		counts := d.counts(t)
		if len(counts) < 3 || counts[len(counts)-1] != 1 {
			t.Fatalf("%v", counts)
		}
		first, last := d.came[0], d.came[len(d.came)-1]
		for _, m := range d.came[1 : len(d.came)-1] {
			if m.ID != first.ID || string(m.Data) != string(first.Data) {
				t.Errorf("%s %s, at first %s %s", m.ID, m.Data, first.ID, first.Data)
			}
		}
		if last.ID == first.ID {
			t.Error("two digests have one id")
		}
	})
}

func TestAnotherPeriodCountsForWhatIsGatheredToo(t *testing.T) {
	onBoth(t, func(t *testing.T, s *bunstore.Store) {
		d := newDigested(t, s, events.Weekly)
		turn := func(to events.Period) error {
			_, err := d.e.Update(t.Context(), admin, d.id, events.Change{Digest: &to})
			return err
		}
		happen(t, d.e, "request:1", 1, 2)
		round(t, d.e)
		if err := turn(events.Hourly); err != nil {
			t.Fatal(err)
		}
		round(t, d.e)
		wantCounts(t, d.counts(t))
		clockOf(s).Add(time.Hour)
		round(t, d.e)
		wantCounts(t, d.counts(t), 2)
		if err := turn(events.Weekly); err != nil {
			t.Fatal(err)
		}
		happen(t, d.e, "request:1", 3, 4, 5)
		round(t, d.e)
		if err := turn(events.AtOnce); err != nil {
			t.Fatal(err)
		}
		round(t, d.e)
		wantCounts(t, d.counts(t), 2, 3)
		if at := d.came[1].At; at.After(s.Clock.Now()) {
			t.Errorf("it is of %v, and now is %v", at, s.Clock.Now())
		}
		happen(t, d.e, "request:1", 6)
		round(t, d.e)
		if m := d.came[len(d.came)-1]; m.Kind != event.RequestFulfilled || string(m.Data) != "6" {
			t.Errorf("%+v", m)
		}
		if err := turn("yearly"); ports.CodeOf(err) != ports.Invalid {
			t.Errorf("every year: %v", err)
		}
	})
}

func TestTwoNodesTellEveryEventInOneDigest(t *testing.T) {
	onBoth(t, func(t *testing.T, s *bunstore.Store) {
		one := newDigested(t, s, events.Hourly)
		two := newEvents(s, one, one.random)
		if err := two.Reload(t.Context()); err != nil {
			t.Fatal(err)
		}
		const all = 300
		var nodes sync.WaitGroup
		var onTheWay sync.RWMutex // held by rounds: a clock put forward meanwhile would end their leases
		for _, node := range []*events.Events{one.e, two} {
			nodes.Go(func() {
				for n := range all / 2 {
					if err := node.Happened(t.Context(), event.Event{Kind: event.RequestFulfilled, Subject: "request:1", Data: n}); err != nil {
						t.Error(err)
					}
					if n%10 == 0 { // the hour ends now and then, for one of them first
						onTheWay.Lock()
						clockOf(s).Add(10 * time.Minute)
						onTheWay.Unlock()
						onTheWay.RLock()
						_, err := node.Round(t.Context())
						onTheWay.RUnlock()
						if err != nil {
							t.Error(err)
						}
					}
				}
			})
		}
		nodes.Wait()
		round(t, one.e)
		clockOf(s).Add(time.Hour)
		round(t, one.e)
		told := map[string]int{}
		for _, m := range one.came {
			if before, again := told[m.ID]; again {
				t.Errorf("%s came with %d events and again", m.ID, before)
			}
			told[m.ID] = digestIn(t, m.Data).Count
		}
		sum := 0
		for _, n := range told {
			sum += n
		}
		if sum != all || len(told) < 2 {
			t.Errorf("%d of %d events in %d digests", sum, all, len(told))
		}
	})
}

// TestALongOutboxGoesIntoADigestInBoundedMemory gathers 100,000 events.
func TestALongOutboxGoesIntoADigestInBoundedMemory(t *testing.T) {
	if os.Getenv("PASTEPORT_TEST_LONG") == "" {
		t.Skip("make test-long")
	}
	onBoth(t, func(t *testing.T, s *bunstore.Store) {
		d := newDigested(t, s, events.Weekly)
		const all = 100_000
		for done := 0; done < all; done += 2000 {
			if err := s.Do(t.Context(), func(ctx context.Context) error {
				for i := range 2000 {
					if err := d.e.Happened(ctx, event.Event{Kind: event.RequestFulfilled, Subject: fmt.Sprint("request:", done+i), Data: map[string]string{"name": fmt.Sprint("file ", done+i)}}); err != nil {
						return err
					}
				}
				return nil
			}); err != nil {
				t.Fatal(err)
			}
		}
		var stats runtime.MemStats
		heap := func() int {
			runtime.GC()
			runtime.ReadMemStats(&stats)
			return int(stats.HeapAlloc)
		}
		base, began := heap(), time.Now()
		round(t, d.e)
		took, grown := time.Since(began), heap()-base
		clockOf(s).Add(7 * 24 * time.Hour)
		round(t, d.e)
		wantCounts(t, d.counts(t), all)
		if size := len(d.came[0].Data); size > 64<<10 || grown > 16<<20 {
			t.Errorf("the message has %d bytes, %d bytes of memory are left", size, grown)
		}
		t.Logf("%d in %s, a message of %d bytes", all, took.Round(time.Millisecond), len(d.came[0].Data))
	})
}
