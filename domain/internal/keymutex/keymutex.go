// Package keymutex locks by key: those who name the same key work one after the
// other, all others at the same time. It keeps nothing of a key that nobody
// holds or waits for.
package keymutex

import (
	"context"
	"sync"
)

// Mutex is a set of locks, one for each key. The zero value has none held. It
// must not be copied after its first use.
type Mutex[K comparable] struct {
	mu   sync.Mutex
	held map[K]*lock
}

type lock struct {
	free   chan struct{} // filled while somebody holds the lock
	wanted int           // who hold it or wait for it; guarded by Mutex.mu
}

// Lock waits until nobody else holds the lock of key, or until ctx ends, whose
// error it then returns. A lock that is free is taken even when ctx has ended.
// The caller calls unlock once.
func (m *Mutex[K]) Lock(ctx context.Context, key K) (unlock func(), err error) {
	m.mu.Lock()
	if m.held == nil {
		m.held = map[K]*lock{}
	}
	l, known := m.held[key]
	if !known {
		l = &lock{free: make(chan struct{}, 1)}
		m.held[key] = l
	}
	l.wanted++
	m.mu.Unlock()

	unlock = func() {
		<-l.free
		m.leave(key, l)
	}
	select {
	case l.free <- struct{}{}:
		return unlock, nil
	default:
	}
	select {
	case l.free <- struct{}{}:
		return unlock, nil
	case <-ctx.Done():
		m.leave(key, l)
		return nil, ctx.Err()
	}
}

func (m *Mutex[K]) leave(key K, l *lock) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if l.wanted--; l.wanted == 0 {
		delete(m.held, key)
	}
}
