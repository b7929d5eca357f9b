// Package shown says how files are shown outside of this server: what storage
// links answer with, and what office viewers take.
package shown

import (
	"net/url"
	"slices"
	"strings"
)

// inlineTypes may be shown by a browser on the storage's own origin; all other
// files are downloaded there.
var inlineTypes = strings.Fields(`image/png image/jpeg image/gif image/webp image/avif image/bmp image/vnd.microsoft.icon
	video/mp4 video/webm video/ogg audio/ogg audio/mpeg audio/wav audio/flac audio/aac audio/mp4 audio/webm application/pdf`)

// Office reports whether the office viewers can show a media type.
func Office(contentType string) bool { return slices.Contains(officeTypes, contentType) }

// officeTypes are what the office viewers can show (contract §7.15).
var officeTypes = strings.Fields(`application/msword application/vnd.ms-excel application/vnd.ms-powerpoint
	application/vnd.openxmlformats-officedocument.presentationml.presentation
	application/vnd.openxmlformats-officedocument.spreadsheetml.sheet
	application/vnd.openxmlformats-officedocument.wordprocessingml.document`)

// Headers are what a storage link answers with: type and disposition of
// a file that is shown or downloaded outside this server.
func Headers(filename, contentType string, download bool) (shownAs, disposition string) {
	kind := "attachment"
	switch {
	case strings.HasPrefix(contentType, "text/"):
		contentType = "text/plain; charset=utf-8"
		kind = "inline"
	case slices.Contains(inlineTypes, contentType):
		kind = "inline"
	}
	if download {
		kind = "attachment"
	}
	name := strings.ReplaceAll(url.QueryEscape(filename), "+", "%20")
	return contentType, kind + `; filename="` + name + `"; filename*=UTF-8''` + name
}
