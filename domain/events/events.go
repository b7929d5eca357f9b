package events

import (
	"context"
	"crypto/ecdh"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"pasteport/ports"
	"pasteport/ports/event"
	"pasteport/ports/policy"
)

// Message is an event as a channel is told of it.
type Message struct {
	ID   string // the same in every attempt
	Kind event.Kind
	// Subject is what it happened to.
	Subject string
	At      time.Time // when it happened
	Sent    time.Time // when this attempt began
	Times   int       // how often it happened, at least 1
	Data    json.RawMessage
}

// Target is where a message goes.
type Target struct {
	Type    Type
	Address string
	Options Options
	Secrets [][]byte // the newest first
	// SiteKey proves the site to a push service; only of a browser.
	SiteKey *ecdh.PrivateKey
}

// Outcome is what became of an attempt. A Problem is the machine key of a failure;
// empty means that the message has arrived.
type Outcome struct {
	Status     int // of HTTP or SMTP; 0 without an answer
	Problem    string
	Detail     string        // what a mail server said of it, in its words; may be empty
	RetryAfter time.Duration // that the receiver asked for; 0 for none
	// Away says that the receiver could not take anything at the moment, Gone that
	// it wants nothing any more.
	Away, Gone bool
}

// Sender brings messages to channels. Send returns in bounded time.
type Sender interface {
	Send(ctx context.Context, to Target, m Message) Outcome
}

// Changed is the kind of invalidation when channels change.
const Changed = "channels"

// Deps are what the module needs.
type Deps struct {
	Channels   Repository
	Deliveries Deliveries
	Watches    Watches // nil: nobody watches shares
	Shares     Shares  // nil: there are none
	Notes      Notes
	// Account returns who made something with the rights of the moment; NotFound for a
	// key that is no more, was switched off or has expired. nil: all are there.
	Account      func(ctx context.Context, who policy.Principal) (policy.Principal, error)
	Endings      Endings
	Lead         func() time.Duration // how long before its end a share is told of; 0 for never
	Work         ports.UnitOfWork
	Sender       Sender
	Sealer       ports.Sealer
	Decider      policy.Decider
	Random       ports.Random
	Clock        ports.Clock
	Invalidation ports.Invalidation
	// Wake has a round done soon; it may be called often, and never waits.
	Wake func()
	// Report takes errors of work that nobody waits for.
	Report func(doing string, err error)
}

// Events are the outbox and the channels. They are safe for concurrent use.
type Events struct {
	d        Deps
	wanted   atomic.Pointer[listeners]
	reading  sync.Mutex      // of what wanted is to be
	attempts map[Type]*tally // of every type
}

var _ event.Outbox = (*Events)(nil)

// New returns the events over the ports of d. Nothing is noted before Reload.
func New(d Deps) *Events { return &Events{d: d, attempts: newTallies()} }

// Reload reads anew what is wanted, after a change on another node.
func (e *Events) Reload(ctx context.Context) error {
	e.reading.Lock() // so that who has read later stores later
	defer e.reading.Unlock()
	channels, err := e.active(ctx)
	if err != nil {
		return err
	}
	watched := map[string][]string{}
	if e.d.Watches != nil {
		if watched, err = e.d.Watches.All(ctx); err != nil {
			return ports.Wrap("list watched shares", err)
		}
	}
	e.wanted.Store(newListeners(channels, watched))
	return nil
}

// changed is Reload after a change that is stored: whoever made it does not lose the answer
// when that fails.
func (e *Events) changed(ctx context.Context) {
	if err := e.Reload(ctx); err != nil && e.d.Report != nil {
		e.d.Report("read what is wanted", err)
	}
}

func (e *Events) active(ctx context.Context) ([]Channel, error) {
	page, err := e.d.Channels.List(ctx, Filter{Active: true, Anybody: true, Paging: ports.Paging{Limit: MaxChannels + maxOwnOfAll}})
	return page.Items, ports.Wrap("list channels", err)
}

// Wanted reports whether some channel is to hear of an event, so that nobody makes a
// transaction for one that goes nowhere.
func (e *Events) Wanted(what event.Event) bool {
	l := e.wanted.Load()
	return l != nil && l.want(what.Kind, what.Subject, what.Owner)
}

// maxData bounds what an event says, in bytes of JSON.
const maxData = 64 << 10

// Happened implements event.Outbox.
func (e *Events) Happened(ctx context.Context, what event.Event) error {
	if !e.Wanted(what) {
		return nil
	}
	data, err := json.Marshal(what.Data)
	if err == nil && len(data) > maxData {
		err = fmt.Errorf("%d bytes of data", len(data))
	}
	if err != nil {
		return ports.Wrap("write the event "+string(what.Kind), err)
	}
	err = e.d.Deliveries.Add(ctx, &Noted{ID: e.d.Random.ID(), Kind: what.Kind, Subject: what.Subject, Owner: what.Owner, At: e.d.Clock.Now(), Data: data})
	e.wake()
	return ports.Wrap("note an event", err)
}

func (e *Events) wake() {
	if e.d.Wake != nil {
		e.d.Wake()
	}
}

func (e *Events) may(ctx context.Context, who policy.Principal, do policy.Action) error {
	_, err := policy.Check(ctx, e.d.Decider, who, do, policy.Resource{Kind: policy.KindChannel})
	return err
}

// Draft is what a channel is made of.
type Draft struct {
	Name    string
	Type    Type
	Address string
	Options Options
	Kinds   []string
	Active  bool
	Secret  string // password or token; a webhook gets one from the server
}

// Issued is a channel with its secret, which is told this one time. Only a webhook
// has one to tell.
type Issued struct {
	Channel
	Secret string
}

var (
	errUnknown         = &ports.Error{Code: ports.NotFound, Key: "not_found", Text: "channel.not_found"}
	errUnknownDelivery = &ports.Error{Code: ports.NotFound, Key: "not_found"}
	errTooMany         = &ports.Error{Code: ports.Conflict, Key: "already_exists", Text: "channel.too_many"}
)

func known(err error) error {
	if ports.Is(err, ports.NotFound) {
		return errUnknown.With(err)
	}
	return err
}

func place(id string) string { return "event_channels/" + id + "/secret" }

// newSecret makes what a webhook signs with: 32 random bytes, as Standard Webhooks
// writes them.
func (e *Events) newSecret(id string) (text string, s Secret, err error) {
	plain := e.d.Random.Bytes(32)
	s, err = e.seal(id, plain)
	return "whsec_" + base64.StdEncoding.EncodeToString(plain), s, err
}

func (e *Events) seal(id string, plain []byte) (s Secret, err error) {
	s.Sealed, err = e.d.Sealer.Seal(plain, place(id))
	return s, ports.Wrap("seal the secret of a channel", err)
}

// given seals a password or token that somebody has given; of an empty one there is
// nothing.
func (e *Events) given(c *Channel, secret string) (made []Secret, err error) {
	switch {
	case c.Type == Webhook && secret != "":
		return nil, ports.InvalidInput("channel.secret_made", "secret")
	case len(secret) > maxSecret || strings.ContainsFunc(secret, control):
		return nil, ports.InvalidInput("channel.secret", "secret")
	case secret == "":
		return nil, nil
	}
	plain := []byte(secret)
	if c.Type == Push {
		if plain, err = subscription(secret); err != nil {
			return nil, err
		}
	}
	s, err := e.seal(c.ID, plain)
	return []Secret{s}, err
}

// Create makes a channel. Asks admin.events.write. Returns Invalid for fields that
// no channel may have, Conflict when there are too many.
func (e *Events) Create(ctx context.Context, who policy.Principal, in Draft) (Issued, error) {
	if err := e.may(ctx, who, policy.EventsWrite); err != nil {
		return Issued{}, err
	}
	return e.create(ctx, "", in)
}

// create makes a channel of an account; of the site's with an empty owner.
func (e *Events) create(ctx context.Context, owner string, in Draft) (Issued, error) {
	now := e.d.Clock.Now()
	c := Channel{ID: e.d.Random.ID(), Owner: owner, Name: in.Name, Type: in.Type, Address: in.Address, Options: in.Options, Kinds: in.Kinds, Active: in.Active, CreatedAt: now, UpdatedAt: now, Version: 1}
	text, err := e.equip(&c, in.Secret)
	if err != nil {
		return Issued{}, err
	}
	err = e.d.Work.Do(ctx, func(ctx context.Context) error {
		if err := e.room(ctx, owner); err != nil {
			return err
		}
		if err := e.d.Channels.Insert(ctx, &c); err != nil {
			return err
		}
		return e.publish(ctx)
	})
	if err != nil {
		return Issued{}, ports.Wrap("store a channel", err)
	}
	e.changed(ctx)
	return Issued{c, text}, nil
}

// equip gives a new channel its secret and checks it; text is what is to be told.
func (e *Events) equip(c *Channel, secret string) (text string, err error) {
	if c.Secrets, err = e.given(c, secret); err != nil {
		return "", err
	}
	if err := c.check(); err != nil || c.Type != Webhook {
		return "", err
	}
	text, made, err := e.newSecret(c.ID)
	c.Secrets = []Secret{made}
	return text, err
}

func (e *Events) publish(ctx context.Context) error {
	if e.d.Invalidation == nil {
		return nil
	}
	return e.d.Invalidation.Publish(ctx, Changed, "")
}

// List returns a page of channels. Asks admin.events.read.
func (e *Events) List(ctx context.Context, who policy.Principal, f Filter) (ports.Page[Channel], error) {
	if err := e.may(ctx, who, policy.EventsRead); err != nil {
		return ports.Page[Channel]{}, err
	}
	f.Owner, f.Anybody = "", false
	page, err := e.d.Channels.List(ctx, f)
	return page, ports.Wrap("list channels", err)
}

// Counts counts the deliveries of each channel by their status. Asks
// admin.events.read.
func (e *Events) Counts(ctx context.Context, who policy.Principal) (map[string]map[Status]int, error) {
	if err := e.may(ctx, who, policy.EventsRead); err != nil {
		return nil, err
	}
	counts, err := e.d.Deliveries.Counts(ctx)
	return counts, ports.Wrap("count deliveries", err)
}

// Get returns a channel. Asks admin.events.read.
func (e *Events) Get(ctx context.Context, who policy.Principal, id string) (*Channel, error) {
	if err := e.may(ctx, who, policy.EventsRead); err != nil {
		return nil, err
	}
	return e.get(ctx, "", id)
}

// get reads a channel of an account; those of others are unknown.
func (e *Events) get(ctx context.Context, owner, id string) (*Channel, error) {
	c, err := e.d.Channels.Get(ctx, id)
	if err == nil && c.Owner != owner {
		return nil, errUnknown
	}
	return c, known(err)
}

// Change is what is changed of a channel; nil leaves a field as it is.
type Change struct {
	Name, Address        *string
	Language, From, User *string
	To                   *[]string
	Digest               *Period
	Kinds                *[]string
	Active               *bool
	Secret               *string // a new password or token; empty for none
	IfMatch              string  // entity tag that it must still have; empty means any
}

// Update changes a channel. One that is switched on or has another address is tried
// again at once. Asks admin.events.write. Returns the errors of Create, NotFound, and
// Precondition for another entity tag.
func (e *Events) Update(ctx context.Context, who policy.Principal, id string, in Change) (ports.Change[Channel], error) {
	var done ports.Change[Channel]
	if err := e.may(ctx, who, policy.EventsWrite); err != nil {
		return done, err
	}
	return e.update(ctx, "", id, in)
}

func (e *Events) update(ctx context.Context, owner, id string, in Change) (done ports.Change[Channel], err error) {
	after, err := e.change(ctx, owner, id, func(c *Channel) error {
		done.Before = *c
		if err := ports.Unchanged(in.IfMatch, c.Tag()); err != nil {
			return err
		}
		return e.take(c, in)
	})
	if err != nil {
		return done, err
	}
	done.After = *after
	e.changed(ctx)
	return done, nil
}

// take changes a channel. A password goes to no other address than the one for which
// it was given: with another address it has to be given anew.
func (e *Events) take(c *Channel, in Change) (err error) {
	moved := in.Address != nil && *in.Address != c.Address
	fresh := moved || in.Secret != nil || in.Active != nil && *in.Active && !c.Active
	if moved && c.Type != Webhook && len(c.Secrets) > 0 && in.Secret == nil {
		return ports.InvalidInput("channel.secret_again", "secret")
	}
	if in.Secret != nil {
		given, err := e.given(c, *in.Secret)
		if err != nil {
			return err
		}
		if c.Type != Webhook {
			c.Secrets = given
		}
	}
	set(&c.Name, in.Name)
	set(&c.Address, in.Address)
	set(&c.Options.Language, in.Language)
	set(&c.Options.From, in.From)
	set(&c.Options.To, in.To)
	set(&c.Options.Digest, in.Digest)
	if set(&c.Options.User, in.User); in.User != nil && *in.User == "" && in.Secret == nil {
		c.Secrets = slices.DeleteFunc(c.Secrets, func(Secret) bool { return c.Type == Mail })
	}
	set(&c.Kinds, in.Kinds)
	set(&c.Active, in.Active)
	if fresh {
		c.Failures, c.RetryAt = 0, time.Time{}
	}
	if c.Active {
		c.Stopped = ""
	}
	return c.check()
}

func set[T any](field *T, to *T) {
	if to != nil {
		*field = *to
	}
}

// change stores a change of a channel by a person.
func (e *Events) change(ctx context.Context, owner, id string, change func(*Channel) error) (after *Channel, err error) {
	err = e.d.Work.Do(ctx, func(ctx context.Context) error {
		var often Period
		after, err = e.d.Channels.Update(ctx, id, func(c *Channel) error {
			if c.Owner != owner {
				return errUnknown
			}
			often = c.Options.Digest
			before := ports.TagOf(*c)
			if err := change(c); err != nil {
				return err
			}
			if ports.TagOf(*c) != before {
				c.UpdatedAt = e.d.Clock.Now()
				c.Version++
			}
			return nil
		})
		if err == nil && after.Options.Digest != often {
			err = e.d.Deliveries.Move(ctx, id, after.Options.Digest.next(e.d.Clock.Now()))
		}
		if err != nil {
			return err
		}
		return e.publish(ctx)
	})
	if err != nil {
		return nil, known(err)
	}
	e.wake()
	return after, nil
}

// overlap is how long the old secret of a channel still signs beside the new one.
const overlap = 24 * time.Hour

// Rotate gives a webhook a new secret; for a day the old one signs beside it. Asks
// admin.events.write. Returns NotFound, and Invalid for a channel that signs nothing.
func (e *Events) Rotate(ctx context.Context, who policy.Principal, id string) (Issued, error) {
	if err := e.may(ctx, who, policy.EventsWrite); err != nil {
		return Issued{}, err
	}
	text, secret, err := e.newSecret(id)
	if err != nil {
		return Issued{}, err
	}
	after, err := e.change(ctx, "", id, func(c *Channel) error {
		if c.Type != Webhook {
			return ports.InvalidInput("channel.unsigned", "")
		}
		old := c.Secrets[:min(1, len(c.Secrets))]
		c.Secrets = []Secret{secret}
		for _, s := range old {
			c.Secrets = append(c.Secrets, Secret{s.Sealed, e.d.Clock.Now().Add(overlap)})
		}
		return nil
	})
	if err != nil {
		return Issued{}, err
	}
	return Issued{*after, text}, nil
}

// Delete removes a channel with its deliveries. Asks admin.events.write. Returns
// NotFound.
func (e *Events) Delete(ctx context.Context, who policy.Principal, id string) (*Channel, error) {
	if err := e.may(ctx, who, policy.EventsWrite); err != nil {
		return nil, err
	}
	return e.remove(ctx, "", id)
}

func (e *Events) remove(ctx context.Context, owner, id string) (before *Channel, err error) {
	err = e.d.Work.Do(ctx, func(ctx context.Context) (err error) {
		if before, err = e.get(ctx, owner, id); err != nil {
			return err
		}
		if _, err := e.d.Channels.Delete(ctx, id); err != nil {
			return err
		}
		return e.publish(ctx)
	})
	if err != nil {
		return nil, known(err)
	}
	e.changed(ctx)
	return before, nil
}

// Try sends a test message to a channel at once, whatever waits. Asks
// admin.events.write. Returns NotFound.
func (e *Events) Try(ctx context.Context, who policy.Principal, id string) (Outcome, error) {
	if err := e.may(ctx, who, policy.EventsWrite); err != nil {
		return Outcome{}, err
	}
	return e.try(ctx, "", id)
}

func (e *Events) try(ctx context.Context, owner, id string) (Outcome, error) {
	c, err := e.get(ctx, owner, id)
	if err != nil {
		return Outcome{}, err
	}
	to, err := e.target(ctx, c)
	if err != nil {
		return Outcome{}, err
	}
	now := e.d.Clock.Now()
	data, err := json.Marshal(map[string]string{"channel": c.Name})
	if err != nil {
		return Outcome{}, err
	}
	return e.d.Sender.Send(ctx, to, Message{ID: e.d.Random.ID(), Kind: event.Test, Subject: "channel:" + c.ID, At: now, Sent: now, Times: 1, Data: data}), nil
}

// target opens the secrets of a channel that still sign.
func (e *Events) target(ctx context.Context, c *Channel) (to Target, err error) {
	to = Target{Type: c.Type, Address: c.Address, Options: c.Options}
	if c.Type == Push {
		if to.SiteKey, err = e.d.pushKey(ctx); err != nil {
			return to, err
		}
	}
	for _, s := range c.Secrets {
		if !s.Until.IsZero() && !e.d.Clock.Now().Before(s.Until) {
			continue
		}
		plain, err := e.d.Sealer.Open(s.Sealed, place(c.ID))
		if err != nil {
			return Target{}, ports.Wrap("open the secret of a channel", err)
		}
		to.Secrets = append(to.Secrets, plain)
	}
	return to, nil
}

// ListDeliveries returns a page of what went to channels or is on its way. Asks
// admin.events.read.
func (e *Events) ListDeliveries(ctx context.Context, who policy.Principal, f DeliveryFilter) (ports.Page[Delivery], error) {
	if err := e.may(ctx, who, policy.EventsRead); err != nil {
		return ports.Page[Delivery]{}, err
	}
	if _, err := e.get(ctx, "", f.ChannelID); err != nil {
		return ports.Page[Delivery]{}, err
	}
	page, err := e.d.Deliveries.List(ctx, f)
	return page, ports.Wrap("list deliveries", err)
}

// Resend has a delivery of a channel that was given up tried again, all of them
// when id is empty, and returns how many there were. They come behind what has
// arrived meanwhile. Asks admin.events.write. Returns NotFound when there is none of
// that id.
func (e *Events) Resend(ctx context.Context, who policy.Principal, channelID, id string) (int, error) {
	if err := e.may(ctx, who, policy.EventsWrite); err != nil {
		return 0, err
	}
	if _, err := e.get(ctx, "", channelID); err != nil {
		return 0, err
	}
	n, err := e.d.Deliveries.Again(ctx, channelID, id, e.d.Clock.Now())
	if err == nil && n == 0 && id != "" {
		err = errUnknownDelivery
	}
	e.wake()
	return n, ports.Wrap("try deliveries again", err)
}

// Reseal seals the secrets of channels, and the key for push services, anew where outdated says that an older
// master key has sealed them, and returns of how many channels. It may be repeated.
// It asks no policy: it is for the operator's command line, while no server runs.
func Reseal(ctx context.Context, channels Repository, notes Notes, sealer ports.Sealer, outdated func(sealed []byte) bool) (int, error) {
	if err := resealPushKey(ctx, notes, sealer, outdated); err != nil {
		return 0, ports.Wrap("seal the key for push services anew", err)
	}
	page, err := channels.List(ctx, Filter{Anybody: true, Paging: ports.Paging{Limit: MaxChannels + maxOwnOfAll}})
	if err != nil {
		return 0, ports.Wrap("list channels", err)
	}
	done := 0
	for _, c := range page.Items {
		if !slices.ContainsFunc(c.Secrets, func(s Secret) bool { return outdated(s.Sealed) }) {
			continue
		}
		_, err := channels.Update(ctx, c.ID, func(c *Channel) error {
			for i, s := range c.Secrets {
				plain, err := sealer.Open(s.Sealed, place(c.ID))
				if err != nil {
					return err
				}
				if c.Secrets[i].Sealed, err = sealer.Seal(plain, place(c.ID)); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return done, ports.Wrap("seal the secret of a channel anew", err)
		}
		done++
	}
	return done, nil
}

func resealPushKey(ctx context.Context, notes Notes, sealer ports.Sealer, outdated func(sealed []byte) bool) error {
	sealed, err := notes.Get(ctx, pushKeyName)
	if ports.Is(err, ports.NotFound) || err == nil && !outdated(sealed) {
		return nil
	}
	if err != nil {
		return err
	}
	plain, err := sealer.Open(sealed, pushKeyName)
	if err != nil {
		return err
	}
	if sealed, err = sealer.Seal(plain, pushKeyName); err != nil {
		return err
	}
	return notes.Put(ctx, pushKeyName, sealed)
}
