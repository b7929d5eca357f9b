package openapi

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// oapi-codegen makes a client of the description, and it compiles.
func TestAClientIsGeneratedAndCompiles(t *testing.T) {
	dir := t.TempDir()
	client, overlay := filepath.Join(dir, "client.go"), filepath.Join(dir, "overlay.json")
	run(t, "go", "tool", "oapi-codegen", "-generate", "types,client", "-package", "client", "-o", client, filepath.Join("..", "..", "docs", "openapi.json"))
	here, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	// The package is of this module, so that its imports are pinned, and in no folder of it.
	raw, err := json.Marshal(map[string]any{"Replace": map[string]string{filepath.Join(here, "client", "client.go"): client}})
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(overlay, raw, 0o600); err != nil {
		t.Fatal(err)
	}
	run(t, "go", "build", "-overlay", overlay, "./client")
}

func run(t *testing.T, name string, args ...string) {
	t.Helper()
	if out, err := exec.CommandContext(t.Context(), name, args...).CombinedOutput(); err != nil {
		t.Fatalf("%s %v: %v\n%s", name, args, err, out)
	}
}
