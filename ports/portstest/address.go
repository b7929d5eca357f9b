package portstest

import (
	"errors"
	"math/rand/v2"
	"net"
	"strconv"
	"sync"
	"testing"
)

// FreeAddress gives an address that nobody else takes before the test does, or
// while nobody listens there for a while.
func FreeAddress(t testing.TB) string {
	t.Helper()
	port, err := freePort()
	if err != nil {
		t.Fatal(err)
	}
	return net.JoinHostPort("127.0.0.1", port)
}

// handedOut are the ports that freePort has given.
var handedOut sync.Map

// freePort gives a port below those that the system hands out by itself, where nobody
// answers. It does not listen there to find out: a process that another test starts at
// that moment would hold the port for a while.
func freePort() (string, error) {
	for range 1000 {
		port := strconv.Itoa(10_000 + rand.IntN(20_000))
		if _, known := handedOut.LoadOrStore(port, true); known {
			continue
		}
		c, err := net.Dial("tcp", net.JoinHostPort("127.0.0.1", port))
		if err != nil {
			return port, nil
		}
		_ = c.Close()
	}
	return "", errors.New("no free port")
}
