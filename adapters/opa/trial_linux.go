package opa

import "golang.org/x/sys/unix"

// limitMemory bounds the data of this process and forbids core files.
func limitMemory(bytes uint64) {
	_ = unix.Setrlimit(unix.RLIMIT_CORE, &unix.Rlimit{})
	_ = unix.Setrlimit(unix.RLIMIT_DATA, &unix.Rlimit{Cur: bytes, Max: bytes})
}
