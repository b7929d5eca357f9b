package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestTheTemplateIsBuiltOutside goes the way of docs/drivers.md: the template in
// a folder of its own, a replace to the clone, approved and tested.
func TestTheTemplateIsBuiltOutside(t *testing.T) {
	root, err := filepath.Abs(filepath.Join("..", ".."))
	if err != nil {
		t.Fatal(err)
	}
	outside, dir := t.TempDir(), t.TempDir()
	if err := os.CopyFS(outside, os.DirFS(filepath.Join(root, "docs", "drivers", "template"))); err != nil {
		t.Fatal(err)
	}
	plugins := filepath.Join(dir, "plugins")
	if err := os.Mkdir(plugins, 0o700); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{
		{"mod", "edit", "-replace", "pasteport=" + root},
		{"vet", "./..."},
		{"build", "-o", filepath.Join(plugins, "template"), "."},
	} {
		cmd := exec.Command("go", args...)
		cmd.Dir = outside
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("go %s: %s", strings.Join(args, " "), out)
		}
	}
	options := filepath.Join(dir, "options.json")
	if err := os.WriteFile(options, []byte(`{"space":"mine"}`), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"approve", "template"}, {"test", "template", "--options", options}} {
		if out, ok := command(t, dir, args...); !ok || strings.Contains(out, "FAIL") {
			t.Fatalf("plugin %s: %s", args[0], out)
		}
	}
	if err := os.WriteFile(options, []byte(`{"space":"MINE"}`), 0o600); err != nil {
		t.Fatal(err)
	}
	if out, ok := command(t, dir, "test", "template", "--options", options); ok || !strings.Contains(out, "the field space") {
		t.Errorf("a bad field: %s", out)
	}
}
