package admindb_test

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"pasteport/adapters/bunstore"
	"pasteport/adapters/bunstore/bunstoretest"
	"pasteport/domain/policies"
	"pasteport/ports"
	"pasteport/ports/policy"
	"pasteport/ports/portstest"
)

func TestRevisionsAreNumberedAndTheOldestGo(t *testing.T) {
	bunstoretest.OnBoth(t, func(t *testing.T, s *bunstore.Store) {
		r := s.Policies()
		var all []*policies.Revision
		for i := range 6 {
			v := &policies.Revision{ID: fmt.Sprint("id", i), Rules: policy.Rules{"a.rego": fmt.Sprint("package x # ", i, " ?")}, Hash: fmt.Sprint("h", i), Note: "because", Author: "ada", CreatedAt: portstest.Start}
			if err := r.Insert(t.Context(), v, 3); err != nil || v.Number != i+1 {
				t.Fatal(v.Number, err)
			}
			all = append(all, v)
			if i == 0 {
				if err := r.SetState(t.Context(), policies.State{Version: 1, Active: "id0", ChangedAt: portstest.Start, ChangedBy: "ada"}); err != nil {
					t.Fatal(err)
				}
			}
		}
		got, err := r.Get(t.Context(), "id5")
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(got, all[5]); d != "" {
			t.Error("got -, want +\n" + d)
		}
		list, err := r.List(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		var ids []string
		for _, v := range list {
			ids = append(ids, v.ID)
		}
		if d := cmp.Diff(ids, []string{"id5", "id4", "id3", "id0"}); d != "" { // the one in force stays
			t.Error("got -, want +\n" + d)
		}
		if _, err := r.Get(t.Context(), "id1"); !ports.Is(err, ports.NotFound) {
			t.Errorf("a dropped revision: %v", err)
		}
	})
}

func TestRevisionsThatAreSavedAtOnceAreNumberedOneByOne(t *testing.T) {
	bunstoretest.OnBoth(t, func(t *testing.T, s *bunstore.Store) {
		r := s.Policies()
		var all sync.WaitGroup
		for i := range 8 {
			all.Go(func() {
				v := &policies.Revision{ID: fmt.Sprint("id", i), Rules: policy.Rules{"a.rego": "package x"}, Hash: "h", CreatedAt: portstest.Start}
				if err := r.Insert(t.Context(), v, 50); err != nil {
					t.Error(err)
				}
			})
		}
		all.Wait()
		list, err := r.List(t.Context())
		if err != nil || len(list) != 8 || list[0].Number != 8 {
			t.Error(list, err)
		}
	})
}

func TestARevisionThatComesIntoUseIsNotDropped(t *testing.T) {
	bunstoretest.OnBoth(t, func(t *testing.T, s *bunstore.Store) {
		r := s.Policies()
		insert := func(ctx context.Context, id string) error {
			return r.Insert(ctx, &policies.Revision{ID: id, Rules: policy.Rules{"a.rego": "package x"}, Hash: "h", CreatedAt: portstest.Start}, 1)
		}
		if err := insert(t.Context(), "a"); err != nil {
			t.Fatal(err)
		}
		if err := s.Do(t.Context(), func(ctx context.Context) error {
			if err := r.SetState(ctx, policies.State{Version: 1, Active: "a", ChangedAt: portstest.Start}); err != nil {
				return err
			}
			soon, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
			defer cancel()
			inserted := make(chan error)
			go func() { inserted <- insert(soon, "b") }() // waits in vain for this unit, or does not wait
			<-inserted
			_, err := r.Get(ctx, "a")
			return err
		}); err != nil {
			t.Fatal(err)
		}
		if err := insert(t.Context(), "c"); err != nil {
			t.Fatal(err)
		}
		if _, err := r.Get(t.Context(), "a"); err != nil {
			t.Error("the revision in force:", err)
		}
	})
}

func TestTheStateOfPoliciesChangesOneVersionAtATime(t *testing.T) {
	bunstoretest.OnBoth(t, func(t *testing.T, s *bunstore.Store) {
		r := s.Policies()
		if got, err := r.State(t.Context()); err != nil || got != (policies.State{Active: policies.None}) {
			t.Fatal(got, err)
		}
		first := policies.State{Version: 1, Active: "a", Previous: policies.None, TrialEnds: portstest.Start.Add(time.Minute), ChangedAt: portstest.Start, ChangedBy: "ada"}
		if err := r.SetState(t.Context(), first); err != nil {
			t.Fatal(err)
		}
		if got, err := r.State(t.Context()); err != nil || got != first {
			t.Errorf("%+v, %v", got, err)
		}
		second := policies.State{Version: 2, Active: "b", ChangedAt: portstest.Start, Shadow: "c", Failed: "limit x"}
		for _, s := range []policies.State{first, {Version: 3, Active: "x", ChangedAt: portstest.Start}} {
			if err := r.SetState(t.Context(), s); !ports.Is(err, ports.Conflict) {
				t.Errorf("version %d after 1: %v", s.Version, err)
			}
		}
		if err := r.SetState(t.Context(), second); err != nil {
			t.Fatal(err)
		}
		if got, err := r.State(t.Context()); err != nil || got != second {
			t.Errorf("%+v, %v", got, err)
		}
	})
}

func TestDecisionsAreKeptFilteredAndCounted(t *testing.T) {
	bunstoretest.OnBoth(t, func(t *testing.T, s *bunstore.Store) {
		r, start := s.Decisions(), portstest.Start
		line := func(i int, change func(*policies.Line)) policies.Line {
			l := policies.Line{ID: fmt.Sprint("d", i), At: start.Add(time.Duration(i) * time.Minute), Revision: "r", Kind: policy.APIKey, Principal: "k1", Name: "ci", Action: policy.FileUpload,
				Codes: []string{"permission_missing", "site:office_hours"}, RequestID: "q", ClientIP: "192.0.2.0", Took: 70 * time.Microsecond, Input: []byte(`{"api":1}`)}
			change(&l)
			return l
		}
		lines := []policies.Line{
			line(1, func(*policies.Line) {}),
			line(2, func(l *policies.Line) { l.Principal, l.Codes, l.Path = "k2", []string{"not_owner"}, "/a" }),
			line(3, func(l *policies.Line) { l.Action, l.Allow, l.Codes = policy.PasteList, true, nil }),
			line(4, func(l *policies.Line) { l.Failed, l.Codes, l.Input = "boom", nil, nil }),
		}
		hit := policies.Hits{Day: 2, Last: start}
		for range 2 {
			if err := r.Insert(t.Context(), nil, map[string]policies.Hits{"site:office_hours": hit, "not_owner": {Day: 1, Last: start.Add(-48 * time.Hour)}}); err != nil {
				t.Fatal(err)
			}
		}
		if err := r.Insert(t.Context(), lines, nil); err != nil {
			t.Fatal(err)
		}
		one, err := r.Get(t.Context(), "d2")
		if err != nil {
			t.Fatal(err)
		}
		lines[1].N = one.N
		if d := cmp.Diff(*one, lines[1]); d != "" {
			t.Error("got -, want +\n" + d)
		}
		for name, c := range map[string]struct {
			f    policies.LineFilter
			want []string
		}{
			"all":          {policies.LineFilter{}, []string{"d4", "d3", "d2", "d1"}},
			"a page":       {policies.LineFilter{Limit: 2}, []string{"d4", "d3"}},
			"the next one": {policies.LineFilter{Before: one.N}, []string{"d1"}},
			"by action":    {policies.LineFilter{Action: policy.PasteList}, []string{"d3"}},
			"by caller":    {policies.LineFilter{Principal: "k2"}, []string{"d2"}},
			"by code":      {policies.LineFilter{Code: "office_hours"}, []string{"d1"}},
			"errors":       {policies.LineFilter{Outcome: "error"}, []string{"d4"}},
			"refusals":     {policies.LineFilter{Outcome: "deny"}, []string{"d2", "d1"}},
			"by time":      {policies.LineFilter{From: start.Add(2 * time.Minute), To: start.Add(4 * time.Minute)}, []string{"d3", "d2"}},
		} {
			got, err := r.List(t.Context(), c.f)
			var ids []string
			for _, l := range got {
				ids = append(ids, l.ID)
			}
			if d := cmp.Diff(ids, c.want); d != "" || err != nil {
				t.Error(name, err, "got -, want +\n"+d)
			}
		}
		hits, err := r.Hits(t.Context(), start.Add(-24*time.Hour))
		if err != nil {
			t.Fatal(err)
		}
		want := []policies.Hits{{Code: "not_owner", All: 2, Last: start.Add(-48 * time.Hour)}, {Code: "site:office_hours", Day: 4, All: 4, Last: start}}
		if d := cmp.Diff(hits, want); d != "" {
			t.Error("got -, want +\n" + d)
		}
		if n, err := r.DeleteOld(t.Context(), start.Add(2*time.Minute), 2); err != nil || n != 2 { // d1 is old, d2 too many
			t.Error(n, err)
		}
	})
}
