package listen

import (
	"net"
	"syscall"
)

// tcpNotSentLowAt is TCP_NOTSENT_LOWAT of linux/tcp.h.
const tcpNotSentLowAt = 25

// boundUnsent keeps the kernel from taking in megabytes for each slow reader: at
// most so many bytes wait there.
func boundUnsent(c net.Conn, bytes int) {
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
		_ = syscall.SetsockoptInt(int(fd), syscall.IPPROTO_TCP, tcpNotSentLowAt, bytes)
	})
}
