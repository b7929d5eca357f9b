package httpapi

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"pasteport/ports"
	"pasteport/ports/policy"

	"pasteport/adapters/httpapi/edgetest"

	"pasteport/adapters/httpapi/listen"

	"github.com/prometheus/client_golang/prometheus"
)

func prefixes(texts ...string) (list []netip.Prefix) {
	for _, text := range texts {
		list = append(list, netip.MustParsePrefix(text))
	}
	return list
}

func TestUncleanTargetsAreRefusedNotRepaired(t *testing.T) {
	f := newFrame(t, nil)
	for _, target := range []string{
		"/api/../x", "/api/paste/../x", "/api/paste/..", "/api/./paste/x", "/api//paste/x", "//api/paste/x", "//evil.example/x",
		"/api/paste/%2e%2e", "/api/paste/%2e%2e/x", "/api/paste/..%2fx", "/api/paste/%2f..", "/api/paste/%2fx", "/api/paste/a%5cb", `/api/paste/a\b`,
		"/api/paste/%00", "/api/paste/a%0d%0ab", "/api/paste/%7f", "/api/paste/%ff", "/api/paste/%c0%ae", "/%2e", "/assets/../api/paste/x",
		"/api/paste/" + strings.Repeat("a", 256), "/" + strings.Repeat("a/", 2100),
	} {
		a := f.Call("GET", target, "")
		if a.Result().StatusCode != 400 || a.Error != "invalid_argument" || a.Header().Get("Location") != "" {
			t.Errorf("%.60s: %d %s", target, a.Result().StatusCode, a.Body)
		}
	}
	for _, target := range []string{"/api/paste/a..b", "/api/paste/...", "/api/paste/%E5%A5%BD", "/api/paste/a%20b", "/api/paste/%25zz", "/api/paste/a%3Fb"} {
		if a := f.Call("GET", target, ""); a.Result().StatusCode != 200 {
			t.Errorf("%s: %d %s", target, a.Result().StatusCode, a.Body)
		}
	}
	if a := f.Call("GET", "/api/paste/x?q="+strings.Repeat("a", maxURL), ""); a.Result().StatusCode != 414 || a.Error != "uri_too_long" {
		t.Errorf("a long address: %d %s", a.Result().StatusCode, a.Body)
	}
}

func TestEachPathIsDecodedOnce(t *testing.T) {
	f := newFrame(t, nil)
	a := f.Call("GET", "/api/paste/%252e%252e", "")
	if a.Result().StatusCode != 200 || !strings.Contains(a.Body.String(), `"%2e%2e"`) {
		t.Errorf("%d %s", a.Result().StatusCode, a.Body)
	}
}

func TestAPanicIs500AndTheServerLives(t *testing.T) {
	f := newFrame(t, nil)
	a := f.Call("POST", "/api/note/s", `{"name":"boom"}`, "Authorization", edgetest.AsAdmin)
	if a.Result().StatusCode != 500 || a.Error != "internal" || a.ID == "" || a.ID != a.Header().Get("X-Request-Id") {
		t.Errorf("%d %s", a.Result().StatusCode, a.Body)
	}
	if strings.Contains(a.Body.String(), "secret") || strings.Contains(a.Body.String(), "goroutine") {
		t.Errorf("the answer tells too much: %s", a.Body)
	}
	if !strings.Contains(f.log.String(), `"msg":"panic"`) || !strings.Contains(f.log.String(), a.ID) {
		t.Errorf("the log does not tell: %s", f.log)
	}
	if a := f.Call("GET", "/api/paste/x", ""); a.Result().StatusCode != 200 {
		t.Errorf("afterwards: %d", a.Result().StatusCode)
	}
}

func TestAnErrorAfterTheHeaderEndsTheConnection(t *testing.T) {
	f := newFrame(t, nil)
	s := httptest.NewServer(f)
	defer s.Close()
	answer, err := http.Get(s.URL + "/api/paste/late")
	if err == nil {
		_, err = io.ReadAll(answer.Body)
		answer.Body.Close()
	}
	if err == nil {
		t.Error("the client took half an answer for a whole one")
	}
}

func TestEveryAnswerHasAnIDOfItsOwn(t *testing.T) {
	f := newFrame(t, nil)
	seen := map[string]bool{}
	for range 50 {
		a := f.Call("GET", "/api/paste/none", "", "X-Request-Id", "clients-own-id-1")
		id := a.Header().Get("X-Request-Id")
		if !regexp.MustCompile(`^[0-9a-f]{16}$`).MatchString(id) || seen[id] || a.ID != id {
			t.Fatalf("id %q, in the body %q", id, a.ID)
		}
		seen[id] = true
	}
	if !strings.Contains(f.log.String(), `"client_request_id":"clients-own-id-1"`) {
		t.Error("the client's id is not in the log")
	}
}

func TestMessagesFollowTheLanguage(t *testing.T) {
	f := newFrame(t, nil)
	for header, want := range map[string]string{
		"": "文本分享不存在", "en": "不存在 (no such text)", "en-US,en;q=0.9,zh;q=0.8": "不存在 (no such text)", "zh-CN,en;q=0.5": "文本分享不存在",
		"fr": "文本分享不存在", "fr,en;q=0.5": "不存在 (no such text)", "en;q=0.3, zh-TW;q=0.7": "文本分享不存在", ";;;": "文本分享不存在",
	} {
		if a := f.Call("GET", "/api/paste/none", "", "Accept-Language", header); a.Message != want {
			t.Errorf("%q: %q", header, a.Message)
		}
	}
}

func TestErrorsTranslateByOneTable(t *testing.T) {
	for _, c := range []struct {
		err    error
		status int
		key    string
	}{
		{&ports.Error{Code: ports.Invalid}, 400, "invalid_argument"},
		{&ports.Error{Code: ports.Unauthenticated}, 401, "unauthenticated"},
		{&ports.Error{Code: ports.Forbidden, Key: "path_forbidden"}, 403, "path_forbidden"},
		{ports.Wrap("find", ports.ErrNotFound), 404, "not_found"},
		{&ports.Error{Code: ports.Conflict, Key: "slug_taken"}, 409, "slug_taken"},
		{&ports.Error{Code: ports.Gone, Key: "used_up"}, 410, "used_up"},
		{&ports.Error{Code: ports.Precondition}, 412, "precondition_failed"},
		{&ports.Error{Code: ports.TooLarge}, 413, "too_large"},
		{&ports.Error{Code: ports.TooLarge, Key: "content_too_large"}, 400, "content_too_large"},
		{&ports.Error{Code: ports.Unsupported}, 415, "unsupported_media"},
		{&ports.Error{Code: ports.Range}, 416, "range_invalid"},
		{&ports.Error{Code: ports.Unprocessable}, 422, "idempotency_reused"},
		{&ports.Error{Code: ports.RateLimited}, 429, "rate_limited"},
		{&ports.Error{Code: ports.NotImplemented}, 501, "not_supported"},
		{&ports.Error{Code: ports.Locked}, 423, "locked"},
		{&ports.Error{Code: ports.BadGateway}, 502, "storage_denied"},
		{ports.ErrUnavailable, 503, "storage_unavailable"},
		{&ports.Error{Code: ports.Quota}, 507, "quota_exceeded"},
		{context.DeadlineExceeded, 503, "overloaded"},
		{io.ErrUnexpectedEOF, 400, "invalid_argument"},
		{io.ErrClosedPipe, 500, "internal"},
	} {
		if f := translate(nil, c.err); f.status != c.status || f.key != c.key {
			t.Errorf("%v: %d %s, want %d %s", c.err, f.status, f.key, c.status, c.key)
		}
	}
	op := &Op{Statuses: map[string]int{"quota_exceeded": 400}}
	if f := translate(op, &ports.Error{Code: ports.Quota}); f.status != 400 {
		t.Errorf("an operation's own status: %d", f.status)
	}
}

func TestRefusalsCarryReasonAndDecision(t *testing.T) {
	f := newFrame(t, nil)
	Handle(f.API, Op{Name: "note.refused", Method: "POST", Path: "/api/refused", Actions: []policy.Action{policy.PasteList}, Body: JSON, Summary: "Refused."},
		func(context.Context, policy.Principal, None) (None, error) {
			return None{}, &ports.Error{Code: ports.Forbidden, Key: "policy_denied", Reason: "office_hours", RetryAfter: 1500 * time.Millisecond,
				Params: map[string]any{"decision_id": "d-1", "messages": map[string]string{"en": "Only <by day>", "zh-CN": "仅限白天"}}}
		})
	a := f.Call("POST", "/api/refused", "{}", "Authorization", edgetest.AsAdmin, "Accept-Language", "en")
	if a.Message != "Only <by day>" || string(a.Data) != `{"reason":"office_hours"}` || a.Header().Get("X-Decision-Id") != "d-1" || a.Header().Get("Retry-After") != "2" {
		t.Errorf("%s %v", a.Body, a.Header())
	}
	if strings.Contains(a.Body.String(), "<by") {
		t.Errorf("markup leaves unescaped: %s", a.Body)
	}
	if a := f.Call("POST", "/api/refused", "{}", "Authorization", edgetest.AsAdmin); a.Message != "仅限白天" {
		t.Errorf("zh: %q", a.Message)
	}
}

func TestTheLogNamesQueriesAndShowsNone(t *testing.T) {
	f := newFrame(t, nil)
	f.Call("GET", "/api/raw/my-slug?password=hunter2&x=y", "", "Authorization", "Bearer nope-token")
	f.Call("GET", "/api/paste/x\" onload=", "")
	lines := strings.Split(strings.TrimSpace(f.log.String()), "\n")
	for _, line := range lines {
		var row map[string]any
		if err := json.Unmarshal([]byte(line), &row); err != nil {
			t.Errorf("not JSON: %s", line)
		}
	}
	var row struct {
		Op, Method, Query, Principal, Code, Client string
		Status, Bytes                              int
	}
	if err := json.Unmarshal([]byte(lines[0]), &row); err != nil {
		t.Fatal(err)
	}
	if row.Op != "paste.raw" || row.Query != "password,x" || row.Status != 401 || row.Principal != "anonymous" || row.Code != "password_wrong" || row.Bytes == 0 || row.Client == "" {
		t.Errorf("line: %s", lines[0])
	}
	for _, secret := range []string{"hunter2", "nope-token", "my-slug"} {
		if strings.Contains(f.log.String(), secret) {
			t.Errorf("the log shows %q", secret)
		}
	}
}

func TestMetricsCountByOperationAndCaller(t *testing.T) {
	registry := prometheus.NewRegistry()
	f := newFrame(t, func(o *Options) { o.Metrics = registry })
	f.Call("GET", "/api/paste/secret-slug", "")
	f.Call("GET", "/api/paste/gone", "", "Authorization", edgetest.AsAdmin)
	f.Call("GET", "/api/unknown/secret-slug", "")
	f.Call("POST", "/api/note/s", `{"name":"boom"}`, "Authorization", edgetest.AsAdmin)
	w := httptest.NewRecorder()
	listen.NewInternal(listen.ProbeOptions{Metrics: registry}).ServeHTTP(w, httptest.NewRequest("GET", "/metrics", nil))
	text := w.Body.String()
	for _, want := range []string{
		`pasteport_http_requests_total{auth="anonymous",class="2xx",op="paste.read"} 1`,
		`pasteport_http_requests_total{auth="admin",class="4xx",op="paste.read"} 1`,
		`pasteport_http_requests_total{auth="anonymous",class="4xx",op="other"} 1`,
		`pasteport_http_requests_total{auth="admin",class="5xx",op="note.create"} 1`,
		`pasteport_http_request_duration_seconds_count{op="paste.read"} 2`,
		`pasteport_http_panics_total 1`, `pasteport_http_requests_in_flight 0`,
	} {
		if !strings.Contains(text, want+"\n") {
			t.Errorf("%s is missing in\n%s", want, text)
		}
	}
	if strings.Contains(text, "secret-slug") {
		t.Error("a label holds a slug")
	}
}

func TestTheLogHidesLinks(t *testing.T) {
	for path, want := range map[string]string{
		"/paste/secret": "/paste/...", "/file/secret": "/file/...", "/paste/secret/x": "/paste/...", "/upload": "/upload", "/": "/",
		"/api/paste/secret/": "/api/paste/...", "/api/nothing": "/api/nothing", "/" + strings.Repeat("x", 300): "/" + strings.Repeat("x", 99),
	} {
		if got := shownPath(path); got != want {
			t.Errorf("%s: %s", path, got)
		}
	}
}

func TestClientAddresses(t *testing.T) {
	f := newFrame(t, func(o *Options) { o.TrustedProxies = prefixes("10.0.0.0/8", "fd00::/8") })
	for _, c := range []struct{ name, peer, forwarded, want, key string }{
		{"direct", "203.0.113.7:9", "", "203.0.113.7", "203.0.113.7"},
		{"a forged header", "203.0.113.7:9", "198.51.100.1", "203.0.113.7", "203.0.113.7"},
		{"behind a proxy", "10.0.0.1:9", "198.51.100.1", "198.51.100.1", "198.51.100.1"},
		{"forged behind a proxy", "10.0.0.1:9", "192.0.2.1, 198.51.100.1", "198.51.100.1", "198.51.100.1"},
		{"two proxies", "10.0.0.1:9", "198.51.100.1, 10.0.0.2", "198.51.100.1", "198.51.100.1"},
		{"proxies only", "10.0.0.1:9", "10.0.0.3", "10.0.0.3", "10.0.0.3"},
		{"nonsense", "10.0.0.1:9", "198.51.100.1, unknown", "10.0.0.1", "10.0.0.1"},
		{"with a port", "10.0.0.1:9", "198.51.100.1:4711", "198.51.100.1", "198.51.100.1"},
		{"no header", "10.0.0.1:9", "", "10.0.0.1", "10.0.0.1"},
		{"IPv6", "[2001:db8:1:2:3:4:5:6]:9", "", "2001:db8:1:2:3:4:5:6", "2001:db8:1:2::"},
		{"IPv4 in IPv6", "[::ffff:203.0.113.7]:9", "", "203.0.113.7", "203.0.113.7"},
		{"IPv6 behind a proxy", "[fd00::1]:9", "[2001:db8::1]", "2001:db8::1", "2001:db8::"},
	} {
		r := edgetest.NewRequest("GET", "/", "")
		r.RemoteAddr = c.peer
		if c.forwarded != "" {
			r.Header.Set("X-Forwarded-For", c.forwarded)
		}
		if got := f.clientOf(r); got.text != c.want || got.key().String() != c.key {
			t.Errorf("%s: %s counted as %s, want %s as %s", c.name, got.text, got.key(), c.want, c.key)
		}
	}
}

func TestTrafficLimitsSayWhenToComeBack(t *testing.T) {
	f := newFrame(t, func(o *Options) { o.Limits = TrafficLimits{AnonymousReads: 3, NewShares: 2} })
	read := func(header ...string) int {
		return f.Call("GET", "/api/paste/x", "", header...).Result().StatusCode
	}
	for i := range 3 {
		if got := read(); got != 200 {
			t.Fatalf("read %d: %d", i, got)
		}
	}
	a := f.Call("GET", "/api/paste/x", "")
	if a.Result().StatusCode != 429 || a.Error != "rate_limited" || a.Header().Get("Retry-After") != "20" {
		t.Errorf("over the limit: %d %s %q", a.Result().StatusCode, a.Body, a.Header().Get("Retry-After"))
	}
	if got := read("Authorization", edgetest.AsAdmin); got != 200 {
		t.Errorf("signed in: %d", got)
	}
	f.clock.Add(21 * time.Second)
	if got := read(); got != 200 {
		t.Errorf("later: %d", got)
	}
	create := func(key string) int {
		return f.Call("POST", "/api/note/s", "{}", "Authorization", key).Result().StatusCode
	}
	for _, want := range []int{200, 200, 429} {
		if got := create("ApiKey key-a"); got != want {
			t.Errorf("a key's new share: %d, want %d", got, want)
		}
	}
	if create("ApiKey key-b") != 200 || create(edgetest.AsAdmin) != 200 {
		t.Error("one key's limit touches others")
	}
}

func TestTrafficLimitsCanBeOff(t *testing.T) {
	f := newFrame(t, func(o *Options) { o.Limits = TrafficLimits{Off: true, AnonymousReads: 1} })
	for range 5 {
		if a := f.Call("GET", "/api/paste/x", ""); a.Result().StatusCode != 200 {
			t.Fatalf("%d", a.Result().StatusCode)
		}
	}
}

func TestRatesOfRulesHoldForEachCaller(t *testing.T) {
	f := newFrame(t, nil)
	f.rules.Limits.RatePerMinute = 2
	create := func(who string) edgetest.Answer {
		return f.Call("POST", "/api/note/s", "{}", "Authorization", who)
	}
	for _, want := range []int{200, 200, 429} {
		if a := create("ApiKey key-a"); a.Result().StatusCode != want || want == 429 && (a.Error != "rate_limited" || a.Header().Get("Retry-After") != "30") {
			t.Errorf("got %d %s %v, want %d", a.Result().StatusCode, a.Body, a.Header(), want)
		}
	}
	if a := create("ApiKey key-b"); a.Result().StatusCode != 200 {
		t.Errorf("another caller: %d", a.Result().StatusCode)
	}
	f.clock.Add(31 * time.Second)
	if a := create("ApiKey key-a"); a.Result().StatusCode != 200 {
		t.Errorf("later: %d", a.Result().StatusCode)
	}
}

func TestBucketTablesStayBounded(t *testing.T) {
	f := newFrame(t, nil)
	table := newBucketTable(1, f.clock)
	for i := range maxBuckets + 10 {
		table.take(subject{addr: netip.AddrFrom4([4]byte{10, byte(i >> 16), byte(i >> 8), byte(i)})})
	}
	if len(table.buckets) > maxBuckets {
		t.Errorf("%d buckets", len(table.buckets))
	}
}

func TestAFullClassAnswers503(t *testing.T) {
	f := newFrame(t, func(o *Options) { o.Concurrency.Heavy = 1 })
	entered, leave := make(chan struct{}), make(chan struct{})
	Handle(f.API, Op{Name: "note.heavy", Method: "POST", Path: "/api/heavy", Actions: []policy.Action{policy.MountSearch}, Class: Heavy, Body: JSON, Summary: "Slow."},
		func(context.Context, policy.Principal, None) (None, error) {
			entered <- struct{}{}
			<-leave
			return None{}, nil
		})
	var first sync.WaitGroup
	first.Go(func() { f.Call("POST", "/api/heavy", "{}", "Authorization", edgetest.AsAdmin) })
	<-entered
	a := f.Call("POST", "/api/heavy", "{}", "Authorization", edgetest.AsAdmin)
	if a.Result().StatusCode != 503 || a.Error != "overloaded" || a.Header().Get("Retry-After") == "" {
		t.Errorf("%d %s", a.Result().StatusCode, a.Body)
	}
	if a := f.Call("GET", "/api/paste/x", ""); a.Result().StatusCode != 200 {
		t.Errorf("another class: %d", a.Result().StatusCode)
	}
	close(leave)
	first.Wait()
}

func TestSecurity4_5_OneCallerHasOnlySomeOfTheHeavyPlaces(t *testing.T) {
	f := newFrame(t, func(o *Options) { o.Limits.HeavyCalls = 2 })
	entered, leave := make(chan struct{}), make(chan struct{})
	Handle(f.API, Op{Name: "note.heavy", Method: "POST", Path: "/api/heavy", Actions: []policy.Action{policy.MountSearch}, Class: Heavy, Body: JSON, Summary: "Slow."},
		func(context.Context, policy.Principal, None) (None, error) {
			entered <- struct{}{}
			<-leave
			return None{}, nil
		})
	heavy := func(who string) edgetest.Answer { return f.Call("POST", "/api/heavy", "{}", "Authorization", who) }
	var running sync.WaitGroup
	for range 2 {
		running.Go(func() { heavy("ApiKey key-a") })
		<-entered
	}
	if a := heavy("ApiKey key-a"); a.Result().StatusCode != 429 || a.Error != "rate_limited" || a.Header().Get("Retry-After") == "" {
		t.Errorf("the third of one caller: %d %s", a.Result().StatusCode, a.Body)
	}
	running.Go(func() { heavy("ApiKey key-b") })
	<-entered // another caller has places of its own
	close(leave)
	running.Wait()
	running.Go(func() { heavy("ApiKey key-a") })
	<-entered
	running.Wait()
	if gates := f.API.limits.heavy.at; len(gates) > 0 {
		t.Errorf("%d gates are kept at which nobody stands", len(gates))
	}
}

func TestIdempotencyKeys(t *testing.T) {
	for _, method := range []string{"POST", "PUT"} { // inside and after the transaction
		t.Run(method, func(t *testing.T) {
			f := newFrame(t, nil)
			send := func(key, body, who string) edgetest.Answer {
				return f.Call(method, "/api/note/s", body, "Authorization", who, "Idempotency-Key", key)
			}
			one := send("k1", `{"name":"a"}`, edgetest.AsAdmin)
			again := send("k1", `{"name":"a"}`, edgetest.AsAdmin)
			if f.calls.Load() != 1 || again.Header().Get("Idempotency-Replayed") != "true" || again.Result().StatusCode != 200 || again.Code != one.Code {
				t.Errorf("the call ran %d times; replay: %s %v", f.calls.Load(), again.Body, again.Header())
			}
			if one.Header().Get("Idempotency-Replayed") != "" {
				t.Error("the first answer says it is a replay")
			}
			if method == "POST" {
				if !strings.Contains(one.Body.String(), "pp_secret") || strings.Contains(again.Body.String(), "pp_secret") || !strings.Contains(again.Body.String(), masked) {
					t.Errorf("secrets: first %s, again %s", one.Body, again.Body)
				}
			}
			if a := send("k1", `{"name":"b"}`, edgetest.AsAdmin); a.Result().StatusCode != 422 || f.calls.Load() != 1 {
				t.Errorf("another body: %d %s", a.Result().StatusCode, a.Body)
			}
			if a := send("k1", `{"name":"b"}`, "ApiKey key-a"); a.Result().StatusCode != 200 || f.calls.Load() != 2 {
				t.Errorf("another caller: %d %s", a.Result().StatusCode, a.Body)
			}
			if a := send("k2", `{"name":"taken"}`, edgetest.AsAdmin); a.Result().StatusCode != 409 {
				t.Errorf("a failure: %d", a.Result().StatusCode)
			}
			if send("k2", `{"name":"taken"}`, edgetest.AsAdmin); f.calls.Load() != 4 {
				t.Errorf("a failed call was not run again: %d calls", f.calls.Load())
			}
			send("k3", `{"name":"boom"}`, edgetest.AsAdmin)
			if a := send("k3", `{"name":"boom"}`, edgetest.AsAdmin); a.Result().StatusCode != 500 {
				t.Errorf("after a panic the key is held: %d %s", a.Result().StatusCode, a.Body)
			}
			if a := send("bad key", `{}`, edgetest.AsAdmin); a.Result().StatusCode != 400 {
				t.Errorf("a bad key: %d", a.Result().StatusCode)
			}
			if a := send(strings.Repeat("k", 256), `{}`, edgetest.AsAdmin); a.Result().StatusCode != 400 {
				t.Errorf("a long key: %d", a.Result().StatusCode)
			}
		})
	}
}

func TestARepeatedCallAsksThePolicyWhatTheFirstDid(t *testing.T) {
	for _, method := range []string{"POST", "PUT"} {
		f := newFrame(t, nil)
		send := func(name string) edgetest.Answer {
			return f.Call(method, "/api/note/s", `{"name":"`+name+`"}`, "Authorization", edgetest.AsAdmin, "Idempotency-Key", name)
		}
		send("a")
		send("b")
		f.rules.Refuse = func(do policy.Action, on policy.Resource) bool { return do == policy.PasteCreate && on.Name != "b" }
		if a := send("a"); a.Result().StatusCode != 403 || a.Error != "permission_denied" || strings.Contains(a.Body.String(), "slug") || a.Header().Get("Idempotency-Replayed") != "" {
			t.Errorf("%s, refused now: %d %s", method, a.Result().StatusCode, a.Body)
		}
		if a := send("b"); a.Result().StatusCode != 200 || a.Header().Get("Idempotency-Replayed") == "" {
			t.Errorf("%s, still allowed: %d %s", method, a.Result().StatusCode, a.Body)
		}
		f.rules.Refuse = nil
		if a := send("a"); a.Result().StatusCode != 200 || f.calls.Load() != 2 {
			t.Errorf("%s, allowed again: %d after %d calls", method, a.Result().StatusCode, f.calls.Load())
		}
	}
}

func TestAnAnswerTooLongToKeepIsStillRepeated(t *testing.T) {
	f := newFrame(t, nil)
	send := func() edgetest.Answer {
		return f.Call("POST", "/api/note/s", `{"name":"`+strings.Repeat("x", ports.IdempotencyMaxBody)+`"}`, "Authorization", edgetest.AsAdmin, "Idempotency-Key", "k")
	}
	send()
	if a := send(); a.Result().StatusCode != 200 || !a.Success || a.Header().Get("Idempotency-Replayed") == "" || f.calls.Load() != 1 {
		t.Errorf("%d %s after %d calls", a.Result().StatusCode, a.Body, f.calls.Load())
	}
	f.rules.Refuse = func(policy.Action, policy.Resource) bool { return true }
	if a := send(); a.Result().StatusCode != 403 {
		t.Errorf("refused now: %d", a.Result().StatusCode)
	}
}

func TestARunningIdempotentCallAnswers409(t *testing.T) {
	f := newFrame(t, nil)
	entered, leave := make(chan struct{}), make(chan struct{})
	Handle(f.API, Op{Name: "note.slow", Method: "POST", Path: "/api/slow", Actions: []policy.Action{policy.PasteCreate}, Body: JSON, Idem: Afterwards, Summary: "Slow."},
		func(context.Context, policy.Principal, None) (None, error) {
			entered <- struct{}{}
			<-leave
			return None{}, nil
		})
	var first sync.WaitGroup
	first.Go(func() {
		f.Call("POST", "/api/slow", "{}", "Authorization", edgetest.AsAdmin, "Idempotency-Key", "k")
	})
	<-entered
	a := f.Call("POST", "/api/slow", "{}", "Authorization", edgetest.AsAdmin, "Idempotency-Key", "k")
	if a.Result().StatusCode != 409 || a.Header().Get("Retry-After") == "" {
		t.Errorf("%d %s %v", a.Result().StatusCode, a.Body, a.Header())
	}
	close(leave)
	first.Wait()
}

func TestAnIdempotentCallIsRunningHoweverLongItTakes(t *testing.T) {
	f := newFrame(t, nil)
	entered, leave := make(chan struct{}), make(chan struct{})
	var calls atomic.Int64
	Handle(f.API, Op{Name: "note.slow", Method: "POST", Path: "/api/slow", Actions: []policy.Action{policy.PasteCreate}, Body: JSON, Idem: Afterwards, Summary: "Slow."},
		func(context.Context, policy.Principal, None) (None, error) {
			if calls.Add(1) == 1 {
				close(entered)
				<-leave
			}
			return None{}, nil
		})
	send := func(body string) edgetest.Answer {
		return f.Call("POST", "/api/slow", body, "Authorization", edgetest.AsAdmin, "Idempotency-Key", "k")
	}
	var first sync.WaitGroup
	first.Go(func() { send("{}") })
	<-entered
	f.clock.Add(2 * ports.IdempotencyLease)
	if a := send("{}"); a.Result().StatusCode != 409 || calls.Load() != 1 {
		t.Errorf("past the lease of its claim: %d %s after %d calls", a.Result().StatusCode, a.Body, calls.Load())
	}
	if a := send(`{"name":"b"}`); a.Result().StatusCode != 422 || calls.Load() != 1 {
		t.Errorf("another body: %d %s after %d calls", a.Result().StatusCode, a.Body, calls.Load())
	}
	close(leave)
	first.Wait()
	if a := send("{}"); a.Header().Get("Idempotency-Replayed") == "" || calls.Load() != 1 {
		t.Errorf("afterwards: %d %s after %d calls", a.Result().StatusCode, a.Body, calls.Load())
	}
}

func TestAWriteWhoseClientHasGoneIsNotRepeated(t *testing.T) {
	f := newFrame(t, nil)
	gone, leave := context.WithCancel(t.Context())
	var calls atomic.Int64
	Handle(f.API, Op{Name: "note.cut", Method: "POST", Path: "/api/cut", Actions: []policy.Action{policy.PasteCreate}, Body: JSON, Idem: Afterwards, Summary: "Cut."},
		func(ctx context.Context, _ policy.Principal, _ None) (None, error) {
			calls.Add(1)
			leave() // it is stored, and its client has gone
			return None{}, nil
		})
	r := httptest.NewRequest("POST", "/api/cut", strings.NewReader("{}"))
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Authorization", edgetest.AsAdmin)
	r.Header.Set("Idempotency-Key", "k")
	func() {
		defer func() { _ = recover() }() // its connection is ended
		f.ServeHTTP(httptest.NewRecorder(), r.WithContext(gone))
	}()
	a := f.Call("POST", "/api/cut", "{}", "Authorization", edgetest.AsAdmin, "Idempotency-Key", "k")
	if a.Header().Get("Idempotency-Replayed") == "" || calls.Load() != 1 {
		t.Errorf("sent again: %d %s, %d calls", a.Result().StatusCode, a.Body, calls.Load())
	}
}

func TestAnAnswerThatNobodyDecidedIsReported(t *testing.T) {
	var found []string
	f := newFrame(t, func(o *Options) {
		o.Undecided = func(op string, _ []policy.Action) { found = append(found, op) }
	})
	f.Call("POST", "/api/note/s", "{}", "Authorization", edgetest.AsAdmin)
	f.Call("POST", "/api/undecided", "{}", "Authorization", edgetest.AsAdmin)
	f.Call("POST", "/api/undecided", "[]", "Authorization", edgetest.AsAdmin) // no success, no report
	if len(found) != 1 || found[0] != "note.undecided" {
		t.Errorf("reported %v", found)
	}
}

func TestUnderABasePath(t *testing.T) {
	f := newFrame(t, func(o *Options) { o.PublicURL = "https://example.com/pp" })
	for target, want := range map[string]int{"/pp/api/paste/x": 200, "/api/paste/x": 404, "/ppp/api/paste/x": 404, "/pp/api/nothing": 404} {
		if a := f.Call("GET", target, ""); a.Result().StatusCode != want {
			t.Errorf("%s: %d, want %d", target, a.Result().StatusCode, want)
		}
	}
	if a := f.Call("PUT", "/ppp", ""); a.Result().StatusCode != 404 {
		t.Errorf("PUT /ppp: %d, want 404", a.Result().StatusCode)
	}
}

func TestHeadersTakeNoLinesFromTheClient(t *testing.T) {
	f := newFrame(t, nil)
	s := httptest.NewServer(f)
	defer s.Close()
	r, _ := http.NewRequest("OPTIONS", s.URL+"/api/x", nil)
	r.Header.Set("Access-Control-Request-Headers", "x-a\t, x-b")
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	answer.Body.Close()
	var raw bytes.Buffer
	_ = answer.Header.Write(&raw)
	if strings.Contains(raw.String(), "\nx-b") {
		t.Errorf("%s", raw.String())
	}
}

// What no cache may keep is read by who asked for it, and pages of other origins
// name theirs.
func TestHeadersAreExposedToWhoMayReadThem(t *testing.T) {
	c := newCORS(nil)
	for _, row := range []struct {
		origin, cache string
		want          bool
	}{{"", "no-store", false}, {"https://other.example", "no-store", true}, {"", "no-cache", true}, {"", "public, max-age=60", true}, {"", "", true}} {
		r, h := httptest.NewRequest("GET", "/api/x", nil), http.Header{}
		c.apply(h, r)
		if row.origin != "" {
			r.Header.Set("Origin", row.origin)
		}
		if row.cache != "" {
			h.Set("Cache-Control", row.cache)
		}
		if c.expose(h, r); (h.Get("Access-Control-Expose-Headers") != "") != row.want {
			t.Errorf("%+v: %v", row, h)
		}
	}
}
