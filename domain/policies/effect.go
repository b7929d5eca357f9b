package policies

import (
	"context"
	"slices"
	"strings"
	"time"

	"pasteport/ports"
	"pasteport/ports/policy"
)

const (
	maxEffect   = 1000 // lines of the decision log that rules are asked again
	effectBatch = 500  // of them at once: each batch has the time and memory of a trial

	limitsTime = 10 * time.Second // for what the rules in force say of limits
)

// Effect is what rules that are not in force would have answered of what was
// asked lately.
type Effect struct {
	Asked   int
	Skipped int      // lines that no rule has made, or that cannot be read back
	Changes []Change // newest first
	Same    []Line   // those that stay as they are, newest first
}

// Change is a recorded decision that rules would make otherwise.
type Change struct {
	Before Line
	Now    policy.Explanation
	// Limits are those that change for what stays allowed. The log keeps no
	// limits, so the ones before are those of the rules in force.
	Limits []LimitChange
}

// LimitChange is a limit with its value before and now; 0 is none.
type LimitChange struct {
	Name        string
	Before, Now int64
}

// Effect asks rules the last decisions of the log again. Nothing is kept. Asks
// admin.policy.read. Returns Invalid with the report in its params when the
// rules are not good.
func (p *Policies) Effect(ctx context.Context, who policy.Principal, rules policy.Rules) (Effect, error) {
	if err := p.may(ctx, who, policy.PolicyRead, ""); err != nil {
		return Effect{}, err
	}
	if len(rules) == 0 {
		return Effect{}, errNoRules
	}
	lines, err := p.d.Log.list(ctx, LineFilter{Limit: maxEffect})
	if err != nil {
		return Effect{}, err
	}
	effect := Effect{Skipped: len(lines)}
	asked := slices.DeleteFunc(lines, func(l Line) bool { return !MadeByRules(l.Codes) })
	if len(asked) == 0 {
		_, err := p.good(ctx, rules)
		return effect, err
	}
	limited, cancel := context.WithTimeout(ctx, limitsTime)
	defer cancel()
	for batch := range slices.Chunk(asked, effectBatch) {
		questions := make([]policy.Query, 0, len(batch))
		batch = slices.DeleteFunc(batch, func(l Line) bool {
			q, err := p.d.Question(l.Input)
			if err == nil && q.Do != "" {
				questions = append(questions, q)
				return false
			}
			return true
		})
		answers, err := p.d.Engine.Foresee(ctx, rules, questions)
		if ports.Is(err, ports.Invalid) {
			if _, why := p.good(ctx, rules); why != nil {
				return Effect{}, why
			}
		}
		if err != nil {
			return Effect{}, err
		}
		inForce, err := p.d.Engine.Foresee(limited, nil, questions)
		if err != nil {
			return Effect{}, err
		}
		effect.Asked, effect.Skipped = effect.Asked+len(batch), effect.Skipped-len(batch)
		for i, now := range answers {
			effect.add(batch[i], inForce[i], now)
		}
	}
	return effect, nil
}

// add notes what rules answer now in place of a recorded decision, or of its
// limits by the rules in force.
func (e *Effect) add(before Line, inForce, now policy.Explanation) {
	differs := Differs(before.Allow, before.Failed, now)
	var limits []LimitChange
	if !differs && now.Decision.Allow && inForce.Decision.Allow {
		limits = changedLimits(inForce.Decision.Obligations, now.Decision.Obligations)
	}
	if !differs && len(limits) == 0 {
		e.Same = append(e.Same, before)
		return
	}
	e.Changes = append(e.Changes, Change{Before: before, Now: now, Limits: limits})
}

func changedLimits(before, now policy.Obligations) (changed []LimitChange) {
	for _, l := range policy.Limits {
		if was, is := *l.Of(&before), *l.Of(&now); was != is {
			changed = append(changed, LimitChange{l.Name, was, is})
		}
	}
	return changed
}

// MadeByRules reports whether rules have made a recorded decision, and not the
// server itself.
func MadeByRules(codes []string) bool {
	return !slices.ContainsFunc(codes, func(code string) bool { return strings.HasPrefix(code, "server:") })
}

// Differs reports whether an answer is another than the recorded one. Two that
// fail are the same.
func Differs(allow bool, failed string, now policy.Explanation) bool {
	return now.Decision.Allow != allow || (now.Failed != "") != (failed != "")
}
