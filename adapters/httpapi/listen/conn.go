package listen

import (
	"errors"
	"io"
	"net"
	"net/netip"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"pasteport/ports/bulk"
)

// pacedListener makes connections that end when the other side stops reading,
// and closes those over the bound of their address at once.
type pacedListener struct {
	net.Listener
	max       int // connections of one address; negative: no bound
	unbounded []netip.Prefix

	all  atomic.Int64 // open connections
	mu   sync.Mutex
	open map[netip.Addr]int
}

func newPacedListener(l net.Listener, max int, unbounded []netip.Prefix) *pacedListener {
	return &pacedListener{Listener: l, max: max, unbounded: unbounded, open: map[netip.Addr]int{}}
}

func (l *pacedListener) Accept() (net.Conn, error) {
	for {
		c, err := l.Listener.Accept()
		if err != nil {
			return nil, err
		}
		fast, ok := c.(fastConn)
		if !ok {
			return c, nil
		}
		release, ok := l.admit(c.RemoteAddr())
		if !ok {
			c.Close()
			continue
		}
		boundUnsent(c, unsentBytes(l.all.Add(1)))
		return &pacedConn{fastConn: fast, release: func() {
			l.all.Add(-1)
			if release != nil {
				release()
			}
		}}, nil
	}
}

// unsentBytes is how much of an answer may wait in the kernel for a reader that
// does not keep up, with so many connections open. What is under way to a far
// reader is not bounded by it. The larger the bound, the less often the writer is
// woken: a file from the disk costs a third less processor time with 2 MiB than
// with a quarter of it. With many readers such bounds would add up.
func unsentBytes(connections int64) int {
	switch {
	case connections <= 8:
		return 2 << 20
	case connections <= 32:
		return 512 << 10
	}
	return 128 << 10
}

// admit counts a connection; release ends the count and may be nil.
func (l *pacedListener) admit(from net.Addr) (release func(), ok bool) {
	peer, err := netip.ParseAddrPort(from.String())
	if err != nil || l.max < 0 || peer.Addr().Unmap().IsLoopback() {
		return nil, true
	}
	for _, p := range l.unbounded {
		if p.Contains(peer.Addr().Unmap()) {
			return nil, true
		}
	}
	addr := Network(peer.Addr().Unmap())
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.open[addr] >= l.max {
		return nil, false
	}
	l.open[addr]++
	return func() { l.leave(addr) }, true
}

func (l *pacedListener) leave(addr netip.Addr) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.open[addr]--; l.open[addr] <= 0 {
		delete(l.open, addr)
	}
}

// fastConn is a connection that can send files by itself, as *net.TCPConn.
type fastConn interface {
	net.Conn
	io.ReaderFrom
}

// pacedConn gives each write a deadline: the grace and the time its bytes take
// at the slowest allowed rate. Files still go out by sendfile, in pieces.
type pacedConn struct {
	fastConn
	set     time.Time // when the deadline of writes was last moved
	reads   readDeadline
	release func() // ends the count of the connection; nil: it is not counted
	closed  sync.Once
}

// Read reads until the deadline that was last asked for.
func (c *pacedConn) Read(p []byte) (int, error) {
	c.reads.begin(c.fastConn.SetReadDeadline)
	defer c.reads.end()
	for {
		n, err := c.fastConn.Read(p)
		if n > 0 || err == nil || !c.reads.early(err, c.fastConn.SetReadDeadline) {
			return n, err
		}
	}
}

// SetReadDeadline implements net.Conn.
func (c *pacedConn) SetReadDeadline(t time.Time) error {
	return c.reads.set(t, c.fastConn.SetReadDeadline)
}

// SetDeadline implements net.Conn.
func (c *pacedConn) SetDeadline(t time.Time) error {
	return errors.Join(c.SetReadDeadline(t), c.SetWriteDeadline(t))
}

// Close closes the connection and ends its count.
func (c *pacedConn) Close() error {
	if c.release != nil {
		c.closed.Do(c.release)
	}
	return c.fastConn.Close()
}

// pacedPiece is how much one deadline covers, in bytes.
const pacedPiece = 512 << 10

// Write sends p in pieces.
func (c *pacedConn) Write(p []byte) (int, error) {
	sent := 0
	for {
		piece := p[sent:min(len(p), sent+pacedPiece)]
		c.allow(len(piece))
		n, err := c.fastConn.Write(piece)
		if sent += n; err != nil || sent == len(p) {
			return sent, err
		}
	}
}

// ReadFrom copies src: by the kernel, in pieces, where src is a file or a
// connection, else through a buffer that is used again.
func (c *pacedConn) ReadFrom(src io.Reader) (int64, error) {
	from, rest := src, int64(1<<63-1)
	limited, isLimited := src.(*io.LimitedReader)
	if isLimited {
		from, rest = limited.R, limited.N
	}
	if _, ok := from.(syscall.Conn); !ok {
		return c.copyFrom(src)
	}
	var sent int64
	for rest > 0 {
		want := min(pacedPiece, rest)
		n, err := c.sendPiece(from, want)
		sent, rest = sent+n, rest-n
		if isLimited {
			limited.N = rest
		}
		if err != nil {
			return sent, err
		}
		if n < want {
			return sent, nil // the end of src
		}
	}
	return sent, nil
}

// sendPiece lets the kernel copy at most n bytes.
func (c *pacedConn) sendPiece(src io.Reader, n int64) (int64, error) {
	c.allow(int(n))
	return c.fastConn.ReadFrom(&io.LimitedReader{R: src, N: n})
}

// copyFrom copies src through a buffer, or through a pipe of the kernel where src
// has a way into one.
func (c *pacedConn) copyFrom(src io.Reader) (int64, error) {
	buf, release := bulk.Buffer()
	defer release()
	if source, ok := src.(bulk.Source); ok && len(buf) == bulk.Large {
		if conn, ok := c.fastConn.(syscall.Conn); ok {
			return c.pipeFrom(source, conn, buf)
		}
	}
	return io.CopyBuffer(onlyWriter{c}, onlyReader{src}, buf)
}

// pipeFrom copies src, whose bytes come by the pipe or by the buffer.
func (c *pacedConn) pipeFrom(src bulk.Source, conn syscall.Conn, buf []byte) (sent int64, err error) {
	to, err := conn.SyscallConn()
	if err != nil {
		return 0, err
	}
	pipe := bulk.NewPipe()
	if pipe == nil {
		return io.CopyBuffer(onlyWriter{c}, onlyReader{src}, buf)
	}
	defer pipe.Close()
	for {
		n, ended := src.ReadInto(pipe, buf)
		if pipe.Held() > 0 {
			c.allow(n)
			n, err = pipe.Drain(to)
		} else {
			n, err = c.Write(buf[:n])
		}
		sent += int64(n)
		switch {
		case err != nil:
			return sent, err
		case ended == io.EOF:
			return sent, nil
		case ended != nil:
			return sent, ended
		}
	}
}

// onlyWriter and onlyReader hide everything else, so that the buffer is used.
type (
	onlyWriter struct{ io.Writer }
	onlyReader struct{ io.Reader }
)

// allow moves the deadline for the next n bytes. A deadline that was set less
// than five seconds ago is fresh enough for small ones.
func (c *pacedConn) allow(n int) {
	now := time.Now()
	if n <= 4096 && now.Sub(c.set) < 5*time.Second {
		return
	}
	c.set = now
	_ = c.SetWriteDeadline(now.Add(PacedGrace + time.Duration(n)*time.Second/pacedRate))
}

// Network is what counts as one address: of IPv6 its /64.
func Network(addr netip.Addr) netip.Addr {
	if addr.Is6() {
		if p, err := addr.Prefix(64); err == nil {
			return p.Addr()
		}
	}
	return addr
}
