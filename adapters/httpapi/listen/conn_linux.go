package listen

import (
	"net"
	"syscall"
)

// unsentBytes is how much of an answer may wait in the kernel for a reader that
// does not keep up. What is under way to a far reader is not bounded by it.
const unsentBytes = 128 << 10

// tcpNotSentLowAt is TCP_NOTSENT_LOWAT of linux/tcp.h.
const tcpNotSentLowAt = 25

// boundUnsent keeps the kernel from taking in megabytes for each slow reader.
func boundUnsent(c net.Conn) {
	tcp, ok := c.(syscall.Conn)
	if !ok {
		return
	}
	raw, err := tcp.SyscallConn()
	if err != nil {
		return
	}
	// Without it the connection works as well, with more memory.
	_ = raw.Control(func(fd uintptr) {
		_ = syscall.SetsockoptInt(int(fd), syscall.IPPROTO_TCP, tcpNotSentLowAt, unsentBytes)
	})
}
