//go:build bench

package main

import (
	"bufio"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"pasteport/ports/portstest"
)

// A relay is the least that can stand between a reader and an object store on one
// machine: it sends a request on, looks at no answer, and lets the kernel move the
// bytes from one connection to the other ("splice"), or moves them through 512 KiB
// of memory ("copy"). What a proxied read misses of it is ours; what it misses of a
// direct read itself is the price of a third process on the same processors.

const relayVariable = "PASTEPORT_BENCH_RELAY"

// startRelay starts a relay to an address in a process of its own.
func startRelay(t *testing.T, way, to string) (address string, pid int) {
	at := portstest.FreeAddress(t)
	cmd := exec.Command(os.Args[0], "-test.run=^TestRelay$", "-test.timeout=2h")
	cmd.Env = append(os.Environ(), relayVariable+"="+strings.Join([]string{way, at, to}, " "))
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { cmd.Process.Kill(); cmd.Wait() })
	portstest.Eventually(t, func() bool {
		c, err := net.DialTimeout("tcp", at, time.Second)
		if err == nil {
			c.Close()
		}
		return err == nil
	}, "the relay starts")
	return at, cmd.Process.Pid
}

// TestRelay is the relay itself; it ends with its process.
func TestRelay(t *testing.T) {
	fields := strings.Fields(os.Getenv(relayVariable))
	if len(fields) != 3 {
		t.Skip("started by a bench")
	}
	l, err := net.Listen("tcp", fields[1])
	for err == nil {
		var c net.Conn
		if c, err = l.Accept(); err == nil {
			go passOn(c.(*net.TCPConn), fields[0] == "copy", fields[2])
		}
	}
	t.Fatal(err)
}

func passOn(c *net.TCPConn, copies bool, to string) {
	defer c.Close()
	r, err := http.ReadRequest(bufio.NewReader(c))
	if err != nil {
		return
	}
	up, err := net.Dial("tcp", to)
	if err != nil {
		return
	}
	defer up.Close()
	r.Host, r.Close = to, true
	if r.Write(up) != nil {
		return
	}
	if copies {
		io.CopyBuffer(struct{ io.Writer }{c}, struct{ io.Reader }{up}, make([]byte, 512<<10))
	} else {
		io.Copy(c, up)
	}
}
