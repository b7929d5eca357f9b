package pluginhost

import (
	"context"
	"errors"
	"os"
	"sync"
	"time"

	lru "github.com/hashicorp/golang-lru/v2"

	"pasteport/plugins/sdk"
	"pasteport/ports"
	"pasteport/ports/objstore"
)

// cachedLinks is how many links a bucket keeps for reading.
const cachedLinks = 1024

// remoteDriver is a driver in a process of its own.
type remoteDriver struct {
	p *process

	mu    sync.Mutex
	about *objstore.Info
}

var _ objstore.Driver = (*remoteDriver)(nil)

// Info implements objstore.Driver. The first answer is kept.
func (d *remoteDriver) Info(ctx context.Context) (objstore.Info, error) {
	if known := d.p.command.About; known != nil {
		return *known, nil
	}
	d.mu.Lock()
	known := d.about
	d.mu.Unlock()
	if known != nil {
		return *known, nil
	}
	var info objstore.Info
	err := d.p.call(ctx, repeatable, d.p.timing.Call, func(ctx context.Context, i *instance) (err error) {
		info, err = i.rpc.Info(ctx)
		return err
	})
	if err != nil {
		return objstore.Info{}, err
	}
	d.mu.Lock()
	d.about = &info
	d.mu.Unlock()
	return info, nil
}

// Open implements objstore.Driver.
func (d *remoteDriver) Open(ctx context.Context, config objstore.Config) (objstore.Bucket, error) {
	info, err := d.Info(ctx)
	if err != nil {
		return nil, err
	}
	for _, f := range info.Fields {
		if f.Secret {
			d.p.logs.hide(config.Options[f.Key])
		}
	}
	links, err := lru.New[objstore.SignRequest, cachedLink](cachedLinks)
	if err != nil {
		return nil, err
	}
	b := &remoteBucket{p: d.p, config: config, info: info, links: links, http: newHTTPClient(d.p.command.reach, d.p.timing.Idle/2)}
	if _, _, err := b.handle(ctx); err != nil {
		b.http.CloseIdleConnections()
		return nil, err
	}
	return b, nil
}

// whether a call may be sent again after the driver was lost in the middle.
type repetition bool

const (
	repeatable repetition = true
	onceOnly   repetition = false
)

// call runs fn on the running instance within limit; starting one has its own
// bound. When the driver is lost in the middle, a repeatable call is made once
// more on the next instance.
func (p *process) call(ctx context.Context, repeat repetition, limit time.Duration, fn func(context.Context, *instance) error) error {
	for try := 0; ; try++ {
		i, err := p.get(ctx)
		if err != nil {
			return timedOut(err)
		}
		err = within(ctx, limit, func(ctx context.Context) error { return fn(ctx, i) })
		if !sdk.Lost(err) {
			return p.logs.cleaned(timedOut(err))
		}
		i.suspect.Store(true)
		if repeat == onceOnly || try > 0 || ctx.Err() != nil {
			return err
		}
	}
}

func within(ctx context.Context, limit time.Duration, fn func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	return fn(ctx)
}

// timedOut gives a deadline its code; the caller's own cancelling stays as it is.
func timedOut(err error) error {
	var known *ports.Error
	if errors.Is(err, context.DeadlineExceeded) && !errors.As(err, &known) {
		return ports.ErrUnavailable.With(err)
	}
	return err
}

// remoteBucket is a config opened in a driver process. After a restart of the
// process it is opened there again.
type remoteBucket struct {
	p      *process
	config objstore.Config
	info   objstore.Info
	links  *lru.Cache[objstore.SignRequest, cachedLink]
	http   *httpClient

	mu      sync.Mutex
	current *sdk.Handle
	inside  *instance // the run that current belongs to
	root    *os.Root  // of local links
}

var (
	_ objstore.Bucket    = (*remoteBucket)(nil)
	_ objstore.CORSAdmin = (*remoteBucket)(nil)
)

// handle returns the handle in the running instance, opening the config there
// when it is not open yet. Secrets travel here and nowhere else.
func (b *remoteBucket) handle(ctx context.Context) (*sdk.Handle, *instance, error) {
	var h *sdk.Handle
	var in *instance
	err := b.p.call(ctx, repeatable, b.p.timing.Call, func(ctx context.Context, i *instance) (err error) {
		h, err = b.handleIn(ctx, i)
		in = i
		return err
	})
	return h, in, err
}

func (b *remoteBucket) handleIn(ctx context.Context, i *instance) (*sdk.Handle, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.inside == i && b.current != nil {
		return b.current, nil
	}
	h, err := i.rpc.Open(ctx, b.config)
	if err != nil {
		return nil, err
	}
	b.current, b.inside = h, i
	return h, nil
}

// do runs fn on the handle, as process.call does.
func (b *remoteBucket) do(ctx context.Context, repeat repetition, limit time.Duration, fn func(context.Context, *sdk.Handle) error) error {
	return b.p.call(ctx, repeat, limit, func(ctx context.Context, i *instance) error {
		h, err := b.handleIn(ctx, i)
		if err != nil {
			return err
		}
		err = fn(ctx, h)
		if sdk.Lost(err) {
			b.forget(h)
		}
		return err
	})
}

func (b *remoteBucket) forget(h *sdk.Handle) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.current == h {
		b.current, b.inside = nil, nil
	}
}

// Close implements objstore.Bucket. A driver that is gone needs no telling.
func (b *remoteBucket) Close() error {
	b.mu.Lock()
	h, in, root := b.current, b.inside, b.root
	b.current, b.inside, b.root = nil, nil, nil
	b.mu.Unlock()
	b.http.CloseIdleConnections()
	if root != nil {
		root.Close()
	}
	if h == nil || in.client.Exited() {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), b.p.timing.PingAnswer)
	defer cancel()
	if err := h.Close(ctx); !sdk.Lost(err) {
		return err
	}
	return nil
}

// Stat implements objstore.Bucket.
func (b *remoteBucket) Stat(ctx context.Context, key string) (o objstore.Object, err error) {
	if err := objstore.CheckKey(key); err != nil {
		return o, err
	}
	err = b.do(ctx, repeatable, b.p.timing.Call, func(ctx context.Context, h *sdk.Handle) (err error) {
		o, err = h.Stat(ctx, key)
		return err
	})
	return o, err
}

// List implements objstore.Bucket.
func (b *remoteBucket) List(ctx context.Context, q objstore.ListQuery) (page objstore.ListPage, err error) {
	if q.Limit == 0 {
		q.Limit = objstore.MaxList
	}
	if q.Limit < 1 || q.Limit > objstore.MaxList {
		return page, objstore.ErrBadList
	}
	err = b.do(ctx, repeatable, b.p.timing.Call, func(ctx context.Context, h *sdk.Handle) (err error) {
		page, err = h.List(ctx, q)
		return err
	})
	switch {
	case err != nil:
		return objstore.ListPage{}, err
	case len(page.Objects)+len(page.Prefixes) > q.Limit:
		return objstore.ListPage{}, errLink("the driver lists more than was asked for")
	case page.Next != "" && page.Next == q.Token:
		return objstore.ListPage{}, objstore.ErrCircle
	}
	return page, nil
}

// Copy implements objstore.Bucket.
func (b *remoteBucket) Copy(ctx context.Context, dst, src string) (o objstore.Object, err error) {
	if err := errors.Join(objstore.CheckKey(dst), objstore.CheckKey(src)); err != nil {
		return o, err
	}
	err = b.do(ctx, onceOnly, b.p.timing.LongCall, func(ctx context.Context, h *sdk.Handle) (err error) {
		o, err = h.Copy(ctx, dst, src)
		return err
	})
	return o, err
}

// Delete implements objstore.Bucket.
func (b *remoteBucket) Delete(ctx context.Context, keys ...string) (map[string]error, error) {
	failed := map[string]error{}
	good := make([]string, 0, len(keys))
	for _, key := range keys {
		if err := objstore.CheckKey(key); err != nil {
			failed[key] = err
			continue
		}
		good = append(good, key)
	}
	for len(good) > 0 {
		batch := good[:min(len(good), objstore.MaxList)]
		good = good[len(batch):]
		err := b.do(ctx, onceOnly, b.p.timing.LongCall, func(ctx context.Context, h *sdk.Handle) error {
			some, err := h.Delete(ctx, batch...)
			for key, failure := range some {
				failed[key] = failure
			}
			return err
		})
		if err != nil {
			return failed, err
		}
	}
	return failed, ctx.Err()
}

// Usage implements objstore.Bucket.
func (b *remoteBucket) Usage(ctx context.Context) (u objstore.Usage, err error) {
	err = b.do(ctx, repeatable, b.p.timing.Call, func(ctx context.Context, h *sdk.Handle) (err error) {
		u, err = h.Usage(ctx)
		return err
	})
	return u, err
}

// EnsureCORS implements objstore.CORSAdmin.
func (b *remoteBucket) EnsureCORS(ctx context.Context, origins []string) error {
	if !b.info.Features.CORSAdmin {
		return objstore.ErrUnsupported
	}
	return b.do(ctx, repeatable, b.p.timing.Call, func(ctx context.Context, h *sdk.Handle) error { return h.EnsureCORS(ctx, origins) })
}

// Sign implements objstore.Bucket.
func (b *remoteBucket) Sign(ctx context.Context, r objstore.SignRequest) (objstore.SignedRequest, error) {
	if err := objstore.CheckKey(r.Key); err != nil {
		return objstore.SignedRequest{}, err
	}
	if !b.info.Features.HTTPLinks {
		return objstore.SignedRequest{}, objstore.ErrUnsupported
	}
	return b.signed(ctx, r)
}
