package main

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pasteport/ports"
)

// proofs is the database's part of the master key.
type proofs struct {
	stored  []byte
	onPut   func() // what another node does at the same time
	failure error
}

func (p *proofs) Get(context.Context, string) ([]byte, error) {
	if p.failure != nil {
		return nil, p.failure
	}
	if p.stored == nil {
		return nil, ports.ErrNotFound
	}
	return p.stored, nil
}

func (p *proofs) Put(_ context.Context, _ string, value []byte) error {
	p.stored = value
	if p.onPut != nil {
		p.onPut()
	}
	return nil
}

func TestDecision5_MasterKeyIsCreatedWithAnEmptyDatabaseOnly(t *testing.T) {
	db, path := &proofs{}, filepath.Join(t.TempDir(), "secret.key")
	first, err := openVault(t.Context(), db, path, slog.Default())
	if err != nil {
		t.Fatal(err)
	}
	second, err := openVault(t.Context(), db, path, slog.Default())
	if err != nil || second.KeyID() != first.KeyID() {
		t.Fatalf("second start: %v", err)
	}
	if bytes.Contains(db.stored, []byte("pasteport")) {
		t.Error("the proof is not sealed")
	}

	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if _, err := openVault(t.Context(), db, path, slog.Default()); err == nil || !strings.Contains(err.Error(), "missing") || !strings.Contains(err.Error(), path) {
		t.Errorf("without its file: %v", err)
	}
	if _, err := os.Stat(path); !errors.Is(err, os.ErrNotExist) {
		t.Error("a refused start left a new key behind")
	}

	other := filepath.Join(t.TempDir(), "secret.key")
	if _, err := openVault(t.Context(), &proofs{}, other, slog.Default()); err != nil {
		t.Fatal(err)
	}
	if _, err := openVault(t.Context(), db, other, slog.Default()); err == nil || !strings.Contains(err.Error(), "does not fit") {
		t.Errorf("with the key of another database: %v", err)
	}
}

func TestMasterKeyOfAnEarlierInstallationServesANewDatabase(t *testing.T) {
	path := filepath.Join(t.TempDir(), "secret.key")
	first, err := openVault(t.Context(), &proofs{}, path, slog.Default())
	if err != nil {
		t.Fatal(err)
	}
	second, err := openVault(t.Context(), &proofs{}, path, slog.Default())
	if err != nil || second.KeyID() != first.KeyID() {
		t.Errorf("%v", err)
	}
}

func TestTwoNodesThatStartAtOnceWithTheirOwnKeysAreNotBothServed(t *testing.T) {
	db := &proofs{}
	db.onPut = func() {
		db.onPut = nil
		if _, err := openVault(t.Context(), &overwriting{proofs: db}, filepath.Join(t.TempDir(), "other.key"), slog.Default()); err != nil {
			t.Errorf("the other node: %v", err)
		}
	}
	_, err := openVault(t.Context(), db, filepath.Join(t.TempDir(), "secret.key"), slog.Default())
	if err == nil || !strings.Contains(err.Error(), "does not fit") {
		t.Errorf("got %v", err)
	}
}

// overwriting is a node that looked before the first one wrote.
type overwriting struct {
	*proofs
	written bool
}

func (o *overwriting) Get(ctx context.Context, name string) ([]byte, error) {
	if !o.written {
		return nil, ports.ErrNotFound
	}
	return o.proofs.Get(ctx, name)
}

func (o *overwriting) Put(ctx context.Context, name string, value []byte) error {
	o.written = true
	return o.proofs.Put(ctx, name, value)
}

func TestDatabaseFaultIsNotTakenForAnEmptyDatabase(t *testing.T) {
	path := filepath.Join(t.TempDir(), "secret.key")
	if _, err := openVault(t.Context(), &proofs{failure: ports.ErrUnavailable}, path, slog.Default()); err == nil {
		t.Fatal("started")
	}
	if _, err := os.Stat(path); !errors.Is(err, os.ErrNotExist) {
		t.Error("a key was made")
	}
}

func TestReadableKeyFileIsWarnedAbout(t *testing.T) {
	db, path := &proofs{}, filepath.Join(t.TempDir(), "secret.key")
	if _, err := openVault(t.Context(), db, path, slog.Default()); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(path, 0o644); err != nil {
		t.Fatal(err)
	}
	var log bytes.Buffer
	if _, err := openVault(t.Context(), db, path, slog.New(slog.NewTextHandler(&log, nil))); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(log.String(), "chmod 600") {
		t.Errorf("log is %q", log.String())
	}
}
