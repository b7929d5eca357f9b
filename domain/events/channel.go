package events

import (
	"context"
	"net/mail"
	"net/url"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"pasteport/ports"
	"pasteport/ports/event"
)

// Type says how a channel is reached.
type Type string

// The types.
const (
	Webhook Type = "webhook" // signed as Standard Webhooks says
	Mail    Type = "mail"    // by a mail server
	Ntfy    Type = "ntfy"    // a topic of an ntfy server
	Gotify  Type = "gotify"  // an application of a Gotify server
	Push    Type = "push"    // a browser, by its push service
)

// Types are all of them.
var Types = []Type{Webhook, Mail, Ntfy, Gotify, Push}

// ForPeople reports whether messages are read by people rather than programs: they
// are texts then, and what happens often is told once.
func (t Type) ForPeople() bool { return t != Webhook }

// Bounds of channels.
const (
	MaxChannels = 100
	maxName     = 100  // characters
	maxAddress  = 2048 // bytes
	maxKinds    = 100
	maxSecret   = 1024 // bytes
	maxMailbox  = 254  // bytes; RFC 5321 §4.5.3.1.3
	maxTo       = 10
)

// Channel is somebody who wants to hear of events.
type Channel struct {
	ID      string
	Owner   string // the account whose own it is, as created_by; empty for the site's
	Name    string
	Type    Type
	Address string // absolute URL: http or https; of a mail server smtp or smtps
	Options Options
	// Kinds are what it wants to hear of: kinds, and whole nouns such as
	// "audit.key.*".
	Kinds  []string
	Active bool
	// Secrets sign a webhook, the newest first; two while an old one still signs. Of
	// others it is the one password or token, if there is any.
	Secrets []Secret

	// Failures count the deliveries in a row that found nobody; RetryAt is when the
	// channel is tried again, zero for any time.
	Failures int
	RetryAt  time.Time
	// Stopped is why the server switched it off itself; empty means it did not.
	Stopped string

	CreatedAt time.Time
	UpdatedAt time.Time
	Version   int64 // grows with every change by a person
}

// Options are what channels have besides.
type Options struct {
	Language string   `json:"language,omitempty"` // of messages: en or zh
	From     string   `json:"from,omitempty"`     // address of mail
	To       []string `json:"to,omitempty"`       // addresses of mail
	User     string   `json:"user,omitempty"`     // of the mail server; empty means without sign-in
	Digest   Period   `json:"digest,omitempty"`   // how often a channel is told
}

// Secret is sealed, and signs until Until; zero means until it is replaced.
type Secret struct {
	Sealed []byte    `json:"sealed"`
	Until  time.Time `json:"until"`
}

// Tag names what people have last made of the channel.
func (c *Channel) Tag() string { return ports.TagOf(c.ID, c.Version) }

func wants(kinds []string, kind event.Kind) bool {
	return slices.ContainsFunc(kinds, func(wanted string) bool {
		noun, all := strings.CutSuffix(wanted, "*")
		return wanted == string(kind) || all && strings.HasPrefix(string(kind), noun)
	})
}

func (c *Channel) check() error {
	switch {
	case strings.TrimSpace(c.Name) == "" || utf8.RuneCountInString(c.Name) > maxName || strings.ContainsFunc(c.Name, control):
		return ports.InvalidInput("channel.name", "name")
	case !slices.Contains(Types, c.Type):
		return ports.InvalidInput("channel.type", "type")
	}
	if err := checkKinds(c.Kinds, c.Owner == ""); err != nil {
		return err
	}
	if err := c.checkAddress(); err != nil {
		return err
	}
	return c.checkOptions()
}

func (c *Channel) checkAddress() error {
	u, err := url.Parse(c.Address)
	if err != nil || len(c.Address) > maxAddress || u.Hostname() == "" || u.User != nil || u.Opaque != "" || u.Fragment != "" {
		return ports.InvalidInput("channel.address", "address")
	}
	switch {
	case c.Type == Mail:
		if u.Scheme != "smtp" && u.Scheme != "smtps" || strings.Trim(u.Path, "/") != "" || u.RawQuery != "" {
			return ports.InvalidInput("channel.mail_server", "address")
		}
		return nil
	case u.Scheme != "https" && u.Scheme != "http":
		return ports.InvalidInput("channel.address", "address")
	case c.Type == Push && u.Scheme != "https":
		return ports.InvalidInput("channel.address", "address")
	case c.Type == Ntfy && (strings.Trim(u.Path, "/") == "" || u.RawQuery != ""):
		return ports.InvalidInput("channel.topic", "address")
	case c.Type == Gotify && u.RawQuery != "":
		return ports.InvalidInput("channel.address", "address")
	}
	return nil
}

func (c *Channel) checkOptions() error {
	o := c.Options
	switch {
	case o.Language != "" && o.Language != "en" && o.Language != "zh":
		return ports.InvalidInput("channel.language", "language")
	case !slices.Contains(Periods, o.Digest):
		return ports.InvalidInput("channel.digest", "digest")
	case c.Type == Gotify && len(c.Secrets) == 0:
		return ports.InvalidInput("channel.token", "secret")
	case c.Type == Push && len(c.Secrets) == 0:
		return ports.InvalidInput("channel.subscription", "secret")
	case c.Type != Mail:
		if o.From != "" || len(o.To) > 0 || o.User != "" {
			return ports.InvalidInput("channel.mail_only", "to")
		}
		return nil
	case !mailbox(o.From):
		return ports.InvalidInput("channel.mailbox", "from")
	case len(o.To) == 0 || len(o.To) > maxTo || slices.ContainsFunc(o.To, func(to string) bool { return !mailbox(to) }):
		return ports.InvalidInput("channel.mailbox", "to")
	case len(o.User) > maxMailbox || strings.ContainsFunc(o.User, control) || o.User == "" && len(c.Secrets) > 0:
		return ports.InvalidInput("channel.user", "user")
	}
	return nil
}

// mailbox reports whether a text is one bare address of mail.
func mailbox(text string) bool {
	a, err := mail.ParseAddress(text)
	return err == nil && a.Name == "" && a.Address == text && len(text) <= maxMailbox && !strings.ContainsFunc(text, control)
}

func control(r rune) bool { return r < 0x20 || r == 0x7f }

func checkKinds(kinds []string, site bool) error {
	if len(kinds) == 0 || len(kinds) > maxKinds {
		return ports.InvalidInput("channel.kinds", "kinds")
	}
	for _, kind := range kinds {
		if !site {
			if !slices.Contains(event.OwnKinds, event.Kind(kind)) {
				return ports.InvalidInput("channel.own_kinds", "kinds")
			}
			continue
		}
		if slices.Contains(event.Kinds, event.Kind(kind)) {
			continue
		}
		action, audit := strings.CutPrefix(kind, event.AuditPrefix)
		if !audit || len(action) > 100 || !actionName(strings.TrimSuffix(action, ".*")) && action != "*" {
			return ports.InvalidInput("channel.kinds", "kinds")
		}
	}
	return nil
}

// actionName reports whether a text may be an action of the audit log, or its noun.
func actionName(text string) bool {
	return text != "" && !strings.ContainsFunc(text, func(r rune) bool { return r != '.' && r != '_' && (r < 'a' || r > 'z') })
}

// Filter chooses channels, by name.
type Filter struct {
	ports.Paging
	Search string // a part of the name or the address
	Active bool   // only those that are switched on
	Owner  string // those of this account; empty means the site's
	// Anybody lists those of all accounts and of the site.
	Anybody bool
}

// Status is how a delivery stands.
type Status string

// The statuses.
const (
	Held      Status = "held" // a digest that gathers events until its time
	Waiting   Status = "waiting"
	Delivered Status = "delivered"
	Dead      Status = "dead" // given up
)

// Delivery is one event on its way to one channel.
type Delivery struct {
	N         int64 // grows; the order of events
	ID        string
	ChannelID string
	Event     Noted
	Status    Status
	Times     int // how often it happened; more than 1 where it is told once
	Attempts  int
	NextAt    time.Time // of the next attempt
	Answer    int       // HTTP status of the last attempt; 0 without an answer
	Problem   string    // machine key of the last failure; empty for none
	UpdatedAt time.Time
}

// Noted is an event in the outbox.
type Noted struct {
	N       int64
	ID      string // stable: a delivery that comes twice has the same
	Kind    event.Kind
	Subject string
	Owner   string // as event.Event has it
	At      time.Time
	Data    []byte // JSON
}

// DeliveryFilter chooses deliveries, the newest first.
type DeliveryFilter struct {
	ports.Paging
	ChannelID string
	Status    Status // empty: any
}

// Route is the way of an event to a channel.
type Route struct {
	Channel string
	Hold    time.Duration // how long it waits for more of its kind; 0 for none
	// Until is when the digest is sent in which the event is told; zero when it is told
	// by itself.
	Until time.Time
}

// Repository stores channels.
type Repository interface {
	ports.Repository[Channel, Filter]
	// Count tells how many channels an account has, or with an empty owner the site,
	// and how many there are of all. Nobody else counts until the unit of work of ctx
	// ends.
	Count(ctx context.Context, owner string) (own, all int, err error)
	// Lease takes a channel for a node until a time; false when it is switched off,
	// waits for its next try or is somebody else's. turn grows with every lease and
	// names it.
	Lease(ctx context.Context, id string, now, until time.Time) (turn int64, ok bool, err error)
	// Prolong keeps the lease that turn names; false when it is lost.
	Prolong(ctx context.Context, id string, turn int64, until time.Time) (ok bool, err error)
	// Release ends the lease that turn names, and notes how the channel stands, unless
	// somebody has changed it since it had the version; stop switches it off. A lease
	// that is lost changes nothing.
	Release(ctx context.Context, id string, turn, version int64, how Standing) error
	// Unlease ends all leases: for the only node of a database, at its start.
	Unlease(ctx context.Context) error
}

// Standing is how a channel stands after some deliveries.
type Standing struct {
	Failures int
	RetryAt  time.Time
	Stopped  string // not empty: switch it off
}

// Deliveries stores events and their deliveries.
type Deliveries interface {
	// Add puts an event into the outbox, in the unit of work of ctx.
	Add(ctx context.Context, e *Noted) error
	// Route takes the oldest events out of the outbox, at most limit, and stores
	// the deliveries that to wants of each; events that nobody wants are forgotten.
	// An event with a Hold is counted with the delivery of its kind and subject that
	// is held already, if there is one; one with an Until is added to the digest of its
	// channel that is held, else to a new one. It returns how many it took. No two nodes
	// take the same.
	Route(ctx context.Context, limit int, to func(e *Noted) []Route, id func() string) (int, error)
	// Close has the digests wait that are held until now or before. No event is added to
	// them from then on, so that a message that comes twice says the same.
	Close(ctx context.Context, now time.Time) error
	// Move has the digest of a channel that is held, if there is one, sent at a time.
	Move(ctx context.Context, channelID string, at time.Time) error
	// Due lists deliveries of a channel whose time has come, at most limit, in their
	// order; none behind one of the same subject that has to wait.
	Due(ctx context.Context, channelID string, now time.Time, limit int) ([]Delivery, error)
	// Waits reports whether something of a channel is due.
	Waits(ctx context.Context, channelID string, now time.Time) (bool, error)
	// Settle stores how attempts went, while turn is still the channel's lease;
	// false when it is not, and then nothing is stored.
	Settle(ctx context.Context, channelID string, turn int64, done []Delivery) (ok bool, err error)
	List(ctx context.Context, f DeliveryFilter) (ports.Page[Delivery], error)
	// Counts counts the deliveries of each channel by their status.
	Counts(ctx context.Context) (map[string]map[Status]int, error)
	// Standing tells how all channels do, and when the oldest event happened that is
	// not routed; zero for none.
	Standing(ctx context.Context) (all []Health, outbox time.Time, err error)
	// Again has a dead delivery of a channel tried again now, all of them when id is
	// empty. It returns how many there were.
	Again(ctx context.Context, channelID, id string, now time.Time) (int, error)
	// Drop removes what was delivered or given up before these times, at most limit
	// of each, and events without deliveries; and gives up what has waited since
	// before stale.
	Drop(ctx context.Context, old Retention, limit int) (int, error)
}

// Retention are the times before which deliveries go.
type Retention struct{ Delivered, Dead, Stale time.Time }
