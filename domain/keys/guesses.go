package keys

import (
	"context"
	"encoding/hex"
	"errors"
	"net/netip"
	"time"

	"pasteport/domain/internal/keymutex"
	"pasteport/ports"
	"pasteport/ports/policy"
)

// Times in which failed guesses are counted.
const (
	guessWindow  = 15 * time.Minute
	webdavWindow = 5 * time.Minute
)

// Limits bound failed guesses in 15 minutes (security rule 4.5). Zero means
// the number in the comment.
type Limits struct {
	LoginsPerName    int // of one name from one address: 10
	LoginsPerAddress int // of any name from one address: 30
	KeysPerAddress   int // unknown API keys from one address: 30
	WebDAVPerAddress int // logins over WebDAV of any kind from one address, in 5 minutes: 10
}

func (l Limits) orDefault() Limits {
	or := func(n *int, fallback int) {
		if *n <= 0 {
			*n = fallback
		}
	}
	or(&l.LoginsPerName, 10)
	or(&l.LoginsPerAddress, 30)
	or(&l.KeysPerAddress, 30)
	or(&l.WebDAVPerAddress, 10)
	return l
}

// guesses count credentials that did not fit, and refuse whoever has tried too
// many.
type guesses struct {
	d Deps
	// turns let guesses of one subject through one at a time, so that a burst of
	// them cannot pass a limit before the first failure is counted.
	turns keymutex.Mutex[string]
}

// loginLimits are the limits on guesses of a name's password. The name is kept
// as a keyed hash, for people type passwords into the wrong field.
func (g *guesses) loginLimits(ctx context.Context, name string) (byName, bySource ports.GuessLimit) {
	sum := g.d.MAC.Sum("guessed name", []byte(name))
	subject := "login|" + source(ctx)
	return ports.GuessLimit{Subject: subject + "|" + hex.EncodeToString(sum[:8]), Max: g.d.Limits.LoginsPerName, Window: guessWindow},
		ports.GuessLimit{Subject: subject, Max: g.d.Limits.LoginsPerAddress, Window: guessWindow}
}

// keyLimits are the limits on guesses of keys.
func (g *guesses) keyLimits(ctx context.Context) []ports.GuessLimit {
	return append(g.webdavLimits(ctx), ports.GuessLimit{Subject: "key|" + source(ctx), Max: g.d.Limits.KeysPerAddress, Window: guessWindow})
}

// webdavLimits bound failed logins of a call over WebDAV, whoever they name
// (contract §8.2).
func (g *guesses) webdavLimits(ctx context.Context) []ports.GuessLimit {
	if policy.CallFrom(ctx).Protocol != policy.WebDAV {
		return nil
	}
	return []ports.GuessLimit{{Subject: "dav|" + source(ctx), Max: g.d.Limits.WebDAVPerAddress, Window: webdavWindow}}
}

// may returns RateLimited when one of the limits is passed.
func (g *guesses) may(ctx context.Context, limits ...ports.GuessLimit) error {
	wait, err := g.d.Guesses.Check(ctx, limits...)
	if err != nil {
		return ports.Wrap("check guesses", err)
	}
	if wait > 0 {
		refused := *errTooManyTries
		refused.RetryAfter = wait
		return &refused
	}
	return nil
}

// failed counts a wrong guess and returns why it was wrong.
func (g *guesses) failed(ctx context.Context, why *ports.Error, limits ...ports.GuessLimit) error {
	if err := g.d.Guesses.Fail(ctx, limits...); err != nil {
		return ports.Wrap("count a guess", err)
	}
	return why
}

// tell passes a wrong guess on to who wants to know. The value and the name
// that were tried stay here: people type passwords into the wrong field.
func (g *guesses) tell(ctx context.Context, scheme string, err error) error {
	var why *ports.Error
	guess := ports.Is(err, ports.Unauthenticated) || ports.Is(err, ports.RateLimited)
	if g.d.Guessed == nil || !guess || !errors.As(err, &why) {
		return err
	}
	if failed := g.d.Guessed(ctx, scheme, why); failed != nil {
		return errors.Join(err, failed)
	}
	return err
}

// source is the address that guesses are counted by: an IPv6 customer has a
// whole /64 (security rule L1).
func source(ctx context.Context) string {
	address, err := netip.ParseAddr(policy.CallFrom(ctx).ClientIP)
	if err != nil {
		return "unknown"
	}
	address = address.Unmap().WithZone("")
	if address.Is4() {
		return address.String()
	}
	prefix, err := address.Prefix(64)
	if err != nil {
		return "unknown"
	}
	return prefix.String()
}
