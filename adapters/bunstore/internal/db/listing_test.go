package db_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"pasteport/adapters/bunstore"
	"pasteport/adapters/bunstore/bunstoretest"
	"pasteport/adapters/bunstore/internal/db"
	"pasteport/domain/shares"
	"pasteport/domain/shares/inventory"
	"pasteport/ports"
)

// manyPastes are more than a search collects and more than two shallow pages.
const manyPastes = 2*db.Deep + db.FewMatches + 130

func fillPastes(t *testing.T, s *bunstore.Store) {
	t.Helper()
	_, err := s.Exec(t.Context(), fmt.Sprintf("INSERT INTO pastes (id, slug, size, preview, syntax, remark, password_hash, expires_at, max_views, views, created_by, created_at, updated_at, version) "+
		"WITH RECURSIVE r(i) AS (SELECT CAST(1 AS BIGINT) UNION ALL SELECT i + 1 FROM r WHERE i < %d) "+
		"SELECT 'id' || i, 'slug' || i, (i * 7919) %% 50, 'text', '', CASE WHEN i %% 100 = 0 THEN 'rare' ELSE 'often' END, '', "+
		"CASE WHEN i %% 4 = 0 THEN CAST(1700000000000 + i AS BIGINT) END, 0, i %% 3, CASE WHEN i %% 2 = 0 THEN 'admin' ELSE 'apikey:k' END, 1760000000000 + i / 3, 1760000000000, 1 FROM r", manyPastes))
	if err != nil {
		t.Fatal(err)
	}
}

// A page that is read from the far end of a list is the one that counting from
// the near end gives, in every order.
func TestPagesOfALongListFollowEachOther(t *testing.T) {
	bunstoretest.OnBoth(t, func(t *testing.T, s *bunstore.Store) {
		fillPastes(t, s)
		for name, f := range map[string]shares.PasteFilter{
			"newest":        {},
			"oldest":        {Sort: shares.Sort{Ascending: true}},
			"largest":       {Sort: shares.Sort{By: shares.SortSize}},
			"soonest":       {Sort: shares.Sort{By: shares.SortExpiry, Ascending: true}},
			"search":        {Search: "OFTEN", Sort: shares.Sort{By: shares.SortViews}},
			"of a key":      {CreatedBy: "apikey:k", Search: "slug"},
			"key's largest": {CreatedBy: "apikey:k", Sort: shares.Sort{By: shares.SortSize}},
			"often, active": {Search: "often", Sort: shares.Sort{By: shares.SortSize, State: shares.StateActive, Now: time.UnixMilli(1_900_000_000_000)}},
			"rare":          {Search: "rare", Sort: shares.Sort{By: shares.SortSize}},
			"in no content": {Search: "nowhere", SearchAll: true},
		} {
			want := 0
			for i := 1; i <= manyPastes; i++ {
				rare := i%100 == 0
				switch name {
				case "search":
					if rare {
						continue
					}
				case "rare":
					if !rare {
						continue
					}
				case "often, active":
					if rare || i%4 == 0 {
						continue
					}
				case "of a key", "key's largest":
					if i%2 == 0 {
						continue
					}
				case "in no content":
					continue
				}
				want++
			}
			var ids []string
			var last *shares.Paste
			const size = 370
			for offset := 0; offset <= manyPastes+size; offset += size {
				f.Paging = ports.Paging{Limit: size, Offset: offset}
				page, err := s.Pastes().List(t.Context(), f)
				// A search counts no more than it has to know.
				if more := f.Search != "" && page.Total >= db.FewMatches; err != nil || !more && page.Total != want || more && (page.Total > offset+size) != (want > offset+size) {
					t.Fatalf("%s from %d: %d in all, want %d, %v", name, offset, page.Total, want, err)
				}
				for i := range page.Items {
					p := &page.Items[i]
					if last != nil && f.Sort.By == shares.SortSize && last.Size < p.Size {
						t.Fatalf("%s from %d: %d behind %d", name, offset, p.Size, last.Size)
					}
					last, ids = p, append(ids, p.ID)
				}
			}
			if got := len(slices.Compact(slices.Sorted(slices.Values(ids)))); got != want || len(ids) != want {
				t.Errorf("%s: %d rows, %d of them different, want %d", name, len(ids), got, want)
			}
			if f.Sort.By == "" && f.Search == "" {
				way := slices.Clone(ids)
				f.Sort.Ascending = !f.Sort.Ascending
				f.Paging = ports.Paging{Limit: size, Offset: manyPastes - size}
				page, err := s.Pastes().List(t.Context(), f)
				var back []string
				for i := range page.Items {
					back = append(back, page.Items[i].ID)
				}
				slices.Reverse(back)
				if d := cmp.Diff(back, way[:size]); d != "" || err != nil {
					t.Error(name, err, "got -, want +\n"+d)
				}
			}
		}
	})
}

// A search of the inventory counts as far as it looks, and says that there is more.
func TestASearchOfALongInventoryCountsWhatItHasLookedAt(t *testing.T) {
	bunstoretest.OnBoth(t, func(t *testing.T, s *bunstore.Store) {
		fillPastes(t, s)
		page, err := s.Shares().Shares(t.Context(), inventory.Filter{Search: "often", Limit: 30})
		if want := manyPastes - manyPastes/100; err != nil || page.Total < db.FewMatches || page.Total > want || len(page.Shares) != 30 || !page.More {
			t.Errorf("%d in all, at most %d; %d on the page, %t, %v", page.Total, want, len(page.Shares), page.More, err)
		}
	})
}
