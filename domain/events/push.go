package events

import (
	"context"
	"crypto/ecdh"
	"crypto/rand"
	"encoding/base64"
	"strings"

	"pasteport/ports"
	"pasteport/ports/policy"
)

// Notes keep small values of the server.
type Notes interface {
	// Get returns NotFound where there is none.
	Get(ctx context.Context, name string) ([]byte, error)
	Put(ctx context.Context, name string, value []byte) error
	// Add stores a value unless there is one.
	Add(ctx context.Context, name string, value []byte) error
}

// pushKeyName names the sealed private key with which this site proves itself to push
// services (RFC 8292), and its place.
const pushKeyName = "web_push_key"

// pushKey returns the site's key for push services, on the curve P-256. The first who
// needs it makes it; it stays, since browsers have subscribed for it.
func (d *Deps) pushKey(ctx context.Context) (*ecdh.PrivateKey, error) {
	sealed, err := d.Notes.Get(ctx, pushKeyName)
	if ports.Is(err, ports.NotFound) {
		sealed, err = d.makePushKey(ctx)
	}
	if err != nil {
		return nil, ports.Wrap("read the key for push services", err)
	}
	plain, err := d.Sealer.Open(sealed, pushKeyName)
	if err != nil {
		return nil, ports.Wrap("open the key for push services", err)
	}
	return ecdh.P256().NewPrivateKey(plain)
}

// makePushKey makes the key, and returns that of another node when it was faster.
func (d *Deps) makePushKey(ctx context.Context) ([]byte, error) {
	made, err := ecdh.P256().GenerateKey(rand.Reader)
	if err != nil {
		return nil, err
	}
	sealed, err := d.Sealer.Seal(made.Bytes(), pushKeyName)
	if err != nil {
		return nil, err
	}
	if err := d.Notes.Add(ctx, pushKeyName, sealed); err != nil {
		return nil, err
	}
	return d.Notes.Get(ctx, pushKeyName)
}

// PushKey returns what a browser has to subscribe with: the public key of the site in
// base64url. Asks notification.read.
func (o Own) PushKey(ctx context.Context, who policy.Principal) (string, error) {
	if err := o.e.may(ctx, who, policy.NotificationsRead); err != nil {
		return "", err
	}
	key, err := o.e.d.pushKey(ctx)
	if err != nil {
		return "", err
	}
	return base64.RawURLEncoding.EncodeToString(key.PublicKey().Bytes()), nil
}

// Lengths of what a browser gives with a subscription, in bytes (RFC 8291 §3.2).
const (
	browserKey    = 65 // a point of P-256, not compressed
	browserSecret = 16
)

// subscription reads the key and the secret of a browser, in base64url with a dot
// between them, as one value: the key and then the secret.
func subscription(text string) ([]byte, error) {
	key, secret, _ := strings.Cut(text, ".")
	plain, err := base64.RawURLEncoding.DecodeString(key)
	if err != nil || len(plain) != browserKey {
		return nil, ports.InvalidInput("channel.subscription", "secret")
	}
	if _, err := ecdh.P256().NewPublicKey(plain); err != nil {
		return nil, ports.InvalidInput("channel.subscription", "secret")
	}
	auth, err := base64.RawURLEncoding.DecodeString(secret)
	if err != nil || len(auth) != browserSecret {
		return nil, ports.InvalidInput("channel.subscription", "secret")
	}
	return append(plain, auth...), nil
}

// Browser is what a message to a browser is encrypted for.
type Browser struct {
	Key    []byte // public, on P-256, not compressed
	Secret []byte
}

// Browser returns the browser of a target of the type Push; false where the secret is
// none of a browser.
func (t Target) Browser() (Browser, bool) {
	if len(t.Secrets) == 0 || len(t.Secrets[0]) != browserKey+browserSecret {
		return Browser{}, false
	}
	return Browser{Key: t.Secrets[0][:browserKey], Secret: t.Secrets[0][browserKey:]}, true
}

// leave removes a channel whose browser has ended its subscription: it can never be
// reached again.
func (e *Events) leave(ctx context.Context, c *Channel) error {
	err := e.d.Work.Do(ctx, func(ctx context.Context) error {
		now, err := e.d.Channels.Get(ctx, c.ID)
		if ports.Is(err, ports.NotFound) || err == nil && now.Address != c.Address {
			return nil // it has subscribed again
		}
		if err != nil {
			return err
		}
		if _, err := e.d.Channels.Delete(ctx, c.ID); err != nil {
			return err
		}
		return e.publish(ctx)
	})
	if err != nil {
		return ports.Wrap("remove a browser that is gone", err)
	}
	e.changed(ctx)
	return nil
}
