package outbound

import "net/netip"

// special are the blocks that are not for everybody's use: the registries of
// special-purpose addresses (RFC 6890 and its updates), multicast and
// site-local. Those of IPv6 lie inside global, which bounds the rest.
var special = prefixes(
	"0.0.0.0/8",         // this network
	"10.0.0.0/8",        // private
	"100.64.0.0/10",     // shared between carrier and customer
	"127.0.0.0/8",       // loopback
	"168.63.129.16/32",  // a public address that is the host inside one cloud
	"169.254.0.0/16",    // link-local, cloud metadata
	"172.16.0.0/12",     // private
	"192.0.0.0/24",      // protocol assignments
	"192.0.2.0/24",      // documentation
	"192.31.196.0/24",   // AS112
	"192.52.193.0/24",   // multicast tunnels
	"192.88.99.0/24",    // 6to4 relays
	"192.168.0.0/16",    // private
	"192.175.48.0/24",   // AS112
	"198.18.0.0/15",     // benchmarks
	"198.51.100.0/24",   // documentation
	"203.0.113.0/24",    // documentation
	"224.0.0.0/4",       // multicast
	"240.0.0.0/4",       // reserved, broadcast
	"2001::/23",         // protocol assignments: Teredo, ORCHID, benchmarks
	"2001:db8::/32",     // documentation
	"2002::/16",         // 6to4: leads to any IPv4 address
	"2620:4f:8000::/48", // AS112
	"3fff::/20",         // documentation
)

// global holds every IPv6 address in public use. Outside lie loopback,
// IPv4-compatible, local NAT64, discard-only, segment routing, unique local,
// link-local, site-local and multicast addresses.
var global = netip.MustParsePrefix("2000::/3")

// nat64 is the well-known prefix behind which IPv6-only networks reach IPv4.
var nat64 = netip.MustParsePrefix("64:ff9b::/96")

// Public reports whether an address is one of the open Internet. One that
// stands for an IPv4 address is judged by that.
func Public(a netip.Addr) bool {
	a = a.WithZone("").Unmap()
	if nat64.Contains(a) {
		b := a.As16()
		a = netip.AddrFrom4([4]byte(b[12:]))
	}
	if a.Is6() && !global.Contains(a) {
		return false
	}
	for _, p := range special {
		if p.Contains(a) {
			return false
		}
	}
	return a.IsValid()
}

func prefixes(texts ...string) []netip.Prefix {
	blocks := make([]netip.Prefix, len(texts))
	for i, text := range texts {
		blocks[i] = netip.MustParsePrefix(text)
	}
	return blocks
}
