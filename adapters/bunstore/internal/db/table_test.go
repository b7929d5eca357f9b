package db_test

import (
	"fmt"
	"testing"

	"github.com/uptrace/bun"

	"pasteport/adapters/bunstore"
	"pasteport/adapters/bunstore/bunstoretest"
	"pasteport/adapters/bunstore/internal/db"
	"pasteport/ports"
)

type secretRow struct {
	bun.BaseModel `bun:"table:secrets,alias:secrets"`
	Name          string
}

// A page and its total are two statements; what is deleted between them does not make
// the total contradict the page.
func TestATotalIsNeverLessThanItsPageShows(t *testing.T) {
	bunstoretest.OnBoth(t, func(t *testing.T, s *bunstore.Store) {
		for n := range 5 {
			if err := s.Secrets().Put(t.Context(), fmt.Sprint("test", n), []byte("v")); err != nil {
				t.Fatal(err)
			}
		}
		table := db.NewTable(s.DB, "secrets", nil, func(r *secretRow) *string { return &r.Name })
		asked := 0
		page, err := table.Page(t.Context(), ports.Paging{Offset: 1, Limit: 2}, "name", func(q *bun.SelectQuery) *bun.SelectQuery {
			if asked++; asked == 2 {
				if _, err := s.Exec(t.Context(), "DELETE FROM secrets WHERE name LIKE ?", "test%"); err != nil {
					t.Error(err)
				}
			}
			return q.Where("name LIKE 'test%'")
		})
		if err != nil || asked != 2 || len(page.Items) != 2 || page.Total < 3 {
			t.Errorf("asked %d times: %d items behind the first one of %d, %v", asked, len(page.Items), page.Total, err)
		}
	})
}
