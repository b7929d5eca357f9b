package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"

	"pasteport/adapters/bunstore"
	"pasteport/adapters/predecessor"
	"pasteport/adapters/secrets"
	"pasteport/domain/keys"
	"pasteport/ports"
)

// importCommand takes over what other programs have.
type importCommand struct {
	Predecessor predecessorCommand `cmd:"" help:"Take over the records of the predecessor's SQLite database. Stop the server first when it uses SQLite. It may be repeated: what is here already is not touched."`
}

// predecessorCommand moves an installation of the predecessor here.
type predecessorCommand struct {
	File   string `arg:"" help:"The predecessor's database file. It is only read."`
	DryRun bool   `env:"-" help:"Only tell what would happen."`
}

// Run takes over the file's records, or only tells what would become of them.
func (c *predecessorCommand) Run(ctx context.Context, s *settings) error {
	src, err := predecessor.Open(ctx, c.File)
	if err != nil {
		return err
	}
	defer func() { _ = src.Close() }()
	if !c.DryRun || !bunstore.IsSQLite(s.databaseURL()) {
		return c.run(ctx, s, src, os.Stdout)
	}
	scratch, err := os.MkdirTemp("", "pasteport-import-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(scratch) }()
	copied, err := s.copyTo(scratch)
	if err != nil {
		return err
	}
	return c.run(ctx, copied, src, os.Stdout)
}

// copyTo returns the settings of a server that has a copy of this one's
// database in folder, so that a dry run does all that a real one would.
func (s *settings) copyTo(folder string) (*settings, error) {
	copied := *s
	copied.DataDir, copied.DatabaseURL, copied.PluginDir = folder, filepath.Join(folder, "pasteport.db"), s.pluginDir()
	if _, err := os.Stat(s.keyFile()); err == nil {
		copied.SecretKeyFile = s.keyFile()
	} else {
		copied.SecretKeyFile = filepath.Join(folder, "secret.key")
	}
	err := bunstore.Copy(s.databaseURL(), copied.DatabaseURL)
	if errors.Is(err, fs.ErrNotExist) {
		err = nil // there is no installation yet
	}
	return &copied, err
}

// errDry undoes what a dry run has done.
var errDry = errors.New("dry run")

// run takes the records over and tells the report. On PostgreSQL a dry run is
// one transaction that is undone.
func (c *predecessorCommand) run(ctx context.Context, s *settings, src *predecessor.Source, w io.Writer) (err error) {
	a, err := newApp(ctx, s, slog.New(s.handler(os.Stderr, slog.LevelWarn)), nil)
	if err != nil {
		return err
	}
	defer a.closeLogged()
	password, err := s.adminPassword()
	if err != nil {
		return err
	}
	to := a.importTarget(s.AdminUser, password)
	var report *predecessor.Report
	if c.DryRun {
		err = a.store.Do(ctx, func(ctx context.Context) error {
			if report, err = predecessor.Import(ctx, src, to, s.EncryptionSecret); err != nil {
				return err
			}
			return errDry
		})
		if errors.Is(err, errDry) {
			err = nil
		}
	} else {
		report, err = predecessor.Import(ctx, src, to, s.EncryptionSecret)
	}
	if report != nil {
		err = errors.Join(err, report.Write(w), c.tellAdmin(w, report), c.tellNext(w, s))
	}
	return err
}

// importTarget is where an import puts records. password is that of an
// administrator who has to be made; empty for a random one.
func (a *app) importTarget(name, password string) predecessor.Target {
	return predecessor.Target{
		Work: a.store, Admins: a.store.Admins(), Settings: a.store.Settings(), Configs: a.store.StorageConfigs(), Keys: a.store.Keys(), Mounts: a.store.Mounts(),
		Pastes: a.store.Pastes(), Files: a.store.Files(), Invalidation: a.store.Invalidation(), MAC: a.vault, Hasher: secrets.NewHasher(a.vault, ports.SystemClock),
		Clock: ports.SystemClock, PrepareConfig: a.configs.Adopt,
		FirstAdmin: func(ctx context.Context) (*keys.NewAdmin, error) { return a.access.FirstAdmin(ctx, name, password) },
	}
}

// tellAdmin tells of an administrator who was made, and the password once.
func (c *predecessorCommand) tellAdmin(w io.Writer, report *predecessor.Report) error {
	made := report.NewAdmin
	switch {
	case made == nil:
		return nil
	case c.DryRun:
		_, err := fmt.Fprintf(w, "administrator %q would be created\n", made.Username)
		return err
	}
	return tellNewAdmin(w, made)
}

// tellNext tells what the operator has to do.
func (c *predecessorCommand) tellNext(w io.Writer, s *settings) error {
	text := ""
	if s.EncryptionSecret == "" || s.EncryptionSecretFile != "" {
		text = "signed proxy links stay good only while the server has the predecessor's encryption secret too (PASTEPORT_ENCRYPTION_SECRET_FILE)\n"
	}
	if c.DryRun {
		text = "nothing was written\n"
	}
	_, err := io.WriteString(w, text)
	return err
}
