package main

import (
	"encoding/json"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// metricName matches what an expression asks for; functions and labels have no
// such names.
var metricName = regexp.MustCompile(`\b(?:pasteport|process|go)_[a-z0-9_]+`)

func TestMetricsKeepTheConventionsAndTheDocumentsNameOnesThatAre(t *testing.T) {
	p := start(t, t.TempDir(), "PASTEPORT_AUDIT_FILE="+filepath.Join(t.TempDir(), "audit.jsonl"))
	scrape := func() string {
		t.Helper()
		a := p.visitor().get(p.internal + "/metrics")
		if a.status != http.StatusOK {
			t.Fatalf("%d %s", a.status, a.body)
		}
		return string(a.body)
	}
	series := func(text string) (n int) {
		for line := range strings.Lines(text) {
			if line[0] != '#' {
				n++
			}
		}
		return n
	}
	first := scrape()
	if n := series(first); n > 600 {
		t.Errorf("%d series at the start", n)
	}

	admin := p.admin()
	if a := admin.post("/api/paste", map[string]any{"content": "x"}); a.status/100 != 2 {
		t.Fatalf("%d %s", a.status, a.body)
	}
	if a := admin.send(http.MethodPut, "/api/upload-direct/a.txt", strings.NewReader("hello")); a.status/100 != 2 {
		t.Fatalf("%d %s", a.status, a.body)
	}
	text := scrape()
	for _, want := range []string{`pasteport_shares{kind="paste"} 1`, `pasteport_shares{kind="file"} 1`, "pasteport_storage_used_bytes{", "pasteport_build_info{", `pasteport_audit_stream_unsent{sink="file"}`,
		"go_goroutines ", "process_resident_memory_bytes ", `go_sql_open_connections{db_name="main"}`, `pasteport_http_request_duration_seconds_count{op="paste.create"} 1`} {
		if !strings.Contains(text, "\n"+want) {
			t.Errorf("%s is missing", want)
		}
	}
	types := map[string]string{}
	for line := range strings.Lines(text) {
		if words := strings.Fields(line); len(words) == 4 && words[1] == "TYPE" {
			types[words[2]] = words[3]
		}
	}
	for name, kind := range types {
		own := strings.HasPrefix(name, "pasteport_")
		if own && kind == "counter" && !strings.HasSuffix(name, "_total") || own && kind != "counter" && strings.HasSuffix(name, "_total") ||
			own && kind == "histogram" && !strings.HasSuffix(name, "_seconds") && !strings.HasSuffix(name, "_bytes") {
			t.Errorf("%s is a %s", name, kind)
		}
	}

	// What is there only with drivers, tasks or scans stands in the source.
	source := ""
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		source += string(data)
	}
	var expressions []string
	alerts, err := os.ReadFile("../../docs/metrics/alerts.yml")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(alerts)) {
		if expr, ok := strings.CutPrefix(strings.TrimSpace(line), "expr: "); ok {
			expressions = append(expressions, expr)
		}
	}
	data, err := os.ReadFile("../../docs/metrics/dashboard.json")
	if err != nil {
		t.Fatal(err)
	}
	var board struct {
		Panels []struct{ Targets []struct{ Expr string } }
	}
	if err := json.Unmarshal(data, &board); err != nil {
		t.Fatal(err)
	}
	for _, panel := range board.Panels {
		for _, target := range panel.Targets {
			expressions = append(expressions, target.Expr)
		}
	}
	var named []string
	for _, expr := range expressions {
		named = append(named, metricName.FindAllString(expr, -1)...)
	}
	slices.Sort(named)
	if named = slices.Compact(named); len(expressions) < 20 || len(named) < 20 {
		t.Errorf("only %d expressions with %d metrics", len(expressions), len(named))
	}
	for _, name := range named {
		base := strings.TrimSuffix(name, "_bucket")
		if types[base] == "" && !strings.Contains(source, `"`+base+`"`) {
			t.Errorf("there is no metric %s", name)
		}
	}
}

// TestTheAlertsFireAsTheyShould runs the tests of the alert file with the tool of
// Prometheus.
func TestTheAlertsFireAsTheyShould(t *testing.T) {
	for _, args := range [][]string{{"check", "rules", "alerts.yml"}, {"test", "rules", "alerts_test.yml"}} {
		cmd := exec.Command("promtool", args...)
		cmd.Dir = filepath.Join("..", "..", "docs", "metrics")
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("promtool %s: %v (it is in Debian's package prometheus): %s", strings.Join(args, " "), err, out)
		}
	}
}
