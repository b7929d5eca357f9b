//go:build bench

package bunstore_test

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"pasteport/adapters/bunstore"
	"pasteport/adapters/bunstore/bunstoretest"
	"pasteport/domain/audit"
	"pasteport/domain/mounts/index"
	"pasteport/domain/shares"
	"pasteport/domain/shares/cleanup"
	"pasteport/domain/shares/inventory"
	"pasteport/ports"
	"pasteport/ports/portstest"
	"pasteport/ports/portstest/figures"
	"pasteport/ports/upload"
)

// grownNow is the time of the lists that are measured: one text of six has
// expired by then.
var grownNow = time.UnixMilli(1_900_000_000_000)

// perDecade is how many times as long a call may take with ten times as many
// rows; what takes no longer than soon is as fast for whoever waits.
const (
	perDecade = 1.5
	soon      = 10.0  // ms
	fewPages  = 500.0 // of 8 KiB, most of which are in memory
)

// TestBenchGrowth prints what calls take as the site grows. PASTEPORT_GROWTH names
// other numbers of rows, PASTEPORT_GROWTH_ON one of the databases, and
// PASTEPORT_GROWTH_FOLDER where SQLite files are left for the next run; 10^7 rows
// are for PostgreSQL: PASTEPORT_GROWTH=1000000,10000000 PASTEPORT_GROWTH_ON=PostgreSQL.
// PASTEPORT_GROWTH_POSTGRES is the address of databases that are kept, with %d for
// the number of rows. PASTEPORT_GROWTH_OF is one of the parts of growthParts, for
// whoever has no room for all (10^7 rows of one take 5 to 15 GB), and
// PASTEPORT_GROWTH_CURVES an expression for the names of what is measured.
//
// On PostgreSQL the pages that a call looks at are counted, which no other load of
// the machine changes.
func TestBenchGrowth(t *testing.T) {
	sizes := strings.Split(cmp.Or(os.Getenv("PASTEPORT_GROWTH"), "10000,100000,1000000"), ",")
	only, err := regexp.Compile(os.Getenv("PASTEPORT_GROWTH_CURVES"))
	if err != nil {
		t.Fatal(err)
	}
	sheet := figures.New(t, "growth")
	for _, database := range []string{"SQLite", "PostgreSQL"} {
		if on := os.Getenv("PASTEPORT_GROWTH_ON"); on != "" && on != database {
			continue
		}
		t.Run(database, func(t *testing.T) {
			all := slices.DeleteFunc(grownCurves(), func(c curve) bool { return !only.MatchString(c.name) })
			took, pages := make([][]float64, len(all)), make([][]float64, len(all))
			for _, size := range sizes {
				rows, err := strconv.Atoi(size)
				if err != nil {
					t.Fatal(err)
				}
				s, opened := grown(t, database, rows)
				for i, c := range all {
					spent, read := c.measure(t, s, grownSize{rows, opened})
					took[i], pages[i] = append(took[i], spent), append(pages[i], read)
					t.Logf("%d rows: %s: %.2f, %.0f pages", rows, c.name, spent, read)
				}
			}
			for i, c := range all {
				sheet.Add(c.figure(database, took[i], pages[i]))
			}
		})
	}
	sheet.End()
}

// grownSize is what a measurement knows of its database.
type grownSize struct {
	rows   int
	opened time.Duration // what opening it took
}

// timedOut stands for a call that the store has given up, in ms.
const timedOut = 10_000

// curve is something that is measured at each size.
type curve struct {
	name string
	// call is timed; where it is nil, measure does all by itself.
	call func(ctx context.Context, s *bunstore.Store, rows int) error
	own  func(t testing.TB, s *bunstore.Store, of grownSize) float64
	unit string // ms when empty
	bar  string // at the largest size, "<= 30"
	// free curves may grow with the rows, as a copy of the database does.
	free bool
}

// measure returns what the curve measures, and how many pages PostgreSQL looked at.
func (c *curve) measure(t testing.TB, s *bunstore.Store, of grownSize) (spent, pages float64) {
	if c.own != nil {
		return c.own(t, s, of), 0
	}
	if err := c.call(t.Context(), s, of.rows); ports.Is(err, ports.Unavailable) {
		t.Logf("%s: %v", c.name, err)
		return timedOut, 0
	}
	took, _ := measure(t, page{c.name, func(ctx context.Context) (int, error) { return 0, c.call(ctx, s, of.rows) }}, s.SQLite())
	if !s.SQLite() {
		pages = pagesOf(t, s, func() error { return c.call(t.Context(), s, of.rows) })
	}
	return float64(took.Microseconds()) / 1000, pages
}

// pagesOf counts the pages of 8 KiB that PostgreSQL looks at in a call, found in
// its memory or not.
func pagesOf(t testing.TB, s *bunstore.Store, call func() error) float64 {
	t.Helper()
	pool := s.ReadDB().DB
	pool.SetMaxOpenConns(1) // a connection tells of itself only
	defer pool.SetMaxOpenConns(0)
	count := func(call func() error) (pages float64) {
		var seen [2]float64
		for i := range seen {
			if _, err := pool.Exec("SELECT pg_stat_force_next_flush()"); err != nil {
				t.Fatal(err)
			}
			if err := pool.QueryRow("SELECT blks_hit + blks_read FROM pg_stat_database WHERE datname = current_database()").Scan(&seen[i]); err != nil {
				t.Fatal(err)
			}
			if i == 0 {
				if err := call(); err != nil {
					t.Fatal(err)
				}
			}
		}
		return seen[1] - seen[0]
	}
	nothing := func() error { return nil }
	counting := min(count(nothing), count(nothing))
	return max(min(count(call), count(call))-counting, 0)
}

// figure is the row of a curve: its times and pages at all sizes, and the steepest
// step of each. Where pages are counted they are judged, not times.
func (c *curve) figure(database string, took, pages []float64) figures.Figure {
	last := took[len(took)-1]
	f := figures.Figure{What: database + ": " + c.name, Value: last, Unit: cmp.Or(c.unit, "ms"), Bar: c.bar}
	counted := slices.Max(pages) > 0
	steepest := func(values []float64, decimals int, least, free float64) {
		worst := 0.0
		for i, at := range values {
			if i > 0 {
				worst = max(worst, at/max(values[i-1], least))
				f.Missed = f.Missed || !c.free && free > 0 && at > values[i-1]*perDecade && at > free
			}
			f.Detail += strconv.FormatFloat(at, 'f', decimals, 64) + "  "
		}
		if worst > 0 {
			f.Detail += fmt.Sprintf("(x %.1f)  ", worst)
		}
	}
	bound := soon
	if counted {
		bound = 0
	}
	steepest(took, 2, 0.01, bound)
	f.Detail += f.Unit
	if counted {
		f.Detail += "; "
		steepest(pages, 0, 1, fewPages)
		f.Detail += "pages"
	}
	if !c.free {
		f.Bar = strings.TrimSuffix(fmt.Sprintf("x %.1f a decade, %s", perDecade, c.bar), ", ")
		limit, _ := strconv.ParseFloat(strings.TrimPrefix(c.bar, "<= "), 64)
		f.Missed = f.Missed || limit > 0 && last > limit
	}
	return f
}

// grown opens a database of so many rows of each kind.
func grown(t *testing.T, database string, rows int) (*bunstore.Store, time.Duration) {
	url := grownURL(t, database, rows)
	s := bunstoretest.Open(t, url, portstest.NewClock())
	if !s.SQLite() {
		fillPostgres(t, s, url, rows)
	} else if found, err := s.Pastes().List(t.Context(), shares.PasteFilter{Paging: ports.Paging{Limit: 1}}); err != nil {
		t.Fatal(err)
	} else if found.Total < rows/2 { // no earlier run has left it
		fillLists(t, s, rows)
	}
	if s.SQLite() {
		names, err := s.Index().Total(t.Context(), "s", "")
		if err != nil {
			t.Fatal(err)
		}
		if names.Files == 0 {
			fillIndex(t, s, rows)
		}
	}
	indexTexts(t, s)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	began := time.Now() // nothing is left to be migrated
	s = bunstoretest.Open(t, url, portstest.NewClock())
	return s, time.Since(began)
}

func grownURL(t *testing.T, database string, rows int) string {
	if database == "SQLite" {
		return filepath.Join(cmp.Or(os.Getenv("PASTEPORT_GROWTH_FOLDER"), t.TempDir()), fmt.Sprintf("growth-%d.db", rows))
	}
	if kept := os.Getenv("PASTEPORT_GROWTH_POSTGRES"); kept != "" {
		return fmt.Sprintf(kept, rows)
	}
	return portstest.Postgres(t)
}

// indexTexts indexes all texts at once, as the server does over time.
func indexTexts(t testing.TB, s *bunstore.Store) {
	t.Helper()
	began := time.Now()
	// On PostgreSQL the audit log is indexed up to what the call before has seen.
	if err := errors.Join(s.Shares().KeepTexts(t.Context(), 0), s.Audit().KeepTexts(t.Context(), 0), s.Audit().KeepTexts(t.Context(), 0)); err != nil {
		t.Fatal(err)
	}
	t.Logf("indexed in %s", time.Since(began).Round(time.Second))
}

// grownCurves is all that is measured.
func grownCurves() []curve {
	texts := func(f shares.PasteFilter) func(context.Context, *bunstore.Store, int) error {
		return func(ctx context.Context, s *bunstore.Store, _ int) error {
			f.Limit, f.Sort.Now = 20, grownNow
			_, err := s.Pastes().List(ctx, f)
			return err
		}
	}
	deep := func(f shares.PasteFilter) func(context.Context, *bunstore.Store, int) error {
		return func(ctx context.Context, s *bunstore.Store, rows int) error {
			f.Offset = rows / 3
			return texts(f)(ctx, s, rows)
		}
	}
	search := func(name, part string) curve {
		return curve{name: "texts, search of " + name, call: texts(shares.PasteFilter{Search: part, SearchAll: true}), bar: "<= 30"}
	}
	all := func(f inventory.Filter) func(context.Context, *bunstore.Store, int) error {
		return func(ctx context.Context, s *bunstore.Store, _ int) error {
			f.Limit = 20
			_, err := s.Shares().Shares(ctx, f)
			return err
		}
	}
	audits := func(f audit.Filter) func(context.Context, *bunstore.Store, int) error {
		return func(ctx context.Context, s *bunstore.Store, _ int) error {
			f.Limit = 50
			if _, err := s.Audit().List(ctx, f); err != nil {
				return err
			}
			_, err := s.Audit().Count(ctx, f)
			return err
		}
	}
	names := func(name, text string) curve {
		return curve{name: "names, search of " + name, bar: "<= 15", call: func(ctx context.Context, s *bunstore.Store, _ int) error {
			_, err := s.Index().Search(ctx, index.Query{Text: text, Most: 1000, Areas: []index.Area{{Storage: "s"}}}, func(refs []index.Ref) []index.Ref { return refs[:min(50, len(refs))] })
			return err
		}}
	}
	return []curve{
		{name: "an owner's texts", call: texts(shares.PasteFilter{CreatedBy: "admin"})},
		{name: "an owner's texts, a third of the way down", call: deep(shares.PasteFilter{CreatedBy: "admin"})},
		{name: "an owner's texts, expired", call: texts(shares.PasteFilter{CreatedBy: "admin", Sort: shares.Sort{State: shares.StateExpired}})},
		{name: "an owner's texts, active", call: texts(shares.PasteFilter{CreatedBy: "admin", Sort: shares.Sort{State: shares.StateActive}})},
		{name: "texts, with a password", call: texts(shares.PasteFilter{Sort: shares.Sort{State: shares.StateProtected}})},
		{name: "texts, with a limit of views", call: texts(shares.PasteFilter{Sort: shares.Sort{State: shares.StateLimited}})},
		{name: "texts by size", call: texts(shares.PasteFilter{Sort: shares.Sort{By: shares.SortSize}})},
		search("what one has", "number 9999,"), search("Chinese", "第9999号"), search("what none has", "zzyzx"), search("what all have", "words"),
		search("what one in ten has", "7号"), search("two letters in all", "wi"), search("two letters in none", "qz"), search("one Chinese character in none", "龘"),
		{name: "all shares", call: all(inventory.Filter{})},
		{name: "all shares by views", call: all(inventory.Filter{Sort: inventory.Sort{By: inventory.SortViews}})},
		{name: "all shares of a storage", call: all(inventory.Filter{StorageConfigID: "config1"})},
		{name: "all shares that never end", call: all(inventory.Filter{NeverExpires: true})},
		{name: "all shares that nobody has opened", call: all(inventory.Filter{Unused: true})},
		{name: "all shares, search of what one has", call: all(inventory.Filter{Search: "x9999"}), bar: "<= 30"},
		{name: "all shares, search of what all have", call: all(inventory.Filter{Search: "remark"}), bar: "<= 30"},
		{name: "audit log", call: audits(audit.Filter{})},
		{name: "audit log, of an actor", call: audits(audit.Filter{Actor: "actor7"})},
		{name: "audit log, of an action", call: audits(audit.Filter{Action: "key.update"})},
		{name: "audit log, failures", call: audits(audit.Filter{Outcome: "failed"})},
		{name: "audit log, search of what one has", call: audits(audit.Filter{Search: "something 9999\""}), bar: "<= 30"},
		{name: "a year of a key's uses", call: func(ctx context.Context, s *bunstore.Store, _ int) error {
			_, err := s.Keys().Uses(ctx, "key10", "2025-06-01")
			return err
		}},
		names("what one has", "0009999"), names("what many have", "report"), names("what all have", ".pdf"), names("what none has", "nothing-like-it"), names("two characters of Chinese", "照片"), names("two letters in none", "zq"),
		{name: "the dashboard's numbers", bar: "<= 50", call: func(ctx context.Context, s *bunstore.Store, _ int) error {
			if _, _, err := s.Pastes().CountByDay(ctx, grownNow, 90); err != nil {
				return err
			}
			if _, _, err := s.Files().CountByDay(ctx, grownNow, 90); err != nil {
				return err
			}
			_, err := s.Files().Usage(ctx)
			return err
		}},
		{name: "what the janitor finds, nothing", call: func(ctx context.Context, s *bunstore.Store, _ int) error {
			_, _, err := s.Pastes().Erasable(ctx, grownNow, time.UnixMilli(1_600_000_000_000), "", 1000)
			return err
		}},
		{name: "what the janitor finds, a sixth", call: func(ctx context.Context, s *bunstore.Store, _ int) error {
			_, _, err := s.Pastes().Erasable(ctx, grownNow, grownNow, "", 1000)
			return err
		}},
		{name: "erased a minute, in thousands", own: erasing, unit: "k", free: true, bar: ">= 20"},
		{name: "p99 of a create meanwhile, against before", own: func(testing.TB, *bunstore.Store, grownSize) float64 { return float64(erasingP99.Load()) / 100 }, unit: "x", free: true, bar: "<= 2"},
		{name: "start of the store", own: func(_ testing.TB, _ *bunstore.Store, of grownSize) float64 {
			return float64(of.opened.Microseconds()) / 1000
		}, bar: "<= 200"},
		{name: "a count of all files anew", call: func(ctx context.Context, s *bunstore.Store, _ int) error {
			_, err := s.Files().Recount(ctx)
			return err
		}, free: true},
		{name: "a backup's copy", own: backup, free: true},
	}
}

// backup is what a copy of the whole database takes; PostgreSQL has its own tools.
func backup(t testing.TB, s *bunstore.Store, of grownSize) float64 {
	if !s.SQLite() {
		return 0
	}
	var path string
	if err := s.ReadDB().DB.QueryRow("SELECT file FROM pragma_database_list WHERE name = 'main'").Scan(&path); err != nil {
		t.Fatal(err)
	}
	began := time.Now()
	if err := bunstore.Snapshot(t.Context(), path, filepath.Join(t.TempDir(), "copy.db")); err != nil {
		t.Fatal(err)
	}
	return float64(time.Since(began).Microseconds()) / 1000
}

// erasingP99 is what erasing has made of the p99 of creates, in hundredths.
var erasingP99 atomic.Int64

// erasing has the janitor erase some texts while others are made, and returns how
// many thousands it erases in a minute.
func erasing(t testing.TB, s *bunstore.Store, of grownSize) float64 {
	const due, creates = 20_000, 300
	clock := portstest.NewClock()
	run := strconv.FormatInt(time.Now().UnixNano(), 36)
	create := func(ctx context.Context, slug string, expires *time.Time) error {
		p := bunstoretest.Paste(slug + run)
		p.ExpiresAt, p.CreatedAt = expires, clock.Now()
		return s.Pastes().Insert(ctx, p)
	}
	var last int64
	if err := s.ReadDB().QueryRow("SELECT coalesce(max(n), 0) FROM pastes").Scan(&last); err != nil {
		t.Fatal(err)
	}
	past := time.UnixMilli(1_000_000_000_000) // long before any of the others
	for from := 0; from < due; from += 1000 {
		if err := s.Do(t.Context(), func(ctx context.Context) error {
			for i := from; i < from+1000; i++ {
				if err := create(ctx, fmt.Sprintf("due%d-", i), &past); err != nil {
					return err
				}
			}
			return nil
		}); err != nil {
			t.Fatal(err)
		}
	}
	n := 0
	write := func() time.Duration {
		n++
		began := time.Now()
		if err := create(t.Context(), fmt.Sprintf("new%d-", n), nil); err != nil {
			t.Error(err)
		}
		return time.Since(began)
	}
	var quiet, busy []time.Duration
	for range creates {
		quiet = append(quiet, write())
	}
	janitor := cleanup.New(shares.Deps{Clock: clock, Settings: longGrace{clock: clock}, Uploads: noUploads{}, FileObjects: s.Files(), Pastes: s.Pastes(), Files: s.Files()},
		cleanup.Records{Pastes: s.Pastes(), Files: s.Files(), Collections: s.Collections(), Sweeps: s.Sweeps(), Revisions: []cleanup.Revisions{s.Revisions()}})
	if err := s.Sweeps().SetLast(t.Context(), clock.Now()); err != nil {
		t.Fatal(err)
	}
	done := make(chan time.Duration, 1)
	go func() {
		began := time.Now()
		for erased := 0; erased < due; {
			swept, err := janitor.Sweep(t.Context())
			if erased += swept.PastesErased; err != nil || swept.PastesErased == 0 {
				t.Errorf("erased %d: %v", erased, err)
				break
			}
		}
		done <- time.Since(began)
	}()
	var took time.Duration
	for took == 0 {
		select {
		case took = <-done:
		default:
			busy = append(busy, write())
		}
	}
	erasingP99.Store(int64(100 * p99(busy).Seconds() / p99(quiet).Seconds()))
	t.Logf("p99 of creates: %s, and %s while %d are erased in %s", p99(quiet).Round(10*time.Microsecond), p99(busy).Round(10*time.Microsecond), due, took.Round(time.Millisecond))
	for n := 1; n > 0; {
		var err error
		if n, err = s.Exec(t.Context(), "DELETE FROM pastes WHERE n IN (SELECT n FROM pastes WHERE n > ? LIMIT 500)", last); err != nil {
			t.Fatal(err)
		}
	}
	indexTexts(t, s)
	return float64(due) / took.Minutes() / 1000
}

// longGrace keeps all but what expired before there were computers like ours.
type longGrace struct {
	ports.Settings
	clock *portstest.Clock
}

func (g longGrace) ExpiredGrace() time.Duration {
	return g.clock.Now().Sub(time.UnixMilli(1_600_000_000_000))
}

func (longGrace) Revisions() ports.Revisions { return ports.Revisions{} }

type noUploads struct{ upload.Sessions }

func (noUploads) Sweep(context.Context) (int, error) { return 0, nil }

func p99(times []time.Duration) time.Duration {
	slices.Sort(times)
	return times[len(times)*99/100]
}
