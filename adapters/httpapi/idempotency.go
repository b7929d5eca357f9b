package httpapi

import (
	"bytes"
	"context"
	"encoding/json"
	"sync"

	"pasteport/ports"
	"pasteport/ports/policy"

	"github.com/go-kit/kit/endpoint"
)

// wantsBodyHash reports whether the request carries an idempotency key that
// counts.
func (x *exchange) wantsBodyHash() bool {
	return x.route != nil && x.route.op.Idem != NoIdem && x.r.Header["Idempotency-Key"] != nil
}

// idempotent answers a repeated write from the store: the same key and body
// get the stored answer, another body 422, one that still runs 409. Anonymous
// callers cannot be told apart, so their keys are ignored.
func (a *API) idempotent(rt *route) endpoint.Middleware {
	return func(next endpoint.Endpoint) endpoint.Endpoint {
		whole := rt.whole(next)
		return func(ctx context.Context, request any) (any, error) {
			x := exchangeFrom(ctx)
			key := first(x.r.Header["Idempotency-Key"])
			if key == "" || !x.authenticated() {
				return whole(ctx, request)
			}
			if !validIdempotencyKey(key) {
				return nil, errIdemKey
			}
			call := ports.IdempotentCall{Key: key, Caller: string(x.who.Kind) + ":" + x.who.ID,
				Method: x.r.Method, Path: x.r.URL.Path, Body: x.body}
			if err := a.claims.free(call); err != nil {
				return nil, err
			}
			stored, err := a.opts.Idempotency.Begin(ctx, call, x.call.Time)
			if err != nil {
				return nil, err
			}
			if stored != nil {
				return a.replay(x, *stored)
			}
			defer a.claims.hold(call)()
			return a.claimed(ctx, rt, call, request, next)
		}
	}
}

// claims are the idempotent calls that run on this node. In the database a claim ends
// by age, so that a dead node blocks nothing; a call may take longer.
type claims struct{ running sync.Map } // by caller and key

type claimName struct{ caller, key string }

// hold notes a call until release.
func (c *claims) hold(call ports.IdempotentCall) (release func()) {
	name := claimName{call.Caller, call.Key}
	c.running.Store(name, call)
	return func() { c.running.CompareAndDelete(name, call) }
}

// free returns the errors of Begin for a call that runs.
func (c *claims) free(call ports.IdempotentCall) error {
	switch running, ok := c.running.Load(claimName{call.Caller, call.Key}); {
	case !ok:
		return nil
	case running != call:
		return ports.ErrIdempotencyReused
	}
	return ports.ErrIdempotencyRunning
}

// replay gives a stored answer to a caller who may still do what it was for:
// the policy is asked again what it was asked then.
func (a *API) replay(x *exchange, stored ports.IdempotentAnswer) (any, error) {
	rt := x.route
	var then questions
	line, answer, _ := bytes.Cut(stored.Body, []byte{'\n'})
	if json.Unmarshal(line, &then) != nil || len(then) == 0 {
		then = questions{{Do: rt.op.Actions[0], On: policy.Resource{Kind: rt.noun, Owner: x.who.Owner()}}}
	}
	for _, q := range then {
		if _, err := policy.Check(x.ctx(), a.opts.Decider, x.who, q.Do, q.On); err != nil {
			return nil, err
		}
	}
	a.metrics.replays.Inc()
	x.Header().Set("Idempotency-Replayed", "true")
	if len(answer) == 0 { // it was too long to keep; the write itself is done
		return rt.body(x, None{})
	}
	return encoded{status: stored.Status, typ: []string{stored.Type}, data: answer}, nil
}

// questions are what the policy was asked and has allowed.
type questions []question

type question struct {
	Do policy.Action
	On policy.Resource
}

// maxQuestions bounds what is kept of a call over many items.
const maxQuestions = 100

// kept is what is stored of an answer: one line with the questions, then the
// answer, or nothing where that is too long.
func (q questions) kept(answer []byte) ([]byte, error) {
	line, err := json.Marshal(q)
	if err != nil {
		return nil, err
	}
	line = append(line, '\n')
	if len(line)+len(answer) > ports.IdempotencyMaxBody {
		return line, nil
	}
	return append(line, answer...), nil
}

// claimed runs a call that holds its claim, and keeps the answer with the
// write. Any failure, a panic included, gives the claim back.
func (a *API) claimed(ctx context.Context, rt *route, call ports.IdempotentCall, request any, use endpoint.Endpoint) (result any, err error) {
	finished := false
	defer func() {
		if !finished {
			_ = a.opts.Idempotency.Abandon(context.WithoutCancel(ctx), call) // it ends by age otherwise
		}
	}()
	if rt.plan != nil {
		if request, err = rt.plan(ctx, request); err != nil {
			return nil, err
		}
	}
	var out encoded
	work := func(ctx context.Context) error {
		result, err := use(ctx, request)
		if err != nil {
			return err
		}
		if out, err = rt.body(exchangeFrom(ctx), result); err != nil {
			return err
		}
		body, err := exchangeFrom(ctx).allowed.kept(mask(out.data, rt.op.Secrets))
		if err != nil {
			return err
		}
		// Also when its client has gone: the write is done.
		return a.opts.Idempotency.Finish(context.WithoutCancel(ctx), call, ports.IdempotentAnswer{Status: out.status, Type: out.typ[0], Body: body})
	}
	if rt.op.Idem == InTransaction {
		err = a.opts.Work.Do(ctx, work)
	} else {
		err = work(ctx)
	}
	if err != nil {
		return nil, err
	}
	finished = true
	return out, nil
}

func validIdempotencyKey(key string) bool {
	if len(key) > 255 {
		return false
	}
	for _, c := range []byte(key) {
		if c <= ' ' || c > '~' {
			return false
		}
	}
	return true
}

// masked stands in a stored answer where a secret was.
const masked = "********"

// mask replaces the values of the named fields, wherever they stand.
func mask(data []byte, names []string) []byte {
	if len(names) == 0 {
		return data
	}
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	var value any
	if d.Decode(&value) != nil {
		return []byte("{}")
	}
	for _, name := range names {
		maskIn(value, name)
	}
	out, err := json.Marshal(value)
	if err != nil {
		return []byte("{}")
	}
	return out
}

func maskIn(value any, name string) {
	switch v := value.(type) {
	case map[string]any:
		for k, inner := range v {
			if _, text := inner.(string); text && k == name {
				v[k] = masked
				continue
			}
			maskIn(inner, name)
		}
	case []any:
		for _, inner := range v {
			maskIn(inner, name)
		}
	}
}
