package terminal

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strconv"
	"strings"
	"text/tabwriter"

	"pasteport/adapters/apiclient"
)

// Mount are the commands for the folders of a server.
type Mount struct {
	Ls MountLs `cmd:"" help:"List a folder."`
	Cp MountCp `cmd:"" help:"Copy a file to the server (FILE :/folder/), from it (:/folder/file .), or, with folders too, on it."`
	Mv MountMv `cmd:"" help:"Move or rename a file or a folder on the server."`
}

// errPath is what a path of the server looks like.
var errPath = errors.New("write a path of the server as :/folder/name")

// place is a path of the server, written with a colon before it, or one here.
type place struct {
	path   string
	remote bool
	folder bool // written as a folder, with a slash at the end
}

func placeOf(text string) (place, error) {
	at, remote := strings.CutPrefix(text, ":")
	if !remote {
		return place{path: text, folder: strings.HasSuffix(text, string(filepath.Separator))}, nil
	}
	if !strings.HasPrefix(at, "/") {
		return place{}, errPath
	}
	return place{path: path.Clean(at), remote: true, folder: strings.HasSuffix(at, "/")}, nil
}

// into is the place of something of this name: in the folder that p is, or p.
func (p place) into(ctx context.Context, c *apiclient.Client, name string) (string, error) {
	folder, join := p.folder, filepath.Join
	if p.remote {
		join = path.Join
		if there, err := c.Stat(ctx, p.path); err == nil {
			folder = there.IsDirectory
		} else if apiclient.StatusOf(err) != 404 {
			return "", err
		}
	} else if info, err := os.Stat(p.path); err == nil {
		folder = info.IsDir()
	}
	if folder {
		return join(p.path, name), nil
	}
	return p.path, nil
}

// MountLs lists a folder.
type MountLs struct {
	Server `embed:""`
	Path   string `arg:"" optional:"" default:"/" help:"Path of the folder."`
	JSON   bool   `name:"json" env:"-" help:"Print JSON, one entry a line."`
}

// Run prints one line per entry.
func (l *MountLs) Run(ctx context.Context, v Version) error {
	c, err := l.connect(ctx, v)
	if err != nil {
		return err
	}
	folder := strings.TrimPrefix(l.Path, ":")
	if !strings.HasPrefix(folder, "/") {
		return errPath
	}
	if l.JSON {
		return c.ListFolder(ctx, path.Clean(folder), func(e apiclient.Entry) error { return printJSON(e) })
	}
	out := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', 0)
	err = c.ListFolder(ctx, path.Clean(folder), func(e apiclient.Entry) error {
		size, when, name := "", "", printable(e.Name)
		if e.IsDirectory {
			name += "/"
		} else if e.Size != nil {
			size = strconv.FormatInt(*e.Size, 10)
		}
		if e.Modified != nil {
			when = e.Modified.Local().Format("2006-01-02 15:04")
		}
		_, err := fmt.Fprintf(out, "%s\t%s\t%s\n", size, when, name)
		return err
	})
	return errors.Join(err, out.Flush())
}

// MountCp copies between here and the server, or on the server.
type MountCp struct {
	Server `embed:""`
	Told   `embed:""`
	Force  bool   `short:"f" env:"-" help:"Replace what is there."`
	From   string `arg:"" help:"File here, - for what comes from a pipe, or :/path on the server."`
	To     string `arg:"" help:"Target: :/path on the server, a file or folder here, or - for the terminal or a pipe."`
}

// Run copies one file, or on the server a folder.
func (m *MountCp) Run(ctx context.Context, v Version) error {
	from, to, err := places(m.From, m.To)
	if err != nil {
		return err
	}
	if !from.remote && !to.remote {
		return errPath
	}
	c, err := m.connect(ctx, v)
	if err != nil {
		return err
	}
	switch {
	case from.remote && to.remote:
		done, err := carry(ctx, c, from, to, m.Force, c.CopyEntry)
		if err != nil {
			return err
		}
		return m.tell(done)
	case from.remote:
		return m.fetch(ctx, c, from, to)
	}
	target, err := m.store(ctx, c, from, to)
	if err != nil {
		return err
	}
	return m.tell(carried{m.From, ":" + target})
}

// carried is what a copy or a move has done; paths of the server begin with a colon.
type carried struct {
	From string `json:"from"`
	To   string `json:"to"`
}

// store brings a file to the server, and returns its path there.
func (m *MountCp) store(ctx context.Context, c *apiclient.Client, from, to place) (target string, err error) {
	if from.path == "-" {
		if to.folder {
			return "", errors.New("name the file: what comes from a pipe has no name")
		}
		return to.path, c.WriteFile(ctx, to.path, os.Stdin, -1, m.Force)
	}
	file, err := os.Open(from.path)
	if err != nil {
		return "", err
	}
	defer func() { _ = file.Close() }()
	info, err := file.Stat()
	if err != nil {
		return "", err
	}
	if info.IsDir() {
		return "", fmt.Errorf("%s is a folder; copy its files, or use WebDAV", from.path)
	}
	if target, err = to.into(ctx, c, filepath.Base(from.path)); err != nil {
		return "", err
	}
	if !info.Mode().IsRegular() {
		return target, c.WriteFile(ctx, target, file, -1, m.Force)
	}
	return target, storeFile(ctx, c, file, info, target, m.Force)
}

// fetch saves a file of the server.
func (m *MountCp) fetch(ctx context.Context, c *apiclient.Client, from, to place) error {
	target := "-"
	if to.path != "-" {
		var err error
		if target, err = to.into(ctx, c, path.Base(from.path)); err != nil {
			return err
		}
		if _, err := os.Lstat(target); !m.Force && !errors.Is(err, fs.ErrNotExist) {
			return errors.Join(err, fmt.Errorf("%s is there already; --force replaces it", target))
		}
	}
	if target == "-" {
		return printOut(ctx, c.OpenFile(from.path))
	}
	if err := (fetched{target: target, mark: downloadMark(c.Server(), from.path, target)}).bring(ctx, c.OpenFile(from.path)); err != nil {
		return err
	}
	return m.tell(carried{m.From, target})
}

// MountMv moves on the server.
type MountMv struct {
	Server `embed:""`
	Told   `embed:""`
	Force  bool   `short:"f" env:"-" help:"Replace what is there."`
	From   string `arg:"" help:"What to move, as :/path."`
	To     string `arg:"" help:"Its new place, as :/path; into a folder when it is one."`
}

// Run moves one file or folder.
func (m *MountMv) Run(ctx context.Context, v Version) error {
	from, to, err := places(m.From, m.To)
	if err != nil {
		return err
	}
	if !from.remote || !to.remote {
		return errPath
	}
	c, err := m.connect(ctx, v)
	if err != nil {
		return err
	}
	done, err := carry(ctx, c, from, to, m.Force, c.MoveEntry)
	if err != nil {
		return err
	}
	return m.tell(done)
}

func places(from, to string) (place, place, error) {
	a, err := placeOf(from)
	if err != nil {
		return a, a, err
	}
	b, err := placeOf(to)
	return a, b, err
}

func carry(ctx context.Context, c *apiclient.Client, from, to place, force bool, how func(context.Context, apiclient.Carry) error) (carried, error) {
	what, err := c.Stat(ctx, from.path)
	if err != nil {
		return carried{}, err
	}
	target, err := to.into(ctx, c, path.Base(from.path))
	if err != nil {
		return carried{}, err
	}
	return carried{":" + from.path, ":" + target}, how(ctx, apiclient.Carry{From: what, To: target, Overwrite: force})
}
