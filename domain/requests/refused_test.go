package requests_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"pasteport/domain/requests"
	"pasteport/ports"
	"pasteport/ports/event"
	"pasteport/ports/policy"
	"pasteport/ports/upload"
)

// owners is an outbox for owners who want to hear of everything, and keeps its marks.
type owners struct {
	told  []event.Event
	marks map[string]time.Time
}

func (o *owners) Wanted(event.Event) bool { return true }

func (o *owners) Happened(_ context.Context, e event.Event) error {
	o.told = append(o.told, e)
	return nil
}

func (o *owners) Told(_ context.Context, id, reason string, now time.Time, again time.Duration) (bool, error) {
	return now.Sub(o.marks[id+reason]).Abs() < again, nil
}

func (o *owners) Mark(ctx context.Context, id, reason string, now time.Time, again time.Duration) (bool, error) {
	told, err := o.Told(ctx, id, reason, now, again)
	if !told {
		o.marks[id+reason] = now
	}
	return !told, err
}

func (o *owners) Sweep(context.Context, time.Time) error { return nil }

func TestTheOwnerIsToldWhyAnUploadWasRefused(t *testing.T) {
	for reason, c := range map[string]struct {
		change func(*requests.Draft)
		fail   error
		wait   time.Duration
		size   int64
	}{
		"size":     {change: func(d *requests.Draft) { d.MaxFileBytes = 3 }, size: 4},
		"full":     {change: func(d *requests.Draft) { d.MaxBytes = 3 }, size: 4},
		"type":     {change: func(d *requests.Draft) { d.Types = []string{"image/*"} }, size: 4},
		"deadline": {wait: 48 * time.Hour, size: 4},
		"capacity": {fail: &ports.Error{Code: ports.Quota, Key: "quota_exceeded"}, size: 4},
		"place":    {fail: &ports.Error{Code: ports.Forbidden, Key: "path_forbidden"}, size: upload.PartSize + 1},
		"":         {fail: ports.ErrUnavailable, size: 4},
	} {
		out := &owners{marks: map[string]time.Time{}}
		f := newFixtureWith(t, func(d *requests.Deps) { d.Outbox, d.Refusals = out, out })
		r, visit := f.make(func(d *requests.Draft) {
			end := f.clock.Now().Add(24 * time.Hour)
			if d.ExpiresAt = &end; c.change != nil {
				c.change(d)
			}
		})
		f.clock.Add(c.wait)
		f.box.fail = c.fail
		send := func() {
			a, err := f.begin(r, visit, "a.txt", c.size)
			if err == nil {
				_, err = f.Store(t.Context(), policy.Nobody, r.Slug, visit, a.ID, requests.Content{Body: strings.NewReader("abcd"), Size: c.size})
			}
			if err == nil {
				t.Errorf("%s: it was taken", reason)
			}
		}
		send()
		send()
		if reason == "" {
			if len(out.told) > 0 {
				t.Errorf("a storage that is away: %+v", out.told)
			}
			continue
		}
		if len(out.told) != 1 {
			t.Errorf("%s: %d events of two refusals in an hour", reason, len(out.told))
			continue
		}
		e := out.told[0]
		data, err := json.Marshal(e.Data)
		if err != nil {
			t.Fatal(err)
		}
		var said struct{ Reason, Name, Title string }
		if err := json.Unmarshal(data, &said); err != nil || said.Reason != reason || said.Name != "a.txt" || said.Title != "files" || e.Kind != event.RequestRefused || e.Owner != "admin" || e.Subject != "request:"+r.ID {
			t.Errorf("%s: %s, %+v, %v", reason, data, e, err)
		}
		f.clock.Add(time.Hour)
		send()
		if len(out.told) != 2 {
			t.Errorf("%s: an hour later %d events", reason, len(out.told))
		}
	}
}

// What a stranger says of who it is goes to the owner as far as the request asks for
// it, and cannot be so long that the event is lost.
func TestTheOwnerHearsOfNoSenderThatTheRequestDoesNotTake(t *testing.T) {
	for _, c := range []struct {
		ask        requests.Ask
		said, want string
	}{
		{requests.Optional, "Ada", "Ada"},
		{requests.Optional, strings.Repeat("a", 100_000), ""},
		{requests.Optional, "Ada\nfrom: the bank", ""},
		{requests.No, "Ada", ""},
	} {
		out := &owners{marks: map[string]time.Time{}}
		f := newFixtureWith(t, func(d *requests.Deps) { d.Outbox, d.Refusals = out, out })
		r, visit := f.make(func(d *requests.Draft) { d.MaxFileBytes, d.Name = 3, c.ask })
		if _, err := f.Begin(t.Context(), policy.Nobody, r.Slug, visit, requests.NewFile{Name: "a.txt", Size: 4, Sender: c.said}); !ports.Is(err, ports.TooLarge) || len(out.told) != 1 {
			t.Fatalf("%v, %d events", err, len(out.told))
		}
		data, err := json.Marshal(out.told[0].Data)
		if err != nil {
			t.Fatal(err)
		}
		var said struct{ Sender string }
		if err := json.Unmarshal(data, &said); err != nil || said.Sender != c.want {
			t.Errorf("%.20q with the name %v: %.20q, %v; want %q", c.said, c.ask, said.Sender, err, c.want)
		}
	}
}
