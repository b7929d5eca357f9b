package terminal

import (
	"archive/zip"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/mdp/qrterminal/v3"

	"pasteport/adapters/apiclient"
)

// Limits are the options of a new share.
type Limits struct {
	Expires     Life   `env:"-" help:"How long it lives: hours, or 12h, 7d, 2w." placeholder:"TIME"`
	Views       int64  `env:"-" help:"How often it opens." placeholder:"N"`
	Link        string `env:"-" help:"The end of its link." placeholder:"NAME"`
	Unguessable bool   `env:"-" help:"A longer link that nobody can guess."`
	Remark      string `env:"-" help:"A remark."`
	Secret      `embed:""`
	LinkPrinter `embed:""`
}

// LinkPrinter prints the link of what was made.
type LinkPrinter struct {
	QR   bool `name:"qr" env:"-" help:"Show the link as a QR code too."`
	JSON bool `name:"json" env:"-" help:"Print JSON in place of the link."`
}

// Life is how long a share lives, in hours.
type Life int64

// UnmarshalText reads hours, or a number with h, d or w behind it.
func (l *Life) UnmarshalText(text []byte) error {
	number, hours := strings.TrimRight(string(text), "hdw"), int64(1)
	switch string(text)[len(number):] {
	case "", "h":
	case "d":
		hours = 24
	case "w":
		hours = 7 * 24
	default:
		return errLife
	}
	n, err := strconv.ParseInt(number, 10, 32)
	if err != nil || n < 1 {
		return errLife
	}
	*l = Life(n * hours)
	return nil
}

var errLife = errors.New("write hours, or such as 12h, 7d or 2w")

func (l Limits) options() (apiclient.Options, error) {
	password, err := l.Secret.read()
	return apiclient.Options{Slug: l.Link, Unguessable: l.Unguessable, Remark: l.Remark, Password: password, Hours: int64(l.Expires), Views: l.Views}, err
}

// tell prints what was made: one line, the link.
func (l LinkPrinter) tell(made apiclient.Made) error {
	if l.JSON {
		return printJSON(made)
	}
	if _, err := fmt.Println(made.URL); err != nil {
		return err
	}
	if l.QR {
		qrterminal.GenerateHalfBlock(made.URL, qrterminal.L, os.Stderr)
	}
	return nil
}

// Paste shares a text.
type Paste struct {
	Server `embed:""`
	Limits `embed:""`
	Syntax string `env:"-" help:"Language of code, as markdown or go." placeholder:"NAME"`
	File   string `arg:"" optional:"" default:"-" help:"File, or - for what comes from a pipe."`
}

// maxText is the largest text, in bytes.
const maxText = 10 << 20

// Run shares the text and prints its link.
func (p *Paste) Run(ctx context.Context, v Version) error {
	c, err := p.connect(ctx, v)
	if err != nil {
		return err
	}
	from := os.Stdin
	if p.File != "-" {
		if from, err = os.Open(p.File); err != nil {
			return err
		}
		defer func() { _ = from.Close() }()
	}
	text, err := io.ReadAll(io.LimitReader(from, maxText+1))
	if err != nil {
		return err
	}
	if len(text) > maxText {
		return fmt.Errorf("a text has at most 10 MiB; share it as a file: pasteport push %s", p.File)
	}
	options, err := p.options()
	if err != nil {
		return err
	}
	options.Syntax = p.Syntax
	made, err := c.ShareText(ctx, string(text), options, time.Now())
	if err != nil {
		return err
	}
	return p.tell(made)
}

// Push shares files.
type Push struct {
	Server `embed:""`
	Limits `embed:""`
	Name   string   `env:"-" help:"Name of what comes from a pipe." default:"file.bin"`
	Files  []string `arg:"" help:"Files, a folder, or - for what comes from a pipe."`
}

// Run shares each file by a link of its own. An upload that is cut goes on where
// it was when the same command is given again.
func (p *Push) Run(ctx context.Context, v Version) error {
	if len(p.Files) > 1 && p.Link != "" {
		return errors.New("--link names one file; there are several")
	}
	c, err := p.connect(ctx, v)
	if err != nil {
		return err
	}
	options, err := p.options()
	if err != nil {
		return err
	}
	for _, path := range p.Files {
		made, err := p.push(ctx, c, path, options)
		if err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		if err := p.tell(made); err != nil {
			return err
		}
	}
	return nil
}

func (p *Push) push(ctx context.Context, c *apiclient.Client, path string, options apiclient.Options) (apiclient.Made, error) {
	if path == "-" {
		return c.ShareStream(ctx, p.Name, os.Stdin, -1, options)
	}
	info, err := os.Stat(path)
	if err != nil {
		return apiclient.Made{}, err
	}
	if info.IsDir() {
		return pushFolder(ctx, c, path, options)
	}
	file, err := os.Open(path)
	if err != nil {
		return apiclient.Made{}, err
	}
	defer func() { _ = file.Close() }()
	if !info.Mode().IsRegular() {
		return c.ShareStream(ctx, filepath.Base(path), file, -1, options)
	}
	return pushFile(ctx, c, file, info, options)
}

// pushFolder shares a folder as a ZIP file, which is packed in a file without a
// name first.
func pushFolder(ctx context.Context, c *apiclient.Client, path string, options apiclient.Options) (apiclient.Made, error) {
	packed, err := os.CreateTemp("", "pasteport-*.zip")
	if err != nil {
		return apiclient.Made{}, err
	}
	defer func() { _ = packed.Close(); _ = os.Remove(packed.Name()) }()
	z := zip.NewWriter(packed)
	err = z.AddFS(os.DirFS(path))
	if err = errors.Join(err, z.Close()); err != nil {
		return apiclient.Made{}, err
	}
	size, err := packed.Seek(0, io.SeekCurrent)
	if err != nil {
		return apiclient.Made{}, err
	}
	if _, err := packed.Seek(0, io.SeekStart); err != nil {
		return apiclient.Made{}, err
	}
	full, err := filepath.Abs(path)
	if err != nil {
		return apiclient.Made{}, err
	}
	bar := newBar(filepath.Base(full)+".zip", size)
	defer bar.end()
	return c.ShareStream(ctx, filepath.Base(full)+".zip", bar.reading(packed), size, options)
}

// printable is a name without the characters that steer a terminal.
func printable(name string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || r >= 0x7f && r < 0xa0 {
			return '?'
		}
		return r
	}, name)
}
