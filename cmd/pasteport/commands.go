package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"os"

	"pasteport/adapters/pluginhost"
	"pasteport/adapters/process"
	"pasteport/adapters/secrets"
	"pasteport/cmd/pasteport/usage"
	"pasteport/domain/audit"
	"pasteport/domain/events"
	"pasteport/domain/keys"
	"pasteport/domain/storage"
	"pasteport/plugins/local"
	"pasteport/plugins/sdk"
	"pasteport/ports/outbound"

	"github.com/alecthomas/kong"
)

// driverCommand makes the process a storage driver, before anything else of
// this program is set up: "pasteport driver NAME". It speaks to the host that
// started it and ends with it. It is false for every other command line.
func driverCommand(args []string) (isDriver bool, err error) {
	if len(args) != 3 || args[1] != "driver" {
		return false, nil
	}
	drivers := builtIn(local.Driver{})
	maps.Copy(drivers, apart(outbound.Reach(os.Getenv(sdk.PublicOnly) != "")))
	go process.Settle(context.Background())
	return true, pluginhost.Serve(args[2], drivers)
}

// versionCommand prints the version.
type versionCommand struct{}

// Run prints it.
func (*versionCommand) Run(context.Context, *settings) error {
	_, err := fmt.Println(versionLine())
	return err
}

// versionLine is what is told of the program, such as "pasteport 0.1.0 (commit
// 1f2e3d4c, 2026-11-22T10:00:00Z)".
func versionLine() string {
	line := "pasteport " + version
	if commit != "" {
		line += " (commit " + commit + ", " + date + ")"
	}
	return line
}

// manCommand prints what --help says of all commands, as a man page.
type manCommand struct{}

// Run prints it.
func (*manCommand) Run(c *kong.Context) error {
	_, err := fmt.Fprint(c.Stdout, usage.ManPage(c.Model, version, date))
	return err
}

// adminCommand holds what an operator can do to the account.
type adminCommand struct {
	Reset resetCommand `cmd:"" settings:"+admin-password,admin-password-file" help:"Give the administrator a new password and end all sessions. Stop the server first when it uses SQLite."`
}

// resetCommand helps an operator who is locked out.
type resetCommand struct {
	Username string `env:"-" help:"New name; unchanged without it."`
}

// Run sets the password of --admin-password, or a random one that it prints.
func (c *resetCommand) Run(ctx context.Context, s *settings) error {
	log := slog.New(s.handler(os.Stderr, slog.LevelWarn))
	a, err := newApp(ctx, s, log, nil)
	if err != nil {
		return err
	}
	defer a.closeLogged()
	password, err := s.adminPassword()
	if err != nil {
		return err
	}
	name, set, err := a.access.ResetAdmin(ctx, c.Username, password)
	if err != nil {
		return err
	}
	if err := a.noteCommand(ctx, audit.AdminReset, name); err != nil {
		return err
	}
	if password != "" {
		set = "as given"
	}
	_, err = fmt.Printf("administrator %q: password reset, all sessions ended, password: %s\n", name, set)
	return err
}

// keyCommand holds what an operator can do to the master key.
type keyCommand struct {
	Rotate rotateCommand `cmd:"" help:"Add a master key and seal all stored credentials and the secret of the second step with it. Stop all servers first."`
}

// rotateCommand replaces the key that seals.
type rotateCommand struct{}

// Run adds a key to the key file, unless an earlier run was cut short, and
// seals what older keys have sealed. The proof comes last: until it is sealed
// with the new key, a further run finishes the work.
func (*rotateCommand) Run(ctx context.Context, s *settings) (err error) {
	a := &app{log: slog.New(s.handler(os.Stderr, slog.LevelWarn))}
	defer func() { err = errors.Join(err, a.close()) }()
	if err := a.openStore(ctx, s); err != nil {
		return err
	}
	proof, err := a.store.Secrets().Get(ctx, keyProofName)
	if err != nil {
		return fmt.Errorf("read the proof of the master key: %w", err)
	}
	if a.vault.Current(proof) {
		if a.vault, err = secrets.Add(s.keyFile()); err != nil {
			return err
		}
	}
	outdated := func(sealed []byte) bool { return !a.vault.Current(sealed) }
	n, err := storage.Reseal(ctx, a.store.StorageConfigs(), a.vault, outdated)
	if err != nil {
		return err
	}
	if _, err := keys.Reseal(ctx, a.store.Admins(), a.store.TOTP(), a.vault, outdated); err != nil {
		return err
	}
	if _, err := events.Reseal(ctx, a.store.Channels(), a.store.Secrets(), a.vault, outdated); err != nil {
		return err
	}
	if err := prove(ctx, a.store.Secrets(), a.vault); err != nil {
		return err
	}
	if err := a.openAudit(ctx, s, nil); err != nil {
		return err
	}
	if err := a.noteCommand(ctx, audit.MasterKeyRotated, a.vault.KeyID()); err != nil {
		return err
	}
	_, err = fmt.Printf("master key rotated: credentials of %d storage configs are sealed with key %s; keep a new copy of %s\n", n, a.vault.KeyID(), s.keyFile())
	return err
}

func (a *app) closeLogged() {
	if err := a.close(); err != nil {
		a.log.Error("close", "error", err)
	}
}
