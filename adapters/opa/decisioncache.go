package opa

import (
	"context"
	"sync"

	"github.com/open-policy-agent/opa/v1/ast"

	"pasteport/ports/policy"
)

// maxConclusions bounds how many questions a revision remembers; one takes up to
// 10 KiB.
const maxConclusions = 2048

// question is what of a request does not change from one to the next.
type question struct {
	who policy.Principal
	do  policy.Action
}

// openQuestion is one that nobody has tried to answer for good.
type openQuestion struct {
	rules *revision
	question
}

// conclusion is what partial evaluation found out about a question: a constant
// answer, or the conditions that are left of it, or neither.
type conclusion struct {
	constant *policy.Decision
	rest     *rest
}

// rest is what is left to evaluate for a question: a yes is worth granted, and
// one of the ways to yes must hold.
type rest struct {
	granted policy.Decision
	ways    []way
}

type way struct {
	body     ast.Body
	compiler ast.QueryCompiler
}

// decisionCache remembers, for one revision of the rules, what is known of questions
// whatever the resource, the circumstances and the usage are. It is no cache by
// time: an entry is a property of the rules.
type decisionCache struct {
	mu    sync.RWMutex
	known map[question]conclusion
}

func newDecisionCache() *decisionCache { return &decisionCache{known: map[question]conclusion{}} }

// get returns what is known, and whether it has been looked for.
func (c *decisionCache) get(q question) (conclusion, bool) {
	c.mu.RLock()
	defer c.mu.RUnlock()
	found, tried := c.known[q]
	return found, tried
}

// put remembers a conclusion. When the memory is full, some other one goes.
func (c *decisionCache) put(q question, found conclusion) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.known) >= maxConclusions {
		for other := range c.known {
			delete(c.known, other)
			break
		}
	}
	c.known[q] = found
}

// fold leaves a question for the background to work out. When the background is
// busy the question is dropped and comes back with the next request.
func (d *Decider) fold(rules *revision, q question) {
	select {
	case d.open <- openQuestion{rules, q}:
	default:
	}
}

// foldAll works out questions, one at a time, until ctx ends.
func (d *Decider) foldAll(ctx context.Context) {
	defer close(d.done)
	for {
		select {
		case <-ctx.Done():
			return
		case q := <-d.open:
			if _, tried := q.rules.decisions.get(q.question); tried || q.rules != d.current.Load() {
				continue
			}
			q.rules.decisions.put(q.question, q.rules.constants.find(ctx, q.question, q.rules.timeout))
		}
	}
}
