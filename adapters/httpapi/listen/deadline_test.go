package listen

import (
	"fmt"
	"io"
	"net"
	"os"
	"slices"
	"testing"
	"time"
)

func TestReadDeadlinesAreMovedOnlyWhenAReadNeedsIt(t *testing.T) {
	now := time.Now()
	soon, later, past := now.Add(time.Hour), now.Add(2*time.Hour), now.Add(-time.Hour)
	timeout := fmt.Errorf("read: %w", os.ErrDeadlineExceeded)
	var moved []time.Time
	move := func(to time.Time) error { moved = append(moved, to); return nil }
	var d readDeadline
	for i, step := range []struct {
		do   func() bool
		want bool
		move []time.Time
	}{
		{func() bool { return d.set(soon, move) == nil }, true, []time.Time{soon}},
		{func() bool { return d.set(time.Time{}, move) == nil }, true, nil},
		{func() bool { return d.set(later, move) == nil }, true, nil},
		{func() bool { return d.early(timeout, move) }, true, []time.Time{later}}, // the one in force was over before
		{func() bool { return d.set(soon, move) == nil }, true, []time.Time{soon}},
		{func() bool { return d.set(past, move) == nil }, true, []time.Time{past}}, // as net/http ends a read
		{func() bool { return d.early(timeout, move) }, false, nil},
		{func() bool { return d.set(time.Time{}, move) == nil }, true, nil},
		{func() bool { return d.early(timeout, move) }, true, []time.Time{{}}},
		{func() bool { return d.early(net.ErrClosed, move) }, false, nil},
	} {
		moved = nil
		if got := step.do(); got != step.want || !slices.Equal(moved, step.move) {
			t.Errorf("step %d: %v, moved to %v", i, got, moved)
		}
	}
}

func TestAReadEndsAtTheDeadlineThatWasAskedForLast(t *testing.T) {
	here, there := net.Pipe()
	defer here.Close()
	defer there.Close()
	c := &pacedConn{fastConn: pipe{here}}
	if err := c.SetReadDeadline(time.Now().Add(-time.Second)); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Read(make([]byte, 1)); !isTimeout(err) {
		t.Errorf("a deadline that is over: %v", err)
	}
	if err := c.SetDeadline(time.Time{}); err != nil {
		t.Fatal(err)
	}
	go there.Write([]byte("x"))
	got := make([]byte, 1)
	if n, err := c.Read(got); n != 1 || err != nil || got[0] != 'x' {
		t.Errorf("after it was lifted: %d, %v", n, err)
	}
}

func isTimeout(err error) bool {
	e, ok := err.(net.Error)
	return ok && e.Timeout()
}

// pipe is a connection in memory.
type pipe struct{ net.Conn }

func (p pipe) ReadFrom(src io.Reader) (int64, error) { return io.Copy(p.Conn, src) }
