// Package filelock locks open files against other processes of this machine. The
// system gives a lock back when its file is closed or its process ends, however it
// ends. What is in the file can be read all the same.
package filelock

import "errors"

// ErrHeld is the answer of Try when another process has the lock.
var ErrHeld = errors.New("another process has the lock")
