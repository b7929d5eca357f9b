package ports

import "context"

// Hasher keeps passwords one-way (argon2id in PHC form).
type Hasher interface {
	// Hash returns the encoded hash of password. At most min(4, cores) run at
	// once; a caller that waits over 2 s gets Unavailable with RetryAfter.
	Hash(ctx context.Context, password string) (string, error)
	// Verify reports whether password fits hash. A verification that succeeded
	// lately is remembered as a keyed proof, so repeating it costs no hash. An
	// empty hash costs the time of a real one and never fits. Hashes of 64 hex
	// digits (SHA-256 of an imported database) are accepted.
	Verify(ctx context.Context, password, hash string) (ok bool, err error)
	// Outdated reports whether hash was made with weaker parameters than today's.
	Outdated(hash string) bool
}

// Sealer keeps secrets that must come back, encrypted under the master key.
type Sealer interface {
	// Seal encrypts plain for one place; place is bound as associated data,
	// for example "storage_configs/<id>/credentials".
	Seal(plain []byte, place string) ([]byte, error)
	// Open decrypts what Seal made for the same place.
	Open(sealed []byte, place string) ([]byte, error)
}

// MAC makes keyed hashes; each purpose has a key of its own, derived from the
// master key.
type MAC interface {
	// Sum returns the 32-byte HMAC-SHA-256 of data under the key of purpose.
	Sum(purpose string, data []byte) [32]byte
}

// Random draws from the system's cryptographic source, without bias.
type Random interface {
	// ID returns a new UUIDv7 in lower case: time-ordered.
	ID() string
	// Text returns n characters from A-Z a-z 0-9.
	Text(n int) string
	// Bytes returns n random bytes.
	Bytes(n int) []byte
}
