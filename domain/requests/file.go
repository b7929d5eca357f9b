package requests

import (
	"context"
	"time"

	"pasteport/ports"
	"pasteport/ports/upload"
)

// State is how far a file has come.
type State string

// The states of files.
const (
	Sending State = "sending"
	Joining State = "joining" // its content is being taken; it cannot be cancelled
	Stored  State = "stored"
)

// File is a file that somebody has sent through a request, or is sending. It
// stays in the list of its request when the owner moves or deletes what came.
type File struct {
	ID        string
	RequestID string
	Visit     string // of the sender
	Name      string // as sent; once it is stored, as stored
	Sender    string // as the sender says
	Note      string // likewise
	Size      int64  // bytes
	Type      string // media type of the content; empty while nobody has looked
	State     State
	// Turn names who takes the content, or did last: it grows with each. TakenUntil is
	// when that one is given up unless it says that it goes on; nil: nobody takes it.
	Turn       int64
	TakenUntil *time.Time
	// Place is the path in the tree or the id of the file share; SessionID is that
	// of the upload in parts, empty for a file in one piece.
	Place     string
	SessionID string
	PartSize  int64
	PartCount int
	CreatedAt time.Time
	StoredAt  *time.Time
}

// taken reports whether somebody takes the content of a file now, who has not died at
// it. The bound is for clocks that went back.
func (f *File) taken(now time.Time) bool {
	return f.State == Joining && f.TakenUntil != nil && f.TakenUntil.After(now) && f.TakenUntil.Sub(now) <= 2*turnLength
}

// standing is how far a file has come as far as anybody goes on with it.
func (f *File) standing(now time.Time) State {
	if f.State == Joining && !f.taken(now) {
		return Sending
	}
	return f.State
}

func (f *File) underway() upload.Underway {
	return upload.Underway{ID: f.SessionID, Place: f.Place, Name: f.Name, Cut: upload.Cut{Size: f.Size, PartSize: f.PartSize, PartCount: f.PartCount}}
}

// Filter chooses requests, newest first.
type Filter struct {
	ports.Paging
	CreatedBy string // empty means all
	Search    string // part of the title
	Open      bool   // only those that take files at Now
	Now       time.Time
}

// Repository stores requests.
type Repository interface {
	ports.Repository[Request, Filter]
	BySlug(ctx context.Context, slug string) (*Request, error)
}

// FileFilter chooses files, newest first.
type FileFilter struct {
	ports.Paging
	RequestID  string    // empty means all
	Visit      string    // empty means all
	Unfinished bool      // only those
	Stored     bool      // only those
	Before     time.Time // begun before it; zero means any
}

// FileRepository stores what was sent.
type FileRepository interface {
	ports.Repository[File, FileFilter]
	// DeleteOf deletes all files of a request.
	DeleteOf(ctx context.Context, requestID string) error
}
