package terminal

import (
	"context"
	"fmt"
	"os"
	"strings"

	"github.com/zalando/go-keyring"

	"pasteport/adapters/apiclient"
)

// Login signs in to a server.
type Login struct {
	URL  string `arg:"" help:"Address of the server." placeholder:"URL"`
	User string `env:"-" help:"Sign in as this administrator. Default: with an API key, which is asked for." placeholder:"NAME"`
}

// account is a server that somebody has signed in to.
type account struct {
	Server string `json:"server"`
	Secret string `json:"secret,omitempty"` // where there is no keyring
}

// accounts are the servers, the one signed in to last in front.
const accounts = "servers.json"

// service is the name of this program's entries in a keyring.
const service = "pasteport"

// Run asks for the credential, tries it and keeps it: in the system's keyring
// where there is one, else in a file that only its user can read.
func (l *Login) Run(ctx context.Context, v Version) error {
	server := strings.TrimRight(l.URL, "/")
	if !strings.Contains(server, "://") {
		server = "https://" + server
	}
	c, err := dial(ctx, server, "", v)
	if err != nil {
		return err
	}
	var authorization string
	if l.User != "" {
		authorization, err = l.session(ctx, c)
	} else if authorization, err = secret("API key"); err == nil {
		authorization = "ApiKey " + authorization
		err = tryKey(ctx, server, authorization, v)
	}
	if err != nil {
		return err
	}
	if err := remember(server, authorization); err != nil {
		return err
	}
	fmt.Fprintln(os.Stderr, "Signed in to", server)
	return nil
}

func tryKey(ctx context.Context, server, authorization string, v Version) error {
	c, err := apiclient.New(server, authorization, "pasteport/"+string(v))
	if err != nil {
		return err
	}
	return c.TestKey(ctx)
}

// session signs an administrator in, with the second step when it is on.
func (l *Login) session(ctx context.Context, c *apiclient.Client) (string, error) {
	password, err := secret("Password of " + l.User)
	if err != nil {
		return "", err
	}
	authorization, err := c.SignIn(ctx, l.User, password, "")
	if apiclient.CodeOf(err) != "totp_required" {
		return authorization, err
	}
	code, err := secret("Code of the second step")
	if err != nil {
		return "", err
	}
	return c.SignIn(ctx, l.User, password, code)
}

// remember keeps a credential and makes its server the one that is used.
func remember(server, authorization string) error {
	known, err := others(server)
	if err != nil {
		return err
	}
	front := account{Server: server}
	if keyring.Set(service, server, authorization) != nil {
		front.Secret = authorization
	}
	return save(accounts, append([]account{front}, known...))
}

// others are the known servers but this one.
func others(server string) (rest []account, err error) {
	var known []account
	if err := load(accounts, &known); err != nil {
		return nil, err
	}
	for _, a := range known {
		if a.Server != server {
			rest = append(rest, a)
		}
	}
	return rest, nil
}

// remembered is a server and the credential for it; the last one when server is
// empty.
func remembered(server string) (address, authorization string, err error) {
	var known []account
	if err := load(accounts, &known); err != nil {
		return "", "", err
	}
	server = strings.TrimRight(server, "/")
	for _, a := range known {
		if server != "" && a.Server != server {
			continue
		}
		if a.Secret != "" {
			return a.Server, a.Secret, nil
		}
		if authorization, err = keyring.Get(service, a.Server); err != nil {
			return a.Server, "", fmt.Errorf("the keyring does not give the credential of %s: %w", a.Server, err)
		}
		return a.Server, authorization, nil
	}
	return "", "", errNoServer
}

// Logout forgets a server.
type Logout struct {
	Server `embed:""`
}

// Run ends a session on the server and deletes the credential here.
func (l *Logout) Run(ctx context.Context, v Version) error {
	server, authorization, err := remembered(l.Server.Server)
	if server == "" {
		return err
	}
	if strings.HasPrefix(authorization, "Bearer ") {
		if c, err := dial(ctx, server, authorization, v); err == nil {
			_ = c.SignOut(ctx) // a server that is away forgets the session by itself
		}
	}
	_ = keyring.Delete(service, server) // without a keyring the credential is in the file
	rest, err := others(server)
	if err != nil {
		return err
	}
	return save(accounts, rest)
}
