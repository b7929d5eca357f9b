package terminal

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"text/tabwriter"

	"golang.org/x/term"

	"pasteport/adapters/apiclient"
)

// Get opens a share.
type Get struct {
	Server       `embed:""`
	Link         string `arg:"" help:"Link of a text or a file."`
	Output       string `short:"o" env:"-" help:"File to write; - for the terminal or a pipe. Default: of a file its own name, of a text -." placeholder:"FILE"`
	PasswordFile string `env:"-" help:"File with the password of the share. Default: it is asked for." placeholder:"FILE" type:"existingfile"`
	Yes          bool   `short:"y" env:"-" help:"Open it even when that takes its last view."`
}

// Run needs no credential, only the link.
func (g *Get) Run(ctx context.Context, v Version) error {
	ref, server := apiclient.Parse(g.Link)
	if server == "" {
		server = g.Server.Server
	}
	if server == "" {
		var err error
		if server, _, err = remembered(""); server == "" {
			return err
		}
	}
	c, err := dial(ctx, server, "", v)
	if err != nil {
		return err
	}
	peek, err := c.Look(ctx, ref)
	if err != nil {
		return err
	}
	var password string
	if peek.Locked {
		if password, err = (Secret{Password: true, PasswordFile: g.PasswordFile}).read(); err != nil {
			return err
		}
	}
	if peek.Last && !g.Yes && !agreed("This is the last view: it can't be opened again. Open it?") {
		return errors.New("not opened: it would have been the last view (--yes opens it)")
	}
	body, size, err := c.Open(ctx, peek.Kind, ref.Slug, password)
	if err != nil {
		return err
	}
	defer func() { _ = body.Close() }()
	return g.write(body, size, peek)
}

// write saves what was opened, and replaces no file that nobody named.
func (g *Get) write(body io.Reader, size int64, peek apiclient.Peek) error {
	target := g.Output
	if target == "" && peek.Kind == apiclient.File {
		if target = filepath.Base(filepath.Clean("/" + strings.ReplaceAll(printable(peek.Name), "\\", "_"))); target == "/" || target == "." {
			target = "file.bin"
		}
		if _, err := os.Lstat(target); err == nil {
			return fmt.Errorf("%s is there already; name another with -o", target)
		}
	}
	if target == "" || target == "-" {
		_, err := io.Copy(os.Stdout, body)
		return err
	}
	return saveAs(target, body, size)
}

// saveAs writes a file of size bytes, -1 when nobody knows, which appears when it
// is whole.
func saveAs(target string, body io.Reader, size int64) error {
	file, err := os.CreateTemp(filepath.Dir(target), ".pasteport-*")
	if err != nil {
		return err
	}
	bar := newBar(target, size)
	defer bar.end()
	n, err := io.Copy(file, bar.reading(body))
	if err == nil && size >= 0 && n != size {
		err = io.ErrUnexpectedEOF
	}
	if err = errors.Join(err, file.Close()); err == nil {
		err = os.Rename(file.Name(), target)
	}
	if err != nil {
		_ = os.Remove(file.Name())
		return err
	}
	fmt.Fprintln(os.Stderr, "Saved", target)
	return nil
}

// Ls lists the caller's shares.
type Ls struct {
	Server `embed:""`
	Search string `arg:"" optional:"" help:"Part of a name or a link."`
	Limit  int    `env:"-" help:"How many texts and how many files, 1 to 100." default:"30"`
	JSON   bool   `name:"json" env:"-" help:"Print JSON."`
}

// Run prints one line per share.
func (l *Ls) Run(ctx context.Context, v Version) error {
	c, err := l.connect(ctx, v)
	if err != nil {
		return err
	}
	found, err := c.List(ctx, l.Search, min(max(l.Limit, 1), 100))
	if err != nil {
		return err
	}
	if l.JSON {
		return printJSON(found)
	}
	w := tabwriter.NewWriter(os.Stdout, 0, 4, 2, ' ', 0)
	if term.IsTerminal(int(os.Stdout.Fd())) {
		fmt.Fprintln(w, "LINK\tSIZE\tVIEWS\tEXPIRES\tNAME")
	}
	for _, s := range found {
		views, expires := fmt.Sprint(s.Views), "never"
		if s.MaxViews != nil {
			views += fmt.Sprintf("/%d", *s.MaxViews)
		}
		if s.ExpiresAt != "" {
			expires = s.ExpiresAt
		}
		fmt.Fprintf(w, "%s\t%d\t%s\t%s\t%s\n", s.URL, s.Size, views, expires, printable(s.Name))
	}
	return w.Flush()
}

// Rm deletes shares.
type Rm struct {
	Server `embed:""`
	Links  []string `arg:"" help:"Links, or their ends."`
}

// Run deletes each share; the first that fails ends it.
func (r *Rm) Run(ctx context.Context, v Version) error {
	c, err := r.connect(ctx, v)
	if err != nil {
		return err
	}
	for _, link := range r.Links {
		ref, _ := apiclient.Parse(link)
		share, err := c.Find(ctx, ref)
		if err == nil {
			err = c.Remove(ctx, share)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", link, err)
		}
	}
	return nil
}

// Edit changes a text in an editor.
type Edit struct {
	Server `embed:""`
	Link   string `arg:"" help:"Link of a text of yours, or its end."`
}

// Run opens the editor and stores what it leaves, unless somebody else has
// changed the text meanwhile: then what was written stays in a file.
func (e *Edit) Run(ctx context.Context, v Version) error {
	c, err := e.connect(ctx, v)
	if err != nil {
		return err
	}
	ref, _ := apiclient.Parse(e.Link)
	ref.Kind = apiclient.Text
	share, err := c.Find(ctx, ref)
	if err != nil {
		return err
	}
	text, etag, err := c.ReadText(ctx, share.ID)
	if err != nil {
		return err
	}
	file, err := os.CreateTemp("", "pasteport-*.txt") // of mode 0600
	if err != nil {
		return err
	}
	_, err = file.WriteString(text)
	if err = errors.Join(err, file.Close()); err == nil {
		err = openEditor(ctx, file.Name())
	}
	if err != nil {
		return errors.Join(err, os.Remove(file.Name()))
	}
	written, err := os.ReadFile(file.Name())
	if err == nil && string(written) == text {
		fmt.Fprintln(os.Stderr, "Nothing changed")
		return os.Remove(file.Name())
	}
	if err == nil {
		err = c.WriteText(ctx, share.ID, string(written), etag)
	}
	if apiclient.StatusOf(err) == 412 {
		return fmt.Errorf("somebody else has changed the text (%w); yours is in %s", err, file.Name())
	}
	if err != nil {
		return fmt.Errorf("%w; your text is in %s", err, file.Name())
	}
	return os.Remove(file.Name())
}

// openEditor lets the user's editor change a file. The variable may hold flags.
func openEditor(ctx context.Context, path string) error {
	editor := "vi"
	for _, name := range []string{"EDITOR", "VISUAL"} {
		if value := strings.TrimSpace(os.Getenv(name)); value != "" {
			editor = value
		}
	}
	words := append(strings.Fields(editor), path)
	cmd := exec.CommandContext(ctx, words[0], words[1:]...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("%s: %w", editor, err)
	}
	return nil
}
