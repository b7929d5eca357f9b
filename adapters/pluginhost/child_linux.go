package pluginhost

import "golang.org/x/sys/unix"

// forgoPrivileges gives up, for this thread and what it starts, the ways to gain
// privileges by running a program (setuid files, file capabilities).
func forgoPrivileges() { _ = unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) }

// limitChild forbids core files, which would hold credentials, and bounds the
// memory for data; 0 bytes means no bound.
func limitChild(pid int, memory int64) {
	_ = unix.Prlimit(pid, unix.RLIMIT_CORE, &unix.Rlimit{}, nil)
	if memory > 0 {
		_ = unix.Prlimit(pid, unix.RLIMIT_DATA, &unix.Rlimit{Cur: uint64(memory), Max: uint64(memory)}, nil)
	}
}
