package main

import (
	"strings"
	"testing"
)

// An upload that has begun is no file yet, neither in the count nor in the chart.
func TestTheDashboardCountsNoUnfinishedUploads(t *testing.T) {
	admin := start(t, t.TempDir()).admin()
	var configs []struct{ ID string }
	admin.get("/api/s3-configs").into(t, &configs)
	admin.post("/api/s3/presign", map[string]any{"s3_config_id": configs[0].ID, "filename": "begun.bin"}).into(t, &struct{}{})
	files := func() (total int, days []int) {
		var stats struct {
			TotalFiles    int
			LastWeekFiles []int
		}
		admin.get("/api/admin/dashboard/stats").into(t, &stats)
		return stats.TotalFiles, stats.LastWeekFiles
	}
	if total, days := files(); total != 0 || days[len(days)-1] != 0 {
		t.Errorf("an upload that has begun counts: %d, %v", total, days)
	}
	if a := admin.send("PUT", "/api/upload-direct/done.bin", stream{strings.NewReader("done")}); a.status != 200 {
		t.Fatalf("%d %s", a.status, a.body)
	}
	if total, days := files(); total != 1 || days[len(days)-1] != 1 {
		t.Errorf("a file does not count: %d, %v", total, days)
	}
}
