package dav

import (
	"context"
	"errors"
	"strings"

	"pasteport/domain/mounts"
	"pasteport/ports"
	"pasteport/ports/objstore"
)

// Bounds of dead properties (contract §8.12).
const (
	MaxProperty   = 64 << 10 // bytes of one property's XML
	MaxProperties = 256      // of one file or folder
	// maxPropertyBytes bounds what all properties of one file or folder hold
	// together: a copy of a folder repeats them as often as it has files.
	maxPropertyBytes = 2 * MaxProperty
	// maxFolderBytes bounds the properties that are held in memory while a folder is
	// listed. Beyond them each entry is looked up.
	maxFolderBytes = 4 << 20
)

// PropertyBounds are how many properties one file or folder may have, and how
// many bytes: those of names, namespaces and XML.
type PropertyBounds struct {
	Most  int
	Bytes int64
}

var propertyBounds = PropertyBounds{MaxProperties, maxPropertyBytes}

// Property is a dead WebDAV property: kept and given back, never read
// (RFC 4918 §4).
type Property struct {
	Space string // namespace; may be empty
	Name  string
	// XML is the whole element, self-contained: it declares its namespaces.
	XML string
}

// PropertyName names a property.
type PropertyName struct{ Space, Name string }

// PropertyRepository stores the dead properties of files and folders by their
// paths. Properties of what does not exist do no harm: who creates a file or
// folder anew drops them.
type PropertyRepository interface {
	// Of returns the properties at path, by namespace, then name.
	Of(ctx context.Context, path string) ([]Property, error)
	// OfFolder returns those of a folder and of everything directly in it, by path.
	// When their XML has more than most bytes it returns none of them, and more.
	OfFolder(ctx context.Context, folder string, most int) (of map[string][]Property, more bool, err error)
	// Patch stores and removes properties as one; removing what is not there
	// is no error. Returns Quota when more than the bounds would remain.
	Patch(ctx context.Context, path string, b PropertyBounds, set []Property, remove []PropertyName) error
	// Copy replaces the properties at and below to by those at and below from;
	// with alone only those at the two paths themselves.
	Copy(ctx context.Context, from, to string, alone bool) error
	// Move is Copy, after which from has none.
	Move(ctx context.Context, from, to string) error
	// DeleteWithin removes the properties on the paths and on all that lies
	// below.
	DeleteWithin(ctx context.Context, paths ...string) error
	// Clear removes the properties in a region.
	Clear(ctx context.Context, of Region) error
	// Carry moves the properties in a region, as one, to another path, where it
	// replaces those in that region.
	Carry(ctx context.Context, from, to Region) error
}

// Vanished forgets the locks and dead properties of what is no longer there.
// It follows a successful delete and comes before its answer; the objects are
// gone, so a failure is only reported.
func (t *Resources) Vanished(ctx context.Context, paths ...string) {
	ctx = context.WithoutCancel(ctx)
	if err := t.locks.DeleteWithin(ctx, paths...); err != nil {
		t.tree.Report("drop locks of deleted paths", err)
	}
	if err := t.properties.DeleteWithin(ctx, paths...); err != nil {
		t.tree.Report("drop properties of deleted paths", err)
	}
}

// Replaced forgets the locks and dead properties of what lay below a path that
// something else takes; the locks on the path itself stay (contract §8.10).
func (t *Resources) Replaced(ctx context.Context, path string) {
	ctx = context.WithoutCancel(ctx)
	locks, err := t.locks.Around(ctx, t.tree.Clock.Now(), Reach{Path: path, Deep: true})
	for _, l := range locks {
		if err == nil && l.Path != path && mounts.Within(path, l.Path) {
			err = t.locks.Delete(ctx, l.Token)
		}
	}
	if err == nil {
		err = t.properties.DeleteWithin(ctx, path)
	}
	if err != nil {
		t.tree.Report("drop locks and properties of what was replaced", err)
	}
}

// Copied lets dead properties go along with a copy from one path to another;
// with alone only those of the folder itself. Locks stay where they are.
func (t *Resources) Copied(ctx context.Context, from, to string, alone bool) {
	if err := t.properties.Copy(context.WithoutCancel(ctx), from, to, alone); err != nil {
		t.tree.Report("copy properties", err)
	}
}

// Moved lets dead properties go along with a move or rename; the locks of what
// was moved end, those of the target stay (contract §8.10).
func (t *Resources) Moved(ctx context.Context, from, to string) {
	ctx = context.WithoutCancel(ctx)
	if err := t.properties.Move(ctx, from, to); err != nil {
		t.tree.Report("move properties", err)
	}
	if err := t.locks.DeleteWithin(ctx, from); err != nil {
		t.tree.Report("drop locks of moved paths", err)
	}
}

// Remounted lets dead properties go along with a mount, and ends the locks of both
// paths; with an empty to they are forgotten.
func (t *Resources) Remounted(ctx context.Context, from, to string, others []string) error {
	region := func(path string) Region {
		r := Region{Path: path}
		for _, other := range others {
			if other != path && mounts.Within(path, other) {
				r.Except = append(r.Except, other)
			}
		}
		return r
	}
	if to == "" {
		return errors.Join(t.locks.Clear(ctx, region(from)), t.properties.Clear(ctx, region(from)))
	}
	return errors.Join(t.locks.Clear(ctx, region(from)), t.locks.Clear(ctx, region(to)), t.properties.Carry(ctx, region(from), region(to)))
}

// Patch sets and removes dead properties of the file or folder at path, all or
// none. Asks webdav.write. Returns NotFound when nothing is there, Quota when
// it would have too many (contract §8.12).
func (t *Resources) Patch(ctx context.Context, c mounts.Caller, path string, set []Property, remove []PropertyName) error {
	places, _, err := t.tree.Enter(ctx, c, mounts.OpEdit, path)
	if err != nil {
		return err
	}
	p := places[0]
	if err := t.Unlocked(ctx, c, mounts.LockedWrite{Path: p.Path}); err != nil {
		return err
	}
	if _, err := t.tree.Lookup(ctx, p); err != nil {
		return err
	}
	for _, property := range set {
		if len(property.XML) > MaxProperty {
			return &ports.Error{Code: ports.Quota, Key: "quota_exceeded", Text: "property_large"}
		}
	}
	release, err := t.tree.Met(ctx, c, p)
	if err != nil {
		return err
	}
	defer release()
	return t.properties.Patch(ctx, p.Path, propertyBounds, set, remove)
}

// createEmpty stores an empty file where nothing is.
func (t *Resources) createEmpty(ctx context.Context, p *mounts.Place) error {
	bucket, err := t.tree.Bucket(ctx, p)
	if err != nil {
		return err
	}
	o, err := bucket.Write(ctx, p.Key(), strings.NewReader(""), objstore.WriteOptions{ContentType: mounts.ContentTypeOf(mounts.Base(p.Path)), IfNoneMatch: true})
	if err == nil {
		t.tree.WriteMarkers(ctx, bucket, p)
	}
	t.tree.Changed(ctx, mounts.Change{Storage: p.Storage.ID, Put: []objstore.Object{o}})
	if errors.Is(err, objstore.ErrExists) {
		return nil // somebody else was faster; the lock is on what is there now
	}
	return err
}
