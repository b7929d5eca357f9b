package policies

import (
	"context"
	"net/netip"
	"sync"
	"sync/atomic"
	"time"

	"pasteport/ports"
	"pasteport/ports/policy"
)

const (
	logKept   = 14 * 24 * time.Hour
	logNewest = 50_000 // lines that are kept at most
	logQueue  = 100    // lines between two flushes; more are counted and left out
)

// Log gathers the lines of the decision log and stores them now and then. It
// never keeps a decision waiting.
type Log struct {
	repository LogRepository
	random     ports.Random
	clock      ports.Clock
	document   func(policy.Query) ([]byte, error)

	storing sync.Mutex // taken before mu
	mu      sync.Mutex
	records []policy.Record
	refused map[string]Hits
	dropped atomic.Int64
}

var _ policy.Recorder = (*Log)(nil)

// NewLog returns a Log; document writes what rules read of a query as JSON.
func NewLog(repository LogRepository, random ports.Random, clock ports.Clock, document func(policy.Query) ([]byte, error)) *Log {
	return &Log{repository: repository, random: random, clock: clock, document: document, refused: map[string]Hits{}}
}

// Record takes a decision of the engine.
func (l *Log) Record(r policy.Record) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, code := range codesOf(r) {
		one := l.refused[code]
		one.Day++
		one.Last = r.Time
		if len(l.refused) < logQueue || one.Day > 1 {
			l.refused[code] = one
		}
	}
	if len(l.records) >= logQueue {
		l.dropped.Add(1)
		return
	}
	l.records = append(l.records, r)
}

// codesOf are the codes of a record; those of site rules begin with "site:".
func codesOf(r policy.Record) []string {
	codes := make([]string, len(r.Reasons))
	for i, reason := range r.Reasons {
		codes[i] = reason.Code
		if reason.Source != "" {
			codes[i] = reason.Source + ":" + reason.Code
		}
	}
	return codes
}

// line is what is kept of a record.
func (l *Log) line(r policy.Record) Line {
	q := r.Query
	q.Call.ClientIP = part(q.Call.ClientIP)
	line := Line{ID: r.ID, At: r.Time, Revision: r.Revision, Kind: q.Who.Kind, Principal: q.Who.ID, Name: q.Who.Name, Action: q.Do, Allow: r.Allow,
		Codes: codesOf(r), Failed: clip(r.Failed, 1000), RequestID: q.Call.RequestID, ClientIP: q.Call.ClientIP, Took: r.Took}
	if len(q.On.Paths) > 0 {
		line.Path = q.On.Paths[0]
	}
	const most = 100 // paths in a document
	q.On.Paths = q.On.Paths[:min(len(q.On.Paths), most)]
	line.Input, _ = l.document(q) // without one the line still says who and what
	return line
}

// Refused notes a refusal that no rule has made, and returns its id. code says
// why.
func (l *Log) Refused(q policy.Query, code string) (id string) {
	id = l.random.Text(12)
	at := q.Call.Time
	if at.IsZero() {
		at = l.clock.Now()
	}
	l.Record(policy.Record{ID: id, Time: at, Query: q, Reasons: []policy.Reason{{Code: code, Source: "server"}}})
	return id
}

// part is a client's network: what the log keeps of an address.
func part(ip string) string {
	address, err := netip.ParseAddr(ip)
	if err != nil {
		return ""
	}
	address = address.Unmap().WithZone("")
	bits := 24
	if address.Is6() {
		bits = 48
	}
	prefix, err := address.Prefix(bits)
	if err != nil {
		return ""
	}
	return prefix.Addr().String()
}

func clip(s string, n int) string { return s[:min(len(s), n)] }

// Dropped is how many lines were left out since the start.
func (l *Log) Dropped() int64 { return l.dropped.Load() }

// Flush stores what has come together, after what another call is storing. Call it
// twice a second and at the end.
func (l *Log) Flush(ctx context.Context) error {
	l.storing.Lock()
	defer l.storing.Unlock()
	l.mu.Lock()
	records, refused := l.records, l.refused
	l.records, l.refused = nil, map[string]Hits{}
	l.mu.Unlock()
	if len(records) == 0 && len(refused) == 0 {
		return nil
	}
	lines := make([]Line, len(records))
	for i, r := range records {
		lines[i] = l.line(r)
	}
	if err := l.repository.Insert(ctx, lines, refused); err != nil {
		l.dropped.Add(int64(len(lines)))
		return ports.Wrap("store the decision log", err)
	}
	return nil
}

// Sweep removes old lines.
func (l *Log) Sweep(ctx context.Context, now time.Time) (int, error) {
	return l.repository.DeleteOld(ctx, now.Add(-logKept), logNewest)
}

func (l *Log) list(ctx context.Context, f LineFilter) ([]Line, error) {
	if err := l.Flush(ctx); err != nil {
		return nil, err
	}
	lines, err := l.repository.List(ctx, f)
	return lines, ports.Wrap("list decisions", err)
}

func (l *Log) get(ctx context.Context, id string) (*Line, error) {
	if err := l.Flush(ctx); err != nil {
		return nil, err
	}
	line, err := l.repository.Get(ctx, id)
	return line, ports.Wrap("find a decision", err)
}

// hits are the refusals by code.
func (l *Log) hits(ctx context.Context) (map[string]Hits, error) {
	if err := l.Flush(ctx); err != nil {
		return nil, err
	}
	all, err := l.repository.Hits(ctx, l.clock.Now().Add(-24*time.Hour))
	if err != nil {
		return nil, ports.Wrap("count refusals", err)
	}
	by := make(map[string]Hits, len(all))
	for _, h := range all {
		by[h.Code] = h
	}
	return by, nil
}
