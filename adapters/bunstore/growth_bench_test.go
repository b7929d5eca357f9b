//go:build bench

package bunstore_test

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"
	"text/tabwriter"
	"time"

	"pasteport/adapters/bunstore"
	"pasteport/adapters/bunstore/bunstoretest"
	"pasteport/domain/audit"
	"pasteport/domain/shares"
	"pasteport/domain/shares/inventory"
	"pasteport/ports"
)

// TestBenchGrowth prints what calls take as the site grows, in milliseconds:
// the goal is at most 1.5 times as much for ten times as many rows of each kind.
// PASTEPORT_GROWTH names other numbers of rows.
func TestBenchGrowth(t *testing.T) {
	sizes := strings.Split(cmp.Or(os.Getenv("PASTEPORT_GROWTH"), "10000,100000,1000000"), ",")
	for name, open := range map[string]func(testing.TB) *bunstore.Store{"SQLite": bunstoretest.SQLite, "PostgreSQL": bunstoretest.Postgres} {
		t.Run(name, func(t *testing.T) {
			took := make([][]float64, len(sizes))
			var what []page
			for i, size := range sizes {
				rows, err := strconv.Atoi(size)
				if err != nil {
					t.Fatal(err)
				}
				s := open(t)
				fillLists(t, s, rows)
				indexTexts(t, s)
				what = grownPages(s)
				for _, p := range what {
					spent, _ := measure(t, p, s.SQLite())
					took[i] = append(took[i], float64(spent.Microseconds())/1000)
				}
			}
			table := tabwriter.NewWriter(t.Output(), 0, 0, 2, ' ', 0)
			fmt.Fprintln(table, name+"\t"+strings.Join(sizes, "\t"))
			for i, p := range what {
				fmt.Fprint(table, p.name)
				for _, of := range took {
					fmt.Fprintf(table, "\t%.2f", of[i])
				}
				fmt.Fprintln(table)
			}
			if err := table.Flush(); err != nil {
				t.Fatal(err)
			}
		})
	}
}

// indexTexts indexes all texts at once, as the server does over time.
func indexTexts(t testing.TB, s *bunstore.Store) {
	t.Helper()
	began := time.Now()
	if err := s.Shares().KeepTexts(t.Context(), 0); err != nil {
		t.Fatal(err)
	}
	t.Logf("indexed in %s", time.Since(began).Round(time.Second))
}

// grownPages are the calls that are measured.
func grownPages(s *bunstore.Store) []page {
	now := time.UnixMilli(1_900_000_000_000)
	texts := func(f shares.PasteFilter) func(context.Context) (int, error) {
		return func(ctx context.Context) (int, error) {
			f.Paging, f.Sort.Now = ports.Paging{Limit: 20}, now
			found, err := s.Pastes().List(ctx, f)
			return found.Total, err
		}
	}
	all := func(f inventory.Filter) func(context.Context) (int, error) {
		return func(ctx context.Context) (int, error) {
			f.Limit = 20
			found, err := s.Shares().Shares(ctx, f)
			return found.Total, err
		}
	}
	return []page{
		{"an owner's texts", texts(shares.PasteFilter{CreatedBy: "admin"})},
		{"texts that have expired", texts(shares.PasteFilter{Sort: shares.Sort{State: shares.StateExpired}})},
		{"texts by size", texts(shares.PasteFilter{Sort: shares.Sort{By: shares.SortSize}})},
		{"search in texts, rare", texts(shares.PasteFilter{Search: "number 9999,", SearchAll: true})},
		{"search in texts, Chinese", texts(shares.PasteFilter{Search: "第9999号", SearchAll: true})},
		{"search in texts, nothing", texts(shares.PasteFilter{Search: "zzyzx", SearchAll: true})},
		{"search in texts, in all", texts(shares.PasteFilter{Search: "words", SearchAll: true})},
		{"all shares", all(inventory.Filter{})},
		{"all shares by views", all(inventory.Filter{Sort: inventory.Sort{By: inventory.SortViews}})},
		{"search in all shares", all(inventory.Filter{Search: "x9999"})},
		{"dashboard's counts", func(ctx context.Context) (int, error) {
			n, _, err := s.Pastes().CountByDay(ctx, now, 90)
			if err != nil {
				return n, err
			}
			more, _, err := s.Files().CountByDay(ctx, now, 90)
			return n + more, err
		}},
		{"audit log", func(ctx context.Context) (int, error) {
			found, err := s.Audit().List(ctx, audit.Filter{Limit: 50})
			return len(found), err
		}},
		{"a pass of the janitor", func(ctx context.Context) (int, error) {
			ids, err := s.Pastes().Erasable(ctx, now, time.UnixMilli(1_600_000_000_000), "", 100)
			return len(ids), err
		}},
	}
}
