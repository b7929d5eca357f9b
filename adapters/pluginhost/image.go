package pluginhost

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
)

// maxProgram bounds a driver program, in bytes: a private copy of it is held
// while it runs.
const maxProgram = 512 << 20

// sum is the SHA-256 of what r gives, in hex.
func sum(r io.Reader) (string, error) {
	h := sha256.New()
	if _, err := io.Copy(h, r); err != nil {
		return "", err
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

// copyPinned copies a program and returns an error unless the bytes of the copy
// have the digest.
func copyPinned(to io.Writer, from io.Reader, name, digest string) error {
	h := sha256.New()
	n, err := io.Copy(io.MultiWriter(to, h), io.LimitReader(from, maxProgram+1))
	if err != nil {
		return fmt.Errorf("read %s: %w", name, err)
	}
	if n > maxProgram {
		return problem("driver_unsafe", "%s is larger than %d MiB", name, maxProgram>>20)
	}
	if got := hex.EncodeToString(h.Sum(nil)); got != digest {
		return problem("driver_changed", "%s has sha256 %s; approved was %s", name, got, digest)
	}
	return nil
}
