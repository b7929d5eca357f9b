// Package revision is the vocabulary of earlier contents: of texts, which
// domain/shares/revisions shows, and of files, which domain/mounts/history
// keeps. How many there are and for how long is one setting of both.
package revision

import "time"

// Revision is a content that something has or had.
type Revision struct {
	// Version grows with every edit; it names the content.
	Version  int64
	Size     int64  // bytes
	Content  []byte // nil in a History
	EditedBy string // a created_by; empty when it is not known
	EditedAt time.Time
}

// History is what is kept of earlier contents.
type History struct {
	Off     bool // edits keep nothing
	Current Revision
	Earlier []Revision // newest first
}
