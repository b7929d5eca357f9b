// Package secrets is the cryptography of the server: the master key and what
// is derived from it, sealed values, keyed hashes, passwords and random text.
// It hides algorithms and formats; it stores nothing but the key file.
package secrets
