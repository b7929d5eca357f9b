package shares_test

import (
	"sync"
	"testing"
	"time"

	"pasteport/domain/shares"
	"pasteport/domain/shares/collections"
	"pasteport/domain/shares/latch"
	"pasteport/ports"
	"pasteport/ports/policy"
)

func (w *world) latches() *latch.Latches {
	return latch.New(w.deps, w.pastes, w.files, w.db.Collections())
}

// latched changes the latch of a share of keyA.
func (w *world) latched(kind, id string, change shares.LatchChange) shares.Gate {
	w.t.Helper()
	g, err := w.latches().Change(w.t.Context(), keyA, kind, id, change)
	if err != nil {
		w.t.Fatal(err)
	}
	return g
}

var keyOnly = shares.LatchChange{KeyOnly: shares.To(true)}

func sliding(days int, until *time.Time) shares.LatchChange {
	return shares.LatchChange{SlideBy: shares.To(time.Duration(days) * 24 * time.Hour), SlideUntil: shares.To(until)}
}

func TestNoStrangerOpensAShareForKeysOnly(t *testing.T) {
	w := newWorld(t)
	p := w.paste(shares.NewPaste{Slug: "pp"})
	w.read("pp") // now it is cached
	f := w.upload(shares.NewUpload{Slug: "ff"}, "hello")
	set, items := w.set(collections.Draft{Slug: "cc"}, "one")
	w.latched("paste", p.ID, keyOnly)
	w.latched("file", f.ID, keyOnly)
	w.latched("collection", set.ID, keyOnly)
	here, visits := from("192.0.2.1"), w.setVisits()
	guest := policy.Principal{Kind: policy.APIKey, ID: "g", Guest: true}
	var ticket string
	calls := map[string]func(who policy.Principal, ticket string) error{
		"read": func(who policy.Principal, _ string) error {
			_, err := w.pastes.Read(here, who, shares.Visit{Slug: "pp"})
			return err
		},
		"raw": func(who policy.Principal, _ string) error {
			_, err := w.pastes.Raw(here, who, shares.Visit{Slug: "pp"})
			return err
		},
		"peek": func(who policy.Principal, _ string) error { _, err := w.pastes.Peek(here, who, "pp"); return err },
		"info": func(who policy.Principal, _ string) error {
			info, err := w.visits.Info(here, who, shares.Visit{Slug: "ff"})
			if err == nil {
				ticket = info.Ticket
				if info.Direct != (shares.Links{}) {
					t.Error("links lead round the gate")
				}
			}
			return err
		},
		"peek of a file": func(who policy.Principal, _ string) error { _, err := w.visits.Peek(here, who, "ff"); return err },
		"bytes": func(who policy.Principal, ticket string) error {
			_, err := w.visits.Open(here, who, policy.ShareDownload, shares.Visit{Slug: "ff", Ticket: ticket})
			return err
		},
		"office": func(who policy.Principal, ticket string) error {
			_, err := w.visits.Office(here, who, shares.Visit{Slug: "ff", Ticket: ticket})
			if ports.Is(err, ports.Invalid) { // it is let in, and no document
				return nil
			}
			return err
		},
		"list": func(who policy.Principal, _ string) error {
			_, err := visits.Read(here, who, shares.Visit{Slug: "cc"})
			return err
		},
		"item": func(who policy.Principal, _ string) error {
			_, err := visits.Open(here, who, policy.ShareView, shares.Visit{Slug: "cc"}, items[0].ID)
			return err
		},
		"zip": func(who policy.Principal, _ string) error {
			_, err := visits.Zip(here, who, shares.Visit{Slug: "cc"}, "", "")
			return err
		},
	}
	for name, call := range calls {
		for _, who := range []policy.Principal{policy.Nobody, guest} {
			if err := call(who, ""); !ports.Is(err, ports.Unauthenticated) {
				t.Errorf("%s by a stranger: %v", name, err)
			}
		}
		for _, who := range []policy.Principal{keyB, admin} {
			if err := call(who, ""); err != nil {
				t.Errorf("%s by %s: %v", name, who.ID, err)
			}
		}
	}
	// What a page loads by itself brings no key, but the ticket of the visit.
	for _, name := range []string{"bytes", "office"} {
		if err := calls[name](policy.Nobody, ticket); err != nil {
			t.Errorf("%s with a ticket: %v", name, err)
		}
	}
	w.latched("file", f.ID, shares.LatchChange{KeyOnly: shares.To(true)})
	if err := calls["bytes"](policy.Nobody, ticket); !ports.Is(err, ports.Unauthenticated) {
		t.Errorf("a ticket of before the change: %v", err)
	}
}

func TestTheEndOfAShareMovesWhenItIsOpened(t *testing.T) {
	for name, max := range map[string]int64{"limited": 1000, "unlimited": 0} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			p := w.paste(shares.NewPaste{Slug: "pp", Terms: shares.Terms{MaxViews: max, ExpiresAt: at(48 * time.Hour)}})
			w.latched("paste", p.ID, sliding(2, at(100*time.Hour)))
			end := func() time.Duration {
				t.Helper()
				if err := w.pastes.Flush(t.Context()); err != nil {
					t.Fatal(err)
				}
				got, err := w.db.Pastes().Get(t.Context(), p.ID)
				if err != nil {
					t.Fatal(err)
				}
				return got.ExpiresAt.Sub(*at(0))
			}
			for _, c := range []struct{ at, want time.Duration }{{0, 48 * time.Hour}, {time.Hour, 49 * time.Hour}, {40 * time.Hour, 88 * time.Hour}, {60 * time.Hour, 100 * time.Hour}, {99 * time.Hour, 100 * time.Hour}} {
				w.clock.Add(at(c.at).Sub(w.clock.Now()))
				if _, err := w.read("pp"); err != nil {
					t.Fatalf("after %v: %v", c.at, err)
				}
				if got := end(); got != c.want {
					t.Errorf("opened after %v it ends after %v, want %v", c.at, got, c.want)
				}
			}
			w.clock.Add(2 * time.Hour)
			_, err := w.read("pp")
			wantCode(t, err, ports.Gone, "expired")
			if got := end(); got != 100*time.Hour {
				t.Errorf("a refused opening moves the end to %v", got)
			}
		})
	}
}

func TestTheEndMovesOnceForAHundredReaders(t *testing.T) {
	w := newWorld(t)
	p := w.paste(shares.NewPaste{Slug: "pp", Terms: shares.Terms{MaxViews: 60, ExpiresAt: at(time.Hour)}})
	w.latched("paste", p.ID, sliding(1, nil))
	var readers sync.WaitGroup
	for range 100 {
		readers.Go(func() { w.read("pp") })
	}
	readers.Wait()
	got, err := w.db.Pastes().Get(t.Context(), p.ID)
	if err != nil || got.Views != 60 || !got.ExpiresAt.Equal(*at(24 * time.Hour)) {
		t.Errorf("%d views, it ends %v, %v", got.Views, got.ExpiresAt, err)
	}
}

func TestALatchKeepsTheLimitsOfTheSiteAndOfRules(t *testing.T) {
	w := newWorld(t)
	p := w.paste(shares.NewPaste{Slug: "pp"})
	change := func(c shares.LatchChange) (shares.Gate, error) {
		return w.latches().Change(t.Context(), keyA, "paste", p.ID, c)
	}
	g, err := change(sliding(3, nil))
	if err != nil || g.SlideUntil != nil || !g.ExpiresAt.Equal(*at(72 * time.Hour)) {
		t.Errorf("without limits: %+v, %v", g, err)
	}
	for _, days := range []int{-1, 4000} {
		_, err = change(sliding(days, nil))
		wantCode(t, err, ports.Invalid, "invalid_argument")
	}
	_, err = change(sliding(3, at(-time.Hour)))
	wantCode(t, err, ports.Invalid, "invalid_argument")
	w.settings.limits.MaxAge = 10 * 24 * time.Hour
	if g, err = change(sliding(3, nil)); err != nil || !g.SlideUntil.Equal(*at(240 * time.Hour)) {
		t.Errorf("the last end is %v, %v", g.SlideUntil, err)
	}
	_, err = change(sliding(3, at(300*time.Hour)))
	wantCode(t, err, ports.Forbidden, "policy_denied")
	w.settings.limits.MaxAge = 0
	w.decider.limits = policy.Obligations{ShareMaxAge: 3600 * 24}
	_, err = change(sliding(3, nil))
	wantCode(t, err, ports.Forbidden, "policy_denied")
	w.decider.limits = policy.Obligations{}
	if g, err = change(sliding(0, nil)); err != nil || g.SlideBy != 0 || g.ExpiresAt == nil {
		t.Errorf("turned off: %+v, %v", g, err)
	}
	_, err = w.latches().Change(t.Context(), keyB, "paste", p.ID, keyOnly)
	wantCode(t, err, ports.NotFound, "not_found")
	_, err = w.latches().Get(t.Context(), keyA, "file", p.ID)
	wantCode(t, err, ports.NotFound, "not_found")
	_, items := w.set(collections.Draft{}, "one")
	_, err = w.latches().Change(t.Context(), keyA, "file", items[0].ID, keyOnly)
	wantCode(t, err, ports.Conflict, "item_taken")
}

func TestRulesSeeTheLatchOfANewShare(t *testing.T) {
	w := newWorld(t)
	latch := shares.Latch{KeyOnly: true, SlideBy: 48 * time.Hour, SlideUntil: at(100 * time.Hour)}
	want := policy.ShareTerms{KeyOnly: true, ExpiresIn: 100 * 3600}
	if w.paste(shares.NewPaste{Terms: shares.Terms{Latch: latch}}); w.decider.last().on.Share != want {
		t.Errorf("of a text rules see %+v", w.decider.last().on.Share)
	}
	if _, err := w.uploads.Reserve(t.Context(), keyA, shares.NewUpload{Filename: "a.txt", Latch: latch}); err != nil || w.decider.last().on.Share != want {
		t.Errorf("of a file rules see %+v, %v", w.decider.last().on.Share, err)
	}
	w.decider.limits = policy.Obligations{ShareMaxAge: 3600 * 24 * 3}
	_, err := w.pastes.Create(t.Context(), keyA, shares.NewPaste{Content: []byte("x"), Terms: shares.Terms{ExpiresAt: at(time.Hour), Latch: latch}})
	wantCode(t, err, ports.Forbidden, "policy_denied")
	_, err = w.mounted.Share(t.Context(), keyA, w.decider.limits, shares.MountedFile{StorageConfigID: "public", Filename: "m.txt", StoragePath: "m.txt", Latch: latch})
	wantCode(t, err, ports.Forbidden, "policy_denied")
}
