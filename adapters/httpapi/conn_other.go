//go:build !linux

package httpapi

import "net"

// boundUnsent is left to the system's own bounds here.
func boundUnsent(net.Conn) {}
