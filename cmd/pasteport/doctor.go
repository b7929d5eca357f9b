package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"pasteport/adapters/bunstore"
	"pasteport/adapters/httpapi/adminapi"
	"pasteport/adapters/httpapi/listen"
	"pasteport/adapters/probe"
	"pasteport/adapters/roundtrip"
	"pasteport/adapters/secrets"
	"pasteport/domain/doctor"
	"pasteport/domain/storage"
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
	stopped, err := a.newDoctor(s, a.rules, nil)
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

// doctorHandler examines for those who have the master key.
func (a *app) doctorHandler() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !a.doctor.Admitted(r.URL.Query().Get("token")) {
			http.Error(w, "no token of the master key", http.StatusForbidden)
			return
		}
		text, err := json.Marshal(adminapi.DoctorReportOf(a.doctor.Look(r.Context()), r.URL.Query().Get("lang")))
		if err != nil {
			a.report("tell what the doctor found", err)
			http.Error(w, "internal error", http.StatusInternalServerError)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write(text)
	})
}

// openDoctor makes the doctor of a running server.
func (a *app) openDoctor(s *settings, decider policy.Decider) (err error) {
	a.doctor, err = a.newDoctor(s, decider, roundtrip.Client{})
	return err
}

func (a *app) newDoctor(s *settings, decider policy.Decider, out doctor.Outside) (*doctor.Doctor, error) {
	public, err := s.publicURL()
	if err != nil {
		return nil, err
	}
	return doctor.New(doctor.Deps{
		Decider: decider, Clock: ports.SystemClock, MAC: a.vault, Version: version, Address: public,
		Database: doctorDatabase{a.store}, Disk: func(ctx context.Context) (doctor.DiskState, error) { return lookAtDisk(ctx, s) },
		Storages: storageDoctor{a, public, probe.New(s.storageReach())}.look, Backups: a.backupState, Rules: a.ruleState, Outside: out,
	}), nil
}

// doctorDatabase looks at the open database.
type doctorDatabase struct{ *bunstore.Store }

// Newest implements doctor.Database.
func (d doctorDatabase) Newest(ctx context.Context) error { return d.CheckSchema(ctx) }

// Write implements doctor.Database.
func (d doctorDatabase) Write(ctx context.Context) error {
	return d.Secrets().Put(ctx, "doctor", []byte(time.Now().UTC().Format(time.RFC3339)))
}

// Now implements doctor.Database.
func (d doctorDatabase) Now(ctx context.Context) (time.Time, error) { return d.Sweeps().Now(ctx) }

// syncs is how often a small file is written to measure a disk.
const syncs = 5

// lookAtDisk measures the disk of the data folder.
func lookAtDisk(ctx context.Context, s *settings) (state doctor.DiskState, err error) {
	for _, path := range []string{s.DataDir, s.keyFile(), filepath.Join(s.DataDir, "pasteport.db")} {
		if info, err := os.Stat(path); err == nil && info.Mode().Perm()&0o007 != 0 {
			state.Open = append(state.Open, path)
		}
	}
	use, err := diskOf(s.DataDir)()
	if err != nil {
		return state, err
	}
	state.Total, state.Free = use.Total, use.Free
	var took []time.Duration
	for range syncs {
		if err := ctx.Err(); err != nil {
			return state, err
		}
		d, err := syncOnce(s.DataDir)
		if err != nil {
			return state, err
		}
		took = append(took, d)
	}
	slices.Sort(took)
	state.Sync = took[len(took)/2]
	return state, nil
}

// syncOnce writes and syncs a small file.
func syncOnce(dir string) (took time.Duration, err error) {
	f, err := os.CreateTemp(dir, ".doctor-*")
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, f.Close(), os.Remove(f.Name())) }()
	began := time.Now()
	if _, err := f.Write(make([]byte, 4096)); err != nil {
		return 0, err
	}
	err = f.Sync()
	return time.Since(began), err
}

// storageDoctor tests the storages.
type storageDoctor struct {
	*app
	address string
	prober  ports.Prober
}

// testsAtOnce bounds the storages that are tested at the same time.
const testsAtOnce = 4

func (d storageDoctor) look(ctx context.Context) ([]doctor.StorageState, error) {
	all, err := d.store.StorageConfigs().List(ctx, storage.ConfigFilter{})
	if err != nil {
		return nil, err
	}
	states := make([]doctor.StorageState, len(all.Items))
	turns, done := make(chan struct{}, testsAtOnce), sync.WaitGroup{}
	for i := range all.Items {
		done.Go(func() {
			turns <- struct{}{}
			defer func() { <-turns }()
			states[i] = d.test(ctx, &all.Items[i])
		})
	}
	done.Wait()
	return states, nil
}

func (d storageDoctor) test(ctx context.Context, c *storage.Config) doctor.StorageState {
	report := d.configs.Examine(ctx, c, storage.Page{Origin: cmp.Or(originOf(d.address), "http://localhost"), SameOrigin: true, Own: adminapi.OwnProber(d.api)})
	out := doctor.StorageState{Name: c.Name, Failed: report.Verdict() == storage.Unusable}
	for _, s := range report.Steps {
		// Whom the storage lets in from browsers is known with the address of pages.
		if s.OK() || d.address == "" && (s.Name == storage.StepCORS || s.Name == storage.StepBrowser) {
			continue
		}
		out.Partial = true
		out.Cause, out.Remedy, out.Params, out.Messages, out.Detail = s.Cause, s.Remedy, s.Params, s.Messages, s.Detail
		break
	}
	if c.EndpointURL == "" {
		return out
	}
	answer, err := d.prober.Probe(ctx, ports.Probe{Method: http.MethodHead, URL: c.EndpointURL})
	if err != nil {
		return out
	}
	if now, err := http.ParseTime(answer.Header.Get("Date")); err == nil {
		out.Skew, out.Timed = time.Until(now), true
	}
	return out
}

// originOf is the scheme and host of an address, "" for none.
func originOf(address string) string {
	scheme, rest, found := strings.Cut(address, "://")
	if !found {
		return ""
	}
	host, _, _ := strings.Cut(rest, "/")
	return scheme + "://" + host
}

// backupState is how scheduled backups do.
func (a *app) backupState(ctx context.Context) (out doctor.BackupState, err error) {
	record, err := a.schedule.Record(ctx)
	if err != nil {
		return out, err
	}
	plan := a.schedule.Plan()
	out.Every, out.Overdue = plan.Every, record.Overdue(plan, time.Now())
	if record.Good != nil {
		out.Good = record.Good.Began
	}
	if record.Last != nil {
		out.Problem = record.Last.Problem
	}
	return out, nil
}

// ruleState is how the rules of the site do.
func (a *app) ruleState(ctx context.Context) (out doctor.RuleState) {
	if err := a.policiesAnswer(ctx); err != nil {
		out.Failing = err.Error()
	}
	out.Broken, out.Rejected = a.policies.Trouble(ctx)
	return out
}
