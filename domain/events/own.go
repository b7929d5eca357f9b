package events

import (
	"context"
	"slices"
	"strings"

	"pasteport/ports"
	"pasteport/ports/event"
	"pasteport/ports/policy"
)

// Bounds of what accounts have of their own.
const (
	MaxOwn      = 5   // channels of an account
	maxOwnOfAll = 900 // channels of all accounts
	maxWatched  = 1000
)

// Watches are the shares of whose openings accounts want to be told.
type Watches interface {
	// Watch notes that an account watches a share, Forget that it does not any more.
	Watch(ctx context.Context, share, owner string) error
	Forget(ctx context.Context, share, owner string) error
	Watched(ctx context.Context, share, owner string) (bool, error)
	// Count counts what an account watches. Nobody else counts the same until the unit
	// of work of ctx ends.
	Count(ctx context.Context, owner string) (int, error)
	// All has who watches a share, by its subject.
	All(ctx context.Context) (map[string][]string, error)
	// Clear forgets all that an account watches.
	Clear(ctx context.Context, owner string) error
	// Sweep forgets watches of shares that are no more, at most limit.
	Sweep(ctx context.Context, limit int) (int, error)
}

// Shares know whose a share is.
type Shares interface {
	// OwnerOf returns the created_by of a text, a file or a collection; NotFound
	// where there is none.
	OwnerOf(ctx context.Context, id string) (string, error)
}

// listeners are those who want to hear, as they are kept in memory.
type listeners struct {
	site    []string            // kinds that some channel of the site wants
	own     map[string][]string // kinds by account
	watched map[string][]string // accounts by the subject of a share
}

func newListeners(channels []Channel, watched map[string][]string) *listeners {
	l := &listeners{own: map[string][]string{}, watched: watched}
	for _, c := range channels {
		if c.Owner == "" {
			l.site = append(l.site, c.Kinds...)
		} else {
			l.own[c.Owner] = append(l.own[c.Owner], c.Kinds...)
		}
	}
	slices.Sort(l.site)
	l.site = slices.Compact(l.site)
	return l
}

// want reports whether some channel wants an event.
func (l *listeners) want(kind event.Kind, subject, owner string) bool {
	if wants(l.site, kind) {
		return true
	}
	if kind.OfShare() {
		return slices.ContainsFunc(l.watched[subject], func(account string) bool { return wants(l.own[account], kind) })
	}
	return owner != "" && wants(l.own[owner], kind)
}

// wants reports whether a channel is to hear of an event: those of the site of every
// one of its kinds, those of an account of what is its own, and of the shares that it
// watches.
func (l *listeners) wants(c *Channel, kind event.Kind, subject, owner string) bool {
	switch {
	case !c.Active || !wants(c.Kinds, kind):
		return false
	case c.Owner == "":
		return true
	case kind.OfShare():
		return l != nil && slices.Contains(l.watched[subject], c.Owner)
	}
	return c.Owner == owner
}

// room reports whether an account may have one more channel, which is stored in the
// unit of work of ctx.
func (e *Events) room(ctx context.Context, owner string) error {
	own, all, err := e.d.Channels.Count(ctx, owner)
	switch {
	case err != nil:
		return err
	case owner != "" && (own >= MaxOwn || all >= maxOwnOfAll):
		return errTooManyOwn
	case owner == "" && own >= MaxChannels:
		return errTooMany
	}
	return nil
}

var (
	errTooManyOwn     = &ports.Error{Code: ports.Conflict, Key: "already_exists", Text: "channel.too_many_own"}
	errTooManyWatched = &ports.Error{Code: ports.Conflict, Key: "already_exists", Text: "channel.too_many_watched"}
	errNoShare        = &ports.Error{Code: ports.NotFound, Key: "not_found", Text: "channel.no_share"}
)

// Own are the channels of the account that asks, and the shares that it watches.
type Own struct{ e *Events }

// Own returns the part of the events that accounts have for themselves.
func (e *Events) Own() Own { return Own{e} }

// Create makes a channel of one's own. Asks notification.write. Returns the errors of
// Events.Create.
func (o Own) Create(ctx context.Context, who policy.Principal, in Draft) (Issued, error) {
	if err := o.e.may(ctx, who, policy.NotificationsWrite); err != nil {
		return Issued{}, err
	}
	return o.e.create(ctx, who.Owner(), in)
}

// List returns one's own channels by name. Asks notification.read.
func (o Own) List(ctx context.Context, who policy.Principal) ([]Channel, error) {
	if err := o.e.may(ctx, who, policy.NotificationsRead); err != nil {
		return nil, err
	}
	page, err := o.e.d.Channels.List(ctx, Filter{Owner: who.Owner(), Paging: ports.Paging{Limit: MaxOwn}})
	return page.Items, ports.Wrap("list channels", err)
}

// Update changes a channel of one's own. Asks notification.write. Returns the errors
// of Events.Update; the channels of others are unknown.
func (o Own) Update(ctx context.Context, who policy.Principal, id string, in Change) (ports.Change[Channel], error) {
	if err := o.e.may(ctx, who, policy.NotificationsWrite); err != nil {
		return ports.Change[Channel]{}, err
	}
	return o.e.update(ctx, who.Owner(), id, in)
}

// Delete removes a channel of one's own. Asks notification.write. Returns NotFound.
func (o Own) Delete(ctx context.Context, who policy.Principal, id string) (*Channel, error) {
	if err := o.e.may(ctx, who, policy.NotificationsWrite); err != nil {
		return nil, err
	}
	return o.e.remove(ctx, who.Owner(), id)
}

// Try sends a test message to a channel of one's own. Asks notification.write.
// Returns NotFound.
func (o Own) Try(ctx context.Context, who policy.Principal, id string) (Outcome, error) {
	if err := o.e.may(ctx, who, policy.NotificationsWrite); err != nil {
		return Outcome{}, err
	}
	return o.e.try(ctx, who.Owner(), id)
}

// Told reports whether one is told when a share is opened. Asks notification.read.
// Returns NotFound for a share that is not one's own.
func (o Own) Told(ctx context.Context, who policy.Principal, share string) (bool, error) {
	if err := o.e.may(ctx, who, policy.NotificationsRead); err != nil {
		return false, err
	}
	if err := o.mine(ctx, who, share); err != nil {
		return false, err
	}
	told, err := o.e.d.Watches.Watched(ctx, share, who.Owner())
	return told, ports.Wrap("read whether a share is watched", err)
}

// Tell says whether one is to be told when a share is opened. Asks
// notification.write. Returns NotFound for a share that is not one's own, Conflict
// for too many.
func (o Own) Tell(ctx context.Context, who policy.Principal, share string, tell bool) error {
	if err := o.e.may(ctx, who, policy.NotificationsWrite); err != nil {
		return err
	}
	if err := o.mine(ctx, who, share); err != nil {
		return err
	}
	err := o.e.d.Work.Do(ctx, func(ctx context.Context) error {
		if !tell {
			if err := o.e.d.Watches.Forget(ctx, share, who.Owner()); err != nil {
				return err
			}
			return o.e.publish(ctx)
		}
		have, err := o.e.d.Watches.Count(ctx, who.Owner())
		if err != nil {
			return err
		}
		if have >= maxWatched {
			return errTooManyWatched
		}
		if err := o.e.d.Watches.Watch(ctx, share, who.Owner()); err != nil {
			return err
		}
		return o.e.publish(ctx)
	})
	if err != nil {
		return ports.Wrap("watch a share", err)
	}
	o.e.changed(ctx)
	return nil
}

// mine returns NotFound for a share that somebody else has made: one does not learn
// which there are.
func (o Own) mine(ctx context.Context, who policy.Principal, share string) error {
	owner, err := o.e.d.Shares.OwnerOf(ctx, share)
	switch {
	case ports.Is(err, ports.NotFound), err == nil && !who.Owns(owner):
		return errNoShare.With(err)
	}
	return ports.Wrap("read whose a share is", err)
}

// Left removes what an account has of its own, when it is no more. It asks no policy:
// whoever removes the account was asked.
func (o Own) Left(ctx context.Context, owner string) error {
	if owner == "" {
		return nil
	}
	err := o.e.d.Work.Do(ctx, func(ctx context.Context) error {
		page, err := o.e.d.Channels.List(ctx, Filter{Owner: owner, Paging: ports.Paging{Limit: MaxOwn}})
		if err != nil {
			return err
		}
		for _, c := range page.Items {
			if _, err := o.e.d.Channels.Delete(ctx, c.ID); err != nil {
				return err
			}
		}
		if err := o.e.d.Watches.Clear(ctx, owner); err != nil {
			return err
		}
		return o.e.publish(ctx)
	})
	if err != nil {
		return ports.Wrap("remove the notifications of an account", err)
	}
	o.e.changed(ctx)
	return nil
}

// away reports whether the account of a channel is a key that is switched off, has
// expired or is no more, and so is told nothing.
func (d *Deps) away(ctx context.Context, owner string) bool {
	id, isKey := strings.CutPrefix(owner, "apikey:")
	if !isKey || d.Account == nil {
		return false
	}
	// Where that cannot be read, nobody is left out.
	_, err := d.Account(ctx, policy.Principal{Kind: policy.APIKey, ID: id})
	return ports.Is(err, ports.NotFound)
}
