//go:build !linux

package bulk

import (
	"errors"
	"syscall"
)

// Pipe is what only Linux has.
type Pipe struct{}

// NewPipe returns nil.
func NewPipe() *Pipe { return nil }

// Held is 0.
func (p *Pipe) Held() int { return 0 }

// Close does nothing.
func (p *Pipe) Close() {}

// Fill returns errors.ErrUnsupported.
func (p *Pipe) Fill(syscall.RawConn, int) (int, error) { return 0, errors.ErrUnsupported }

// Drain returns errors.ErrUnsupported.
func (p *Pipe) Drain(syscall.RawConn) (int, error) { return 0, errors.ErrUnsupported }
