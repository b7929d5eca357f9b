package main

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var goBlock = regexp.MustCompile("(?s)```go\n(.*?)\n```")

func TestThePageShowsTheWholeDriver(t *testing.T) {
	page, err := os.ReadFile("../../drivers.md")
	if err != nil {
		t.Fatal(err)
	}
	_, section, found := strings.Cut(string(page), "\n## A whole driver\n")
	if !found {
		t.Fatal("drivers.md has no section about this driver")
	}
	section, _, _ = strings.Cut(section, "\n## ")
	var shown []string
	for _, block := range goBlock.FindAllStringSubmatch(section, -1) {
		shown = append(shown, block[1])
	}
	var real []string
	for _, name := range []string{"main.go", "bucket.go"} {
		file, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		real = append(real, strings.TrimSuffix(string(file), "\n"))
	}
	if diff := cmp.Diff(strings.Join(real, "\n\n"), strings.Join(shown, "\n\n")); diff != "" {
		t.Errorf("drivers.md shows another driver (-file +page):\n%s", diff)
	}
	if len(shown) < 10 {
		t.Errorf("only %d pieces are explained", len(shown))
	}
}
