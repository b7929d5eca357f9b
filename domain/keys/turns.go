package keys

import "sync"

// turns lets guesses of one subject through one at a time, so that a burst of
// them cannot pass a limit before the first failure is counted.
type turns struct {
	mu       sync.Mutex
	subjects map[string]*turn
}

type turn struct {
	sync.Mutex
	wanted int // who holds it or waits for it
}

// take waits for the subject's turn. The caller calls done when it is over.
func (t *turns) take(subject string) (done func()) {
	t.mu.Lock()
	if t.subjects == nil {
		t.subjects = map[string]*turn{}
	}
	mine, known := t.subjects[subject]
	if !known {
		mine = &turn{}
		t.subjects[subject] = mine
	}
	mine.wanted++
	t.mu.Unlock()

	mine.Lock()
	return func() {
		mine.Unlock()
		t.mu.Lock()
		defer t.mu.Unlock()
		if mine.wanted--; mine.wanted == 0 {
			delete(t.subjects, subject)
		}
	}
}
