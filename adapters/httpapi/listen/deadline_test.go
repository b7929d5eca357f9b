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
	set := func(to time.Time) func() bool { return func() bool { return d.set(to, move) == nil } }
	begin := func() bool { d.begin(move); return true }
	end := func() bool { d.end(); return true }
	early := func() bool { return d.early(timeout, move) }
	for i, step := range []struct {
		do   func() bool
		want bool
		move []time.Time
	}{
		{set(later), true, nil}, // nobody reads
		{begin, true, []time.Time{later}},
		{set(soon), true, []time.Time{soon}}, // somebody does
		{set(time.Time{}), true, nil},
		{set(later), true, nil},
		{early, true, []time.Time{later}}, // the one in force was over before
		{end, true, nil},
		{set(soon), true, nil},
		{set(time.Time{}), true, nil},
		{begin, true, nil},                   // a request: its header had come whole
		{set(past), true, []time.Time{past}}, // as net/http ends a read
		{early, false, nil},
		{end, true, nil},
		{set(soon), true, nil},
		{begin, true, []time.Time{soon}},
		{end, true, nil},
		{set(past), true, nil},
		{begin, true, []time.Time{past}}, // a read that had not begun
		{early, false, nil},
		{set(time.Time{}), true, nil},
		{early, true, []time.Time{{}}},
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

func TestADeadlineEndsAReadThatWaits(t *testing.T) {
	here, there := net.Pipe()
	defer here.Close()
	defer there.Close()
	c := &pacedConn{fastConn: pipe{here}}
	if err := c.SetReadDeadline(time.Now().Add(time.Hour)); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() {
		_, err := c.Read(make([]byte, 1))
		ended <- err
	}()
	if err := c.SetReadDeadline(time.Unix(1, 0)); err != nil { // before the read begins, or while it waits
		t.Fatal(err)
	}
	if err := <-ended; !isTimeout(err) {
		t.Error(err)
	}
}

// pipe is a connection in memory.
type pipe struct{ net.Conn }

func (p pipe) ReadFrom(src io.Reader) (int64, error) { return io.Copy(p.Conn, src) }
