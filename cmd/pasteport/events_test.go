package main

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"pasteport/plugins/s3/s3test"
	"pasteport/ports/event"
	"pasteport/ports/portstest"
)

// hook is a receiver of webhooks that checks signatures.
type hook struct {
	*httptest.Server
	mu      sync.Mutex
	secrets [][]byte // of its channels
	got     []hookMessage
	bodies  map[string]map[string]any // the first of each type
	bad     []string
}

type hookMessage struct {
	ID, Type, Subject string
	Data              struct {
		Target, Action, Name string
		Count                int // of a digest
	}
}

func newHook(t *testing.T) *hook {
	h := &hook{bodies: map[string]map[string]any{}}
	h.Server = httptest.NewServer(h)
	t.Cleanup(h.Close)
	return h
}

func (h *hook) ServeHTTP(_ http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	h.mu.Lock()
	defer h.mu.Unlock()
	var m hookMessage
	err := h.verify(body, r.Header)
	if err == nil {
		err = json.Unmarshal(body, &m)
	}
	if err != nil || m.ID != r.Header.Get("webhook-id") {
		h.bad = append(h.bad, fmt.Sprint(err, " ", string(body)))
		return
	}
	h.got = append(h.got, m)
	if h.bodies[m.Type] == nil {
		var all map[string]any
		if err := json.Unmarshal(body, &all); err != nil {
			h.bad = append(h.bad, err.Error())
		}
		h.bodies[m.Type] = all
	}
}

// verify checks that one of the channels has signed a message.
func (h *hook) verify(body []byte, header http.Header) (err error) {
	for _, secret := range h.secrets {
		var check *standardwebhooks.Webhook
		if check, err = standardwebhooks.NewWebhookRaw(secret); err == nil {
			if err = check.Verify(body, header); err == nil {
				return nil
			}
		}
	}
	return err
}

func (h *hook) messages() []hookMessage {
	h.mu.Lock()
	defer h.mu.Unlock()
	return slices.Clone(h.got)
}

// listens makes a channel to the hook.
func (h *hook) listens(t *testing.T, admin client, kinds ...string) string {
	t.Helper()
	return h.listensAt(t, admin, "/api/admin/channels", kinds...)
}

func (h *hook) listensAt(t *testing.T, c client, path string, kinds ...string) string {
	t.Helper()
	return h.channel(t, c, path, map[string]any{"name": "hook " + kinds[0], "kinds": kinds})
}

// channel makes a channel to the hook of a draft without an address.
func (h *hook) channel(t *testing.T, c client, path string, draft map[string]any) string {
	t.Helper()
	draft["address"] = h.URL
	a := c.post(path, draft)
	if a.status != http.StatusCreated && a.status != http.StatusOK {
		t.Fatalf("%d %s", a.status, a.body)
	}
	var made struct{ ID, Secret string }
	a.into(t, &made)
	secret, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(made.Secret, "whsec_"))
	if err != nil || len(secret) != 32 {
		t.Fatalf("secret %q: %v", made.Secret, err)
	}
	h.mu.Lock()
	h.secrets = append(h.secrets, secret)
	h.mu.Unlock()
	if a := c.get(path); a.status != http.StatusOK || strings.Contains(string(a.body), "whsec_") {
		t.Error("the secret is told again")
	}
	return made.ID
}

func (h *hook) allow() string { return "PASTEPORT_FETCH_ALLOW=" + h.Listener.Addr().String() }

func TestAWebhookIsToldOfWhatComesThroughARequestAndOfWhatIsAudited(t *testing.T) {
	h := newHook(t)
	p := start(t, t.TempDir(), h.allow())
	admin := p.admin()
	id := h.listens(t, admin, "request.fulfilled", "audit.mount.*")
	r := admin.request(map[string]any{})
	s := p.comes(r, "")
	if a := s.sends("report.txt", "hello"); a.status != http.StatusOK {
		t.Fatalf("%d %s", a.status, a.body)
	}
	if !portstest.Happens(20*time.Second, func() bool { return len(h.messages()) >= 1 }) {
		t.Fatalf("nothing came; %v", h.bad)
	}
	if m := h.messages()[0]; m.Type != "request.fulfilled" || m.Data.Name != "report.txt" || m.Subject != "request:"+r["id"].(string) {
		t.Errorf("%+v", m)
	}
	a := admin.post("/api/admin/channels/"+id+"/test", map[string]any{})
	if a.status != http.StatusOK || !strings.Contains(string(a.body), `"arrived":true`) {
		t.Errorf("test: %d %s", a.status, a.body)
	}
	if len(h.bad) > 0 {
		t.Errorf("unsigned: %v", h.bad)
	}
}

// TestTheExamplesOfPayloadsAreWhatIsSent has every kind of event happen.
func TestTheExamplesOfPayloadsAreWhatIsSent(t *testing.T) {
	text, err := os.ReadFile("../../docs/notifications.md")
	if err != nil {
		t.Fatal(err)
	}
	examples := map[string]map[string]any{}
	for line := range strings.Lines(string(text)) {
		if !strings.HasPrefix(line, `{"type": `) {
			continue
		}
		var example map[string]any
		if err := json.Unmarshal([]byte(line), &example); err != nil {
			t.Fatalf("%v: %s", err, line)
		}
		examples[example["type"].(string)] = example
	}
	wanted := []string{"audit.mount.create"}
	for _, kind := range event.Kinds {
		if kind != event.ShareExpires { // told by a round of each five minutes
			wanted = append(wanted, string(kind))
		}
	}

	h := newHook(t)
	p := startTroubled(t, h.allow(), "PASTEPORT_TRUSTED_PROXIES=127.0.0.1")
	id := h.listens(t, p.admin, wanted...)
	weekly := h.channel(t, p.admin, "/api/admin/channels", map[string]any{"name": "weekly", "kinds": []string{"share.opened", "request.fulfilled"}, "digest": "weekly"})
	p.admin.post("/api/admin/channels/"+id+"/test", map[string]any{})
	p.admin.post("/api/paste", map[string]any{"content": "b", "slug": "once", "remark": "report", "maxViews": 1})
	p.visitor().get("/api/paste/once")
	if a := p.comes(p.program.admin().request(map[string]any{}), "").sends("report.txt", "hello"); a.status != http.StatusOK {
		t.Fatalf("%d %s", a.status, a.body)
	}
	if a := p.comes(p.program.admin().request(map[string]any{"types": []string{"image/*"}}), "").sends("report.txt", "hello"); a.status == http.StatusOK {
		t.Fatalf("a text was taken where only pictures are: %s", a.body)
	}
	for _, from := range []string{"198.51.100.7", "203.0.113.9"} {
		p.visitor().post("/api/admin/login", map[string]any{"username": "admin", "password": adminPassword}, "X-Forwarded-For", from)
	}
	p.admin.created("/api/admin/mounts", map[string]any{"name": "m", "storage_type": "LOCAL", "storage_config_id": p.admin.anyConfig(), "mount_path": "/m"})
	open := p.admin.configID(map[string]any{"name": "open", "driver": "local", "is_public": true, "options": map[string]any{"directory": "open"}})
	p.admin.put("/api/admin/settings/group/5", map[string]any{"backup_storage": open})
	backUp(t, p.admin)
	p.faults.Fail(always(s3test.Fault{Refusal: &s3test.Refusal{Status: 403, Code: "AccessDenied"}}))
	if _, err := p.download(); err != nil {
		t.Fatal(err)
	}
	p.faults.Fail(nil)
	if _, err := p.download(); err != nil {
		t.Fatal(err)
	}

	// A digest of a week is sent when it is none any more.
	if !portstest.Happens(30*time.Second, func() bool {
		return strings.Contains(string(p.admin.get("/api/admin/channels/"+weekly+"/deliveries").body), `"status":"held"`)
	}) {
		t.Error("nothing is gathered")
	}
	p.admin.put("/api/admin/channels/"+weekly, map[string]any{"digest": ""})
	wanted = append(wanted, "channel.test", "channel.digest")
	sent := func() (all map[string]map[string]any) {
		h.mu.Lock()
		defer h.mu.Unlock()
		return maps.Clone(h.bodies)
	}
	portstest.Happens(30*time.Second, func() bool { return len(sent()) >= len(wanted) })
	for _, kind := range wanted {
		body := sent()[kind]
		if body == nil {
			t.Errorf("%s was not sent; %v", kind, h.bad)
			continue
		}
		if got, want := shapeOf(body), shapeOf(examples[kind]); got != want {
			t.Errorf("%s is\n%s, but the example says\n%s\n%v", kind, got, want, body)
		}
	}
	if len(examples) != len(wanted)+1 {
		t.Errorf("%d examples of %d kinds", len(examples), len(wanted))
	}
}

// shapeOf tells the fields of a value of JSON and of what kind they are.
func shapeOf(value any) string {
	if list, ok := value.([]any); ok && len(list) > 0 {
		return "[" + shapeOf(list[0]) + "]"
	}
	fields, ok := value.(map[string]any)
	if !ok {
		return fmt.Sprintf("%T", value)
	}
	var all []string
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		all = append(all, name+" "+shapeOf(fields[name]))
	}
	return "{" + strings.Join(all, ", ") + "}"
}

// TestKillLoopLosesNoEvent kills the server again and again while things happen
// whose events a webhook is to hear of.
func TestKillLoopLosesNoEvent(t *testing.T) {
	if os.Getenv("PASTEPORT_TEST_LONG") == "" {
		t.Skip("make test-long")
	}
	h, digests, dir := newHook(t), newHook(t), t.TempDir()
	allow := "PASTEPORT_FETCH_ALLOW=127.0.0.1"
	p := start(t, dir, allow)
	h.listens(t, p.admin(), "audit.key.create")
	digest := digests.channel(t, p.admin(), "/api/admin/channels", map[string]any{"name": "digest", "kinds": []string{"audit.key.create"}, "digest": "weekly"})
	done := map[string]bool{} // names of keys that were made, as answers said
	n := 0
	for round := range 15 {
		admin := p.admin()
		for range 10 + round {
			name := fmt.Sprintf("key-%d", n)
			n++
			if a := admin.post("/api/admin/api-keys", map[string]any{"name": name, "permissions": 1}); a.status == http.StatusCreated || a.status == http.StatusOK {
				done[name] = true
			}
		}
		if round%3 == 2 { // what was gathered is sent, and then the next begins
			for _, often := range []string{"", "weekly"} {
				if a := admin.put("/api/admin/channels/"+digest, map[string]any{"digest": often}); a.status != http.StatusOK {
					t.Errorf("%d %s", a.status, a.body)
				}
			}
		}
		p.kill()
		p = start(t, dir, allow)
	}
	p.admin().put("/api/admin/channels/"+digest, map[string]any{"digest": ""})
	if !portstest.Happens(time.Minute, func() bool {
		told := h.told(t)
		return told >= len(done) && digests.told(t) >= told
	}) {
		t.Errorf("events were lost: %d of %d came, digests tell of %d", h.told(t), len(done), digests.told(t))
	}
	if told, gathered := h.told(t), digests.told(t); gathered != told {
		t.Errorf("digests tell of %d events, and %d have happened", gathered, told)
	}
	ids, twice := map[string]string{}, 0
	for _, m := range h.messages() {
		if before, again := ids[m.Data.Target]; again {
			twice++
			if before != m.ID {
				t.Errorf("%s came with two ids", m.Data.Target)
			}
		}
		ids[m.Data.Target] = m.ID
	}
	if len(h.bad)+len(digests.bad) > 0 {
		t.Errorf("unsigned: %v, %v", h.bad, digests.bad)
	}
	t.Logf("%d events, %d came twice", len(done), twice)
}

// told counts the events that came, by themselves or in digests; what came again with
// its id counts once.
func (h *hook) told(t *testing.T) (all int) {
	t.Helper()
	counts := map[string]int{}
	for _, m := range h.messages() {
		n := 1
		if m.Type == string(event.Digest) {
			n = m.Data.Count
		}
		if before, again := counts[m.ID]; again && before != n {
			t.Errorf("%s tells of %d events and then of %d", m.ID, before, n)
		}
		counts[m.ID] = n
	}
	for _, n := range counts {
		all += n
	}
	return all
}

func TestAWebhookIsToldOfSharesThatAreOpenedAndUsedUp(t *testing.T) {
	h := newHook(t)
	p := start(t, t.TempDir(), h.allow())
	admin := p.admin()
	h.listens(t, admin, "share.opened", "share.used_up")
	admin.post("/api/paste", map[string]any{"content": "a", "slug": "any", "remark": "plain"})
	admin.post("/api/paste", map[string]any{"content": "b", "slug": "twice", "remark": "twice", "maxViews": 2})
	visitor := p.visitor()
	for _, slug := range []string{"any", "twice", "twice", "twice"} { // the last finds nothing
		visitor.get("/api/paste/" + slug)
	}
	want := []string{"share.opened plain", "share.opened twice", "share.opened twice", "share.used_up twice"}
	var got []string
	if !portstest.Happens(30*time.Second, func() bool {
		got = nil
		for _, m := range h.messages() {
			got = append(got, m.Type+" "+m.Data.Name)
		}
		slices.Sort(got)
		return len(got) >= len(want)
	}) || !slices.Equal(got, want) {
		t.Errorf("%q, want %q; %v", got, want, h.bad)
	}
}

func TestAKeyIsToldOfTheSharesThatItHasAskedFor(t *testing.T) {
	h, site := newHook(t), newHook(t)
	p := start(t, t.TempDir(), "PASTEPORT_FETCH_ALLOW=127.0.0.1")
	admin := p.admin()
	key, id := admin.key("anna", 1, "/")
	h.listensAt(t, key, "/api/notifications/channels", "share.opened")
	share := func(slug string) string {
		a := key.post("/api/paste", map[string]any{"content": "a", "slug": slug, "remark": slug})
		var made struct{ ID string }
		if err := json.Unmarshal(a.body, &made); err != nil || made.ID == "" {
			t.Fatalf("%d %s", a.status, a.body)
		}
		return made.ID
	}
	asked, other := share("asked"), share("other")
	tell := "/api/notifications/shares/" + asked
	if a := p.visitor().put(tell, map[string]any{"tell": true}); a.status != http.StatusUnauthorized && a.status != http.StatusForbidden {
		t.Errorf("a visitor is told: %d", a.status)
	}
	stranger, _ := admin.key("ben", 1, "/")
	if a := stranger.put(tell, map[string]any{"tell": true}); a.status != http.StatusNotFound {
		t.Errorf("another key is told: %d %s", a.status, a.body)
	}
	if a := key.put(tell, map[string]any{"tell": true}); a.status != http.StatusOK {
		t.Fatalf("%d %s", a.status, a.body)
	}
	if a := key.get("/api/notifications/shares/" + other); !strings.Contains(string(a.body), `"tell":false`) {
		t.Errorf("%d %s", a.status, a.body)
	}
	p.visitor().get("/api/paste/other")
	p.visitor().get("/api/paste/asked")
	if !portstest.Happens(20*time.Second, func() bool { return len(h.messages()) >= 1 }) {
		t.Fatalf("nothing came; %v", h.bad)
	}
	if m := h.messages(); len(m) != 1 || m[0].Data.Name != "asked" {
		t.Errorf("%+v", m)
	}
	if a := admin.get("/api/admin/channels"); !strings.Contains(string(a.body), `"channels":[]`) {
		t.Errorf("the panel lists a key's own channel: %s", a.body)
	}
	if a := admin.delete("/api/admin/api-keys/"+id, nil); a.status != http.StatusOK {
		t.Fatalf("%d %s", a.status, a.body)
	}
	site.listens(t, admin, "share.opened")
	p.visitor().get("/api/paste/asked")
	if !portstest.Happens(20*time.Second, func() bool { return len(site.messages()) >= 1 }) {
		t.Fatalf("nothing came; %v", site.bad)
	}
	if m := h.messages(); len(m) != 1 {
		t.Errorf("a key that is gone is told: %+v", m)
	}
}
