package events

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"pasteport/ports/event"
)

func TestADigestIsSentOnTheHourTheDayOrTheWeekOfUTC(t *testing.T) {
	for _, c := range []struct {
		period    Period
		now, want string
	}{
		{Hourly, "2026-11-24T16:05:26Z", "2026-11-24T17:00:00Z"},
		{Hourly, "2026-11-24T16:00:00Z", "2026-11-24T17:00:00Z"},
		{Hourly, "2026-12-31T23:59:59.999Z", "2027-01-01T00:00:00Z"},
		{Daily, "2026-11-24T07:59:59Z", "2026-11-24T08:00:00Z"},
		{Daily, "2026-11-24T08:00:00Z", "2026-11-25T08:00:00Z"},
		{Daily, "2026-03-29T03:00:00+02:00", "2026-03-29T08:00:00Z"}, // a day that is shorter somewhere
		{Weekly, "2026-11-23T07:00:00Z", "2026-11-23T08:00:00Z"},     // a Monday
		{Weekly, "2026-11-23T08:00:00Z", "2026-11-30T08:00:00Z"},
		{Weekly, "2026-12-29T12:00:00Z", "2027-01-04T08:00:00Z"},
		{AtOnce, "2026-11-24T16:05:26Z", "2026-11-24T16:05:26Z"},
	} {
		now, err := time.Parse(time.RFC3339Nano, c.now)
		if err != nil {
			t.Fatal(err)
		}
		if got := c.period.next(now).Format(time.RFC3339Nano); got != c.want {
			t.Errorf("%q after %s: %s, want %s", c.period, c.now, got, c.want)
		}
	}
}

func TestADigestOfVeryManyEventsStaysSmallAndCountsThemAll(t *testing.T) {
	var d Digest
	const all = 100_000
	for n := range all {
		name, err := json.Marshal(map[string]string{"name": strings.Repeat("长", 300) + fmt.Sprint(n)})
		if err != nil {
			t.Fatal(err)
		}
		d.Add(&Noted{Kind: event.OwnKinds[n%len(event.OwnKinds)], Subject: fmt.Sprint("share:", n), Data: name})
	}
	text, err := json.Marshal(d)
	if err != nil || len(text) > maxData {
		t.Errorf("%d bytes, %v", len(text), err)
	}
	sum := 0
	for _, k := range d.Kinds {
		sum += k.Count
	}
	if d.Count != all || sum != all {
		t.Errorf("%d and %d of %d events are counted", d.Count, sum, all)
	}
}
