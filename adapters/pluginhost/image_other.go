//go:build !linux

package pluginhost

import (
	"errors"
	"os"
	"path/filepath"
)

// pinnedImage gives the path of a private copy whose bytes were compared while
// they were copied. The caller calls free once the process runs.
func pinnedImage(path, digest string) (image string, free func(), err error) {
	from, err := openProgram(path)
	if err != nil {
		return "", nil, unsafe(err)
	}
	defer from.Close()
	dir, err := os.MkdirTemp("", "pasteport-driver-") // 0700
	if err != nil {
		return "", nil, err
	}
	free = func() { os.RemoveAll(dir) }
	image = filepath.Join(dir, filepath.Base(path))
	to, err := os.OpenFile(image, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o500)
	if err == nil {
		err = errors.Join(copyPinned(to, from, path, digest), to.Close())
	}
	if err != nil {
		free()
		return "", nil, err
	}
	return image, free, nil
}

func idOf(info os.FileInfo) fileID {
	return fileID{size: info.Size(), modified: info.ModTime().UnixNano()}
}
