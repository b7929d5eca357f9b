package notify

import (
	"bufio"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"mime"
	"mime/multipart"
	"net"
	"net/http"
	"net/http/httptest"
	"net/mail"
	"net/textproto"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"pasteport/adapters/fetch"
	"pasteport/domain/events"
	"pasteport/ports/event"
	"pasteport/ports/portstest"
)

// mailServer is a mail server of one test: it takes one connection at a time.
type mailServer struct {
	listener net.Listener
	secure   *tls.Config // nil: no STARTTLS
	answers  map[string]string
	got      chan received
}

// received is a mail as it came.
type received struct {
	encrypted      bool
	user, password string
	from           string
	to             []string
	raw            string
}

func newMailServer(t *testing.T, implicit bool, secure *tls.Config, answers map[string]string) *mailServer {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	if implicit {
		l = tls.NewListener(l, secure)
	}
	s := &mailServer{listener: l, secure: secure, answers: answers, got: make(chan received, 10)}
	done := make(chan struct{})
	go func() {
		defer close(done)
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			s.serve(conn, implicit)
		}
	}()
	t.Cleanup(func() {
		_ = l.Close()
		<-done
	})
	return s
}

func (s *mailServer) address(scheme string) string {
	return scheme + "://" + strings.Replace(s.listener.Addr().String(), "127.0.0.1", "localhost", 1)
}

func (s *mailServer) serve(conn net.Conn, encrypted bool) {
	defer func() { _ = conn.Close() }()
	_ = conn.SetDeadline(time.Now().Add(portstest.Patience))
	lines := textproto.NewReader(bufio.NewReader(conn))
	say := func(text string) { _, _ = io.WriteString(conn, text+"\r\n") }
	say("220 test")
	mail := received{encrypted: encrypted}
	for {
		command, err := lines.ReadLine()
		if err != nil {
			return
		}
		verb := strings.ToUpper(strings.SplitN(command, " ", 2)[0])
		if answer, ok := s.answers[verb]; ok {
			say(answer)
			continue
		}
		switch verb {
		case "EHLO":
			say("250-test")
			if s.secure != nil && !mail.encrypted {
				say("250-STARTTLS")
			}
			say("250 AUTH PLAIN")
		case "STARTTLS":
			say("220 go on")
			secure := tls.Server(conn, s.secure)
			if secure.Handshake() != nil {
				return
			}
			conn, mail.encrypted = secure, true
			lines = textproto.NewReader(bufio.NewReader(conn))
		case "AUTH":
			plain, _ := base64.StdEncoding.DecodeString(strings.TrimPrefix(command, "AUTH PLAIN "))
			parts := strings.Split(string(plain), "\x00")
			mail.user, mail.password = parts[1], parts[2]
			if mail.password != "right" {
				say("535 5.7.8 wrong\x1b[31m password")
				continue
			}
			say("235 welcome")
		case "MAIL":
			mail.from = command
			say("250 ok")
		case "RCPT":
			mail.to = append(mail.to, command)
			say("250 ok")
		case "DATA":
			say("354 go on")
			raw, _ := io.ReadAll(lines.DotReader())
			mail.raw = string(raw)
			s.got <- mail
			say("250 taken")
		case "QUIT":
			say("221 bye")
			return
		default:
			say("250 ok")
		}
	}
}

// certificate is one for localhost, and who trusts it.
func certificate(t *testing.T) (*tls.Config, *x509.CertPool) {
	t.Helper()
	web := httptest.NewTLSServer(nil)
	t.Cleanup(web.Close)
	pool := x509.NewCertPool()
	pool.AddCert(web.Certificate())
	return &tls.Config{Certificates: web.TLS.Certificates}, pool
}

func dialer(t *testing.T, allow ...string) *fetch.Client {
	t.Helper()
	c, err := fetch.New(allow)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func peopleSender(t *testing.T, roots *x509.CertPool) *Sender {
	t.Helper()
	s := New(poster{}, dialer(t, "127.0.0.1", "::1").DialMail, Site{Title: func() string { return "Our\r\nsite" }, Address: "https://paste.example"})
	s.roots = roots
	return s
}

func mailTo(address, user, password string) events.Target {
	to := events.Target{Type: events.Mail, Address: address, Options: events.Options{From: "paste@example.com", To: []string{"a@example.com", "b@example.com"}, User: user}}
	if password != "" {
		to.Secrets = [][]byte{[]byte(password)}
	}
	return to
}

// certName is a name that the certificate of httptest is for.
func certName(s *mailServer, scheme string) string {
	return strings.Replace(s.address(scheme), "localhost", "127.0.0.1", 1)
}

func TestMailIsSentEncryptedAndSignedIn(t *testing.T) {
	secure, roots := certificate(t)
	for _, scheme := range []string{"smtp", "smtps"} {
		server := newMailServer(t, scheme == "smtps", secure, nil)
		m := message()
		m.Data = []byte(`{"name":"nightly","problem":"disk <full>"}`)
		out := peopleSender(t, roots).Send(t.Context(), mailTo(certName(server, scheme), "paste", "right"), m)
		if out != (events.Outcome{Status: 250}) {
			t.Fatalf("%s: %+v", scheme, out)
		}
		got := <-server.got
		if !got.encrypted || got.user != "paste" || !strings.Contains(got.from, "<paste@example.com>") || len(got.to) != 2 {
			t.Errorf("%s: %+v", scheme, got)
		}
		header, plain, page := parts(t, got.raw)
		if subject := header.Get("Subject"); subject != "[Our site] The backup “nightly” failed" {
			t.Errorf("subject %q", subject)
		}
		if header.Get("Message-ID") != "<0199-1@example.com>" || header.Get("Auto-Submitted") != "auto-generated" {
			t.Errorf("header %v", header)
		}
		if !strings.Contains(plain, "Problem: disk <full>") || !strings.Contains(plain, "https://paste.example/admin") {
			t.Errorf("text %s", plain)
		}
		if !strings.Contains(page, "disk &lt;full&gt;") || strings.Contains(page, "<img") || strings.Contains(page, "src=") {
			t.Errorf("page %s", page)
		}
	}
}

// parts reads a mail: its header, its text and its page.
func parts(t *testing.T, raw string) (header mail.Header, plain, page string) {
	t.Helper()
	m, err := mail.ReadMessage(strings.NewReader(raw))
	if err != nil {
		t.Fatal(err)
	}
	for name, values := range m.Header {
		for i, value := range values {
			if values[i], err = (&mime.WordDecoder{}).DecodeHeader(value); err != nil {
				t.Fatalf("%s: %v", name, err)
			}
		}
	}
	media, params, err := mime.ParseMediaType(m.Header.Get("Content-Type"))
	if err != nil || media != "multipart/alternative" {
		t.Fatalf("%s: %v", media, err)
	}
	reader := multipart.NewReader(m.Body, params["boundary"])
	for {
		part, err := reader.NextPart()
		if err == io.EOF {
			return m.Header, plain, page
		}
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(part)
		if err != nil {
			t.Fatal(err)
		}
		if strings.HasPrefix(part.Header.Get("Content-Type"), "text/html") {
			page = string(body)
		} else {
			plain = string(body)
		}
	}
}

func TestAMailServerSaysWhatIsWrong(t *testing.T) {
	secure, roots := certificate(t)
	for _, c := range []struct {
		name, scheme, user, password string
		secure                       *tls.Config
		roots                        *x509.CertPool
		answers                      map[string]string
		want                         events.Outcome
	}{
		{"a wrong password", "smtp", "paste", "wrong", secure, roots, nil, events.Outcome{Status: 535, Problem: "sign_in", Detail: "5.\u20607.\u20608 wrong [31m password", Away: true}},
		{"a password without encryption", "smtp", "paste", "right", nil, roots, nil, events.Outcome{Problem: "insecure", Away: true}},
		{"a certificate of nobody", "smtp", "paste", "right", secure, x509.NewCertPool(), nil, events.Outcome{Problem: "insecure", Away: true}},
		{"a recipient it does not know", "smtp", "", "", nil, roots, map[string]string{"RCPT": "550 no such user"}, events.Outcome{Status: 550, Problem: "recipient", Detail: "no such user"}},
		{"not now", "smtp", "", "", nil, roots, map[string]string{"MAIL": "451 later"}, events.Outcome{Status: 451, Problem: "mail_refused", Detail: "later", Away: true}},
		{"what is no mail server", "smtp", "", "", nil, roots, map[string]string{"EHLO": "502 what", "HELO": "502 what"}, events.Outcome{Status: 502, Problem: "mail_refused", Detail: "what", Away: true}},
	} {
		t.Run(c.name, func(t *testing.T) {
			server := newMailServer(t, false, c.secure, c.answers)
			if got := peopleSender(t, c.roots).Send(t.Context(), mailTo(certName(server, c.scheme), c.user, c.password), message()); got != c.want {
				t.Errorf("%+v, want %+v", got, c.want)
			}
			if len(server.got) > 0 {
				t.Error("it has a mail")
			}
		})
	}
}

func TestMailGoesNowhereInside(t *testing.T) {
	server := newMailServer(t, false, nil, nil)
	s := New(poster{}, dialer(t).DialMail, Site{})
	for _, address := range []string{certName(server, "smtp"), certName(server, "smtps"), "smtp://169.254.169.254:25", "smtp://[::1]:25"} {
		if out := s.Send(t.Context(), mailTo(address, "", ""), message()); out != (events.Outcome{Problem: "address_refused", Away: true}) {
			t.Errorf("%s: %+v", address, out)
		}
	}
}

func TestAMailServerThatHangsOrNeverEndsIsGivenUp(t *testing.T) {
	for name, flood := range map[string]bool{"hangs": false, "talks for ever": true} {
		t.Run(name, func(t *testing.T) {
			l, err := net.Listen("tcp", "127.0.0.1:0")
			if err != nil {
				t.Fatal(err)
			}
			closed, sent := make(chan struct{}), 0
			go func() {
				defer close(closed)
				conn, err := l.Accept()
				if err != nil {
					return
				}
				if flood {
					for n := 0; err == nil && sent < 10<<20; sent += n {
						n, err = io.WriteString(conn, strings.Repeat("220-x", 1000))
					}
				}
				_, _ = io.Copy(io.Discard, conn) // ends when the other side does
			}()
			s := New(poster{}, func(ctx context.Context, network, address string) (net.Conn, error) {
				conn, err := dialer(t, "127.0.0.1").DialMail(ctx, network, address)
				if err != nil || flood {
					return conn, err
				}
				return hasty{conn}, nil
			}, Site{})
			out := s.Send(t.Context(), mailTo("smtp://"+l.Addr().String(), "", ""), message())
			if !out.Away || out.Problem != "timeout" && out.Problem != "unreachable" {
				t.Errorf("%+v", out)
			}
			<-closed
			if sent >= 10<<20 {
				t.Error("all of it was read")
			}
			_ = l.Close()
		})
	}
}

// hasty is a connection whose time is over when nothing has come.
type hasty struct{ net.Conn }

func (h hasty) Read([]byte) (int, error) { return 0, os.ErrDeadlineExceeded }

// What strangers write: titles and names.
var strangers = []string{
	"x\r\nBcc: victim@example.com\r\n\r\nbody", "x\nX-Evil: 1", "x\u2028Bcc: a@b.c", "<a href=\"https://evil.example\">click</a>", "https://evil.example/login", "evil.example", "mail@evil.example",
	"\u202Efdp.exe", "<script>alert(1)</script>", "a\x00b", string([]byte{0xff, 0xfe}), strings.Repeat("long ", 1000), "{{.Link}}", "=?utf-8?q?Bcc:_x?=", "[text](https://evil.example)",
}

func TestATitleOfAStrangerIsNoHeaderNoMarkupAndNoLink(t *testing.T) {
	server := newMailServer(t, false, nil, nil)
	for _, title := range strangers {
		data, err := json.Marshal(map[string]string{"name": title, "sender": title, "note": title, "place": title})
		if err != nil {
			t.Fatal(err)
		}
		m := events.Message{ID: "1", Kind: event.RequestFulfilled, Subject: "request:1", At: time.Now(), Sent: time.Now(), Times: 1, Data: data}
		if out := peopleSender(t, nil).Send(t.Context(), mailTo(certName(server, "smtp"), "", ""), m); out.Problem != "" {
			t.Fatalf("%q: %+v", title, out)
		}
		got := <-server.got
		header, plain, page := parts(t, got.raw)
		var names []string
		for name := range header {
			names = append(names, name)
		}
		slices.Sort(names)
		if want := "Auto-Submitted Content-Type Date From Message-Id Mime-Version Subject To User-Agent X-Auto-Response-Suppress X-Mailer"; strings.Join(names, " ") != want {
			t.Errorf("%q: header %v", title, names)
		}
		if len(got.to) != 2 || len(header.Get("Subject")) > 1000 {
			t.Errorf("%q: to %v, subject %q", title, got.to, header.Get("Subject"))
		}
		for _, text := range []string{header.Get("Subject"), plain, page} {
			for _, bad := range []string{"evil.example", "://evil", "<a href=\"https://evil", "\u202e", "\x00", "b.c"} {
				if strings.Contains(text, bad) {
					t.Errorf("%q: %q is in %s", title, bad, text)
				}
			}
		}
		if strings.Contains(page, "<a ") || strings.Contains(page, "<script") {
			t.Errorf("%q: %s", title, page)
		}
	}
}

func TestNtfyAndGotifyGetTheMessageInTheBody(t *testing.T) {
	type call struct {
		path, token string
		body        map[string]any
	}
	var calls []call
	receiver := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		c := call{path: r.URL.Path, token: r.Header.Get("Authorization") + r.Header.Get("X-Gotify-Key")}
		if err := json.NewDecoder(r.Body).Decode(&c.body); err != nil {
			t.Error(err)
		}
		calls = append(calls, c)
	}))
	defer receiver.Close()
	m := events.Message{ID: "1", Kind: event.ShareOpened, At: time.Now(), Sent: time.Now(), Times: 1000, Data: []byte(`{"name":"a\r\nTitle: b","views":1000,"max_views":0,"network":"192.0.2.0/24"}`)}
	s := peopleSender(t, nil)
	for _, to := range []events.Target{
		{Type: events.Ntfy, Address: receiver.URL + "/alerts", Secrets: [][]byte{[]byte("tk_1")}, Options: events.Options{Language: "zh"}},
		{Type: events.Gotify, Address: receiver.URL + "/push/", Secrets: [][]byte{[]byte("A1")}},
	} {
		if out := s.Send(t.Context(), to, m); out.Problem != "" {
			t.Errorf("%+v", out)
		}
	}
	if len(calls) != 2 {
		t.Fatalf("%+v", calls)
	}
	if c := calls[0]; c.path != "/" || c.token != "Bearer tk_1" || c.body["topic"] != "alerts" || c.body["title"] != "[Our site] “a Title:\u2060 b”被打开" || !strings.Contains(fmt.Sprint(c.body["message"]), "次数: 1000") {
		t.Errorf("ntfy %+v", c)
	}
	if c := calls[1]; c.path != "/push/message" || c.token != "A1" || !strings.Contains(fmt.Sprint(c.body["message"]), "Times: 1000\nTime: ") {
		t.Errorf("gotify %+v", c)
	}
}

func TestADigestTellsPeopleHowOftenAndOfWhat(t *testing.T) {
	s := New(poster{}, nil, Site{Title: func() string { return "Our site" }, Address: "https://paste.example"})
	since := `{"since":"2026-11-24T08:00:00Z",`
	many := events.Message{ID: "1", Kind: event.Digest, At: time.Now(), Sent: time.Now(), Times: 8, Data: []byte(since + `"count":8,"kinds":[
		{"kind":"share.opened","count":6,"subjects":[{"subject":"share:1","name":"a\r\nBcc: b@c.example","count":4},{"subject":"share:2","name":"","count":1},{"subject":"share:3","name":"<b>plan","count":1}]},
		{"kind":"audit.key.create","count":2,"subjects":[{"subject":"audit:0","name":"phone","count":2}]}]}`)}
	one := many
	one.Data = []byte(since + `"count":1,"kinds":[{"kind":"backup.failed","count":1,"subjects":[]}]}`)
	for _, c := range []struct {
		language string
		m        events.Message
		want     text
	}{
		{"en", many, text{Title: "8 events since 2026-11-24 08:00 UTC", Page: "/admin/audit", Link: "https://paste.example/admin/audit",
			Brief: "8 events since 2026-11-24 08:00 UTC · A share was opened: 6 · Audit log: key.\u2060create: 2",
			Lines: []line{{"A share was opened", "6 · “a Bcc:\u2060 b@\u2060c.\u2060example” (4), “<b>plan”, …"}, {"Audit log: key.\u2060create", "2 · “phone” (2)"}}}},
		{"zh", many, text{Title: "2026-11-24 08:00 UTC 以来的 8 个事件", Page: "/admin/audit", Link: "https://paste.example/admin/audit",
			Brief: "2026-11-24 08:00 UTC 以来的 8 个事件 · 分享被打开: 6 · 审计日志：key.\u2060create: 2",
			Lines: []line{{"分享被打开", "6 · “a Bcc:\u2060 b@\u2060c.\u2060example”（4）、“<b>plan”、…"}, {"审计日志：key.\u2060create", "2 · “phone”（2）"}}}},
		{"en", one, text{Title: "One event since 2026-11-24 08:00 UTC", Page: "/admin", Link: "https://paste.example/admin",
			Brief: "One event since 2026-11-24 08:00 UTC · A backup failed: 1", Lines: []line{{"A backup failed", "1"}}}},
	} {
		got := s.compose(c.language, c.m)
		c.want.Language, c.want.Site, c.want.Why = got.Language, "Our site", got.Why
		if d := cmp.Diff(c.want, got); d != "" {
			t.Errorf("%s: %s", c.language, d)
		}
		letter, err := s.letter(mailTo("smtp://mail.example", "", ""), c.m)
		if err != nil {
			t.Fatal(err)
		}
		var raw strings.Builder
		if _, err := letter.WriteTo(&raw); err != nil {
			t.Fatal(err)
		}
		if header, _, page := parts(t, raw.String()); header.Get("Bcc") != "" || strings.Contains(page, "<b>") {
			t.Errorf("%+v\n%s", header, page)
		}
	}
}

func TestEveryKindHasWordsInBothLanguages(t *testing.T) {
	for _, kind := range append(slices.Clone(event.Kinds), event.Test) {
		for language, in := range words {
			told, ok := in.kinds[string(kind)]
			if !ok || told.title == "" || told.name != "" && strings.Count(told.named, "%s") != 1 {
				t.Errorf("%s in %s: %+v", kind, language, told)
			}
			for _, field := range told.fields {
				if in.fields[field] == "" {
					t.Errorf("%s in %s: no word for %s", kind, language, field)
				}
			}
		}
	}
}
