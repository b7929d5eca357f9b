package main

import (
	"net/netip"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pasteport/adapters/datadir"
	"pasteport/ports"
)

// read parses a command line.
func read(t *testing.T, args ...string) (*cli, error) {
	t.Helper()
	var c cli
	p, err := commandLine(&c)
	if err != nil {
		t.Fatal(err)
	}
	_, err = p.Parse(args)
	return &c, err
}

func TestDecision4_FlagBeatsVariableBeatsFileBeatsDefault(t *testing.T) {
	file := filepath.Join(t.TempDir(), "settings.json")
	if err := os.WriteFile(file, []byte(`{"listen":"file:1","data-dir":"/file","log-level":"warn"}`), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PASTEPORT_DATA_DIR", "/variable")
	t.Setenv("PASTEPORT_LOG_LEVEL", "error")
	c, err := read(t, "serve", "--config", file, "--log-level", "debug")
	if err != nil {
		t.Fatal(err)
	}
	if c.Listen != "file:1" || c.DataDir != "/variable" || c.LogLevel != "debug" || c.InternalListen != "127.0.0.1:8788" || c.AdminUser != "admin" {
		t.Errorf("settings are %+v", c.settings)
	}
}

func TestServeIsTheDefaultCommandAndTakesItsFlags(t *testing.T) {
	c, err := read(t, "--listen", "127.0.0.1:1", "--trusted-proxies", "10.0.0.0/8,192.168.1.7", "--drain-delay", "0s")
	if err != nil || c.Listen != "127.0.0.1:1" || len(c.TrustedProxies) != 2 || c.DrainDelay != 0 {
		t.Errorf("%+v, %v", c.settings, err)
	}
	for _, args := range [][]string{{"--log-level", "loud"}, {"--nothing"}, {"nothing"}, {"--rate-limits", "no"}} {
		if _, err := read(t, args...); err == nil {
			t.Errorf("%v is accepted", args)
		}
	}
}

func TestFilesLieInTheDataFolderUnlessTold(t *testing.T) {
	s := settings{DataDir: "/data"}
	if s.databaseURL() != "/data/pasteport.db" || s.keyFile() != "/data/secret.key" {
		t.Errorf("%s, %s", s.databaseURL(), s.keyFile())
	}
	s.DatabaseURL, s.SecretKeyFile = "postgres://x", "/run/key"
	if s.databaseURL() != "postgres://x" || s.keyFile() != "/run/key" {
		t.Errorf("%s, %s", s.databaseURL(), s.keyFile())
	}
}

func TestPublicURLIsAnAddressWithoutQuery(t *testing.T) {
	for text, want := range map[string]string{
		"": "", "https://a.example": "https://a.example", "https://a.example/": "https://a.example", "http://a.example:8080/base/": "http://a.example:8080/base",
		"a.example": "!", "ftp://a.example": "!", "https://": "!", "https://a.example/?x=1": "!", "https://u:p@a.example": "!", "https://a.example/#x": "!",
	} {
		got, err := (&settings{PublicURL: text}).publicURL()
		if (err != nil) != (want == "!") || (err == nil && got != want) {
			t.Errorf("%q: %q, %v", text, got, err)
		}
	}
}

func TestTrustedProxiesAreAddressesOrBlocks(t *testing.T) {
	got, err := (&settings{TrustedProxies: []string{"10.1.2.3/8", "::1", "192.168.1.7"}}).trustedProxies()
	want := []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8"), netip.MustParsePrefix("::1/128"), netip.MustParsePrefix("192.168.1.7/32")}
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("%v, %v", got, err)
	}
	for _, bad := range []string{"proxy", "10.0.0.0/33", ""} {
		if _, err := (&settings{TrustedProxies: []string{bad}}).trustedProxies(); err == nil {
			t.Errorf("%q is accepted", bad)
		}
	}
}

func TestPasswordOfTheFirstAdministratorMayComeFromAFile(t *testing.T) {
	file := filepath.Join(t.TempDir(), "password")
	if err := os.WriteFile(file, []byte(" from a file \n"), 0o600); err != nil {
		t.Fatal(err)
	}
	s := settings{AdminPassword: "direct", AdminPasswordFile: file}
	if got, err := s.adminPassword(); err != nil || got != " from a file " {
		t.Errorf("%q, %v", got, err)
	}
	s.AdminPasswordFile += "x"
	if _, err := s.adminPassword(); err == nil {
		t.Error("a missing file is no error")
	}
}

func TestOperatorsReadSentencesNotCodes(t *testing.T) {
	for key, want := range spoken {
		if got := plain(ports.Wrap("first start", ports.InvalidInput(key, "x"))); got != want {
			t.Errorf("%s: %q", key, got)
		}
	}
	if got := plain(ports.Wrap("open the database", os.ErrPermission)); !strings.Contains(got, "open the database") {
		t.Errorf("%q", got)
	}
}

func TestLeftoversOfUploadsAreSweptWhateverTheirAge(t *testing.T) {
	dir := t.TempDir()
	spool, err := datadir.OpenSpool(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, sweep := range []func() error{
		func() error { _, err := datadir.OpenSpool(dir); return err },
		func() error { return datadir.SweepSpool(spool) },
	} {
		for _, name := range []string{"upload-1", "upload-2", "other"} {
			if err := os.WriteFile(filepath.Join(spool, name), nil, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		if err := sweep(); err != nil {
			t.Fatal(err)
		}
		left, err := filepath.Glob(filepath.Join(spool, "*"))
		if err != nil || len(left) != 1 || filepath.Base(left[0]) != "other" {
			t.Errorf("left are %v, %v", left, err)
		}
	}
}
