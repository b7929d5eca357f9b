package collections

import (
	"context"
	"path"
	"strings"

	"pasteport/domain/shares"
	"pasteport/ports"
)

// maxAround is how many links around a folder are looked at.
const maxAround = 200

// Lead is a link that leads to an entry of a folder.
type Lead struct {
	Name string // of the entry; empty means all of the folder
	*Collection
}

// Around lists the open links that lead to what lies directly in a folder, newest
// first and at most shares.MaxMarks: those of one owner, or all when createdBy is
// empty. mount is the path of the folder's mount. files are shares of files in the
// folder, of which those are told that are items. It asks nobody, as SharedIn.
func (c *Collections) Around(ctx context.Context, createdBy, mount, folder string, files []shares.File) ([]Lead, error) {
	at := []string{folder}
	for up := folder; up != mount && up != "/"; {
		up = path.Dir(up)
		at = append(at, up)
	}
	now := c.d.Clock.Now()
	found, err := c.d.Collections.Around(ctx, createdBy, at, strings.TrimSuffix(folder, "/")+"/", now, maxAround)
	if err != nil {
		return nil, err
	}
	var leads []Lead
	for i := range found {
		for _, name := range found[i].reaches(folder) {
			leads = append(leads, Lead{name, &found[i]})
		}
	}
	known := map[string]*Collection{}
	for i := range files {
		id := files[i].Collection
		if id == "" {
			continue
		}
		of, seen := known[id]
		if !seen {
			if of, err = c.open(ctx, id); err != nil {
				return nil, err
			}
			known[id] = of
		}
		if of != nil {
			leads = append(leads, Lead{path.Base(files[i].FilePath), of})
		}
	}
	return leads[:min(len(leads), shares.MaxMarks)], nil
}

// open is a collection that can be opened; nil is one that cannot.
func (c *Collections) open(ctx context.Context, id string) (*Collection, error) {
	found, err := c.d.Collections.Get(ctx, id)
	if ports.Is(err, ports.NotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	if found.Closed(c.d.Clock.Now(), false, ends) != nil {
		return nil, nil
	}
	return found, nil
}

// reaches are the names of the entries of a folder that a collection leads to; an
// empty name means all of them.
func (c *Collection) reaches(folder string) (names []string) {
	base := strings.TrimSuffix(c.Root, "/") + "/"
	if len(c.Picks) == 0 {
		if name, below := strings.CutPrefix(c.Root, strings.TrimSuffix(folder, "/")+"/"); below {
			return []string{name}
		}
		return []string{""}
	}
	for _, pick := range c.Picks {
		at := base + pick
		if at == folder || strings.HasPrefix(folder, at+"/") {
			return []string{""}
		}
		if path.Dir(at) == folder {
			names = append(names, path.Base(at))
		}
	}
	return names
}
