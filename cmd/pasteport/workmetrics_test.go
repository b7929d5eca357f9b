package main

import (
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"pasteport/ports/portstest"
)

func TestReliability3_6_TasksAndDriversAreCounted(t *testing.T) {
	config, _ := s3Config(t)
	p := start(t, filepath.Join(t.TempDir(), "data"), "HTTP_PROXY="+os.Getenv("HTTP_PROXY"))
	c := changes{t, p.admin()}
	c.ok("/api/admin/mounts", map[string]any{"name": "cloud", "mount_path": "/cloud", "storage_type": "S3", "storage_config_id": c.configID(config)}, nil)
	for _, name := range []string{"a", "b", "c"} {
		c.store("/local/d/"+name, "12345")
	}
	c.task("/api/fs/batch-copy", map[string]any{"mode": "task", "items": []pair{{"sourcePath": "/local/d/", "targetPath": "/cloud/d"}}})
	want := []string{
		`pasteport_tasks\{status="pending"\} 0`, `pasteport_task_runs_in_progress\{kind="copy"\} 0`, `pasteport_task_runs_total\{kind="copy",result="completed"\} 1`,
		`pasteport_task_runs_total\{kind="copy",result="failed"\} 0`, `pasteport_task_run_seconds_total\{kind="copy"\} [0-9]`,
		`pasteport_task_items_total\{kind="copy",result="completed"\} 3`, `pasteport_task_bytes_total\{kind="copy"\} 15`,
		`pasteport_driver_up\{driver="s3"\} 1`, `pasteport_driver_up\{driver="b2"\} 0`, `pasteport_driver_out_of_service\{driver="s3"\} 0`,
		`pasteport_driver_starts_total\{driver="s3"\} 1`, `pasteport_driver_failures_total\{driver="s3"\} 0`,
	}
	if _, err := os.Stat("/proc/self/stat"); err == nil {
		want = append(want, `pasteport_driver_resident_memory_bytes\{driver="s3"\} [1-9]`, `pasteport_driver_cpu_seconds_total\{driver="s3"\} [0-9]`)
	}
	var a answer
	var missing []string
	if !portstest.Happens(patience, func() bool { // the end of a task is counted after it was stored
		a, missing = p.visitor().get(p.internal+"/metrics"), nil
		for _, line := range want {
			if !regexp.MustCompile("(?m)^" + line).Match(a.body) {
				missing = append(missing, line)
			}
		}
		return a.status == http.StatusOK && len(missing) == 0
	}) {
		t.Fatalf("%d, these are missing:\n%s\n%s", a.status, strings.Join(missing, "\n"), regexp.MustCompile(`(?m)^pasteport_(task|driver).*$`).FindAll(a.body, -1))
	}
}
