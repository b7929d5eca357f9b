// Command pasteport is the whole server: it reads the settings of the process,
// introduces the parts to each other and serves until it is told to stop. The
// same program is its storage drivers and its operator's tools.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"pasteport/cmd/pasteport/terminal"
)

// What the build says of itself: the release, the commit that was built, and
// when that was made (RFC 3339). Without the Makefile the latter two are unknown.
var (
	version = "0.1.0"
	commit  = ""
	date    = ""
)

func main() {
	if isDriver, err := driverCommand(os.Args); isDriver {
		exit(err)
	}
	if isTrial, err := trialCommand(os.Args); isTrial {
		exit(err)
	}
	var c cli
	command := parse(&c)
	ctx, _ := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	command.BindTo(ctx, (*context.Context)(nil))
	command.Bind(terminal.Version(version))
	exit(command.Run(&c.settings))
}

// exit ends the process, with a line for the operator and the status of the
// error when there was one: 1, or one of those that clients have.
func exit(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, "pasteport:", plain(err))
		os.Exit(terminal.Status(err))
	}
	os.Exit(0)
}

// errStopped ends the process with status 1 when a stop was cut short.
var errStopped = errors.New("stopped before all requests had ended")
