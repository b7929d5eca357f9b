//go:build bench

package main

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"image"
	"image/png"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"pasteport/ports/portstest/figures"
)

// idleConnections and activeConnections are what TestBenchLoad holds open.
const (
	idleConnections   = 1000
	activeConnections = 256
)

// TestBenchLoad has a thousand connections rest and 256 read and write, for
// PASTEPORT_BENCH_MINUTES (1): p99 and memory of the last third against the
// first. Then the same while folders are indexed and pictures are made smaller.
func TestBenchLoad(t *testing.T) {
	minutes, err := strconv.ParseFloat(cmp.Or(os.Getenv("PASTEPORT_BENCH_MINUTES"), "1"), 64)
	if err != nil || minutes <= 0 {
		t.Fatalf("PASTEPORT_BENCH_MINUTES: %v", err)
	}
	b := &bench{t: t, dir: t.TempDir(), sheet: figures.New(t, "load")}
	b.p = start(t, filepath.Join(b.dir, "data"), "PASTEPORT_LOG_LEVEL=info")
	b.admin = b.p.measuring()
	b.paste("k1", text(1024))
	idle := b.idlers()
	var took []float64
	var memory []float64
	rounds := max(3, int(minutes*60)/benchSeconds)
	for range rounds {
		l := b.wrk(b.pid(), activeConnections, b.p.url, b.mixScript())
		if l.bad {
			t.Error("answers other than 2xx")
		}
		took, memory = append(took, float64(l.p99)/float64(time.Millisecond)), append(memory, resident(b.pid(), "VmRSS"))
	}
	third := len(took) / 3
	first, last := median(slices.Clone(took[:third])), median(slices.Clone(took[len(took)-third:]))
	b.add("p99 of 256 connections beside 1,000 idle ones, last third of the first", last/first, "", fmt.Sprintf("%.2f (%.1f ms, %.1f ms; %d rounds)", last/first, last, first, rounds), "<= 1.25")
	before, after := median(slices.Clone(memory[:third])), median(slices.Clone(memory[len(memory)-third:]))
	b.add("memory, last third over the first", after-before, "MiB", fmt.Sprintf("%.1f MiB (%.1f MiB, %.1f MiB)", after-before, after, before), "<= 16")
	b.add("idle connections that still answer", float64(idle.answering()), "", "", fmt.Sprintf(">= %d", idleConnections))
	b.background()
	b.sheet.End()
}

func (b *bench) mixScript() string {
	body, _ := json.Marshal(map[string]any{"content": text(512)})
	return fmt.Sprintf(mixLoad, b.admin.auth, body)
}

// idlers are connections that have asked once and stay open. They ask again every
// half minute, before the server lets go of them.
type idlers struct {
	b     *bench
	mu    sync.Mutex
	conns []net.Conn
}

func (b *bench) idlers() *idlers {
	at := strings.TrimPrefix(b.p.url, "http://")
	i := &idlers{b: b}
	for range idleConnections {
		c, err := net.Dial("tcp", at)
		if err != nil {
			b.t.Fatal(err)
		}
		b.t.Cleanup(func() { c.Close() })
		i.conns = append(i.conns, c)
	}
	i.answering()
	go func() {
		every := time.NewTicker(30 * time.Second)
		defer every.Stop()
		for {
			select {
			case <-every.C:
				i.answering()
			case <-b.t.Context().Done():
				return
			}
		}
	}()
	return i
}

// answering asks on each connection and counts the answers.
func (i *idlers) answering() (n int) {
	i.mu.Lock()
	defer i.mu.Unlock()
	for _, c := range i.conns {
		c.SetDeadline(time.Now().Add(10 * time.Second))
		if _, err := io.WriteString(c, "GET /api/health HTTP/1.1\r\nHost: x\r\n\r\n"); err != nil {
			continue
		}
		a, err := http.ReadResponse(bufio.NewReader(c), nil)
		if err != nil {
			continue
		}
		io.Copy(io.Discard, a.Body)
		a.Body.Close()
		if a.StatusCode == http.StatusOK {
			n++
		}
	}
	return n
}

// background compares p99 with and without work behind: a folder that is indexed
// anew again and again, and pictures whose small ones nobody has made yet.
func (b *bench) background() {
	folder := filepath.Join(b.p.dir, localFolder, "behind")
	if err := os.MkdirAll(folder, 0o700); err != nil {
		b.t.Fatal(err)
	}
	var picture bytes.Buffer
	if err := png.Encode(&picture, image.NewGray(image.Rect(0, 0, 1600, 1200))); err != nil {
		b.t.Fatal(err)
	}
	const files = 2000
	for i := range files {
		if err := os.WriteFile(filepath.Join(folder, fmt.Sprintf("%04d.png", i)), picture.Bytes(), 0o600); err != nil {
			b.t.Fatal(err)
		}
	}
	var all []struct {
		ID string `json:"id"`
	}
	b.admin.get("/api/admin/mounts").into(b.t, &all)
	if len(all) == 0 {
		b.t.Fatal("no mount")
	}
	var made, scans atomic.Int64
	measure := func(work bool) float64 {
		ctx, stop := context.WithCancel(b.t.Context())
		defer stop()
		var workers sync.WaitGroup
		if work {
			workers.Go(func() {
				for ctx.Err() == nil {
					b.admin.post("/api/admin/mounts/"+all[0].ID+"/index", map[string]any{})
					scans.Add(1)
					select {
					case <-ctx.Done():
					case <-time.After(100 * time.Millisecond): // the pace of the asker
					}
				}
			})
			workers.Go(func() {
				for ctx.Err() == nil {
					if a := b.admin.get(fmt.Sprintf("/api/fs/thumbnail?path=/local/behind/%04d.png&size=256", made.Add(1)%files)); a.status >= 500 && a.status != http.StatusServiceUnavailable {
						b.t.Errorf("thumbnail: %d %s", a.status, a.body)
						return
					}
				}
			})
		}
		p99 := b.wrk(b.pid(), activeConnections, b.p.url, b.mixScript()).p99
		stop()
		workers.Wait()
		return float64(p99) / float64(time.Millisecond)
	}
	var ratios []float64
	var last string
	for range benchRounds {
		alone, beside := measure(false), measure(true)
		ratios, last = append(ratios, beside/alone), fmt.Sprintf("%.1f ms and %.1f ms", beside, alone)
	}
	b.add("p99 beside indexing and thumbnails, of without", median(ratios), "", fmt.Sprintf("%.2f (last %s; %d pictures, %d scans asked for)", median(ratios), last, made.Load(), scans.Load()), "<= 1.1")
}
