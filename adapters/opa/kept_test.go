package opa

import (
	"maps"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/open-policy-agent/opa/v1/ast"
	"pgregory.net/rapid"

	"pasteport/ports/policy"
	"pasteport/ports/portstest"
)

// TestAKeptAnswerEqualsFullEvaluation draws site rules and requests, and asks
// many of them twice: whatever is kept, the answer is that of full evaluation,
// errors included.
func TestAKeptAnswerEqualsFullEvaluation(t *testing.T) {
	portstest.OnlyWithoutRaces(t)
	pool, actions := rulePool(t), portActions(t)
	names := slices.Sorted(maps.Keys(pool))
	cache := &deciders{t: t, pool: pool, made: map[string]*Decider{}}
	hits := 0
	rapid.Check(t, func(r *rapid.T) {
		drawn := rapid.SliceOfNDistinct(rapid.SampledFrom(names), 0, 3, rapid.ID).Draw(r, "rules")
		slices.Sort(drawn)
		d := cache.of(drawn)
		rules := d.current.Load()
		for range 2 {
			q := randomQuestion(r, actions)
			for range 24 {
				on, call, used := randomRest(r)
				cache.used.used = used
				ctx := policy.WithCall(t.Context(), call)
				if a, ok := rules.kept.of(q, &on, call); ok {
					if _, ok := rules.kept.get(&a); ok {
						hits++
					}
				}
				want, wantErr := d.evaluate(ctx, rules, q, on, conclusion{})
				got, gotErr := d.decide(ctx, rules, q, on, conclusion{})
				if (gotErr == nil) != (wantErr == nil) {
					r.Fatalf("%s by %+v on %+v, %+v: error %v kept, %v in full", q.do, q.who, on, call, gotErr, wantErr)
				}
				if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
					r.Fatalf("%s by %+v on %+v, %+v (-full +kept):\n%s", q.do, q.who, on, call, diff)
				}
			}
		}
	})
	if hits == 0 {
		t.Error("no answer was ever found again")
	}
}

// TestEveryFieldOfTheInputIsKnownToWhatIsKept walks over an input document: a
// field that a rule can read is copied, belongs to the question, or keeps rules
// that read it from keeping anything.
func TestEveryFieldOfTheInputIsKnownToWhatIsKept(t *testing.T) {
	restless := map[string]bool{"subject.usage": true, "context.time_ns": true, "context.request_id": true}
	fields := 0
	in := inputOf(question{}, policy.Resource{}, &policy.Call{}, policy.Usage{}, testClock).(ast.Object)
	in.Foreach(func(part, value *ast.Term) {
		object, ok := value.Value.(ast.Object)
		if !ok {
			return
		}
		object.Foreach(func(name, _ *ast.Term) {
			field, ofRequest := fieldOf(ast.Ref{ast.InputRootDocument, part, name})
			if fields++; ofRequest && copies[field] == nil != restless[field] {
				t.Errorf("%s: copied %t", field, copies[field] != nil)
			}
		})
	})
	if fields < 20 {
		t.Errorf("%d fields", fields)
	}
}

func TestRulesThatReadWhatNeverComesBackKeepNothing(t *testing.T) {
	cache := &deciders{t: t, pool: rulePool(t), made: map[string]*Decider{}}
	for rule, keeps := range map[string]bool{"time": false, "whole context": false, "walk": false, "object": false, "limit by size": true, "alias": true, "every": true} {
		d := cache.of([]string{rule})
		if got := !d.current.Load().kept.never; got != keeps {
			t.Errorf("%s: keeps %t", rule, got)
		}
	}
}
