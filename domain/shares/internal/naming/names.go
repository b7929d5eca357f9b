// Package naming holds the rules of what clients may call things: file names,
// object keys and slugs.
package naming

import (
	"strings"
	"unicode/utf8"

	"pasteport/ports"
)

// Bounds of names in storage (S3 API, object keys).
const (
	MaxSegment = 255  // bytes
	MaxKey     = 1024 // bytes
	maxPath    = 4096 // bytes
	SuffixLen  = 6    // random characters after the base of a name
)

// replacer makes a name that every storage and every desktop accepts.
var replacer = strings.NewReplacer("<", "_", ">", "_", ":", "_", `"`, "_", "|", "_", "?", "_", "*", "_", "/", "_")

// CheckFile refuses names with backslashes, control characters, dot or
// empty segments and broken UTF-8. They are refused, not repaired.
func CheckFile(name string) error {
	if name == "" || len(name) > MaxSegment || !Clean(name) {
		return ports.InvalidInput("filename_invalid", "filename")
	}
	for segment := range strings.SplitSeq(name, "/") {
		if segment == "" || segment == "." || segment == ".." {
			return ports.InvalidInput("filename_invalid", "filename")
		}
	}
	return nil
}

// folder returns the segments of a folder joined again. Empty segments are
// dropped, because old forms send them; dot segments are refused.
func folder(path string) (string, error) {
	if len(path) > maxPath || !Clean(path) {
		return "", ports.InvalidInput("path_unclean", "path")
	}
	var segments []string
	for segment := range strings.SplitSeq(path, "/") {
		switch {
		case segment == "":
		case segment == "." || segment == "..", len(segment) > MaxSegment:
			return "", ports.InvalidInput("path_unclean", "path")
		default:
			segments = append(segments, segment)
		}
	}
	return strings.Join(segments, "/"), nil
}

func Clean(s string) bool {
	return utf8.ValidString(s) && !strings.ContainsFunc(s, func(r rune) bool { return r < 0x20 || r == 0x7f || r == '\\' })
}

// Stored is the last segment of an object key: base and extension with
// the characters that some systems refuse replaced, and a random suffix between
// them when one is given. Only short is the base cut to 50 characters.
func Stored(name, suffix string, short bool) string {
	base, ext := name, ""
	if dot := strings.LastIndexByte(name, '.'); dot > 0 {
		base, ext = name[:dot], name[dot:]
	}
	base, ext = replacer.Replace(base), replacer.Replace(ext)
	if short {
		base = firstRunes(base, 50)
	}
	if suffix != "" {
		suffix = "-" + suffix
	}
	for len(base)+len(suffix)+len(ext) > MaxSegment && base != "" {
		_, size := utf8.DecodeLastRuneInString(base)
		base = base[:len(base)-size]
	}
	return base + suffix + ext
}

// Key joins the default folder of a storage, a folder and a name.
func Key(defaultFolder, path, name string) (string, error) {
	front, err := folder(defaultFolder)
	if err != nil {
		return "", err
	}
	middle, err := folder(path)
	if err != nil {
		return "", err
	}
	key := name
	for _, part := range []string{middle, front} {
		if part != "" {
			key = part + "/" + key
		}
	}
	if len(key) > MaxKey {
		return "", ports.InvalidInput("path_unclean", "path")
	}
	return key, nil
}

func firstRunes(s string, n int) string {
	for i := range s {
		if n == 0 {
			return s[:i]
		}
		n--
	}
	return s
}

// Safe replaces what no file name may hold, and cuts the front part of a
// name that is too long.
func Safe(name string) string {
	name = strings.Map(func(r rune) rune {
		if r < 0x20 || r == 0x7f || r == '\\' || r == '/' || r == utf8.RuneError {
			return '_'
		}
		return r
	}, strings.ToValidUTF8(name, "_"))
	if len(name) <= MaxSegment {
		return name
	}
	ext := ""
	if dot := strings.LastIndexByte(name, '.'); dot > 0 && len(name)-dot <= 20 {
		ext = name[dot:]
	}
	base := name[:MaxSegment-len(ext)]
	for !utf8.ValidString(base) {
		base = base[:len(base)-1]
	}
	return base + ext
}
