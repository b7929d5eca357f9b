package mounts

import (
	"context"
	"time"

	"pasteport/ports"
)

// Details describe one file or folder.
type Details struct {
	Entry
	Mount *Mount // that holds it; not to be changed
	Links Links  // of a file
}

// Get describes the file or folder at path; where both have the name it is the
// file, unless path ends in "/" (contract §4.2). It asks mount.read.
//
// Returns ErrRoot and ErrNoMount for folders that only lead to mounts, NotFound
// when there is nothing.
func (ln *Linker) Get(ctx context.Context, c Caller, path string) (*Details, error) {
	return inForms(ln.forms, path, func(path string) (*Details, error) { return ln.get(ctx, c, path) })
}

func (ln *Linker) get(ctx context.Context, c Caller, path string) (*Details, error) {
	places, decision, err := ln.Enter(ctx, c, OpRead, path)
	if err != nil {
		return nil, err
	}
	p := places[0]
	e, err := ln.StatAt(ctx, p, p.Folder)
	if p.Folder && ports.Is(err, ports.NotFound) {
		e, err = ln.StatAt(ctx, p, false)
	}
	if err != nil {
		return nil, err
	}
	d := &Details{Entry: e, Mount: p.Mount}
	if e.MountPoint != nil {
		d.ModTime = ln.newest(p)
	}
	if !e.Folder {
		d.Links, err = ln.links(ctx, c, p, decision.Obligations)
	}
	return d, err
}

// newest is the time of the newest file or folder in the one at the place, as
// far as a cached listing tells; nil when none does.
func (rd *Reader) newest(p *Place) *time.Time {
	f := rd.dirs.peek(dirKey{storage: p.Storage.ID, prefix: p.Prefix()}, time.Duration(p.Mount.CacheTTL)*time.Second)
	if f == nil {
		return nil
	}
	var last int64
	for i := range f.items {
		last = max(last, f.items[i].modified)
	}
	if last == 0 {
		return nil
	}
	at := time.UnixMilli(last).UTC()
	return &at
}
