package db

import (
	"hash/fnv"
	"iter"
	"slices"
	"unicode"
	"unicode/utf8"
)

// grams are the short pieces of a text in lower case, as numbers: three
// characters of ASCII, or two of which one is outside it, since a word of Chinese
// has two. A text that contains another has all its grams.
func grams(text string) iter.Seq[int32] {
	return func(yield func(int32) bool) {
		const none = utf8.RuneError // before the text begins
		before, last := none, none
		for _, r := range text {
			r = unicode.ToLower(r)
			var more bool
			switch {
			case last == none:
				more = true
			case last >= utf8.RuneSelf || r >= utf8.RuneSelf:
				more = yield(gram(last, r))
			default:
				more = before >= utf8.RuneSelf || yield(gram(before, last, r))
			}
			if !more {
				return
			}
			before, last = last, r
		}
	}
}

// gram is the number of a piece. Two pieces may have the same one; then a search
// looks at a text in vain.
func gram(runes ...rune) int32 {
	h := fnv.New32a()
	var b [utf8.UTFMax]byte
	for _, r := range runes {
		_, _ = h.Write(b[:utf8.EncodeRune(b[:], r)]) // never fails
	}
	return int32(h.Sum32())
}

// shortGrams are pieces for which a text is asked that is too short to have grams:
// single characters outside ASCII, and two letters or digits of ASCII.
func shortGrams(text string) iter.Seq[int32] {
	return func(yield func(int32) bool) {
		last := utf8.RuneError // none, or one that is in no pair
		for _, r := range text {
			r = unicode.ToLower(r)
			switch {
			case r >= utf8.RuneSelf:
				if !yield(gram(r)) {
					return
				}
				last = utf8.RuneError
			case r < '0' || r > '9' && r < 'a' || r > 'z':
				last = utf8.RuneError
			default:
				if last != utf8.RuneError && !yield(gram(last, r)) {
					return
				}
				last = r
			}
		}
	}
}

// nameMark makes the number of a piece that of a piece of a name.
const nameMark = 0x2545F491

// NamedGrams are grams as names have them.
func NamedGrams(of []int32) []int32 {
	all := make([]int32, len(of))
	for i, g := range of {
		all[i] = g ^ nameMark
	}
	return all
}

// GramsOf are the grams of names and some texts, short ones too, each once.
func GramsOf(names string, texts ...string) []int32 {
	set := map[int32]struct{}{}
	add := func(text string, mark int32) {
		for g := range grams(text) {
			set[g^mark] = struct{}{}
		}
		for g := range shortGrams(text) {
			set[g^mark] = struct{}{}
		}
	}
	add(names, nameMark)
	for _, text := range texts {
		add(text, 0)
	}
	all := make([]int32, 0, len(set))
	for g := range set {
		all = append(all, g)
	}
	slices.Sort(all)
	return all
}

// mostAsked is how many grams of a long search are looked for: so many say enough.
const mostAsked = 12

// AskedGrams are grams that every text has in which part occurs; none when part
// is one letter, or two characters of ASCII that are not both letters or digits.
func AskedGrams(part string) []int32 {
	var asked []int32
	for _, of := range []iter.Seq[int32]{grams(part), shortGrams(part)} {
		for g := range of {
			if !slices.Contains(asked, g) {
				asked = append(asked, g)
			}
			if len(asked) == mostAsked {
				break
			}
		}
		if len(asked) > 0 {
			break // short ones would add nothing
		}
	}
	return asked
}
