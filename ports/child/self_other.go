//go:build !linux

package child

import "os"

// Self is the path of this program's file.
func Self() string {
	path, err := os.Executable()
	if err != nil {
		return os.Args[0]
	}
	return path
}
