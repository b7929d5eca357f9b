package sharedb_test

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"pasteport/adapters/bunstore"
	"pasteport/adapters/bunstore/bunstoretest"
	"pasteport/domain/shares"
	"pasteport/domain/shares/inventory"
	"pasteport/ports"
	"pasteport/ports/portstest"
)

// Every order of texts has all of them, whether its index knows them already or not,
// and also where a number was given a second time.
func TestFreshTextsStandInEveryOrder(t *testing.T) {
	bunstoretest.OnBoth(t, func(t *testing.T, s *bunstore.Store) {
		random := rand.New(rand.NewPCG(7, 8))
		var all []shares.Paste // in the order of their numbers
		insert := func(from, to int) {
			for i := from; i < to; i++ {
				p := shares.Paste{ID: fmt.Sprint("p", i), Slug: fmt.Sprint("ps", i), Content: []byte("x"), Size: int64(random.IntN(20)), CreatedBy: "a", CreatedAt: portstest.Start, UpdatedAt: portstest.Start}
				if p.Views = int64(random.IntN(3)); i%3 > 0 {
					ends := portstest.Start.Add(time.Duration(random.IntN(30)) * time.Hour)
					p.ExpiresAt = &ends
				}
				if err := s.Pastes().Insert(t.Context(), &p); err != nil {
					t.Fatal(err)
				}
				all = append(all, p)
			}
		}
		ends := func(p *shares.Paste) int64 {
			if p.ExpiresAt == nil {
				return 1 << 60
			}
			return p.ExpiresAt.UnixMilli()
		}
		orders := map[string]func(p *shares.Paste) int64{
			shares.SortSize:   func(p *shares.Paste) int64 { return p.Size },
			shares.SortViews:  func(p *shares.Paste) int64 { return p.Views },
			shares.SortExpiry: ends,
		}
		check := func(when string) {
			t.Helper()
			for by, of := range orders {
				for _, up := range []bool{true, false} {
					want := make([]string, len(all))
					places := make([]int, len(all))
					for i := range all {
						places[i] = i
					}
					slices.SortFunc(places, func(a, b int) int {
						if !up {
							a, b = b, a
						}
						return cmp.Or(cmp.Compare(of(&all[a]), of(&all[b])), cmp.Compare(a, b))
					})
					for i, place := range places {
						want[i] = all[place].ID
					}
					const limit = 40
					for offset := 0; offset < len(all); offset += limit {
						end := min(offset+limit, len(all))
						page, err := s.Pastes().List(t.Context(), shares.PasteFilter{CreatedBy: "a", Sort: shares.Sort{By: by, Ascending: up}, Paging: ports.Paging{Limit: limit, Offset: offset}})
						if err != nil || page.Total != len(all) {
							t.Fatalf("%s: %d, %v; want %d", when, page.Total, err, len(all))
						}
						var got, both []string
						for i := range page.Items {
							got = append(got, page.Items[i].ID)
						}
						inv, err := s.Shares().Shares(t.Context(), inventory.Filter{Sort: inventory.Sort{By: by, Ascending: up}, Limit: limit, Offset: offset})
						if err != nil || inv.Total != len(all) {
							t.Fatalf("%s: %d shares, %v; want %d", when, inv.Total, err, len(all))
						}
						for i := range inv.Shares {
							both = append(both, inv.Shares[i].ID)
						}
						if !slices.Equal(got, want[offset:end]) || !slices.Equal(both, got) {
							t.Errorf("%s: by %s, ascending %t, from %d:\n%v\n%v, want\n%v", when, by, up, offset, got, both, want[offset:end])
						}
					}
				}
			}
		}
		insert(0, 150) // a create settles those before it now and then
		check("new")
		if err := s.Shares().KeepTexts(t.Context(), 0); err != nil {
			t.Fatal(err)
		}
		insert(150, 170)
		check("some of them settled")
		var gone []string
		for _, p := range all[120:] {
			gone = append(gone, p.ID)
		}
		if n, err := s.Pastes().Delete(t.Context(), gone...); err != nil || n != len(gone) {
			t.Fatal(n, err)
		}
		all = all[:120]
		insert(200, 240)
		check("behind deleted ones")
		found, err := s.Pastes().List(t.Context(), shares.PasteFilter{Search: "ps23", SearchAll: true})
		if err != nil || found.Total != 11 {
			t.Errorf("a search finds %d, %v; want 11", found.Total, err)
		}
	})
}
