// Package objects holds what domain modules do to many objects of a bucket: walk
// over them, compare and delete them. It keeps at most a page of them in memory.
package objects

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"pasteport/ports"
	"pasteport/ports/objstore"
)

// atOnce is how many storage calls one use case makes at a time.
const atOnce = 8

// Walk hands do every object whose key starts with prefix, page by page in
// ascending order of their keys.
func Walk(ctx context.Context, b objstore.Bucket, prefix string, do func(page []objstore.Object) error) error {
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

// Cursor goes over the objects of a prefix in ascending order, so that two
// folders can be compared without keeping either in memory.
type Cursor struct {
	Bucket objstore.Bucket
	Prefix string
	token  string
	tokens objstore.Tokens
	page   []objstore.Object
	last   bool // no page follows
}

// To passes over all objects before key and returns the one at it, if any.
func (c *Cursor) To(ctx context.Context, key string) (objstore.Object, bool, error) {
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
		page, err := c.Bucket.List(ctx, objstore.ListQuery{Prefix: c.Prefix, Token: c.token})
		if err != nil {
			return objstore.Object{}, false, err
		}
		c.page, c.token, c.last = page.Objects, page.Next, page.Next == ""
		if err := c.tokens.Follow(c.token); err != nil {
			return objstore.Object{}, false, err
		}
	}
}

// Each calls do with 0 to n-1, at most atOnce at a time, and waits for all it
// began. After an error it begins no more and returns the first one.
func Each(ctx context.Context, n int, do func(ctx context.Context, i int) error) error {
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

// Delete deletes objects, those in folders before the markers of the folders, and
// returns what is left, or may be, with the reason.
func Delete(ctx context.Context, b objstore.Bucket, keys []string) map[string]error {
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

// Exists reports whether an object has this key.
func Exists(ctx context.Context, b objstore.Bucket, key string) (bool, error) {
	_, err := b.Stat(ctx, key)
	if ports.Is(err, ports.NotFound) {
		return false, nil
	}
	return err == nil, err
}

// Make stores an empty object unless there is one, and reports whether it did. Of
// many at once one does, where the storage takes conditions.
func Make(ctx context.Context, b objstore.Bucket, key, contentType string) (made bool, err error) {
	there, err := Exists(ctx, b, key)
	if there || err != nil {
		return false, err
	}
	_, err = b.Write(ctx, key, strings.NewReader(""), objstore.WriteOptions{ContentType: contentType, IfNoneMatch: true})
	if errors.Is(err, objstore.ErrExists) {
		return false, nil
	}
	return err == nil, err
}

// AnyBelow reports whether any object has this prefix.
func AnyBelow(ctx context.Context, b objstore.Bucket, prefix string) (bool, error) {
	page, err := b.List(ctx, objstore.ListQuery{Prefix: prefix, Limit: 1})
	return len(page.Objects) > 0, err
}

// FirstError returns the error of the first key in order, nil for none.
func FirstError(failed map[string]error) error {
	first := ""
	for key := range failed {
		if first == "" || key < first {
			first = key
		}
	}
	return failed[first]
}

// DeleteAll deletes an object, or all below a prefix.
func DeleteAll(ctx context.Context, b objstore.Bucket, key string, folder bool) error {
	left := map[string]error{}
	if !folder {
		return FirstError(Delete(ctx, b, []string{key}))
	}
	err := Walk(ctx, b, key, func(page []objstore.Object) error {
		keys := make([]string, len(page))
		for i := range page {
			keys[i] = page[i].Key
		}
		maps.Copy(left, Delete(ctx, b, keys))
		if len(left) > objstore.MaxList {
			return FirstError(left)
		}
		return ctx.Err()
	})
	if err == nil && len(left) > 0 {
		err = fmt.Errorf("%d objects could not be deleted: %w", len(left), FirstError(left))
	}
	return err
}

// Holds reports whether a key or prefix lies in another, or is it.
func Holds(outer, inner string) bool {
	return outer == inner || outer == "" || outer[len(outer)-1] == '/' && len(inner) >= len(outer) && inner[:len(outer)] == outer
}

// WalkAhead hands do all objects below a prefix; while one page is being worked
// on, the next is on its way.
func WalkAhead(ctx context.Context, bucket objstore.Bucket, prefix string, do func([]objstore.Object) error) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	pages, failed := make(chan []objstore.Object, 1), make(chan error, 1)
	go func() {
		defer close(pages)
		failed <- Walk(ctx, bucket, prefix, func(page []objstore.Object) error {
			select {
			case pages <- page:
				return nil
			case <-ctx.Done():
				return ctx.Err()
			}
		})
	}()
	var broken error
	for page := range pages {
		if broken == nil {
			if broken = do(page); broken != nil {
				cancel()
			}
		}
	}
	return cmp.Or(broken, <-failed)
}

// SizeBelow adds up the objects below prefix, in bytes.
func SizeBelow(ctx context.Context, bucket objstore.Bucket, prefix string) (sum int64, err error) {
	q := objstore.ListQuery{Prefix: prefix}
	var tokens objstore.Tokens
	for range countedPages {
		page, err := bucket.List(ctx, q)
		if err != nil {
			return 0, err
		}
		for _, o := range page.Objects {
			sum += o.Size
		}
		if q.Token = page.Next; q.Token == "" {
			break
		}
		if err := tokens.Follow(q.Token); err != nil {
			return 0, err
		}
	}
	return sum, nil
}

// countedPages bounds a count that lists a storage, in pages of 1000 objects;
// what lies behind counts as nothing.
const countedPages = 200
