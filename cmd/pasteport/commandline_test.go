package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/alecthomas/kong"
	"github.com/google/go-cmp/cmp"
)

func TestCommandLineFindsCommandsFlagsAndArguments(t *testing.T) {
	g := func(args ...string) (*cli, any) {
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
		return &c, p.Selected().Target.Addr().Interface()
	}
	if c, run := g(); run != any(&c.Serve) {
		t.Errorf("no word means %T", run)
	}
	if c, run := g("plugin", "approve", "--sha256=ab", "x", "--data-dir", "/d"); run != any(&c.Plugin.Approve) || c.Plugin.Approve.Name != "x" || c.Plugin.Approve.SHA256 != "ab" || c.DataDir != "/d" {
		t.Errorf("approve is %T, %+v", run, c)
	}
	if c, _ := g("--data-dir=/d", "import", "predecessor", "--dry-run", "--", "--file"); !c.Import.Predecessor.DryRun || c.Import.Predecessor.File != "--file" || c.DataDir != "/d" {
		t.Errorf("import is %+v", c.Import)
	}
	if c, _ := g("--fetch-allow", "a,b", "--fetch-allow=c"); !cmp.Equal(c.FetchAllow, []string{"a", "b", "c"}) {
		t.Errorf("a flag given twice is %v", c.FetchAllow)
	}
	if c, _ := g("--limit-logins", "-1", "--limit-streams=-2"); c.LimitLogins != -1 || c.LimitStreams != -2 {
		t.Errorf("limits below nothing are %d, %d", c.LimitLogins, c.LimitStreams)
	}
	t.Setenv("PASTEPORT_TASK_WORKERS", "two")
	for _, workers := range []int{0, 17} {
		if err := (&settings{TaskWorkers: workers}).check(); err == nil {
			t.Errorf("%d tasks at once are taken", workers)
		}
	}
	if c, _ := g("--task-workers=3"); c.TaskWorkers != 3 {
		t.Errorf("beside a variable without a number the flag is %d", c.TaskWorkers)
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
		"--task-workers two":                     "valid 64 bit int",
		"--drain-delay 2":                        "duration",
		"version --sha256 x":                     "unknown flag --sha256",
		"--log-level loud":                       `must be one of "debug","info","warn","error"`,
		"--config /nowhere.json":                 "settings file",
		"import predecessor a --dry-run=perhaps": "must be true",
	} {
		_, err := read(t, strings.Fields(line)...)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", line, err, want)
		}
	}
}

func TestAMistypedCommandIsToldInALine(t *testing.T) {
	for _, c := range []struct{ line, want string }{
		{"psuh a.txt", "pasteport: error: there is no command \"psuh\"; pasteport --help lists them\n"},
		{"serve --lsiten x", "pasteport: error: unknown flag --lsiten, did you mean \"--listen\"?\nUsage: pasteport serve [flags]\n\nServe (what happens without a command).\n\nRun \"pasteport serve --help\" for more information.\n"},
		{"version --database-url mysql://u:secret@x", "pasteport: --database-url: not a postgres:// address\n"},
	} {
		out, err := exec.Command(binary(t), strings.Fields(c.line)...).CombinedOutput()
		if err == nil || string(out) != c.want {
			t.Errorf("%s: %v\n%s", c.line, err, out)
		}
	}
}

func TestNobodyBecomesAServerByLooking(t *testing.T) {
	there, missing := t.TempDir(), filepath.Join(t.TempDir(), "data")
	for _, c := range []struct {
		args     []string
		terminal bool
		dir      string
		want     bool
	}{{nil, true, missing, true}, {nil, true, there, false}, {nil, false, missing, false}, {[]string{"serve"}, true, missing, false}} {
		if got := justLooking(c.args, c.terminal, c.dir); got != c.want {
			t.Errorf("%+v is %v", c, got)
		}
	}
}

func TestSecretsMayStandInFilesAndCredentials(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{"database-url": "postgres://credential\n", "secret-key": "k", "empty": "\n", "file": "of a file\r\n"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	read := func(t *testing.T, args ...string) (*cli, error) {
		c, err := read(t, args...)
		if err == nil {
			err = c.readSecrets()
		}
		return c, err
	}
	if c, err := read(t, "--encryption-secret-file", filepath.Join(dir, "file")); err != nil || c.EncryptionSecret != "of a file" {
		t.Errorf("a file says %q, %v", c.EncryptionSecret, err)
	}
	for _, name := range []string{"empty", "missing"} {
		if _, err := read(t, "--database-url-file", filepath.Join(dir, name)); err == nil || !strings.Contains(err.Error(), "--database-url-file: ") {
			t.Errorf("%s file: %v", name, err)
		}
	}
	t.Setenv("CREDENTIALS_DIRECTORY", dir)
	if c, err := read(t); err != nil || c.DatabaseURL != "postgres://credential" || c.SecretKeyFile != filepath.Join(dir, "secret-key") || c.EncryptionSecret != "" {
		t.Errorf("credentials say %q, %q, %q, %v", c.DatabaseURL, c.SecretKeyFile, c.EncryptionSecret, err)
	}
	t.Setenv("PASTEPORT_DATABASE_URL_FILE", filepath.Join(dir, "file"))
	if c, err := read(t); err != nil || c.DatabaseURL != "of a file" {
		t.Errorf("beside a variable: %q, %v", c.DatabaseURL, err)
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
	var b strings.Builder
	status := -1
	k, err := commandLine(&cli{}, kong.Writers(&b, &b), kong.Exit(func(code int) { status = code }))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := k.Parse([]string{"plugin", "approve", "--help"}); err == nil || status != 0 {
		t.Errorf("status %d, %v", status, err)
	}
	for _, want := range []string{"Usage: pasteport plugin approve <name>", "--sha256=HEX", "--data-dir", "$PASTEPORT_DATA_DIR"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("%q is missing in:\n%s", want, b.String())
		}
	}
	for line, c := range map[string]struct{ has, lacks string }{
		"--help": {"Use a server from here:", "--listen"}, "serve --help": {`--listen=":8787"`, "--sha256"}, "push --help": {"--expires=TIME", "--data-dir"}, "backup create --help": {"--data-dir", "--listen"},
		"version --help": {"--help", "--data-dir"}, "health --help": {"--internal-listen", "--data-dir"}, "doctor --help": {"--public-url", "--listen="},
		"policy check --help": {"--help", "--data-dir"}, "policy reset --help": {"--data-dir", "--listen"}, "admin reset --help": {"--admin-password-file", "--plugin-dir"},
	} {
		b.Reset()
		k, err := commandLine(&cli{}, kong.Writers(&b, &b), kong.Exit(func(int) {}))
		if err != nil {
			t.Fatal(err)
		}
		_, _ = k.Parse(strings.Fields(line))
		if !strings.Contains(b.String(), c.has) || strings.Contains(b.String(), c.lacks) {
			t.Errorf("pasteport %s: it should have %q and lack %q:\n%s", line, c.has, c.lacks, b.String())
		}
	}
}

// Decision 64: completion and the man page come of the same grammar.
func TestTheCommandLineCompletesItselfAndHasAManPage(t *testing.T) {
	ask := func(line string) []string {
		out, code := once(t, t.TempDir(), nil, "COMP_LINE="+line)
		if code != 0 {
			t.Errorf("%q: exit code %d", line, code)
		}
		return strings.Fields(out)
	}
	for line, want := range map[string]string{"pasteport ba": "backup", "pasteport backup ": "verify", "pasteport serve --database-u": "--database-url", "pasteport serve --log-level ": "debug"} {
		if got := ask(line); !slices.Contains(got, want) {
			t.Errorf("%q goes on with %q, not with %s", line, got, want)
		}
	}
	for _, shell := range []string{"bash", "zsh", "fish"} {
		if out, code := once(t, t.TempDir(), []string{"completion", "-c", shell}); code != 0 || !strings.Contains(out, "complete") {
			t.Errorf("completion for %s: %d %s", shell, code, out)
		}
	}
	page, code := once(t, t.TempDir(), []string{"man"})
	for _, want := range []string{".TH PASTEPORT 1 \"\" \"Pasteport " + version + "\"", "PASTEPORT_DATA_DIR", "backup", "policy", "--listen"} {
		if code != 0 || !strings.Contains(page, want) {
			t.Errorf("the man page (exit code %d) has no %s", code, want)
		}
	}
	for _, command := range []string{"login", "logout", "push", "paste", "get", "ls", "rm", "edit", "mount", "request"} {
		if !slices.Contains(ask("pasteport "+command[:1]), command) || !strings.Contains(page, `\fB`+command+" ") {
			t.Errorf("completion or the man page has no %s", command)
		}
	}
	for _, command := range []string{"ls", "cp", "mv"} {
		if !slices.Contains(ask("pasteport mount "), command) || !strings.Contains(page, `\fBmount `+command+" ") {
			t.Errorf("completion or the man page has no mount %s", command)
		}
	}
}
