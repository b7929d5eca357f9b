package auditsink

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/url"
	"os"
	"strconv"
	"sync"
	"time"

	"pasteport/domain/audit"
)

const (
	dialTime  = 10 * time.Second
	writeTime = 10 * time.Second // for what one call sends; a server that takes nothing for so long is away
	// arrivesIn is how long a connection must stay open after a message for the message
	// to count as arrived: syslog answers nothing.
	arrivesIn = 5 * time.Second
	// maxDatagram is what fits into one of UDP, and of most unix sockets.
	maxDatagram = 60_000
	// againAfter is how many entries are sent once more on a new connection: a server
	// that hung had them in its buffers at most.
	againAfter = 2000
)

// Syslog sends entries to a syslog server.
type Syslog struct {
	network, address string
	tls              *tls.Config // nil without TLS
	host             string
	settle           time.Duration
	now              func() time.Time

	conn    net.Conn
	stream  bool // messages are counted (RFC 6587 §3.4.1)
	flight  []sent
	arrived int64

	mu     sync.Mutex
	broken error // what the server's side of the connection did
}

// sent is what was written and when.
type sent struct {
	seq int64
	at  time.Time
}

var _ audit.Sink = (*Syslog)(nil)

// NewSyslog returns a sink for a target: udp://HOST:PORT, tcp://HOST:PORT,
// tls://HOST:PORT or unix:///PATH. caFile holds the certificates that a TLS server's
// is proved with; empty means those of the system. Returns an error for a target it
// does not understand.
func NewSyslog(target, caFile string) (*Syslog, error) {
	at, err := url.Parse(target)
	if err != nil {
		return nil, fmt.Errorf("the syslog target: %w", err)
	}
	host, err := os.Hostname()
	if err != nil {
		host = "-"
	}
	s := &Syslog{network: at.Scheme, address: at.Host, host: hostName(host), settle: arrivesIn, now: time.Now}
	port := map[string]string{"udp": "514", "tcp": "601", "tls": "6514"}[at.Scheme]
	switch {
	case at.Scheme == "unix" && at.Host == "" && at.Path != "":
		s.address = at.Path
		return s, nil
	case port == "" || at.Hostname() == "" || at.Path != "" && at.Path != "/":
		return nil, fmt.Errorf("the syslog target %q is none of udp://HOST:PORT, tcp://HOST:PORT, tls://HOST:PORT and unix:///PATH", target)
	case at.Port() == "":
		s.address = net.JoinHostPort(at.Hostname(), port)
	}
	if at.Scheme != "tls" {
		return s, nil
	}
	s.network, s.tls = "tcp", &tls.Config{ServerName: at.Hostname(), MinVersion: tls.VersionTLS12}
	if caFile == "" {
		return s, nil
	}
	text, err := os.ReadFile(caFile)
	if err != nil {
		return nil, fmt.Errorf("the certificates of the syslog server: %w", err)
	}
	s.tls.RootCAs = x509.NewCertPool()
	if !s.tls.RootCAs.AppendCertsFromPEM(text) {
		return nil, fmt.Errorf("%s holds no certificate", caFile)
	}
	return s, nil
}

// Name implements audit.Sink.
func (s *Syslog) Name() string { return "syslog" }

// Send implements audit.Sink.
func (s *Syslog) Send(ctx context.Context, entries []audit.Entry) error {
	if s.conn == nil {
		if err := s.open(ctx); err != nil {
			return err
		}
	}
	if err := s.conn.SetWriteDeadline(time.Now().Add(writeTime)); err != nil {
		return err
	}
	most := maxDatagram
	if s.stream {
		most = 0
	}
	for i := range entries {
		text, err := format(&entries[i], s.host, os.Getpid(), most)
		if err != nil {
			return err
		}
		if s.stream {
			text = append(append(strconv.AppendInt(nil, int64(len(text)), 10), ' '), text...)
		}
		if _, err := s.conn.Write(text); err != nil {
			return err
		}
		s.flight = append(s.flight, sent{entries[i].Seq, s.now()})
	}
	return nil
}

// Arrived implements audit.Sink: what was written counts when the connection has stayed
// open for a while. A datagram counts at once.
func (s *Syslog) Arrived() (int64, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.broken != nil {
		s.flight = nil
		return s.arrived, s.broken
	}
	now := s.now()
	n := 0
	for n < len(s.flight) && (!s.stream || now.Sub(s.flight[n].at) >= s.settle) {
		n++
	}
	if n > 0 {
		s.arrived = s.flight[n-1].seq
		s.flight = s.flight[n:]
	}
	return s.arrived, nil
}

// Again implements audit.Sink.
func (s *Syslog) Again() int64 {
	if s.stream {
		return againAfter
	}
	return 0
}

// Close implements audit.Sink.
func (s *Syslog) Close() error {
	s.flight = nil
	if s.conn == nil {
		return nil
	}
	err := s.conn.Close()
	s.conn = nil
	return err
}

func (s *Syslog) open(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, dialTime)
	defer cancel()
	conn, stream, err := s.dial(ctx)
	if err != nil {
		return err
	}
	s.mu.Lock()
	s.conn, s.stream, s.broken = conn, stream, nil
	s.mu.Unlock()
	if stream {
		go s.watch(conn)
	}
	return nil
}

func (s *Syslog) dial(ctx context.Context) (conn net.Conn, stream bool, err error) {
	var d net.Dialer
	if s.network == "unix" { // daemons take datagrams or streams there
		if conn, err = d.DialContext(ctx, "unixgram", s.address); err == nil {
			return conn, false, nil
		}
		conn, err = d.DialContext(ctx, "unix", s.address)
		return conn, true, err
	}
	if s.tls != nil {
		conn, err = (&tls.Dialer{NetDialer: &d, Config: s.tls}).DialContext(ctx, s.network, s.address)
		return conn, true, err
	}
	conn, err = d.DialContext(ctx, s.network, s.address)
	return conn, s.network == "tcp", err
}

// watch notes when the server ends the connection. It ends with the connection.
func (s *Syslog) watch(conn net.Conn) {
	_, err := io.Copy(io.Discard, conn)
	if err == nil {
		err = io.EOF
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.conn == conn && !errors.Is(err, net.ErrClosed) {
		s.broken = fmt.Errorf("the syslog server ended the connection: %w", err)
	}
}
