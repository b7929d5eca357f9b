package httpapi

import (
	"net/http"
	"strings"
	"unicode/utf8"
)

// Bounds of a request's address (security rules for parsers; decision 34).
const (
	maxURL     = 8 << 10
	maxPath    = 4096
	maxSegment = 255
)

// blobPrefix is where signed links to stored objects lie; their tokens may be
// longer than a name.
const blobPrefix = "/api/blob/"

// checkTarget refuses an address that is not in its one clean form. Nothing
// is repaired: what passes here means the same to every layer below. inside is
// the path below the base path.
func checkTarget(r *http.Request, inside string) error {
	if len(r.RequestURI) > maxURL {
		return errLongURL
	}
	if !cleanTarget(r.URL.Path, strings.HasPrefix(inside, blobPrefix)) {
		return errPath
	}
	return nil
}

// cleanTarget reports whether a decoded path is absolute, valid UTF-8, within
// its bounds and free of empty, "." and ".." segments, backslashes and control
// characters. A slash at the end is a form. tokens allows segments of any
// length.
func cleanTarget(path string, tokens bool) bool {
	if path == "" || path[0] != '/' || len(path) > maxPath {
		return false
	}
	segment, ascii := 1, true // where the present segment begins
	for i := 1; i <= len(path); i++ {
		if i < len(path) {
			c := path[i]
			if c < ' ' || c == 0x7f || c == '\\' {
				return false
			}
			if c >= utf8.RuneSelf {
				ascii = false
			}
			if c != '/' {
				continue
			}
		}
		switch name := path[segment:i]; {
		case name == "" && i < len(path), name == ".", name == "..":
			return false
		case len(name) > maxSegment && !tokens:
			return false
		}
		segment = i + 1
	}
	return ascii || utf8.ValidString(path)
}
