package sharedb_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"pasteport/adapters/bunstore"
	"pasteport/adapters/bunstore/bunstoretest"
	"pasteport/adapters/bunstore/internal/db"
	"pasteport/domain/shares"
	"pasteport/domain/shares/inventory"
	"pasteport/ports"
	"pasteport/ports/portstest"
)

// What a search finds is what contains the text, whether rows are indexed, due,
// changed since or gone.
func TestSearchesFindWhatContainsTheText(t *testing.T) {
	bunstoretest.OnBoth(t, func(t *testing.T, s *bunstore.Store) {
		random := rand.New(rand.NewPCG(3, 4))
		words := []string{"alpha", "Beta", "gamma", "ÄRGER", "größe", "中文字符", "搜索", "x", "日本", "50%_off", "na\u00efve", "emoji😀ok"}
		text := func() string {
			some := make([]string, 1+random.IntN(4))
			for i := range some {
				some[i] = words[random.IntN(len(words))]
			}
			return strings.Join(some, [...]string{" ", "", "\n"}[random.IntN(3)])
		}
		texts := map[string]string{} // by id, what is left
		put := func(i int) {
			id := fmt.Sprint("p", i)
			p := &shares.Paste{ID: id, Slug: "slug-" + id, Content: []byte(text()), Size: 1, CreatedAt: portstest.Start, UpdatedAt: portstest.Start, Version: 1}
			if err := s.Pastes().Insert(t.Context(), p); err != nil {
				t.Fatal(err)
			}
			texts[id] = p.Slug + "\n" + string(p.Content)
		}
		change := func(id string) {
			p, err := s.Pastes().Update(t.Context(), id, func(p *shares.Paste) error {
				p.Content = []byte(text())
				p.Version++
				return nil
			})
			if err != nil {
				t.Fatal(err)
			}
			texts[id] = p.Slug + "\n" + string(p.Content)
		}
		compare := func(when string) {
			t.Helper()
			for _, part := range []string{"alp", "lpha", "ALPHA", "be", "ärger", "Größe", "文字", "中文字符", "中", "搜索", "本x", "50%_", "0%_o", "ïve", "😀ok", "slug-p1", "nothing like it", "ammaal"} {
				var want []string
				for id, text := range texts {
					if strings.Contains(strings.ToLower(text), strings.ToLower(part)) {
						want = append(want, id)
					}
				}
				slices.Sort(want)
				page, err := s.Pastes().List(t.Context(), shares.PasteFilter{Search: part, SearchAll: true, Paging: ports.Paging{Limit: 1000}})
				if err != nil {
					t.Fatal(err)
				}
				var got []string
				for _, p := range page.Items {
					got = append(got, p.ID)
				}
				slices.Sort(got)
				if !slices.Equal(got, want) || page.Total != len(want) {
					t.Errorf("%s, %q: %d %v, want %v", when, part, page.Total, got, want)
				}
			}
		}
		keep := func() {
			t.Helper()
			if err := s.Shares().KeepTexts(t.Context(), 0); err != nil {
				t.Fatal(err)
			}
		}
		for i := range 120 {
			put(i)
		}
		compare("new")
		keep()
		compare("indexed")
		for i := 120; i < 150; i++ {
			put(i)
		}
		for i := range 40 {
			change(fmt.Sprint("p", i*3))
		}
		for i := range 20 {
			id := fmt.Sprint("p", 149-i*2)
			if _, err := s.Pastes().Delete(t.Context(), id); err != nil {
				t.Fatal(err)
			}
			delete(texts, id)
		}
		put(200) // takes the number of the last one, which has gone
		compare("changed")
		keep()
		compare("indexed again")

		f := &shares.File{ID: "f1", Slug: "fs1", Filename: "年度报告.pdf", Remark: "for Bob", StorageConfigID: "c", StoragePath: "k", CreatedAt: portstest.Start, UpdatedAt: portstest.Start, Version: 1}
		if err := s.Files().Insert(t.Context(), f); err != nil {
			t.Fatal(err)
		}
		for range 2 {
			for part, want := range map[string]int{"年度": 1, "PDF": 1, "bob": 1, "fs1": 1, "alpha": 0} {
				page, err := s.Files().List(t.Context(), shares.FileFilter{Search: part})
				if err != nil || page.Total != want {
					t.Errorf("%q: %d, %v", part, page.Total, err)
				}
			}
			all, err := s.Shares().Shares(t.Context(), inventory.Filter{Search: "年度"})
			if err != nil || all.Total != 1 || len(all.Shares) != 1 {
				t.Errorf("%+v, %v", all, err)
			}
			keep()
		}
		// The index is what is asked: without its rows nothing long enough is found.
		for _, table := range []string{"index_pastes", "index_files"} {
			if _, err := s.Exec(t.Context(), "DELETE FROM "+table); err != nil {
				t.Fatal(err)
			}
		}
		if page, err := s.Pastes().List(t.Context(), shares.PasteFilter{Search: "alpha", SearchAll: true}); err != nil || page.Total != 0 {
			t.Error(page.Total, err)
		}
	})
}

// What far more texts have than a search counts comes in the order of the list, and
// what few have is counted, however many rows there are.
func TestSearchesOfManyAreNotCollected(t *testing.T) {
	bunstoretest.OnBoth(t, func(t *testing.T, s *bunstore.Store) {
		const rows = 20_000
		if _, err := s.Exec(t.Context(), "INSERT INTO pastes (id, slug, size, preview, syntax, remark, password_hash, max_views, views, created_by, created_at, updated_at, version) "+
			"WITH RECURSIVE r(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM r WHERE i < ?) "+
			"SELECT 'id' || i, 'slug' || i, 1, '', '', CASE WHEN i % 400 = 0 THEN 'seldom' WHEN i % 2 = 0 THEN 'frequent' ELSE 'other' END, '', 0, 0, 'a', i, i, 1 FROM r", rows); err != nil {
			t.Fatal(err)
		}
		for _, indexed := range []bool{false, true} {
			for text, want := range map[string]struct {
				total int
				first string
			}{"frequent": {db.FewMatches, "id19998"}, "seldom": {rows / 400, "id20000"}, "id": {}} {
				page, err := s.Pastes().List(t.Context(), shares.PasteFilter{Search: text, SearchAll: true, Paging: ports.Paging{Limit: 1}})
				if err != nil || page.Total != want.total || len(page.Items) != min(1, want.total) || want.total > 0 && page.Items[0].ID != want.first {
					t.Errorf("%q, indexed %t: %d texts, %v, %v", text, indexed, page.Total, page.Items, err)
				}
				all, err := s.Shares().Shares(t.Context(), inventory.Filter{Search: text, Limit: 1})
				if err != nil || all.Total != want.total || len(all.Shares) != min(1, want.total) || want.total > 0 && all.Shares[0].ID != want.first {
					t.Errorf("%q, indexed %t: %d shares, %v, %v", text, indexed, all.Total, all.Shares, err)
				}
			}
			if err := s.Shares().KeepTexts(t.Context(), 0); err != nil {
				t.Fatal(err)
			}
		}
	})
}
