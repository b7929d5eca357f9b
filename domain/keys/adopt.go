package keys

import (
	"encoding/hex"
	"strings"

	"pasteport/ports"
)

// Adopt completes a key of an earlier installation that had this value: fields
// are checked as those of a new key are, and only the MAC of the value is kept.
// A value that could be guessed switches the key off, for its right to be used
// is all that the value proves. It stores nothing and asks no policy: it is for
// the operator's command line.
//
// Returns Invalid for bad fields and for a value that cannot be sent.
func Adopt(mac ports.MAC, k Key, value string, f KeyFields) (*Key, error) {
	if value == "" || len(value) > maxCustom || !customValue.MatchString(value) {
		return nil, errKeyValue
	}
	if err := k.set(f); err != nil {
		return nil, err
	}
	if Guessable(value) {
		k.IsActive = false
	}
	k.MAC, k.Masked = macOf(mac, value), masked(value)
	return &k, nil
}

// Guessable reports whether a value is shorter than those of new keys may be,
// or well known.
func Guessable(value string) bool {
	return len(value) < minCustom || isCommon(strings.ToLower(value))
}

// CheckUsername returns the name of an administrator without blanks around it,
// or Invalid.
func CheckUsername(name string) (string, error) { return checkUsername(name) }

func macOf(mac ports.MAC, value string) string {
	sum := mac.Sum("api key", []byte(value))
	return hex.EncodeToString(sum[:])
}
