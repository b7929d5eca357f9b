package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"time"

	"pasteport/adapters/checkup"
	"pasteport/adapters/datadir"
	"pasteport/adapters/httpapi/adminapi"
	"pasteport/adapters/httpapi/listen"
	"pasteport/adapters/probe"
	"pasteport/adapters/secrets"
	"pasteport/domain/backup"
	"pasteport/domain/doctor"
	"pasteport/ports"
	"pasteport/ports/policy"
)

// doctorCommand examines an installation.
type doctorCommand struct {
	JSON     bool   `env:"-" help:"Print the report as JSON."`
	Language string `env:"-" help:"Language of the report, en or zh." default:"en" enum:"en,zh"`
}

// Exit statuses of the command.
const (
	doctorWarns    = 1
	doctorProblems = 2
)

// Run asks the server that runs here, by its internal listener; without one it
// looks itself. It ends with status 0 when all is well, 1 for warnings and 2 for
// problems.
func (c *doctorCommand) Run(ctx context.Context, s *settings) error {
	text, err := c.examine(ctx, s)
	if err != nil {
		end(err, doctorProblems)
	}
	var report struct {
		Level    string                   `json:"level"`
		Findings []adminapi.DoctorFinding `json:"findings"`
	}
	if err := json.Unmarshal(text, &report); err != nil {
		return err
	}
	if c.JSON {
		fmt.Println(string(bytes.TrimSpace(text)))
	} else {
		printFindings(os.Stdout, report.Findings)
	}
	switch report.Level {
	case string(doctor.Problem):
		os.Exit(doctorProblems)
	case string(doctor.Warning):
		os.Exit(doctorWarns)
	}
	return nil
}

func printFindings(w io.Writer, all []adminapi.DoctorFinding) {
	for _, f := range all {
		fmt.Fprintf(w, "%-8s %s: %s\n", f.Level, f.ID, f.Cause)
		if f.Remedy != "" {
			fmt.Fprintf(w, "         → %s\n", f.Remedy)
		}
		if f.Detail != "" {
			fmt.Fprintf(w, "         (%s)\n", f.Detail)
		}
	}
}

// examine returns the report as JSON.
func (c *doctorCommand) examine(ctx context.Context, s *settings) ([]byte, error) {
	if s.hasInternal() {
		text, err := c.ask(ctx, s)
		if text != nil || err != nil {
			return text, err
		}
	}
	a, err := newApp(ctx, s, slog.New(s.handler(os.Stderr, slog.LevelError)), nil)
	if err != nil {
		return nil, fmt.Errorf("the server does not open here: %w", err)
	}
	defer a.closeLogged()
	stopped, err := openDoctor(a, s, a.rules, nil)
	if err != nil {
		return nil, err
	}
	return json.Marshal(adminapi.DoctorReportOf(stopped.Look(ctx), c.Language))
}

// ask has the running server examine; nothing when none answers.
func (c *doctorCommand) ask(ctx context.Context, s *settings) ([]byte, error) {
	vault, err := secrets.Open(s.keyFile())
	if err != nil {
		return nil, fmt.Errorf("%s: %w", s.keyFile(), err)
	}
	answer, err := listen.Get(ctx, s.InternalListen, "/doctor?lang="+c.Language+"&token="+doctor.TokenAt(vault, time.Now()))
	if err != nil {
		return nil, nil // it does not run
	}
	defer func() { _ = answer.Body.Close() }()
	if answer.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("the server at %s answers with status %d: is it that of this data folder?", s.InternalListen, answer.StatusCode)
	}
	return io.ReadAll(io.LimitReader(answer.Body, 4<<20))
}

// openDoctor makes the doctor; out is nil while the server does not run.
func openDoctor(a *app, s *settings, decider policy.Decider, out doctor.Outside) (*doctor.Doctor, error) {
	public, err := s.publicURL()
	if err != nil {
		return nil, err
	}
	storages := checkup.Storages{
		List: a.store.StorageConfigs(), Configs: a.configs, Address: public, Own: func() ports.Prober { return adminapi.OwnProber(a.api) },
		Prober: probe.New(s.storageReach()), Clock: ports.SystemClock,
	}
	private := []string{s.DataDir, s.keyFile(), filepath.Join(s.DataDir, "pasteport.db")}
	return doctor.New(doctor.Deps{
		Decider: decider, Clock: ports.SystemClock, MAC: a.vault, Version: version, Address: public,
		Database: checkup.Database{Store: a.store, Note: a.store.Secrets().Put, Time: a.store.Sweeps().Now, Clock: ports.SystemClock},
		Disk: func(ctx context.Context) (doctor.DiskState, error) {
			return datadir.Look(ctx, s.DataDir, a.reserve, private...)
		},
		Sweeps: checkup.Sweeps(a.janitor), Storages: storages.Look, Backups: func(ctx context.Context) (doctor.BackupState, error) {
			return backupState(ctx, a.schedule, newKeeper(s))
		}, Rules: func(ctx context.Context) doctor.RuleState { return ruleState(ctx, a) }, Outside: out,
		Streams: func() []doctor.StreamState { return streamStates(a.audit) }, Channels: checkup.Channels(a.events), Traces: a.traces.Check(), Checks: checkNotes{a}.states,
	}), nil
}

// ruleState is how the rules of the site do.
func ruleState(ctx context.Context, a *app) (out doctor.RuleState) {
	if err := a.policiesAnswer(ctx); err != nil {
		out.Failing = err.Error()
	}
	out.Broken, out.Rejected = a.policies.Trouble(ctx)
	return out
}

// backupState is how scheduled backups do.
func backupState(ctx context.Context, s *backup.Schedule, node *backup.Node) (doctor.BackupState, error) {
	record, err := s.Record(ctx)
	if err != nil {
		return doctor.BackupState{}, err
	}
	plan := s.Plan()
	out := doctor.BackupState{Every: plan.Every, Overdue: record.Overdue(plan, time.Now())}
	if record.Good != nil {
		out.Good = record.Good.Began
	}
	if record.Last != nil {
		out.Problem = record.Last.Problem
	}
	refused, err := node.Refused()
	if refused != nil {
		out.Refused = refused.Problem
	}
	return out, err
}
