package ports

import "context"

type newContentKey struct{}

// WithNewContent marks what is done with the context as the storing of new
// content, which fails on a full disk before anything else does.
func WithNewContent(ctx context.Context) context.Context {
	return context.WithValue(ctx, newContentKey{}, true)
}

// IsNewContent reports whether ctx is of WithNewContent.
func IsNewContent(ctx context.Context) bool {
	is, _ := ctx.Value(newContentKey{}).(bool)
	return is
}
