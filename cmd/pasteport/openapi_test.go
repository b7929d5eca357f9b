package main

import (
	"encoding/json"
	"net/http"
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
