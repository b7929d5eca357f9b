package httpapi

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
)

// ServerOptions are the listening side of the process. Zero durations mean the
// default in the comment.
type ServerOptions struct {
	Handler  http.Handler  // public: the API
	Internal http.Handler  // probes and metrics; nil: no internal listener
	Log      *slog.Logger  // nil: none
	Drain    time.Duration // wait between failing readiness and closing: 2 s; negative: none
	Stop     time.Duration // how long requests may run on: 30 s
	Streams  time.Duration // how long streams may: 120 s
	// PerAddress bounds the open connections of one address: 1000; negative:
	// no bound. Loopback and the networks in Unbounded have none: proxies.
	PerAddress int
	Unbounded  []netip.Prefix
}

// Server serves the public and the internal listener until it is shut down.
type Server struct {
	opts     ServerOptions
	public   *http.Server
	internal *http.Server
	draining atomic.Bool
}

// NewServer sets both sides up; it does not listen.
func NewServer(opts ServerOptions) *Server {
	or := func(d *time.Duration, fallback time.Duration) {
		if *d == 0 {
			*d = fallback
		}
	}
	or(&opts.Drain, 2*time.Second)
	or(&opts.Stop, 30*time.Second)
	or(&opts.Streams, 120*time.Second)
	if opts.PerAddress == 0 {
		opts.PerAddress = 1000
	}
	if opts.Log == nil {
		opts.Log = slog.New(slog.DiscardHandler)
	}
	s := &Server{opts: opts, public: newHTTPServer(opts.Handler, opts.Log)}
	if opts.Internal != nil {
		s.internal = newHTTPServer(opts.Internal, opts.Log)
	}
	return s
}

// newHTTPServer bounds what a stranger can hold open: headers by time and
// size here, bodies and answers by their progress.
func newHTTPServer(h http.Handler, log *slog.Logger) *http.Server {
	return &http.Server{
		Handler:           h,
		ReadHeaderTimeout: 10 * time.Second,
		IdleTimeout:       120 * time.Second,
		MaxHeaderBytes:    32<<10 - 4096, // net/http adds 4 KiB
		ErrorLog:          slog.NewLogLogger(log.Handler(), slog.LevelDebug),
	}
}

// Serve answers on the listeners and returns nil after Shutdown. internal may
// be nil. The listeners are closed.
func (s *Server) Serve(public, internal net.Listener) error {
	failed := make(chan error, 2)
	running := 1
	go func() { failed <- s.public.Serve(newPacedListener(public, s.opts.PerAddress, s.opts.Unbounded)) }()
	if internal != nil && s.internal != nil {
		running++
		go func() { failed <- s.internal.Serve(internal) }()
	}
	var first error
	for range running {
		if err := <-failed; !errors.Is(err, http.ErrServerClosed) && first == nil {
			first = err
			_ = s.public.Close()
			if s.internal != nil {
				_ = s.internal.Close()
			}
		}
	}
	return first
}

// Draining reports whether a stop has begun; readiness fails then.
func (s *Server) Draining() bool { return s.draining.Load() }

// Shutdown fails readiness, waits for balancers to notice, refuses new
// connections and lets requests end: up to Stop, while streams flow up to
// Streams. It returns an error when some had to be cut, or ctx ended first.
func (s *Server) Shutdown(ctx context.Context) error {
	s.draining.Store(true)
	s.public.SetKeepAlivesEnabled(false)
	if s.opts.Drain > 0 {
		select {
		case <-time.After(s.opts.Drain):
		case <-ctx.Done():
		}
	}
	err := s.finish(ctx)
	if err != nil {
		_ = s.public.Close()
	}
	if s.internal != nil {
		_ = s.internal.Close()
	}
	return err
}

// finish waits for the requests under way.
func (s *Server) finish(ctx context.Context) error {
	limit := s.opts.Stop
	if a, ok := s.opts.Handler.(*API); ok {
		ctx, cancel := context.WithTimeout(ctx, s.opts.Stop)
		err := s.public.Shutdown(ctx)
		cancel()
		if err == nil || len(a.classes[Streaming]) == 0 {
			return err
		}
		limit = s.opts.Streams - s.opts.Stop
	}
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	return s.public.Shutdown(ctx)
}

// pacedListener makes connections that end when the other side stops reading,
// and closes those over the bound of their address at once.
type pacedListener struct {
	net.Listener
	max       int // connections of one address; negative: no bound
	unbounded []netip.Prefix

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
		return &pacedConn{fastConn: fast, release: release}, nil
	}
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
	addr := clientAddress{addr: peer.Addr().Unmap()}.key()
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
	set     time.Time // when the deadline was last moved
	release func()    // nil: the connection is not counted
	closed  sync.Once
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

// ReadFrom copies src in pieces: by the kernel where src is a file or a
// connection, else through a buffer that is used again.
func (c *pacedConn) ReadFrom(src io.Reader) (int64, error) {
	rest := int64(1<<63 - 1)
	limited, isLimited := src.(*io.LimitedReader)
	if isLimited {
		src, rest = limited.R, limited.N
	}
	copyPiece := c.copyPiece
	if _, ok := src.(syscall.Conn); ok {
		copyPiece = c.sendPiece
	}
	var sent int64
	for rest > 0 {
		want := min(pacedPiece, rest)
		n, err := copyPiece(src, want)
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

// pieces are the buffers of copies that the kernel cannot do.
var pieces = sync.Pool{New: func() any { return new([64 << 10]byte) }}

// copyPiece copies at most n bytes through a buffer.
func (c *pacedConn) copyPiece(src io.Reader, n int64) (int64, error) {
	buf := pieces.Get().(*[64 << 10]byte)
	defer pieces.Put(buf)
	return io.CopyBuffer(onlyWriter{c}, onlyReader{&io.LimitedReader{R: src, N: n}}, buf[:])
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
	_ = c.SetWriteDeadline(now.Add(pacedGrace + time.Duration(n)*time.Second/pacedRate))
}
