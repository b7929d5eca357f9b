package mounts

import (
	"context"
	"slices"
	"strings"
	"sync"

	"pasteport/ports"
	"pasteport/ports/objstore"
)

// atOnce is how many storage calls one use case makes at a time.
const atOnce = 8

// walk hands do every object whose key starts with prefix, page by page in
// ascending order of their keys.
func walk(ctx context.Context, b objstore.Bucket, prefix string, do func(page []objstore.Object) error) error {
	var tokens objstore.Tokens
	for token := ""; ; {
		page, err := b.List(ctx, objstore.ListQuery{Prefix: prefix, Token: token})
		if err != nil {
			return err
		}
		if len(page.Objects) > 0 {
			if err := do(page.Objects); err != nil {
				return err
			}
		}
		if token = page.Next; token == "" {
			return nil
		}
		if err := tokens.Follow(token); err != nil {
			return err
		}
	}
}

// cursor goes over the objects of a prefix in ascending order, so that two
// folders can be compared without keeping either in memory.
type cursor struct {
	bucket objstore.Bucket
	prefix string
	token  string
	tokens objstore.Tokens
	page   []objstore.Object
	last   bool // no page follows
}

// to passes over all objects before key and returns the one at it, if any.
func (c *cursor) to(ctx context.Context, key string) (objstore.Object, bool, error) {
	for {
		for len(c.page) > 0 && c.page[0].Key < key {
			c.page = c.page[1:]
		}
		if len(c.page) > 0 {
			return c.page[0], c.page[0].Key == key, nil
		}
		if c.last {
			return objstore.Object{}, false, nil
		}
		page, err := c.bucket.List(ctx, objstore.ListQuery{Prefix: c.prefix, Token: c.token})
		if err != nil {
			return objstore.Object{}, false, err
		}
		c.page, c.token, c.last = page.Objects, page.Next, page.Next == ""
		if err := c.tokens.Follow(c.token); err != nil {
			return objstore.Object{}, false, err
		}
	}
}

// each calls do with 0 to n-1, at most atOnce at a time, and waits for all it
// began. After an error it begins no more and returns the first one.
func each(ctx context.Context, n int, do func(ctx context.Context, i int) error) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var wait sync.WaitGroup
	slots := make(chan struct{}, atOnce)
	for i := range n {
		slots <- struct{}{}
		if ctx.Err() != nil {
			break
		}
		wait.Go(func() {
			defer func() { <-slots }()
			if err := do(ctx, i); err != nil {
				cancel(err)
			}
		})
	}
	wait.Wait()
	return context.Cause(ctx)
}

// drop deletes objects, those in folders before the markers of the folders, and
// returns what is left, or may be, with the reason.
func drop(ctx context.Context, b objstore.Bucket, keys []string) map[string]error {
	keys = slices.Clone(keys)
	slices.SortFunc(keys, func(x, y string) int { return strings.Compare(y, x) })
	left := map[string]error{}
	for some := range slices.Chunk(keys, objstore.MaxList) {
		failed, err := b.Delete(ctx, some...)
		for key, why := range failed {
			left[key] = why
		}
		if err == nil {
			continue
		}
		for _, key := range some {
			if left[key] == nil {
				left[key] = err
			}
		}
	}
	return left
}

// exists reports whether an object has this key.
func exists(ctx context.Context, b objstore.Bucket, key string) (bool, error) {
	_, err := b.Stat(ctx, key)
	if ports.Is(err, ports.NotFound) {
		return false, nil
	}
	return err == nil, err
}

// filled reports whether any object has this prefix.
func filled(ctx context.Context, b objstore.Bucket, prefix string) (bool, error) {
	page, err := b.List(ctx, objstore.ListQuery{Prefix: prefix, Limit: 1})
	return len(page.Objects) > 0, err
}

// firstOf returns the error of the first key in order, nil for none.
func firstOf(failed map[string]error) error {
	first := ""
	for key := range failed {
		if first == "" || key < first {
			first = key
		}
	}
	return failed[first]
}
