package sharedb_test

import (
	"fmt"
	"os"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"pasteport/adapters/bunstore"
	"pasteport/adapters/bunstore/bunstoretest"
	"pasteport/domain/shares"
	"pasteport/domain/shares/collections"
	"pasteport/domain/shares/inventory"
	"pasteport/ports/portstest"
)

func TestMain(m *testing.M) { os.Exit(portstest.RunWithoutLeaks(m)) }

func TestTheInventoryListsTextsAndFilesTogether(t *testing.T) {
	bunstoretest.OnBoth(t, func(t *testing.T, s *bunstore.Store) {
		start := portstest.Start
		later := start.Add(time.Hour)
		for i := range 4 {
			p := &shares.Paste{ID: fmt.Sprint("p", i), Slug: fmt.Sprint("ps", i), Content: []byte("x"), Size: 1, Remark: "note", CreatedBy: "apikey:k1", CreatedAt: start.Add(time.Duration(i) * time.Minute), UpdatedAt: start}
			f := &shares.File{ID: fmt.Sprint("f", i), Slug: fmt.Sprint("fs", i), Filename: fmt.Sprint("Ärger", i, ".pdf"), StorageConfigID: fmt.Sprint("c", i%2), StoragePath: fmt.Sprint("k", i), Size: 5, CreatedBy: "a1",
				CreatedAt: start.Add(time.Duration(i) * time.Minute), UpdatedAt: start}
			switch i {
			case 1:
				p.ExpiresAt, f.ExpiresAt = &later, &later
				f.FilePath = "/team/a/x.pdf"
			case 2:
				p.Views, f.FilePath = 7, "/team/ab/y.pdf"
			case 3:
				p.PasswordHash, f.Pending = "h", true
			}
			if err := s.Pastes().Insert(t.Context(), p); err != nil {
				t.Fatal(err)
			}
			if err := s.Files().Insert(t.Context(), f); err != nil {
				t.Fatal(err)
			}
		}
		for name, c := range map[string]struct {
			f    inventory.Filter
			want []string
		}{
			"all":            {inventory.Filter{}, []string{"p3", "p2", "f2", "p1", "f1", "p0", "f0"}},
			"of a storage":   {inventory.Filter{StorageConfigID: "c0"}, []string{"f2", "f0"}},
			"of a mount":     {inventory.Filter{MountPath: "/team/a"}, []string{"f1"}},
			"of all mounts":  {inventory.Filter{MountPath: "/"}, []string{"f2", "f1"}},
			"of a key":       {inventory.Filter{CreatedBy: "apikey:k1"}, []string{"p3", "p2", "p1", "p0"}},
			"of files":       {inventory.Filter{Kind: "file", NeverExpires: true}, []string{"f2", "f0"}},
			"unused":         {inventory.Filter{Unused: true, CreatedBefore: start.Add(3 * time.Minute)}, []string{"f2", "p1", "f1", "p0", "f0"}},
			"ends soon":      {inventory.Filter{EndsAfter: start, EndsBefore: later}, []string{"p1", "f1"}},
			"ended by then":  {inventory.Filter{EndsAfter: later, EndsBefore: later.Add(time.Hour)}, nil},
			"by name":        {inventory.Filter{Search: "ärger1"}, []string{"f1"}},
			"by views":       {inventory.Filter{Sort: inventory.Sort{By: inventory.SortViews}}, []string{"p2", "p3", "p1", "p0", "f2", "f1", "f0"}},
			"by size, up":    {inventory.Filter{Sort: inventory.Sort{By: inventory.SortSize, Ascending: true}}, []string{"p0", "p1", "p2", "p3", "f0", "f1", "f2"}},
			"by end, up":     {inventory.Filter{Kind: "paste", Sort: inventory.Sort{By: inventory.SortExpiry, Ascending: true}}, []string{"p1", "p0", "p2", "p3"}},
			"oldest":         {inventory.Filter{Kind: "file", Sort: inventory.Sort{By: inventory.SortCreated, Ascending: true}}, []string{"f0", "f1", "f2"}},
			"after a cursor": {inventory.Filter{Before: inventory.Cursor{CreatedAt: start.Add(time.Minute), ID: "p1"}}, []string{"f1", "p0", "f0"}},
		} {
			got, err := s.Shares().Shares(t.Context(), c.f)
			var ids []string
			for _, v := range got.Shares {
				ids = append(ids, v.ID)
			}
			if d := cmp.Diff(ids, c.want); d != "" || err != nil || got.More || c.f.Before.ID == "" && got.Total != len(c.want) {
				t.Error(name, err, got.Total, "got -, want +\n"+d)
			}
		}
		page, err := s.Shares().Shares(t.Context(), inventory.Filter{Limit: 2})
		if err != nil || len(page.Shares) != 2 || !page.More || page.Total != 7 {
			t.Error(page, err)
		}
		if one := page.Shares[0]; !one.Protected || one.Name != "note" || one.Kind != "paste" || one.Size != 1 {
			t.Errorf("%+v", one)
		}
		for offset, want := range map[int][]string{2: {"f2", "p1"}, 6: {"f0"}, 9: nil} {
			page, err := s.Shares().Shares(t.Context(), inventory.Filter{Limit: 2, Offset: offset})
			var ids []string
			for _, v := range page.Shares {
				ids = append(ids, v.ID)
			}
			if d := cmp.Diff(ids, want); d != "" || err != nil || page.Total != 7 || page.More != (offset == 2) {
				t.Error(offset, err, page.Total, "got -, want +\n"+d)
			}
		}
		one, err := s.Shares().Shares(t.Context(), inventory.Filter{MountPath: "/team/a"})
		if err != nil || one.Shares[0].Path != "/team/a/x.pdf" || one.Shares[0].ExpiresAt == nil || one.Shares[0].StorageConfigID != "c1" {
			t.Errorf("%+v, %v", one, err)
		}
	})
}

func TestTheInventoryListsCollectionsWithWhatTheirItemsHold(t *testing.T) {
	bunstoretest.OnBoth(t, func(t *testing.T, s *bunstore.Store) {
		start := portstest.Start
		if err := s.Collections().Insert(t.Context(), &collections.Collection{ID: "c", Slug: "trip", Title: "Zürich", CreatedBy: "a1", CreatedAt: start, UpdatedAt: start}); err != nil {
			t.Fatal(err)
		}
		for i := range 3 {
			f := &shares.File{ID: fmt.Sprint("f", i), Slug: fmt.Sprint("fs", i), Filename: "x", StorageConfigID: "s", StoragePath: fmt.Sprint(i), Size: 10, CreatedBy: "a1", CreatedAt: start, UpdatedAt: start}
			if i > 0 {
				f.Collection, f.Position = "c", int64(i)
			}
			if err := s.Files().Insert(t.Context(), f); err != nil {
				t.Fatal(err)
			}
		}
		want := []inventory.Share{{Kind: "collection", ID: "c", Slug: "trip", Name: "Zürich", Size: 20, CreatedBy: "a1", CreatedAt: start}}
		for name, f := range map[string]inventory.Filter{"by kind": {Kind: "collection"}, "by title": {Search: "zürich"}, "by size": {Sort: inventory.Sort{By: inventory.SortSize}, Limit: 1}} {
			if f.Limit == 0 {
				f.Limit = 10
			}
			page, err := s.Shares().Shares(t.Context(), f)
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			if diff := cmp.Diff(page.Shares, want); diff != "" {
				t.Errorf("%s: %s", name, diff)
			}
			if total := map[string]int{"by kind": 1, "by title": 1, "by size": 4}[name]; page.Total != total {
				t.Errorf("%s: %d in all, want %d", name, page.Total, total)
			}
		}
	})
}
