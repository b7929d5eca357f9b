package storage

import (
	"context"
	"sync"

	"pasteport/ports"
)

// kept are configs as other modules see them, without secrets, until any config
// changes here or on another node: every upload and every link asks for one.
type kept struct {
	mu    sync.Mutex
	of    map[string]*Config // by id; the default ones by a name that no id has
	turns uint64             // how often they were forgotten
}

// get returns the config of a name, read by read where it is not known.
func (k *kept) get(name string, read func() (*Config, error)) (*Config, error) {
	k.mu.Lock()
	config, turns := k.of[name], k.turns
	k.mu.Unlock()
	if config == nil {
		found, err := read()
		if err != nil {
			return nil, err
		}
		config = found
		config.Sealed = nil
		k.mu.Lock()
		if k.turns == turns { // else it was changed while it was read
			if k.of == nil {
				k.of = map[string]*Config{}
			}
			k.of[name] = config
		}
		k.mu.Unlock()
	}
	own := *config
	return &own, nil
}

func (k *kept) forget() {
	k.mu.Lock()
	defer k.mu.Unlock()
	clear(k.of)
	k.turns++
}

// Watch forgets what other nodes change, until ctx ends.
func (c *Configs) Watch(ctx context.Context, events ports.Invalidation) {
	events.Subscribe(ctx, InvalidationKind, func(string) { c.kept.forget() })
}
