package secrets

import (
	"testing"

	"golang.org/x/crypto/argon2"
)

// BenchmarkArgon2id is the yardstick of the first check of a password.
func BenchmarkArgon2id(b *testing.B) {
	salt := make([]byte, saltSize)
	for b.Loop() {
		argon2.IDKey([]byte("password"), salt, today.passes, today.memory, today.threads, hashSize)
	}
}

// BenchmarkVerifyFirst checks a password that was not proved lately.
func BenchmarkVerifyFirst(b *testing.B) {
	h, _ := newTestHasher(b)
	hash, err := h.Hash(b.Context(), "password")
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		h.proven.Purge()
		if ok, err := h.Verify(b.Context(), "password", hash); !ok || err != nil {
			b.Fatal(ok, err)
		}
	}
}

// BenchmarkVerifyAgain repeats a proved password.
func BenchmarkVerifyAgain(b *testing.B) {
	h, _ := newTestHasher(b)
	hash, err := h.Hash(b.Context(), "password")
	if err != nil {
		b.Fatal(err)
	}
	if _, err := h.Verify(b.Context(), "password", hash); err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		if ok, err := h.Verify(b.Context(), "password", hash); !ok || err != nil {
			b.Fatal(ok, err)
		}
	}
}
