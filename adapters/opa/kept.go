package opa

import (
	"context"
	"strconv"
	"strings"
	"sync"

	"github.com/open-policy-agent/opa/v1/ast"

	"pasteport/ports/policy"
)

// maxKept bounds how many answers a revision keeps; one takes about half a KiB.
const maxKept = 2048

// kept are answers that allow, by all that the rules of a revision read of a
// request. It is no cache by time: rules are functions of what they read, so an
// answer is as much a property of the rules as a conclusion is. Where a rule reads
// what differs with every request (the time, its id, the usage), nothing is kept.
type kept struct {
	copies []copyField // of the fields that some rule reads
	never  bool        // nothing is kept
	mu     sync.RWMutex
	known  map[asked]policy.Decision
}

// asked is a question with the fields that some rule reads; the others are empty.
type asked struct {
	question
	kind, id, owner, mount, paths, name, extension, contentType, urlHost, slug, storage string
	size                                                                                int64
	share                                                                               policy.ShareTerms
	clientIP, protocol, method, route                                                   string
	tls                                                                                 bool
}

type copyField func(a *asked, on *policy.Resource, call *policy.Call)

// copies take over the fields of the input that come back from request to
// request, by their places in it.
var copies = map[string]copyField{
	"resource.kind":         func(a *asked, on *policy.Resource, _ *policy.Call) { a.kind = on.Kind },
	"resource.id":           func(a *asked, on *policy.Resource, _ *policy.Call) { a.id = on.ID },
	"resource.owner":        func(a *asked, on *policy.Resource, _ *policy.Call) { a.owner = on.Owner },
	"resource.mount":        func(a *asked, on *policy.Resource, _ *policy.Call) { a.mount = on.Mount },
	"resource.paths":        func(a *asked, on *policy.Resource, _ *policy.Call) { a.paths = joined(on.Paths) },
	"resource.name":         func(a *asked, on *policy.Resource, _ *policy.Call) { a.name = on.Name },
	"resource.extension":    func(a *asked, on *policy.Resource, _ *policy.Call) { a.extension = on.Extension },
	"resource.content_type": func(a *asked, on *policy.Resource, _ *policy.Call) { a.contentType = on.ContentType },
	"resource.size":         func(a *asked, on *policy.Resource, _ *policy.Call) { a.size = on.Size },
	"resource.share":        func(a *asked, on *policy.Resource, _ *policy.Call) { a.share = on.Share },
	"resource.url_host":     func(a *asked, on *policy.Resource, _ *policy.Call) { a.urlHost = on.URLHost },
	"resource.slug":         func(a *asked, on *policy.Resource, _ *policy.Call) { a.slug = on.Slug },
	"resource.storage":      func(a *asked, on *policy.Resource, _ *policy.Call) { a.storage = on.Storage },
	"context.client_ip":     func(a *asked, _ *policy.Resource, call *policy.Call) { a.clientIP = call.ClientIP },
	"context.tls":           func(a *asked, _ *policy.Resource, call *policy.Call) { a.tls = call.TLS },
	"context.protocol":      func(a *asked, _ *policy.Resource, call *policy.Call) { a.protocol = call.Protocol },
	"context.method":        func(a *asked, _ *policy.Resource, call *policy.Call) { a.method = call.Method },
	"context.route":         func(a *asked, _ *policy.Resource, call *policy.Call) { a.route = call.Route },
}

// newKept finds out what the rules read that an answer comes from. A whole that
// is read, and a field that copies does not know, may be anything: then nothing
// is kept.
func newKept(compiler *ast.Compiler) *kept {
	k, seen, visited := &kept{known: map[asked]policy.Decision{}}, map[string]bool{}, map[*ast.Rule]bool{}
	read := func(ref ast.Ref) bool {
		field, ofRequest := fieldOf(ref)
		if !ofRequest || seen[field] {
			return false
		}
		seen[field] = true
		if take := copies[field]; take != nil {
			k.copies = append(k.copies, take)
		} else {
			k.never = true
		}
		return false
	}
	for left := compiler.GetRulesDynamicWithOpts(decisionRef, ast.RulesOptions{IncludeHiddenModules: true}); len(left) > 0; {
		rule := left[len(left)-1]
		left = left[:len(left)-1]
		if visited[rule] {
			continue
		}
		visited[rule] = true
		ast.WalkRefs(rule, read)
		for on := range compiler.Graph.Dependencies(rule) {
			left = append(left, on.(*ast.Rule))
		}
	}
	if len(visited) == 0 {
		k.never = true
	}
	return k
}

// decisionRef are the rules that answers come from.
var decisionRef = ast.MustParseRef("data.pasteport.authz")

// fieldOf is the field of the input that a reference reads, empty when it reads
// a whole; false when it reads nothing that differs between the requests of one
// question.
func fieldOf(ref ast.Ref) (field string, ofRequest bool) {
	if ref = ref.ConstantPrefix(); !ref.HasPrefix(ast.InputRootRef) {
		return "", false
	}
	part := func(i int) string {
		if i >= len(ref) {
			return ""
		}
		name, _ := ref[i].Value.(ast.String)
		return string(name)
	}
	switch first, second := part(1), part(2); {
	case first == "action", first == "api":
		return "", false
	case first == "subject" && second != "":
		return "subject." + second, second == "usage"
	case second != "":
		return first + "." + second, true
	}
	return "", true
}

// joined is one text for a list, another one for every other list.
func joined(list []string) string {
	if len(list) == 1 {
		return "\x00" + list[0]
	}
	var b strings.Builder
	for _, s := range list {
		b.WriteString(strconv.Itoa(len(s)) + ":" + s)
	}
	return b.String()
}

// of is what the rules read of a request; false when nothing is kept.
func (k *kept) of(q question, on *policy.Resource, call *policy.Call) (a asked, ok bool) {
	if k.never {
		return a, false
	}
	a.question = q
	for _, take := range k.copies {
		take(&a, on, call)
	}
	return a, true
}

func (k *kept) get(a *asked) (policy.Decision, bool) {
	k.mu.RLock()
	defer k.mu.RUnlock()
	d, ok := k.known[*a]
	return d, ok
}

// put keeps an answer. When the memory is full, some other one goes.
func (k *kept) put(a *asked, d policy.Decision) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if len(k.known) >= maxKept {
		for other := range k.known {
			delete(k.known, other)
			break
		}
	}
	k.known[*a] = d
}

// decide is evaluate, unless the rules have allowed the same before: all that
// they read of the request is as it was.
func (d *Decider) decide(ctx context.Context, rules *revision, q question, on policy.Resource, known conclusion) (policy.Decision, error) {
	a, keeps := rules.kept.of(q, &on, policy.CallFrom(ctx))
	if keeps {
		if decision, ok := rules.kept.get(&a); ok {
			return decision, nil
		}
	}
	decision, err := d.evaluate(ctx, rules, q, on, known)
	if keeps && err == nil && decision.Allow {
		rules.kept.put(&a, decision)
	}
	return decision, err
}
