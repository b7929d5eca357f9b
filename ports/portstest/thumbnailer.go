package portstest

import (
	"bytes"
	"context"
	"image"
	"image/jpeg"
	_ "image/png" // read
	"io"

	"pasteport/ports"
)

// Thumbnailer draws black pictures of the form of JPEG and PNG files.
type Thumbnailer struct{}

var _ ports.Thumbnailer = Thumbnailer{}

// Draw implements ports.Thumbnailer.
func (Thumbnailer) Draw(_ context.Context, from io.Reader, side int) (ports.Picture, error) {
	large, _, err := image.DecodeConfig(from)
	if err != nil {
		return ports.Picture{}, ports.ErrNoThumbnail.With(err)
	}
	longer := max(large.Width, large.Height)
	side = min(side, longer)
	var out bytes.Buffer
	err = jpeg.Encode(&out, image.NewGray(image.Rect(0, 0, large.Width*side/longer, large.Height*side/longer)), nil)
	return ports.Picture{Bytes: out.Bytes(), Type: "image/jpeg"}, err
}
