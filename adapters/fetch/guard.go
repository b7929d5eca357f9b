package fetch

import (
	"context"
	"fmt"
	"net"
	"net/netip"
	"strconv"
	"strings"
	"syscall"
	"time"

	"pasteport/ports/outbound"
)

// usualPorts are where the web is.
var usualPorts = map[uint16]bool{80: true, 443: true, 8080: true, 8443: true}

// guard makes connections and refuses those that lead where callers may not
// reach. It decides on the address that is about to be connected, after names
// were looked up, so that a name server cannot answer one thing to the check
// and another to the connection.
type guard struct {
	allow    allowList
	ports    map[uint16]bool
	connect  time.Duration
	resolver *net.Resolver // nil means the system's
}

// dial connects to address, a host and a port.
func (g *guard) dial(ctx context.Context, network, address string) (net.Conn, error) {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return nil, errRefused
	}
	d := net.Dialer{Timeout: g.connect, Resolver: g.resolver,
		ControlContext: func(_ context.Context, _, dialled string, _ syscall.RawConn) error { return g.check(host, dialled) }}
	return d.DialContext(ctx, network, address)
}

// check decides about a connection. host is what the caller named, dialled the
// address and port that it led to.
func (g *guard) check(host, dialled string) error {
	to, err := netip.ParseAddrPort(dialled)
	if err != nil {
		return errRefused
	}
	if g.allow.has(host, to) || g.ports[to.Port()] && outbound.Public(to.Addr()) {
		return nil
	}
	return errRefused
}

// allowList is what the operator lets through besides public hosts.
type allowList struct {
	blocks []allowedBlock
	hosts  []allowedHost
}

// allowedBlock is an address block, on one port or, with 0, on all.
type allowedBlock struct {
	block netip.Prefix
	port  uint16
}

// allowedHost is a host by name, on one port or, with 0, on all.
type allowedHost struct {
	name string
	port uint16
}

func parseAllow(entries []string) (allowList, error) {
	var list allowList
	for _, entry := range entries {
		entry = strings.TrimSpace(entry)
		if entry == "" {
			continue
		}
		if err := list.add(entry); err != nil {
			return allowList{}, err
		}
	}
	return list, nil
}

func (l *allowList) add(entry string) error {
	if block, err := netip.ParsePrefix(entry); err == nil {
		l.blocks = append(l.blocks, allowedBlock{block: block.Masked()})
		return nil
	}
	host, port := entry, uint16(0)
	if h, p, err := net.SplitHostPort(entry); err == nil {
		n, err := strconv.ParseUint(p, 10, 16)
		if err != nil || n == 0 {
			return fmt.Errorf("%q has no port that can be used", entry)
		}
		host, port = h, uint16(n)
	}
	if addr, err := netip.ParseAddr(host); err == nil {
		addr = addr.Unmap()
		l.blocks = append(l.blocks, allowedBlock{netip.PrefixFrom(addr, addr.BitLen()), port})
		return nil
	}
	if host == "" || strings.ContainsAny(host, ":/@ *?#\\%[]") {
		return fmt.Errorf("%q is no host, host:port, address or CIDR block", entry)
	}
	l.hosts = append(l.hosts, allowedHost{hostName(host), port})
	return nil
}

func (l *allowList) has(host string, to netip.AddrPort) bool {
	addr := to.Addr().Unmap().WithZone("")
	for _, b := range l.blocks {
		if b.block.Contains(addr) && (b.port == 0 || b.port == to.Port()) {
			return true
		}
	}
	name := hostName(host)
	for _, h := range l.hosts {
		if h.name == name && (h.port == 0 || h.port == to.Port()) {
			return true
		}
	}
	return false
}

// hostName is the one form of a host's name.
func hostName(host string) string { return strings.ToLower(strings.TrimSuffix(host, ".")) }
