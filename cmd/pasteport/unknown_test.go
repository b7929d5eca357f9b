package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Every setting: a name with one slip ends the start and names what was meant.
func TestASlipInASettingsNameEndsTheStartWithAHint(t *testing.T) {
	g, err := commandLine(&cli{})
	if err != nil {
		t.Fatal(err)
	}
	checked := 0
	for _, o := range options(g.Model.Node) {
		if len(o.Name) < 4 {
			continue
		}
		for _, slip := range []string{o.Name[:len(o.Name)-2] + o.Name[len(o.Name)-1:], o.Name + "s", strings.ReplaceAll(o.Name, "-", "_") + "x"} {
			if err := known(g.Model, map[string]any{o.Name: "x", slip: "x"}); err == nil || !strings.Contains(err.Error(), `"`+slip+`" (did you mean `) {
				if known(g.Model, map[string]any{slip: "x"}) == nil {
					continue // the name of another setting
				}
				t.Errorf("%s in the file: %v", slip, err)
			}
			if len(o.Envs) == 0 {
				continue
			}
			name := "PASTEPORT_" + strings.ToUpper(strings.ReplaceAll(slip, "-", "_"))
			if _, err := knownVariables(g.Model, []string{name + "=x"}); err == nil || !strings.Contains(err.Error(), name+" (did you mean PASTEPORT_") {
				t.Errorf("%s in the environment: %v", name, err)
			}
			checked++
		}
	}
	if checked < 100 {
		t.Errorf("only %d slips were tried", checked)
	}
}

func TestNamesThatAreNoSettings(t *testing.T) {
	g, err := commandLine(&cli{})
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{"listn": "did you mean listen?", "LISTEN": "no setting", "data_dirs": "data-dir", "zebra": `no setting "zebra"`, "sha256": ""} {
		err := known(g.Model, map[string]any{name: "x"})
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%s in the file: %v, want %q", name, err, want)
		}
	}
	for name, want := range map[string]struct{ warning, err string }{
		"PASTEPORT_LISTN": {"", "PASTEPORT_LISTEN?"}, "PASTEPORT_LISTEN_ADDRESS": {"", "PASTEPORT_LISTEN?"}, "PASTEPORT_TRUSTED_PROXY": {"", "PASTEPORT_TRUSTED_PROXIES?"},
		"PASTEPORT_PORT": {"PASTEPORT_PORT,", ""}, "PASTEPORT_SERVICE_HOST": {"PASTEPORT_SERVICE_HOST,", ""}, "PASTEPORT_PORT_8787_TCP_ADDR": {"_ADDR,", ""},
		"PASTEPORT_TEST_POSTGRES": {}, "PASTEPORT_E2E_URL": {}, "PASTEPORT_LISTEN": {}, "PASTEPORTX": {}, "PATH": {},
	} {
		warnings, err := knownVariables(g.Model, []string{name + "=x"})
		if said := strings.Join(warnings, "\n"); want.warning == "" && said != "" || !strings.Contains(said, want.warning) {
			t.Errorf("%s warns %q, want %q", name, said, want.warning)
		}
		if want.err == "" && err != nil || want.err != "" && (err == nil || !strings.Contains(err.Error(), want.err)) {
			t.Errorf("%s: %v, want %q", name, err, want.err)
		}
	}
}

func TestAMistypedSettingsFileOpensNoPort(t *testing.T) {
	file := filepath.Join(t.TempDir(), "settings.json")
	if err := os.WriteFile(file, []byte(`{"listn": "127.0.0.1:9999"}`), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := read(t, "--config", file); err == nil || !strings.Contains(err.Error(), "did you mean listen?") {
		t.Errorf("error = %v", err)
	}
	t.Setenv("PASTEPORT_LISTN", "127.0.0.1:9999")
	if _, err := read(t); err == nil || !strings.Contains(err.Error(), "PASTEPORT_LISTEN?") {
		t.Errorf("error = %v", err)
	}
}
