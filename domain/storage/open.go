package storage

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"sync"
	"time"

	"pasteport/ports"
	"pasteport/ports/objstore"
)

// Drivers gives drivers by the name that configs know them by. It returns
// NotFound for an unknown name.
type Drivers interface {
	Driver(name string) (objstore.Driver, error)
}

// retire is how long a replaced bucket stays open for calls under way.
const retire = 15 * time.Minute

// credentialPlace binds sealed options to their config.
func credentialPlace(configID string) string { return "storage_configs/" + configID + "/credentials" }

// Opener opens the buckets of storage configs and keeps them open. It is the
// only code that unseals credentials. It is safe for concurrent use.
type Opener struct {
	repo    ConfigRepository
	drivers Drivers
	sealer  ports.Sealer
	links   *links

	mu      sync.Mutex
	open    map[string]*opening
	guards  map[string]*guard
	retired map[*time.Timer]objstore.Bucket
	changed func(configID string, h Health)
	used    map[string]struct{} // configs, since FlushUsage
	closed  bool
}

var _ objstore.Opener = (*Opener)(nil)

// opening is a bucket that is open or being opened.
type opening struct {
	done   chan struct{}
	bucket objstore.Bucket
	err    error
}

// NewOpener returns an Opener. Close ends it.
func NewOpener(repo ConfigRepository, drivers Drivers, sealer ports.Sealer, mac ports.MAC, clock ports.Clock) *Opener {
	return &Opener{
		repo: repo, drivers: drivers, sealer: sealer, links: &links{mac, clock},
		open: map[string]*opening{}, guards: map[string]*guard{}, retired: map[*time.Timer]objstore.Bucket{},
	}
}

// OnHealth makes the opener tell when a storage comes or goes. It is called
// before the first Bucket; tell must not block.
func (o *Opener) OnHealth(tell func(configID string, h Health)) { o.changed = tell }

// Bucket implements objstore.Opener. Where a driver signs nothing itself, Sign
// gives requests to this server that Blobs answers.
//
// The bucket's calls are bounded, and while its storage is down they return
// Unavailable at once.
func (o *Opener) Bucket(ctx context.Context, configID string) (objstore.Bucket, error) {
	bucket, guard, err := o.opened(configID)
	if bucket != nil || err != nil {
		return bucket, err
	}
	if err := guard.enter(ctx); err != nil {
		return nil, guard.turnedAway(opOpen, err)
	}
	defer guard.leave()
	return o.await(ctx, configID)
}

// opened returns the bucket of a config when it is open, else its guard.
func (o *Opener) opened(configID string) (objstore.Bucket, *guard, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.closed {
		return nil, nil, ports.ErrUnavailable
	}
	o.usedLocked(configID)
	if known, ok := o.open[configID]; ok {
		select {
		case <-known.done:
			if known.err == nil {
				return known.bucket, nil, nil
			}
		default:
		}
	}
	return nil, o.guardLocked(configID), nil
}

func (o *Opener) guardLocked(configID string) *guard {
	g, ok := o.guards[configID]
	if !ok {
		var tell func(Health)
		if o.changed != nil {
			tell = func(h Health) { o.changed(configID, h) }
		}
		g = newGuard(tell)
		o.guards[configID] = g
	}
	return g
}

// await opens the bucket, or waits for the caller who does.
func (o *Opener) await(ctx context.Context, configID string) (objstore.Bucket, error) {
	for {
		opening, mine, err := o.claim(configID)
		if err != nil {
			return nil, err
		}
		if mine {
			o.finish(ctx, configID, opening)
		}
		select {
		case <-opening.done:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
		if opening.err != nil && !mine && isContext(opening.err) {
			continue // the caller who opened it went away
		}
		return opening.bucket, opening.err
	}
}

func isContext(err error) bool {
	return errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded)
}

// claim returns the opening of a config, and whether the caller is to do it.
func (o *Opener) claim(configID string) (_ *opening, mine bool, err error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.closed {
		return nil, false, ports.ErrUnavailable
	}
	if known, ok := o.open[configID]; ok {
		return known, false, nil
	}
	fresh := &opening{done: make(chan struct{})}
	o.open[configID] = fresh
	return fresh, true, nil
}

// finish opens the bucket. A failure is told to those who wait and not kept.
func (o *Opener) finish(ctx context.Context, configID string, opening *opening) {
	opening.bucket, opening.err = o.openConfig(ctx, configID)
	o.mu.Lock()
	if current := o.open[configID] == opening; opening.err != nil && current {
		delete(o.open, configID)
	} else if opening.err == nil && (!current || o.closed) {
		o.retireLocked(opening.bucket) // forgotten while it was being opened
	}
	o.mu.Unlock()
	close(opening.done)
}

func (o *Opener) openConfig(ctx context.Context, configID string) (objstore.Bucket, error) {
	o.mu.Lock()
	guard := o.guardLocked(configID)
	o.mu.Unlock()
	config, err := o.repo.Get(ctx, configID)
	if ports.Is(err, ports.NotFound) {
		o.mu.Lock()
		delete(o.guards, configID)
		o.mu.Unlock()
	}
	if err != nil {
		return nil, err
	}
	bucket, err := o.openBucket(ctx, config)
	err = unusable(err)
	guard.note(ctx, opOpen, err)
	if err != nil {
		return nil, err
	}
	return &guardedBucket{bucket, guard, config.TotalStorageBytes}, nil
}

// unusable makes a refusal of the storage of options that its driver cannot
// use: who reads or uploads has not entered them.
func unusable(err error) error {
	var e *ports.Error
	if !errors.As(err, &e) || e.Code != ports.Invalid {
		return err
	}
	return &ports.Error{Code: ports.BadGateway, Key: "storage_denied", Messages: e.Messages, Cause: err}
}

// Health tells how the storage of a config is, as far as this node knows.
func (o *Opener) Health(configID string) Health {
	o.mu.Lock()
	g, ok := o.guards[configID]
	o.mu.Unlock()
	if !ok {
		return Health{State: Unknown}
	}
	return g.status(configID).Health
}

// Status tells of every storage that this node has used.
func (o *Opener) Status() []Status {
	o.mu.Lock()
	guards := maps.Clone(o.guards)
	o.mu.Unlock()
	all := make([]Status, 0, len(guards))
	for id, g := range guards {
		all = append(all, g.status(id))
	}
	return all
}

// openBucket opens the bucket of a config, stored or not. The caller closes it.
func (o *Opener) openBucket(ctx context.Context, config *Config) (objstore.Bucket, error) {
	driver, err := o.drivers.Driver(config.Driver)
	if err != nil {
		return nil, ports.ErrUnavailable.With(fmt.Errorf("driver %q: %w", config.Driver, err))
	}
	info, err := driver.Info(ctx)
	if err != nil {
		return nil, err
	}
	options, err := o.options(config)
	if err != nil {
		return nil, err
	}
	bucket, err := driver.Open(ctx, objstore.Config{ID: config.ID, Options: options})
	if err != nil {
		return nil, err
	}
	if !info.Features.HTTPLinks {
		return &linkedBucket{bucket, config.ID, o.links}, nil
	}
	return bucket, nil
}

// options joins what a driver needs: the S3 fields, the driver's own and the
// secret ones.
func (o *Opener) options(config *Config) (map[string]string, error) {
	options := map[string]string{}
	for key, value := range map[string]string{"endpoint_url": config.EndpointURL, "bucket_name": config.BucketName, "region": config.Region} {
		if value != "" {
			options[key] = value
		}
	}
	if config.PathStyle {
		options["path_style"] = "1"
	}
	if config.Options != "" {
		if err := json.Unmarshal([]byte(config.Options), &options); err != nil {
			return nil, fmt.Errorf("options of storage config %s: %w", config.ID, err)
		}
	}
	if len(config.Sealed) == 0 {
		return options, nil
	}
	plain, err := o.sealer.Open(config.Sealed, credentialPlace(config.ID))
	if err != nil {
		return nil, fmt.Errorf("credentials of storage config %s: %w", config.ID, err)
	}
	if err := json.Unmarshal(plain, &options); err != nil {
		return nil, fmt.Errorf("credentials of storage config %s are not readable", config.ID)
	}
	return options, nil
}

// SealCredentials prepares secret options for Config.Sealed.
func SealCredentials(sealer ports.Sealer, configID string, secrets map[string]string) ([]byte, error) {
	if len(secrets) == 0 {
		return nil, nil
	}
	plain, err := json.Marshal(secrets)
	if err != nil {
		return nil, err
	}
	return sealer.Seal(plain, credentialPlace(configID))
}

// Forget drops the open bucket of a config that changed; an empty id drops all.
// Calls under way end on the old bucket.
func (o *Opener) Forget(configID string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if configID == "" {
		clear(o.guards)
	}
	delete(o.guards, configID)
	for id, opening := range o.open {
		if configID != "" && id != configID {
			continue
		}
		delete(o.open, id)
		select {
		case <-opening.done:
			if opening.err == nil {
				o.retireLocked(opening.bucket)
			}
		default: // finish sees that it was dropped
		}
	}
}

// Watch forgets what other nodes change, until ctx ends.
func (o *Opener) Watch(ctx context.Context, events ports.Invalidation) {
	events.Subscribe(ctx, InvalidationKind, o.Forget)
}

func (o *Opener) retireLocked(bucket objstore.Bucket) {
	if o.closed {
		_ = bucket.Close()
		return
	}
	var timer *time.Timer
	timer = time.AfterFunc(retire, func() {
		o.mu.Lock()
		_, waiting := o.retired[timer]
		delete(o.retired, timer)
		o.mu.Unlock()
		if waiting {
			_ = bucket.Close()
		}
	})
	o.retired[timer] = bucket
}

// Close closes all buckets; later calls get Unavailable. Repeating it is
// harmless.
func (o *Opener) Close() error {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.closed = true
	var errs []error
	for timer, bucket := range o.retired {
		timer.Stop()
		errs = append(errs, bucket.Close())
	}
	clear(o.retired)
	for _, opening := range o.open {
		select {
		case <-opening.done:
			if opening.err == nil {
				errs = append(errs, opening.bucket.Close())
			}
		default: // finish closes it
		}
	}
	clear(o.open)
	return errors.Join(errs...)
}
