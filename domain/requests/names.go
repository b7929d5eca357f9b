package requests

import (
	"path"
	"strings"
	"unicode/utf8"

	"pasteport/ports"
)

// maxName bounds the name of a file, in bytes.
const maxName = 255

// lookalike are characters that become a separator or a dot when a storage or a
// desktop brings a name into its compatible form (NFKC).
var lookalike = strings.NewReplacer("\uff0f", "/", "\uff3c", `\`, "\ufe68", `\`, "\u2044", "/", "\u2215", "/", "\u29f8", "/",
	"\uff0e", ".", "\ufe52", ".", "\u2024", ".", "\u2025", "..", "\u2026", "...")

// bidi reports whether a character turns the direction of text, so that the end of
// a name looks like another.
func bidi(c rune) bool {
	return c >= 0x202a && c <= 0x202e || c >= 0x2066 && c <= 0x2069 || c == 0x200e || c == 0x200f || c == 0x061c
}

// checkName returns Invalid when a file cannot have the name. It is refused, never
// repaired.
func checkName(name string) error {
	seen := lookalike.Replace(name)
	if name == "" || len(name) > maxName || !plain(name, false) || strings.TrimSpace(name) == "" || strings.Trim(seen, ".") == "" ||
		strings.ContainsAny(seen, `/\`) || strings.ContainsFunc(name, func(c rune) bool { return bidi(c) || c >= 0x80 && c < 0xa0 }) {
		return ports.InvalidInput("filename_invalid", "name")
	}
	return nil
}

// clean returns the canonical form of a folder, which is written with or without
// a "/" at its end; anything else that is not canonical is refused. Empty stays
// empty.
func clean(folder string) (string, error) {
	if len(folder) > 1 {
		folder = strings.TrimSuffix(folder, "/")
	}
	if folder != "" && (folder[0] != '/' || path.Clean(folder) != folder || !plain(folder, false) || strings.Contains(folder, `\`)) {
		return "", ports.InvalidInput("path_invalid", "folder")
	}
	return folder, nil
}

// Bounds of what senders say of themselves.
const (
	maxSender = 100  // characters
	maxNote   = 2000 // characters
)

// checkSender refuses what a sender says when it is missing, too long, or no
// plain text.
func (r *Request) checkSender(sender, note string) error {
	for _, said := range []struct {
		ask   Ask
		text  string
		max   int
		lines bool
		field string
	}{{r.Name, sender, maxSender, false, "sender"}, {r.Note, note, maxNote, true, "note"}} {
		switch {
		case said.ask == Required && strings.TrimSpace(said.text) == "":
			return ports.InvalidInput("required", said.field)
		case utf8.RuneCountInString(said.text) > said.max, !plain(said.text, said.lines):
			return ports.InvalidInput("too_long", said.field)
		}
	}
	return nil
}

// folderOf is where the files of a sender come: in a folder of their own it has
// the sender's name, as far as a folder can have it, and a part of the visit, so
// that two of one name do not meet.
func (r *Request) folderOf(sender, visit string) string {
	if r.Folder == "" || !r.PerSender {
		return r.Folder
	}
	name := strings.Map(func(c rune) rune {
		if strings.ContainsAny(lookalike.Replace(string(c)), `/\.`) || bidi(c) || c < 0x20 || c >= 0x7f && c < 0xa0 || c == utf8.RuneError {
			return ' '
		}
		return c
	}, sender)
	name = strings.Join(strings.Fields(name), " ")
	for len(name) > 120 {
		_, size := utf8.DecodeLastRuneInString(name)
		name = name[:len(name)-size]
	}
	return r.Folder + "/" + strings.TrimSpace(name+" "+visit[:min(6, len(visit))])
}
