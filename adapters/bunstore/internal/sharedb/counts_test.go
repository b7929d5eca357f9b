package sharedb_test

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"pasteport/adapters/bunstore"
	"pasteport/adapters/bunstore/bunstoretest"
	"pasteport/domain/shares"
	"pasteport/domain/shares/cleanup"
	"pasteport/domain/shares/inventory"
	"pasteport/ports"
	"pasteport/ports/objstore"
	"pasteport/ports/portstest"
)

// The numbers that writers keep are those that one finds by counting, whatever is
// done to shares and in whatever order.
func TestListsAreCountedByTheirWriters(t *testing.T) {
	bunstoretest.OnBoth(t, func(t *testing.T, s *bunstore.Store) {
		good := func(errs ...error) {
			t.Helper()
			if err := errors.Join(errs...); err != nil {
				t.Fatal(err)
			}
		}
		random := rand.New(rand.NewPCG(1, 2))
		now := portstest.Start.Add(10 * 24 * time.Hour)
		old := now.Add(-100 * 24 * time.Hour)
		for i := range 60 {
			owner, at := fmt.Sprint("owner", i%3), now.Add(-time.Duration(i)*7*time.Hour)
			p := &shares.Paste{ID: fmt.Sprint("p", i), Slug: fmt.Sprint("ps", i), Content: []byte("x"), Size: 1, CreatedBy: owner, CreatedAt: at, UpdatedAt: at}
			f := &shares.File{ID: fmt.Sprint("f", i), Slug: fmt.Sprint("fs", i), Filename: "a", StorageConfigID: "c", StoragePath: fmt.Sprint("k", i), Pending: i%4 == 0, CreatedBy: owner, CreatedAt: at, UpdatedAt: at}
			if i%5 == 0 {
				p.MaxViews, f.MaxViews, p.ExpiresAt = 1, 1, &old
			}
			if ends := now.Add(time.Duration(i-30) * time.Hour); i%5 == 1 { // some on the day of now, before it and behind it
				p.ExpiresAt, f.ExpiresAt, p.PasswordHash = &ends, &ends, "hash"
			}
			good(s.Pastes().Insert(t.Context(), p), s.Files().Insert(t.Context(), f))
			if i == 30 {
				good(s.Shares().KeepTexts(t.Context(), 0)) // on SQLite the others are fresh
			}
		}
		for range 150 {
			id := fmt.Sprint(random.IntN(60))
			switch random.IntN(10) { // what cannot be done to this one any more changes nothing
			case 0:
				_, _ = s.Pastes().TakeView(t.Context(), "p"+id, old)
			case 1:
				_, _ = s.Files().TakeView(t.Context(), "f"+id, old)
			case 2:
				_, _ = s.Files().Commit(t.Context(), "f"+id, true, objstore.Object{Size: 1, ETag: "e"}, 0, now)
			case 3:
				if p, err := s.Pastes().Get(t.Context(), "p"+id); err == nil {
					_, _ = s.Pastes().Erase(t.Context(), now, cleanup.Saw(p.ID, p.Version, &p.Gate))
				}
			case 4:
				if f, err := s.Files().Get(t.Context(), "f"+id); err == nil {
					_, _ = s.Files().Erase(t.Context(), now, cleanup.Saw(f.ID, f.Version, &f.Gate))
				}
			case 5:
				_, _ = s.Pastes().Delete(t.Context(), "p"+id)
			case 6:
				_, _ = s.Pastes().Update(t.Context(), "p"+id, func(p *shares.Paste) error { p.CreatedBy = "owner0"; return nil })
			case 8:
				_, _ = s.Pastes().Update(t.Context(), "p"+id, func(p *shares.Paste) error {
					ends := now.Add(time.Duration(random.IntN(200)-50) * time.Hour)
					p.ExpiresAt, p.PasswordHash, p.MaxViews = &ends, [...]string{"", "hash"}[random.IntN(2)], int64(random.IntN(2))
					return nil
				})
			case 9:
				_, _ = s.Files().Update(t.Context(), "f"+id, func(f *shares.File) error {
					f.ExpiresAt, f.PasswordHash, f.CreatedAt = nil, "hash", f.CreatedAt.Add(-24*time.Hour)
					return nil
				})
			case 7:
				_ = s.Do(t.Context(), func(ctx context.Context) error { // undone
					_, _ = s.Files().Delete(ctx, "f"+id)
					return context.Canceled
				})
			}
		}
		statesAreCounted(t, s, now)
		_, err := s.Pastes().ClearExpired(t.Context(), now)
		good(err)
		statesAreCounted(t, s, now.Add(20*time.Hour))
		for _, owner := range []string{"", "owner0", "owner1", "owner2"} {
			pastes, err := s.Pastes().List(t.Context(), shares.PasteFilter{CreatedBy: owner, Paging: ports.Paging{Limit: 1}})
			good(err)
			allPastes, err := s.Pastes().List(t.Context(), shares.PasteFilter{CreatedBy: owner, Paging: ports.Paging{Limit: 1000}})
			good(err)
			files, err := s.Files().List(t.Context(), shares.FileFilter{CreatedBy: owner, Paging: ports.Paging{Limit: 1}})
			good(err)
			allFiles, err := s.Files().List(t.Context(), shares.FileFilter{CreatedBy: owner, Paging: ports.Paging{Limit: 1000}})
			good(err)
			both, err := s.Shares().Shares(t.Context(), inventory.Filter{CreatedBy: owner, Limit: 1})
			good(err)
			if len(allPastes.Items) == 0 || len(allFiles.Items) == 0 {
				t.Fatalf("nothing of %q is left to be counted", owner)
			}
			if pastes.Total != len(allPastes.Items) || files.Total != len(allFiles.Items) || both.Total != len(allPastes.Items)+len(allFiles.Items) {
				t.Errorf("%q: %d texts, %d files, %d together; want %d, %d", owner, pastes.Total, files.Total, both.Total, len(allPastes.Items), len(allFiles.Items))
			}
			if owner != "" {
				continue
			}
			perDay := make([]int, 5)
			for _, p := range allPastes.Items {
				if day := int(now.Unix()/86400 - p.CreatedAt.Unix()/86400); day < len(perDay) {
					perDay[len(perDay)-1-day]++
				}
			}
			total, days, err := s.Pastes().CountByDay(t.Context(), now, len(perDay))
			if err != nil || total != len(allPastes.Items) || fmt.Sprint(days) != fmt.Sprint(perDay) {
				t.Errorf("%d, by day %v, %v; want %d, %v", total, days, err, len(allPastes.Items), perDay)
			}
		}
	})
}

// statesAreCounted compares the totals of lists of a state with the shares that are
// in it.
func statesAreCounted(t *testing.T, s *bunstore.Store, now time.Time) {
	t.Helper()
	in := map[string]func(g *shares.Gate) bool{
		shares.StateActive:    func(g *shares.Gate) bool { return g.ExpiresAt == nil || g.ExpiresAt.After(now) },
		shares.StateExpired:   func(g *shares.Gate) bool { return g.ExpiresAt != nil && !g.ExpiresAt.After(now) },
		shares.StateProtected: func(g *shares.Gate) bool { return g.PasswordHash != "" },
		shares.StateLimited:   func(g *shares.Gate) bool { return g.MaxViews > 0 },
	}
	for _, owner := range []string{"", "owner0", "owner1", "owner2"} {
		pastes, err := s.Pastes().List(t.Context(), shares.PasteFilter{CreatedBy: owner})
		if err != nil {
			t.Fatal(err)
		}
		files, err := s.Files().List(t.Context(), shares.FileFilter{CreatedBy: owner})
		if err != nil {
			t.Fatal(err)
		}
		never := 0
		for state, is := range in {
			wantPastes, wantFiles := 0, 0
			for _, p := range pastes.Items {
				if is(&p.Gate) {
					wantPastes++
				}
			}
			for _, f := range files.Items {
				if is(&f.Gate) {
					wantFiles++
				}
			}
			sort := shares.Sort{State: state, Now: now}
			for _, limit := range []int{1, 1000} {
				gotPastes, err := s.Pastes().List(t.Context(), shares.PasteFilter{CreatedBy: owner, Sort: sort, Paging: ports.Paging{Limit: limit}})
				if err != nil || gotPastes.Total != wantPastes || len(gotPastes.Items) != min(limit, wantPastes) {
					t.Errorf("%q, %s: %d of %d texts, %v; want %d", owner, state, len(gotPastes.Items), gotPastes.Total, err, wantPastes)
				}
				gotFiles, err := s.Files().List(t.Context(), shares.FileFilter{CreatedBy: owner, Sort: sort, Paging: ports.Paging{Limit: limit}})
				if err != nil || gotFiles.Total != wantFiles || len(gotFiles.Items) != min(limit, wantFiles) {
					t.Errorf("%q, %s: %d of %d files, %v; want %d", owner, state, len(gotFiles.Items), gotFiles.Total, err, wantFiles)
				}
			}
		}
		for _, p := range pastes.Items {
			if p.ExpiresAt == nil {
				never++
			}
		}
		for _, f := range files.Items {
			if f.ExpiresAt == nil {
				never++
			}
		}
		if got, err := s.Shares().Shares(t.Context(), inventory.Filter{CreatedBy: owner, NeverExpires: true, Limit: 1}); err != nil || got.Total != never {
			t.Errorf("%q: %d never end, %v; want %d", owner, got.Total, err, never)
		}
	}
}

// A page of a long list has the rows that it has when the whole list is sorted and
// cut, however deep it lies and however its beginning is found.
func TestPagesOfLongListsAreCutsOfTheWhole(t *testing.T) {
	bunstoretest.OnBoth(t, func(t *testing.T, s *bunstore.Store) {
		const all = 4500 // more than a search counts, and more than one day has
		random := rand.New(rand.NewPCG(5, 6))
		type record struct {
			id      string
			created int64
			n       int
		}
		var whole []record
		if err := s.Do(t.Context(), func(ctx context.Context) error {
			for i := range all {
				at := portstest.Start.Add(time.Duration(random.IntN(40*24)) * time.Hour)
				owner := "admin"
				if i%10 == 0 {
					owner = "other"
				}
				p := &shares.Paste{ID: fmt.Sprint("p", i), Slug: fmt.Sprint("ps", i), Content: []byte("a common text"), Size: 1, CreatedBy: owner, CreatedAt: at, UpdatedAt: at}
				if err := s.Pastes().Insert(ctx, p); err != nil {
					return err
				}
				if owner == "admin" {
					whole = append(whole, record{p.ID, at.UnixMilli(), i})
				}
			}
			return nil
		}); err != nil {
			t.Fatal(err)
		}
		indexed := func() {
			if err := s.Shares().KeepTexts(t.Context(), 0); err != nil {
				t.Fatal(err)
			}
		}
		for _, up := range []bool{false, true} {
			slices.SortFunc(whole, func(a, b record) int {
				if !up {
					a, b = b, a
				}
				return cmp.Or(cmp.Compare(a.created, b.created), cmp.Compare(a.n, b.n))
			})
			for _, search := range []string{"", "common"} {
				for _, offset := range []int{0, 990, 1500, 2000, 3000, len(whole) - 1010, len(whole) - 30, len(whole), len(whole) + 5000} {
					page, err := s.Pastes().List(t.Context(), shares.PasteFilter{CreatedBy: "admin", Search: search, SearchAll: true, Sort: shares.Sort{Ascending: up}, Paging: ports.Paging{Limit: 50, Offset: offset}})
					if err != nil {
						t.Fatal(err)
					}
					var got, want []string
					for _, p := range page.Items {
						got = append(got, p.ID)
					}
					for _, r := range whole[min(offset, len(whole)):min(offset+50, len(whole))] {
						want = append(want, r.id)
					}
					if !slices.Equal(got, want) {
						t.Errorf("ascending %t, search %q, from %d: %d rows, not those of the whole list", up, search, offset, len(got))
					}
					if more := offset+50 < len(whole); search == "" && page.Total != len(whole) || offset < len(whole) && more != (page.Total > offset+50) {
						t.Errorf("ascending %t, search %q, from %d: the total is %d of %d", up, search, offset, page.Total, len(whole))
					}
				}
			}
			indexed() // the second round asks the index
		}
	})
}
