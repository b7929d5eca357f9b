package datadir

import (
	"path/filepath"
	"testing"
)

// A disk is told as full where new content is refused, and only there: nothing is
// refused where the database has a disk of its own.
func TestADiskIsFullOnlyWhereNewContentIsRefused(t *testing.T) {
	dir := t.TempDir()
	held, gone := &Reserve{path: reservePath(dir), held: true}, &Reserve{path: reservePath(dir)}
	elsewhere := &Reserve{path: reservePath(t.TempDir())}
	for name, c := range map[string]struct {
		reserve *Reserve
		free    int64
		want    int64
	}{
		"no reserve":          {nil, 5, 5},
		"one of another disk": {elsewhere, 5, 5},
		"one that is held":    {held, ReserveSize, ReserveSize},
		"held, and less":      {held, ReserveSize - 1, 0},
		"one that was let go": {gone, 2*ReserveSize - 1, 0},
	} {
		if got := c.reserve.within(filepath.Join(dir, "."), Space{Total: 1 << 40, Free: c.free}); got.Free != c.want || got.Total != 1<<40 {
			t.Errorf("%s: %d bytes are free, want %d", name, got.Free, c.want)
		}
	}
}
