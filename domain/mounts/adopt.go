package mounts

import "pasteport/ports/objstore"

// Adopt completes a mount of an earlier installation: the fields of the draft
// are checked as those of a new mount are. It stores nothing and asks no
// policy: it is for the operator's command line.
//
// Returns Invalid for a bad field and names it.
func Adopt(m Mount, d Draft, config objstore.Storage) (*Mount, error) {
	if err := d.apply(&m, &config); err != nil {
		return nil, err
	}
	return &m, nil
}
