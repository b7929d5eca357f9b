package listen

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"sync/atomic"
	"time"
)

// ServerOptions are the listening side of the process. Zero durations mean the
// default in the comment.
type ServerOptions struct {
	// Handler is public: the API. One that has a method Flowing() bool is given
	// Streams in place of Stop while that returns true.
	Handler  http.Handler
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
	stopping chan struct{} // closed when draining begins
}

// stoppingKey finds Server.stopping in the contexts of requests.
type stoppingKey struct{}

// Stopping is closed when the server of a request begins to stop; nil where that is
// not known.
func Stopping(ctx context.Context) <-chan struct{} {
	stopping, _ := ctx.Value(stoppingKey{}).(chan struct{})
	return stopping
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
	s := &Server{opts: opts, public: newHTTPServer(opts.Handler, opts.Log), stopping: make(chan struct{})}
	s.public.BaseContext = func(net.Listener) context.Context {
		return context.WithValue(context.Background(), stoppingKey{}, s.stopping)
	}
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
		// "OPTIONS *" is answered by the handler, which knows what is spoken here.
		DisableGeneralOptionsHandler: true,
		ErrorLog:                     slog.NewLogLogger(log.Handler(), slog.LevelDebug),
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
// Streams. Who still sends a body that was refused is not waited for. It returns an
// error when some had to be cut, or ctx ended first.
func (s *Server) Shutdown(ctx context.Context) error {
	if s.draining.CompareAndSwap(false, true) {
		close(s.stopping)
	}
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
	if a, ok := s.opts.Handler.(interface{ Flowing() bool }); ok {
		ctx, cancel := context.WithTimeout(ctx, s.opts.Stop)
		err := s.public.Shutdown(ctx)
		cancel()
		if err == nil || !a.Flowing() {
			return err
		}
		limit = s.opts.Streams - s.opts.Stop
	}
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	return s.public.Shutdown(ctx)
}
