package adminapi

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"

	"pasteport/adapters/httpapi"
	"pasteport/adapters/httpapi/wire"
	"pasteport/domain/events"
	"pasteport/ports/policy"
)

// eventOps are the calls about those who are told of events.
func eventOps(a *httpapi.API, e *events.Events) {
	read, write := []policy.Action{policy.EventsRead}, []policy.Action{policy.EventsWrite}
	secrets := []string{"secret"}
	c := channelCalls{e}
	httpapi.Handle(a, httpapi.Op{Name: "channel.list", Method: http.MethodGet, Path: "/api/admin/channels", Actions: read,
		Summary: "Lists the notification channels by name, with how many deliveries each has. Their secrets are in no answer but that which makes them."}, c.list)
	httpapi.Handle(a, httpapi.Op{Name: "channel.get", Method: http.MethodGet, Path: "/api/admin/channels/{id}", Actions: read, Errors: []string{"not_found"},
		Summary: "Reads one notification channel."}, c.get)
	httpapi.Handle(a, httpapi.Op{Name: "channel.create", Method: http.MethodPost, Path: "/api/admin/channels", Actions: write, Body: httpapi.JSON, Answer: httpapi.Created,
		Idem: httpapi.Afterwards, Secrets: secrets, Errors: []string{"already_exists"},
		Summary: "Makes a notification channel. The secret that signs the messages of a webhook is in this answer and nowhere else."}, c.create)
	httpapi.Handle(a, httpapi.Op{Name: "channel.update", Method: http.MethodPut, Path: "/api/admin/channels/{id}", Actions: write, Body: httpapi.JSON,
		Idem: httpapi.Afterwards, Secrets: secrets, Errors: []string{"not_found", "precondition_failed"},
		Summary: "Changes the named fields of a notification channel. With If-Match only when it still has that entity tag."}, c.update)
	httpapi.Handle(a, httpapi.Op{Name: "channel.rotate", Method: http.MethodPost, Path: "/api/admin/channels/{id}/rotate", Actions: write, Body: httpapi.JSON,
		Idem: httpapi.Afterwards, Secrets: secrets, Errors: []string{"not_found"},
		Summary: "Gives a webhook a new secret; for a day messages carry the signatures of both."}, c.rotate)
	httpapi.Handle(a, httpapi.Op{Name: "channel.delete", Method: http.MethodDelete, Path: "/api/admin/channels/{id}", Actions: write, Errors: []string{"not_found"},
		Summary: "Deletes a notification channel with what was on its way to it."}, c.delete)
	httpapi.Handle(a, httpapi.Op{Name: "channel.test", Method: http.MethodPost, Path: "/api/admin/channels/{id}/test", Actions: write, Class: httpapi.Heavy, Errors: []string{"not_found"},
		Summary: "Sends a message of the kind channel.test to a notification channel at once, and tells what became of it."}, c.test)
	httpapi.Handle(a, httpapi.Op{Name: "channel.deliveries", Method: http.MethodGet, Path: "/api/admin/channels/{id}/deliveries", Actions: read,
		Summary: "Lists what went to a notification channel, is on its way or was given up, newest first."}, c.deliveries)
	httpapi.Handle(a, httpapi.Op{Name: "channel.resend", Method: http.MethodPost, Path: "/api/admin/channels/{id}/resend", Actions: write, Body: httpapi.JSON, Errors: []string{"not_found"},
		Summary: "Has deliveries that were given up tried again: the named one, else all of this channel."}, c.resend)
}

type channelCalls struct{ events *events.Events }

// channelJSON is a notification channel.
type channelJSON struct {
	ID        string       `json:"id"`
	Name      string       `json:"name"`
	Type      string       `json:"type" doc:"webhook, mail, ntfy, gotify or push"`
	Address   string       `json:"address"`
	Language  string       `json:"language,omitempty" doc:"of messages for people: en or zh; en when it is missing"`
	From      string       `json:"from,omitempty" doc:"address that mail comes from"`
	To        []string     `json:"to,omitempty" doc:"addresses that mail goes to"`
	User      string       `json:"user,omitempty" doc:"name at the mail server; missing means that it is used without signing in"`
	Digest    string       `json:"digest,omitempty" doc:"hourly (on the hour), daily (8:00 UTC) or weekly (Monday, 8:00 UTC): what happened since is told in one message; missing: each event at once"`
	HasSecret bool         `json:"has_secret,omitempty" doc:"whether a password or token is kept"`
	Kinds     []string     `json:"kinds" doc:"kinds of events, and whole nouns such as audit.key.*"`
	Active    bool         `json:"active"`
	Stopped   string       `json:"stopped" doc:"why the server switched it off itself: gone; empty when it did not"`
	Failures  int          `json:"failures" doc:"deliveries in a row that found nobody"`
	RetryAt   wire.Instant `json:"retry_at" doc:"when it is tried again; null for at once"`
	Waiting   int          `json:"waiting" doc:"deliveries on their way"`
	Delivered int          `json:"delivered" doc:"within the last 7 days"`
	Dead      int          `json:"dead" doc:"deliveries that were given up within the last 30 days"`
	CreatedAt wire.Instant `json:"created_at"`
	UpdatedAt wire.Instant `json:"updated_at"`
	ETag      string       `json:"etag" doc:"for If-Match"`
}

// secretChannelJSON is a channel with its secret.
type secretChannelJSON struct {
	channelJSON
	Secret string `json:"secret" doc:"of a webhook: whsec_ and the key in base64, as Standard Webhooks writes it; of others empty"`
}

func channelOf(c *events.Channel, counts map[events.Status]int) channelJSON {
	out := channelJSON{ID: c.ID, Name: c.Name, Type: string(c.Type), Address: c.Address, Language: c.Options.Language, From: c.Options.From, To: c.Options.To, User: c.Options.User, Digest: string(c.Options.Digest),
		HasSecret: c.Type != events.Webhook && len(c.Secrets) > 0, Kinds: c.Kinds, Active: c.Active, Stopped: c.Stopped, Failures: c.Failures,
		Waiting: counts[events.Waiting], Delivered: counts[events.Delivered], Dead: counts[events.Dead],
		CreatedAt: wire.Instant(c.CreatedAt), UpdatedAt: wire.Instant(c.UpdatedAt), ETag: c.Tag()}
	if !c.RetryAt.IsZero() {
		out.RetryAt = wire.Instant(c.RetryAt)
	}
	return out
}

type channelList struct {
	Channels   []channelJSON   `json:"channels"`
	Pagination wire.Pagination `json:"pagination"`
}

func (c channelCalls) list(ctx context.Context, who policy.Principal, in wire.PageRequest) (channelList, error) {
	f := events.Filter{Paging: in.Paging(events.MaxChannels), Search: strings.TrimSpace(in.Search)}
	if f.Limit == 0 {
		f.Limit = events.MaxChannels
	}
	page, err := c.events.List(ctx, who, f)
	if err != nil {
		return channelList{}, err
	}
	counts, err := c.events.Counts(ctx, who)
	out := channelList{Channels: make([]channelJSON, len(page.Items)), Pagination: wire.PaginationOf(f.Paging, page.Total, false)}
	for i := range page.Items {
		out.Channels[i] = channelOf(&page.Items[i], counts[page.Items[i].ID])
	}
	return out, err
}

func (c channelCalls) get(ctx context.Context, who policy.Principal, in wire.IDRequest) (channelJSON, error) {
	channel, err := c.events.Get(ctx, who, in.ID)
	if err != nil {
		return channelJSON{}, err
	}
	counts, err := c.events.Counts(ctx, who)
	return channelOf(channel, counts[channel.ID]), err
}

type createChannel struct {
	Name     string              `json:"name"`
	Type     wire.Opt[string]    `json:"type" doc:"webhook, mail, ntfy, gotify or push; webhook without it"`
	Address  string              `json:"address" doc:"absolute URL: of a webhook, of an ntfy topic, of a Gotify server; of a mail server smtp://host:587 (STARTTLS) or smtps://host:465; of a browser the endpoint of its subscription"`
	Language wire.Opt[string]    `json:"language" doc:"of messages for people: en or zh"`
	From     wire.Opt[string]    `json:"from" doc:"address that mail comes from"`
	To       wire.Opt[[]string]  `json:"to" doc:"addresses that mail goes to, at most 10"`
	User     wire.Opt[string]    `json:"user" doc:"name at the mail server"`
	Digest   wire.Opt[string]    `json:"digest" doc:"hourly, daily or weekly: one message for what happened since; empty or missing: each event at once"`
	Secret   wire.Opt[string]    `json:"secret" doc:"password of the mail server, access token of ntfy or Gotify; of a browser p256dh and auth of its subscription with a dot between them; kept sealed and in no answer"`
	Kinds    []string            `json:"kinds"`
	Active   wire.Opt[wire.Flag] `json:"active" doc:"true without it"`
}

func (c channelCalls) create(ctx context.Context, who policy.Principal, in createChannel) (secretChannelJSON, error) {
	made, err := c.events.Create(ctx, who, in.draft())
	if err != nil {
		return secretChannelJSON{}, err
	}
	return secretChannelJSON{channelOf(&made.Channel, nil), made.Secret}, nil
}

func (in createChannel) draft() events.Draft {
	draft := events.Draft{Name: in.Name, Type: events.Webhook, Address: in.Address, Kinds: in.Kinds, Active: !in.Active.Set || bool(in.Active.Value), Secret: in.Secret.Value,
		Options: events.Options{Language: in.Language.Value, From: in.From.Value, To: in.To.Value, User: in.User.Value, Digest: events.Period(in.Digest.Value)}}
	if in.Type.Set {
		draft.Type = events.Type(in.Type.Value)
	}
	return draft
}

type updateChannel struct {
	ID       string              `path:"id"`
	Name     wire.Opt[string]    `json:"name"`
	Address  wire.Opt[string]    `json:"address"`
	Language wire.Opt[string]    `json:"language"`
	From     wire.Opt[string]    `json:"from"`
	To       wire.Opt[[]string]  `json:"to"`
	User     wire.Opt[string]    `json:"user"`
	Digest   wire.Opt[string]    `json:"digest" doc:"empty: each event at once. With another period, what was gathered by now comes when that one ends, else at once"`
	Secret   wire.Opt[string]    `json:"secret" doc:"a new password or token, empty for none; with a new address it has to be given again"`
	Kinds    wire.Opt[[]string]  `json:"kinds"`
	Active   wire.Opt[wire.Flag] `json:"active"`
}

func (in updateChannel) change(ctx context.Context) events.Change {
	return events.Change{Name: wire.Optional(in.Name), Address: wire.Optional(in.Address), Language: wire.Optional(in.Language),
		From: wire.Optional(in.From), To: wire.Optional(in.To), User: wire.Optional(in.User), Secret: wire.Optional(in.Secret), Kinds: wire.Optional(in.Kinds),
		Digest: (*events.Period)(wire.Optional(in.Digest)), Active: wire.AsPlain[bool](wire.Optional(in.Active)), IfMatch: httpapi.ScopeOf(ctx).IfMatch()}
}

func (c channelCalls) update(ctx context.Context, who policy.Principal, in updateChannel) (channelJSON, error) {
	done, err := c.events.Update(ctx, who, in.ID, in.change(ctx))
	if err != nil {
		return channelJSON{}, err
	}
	httpapi.ScopeOf(ctx).NoteBefore(in, channelOf(&done.Before, nil))
	counts, err := c.events.Counts(ctx, who)
	return channelOf(&done.After, counts[in.ID]), err
}

func (c channelCalls) rotate(ctx context.Context, who policy.Principal, in wire.IDRequest) (secretChannelJSON, error) {
	made, err := c.events.Rotate(ctx, who, in.ID)
	if err != nil {
		return secretChannelJSON{}, err
	}
	httpapi.ScopeOf(ctx).Note("name", made.Name)
	counts, err := c.events.Counts(ctx, who)
	return secretChannelJSON{channelOf(&made.Channel, counts[in.ID]), made.Secret}, err
}

func (c channelCalls) delete(ctx context.Context, who policy.Principal, in wire.IDRequest) (httpapi.None, error) {
	before, err := c.events.Delete(ctx, who, in.ID)
	if err == nil {
		httpapi.ScopeOf(ctx).NoteBefore(nil, channelOf(before, nil))
	}
	return httpapi.None{}, err
}

// attemptJSON is what became of a message.
type attemptJSON struct {
	Arrived bool   `json:"arrived"`
	Status  int    `json:"status" doc:"of HTTP or SMTP; 0 without an answer"`
	Problem string `json:"problem" doc:"unreachable, timeout, address_refused, redirected, gone, status, unsendable, insecure, sign_in, recipient or mail_refused; empty when it has arrived"`
	Detail  string `json:"detail,omitempty" doc:"what the mail server said of it"`
}

func attemptOf(out events.Outcome, err error) (attemptJSON, error) {
	return attemptJSON{err == nil && out.Problem == "", out.Status, out.Problem, out.Detail}, err
}

func (c channelCalls) test(ctx context.Context, who policy.Principal, in wire.IDRequest) (attemptJSON, error) {
	out, err := c.events.Try(ctx, who, in.ID)
	return attemptOf(out, err)
}

type deliveriesRequest struct {
	ID string `path:"id"`
	wire.PageRequest
	Status string `query:"status" doc:"held, waiting, delivered or dead"`
}

type deliveryJSON struct {
	ID        string          `json:"id"`
	EventID   string          `json:"event_id" doc:"what the receiver sees as webhook-id"`
	Kind      string          `json:"kind"`
	Subject   string          `json:"subject"`
	At        wire.Instant    `json:"at" doc:"when it happened"`
	Data      json.RawMessage `json:"data"`
	Status    string          `json:"status" doc:"held (a digest that is not sent yet), waiting, delivered or dead"`
	Times     int             `json:"times,omitempty" doc:"how often it happened, where several are told in one message"`
	Attempts  int             `json:"attempts"`
	NextAt    wire.Instant    `json:"next_at" doc:"of the next attempt, of one that is held or waits; else null"`
	Answer    int             `json:"answer" doc:"status of HTTP or SMTP of the last attempt; 0 without an answer"`
	Problem   string          `json:"problem" doc:"of the last attempt; empty for none"`
	UpdatedAt wire.Instant    `json:"updated_at"`
}

type deliveryList struct {
	Deliveries []deliveryJSON  `json:"deliveries"`
	Pagination wire.Pagination `json:"pagination"`
}

func (c channelCalls) deliveries(ctx context.Context, who policy.Principal, in deliveriesRequest) (deliveryList, error) {
	const normal = 50
	f := events.DeliveryFilter{Paging: in.Paging(normal), ChannelID: in.ID, Status: events.Status(in.Status)}
	if f.Limit == 0 {
		f.Limit = normal
	}
	page, err := c.events.ListDeliveries(ctx, who, f)
	if err != nil {
		return deliveryList{}, err
	}
	out := deliveryList{Deliveries: make([]deliveryJSON, len(page.Items)), Pagination: wire.PaginationOf(f.Paging, page.Total, false)}
	for i := range page.Items {
		d := &page.Items[i]
		out.Deliveries[i] = deliveryJSON{ID: d.ID, EventID: d.Event.ID, Kind: string(d.Event.Kind), Subject: d.Event.Subject, At: wire.Instant(d.Event.At), Data: d.Event.Data,
			Status: string(d.Status), Attempts: d.Attempts, Answer: d.Answer, Problem: d.Problem, UpdatedAt: wire.Instant(d.UpdatedAt)}
		if d.Times > 1 {
			out.Deliveries[i].Times = d.Times
		}
		if d.Status == events.Waiting || d.Status == events.Held {
			out.Deliveries[i].NextAt = wire.Instant(d.NextAt)
		}
	}
	return out, nil
}

type resendRequest struct {
	ID       string `path:"id"`
	Delivery string `json:"delivery" doc:"id of one; empty: all that were given up"`
}

type resentJSON struct {
	Count int `json:"count"`
}

func (c channelCalls) resend(ctx context.Context, who policy.Principal, in resendRequest) (resentJSON, error) {
	n, err := c.events.Resend(ctx, who, in.ID, in.Delivery)
	httpapi.ScopeOf(ctx).Note("count", n)
	return resentJSON{n}, err
}
