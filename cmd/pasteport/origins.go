package main

import (
	"context"
	"net/url"
	"sync"
	"time"

	"pasteport/domain/storage"
	"pasteport/ports/objstore"
)

// Times of origins.
const (
	originsFor   = time.Second      // how long the list of configs is believed
	originsRetry = 30 * time.Second // a storage that cannot be opened is asked again
	originsWait  = 3 * time.Second  // a page waits at most so long for storages
)

// origins tells which hosts pages may talk to besides this server: those of all
// storage configs, as browsers are sent there.
type origins struct {
	configs storage.ConfigRepository
	opener  objstore.Opener
	report  func(doing string, err error)

	mu    sync.Mutex
	known map[string]knownOrigins // by config
	list  []string
	until time.Time
}

// knownOrigins are those of one config in one version.
type knownOrigins struct {
	version time.Time
	list    []string
	until   time.Time // zero: as long as the config does not change
}

// List returns the origins of the configs as they are now, such as
// "https://bucket.s3.example.com".
func (o *origins) List() []string {
	o.mu.Lock()
	defer o.mu.Unlock()
	now := time.Now()
	if now.Before(o.until) {
		return o.list
	}
	ctx, cancel := context.WithTimeout(context.Background(), originsWait)
	defer cancel()
	page, err := o.configs.List(ctx, storage.ConfigFilter{})
	if err != nil {
		o.report("list the origins of storages", err)
		return o.list
	}
	known, list, seen := map[string]knownOrigins{}, []string(nil), map[string]bool{}
	for i := range page.Items {
		config := &page.Items[i]
		of, ok := o.known[config.ID]
		if !ok || !of.version.Equal(config.UpdatedAt) || !of.until.IsZero() && now.After(of.until) {
			of = o.of(ctx, config, now)
		}
		known[config.ID] = of
		for _, origin := range of.list {
			if !seen[origin] {
				seen[origin] = true
				list = append(list, origin)
			}
		}
	}
	o.known, o.list, o.until = known, list, now.Add(originsFor)
	return list
}

// of finds the origins of one config: where its driver signs links to, and its
// custom host. Of a storage that cannot be opened the endpoint is known.
func (o *origins) of(ctx context.Context, config *storage.Config, now time.Time) knownOrigins {
	known := knownOrigins{version: config.UpdatedAt}
	link, err := o.link(ctx, config.ID)
	if err != nil {
		known.until = now.Add(originsRetry)
		link = objstore.Address{EndpointURL: config.EndpointURL, BucketName: config.BucketName, PathStyle: config.PathStyle}.Object("x")
	}
	for _, address := range []string{link, config.CustomHost} {
		if u, err := url.Parse(address); err == nil && u.Host != "" {
			known.list = append(known.list, u.Scheme+"://"+u.Host)
		}
	}
	return known
}

// link is an address in the storage, a path of this server for local ones.
func (o *origins) link(ctx context.Context, configID string) (string, error) {
	bucket, err := o.opener.Bucket(ctx, configID)
	if err != nil {
		return "", err
	}
	signed, err := bucket.Sign(ctx, objstore.SignRequest{Verb: objstore.VerbGet, Key: "x", Audience: objstore.Browser, TTL: time.Minute})
	return signed.URL, err
}
