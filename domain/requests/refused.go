package requests

import (
	"context"
	"errors"
	"time"

	"pasteport/ports"
	"pasteport/ports/event"
)

// toldAgain is how long the owner of a request hears nothing more of uploads that are
// refused for the same reason.
const toldAgain = time.Hour

// Refusals are marks of what owners were told of uploads that were refused.
type Refusals interface {
	// Mark notes in the unit of work of ctx that a refusal is told now; false when one
	// with this reason was told less than so long ago, or ahead: a clock that went back
	// for longer silences nobody.
	Mark(ctx context.Context, requestID, reason string, now time.Time, again time.Duration) (fresh bool, err error)
	// Told reports whether Mark would say false.
	Told(ctx context.Context, requestID, reason string, now time.Time, again time.Duration) (bool, error)
	// Sweep forgets marks from before a time.
	Sweep(ctx context.Context, before time.Time) error
}

// refusal is what an event says of an upload that was refused.
type refusal struct {
	Request string `json:"request_id"`
	Title   string `json:"title"`
	Reason  string `json:"reason"`
	Name    string `json:"name"`
	Size    int64  `json:"size"`
	Sender  string `json:"sender"`
}

// reasonOf names the rule for which an upload was refused; empty when it was none that
// the owner could do something about.
func reasonOf(err error) string {
	var e *ports.Error
	switch {
	case !errors.As(err, &e):
		return ""
	case errors.Is(err, errType):
		return "type"
	case errors.Is(err, errFull):
		return "full"
	case errors.Is(err, errExpired):
		return "deadline"
	case errors.Is(err, errRefused):
		return "policy"
	case errors.Is(err, errClosed), errors.Is(err, ErrFileUnknown), errors.Is(err, errVisit):
		return ""
	}
	switch e.Code {
	case ports.TooLarge:
		return "size"
	case ports.Quota:
		return "capacity"
	case ports.Forbidden, ports.NotFound:
		return "place"
	}
	return ""
}

// saidBy is the sender of a file as the owner may hear of it: empty where the request
// does not ask for one, or what was said is none. A file may be refused before anybody
// has looked at that.
func (r *Request) saidBy(in NewFile) string {
	if r.Name == No || r.checkSender(in.Sender, in.Note) != nil {
		return ""
	}
	return in.Sender
}

// tellRefused tells the owner that an upload was refused by a rule, once an hour for
// each request and reason: a stranger who is refused again and again makes neither
// messages nor rows. What goes wrong with it is reported; the sender's answer does not
// depend on it.
func (s *Senders) tellRefused(ctx context.Context, v *visitor, in NewFile, refused error) {
	reason := reasonOf(refused)
	if reason == "" || s.d.Outbox == nil || s.d.Refusals == nil {
		return
	}
	r := v.request
	e := event.Event{Kind: event.RequestRefused, Subject: "request:" + r.ID, Owner: r.CreatedBy, Data: refusal{r.ID, r.Title, reason, in.Name, in.Size, r.saidBy(in)}}
	if !s.d.Outbox.Wanted(e) {
		return
	}
	ctx = context.WithoutCancel(ctx)
	now := s.d.Clock.Now()
	told, err := s.d.Refusals.Told(ctx, r.ID, reason, now, toldAgain)
	if err == nil && !told {
		err = s.d.Work.Do(ctx, func(ctx context.Context) error {
			fresh, err := s.d.Refusals.Mark(ctx, r.ID, reason, now, toldAgain)
			if err != nil || !fresh {
				return err
			}
			return s.d.Outbox.Happened(ctx, e)
		})
	}
	s.d.report("tell of an upload that was refused", err)
}
