package shares

import (
	"net/url"
	"slices"
	"strings"

	"pasteport/ports"
	"pasteport/ports/filetype"
)

// OctetStream is the type of files we know nothing about.
const OctetStream = filetype.OctetStream

// MimeType returns the media type of a file name by its extension.
func MimeType(name string) string { return filetype.ContentType(name) }

// TypeOf returns the code and the English name of a file's type, by the
// extension (contract §3.2).
func TypeOf(settings ports.Settings, name string) (code int, typeName string) {
	return filetype.Of(settings, name)
}

func extension(name string) string { return filetype.Extension(name) }

// inlineTypes may be shown by a browser on the storage's own origin; all other
// files are downloaded there.
var inlineTypes = strings.Fields(`image/png image/jpeg image/gif image/webp image/avif image/bmp image/vnd.microsoft.icon
	video/mp4 video/webm video/ogg audio/ogg audio/mpeg audio/wav audio/flac audio/aac audio/mp4 audio/webm application/pdf`)

// officeTypes are what the office viewers can show (contract §7.15).
var officeTypes = strings.Fields(`application/msword application/vnd.ms-excel application/vnd.ms-powerpoint
	application/vnd.openxmlformats-officedocument.presentationml.presentation
	application/vnd.openxmlformats-officedocument.spreadsheetml.sheet
	application/vnd.openxmlformats-officedocument.wordprocessingml.document`)

// directHeaders are what a storage link answers with: type and disposition of
// a file that is shown or downloaded outside this server.
func directHeaders(f *File, download bool) (contentType, disposition string) {
	contentType, kind := f.MimeType, "attachment"
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
	name := strings.ReplaceAll(url.QueryEscape(f.Filename), "+", "%20")
	return contentType, kind + `; filename="` + name + `"; filename*=UTF-8''` + name
}
