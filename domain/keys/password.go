package keys

import (
	_ "embed"
	"strings"
	"sync"
	"unicode/utf8"

	"pasteport/ports"
)

// The length of passwords, in characters (security rule A2). There are no
// rules about kinds of characters.
const (
	minPassword = 8
	maxPassword = 256
	// minNamed is the length from which a name inside a password counts.
	minNamed = 4
)

//go:embed common.txt
var commonText string

// common is the set of passwords that are tried first, in lower case.
var common = sync.OnceValue(func() map[string]bool {
	set := map[string]bool{}
	for line := range strings.Lines(commonText) {
		if word := strings.TrimSpace(line); word != "" && !strings.HasPrefix(word, "#") {
			set[word] = true
		}
	}
	return set
})

var (
	errPasswordLength = ports.InvalidInput("password.length", "newPassword").WithParams(map[string]any{"field": "newPassword", "min": minPassword, "max": maxPassword})
	errPasswordCommon = ports.InvalidInput("password.common", "newPassword")
	errPasswordNamed  = ports.InvalidInput("password.named", "newPassword")
)

// checkPassword refuses a password that is too short, too long, well known, or
// holds one of the names. It is neither trimmed nor cut.
func checkPassword(password string, names ...string) error {
	if n := utf8.RuneCountInString(password); n < minPassword || n > maxPassword {
		return errPasswordLength
	}
	lower := strings.ToLower(password)
	if isCommon(lower) {
		return errPasswordCommon
	}
	for _, name := range names {
		name = strings.ToLower(strings.TrimSpace(name))
		if utf8.RuneCountInString(name) >= minNamed && strings.Contains(lower, name) {
			return errPasswordNamed
		}
	}
	return nil
}

// isCommon reports whether a password in lower case is well known, also with
// up to four digits or marks at its end, or repeats one character.
func isCommon(lower string) bool {
	word := strings.TrimRight(lower, "0123456789!@#$%.*?-_")
	return common()[lower] || len(lower)-len(word) <= 4 && common()[word] || strings.Count(lower, lower[:1]) == len(lower)
}
