package main

import (
	"context"
	"fmt"
	"log/slog"
	"os"

	"pasteport/adapters/pluginhost"
)

// driverCommand makes the process a storage driver, before anything else of
// this program is set up: "pasteport driver NAME". It speaks to the host that
// started it and ends with it. It is false for every other command line.
func driverCommand(args []string) (isDriver bool, err error) {
	if len(args) != 3 || args[1] != "driver" {
		return false, nil
	}
	return true, pluginhost.Serve(args[2], builtIn(""))
}

// versionCommand prints the version.
type versionCommand struct{}

// Run prints it.
func (*versionCommand) Run() error {
	_, err := fmt.Println("pasteport", version)
	return err
}

// adminCommand holds what an operator can do to the account.
type adminCommand struct {
	Reset resetCommand `cmd:"" help:"Give the administrator a new password and end all sessions. Stop the server first when it uses SQLite."`
}

// resetCommand helps an operator who is locked out.
type resetCommand struct {
	Username string `help:"New name; unchanged without it."`
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
	if password != "" {
		set = "as given"
	}
	_, err = fmt.Printf("administrator %q: password reset, all sessions ended, password: %s\n", name, set)
	return err
}

func (a *app) closeLogged() {
	if err := a.close(); err != nil {
		a.log.Error("close", "error", err)
	}
}
