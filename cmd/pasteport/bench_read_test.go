//go:build bench

package main

import (
	"bytes"
	"context"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"runtime"
	"slices"
	"sync"
	"syscall"
	"testing"
	"time"

	"pasteport/adapters/httpapi/listen"
	"pasteport/domain/shares"
	"pasteport/ports/policy"
)

// BenchmarkReadAgainstTheFloor reads a paste of 1 KiB from the wired program and
// from the floor in turn, over connections in memory: processor time, allocations
// and bytes of each without the kernel's part of it. On a busy machine it says more
// than rows 1 and 2.
func BenchmarkReadAgainstTheFloor(b *testing.B) {
	ours := readApp(b)
	lines := listen.NewLogWriter(io.Discard)
	b.Cleanup(func() { _ = lines.Close() })
	floor := newFloor(b).handler()
	for _, c := range []struct{ name, path, floor string }{
		{"json", "/api/paste/k1", "/api/paste/k1"}, {"raw", "/api/raw/k1", "/api/raw/k1"},
		{"json beside the same headers", "/api/paste/k1", "/headers/paste/k1"}, {"raw beside the same headers", "/api/raw/k1", "/headers/raw/k1"},
	} {
		b.Run(c.name, func(b *testing.B) {
			const block = 500 // requests
			our := dialMemory(b, c.path, func(l net.Listener) error {
				return listen.NewServer(listen.ServerOptions{Handler: ours}).Serve(l, nil)
			})
			their := dialMemory(b, c.floor, func(l net.Listener) error { return http.Serve(l, floor) })
			var ratios, took, floorTook []float64
			var allocs, floorAllocs, size, floorSize uint64
			for b.Loop() {
				o, t := our.read(b, block), their.read(b, block)
				ratios, took, floorTook = append(ratios, o.cpu/t.cpu), append(took, o.cpu/block), append(floorTook, t.cpu/block)
				allocs, floorAllocs, size, floorSize = allocs+o.allocs, floorAllocs+t.allocs, size+o.bytes, floorSize+t.bytes
			}
			n := uint64(b.N) * block
			b.ReportMetric(median(ratios), "of-floor")
			b.ReportMetric(slices.Min(took), "cpu-ns/read")
			b.ReportMetric(slices.Min(floorTook), "floor-cpu-ns/read")
			b.ReportMetric(float64(allocs/n), "allocs/read")
			b.ReportMetric(float64(floorAllocs/n), "floor-allocs/read")
			b.ReportMetric(float64(size/n), "B/read")
			b.ReportMetric(float64(floorSize/n), "floor-B/read")
			b.ReportMetric(0, "ns/op")
		})
	}
}

// readApp is the wired program with a paste of 1 KiB under "k1".
func readApp(b *testing.B) http.Handler {
	lines := listen.NewLogWriter(io.Discard)
	b.Cleanup(func() { _ = lines.Close() })
	var c cli
	p, err := commandLine(&c)
	if err != nil {
		b.Fatal(err)
	}
	if _, err := p.Parse([]string{"--data-dir", b.TempDir(), "--rate-limits", "off"}); err != nil {
		b.Fatal(err)
	}
	a, err := newApp(context.Background(), &c.settings, slog.New(slog.DiscardHandler), slog.New(c.handler(lines, slog.LevelInfo)))
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = a.close() })
	admin := policy.Principal{Kind: policy.Admin, ID: "admin", BasicPath: "/"}
	if _, err := a.pastes.Create(b.Context(), admin, shares.NewPaste{Slug: "k1", Content: []byte(text(1024))}); err != nil {
		b.Fatal(err)
	}
	return a.api
}

// memoryReader reads one address over one connection that is kept.
type memoryReader struct {
	conn    net.Conn
	request []byte
	answer  []byte
}

// dialMemory makes a connection in memory to what serve serves.
func dialMemory(b *testing.B, path string, serve func(net.Listener) error) *memoryReader {
	here, there := net.Pipe()
	l := &memoryListener{conn: make(chan net.Conn, 1), done: make(chan struct{})}
	l.conn <- fileless{there}
	served := make(chan error, 1)
	go func() { served <- serve(l) }()
	b.Cleanup(func() {
		_ = here.Close()
		_ = l.Close()
		<-served
	})
	return &memoryReader{here, []byte("GET " + path + " HTTP/1.1\r\nHost: 127.0.0.1:8080\r\n\r\n"), make([]byte, 16<<10)}
}

type usedUp struct {
	cpu           float64 // ns
	allocs, bytes uint64
}

// read reads so many times.
func (m *memoryReader) read(b *testing.B, times int) usedUp {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	start := ownTime()
	for range times {
		if _, err := m.conn.Write(m.request); err != nil {
			b.Fatal(err)
		}
		n, err := m.conn.Read(m.answer)
		if err != nil || !bytes.HasPrefix(m.answer[:n], []byte("HTTP/1.1 200")) {
			b.Fatalf("%s, %v", m.answer[:n], err)
		}
	}
	used := ownTime() - start
	runtime.ReadMemStats(&after)
	return usedUp{float64(used), after.Mallocs - before.Mallocs, after.TotalAlloc - before.TotalAlloc}
}

// ownTime is the processor time of this process.
func ownTime() time.Duration {
	var use syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &use)
	return time.Duration(use.Utime.Nano() + use.Stime.Nano())
}

// fileless is a connection that can be given a file to send, as those of TCP.
type fileless struct{ net.Conn }

func (f fileless) RemoteAddr() net.Addr {
	return net.TCPAddrFromAddrPort(netip.MustParseAddrPort("127.0.0.1:4711"))
}

func (f fileless) ReadFrom(src io.Reader) (int64, error) { return io.Copy(f.Conn, src) }

// memoryListener gives out one connection.
type memoryListener struct {
	conn   chan net.Conn
	done   chan struct{}
	closed sync.Once
}

func (l *memoryListener) Accept() (net.Conn, error) {
	select {
	case c := <-l.conn:
		return c, nil
	case <-l.done:
		return nil, net.ErrClosed
	}
}

func (l *memoryListener) Close() error {
	l.closed.Do(func() { close(l.done) })
	return nil
}

func (l *memoryListener) Addr() net.Addr { return memoryAddress{} }

type memoryAddress struct{}

func (memoryAddress) Network() string { return "memory" }
func (memoryAddress) String() string  { return "memory" }
