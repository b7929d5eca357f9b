package opa

import (
	"syscall"

	"golang.org/x/sys/unix"
)

// selfPath names this program's file even after it was replaced on the disk.
func selfPath() string { return "/proc/self/exe" }

// trialAttributes ends the child with us, whatever ends us.
func trialAttributes() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL, Setpgid: true}
}

// limitMemory bounds the data of this process and forbids core files.
func limitMemory(bytes uint64) {
	_ = unix.Setrlimit(unix.RLIMIT_CORE, &unix.Rlimit{})
	_ = unix.Setrlimit(unix.RLIMIT_DATA, &unix.Rlimit{Cur: bytes, Max: bytes})
}

func killGroup(pid int) error { return unix.Kill(-pid, unix.SIGKILL) }
