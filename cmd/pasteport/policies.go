package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"sync"
	"time"

	"pasteport/adapters/opa"
	"pasteport/adapters/secrets"
	"pasteport/cmd/pasteport/rules"
	"pasteport/domain/audit"
	"pasteport/domain/keys"
	rulebook "pasteport/domain/policies"
	"pasteport/ports"
	"pasteport/ports/policy"
)

// policyCommand holds what an author of rules does without the panel.
type policyCommand struct {
	rules.Commands

	Reset policyResetCommand `cmd:"" settings:"+policy-dir" help:"Put the shipped rules alone in force. Stop the server first when it uses SQLite."`
}

// policyResetCommand helps an operator whom rules lock out.
type policyResetCommand struct{}

// Run puts the shipped rules alone in force.
func (*policyResetCommand) Run(ctx context.Context, s *settings) (err error) {
	if s.PolicyDir != "" {
		return fmt.Errorf("the rules come from the folder %s; mend them there and send the server SIGHUP", s.PolicyDir)
	}
	a := &app{log: slog.New(s.handler(os.Stderr, slog.LevelWarn))}
	defer func() { err = errors.Join(err, a.close()) }()
	if err := a.openStore(ctx, s); err != nil {
		return err
	}
	p := rulebook.New(rulebook.Deps{Repository: a.store.Policies(), Work: a.store, Invalidation: a.store.Invalidation(), Clock: ports.SystemClock})
	if err := p.Reset(ctx); err != nil {
		return err
	}
	if err := a.openAudit(ctx, s, nil); err != nil {
		return err
	}
	if err := a.noteCommand(ctx, audit.PoliciesReset, ""); err != nil {
		return err
	}
	_, err = fmt.Println("the shipped rules alone are in force; all revisions are kept")
	return err
}

// openPolicies makes the rules of the site, which the panel changes.
func (a *app) openPolicies(s *settings, decider policy.Decider) {
	a.policies = rulebook.New(rulebook.Deps{
		Repository: a.store.Policies(), Log: a.decisions, Work: a.store, Engine: a.rules, Bundles: opa.Bundles{}, Decider: decider, Keys: callers{a.store.Keys()},
		Invalidation: a.store.Invalidation(), Clock: ports.SystemClock, Random: secrets.Random{}, Report: a.report,
		Folder: s.PolicyDir, FolderRules: func() (policy.Rules, error) { return rules.Read(s.PolicyDir) },
		Question: opa.QueryOf,
		Note: func(ctx context.Context, action, target string) error {
			return a.audit.Add(ctx, audit.Entry{Kind: policy.System, Name: "server", Action: action, Target: target})
		},
	})
}

// reloadPolicies reads the rules again where they are kept.
func (a *app) reloadPolicies(ctx context.Context) error {
	if a.policies.InFolder() {
		return a.policies.ReloadFolder(ctx, a.rules.Reload)
	}
	return a.policies.Reload(ctx)
}

// callers are the API keys as they would ask.
type callers struct{ keys keys.KeyRepository }

// Principal returns a key as it would ask.
func (c callers) Principal(ctx context.Context, id string) (policy.Principal, error) {
	key, err := c.keys.Get(ctx, id)
	if err != nil {
		return policy.Principal{}, err
	}
	return key.Principal(), nil
}

// Principals returns all keys.
func (c callers) Principals(ctx context.Context) ([]policy.Principal, error) {
	page, err := c.keys.List(ctx, keys.KeyFilter{})
	all := make([]policy.Principal, len(page.Items))
	for i := range page.Items {
		all[i] = page.Items[i].Principal()
	}
	return all, err
}

// lateRecorder is a recorder that comes after the rules: they compile while the
// database is opened.
type lateRecorder struct {
	mu  sync.RWMutex
	log *rulebook.Log
}

// Record passes a decision on once there is a log.
func (l *lateRecorder) Record(r policy.Record) {
	l.mu.RLock()
	log := l.log
	l.mu.RUnlock()
	if log != nil {
		log.Record(r)
	}
}

func (l *lateRecorder) set(log *rulebook.Log) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.log = log
}

// runPolicies follows changes of other nodes, ends trials and writes the
// decision log, until ctx ends.
func (a *app) runPolicies(ctx context.Context, loops *sync.WaitGroup) {
	a.follow(ctx, loops, rulebook.Changed, "take over the policy; the old one stays", a.policies.Reload)
	loops.Go(func() {
		every(ctx, 500*time.Millisecond, func(ctx context.Context, last bool) {
			if err := a.decisions.Flush(ctx); err != nil {
				a.report("write the decision log", err)
			}
			if last {
				return
			}
			if err := a.policies.EndTrials(ctx); err != nil {
				a.report("end the trial of a policy", err)
			}
			if err := a.policies.PutBack(ctx); err != nil {
				a.report("put back a policy that fails", err)
			}
		})
	})
}
