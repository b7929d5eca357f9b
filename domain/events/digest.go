package events

import (
	"cmp"
	"encoding/json"
	"slices"
	"time"

	"pasteport/ports/event"
)

// Period says how often a channel is told.
type Period string

// The periods.
const (
	AtOnce Period = ""       // of each event by itself
	Hourly Period = "hourly" // on the hour
	Daily  Period = "daily"  // at 8:00 UTC
	Weekly Period = "weekly" // on Mondays at 8:00 UTC
)

// Periods are all of them.
var Periods = []Period{AtOnce, Hourly, Daily, Weekly}

// digestHour is the hour of UTC when digests of days and weeks are sent.
const digestHour = 8

// next is when the digest is sent that an event of now belongs to; now when each is
// told by itself.
func (p Period) next(now time.Time) time.Time {
	now = now.UTC()
	switch p {
	case Hourly:
		return now.Truncate(time.Hour).Add(time.Hour)
	case Daily, Weekly:
		at := time.Date(now.Year(), now.Month(), now.Day(), digestHour, 0, 0, 0, time.UTC)
		for !at.After(now) || p == Weekly && at.Weekday() != time.Monday {
			at = at.AddDate(0, 0, 1)
		}
		return at
	}
	return now
}

// Digest is what one message tells of many events: the data of event.Digest.
type Digest struct {
	Since time.Time `json:"since"` // when the first of them happened
	Count int       `json:"count"`
	Kinds []Counted `json:"kinds"` // as they came
}

// Counted are the events of one kind in a digest.
type Counted struct {
	Kind  event.Kind `json:"kind"`
	Count int        `json:"count"`
	// Subjects are what they happened to; those that a digest has no room for are
	// counted in Count alone.
	Subjects []Subject `json:"subjects"`
}

// Subject is what events of one kind have happened to.
type Subject struct {
	Subject string `json:"subject"`
	Name    string `json:"name"` // may be empty
	Count   int    `json:"count"`
}

// Bounds of a digest, so that it is as large after 100,000 events as after 100.
const (
	maxSubjects = 50  // that a digest names
	maxNamed    = 100 // characters of a name
)

// Add counts an event.
func (d *Digest) Add(e *Noted) {
	if d.Count == 0 {
		d.Since = e.At.UTC()
	}
	d.Count++
	at := slices.IndexFunc(d.Kinds, func(k Counted) bool { return k.Kind == e.Kind })
	if at < 0 {
		at = len(d.Kinds)
		d.Kinds = append(d.Kinds, Counted{Kind: e.Kind, Subjects: []Subject{}})
	}
	kind := &d.Kinds[at]
	kind.Count++
	name := nameIn(e.Data)
	if i := slices.IndexFunc(kind.Subjects, func(s Subject) bool { return s.Subject == e.Subject && s.Name == name }); i >= 0 {
		kind.Subjects[i].Count++
		return
	}
	named := 0
	for i := range d.Kinds {
		named += len(d.Kinds[i].Subjects)
	}
	if named < maxSubjects {
		kind.Subjects = append(kind.Subjects, Subject{e.Subject, name, 1})
	}
}

// nameIn is what the data of an event call that which it happened to; empty where they
// do not name it.
func nameIn(data []byte) string {
	var named struct {
		Name     string `json:"name"`
		Title    string `json:"title"`
		Target   string `json:"target"`
		ClientIP string `json:"client_ip"`
	}
	// What is no object, or has no texts there, names nothing.
	_ = json.Unmarshal(data, &named)
	name := []rune(cmp.Or(named.Name, named.Title, named.Target, named.ClientIP))
	return string(name[:min(len(name), maxNamed)])
}
