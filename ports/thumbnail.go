package ports

import (
	"context"
	"io"
)

// Thumbnailer draws small pictures of large ones. It is safe for concurrent use.
type Thumbnailer interface {
	// Draw reads a picture and returns one whose longer side is so many pixels at
	// most, the way up that its camera was held; none is made larger than it is.
	// It bounds the memory of all that is drawn at once, and waits for its turn.
	// It ends soon after ctx.
	//
	// Returns ErrNoThumbnail for what is no picture that it reads, or takes too
	// much memory or time; errors of from and ctx come back as they are.
	Draw(ctx context.Context, from io.Reader, side int) (Picture, error)
}

// Picture is an encoded picture. Its bytes must not be changed.
type Picture struct {
	Bytes []byte
	Type  string // image/jpeg or image/png
}

// ErrNoThumbnail says that no small picture is made of a file: of its kind, or
// of one so large, or so broken.
var ErrNoThumbnail = &Error{Code: Unsupported, Key: "unsupported_media", Text: "no_thumbnail"}
