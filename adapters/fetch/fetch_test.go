package fetch

import (
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"pasteport/ports"
	"pasteport/ports/outbound"
)

// canary is a listener on every address of this machine that must see no
// connection.
type canary struct {
	seen atomic.Int64
	port uint16
}

func newCanary(t testing.TB, address string) *canary {
	t.Helper()
	l, err := net.Listen("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	c := &canary{port: l.Addr().(*net.TCPAddr).AddrPort().Port()}
	var done sync.WaitGroup
	done.Go(func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			c.seen.Add(1)
			conn.Close()
		}
	})
	t.Cleanup(func() {
		l.Close()
		done.Wait()
	})
	return c
}

// names is a name server with one answer for every name it does not know, and
// for those it knows one list of addresses after the other, the last for ever.
type names struct {
	mu      sync.Mutex
	answers map[string][][]string
	other   string
	asked   map[string]int
}

// resolver gives a resolver that asks only this server.
func (n *names) resolver(t testing.TB) *net.Resolver {
	t.Helper()
	socket, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var done sync.WaitGroup
	done.Go(func() {
		buf := make([]byte, 1500)
		for {
			size, from, err := socket.ReadFrom(buf)
			if err != nil {
				return
			}
			if answer := n.answer(buf[:size]); answer != nil {
				_, _ = socket.WriteTo(answer, from)
			}
		}
	})
	t.Cleanup(func() {
		socket.Close()
		done.Wait()
	})
	return &net.Resolver{PreferGo: true, Dial: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return (&net.Dialer{}).DialContext(ctx, "udp", socket.LocalAddr().String())
	}}
}

// answer answers one question of RFC 1035; addresses of the other family than
// the one asked for are left out.
func (n *names) answer(query []byte) []byte {
	if len(query) < 12 {
		return nil
	}
	var labels []string
	i := 12
	for i < len(query) && query[i] != 0 {
		size := int(query[i])
		labels = append(labels, string(query[i+1:i+1+size]))
		i += size + 1
	}
	question := query[12 : i+5]
	wantsV6 := query[i+2] == 28
	var records []byte
	count := 0
	for _, text := range n.next(strings.ToLower(strings.Join(labels, ".")), wantsV6) {
		addr := netip.MustParseAddr(text)
		if addr.Is6() != wantsV6 {
			continue
		}
		raw := addr.AsSlice()
		records = append(records, 0xc0, 12, 0, query[i+2], 0, 1, 0, 0, 0, 0, 0, byte(len(raw)))
		records = append(records, raw...)
		count++
	}
	head := []byte{query[0], query[1], 0x81, 0x80, 0, 1, 0, byte(count), 0, 0, 0, 0}
	return append(append(head, question...), records...)
}

func (n *names) next(name string, v6 bool) []string {
	n.mu.Lock()
	defer n.mu.Unlock()
	lists, known := n.answers[name]
	if !known {
		return []string{n.other}
	}
	turn := n.asked[name]
	if !v6 {
		n.asked[name]++
	}
	return lists[min(turn, len(lists)-1)]
}

// strict is a client for which the ports named are usual ones and the entries
// are allowed.
func strict(t testing.TB, n *names, usualPort uint16, allow ...string) *Client {
	t.Helper()
	list, err := parseAllow(allow)
	if err != nil {
		t.Fatal(err)
	}
	if n == nil {
		n = &names{other: "127.0.0.1"}
	}
	n.mu.Lock()
	n.asked = map[string]int{}
	n.mu.Unlock()
	return newClient(&guard{allow: list, ports: map[uint16]bool{usualPort: true}, resolver: n.resolver(t)}, usual)
}

// refused checks that neither call reaches address, with the uniform error.
func refused(t *testing.T, c *Client, address string) {
	t.Helper()
	_, err := c.Look(t.Context(), address)
	if !errors.Is(err, errUnreachable) && !errors.Is(err, errAddress) {
		t.Errorf("Look(%q): %v", address, err)
	}
	body, err := c.Open(t.Context(), address)
	if !errors.Is(err, errUnreachable) && !errors.Is(err, errAddress) {
		t.Errorf("Open(%q): %v", address, err)
	}
	if body != nil {
		body.Close()
	}
}

// hosts are spellings of places that may not be reached. The name server of
// these tests knows every name as loopback, as the C library does for numbers.
var hosts = []string{
	"localhost", "LOCALHOST", "localhost.", "127.0.0.1", "127.0.0.1.", "127.0.0.2", "127.255.255.254", "127.1", "127.0.1", "0", "0.0.0.0", "0.0.0.1",
	"2130706433", "0x7f000001", "0x7f.1", "0x7f.0x0.0x0.0x1", "0177.0.0.1", "017700000001", "0177.1", "00000177.0.0.1", "127.0.0.01",
	"１２７.０.０.１", "127。0。0。1", "①②⑦.⓪.⓪.①", "127%2e0%2e0%2e1", "ｌｏｃａｌｈｏｓｔ",
	"[::1]", "[0:0:0:0:0:0:0:1]", "[0000::0001]", "[::]", "[::ffff:127.0.0.1]", "[::ffff:7f00:1]", "[0:0:0:0:0:ffff:127.0.0.1]", "[::127.0.0.1]",
	"[::7f00:1]", "[64:ff9b::127.0.0.1]", "[64:ff9b::7f00:1]", "[64:ff9b:1::7f00:1]", "[2002:7f00:1::]", "[2001:0:7f00:1::]", "[::ffff:0:127.0.0.1]",
	"[::1%25lo]", "[fe80::1%25lo]", "[fe80::1]", "[fec0::1]", "[fc00::1]", "[fd00:ec2::254]", "[ff02::1]", "[2001:db8::1]", "[100::1]", "[3fff::1]", "[5f00::1]",
	"10.0.0.1", "100.64.0.1", "100.100.100.200", "169.254.169.254", "169.254.170.2", "172.16.0.1", "172.31.255.255", "192.168.0.1", "192.0.0.192", "192.0.2.1",
	"192.88.99.1", "198.18.0.1", "198.19.255.255", "198.51.100.1", "203.0.113.1", "224.0.0.1", "240.0.0.1", "255.255.255.255", "168.63.129.16",
	"[::ffff:10.0.0.1]", "[::ffff:169.254.169.254]", "[64:ff9b::a9fe:a9fe]", "[2002:a00:1::]",
	"loopback.example", "127.0.0.1.nip.example", "metadata.google.internal",
}

func TestPlacesThatMayNotBeReachedSeeNoConnection(t *testing.T) {
	trap := newCanary(t, ":0")
	c := strict(t, nil, trap.port)
	if len(hosts) < 60 {
		t.Fatalf("only %d spellings", len(hosts))
	}
	for _, host := range hosts {
		refused(t, c, fmt.Sprintf("http://%s:%d/x", host, trap.port))
	}
	if n := trap.seen.Load(); n != 0 {
		t.Errorf("the canary saw %d connections", n)
	}
}

func TestOnlyTheUsualPortsAreReached(t *testing.T) {
	for port := range usualPorts {
		if port != 80 && port != 443 && port != 8080 && port != 8443 {
			t.Errorf("port %d is usual", port)
		}
	}
	g := &guard{ports: usualPorts}
	for dialled, want := range map[string]bool{
		"93.184.216.34:80": true, "93.184.216.34:443": true, "93.184.216.34:8080": true, "93.184.216.34:8443": true, "[2606:2800:220:1::1]:443": true,
		"93.184.216.34:22": false, "93.184.216.34:25": false, "93.184.216.34:6379": false, "93.184.216.34:0": false, "[2606:2800:220:1::1]:5432": false,
		"127.0.0.1:80": false, "nonsense": false, "": false,
	} {
		if got := g.check("example.com", dialled) == nil; got != want {
			t.Errorf("check(%q) = %t", dialled, got)
		}
	}
}

func TestPublicKnowsTheOpenInternet(t *testing.T) {
	for _, text := range []string{"1.1.1.1", "8.8.8.8", "93.184.216.34", "9.255.255.255", "11.0.0.0", "100.63.255.255", "100.128.0.0", "126.255.255.255",
		"128.0.0.0", "172.15.255.255", "172.32.0.0", "192.0.1.0", "198.17.255.255", "198.20.0.0", "223.255.255.255", "2606:4700::1111", "2a00:1450::1",
		"::ffff:8.8.8.8", "64:ff9b::808:808", "2001:4860:4860::8888", "2003::1"} {
		if !outbound.Public(netip.MustParseAddr(text)) {
			t.Errorf("%s is refused", text)
		}
	}
	if outbound.Public(netip.Addr{}) {
		t.Error("no address is public")
	}
}

func TestAddressesThatAreNotOfTheWebAreRefusedByTheirForm(t *testing.T) {
	trap := newCanary(t, ":0")
	c := strict(t, nil, trap.port, "127.0.0.1")
	at := fmt.Sprintf("127.0.0.1:%d", trap.port)
	for _, address := range []string{"", "x", "/etc/passwd", "file:///etc/passwd", "ftp://" + at + "/", "gopher://" + at + "/_x", "ws://" + at, "javascript:alert(1)",
		"data:text/plain,x", "http:" + at, "http:/" + at, "http://", "http:///x", "http://:80/", "http://user@" + at + "/", "http://user:pw@" + at + "/", "http://@" + at + "/",
		"http://" + at + "/\r\nX: y", "http://exa mple/", "http://[::1/", "http://127.0.0.1:99999/", "http://127.0.0.1:x/", "HTTP//" + at,
		"http://" + at + "/" + strings.Repeat("x", maxAddress)} {
		refused(t, c, address)
	}
	if n := trap.seen.Load(); n != 0 {
		t.Errorf("the canary saw %d connections", n)
	}
}

// origin is a site that the operator allows, so that tests have a place to
// start from.
func origin(t testing.TB, h http.HandlerFunc) (*httptest.Server, string) {
	t.Helper()
	server := httptest.NewServer(h)
	t.Cleanup(server.Close)
	return server, strings.TrimPrefix(server.URL, "http://")
}

func TestEveryRedirectIsCheckedAgain(t *testing.T) {
	trap := newCanary(t, ":0")
	server, at := origin(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Location", r.URL.Query().Get("to"))
		w.WriteHeader(http.StatusFound)
	})
	c := strict(t, nil, trap.port, at)
	targets := []string{"file:///etc/passwd", "ftp://127.0.0.1/", "http://u:p@" + at + "/", "//localhost:" + fmt.Sprint(trap.port), "http://[::1/", "gopher://127.0.0.1:80/"}
	for _, host := range hosts {
		targets = append(targets, fmt.Sprintf("http://%s:%d/", host, trap.port))
	}
	for _, target := range targets {
		refused(t, c, server.URL+"/?to="+strings.NewReplacer("%", "%25", "&", "%26", "#", "%23").Replace(target))
		deeper := server.URL + "/?to=" + strings.NewReplacer("%", "%25").Replace(target)
		refused(t, c, server.URL+"/?to="+strings.NewReplacer("%", "%25", "&", "%26", "?", "%3F").Replace(deeper))
	}
	if n := trap.seen.Load(); n != 0 {
		t.Errorf("the canary saw %d connections", n)
	}
}

func TestFiveRedirectsAreFollowedAndNotSix(t *testing.T) {
	server, at := origin(t, func(w http.ResponseWriter, r *http.Request) {
		var left int
		fmt.Sscan(r.URL.Query().Get("left"), &left)
		if left == 0 {
			io.WriteString(w, "here")
			return
		}
		http.Redirect(w, r, fmt.Sprintf("/?left=%d", left-1), http.StatusFound)
	})
	c := strict(t, nil, 80, at)
	body, err := c.Open(t.Context(), server.URL+"/?left=5")
	if err != nil {
		t.Fatalf("five redirects: %v", err)
	}
	defer body.Close()
	if got, err := io.ReadAll(body); string(got) != "here" || err != nil {
		t.Errorf("got %q, %v", got, err)
	}
	refused(t, c, server.URL+"/?left=6")
}

func TestANameThatChangesItsAddressIsCheckedEachTime(t *testing.T) {
	server, at := origin(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/again" {
			http.Redirect(w, r, "http://"+r.Host+"/", http.StatusFound)
			return
		}
		io.WriteString(w, "honest")
	})
	_, port, _ := net.SplitHostPort(at)
	trap := newCanary(t, "127.0.0.2:"+port)
	honest, evil := "127.0.0.1", "127.0.0.2"
	n := &names{answers: map[string][][]string{
		"flip.example":   {{honest}, {evil}},
		"again.example":  {{honest}, {evil}},
		"both.example":   {{evil, honest}},
		"evil.example":   {{evil}},
		"six.example":    {{"::1"}},
		"honest.example": {{honest}},
	}}
	c := strict(t, n, trap.port, at)
	if got, err := c.Look(t.Context(), "http://flip.example:"+port+"/"); err != nil || got.Size != 6 {
		t.Errorf("the honest answer: %+v, %v", got, err)
	}
	refused(t, c, "http://flip.example:"+port+"/")
	refused(t, c, "http://evil.example:"+port+"/")
	refused(t, c, "http://six.example:"+port+"/")
	if _, err := c.Open(t.Context(), "http://again.example:"+port+"/again"); !errors.Is(err, errUnreachable) {
		t.Errorf("a redirect to a name that has changed: %v", err)
	}
	if _, err := c.Look(t.Context(), "http://both.example:"+port+"/"); err != nil {
		t.Errorf("a name with an honest address among others: %v", err)
	}
	if seen := trap.seen.Load(); seen != 0 {
		t.Errorf("the canary saw %d connections", seen)
	}
	if _, err := c.Look(t.Context(), server.URL); err != nil {
		t.Errorf("the site itself: %v", err)
	}
}

func TestTheOperatorsListIsHonoured(t *testing.T) {
	_, at := origin(t, func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, "ok") })
	_, port, _ := net.SplitHostPort(at)
	n := &names{answers: map[string][][]string{"intranet.example": {{"127.0.0.1"}}, "other.example": {{"127.0.0.1"}}}}
	for _, c := range []struct {
		allow   string
		address string
		want    bool
	}{
		{"127.0.0.1", "http://127.0.0.1:" + port, true},
		{"127.0.0.0/8", "http://127.0.0.1:" + port, true},
		{at, "http://127.0.0.1:" + port, true},
		{at, "http://[::ffff:127.0.0.1]:" + port, true},
		{"::ffff:127.0.0.1", "http://127.0.0.1:" + port, true},
		{at, "http://other.example:" + port, true}, // it leads to what was allowed
		{"intranet.example", "http://intranet.example:" + port, true},
		{"Intranet.Example.", "http://INTRANET.example:" + port, true},
		{"intranet.example:" + port, "http://intranet.example:" + port, true},
		{"intranet.example:1", "http://intranet.example:" + port, false},
		{"intranet.example", "http://other.example:" + port, false},
		{"example", "http://other.example:" + port, false},
		{"127.0.0.1:1", "http://127.0.0.1:" + port, false},
		{"10.0.0.0/8", "http://127.0.0.1:" + port, false},
		{"::1", "http://127.0.0.1:" + port, false},
		{" ", "http://127.0.0.1:" + port, false},
	} {
		_, err := strict(t, n, 80, c.allow).Look(t.Context(), c.address)
		if (err == nil) != c.want {
			t.Errorf("allow %q, %s: %v", c.allow, c.address, err)
		}
	}
	for _, entry := range []string{"http://x", "x y", "a/b", "host:", "host:0", "host:x", "host:70000", "10.0.0.0/99", "*.example.com", "user@host", ":80"} {
		if _, err := New([]string{entry}); err == nil {
			t.Errorf("%q is accepted", entry)
		}
	}
	if _, err := New([]string{"10.0.0.0/8", "[::1]:9000", "intranet", ""}); err != nil {
		t.Error(err)
	}
}

func TestRefusalsAreAlike(t *testing.T) {
	trap := newCanary(t, ":0")
	gone := newCanary(t, "127.0.0.1:0")
	n := &names{answers: map[string][][]string{"nobody.example": {{}}}}
	c := strict(t, n, trap.port, fmt.Sprintf("127.0.0.1:%d", gone.port)) // the last listens and hangs up
	for name, address := range map[string]string{
		"an open port":         fmt.Sprintf("http://127.0.0.1:%d/", trap.port),
		"a closed port":        "http://127.0.0.1:1/",
		"a private host":       "http://10.1.2.3/",
		"an unknown name":      "http://nobody.example/",
		"a host that hangs up": fmt.Sprintf("http://127.0.0.1:%d/", gone.port),
	} {
		_, err := c.Look(t.Context(), address)
		var e *ports.Error
		if !errors.As(err, &e) || e.Code != ports.Invalid || e.Key != "invalid_argument" || e.Text != "url_unreachable" || e.Params != nil || e.Reason != "" {
			t.Errorf("%s: %#v", name, err)
		}
	}
	if trap.seen.Load() != 0 {
		t.Error("the canary saw a connection")
	}
}

func TestARequestCarriesNothingOfOurs(t *testing.T) {
	trap := newCanary(t, ":0")
	proxy := fmt.Sprintf("http://127.0.0.1:%d", trap.port)
	t.Setenv("HTTP_PROXY", proxy)
	t.Setenv("http_proxy", proxy)
	t.Setenv("ALL_PROXY", proxy)
	var mu sync.Mutex
	var seen []http.Header
	var connections atomic.Int64
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		seen = append(seen, r.Header.Clone())
		mu.Unlock()
		http.SetCookie(w, &http.Cookie{Name: "id", Value: "1"})
		if r.URL.Path == "/secret" {
			http.Redirect(w, r, "/next", http.StatusFound)
		}
	}))
	server.Config.ConnState = func(_ net.Conn, s http.ConnState) {
		if s == http.StateNew {
			connections.Add(1)
		}
	}
	server.Start()
	defer server.Close()
	c := strict(t, nil, 80, strings.TrimPrefix(server.URL, "http://"))
	for range 2 {
		body, err := c.Open(t.Context(), server.URL+"/secret?token=x")
		if err != nil {
			t.Fatal(err)
		}
		body.Close()
	}
	want := map[string]string{"User-Agent": "Pasteport", "Accept": "*/*", "Accept-Encoding": "identity", "Connection": "close"}
	for _, h := range seen {
		for name := range h {
			if h.Get(name) != want[name] {
				t.Errorf("%s: %q", name, h.Get(name))
			}
		}
	}
	if len(seen) != 4 || connections.Load() != 4 {
		t.Errorf("%d requests over %d connections", len(seen), connections.Load())
	}
	if trap.seen.Load() != 0 {
		t.Error("the proxy of the environment was used")
	}
}

func TestLookTellsWhatTheSiteSays(t *testing.T) {
	server, at := origin(t, func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/nohead":
			if r.Method == http.MethodHead {
				w.WriteHeader(http.StatusMethodNotAllowed)
				return
			}
		case "/hangup":
			if r.Method == http.MethodHead {
				conn, _, _ := w.(http.Hijacker).Hijack()
				conn.Close()
				return
			}
		case "/missing":
			w.WriteHeader(http.StatusNotFound)
			return
		case "/odd":
			w.Header().Set("Content-Type", "text/html; charset=\"x")
			w.Header().Set("Last-Modified", "yesterday")
			w.(http.Flusher).Flush()
			return
		case "/gzip":
			w.Header().Set("Content-Encoding", "gzip")
			z := gzip.NewWriter(w)
			io.WriteString(z, "packed")
			z.Close()
			return
		}
		h := w.Header()
		h.Set("Content-Type", "Application/ZIP; x=y")
		h.Set("Content-Disposition", "attachment; filename*=UTF-8''%E6%8A%A5.zip")
		h.Set("Last-Modified", "Sat, 21 Nov 2026 00:08:12 GMT")
		h.Set("Access-Control-Allow-Origin", "*")
		h.Set("Content-Length", "5")
		if r.Method != http.MethodHead {
			io.WriteString(w, "12345")
		}
	})
	c := strict(t, nil, 80, at)
	whole := ports.Remote{Method: "HEAD", Name: "报.zip", ContentType: "application/zip", Size: 5, LastModified: "Sat, 21 Nov 2026 00:08:12 GMT", CORS: true}
	byGet := whole
	byGet.Method = "GET"
	for path, want := range map[string]ports.Remote{"/": whole, "/nohead": byGet, "/hangup": byGet, "/odd": {Method: "HEAD", Size: -1}} {
		if got, err := c.Look(t.Context(), server.URL+path); got != want || err != nil {
			t.Errorf("%s: got %+v, %v", path, got, err)
		}
	}
	_, err := c.Look(t.Context(), server.URL+"/missing")
	var e *ports.Error
	if !errors.As(err, &e) || e.Text != "url_status" || e.Params["status"] != 404 || e.Code != ports.Invalid {
		t.Errorf("an error status: %v", err)
	}
	body, err := c.Open(t.Context(), server.URL+"/gzip")
	if err != nil {
		t.Fatal(err)
	}
	defer body.Close()
	if got, _ := io.ReadAll(body); len(got) < 2 || got[0] != 0x1f || got[1] != 0x8b {
		t.Errorf("the body was unpacked: %q", got)
	}
}

// paced is a client with waits of its own.
func paced(t testing.TB, at string, p pace) *Client {
	t.Helper()
	list, err := parseAllow([]string{at})
	if err != nil {
		t.Fatal(err)
	}
	return newClient(&guard{allow: list}, p)
}

func TestSitesThatAreSlowOrEndlessAreGivenUp(t *testing.T) {
	over := make(chan struct{})
	server, at := origin(t, func(w http.ResponseWriter, r *http.Request) {
		wait := func() {
			select {
			case <-over:
			case <-r.Context().Done():
			}
		}
		switch r.URL.Path {
		case "/silent":
			wait()
		case "/header":
			w.Header().Set("X-Long", strings.Repeat("x", 100<<10))
		case "/drip":
			w.Header().Set("Content-Length", "1000000")
			io.WriteString(w, "a few bytes")
			w.(http.Flusher).Flush()
			wait()
		case "/cut":
			w.Header().Set("Content-Length", "1000000")
			io.WriteString(w, "a few bytes")
		}
	})
	defer close(over)
	const long = time.Minute // no busy machine is taken for a slow site
	refused(t, paced(t, at, pace{connect: long, first: 200 * time.Millisecond, lead: long, whole: long, grace: long, rate: 1 << 20}), server.URL+"/silent")
	patient := pace{connect: long, first: long, lead: long, whole: long, grace: long, rate: 1 << 20}
	refused(t, paced(t, at, patient), server.URL+"/header")
	for path, grace := range map[string]time.Duration{"/drip": 2 * time.Second, "/cut": long} {
		patient.grace = grace
		body, err := paced(t, at, patient).Open(t.Context(), server.URL+path)
		if err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		got, err := io.ReadAll(body)
		body.Close()
		if string(got) != "a few bytes" || !errors.Is(err, errUnreachable) {
			t.Errorf("%s: got %q, %v", path, got, err)
		}
		if slow := errors.Is(err, errSlow); slow != (path == "/drip") {
			t.Errorf("%s: %v", path, err)
		}
	}
}

func TestACallerWhoLeavesEndsTheFetch(t *testing.T) {
	asked := make(chan struct{}, 2)
	server, at := origin(t, func(w http.ResponseWriter, r *http.Request) {
		asked <- struct{}{}
		<-r.Context().Done()
	})
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		<-asked
		cancel()
	}()
	if _, err := strict(t, nil, 80, at).Open(ctx, server.URL); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

func TestErrorsDoNotTellTheAddress(t *testing.T) {
	_, err := strict(t, nil, 80).Look(t.Context(), "http://127.0.0.1/x?token=hush")
	if err == nil || strings.Contains(err.Error(), "hush") {
		t.Errorf("got %v", err)
	}
}
