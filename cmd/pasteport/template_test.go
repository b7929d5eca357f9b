package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// outside copies a folder of the repository to a place where no author of ours
// works, and makes a data folder with an empty plugin folder.
func outside(t *testing.T, folder ...string) (dir, data string) {
	t.Helper()
	dir, data = t.TempDir(), t.TempDir()
	if err := os.CopyFS(dir, os.DirFS(filepath.Join(append([]string{"..", ".."}, folder...)...))); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(data, "plugins"), 0o700); err != nil {
		t.Fatal(err)
	}
	return dir, data
}

// author runs a command of a driver's author in dir.
func author(t *testing.T, dir, name string, args ...string) {
	t.Helper()
	cmd := exec.Command(name, args...)
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%s %s: %v: %s", name, strings.Join(args, " "), err, out)
	}
}

// approvedAndTested approves a driver whose only field is a space and runs the
// suite on it, and checks what it says to an operator who fills in nonsense.
func approvedAndTested(t *testing.T, data, name string) {
	t.Helper()
	options := filepath.Join(t.TempDir(), "options.json")
	if err := os.WriteFile(options, []byte(`{"space":"mine"}`), 0o600); err != nil {
		t.Fatal(err)
	}
	if out, ok := command(t, data, "approve", name); !ok {
		t.Fatalf("plugin approve: %s", out)
	}
	if out, ok := command(t, data, "test", name, "--options", options); !ok || strings.Contains(out, "FAIL") || !strings.Contains(out, "keeps the contract") {
		t.Fatalf("plugin test: %s", out)
	}
	if err := os.WriteFile(options, []byte(`{"space":"MINE"}`), 0o600); err != nil {
		t.Fatal(err)
	}
	out, ok := command(t, data, "test", name, "--options", options)
	if ok || !strings.Contains(out, "the field space: A space is named with small letters.") {
		t.Errorf("a bad field: %s", out)
	}
}

// TestTheTemplateIsBuiltOutside goes the way of docs/drivers.md: the template in
// a folder of its own, a replace to the clone, approved and tested.
func TestTheTemplateIsBuiltOutside(t *testing.T) {
	t.Parallel()
	root, err := filepath.Abs(filepath.Join("..", ".."))
	if err != nil {
		t.Fatal(err)
	}
	dir, data := outside(t, "docs", "drivers", "template")
	author(t, dir, "go", "mod", "edit", "-module", "example.com/mydriver", "-replace", "pasteport="+root)
	author(t, dir, "go", "vet", "./...")
	author(t, dir, "go", "build", "-o", filepath.Join(data, "plugins", "template"), ".")
	approvedAndTested(t, data, "template")
}

// TestADriverInAnotherLanguage goes the way of docs/drivers.md for authors who
// do not use the SDK: the driver of docs/drivers/node, built as the page says.
func TestADriverInAnotherLanguage(t *testing.T) {
	t.Parallel()
	dir, data := outside(t, "docs", "drivers", "node")
	protocol, err := os.ReadFile(filepath.Join("..", "..", "plugins", "sdk", "proto", "storage.proto"))
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, "storage.proto"), protocol, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	author(t, dir, "npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--fetch-retries", "5")
	author(t, dir, "npm", "run", "build")
	if err := os.Rename(filepath.Join(dir, "build", "nodemem"), filepath.Join(data, "plugins", "nodemem")); err != nil {
		t.Fatal(err)
	}
	approvedAndTested(t, data, "nodemem")
}
