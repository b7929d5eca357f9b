package dav

import (
	"context"
	"strconv"
	"strings"
	"time"

	"pasteport/domain/mounts"
)

// A sender may say when the content of a file was last changed, which is before
// it was stored. That is kept beside the file's dead properties: it goes where
// they go, and counts as long as the content is that which was sent.
const (
	// OwnSpace is the namespace of properties that clients neither see nor set.
	OwnSpace  = "urn:pasteport:own"
	stampName = "modified"
)

// Stamp keeps the time of a stored file, where that is possible: without
// versions nothing would tell when it ends.
func (t *Resources) Stamp(ctx context.Context, s *mounts.Stored, at time.Time) {
	if at.IsZero() || s.ETag == "" {
		return
	}
	p := Property{Space: OwnSpace, Name: stampName, XML: strconv.FormatInt(at.Unix(), 10) + " " + s.ETag}
	if err := t.properties.Patch(ctx, s.Path, propertyBounds, []Property{p}, nil); err != nil {
		t.tree.Report("keep the time of a file", err)
		return
	}
	at = at.UTC().Truncate(time.Second)
	s.ModTime, s.Stamped = &at, true
}

// stamped gives an entry the time that its sender has told.
func (v *View) stamped(e mounts.Entry) mounts.Entry {
	for _, p := range v.properties(e.Path) {
		if p.Space != OwnSpace || p.Name != stampName || e.ETag == "" {
			continue
		}
		seconds, etag, _ := strings.Cut(p.XML, " ")
		if unix, err := strconv.ParseInt(seconds, 10, 64); err == nil && etag == e.ETag {
			at := time.Unix(unix, 0).UTC()
			e.ModTime = &at
		}
	}
	return e
}
