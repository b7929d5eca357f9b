package policy_test

import (
	"io/fs"
	"os"
	"regexp"
	"strings"
	"testing"
)

// TestKindsAndProtocolsHaveNames keeps the lists that the check of rules knows
// complete: no code asks with a kind or a protocol of its own.
func TestKindsAndProtocolsHaveNames(t *testing.T) {
	own := regexp.MustCompile(`(?s)policy\.Resource\{[^{}]*\bKind:\s*"|\bon\.Kind = "|\bProtocol: +"|callOf\([^)]*"|const kind(?:Paste|File|URL) = "`)
	root, files := os.DirFS("../.."), 0
	for _, dir := range []string{"domain", "adapters/httpapi", "cmd"} {
		err := fs.WalkDir(root, dir, func(name string, entry fs.DirEntry, err error) error {
			if err != nil || entry.IsDir() || !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
				return err
			}
			text, err := fs.ReadFile(root, name)
			files++
			if found := own.Find(text); found != nil {
				t.Errorf("%s: %q is not one of policy.Kind... and policy.Protocols", name, found)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if files < 100 {
		t.Errorf("only %d files were read", files)
	}
}
