package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"pasteport/adapters/secrets"
	"pasteport/domain/audit"
	"pasteport/ports"
	"pasteport/ports/policy"
)

// openAudit makes the audit log, whose chain is that of this node. The decider
// is for reading it.
func (a *app) openAudit(s *settings, decider policy.Decider) error {
	node, err := nodeName(s.DataDir)
	if err != nil {
		return err
	}
	a.audit = audit.New(audit.Deps{Repository: a.store.Audit(), Decider: decider, MAC: a.vault, Clock: ports.SystemClock, Chain: node, Keep: s.AuditKeep})
	return nil
}

// nodeName names this node for good, by a file in its data folder.
func nodeName(dir string) (string, error) {
	path := filepath.Join(dir, "node.id")
	text, err := os.ReadFile(path)
	if name := strings.TrimSpace(string(text)); err == nil && name != "" {
		return name, nil
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", fmt.Errorf("read the name of this node: %w", err)
	}
	name := secrets.Random{}.Text(12)
	if err := os.WriteFile(path, []byte(name+"\n"), 0o600); err != nil {
		return "", fmt.Errorf("name this node: %w", err)
	}
	return name, nil
}

// noteGuess notes a key or a password that fitted nobody.
func (a *app) noteGuess(ctx context.Context, scheme string, why *ports.Error) error {
	call := policy.CallFrom(ctx)
	return a.audit.Add(ctx, audit.Entry{Kind: policy.Anonymous, Action: "credential.refuse", Target: scheme, Outcome: audit.Failed, Code: why.Key, ClientIP: call.ClientIP, RequestID: call.RequestID})
}

// noteCommand notes what was done on the command line.
func (a *app) noteCommand(ctx context.Context, action, target string) error {
	return a.audit.Add(ctx, audit.Entry{Kind: policy.System, Name: "command line", Action: action, Target: target})
}
