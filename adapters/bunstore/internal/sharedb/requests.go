package sharedb

import (
	"context"
	"strings"

	"github.com/uptrace/bun"

	"pasteport/adapters/bunstore/internal/db"
	"pasteport/domain/requests"
	"pasteport/ports"
)

type requestRow struct {
	bun.BaseModel   `bun:"table:requests,alias:requests"`
	ID              string
	Slug            string
	Title           string
	Message         string
	CreatedBy       string
	Folder          string
	MaxFiles        int64
	MaxBytes        int64
	MaxFileBytes    int64
	Types           string // separated by spaces, which no type holds
	FolderPerSender bool
	AskName         string
	AskNote         string
	PasswordHash    string
	ExpiresAt       *int64
	EndedAt         *int64
	Files           int64
	Bytes           int64
	CreatedAt       int64
	UpdatedAt       int64
	Version         int64
}

func newRequestRow(r *requests.Request) *requestRow {
	return &requestRow{
		ID: r.ID, Slug: r.Slug, Title: r.Title, Message: r.Message, CreatedBy: r.CreatedBy, Folder: r.Folder, MaxFiles: r.MaxFiles, MaxBytes: r.MaxBytes,
		MaxFileBytes: r.MaxFileBytes, Types: strings.Join(r.Types, " "), FolderPerSender: r.PerSender, AskName: string(r.Name), AskNote: string(r.Note),
		PasswordHash: r.PasswordHash, ExpiresAt: db.MillisPtr(r.ExpiresAt), EndedAt: db.MillisPtr(r.EndedAt), Files: r.Files, Bytes: r.Bytes,
		CreatedAt: db.Millis(r.CreatedAt), UpdatedAt: db.Millis(r.UpdatedAt), Version: r.Version,
	}
}

func (r *requestRow) request() *requests.Request {
	return &requests.Request{
		ID: r.ID, Slug: r.Slug, Title: r.Title, Message: r.Message, CreatedBy: r.CreatedBy, Folder: r.Folder,
		Rules: requests.Rules{MaxFiles: r.MaxFiles, MaxBytes: r.MaxBytes, MaxFileBytes: r.MaxFileBytes, Types: strings.Fields(r.Types), PerSender: r.FolderPerSender,
			Name: requests.Ask(r.AskName), Note: requests.Ask(r.AskNote)},
		PasswordHash: r.PasswordHash, ExpiresAt: db.TimePtr(r.ExpiresAt), EndedAt: db.TimePtr(r.EndedAt), Files: r.Files, Bytes: r.Bytes,
		CreatedAt: db.Time(r.CreatedAt), UpdatedAt: db.Time(r.UpdatedAt), Version: r.Version,
	}
}

// Requests stores links through which others send files.
type Requests struct {
	db.Table[requests.Request, requestRow]
}

// NewRequests returns the repository of requests.
func NewRequests(d *db.DB) *Requests {
	return &Requests{db.NewTable(d, "requests", newRequestRow, (*requestRow).request)}
}

// BySlug finds a request by its link.
func (r *Requests) BySlug(ctx context.Context, slug string) (*requests.Request, error) {
	return r.Find(ctx, "slug = ?", slug)
}

// List returns a page of requests, newest first.
func (r *Requests) List(ctx context.Context, f requests.Filter) (ports.Page[requests.Request], error) {
	c := r.DB.Read(ctx)
	return r.Page(ctx, f.Paging, "created_at DESC, id DESC", func(q *bun.SelectQuery) *bun.SelectQuery {
		if f.CreatedBy != "" {
			q = q.Where("created_by = ?", f.CreatedBy)
		}
		if f.Search != "" {
			q = db.Contains(c, q, f.Search, "title", "folder")
		}
		if f.Open {
			q = q.Where("ended_at IS NULL").Where("expires_at IS NULL OR expires_at > ?", db.Millis(f.Now))
		}
		return q
	})
}

type requestFileRow struct {
	bun.BaseModel `bun:"table:request_files,alias:request_files"`
	ID            string
	RequestID     string
	Visit         string
	Name          string
	Sender        string
	Note          string
	Size          int64
	Type          string
	State         string
	Place         string
	SessionID     string
	PartSize      int64
	PartCount     int
	CreatedAt     int64
	StoredAt      *int64
	Turn          int64
	TakenUntil    *int64
}

func newRequestFileRow(f *requests.File) *requestFileRow {
	return &requestFileRow{
		ID: f.ID, RequestID: f.RequestID, Visit: f.Visit, Name: f.Name, Sender: f.Sender, Note: f.Note, Size: f.Size, Type: f.Type, State: string(f.State),
		Place: f.Place, SessionID: f.SessionID, PartSize: f.PartSize, PartCount: f.PartCount, CreatedAt: db.Millis(f.CreatedAt), StoredAt: db.MillisPtr(f.StoredAt),
		Turn: f.Turn, TakenUntil: db.MillisPtr(f.TakenUntil),
	}
}

func (r *requestFileRow) file() *requests.File {
	return &requests.File{
		ID: r.ID, RequestID: r.RequestID, Visit: r.Visit, Name: r.Name, Sender: r.Sender, Note: r.Note, Size: r.Size, Type: r.Type, State: requests.State(r.State),
		Place: r.Place, SessionID: r.SessionID, PartSize: r.PartSize, PartCount: r.PartCount, CreatedAt: db.Time(r.CreatedAt), StoredAt: db.TimePtr(r.StoredAt),
		Turn: r.Turn, TakenUntil: db.TimePtr(r.TakenUntil),
	}
}

// RequestFiles stores what was sent through requests.
type RequestFiles struct {
	db.Table[requests.File, requestFileRow]
}

// NewRequestFiles returns the repository of what was sent through requests.
func NewRequestFiles(d *db.DB) *RequestFiles {
	return &RequestFiles{db.NewTable(d, "request_files", newRequestFileRow, (*requestFileRow).file)}
}

// List returns a page of files, newest first.
func (r *RequestFiles) List(ctx context.Context, f requests.FileFilter) (ports.Page[requests.File], error) {
	return r.Page(ctx, f.Paging, "created_at DESC, id DESC", func(q *bun.SelectQuery) *bun.SelectQuery {
		if f.RequestID != "" {
			q = q.Where("request_id = ?", f.RequestID)
		}
		if f.Visit != "" {
			q = q.Where("visit = ?", f.Visit)
		}
		if f.Unfinished {
			q = q.Where("state <> 'stored'")
		}
		if f.Stored {
			q = q.Where("state = 'stored'")
		}
		if !f.Before.IsZero() {
			q = q.Where("created_at < ?", db.Millis(f.Before))
		}
		return q
	})
}

// DeleteOf deletes all files of a request.
func (r *RequestFiles) DeleteOf(ctx context.Context, requestID string) error {
	_, err := r.DB.Exec(ctx, "DELETE FROM request_files WHERE request_id = ?", requestID)
	return err
}
