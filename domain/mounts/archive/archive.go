// Package archive gives away folders and selections of the tree as ZIP files that
// are made while they are sent: tickets that are good once, and the packing.
package archive

import (
	"context"
	"encoding/hex"
	"io"
	"strings"
	"sync/atomic"
	"time"

	"pasteport/domain/internal/objects"
	"pasteport/domain/mounts"
	"pasteport/ports"
	"pasteport/ports/policy"
)

// Bounds of archives.
const (
	MaxPaths   = 1000
	MaxEntries = 100_000         // files and folders in one archive
	LinkLife   = 1 * time.Minute // from the asking to the first byte
)

// ticketPurpose names the derived key under which tickets are kept.
const ticketPurpose = "archive-ticket"

// Ticket lets whoever has its link fetch one archive once.
type Ticket struct {
	ID        string           // keyed hash of the text in the link
	Who       policy.Principal // who asked; the archive holds what they may use
	Name      string           // of the ZIP file
	Paths     []string         // canonical; folders that were named as such end in "/"
	ExpiresAt time.Time
}

// Repository stores tickets of archives.
type Repository interface {
	// Insert stores a ticket and drops those that have expired by now.
	Insert(ctx context.Context, ticket *Ticket, now time.Time) error
	// Get returns a ticket that is good at now; NotFound.
	Get(ctx context.Context, id string, now time.Time) (*Ticket, error)
	// Take is Get and removes the ticket: of several callers one gets it.
	Take(ctx context.Context, id string, now time.Time) (*Ticket, error)
}

// Archives gives away folders and selections as ZIP files. It is safe for
// concurrent use.
type Archives struct {
	tree    *mounts.Tree
	tickets Repository
}

// New returns the archives of a tree.
func New(tree *mounts.Tree, tickets Repository) *Archives {
	return &Archives{tree, tickets}
}

// Request asks for an archive.
type Request struct {
	Paths []string // files and folders, of whatever mounts
	Name  string   // of the ZIP file; empty means after what is in it
}

// Link is how to fetch an archive.
type Link struct {
	Ticket  string // good once
	Name    string // of the ZIP file, with its ending
	Expires time.Time
}

// Create makes a ticket for an archive of the paths (contract §9.11). It asks
// mount.archive once, with all of them. What is missing is left to be named in
// the archive, unless nothing is there.
//
// Returns Invalid for no path, too many or an unclean one, ErrForeign and
// ErrOutside for what the caller cannot use, ErrNoMount and NotFound when none
// of the paths leads anywhere.
func (a *Archives) Create(ctx context.Context, c mounts.Caller, n Request) (Link, error) {
	t := a.tree
	switch {
	case len(n.Paths) == 0:
		return Link{}, ports.InvalidInput("required", "paths")
	case len(n.Paths) > MaxPaths:
		return Link{}, ports.InvalidInput("batch_large", "paths")
	}
	on := policy.Resource{Paths: make([]string, len(n.Paths))}
	folders := make([]bool, len(n.Paths))
	for i, p := range n.Paths {
		var err error
		if on.Paths[i], folders[i], err = mounts.Clean(p); err != nil {
			return Link{}, err
		}
	}
	if _, err := t.Ask(ctx, c, mounts.OpArchive, on); err != nil {
		return Link{}, err
	}
	name, err := nameOf(n.Name, on.Paths)
	if err != nil {
		return Link{}, err
	}
	ticket := &Ticket{Who: c.Who, Name: name, ExpiresAt: t.Clock.Now().Add(LinkLife)}
	if ticket.Paths, err = a.anythingAt(ctx, c.Who, on.Paths, folders); err != nil {
		return Link{}, err
	}
	text := t.Random.Text(32)
	ticket.ID = a.id(text)
	if err := a.tickets.Insert(ctx, ticket, t.Clock.Now()); err != nil {
		return Link{}, ports.Wrap("store a ticket", err)
	}
	return Link{Ticket: text, Name: name, Expires: ticket.ExpiresAt}, nil
}

// anythingAt returns the paths as tickets keep them, each once, or the error of
// the first one when nothing is at any of them.
func (a *Archives) anythingAt(ctx context.Context, who policy.Principal, paths []string, folders []bool) ([]string, error) {
	s, err := a.tree.Snapshot(ctx)
	if err != nil {
		return nil, err
	}
	var keep []string
	seen := map[string]bool{}
	for i, path := range paths {
		if err := mayPack(s, who, path); err != nil {
			return nil, err
		}
		if folders[i] && path != "/" {
			path += "/"
		}
		if !seen[path] {
			seen[path] = true
			keep = append(keep, path)
		}
	}
	missing := make([]error, len(keep))
	var found atomic.Bool
	err = objects.Each(ctx, len(keep), func(ctx context.Context, i int) error {
		if found.Load() {
			return nil
		}
		_, missing[i] = packed(ctx, a.tree, s, who, keep[i])
		if missing[i] == nil {
			found.Store(true)
		} else if !ports.Is(missing[i], ports.NotFound) {
			return missing[i]
		}
		return nil
	})
	if err == nil && !found.Load() {
		err = missing[0]
	}
	return keep, err
}

// mayPack refuses a path of a mount that the caller cannot use, or outside its
// base.
func mayPack(s *mounts.Snapshot, who policy.Principal, path string) error {
	if who.Kind == policy.APIKey && !mounts.Within(who.BasicPath, path) {
		return mounts.ErrOutside
	}
	if m := s.Find(path); m != nil && !mounts.MayUse(who, m) && len(s.Below(who, path)) == 0 {
		return mounts.ErrForeign
	}
	return nil
}

// packable is what one path of an archive names: a file or a folder, which
// has a place unless it is virtual.
type packable struct {
	mounts.Entry
	place *mounts.Place
}

// packed finds what is at a path of a ticket.
func packed(ctx context.Context, t *mounts.Tree, s *mounts.Snapshot, who policy.Principal, path string) (packable, error) {
	clean, folder, err := mounts.Clean(path)
	if err != nil {
		return packable{}, err
	}
	if err := mayPack(s, who, clean); err != nil {
		return packable{}, err
	}
	below := len(s.Below(who, clean)) > 0
	m := s.Find(clean)
	if m == nil || !mounts.MayUse(who, m) {
		if !below {
			return packable{}, mounts.ErrNoMount
		}
		return packable{Entry: mounts.Entry{Path: clean, Name: mounts.Base(clean), Folder: true, Virtual: true}}, nil
	}
	p := m.Place(clean)
	t.Touch(m.ID)
	entry, err := t.StatAt(ctx, p, folder)
	if ports.Is(err, ports.NotFound) && below {
		entry, err = mounts.FolderEntry(p, nil), nil
	}
	return packable{Entry: entry, place: p}, err
}

// ending is the ending of ZIP files.
const ending = ".zip"

// nameOf is the name of the ZIP file: as asked for, else after the only
// path, else after the folder that holds them all.
func nameOf(asked string, paths []string) (string, error) {
	name := strings.TrimSuffix(asked, ending)
	if name != "" {
		if err := mounts.CheckName(name + ending); err != nil {
			return "", ports.InvalidInput("path_invalid", "name")
		}
		return name + ending, nil
	}
	name = mounts.Base(paths[0])
	for _, p := range paths[1:] {
		if mounts.Parent(p) != mounts.Parent(paths[0]) {
			name = ""
			break
		}
		name = mounts.Base(mounts.Parent(p))
	}
	if name == "" {
		name = allFiles
	}
	return mounts.FitName(name, "", ending), nil
}

// allFiles names what has no name of its own.
const allFiles = "files"

// id is the name under which a ticket is kept.
func (a *Archives) id(text string) string {
	sum := a.tree.MAC.Sum(ticketPurpose, []byte(text))
	return hex.EncodeToString(sum[:])
}

// Look returns the name of the archive that a ticket is good for, and leaves
// the ticket as it is. Returns NotFound when it is good for none.
func (a *Archives) Look(ctx context.Context, ticket string) (name string, err error) {
	found, err := a.tickets.Get(ctx, a.id(ticket), a.tree.Clock.Now())
	if err != nil {
		return "", err
	}
	return found.Name, nil
}

// Open takes a ticket and returns its archive. Returns NotFound when the ticket
// was used, has expired or never was.
func (a *Archives) Open(ctx context.Context, ticket string) (*Archive, error) {
	found, err := a.tickets.Take(ctx, a.id(ticket), a.tree.Clock.Now())
	if err != nil {
		return nil, err
	}
	s, err := a.tree.Snapshot(ctx)
	if err != nil {
		return nil, err
	}
	return &Archive{Name: found.Name, ticket: *found, tree: a.tree, snapshot: s}, nil
}

// Archive is a ZIP file in the making. It belongs to one request.
type Archive struct {
	Name string // with its ending

	ticket   Ticket
	tree     *mounts.Tree
	snapshot *mounts.Snapshot
}

// WriteZip writes the archive as its files are read, with nothing of them kept
// in memory. Folders are entries of their own. What cannot be read is named in
// a text at the end, in the words of say.
//
// It ends early, and reads no more, when ctx ends or w fails.
func (a *Archive) WriteZip(ctx context.Context, w io.Writer, say func(error) string) error {
	p := newPacker(a, w, say)
	for _, path := range a.ticket.Paths {
		if err := p.add(ctx, path); err != nil {
			return err
		}
	}
	return p.end()
}
