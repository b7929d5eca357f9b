package bulk_test

import (
	"bytes"
	"errors"
	"io"
	"net"
	"os"
	"syscall"
	"testing"
	"time"

	"pasteport/ports/bulk"
)

// connected are both ends of a connection over loopback.
func connected(t *testing.T) (here, there *net.TCPConn, raw syscall.RawConn) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = l.Close() }()
	a, err := net.Dial("tcp", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	b, err := l.Accept()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _, _ = a.Close(), b.Close() })
	here, there = a.(*net.TCPConn), b.(*net.TCPConn)
	if raw, err = here.SyscallConn(); err != nil {
		t.Fatal(err)
	}
	return here, there, raw
}

func TestAPipeMovesAllBytesInTheirOrder(t *testing.T) {
	_, sender, from := connected(t)
	_, reader, to := connected(t)
	data := bytes.Repeat([]byte("0123456789abcdef"), 200_000)
	go func() {
		_, _ = sender.Write(data)
		_ = sender.Close()
	}()
	got := make(chan []byte, 1)
	go func() {
		all, _ := io.ReadAll(reader)
		got <- all
	}()
	p := bulk.NewPipe()
	defer p.Close()
	sent := 0
	for {
		n, err := p.Fill(from, bulk.Large)
		if err == io.EOF {
			break
		}
		if err != nil || p.Held() != n {
			t.Fatalf("%d bytes, %d held, %v", n, p.Held(), err)
		}
		if n, err = p.Drain(to); err != nil || p.Held() != 0 {
			t.Fatalf("%d bytes, %d held, %v", n, p.Held(), err)
		}
		sent += n
	}
	_ = to.Control(func(fd uintptr) { _ = syscall.Shutdown(int(fd), syscall.SHUT_WR) })
	if all := <-got; sent != len(data) || !bytes.Equal(all, data) {
		t.Errorf("%d bytes went, %d came, of %d", sent, len(all), len(data))
	}
}

func TestAPipeObeysTheDeadlinesOfBothSides(t *testing.T) {
	here, sender, from := connected(t)
	p := bulk.NewPipe()
	defer p.Close()
	past := time.Unix(1, 0)
	_ = here.SetReadDeadline(past)
	if _, err := p.Fill(from, bulk.Large); !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("filled: %v", err)
	}
	_ = here.SetReadDeadline(time.Time{})
	_, _ = sender.Write([]byte("x"))
	if n, err := p.Fill(from, bulk.Large); n != 1 || err != nil {
		t.Fatalf("%d bytes, %v", n, err)
	}
	_ = here.SetWriteDeadline(past)
	if _, err := p.Drain(from); !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("drained: %v", err)
	}
}
