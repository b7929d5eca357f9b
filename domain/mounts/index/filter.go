package index

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"pasteport/domain/mounts"
	"pasteport/ports"
	"pasteport/ports/filetype"
	"pasteport/ports/objstore"
)

// Narrow leaves out of a search what is not wanted. The zero value leaves
// nothing out.
type Narrow struct {
	// Kind is "folder" or a group of filetype; empty means all.
	Kind string
	// MinSize and MaxSize bound files, in bytes, both inclusive; 0 means no
	// bound. Folders have no size, so any bound leaves them out.
	MinSize, MaxSize int64
	// After and Before bound the last change, both inclusive; zero means no
	// bound. What has no known time is left out by any bound.
	After, Before time.Time
}

// kindFolder is the kind of folders in searches.
const kindFolder = "folder"

// sieve is the form in which an index compares. Returns Invalid for an unknown
// kind and for bounds that are negative or that nothing can lie between.
func (n Narrow) sieve(kinds filetype.Kinds) (s Sieve, err error) {
	switch {
	case n.Kind == kindFolder:
		s.Folders = true
	case n.Kind == filetype.OtherGroup:
		s.Files, s.None = true, true
		for _, group := range filetype.Groups {
			s.Extensions = append(s.Extensions, kinds.Extensions(group)...)
		}
	case slices.Contains(filetype.Groups, n.Kind):
		s.Files, s.Extensions = true, kinds.Extensions(n.Kind)
	case n.Kind != "":
		return s, ports.InvalidInput("field_invalid", "kind")
	}
	if n.MinSize < 0 {
		return s, ports.InvalidInput("field_invalid", "min_size")
	}
	if n.MaxSize < 0 || n.MaxSize > 0 && n.MaxSize < n.MinSize {
		return s, ports.InvalidInput("field_invalid", "max_size")
	}
	if !n.Before.IsZero() && n.Before.Before(n.After) {
		return s, ports.InvalidInput("field_invalid", "modified_before")
	}
	s.MinSize, s.MaxSize, s.After, s.Before = n.MinSize, n.MaxSize, mounts.Milliseconds(n.After), mounts.Milliseconds(n.Before)
	s.Files = s.Files || s.MinSize > 0 || s.MaxSize > 0
	return s, nil
}

// Sieve is what an index compares besides the name. The zero value lets
// everything through.
type Sieve struct {
	Folders, Files bool // only those
	// Extensions are those of the files wanted, in lower case; with None, those
	// of the files that are not.
	Extensions []string
	None       bool
	// MinSize and MaxSize in bytes, After and Before in milliseconds since 1970,
	// all inclusive; 0 means no bound. With a bound of the time, what has none
	// stays out.
	MinSize, MaxSize, After, Before int64
}

// Passes reports whether an object is let through; a folder's key ends in "/".
func (s *Sieve) Passes(o objstore.Object) bool {
	folder := strings.HasSuffix(o.Key, "/")
	at := mounts.Milliseconds(o.ModTime)
	switch {
	case s.Folders && !folder, s.Files && folder,
		o.Size < s.MinSize, s.MaxSize > 0 && o.Size > s.MaxSize,
		(s.After > 0 || s.Before > 0) && at == 0, at < s.After, s.Before > 0 && at > s.Before:
		return false
	}
	return len(s.Extensions) == 0 || slices.Contains(s.Extensions, filetype.Extension(mounts.Base("/"+o.Key))) != s.None
}

// key tells sieves apart.
func (s *Sieve) key() string { return fmt.Sprint(*s) }
