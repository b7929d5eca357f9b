package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"

	"pasteport/adapters/auditsink"
	"pasteport/adapters/datadir"
	"pasteport/adapters/secrets"
	"pasteport/domain/audit"
	"pasteport/domain/backup"
	"pasteport/domain/doctor"
	"pasteport/ports"
	"pasteport/ports/policy"
)

// openAudit makes the audit log, whose chain is that of this node. The decider
// is for reading it.
func (a *app) openAudit(ctx context.Context, s *settings, decider policy.Decider) error {
	known := exists(filepath.Join(s.DataDir, datadir.NodeFile)) // this node ran before
	node, err := datadir.NodeName(s.DataDir, func() string { return secrets.Random{}.Text(12) })
	if err != nil {
		return err
	}
	a.dataDir = s.DataDir
	deps := audit.Deps{Repository: a.store.Audit(), Decider: decider, MAC: a.vault, Clock: ports.SystemClock, Chain: node, Keep: s.AuditKeep, Known: func() ([]audit.Head, error) { return datadir.KeptHeads(s.DataDir) }, Work: a.store}
	if a.events != nil {
		deps.Outbox = a.events
	}
	a.audit = audit.New(deps)
	if exists(filepath.Join(s.DataDir, datadir.HeadsFile)) {
		return nil
	}
	if known { // a version that signed none may have run here
		if err := a.audit.Adopt(ctx, true); err != nil {
			return err
		}
		a.log.Warn("ends of the audit log signed as they are", "reason", "no "+datadir.HeadsFile+" in the data folder")
	}
	return a.keepHeads(ctx)
}

// openAuditStreams makes what sends the audit log elsewhere.
func (a *app) openAuditStreams(s *settings) error {
	places := auditsink.NewPlaces(s.DataDir)
	if s.AuditSyslog != "" {
		sink, err := auditsink.NewSyslog(s.AuditSyslog, s.AuditSyslogCA)
		if err != nil {
			return fmt.Errorf("--audit-syslog: %w", err)
		}
		a.streams = append(a.streams, a.audit.Stream(sink, places, a.report))
	}
	if s.AuditFile != "" {
		file := auditsink.NewFile(auditsink.FileOptions{Path: s.AuditFile, Megabytes: s.AuditFileSize, Days: s.AuditFileDays, Count: s.AuditFileCount})
		a.streams = append(a.streams, a.audit.Stream(file, places, a.report))
	}
	return a.metrics.Register(auditsink.NewMetrics(a.audit))
}

// streamStates is how the audit log gets to where it is sent.
func streamStates(log *audit.Audit) []doctor.StreamState {
	var out []doctor.StreamState
	for _, s := range log.Streams() {
		out = append(out, doctor.StreamState{Name: s.Sink, Problem: s.Problem, Lost: s.Lost})
	}
	return out
}

// keepHeads stores the ends of the audit log beside the database.
func (a *app) keepHeads(ctx context.Context) error {
	heads, err := a.audit.Heads(ctx)
	if err != nil {
		return err
	}
	return datadir.KeepHeads(a.dataDir, heads)
}

// tellHeads writes the ends of the audit log to the program's log and beside the
// database, each hour and at the end.
func (a *app) tellHeads(ctx context.Context, _ bool) {
	heads, err := a.audit.Heads(ctx)
	if err == nil {
		a.log.Info("audit log ends here", "heads", datadir.TextOfHeads(heads, " "))
		err = a.keepHeads(ctx)
	}
	if err != nil {
		a.report("keep the ends of the audit log", err)
	}
}

// auditCommand holds what an operator can do with the audit log.
type auditCommand struct {
	Verify auditVerifyCommand `cmd:"" help:"Check that nothing was changed in the audit log, taken out or cut off. Stop the server first when it uses SQLite."`
}

// auditVerifyCommand checks the audit log.
type auditVerifyCommand struct {
	Head   []string `env:"-" help:"An end of the log that was kept elsewhere, as the server's log tells it." placeholder:"CHAIN:SEQ:HASH"`
	Backup string   `env:"-" help:"A backup whose ends of the log must still be there." placeholder:"FILE"`
}

// Run prints what it found of every chain and fails when one is not whole.
func (c *auditVerifyCommand) Run(ctx context.Context, s *settings) (err error) {
	known, err := datadir.ParseHeads(c.Head)
	if err != nil {
		return err
	}
	if c.Backup != "" {
		m, err := backup.PeekFile(c.Backup)
		if err != nil {
			return err
		}
		of, err := datadir.ParseHeads(m.AuditHeads)
		if err != nil {
			return err
		}
		known = append(known, of...)
	}
	a := &app{log: slog.New(s.handler(os.Stderr, slog.LevelWarn))}
	defer func() { err = errors.Join(err, a.close()) }()
	if err := a.openStore(ctx, s); err != nil {
		return err
	}
	if err := a.openAudit(ctx, s, nil); err != nil {
		return err
	}
	proofs, err := a.audit.Prove(ctx, known...)
	if err != nil {
		return err
	}
	whole := true
	for _, p := range proofs {
		whole = whole && p.Broken == 0
		switch {
		case p.Missing == audit.Newest:
			fmt.Printf("%s: its newest entries are missing, from number %d on\n", p.Chain, p.Broken)
		case p.Missing == audit.Oldest:
			fmt.Printf("%s: its oldest entries are missing\n", p.Chain)
		case p.Broken > 0:
			fmt.Printf("%s: entry %d was changed or taken out\n", p.Chain, p.Broken)
		default:
			fmt.Printf("%s: whole, entries %d to %d\n", p.Chain, p.First, p.Last)
		}
	}
	if !whole {
		return errors.New("the audit log is not as it was written")
	}
	return nil
}

// noteGuess notes a key or a password that fitted nobody.
func (a *app) noteGuess(ctx context.Context, scheme string, why *ports.Error) error {
	call := policy.CallFrom(ctx)
	return a.audit.Add(ctx, audit.Entry{Kind: policy.Anonymous, Action: audit.CredentialRefused, Target: scheme, Outcome: audit.Failed, Code: why.Key, ClientIP: call.ClientIP, RequestID: call.RequestID})
}

// noteCommand notes what was done on the command line.
func (a *app) noteCommand(ctx context.Context, action, target string) error {
	return a.audit.Add(ctx, audit.Entry{Kind: policy.System, Name: "command line", Action: action, Target: target})
}
