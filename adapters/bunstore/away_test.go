package bunstore_test

import (
	"context"
	"testing"

	"pasteport/adapters/bunstore"
	"pasteport/domain/events"
	"pasteport/ports"
	"pasteport/ports/event"
	"pasteport/ports/policy"
	"pasteport/ports/portstest"
)

func TestAKeyThatIsSwitchedOffIsToldNothing(t *testing.T) {
	onBoth(t, func(t *testing.T, s *bunstore.Store) {
		to := newReceivers()
		off := false
		e := events.New(events.Deps{Channels: s.Channels(), Deliveries: s.Deliveries(), Work: s, Sender: to, Sealer: plainSealer{}, Decider: allowing{}, Random: &portstest.Random{}, Clock: s.Clock,
			Account: func(_ context.Context, who policy.Principal) (policy.Principal, error) {
				if off && who.ID == "anna" {
					return who, ports.ErrNotFound
				}
				return who, nil
			}})
		anna := policy.Principal{Kind: policy.APIKey, ID: "anna"}
		if _, err := e.Own().Create(t.Context(), anna, events.Draft{Name: "a", Type: events.Ntfy, Address: "https://anna.example/a", Kinds: []string{"request.fulfilled"}, Active: true}); err != nil {
			t.Fatal(err)
		}
		create(t, e, "https://site.example/", "request.fulfilled")
		say := func(n int) {
			t.Helper()
			if err := e.Happened(t.Context(), event.Event{Kind: event.RequestFulfilled, Subject: "request:1", Owner: anna.Owner(), Data: n}); err != nil {
				t.Fatal(err)
			}
			round(t, e)
		}
		say(1)
		off = true
		say(2)
		off = false
		say(3)
		wantTexts(t, to.at("https://anna.example/a", "request:1"), "1", "3")
		wantTexts(t, to.at("https://site.example/", "request:1"), "1", "2", "3")
	})
}
