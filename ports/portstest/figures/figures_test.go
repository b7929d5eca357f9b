package figures

import (
	"path/filepath"
	"strings"
	"testing"
)

func TestATableShowsWhatMissesItsBarAndWhatItWasBefore(t *testing.T) {
	path := filepath.Join(t.TempDir(), "kept.json")
	before := &Sheet{t: t, path: path, Day: "2026-11-24", Cores: 2}
	before.Add(Figure{What: "a list", Value: 2, Unit: "ms", Bar: "<= 5"})
	if err := before.keep(); err != nil {
		t.Fatal(err)
	}
	old, err := kept(path)
	if err != nil {
		t.Fatal(err)
	}
	now := &Sheet{t: t, path: path, Cores: 2, Load: [2]float64{0, 7}}
	now.Add(Figure{What: "a list", Value: 6, Unit: "ms", Bar: "<= 5"})
	now.Add(Figure{What: "a rate", Value: 0.9, Detail: "0.9 (9 / 10)", Bar: ">= 0.8"})
	now.Add(Figure{What: "a curve", Value: 3, Bar: "1.5 a decade", Missed: true})
	var out strings.Builder
	if err := now.table(&out, old); err != nil {
		t.Fatal(err)
	}
	now.fill(&Sheet{Figures: []Figure{{What: "a list", Value: 1}, {What: "left out", Value: 4}}})
	if n := len(now.Figures); n != 4 || now.Figures[0].Value != 6 || now.Figures[3].Value != 4 {
		t.Errorf("kept would be %+v", now.Figures)
	}
	lines := strings.Split(out.String(), "\n")
	for i, want := range []string{"what measured wanted kept of it", "a list 6 ms <= 5 MISSED 2 ms 3.00", "a rate 0.9 (9 / 10) >= 0.8", "a curve 3 1.5 a decade MISSED"} {
		if got := strings.Join(strings.Fields(lines[i]), " "); got != want {
			t.Errorf("line %d is %q, not %q", i, got, want)
		}
	}
	if !strings.Contains(out.String(), "The machine was busy") || !strings.Contains(out.String(), "kept: 2026-11-24") {
		t.Errorf("the foot says nothing of the load or of the kept result:\n%s", out.String())
	}
}

func TestTheFirstResultHasNothingToBeComparedWith(t *testing.T) {
	s, err := kept(filepath.Join(t.TempDir(), "none.json"))
	if err != nil || len(s.Figures) > 0 {
		t.Fatalf("%v, %v", s, err)
	}
}

func TestABarIsANumberOrNothing(t *testing.T) {
	for _, c := range []struct {
		bar   string
		value float64
		want  bool
	}{{"<= 1.5", 1.5, false}, {"<= 1.5", 1.6, true}, {">= 0.8", 0.8, false}, {">= 0.8", 0.7, true}, {"reported", 9, false}, {"", 9, false}} {
		if got := misses(c.bar, c.value); got != c.want {
			t.Errorf("%g against %q: %t", c.value, c.bar, got)
		}
	}
}
