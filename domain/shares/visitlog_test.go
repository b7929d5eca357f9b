package shares_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"pasteport/domain/shares"
	"pasteport/domain/shares/collections"
	"pasteport/domain/shares/openings"
	"pasteport/domain/shares/visitlog"
	"pasteport/ports"
	"pasteport/ports/event"
	"pasteport/ports/objstore"
	"pasteport/ports/policy"
)

// quiet is an outbox that nobody listens to.
type quiet struct{}

func (quiet) Wanted(event.Event) bool                     { return false }
func (quiet) Happened(context.Context, event.Event) error { return nil }

type logSettings struct{ log ports.ShareLog }

func (s *logSettings) ShareLog() ports.ShareLog { return s.log }

// loggedWorld is a world that keeps who opened shares.
func loggedWorld(t *testing.T) (*world, *visitlog.Log, *logSettings) {
	w, s := newWorld(t), &logSettings{ports.ShareLog{Age: 24 * time.Hour, Address: ports.NetworkPart}}
	log := visitlog.New(w.db.Visits(), s, w.decider, w.clock)
	w.deps.Openings = openings.New(quiet{}, log, w.db)
	w.pastes = shares.NewPastes(w.deps)
	w.openFiles()
	return w, log, s
}

// coming is a visitor at an address, with a program.
func coming(address, agent string) context.Context {
	return policy.WithCall(context.Background(), &policy.Call{ClientIP: address, UserAgent: agent})
}

// told are the lines of a share, newest first, in short.
func (w *world) told(log *visitlog.Log, id string) (out []string) {
	w.t.Helper()
	if err := w.deps.Openings.Flush(w.t.Context()); err != nil {
		w.t.Fatal(err)
	}
	lines, _, err := log.List(w.t.Context(), admin, visitlog.Filter{ShareID: id})
	if err != nil {
		w.t.Fatal(err)
	}
	for _, l := range lines {
		out = append(out, fmt.Sprintf("%s %s%s by %q from %q with %q: %d, %d views", l.Verdict, l.How, l.Item, l.Who, l.Address, l.Agent, l.Times, l.Views))
	}
	return out
}

const firefox = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0"

func TestTheLogSaysWhoOpenedWhatAndWhoWasNotLetIn(t *testing.T) {
	w, log, _ := loggedWorld(t)
	here := coming("192.0.2.77", firefox)
	p := w.paste(shares.NewPaste{Slug: "pp", Terms: shares.Terms{Password: "pw", MaxViews: 1, ExpiresAt: at(time.Hour)}})
	for _, password := range []string{"", "no", "pw", "pw"} {
		w.pastes.Raw(here, keyB, shares.Visit{Slug: "pp", Password: password})
	}
	w.clock.Add(2 * time.Hour)
	w.pastes.Peek(here, policy.Nobody, "pp")
	w.pastes.Read(coming("2001:db8:1:2::3", "curl/8"), policy.Nobody, shares.Visit{Slug: "pp"})
	got := w.told(log, p.ID)
	want := map[string]bool{
		`password_wrong raw by "apikey:b" from "192.0.2.0/24" with "Firefox, Linux": 1, 0 views`: true,
		`opened raw by "apikey:b" from "192.0.2.0/24" with "Firefox, Linux": 1, 1 views`:         true,
		`used_up raw by "apikey:b" from "192.0.2.0/24" with "Firefox, Linux": 1, 0 views`:        true,
		`expired page by "" from "192.0.2.0/24" with "Firefox, Linux": 1, 0 views`:               true,
		`expired page by "" from "2001:db8:1::/48" with "curl": 1, 0 views`:                      true,
	}
	if len(got) != len(want) {
		t.Errorf("%d lines: %q", len(got), got)
	}
	for _, line := range got {
		if !want[line] {
			t.Errorf("unexpected: %s", line)
		}
	}
}

func TestTheLogTellsDownloadsWithinAVisit(t *testing.T) {
	w, log, _ := loggedWorld(t)
	here := coming("192.0.2.77", "")
	f := w.upload(shares.NewUpload{Slug: "ff", Filename: "plan.txt"}, "hello")
	info, err := w.visits.Info(here, policy.Nobody, shares.Visit{Slug: "ff"})
	if err != nil {
		t.Fatal(err)
	}
	read := func(do policy.Action, r objstore.Range) {
		t.Helper()
		opened, err := w.visits.Open(here, policy.Nobody, do, shares.Visit{Slug: "ff", Ticket: info.Ticket})
		if err != nil {
			t.Fatal(err)
		}
		body, err := opened.Read(here, r)
		if err != nil {
			t.Fatal(err)
		}
		body.Close()
	}
	read(policy.ShareView, objstore.Range{})              // belongs to the page
	read(policy.ShareDownload, objstore.Range{})          //
	read(policy.ShareDownload, objstore.Range{Offset: 2}) // goes on
	got := w.told(log, f.ID)
	if len(got) != 2 {
		t.Fatalf("lines = %q, want the page and the download", got)
	}
}

func TestTheLogNamesTheFileOfACollection(t *testing.T) {
	w, log, _ := loggedWorld(t)
	f := w.upload(shares.NewUpload{Filename: "plan.txt"}, "hello")
	set, _, err := w.sets.Create(t.Context(), keyA, collections.Draft{Files: []string{f.ID}})
	if err != nil {
		t.Fatal(err)
	}
	visits, here := w.setVisits(), coming("192.0.2.77", "")
	opened, err := visits.Open(here, policy.Nobody, policy.ShareDownload, shares.Visit{Slug: set.Slug}, f.ID)
	if err != nil {
		t.Fatal(err)
	}
	body, err := opened.Read(here, objstore.Range{})
	if err != nil {
		t.Fatal(err)
	}
	body.Close()
	zip, err := visits.Zip(here, policy.Nobody, shares.Visit{Slug: set.Slug}, "", "")
	if err != nil {
		t.Fatal(err)
	}
	if body, err = zip.Read(here, objstore.Range{}); err != nil {
		t.Fatal(err)
	}
	body.Close()
	got := map[string]bool{}
	for _, line := range w.told(log, set.ID) {
		got[line] = true
	}
	if want := map[string]bool{
		`opened downloadplan.txt by "" from "192.0.2.0/24" with "": 1, 1 views`: true,
		`opened zip by "" from "192.0.2.0/24" with "": 1, 1 views`:              true,
	}; !cmp.Equal(got, want) {
		t.Error(cmp.Diff(got, want))
	}
}

func TestTheLogOfALimitedShareIsExactUnderAHundredReaders(t *testing.T) {
	w, log, _ := loggedWorld(t)
	p := w.paste(shares.NewPaste{Slug: "pp", Terms: shares.Terms{MaxViews: 40}})
	var readers sync.WaitGroup
	for n := range 100 {
		readers.Go(func() {
			w.pastes.Read(coming(fmt.Sprintf("10.0.%d.1", n), ""), policy.Nobody, shares.Visit{Slug: "pp"})
		})
	}
	readers.Wait()
	// Nothing was flushed: the views of a limited share are in the log when they are taken.
	lines, _, err := log.List(t.Context(), admin, visitlog.Filter{ShareID: p.ID})
	if err != nil {
		t.Fatal(err)
	}
	var views int64
	seen := map[string]bool{}
	for _, l := range lines {
		views += l.Views
		seen[l.Address] = true
	}
	if got, err := w.db.Pastes().Get(t.Context(), p.ID); err != nil || got.Views != 40 || views != 40 || len(lines) != 40 || len(seen) != 40 {
		t.Errorf("%d views in %d lines of %d addresses, the paste has %d, %v", views, len(lines), len(seen), got.Views, err)
	}
	w.told(log, p.ID)
	refused, _, err := log.List(t.Context(), admin, visitlog.Filter{ShareID: p.ID, Refused: true})
	if err != nil || len(refused) != 60 {
		t.Errorf("%d refusals, %v; want 60", len(refused), err)
	}
}

func TestAViewThatCannotBeLoggedIsNotTaken(t *testing.T) {
	w := newWorld(t)
	w.deps.Openings = openings.New(quiet{}, brokenLog{}, w.db)
	w.pastes = shares.NewPastes(w.deps)
	p := w.paste(shares.NewPaste{Slug: "pp", Terms: shares.Terms{MaxViews: 2}})
	if _, err := w.read("pp"); !errors.Is(err, errBroken) {
		t.Errorf("error = %v", err)
	}
	if got, err := w.db.Pastes().Get(t.Context(), p.ID); err != nil || got.Views != 0 {
		t.Errorf("%d views, %v", got.Views, err)
	}
}

var errBroken = errors.New("broken")

type brokenLog struct{ openings.Log }

func (brokenLog) On() bool                                     { return true }
func (brokenLog) Keep(context.Context, openings.Attempt) error { return errBroken }

func TestAFloodCannotGrowTheLog(t *testing.T) {
	w, log, _ := loggedWorld(t)
	p := w.paste(shares.NewPaste{Slug: "pp", Terms: shares.Terms{ExpiresAt: at(time.Minute)}})
	opened := w.paste(shares.NewPaste{Slug: "qq"})
	if _, err := w.pastes.Read(coming("192.0.2.1", ""), policy.Nobody, shares.Visit{Slug: "qq"}); err != nil {
		t.Fatal(err)
	}
	w.clock.Add(time.Hour)
	for round := range 4 {
		for n := range 400 {
			w.clock.Add(time.Millisecond)
			address := fmt.Sprintf("10.%d.%d.1", round*2+n/250, n%250)
			w.pastes.Read(coming(address, ""), policy.Nobody, shares.Visit{Slug: "pp"})
		}
		if err := w.deps.Openings.Flush(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	lines, total, err := log.List(t.Context(), admin, visitlog.Filter{ShareID: p.ID})
	if err != nil || total > visitlog.RefusedKept+64 {
		t.Errorf("%d lines stand for 1600 attempts, %v", total, err)
	}
	if newest := lines[0]; newest.Address != "" || newest.Times != 200 {
		t.Errorf("the newest line is %+v; want the 200 that nobody is named for", newest)
	}
	if got := w.told(log, opened.ID); len(got) != 1 {
		t.Errorf("another share has the lines %q", got)
	}
}

func TestOpeningsAlikeBecomeOneLine(t *testing.T) {
	w, log, _ := loggedWorld(t)
	p := w.paste(shares.NewPaste{Slug: "pp"})
	for range 50 {
		w.pastes.Read(coming("192.0.2.77", firefox), policy.Nobody, shares.Visit{Slug: "pp"})
	}
	if got, want := w.told(log, p.ID), []string{`opened page by "" from "192.0.2.0/24" with "Firefox, Linux": 50, 50 views`}; !cmp.Equal(got, want) {
		t.Error(cmp.Diff(got, want))
	}
}

func TestTheSiteSaysWhatIsKeptOfVisitors(t *testing.T) {
	w, log, s := loggedWorld(t)
	p := w.paste(shares.NewPaste{Slug: "pp"})
	for _, c := range []struct {
		keep ports.ShareLog
		want string
	}{
		{ports.ShareLog{Age: time.Hour, Address: ports.NoAddress}, ""},
		{ports.ShareLog{Age: time.Hour, Address: ports.WholeAddress}, "192.0.2.77"},
		{ports.ShareLog{Age: time.Hour, Address: ports.NetworkPart}, "192.0.2.0/24"},
		{ports.ShareLog{Address: ports.WholeAddress}, "nothing"},
	} {
		s.log = c.keep
		w.pastes.Read(coming("192.0.2.77", ""), policy.Nobody, shares.Visit{Slug: "pp"})
		w.told(log, p.ID)
		lines, _, err := log.List(t.Context(), admin, visitlog.Filter{ShareID: p.ID})
		got := "nothing"
		if len(lines) == 1 {
			got = lines[0].Address
		}
		if err != nil || got != c.want {
			t.Errorf("%+v keeps %q, %v; want %q", c.keep, got, err, c.want)
		}
		// Another second: none of what was kept is left when its time is over, or the log is off.
		if n, err := log.Sweep(t.Context(), w.clock.Add(2*time.Hour)); err != nil || n != len(lines) {
			t.Errorf("%d lines went, %v; want %d", n, err, len(lines))
		}
	}
}

func TestOnlyTheOwnerAndTheAdministratorReadTheLog(t *testing.T) {
	w, log, _ := loggedWorld(t)
	p := w.paste(shares.NewPaste{Slug: "pp"})
	w.read("pp")
	w.told(log, p.ID)
	of := func(who policy.Principal, kind, id string) error {
		lines, total, err := log.Of(t.Context(), who, visitlog.Filter{Kind: kind, ShareID: id})
		if err == nil && (len(lines) != 1 || total != 1) {
			t.Errorf("%s sees %d of %d lines", who.ID, len(lines), total)
		}
		return err
	}
	for _, who := range []policy.Principal{admin, keyA} {
		if err := of(who, "paste", p.ID); err != nil {
			t.Errorf("%s: %v", who.ID, err)
		}
	}
	wantCode(t, of(keyB, "paste", p.ID), ports.NotFound, "not_found")
	wantCode(t, of(keyA, "file", p.ID), ports.NotFound, "not_found")
	wantCode(t, of(keyA, "mount", p.ID), ports.Invalid, "invalid_argument")
	if last := w.decider.last(); last.do != policy.ShareLog || last.on.Owner != "apikey:a" {
		t.Errorf("asked last: %+v", last)
	}
}
