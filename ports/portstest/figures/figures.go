// Package figures prints what a bench has measured as one table: each figure with
// its bar, and what became of it since the result that is kept in docs/bench.
//
// PASTEPORT_BENCH_KEEP=1 keeps a result in place of the one before; rows that a run
// has left out stay as they were. A file holds
// figures, and how busy the machine was; nothing of it says whose machine it was.
package figures

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"text/tabwriter"
	"time"
)

// Figure is one row of the table.
type Figure struct {
	What string `json:"what"`
	// Value is what is compared with the kept result; smaller is better unless the
	// bar says ">=".
	Value float64 `json:"value"`
	Unit  string  `json:"unit,omitempty"`
	// Detail is shown in place of value and unit: "0.82 (7.1 ms / 8.6 ms)".
	Detail string `json:"detail,omitempty"`
	// Bar is "<= 1.5", ">= 0.8", or in other words; then Missed says how it went.
	Bar    string `json:"bar,omitempty"`
	Missed bool   `json:"missed,omitempty"`
}

// Sheet is the result of a run.
type Sheet struct {
	Day     string     `json:"day"` // of UTC
	Cores   int        `json:"cores"`
	Load    [2]float64 `json:"load"` // of the machine, at the start and at the end
	Figures []Figure   `json:"figures"`

	t    testing.TB
	path string
}

// New begins a result that is kept as docs/bench/<name>.json.
func New(t testing.TB, name string) *Sheet {
	t.Helper()
	root, err := moduleRoot()
	if err != nil {
		t.Fatal(err)
	}
	return &Sheet{Day: time.Now().UTC().Format(time.DateOnly), Cores: runtime.NumCPU(), Load: [2]float64{load()}, t: t,
		path: filepath.Join(root, "docs", "bench", name+".json")}
}

// moduleRoot is the folder of go.mod above that of the test.
func moduleRoot() (string, error) {
	dir, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for ; ; dir = filepath.Dir(dir) {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir, nil
		}
		if dir == filepath.Dir(dir) {
			return "", errors.New("no go.mod above this folder")
		}
	}
}

// load is how many processes have wanted to run in the last minute; zero where
// the system does not say.
func load() float64 {
	text, err := os.ReadFile("/proc/loadavg")
	if err != nil {
		return 0
	}
	first, _, _ := strings.Cut(string(text), " ")
	n, _ := strconv.ParseFloat(first, 64)
	return n
}

// Add adds a figure, and judges it when its bar is a number.
func (s *Sheet) Add(f Figure) {
	s.t.Helper()
	f.Missed = f.Missed || misses(f.Bar, f.Value)
	s.Figures = append(s.Figures, f)
	s.t.Logf("%s: %s, wanted %s", f.What, f.shown(), cmp.Or(f.Bar, "reported"))
}

// misses reports whether a value misses a bar that is a number; other bars are
// never missed.
func misses(bar string, value float64) bool {
	way, text, _ := strings.Cut(bar, " ")
	limit, err := strconv.ParseFloat(text, 64)
	switch {
	case err != nil:
		return false
	case way == "<=":
		return value > limit
	case way == ">=":
		return value < limit
	}
	return false
}

func (f *Figure) shown() string {
	if f.Detail != "" {
		return f.Detail
	}
	return strings.TrimSpace(strconv.FormatFloat(f.Value, 'g', 4, 64) + " " + f.Unit)
}

// End prints the table, compared with the kept result, and keeps it when
// PASTEPORT_BENCH_KEEP is set.
func (s *Sheet) End() {
	s.t.Helper()
	s.Load[1] = load()
	before, err := kept(s.path)
	if err == nil {
		err = s.table(s.t.Output(), before)
	}
	if err == nil && os.Getenv("PASTEPORT_BENCH_KEEP") != "" {
		s.fill(before)
		err = s.keep()
	}
	if err != nil {
		s.t.Error(err)
	}
}

// kept reads a kept result; an empty one when there is none yet.
func kept(path string) (*Sheet, error) {
	s := &Sheet{}
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return s, nil
	}
	if err == nil {
		err = json.Unmarshal(text, s)
	}
	return s, err
}

// fill takes over what a result before has and this run has not measured.
func (s *Sheet) fill(before *Sheet) {
	for _, f := range before.Figures {
		if !slices.ContainsFunc(s.Figures, func(g Figure) bool { return g.What == f.What }) {
			s.Figures = append(s.Figures, f)
		}
	}
}

func (s *Sheet) keep() error {
	text, err := json.MarshalIndent(s, "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(s.path, append(text, '\n'), 0o644)
}

// table prints the figures beside those of a result before.
func (s *Sheet) table(to io.Writer, before *Sheet) error {
	known := map[string]Figure{}
	for _, f := range before.Figures {
		known[f.What] = f
	}
	w := tabwriter.NewWriter(to, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "what\tmeasured\twanted\t\tkept\tof it")
	for _, f := range s.Figures {
		verdict, was, ratio := "", "", ""
		if f.Missed {
			verdict = "MISSED"
		}
		if old, ok := known[f.What]; ok {
			was = strings.TrimSpace(strconv.FormatFloat(old.Value, 'g', 4, 64) + " " + old.Unit)
			if old.Value != 0 {
				ratio = fmt.Sprintf("%.2f", f.Value/old.Value)
			}
		}
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%s\n", f.What, f.shown(), cmp.Or(f.Bar, "reported"), verdict, was, ratio)
	}
	fmt.Fprintf(w, "\n%d cores, load %.1f at the start and %.1f at the end", s.Cores, s.Load[0], s.Load[1])
	if before.Day != "" {
		fmt.Fprintf(w, "; kept: %s, %d cores, load %.1f and %.1f", before.Day, before.Cores, before.Load[0], before.Load[1])
	}
	if busy := max(s.Load[0], s.Load[1]); busy > float64(s.Cores) {
		fmt.Fprintf(w, "\nThe machine was busy: times say little, only ratios within this run do.")
	}
	fmt.Fprintln(w)
	return w.Flush()
}
