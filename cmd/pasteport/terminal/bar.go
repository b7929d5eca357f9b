package terminal

import (
	"fmt"
	"io"
	"os"
	"strings"
	"sync/atomic"
	"time"

	"golang.org/x/term"
)

// bar shows on a terminal how far something is.
type bar struct {
	name  string
	size  int64 // bytes; -1 when nobody knows
	moved atomic.Int64
	drawn atomic.Int64 // when, in nanoseconds
	shown bool
}

func newBar(name string, size int64) *bar {
	return &bar{name: name, size: size, shown: term.IsTerminal(int(os.Stderr.Fd())) && term.IsTerminal(int(os.Stdout.Fd()))}
}

// add counts bytes that have moved.
func (b *bar) add(bytes int64) { b.draw(b.moved.Add(bytes), b.size) }

// at is how many of all bytes have moved.
func (b *bar) at(moved, size int64) { b.draw(moved, size) }

func (b *bar) draw(moved, size int64) {
	now, last := time.Now().UnixNano(), b.drawn.Load()
	if !b.shown || now-last < int64(100*time.Millisecond) && moved != size || !b.drawn.CompareAndSwap(last, now) {
		return
	}
	if size <= 0 {
		fmt.Fprintf(os.Stderr, "\r%s %d MiB ", printable(b.name), moved>>20)
		return
	}
	width := 30
	done := int(int64(width) * min(moved, size) / size)
	fmt.Fprintf(os.Stderr, "\r%s [%s%s] %d of %d MiB ", printable(b.name), strings.Repeat("=", done), strings.Repeat(" ", width-done), moved>>20, size>>20)
}

func (b *bar) reset() { b.moved.Store(0) }

// end clears the line.
func (b *bar) end() {
	if b.shown {
		fmt.Fprint(os.Stderr, "\r\x1b[K")
	}
}

// reading counts what is read from r.
func (b *bar) reading(r io.Reader) io.Reader { return io.TeeReader(r, counter{b}) }

type counter struct{ *bar }

func (c counter) Write(p []byte) (int, error) {
	c.add(int64(len(p)))
	return len(p), nil
}
