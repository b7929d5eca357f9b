package bunstore_test

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"pasteport/adapters/bunstore"
	"pasteport/adapters/bunstore/bunstoretest"
	"pasteport/domain/events"
	"pasteport/domain/shares"
	"pasteport/ports/event"
	"pasteport/ports/policy"
	"pasteport/ports/portstest"
)

func TestAShareThatEndsSoonIsToldOncePerEnd(t *testing.T) {
	onBoth(t, func(t *testing.T, s *bunstore.Store) {
		to := newReceivers()
		e := newEvents(s, to, &portstest.Random{})
		anna, began := policy.Principal{Kind: policy.APIKey, ID: "anna"}, s.Clock.Now()
		paste := func(id, owner string, life time.Duration, gate shares.Gate) {
			end := began.Add(life)
			gate.ExpiresAt = &end
			if err := s.Pastes().Insert(t.Context(), &shares.Paste{ID: id, Slug: id, Remark: id, Content: []byte("x"), Gate: gate, CreatedBy: owner, CreatedAt: began, UpdatedAt: began}); err != nil {
				t.Fatal(err)
			}
		}
		paste("month", anna.Owner(), 30*24*time.Hour, shares.Gate{})
		paste("hours", anna.Owner(), 4*time.Hour, shares.Gate{})
		paste("other", "apikey:ben", 4*time.Hour, shares.Gate{})
		paste("sliding", anna.Owner(), 10*24*time.Hour, shares.Gate{Latch: shares.Latch{SlideBy: 2 * time.Hour}})
		paste("used", anna.Owner(), 4*time.Hour, shares.Gate{MaxViews: 1, Views: 1, UsedUpAt: &began})
		look := func() (told []string) {
			t.Helper()
			if _, err := e.TellEndings(t.Context()); err != nil {
				t.Fatal(err)
			}
			round(t, e)
			for _, id := range []string{"month", "hours", "other", "sliding", "used"} {
				for range to.at("https://anna.example/a", "share:"+id) {
					told = append(told, id)
				}
			}
			return told
		}
		if told := look(); len(told) > 0 {
			t.Errorf("nobody wants to hear, and %v was told", told)
		}
		if _, err := e.Own().Create(t.Context(), anna, events.Draft{Name: "a", Type: events.Ntfy, Address: "https://anna.example/a", Kinds: []string{string(event.ShareExpires)}, Active: true}); err != nil {
			t.Fatal(err)
		}
		after := func(what string, since time.Duration, want ...string) {
			t.Helper()
			clockOf(s).Add(began.Add(since).Sub(s.Clock.Now()))
			if d := cmp.Diff(want, look()); d != "" {
				t.Errorf("%s: %s", what, d)
			}
		}
		after("before half of its life", 2*time.Hour-time.Second)
		after("at half of its life", 2*time.Hour, "hours")
		after("once", 3*time.Hour, "hours")
		moved := began.Add(24 * time.Hour)
		if _, err := s.Pastes().Update(t.Context(), "hours", func(p *shares.Paste) error { p.ExpiresAt = &moved; return nil }); err != nil {
			t.Fatal(err)
		}
		after("half of its new life is not over", 11*time.Hour, "hours")
		after("its new end is told, too", 12*time.Hour, "hours", "hours")
		after("a day before, as the setting says, is not yet", 29*24*time.Hour-time.Second, "hours", "hours")
		after("a day before, as the setting says", 29*24*time.Hour, "month", "hours", "hours")
		after("what has ended is not told", 31*24*time.Hour, "month", "hours", "hours")

		// What moves on by use is told when half of its step has gone without one.
		end := s.Clock.Now().Add(2 * time.Hour)
		if _, err := s.Pastes().Update(t.Context(), "sliding", func(p *shares.Paste) error { p.ExpiresAt = &end; return nil }); err != nil {
			t.Fatal(err)
		}
		after("just opened", 31*24*time.Hour+59*time.Minute, "month", "hours", "hours")
		after("not opened for half of its step", 31*24*time.Hour+time.Hour, "month", "hours", "hours", "sliding")

		// Marks of ends that are past are forgotten.
		if n, err := s.Endings().Sweep(t.Context(), s.Clock.Now(), 10); err != nil || n != 2 {
			t.Errorf("%d, %v", n, err)
		}
	})
}

// asked are Endings that note from where they were asked.
type asked struct {
	events.Endings
	from []time.Time
}

func (a *asked) Untold(ctx context.Context, near events.Near) ([]events.Ending, error) {
	a.from = append(a.from, near.From)
	return a.Endings.Untold(ctx, near)
}

// However many shares end soon, and many at the same time, each is told, and a page goes
// on where the one before it ended.
func TestManySharesThatEndSoonAreAllTold(t *testing.T) {
	onBoth(t, func(t *testing.T, s *bunstore.Store) {
		const pastes, files = 450, 410
		began := s.Clock.Now().Add(-48 * time.Hour)
		if err := s.Do(t.Context(), func(ctx context.Context) error {
			for i := range pastes {
				p := bunstoretest.Paste(fmt.Sprint("p", i))
				end := s.Clock.Now().Add(time.Duration(1+i/250) * time.Hour) // two times
				p.CreatedAt, p.ExpiresAt = began, &end
				if err := s.Pastes().Insert(ctx, p); err != nil {
					return err
				}
			}
			for i := range files {
				end := s.Clock.Now().Add(time.Duration(1+i) * time.Minute)
				if err := s.Files().Insert(ctx, &shares.File{ID: fmt.Sprint("f", i), Slug: fmt.Sprint("f", i), Filename: "f", StorageConfigID: "c", StoragePath: fmt.Sprint(i), Gate: shares.Gate{ExpiresAt: &end}, CreatedBy: "a", CreatedAt: began, UpdatedAt: began}); err != nil {
					return err
				}
			}
			return nil
		}); err != nil {
			t.Fatal(err)
		}
		a := &asked{Endings: s.Endings()}
		e := events.New(events.Deps{Channels: s.Channels(), Deliveries: s.Deliveries(), Watches: s.Watches(), Notes: s.Secrets(), Endings: a, Lead: func() time.Duration { return 24 * time.Hour }, Work: s, Sealer: plainSealer{}, Decider: allowing{}, Random: &portstest.Random{}, Clock: s.Clock})
		if _, err := e.Create(t.Context(), policy.Principal{Kind: policy.Admin, ID: "1"}, events.Draft{Name: "a", Type: events.Ntfy, Address: "https://site.example/a", Kinds: []string{string(event.ShareExpires)}, Active: true}); err != nil {
			t.Fatal(err)
		}
		if told, err := e.TellEndings(t.Context()); err != nil || told != pastes+files {
			t.Errorf("%d told, %v; want %d", told, err, pastes+files)
		}
		if n := bunstoretest.Query(t, s, "SELECT CAST(count(DISTINCT subject) AS TEXT) FROM events"); n[0] != fmt.Sprint(pastes+files) {
			t.Errorf("events of %s shares; want %d", n[0], pastes+files)
		}
		if !slices.IsSortedFunc(a.from, time.Time.Compare) || len(a.from) != 3 || !a.from[1].After(s.Clock.Now()) || !a.from[2].After(a.from[1]) {
			t.Errorf("asked from %v", a.from)
		}
		if told, err := e.TellEndings(t.Context()); err != nil || told != 0 {
			t.Errorf("%d told again, %v", told, err)
		}
	})
}
