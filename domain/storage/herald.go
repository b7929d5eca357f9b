package storage

import (
	"context"
	"sync"
	"time"

	"pasteport/ports"
	"pasteport/ports/event"
)

// Bounds of a herald.
const (
	heraldWaits = 1000             // changes not noted yet; more are not told
	heraldTime  = 10 * time.Second // to note one
)

// Herald tells who wants to hear of it when a storage fails and when it works
// again, as this node sees it: once for each change, in their order. It is safe for
// concurrent use.
type Herald struct {
	configs ConfigRepository
	outbox  event.Outbox
	report  func(doing string, err error)

	mu      sync.Mutex
	trouble map[string]bool // configs that fail
	waiting []event.Event   // to be noted, without the name of the config
	busy    bool
	closed  bool
	done    sync.WaitGroup
}

// NewHerald returns a herald; report takes errors that nobody waits for. Close ends
// it.
func NewHerald(configs ConfigRepository, outbox event.Outbox, report func(doing string, err error)) *Herald {
	return &Herald{configs: configs, outbox: outbox, report: report, trouble: map[string]bool{}}
}

// storageEvent is what is said of a storage.
type storageEvent struct {
	ID    string      `json:"id"`
	Name  string      `json:"name"`
	State HealthState `json:"state"`
}

// Tell takes a change of an Opener's storage. It never waits.
func (h *Herald) Tell(configID string, now Health) {
	h.mu.Lock()
	defer h.mu.Unlock()
	kind := event.StorageDown
	if now.State == Down || now.State == Refused {
		h.trouble[configID] = true
	} else {
		if !h.trouble[configID] {
			return
		}
		delete(h.trouble, configID)
		kind = event.StorageUp
	}
	e := event.Event{Kind: kind, Subject: "storage:" + configID, Data: storageEvent{ID: configID, State: now.State}}
	if h.closed || len(h.waiting) >= heraldWaits || !h.outbox.Wanted(e) {
		return
	}
	if h.waiting = append(h.waiting, e); !h.busy {
		h.busy = true
		h.done.Go(h.note)
	}
}

// note notes what waits.
func (h *Herald) note() {
	for {
		h.mu.Lock()
		if len(h.waiting) == 0 {
			h.busy = false
			h.mu.Unlock()
			return
		}
		next := h.waiting[0]
		h.waiting = h.waiting[1:]
		h.mu.Unlock()
		if err := h.one(next); err != nil {
			h.report("tell how a storage is", err)
		}
	}
}

func (h *Herald) one(e event.Event) error {
	ctx, cancel := context.WithTimeout(context.Background(), heraldTime)
	defer cancel()
	said := e.Data.(storageEvent)
	config, err := h.configs.Get(ctx, said.ID)
	if ports.Is(err, ports.NotFound) {
		return nil // it was deleted meanwhile
	}
	if err != nil {
		return err
	}
	said.Name = config.Name
	e.Data = said
	return h.outbox.Happened(ctx, e)
}

// Close waits until what was told is noted, and takes nothing more.
func (h *Herald) Close() error {
	h.mu.Lock()
	h.closed = true
	h.mu.Unlock()
	h.done.Wait()
	return nil
}
