package mounts

import (
	"context"
	"sync"
)

// turns lets one after the other work on what has the same name.
type turns struct {
	mu   sync.Mutex
	busy map[string]chan struct{} // closed when the one who works is done
}

// take waits until nobody works on name. The caller calls release when done.
func (t *turns) take(ctx context.Context, name string) (release func(), err error) {
	mine := make(chan struct{})
	for {
		t.mu.Lock()
		other, taken := t.busy[name]
		if !taken {
			if t.busy == nil {
				t.busy = map[string]chan struct{}{}
			}
			t.busy[name] = mine
		}
		t.mu.Unlock()
		if !taken {
			return func() {
				t.mu.Lock()
				delete(t.busy, name)
				t.mu.Unlock()
				close(mine)
			}, nil
		}
		select {
		case <-other:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}
