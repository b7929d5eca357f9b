// Package terminal holds the commands by which a person at a shell, or a script,
// uses a Pasteport server elsewhere: it reads flags, asks, prints and remembers
// who is signed in. The calls themselves are those of adapters/apiclient.
package terminal

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"golang.org/x/term"

	"pasteport/adapters/apiclient"
)

// Commands are what the command line offers to users of a server.
type Commands struct {
	Login  Login   `cmd:"" group:"client" help:"Sign in to a server, to share from this terminal."`
	Logout Logout  `cmd:"" group:"client" help:"Forget a server."`
	Push   Push    `cmd:"" group:"client" help:"Share files, a folder as ZIP, or what comes from a pipe (-)."`
	Paste  Paste   `cmd:"" group:"client" help:"Share a text: a file's, or what comes from a pipe."`
	Get    Get     `cmd:"" group:"client" help:"Print a text, or save a file, by its link."`
	Ls     Ls      `cmd:"" group:"client" help:"List what you share."`
	Rm     Rm      `cmd:"" group:"client" help:"Delete shares by their links."`
	Edit   Edit    `cmd:"" group:"client" help:"Change a text of yours in $EDITOR."`
	Mount  Mount   `cmd:"" group:"client" help:"List, copy and move in the folders of a server."`
	Ask    Request `cmd:"" name:"request" group:"client" help:"Make a link through which others send you files."`
}

// Version is the client's own, in the form 0.1.0.
type Version string

// Exit statuses of a command that failed.
const (
	failed       = 1
	refusedLogin = 3 // not signed in, a wrong password, not allowed
	missing      = 4 // no such share, or gone
	conflict     = 5 // somebody else was faster, or the link is taken
	tooMuch      = 6 // too large, no room, too many requests
	unreachable  = 7 // no answer, or none that is understood
)

// Status is the exit status for an error of a command.
func Status(err error) int {
	var network *net.OpError
	switch status := apiclient.StatusOf(err); {
	case status == 401 || status == 403 || errors.Is(err, errNoServer):
		return refusedLogin
	case status == 404 || status == 410:
		return missing
	case status == 409 || status == 412 || apiclient.CodeOf(err) == "already_exists":
		return conflict
	case status == 413 || status == 429 || status == 507 || apiclient.CodeOf(err) == "quota_exceeded" || apiclient.CodeOf(err) == "too_large":
		return tooMuch
	case status >= 500 || errors.As(err, &network) || errors.Is(err, context.DeadlineExceeded) || errors.Is(err, apiclient.ErrForeign) || errors.Is(err, io.ErrUnexpectedEOF):
		return unreachable
	}
	return failed
}

// Server chooses the server of a command.
type Server struct {
	Server string `env:"PASTEPORT_SERVER" help:"Address of the server. Default: the one signed in to last." placeholder:"URL"`
}

var errNoServer = errors.New("not signed in to a server: pasteport login https://paste.example")

// connect returns a client of the chosen server, with its credential, and warns
// when the versions are far apart. PASTEPORT_API_KEY is a key that is not kept.
func (s Server) connect(ctx context.Context, v Version) (*apiclient.Client, error) {
	server, authorization, err := remembered(s.Server)
	if key := os.Getenv("PASTEPORT_API_KEY"); key != "" && (server != "" || s.Server != "") {
		if server == "" {
			server = s.Server
		}
		authorization, err = "ApiKey "+key, nil
	}
	if err != nil {
		return nil, err
	}
	return dial(ctx, server, authorization, v)
}

func dial(ctx context.Context, server, authorization string, v Version) (*apiclient.Client, error) {
	c, err := apiclient.New(server, authorization, "pasteport/"+string(v))
	if err != nil {
		return nil, err
	}
	limited, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	theirs, err := c.Version(limited)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", server, err)
	}
	if apart(string(v), theirs) {
		fmt.Fprintf(os.Stderr, "pasteport: warning: the server has version %s, this program %s: some things may not work\n", theirs, v)
	}
	return c, nil
}

// apart reports whether two versions differ by two minor ones, or a major one.
func apart(a, b string) bool {
	major1, minor1, ok1 := numbers(a)
	major2, minor2, ok2 := numbers(b)
	return ok1 && ok2 && (major1 != major2 || minor1-minor2 > 1 || minor2-minor1 > 1)
}

func numbers(version string) (major, minor int, ok bool) {
	parts := strings.SplitN(strings.TrimPrefix(version, "v"), ".", 3)
	if len(parts) < 2 {
		return 0, 0, false
	}
	major, err1 := strconv.Atoi(parts[0])
	minor, err2 := strconv.Atoi(parts[1])
	return major, minor, err1 == nil && err2 == nil
}

// secret asks for a secret without showing it, or reads one line from a pipe.
func secret(question string) (string, error) {
	in := int(os.Stdin.Fd())
	if !term.IsTerminal(in) {
		return line(os.Stdin)
	}
	before, err := term.MakeRaw(in) // before it asks: who answers at once would see the answer
	if err != nil {
		return "", err
	}
	screen := term.NewTerminal(struct {
		io.Reader
		io.Writer
	}{os.Stdin, os.Stderr}, "")
	text, err := screen.ReadPassword(question + ": ")
	return strings.TrimSpace(text), errors.Join(err, term.Restore(in, before))
}

// line reads one line byte by byte, so that the next question finds its own.
func line(from io.Reader) (string, error) {
	var text []byte
	one := make([]byte, 1)
	for {
		n, err := from.Read(one)
		if n > 0 && one[0] != '\n' {
			text = append(text, one[0])
		}
		if err != nil && (err != io.EOF || len(text) == 0) {
			return "", err
		}
		if err != nil || n > 0 && one[0] == '\n' {
			return strings.TrimSpace(string(text)), nil
		}
	}
}

// agreed asks a question that is answered with yes or no; without a terminal the
// answer is no.
func agreed(question string) bool {
	if !term.IsTerminal(int(os.Stdin.Fd())) {
		return false
	}
	fmt.Fprint(os.Stderr, question+" [y/N] ")
	answer, _ := bufio.NewReader(os.Stdin).ReadString('\n')
	return strings.HasPrefix(strings.ToLower(strings.TrimSpace(answer)), "y")
}

// Secret is the password of a share: asked for, or read from a file, and never
// an argument, which others could see in the list of processes.
type Secret struct {
	Password     bool   `env:"-" help:"Protect it by a password that is asked for."`
	PasswordFile string `env:"-" help:"Protect it by the password in a file." placeholder:"FILE" type:"existingfile"`
}

func (s Secret) read() (string, error) {
	if s.PasswordFile != "" {
		text, err := os.ReadFile(s.PasswordFile)
		return strings.TrimRight(string(text), "\r\n"), err
	}
	if !s.Password {
		return "", nil
	}
	return secret("Password of the share")
}

// Told are the commands that print nothing of what they have done but for
// scripts.
type Told struct {
	JSON bool `name:"json" env:"-" help:"Print what was done as JSON."`
}

func (d Told) tell(v any) error {
	if !d.JSON {
		return nil
	}
	return printJSON(v)
}

// printJSON prints one value for scripts.
func printJSON(v any) error {
	text, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return err
	}
	_, err = fmt.Println(string(text))
	return err
}

// stateDir is the folder in which this program remembers things for its user,
// readable by nobody else.
func stateDir() (string, error) {
	base, err := os.UserConfigDir()
	if err != nil {
		return "", err
	}
	dir := filepath.Join(base, "pasteport")
	return dir, os.MkdirAll(dir, 0o700)
}

// load reads a JSON file of the state folder into v; one that is not there
// leaves v alone.
func load(name string, v any) error {
	dir, err := stateDir()
	if err != nil {
		return err
	}
	text, err := os.ReadFile(filepath.Join(dir, name))
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	if err := json.Unmarshal(text, v); err != nil {
		return fmt.Errorf("%s: %w", filepath.Join(dir, name), err)
	}
	return nil
}

// save replaces a JSON file of the state folder as a whole.
func save(name string, v any) error {
	dir, err := stateDir()
	if err != nil {
		return err
	}
	text, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return err
	}
	file, err := os.CreateTemp(dir, name+".*") // of mode 0600
	if err != nil {
		return err
	}
	_, err = file.Write(text)
	if err = errors.Join(err, file.Close()); err == nil {
		err = os.Rename(file.Name(), filepath.Join(dir, name))
	}
	if err != nil {
		_ = os.Remove(file.Name())
	}
	return err
}
