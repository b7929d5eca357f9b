package domaintest

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"pasteport/domain/shares/collections"
	"pasteport/ports/portstest"
)

// RunSums checks that checksums are kept, replaced and forgotten.
func RunSums(t *testing.T, open func(t *testing.T) collections.Sums) {
	s, now := open(t), portstest.Start
	many := map[string]uint32{}
	names := []string{"unknown"}
	for i := range 1200 {
		name := fmt.Sprintf("n%d", i)
		many[name], names = 1<<32-1-uint32(i), append(names, name)
	}
	keep := func(sums map[string]uint32, at time.Time) {
		t.Helper()
		if err := s.Keep(t.Context(), sums, at); err != nil {
			t.Fatal(err)
		}
	}
	want := func(sums map[string]uint32) {
		t.Helper()
		got, err := s.Of(t.Context(), names)
		if diff := cmp.Diff(sums, got); diff != "" || err != nil {
			t.Error(err, diff)
		}
	}
	want(map[string]uint32{})
	keep(many, now)
	want(many)
	keep(map[string]uint32{"n0": 7}, now.Add(time.Hour))
	many["n0"] = 7
	want(many)
	keep(map[string]uint32{"n1": 8}, now.Add(collections.SumsKept+time.Minute))
	want(map[string]uint32{"n0": 7, "n1": 8})
}
