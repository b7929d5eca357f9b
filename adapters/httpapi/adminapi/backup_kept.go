package adminapi

import (
	"context"
	"net/http"
	"path"
	"strconv"

	"pasteport/adapters/httpapi"
	"pasteport/adapters/httpapi/wire"
	"pasteport/adapters/httpapi/words"
	"pasteport/domain/backup"
	"pasteport/ports/objstore"
	"pasteport/ports/policy"
)

// keptOps are the calls about scheduled backups.
func keptOps(a *httpapi.API, s *backup.Schedule) {
	actions := []policy.Action{policy.BackupWrite}
	const gzipType = "application/gzip"

	httpapi.Handle(a, httpapi.Op{Name: "backup.list", Method: http.MethodGet, Path: "/api/admin/backup/kept", Actions: actions, Class: httpapi.Heavy,
		Errors: []string{"in_use"}, Summary: "Lists the scheduled backups where they are kept, newest first."},
		func(ctx context.Context, who policy.Principal, _ httpapi.None) ([]keptJSON, error) {
			list, err := s.List(ctx, who)
			out := make([]keptJSON, len(list))
			for i, k := range list {
				out[i] = keptJSON{Name: k.Name, CreatedAt: wire.Instant(k.CreatedAt), Bytes: k.Bytes, FileBytes: k.FileBytes}
			}
			return out, err
		})

	httpapi.Handle(a, httpapi.Op{Name: "backup.ask", Method: http.MethodPost, Path: "/api/admin/backup/kept", Actions: actions,
		Summary: "Has a backup made where scheduled ones are kept. It begins within a minute; GET /api/admin/backup tells how it goes."},
		func(ctx context.Context, who policy.Principal, _ httpapi.None) (httpapi.None, error) {
			return httpapi.None{}, s.Ask(ctx, who)
		})

	httpapi.Stream(a, httpapi.Op{Name: "backup.download", Method: http.MethodPost, Path: "/api/admin/backup/kept/{name}/download", Actions: actions, Confirm: httpapi.ConfirmAlways,
		Class: httpapi.Streaming, Type: gzipType, Errors: []string{"in_use"}, Summary: "Sends a scheduled backup; with files=true the files of local disks that were backed up with it."},
		func(w http.ResponseWriter, r *http.Request, who policy.Principal) error {
			in, err := httpapi.Decode[keptRequest](r)
			if err != nil {
				return err
			}
			return s.Read(r.Context(), who, in.Name, bool(in.Files), func(body *objstore.Body) error {
				if err := httpapi.ScopeOf(r.Context()).NoteDone(in.Name); err != nil {
					return err
				}
				w.Header()["Content-Type"] = []string{gzipType}
				w.Header().Set("Content-Length", strconv.FormatInt(body.Length, 10))
				w.Header().Set("Content-Disposition", `attachment; filename="`+path.Base(body.Object.Key)+`"`)
				_, err := body.WriteTo(w)
				return err
			})
		})
	httpapi.Describe(a, "backup.download", keptRequest{})

	httpapi.Handle(a, httpapi.Op{Name: "backup.take", Method: http.MethodPost, Path: "/api/admin/backup/kept/{name}/restore", Actions: actions, Confirm: httpapi.ConfirmAlways, Class: httpapi.Heavy,
		Grows: httpapi.GrowsFiles, Errors: []string{"not_supported", "backup_unsigned", "in_use"},
		Summary: "Proves a scheduled backup and keeps it; the next start of the server puts it in the place of the database. Files of local disks stay as they are."},
		func(ctx context.Context, who policy.Principal, in keptName) (manifestJSON, error) {
			m, err := s.Restore(ctx, who, in.Name)
			return manifestOf(m), err
		})

	httpapi.Handle(a, httpapi.Op{Name: "backup.delete", Method: http.MethodDelete, Path: "/api/admin/backup/kept/{name}", Actions: actions, Confirm: httpapi.ConfirmAlways,
		Errors: []string{"in_use"}, Summary: "Removes a scheduled backup and the files beside it."},
		func(ctx context.Context, who policy.Principal, in keptName) (httpapi.None, error) {
			return httpapi.None{}, s.Delete(ctx, who, in.Name)
		})
}

type keptName struct {
	Name string `path:"name"`
}

type keptRequest struct {
	keptName
	Files wire.Flag `query:"files"`
}

// keptJSON is a scheduled backup.
type keptJSON struct {
	Name      string       `json:"name"`
	CreatedAt wire.Instant `json:"created_at"`
	Bytes     int64        `json:"bytes"`
	FileBytes int64        `json:"file_bytes"` // of the files beside it; 0 without
}

// scheduleJSON is how scheduled backups went.
type scheduleJSON struct {
	Waits bool       `json:"waits"` // one was asked for and has not begun
	Next  *string    `json:"next"`  // when the next is due; null for never
	Last  *roundJSON `json:"last"`
	Good  *roundJSON `json:"good"` // the last that was made and proved
}

// roundJSON is one try to make a backup.
type roundJSON struct {
	Name    string       `json:"name"`
	Began   wire.Instant `json:"began"`
	Ended   *string      `json:"ended"` // null while it is under way
	Bytes   int64        `json:"bytes"` // with the files beside it
	Problem string       `json:"problem"`
}

// problemOf says why a round failed.
func problemOf(ctx context.Context, r *backup.Round) string {
	if _, known := words.Catalogue[r.Text]; known && r.Text != "" {
		return httpapi.ScopeOf(ctx).Say(r.Text, nil)
	}
	return r.Problem
}

func roundOf(ctx context.Context, r *backup.Round) *roundJSON {
	if r == nil {
		return nil
	}
	out := &roundJSON{Name: r.Name, Began: wire.Instant(r.Began), Bytes: r.Bytes, Problem: problemOf(ctx, r)}
	if !r.Ended.IsZero() {
		out.Ended = wire.ISOTime(&r.Ended)
	}
	return out
}

func scheduleOf(ctx context.Context, s *backup.Schedule) (scheduleJSON, error) {
	record, err := s.Record(ctx)
	if err != nil {
		return scheduleJSON{}, err
	}
	out := scheduleJSON{Waits: record.Asked, Last: roundOf(ctx, record.Last), Good: roundOf(ctx, record.Good)}
	if next := record.Next(s.Plan(), httpapi.ScopeOf(ctx).Now()); !next.IsZero() {
		out.Next = wire.ISOTime(&next)
	}
	return out, nil
}

// lateBackupJSON tells of backups that are missing.
type lateBackupJSON struct {
	LastGood *string `json:"last_good"` // null: there was none
	Problem  string  `json:"problem"`   // of the last try; empty when it only is overdue
}

// lateBackup is what needs attention about scheduled backups; nil for nothing.
func lateBackup(ctx context.Context, s *backup.Schedule) (*lateBackupJSON, error) {
	record, err := s.Record(ctx)
	if err != nil {
		return nil, err
	}
	if (record.Last == nil || record.Last.Problem == "") && !record.Overdue(s.Plan(), httpapi.ScopeOf(ctx).Now()) {
		return nil, nil
	}
	out := &lateBackupJSON{Problem: problemOf(ctx, record.Last)}
	if record.Good != nil {
		out.LastGood = wire.ISOTime(&record.Good.Began)
	}
	return out, nil
}
