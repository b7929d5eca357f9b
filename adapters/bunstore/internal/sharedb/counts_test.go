package sharedb_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"pasteport/adapters/bunstore"
	"pasteport/adapters/bunstore/bunstoretest"
	"pasteport/domain/shares"
	"pasteport/domain/shares/inventory"
	"pasteport/ports"
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
			good(s.Pastes().Insert(t.Context(), p), s.Files().Insert(t.Context(), f))
		}
		for range 150 {
			id := fmt.Sprint(random.IntN(60))
			switch random.IntN(8) { // what cannot be done to this one any more changes nothing
			case 0:
				_, _ = s.Pastes().TakeView(t.Context(), "p"+id, old)
			case 1:
				_, _ = s.Files().TakeView(t.Context(), "f"+id, old)
			case 2:
				_, _ = s.Files().Commit(t.Context(), "f"+id, 1, "e", 0, now)
			case 3:
				_, _ = s.Pastes().Erase(t.Context(), now, "p"+id)
			case 4:
				_, _ = s.Files().Erase(t.Context(), now, "f"+id)
			case 5:
				_, _ = s.Pastes().Delete(t.Context(), "p"+id)
			case 6:
				_, _ = s.Pastes().Update(t.Context(), "p"+id, func(p *shares.Paste) error { p.CreatedBy = "owner0"; return nil })
			case 7:
				_ = s.Do(t.Context(), func(ctx context.Context) error { // undone
					_, _ = s.Files().Delete(ctx, "f"+id)
					return context.Canceled
				})
			}
		}
		_, err := s.Pastes().ClearExpired(t.Context(), now)
		good(err)
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
