package listen

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"os"
	"strings"
)

// unixMark begins the address of a listener that is a file.
const unixMark = "unix:"

// At listens at an address like ":8787" or "unix:/run/pasteport.sock". The file
// of a socket can be used by owner and group; one that a killed process left is
// replaced.
func At(address string) (net.Listener, error) {
	path, unix := strings.CutPrefix(address, unixMark)
	if !unix {
		return net.Listen("tcp", address)
	}
	if err := removeDeadSocket(path); err != nil {
		return nil, err
	}
	l, err := net.Listen("unix", path)
	if err != nil {
		return nil, err
	}
	if err := os.Chmod(path, 0o660); err != nil {
		return nil, errors.Join(err, l.Close())
	}
	return l, nil
}

// AddressOf is the address by which Get reaches a listener.
func AddressOf(l net.Listener) string {
	if l.Addr().Network() == "unix" {
		return unixMark + l.Addr().String()
	}
	return l.Addr().String()
}

// removeDeadSocket removes the file of a socket at which nobody listens any
// more. Anything else at the path stays and makes listening fail.
func removeDeadSocket(path string) error {
	info, err := os.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) || err == nil && info.Mode().Type() != fs.ModeSocket {
		return nil
	}
	if err != nil {
		return err
	}
	if c, err := net.Dial("unix", path); err == nil {
		_ = c.Close()
		return fmt.Errorf("another process listens at %s", path)
	}
	return os.Remove(path)
}

// dialAt connects to where At listens, from this machine.
func dialAt(ctx context.Context, address string) (net.Conn, error) {
	if path, unix := strings.CutPrefix(address, unixMark); unix {
		return new(net.Dialer).DialContext(ctx, "unix", path)
	}
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return nil, err
	}
	if ip := net.ParseIP(host); host == "" || ip.IsUnspecified() {
		host = "localhost"
	}
	return new(net.Dialer).DialContext(ctx, "tcp", net.JoinHostPort(host, port))
}

// Get asks the server at an address of this machine for a path, by a connection
// of its own.
func Get(ctx context.Context, address, path string) (*http.Response, error) {
	return Send(ctx, http.MethodGet, address, path, nil)
}

// Send is Get for a request of any method, with a body.
func Send(ctx context.Context, method, address, path string, body io.Reader) (*http.Response, error) {
	client := http.Client{Transport: &http.Transport{DisableKeepAlives: true,
		DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) { return dialAt(ctx, address) }}}
	r, err := http.NewRequestWithContext(ctx, method, "http://localhost"+path, body)
	if err != nil {
		return nil, err
	}
	return client.Do(r)
}
