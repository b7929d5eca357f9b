// Package sniff tells what a content is by its first bytes, whatever its name says.
package sniff

import (
	"strings"

	"github.com/gabriel-vasile/mimetype"
)

// TypeOf returns the media type of a content by its first bytes, without
// parameters; application/octet-stream for what it does not know.
func TypeOf(head []byte) string {
	media, _, _ := strings.Cut(mimetype.Detect(head).String(), ";")
	return strings.TrimSpace(media)
}
