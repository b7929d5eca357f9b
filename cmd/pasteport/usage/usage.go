// Package usage is what the command line tells of itself: which flags the help of a
// command shows, and the man page.
package usage

import (
	"fmt"
	"slices"
	"strings"

	"github.com/alecthomas/kong"
	mangokong "github.com/alecthomas/mango-kong"
	"github.com/muesli/roff"
)

// dataSettings are the settings that commands on the data of a server need.
var dataSettings = []string{"config", "data-dir", "database-url", "database-url-file", "secret-key-file"}

// OwnFlags prints the help of a command with the flags that mean something to it:
// all settings of the server only to serve, those of its data to the commands for
// operators, none to those that use a server elsewhere.
func OwnFlags(options kong.HelpOptions, ctx *kong.Context) error {
	selected := ctx.Selected()
	if selected == nil || selected.Name != "serve" {
		wanted := settingsOf(ctx)
		for _, flag := range ctx.Model.Flags {
			about := flag.Name == "help" || flag.Name == "version" && selected == nil
			flag.Hidden = !about && (selected == nil || Client(ctx) || !slices.Contains(wanted, flag.Name))
		}
	}
	return kong.DefaultHelpPrinter(options, ctx)
}

// settingsOf are the settings that a command needs: what its tag "settings" names,
// else those of the data; both with a "+" before the names.
func settingsOf(ctx *kong.Context) []string {
	for node := ctx.Selected(); node != nil && node.Tag != nil; node = node.Parent {
		if names, more := strings.CutPrefix(node.Tag.Get("settings"), "+"); more {
			return append(strings.Split(names, ","), dataSettings...)
		} else if names != "" {
			return strings.Split(names, ",")
		}
	}
	return dataSettings
}

// Client reports whether a command is one of those that use a server elsewhere.
func Client(command *kong.Context) bool {
	for node := command.Selected(); node != nil; node = node.Parent {
		if node.Group != nil {
			return true
		}
	}
	return false
}

// ManPage is what --help says of all commands, as a man page. Its head names the
// version and the day of its commit, so that it is the same whenever it is made; date
// begins with that day.
func ManPage(program *kong.Application, version, date string) string {
	_, page, _ := strings.Cut(mangokong.NewManPage(1, program).Build(roff.NewDocument()), "\n")
	day, _, _ := strings.Cut(date, "T")
	return fmt.Sprintf(".TH PASTEPORT 1 %q %q %q\n%s", day, "Pasteport "+version, "Pasteport", page)
}
