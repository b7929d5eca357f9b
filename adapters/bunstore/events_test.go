package bunstore_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"pasteport/adapters/bunstore"
	"pasteport/adapters/bunstore/bunstoretest"
	"pasteport/domain/events"
	"pasteport/domain/shares"
	"pasteport/ports"
	"pasteport/ports/event"
	"pasteport/ports/policy"
	"pasteport/ports/portstest"
)

// receivers is a fake of what channels lead to.
type receivers struct {
	mu     sync.Mutex
	got    map[string][]string // ids by address and subject
	times  map[string]int      // deliveries by event
	answer func(to events.Target, m events.Message) events.Outcome
}

func newReceivers() *receivers {
	return &receivers{got: map[string][]string{}, times: map[string]int{}}
}

func (r *receivers) Send(_ context.Context, to events.Target, m events.Message) events.Outcome {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.answer != nil {
		if out := r.answer(to, m); out.Problem != "" {
			return out
		}
	}
	r.times[m.ID]++
	r.got[to.Address+" "+m.Subject] = append(r.got[to.Address+" "+m.Subject], string(m.Data))
	return events.Outcome{Status: 204}
}

func (r *receivers) at(address, subject string) []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.got[address+" "+subject]
}

var admin = policy.Principal{Kind: policy.Admin, ID: "a1"}

func newEvents(s *bunstore.Store, to events.Sender, random *portstest.Random) *events.Events {
	return events.New(eventDeps(s, to, random))
}

func eventDeps(s *bunstore.Store, to events.Sender, random *portstest.Random) events.Deps {
	return events.Deps{Channels: s.Channels(), Deliveries: s.Deliveries(), Watches: s.Watches(), Shares: s.Watches(), Notes: s.Secrets(), Endings: s.Endings(), Lead: func() time.Duration { return 24 * time.Hour }, Work: s, Sender: to, Sealer: plainSealer{}, Decider: allowing{}, Random: random, Clock: s.Clock}
}

// plainSealer seals nothing and tells where a value belongs.
type plainSealer struct{}

func (plainSealer) Seal(plain []byte, place string) ([]byte, error) {
	return append([]byte(place+"\x00"), plain...), nil
}

func (plainSealer) Open(sealed []byte, place string) ([]byte, error) {
	if len(sealed) < len(place) || string(sealed[:len(place)]) != place {
		return nil, errors.New("another place")
	}
	return sealed[len(place)+1:], nil
}

func onBoth(t *testing.T, run func(t *testing.T, s *bunstore.Store)) {
	t.Run("SQLite", func(t *testing.T) { run(t, bunstoretest.SQLite(t)) })
	t.Run("PostgreSQL", func(t *testing.T) { run(t, bunstoretest.Postgres(t)) })
}

func create(t *testing.T, e *events.Events, address string, kinds ...string) events.Issued {
	t.Helper()
	made, err := e.Create(t.Context(), admin, events.Draft{Name: address, Type: events.Webhook, Address: address, Kinds: kinds, Active: true})
	if err != nil {
		t.Fatal(err)
	}
	return made
}

func happen(t *testing.T, e *events.Events, subject string, numbers ...int) {
	t.Helper()
	for _, n := range numbers {
		if err := e.Happened(t.Context(), event.Event{Kind: event.RequestFulfilled, Subject: subject, Data: n}); err != nil {
			t.Fatal(err)
		}
	}
}

func round(t *testing.T, e *events.Events) {
	t.Helper()
	for more := true; more; {
		var err error
		if more, err = e.Round(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
}

func wantTexts(t *testing.T, got []string, want ...string) {
	t.Helper()
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}

func clockOf(s *bunstore.Store) *portstest.Clock { return s.Clock.(*portstest.Clock) }

func TestAnEventIsToldOnlyWhenItsCauseIsCommittedAndOnlyToThoseWhoWantIt(t *testing.T) {
	onBoth(t, func(t *testing.T, s *bunstore.Store) {
		to := newReceivers()
		e := newEvents(s, to, &portstest.Random{})
		happen(t, e, "request:1", 0) // nobody wants to hear
		create(t, e, "https://one.example/", "request.fulfilled")
		create(t, e, "https://two.example/", "audit.key.*")
		undone := errors.New("undone")
		if err := s.Do(t.Context(), func(ctx context.Context) error {
			if err := e.Happened(ctx, event.Event{Kind: event.RequestFulfilled, Subject: "request:1", Data: 1}); err != nil {
				return err
			}
			return undone
		}); !errors.Is(err, undone) {
			t.Fatal(err)
		}
		happen(t, e, "request:1", 2)
		if err := e.Happened(t.Context(), event.Event{Kind: "audit.key.create", Subject: "audit:n", Data: 3}); err != nil {
			t.Fatal(err)
		}
		round(t, e)
		wantTexts(t, to.at("https://one.example/", "request:1"), "2")
		wantTexts(t, to.at("https://two.example/", "audit:n"), "3")
		if len(to.times) != 2 {
			t.Errorf("%d events were told", len(to.times))
		}
	})
}

func TestEventsOfASubjectKeepTheirOrderAndDoNotHoldOthersBack(t *testing.T) {
	onBoth(t, func(t *testing.T, s *bunstore.Store) {
		to := newReceivers()
		spoilt := true
		to.answer = func(_ events.Target, m events.Message) events.Outcome {
			if spoilt && string(m.Data) == "2" {
				return events.Outcome{Status: 500, Problem: "status"}
			}
			return events.Outcome{}
		}
		e := newEvents(s, to, &portstest.Random{})
		create(t, e, "https://one.example/", "request.fulfilled")
		happen(t, e, "request:1", 1, 2, 3)
		happen(t, e, "request:2", 4)
		round(t, e)
		wantTexts(t, to.at("https://one.example/", "request:1"), "1")
		wantTexts(t, to.at("https://one.example/", "request:2"), "4")
		spoilt = false
		round(t, e) // its time has not come
		wantTexts(t, to.at("https://one.example/", "request:1"), "1")
		clockOf(s).Add(6 * time.Second)
		round(t, e)
		wantTexts(t, to.at("https://one.example/", "request:1"), "1", "2", "3")
	})
}

func TestADeliveryThatIsGivenUpIsSeenAndCanBeSentAgain(t *testing.T) {
	onBoth(t, func(t *testing.T, s *bunstore.Store) {
		to := newReceivers()
		spoilt := true
		to.answer = func(_ events.Target, m events.Message) events.Outcome {
			if spoilt && string(m.Data) == "1" {
				return events.Outcome{Status: 422, Problem: "status"}
			}
			return events.Outcome{}
		}
		e := newEvents(s, to, &portstest.Random{})
		c := create(t, e, "https://one.example/", "request.fulfilled")
		happen(t, e, "request:1", 1, 2)
		for range events.MaxAttempts {
			round(t, e)
			clockOf(s).Add(12 * time.Hour)
		}
		round(t, e)
		wantTexts(t, to.at("https://one.example/", "request:1"), "2")
		page, err := e.ListDeliveries(t.Context(), admin, events.DeliveryFilter{ChannelID: c.ID, Status: events.Dead})
		if err != nil || page.Total != 1 || len(page.Items) != 1 {
			t.Fatalf("%v, %+v", err, page)
		}
		dead := page.Items[0]
		if dead.Attempts != events.MaxAttempts || dead.Answer != 422 || string(dead.Event.Data) != "1" {
			t.Errorf("%+v", dead)
		}
		spoilt = false
		if n, err := e.Resend(t.Context(), admin, c.ID, dead.ID); n != 1 || err != nil {
			t.Fatal(n, err)
		}
		round(t, e)
		wantTexts(t, to.at("https://one.example/", "request:1"), "2", "1")
		if _, err := e.Resend(t.Context(), admin, c.ID, dead.ID); !ports.Is(err, ports.NotFound) {
			t.Errorf("sent again twice: %v", err)
		}
	})
}

func TestItIsKnownHowManyDeliveriesWaitAndWereGivenUpAndSinceWhen(t *testing.T) {
	onBoth(t, func(t *testing.T, s *bunstore.Store) {
		to := newReceivers()
		to.answer = func(target events.Target, m events.Message) events.Outcome {
			switch {
			case target.Address == "https://away.example/":
				return events.Outcome{Problem: "timeout", Away: true}
			case string(m.Data) == "1":
				return events.Outcome{Status: 422, Problem: "status"}
			}
			return events.Outcome{}
		}
		e := newEvents(s, to, &portstest.Random{})
		known := func(outbox time.Time, want ...events.Health) {
			t.Helper()
			all, since, err := e.Standing(t.Context())
			if err != nil || !since.Equal(outbox) || len(all) != len(want) {
				t.Fatalf("%v, %v instead of %v, %+v", err, since, outbox, all)
			}
			for i, h := range all {
				if !h.Oldest.Equal(want[i].Oldest) {
					t.Errorf("the oldest is of %v instead of %v", h.Oldest, want[i].Oldest)
				}
				if h.Oldest = want[i].Oldest; h != want[i] {
					t.Errorf("%+v instead of %+v", h, want[i])
				}
			}
		}
		known(time.Time{})
		create(t, e, "https://one.example/", "request.fulfilled")
		create(t, e, "https://away.example/", "request.fulfilled")
		began := clockOf(s).Now()
		happen(t, e, "request:1", 1)
		clockOf(s).Add(time.Second)
		happen(t, e, "request:2", 2)
		known(began, events.Health{Name: "https://one.example/", Active: true}, events.Health{Name: "https://away.example/", Active: true})
		round(t, e)
		known(time.Time{}, events.Health{Name: "https://one.example/", Active: true, Waiting: 1, Oldest: began}, events.Health{Name: "https://away.example/", Active: true, Failures: 1, Waiting: 2, Oldest: began})
		for range events.MaxAttempts {
			clockOf(s).Add(12 * time.Hour)
			round(t, e)
		}
		all, _, err := e.Standing(t.Context())
		if err != nil || all[0].Waiting != 0 || all[0].Dead != 1 || !all[0].Oldest.IsZero() {
			t.Errorf("%v, %+v", err, all)
		}
		if n := e.Attempts()[events.Webhook]; n.Sent != 1 || n.Failed <= events.MaxAttempts {
			t.Errorf("%+v", n)
		}
	})
}

func TestAChannelThatIsAwayIsTriedLessOftenAndLosesNothing(t *testing.T) {
	onBoth(t, func(t *testing.T, s *bunstore.Store) {
		to := newReceivers()
		tries, away := 0, true
		to.answer = func(target events.Target, _ events.Message) events.Outcome {
			if away && target.Address == "https://one.example/" {
				tries++
				return events.Outcome{Problem: "timeout", Away: true}
			}
			return events.Outcome{}
		}
		e := newEvents(s, to, &portstest.Random{})
		create(t, e, "https://one.example/", "request.fulfilled")
		create(t, e, "https://two.example/", "request.fulfilled")
		for n := range 20 {
			happen(t, e, fmt.Sprint("request:", n), n)
		}
		round(t, e)
		if tries > 4 {
			t.Errorf("%d tries in a round", tries)
		}
		if len(to.times) != 20 {
			t.Errorf("the other channel got %d", len(to.times))
		}
		tries = 0
		for range 900 {
			clockOf(s).Add(4 * time.Second)
			if _, err := e.Round(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		if tries == 0 || tries > 50 {
			t.Errorf("%d tries in an hour", tries)
		}
		away = false
		clockOf(s).Add(13 * time.Hour)
		round(t, e)
		for n := range 20 {
			wantTexts(t, to.at("https://one.example/", fmt.Sprint("request:", n)), fmt.Sprint(n))
		}
	})
}

func TestAReceiverThatIsGoneSwitchesItsChannelOff(t *testing.T) {
	onBoth(t, func(t *testing.T, s *bunstore.Store) {
		to := newReceivers()
		to.answer = func(events.Target, events.Message) events.Outcome {
			return events.Outcome{Status: 410, Problem: "gone", Gone: true}
		}
		e := newEvents(s, to, &portstest.Random{})
		c := create(t, e, "https://one.example/", "request.fulfilled")
		happen(t, e, "request:1", 1)
		round(t, e)
		now, err := e.Get(t.Context(), admin, c.ID)
		if err != nil || now.Active || now.Stopped != "gone" {
			t.Errorf("%+v, %v", now, err)
		}
	})
}

// What an old address has answered says nothing of the new one.
func TestAChannelThatIsChangedWhileItIsToldStaysOn(t *testing.T) {
	onBoth(t, func(t *testing.T, s *bunstore.Store) {
		random := &portstest.Random{}
		for name, out := range map[string]events.Outcome{"gone": {Status: 410, Problem: "gone", Gone: true}, "away": {Problem: "timeout", Away: true}} {
			to := newReceivers()
			e := newEvents(s, to, random)
			c := create(t, e, "https://old."+name+".example/", "request.fulfilled")
			moved := "https://new." + name + ".example/"
			to.answer = func(target events.Target, _ events.Message) events.Outcome {
				if target.Address != c.Address {
					return events.Outcome{}
				}
				if _, err := e.Update(t.Context(), admin, c.ID, events.Change{Address: &moved}); err != nil {
					t.Error(err)
				}
				return out
			}
			happen(t, e, "request:1", 1)
			round(t, e)
			now, err := e.Get(t.Context(), admin, c.ID)
			if err != nil || !now.Active || now.Stopped != "" || now.Failures != 0 || !now.RetryAt.IsZero() {
				t.Errorf("%s: %+v, %v", name, now, err)
			}
			clockOf(s).Add(time.Minute)
			round(t, e)
			wantTexts(t, to.at(moved, "request:1"), "1")
			if _, err := e.Delete(t.Context(), admin, c.ID); err != nil {
				t.Error(err)
			}
		}
	})
}

// leased does something when a channel is looked at under its lease.
type leased struct {
	events.Repository
	then func(id string) error
}

func (l *leased) Get(ctx context.Context, id string) (*events.Channel, error) {
	if then := l.then; then != nil {
		l.then = nil
		if err := then(id); err != nil {
			return nil, err
		}
	}
	return l.Repository.Get(ctx, id)
}

func TestAChannelIsAsItIsWhenItIsLeased(t *testing.T) {
	onBoth(t, func(t *testing.T, s *bunstore.Store) {
		to, random := newReceivers(), &portstest.Random{}
		deps := eventDeps(s, to, random)
		channels := &leased{Repository: deps.Channels}
		deps.Channels = channels
		e := events.New(deps)
		create(t, e, "https://one.example/", "request.fulfilled")
		happen(t, e, "request:1", 1)

		channels.then = func(string) error { return errors.New("the database is away") }
		round(t, e)
		wantTexts(t, to.at("https://one.example/", "request:1"))
		round(t, e) // the lease of the round before is not waited for
		wantTexts(t, to.at("https://one.example/", "request:1"), "1")

		happen(t, e, "request:1", 2)
		channels.then = func(id string) error {
			_, err := s.Channels().Update(t.Context(), id, func(c *events.Channel) error {
				c.Active = false
				return nil
			})
			return err
		}
		round(t, e)
		wantTexts(t, to.at("https://one.example/", "request:1"), "1")
	})
}

func TestAChannelThatIsDeletedWhenItIsLeasedIsNoError(t *testing.T) {
	onBoth(t, func(t *testing.T, s *bunstore.Store) {
		deps := eventDeps(s, newReceivers(), &portstest.Random{})
		channels := &leased{Repository: deps.Channels}
		deps.Channels = channels
		var deleted bool
		channels.then = func(id string) error {
			deleted = true
			_, err := s.Channels().Delete(t.Context(), id)
			return err
		}
		deps.Report = func(what string, err error) { t.Errorf("%s: %v", what, err) }
		e := events.New(deps)
		create(t, e, "https://one.example/", "request.fulfilled")
		happen(t, e, "request:1", 1)
		if round(t, e); !deleted {
			t.Error("no channel was leased")
		}
	})
}

// deaf cannot list channels once.
type deaf struct {
	events.Repository
	once *bool
}

func (d deaf) List(ctx context.Context, f events.Filter) (ports.Page[events.Channel], error) {
	if *d.once {
		*d.once = false
		return ports.Page[events.Channel]{}, errors.New("the database is away")
	}
	return d.Repository.List(ctx, f)
}

func TestAChannelThatIsMadeWhileTheDatabaseGoesAwayTellsItsSecret(t *testing.T) {
	onBoth(t, func(t *testing.T, s *bunstore.Store) {
		to, random, once := newReceivers(), &portstest.Random{}, false
		deps := eventDeps(s, to, random)
		deps.Channels = deaf{deps.Channels, &once}
		deps.Report = func(string, error) {}
		e := events.New(deps)
		once = true
		if c := create(t, e, "https://one.example/", "request.fulfilled"); c.Secret == "" {
			t.Errorf("%+v", c)
		}
		if err := e.Reload(t.Context()); err != nil { // as the program does twice a minute
			t.Fatal(err)
		}
		happen(t, e, "request:1", 1)
		round(t, e)
		wantTexts(t, to.at("https://one.example/", "request:1"), "1")
	})
}

func TestANodeThatHasLostItsLeaseStoresNothing(t *testing.T) {
	onBoth(t, func(t *testing.T, s *bunstore.Store) {
		e := newEvents(s, newReceivers(), &portstest.Random{})
		c := create(t, e, "https://one.example/", "request.fulfilled")
		now := s.Clock.Now()
		turn, ok, err := s.Channels().Lease(t.Context(), c.ID, now, now.Add(time.Minute))
		if err != nil || !ok {
			t.Fatal(ok, err)
		}
		if _, ok, err := s.Channels().Lease(t.Context(), c.ID, now, now.Add(time.Minute)); ok || err != nil {
			t.Fatalf("leased twice: %v", err)
		}
		later := now.Add(2 * time.Minute)
		if _, ok, err := s.Channels().Lease(t.Context(), c.ID, later, later.Add(time.Minute)); !ok || err != nil {
			t.Fatalf("a lease that has ended is not free: %v", err)
		}
		if ok, err := s.Deliveries().Settle(t.Context(), c.ID, turn, []events.Delivery{{N: 1}}); ok || err != nil {
			t.Errorf("stored with an old lease: %v", err)
		}
		if ok, err := s.Channels().Prolong(t.Context(), c.ID, turn, later); ok || err != nil {
			t.Errorf("prolonged an old lease: %v", err)
		}
	})
}

func TestEveryAttemptOfALongRoundIsStoredAsItWent(t *testing.T) {
	onBoth(t, func(t *testing.T, s *bunstore.Store) {
		random := &portstest.Random{}
		e := newEvents(s, newReceivers(), random)
		c := create(t, e, "https://one.example/", "request.fulfilled")
		const all = 1100 // more than one statement stores
		if err := s.Do(t.Context(), func(ctx context.Context) error {
			for n := range all {
				if err := e.Happened(ctx, event.Event{Kind: event.RequestFulfilled, Subject: fmt.Sprint("request:", n), Data: n}); err != nil {
					return err
				}
			}
			return nil
		}); err != nil {
			t.Fatal(err)
		}
		for taken := all; taken > 0; {
			var err error
			if taken, err = s.Deliveries().Route(t.Context(), 500, func(*events.Noted) []events.Route { return []events.Route{{Channel: c.ID}} }, random.ID); err != nil {
				t.Fatal(err)
			}
		}
		now := s.Clock.Now()
		turn, ok, err := s.Channels().Lease(t.Context(), c.ID, now, now.Add(time.Minute))
		if err != nil || !ok {
			t.Fatal(ok, err)
		}
		due, err := s.Deliveries().Due(t.Context(), c.ID, now.Add(time.Second), all)
		if err != nil || len(due) != all {
			t.Fatal(len(due), err)
		}
		want := map[int64]events.Delivery{}
		for i := range due {
			d := &due[i]
			d.Status, d.Attempts, d.NextAt, d.UpdatedAt = []events.Status{events.Delivered, events.Waiting, events.Dead}[i%3], i, now.Add(time.Duration(i)*time.Second), now.Add(time.Minute)
			if i%3 > 0 {
				d.Answer, d.Problem = 500+i, "it's \"away\" 第"
			}
			if i%10 != 9 {
				want[d.N] = *d
			}
		}
		settled := slices.DeleteFunc(slices.Clone(due), func(d events.Delivery) bool { _, ok := want[d.N]; return !ok })
		if ok, err := s.Deliveries().Settle(t.Context(), c.ID, turn, settled); !ok || err != nil {
			t.Fatal(ok, err)
		}
		for from := 0; from < all; from += 100 {
			page, err := s.Deliveries().List(t.Context(), events.DeliveryFilter{Paging: ports.Paging{Limit: 100, Offset: from}})
			if err != nil || page.Total != all {
				t.Fatal(page.Total, err)
			}
			for _, got := range page.Items {
				wanted, settled := want[got.N]
				if !settled {
					wanted = got
					wanted.Status, wanted.Attempts = events.Waiting, 0
				}
				if d := cmp.Diff(wanted, got); d != "" {
					t.Fatal(d)
				}
			}
		}
	})
}

func TestTwoNodesDeliverEveryEventOnceAndInOrder(t *testing.T) {
	onBoth(t, func(t *testing.T, s *bunstore.Store) {
		to, random := newReceivers(), &portstest.Random{}
		one, two := newEvents(s, to, random), newEvents(s, to, random)
		for n := range 4 {
			create(t, one, fmt.Sprintf("https://%d.example/", n), "request.fulfilled")
		}
		if err := two.Reload(t.Context()); err != nil {
			t.Fatal(err)
		}
		const all = 300
		want := []string{}
		for n := range all {
			happen(t, []*events.Events{one, two}[n%2], "request:1", n)
			want = append(want, fmt.Sprint(n))
		}
		var nodes sync.WaitGroup
		for _, node := range []*events.Events{one, two} {
			nodes.Go(func() {
				for range 20 {
					if _, err := node.Round(t.Context()); err != nil {
						t.Error(err)
					}
				}
			})
		}
		nodes.Wait()
		for n := range 4 {
			wantTexts(t, to.at(fmt.Sprintf("https://%d.example/", n), "request:1"), want...)
		}
	})
}

func TestASecretThatWasRotatedSignsForADayBesideTheNewOne(t *testing.T) {
	s := bunstoretest.SQLite(t)
	signers := 0
	to := newReceivers()
	to.answer = func(target events.Target, _ events.Message) events.Outcome {
		signers = len(target.Secrets)
		return events.Outcome{}
	}
	e := newEvents(s, to, &portstest.Random{})
	c := create(t, e, "https://one.example/", "request.fulfilled")
	next, err := e.Rotate(t.Context(), admin, c.ID)
	if err != nil || next.Secret == c.Secret {
		t.Fatal(next.Secret, err)
	}
	for _, step := range []struct {
		after time.Duration
		want  int
	}{{0, 2}, {24 * time.Hour, 1}} {
		clockOf(s).Add(step.after)
		if out, err := e.Try(t.Context(), admin, c.ID); err != nil || out.Problem != "" || signers != step.want {
			t.Errorf("after %s %d secrets sign: %+v, %v", step.after, signers, out, err)
		}
	}
}

func TestWhatWasToldIsForgottenAndWhatWaitsTooLongIsGivenUp(t *testing.T) {
	onBoth(t, func(t *testing.T, s *bunstore.Store) {
		to := newReceivers()
		to.answer = func(_ events.Target, m events.Message) events.Outcome {
			if string(m.Data) == "1" {
				return events.Outcome{Problem: "timeout", Away: true}
			}
			return events.Outcome{}
		}
		e := newEvents(s, to, &portstest.Random{})
		c := create(t, e, "https://one.example/", "request.fulfilled")
		happen(t, e, "request:2", 2)
		round(t, e)
		happen(t, e, "request:1", 1)
		round(t, e)
		count := func(status events.Status, want int) {
			t.Helper()
			if _, err := e.Sweep(t.Context(), s.Clock.Now()); err != nil {
				t.Fatal(err)
			}
			counts, err := e.Counts(t.Context(), admin)
			if err != nil || counts[c.ID][status] != want {
				t.Errorf("%d %s, want %d: %v", counts[c.ID][status], status, want, err)
			}
		}
		count(events.Delivered, 1)
		clockOf(s).Add(7*24*time.Hour + time.Minute)
		count(events.Delivered, 0)
		count(events.Dead, 1)
		clockOf(s).Add(31 * 24 * time.Hour)
		count(events.Dead, 0)
		page, err := e.ListDeliveries(t.Context(), admin, events.DeliveryFilter{ChannelID: c.ID})
		if err != nil || page.Total != 0 {
			t.Errorf("%d are left: %v", page.Total, err)
		}
	})
}

// TestLongOutboxIsDrainedInBoundedMemory stores 100,000 events, as a channel leaves
// them that was away, and drains them.
func TestLongOutboxIsDrainedInBoundedMemory(t *testing.T) {
	if os.Getenv("PASTEPORT_TEST_LONG") == "" {
		t.Skip("make test-long")
	}
	onBoth(t, func(t *testing.T, s *bunstore.Store) {
		const all = 100_000
		random := &portstest.Random{}
		var n, most int
		var stats runtime.MemStats
		base := uint64(0)
		e := newEvents(s, sender(func() {
			if n++; n%5000 == 0 {
				runtime.GC()
				runtime.ReadMemStats(&stats)
				most = max(most, int(stats.HeapAlloc)-int(base))
			}
		}), random)
		create(t, e, "https://one.example/", "request.fulfilled")
		for done := 0; done < all; done += 2000 {
			if err := s.Do(t.Context(), func(ctx context.Context) error {
				for i := range 2000 {
					if err := e.Happened(ctx, event.Event{Kind: event.RequestFulfilled, Subject: fmt.Sprint("request:", (done+i)%5000), Data: done + i}); err != nil {
						return err
					}
				}
				return nil
			}); err != nil {
				t.Fatal(err)
			}
		}
		runtime.GC()
		runtime.ReadMemStats(&stats)
		base = stats.HeapAlloc
		began := time.Now()
		round(t, e)
		if n != all {
			t.Errorf("%d of %d were delivered", n, all)
		}
		if most > 16<<20 {
			t.Errorf("it took %d bytes of memory", most)
		}
		t.Logf("%d in %s, %d KiB of memory above the rest", n, time.Since(began).Round(time.Millisecond), most>>10)
	})
}

// After a burst the statistics of PostgreSQL know of few deliveries, or of none. It
// must read no more of them for that, or its answer comes too late and nothing is
// delivered.
func TestDeliveriesOfABurstAreFoundWithoutStatistics(t *testing.T) {
	const all = 5000
	tables := []string{"events", "event_deliveries"}
	const most = 3 * all // each of three statements may read all; 500,100 were read when one asked for all
	for name, few := range map[string]int{"of an empty table": 0, "of one row": 1} {
		t.Run(name, func(t *testing.T) {
			s := bunstoretest.Postgres(t)
			pool := s.ReadDB().DB
			pool.SetMaxOpenConns(1) // a connection tells of itself only
			defer pool.SetMaxOpenConns(0)
			do := func(query string, args ...any) {
				t.Helper()
				if _, err := pool.Exec(query, args...); err != nil {
					t.Fatal(err)
				}
			}
			happen := func(n int) {
				do("INSERT INTO events (id, kind, subject, owner, at, data, routed) SELECT 'e' || i, 'request.fulfilled', 'request:' || i % 1000, '', 0, '{}', TRUE FROM generate_series(1, $1) i", n)
				do("INSERT INTO event_deliveries (id, channel_id, event_n, subject, status, attempts, next_at, answer, problem, updated_at) SELECT 'd' || n, 'c', n, subject, 'waiting', 0, 0, 0, '', 0 FROM events")
			}
			for _, table := range tables {
				do("ALTER TABLE " + table + " SET (autovacuum_enabled = off)")
				defer do("ALTER TABLE " + table + " RESET (autovacuum_enabled)")
				do("VACUUM (FULL, ANALYZE) " + table) // an earlier test has used it
			}
			if happen(few); few > 0 {
				for _, table := range tables {
					do("ANALYZE " + table)
					do("DELETE FROM " + table)
				}
			}
			happen(all)
			for _, table := range tables {
				read := func() (rows int64) {
					do("SELECT pg_stat_force_next_flush()")
					if err := pool.QueryRow("SELECT idx_tup_fetch + seq_tup_read FROM pg_stat_user_tables WHERE relname = $1", table).Scan(&rows); err != nil {
						t.Fatal(err)
					}
					return rows
				}
				before := read()
				due, err := s.Deliveries().Due(t.Context(), "c", s.Clock.Now(), 100)
				if err != nil || len(due) != 100 {
					t.Fatalf("%d are due, %v", len(due), err)
				}
				if rows := read() - before; rows > most {
					t.Errorf("%d rows of %s were read for 100", rows, table)
				}
			}
		})
	}
}

// sender is a receiver that takes everything; its function is called by one at a
// time.
func sender(each func()) events.Sender { return &counting{each: each} }

type counting struct {
	mu   sync.Mutex
	each func()
}

func (c *counting) Send(context.Context, events.Target, events.Message) events.Outcome {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.each()
	return events.Outcome{Status: 200}
}

// allowing allows everything.
type allowing struct{}

func (allowing) Decide(context.Context, policy.Principal, policy.Action, policy.Resource) (policy.Decision, error) {
	return policy.Decision{Allow: true}, nil
}

func TestOpeningsOfAShareInAMinuteAreOneMessageForPeople(t *testing.T) {
	onBoth(t, func(t *testing.T, s *bunstore.Store) {
		to := newReceivers()
		e := newEvents(s, to, &portstest.Random{})
		create(t, e, "https://one.example/", "share.opened", "share.used_up")
		if _, err := e.Create(t.Context(), admin, events.Draft{Name: "phone", Type: events.Ntfy, Address: "https://ntfy.example/topic", Kinds: []string{"share.opened", "share.used_up"}, Active: true}); err != nil {
			t.Fatal(err)
		}
		var told []int
		to.answer = func(target events.Target, m events.Message) events.Outcome {
			if target.Type == events.Ntfy && m.Kind == event.ShareOpened {
				told = append(told, m.Times)
			}
			return events.Outcome{}
		}
		open := func(subject string, times int) {
			if err := s.Do(t.Context(), func(ctx context.Context) error {
				for n := range times {
					if err := e.Happened(ctx, event.Event{Kind: event.ShareOpened, Subject: subject, Data: n}); err != nil {
						return err
					}
				}
				return nil
			}); err != nil {
				t.Fatal(err)
			}
		}
		open("share:1", 700)
		round(t, e)
		clockOf(s).Add(30 * time.Second)
		open("share:1", 300)
		open("share:2", 1)
		if err := e.Happened(t.Context(), event.Event{Kind: event.ShareUsedUp, Subject: "share:1", Data: "last"}); err != nil {
			t.Fatal(err)
		}
		round(t, e)
		if len(told) > 0 || len(to.at("https://one.example/", "share:1")) != 1001 {
			t.Fatalf("%v, %d to the program", told, len(to.at("https://one.example/", "share:1")))
		}
		clockOf(s).Add(31 * time.Second)
		round(t, e)
		wantTexts(t, to.at("https://ntfy.example/topic", "share:1"), "0", `"last"`) // in their order
		if d := cmp.Diff([]int{1000}, told); d != "" {
			t.Error(d)
		}
		clockOf(s).Add(time.Minute)
		open("share:1", 2)
		clockOf(s).Add(time.Minute)
		round(t, e)
		slices.Sort(told) // two subjects
		if d := cmp.Diff([]int{1, 2, 1000}, told); d != "" {
			t.Error(d)
		}
	})
}

func TestAPasswordStaysWithItsAddress(t *testing.T) {
	onBoth(t, func(t *testing.T, s *bunstore.Store) {
		e := newEvents(s, newReceivers(), &portstest.Random{})
		made, err := e.Create(t.Context(), admin, events.Draft{Name: "mail", Type: events.Mail, Address: "smtp://mail.example", Kinds: []string{"backup.failed"}, Secret: "pw",
			Options: events.Options{From: "a@example.com", To: []string{"b@example.com"}, User: "a", Language: "zh"}})
		if err != nil || made.Secret != "" || len(made.Secrets) != 1 {
			t.Fatalf("%+v, %v", made, err)
		}
		other, again, none := "smtp://evil.example", "new", ""
		if _, err := e.Update(t.Context(), admin, made.ID, events.Change{Address: &other}); ports.CodeOf(err) != ports.Invalid {
			t.Errorf("the password goes to another server: %v", err)
		}
		if _, err := e.Update(t.Context(), admin, made.ID, events.Change{Address: &other, Secret: &again}); err != nil {
			t.Error(err)
		}
		done, err := e.Update(t.Context(), admin, made.ID, events.Change{User: &none})
		if err != nil || len(done.After.Secrets) != 0 || done.After.Options.Language != "zh" {
			t.Errorf("%+v, %v", done.After, err)
		}
		if _, err := e.Rotate(t.Context(), admin, made.ID); ports.CodeOf(err) != ports.Invalid {
			t.Errorf("a mail channel signs: %v", err)
		}
		for name, d := range map[string]events.Draft{
			"mail without recipients": {Type: events.Mail, Address: "smtp://m.example", Options: events.Options{From: "a@b.c"}},
			"a header in a recipient": {Type: events.Mail, Address: "smtp://m.example", Options: events.Options{From: "a@b.c", To: []string{"a@b.c\r\nBcc: d@e.f"}}},
			"a name in a recipient":   {Type: events.Mail, Address: "smtp://m.example", Options: events.Options{From: "a@b.c", To: []string{"A <a@b.c>"}}},
			"mail by the web":         {Type: events.Mail, Address: "https://m.example", Options: events.Options{From: "a@b.c", To: []string{"a@b.c"}}},
			"a password without user": {Type: events.Mail, Address: "smtp://m.example", Secret: "x", Options: events.Options{From: "a@b.c", To: []string{"a@b.c"}}},
			"ntfy without topic":      {Type: events.Ntfy, Address: "https://ntfy.sh/"},
			"a token of two lines":    {Type: events.Ntfy, Address: "https://ntfy.sh/a", Secret: "a\r\nb"},
			"Gotify without token":    {Type: events.Gotify, Address: "https://g.example"},
			"a webhook with a secret": {Type: events.Webhook, Address: "https://g.example", Secret: "mine"},
			"recipients of a webhook": {Type: events.Webhook, Address: "https://g.example", Options: events.Options{To: []string{"a@b.c"}}},
		} {
			d.Name, d.Kinds = name, []string{"backup.failed"}
			if _, err := e.Create(t.Context(), admin, d); ports.CodeOf(err) != ports.Invalid {
				t.Errorf("%s: %v", name, err)
			}
		}
	})
}

func TestAnAccountHearsOnItsOwnChannelsOfWhatIsItsOwn(t *testing.T) {
	onBoth(t, func(t *testing.T, s *bunstore.Store) {
		to := newReceivers()
		e := newEvents(s, to, &portstest.Random{})
		own := e.Own()
		anna, ben := policy.Principal{Kind: policy.APIKey, ID: "anna"}, policy.Principal{Kind: policy.APIKey, ID: "ben"}
		paste := &shares.Paste{ID: "p1", Slug: "p1", Content: []byte("x"), CreatedBy: anna.Owner(), CreatedAt: s.Clock.Now(), UpdatedAt: s.Clock.Now()}
		if err := s.Pastes().Insert(t.Context(), paste); err != nil {
			t.Fatal(err)
		}
		channels := map[string]events.Issued{}
		for address, who := range map[string]policy.Principal{"https://anna.example/a": anna, "https://ben.example/b": ben} {
			made, err := own.Create(t.Context(), who, events.Draft{Name: address, Type: events.Ntfy, Address: address, Kinds: []string{"share.opened", "request.fulfilled"}, Active: true})
			if err != nil {
				t.Fatal(err)
			}
			channels[address] = made
		}
		opened := event.Event{Kind: event.ShareOpened, Subject: "share:p1", Data: "opened"}
		if e.Wanted(opened) {
			t.Error("nobody has asked for this share")
		}
		if err := own.Tell(t.Context(), ben, "p1", true); ports.CodeOf(err) != ports.NotFound {
			t.Errorf("another one's share is watched: %v", err)
		}
		if _, err := own.Told(t.Context(), ben, "p1"); ports.CodeOf(err) != ports.NotFound {
			t.Errorf("another one's share is known: %v", err)
		}
		if err := own.Tell(t.Context(), anna, "p1", true); err != nil {
			t.Fatal(err)
		}
		if told, err := own.Told(t.Context(), anna, "p1"); !told || err != nil {
			t.Errorf("%t, %v", told, err)
		}
		for _, what := range []event.Event{opened, {Kind: event.ShareOpened, Subject: "share:p2", Owner: anna.Owner(), Data: "another share"},
			{Kind: event.RequestFulfilled, Subject: "request:1", Owner: ben.Owner(), Data: "for ben"}, {Kind: event.BackupFailed, Subject: "backup", Data: "site"}} {
			if err := e.Happened(t.Context(), what); err != nil {
				t.Fatal(err)
			}
		}
		clockOf(s).Add(2 * time.Minute)
		round(t, e)
		wantTexts(t, to.at("https://anna.example/a", "share:p1"), `"opened"`)
		wantTexts(t, to.at("https://ben.example/b", "request:1"), `"for ben"`)
		if len(to.times) != 2 {
			t.Errorf("%v was told", to.got)
		}

		// Nobody reaches the channels of somebody else, the administrator of the site included.
		id, name := channels["https://anna.example/a"].ID, "mine"
		for who, try := range map[string]func() error{
			"another account":            func() error { _, err := own.Update(t.Context(), ben, id, events.Change{Name: &name}); return err },
			"deleted by another account": func() error { _, err := own.Delete(t.Context(), ben, id); return err },
			"a test by another account":  func() error { _, err := own.Try(t.Context(), ben, id); return err },
			"the site":                   func() error { _, err := e.Get(t.Context(), admin, id); return err },
			"deleted by the site":        func() error { _, err := e.Delete(t.Context(), admin, id); return err },
			"deliveries": func() error {
				_, err := e.ListDeliveries(t.Context(), admin, events.DeliveryFilter{ChannelID: id})
				return err
			},
		} {
			if err := try(); ports.CodeOf(err) != ports.NotFound {
				t.Errorf("%s: %v", who, err)
			}
		}
		if page, err := e.List(t.Context(), admin, events.Filter{Owner: anna.Owner(), Anybody: true}); err != nil || page.Total != 0 {
			t.Errorf("the site lists %d channels, %v", page.Total, err)
		}
		if _, err := own.Create(t.Context(), anna, events.Draft{Name: "n", Type: events.Ntfy, Address: "https://a.example/t", Kinds: []string{"audit.*"}}); ports.CodeOf(err) != ports.Invalid {
			t.Errorf("an account hears the audit log: %v", err)
		}
		for range events.MaxOwn - 1 {
			if _, err := own.Create(t.Context(), anna, events.Draft{Name: "n", Type: events.Ntfy, Address: "https://a.example/t", Kinds: []string{"share.opened"}}); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := own.Create(t.Context(), anna, events.Draft{Name: "n", Type: events.Ntfy, Address: "https://a.example/t", Kinds: []string{"share.opened"}}); ports.CodeOf(err) != ports.Conflict {
			t.Errorf("one too many: %v", err)
		}

		// Whoever leaves is told of nothing more, and a share that is gone is watched by nobody.
		if err := own.Left(t.Context(), anna.Owner()); err != nil {
			t.Fatal(err)
		}
		if list, err := own.List(t.Context(), anna); err != nil || len(list) > 0 || e.Wanted(opened) {
			t.Errorf("%v, %v", list, err)
		}
		if err := own.Tell(t.Context(), anna, "p1", true); err != nil {
			t.Fatal(err)
		}
		if _, err := s.Pastes().Delete(t.Context(), "p1"); err != nil {
			t.Fatal(err)
		}
		if _, err := e.Sweep(t.Context(), s.Clock.Now()); err != nil {
			t.Fatal(err)
		}
		if left, err := s.Watches().Count(t.Context(), anna.Owner()); left != 0 || err != nil {
			t.Errorf("%d watches are left, %v", left, err)
		}
	})
}

// Whoever asks many times at once gets no more than whoever asks one by one.
func TestOfManyAtOnceAnAccountHasAsManyChannelsAndWatchesAsMayBe(t *testing.T) {
	onBoth(t, func(t *testing.T, s *bunstore.Store) {
		e := newEvents(s, newReceivers(), &portstest.Random{})
		own := e.Own()
		of := func(n int) policy.Principal { return policy.Principal{Kind: policy.APIKey, ID: fmt.Sprint("k", n)} }
		for round := range 4 {
			var all sync.WaitGroup
			for range 3 * events.MaxOwn {
				all.Go(func() {
					_, err := own.Create(t.Context(), of(round), events.Draft{Name: "n", Type: events.Ntfy, Address: "https://a.example/t", Kinds: []string{"share.opened"}})
					if err != nil && ports.CodeOf(err) != ports.Conflict {
						t.Error(err)
					}
				})
			}
			all.Wait()
			if page, err := s.Channels().List(t.Context(), events.Filter{Owner: of(round).Owner()}); err != nil || page.Total != events.MaxOwn {
				t.Fatalf("%d channels, %v", page.Total, err)
			}
		}
		const fewer = 4
		var all sync.WaitGroup
		for n := range 3 * fewer {
			all.Go(func() {
				if err := s.Do(t.Context(), func(ctx context.Context) error {
					have, err := s.Watches().Count(ctx, "anna")
					if err != nil || have >= fewer {
						return err
					}
					return s.Watches().Watch(ctx, fmt.Sprint("p", n), "anna")
				}); err != nil {
					t.Error(err)
				}
			})
		}
		all.Wait()
		if have, err := s.Watches().Count(t.Context(), "anna"); err != nil || have != fewer {
			t.Errorf("%d are watched, %v", have, err)
		}
	})
}
