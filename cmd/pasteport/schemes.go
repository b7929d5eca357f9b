package main

import (
	"context"
	"strings"
	"sync"
	"time"

	"pasteport/domain/storage"
	"pasteport/ports/objstore"
)

// Times of storageSchemes.
const (
	schemesFor  = time.Second     // how long the list of configs is believed
	schemesWait = 3 * time.Second // a page waits at most so long for it
)

// storageSchemes tells over which schemes pages reach the site's storages. Pages
// are for everybody, so they name no host and no bucket (docs/SECURITY.md).
type storageSchemes struct {
	configs storage.ConfigRepository
	report  func(doing string, err error)

	mu    sync.Mutex
	list  []string
	until time.Time
}

// List returns "https:" when browsers are sent to another host for objects, and
// "http:" when one of those hosts has no TLS.
func (s *storageSchemes) List() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := time.Now()
	if now.Before(s.until) {
		return s.list
	}
	ctx, cancel := context.WithTimeout(context.Background(), schemesWait)
	defer cancel()
	page, err := s.configs.List(ctx, storage.ConfigFilter{})
	if err != nil {
		s.report("list the storages that pages may reach", err)
		return s.list
	}
	remote, plain := false, false
	for _, config := range page.Items {
		remote = remote || config.StorageType != objstore.OwnDisk
		for _, address := range []string{config.EndpointURL, config.CustomHost} {
			plain = plain || strings.HasPrefix(strings.ToLower(address), "http://")
		}
	}
	s.list, s.until = nil, now.Add(schemesFor)
	if remote {
		s.list = append(s.list, "https:")
	}
	if plain {
		s.list = append(s.list, "http:")
	}
	return s.list
}
