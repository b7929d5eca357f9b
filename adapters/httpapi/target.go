package httpapi

import (
	"net/http"
	"net/url"
	"strings"
	"unicode/utf8"

	"pasteport/ports"
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

// readableQuery makes a semicolon in the query of u a character like others,
// as in RFC 3986 §3.4, and refuses escapes that are none. net/url would drop
// such a parameter, and the call would answer for another path.
func readableQuery(u *url.URL) error {
	query := u.RawQuery
	if strings.IndexByte(query, ';') >= 0 {
		query = strings.ReplaceAll(query, ";", "%3B")
		u.RawQuery = query
	}
	for {
		at := strings.IndexByte(query, '%')
		if at < 0 {
			return nil
		}
		if at+2 >= len(query) || !isHex(query[at+1]) || !isHex(query[at+2]) {
			return ports.InvalidInput("field_type", "query")
		}
		query = query[at+3:]
	}
}

func isHex(c byte) bool {
	return '0' <= c && c <= '9' || 'a' <= c && c <= 'f' || 'A' <= c && c <= 'F'
}
