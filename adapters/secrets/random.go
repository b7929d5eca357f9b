package secrets

import (
	"crypto/rand"

	"github.com/google/uuid"

	"pasteport/ports"
)

// alphabet is what random text is made of (contract §1.7).
const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"

// Random draws from the system's cryptographic source. The zero value is
// ready for use.
type Random struct{}

var _ ports.Random = Random{}

// ID returns a new UUIDv7 in lower case.
func (Random) ID() string { return uuid.Must(uuid.NewV7()).String() }

// Bytes returns n random bytes.
func (Random) Bytes(n int) []byte {
	b := make([]byte, n)
	_, _ = rand.Read(b) // never fails: it ends the program instead
	return b
}

// Text returns n characters, each of the 62 equally likely: bytes past the
// last whole multiple of 62 are thrown away.
func (r Random) Text(n int) string {
	const fair = 256 - 256%len(alphabet)
	text := make([]byte, 0, n)
	for len(text) < n {
		for _, b := range r.Bytes(n - len(text) + 8) {
			if int(b) < fair && len(text) < n {
				text = append(text, alphabet[int(b)%len(alphabet)])
			}
		}
	}
	return string(text)
}
