package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"

	"github.com/alecthomas/kong"
	kongcompletion "github.com/jotaen/kong-completion"

	"pasteport/adapters/systemd"
	"pasteport/cmd/pasteport/usage"
)

// usageStatus is the status of a process whose command line made no sense.
const usageStatus = 80

// commandLine is the parser that fills c. What the command line says is
// stronger than the environment, then come credentials, then the file of
// --config, then the defaults. A flag's variable is named after the flag, with PASTEPORT_ in front.
func commandLine(c *cli, options ...kong.Option) (*kong.Kong, error) {
	file := &settingsFile{}
	return kong.New(c, append([]kong.Option{
		kong.Name("pasteport"), kong.Description("Share texts and files by a link, from a server of your own.\nThe settings of a server: pasteport serve --help. Each may also be a variable: --data-dir is PASTEPORT_DATA_DIR."),
		kong.ExplicitGroups([]kong.Group{{Key: "client", Title: "Use a server from here:"}}), kong.DefaultEnvars("PASTEPORT"), kong.Vars{"version": versionLine()}, kong.Bind(file), kong.Resolvers(file, credentials{}), // the last one wins
		kong.WithHyphenPrefixedParameters(true), kong.WithBeforeResolve(lastHasValue), // limits may be negative
		kong.ConfigureHelp(kong.HelpOptions{Compact: true, NoExpandSubcommands: true}), kong.Help(usage.OwnFlags),
	}, options...)...)
}

// lastHasValue refuses a flag without a value at the end of the line, which is an
// empty value for kong where values may begin with a hyphen.
func lastHasValue(ctx *kong.Context, at *kong.Path) error {
	if at.Flag != nil && !at.Flag.IsBool() && len(at.Remainder()) == 0 && ctx.Args[len(ctx.Args)-1] == "--"+at.Flag.Name {
		return fmt.Errorf("--%s: expected a value", at.Flag.Name)
	}
	return nil
}

// parse reads the command line, the environment and the settings file; it ends
// the process when they make no sense, and when a shell asks how a line goes on.
func parse(c *cli) *kong.Context {
	k, err := commandLine(c)
	if err != nil {
		panic(err) // the struct of the command line is wrong
	}
	kongcompletion.Register(k)
	ctx, err := k.Parse(os.Args[1:])
	if wrong := (*kong.ParseError)(nil); errors.As(err, &wrong) {
		k.Stdout = os.Stderr
		if args := os.Args[1:]; err.Error() == "unexpected argument "+args[0] {
			k.Errorf("there is no command %q; pasteport --help lists them", args[0])
			k.Exit(usageStatus)
		}
		k.Errorf("%s", err)
		_ = wrong.Context.PrintUsage(true)
		k.Exit(usageStatus)
	}
	if err == nil {
		err = c.readSecrets()
	}
	if err != nil {
		exit(err)
	}
	if justLooking(os.Args[1:], isTerminal(os.Stdout), c.DataDir) {
		_, _ = k.Parse([]string{"--help"}) // ends the process
	}
	warnings, _ := knownVariables(k.Model, os.Environ()) // Parse has returned the error
	for _, warning := range warnings {
		fmt.Fprintln(os.Stderr, "pasteport: warning:", warning)
	}
	return ctx
}

// credentials are the files that the service manager has made for this process
// alone. Each holds one secret and is named after it. It implements
// kong.Resolver.
type credentials struct{}

// Validate implements kong.Resolver: other files may lie beside ours.
func (credentials) Validate(*kong.Application) error { return nil }

// Resolve implements kong.Resolver.
func (credentials) Resolve(_ *kong.Context, _ *kong.Path, flag *kong.Flag) (any, error) {
	name, isFile := strings.CutSuffix(flag.Name, "-file")
	if !isFile || inEnvironment(flag) || !slices.Contains(credentialNames, name) {
		return nil, nil
	}
	path, err := systemd.Credential(name)
	if path == "" || err != nil {
		return nil, err
	}
	return path, nil
}

// credentialNames are the secrets that may come so; the flag of each has "-file"
// behind the name.
var credentialNames = []string{"database-url", "encryption-secret", "admin-password", "secret-key"}

// inEnvironment reports whether a variable says what a flag is.
func inEnvironment(flag *kong.Flag) bool {
	return slices.ContainsFunc(flag.Envs, func(name string) bool { _, set := os.LookupEnv(name); return set })
}

// justLooking reports whether somebody at a terminal seems to try what the program
// is: a server that has no data yet begins with a word, "serve", and not by chance.
func justLooking(args []string, terminal bool, dataDir string) bool {
	_, err := os.Stat(dataDir)
	return len(args) == 0 && terminal && errors.Is(err, fs.ErrNotExist)
}

// configFile is the path of a settings file.
type configFile string

// BeforeResolve reads the file, before the first setting is looked up in it.
func (configFile) BeforeResolve(ctx *kong.Context, at *kong.Path, file *settingsFile) error {
	path, _ := ctx.FlagValue(at.Flag).(configFile)
	if err := file.read(string(path)); err != nil {
		return fmt.Errorf("read the settings file: %w", err)
	}
	return nil
}

// settingsFile is what the file of --config says; it implements kong.Resolver.
type settingsFile struct{ values map[string]any }

// read takes over a JSON file; "" is an empty one.
func (f *settingsFile) read(path string) error {
	f.values = nil
	if path == "" {
		return nil
	}
	file, err := os.Open(path)
	if err != nil {
		return err
	}
	defer func() { _ = file.Close() }()
	decoder := json.NewDecoder(file)
	decoder.UseNumber()
	return decoder.Decode(&f.values)
}

// Validate implements kong.Resolver: every name must be one of a setting.
func (f *settingsFile) Validate(app *kong.Application) error {
	if err := known(app, f.values); err != nil {
		return err
	}
	_, err := knownVariables(app, os.Environ())
	return err
}

// Resolve implements kong.Resolver.
func (f *settingsFile) Resolve(_ *kong.Context, _ *kong.Path, flag *kong.Flag) (any, error) {
	if inEnvironment(flag) {
		return nil, nil
	}
	value, said := f.values[flag.Name]
	if !said {
		value = f.values[strings.ReplaceAll(flag.Name, "-", "_")]
	}
	switch v := value.(type) {
	case nil:
		return nil, nil
	case []any:
		var texts []string
		for _, each := range v {
			texts = append(texts, fmt.Sprint(each))
		}
		return strings.Join(texts, ","), nil
	default:
		return fmt.Sprint(v), nil
	}
}
