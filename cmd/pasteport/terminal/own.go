package terminal

import (
	"context"
	"errors"
	"fmt"
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
	Told         `embed:""`
	Yes          bool `short:"y" env:"-" help:"Open it even when that takes its last view."`
}

// Run needs no credential, only the link.
func (g *Get) Run(ctx context.Context, v Version) error {
	ref, server := apiclient.Parse(g.Link)
	if g.JSON && (g.Output == "-" || g.Output == "" && ref.Kind == apiclient.Text) {
		return errors.New("--json tells of the file that was written: name one with -o")
	}
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
	mark := downloadMark(c.Server(), string(ref.Kind), ref.Slug, g.Output)
	if done, err := g.goOn(ctx, c, mark, ref.Slug); done || err != nil {
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
	if err := g.vacant(peek); err != nil {
		return err
	}
	if peek.Last && !g.Yes && !agreed("This is the last view: it can't be opened again. Open it?") {
		return errors.New("not opened: it would have been the last view (--yes opens it)")
	}
	if peek.Kind == apiclient.Text {
		if g.Output == "" || g.Output == "-" {
			return printOut(ctx, c.OpenText(ref.Slug, password))
		}
		return g.save(ctx, fetched{target: g.Output, mark: mark}, c.OpenText(ref.Slug, password))
	}
	visit, err := c.Visit(ctx, ref.Slug, password)
	if err != nil {
		return err
	}
	source := c.OpenShared(ref.Slug, visit.Ticket)
	if g.Output == "-" {
		return printOut(ctx, source)
	}
	target := g.Output
	if target == "" {
		target = free(fileName(visit.Name))
	}
	return g.save(ctx, fetched{target: target, mark: mark, visit: visit}, source)
}

// save brings what the link leads to into a file.
func (g *Get) save(ctx context.Context, f fetched, source apiclient.Source) error {
	if err := f.bring(ctx, source); err != nil {
		return err
	}
	return g.tell(struct {
		File string `json:"file"`
	}{f.target})
}

// goOn goes on with a download of a file that was cut, as long as its visit
// lasts. done reports whether that was all there is to do.
func (g *Get) goOn(ctx context.Context, c *apiclient.Client, mark, slug string) (done bool, err error) {
	known, err := cutDownloads()
	if err != nil {
		return false, err
	}
	cut, begun := known[mark]
	if !begun || cut.Visit.Ticket == "" {
		return false, nil
	}
	err = g.save(ctx, fetched{target: cut.Target, mark: mark, visit: cut.Visit}, c.OpenShared(slug, cut.Visit.Ticket))
	if errors.Is(err, apiclient.ErrSpoilt) { // the link leads to another file now
		return false, nil
	}
	switch apiclient.StatusOf(err) {
	case 401, 403, 404, 410, 416: // the visit has ended: as if for the first time
		return false, drop(mark)
	}
	return true, err
}

// vacant returns an error when the file is there already, so that no view is
// taken for nothing. A name that is told only after the password is not known
// here.
func (g *Get) vacant(peek apiclient.Peek) error {
	if g.Output != "" || peek.Kind == apiclient.Text || peek.Name == "" {
		return nil
	}
	if target := fileName(peek.Name); exists(target) {
		return fmt.Errorf("%s is there already; name another with -o", target)
	}
	return nil
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// fileName is a name that a server tells, as one of the folder here.
func fileName(name string) string {
	name = filepath.Base(filepath.Clean("/" + strings.ReplaceAll(printable(name), "\\", "_")))
	if name == "/" || name == "." {
		return "file.bin"
	}
	return name
}

// free is a name like this one that no file has: what was opened is not opened
// again.
func free(name string) string {
	end := filepath.Ext(name)
	front, next := strings.TrimSuffix(name, end), name
	for i := 2; ; i++ {
		if !exists(next) {
			return next
		}
		next = fmt.Sprintf("%s (%d)%s", front, i, end)
	}
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
	Told   `embed:""`
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
		if err == nil {
			err = r.tell(share)
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
	Told   `embed:""`
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
		return errors.Join(os.Remove(file.Name()), e.tell(edited{share.URL, false}))
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
	return errors.Join(os.Remove(file.Name()), e.tell(edited{share.URL, true}))
}

// edited is what became of a text.
type edited struct {
	URL     string `json:"url"`
	Changed bool   `json:"changed"`
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
