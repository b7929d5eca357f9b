// Package event is the vocabulary of events: what can happen on a site that
// somebody may want to hear of, and how the modules where it happens tell it. Who
// is told, how and how often is hidden behind it.
package event

import "context"

// Kind says what has happened, noun.verb. What the audit log notes is told as
// AuditPrefix and its action.
type Kind string

// The kinds.
const (
	RequestFulfilled Kind = "request.fulfilled"  // a file has come through a request
	RequestRefused   Kind = "request.refused"    // a file was refused by a rule of a request; once an hour for each reason
	ShareOpened      Kind = "share.opened"       // a view of a text, a file or a collection was taken
	ShareUsedUp      Kind = "share.used_up"      // that was the last one
	ShareExpires     Kind = "share.expires_soon" // it ends within the lead that the site has set
	BackupFailed     Kind = "backup.failed"
	StorageDown      Kind = "storage.down"      // a storage fails, as a node sees it
	StorageUp        Kind = "storage.up"        // it works again
	NewPlace         Kind = "account.new_place" // the administrator has signed in from a network that was not seen before
	Test             Kind = "channel.test"      // somebody tries a channel; it goes to that one alone
	Digest           Kind = "channel.digest"    // what a channel hears of all that happened in a while; it goes to that one alone

	AuditPrefix = "audit."
)

// Kinds are those that can be chosen by name, besides those of the audit log.
var Kinds = []Kind{ShareOpened, ShareUsedUp, ShareExpires, RequestFulfilled, RequestRefused, BackupFailed, StorageDown, StorageUp, NewPlace}

// OwnKinds are those that accounts can choose for their own channels. Of openings they
// hear where they have asked for it, share by share; of all else what is their own.
var OwnKinds = []Kind{ShareOpened, ShareUsedUp, ShareExpires, RequestFulfilled, RequestRefused}

// OfShare reports whether a kind tells of a share that somebody has opened.
func (k Kind) OfShare() bool { return k == ShareOpened || k == ShareUsedUp }

// Event is something that has happened.
type Event struct {
	Kind Kind
	// Subject is what it happened to, such as "request:0199…". Events of one
	// subject are told in their order.
	Subject string
	// Owner is the account whose matter it is, as created_by; empty for the site's.
	// It is told on the account's own channels too.
	Owner string
	// Data is written as JSON for who is told. It holds no secrets.
	Data any
}

// Outbox takes events.
type Outbox interface {
	// Happened notes an event in the unit of work of ctx, so that it is told only
	// if that is committed, and then surely. Nothing is noted that nobody wants to
	// hear of. It asks no policy: whoever did it was asked already.
	Happened(ctx context.Context, e Event) error
	// Wanted reports whether somebody wants to hear of such an event, by its kind,
	// subject and owner. It answers from memory.
	Wanted(e Event) bool
}

// Tell notes an event where there is an outbox.
func Tell(ctx context.Context, to Outbox, e Event) error {
	if to == nil {
		return nil
	}
	return to.Happened(ctx, e)
}
