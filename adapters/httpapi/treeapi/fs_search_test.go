package treeapi

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"pasteport/adapters/httpapi/wire"
	"pasteport/domain/mounts/index"
	"pasteport/ports"
)

func TestContract4_15_SearchesReadTheirFilters(t *testing.T) {
	day := time.Date(2026, 11, 21, 0, 0, 0, 0, time.UTC)
	for name, c := range map[string]struct {
		in   searchRequest
		want index.Narrow
		bad  bool
	}{
		"none":              {},
		"all":               {in: searchRequest{Kind: "image", MinSize: 1, MaxSize: 2, After: "2026-11-21T00:00:00Z", Before: "2026-11-22T02:00:00+02:00"}, want: index.Narrow{Kind: "image", MinSize: 1, MaxSize: 2, After: day, Before: day.AddDate(0, 0, 1)}},
		"no time after":     {in: searchRequest{After: "yesterday"}, bad: true},
		"no time before":    {in: searchRequest{Before: "2026-11-21"}, bad: true},
		"a limit of nought": {in: searchRequest{Limit: wire.Opt[wire.Int]{Set: true}}, bad: true},
	} {
		q, err := c.in.query()
		if c.bad {
			if ports.CodeOf(err) != ports.Invalid {
				t.Errorf("%s: got %v", name, err)
			}
			continue
		}
		if diff := cmp.Diff(q.Narrow, c.want); err != nil || diff != "" {
			t.Errorf("%s: %v %s", name, err, diff)
		}
	}
}
