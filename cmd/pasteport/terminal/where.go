package terminal

import (
	"fmt"
	"io"
	"net"
	"strings"
)

// TellWhere writes where an administrator signs in, as somebody at this machine
// opens it, from the address of the listener or, where one is set, the public one.
// It writes nothing where neither tells: a socket, or a port that is chosen later.
func TellWhere(w io.Writer, listen, publicURL string) error {
	host, port, err := net.SplitHostPort(listen)
	at := strings.TrimRight(publicURL, "/")
	switch {
	case at != "":
	case err != nil || port == "0" || host == "unix":
		return nil
	case host == "" || net.ParseIP(host).IsUnspecified():
		at = "http://localhost:" + port
	default:
		at = "http://" + net.JoinHostPort(host, port)
	}
	_, err = fmt.Fprintf(w, "sign in at %s/admin\n", at)
	return err
}
