package keys

import (
	"context"
	"encoding/json"
	"net/netip"
	"slices"

	"pasteport/ports"
	"pasteport/ports/event"
	"pasteport/ports/policy"
)

// Notes keeps small values. Get returns NotFound for a name without one.
type Notes interface {
	Get(ctx context.Context, name string) ([]byte, error)
	Put(ctx context.Context, name string, value []byte) error
}

// placesKept is how many networks are remembered of an administrator, the newest.
const placesKept = 50

// placeOf is the network of an address: what a provider gives one household.
func placeOf(address string) string {
	ip, err := netip.ParseAddr(address)
	if err != nil {
		return ""
	}
	ip = ip.Unmap().WithZone("")
	bits := 64
	if ip.Is4() {
		bits = 24
	}
	return netip.PrefixFrom(ip, bits).Masked().String()
}

// tellPlace tells of a sign-in from a network that this administrator has not used
// before. The first one is where the server was set up.
func (a *Access) tellPlace(ctx context.Context, admin *Admin, userAgent string) error {
	from := policy.CallFrom(ctx).ClientIP
	place := placeOf(from)
	if a.d.Notes == nil || place == "" {
		return nil
	}
	name := "sign_in_places/" + admin.ID
	var seen []string
	text, err := a.d.Notes.Get(ctx, name)
	if err == nil {
		err = json.Unmarshal(text, &seen)
	}
	if err != nil && !ports.Is(err, ports.NotFound) {
		return ports.Wrap("read the places of sign-ins", err)
	}
	if slices.Contains(seen, place) {
		return nil
	}
	first := len(seen) == 0
	seen = append(seen, place)
	if text, err = json.Marshal(seen[max(0, len(seen)-placesKept):]); err != nil {
		return err
	}
	if err := a.d.Notes.Put(ctx, name, text); err != nil || first {
		return ports.Wrap("keep the places of sign-ins", err)
	}
	return event.Tell(ctx, a.d.Outbox, event.Event{Kind: event.NewPlace, Subject: "account:" + admin.ID,
		Data: map[string]string{"username": admin.Username, "client_ip": from, "network": place, "user_agent": userAgent}})
}
