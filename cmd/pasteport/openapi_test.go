package main

import (
	"encoding/json"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"pasteport/docs"
)

// The server gives everybody the description that its tests are held to, with its
// own address in it.
func TestTheDescriptionOfTheInterfaceIsServed(t *testing.T) {
	p := start(t, t.TempDir(), "PASTEPORT_PUBLIC_URL=https://paste.example")
	got := client{p: p, unchecked: true}.get("/api/openapi.json")
	if got.status != http.StatusOK || got.header.Get("Content-Type") != "application/json; charset=utf-8" {
		t.Fatalf("%d %v", got.status, got.header)
	}
	var served, kept map[string]any
	if err := json.Unmarshal(got.body, &served); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(docs.OpenAPI, &kept); err != nil {
		t.Fatal(err)
	}
	servers, ok := served["servers"].([]any)
	if !ok || len(servers) != 1 || servers[0].(map[string]any)["url"] != "https://paste.example" {
		t.Errorf("the servers are %v", served["servers"])
	}
	if len(served["paths"].(map[string]any)) != len(kept["paths"].(map[string]any)) || len(kept["paths"].(map[string]any)) < 100 {
		t.Errorf("%d paths are served", len(served["paths"].(map[string]any)))
	}
	again := client{p: p, unchecked: true}.get("/api/openapi.json", "If-None-Match", got.header.Get("ETag"))
	if again.status != http.StatusNotModified || len(again.body) > 0 {
		t.Errorf("asked again with its tag: %d, %d bytes", again.status, len(again.body))
	}
}

// The commands for a shell call nothing that others could not call as well.
func TestTheClientCallsWhatIsDescribed(t *testing.T) {
	described := slices.Collect(maps.Keys(readDescription(t)))
	files, err := filepath.Glob("../../adapters/apiclient/*.go")
	if err != nil {
		t.Fatal(err)
	}
	calls := map[string]bool{}
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		source, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, found := range regexp.MustCompile(`"(/api/[^"]+)"`).FindAllStringSubmatch(string(source), -1) {
			calls[found[1]] = true
		}
	}
	for call := range calls {
		if !slices.ContainsFunc(described, func(path string) bool {
			return path == call || strings.HasSuffix(call, "/") && strings.HasPrefix(path, call)
		}) {
			t.Errorf("%s is not described", call)
		}
	}
	if len(calls) < 20 {
		t.Errorf("only %d calls found", len(calls))
	}
}
