package collections

import (
	"slices"

	"pasteport/ports"
)

// Look is what a visitor of a collection sees first; each can choose another.
type Look string

// The looks.
const (
	AsUsual Look = ""        // as this visitor has looked at the last one
	List    Look = "list"    // names, one below the other
	Grid    Look = "grid"    // small pictures with names
	Gallery Look = "gallery" // pictures alone, then the rest
	Preview Look = "preview" // the first file, shown as large as it can be
)

// Looks are all of them.
var Looks = []Look{AsUsual, List, Grid, Gallery, Preview}

func checkLook(l Look) error {
	if !slices.Contains(Looks, l) {
		return ports.InvalidInput("collection.look", "look")
	}
	return nil
}
