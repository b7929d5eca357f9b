package mounts

import (
	"path"
	"strings"
	"unicode/utf8"

	"pasteport/ports"
)

// Bounds of paths, in bytes (contract §1.2).
const (
	MaxPath    = 4096
	MaxSegment = 255
)

// Clean returns the canonical form of a path and whether it was written as a
// folder, with "/" at its end. The canonical form starts with "/" and, but for
// the root, does not end in it; a missing "/" at the front is added. Anything
// else that is not canonical ("//", ".", "..", backslash, control characters,
// invalid UTF-8, a path over 4096 or a segment over 255 bytes) is Invalid: it
// is refused, never repaired (contract §1.2).
func Clean(p string) (clean string, folder bool, err error) {
	if len(p) > MaxPath {
		return "", false, ports.InvalidInput("path_too_long", "path")
	}
	if !strings.HasPrefix(p, "/") {
		p = "/" + p
	}
	if p == "/" {
		return "/", true, nil
	}
	clean, folder = strings.CutSuffix(p, "/")
	for segment := range strings.SplitSeq(clean[1:], "/") {
		if err := CheckName(segment); err != nil {
			return "", false, err
		}
	}
	return clean, folder, nil
}

// CheckName returns Invalid when name cannot be one segment of a path.
func CheckName(name string) error {
	switch {
	case name == "" || name == "." || name == "..", strings.ContainsAny(name, "/\\"), !utf8.ValidString(name):
		return ports.InvalidInput("path_invalid", "path")
	case len(name) > MaxSegment:
		return ports.InvalidInput("path_too_long", "path")
	}
	for _, r := range name {
		if r < 0x20 || r == 0x7f {
			return ports.InvalidInput("path_invalid", "path")
		}
	}
	return nil
}

// Join returns the path of name inside the folder dir; both are canonical.
func Join(dir, name string) string {
	if dir == "/" {
		return "/" + name
	}
	return dir + "/" + name
}

// Parent returns the folder that holds a canonical path; "/" holds itself.
func Parent(p string) string { return path.Dir(p) }

// Base returns the last segment of a canonical path; empty for "/".
func Base(p string) string {
	if p == "/" {
		return ""
	}
	return path.Base(p)
}

// Within reports whether the canonical path p is base or lies below it, segment
// by segment: /a/b holds /a/b/c and not /a/bc.
func Within(base, p string) bool {
	return base == "/" || p == base || len(p) > len(base) && p[len(base)] == '/' && p[:len(base)] == base
}

// Above reports whether p lies strictly above base: on the way from the root to it.
func Above(base, p string) bool { return p != base && Within(p, base) }

// Step returns the next segment from the folder dir towards the path below it.
func Step(dir, below string) string {
	rest := strings.TrimPrefix(strings.TrimPrefix(below, dir), "/")
	name, _, _ := strings.Cut(rest, "/")
	return name
}

func Slashed(path string, folder bool) string {
	if folder && path != "/" {
		return path + "/"
	}
	return path
}
