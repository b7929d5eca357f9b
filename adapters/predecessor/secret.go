package predecessor

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"strings"
)

// sealMark begins a stored credential. After it come, with a colon between, an
// HMAC-SHA-256 of the value under the encryption secret and the value itself,
// both in base64: the secret is a proof of origin there, not a lock.
const sealMark = "encrypted:"

// unseal returns the value of a stored credential, and whether it bears the
// proof of secret; one without a mark is the value itself and proves nothing.
func unseal(stored, secret string) (value string, proven, ok bool) {
	rest, marked := strings.CutPrefix(stored, sealMark)
	if !marked {
		return stored, false, true
	}
	proof, text, found := strings.Cut(rest, ":")
	sum, err := base64.StdEncoding.DecodeString(proof)
	if !found || err != nil || len(sum) != sha256.Size {
		return "", false, false
	}
	latin, err := base64.StdEncoding.DecodeString(text)
	if err != nil || len(latin) == 0 {
		return "", false, false
	}
	letters := make([]rune, len(latin)) // one byte was one character there
	for i, b := range latin {
		letters[i] = rune(b)
	}
	value = string(letters)
	h := hmac.New(sha256.New, []byte(secret))
	h.Write([]byte(value))
	return value, hmac.Equal(h.Sum(nil), sum), true
}
