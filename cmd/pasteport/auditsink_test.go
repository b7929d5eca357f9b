package main_test

import (
	"bufio"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"pasteport/adapters/auditsink"
	"pasteport/adapters/bunstore"
	"pasteport/adapters/bunstore/bunstoretest"
	"pasteport/domain/audit"
	"pasteport/ports"
	"pasteport/ports/policy"
	"pasteport/ports/portstest"
)

// yard is an audit log over a database, which is sent to one sink.
type yard struct {
	t     *testing.T
	log   *audit.Audit
	dir   string
	stop  func()
	tells chan string
}

func newYard(t *testing.T, store *bunstore.Store, dir string, sink audit.Sink) *yard {
	t.Helper()
	y := &yard{t: t, dir: dir, tells: make(chan string, 100)}
	y.log = audit.New(audit.Deps{Repository: store.Audit(), MAC: portstest.MAC{}, Clock: ports.SystemClock, Chain: "node"})
	stream := y.log.Stream(sink, auditsink.NewPlaces(dir), func(doing string, err error) { y.tells <- doing + ": " + err.Error() })
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() { defer close(done); stream.Run(ctx) }()
	y.stop = sync.OnceFunc(func() { cancel(); <-done })
	t.Cleanup(y.stop)
	return y
}

// add notes entries from number from on.
func (y *yard) add(from, n int) {
	y.t.Helper()
	for i := from; i < from+n; i++ {
		e := audit.Entry{Kind: policy.Admin, Actor: "boss", Name: `a "quoted]" \ 名`, Action: "key.create", Target: fmt.Sprint("k", i), Details: `{"name":"a\nb"}`}
		if err := y.log.Add(y.t.Context(), e); err != nil {
			y.t.Fatal(err)
		}
	}
}

// server takes syslog messages from a listener that counts octets.
type server struct {
	net.Listener
	mu    sync.Mutex
	conns []net.Conn
	hangs bool
	got   chan string
}

func serve(t *testing.T, l net.Listener) *server {
	s := &server{Listener: l, got: make(chan string, 10_000)}
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			s.mu.Lock()
			s.conns = append(s.conns, conn)
			hangs := s.hangs
			s.mu.Unlock()
			if !hangs {
				go s.read(conn)
			}
		}
	}()
	t.Cleanup(s.die)
	return s
}

func (s *server) read(conn net.Conn) {
	in := bufio.NewReader(conn)
	for {
		size, err := in.ReadString(' ')
		if err != nil {
			return
		}
		n, err := strconv.Atoi(strings.TrimSuffix(size, " "))
		if err != nil {
			s.got <- "no octet count: " + size
			return
		}
		text := make([]byte, n)
		if _, err := io.ReadFull(in, text); err != nil {
			return
		}
		s.got <- string(text)
	}
}

// die ends the listener and all its connections.
func (s *server) die() {
	_ = s.Close()
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, c := range s.conns {
		_ = c.Close()
	}
}

var message = regexp.MustCompile(`^<(\d+)>1 \d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z \S+ pasteport \d+ audit \[pasteport@32473 ((?:[a-z]+="(?:[^"\\\]]|\\["\\\]])*" ?)+)\] ` + "\ufeff" + `(\{.*\})$`)

// entry is what a message holds.
type entry struct {
	Target, Prev, Hash string
	Seq                int64
}

func parse(t *testing.T, text string) entry {
	t.Helper()
	m := message.FindStringSubmatch(text)
	if m == nil {
		t.Fatalf("no message of RFC 5424: %q", text)
	}
	if m[1] != "110" {
		t.Errorf("priority %s, want log audit, informational", m[1])
	}
	var e entry
	if err := json.Unmarshal([]byte(m[3]), &e); err != nil {
		t.Fatal(err)
	}
	return e
}

// until reads messages to entry number n, which may come again, and proves that the
// chain hangs together.
func (s *server) until(t *testing.T, n int64) {
	t.Helper()
	chain := map[int64]entry{}
	limit := time.After(portstest.Patience)
	for int64(len(chain)) < n {
		select {
		case text := <-s.got:
			e := parse(t, text)
			if before, again := chain[e.Seq]; again && before != e {
				t.Fatalf("entry %d came again, and differs", e.Seq)
			}
			chain[e.Seq] = e
		case <-limit:
			t.Fatalf("only %d of %d entries arrived", len(chain), n)
		}
	}
	for i := int64(1); i <= n; i++ {
		if chain[i].Prev != chain[i-1].Hash || chain[i].Hash == "" || chain[i].Target != fmt.Sprint("k", i) {
			t.Fatalf("entry %d does not follow on the one before: %+v", i, chain[i])
		}
	}
}

func listenTCP(t *testing.T, address string) net.Listener {
	t.Helper()
	l, err := net.Listen("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func syslog(t *testing.T, target, ca string) audit.Sink {
	t.Helper()
	sink, err := auditsink.NewSyslog(target, ca)
	if err != nil {
		t.Fatal(err)
	}
	return sink
}

func TestAServerThatDiesGetsWhatItMissedWhenItIsBack(t *testing.T) {
	for name, open := range map[string]func(testing.TB) *bunstore.Store{"SQLite": bunstoretest.SQLite, "PostgreSQL": bunstoretest.Postgres} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			first := serve(t, listenTCP(t, portstest.FreeAddress(t))) // it comes back there
			address := first.Addr().String()
			y := newYard(t, open(t), t.TempDir(), syslog(t, "tcp://"+address, ""))
			y.add(1, 5)
			first.until(t, 5)
			first.die()
			y.add(6, 500)
			for told := range y.tells {
				if strings.Contains(told, "syslog") {
					break
				}
			}
			if s := y.log.Streams()[0]; s.Problem == "" || s.Failing.IsZero() {
				t.Errorf("it does not tell that it fails: %+v", s)
			}
			serve(t, listenTCP(t, address)).until(t, 505)
		})
	}
}

func TestAServerThatHangsHoldsNobodyUp(t *testing.T) {
	t.Parallel()
	hung := serve(t, listenTCP(t, portstest.FreeAddress(t)))
	hung.hangs = true
	y := newYard(t, bunstoretest.SQLite(t), t.TempDir(), syslog(t, "tcp://"+hung.Addr().String(), ""))
	began := time.Now()
	y.add(1, 300)
	if took := time.Since(began); took > portstest.Patience {
		t.Errorf("noting 300 entries took %s", took)
	}
	// They lie in the buffers of the machine, and count as arrived after a while; the
	// server dies without having read one.
	waitFor(t, func() bool { return y.log.Streams()[0].Sent == 300 })
	address := hung.Addr().String()
	hung.die()
	serve(t, listenTCP(t, address)).until(t, 300)
}

func TestANewProcessGoesOnWhereTheLastOneWas(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "logs", "audit.jsonl")
	store, dir := bunstoretest.SQLite(t), t.TempDir()
	one := newYard(t, store, dir, auditsink.NewFile(auditsink.FileOptions{Path: path}))
	one.add(1, 3)
	waitFor(t, func() bool { return one.log.Streams()[0].Sent == 3 })
	one.stop()
	one.add(4, 2)
	file, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	_, err = file.WriteString(`{"seq":4,"target":"k`) // what a power cut leaves
	if err = errors.Join(err, file.Close()); err != nil {
		t.Fatal(err)
	}
	two := newYard(t, store, dir, auditsink.NewFile(auditsink.FileOptions{Path: path}))
	waitFor(t, func() bool { return two.log.Streams()[0].Sent == 5 })
	two.stop()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for line := range strings.Lines(string(text)) {
		var e entry
		if json.Unmarshal([]byte(line), &e) == nil {
			got = append(got, e.Target)
		}
	}
	if strings.Join(got, " ") != "k1 k2 k3 k4 k5" {
		t.Errorf("the file holds %v", got)
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v %v", info.Mode(), err)
	}
}

func TestAFileRotatesAndKeepsSoMany(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	sink := auditsink.NewFile(auditsink.FileOptions{Path: filepath.Join(dir, "audit.jsonl"), Megabytes: 1, Count: 1})
	defer sink.Close()
	for i := range 5 {
		// Two at a time fill a file.
		entries := []audit.Entry{{Seq: int64(i + 1), Details: `{"text":"` + strings.Repeat("x", 600<<10) + `"}`}}
		if err := sink.Send(t.Context(), entries); err != nil {
			t.Fatal(err)
		}
		time.Sleep(2 * time.Millisecond) // rotated files are named after the millisecond
	}
	waitFor(t, func() bool {
		files, err := os.ReadDir(dir)
		return err == nil && len(files) == 2
	})
}

func TestMessagesTravelByEveryTransport(t *testing.T) {
	t.Parallel()
	e := []audit.Entry{{Seq: 1, Chain: "node", Action: "key.create", Outcome: audit.Done, Target: "k1", Hash: "h", At: time.Unix(1, 0)}}
	t.Run("tls", func(t *testing.T) {
		certificate, ca := selfSigned(t)
		s := serve(t, tls.NewListener(listenTCP(t, "127.0.0.1:0"), &tls.Config{Certificates: []tls.Certificate{certificate}}))
		sink := syslog(t, "tls://"+s.Addr().String(), ca)
		defer sink.Close()
		if err := sink.Send(t.Context(), e); err != nil {
			t.Fatal(err)
		}
		s.until(t, 1)
		if err := syslog(t, "tls://"+s.Addr().String(), "").Send(t.Context(), e); err == nil {
			t.Error("a server that nobody has proved was believed")
		}
	})
	for _, network := range []string{"udp", "unixgram"} {
		t.Run(network, func(t *testing.T) {
			address := "127.0.0.1:0"
			if network == "unixgram" {
				address = filepath.Join(t.TempDir(), "log")
			}
			conn, err := net.ListenPacket(network, address)
			if err != nil {
				t.Fatal(err)
			}
			defer conn.Close()
			target := "udp://" + conn.LocalAddr().String()
			if network == "unixgram" {
				target = "unix://" + address
			}
			sink := syslog(t, target, "")
			defer sink.Close()
			large := audit.Entry{Seq: 2, Outcome: audit.Done, Target: "k2", Details: `{"x":"` + strings.Repeat("y", 64<<10) + `"}`}
			if err := sink.Send(t.Context(), append(e, large)); err != nil {
				t.Fatal(err)
			}
			text := make([]byte, 1<<16)
			for seq := int64(1); seq <= 2; seq++ {
				n, _, err := conn.ReadFrom(text)
				if err != nil {
					t.Fatal(err)
				}
				if got := parse(t, string(text[:n])); got.Seq != seq {
					t.Errorf("got %+v, want entry %d", got, seq)
				}
			}
			if at, err := sink.Arrived(); at != 2 || err != nil {
				t.Errorf("arrived: %d %v", at, err)
			}
		})
	}
}

func TestTargetsThatNobodyUnderstandsAreRefused(t *testing.T) {
	for _, target := range []string{"", "localhost:514", "http://host", "tcp://", "unix://", "tcp://host/path", "udp://:514"} {
		if _, err := auditsink.NewSyslog(target, ""); err == nil {
			t.Errorf("%q was taken", target)
		}
	}
}

func TestNothingIsRemovedBeforeItArrived(t *testing.T) {
	t.Parallel()
	store := bunstoretest.SQLite(t)
	log := audit.New(audit.Deps{Repository: store.Audit(), MAC: portstest.MAC{}, Clock: ports.SystemClock, Chain: "node", Keep: time.Nanosecond})
	log.Stream(syslog(t, "tcp://127.0.0.1:1", ""), auditsink.NewPlaces(t.TempDir()), func(string, error) {})
	if err := log.Add(t.Context(), audit.Entry{Action: "key.create"}); err != nil {
		t.Fatal(err)
	}
	if n, err := log.Sweep(t.Context(), time.Now().Add(time.Hour)); n != 0 || err != nil {
		t.Errorf("removed %d, %v", n, err)
	}
}

// waitFor waits until something is true.
func waitFor(t *testing.T, ok func() bool) {
	t.Helper()
	portstest.Eventually(t, ok, "it comes to that")
}

// selfSigned makes a certificate for 127.0.0.1 and the file that proves it.
func selfSigned(t *testing.T) (tls.Certificate, string) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	about := &x509.Certificate{SerialNumber: big.NewInt(1), NotAfter: time.Now().Add(time.Hour), IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, IsCA: true, BasicConstraintsValid: true}
	der, err := x509.CreateCertificate(rand.Reader, about, about, key.Public(), key)
	if err != nil {
		t.Fatal(err)
	}
	ca := filepath.Join(t.TempDir(), "ca.pem")
	if err := os.WriteFile(ca, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}), 0o600); err != nil {
		t.Fatal(err)
	}
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}, ca
}
