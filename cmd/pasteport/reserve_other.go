//go:build !linux

package main

import (
	"errors"
	"os"
)

// allocate knows no way here.
func allocate(*os.File, int64) error { return errors.ErrUnsupported }
