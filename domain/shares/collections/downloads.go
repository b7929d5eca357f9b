package collections

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"
	"time"

	"pasteport/domain/shares"
	"pasteport/domain/shares/internal/gate"
	"pasteport/ports"
	"pasteport/ports/filetype"
)

// MaxDownloads is the largest limit of downloads.
const MaxDownloads = 1_000_000

// A Download is what is to be counted once: one file, or the ZIP file of one folder,
// under one name that an answer gave out.
type Download struct {
	Name string // one row for each name
	At   time.Time
	// Since is the moment from which on a download of this name is paid for.
	Since time.Time
	// Forget is the moment before which names are forgotten.
	Forget time.Time
}

var errNoDownloads = &ports.Error{Code: ports.Gone, Key: "downloads_used_up"}

func checkDownloads(n int64) error {
	if n < 0 || n > MaxDownloads {
		return ports.InvalidInput("max_downloads_invalid", "max_downloads")
	}
	return nil
}

// downloads counts what is downloaded of a collection that has a limit; nil means
// that there is none. name is that of the answer whose address is used; without one
// each request counts. A download that goes on later is the same one for as long as
// ResumeLength; one that begins anew for as long as a visit.
func (c *Visits) downloads(s *Collection, name, what string) func(ctx context.Context, offset int64) error {
	if s.MaxDownloads == 0 {
		return nil
	}
	if name == "" {
		name = c.d.Random.ID()
	}
	sum := sha256.Sum256(fmt.Appendf(nil, "%d %q %q", s.Version, name, what))
	return func(ctx context.Context, offset int64) error {
		now := c.d.Clock.Now()
		d := Download{Name: hex.EncodeToString(sum[:16]), At: now, Since: now.Add(-gate.VisitLength), Forget: now.Add(-ResumeLength)}
		if offset > 0 {
			d.Since = d.Forget
		}
		err := c.collections.d.Collections.TakeDownload(ctx, s.ID, d)
		if ports.Is(err, ports.Gone) {
			return errNoDownloads.With(err)
		}
		return err
	}
}

// shows reports whether a page shows a file. Whoever asks to see another one can only
// save it.
func (c *Visits) shows(f *shares.File) bool {
	media, _, _ := strings.Cut(filetype.ContentType(f.Filename), "/")
	switch media {
	case "text", "image", "audio", "video":
		return true
	}
	_, kind := filetype.Of(c.d.Settings, f.Filename)
	return kind != "unknown" && kind != "office"
}
