package naming

import (
	"strings"

	"pasteport/ports"
)

// CheckSyntax allows language names such as "c++", "objective-c" and "f#".
func CheckSyntax(syntax string) error {
	if len(syntax) > 40 || strings.ContainsFunc(syntax, func(r rune) bool {
		return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("+#._-", r))
	}) {
		return ports.InvalidInput("syntax_invalid", "syntax")
	}
	return nil
}
