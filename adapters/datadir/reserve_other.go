//go:build !linux

package datadir

import (
	"errors"
	"os"
)

// allocate knows no way here.
func allocate(*os.File, int64) error { return errors.ErrUnsupported }
