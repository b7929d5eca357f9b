package content

import (
	"bytes"
	"strings"
)

// Octets is the type of bytes that nobody should interpret.
const Octets = "application/octet-stream"

// inlineTypes are shown by browsers without harm (security rule C2, and PDF by
// decision 56).
var inlineTypes = map[string]bool{
	"image/png": true, "image/jpeg": true, "image/gif": true, "image/webp": true, "image/avif": true, "image/bmp": true,
	"image/x-icon": true, "image/vnd.microsoft.icon": true,
	"video/mp4": true, "video/webm": true, "video/ogg": true, "application/ogg": true,
	"audio/mpeg": true, "audio/mp4": true, "audio/ogg": true, "audio/wav": true, "audio/x-wav": true, "audio/wave": true,
	"audio/flac": true, "audio/x-flac": true, "audio/aac": true, "audio/webm": true, "audio/opus": true,
	"application/pdf": true,
}

// activeText are text types that a browser would render.
var activeText = map[string]bool{"text/html": true, "text/xml": true}

// code reports whether a page could load what has this type as a script, a
// style or a worker: from our own origin, which its content policy trusts. The
// types are those that browsers take for scripts (WHATWG MIME Sniffing, §4.6),
// and what resembles them.
func code(media string) bool {
	if media == "text/css" || media == "application/wasm" {
		return true
	}
	for _, part := range []string{"javascript", "ecmascript", "jscript", "livescript", "vbscript", "typescript", "coffeescript", "xsl"} {
		if strings.Contains(media, part) {
			return true
		}
	}
	return false
}

// TypeOf gives the type to send and whether it may be shown inline.
func TypeOf(stored string) (typ string, inline bool) {
	media := MediaType(stored)
	switch {
	case media == "" || !HeaderSafe(media):
		return Octets, false
	case inlineTypes[media]:
		return media, true
	case code(media):
		return PlainText[0], false
	case activeText[media]:
		return media + "; charset=utf-8", false
	case strings.HasPrefix(media, "text/"), media == "application/json":
		return PlainText[0], true
	}
	return media, false
}

// NamedType gives the type to send where nothing is shown: texts keep theirs,
// in UTF-8 (contract §7.14), but for scripts and styles.
func NamedType(stored string) string {
	media := MediaType(stored)
	switch {
	case media == "" || !HeaderSafe(media):
		return Octets
	case code(media):
		return PlainText[0]
	case strings.HasPrefix(media, "text/"):
		return media + "; charset=utf-8"
	}
	return media
}

// MediaType is a content type without its parameters, in lower case.
func MediaType(stored string) string {
	media, _, _ := strings.Cut(stored, ";")
	return strings.ToLower(strings.TrimSpace(media))
}

func HeaderSafe(media string) bool {
	if strings.Count(media, "/") != 1 {
		return false
	}
	for _, b := range []byte(media) {
		if b <= ' ' || b >= 0x7f || b == '"' || b == ',' || b == '\\' {
			return false
		}
	}
	return true
}

// sniffed reports whether the type is one whose first bytes are looked at.
func sniffed(stored string) bool { return inlineTypes[MediaType(stored)] }

// agrees reports whether first bytes that look like found fit the type told.
func agrees(told, found string) bool {
	told, found = MediaType(told), MediaType(found)
	kind := func(media string) string {
		if media == "application/ogg" {
			return "av"
		}
		major, _, _ := strings.Cut(media, "/")
		if major == "audio" || major == "video" {
			return "av"
		}
		if media == "application/pdf" {
			return media
		}
		return major
	}
	return found == Octets || kind(told) == kind(found)
}

// Disposition is the Content-Disposition of a name: the percent-encoded name
// as contract §7.14 has it, then the form of RFC 8187. Whatever the name
// holds, the value is plain ASCII without a line end or quote.
func Disposition(inline bool, name string) string {
	kind := "attachment"
	if inline {
		kind = "inline"
	}
	if name = strings.ToValidUTF8(name, "\uFFFD"); name == "" {
		return kind
	}
	safe := percent(name)
	return kind + `; filename="` + safe + `"; filename*=UTF-8''` + safe
}

// percent encodes everything but letters, digits and "-._~".
func percent(s string) string {
	const hexDigits = "0123456789ABCDEF"
	var b bytes.Buffer
	for _, c := range []byte(s) {
		switch {
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9', strings.IndexByte("-._~", c) >= 0:
			b.WriteByte(c)
		case c == '/' || c == '\\' || c < ' ' || c == 0x7f:
			b.WriteByte('_') // part of no name; a browser might take it for a folder
		default:
			b.WriteByte('%')
			b.WriteByte(hexDigits[c>>4])
			b.WriteByte(hexDigits[c&15])
		}
	}
	return b.String()
}
