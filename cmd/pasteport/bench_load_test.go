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
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"text/tabwriter"
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
// PASTEPORT_BENCH_MINUTES (10), and prints what each minute was like: p99 and memory
// of the last third are compared with the first. Then the same while folders are
// indexed and pictures are made smaller.
func TestBenchLoad(t *testing.T) {
	minutes, err := strconv.ParseFloat(cmp.Or(os.Getenv("PASTEPORT_BENCH_MINUTES"), "10"), 64)
	if err != nil || minutes <= 0 {
		t.Fatalf("PASTEPORT_BENCH_MINUTES: %v", err)
	}
	b := &bench{t: t, dir: t.TempDir(), sheet: figures.New(t, "load")}
	b.p = startUnheard(t, filepath.Join(b.dir, "data"), "PASTEPORT_LOG_LEVEL=info")
	b.admin = b.p.measuring()
	script := b.crowd()
	idle := b.idlers()
	rounds := max(3, int(minutes))
	seconds := max(1, int(minutes*60)/rounds)
	b.wrkFor(min(seconds, 10), b.pid(), activeConnections, b.p.url, script) // caches fill, the memory of connections is taken
	var all []minute
	for range rounds {
		l := b.wrkFor(seconds, b.pid(), activeConnections, b.p.url, script)
		if l.bad {
			t.Error("answers other than 2xx")
		}
		all = append(all, b.minute(l))
	}
	if err := printMinutes(t.Output(), all, seconds); err != nil {
		t.Error(err)
	}
	third := len(all) / 3
	compare := func(what string, of func(minute) float64) (first, last float64) {
		values := make([]float64, len(all))
		for i, m := range all {
			values[i] = of(m)
		}
		t.Logf("%s: %.1f", what, values)
		return median(slices.Clone(values[:third])), median(slices.Clone(values[len(values)-third:]))
	}
	first, last := compare("p99, ms", func(m minute) float64 { return float64(m.p99) / float64(time.Millisecond) })
	b.add("p99 of 256 connections beside 1,000 idle ones, last third of the first", last/first, "", fmt.Sprintf("%.2f (%.1f ms, %.1f ms; %d times %d s)", last/first, last, first, rounds, seconds), "<= 1.25")
	first, last = compare("live heap, MiB", func(m minute) float64 { return m.heap })
	b.add("live heap, last third over the first", last-first, "MiB", fmt.Sprintf("%.1f MiB (%.1f MiB, %.1f MiB)", last-first, last, first), "<= 16")
	first, last = compare("resident, MiB", func(m minute) float64 { return m.resident })
	b.add("memory, last third over the first", last-first, "MiB", fmt.Sprintf("%.1f MiB (%.1f MiB, %.1f MiB)", last-first, last, first), "<= 16")
	first, last = compare("goroutines", func(m minute) float64 { return m.goroutines })
	b.add("goroutines, last third of the first", last/first, "", fmt.Sprintf("%.2f (%.0f, %.0f)", last/first, last, first), "<= 1.1")
	b.add("idle connections that still answer", float64(idle.answering()), "", "", fmt.Sprintf(">= %d", idleConnections))
	b.background(script)
	b.sheet.End()
}

// minute is what the server was like in one of the rounds.
type minute struct {
	load
	resident, heap float64 // MiB; the heap once the collector has been through it
	goroutines     float64 // while only the idle ones are connected
}

var (
	heapLine       = regexp.MustCompile(`# HeapAlloc = (\d+)`)
	goroutinesLine = regexp.MustCompile(`goroutine profile: total (\d+)`)
)

// minute asks the server how it is after a round.
func (b *bench) minute(l load) minute {
	m := minute{load: l, resident: resident(b.pid(), "VmRSS")}
	ask := func(path string, line *regexp.Regexp) float64 {
		a, err := http.Get(b.p.internal + path)
		if err != nil {
			b.t.Fatal(err)
		}
		defer a.Body.Close()
		text, err := io.ReadAll(a.Body)
		if err != nil {
			b.t.Fatal(err)
		}
		return number(b.t, line.FindSubmatch(text), text)
	}
	m.heap = ask("/debug/pprof/heap?gc=1&debug=1", heapLine) / (1 << 20)
	m.goroutines = ask("/debug/pprof/goroutine?debug=1", goroutinesLine)
	return m
}

// printMinutes prints a row for each round.
func printMinutes(to io.Writer, all []minute, seconds int) error {
	w := tabwriter.NewWriter(to, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintf(w, "s\trequests/s\tp99 ms\tcpu µs a request\tresident MiB\tlive heap MiB\tgoroutines\t\n")
	for i, m := range all {
		fmt.Fprintf(w, "%d\t%.0f\t%.1f\t%.1f\t%.1f\t%.1f\t%.0f\t%s\n", (i+1)*seconds, m.rate, float64(m.p99)/float64(time.Millisecond), micros(m.cpu), m.resident, m.heap, m.goroutines, badMark(m.bad))
	}
	return w.Flush()
}

// crowdLoad is what readers and writers do, in turns of twenty requests: 15 texts
// and a raw one, two creates, the newest texts, a folder. Its values are a credential
// and the body of a create.
const crowdLoad = `local n, all = 0, nil
request = function()
	if not all then
		local auth = {["Host"]=wrk.headers["Host"], ["Authorization"]=%q}
		local json = {["Host"]=wrk.headers["Host"], ["Content-Type"]="application/json", ["Authorization"]=auth["Authorization"]}
		all = {}
		for i = 0, 639 do
			local turn = i %% 20
			if turn == 4 or turn == 14 then
				all[i] = wrk.format("POST", "/api/paste", json, %q)
			elseif turn == 9 then
				all[i] = wrk.format("GET", "/api/pastes?limit=20", auth)
			elseif turn == 19 then
				all[i] = wrk.format("GET", "/api/fs/list?path=/local/shelf", auth)
			elseif turn == 0 then
				all[i] = wrk.format("GET", "/api/raw/k" .. i %% 64)
			else
				all[i] = wrk.format("GET", "/api/paste/k" .. i %% 64)
			end
		end
	end
	n = n + 1
	return all[n %% 640]
end`

// crowd stores what a crowd reads, and returns its script.
func (b *bench) crowd() string {
	for i := range 64 {
		b.paste(fmt.Sprintf("k%d", i), text(1024))
	}
	shelf := filepath.Join(b.p.dir, localFolder, "shelf")
	if err := os.MkdirAll(shelf, 0o700); err != nil {
		b.t.Fatal(err)
	}
	for i := range 50 {
		if err := os.WriteFile(filepath.Join(shelf, fmt.Sprintf("%02d.txt", i)), []byte("x"), 0o600); err != nil {
			b.t.Fatal(err)
		}
	}
	body, err := json.Marshal(map[string]any{"content": text(512)})
	if err != nil {
		b.t.Fatal(err)
	}
	return fmt.Sprintf(crowdLoad, b.admin.auth, body)
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

// background compares p99 and what requests are left of the processors with and
// without work behind: a hundred thousand files that the index does not know, and
// pictures whose small ones nobody has made yet.
func (b *bench) background(script string) {
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
		l := b.wrk(b.pid(), activeConnections, b.p.url, script)
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
