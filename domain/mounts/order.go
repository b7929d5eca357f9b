package mounts

import (
	"cmp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Order is how a listing is sorted. The zero value is by name, ascending.
// Folders always come first.
type Order struct {
	By   string // "name" (also ""), "size" or "modified"
	Desc bool
}

// valid reports whether there is such an order.
func (o Order) valid() bool {
	return o.By == "" || o.By == "name" || o.By == "size" || o.By == "modified"
}

// byName reports whether it is the order in which listings are kept.
func (o Order) byName() bool { return (o.By == "" || o.By == "name") && !o.Desc }

// compare orders two items of a folder.
func (o Order) compare(a, b *item) int {
	if a.folder != b.folder {
		if a.folder {
			return -1
		}
		return 1
	}
	n := 0
	switch o.By {
	case "size":
		n = cmp.Compare(a.size, b.size)
	case "modified":
		n = cmp.Compare(a.modified, b.modified)
	}
	if n == 0 {
		n = natural(a.name, b.name)
	}
	if n == 0 { // a virtual folder has the name of nothing else
		return 0
	}
	if o.Desc {
		return -n
	}
	return n
}

// natural compares names as people sort them: without regard to case, and runs
// of digits by their number; ties by code point (contract §4.1).
func natural(a, b string) int {
	x, y := a, b
	for x != "" && y != "" {
		if digit(x[0]) && digit(y[0]) {
			var m, n string
			m, x = digits(x)
			n, y = digits(y)
			if c := cmp.Or(cmp.Compare(len(m), len(n)), strings.Compare(m, n)); c != 0 {
				return c
			}
			continue
		}
		r, rest := folded(x)
		s, other := folded(y)
		if r != s {
			return cmp.Compare(r, s)
		}
		x, y = rest, other
	}
	return cmp.Or(cmp.Compare(len(x), len(y)), strings.Compare(a, b))
}

func digit(c byte) bool { return '0' <= c && c <= '9' }

// digits cuts the digits from the front of s, without leading zeros.
func digits(s string) (run, rest string) {
	end := 0
	for end < len(s) && digit(s[end]) {
		end++
	}
	return strings.TrimLeft(s[:end], "0"), s[end:]
}

// folded cuts the first character from s, in lower case.
func folded(s string) (first rune, rest string) {
	if c := s[0]; c < utf8.RuneSelf {
		if 'A' <= c && c <= 'Z' {
			c += 'a' - 'A'
		}
		return rune(c), s[1:]
	}
	r, size := utf8.DecodeRuneInString(s)
	return unicode.ToLower(r), s[size:]
}
