// Package outbound knows which addresses belong to the open Internet, and makes
// connections that lead nowhere else. The decision is about the address that is
// about to be connected, after names were looked up.
package outbound

import (
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"syscall"
	"time"
)

// Reach says where connections may lead.
type Reach bool

// The reaches.
const (
	Anywhere   Reach = false
	PublicOnly Reach = true
)

// ErrPrivate is why a connection was not made.
var ErrPrivate = errors.New("private and special addresses are out of reach here")

// Dialer makes connections within the reach, each within timeout.
func (r Reach) Dialer(timeout time.Duration) *net.Dialer {
	d := &net.Dialer{Timeout: timeout, KeepAlive: 30 * time.Second}
	if r == PublicOnly {
		d.Control = func(_, address string, _ syscall.RawConn) error { return check(address) }
	}
	return d
}

// check decides about an address and port.
func check(address string) error {
	to, err := netip.ParseAddrPort(address)
	if err != nil || !Public(to.Addr()) {
		return fmt.Errorf("%s: %w", address, ErrPrivate)
	}
	return nil
}

// Proxy is the proxy of the environment, or none where the reach is bounded:
// nobody could tell where a proxy connects to.
func (r Reach) Proxy(request *http.Request) (*url.URL, error) {
	if r == PublicOnly {
		return nil, nil
	}
	return http.ProxyFromEnvironment(request)
}
