package bunstore

import (
	"context"

	"pasteport/domain/backup"
)

// Whole is the database that a URL names as backups see it: copied, proved and
// replaced as a whole. No server need have it open.
type Whole struct{ URL string }

var _ backup.Databases = Whole{}

// SQLite implements backup.Databases.
func (w Whole) SQLite() bool { return IsSQLite(w.URL) }

// Copy implements backup.Databases.
func (w Whole) Copy(ctx context.Context, to string) error {
	if w.SQLite() {
		return Snapshot(ctx, w.URL, to)
	}
	return Export(ctx, w.URL, to)
}

// Inspect implements backup.Databases.
func (Whole) Inspect(ctx context.Context, path string) (map[string]int64, error) {
	return Inspect(ctx, path)
}

// AuditHeads implements backup.Databases.
func (Whole) AuditHeads(ctx context.Context, path string) ([]string, error) {
	return AuditHeads(ctx, path)
}

// Replace implements backup.Databases.
func (w Whole) Replace(ctx context.Context, from, aside string) error {
	if w.SQLite() {
		return Install(w.URL, from, aside)
	}
	return Import(ctx, from, w.URL)
}
