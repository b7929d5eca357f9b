package portstest

import (
	"fmt"
	"math/rand/v2"
	"net"
	"sync"
	"testing"
)

// handedOut are the ports that FreeAddress has given.
var handedOut sync.Map

// FreeAddress gives an address that nobody else takes before the test does, or
// while nobody listens there for a while: its port is below those that the system
// hands out by itself.
func FreeAddress(t testing.TB) string {
	t.Helper()
	for range 1000 {
		port := 10_000 + rand.IntN(20_000)
		if _, known := handedOut.LoadOrStore(port, true); known {
			continue
		}
		address := fmt.Sprintf("127.0.0.1:%d", port)
		if l, err := net.Listen("tcp", address); err == nil {
			_ = l.Close()
			return address
		}
	}
	t.Fatal("no free port")
	return ""
}
