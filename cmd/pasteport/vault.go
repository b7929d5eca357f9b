package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"runtime"

	"pasteport/adapters/secrets"
	"pasteport/ports"
)

// The value in the database that proves the master key: sealed under it, and
// stored before anything else that needs the key.
const (
	keyProofName  = "master_key"
	keyProofPlace = "secrets/master_key"
)

// keyProofs stores the proof.
type keyProofs interface {
	Get(ctx context.Context, name string) ([]byte, error)
	Put(ctx context.Context, name string, value []byte) error
}

// openVault opens the master key, or creates it with an empty database. A key
// that is missing or does not fit what the database holds is refused.
func openVault(ctx context.Context, proofs keyProofs, path string, log *slog.Logger) (*secrets.Vault, error) {
	proof, err := proofs.Get(ctx, keyProofName)
	fresh := ports.Is(err, ports.NotFound)
	if err != nil && !fresh {
		return nil, fmt.Errorf("read the proof of the master key: %w", err)
	}
	vault, err := secrets.Open(path)
	switch {
	case errors.Is(err, secrets.ErrNoKey) && fresh:
		vault, err = secrets.Create(path)
	case errors.Is(err, secrets.ErrNoKey):
		return nil, fmt.Errorf("the master key file %s is missing, and the database holds values sealed with it: put the file back, from your copy (all nodes of one database use the same key)", path)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	warnOpenKey(path, log)
	if !fresh {
		return vault, fits(vault, proof, path)
	}
	if err := prove(ctx, proofs, vault); err != nil {
		return nil, err
	}
	// Another node may have started at the same time with a key of its own.
	if proof, err = proofs.Get(ctx, keyProofName); err != nil {
		return nil, fmt.Errorf("read the proof of the master key: %w", err)
	}
	return vault, fits(vault, proof, path)
}

// prove stores the proof of the key that seals now.
func prove(ctx context.Context, proofs keyProofs, vault *secrets.Vault) error {
	proof, err := vault.Seal([]byte("pasteport"), keyProofPlace)
	if err != nil {
		return fmt.Errorf("prove the master key: %w", err)
	}
	if err := proofs.Put(ctx, keyProofName, proof); err != nil {
		return fmt.Errorf("store the proof of the master key: %w", err)
	}
	return nil
}

func fits(vault *secrets.Vault, proof []byte, path string) error {
	if _, err := vault.Open(proof, keyProofPlace); err != nil {
		return fmt.Errorf("the master key in %s does not fit the database: its values were sealed with another key. Put the right file back, from your copy", path)
	}
	return nil
}

// warnOpenKey tells when others on the machine can read the key.
func warnOpenKey(path string, log *slog.Logger) {
	if info, err := os.Stat(path); err == nil && runtime.GOOS != "windows" && info.Mode().Perm()&0o077 != 0 {
		log.Warn("the master key file can be read by others; chmod 600 it", "path", path)
	}
}
