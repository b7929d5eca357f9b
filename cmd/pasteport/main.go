// Command pasteport is the whole server: it reads the settings of the process,
// introduces the parts to each other and serves until it is told to stop. The
// same program is its storage drivers and its operator's tools.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"

	"pasteport/adapters/process"
	"pasteport/cmd/pasteport/rules"
	"pasteport/cmd/pasteport/terminal"
	"pasteport/cmd/pasteport/usage"
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
	if isTrial, err := rules.ServeTrial(os.Args); isTrial {
		exit(err)
	}
	var c cli
	command := parse(&c)
	command.BindTo(process.Stops(), (*context.Context)(nil))
	command.Bind(terminal.Version(version))
	err := command.Run(&c.settings)
	if usage.Client(command) && err != nil {
		end(err, terminal.Status(err))
	}
	if failed := process.Renew(); failed != nil {
		err = failed
	}
	exit(err)
}

// exit ends the process, with status 1 and a line for the operator when there
// was an error.
func exit(err error) {
	if err != nil {
		end(err, 1)
	}
	os.Exit(0)
}

// end ends the process because of an error.
func end(err error, status int) {
	fmt.Fprintln(os.Stderr, "pasteport:", plain(err))
	os.Exit(status)
}

// errStopped ends the process with status 1 when a stop was cut short.
var errStopped = errors.New("stopped before all requests had ended")
