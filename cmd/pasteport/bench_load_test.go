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
	"image/jpeg"
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

	"pasteport/ports/portstest"
	"pasteport/ports/portstest/figures"
)

// idleConnections and activeConnections are what TestBenchLoad holds open.
const (
	idleConnections   = 1000
	activeConnections = 256
)

// TestBenchLoad has a thousand connections rest and 256 read and write, for
// PASTEPORT_BENCH_MINUTES (1): p99 and memory of the last third against the
// first. Then p99 while folders are indexed and pictures are made smaller.
func TestBenchLoad(t *testing.T) {
	minutes, err := strconv.ParseFloat(cmp.Or(os.Getenv("PASTEPORT_BENCH_MINUTES"), "1"), 64)
	if err != nil || minutes <= 0 {
		t.Fatalf("PASTEPORT_BENCH_MINUTES: %v", err)
	}
	b := &bench{t: t, dir: t.TempDir(), sheet: figures.New(t, "load")}
	b.p = start(t, filepath.Join(b.dir, "data"), "PASTEPORT_LOG_LEVEL=info")
	b.admin = b.p.measuring()
	b.paste("k1", text(1024))
	b.part("crowd", func() { b.crowd(max(3, int(minutes*60)/benchSeconds)) })
	b.part("background", b.background)
	b.sheet.End()
}

// crowd reads and writes for so many rounds beside connections that rest.
func (b *bench) crowd(rounds int) {
	idle := b.idlers()
	var took []float64
	var memory []float64
	for range rounds {
		l := b.wrk(b.pid(), activeConnections, b.p.url, b.mixScript())
		if l.bad {
			b.t.Error("answers other than 2xx")
		}
		took, memory = append(took, float64(l.p99)/float64(time.Millisecond)), append(memory, resident(b.pid(), "VmRSS"))
	}
	third := len(took) / 3
	first, last := median(slices.Clone(took[:third])), median(slices.Clone(took[len(took)-third:]))
	b.add("p99 of 256 connections beside 1,000 idle ones, last third of the first", last/first, "", fmt.Sprintf("%.2f (%.1f ms, %.1f ms; %d rounds)", last/first, last, first, rounds), "<= 1.25")
	before, after := median(slices.Clone(memory[:third])), median(slices.Clone(memory[len(memory)-third:]))
	b.add("memory, last third over the first", after-before, "MiB", fmt.Sprintf("%.1f MiB (%.1f MiB, %.1f MiB)", after-before, after, before), "<= 16")
	b.add("idle connections that still answer", float64(idle.answering()), "", "", fmt.Sprintf(">= %d", idleConnections))
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
	over := b.t.Context().Done()
	go func() {
		every := time.NewTicker(30 * time.Second)
		defer every.Stop()
		for {
			select {
			case <-every.C:
				i.answering()
			case <-over:
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

// background compares p99 and what requests are left of the processors with and
// without work behind: a hundred thousand files that the index does not know, and
// pictures whose small ones nobody has made yet.
func (b *bench) background() {
	folder := filepath.Join(b.p.dir, localFolder)
	pictures := b.pictures(filepath.Join(folder, "behind"))
	files := filepath.Join(folder, "files0")
	for i := range 100_000 {
		dir := filepath.Join(files, strconv.Itoa(i/1000))
		if i%1000 == 0 {
			if err := os.MkdirAll(dir, 0o700); err != nil {
				b.t.Fatal(err)
			}
		}
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("file-%06d.txt", i)), nil, 0o600); err != nil {
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
	index := "/api/admin/mounts/" + all[0].ID + "/index"
	indexed := func() bool {
		var state struct{ TaskID string }
		b.admin.get(index).into(b.t, &state)
		return state.TaskID == ""
	}
	var made atomic.Int64
	measure := func(work bool) load {
		ctx, stop := context.WithCancel(b.t.Context())
		defer stop()
		var workers sync.WaitGroup
		if work {
			b.admin.post(index, map[string]any{})
			for range 2 {
				workers.Go(func() {
					for ctx.Err() == nil {
						if a := b.admin.get(fmt.Sprintf("/api/fs/thumbnail?path=/local/behind/%04d.jpg&size=256", made.Add(1)%pictures)); a.status >= 500 && a.status != http.StatusServiceUnavailable {
							b.t.Errorf("thumbnail: %d %s", a.status, a.body)
							return
						}
					}
				})
			}
		}
		l := b.wrk(b.pid(), activeConnections, b.p.url, b.mixScript())
		stop()
		workers.Wait()
		return l
	}
	var late, cost []float64
	var last string
	for round := range benchRounds {
		if !portstest.Happens(10*time.Minute, indexed) {
			b.t.Fatal("the index is not done")
		}
		to := filepath.Join(folder, fmt.Sprintf("files%d", round+1)) // all of it is new to the index
		if err := os.Rename(files, to); err != nil {
			b.t.Fatal(err)
		}
		files = to
		alone, beside := measure(false), measure(true)
		late, cost = append(late, float64(beside.p99)/float64(alone.p99)), append(cost, float64(beside.cpu)/float64(alone.cpu))
		last = fmt.Sprintf("%v and %v", beside.p99, alone.p99)
	}
	b.add("p99 beside indexing and thumbnails, of without", median(late), "", fmt.Sprintf("%.2f (last %s; %d pictures)", median(late), last, made.Load()), "<= 1.1")
	b.add("processor time per request beside indexing and thumbnails, of without", median(cost), "", "", "<= 1.1")
}

// pictures makes a folder of pictures as phones send them on, and tells how many.
func (b *bench) pictures(folder string) int64 {
	if err := os.MkdirAll(folder, 0o700); err != nil {
		b.t.Fatal(err)
	}
	m := image.NewGray(image.Rect(0, 0, 1600, 1200))
	for i, grain := range pattern(7, len(m.Pix)) {
		m.Pix[i] = uint8(i/m.Stride/8) + grain/16
	}
	var picture bytes.Buffer
	if err := jpeg.Encode(&picture, m, nil); err != nil {
		b.t.Fatal(err)
	}
	first := filepath.Join(folder, "0000.jpg")
	if err := os.WriteFile(first, picture.Bytes(), 0o600); err != nil {
		b.t.Fatal(err)
	}
	const files = 2000
	for i := range files - 1 {
		if err := os.Link(first, filepath.Join(folder, fmt.Sprintf("%04d.jpg", i+1))); err != nil {
			b.t.Fatal(err)
		}
	}
	return files
}
