package zipped

import (
	"path"
	"strconv"
	"strings"
	"unicode"
)

// MaxName is how long a part of a name may be, in bytes.
const MaxName = 255

// Names makes the names of an archive: safe on every system, and each of them
// there once, also where upper and lower case are the same. The zero value is
// ready.
type Names struct{ taken map[string]bool }

// Of returns the name for something in a folder of the archive, which is "" or a
// name that Of made, ending in "/". That of a folder ends in "/", too.
func (n *Names) Of(in, name string, folder bool) string {
	if n.taken == nil {
		n.taken = map[string]bool{}
	}
	stem, ext := Safe(name), ""
	if !folder {
		if ext = path.Ext(stem); len(ext) == len(stem) || len(ext) > 20 {
			ext = ""
		}
		stem = strings.TrimSuffix(stem, ext)
	}
	for i := 0; ; i++ {
		number := ""
		if i > 0 {
			number = "(" + strconv.Itoa(i) + ")"
		}
		free := in + Cut(stem, MaxName-len(ext)-len(number)) + number + ext
		if key := strings.ToLower(free); !n.taken[key] {
			n.taken[key] = true
			if folder {
				free += "/"
			}
			return free
		}
	}
}

// Safe makes a name one part of a path that every system takes for a plain name:
// no separator, drive, control character or device, and no dot or blank at the
// end.
func Safe(name string) string {
	name = strings.Map(func(r rune) rune {
		switch {
		case strings.ContainsRune(`/\<>:"|?*`, r), unicode.IsControl(r), r == unicode.ReplacementChar, unicode.Is(unicode.Bidi_Control, r):
			return '_'
		}
		return r
	}, strings.ToValidUTF8(name, "_"))
	name = strings.TrimRight(strings.TrimLeft(name, " "), ". ")
	if stem, _, _ := strings.Cut(name, "."); device(stem) {
		name = "_" + name
	}
	if name == "" {
		return "_"
	}
	return Cut(name, MaxName)
}

// device reports whether a name is one of those that Windows keeps for devices.
func device(stem string) bool {
	switch stem = strings.ToUpper(strings.TrimRight(stem, " ")); stem {
	case "CON", "PRN", "AUX", "NUL", "CONIN$", "CONOUT$":
		return true
	}
	kind, number := strings.TrimRight(stem, "0123456789¹²³"), strings.TrimLeft(stem, "COMLPT")
	return (kind == "COM" || kind == "LPT") && number != "" && len([]rune(number)) == 1
}
