package process

import (
	"bufio"
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// dropProgramPages gives back the pages of the program file that were read
// for the start or for work that is over: code and tables of this program are
// mapped read-only, so what is needed again comes from the page cache at once.
// It halves what an idle server holds, and more of what a driver holds.
func dropProgramPages() {
	program, err := os.Readlink("/proc/self/exe")
	if err != nil {
		return
	}
	maps, err := os.Open("/proc/self/maps")
	if err != nil {
		return
	}
	defer maps.Close()
	for lines := bufio.NewScanner(maps); lines.Scan(); {
		fields := strings.Fields(lines.Text())
		if len(fields) < 6 || fields[5] != program || strings.Contains(fields[1], "w") {
			continue
		}
		from, to, _ := strings.Cut(fields[0], "-")
		start, err1 := strconv.ParseUint(from, 16, 64)
		end, err2 := strconv.ParseUint(to, 16, 64)
		if err1 == nil && err2 == nil {
			// It is advice: an error changes nothing.
			_, _, _ = syscall.Syscall(syscall.SYS_MADVISE, uintptr(start), uintptr(end-start), syscall.MADV_DONTNEED)
		}
	}
}

// processorTime is what this process has used so far.
func processorTime() time.Duration {
	var use syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &use); err != nil {
		return 0
	}
	return time.Duration(use.Utime.Nano() + use.Stime.Nano())
}

// memoryLimit is how much memory the system lets this process use, in bytes; 0
// when it sets no limit.
func memoryLimit() int64 {
	groups, err := os.ReadFile("/proc/self/cgroup")
	if err != nil {
		return 0
	}
	return groupLimit(string(groups), "/sys/fs/cgroup")
}

// groupLimit is the smallest memory limit of the control groups that the lines of
// /proc/self/cgroup name and of those above them, below root (cgroups(7)). In a
// container the names may be those outside of it; the group at root is then the
// own one.
func groupLimit(lines, root string) int64 {
	const none = 1 << 62 // version 1 writes a number near it for "no limit"
	limit := int64(none)
	for line := range strings.Lines(lines) {
		fields := strings.SplitN(strings.TrimSpace(line), ":", 3)
		if len(fields) != 3 {
			continue
		}
		dir, file := root, "memory.max"
		switch {
		case fields[1] == "": // version 2
		case slices.Contains(strings.Split(fields[1], ","), "memory"):
			dir, file = filepath.Join(root, "memory"), "memory.limit_in_bytes"
		default:
			continue
		}
		for at := filepath.Clean("/" + fields[2]); ; at = filepath.Dir(at) {
			text, err := os.ReadFile(filepath.Join(dir, at, file))
			if n, bad := strconv.ParseInt(strings.TrimSpace(string(text)), 10, 64); err == nil && bad == nil && n > 0 {
				limit = min(limit, n)
			}
			if at == "/" {
				break
			}
		}
	}
	if limit == none {
		return 0
	}
	return limit
}

// clockTicks is the unit of processor times in /proc, per second: it is the
// same on all Linux systems that Go runs on.
const clockTicks = 100

// Use tells what another process uses: resident memory in bytes, and
// processor time. known is false when it does not run.
func Use(pid int) (resident int64, cpu time.Duration, known bool) {
	if pid <= 0 {
		return 0, 0, false
	}
	data, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return 0, 0, false
	}
	// The name stands in parentheses and may hold anything; the third field
	// follows it.
	fields := strings.Fields(string(data[bytes.LastIndexByte(data, ')')+1:]))
	if len(fields) < 22 {
		return 0, 0, false
	}
	user, err1 := strconv.ParseInt(fields[11], 10, 64)
	system, err2 := strconv.ParseInt(fields[12], 10, 64)
	pages, err3 := strconv.ParseInt(fields[21], 10, 64)
	if err1 != nil || err2 != nil || err3 != nil {
		return 0, 0, false
	}
	return pages * int64(os.Getpagesize()), time.Duration(user+system) * time.Second / clockTicks, true
}
