package doctor

import (
	"context"
	"crypto/tls"
	"errors"
	"testing"
	"time"

	"pasteport/ports"
	"pasteport/ports/policy"
	"pasteport/ports/portstest"
)

type decider struct{ allow bool }

func (d decider) Decide(context.Context, policy.Principal, policy.Action, policy.Resource) (policy.Decision, error) {
	return policy.Decision{Allow: d.allow}, nil
}

// patient is an installation, which is well at first.
type patient struct {
	clock               *portstest.Clock
	ping, schema, write error
	ahead               time.Duration // of the database
	disk                DiskState
	diskErr             error
	sweeps              SweepState
	storages            []StorageState
	backup              BackupState
	rules               RuleState
	seen                Seen
	look                error
	collector           error
	checks              []CheckState
	checksErr           error
	channels            []ChannelState
	channelsErr         error
}

func (p *patient) Ping(context.Context) error             { return p.ping }
func (p *patient) Newest(context.Context) error           { return p.schema }
func (p *patient) Write(context.Context) error            { return p.write }
func (p *patient) Now(context.Context) (time.Time, error) { return p.clock.Now().Add(p.ahead), nil }
func (p *patient) Look(context.Context, string, string) (Seen, error) {
	return p.seen, p.look
}

func (p *patient) doctor() *Doctor {
	return New(Deps{
		Decider: decider{true}, Clock: p.clock, MAC: portstest.MAC{}, Address: "https://paste.example", Database: p, Outside: p,
		Disk:     func(context.Context) (DiskState, error) { return p.disk, p.diskErr },
		Sweeps:   func(context.Context) (SweepState, error) { return p.sweeps, nil },
		Storages: func(context.Context) ([]StorageState, error) { return p.storages, nil },
		Backups:  func(context.Context) (BackupState, error) { return p.backup, nil },
		Rules:    func(context.Context) RuleState { return p.rules },
		Checks:   func(context.Context) ([]CheckState, error) { return p.checks, p.checksErr },
		Channels: func(context.Context) ([]ChannelState, error) { return p.channels, p.channelsErr },
		Traces:   func(context.Context) error { return p.collector },
	})
}

func healthy() *patient {
	clock := portstest.NewClock()
	return &patient{
		clock: clock, disk: DiskState{Total: 100, Free: 50, Sync: time.Millisecond}, sweeps: SweepState{Last: clock.Now().Add(-time.Hour)}, storages: []StorageState{{Name: "s"}},
		backup: BackupState{Every: time.Hour, Good: clock.Now()},
		seen:   Seen{Secure: true, CertEnds: clock.Now().Add(90 * 24 * time.Hour), Sent: 1, Got: 1, Scheme: "https", Client: "198.51.100.1"},
	}
}

func TestEachFaultIsNamedWithItsRemedy(t *testing.T) {
	if r := healthy().doctor().Look(t.Context()); r.Level() != OK {
		t.Fatalf("a healthy server: %+v", r.Findings)
	}
	failed := errors.New("it failed")
	for _, c := range []struct {
		id    string
		level Level
		hurt  func(*patient)
	}{
		{"database.away", Problem, func(p *patient) { p.ping = failed }},
		{"database.schema", Problem, func(p *patient) { p.schema = failed }},
		{"database.read_only", Problem, func(p *patient) { p.write = failed }},
		{"clock.database", Warning, func(p *patient) { p.ahead = -2 * time.Minute }},
		{"clock.database", Problem, func(p *patient) { p.ahead = time.Hour }},
		{"clock.storage", Problem, func(p *patient) { p.storages[0].Skew, p.storages[0].Timed = -time.Hour, true }},
		{"clock.jumped", Warning, func(p *patient) { p.clock.Add(48 * time.Hour); p.sweeps.Held = true }},
		{"clock.behind", Problem, func(p *patient) { p.clock.Add(-2 * time.Hour) }},
		{"disk.unwritable", Problem, func(p *patient) { p.diskErr = failed }},
		{"disk.full", Problem, func(p *patient) { p.disk.Free = 5 }},
		{"disk.full", Problem, func(p *patient) { p.disk.Free, p.diskErr = 0, failed }},
		{"disk.filling", Warning, func(p *patient) { p.disk.Free = 10 }},
		{"disk.slow", Warning, func(p *patient) { p.disk.Sync = time.Second }},
		{"disk.readable", Problem, func(p *patient) { p.disk.Open = []string{"secret.key"} }},
		{"storage.none", Warning, func(p *patient) { p.storages = nil }},
		{"storage.failed", Problem, func(p *patient) { p.storages[0].Failed = true }},
		{"storage.partial", Warning, func(p *patient) { p.storages[0].Partial = true }},
		{"backup.off", Warning, func(p *patient) { p.backup = BackupState{} }},
		{"backup.never", Warning, func(p *patient) { p.backup.Good = time.Time{} }},
		{"backup.late", Problem, func(p *patient) { p.backup.Overdue = true }},
		{"backup.refused", Problem, func(p *patient) { p.backup.Refused = "another key" }},
		{"backup.failed", Problem, func(p *patient) { p.backup.Problem = "full" }},
		{"rules.broken", Problem, func(p *patient) { p.rules.Broken = "x" }},
		{"rules.rejected", Warning, func(p *patient) { p.rules.Rejected = "x" }},
		{"rules.failing", Problem, func(p *patient) { p.rules.Failing = "x" }},
		{"strays.found", Warning, func(p *patient) { p.checks = []CheckState{{Name: "s", Uploads: 1}} }},
		{"strays.failed", Warning, func(p *patient) { p.checks = []CheckState{{Name: "s", Failed: "failed"}} }},
		{"strays.unknown", Problem, func(p *patient) { p.checksErr = failed }},
		{"channels.unknown", Problem, func(p *patient) { p.channelsErr = failed }},
		{"channels.stopped", Warning, func(p *patient) { p.channels = []ChannelState{{Name: "c", Stopped: true, Failures: 9}} }},
		{"channels.failing", Warning, func(p *patient) { p.channels = []ChannelState{{Name: "c", Failures: 3}} }},
		{"channels.dead", Warning, func(p *patient) { p.channels = []ChannelState{{Name: "c", Failures: 2, Dead: 1}} }},
		{"traces.unreachable", Warning, func(p *patient) { p.collector = failed }},
		{"address.unreachable", Problem, func(p *patient) { p.look = failed }},
		{"address.other", Problem, func(p *patient) { p.seen.Other = true }},
		{"proxy.body", Problem, func(p *patient) { p.seen.Got = 0 }},
		{"proxy.buffers", Warning, func(p *patient) { p.seen.Buffered = true }},
		{"proxy.headers", Problem, func(p *patient) { p.seen.Lost = []string{"Depth"} }},
		{"proxy.methods", Warning, func(p *patient) { p.seen.Blocked = []string{"LOCK"} }},
		{"proxy.forged", Problem, func(p *patient) { p.seen.Client = Forged }},
		{"proxy.untrusted", Problem, func(p *patient) { p.seen.Scheme = "http" }},
		{"tls.none", Warning, func(p *patient) { p.seen.Secure, p.seen.Scheme = false, "http" }},
		{"tls.ends", Warning, func(p *patient) { p.seen.CertEnds = p.clock.Now().Add(13 * 24 * time.Hour) }},
		{"tls.ends", Problem, func(p *patient) { p.seen.CertEnds = p.clock.Now().Add(time.Hour) }},
		{"tls.invalid", Problem, func(p *patient) { p.look = &tls.CertificateVerificationError{Err: failed} }},
	} {
		p := healthy()
		c.hurt(p)
		r := p.doctor().Look(t.Context())
		var named []Finding
		for _, f := range r.Findings {
			if f.Level != OK {
				named = append(named, f)
			}
		}
		if len(named) != 1 || named[0].ID != c.id || named[0].Level != c.level || r.Level() != c.level {
			t.Errorf("%s: %+v", c.id, named)
		}
	}
}

func TestOnlyWhoMayIsExamined(t *testing.T) {
	d := healthy().doctor()
	d.d.Decider = decider{false}
	if _, err := d.Examine(t.Context(), policy.Principal{Kind: policy.APIKey}); ports.CodeOf(err) != ports.Forbidden {
		t.Error(err)
	}
}

func TestTokensEndAndCannotBeMade(t *testing.T) {
	p := healthy()
	d := p.doctor()
	token := d.Token()
	if !d.Admitted(token) {
		t.Error("a new token is refused")
	}
	for _, other := range []string{"", "x", token[:len(token)-2] + "AA", token + "AA"} {
		if other != token && d.Admitted(other) {
			t.Errorf("%q is admitted", other)
		}
	}
	p.clock.Add(tokenLife)
	if d.Admitted(token) {
		t.Error("an old token is admitted")
	}
}
