package mounts

import (
	"context"
	"strings"
	"time"

	"pasteport/ports"
	"pasteport/ports/objstore"
)

// Conditions are what a request demands of the file or folder that it names, by
// the headers of RFC 9110 §13.1. The zero value demands nothing.
type Conditions struct {
	// IfMatch and IfNoneMatch are the headers of that name; empty means no
	// condition.
	IfMatch, IfNoneMatch string
	// IfUnmodifiedSince refuses what is newer; zero means no condition. It does
	// not count beside IfMatch (RFC 9110 §13.1.4).
	IfUnmodifiedSince time.Time
}

// Check returns Precondition, with the present ETag as the parameter "etag", when
// the conditions do not hold for what is there; nil means nothing. A folder has
// no entity tag, so that only "*" fits one.
func (c Conditions) Check(there *Entry) error {
	etag := ""
	if there != nil {
		etag = there.ETag
	}
	switch {
	case c.IfMatch != "" && (there == nil || !named(c.IfMatch, etag, strong)),
		c.IfNoneMatch != "" && there != nil && named(c.IfNoneMatch, etag, weak),
		c.IfMatch == "" && !c.IfUnmodifiedSince.IsZero() && there != nil && there.ModTime != nil &&
			there.ModTime.Truncate(time.Second).After(c.IfUnmodifiedSince):
		return objstore.ErrChanged.WithParams(map[string]any{"etag": etag})
	}
	return nil
}

// comparison is how entity tags are compared (RFC 9110 §8.8.3.2): to the weak
// one it does not matter whether a tag is marked as weak, the strong one never
// takes such a tag.
type comparison int

const (
	strong comparison = iota
	weak
)

// named reports whether a list of entity tags names etag. Old clients leave the
// quotes out.
func named(list, etag string, how comparison) bool {
	for tag := range strings.SplitSeq(list, ",") {
		tag = strings.TrimSpace(tag)
		if how == weak {
			tag = strings.TrimPrefix(tag, "W/")
		}
		if tag == "*" || etag != "" && strings.Trim(tag, `"`) == etag {
			return true
		}
	}
	return false
}

// Met returns Precondition when the caller's conditions do not hold for what is
// at p now. Until release, other conditional writes of that file wait, so that
// of two that saw the same version one wins. Every use case that WebDAV calls
// asks it right before the change, when nothing else refuses the call (RFC 9110
// §13.2.1); Write has conditions of its own.
func (t *Tree) Met(ctx context.Context, c Caller, p *Place) (release func(), err error) {
	if c.Conditions == (Conditions{}) {
		return func() {}, nil
	}
	if release, err = t.Turn(ctx, p); err != nil {
		return nil, err
	}
	if err := t.Meets(ctx, c, p); err != nil {
		release()
		return nil, err
	}
	return release, nil
}

// Turn keeps others on this node back who end a write of the file at p, or lock it.
func (t *Tree) Turn(ctx context.Context, p *Place) (release func(), err error) {
	return t.writers.Lock(ctx, p.Storage.ID+"\x00"+p.Key())
}

// Meets is Met for who has the file's turn.
func (t *Tree) Meets(ctx context.Context, c Caller, p *Place) error {
	if c.Conditions == (Conditions{}) {
		return nil
	}
	entry, err := t.Lookup(ctx, p)
	if err != nil && !ports.Is(err, ports.NotFound) {
		return err
	}
	if err != nil {
		return c.Conditions.Check(nil)
	}
	return c.Conditions.Check(&entry)
}

// IfList is one list of a WebDAV If header: it holds when all its terms do
// about what is at the path (RFC 4918 §10.4).
type IfList struct {
	Path  string // canonical; empty for what is not on this server: nothing is there
	Terms []IfTerm
}

// IfTerm is a lock token or an entity tag that must, or must not, fit.
type IfTerm struct {
	Not   bool
	Token string // without brackets; empty for an entity tag
	ETag  string // without quotes; weak ones fit nothing and come as ""
}
