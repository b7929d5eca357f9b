package admindb_test

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"pasteport/adapters/bunstore"
	"pasteport/adapters/bunstore/bunstoretest"
	"pasteport/domain/audit"
	"pasteport/ports/policy"
	"pasteport/ports/portstest"
)

func TestMain(m *testing.M) { os.Exit(portstest.RunWithoutLeaks(m)) }

type yes struct{}

func (yes) Decide(context.Context, policy.Principal, policy.Action, policy.Resource) (policy.Decision, error) {
	return policy.Decision{Allow: true}, nil
}

var auditor = policy.Principal{Kind: policy.Admin, ID: "1", Name: "ada"}

func auditOver(s *bunstore.Store, chain string, keep time.Duration) *audit.Audit {
	return audit.New(audit.Deps{Repository: s.Audit(), Decider: yes{}, MAC: portstest.MAC{}, Clock: s.Clock, Chain: chain, Keep: keep})
}

func add(t *testing.T, a *audit.Audit, e audit.Entry) {
	t.Helper()
	if err := a.Add(t.Context(), e); err != nil {
		t.Fatal(err)
	}
}

func proofs(t *testing.T, a *audit.Audit) []audit.Proof {
	t.Helper()
	got, err := a.Verify(t.Context(), auditor)
	if err != nil {
		t.Fatal(err)
	}
	return got
}

func TestTheAuditLogIsFilteredAndPaged(t *testing.T) {
	bunstoretest.OnBoth(t, func(t *testing.T, s *bunstore.Store) {
		a, clock := auditOver(s, "n1", 0), s.Clock.(*portstest.Clock)
		for i := range 5 {
			add(t, a, audit.Entry{Kind: policy.Admin, Actor: "1", Name: "ada", Action: []string{"key.create", "key_x.delete"}[i%2], Target: fmt.Sprint("k", i), ClientIP: "192.0.2.1", RequestID: "r", Details: `{"name":"Übung"}`})
			clock.Add(time.Minute)
		}
		add(t, a, audit.Entry{Kind: policy.Anonymous, Action: "session.open", Outcome: audit.Failed, Code: "unauthenticated"})
		all, err := a.List(t.Context(), auditor, audit.Filter{})
		if err != nil || len(all) != 6 || all[0].Action != "session.open" || all[5].Target != "k0" || all[5].Outcome != audit.Done || !all[5].At.Equal(portstest.Start) {
			t.Fatal(all, err)
		}
		for name, c := range map[string]struct {
			f    audit.Filter
			want []int64
		}{
			"a page":         {audit.Filter{Limit: 2}, []int64{6, 5}},
			"the next":       {audit.Filter{Limit: 2, Before: all[1].N}, []int64{4, 3}},
			"by noun":        {audit.Filter{Action: "key."}, []int64{5, 3, 1}},
			"by action":      {audit.Filter{Action: "key_x.delete"}, []int64{4, 2}},
			"by name":        {audit.Filter{Actor: "ada", Limit: 1}, []int64{5}},
			"by target":      {audit.Filter{Target: "K2"}, []int64{3}},
			"by a detail":    {audit.Filter{Target: "übung", Limit: 1}, []int64{5}},
			"by outcome":     {audit.Filter{Outcome: audit.Failed}, []int64{6}},
			"by time":        {audit.Filter{From: portstest.Start.Add(time.Minute), To: portstest.Start.Add(3 * time.Minute)}, []int64{3, 2}},
			"by any word":    {audit.Filter{Search: "KEY_X"}, []int64{4, 2}},
			"oldest first":   {audit.Filter{Oldest: true, Limit: 2, Offset: 1}, []int64{2, 3}},
			"no such action": {audit.Filter{Action: "key"}, nil},
		} {
			got, err := a.List(t.Context(), auditor, c.f)
			var seqs []int64
			for _, e := range got {
				seqs = append(seqs, e.Seq)
			}
			if d := cmp.Diff(seqs, c.want); d != "" || err != nil {
				t.Error(name, err, "got -, want +\n"+d)
			}
		}
		if page, total, err := a.Page(t.Context(), auditor, audit.Filter{Action: "key.", Limit: 1, Offset: 1}); err != nil || total != 3 || len(page) != 1 || page[0].Seq != 3 {
			t.Error(page, total, err)
		}
	})
}

func TestTheAuditChainShowsWhatWasChangedOrTakenOut(t *testing.T) {
	bunstoretest.OnBoth(t, func(t *testing.T, s *bunstore.Store) {
		a, b := auditOver(s, "n1", 0), auditOver(s, "n2", 0)
		var wg sync.WaitGroup
		for _, one := range []*audit.Audit{a, a, b} { // nodes do not wait for each other
			wg.Go(func() {
				for range 10 {
					if err := one.Add(context.Background(), audit.Entry{Action: "key.create", Target: "t"}); err != nil {
						t.Error(err)
					}
				}
			})
		}
		wg.Wait()
		want := []audit.Proof{{Chain: "n1", Entries: 20, First: 1, Last: 20}, {Chain: "n2", Entries: 10, First: 1, Last: 10}}
		if d := cmp.Diff(proofs(t, a), want); d != "" {
			t.Error("got -, want +\n" + d)
		}
		for _, c := range []struct {
			what, do, undo string
			broken         int64
		}{
			{"a changed target", "UPDATE audit_entries SET target = 'u' WHERE chain = 'n1' AND seq = 7", "UPDATE audit_entries SET target = 't' WHERE chain = 'n1' AND seq = 7", 7},
			{"a swapped place", "UPDATE audit_entries SET seq = 99 WHERE chain = 'n1' AND seq = 3", "UPDATE audit_entries SET seq = 3 WHERE chain = 'n1' AND seq = 99", 3},
			{"a last one that is missing", "DELETE FROM audit_entries WHERE chain = 'n1' AND seq = 20", "", 20},
		} {
			if _, err := s.Exec(t.Context(), c.do); err != nil {
				t.Fatal(err)
			}
			if got := proofs(t, a); got[0].Broken != c.broken || got[1].Broken != 0 {
				t.Errorf("%s: %+v", c.what, got)
			}
			if c.undo == "" {
				continue
			}
			if _, err := s.Exec(t.Context(), c.undo); err != nil {
				t.Fatal(err)
			}
			if got := proofs(t, a); got[0].Broken != 0 {
				t.Errorf("%s undone: %+v", c.what, got)
			}
		}
	})
}

// Whoever writes to the database can take rows out and move the ends of a chain
// with them, but cannot sign the ends, and what was kept of them elsewhere tells.
func TestTheAuditChainShowsWhichEndWasCutOff(t *testing.T) {
	cutNewest := []string{"DELETE FROM audit_entries WHERE seq > 7",
		"UPDATE audit_heads SET seq = 7, hash = (SELECT hash FROM audit_entries WHERE seq = 7)"}
	for name, c := range map[string]struct {
		do      []string
		more    bool // an entry is added afterwards
		missing string
		broken  int64
	}{
		"newest":                     {cutNewest, false, audit.Newest, 8},
		"newest, and written on":     {cutNewest, true, audit.Newest, 8},
		"newest, signature blanked":  {append([]string{"UPDATE audit_heads SET mac = ''"}, cutNewest...), true, audit.Newest, 8},
		"newest, head of before":     {[]string{"DELETE FROM audit_entries WHERE seq > 5", "UPDATE audit_heads SET (seq, hash, mac) = (SELECT 5, hash, 'OLD' FROM audit_entries WHERE seq = 5)"}, false, audit.Newest, 6},
		"oldest":                     {[]string{"UPDATE audit_heads SET base_seq = 3, base_hash = (SELECT hash FROM audit_entries WHERE seq = 3)", "DELETE FROM audit_entries WHERE seq <= 3"}, false, audit.Oldest, 4},
		"oldest, the head untouched": {[]string{"DELETE FROM audit_entries WHERE seq <= 3"}, false, audit.Oldest, 1},
		"all":                        {[]string{"DELETE FROM audit_entries", "DELETE FROM audit_heads"}, false, audit.Newest, 1},
		"all, and written on":        {[]string{"DELETE FROM audit_entries", "DELETE FROM audit_heads"}, true, audit.Newest, 2},
	} {
		t.Run(name, func(t *testing.T) {
			bunstoretest.OnBoth(t, func(t *testing.T, s *bunstore.Store) {
				a := auditOver(s, "n1", 0)
				var old audit.Head
				for i := range 10 {
					add(t, a, audit.Entry{Action: "key.create"})
					if i == 4 {
						old = headOf(t, a)
					}
				}
				kept := headOf(t, a)
				if got := proofs(t, a); got[0].Broken != 0 || got[0].Missing != "" {
					t.Fatalf("whole: %+v", got)
				}
				for _, do := range c.do {
					if _, err := s.Exec(t.Context(), strings.ReplaceAll(do, "OLD", old.MAC)); err != nil {
						t.Fatal(err)
					}
				}
				if c.more {
					add(t, a, audit.Entry{Action: "key.create"})
				}
				got, err := a.Verify(t.Context(), auditor, kept)
				if err != nil || len(got) != 1 || got[0].Missing != c.missing || got[0].Broken != c.broken {
					t.Errorf("got %+v, %v, want %s missing at %d", got, err, c.missing, c.broken)
				}
				if old.MAC != "" && (strings.HasPrefix(name, "all") || strings.HasSuffix(name, "of before")) {
					return // only what was kept elsewhere tells
				}
				if got := proofs(t, a); got[0].Missing != c.missing || got[0].Broken != c.broken {
					t.Errorf("without a kept end: %+v, want %s missing at %d", got, c.missing, c.broken)
				}
			})
		})
	}
}

func headOf(t *testing.T, a *audit.Audit) audit.Head {
	t.Helper()
	heads, err := a.Heads(t.Context())
	if err != nil || len(heads) != 1 {
		t.Fatal(heads, err)
	}
	return heads[0]
}

func TestChainsOfAnEarlierVersionAreSignedOnce(t *testing.T) {
	bunstoretest.OnBoth(t, func(t *testing.T, s *bunstore.Store) {
		a := auditOver(s, "n1", 0)
		add(t, a, audit.Entry{Action: "key.create"})
		if _, err := s.Exec(t.Context(), "UPDATE audit_heads SET mac = '', base_mac = ''"); err != nil {
			t.Fatal(err)
		}
		if err := a.Adopt(t.Context(), true); err != nil {
			t.Fatal(err)
		}
		add(t, a, audit.Entry{Action: "key.create"})
		if d := cmp.Diff(proofs(t, a), []audit.Proof{{Chain: "n1", Entries: 2, First: 1, Last: 2}}); d != "" {
			t.Error("got -, want +\n" + d)
		}
		if _, err := s.Exec(t.Context(), "UPDATE audit_heads SET mac = 'forged'"); err != nil {
			t.Fatal(err)
		}
		if err := a.Adopt(t.Context(), false); err != nil {
			t.Fatal(err)
		}
		if got := proofs(t, a); got[0].Missing != audit.Newest {
			t.Errorf("a forged end was signed: %+v", got)
		}
	})
}

func TestOldAuditEntriesGoAndTheChainStaysWhole(t *testing.T) {
	bunstoretest.OnBoth(t, func(t *testing.T, s *bunstore.Store) {
		a, clock := auditOver(s, "n1", time.Hour), s.Clock.(*portstest.Clock)
		for range 10 {
			add(t, a, audit.Entry{Action: "key.create"})
			clock.Add(10 * time.Minute)
		}
		for range 2 { // entries 1 to 4 are older than an hour
			if _, err := a.Sweep(t.Context(), clock.Now()); err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(proofs(t, a), []audit.Proof{{Chain: "n1", Entries: 6, First: 5, Last: 10}}); d != "" {
				t.Fatal("got -, want +\n" + d)
			}
		}
		clock.Add(24 * time.Hour)
		if n, err := a.Sweep(t.Context(), clock.Now()); err != nil || n != 6 {
			t.Error(n, err)
		}
		add(t, a, audit.Entry{Action: "key.create"})
		if d := cmp.Diff(proofs(t, a), []audit.Proof{{Chain: "n1", Entries: 1, First: 11, Last: 11}}); d != "" {
			t.Error("got -, want +\n" + d)
		}
	})
}

// Very many old entries go in several transactions, each of which leaves a whole chain:
// others can write meanwhile.
func TestManyOldAuditEntriesGoSomeAtATime(t *testing.T) {
	s := bunstoretest.SQLite(t)
	a, clock := auditOver(s, "n1", time.Hour), s.Clock.(*portstest.Clock)
	const many = 5100
	if err := s.Do(t.Context(), func(ctx context.Context) error {
		for range many {
			if err := a.Add(ctx, audit.Entry{Action: "key.create"}); err != nil {
				return err
			}
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	clock.Add(2 * time.Hour)
	add(t, a, audit.Entry{Action: "key.create"})
	looks := 0
	n, err := s.Audit().DeleteOld(t.Context(), clock.Now(), func(audit.Head) bool { looks++; return looks == 1 }, func(h *audit.Head) { h.BaseMAC = "" })
	if err != nil || n == 0 || n >= many || looks != 2 {
		t.Fatalf("%d went, %v, after %d looks", n, err, looks)
	}
	heads, err := s.Audit().Heads(t.Context())
	if err != nil || len(heads) != 1 || heads[0].BaseSeq != int64(n) {
		t.Fatalf("%+v, %v", heads, err)
	}
	if rest, err := s.Audit().DeleteOld(t.Context(), clock.Now(), func(audit.Head) bool { return true }, func(*audit.Head) {}); err != nil || n+rest != many {
		t.Errorf("%d and %d went, %v", n, rest, err)
	}
	if all, err := a.List(t.Context(), auditor, audit.Filter{}); err != nil || len(all) != 1 || all[0].Seq != many+1 {
		t.Errorf("%+v, %v", all, err)
	}
}

// What is deleted on SQLite is only noted in the index of texts, and taken out of it a
// few pages at a time.
func TestDeletedAuditEntriesLeaveTheIndexOfTexts(t *testing.T) {
	s := bunstoretest.SQLite(t)
	a, clock := auditOver(s, "n1", time.Hour), s.Clock.(*portstest.Clock)
	const many = 2000
	if err := s.Do(t.Context(), func(ctx context.Context) error {
		for i := range many {
			if err := a.Add(ctx, audit.Entry{Action: "key.create", Details: fmt.Sprintf(`{"name":"key number %d"}`, i*7919)}); err != nil {
				return err
			}
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	size := func() (bytes int) {
		if err := s.ReadDB().QueryRowContext(t.Context(), "SELECT sum(length(block)) FROM index_audit_data").Scan(&bytes); err != nil {
			t.Fatal(err)
		}
		return bytes
	}
	if err := s.Audit().KeepTexts(t.Context(), 0); err != nil {
		t.Fatal(err)
	}
	full := size()
	clock.Add(2 * time.Hour)
	add(t, a, audit.Entry{Action: "key.create"})
	if n, err := s.Audit().DeleteOld(t.Context(), clock.Now(), func(audit.Head) bool { return true }, func(*audit.Head) {}); err != nil || n != many {
		t.Fatal(n, err)
	}
	if left := size(); left > full/4 {
		t.Errorf("the index has %d bytes, and had %d", left, full)
	}
}

func TestAnAuditEntryIsPartOfItsUnitOfWork(t *testing.T) {
	bunstoretest.OnBoth(t, func(t *testing.T, s *bunstore.Store) {
		a := auditOver(s, "n1", 0)
		boom := fmt.Errorf("boom")
		if err := s.Do(t.Context(), func(ctx context.Context) error {
			if err := a.Add(ctx, audit.Entry{Action: "key.create"}); err != nil {
				return err
			}
			return boom
		}); err == nil {
			t.Fatal("no error")
		}
		if all, err := a.List(t.Context(), auditor, audit.Filter{}); err != nil || len(all) != 0 {
			t.Error(all, err)
		}
	})
}

// Whether somebody has done much or little, the log tells all of it, newest first.
func TestTheAuditLogOfSomebodyIsWholeHoweverMuchItIs(t *testing.T) {
	bunstoretest.OnBoth(t, func(t *testing.T, s *bunstore.Store) {
		const entries = 5000 // of these 2,500 are of one actor, who goes by another's id as name in some
		if _, err := s.Exec(t.Context(), fmt.Sprintf("INSERT INTO audit_entries (chain, seq, at, kind, actor, name, action, target, outcome, code, client_ip, request_id, details, prev, hash) "+
			"WITH RECURSIVE r(i) AS (SELECT CAST(1 AS BIGINT) UNION ALL SELECT i + 1 FROM r WHERE i < %d) SELECT 'node', i, i, 'admin', CASE WHEN i %% 2 = 0 THEN 'often' ELSE 'other' END, "+
			"CASE WHEN i %% 500 = 1 THEN 'often' WHEN i %% 100 = 0 THEN 'rare' ELSE 'x' END, CASE WHEN i %% 3 = 0 THEN 'key.update' ELSE 'session.open' END, '', CASE WHEN i %% 7 = 0 THEN 'failed' ELSE 'done' END, '', '', '', '', '', '' FROM r", entries)); err != nil {
			t.Fatal(err)
		}
		is := func(f audit.Filter, i int) bool {
			actor, name := "other", "x"
			if i%2 == 0 {
				actor = "often"
			}
			if i%500 == 1 {
				name = "often"
			} else if i%100 == 0 {
				name = "rare"
			}
			return (f.Actor == "" || f.Actor == actor || f.Actor == name) && (f.Outcome == "" || (f.Outcome == "failed") == (i%7 == 0)) && (f.Action == "" || i%3 == 0)
		}
		for _, f := range []audit.Filter{{}, {Actor: "often"}, {Actor: "rare"}, {Actor: "nobody"}, {Outcome: "failed"}, {Outcome: "done"}, {Actor: "often", Outcome: "failed"}, {Actor: "rare", Action: "key."}} {
			var want []int64
			for i := entries; i > 0; i-- {
				if is(f, i) {
					want = append(want, int64(i))
				}
			}
			if n, err := s.Audit().Count(t.Context(), f); err != nil || n != len(want) {
				t.Errorf("%+v: counted %d, %v; want %d", f, n, err, len(want))
			}
			f.Limit = 1000
			var got []int64
			for page := 1; page > 0; f.Offset += f.Limit {
				found, err := s.Audit().List(t.Context(), f)
				if err != nil {
					t.Fatal(err)
				}
				for _, e := range found {
					got = append(got, e.Seq)
				}
				page = len(found)
			}
			if !slices.Equal(got, want) {
				t.Errorf("%+v: %d entries, want %d", f, len(got), len(want))
			}
		}
	})
}

// What a search of the audit log finds is what has the text, whether its index knows
// the entries, knows some of them, or those it knew are gone.
func TestSearchesOfTheAuditLogFindWhatHasTheText(t *testing.T) {
	bunstoretest.OnBoth(t, func(t *testing.T, s *bunstore.Store) {
		a, clock := auditOver(s, "n1", 30*24*time.Hour), s.Clock.(*portstest.Clock)
		kept := 0
		find := func(when string) {
			t.Helper()
			for _, f := range []audit.Filter{{Search: "übung 7"}, {Target: "图片-7"}, {Search: "key.create", Target: "片"}, {Search: "nothing like it"}, {Search: "7\""}} {
				var want []int64
				all, err := s.Audit().List(t.Context(), audit.Filter{Limit: 1000})
				if err != nil {
					t.Fatal(err)
				}
				has := func(part string, columns ...string) bool {
					return slices.ContainsFunc(columns, func(c string) bool { return strings.Contains(strings.ToLower(c), strings.ToLower(part)) })
				}
				for _, e := range all {
					if has(f.Search, e.Name, e.Action, e.Target, e.Details) && has(f.Target, e.Target, e.Details) {
						want = append(want, e.N)
					}
				}
				f.Limit = 1000
				var got []int64
				found, err := s.Audit().List(t.Context(), f)
				for _, e := range found {
					got = append(got, e.N)
				}
				n, err2 := s.Audit().Count(t.Context(), f)
				if err != nil || err2 != nil || !slices.Equal(got, want) || n != len(want) {
					t.Errorf("%s, %+v: %v, counted %d, %v, %v; want %v", when, f, got, n, err, err2, want)
				}
			}
			if all, err := s.Audit().Count(t.Context(), audit.Filter{}); err != nil || all != kept {
				t.Fatalf("%s: %d entries, %v; want %d", when, all, err, kept)
			}
		}
		fill := func() {
			for i := range 150 {
				add(t, a, audit.Entry{Kind: policy.Admin, Actor: "1", Name: "ada", Action: []string{"key.create", "key.delete"}[i%2], Target: fmt.Sprint("图片-", i), Details: fmt.Sprintf(`{"name":"Übung %d"}`, i)})
			}
			kept += 150
		}
		index := func() {
			for range 2 { // PostgreSQL waits for those who wrote at the time of the first call
				if err := s.Audit().KeepTexts(t.Context(), 0); err != nil {
					t.Fatal(err)
				}
			}
		}
		fill()
		find("new")
		index()
		indexed, err := s.Read(t.Context()).NewSelect().Table("index_audit").Count(t.Context())
		if err != nil || int(indexed) != kept {
			t.Errorf("%d entries are indexed, %v; want %d", indexed, err, kept)
		}
		find("indexed")
		clock.Add(40 * 24 * time.Hour)
		fill()
		find("with new ones")
		removed, err := s.Audit().DeleteOld(t.Context(), clock.Now().Add(-24*time.Hour), func(audit.Head) bool { return true }, func(*audit.Head) {})
		if err != nil || removed != 150 {
			t.Fatal(removed, err)
		}
		kept -= removed
		find("without the old ones")
		index()
		find("indexed again")
	})
}

// A dump of PostgreSQL that is restored elsewhere comes to a server that counts its
// transactions from the beginning.
func TestTextsOfTheAuditLogAreIndexedAfterADumpWasRestored(t *testing.T) {
	s := bunstoretest.Postgres(t)
	a := auditOver(s, "n1", 0)
	index := func() {
		for range 2 { // the first call sees what the second takes
			if err := s.Audit().KeepTexts(t.Context(), 0); err != nil {
				t.Fatal(err)
			}
		}
	}
	add(t, a, audit.Entry{Kind: policy.Admin, Action: "key.create"})
	index()
	if _, err := s.Exec(t.Context(), "UPDATE index_audit_seen SET until = 1000000000000"); err != nil {
		t.Fatal(err)
	}
	add(t, a, audit.Entry{Kind: policy.Admin, Action: "key.delete"})
	index()
	if n, err := s.Read(t.Context()).NewSelect().Table("index_audit").Count(t.Context()); err != nil || n != 2 {
		t.Errorf("%d entries are indexed, %v; want 2", n, err)
	}
}
