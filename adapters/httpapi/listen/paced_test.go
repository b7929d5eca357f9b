package listen

import (
	"bytes"
	"errors"
	"io"
	"net"
	"net/http"
	"net/netip"
	"os"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"pasteport/ports/bulk"
)

// byTurns is a body that comes over a connection, by the pipe where it can each
// second time.
type byTurns struct {
	net.Conn
	turns int
}

func (b *byTurns) ReadInto(p *bulk.Pipe, buffer []byte) (int, error) {
	b.turns++
	if raw, err := b.Conn.(*net.TCPConn).SyscallConn(); err == nil && p != nil && b.turns%2 == 0 {
		n, err := p.Fill(raw, len(buffer))
		if !errors.Is(err, errors.ErrUnsupported) {
			return n, err
		}
	}
	return b.Conn.Read(buffer)
}

// pair are both ends of a connection.
func pair(t *testing.T) (here, there net.Conn) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Error(err)
		return nil, nil
	}
	defer func() { _ = l.Close() }()
	if here, err = net.Dial("tcp", l.Addr().String()); err == nil {
		there, err = l.Accept()
	}
	if err != nil {
		t.Error(err)
	}
	return here, there
}

func TestPacedConnectionsSendEverything(t *testing.T) {
	data := bytes.Repeat([]byte("0123456789abcdef"), 100_000) // 1.6 MB, several pieces
	for name, send := range map[string]func(net.Conn) error{
		"Write":    func(c net.Conn) error { _, err := c.Write(data); return err },
		"ReadFrom": func(c net.Conn) error { _, err := c.(io.ReaderFrom).ReadFrom(bytes.NewReader(data)); return err },
		"ReadFrom with a limit": func(c net.Conn) error {
			_, err := io.Copy(c, io.LimitReader(bytes.NewReader(data), int64(len(data))))
			return err
		},
		"ReadFrom by turns through a pipe": func(c net.Conn) error {
			here, there := pair(t)
			defer func() { _ = here.Close() }()
			go func() {
				_, _ = there.Write(data)
				_ = there.Close()
			}()
			_, err := bulk.Copy(c, &byTurns{Conn: here})
			return err
		},
	} {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		failed := make(chan error, 1)
		go func() {
			c, err := newPacedListener(l, -1, nil).Accept()
			if err == nil {
				err = send(c)
				c.Close()
			}
			failed <- err
		}()
		c, err := net.Dial("tcp", l.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		got, err := io.ReadAll(c)
		if err != nil || !bytes.Equal(got, data) {
			t.Errorf("%s: %d bytes, %v", name, len(got), err)
		}
		if err := <-failed; err != nil {
			t.Errorf("%s: %v", name, err)
		}
		c.Close()
		l.Close()
	}
}

func TestOneAddressCannotTakeAllConnections(t *testing.T) {
	l := newPacedListener(nil, 2, []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8")})
	from := func(addr string) net.Addr { return net.TCPAddrFromAddrPort(netip.MustParseAddrPort(addr)) }
	first, ok := l.admit(from("203.0.113.7:1"))
	_, ok2 := l.admit(from("203.0.113.7:2"))
	_, ok3 := l.admit(from("203.0.113.7:3"))
	if !ok || !ok2 || ok3 {
		t.Errorf("admitted %t %t %t", ok, ok2, ok3)
	}
	first()
	if _, ok := l.admit(from("203.0.113.7:4")); !ok {
		t.Error("a closed connection still counts")
	}
	for _, addr := range []string{"127.0.0.1:1", "10.1.2.3:1", "[::1]:1"} {
		for range 5 {
			if _, ok := l.admit(from(addr)); !ok {
				t.Errorf("%s is bounded", addr)
			}
		}
	}
	_, _ = l.admit(from("[2001:db8:1:2::1]:1"))
	_, _ = l.admit(from("[2001:db8:1:2::2]:1"))
	if _, ok := l.admit(from("[2001:db8:1:2::3]:1")); ok {
		t.Error("one /64 has more than one count")
	}
}

func TestPacedBodiesMoveTheirDeadline(t *testing.T) {
	w := &deadlines{}
	begun := time.Now()
	b := NewPacedBody(w, io.NopCloser(strings.NewReader(strings.Repeat("x", 3000))), 3000)
	if len(w.set) != 1 {
		t.Errorf("before the first read: deadlines %v", w.set)
	}
	p := make([]byte, 1000)
	if _, err := b.Read(p); err != nil {
		t.Fatal(err)
	}
	if first := w.set[0].Add(-PacedGrace); len(w.set) != 1 || first.Before(begun) || first.After(time.Now()) {
		t.Errorf("deadlines %v", w.set)
	}
	// Twenty seconds in with little read: the deadline is that of the slowest sender.
	b.start = time.Now().Add(-40 * time.Second)
	if _, err := b.Read(p); err != nil {
		t.Fatal(err)
	}
	if last := w.set[len(w.set)-1]; time.Until(last) > 0 {
		t.Errorf("a sender of 25 bytes a second may go on until %s", last)
	}
	if _, err := b.Read(p); err != nil || !w.set[len(w.set)-1].IsZero() {
		t.Errorf("the deadline stays after the body: %v, %v", w.set, err)
	}
}

func TestBodiesInABoundedPlaceHurry(t *testing.T) {
	b := NewPacedBody(&deadlines{}, io.NopCloser(strings.NewReader(strings.Repeat("x", 100_000))), 100_000)
	b.Hasten()
	p := make([]byte, 1000)
	if _, err := b.Read(p); err != nil {
		t.Fatal(err)
	}
	b.since = b.since.Add(-PacedGrace)
	if _, err := b.Read(p); !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("2000 bytes in %s: %v", PacedGrace, err)
	}
}

// deadlines is a response writer that notes read deadlines.
type deadlines struct {
	http.ResponseWriter
	set []time.Time
}

func (d *deadlines) SetReadDeadline(t time.Time) error {
	d.set = append(d.set, t)
	return nil
}

// Slow uploads may go on as long as there is room; in a crowd they give way.
func TestSlowUploadsGiveWayOnlyInACrowd(t *testing.T) {
	crowded := false
	b := NewPacedBody(&deadlines{}, io.NopCloser(strings.NewReader(strings.Repeat("x", 100_000))), 100_000)
	b.YieldTo(func() bool { return crowded })
	p := make([]byte, 1000)
	for _, crowded = range []bool{false, true} {
		b.since = b.since.Add(-PacedGrace)
		if _, err := b.Read(p); errors.Is(err, os.ErrDeadlineExceeded) != crowded {
			t.Errorf("a crowd: %t; 1000 bytes in %s: %v", crowded, PacedGrace, err)
		}
	}
}

// sender is a body of which a piece comes every so often, before the deadline.
type sender struct {
	deadlines
	every  time.Duration
	pieces int // that come; then it ends
	sent   int
}

func (s *sender) Read(p []byte) (int, error) {
	if s.sent == s.pieces {
		return 0, io.EOF
	}
	wait, left := s.every, time.Until(s.set[len(s.set)-1])
	if wait > left {
		time.Sleep(left)
		return 0, os.ErrDeadlineExceeded
	}
	time.Sleep(wait)
	s.sent++
	return len(p), nil
}

func (s *sender) Close() error { return nil }

// Who sends slowly what is refused finds the answer, not a reset connection, as long
// as something comes.
func TestContract8_14_TheRestOfARefusedBodyIsTakenIn(t *testing.T) {
	for what, c := range map[string]struct {
		sender
		stop  time.Duration // after which the server stops; 0: it does not
		taken int
		took  time.Duration
	}{
		"a slow one":              {sender{every: 500 * time.Millisecond, pieces: 40}, 0, 40, 20 * time.Second},
		"one that stops":          {sender{every: 3 * time.Second, pieces: 40}, 0, 0, lingerTime},
		"one that never ends":     {sender{every: 500 * time.Millisecond, pieces: 1 << 20}, 0, 59, lingerMost},
		"one that delays a stop":  {sender{every: 500 * time.Millisecond, pieces: 1 << 20}, 5100 * time.Millisecond, 14, 7 * time.Second},
		"one that ends before it": {sender{every: 500 * time.Millisecond, pieces: 40}, 19900 * time.Millisecond, 40, 20 * time.Second},
	} {
		synctest.Test(t, func(t *testing.T) {
			s := c.sender
			b := NewPacedBody(&s, &s, 1<<40)
			if !b.Answer() {
				t.Fatal("nothing is left")
			}
			begun, stop := time.Now(), make(chan struct{})
			if c.stop > 0 {
				time.AfterFunc(c.stop, func() { close(stop) })
			}
			b.Linger(stop)
			if took := time.Since(begun); s.sent < c.taken || s.sent > c.taken+1 || took != c.took {
				t.Errorf("%s: %d pieces in %s, want %d in %s", what, s.sent, took, c.taken, c.took)
			}
		})
	}
}

func TestInACrowdLessOfEachAnswerWaitsInTheKernel(t *testing.T) {
	const budget = 32 << 20 // bytes, of connections before a crowd begins
	if few, some, many := unsentBytes(1), unsentBytes(9), unsentBytes(500); few < 2<<20 || some >= few || many >= some {
		t.Errorf("%d bytes for one connection, %d for each of some, %d for each of many", few, some, many)
	}
	var together int
	for open := range int64(32) {
		together += unsentBytes(open + 1)
	}
	if together > budget {
		t.Errorf("%d bytes of 32 connections wait in the kernel", together)
	}
	inner, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer inner.Close()
	l := newPacedListener(inner, -1, nil)
	var open []net.Conn
	for range 3 {
		c, err := net.Dial("tcp", inner.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		accepted, err := l.Accept()
		if err != nil {
			t.Fatal(err)
		}
		open = append(open, accepted)
	}
	if n := l.all.Load(); n != 3 {
		t.Errorf("%d connections are counted of 3", n)
	}
	for _, c := range append(open, open...) { // closing twice counts once
		_ = c.Close()
	}
	if n := l.all.Load(); n != 0 {
		t.Errorf("%d connections are counted after all were closed", n)
	}
}
