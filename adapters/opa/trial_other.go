//go:build !linux && !windows

package opa

import (
	"os"
	"syscall"
)

func selfPath() string {
	path, err := os.Executable()
	if err != nil {
		return os.Args[0]
	}
	return path
}

func trialAttributes() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }

func limitMemory(uint64) {}

func killGroup(pid int) error { return syscall.Kill(-pid, syscall.SIGKILL) }
