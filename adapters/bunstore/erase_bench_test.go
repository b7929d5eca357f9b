package bunstore_test

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"pasteport/adapters/bunstore"
	"pasteport/adapters/bunstore/bunstoretest"
	"pasteport/domain/shares/cleanup"
	"pasteport/ports/portstest"
)

// sawOf is what a janitor sees of a share.
func sawOf(b *testing.B, s *bunstore.Store, kind, id string) cleanup.Seen {
	if kind == "texts" {
		p, err := s.Pastes().Get(b.Context(), id)
		if err != nil {
			b.Fatal(err)
		}
		return cleanup.Saw(p.ID, p.Version, &p.Gate)
	}
	f, err := s.Files().Get(b.Context(), id)
	if err != nil {
		b.Fatal(err)
	}
	return cleanup.Saw(f.ID, f.Version, &f.Gate)
}

// BenchmarkEraseBatch erases texts and files among 100,000 on SQLite, so many in one
// transaction, as the janitor does: the processor time of one is how long others wait
// for it. With a rest as long as each, as many thousands are erased in a minute.
func BenchmarkEraseBatch(b *testing.B) {
	const due = 5000
	for _, size := range []int{25, 100} {
		b.Run(fmt.Sprint(size), func(b *testing.B) {
			s := bunstoretest.SQLite(b)
			fillLists(b, s, listRows)
			if err := s.Shares().KeepTexts(b.Context(), 0); err != nil {
				b.Fatal(err)
			}
			first := 0
			for b.Loop() {
				for kind, erase := range map[string]func(context.Context, time.Time, ...cleanup.Seen) (int, error){"texts": s.Pastes().Erase, "files": s.Files().Erase} {
					var seen []cleanup.Seen
					for i := range due { // spread over the table
						seen = append(seen, sawOf(b, s, kind, fmt.Sprintf("0199a2b3-0000-7000-8000-%d", 100_000_000_001+(first+i)*7919%listRows)))
					}
					var took []float64
					for some := range slices.Chunk(seen, size) {
						used := bunstoretest.CPU(b)
						if n, err := erase(b.Context(), portstest.Start, some...); err != nil || n != len(some) {
							b.Fatalf("%d of %d %s, %v", n, len(some), kind, err)
						}
						took = append(took, float64((bunstoretest.CPU(b)-used).Microseconds())/1000)
					}
					slices.Sort(took)
					median := took[len(took)/2]
					b.ReportMetric(median, kind+"-median-ms")
					b.ReportMetric(took[len(took)*99/100], kind+"-p99-ms")
					b.ReportMetric(took[len(took)-1], kind+"-max-ms")
					b.ReportMetric(60*float64(size)/(2*median), kind+"-thousand/min")
				}
				first += due
			}
		})
	}
}
