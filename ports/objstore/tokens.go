package objstore

import (
	"errors"

	"pasteport/ports"
)

// Tokens watches the tokens of one listing, page after page. A storage that
// leads in a circle would be listed without end. The zero value is ready.
type Tokens struct {
	mark  string // an earlier token
	since int    // tokens that followed it
	span  int    // after which a new mark is set, doubling (Brent)
}

// Follow takes the token of the next page; an empty one ends the listing.
// Returns BadGateway, at the latest after twice its length, when the tokens go
// round in a circle.
func (t *Tokens) Follow(next string) error {
	if next == "" {
		return nil
	}
	if next == t.mark {
		return ErrCircle
	}
	if t.since++; t.since >= t.span {
		t.mark, t.since, t.span = next, 0, max(1, 2*t.span)
	}
	return nil
}

// ErrBadAnswer is a storage that answers something that cannot be used.
var ErrBadAnswer = &ports.Error{Code: ports.BadGateway, Key: "storage_unavailable", Text: "storage_answer_invalid"}

// ErrCircle is a storage whose pages follow each other in a circle.
var ErrCircle = ErrBadAnswer.With(errors.New("the storage lists its pages in a circle"))
