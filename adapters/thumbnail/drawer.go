package thumbnail

import (
	"context"
	"io"

	"golang.org/x/sync/semaphore"

	"pasteport/ports"
)

// Drawer draws small pictures. Make it with New.
type Drawer struct {
	pixels *semaphore.Weighted // that may be decoded at once
}

var _ ports.Thumbnailer = (*Drawer)(nil)

// New returns a Drawer that decodes maxPixels at a time.
func New() *Drawer { return &Drawer{semaphore.NewWeighted(maxPixels)} }

// Draw implements ports.Thumbnailer.
func (d *Drawer) Draw(ctx context.Context, from io.Reader, side int) (ports.Picture, error) {
	return thumbnail(ctx, from, side, func(pixels int64) (func(), error) { return d.take(ctx, pixels) })
}

// take waits until so many pixels, at most maxPixels, may be decoded beside
// what is being decoded already; the answer gives them back.
func (d *Drawer) take(ctx context.Context, pixels int64) (give func(), err error) {
	if err := d.pixels.Acquire(ctx, pixels); err != nil {
		return nil, err
	}
	return func() { d.pixels.Release(pixels) }, nil
}
