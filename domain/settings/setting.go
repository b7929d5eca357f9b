package settings

import (
	"context"
	"time"
)

// Setting is a stored value. What it means stands in the registry.
type Setting struct {
	Key       string
	Value     string
	CreatedAt time.Time
	UpdatedAt time.Time
}

// Repository stores setting values.
type Repository interface {
	All(ctx context.Context) ([]Setting, error)
	// Put stores values, replacing older ones of the same keys.
	Put(ctx context.Context, values ...Setting) error
	// PutAfter is Put once check has seen all stored values, by key, in the same
	// transaction and kept from other changes. When it returns an error nothing
	// is stored and that error comes back.
	PutAfter(ctx context.Context, check func(stored []Setting) error, values ...Setting) error
	// Seed stores the values whose keys are absent.
	Seed(ctx context.Context, values ...Setting) error
}
