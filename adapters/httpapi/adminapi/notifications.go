package adminapi

import (
	"context"
	"net/http"

	"pasteport/adapters/httpapi"
	"pasteport/adapters/httpapi/wire"
	"pasteport/domain/events"
	"pasteport/ports/policy"
)

// notificationOps are the calls by which accounts say how and of what they want to
// be told.
func notificationOps(a *httpapi.API, own events.Own) {
	read, write := []policy.Action{policy.NotificationsRead}, []policy.Action{policy.NotificationsWrite}
	secrets := []string{"secret"}
	c := notificationCalls{own}
	httpapi.Handle(a, httpapi.Op{Name: "notification.list", Method: http.MethodGet, Path: "/api/notifications/channels", Actions: read,
		Summary: "Lists one's own notification channels by name."}, c.list)
	httpapi.Handle(a, httpapi.Op{Name: "notification.create", Method: http.MethodPost, Path: "/api/notifications/channels", Actions: write, Body: httpapi.JSON, Answer: httpapi.Created,
		Idem: httpapi.Afterwards, Secrets: secrets, Rate: httpapi.ShareWrite, Errors: []string{"already_exists"},
		Summary: "Makes a notification channel of one's own. It hears of shares that one wants to be told of, and of files that come through one's requests."}, c.create)
	httpapi.Handle(a, httpapi.Op{Name: "notification.update", Method: http.MethodPut, Path: "/api/notifications/channels/{id}", Actions: write, Body: httpapi.JSON,
		Idem: httpapi.Afterwards, Secrets: secrets, Errors: []string{"not_found", "precondition_failed"},
		Summary: "Changes the named fields of a notification channel of one's own. With If-Match only when it still has that entity tag."}, c.update)
	httpapi.Handle(a, httpapi.Op{Name: "notification.delete", Method: http.MethodDelete, Path: "/api/notifications/channels/{id}", Actions: write, Errors: []string{"not_found"},
		Summary: "Deletes a notification channel of one's own with what was on its way to it."}, c.delete)
	httpapi.Handle(a, httpapi.Op{Name: "notification.test", Method: http.MethodPost, Path: "/api/notifications/channels/{id}/test", Actions: write, Class: httpapi.Heavy, Rate: httpapi.ShareWrite,
		Errors: []string{"not_found"}, Summary: "Sends a test to a notification channel of one's own at once, and tells what became of it."}, c.test)
	httpapi.Handle(a, httpapi.Op{Name: "notification.push_key", Method: http.MethodGet, Path: "/api/notifications/push-key", Actions: read,
		Summary: "Tells the public key with which a browser has to subscribe at its push service, so that this site can send it messages."}, c.pushKey)
	httpapi.Handle(a, httpapi.Op{Name: "notification.told", Method: http.MethodGet, Path: "/api/notifications/shares/{id}", Actions: read, Errors: []string{"not_found"},
		Summary: "Tells whether one is told when a share of one's own is opened, by the id of the text, file or collection."}, c.told)
	httpapi.Handle(a, httpapi.Op{Name: "notification.tell", Method: http.MethodPut, Path: "/api/notifications/shares/{id}", Actions: write, Body: httpapi.JSON,
		Errors: []string{"not_found", "already_exists"}, Summary: "Says whether one is told when a share of one's own is opened, on one's own channels."}, c.tell)
}

type notificationCalls struct{ own events.Own }

type notificationList struct {
	Channels []channelJSON `json:"channels"`
}

func (c notificationCalls) list(ctx context.Context, who policy.Principal, _ httpapi.None) (notificationList, error) {
	channels, err := c.own.List(ctx, who)
	out := notificationList{make([]channelJSON, len(channels))}
	for i := range channels {
		out.Channels[i] = channelOf(&channels[i], nil)
	}
	return out, err
}

func (c notificationCalls) create(ctx context.Context, who policy.Principal, in createChannel) (secretChannelJSON, error) {
	made, err := c.own.Create(ctx, who, in.draft())
	if err != nil {
		return secretChannelJSON{}, err
	}
	return secretChannelJSON{channelOf(&made.Channel, nil), made.Secret}, nil
}

func (c notificationCalls) update(ctx context.Context, who policy.Principal, in updateChannel) (channelJSON, error) {
	done, err := c.own.Update(ctx, who, in.ID, in.change(ctx))
	if err != nil {
		return channelJSON{}, err
	}
	httpapi.ScopeOf(ctx).NoteBefore(in, channelOf(&done.Before, nil))
	return channelOf(&done.After, nil), nil
}

func (c notificationCalls) delete(ctx context.Context, who policy.Principal, in wire.IDRequest) (httpapi.None, error) {
	before, err := c.own.Delete(ctx, who, in.ID)
	if err == nil {
		httpapi.ScopeOf(ctx).NoteBefore(nil, channelOf(before, nil))
	}
	return httpapi.None{}, err
}

func (c notificationCalls) test(ctx context.Context, who policy.Principal, in wire.IDRequest) (attemptJSON, error) {
	out, err := c.own.Try(ctx, who, in.ID)
	return attemptOf(out, err)
}

// pushKeyJSON is what a browser subscribes with.
type pushKeyJSON struct {
	PublicKey string `json:"public_key" doc:"a point of P-256, not compressed, in base64url"`
}

func (c notificationCalls) pushKey(ctx context.Context, who policy.Principal, _ httpapi.None) (pushKeyJSON, error) {
	key, err := c.own.PushKey(ctx, who)
	return pushKeyJSON{key}, err
}

// toldJSON says whether one is told of a share.
type toldJSON struct {
	Tell bool `json:"tell" doc:"whether one is told when the share is opened"`
}

func (c notificationCalls) told(ctx context.Context, who policy.Principal, in wire.IDRequest) (toldJSON, error) {
	tell, err := c.own.Told(ctx, who, in.ID)
	return toldJSON{tell}, err
}

type tellRequest struct {
	ID   string    `path:"id"`
	Tell wire.Flag `json:"tell"`
}

func (c notificationCalls) tell(ctx context.Context, who policy.Principal, in tellRequest) (toldJSON, error) {
	return toldJSON{bool(in.Tell)}, c.own.Tell(ctx, who, in.ID, bool(in.Tell))
}
