package main

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestCommandLineFindsCommandsFlagsAndArguments(t *testing.T) {
	g := func(args ...string) (*cli, runnable) {
		t.Helper()
		var c cli
		g, err := commandLine(&c)
		if err != nil {
			t.Fatal(err)
		}
		p, err := g.Parse(args)
		if err != nil {
			t.Fatalf("%v: %v", args, err)
		}
		return &c, p.command
	}
	if c, run := g(); run != runnable(&c.Serve) {
		t.Errorf("no word means %T", run)
	}
	if c, run := g("plugin", "approve", "--sha256=ab", "x", "--data-dir", "/d"); run != runnable(&c.Plugin.Approve) || c.Plugin.Approve.Name != "x" || c.Plugin.Approve.SHA256 != "ab" || c.DataDir != "/d" {
		t.Errorf("approve is %T, %+v", run, c)
	}
	if c, _ := g("--data-dir=/d", "import", "predecessor", "--dry-run", "--", "--file"); !c.Import.Predecessor.DryRun || c.Import.Predecessor.File != "--file" || c.DataDir != "/d" {
		t.Errorf("import is %+v", c.Import)
	}
	if c, _ := g("--fetch-allow", "a,b", "--fetch-allow=c"); !cmp.Equal(c.FetchAllow, []string{"a", "b", "c"}) {
		t.Errorf("a flag given twice is %v", c.FetchAllow)
	}
}

func TestCommandLineRefusesWhatItDoesNotKnow(t *testing.T) {
	t.Setenv("PASTEPORT_NAME", "of the environment")
	for line, want := range map[string]string{
		"plugin":                                 `expected one of "list", "approve", "remove"`,
		"plugin approve":                         `expected "<name>"`,
		"plugin remove a b":                      "unexpected argument b",
		"--listen":                               "expected a value",
		"-x":                                     "unknown flag -x",
		"--task-workers two":                     "whole number",
		"--drain-delay 2":                        "duration",
		"version --sha256 x":                     "unknown flag --sha256",
		"--log-level loud":                       "must be one of debug, info, warn, error",
		"--config /nowhere.json":                 "settings file",
		"import predecessor a --dry-run=perhaps": "true or false",
	} {
		_, err := read(t, strings.Fields(line)...)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", line, err, want)
		}
	}
}

func TestSettingsFileTakesNumbersListsAndUnderscores(t *testing.T) {
	file := filepath.Join(t.TempDir(), "settings.json")
	if err := os.WriteFile(file, []byte(`{"limit_logins": 7, "trusted-proxies": ["10.0.0.0/8", "::1"], "listen": null}`), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PASTEPORT_CONFIG", file)
	c, err := read(t)
	if err != nil || c.LimitLogins != 7 || !cmp.Equal(c.TrustedProxies, []string{"10.0.0.0/8", "::1"}) || c.Listen != ":8787" {
		t.Errorf("%v, settings are %+v", err, c)
	}
}

func TestHelpNamesWhatCanBeSaidAtItsPlace(t *testing.T) {
	_, err := read(t, "plugin", "approve", "--help")
	var wrong *usageError
	if !errors.Is(err, errHelp) || !errors.As(err, &wrong) {
		t.Fatalf("error = %v", err)
	}
	var b strings.Builder
	wrong.at.printHelp(&b)
	for _, want := range []string{"Usage: pasteport plugin approve <name>", "--sha256=HEX", "--listen=:8787", "$PASTEPORT_LISTEN"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("%q is missing in:\n%s", want, b.String())
		}
	}
}
