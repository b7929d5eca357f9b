package adminapi

import (
	"context"
	"io"
	"net/http"
	"time"

	"pasteport/adapters/httpapi"
	"pasteport/adapters/httpapi/wire"
	"pasteport/domain/backup"
	"pasteport/ports/policy"
)

// gzipType is the content type of backups and of bundles of rules.
const gzipType = "application/gzip"

// backupOps are the calls about backups (decision 52).
func backupOps(a *httpapi.API, b *backup.Backups, schedule *backup.Schedule) {
	actions := []policy.Action{policy.BackupWrite}

	httpapi.Handle(a, httpapi.Op{Name: "backup.state", Method: http.MethodGet, Path: "/api/admin/backup", Actions: actions,
		Summary: "Tells which database is backed up, which backup waits for the next start or was not restored at the last, and how scheduled backups went."},
		func(ctx context.Context, who policy.Principal, _ httpapi.None) (backupJSON, error) {
			s, err := b.State(ctx, who)
			if err != nil {
				return backupJSON{}, err
			}
			out := backupJSON{Database: s.Database}
			if s.Staged != nil {
				m := manifestOf(*s.Staged)
				out.Staged = &m
			}
			if s.Refused != nil {
				out.Refused = &refusalJSON{wire.Instant(s.Refused.At), s.Refused.Problem}
			}
			out.Schedule, err = scheduleOf(ctx, schedule)
			return out, err
		})

	httpapi.Stream(a, httpapi.Op{Name: "backup.create", Method: http.MethodPost, Path: "/api/admin/backup", Actions: actions, Confirm: httpapi.ConfirmAlways, Class: httpapi.Packing, Type: gzipType, Errors: []string{"quota_exceeded"},
		Summary: "Makes a backup: a consistent snapshot of the database with checksums, without the master key and without the objects in storages."},
		func(w http.ResponseWriter, r *http.Request, who policy.Principal) error {
			return b.Make(r.Context(), who, func() (io.Writer, error) {
				// Who cuts the stream off has most of it: the note stands before.
				if err := httpapi.ScopeOf(r.Context()).NoteDone(""); err != nil {
					return nil, err
				}
				w.Header()["Content-Type"] = []string{gzipType}
				w.Header().Set("Content-Disposition", `attachment; filename="pasteport-`+httpapi.ScopeOf(r.Context()).Now().UTC().Format("20060102-150405")+`.backup"`)
				return w, nil
			})
		})

	httpapi.Stream(a, httpapi.Op{Name: "backup.restore", Grows: httpapi.GrowsFiles, Method: http.MethodPost, Path: "/api/admin/backup/restore", Actions: actions, Body: httpapi.RawBody, Class: httpapi.Streaming,
		Confirm: httpapi.ConfirmAlways, Errors: []string{"not_supported", "backup_unsigned"}, Summary: "Proves a backup and keeps it; the next start of the server puts it in the place of the database, which is kept beside it."},
		func(w http.ResponseWriter, r *http.Request, who policy.Principal) error {
			in, err := httpapi.Decode[restoreRequest](r)
			if err != nil {
				return err
			}
			m, err := b.Stage(r.Context(), who, r.Body, bool(in.AcceptUnsigned))
			if err != nil {
				return err
			}
			if err := httpapi.ScopeOf(r.Context()).NoteDone(m.CreatedAt.UTC().Format(time.RFC3339)); err != nil {
				return err
			}
			return httpapi.Send(w, r, manifestOf(m))
		})
	httpapi.Describe(a, "backup.restore", restoreRequest{}, manifestJSON{})

	httpapi.Handle(a, httpapi.Op{Name: "backup.cancel", Method: http.MethodDelete, Path: "/api/admin/backup/restore", Actions: actions,
		Summary: "Forgets the backup that waits for the next start, and that one was not restored."},
		func(ctx context.Context, who policy.Principal, _ httpapi.None) (httpapi.None, error) {
			return httpapi.None{}, b.Unstage(ctx, who)
		})

	httpapi.Handle(a, httpapi.Op{Name: "backup.restart", Method: http.MethodPost, Path: "/api/admin/backup/restore/now", Actions: actions, Confirm: httpapi.ConfirmAlways, Errors: []string{"not_found"},
		Summary: "Starts the server again for the backup that waits for that. Requests that run are let end; the answer comes before the server stops."},
		func(ctx context.Context, who policy.Principal, _ httpapi.None) (httpapi.None, error) {
			return httpapi.None{}, b.Restart(ctx, who)
		})
}

type restoreRequest struct {
	// AcceptUnsigned takes a backup that the master key does not prove: of an
	// earlier version, of another server, or changed.
	AcceptUnsigned wire.Flag `query:"accept_unsigned"`
}

type backupJSON struct {
	Database string        `json:"database"` // sqlite or postgres
	Staged   *manifestJSON `json:"staged"`   // waits for the next start
	Refused  *refusalJSON  `json:"refused"`  // was not restored at a start; null once another one waits
	Schedule scheduleJSON  `json:"schedule"`
}

type refusalJSON struct {
	At      wire.Instant `json:"at"`
	Problem string       `json:"problem"`
}

type manifestJSON struct {
	CreatedAt wire.Instant     `json:"created_at"`
	Version   string           `json:"version"` // of the program that made it
	Database  string           `json:"database"`
	Counts    map[string]int64 `json:"counts"` // rows by table
	Bytes     int64            `json:"bytes"`  // of all files
}

func manifestOf(m backup.Manifest) manifestJSON {
	out := manifestJSON{CreatedAt: wire.Instant(m.CreatedAt), Version: m.Version, Database: m.Database, Counts: m.Counts}
	for _, f := range m.Files {
		out.Bytes += f.Size
	}
	return out
}
