package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"reflect"
	"slices"
	"strings"
	"time"
	"unicode"

	"pasteport/adapters/pluginhost"
	"pasteport/domain/storage"
	"pasteport/plugins/local"
	"pasteport/ports"
	"pasteport/ports/objstore"
	"pasteport/ports/outbound"
)

// pluginCommand holds what an operator can do to driver programs of others.
type pluginCommand struct {
	List    pluginListCommand    `cmd:"" help:"Show the programs in the plugin folder and what was approved."`
	Approve pluginApproveCommand `cmd:"" help:"Start a program once, show what it is, and let it run from now on as it is."`
	Remove  pluginRemoveCommand  `cmd:"" help:"Take an approval back; the file stays."`
	Test    pluginTestCommand    `cmd:"" help:"Try whether a driver keeps the contract, in a folder of a storage."`
}

// pluginListCommand shows the plugin folder.
type pluginListCommand struct{}

// Run prints one paragraph for each program. It starts none.
func (*pluginListCommand) Run(_ context.Context, s *settings) error {
	programs, err := pluginFolder(s, quietLog(s)).Programs()
	if len(programs) == 0 && err == nil {
		_, err = fmt.Printf("no driver programs in %s\n", s.pluginDir())
		return err
	}
	for _, p := range programs {
		if err := printProgram(os.Stdout, p); err != nil {
			return err
		}
	}
	return err
}

// pluginApproveCommand pins a program.
type pluginApproveCommand struct {
	Name   string `arg:"" help:"Name of the program in the plugin folder."`
	SHA256 string `name:"sha256" env:"PASTEPORT_SHA256" help:"Refuse to start it unless this is its checksum, as its author published it." placeholder:"HEX"`
}

// Run approves the program and prints what was approved.
func (c *pluginApproveCommand) Run(ctx context.Context, s *settings) error {
	p, err := pluginFolder(s, quietLog(s)).Approve(ctx, c.Name, c.SHA256, time.Now())
	if err != nil {
		return err
	}
	if err := printProgram(os.Stdout, p); err != nil {
		return err
	}
	_, err = fmt.Println("A running server takes it up at SIGHUP or when it is restarted.")
	return err
}

// pluginRemoveCommand takes an approval back.
type pluginRemoveCommand struct {
	Name string `arg:"" help:"Name of the driver."`
}

// Run takes the driver out of the lock file.
func (c *pluginRemoveCommand) Run(_ context.Context, s *settings) error {
	if err := pluginFolder(s, quietLog(s)).Remove(c.Name); err != nil {
		return err
	}
	_, err := fmt.Printf("%s is not approved any more. A running server ends it at SIGHUP or when it is restarted.\n", c.Name)
	return err
}

func quietLog(s *settings) *slog.Logger { return slog.New(s.handler(os.Stderr, slog.LevelError+1)) }

// printProgram writes what is known of a program. The texts of the program are
// shown without characters that a terminal obeys.
func printProgram(w io.Writer, p pluginhost.Program) error {
	lines := [][2]string{{"state", string(p.State)}}
	if p.Err != nil {
		lines = append(lines, [2]string{"reason", plain(p.Err)})
	}
	lines = append(lines, [2]string{"file", p.Path}, [2]string{"sha256", p.Digest})
	if p.Entry != nil {
		info := p.Entry.Info
		lines = append(lines,
			[2]string{"approved", p.Entry.ApprovedAt.Format(time.RFC3339)}, [2]string{"version", info.Version},
			[2]string{"storage type", info.StorageType}, [2]string{"capabilities", strings.Join(capabilities(info.Features), ", ")})
	}
	var b strings.Builder
	b.WriteString(printable(p.Name) + "\n")
	for _, line := range lines {
		if line[1] != "" {
			fmt.Fprintf(&b, "  %-13s %s\n", line[0], printable(line[1]))
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func printable(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsGraphic(r) {
			return r
		}
		return unicode.ReplacementChar
	}, text)
}

// capabilities are the names of the features that a driver has.
func capabilities(f objstore.Features) (names []string) {
	v := reflect.ValueOf(f)
	for i := range v.NumField() {
		if v.Field(i).Bool() {
			names = append(names, v.Type().Field(i).Name)
		}
	}
	return names
}

// reserved are the names that programs of others cannot have.
func reserved() []string {
	names := []string{}
	for name := range builtIn(local.Driver{}) {
		names = append(names, name)
	}
	for name := range apart(outbound.Anywhere) {
		names = append(names, name)
	}
	return names
}

func pluginFolder(s *settings, log *slog.Logger) *pluginhost.Folder {
	return pluginhost.NewFolder(s.pluginDir(), reserved(), log)
}

// programs reads the plugin folder. What is wrong with it keeps no server from
// starting: the programs are refused and the log says why.
func (a *app) programs() []pluginhost.Program {
	programs, err := a.plugins.Programs()
	if err != nil {
		a.report("read the plugin folder; no program of it is started", err)
	}
	for _, p := range programs {
		if p.Err != nil {
			a.log.Warn("plugin is not available", "driver", p.Name, "state", string(p.State), "reason", plain(p.Err))
		}
	}
	return programs
}

// reloadPlugins takes up what was approved and ends what is not approved any
// more. Buckets are opened again in the new processes.
func (a *app) reloadPlugins() {
	end := a.drivers.SetPrograms(a.programs())
	a.opener.Forget("")
	end()
}

// foreign tells the storage module about the plugin folder as it is now.
func (a *app) foreign() []storage.ForeignDriver {
	programs, _ := a.plugins.Programs() // an error refuses each of them
	ours := reserved()
	list := []storage.ForeignDriver{}
	for _, p := range programs {
		if slices.Contains(ours, p.Name) {
			continue
		}
		d := storage.ForeignDriver{Name: p.Name, State: storage.DriverState(p.State), Digest: p.Digest, Err: p.Err}
		if p.Entry != nil {
			d.Info = p.Entry.Info
		}
		if p.State == pluginhost.Approved && a.drivers.Digest(p.Name) != p.Digest {
			d.State = storage.DriverPending
		}
		list = append(list, d)
	}
	return list
}

// causeOf is what stands behind an error for visitors.
func causeOf(e *ports.Error) error {
	var inner *ports.Error
	if errors.As(e.Cause, &inner) {
		return causeOf(inner)
	}
	return e.Cause
}
