package mounts

import (
	"regexp"
	"strconv"
	"strings"
)

// numberAtEnd is what an earlier conflict put behind a name.
var numberAtEnd = regexp.MustCompile(`\([1-9][0-9]*\)$`)

// Numbered returns the n-th other name for one that is taken: "a(1)" and
// "a(1).txt". Counting begins anew from the bare name, so the first other name
// of the folder "a(4)" is "a(1)" too (contract §4.12).
func Numbered(name string, folder bool, n int) string {
	base, ext := splitName(name, folder)
	if bare := numberAtEnd.ReplaceAllString(base, ""); bare != "" {
		base = bare
	}
	return FitName(base, "("+strconv.Itoa(n)+")", ext)
}

// Suffixed returns "name-suffix.ext".
func Suffixed(name, suffix string) string {
	base, ext := splitName(name, false)
	return FitName(base, "-"+suffix, ext)
}

// splitName cuts the extension off a file's name; folders and names that only
// begin with a dot have none.
func splitName(name string, folder bool) (base, ext string) {
	if dot := strings.LastIndexByte(name, '.'); dot > 0 && !folder {
		return name[:dot], name[dot:]
	}
	return name, ""
}

// FitName joins the parts of a name and shortens the base where they would be
// longer than a segment may be.
func FitName(base, middle, ext string) string {
	for runes := []rune(base); len(base)+len(middle)+len(ext) > MaxSegment && len(runes) > 1; {
		runes = runes[:len(runes)-1]
		base = string(runes)
	}
	return base + middle + ext
}
