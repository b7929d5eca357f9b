package doctor

import (
	"context"
	"crypto/hmac"
	"crypto/tls"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"net/netip"
	"strings"
	"time"

	"pasteport/ports"
)

// Bounds of the findings.
const (
	diskFilling = 90 // percent
	diskFull    = 95
	slowSync    = 100 * time.Millisecond
	skewNoticed = time.Minute
	skewRefused = 5 * time.Minute // storages refuse signatures that are 15 off
	certSoon    = 14 * 24 * time.Hour
	certNow     = 3 * 24 * time.Hour
	// channelFails is after how many deliveries in a row that found nobody a channel
	// is told of: about a minute and a half.
	channelFails = 3
)

func (d *Doctor) database(ctx context.Context) []Finding {
	db := d.d.Database
	if err := db.Ping(ctx); err != nil {
		return []Finding{bad(Problem, "database.away", nil, err)}
	}
	if err := db.Newest(ctx); err != nil {
		return []Finding{bad(Problem, "database.schema", nil, err)}
	}
	if err := db.Write(ctx); err != nil {
		return []Finding{bad(Problem, "database.read_only", nil, err)}
	}
	found := []Finding{good("database.fine", nil)}
	if now, err := db.Now(ctx); err == nil && !now.IsZero() {
		found = append(found, d.skew("", now.Sub(d.d.Clock.Now()))...)
	}
	return found
}

// clock compares ours with the last time at which something was erased by it.
func (d *Doctor) clock(ctx context.Context) []Finding {
	state, err := d.d.Sweeps(ctx)
	if err != nil || state.Last.IsZero() {
		return nil // the database's finding tells of the error
	}
	ahead := d.d.Clock.Now().Sub(state.Last)
	switch {
	case -ahead > skewRefused:
		return []Finding{bad(Problem, "clock.behind", map[string]any{"minutes": int64(-ahead / time.Minute)}, nil)}
	case state.Held:
		return []Finding{bad(Warning, "clock.jumped", map[string]any{"hours": int64(ahead / time.Hour)}, nil)}
	}
	return nil
}

// skew tells of a clock that is ahead of ours, or behind it; about is the
// storage's, empty for the database's.
func (d *Doctor) skew(about string, ahead time.Duration) []Finding {
	id, params := "clock.database", map[string]any{"seconds": int64(ahead.Abs() / time.Second)}
	if about != "" {
		id, params["name"] = "clock.storage", about
	}
	var f Finding
	switch ahead = ahead.Abs(); {
	case ahead > skewRefused:
		f = bad(Problem, id, params, nil)
	case ahead > skewNoticed:
		f = bad(Warning, id, params, nil)
	default:
		return nil
	}
	f.About = about
	return []Finding{f}
}

func (d *Doctor) disk(ctx context.Context) (found []Finding) {
	state, err := d.d.Disk(ctx)
	if len(state.Open) > 0 {
		found = append(found, bad(Problem, "disk.readable", map[string]any{"files": strings.Join(state.Open, ", ")}, nil))
	}
	percent := 0
	if state.Total > 0 {
		percent = int(100 * (state.Total - min(state.Free, state.Total)) / state.Total)
	}
	params := map[string]any{"percent": percent, "free": state.Free, "ms": state.Sync.Milliseconds()}
	switch {
	case percent >= diskFull:
		found = append(found, bad(Problem, "disk.full", params, err))
	case err != nil:
		return append(found, bad(Problem, "disk.unwritable", nil, err))
	case percent >= diskFilling:
		found = append(found, bad(Warning, "disk.filling", params, nil))
	}
	if state.Sync > slowSync {
		found = append(found, bad(Warning, "disk.slow", params, nil))
	}
	if len(found) == 0 {
		found = append(found, good("disk.fine", params))
	}
	return found
}

func (d *Doctor) storages(ctx context.Context) (found []Finding) {
	all, err := d.d.Storages(ctx)
	if err != nil {
		return []Finding{bad(Problem, "storage.unknown", nil, err)}
	}
	if len(all) == 0 {
		found = append(found, bad(Warning, "storage.none", nil, nil))
	}
	for _, s := range all {
		f := good("storage.fine", map[string]any{"name": s.Name})
		if s.Failed || s.Partial {
			f = Finding{ID: "storage.partial", Level: Warning, Cause: s.Cause, Remedy: s.Remedy, Params: s.Params, Messages: s.Messages, Detail: s.Detail}
			if s.Failed {
				f.ID, f.Level = "storage.failed", Problem
			}
		}
		f.About = s.Name
		found = append(found, f)
		if s.Timed {
			found = append(found, d.skew(s.Name, s.Skew)...)
		}
	}
	return found
}

func (d *Doctor) backups(ctx context.Context) []Finding {
	state, err := d.d.Backups(ctx)
	found := d.scheduled(state, err)
	if state.Refused != "" {
		f := bad(Problem, "backup.refused", nil, nil)
		f.Detail = state.Refused
		found = append(found, f)
	}
	return found
}

// scheduled looks how scheduled backups do.
func (d *Doctor) scheduled(state BackupState, err error) []Finding {
	params := map[string]any{"hours": int64(d.d.Clock.Now().Sub(state.Good) / time.Hour)}
	switch {
	case err != nil:
		return []Finding{bad(Problem, "backup.unknown", nil, err)}
	case state.Problem != "":
		f := bad(Problem, "backup.failed", nil, nil)
		f.Detail = state.Problem
		return []Finding{f}
	case state.Every == 0:
		return []Finding{bad(Warning, "backup.off", nil, nil)}
	case state.Overdue:
		return []Finding{bad(Problem, "backup.late", params, nil)}
	case state.Good.IsZero():
		return []Finding{bad(Warning, "backup.never", nil, nil)}
	}
	return []Finding{good("backup.fine", params)}
}

// streams looks whether the audit log gets to where it is sent.
func (d *Doctor) streams(context.Context) (found []Finding) {
	if d.d.Streams == nil {
		return nil
	}
	for _, s := range d.d.Streams() {
		params := map[string]any{"name": s.Name, "count": s.Lost}
		switch {
		case s.Problem != "":
			f := bad(Problem, "audit.stuck", params, nil)
			f.About, f.Detail = s.Name, s.Problem
			found = append(found, f)
		case s.Lost > 0:
			f := bad(Warning, "audit.lost", params, nil)
			f.About = s.Name
			found = append(found, f)
		default:
			f := good("audit.sent", params)
			f.About = s.Name
			found = append(found, f)
		}
	}
	return found
}

// checks tells what scheduled checks of storages have found.
func (d *Doctor) checks(ctx context.Context) (found []Finding) {
	if d.d.Checks == nil {
		return nil
	}
	all, err := d.d.Checks(ctx)
	if err != nil {
		return []Finding{bad(Problem, "strays.unknown", nil, err)}
	}
	for _, c := range all {
		params := map[string]any{"name": c.Name, "files": c.Orphans, "shares": c.Missing, "uploads": c.Uploads}
		f := good("strays.none", params)
		switch {
		case c.Failed != "":
			f = bad(Warning, "strays.failed", params, nil)
			f.Detail = c.Failed
		case c.Orphans+c.Missing+c.Uploads > 0:
			f = bad(Warning, "strays.found", params, nil)
		}
		f.About = c.Name
		found = append(found, f)
	}
	return found
}

// channels looks whether notifications arrive.
func (d *Doctor) channels(ctx context.Context) (found []Finding) {
	if d.d.Channels == nil {
		return nil
	}
	all, err := d.d.Channels(ctx)
	if err != nil {
		return []Finding{bad(Problem, "channels.unknown", nil, err)}
	}
	for _, c := range all {
		add := func(id string, count int) {
			f := bad(Warning, id, map[string]any{"name": c.Name, "count": count}, nil)
			f.About = c.Name
			found = append(found, f)
		}
		switch {
		case c.Stopped:
			add("channels.stopped", 0)
		case c.Failures >= channelFails:
			add("channels.failing", c.Failures)
		}
		if c.Dead > 0 {
			add("channels.dead", c.Dead)
		}
	}
	if len(found) == 0 && len(all) > 0 {
		found = append(found, good("channels.fine", map[string]any{"count": len(all)}))
	}
	return found
}

// traces looks whether traces get to where they are sent.
func (d *Doctor) traces(ctx context.Context) []Finding {
	if d.d.Traces == nil {
		return nil
	}
	if err := d.d.Traces(ctx); err != nil {
		return []Finding{bad(Warning, "traces.unreachable", nil, err)}
	}
	return []Finding{good("traces.fine", nil)}
}

func (d *Doctor) rules(ctx context.Context) (found []Finding) {
	state := d.d.Rules(ctx)
	for _, one := range []struct{ id, why string }{{"rules.failing", state.Failing}, {"rules.broken", state.Broken}, {"rules.rejected", state.Rejected}} {
		if one.why == "" {
			continue
		}
		f := bad(Problem, one.id, nil, nil)
		if one.id == "rules.rejected" {
			f.Level = Warning
		}
		f.Detail = one.why
		found = append(found, f)
	}
	if len(found) == 0 {
		found = append(found, good("rules.fine", nil))
	}
	return found
}

func (d *Doctor) outside(ctx context.Context) []Finding {
	if d.d.Address == "" {
		return []Finding{bad(Warning, "address.none", nil, nil)}
	}
	if d.d.Outside == nil {
		return []Finding{bad(Problem, "address.stopped", nil, nil)}
	}
	seen, err := d.d.Outside.Look(ctx, d.d.Address, d.Token())
	params := map[string]any{"address": d.d.Address}
	var cert *tls.CertificateVerificationError
	switch {
	case errors.As(err, &cert):
		return []Finding{bad(Problem, "tls.invalid", params, err)}
	case err != nil:
		return []Finding{bad(Problem, "address.unreachable", params, err)}
	case seen.Other:
		return []Finding{bad(Problem, "address.other", params, nil)}
	}
	found := d.throughProxy(seen)
	found = append(found, d.certificate(seen)...)
	if len(found) == 0 {
		found = append(found, good("address.fine", params))
	}
	return found
}

// throughProxy tells what stands between the server and its public address.
func (d *Doctor) throughProxy(seen Seen) (found []Finding) {
	add := func(level Level, id string, params map[string]any) {
		found = append(found, bad(level, id, params, nil))
	}
	if seen.BodyLimit != 0 || seen.Got < seen.Sent {
		add(Problem, "proxy.body", map[string]any{"sent": seen.Sent, "got": seen.Got, "status": seen.BodyLimit})
	}
	if seen.Buffered {
		add(Warning, "proxy.buffers", nil)
	}
	if len(seen.Lost) > 0 {
		add(Problem, "proxy.headers", map[string]any{"headers": strings.Join(seen.Lost, ", ")})
	}
	if len(seen.Blocked) > 0 {
		add(Warning, "proxy.methods", map[string]any{"methods": strings.Join(seen.Blocked, ", ")})
	}
	if seen.Client == Forged {
		add(Problem, "proxy.forged", nil)
	}
	if seen.Secure && seen.Scheme == "http" {
		add(Problem, "proxy.untrusted", map[string]any{"client": seen.Client})
	}
	return found
}

func (d *Doctor) certificate(seen Seen) []Finding {
	if !seen.Secure {
		if local(d.d.Address) {
			return nil
		}
		return []Finding{bad(Warning, "tls.none", nil, nil)}
	}
	left := seen.CertEnds.Sub(d.d.Clock.Now())
	params := map[string]any{"days": max(int64(left/(24*time.Hour)), 0)}
	switch {
	case left < certNow:
		return []Finding{bad(Problem, "tls.ends", params, nil)}
	case left < certSoon:
		return []Finding{bad(Warning, "tls.ends", params, nil)}
	}
	return nil
}

// local reports whether an address leads to this machine.
func local(address string) bool {
	_, host, _ := strings.Cut(address, "://")
	host, _, _ = strings.Cut(host, "/")
	if ap, err := netip.ParseAddrPort(host); err == nil {
		return ap.Addr().IsLoopback()
	}
	name, _, _ := strings.Cut(host, ":")
	ip, err := netip.ParseAddr(name)
	return name == "localhost" || err == nil && ip.IsLoopback()
}

const (
	tokenPurpose = "doctor token"
	tokenLife    = 2 * time.Minute
)

// Token is what Admitted takes for the next two minutes, at every node and in
// every process that has the master key.
func (d *Doctor) Token() string { return TokenAt(d.d.MAC, d.d.Clock.Now()) }

// TokenAt is a token made at a time.
func TokenAt(mac ports.MAC, now time.Time) string {
	at := binary.BigEndian.AppendUint64(nil, uint64(now.Unix()))
	sum := mac.Sum(tokenPurpose, at)
	return base64.RawURLEncoding.EncodeToString(append(at, sum[:]...))
}

// Admitted reports whether a token is one of Token, and not too old.
func (d *Doctor) Admitted(token string) bool {
	raw, err := base64.RawURLEncoding.DecodeString(token)
	if err != nil || len(raw) != 8+32 {
		return false
	}
	want := d.d.MAC.Sum(tokenPurpose, raw[:8])
	made := time.Unix(int64(binary.BigEndian.Uint64(raw)), 0)
	return hmac.Equal(want[:], raw[8:]) && d.d.Clock.Now().Sub(made).Abs() < tokenLife
}
