package ports

import "context"

// Page is one page of a list and the number of all matching records. Where to
// count them would take long it is a smaller one: 2,000 or more for a search of
// text, 10,000 or more otherwise, and always more than the pages up to this one
// have when another follows.
type Page[E any] struct {
	Items []E
	Total int
}

// Paging chooses a page. Limit zero means the repository's own bound of 1000.
type Paging struct {
	Limit  int // records, 1 to 1000
	Offset int // records to pass over, not negative
}

// Repository stores entities of type E and lists them by a filter of type F.
// Every method joins the unit of work in ctx when there is one. Methods return
// an *Error with code NotFound, Conflict or Unavailable. Implementations are
// safe for concurrent use and hand out copies the caller may change.
type Repository[E, F any] interface {
	// Insert stores a new entity; Conflict when its id or a unique name exists.
	Insert(ctx context.Context, e *E) error
	Get(ctx context.Context, id string) (*E, error)
	List(ctx context.Context, filter F) (Page[E], error)

	// Update loads, changes and saves in one transaction. When change returns
	// an error nothing is saved and that error comes back. Every field is
	// stored as change leaves it, version and times included; the id stays.
	// change may run more than once and must not call the repository.
	Update(ctx context.Context, id string, change func(*E) error) (*E, error)

	// Delete reports how many of the ids existed.
	Delete(ctx context.Context, ids ...string) (int, error)
}

// UnitOfWork runs several writes as one.
type UnitOfWork interface {
	// Do runs fn in one transaction that every repository called with fn's
	// context joins. An error of fn undoes all of it and comes back. Do inside
	// Do joins the outer one. fn must not wait for the network: on SQLite it
	// holds the only writer. fn may run more than once (PostgreSQL repeats it
	// after a serialization failure), so what it does outside the database must
	// bear repeating. The context of fn does not end before fn does.
	Do(ctx context.Context, fn func(ctx context.Context) error) error
}
