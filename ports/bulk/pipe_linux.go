package bulk

import (
	"io"
	"syscall"
)

// Flags and the size of pipes, of linux/fcntl.h and linux/splice.h.
const (
	setPipeSize  = 1031 // F_SETPIPE_SZ
	spliceMove   = 1
	spliceNoWait = 2
)

// Pipe holds bytes that are on their way from one connection to another, in the
// kernel.
type Pipe struct {
	out, in int // descriptors
	held    int
}

// NewPipe makes an empty pipe for up to Large bytes; nil where the system has none
// to give. The caller closes it.
func NewPipe() *Pipe {
	var ends [2]int
	if syscall.Pipe2(ends[:], syscall.O_CLOEXEC|syscall.O_NONBLOCK) != nil {
		return nil
	}
	// A smaller one does as well, in more pieces.
	_, _, _ = syscall.Syscall(syscall.SYS_FCNTL, uintptr(ends[1]), setPipeSize, Large)
	return &Pipe{out: ends[0], in: ends[1]}
}

// Held is how many bytes are in the pipe.
func (p *Pipe) Held() int { return p.held }

// Close gives the pipe back, with what is in it.
func (p *Pipe) Close() {
	_ = syscall.Close(p.out)
	_ = syscall.Close(p.in)
}

// Fill moves up to most bytes from a connection into the empty pipe. It waits for
// the first of them, until the deadline of the connection. Returns io.EOF at its end.
func (p *Pipe) Fill(from syscall.RawConn, most int) (n int, err error) {
	failed := from.Read(func(fd uintptr) bool {
		n, err = splice(int(fd), p.in, most)
		return err != syscall.EAGAIN
	})
	switch {
	case failed != nil:
		return 0, failed
	case err != nil:
		return 0, err
	case n == 0:
		return 0, io.EOF
	}
	p.held = n
	return n, nil
}

// Drain moves what the pipe holds into a connection, until the deadline of that.
func (p *Pipe) Drain(to syscall.RawConn) (sent int, err error) {
	for p.held > 0 {
		var n int
		failed := to.Write(func(fd uintptr) bool {
			n, err = splice(p.out, int(fd), p.held)
			return err != syscall.EAGAIN
		})
		switch {
		case failed != nil:
			return sent, failed
		case err != nil:
			return sent, err
		case n == 0:
			return sent, io.ErrUnexpectedEOF
		}
		p.held -= n
		sent += n
	}
	return sent, nil
}

func splice(from, to, most int) (int, error) {
	for {
		n, err := syscall.Splice(from, nil, to, nil, most, spliceMove|spliceNoWait)
		if err != syscall.EINTR {
			return int(n), err
		}
	}
}
