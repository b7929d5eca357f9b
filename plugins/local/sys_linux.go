package local

import (
	"os"
	"strconv"
	"time"

	"golang.org/x/sys/unix"
)

const (
	attrFile   = "user.pasteport.object"
	attrFolder = "user.pasteport.implicit"
)

// withFD runs fn on f's descriptor without changing how f is polled.
func withFD(f *os.File, fn func(fd int) error) error {
	conn, err := f.SyscallConn()
	if err != nil {
		return err
	}
	var inner error
	if err := conn.Control(func(fd uintptr) { inner = fn(int(fd)) }); err != nil {
		return err
	}
	return inner
}

func toInfo(st *unix.Stat_t) fileInfo {
	return fileInfo{size: st.Size, modTime: time.Unix(st.Mtim.Unix()), inode: st.Ino, changed: time.Unix(st.Ctim.Unix())}
}

func statFile(f *os.File) (fi fileInfo, err error) {
	err = withFD(f, func(fd int) error {
		var st unix.Stat_t
		err := unix.Fstat(fd, &st)
		fi = toInfo(&st)
		return err
	})
	return fi, err
}

// statIn describes the plain entry name of the open folder d with its
// attribute. It follows no link.
func statIn(d *os.File, name string) (fi fileInfo, attribute []byte, err error) {
	err = withFD(d, func(fd int) error {
		var st unix.Stat_t
		if err := unix.Fstatat(fd, name, &st, unix.AT_SYMLINK_NOFOLLOW); err != nil {
			return err
		}
		fi = toInfo(&st)
		buf := make([]byte, 512)
		n, err := unix.Lgetxattr("/proc/self/fd/"+strconv.Itoa(fd)+"/"+name, attrFile, buf)
		if err == nil {
			attribute = buf[:n]
		}
		return nil
	})
	return fi, attribute, err
}

// getAttr returns the attribute of an open file, nil when it has none.
func getAttr(f *os.File) []byte {
	buf := make([]byte, 512)
	n := 0
	err := withFD(f, func(fd int) (err error) {
		n, err = unix.Fgetxattr(fd, attrFile, buf)
		return err
	})
	if err != nil {
		return nil
	}
	return buf[:n]
}

// setAttr stores the attribute. File systems without attributes refuse; then
// the object is described by size, time and inode.
func setAttr(f *os.File, value []byte) error {
	return withFD(f, func(fd int) error { return unix.Fsetxattr(fd, attrFile, value, 0) })
}

func setImplicitAttr(d *os.File, implicit bool) error {
	return withFD(d, func(fd int) error {
		if implicit {
			return unix.Fsetxattr(fd, attrFolder, []byte("1"), 0)
		}
		err := unix.Fremovexattr(fd, attrFolder)
		if err == unix.ENODATA {
			return nil
		}
		return err
	})
}

func hasImplicitAttr(d *os.File) bool {
	return withFD(d, func(fd int) error {
		_, err := unix.Fgetxattr(fd, attrFolder, make([]byte, 8))
		return err
	}) == nil
}

// hold tells sweeps that f is being written, until it is closed. It is false when
// one has removed f already.
func hold(f *os.File) bool {
	return withFD(f, func(fd int) error {
		_ = unix.Flock(fd, unix.LOCK_EX) // where there are no locks, sweeps go by age
		var st unix.Stat_t
		if err := unix.Fstat(fd, &st); err == nil && st.Nlink == 0 {
			return unix.ENOENT
		}
		return nil
	}) == nil
}

// tryHold reports whether nobody holds f, which the caller does from now on.
// known is false where the file system cannot tell.
func tryHold(f *os.File) (free, known bool) {
	err := withFD(f, func(fd int) error { return unix.Flock(fd, unix.LOCK_EX|unix.LOCK_NB) })
	return err == nil, err == nil || err == unix.EWOULDBLOCK
}

// diskSpace returns size and room for ordinary users of dir's disk, in bytes.
func diskSpace(dir string) (total, free int64, err error) {
	var st unix.Statfs_t
	if err := unix.Statfs(dir, &st); err != nil {
		return 0, 0, err
	}
	return int64(st.Blocks) * int64(st.Bsize), int64(st.Bavail) * int64(st.Bsize), nil
}
