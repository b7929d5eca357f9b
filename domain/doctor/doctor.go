// Package doctor looks for what is wrong with an installation and says what
// helps: a list of findings, each with its cause and its remedy. It knows the
// rules; what is measured comes through ports.
package doctor

import (
	"context"
	"sync"
	"time"

	"pasteport/ports"
	"pasteport/ports/policy"
)

// Level is how bad a finding is.
type Level string

// The levels.
const (
	OK      Level = "ok"
	Warning Level = "warning"
	Problem Level = "problem"
)

// Finding is one thing that was looked at.
type Finding struct {
	ID    string // of what was found, such as disk.full
	About string // name of the storage it is about; empty for the server itself
	Level Level
	// Cause and Remedy name messages of the edge's catalogue; Params fill them. A
	// good finding has no remedy.
	Cause, Remedy string
	Params        map[string]any
	// Messages are a driver's own words in place of Cause, by language tag.
	Messages map[string]string
	Detail   string // what a program said, untranslated
}

// Report is all that was found.
type Report struct {
	At       time.Time
	Took     time.Duration
	Version  string
	Findings []Finding
}

// Level is that of the worst finding.
func (r Report) Level() Level {
	worst := OK
	for _, f := range r.Findings {
		if f.Level == Problem {
			return Problem
		}
		if f.Level == Warning {
			worst = Warning
		}
	}
	return worst
}

// Database is the database of the records.
type Database interface {
	// Ping returns an error when it does not answer.
	Ping(ctx context.Context) error
	// Newest returns an error when its tables are not those of this version.
	Newest(ctx context.Context) error
	// Write stores something small.
	Write(ctx context.Context) error
	// Now is its time, zero where it has no clock of its own.
	Now(ctx context.Context) (time.Time, error)
}

// DiskState is how the disk of the data folder is.
type DiskState struct {
	Total, Free int64         // bytes
	Sync        time.Duration // of a small file, the median of several
	Open        []string      // files that others of the machine may read
}

// Disk looks at the data folder. Errors are those of writing there.
type Disk func(ctx context.Context) (DiskState, error)

// SweepState is what the times of sweeps say of the server's clock.
type SweepState struct {
	Last time.Time // zero before the first sweep
	Held bool      // nothing is erased, as the clock may have jumped
}

// StorageState is how a storage config does in its test.
type StorageState struct {
	Name    string
	Failed  bool // it cannot be used
	Partial bool // part of it
	// Cause and the rest are as those of Finding, for the first step that failed.
	Cause, Remedy string
	Params        map[string]any
	Messages      map[string]string
	Detail        string
	// Skew is how far its clock is ahead of ours; Timed says that it is known.
	Skew  time.Duration
	Timed bool
}

// BackupState is how scheduled backups do.
type BackupState struct {
	Every   time.Duration // 0: there are none
	Good    time.Time     // when the last good one began; zero before the first
	Problem string        // of the last, empty for a good one
	Overdue bool
	// Refused is why a backup was not restored when the server started; empty when none
	// was to be.
	Refused string
}

// CheckState is what the latest scheduled check of a storage has told.
type CheckState struct {
	Name   string // of the storage
	Failed string // why it did not come to its end; empty when it did
	// What the records of shares and the storage do not agree on.
	Orphans, Missing, Uploads int64
}

// ChannelState is how a channel for notifications does.
type ChannelState struct {
	Name     string
	Stopped  bool // switched off, as its receiver wants nothing any more
	Failures int  // deliveries in a row that found nobody
	Dead     int  // messages that were given up
}

// StreamState is how the audit log gets to a place elsewhere.
type StreamState struct {
	Name    string
	Problem string // why nothing gets there; empty when it does
	Lost    int64  // entries that never will
}

// RuleState is how the rules of the site do.
type RuleState struct {
	Broken   string // why the stored ones cannot be loaded
	Rejected string // why the newest were taken back
	Failing  string // why no decision can be made
}

// Seen is what a request through the public address showed.
type Seen struct {
	Secure    bool      // by TLS
	CertEnds  time.Time // of the certificate; zero without
	Other     bool      // somebody else answered
	BodyLimit int       // status of an answer that refused the large body; 0: it arrived
	Sent, Got int64     // bytes of that body
	Buffered  bool      // the body came all at once, though it was sent with a pause
	Lost      []string  // headers that did not arrive
	// Scheme is by which the server was asked, in its own eyes.
	Scheme string
	// Client is who the server takes the request to come from.
	Client  string
	Blocked []string // WebDAV methods that never arrived
}

// Outside sends requests to the server through its public address.
type Outside interface {
	// Look tries the address with a token for Doctor.Echo. Errors are those of a
	// server that cannot be reached.
	Look(ctx context.Context, address, token string) (Seen, error)
}

// Forged is the client address that Outside claims in a forwarding header, out of
// those for documentation (RFC 5737). A server that believes it believes everybody.
const Forged = "203.0.113.77"

// What an examination asks the server for through its public address.
const (
	EchoPath    = "/api/doctor/echo" // below the base path
	TokenHeader = "X-Doctor-Token"
)

// Headers are those that the product needs and proxies may lose.
var Headers = []string{"Depth", "Destination", "Idempotency-Key", "If-None-Match", "Lock-Token", "Overwrite"}

// Deps are what a Doctor needs.
type Deps struct {
	Decider  policy.Decider
	Clock    ports.Clock
	MAC      ports.MAC
	Version  string
	Address  string // of the public server; empty when none is configured
	Database Database
	Disk     Disk
	Sweeps   func(ctx context.Context) (SweepState, error)
	Storages func(ctx context.Context) ([]StorageState, error)
	Backups  func(ctx context.Context) (BackupState, error)
	Rules    func(ctx context.Context) RuleState
	// Streams tells of the places that get the audit log; nil: there are none.
	Streams func() []StreamState
	// Checks tells of scheduled checks of storages; nil: there are none.
	Checks func(ctx context.Context) ([]CheckState, error)
	// Channels tells of the site's channels for notifications; nil: there are none.
	Channels func(ctx context.Context) ([]ChannelState, error)
	// Traces returns an error when the collector of traces does not answer; nil:
	// there is none.
	Traces  func(ctx context.Context) error
	Outside Outside // nil while the server does not run
}

// Doctor examines an installation. It is safe for concurrent use; examinations
// run one after the other.
type Doctor struct {
	d       Deps
	running sync.Mutex
}

// New returns a Doctor.
func New(d Deps) *Doctor { return &Doctor{d: d} }

// longest is how long an examination may take.
const longest = 60 * time.Second

// Examine looks at everything. Asks admin.doctor.read.
func (d *Doctor) Examine(ctx context.Context, who policy.Principal) (Report, error) {
	if _, err := policy.Check(ctx, d.d.Decider, who, policy.DoctorRead, policy.Resource{Kind: policy.KindSystem}); err != nil {
		return Report{}, err
	}
	return d.Look(ctx), nil
}

// Look is Examine for those who have shown otherwise that they may.
func (d *Doctor) Look(ctx context.Context) Report {
	d.running.Lock()
	defer d.running.Unlock()
	ctx, cancel := context.WithTimeout(ctx, longest)
	defer cancel()
	began := d.d.Clock.Now()
	checks := []func(context.Context) []Finding{d.database, d.clock, d.disk, d.storages, d.backups, d.rules, d.checks, d.streams, d.channels, d.traces, d.outside}
	found := make([][]Finding, len(checks))
	var all sync.WaitGroup
	for i, check := range checks {
		all.Go(func() { found[i] = check(ctx) })
	}
	all.Wait()
	r := Report{At: began, Took: d.d.Clock.Now().Sub(began), Version: d.d.Version}
	for _, f := range found {
		r.Findings = append(r.Findings, f...)
	}
	return r
}

func good(id string, params map[string]any) Finding {
	return Finding{ID: id, Level: OK, Cause: "doctor." + id, Params: params}
}

func bad(level Level, id string, params map[string]any, why error) Finding {
	f := Finding{ID: id, Level: level, Cause: "doctor." + id, Remedy: "doctor." + id + ".remedy", Params: params}
	if why != nil {
		f.Detail = why.Error()
	}
	return f
}
