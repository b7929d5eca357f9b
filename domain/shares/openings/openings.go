// Package openings is the vocabulary of those who come to shares, whether they are let in or
// not, and tells of it: owners by events, the log of a share. It knows no share, nor what
// decides who is let in.
package openings

import (
	"context"
	"errors"
	"net/netip"
	"sync"

	"pasteport/ports"
	"pasteport/ports/event"
	"pasteport/ports/policy"
)

// openingsKept bounds the openings of unlimited shares that wait to be told. What
// is over it, within a second, is not told.
const openingsKept = 10_000

// Openings tells of shares that were opened and of those whose last view was taken.
// Openings of limited shares are told in the transaction that takes the view; those
// of others with the next Flush, as their views are counted. A nil Openings tells
// nobody. It is safe for concurrent use.
type Openings struct {
	outbox event.Outbox
	log    Log
	work   ports.UnitOfWork

	mu      sync.Mutex
	waiting []event.Event
}

// New returns openings that are told to outbox and kept in log; nil keeps
// nothing.
func New(outbox event.Outbox, log Log, work ports.UnitOfWork) *Openings {
	return &Openings{outbox: outbox, log: log, work: work}
}

// Opening is a view of a share.
type Opening struct {
	Kind  string // policy.KindPaste, KindFile or KindCollection
	ID    string
	Name  string // of the file or the collection, remark of the text; may be empty
	Owner string // created_by
	Max   int64  // views that it may have; 0 means any number
}

// told is what an event says of an opening: no link, which would open the share,
// and of the visitor no more than the network.
type told struct {
	Kind    string `json:"kind"`
	ID      string `json:"id"`
	Name    string `json:"name"`
	Owner   string `json:"created_by"`
	Views   int64  `json:"views"` // with this one, as far as this node knows
	Max     int64  `json:"max_views"`
	Network string `json:"network"`
}

func (o Opening) subject() string { return "share:" + o.ID }

func (o Opening) event(ctx context.Context, kind event.Kind, views int64) event.Event {
	return event.Event{Kind: kind, Subject: o.subject(), Data: told{o.Kind, o.ID, o.Name, o.Owner, views, o.Max, NetworkOf(policy.ClientOf(ctx))}}
}

// NetworkOf is the part of an address that names no household: of IPv4 the first 24
// bits, of IPv6 the first 48.
func NetworkOf(address string) string {
	if network := PrefixOf(address); network.IsValid() {
		return network.String()
	}
	return ""
}

// PrefixOf is NetworkOf as a value; the zero value for what is no address.
func PrefixOf(address string) netip.Prefix {
	ip, err := netip.ParseAddr(address)
	if err != nil {
		return netip.Prefix{}
	}
	ip = ip.Unmap().WithZone("")
	bits := 48
	if ip.Is4() {
		bits = 24
	}
	return netip.PrefixFrom(ip, bits).Masked()
}

// Saw notes a view of an unlimited share. It never waits.
func (o *Openings) Saw(ctx context.Context, by By, what Opening, views int64) {
	if o.logs() {
		o.log.Note(ctx, Attempt{By: by, Share: what, Verdict: WasOpened, View: true})
	}
	if o == nil {
		return
	}
	e := event.Event{Kind: event.ShareOpened, Subject: what.subject()}
	if !o.outbox.Wanted(e) {
		return
	}
	e = what.event(ctx, event.ShareOpened, views)
	o.mu.Lock()
	defer o.mu.Unlock()
	if len(o.waiting) < openingsKept {
		o.waiting = append(o.waiting, e)
	}
}

// Take takes one of the views of a limited share by take, and notes it in the same
// transaction.
func (o *Openings) Take(ctx context.Context, by By, what Opening, take func(ctx context.Context) (views int64, err error)) (views int64, err error) {
	told := o != nil && (o.outbox.Wanted(event.Event{Kind: event.ShareOpened, Subject: what.subject()}) || o.outbox.Wanted(event.Event{Kind: event.ShareUsedUp, Subject: what.subject()}))
	if !told && !o.logs() {
		return take(ctx)
	}
	err = o.work.Do(ctx, func(ctx context.Context) error {
		if views, err = take(ctx); err != nil {
			return err
		}
		if o.logs() {
			if err := o.log.Keep(ctx, Attempt{By: by, Share: what, Verdict: WasOpened, View: true}); err != nil {
				return err
			}
		}
		if !told {
			return nil
		}
		if err := o.outbox.Happened(ctx, what.event(ctx, event.ShareOpened, views)); err != nil || views < what.Max {
			return err
		}
		return o.outbox.Happened(ctx, what.event(ctx, event.ShareUsedUp, views))
	})
	return views, err
}

// Flush stores what the log has noted, and tells what waits, in one transaction.
// After an error it waits for the next try.
func (o *Openings) Flush(ctx context.Context) error {
	if o.log == nil {
		return o.tell(ctx)
	}
	return errors.Join(o.log.Flush(ctx), o.tell(ctx))
}

func (o *Openings) tell(ctx context.Context) error {
	o.mu.Lock()
	waiting := o.waiting
	o.waiting = nil
	o.mu.Unlock()
	if len(waiting) == 0 {
		return nil
	}
	err := o.work.Do(ctx, func(ctx context.Context) error {
		for _, e := range waiting {
			if err := o.outbox.Happened(ctx, e); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		o.mu.Lock()
		o.waiting = append(waiting, o.waiting...)[:min(openingsKept, len(waiting)+len(o.waiting))]
		o.mu.Unlock()
	}
	return err
}
