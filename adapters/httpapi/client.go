package httpapi

import (
	"net/http"
	"net/netip"
	"strings"

	"pasteport/adapters/httpapi/listen"
)

// clientAddress is where a request came from.
type clientAddress struct {
	addr netip.Addr // zero when the peer has none
	text string
	tls  bool
}

// key is what limits count: the address, of IPv6 its /64.
func (c clientAddress) key() netip.Addr { return listen.Network(c.addr) }

// clientOf finds the client's address: the peer, or behind trusted proxies and
// on a unix socket the last hop of X-Forwarded-For that is not one of them.
func (a *API) clientOf(r *http.Request) clientAddress {
	c := clientAddress{tls: r.TLS != nil}
	peer, err := netip.ParseAddrPort(r.RemoteAddr)
	if err == nil {
		c.addr = peer.Addr().Unmap()
	}
	// The peer of a unix socket has no address: a proxy that the operator lets to the file.
	if err != nil || len(a.opts.TrustedProxies) > 0 && a.trusted(c.addr) {
		if proto := first(r.Header["X-Forwarded-Proto"]); proto != "" {
			c.tls = strings.EqualFold(proto, "https")
		}
		c.addr = a.lastForeign(r.Header["X-Forwarded-For"], c.addr)
	}
	switch {
	case c.addr.Is4() && c.addr == peer.Addr(): // the text is there already, in its one form
		c.text = r.RemoteAddr[:strings.LastIndexByte(r.RemoteAddr, ':')]
	case c.addr.IsValid():
		c.text = c.addr.WithZone("").String()
	}
	return c
}

// lastForeign walks the forwarded hops from the nearest one outwards.
func (a *API) lastForeign(lines []string, addr netip.Addr) netip.Addr {
	hops := strings.Split(strings.Join(lines, ","), ",")
	for i := len(hops) - 1; i >= 0; i-- {
		hop, ok := parseHop(strings.TrimSpace(hops[i]))
		if !ok {
			return addr // what stands before an unreadable hop is not believed
		}
		addr = hop
		if !a.trusted(addr) {
			return addr
		}
	}
	return addr
}

func parseHop(s string) (netip.Addr, bool) {
	if addr, err := netip.ParseAddr(strings.Trim(s, "[]")); err == nil {
		return addr.Unmap(), true
	}
	if ap, err := netip.ParseAddrPort(s); err == nil {
		return ap.Addr().Unmap(), true
	}
	return netip.Addr{}, false
}

func (a *API) trusted(addr netip.Addr) bool {
	for _, p := range a.opts.TrustedProxies {
		if p.Contains(addr) {
			return true
		}
	}
	return false
}

// origin is the absolute address of this server, base path included.
func (a *API) origin(x *exchange) string {
	if a.opts.PublicURL != "" {
		return strings.TrimRight(a.opts.PublicURL, "/")
	}
	scheme := "http://"
	if x.client.tls {
		scheme = "https://"
	}
	return scheme + x.r.Host
}
