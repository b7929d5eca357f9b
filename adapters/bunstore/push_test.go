package bunstore_test

import (
	"bytes"
	"crypto/ecdh"
	"crypto/rand"
	"encoding/base64"
	"testing"
	"time"

	"pasteport/adapters/bunstore"
	"pasteport/domain/events"
	"pasteport/ports"
	"pasteport/ports/event"
	"pasteport/ports/policy"
	"pasteport/ports/portstest"
)

func TestABrowserSubscribesForOneKeyAndIsForgottenWhenItIsGone(t *testing.T) {
	onBoth(t, func(t *testing.T, s *bunstore.Store) {
		to := newReceivers()
		e := newEvents(s, to, &portstest.Random{})
		anna := policy.Principal{Kind: policy.APIKey, ID: "anna"}
		key, err := e.Own().PushKey(t.Context(), anna)
		if err != nil {
			t.Fatal(err)
		}
		if again, err := newEvents(s, to, &portstest.Random{}).Own().PushKey(t.Context(), anna); err != nil || again != key {
			t.Errorf("another node has the key %s, %v", again, err)
		}

		// Another master key seals it anew; browsers stay subscribed.
		before, err := s.Secrets().Get(t.Context(), "web_push_key")
		if err != nil || !bytes.HasPrefix(before, []byte("web_push_key\x00")) {
			t.Errorf("%q, %v", before, err)
		}
		if _, err := events.Reseal(t.Context(), s.Channels(), s.Secrets(), plainSealer{}, func([]byte) bool { return true }); err != nil {
			t.Fatal(err)
		}
		if again, err := e.Own().PushKey(t.Context(), anna); err != nil || again != key {
			t.Errorf("sealed anew it is %s, %v", again, err)
		}

		private, err := ecdh.P256().GenerateKey(rand.Reader)
		if err != nil {
			t.Fatal(err)
		}
		in64 := base64.RawURLEncoding.EncodeToString
		public, auth := in64(private.PublicKey().Bytes()), in64(make([]byte, 16))
		draft := func(address, secret string) events.Draft {
			return events.Draft{Name: "browser", Type: events.Push, Address: address, Secret: secret, Kinds: []string{string(event.RequestFulfilled)}, Active: true, Options: events.Options{Language: "zh"}}
		}
		for name, bad := range map[string]events.Draft{
			"no secret":            draft("https://push.example/1", ""),
			"half of it":           draft("https://push.example/1", public),
			"a short key":          draft("https://push.example/1", in64([]byte("short"))+"."+auth),
			"no point":             draft("https://push.example/1", in64(append([]byte{4}, make([]byte, 64)...))+"."+auth),
			"a long secret":        draft("https://push.example/1", public+"."+in64(make([]byte, 17))),
			"without encryption":   draft("http://push.example/1", public+"."+auth),
			"what has no host":     draft("https:///1", public+"."+auth),
			"what is no base64url": draft("https://push.example/1", "!."+auth),
		} {
			if _, err := e.Own().Create(t.Context(), anna, bad); ports.CodeOf(err) != ports.Invalid {
				t.Errorf("%s: %v", name, err)
			}
		}
		made, err := e.Own().Create(t.Context(), anna, draft("https://push.example/1", public+"."+auth))
		if err != nil || made.Secret != "" {
			t.Fatalf("%+v, %v", made, err)
		}
		var got []events.Target
		to.answer = func(to events.Target, m events.Message) events.Outcome {
			got = append(got, to)
			return events.Outcome{Status: 410, Problem: "gone", Gone: true}
		}
		if err := e.Happened(t.Context(), event.Event{Kind: event.RequestFulfilled, Subject: "request:1", Owner: anna.Owner(), Data: 1}); err != nil {
			t.Fatal(err)
		}
		clockOf(s).Add(time.Minute)
		round(t, e)
		if len(got) != 1 || in64(got[0].SiteKey.PublicKey().Bytes()) != key {
			t.Fatalf("%+v", got)
		}
		if b, ok := got[0].Browser(); !ok || in64(b.Key) != public || in64(b.Secret) != auth {
			t.Errorf("%+v", b)
		}
		if list, err := e.Own().List(t.Context(), anna); err != nil || len(list) > 0 || e.Wanted(event.Event{Kind: event.RequestFulfilled, Owner: anna.Owner()}) {
			t.Errorf("the browser that is gone is still there: %+v, %v", list, err)
		}
	})
}
