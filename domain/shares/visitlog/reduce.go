package visitlog

import (
	"net/netip"
	"strings"

	"pasteport/domain/shares/openings"
	"pasteport/ports"
)

// from is what the site keeps of an address: nothing, the part that names no
// household (of IPv4 the first 24 bits, of IPv6 the first 48), or all of it.
type from struct {
	network netip.Prefix
	address string // all of it
}

func cut(address string, keep ports.AddressPart) from {
	switch keep {
	case ports.NoAddress:
		return from{}
	case ports.WholeAddress:
		return from{address: address}
	}
	return from{network: openings.PrefixOf(address)}
}

func (f from) String() string {
	if f.network.IsValid() {
		return f.network.String()
	}
	return f.address
}

// named is a name and the marks in a User-Agent by which it is known. The first
// that fits counts: most browsers name others besides themselves.
type named struct {
	name  string
	marks []string
}

var programs = []named{
	{"Edge", []string{"Edg/", "EdgA/", "EdgiOS/", "Edge/"}},
	{"Opera", []string{"OPR/", "OPiOS/", "Opera/"}},
	{"Samsung Internet", []string{"SamsungBrowser/"}},
	{"Vivaldi", []string{"Vivaldi/"}},
	{"WeChat", []string{"MicroMessenger/"}},
	{"Firefox", []string{"Firefox/", "FxiOS/"}},
	{"Chromium", []string{"Chromium/"}},
	{"Chrome", []string{"Chrome/", "CriOS/", "HeadlessChrome/"}},
	{"Safari", []string{"Safari/"}},
	{"curl", []string{"curl/"}},
	{"Wget", []string{"Wget/", "Wget2/"}},
	{"Python", []string{"python-requests/", "Python-urllib/", "python-httpx/", "aiohttp/"}},
	{"PowerShell", []string{"PowerShell/"}},
	{"Go", []string{"Go-http-client/"}},
	{"Pasteport", []string{"pasteport/"}},
}

// robots are links that look at themselves, as messengers do to show a preview.
var robots = []string{"bot", "crawler", "spider", "facebookexternalhit", "whatsapp", "slack", "skypeuripreview", "embedly", "preview"}

var systems = []named{
	{"HarmonyOS", []string{"HarmonyOS", "OpenHarmony"}},
	{"Android", []string{"Android"}},
	{"iPadOS", []string{"iPad"}},
	{"iOS", []string{"iPhone", "iPod"}},
	{"Windows", []string{"Windows"}},
	{"ChromeOS", []string{"CrOS"}},
	{"macOS", []string{"Mac OS X", "Macintosh"}},
	{"Linux", []string{"Linux", "X11"}},
}

func nameIn(agent string, list []named) string {
	for _, n := range list {
		for _, mark := range n.marks {
			if strings.Contains(agent, mark) {
				return n.name
			}
		}
	}
	return ""
}

// programOf reduces a User-Agent to the names of program and system, joined by a
// comma: no version, no model. Empty when neither is known.
func programOf(agent string) string {
	if agent == "" {
		return ""
	}
	program, system := nameIn(agent, programs), nameIn(agent, systems)
	small := strings.ToLower(agent)
	for _, mark := range robots {
		if strings.Contains(small, mark) {
			return "bot"
		}
	}
	return strings.Trim(program+", "+system, ", ")
}
