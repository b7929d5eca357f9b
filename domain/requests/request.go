package requests

import (
	"mime"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"pasteport/ports"
	"pasteport/ports/policy"
)

// Bounds of what a request may carry.
const (
	MaxTitle    = 200  // characters
	MaxMessage  = 4096 // bytes
	MaxPassword = 1024 // bytes
	MaxTypes    = 50
	maxLifetime = 100 * 365 * 24 * time.Hour
)

// slugLength is that of the only secret of a link without a password: 131 bits.
const slugLength = 22

// Ask says whether senders are asked for something.
type Ask string

// The ways to ask.
const (
	No       Ask = "no"
	Optional Ask = "optional"
	Required Ask = "required"
)

func (a Ask) known() bool { return a == No || a == Optional || a == Required }

// Rules are what a request lets senders send. Zero means no bound.
type Rules struct {
	MaxFiles     int64 // of all senders together
	MaxBytes     int64 // of all senders together
	MaxFileBytes int64 // of one file
	// Types are the media types that contents may have, such as "application/pdf"
	// and "image/*". Empty means any.
	Types []string
	// PerSender puts the files of each sender into a folder of their own.
	PerSender bool
	Name      Ask
	Note      Ask
}

// Request is a link through which others send files to its owner.
type Request struct {
	ID        string
	Slug      string
	Title     string
	Message   string // to the senders
	CreatedBy string
	// Folder is the canonical path of the folder that files come into; empty:
	// each becomes a file share of the owner.
	Folder string
	Rules
	PasswordHash string     // empty means no password
	ExpiresAt    *time.Time // nil means never; UTC
	EndedAt      *time.Time // nil while it was not ended
	// Files and Bytes count what has come and what is on its way.
	Files     int64
	Bytes     int64
	CreatedAt time.Time
	UpdatedAt time.Time
	Version   int64 // grows with every change by its owner
}

// Tag names what the owner has last made of the request.
func (r *Request) Tag() string { return ports.TagOf(r.ID, r.Version) }

// State is how a request stands: "open", "full", "expired" or "ended".
func (r *Request) State(now time.Time) string {
	switch {
	case r.EndedAt != nil:
		return "ended"
	case r.Expired(now):
		return "expired"
	case r.Full():
		return "full"
	}
	return "open"
}

// Expired reports whether the deadline has passed; at exactly ExpiresAt it has.
func (r *Request) Expired(now time.Time) bool {
	return r.ExpiresAt != nil && !now.Before(*r.ExpiresAt)
}

// Protected reports whether a password is needed.
func (r *Request) Protected() bool { return r.PasswordHash != "" }

// Full reports whether no further file can come.
func (r *Request) Full() bool {
	return r.MaxFiles > 0 && r.Files >= r.MaxFiles || r.MaxBytes > 0 && r.Bytes >= r.MaxBytes
}

// open returns why nothing may be sent now.
func (r *Request) open(now time.Time) error {
	switch {
	case r.EndedAt != nil:
		return errClosed
	case r.Expired(now):
		return errExpired
	}
	return nil
}

// count takes room for one more file, or returns why there is none.
func (r *Request) count(size int64, now time.Time) error {
	if err := r.open(now); err != nil {
		return err
	}
	if r.MaxFiles > 0 && r.Files >= r.MaxFiles || r.MaxBytes > 0 && size > r.MaxBytes-r.Bytes {
		return errFull
	}
	r.Files++
	r.Bytes += size
	return nil
}

// allowsType reports whether content of a media type may come.
func (r *Request) allowsType(media string) bool {
	if len(r.Types) == 0 {
		return true
	}
	family, _, _ := strings.Cut(media, "/")
	return slices.Contains(r.Types, media) || slices.Contains(r.Types, family+"/*")
}

// resource is what the rules of the site see of a request.
func (r *Request) resource(now time.Time) policy.Resource {
	on := policy.Resource{Kind: policy.KindRequest, ID: r.ID, Slug: r.Slug, Owner: r.CreatedBy, Share: policy.ShareTerms{HasPassword: r.Protected()}}
	if r.ExpiresAt != nil {
		on.Share.ExpiresIn = max(int64(r.ExpiresAt.Sub(now)/time.Second), 1)
	}
	if r.Folder != "" {
		on.Paths = []string{r.Folder}
	}
	return on
}

// check refuses fields that no request may have.
func (r *Request) check() error {
	switch {
	case strings.TrimSpace(r.Title) == "" || utf8.RuneCountInString(r.Title) > MaxTitle || !plain(r.Title, false):
		return ports.InvalidInput("request.title", "title")
	case len(r.Message) > MaxMessage || !plain(r.Message, true):
		return ports.InvalidInput("too_long", "message")
	case r.MaxFiles < 0 || r.MaxBytes < 0 || r.MaxFileBytes < 0:
		return ports.InvalidInput("size_invalid", "max_files")
	case !r.Name.known():
		return ports.InvalidInput("request.ask", "ask_name")
	case !r.Note.known():
		return ports.InvalidInput("request.ask", "ask_note")
	case r.PerSender && r.Folder == "":
		return ports.InvalidInput("request.per_sender", "folder_per_sender")
	}
	return checkTypes(r.Types)
}

// checkDeadline refuses times that are past or absurd.
func checkDeadline(t *time.Time, now time.Time) error {
	if t != nil && (!t.After(now) || t.Sub(now) > maxLifetime) {
		return ports.InvalidInput("expiry_invalid", "expires_at")
	}
	return nil
}

func checkTypes(types []string) error {
	if len(types) > MaxTypes {
		return ports.InvalidInput("request.types", "types")
	}
	for _, t := range types {
		family, kind, found := strings.Cut(t, "/")
		if kind == "*" {
			t = family + "/x"
		}
		media, params, err := mime.ParseMediaType(t)
		if !found || err != nil || media != t || len(params) > 0 || family == "*" {
			return ports.InvalidInput("request.types", "types")
		}
	}
	return nil
}

// plain reports whether a text is valid and has no control characters; lines may
// have breaks and tabs.
func plain(text string, lines bool) bool {
	return utf8.ValidString(text) && !strings.ContainsFunc(text, func(c rune) bool {
		return c == 0x7f || c < 0x20 && !(lines && (c == '\n' || c == '\r' || c == '\t'))
	})
}
