package mounts

import (
	"context"

	"pasteport/ports"
)

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

// ErrCondition says that an If header does not hold.
var ErrCondition = &ports.Error{Code: ports.Precondition, Key: "precondition_failed", Text: "condition_failed"}

// holds returns ErrCondition when the caller's If header does not hold: none
// of its lists does. What the caller may not reach counts as nothing there.
func (t *Tree) holds(ctx context.Context, c Caller) error {
	if len(c.If) == 0 {
		return nil
	}
	reaches := make([]Reach, 0, len(c.If))
	for _, list := range c.If {
		reaches = append(reaches, Reach{Path: list.Path})
	}
	locks, err := t.Locks.Around(ctx, t.Clock.Now(), reaches...)
	if err != nil {
		return ports.Wrap("look for locks", err)
	}
	tags := map[string]string{}
	for _, list := range c.If {
		ok, err := t.listHolds(ctx, c, list, locks, tags)
		if ok || err != nil {
			return err
		}
	}
	return ErrCondition
}

func (t *Tree) listHolds(ctx context.Context, c Caller, list IfList, locks []Lock, tags map[string]string) (bool, error) {
	for _, term := range list.Terms {
		var fits bool
		if term.Token != "" {
			fits = hasToken(locks, list.Path, term.Token)
		} else {
			tag, err := t.tagAt(ctx, c, list.Path, tags)
			if err != nil {
				return false, err
			}
			fits = tag != "" && tag == term.ETag
		}
		if fits == term.Not {
			return false, nil
		}
	}
	return true, nil
}

func hasToken(locks []Lock, path, token string) bool {
	for _, l := range locks {
		if l.Token == token && path != "" && l.covers(path) {
			return true
		}
	}
	return false
}

// tagAt returns the entity tag of the file at path, empty without one. It
// keeps what it finds in tags.
func (t *Tree) tagAt(ctx context.Context, c Caller, path string, tags map[string]string) (string, error) {
	if tag, known := tags[path]; known || path == "" {
		return tag, nil
	}
	s, err := t.snapshot(ctx)
	if err != nil {
		return "", err
	}
	p, err := s.resolve(c.Who, path)
	if err != nil {
		return "", nil
	}
	entry, err := t.statAt(ctx, p, false)
	if err != nil && !ports.Is(err, ports.NotFound) {
		return "", err
	}
	tags[path] = entry.ETag
	return entry.ETag, nil
}
