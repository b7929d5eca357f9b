package local

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"strings"

	"pasteport/ports/objstore"
)

// List implements objstore.Bucket. It walks only the folders that the prefix
// and the page need, and describes only the files that stand on the page.
func (b *bucket) List(ctx context.Context, q objstore.ListQuery) (objstore.ListPage, error) {
	pager, err := objstore.NewPager(q)
	if err != nil {
		return objstore.ListPage{}, err
	}
	w := &walk{ctx: ctx, b: b, q: q, pager: pager}
	dir := ""
	if i := strings.LastIndexByte(q.Prefix, '/'); i >= 0 {
		dir = q.Prefix[:i]
		if checkKey(dir) != nil {
			return objstore.ListPage{}, nil // no key can start like that
		}
		if fi, err := b.lstat(dir); err != nil || !fi.IsDir() {
			return objstore.ListPage{}, ctx.Err()
		}
	}
	if dir != "" && !w.marker(dir+"/") {
		return pager.Page(), nil
	}
	if _, err := w.folder(dir); err != nil {
		return objstore.ListPage{}, err
	}
	return pager.Page(), nil
}

type walk struct {
	ctx   context.Context
	b     *bucket
	q     objstore.ListQuery
	pager *objstore.Pager
}

// marker adds the marker of a folder; key ends in "/".
func (w *walk) marker(key string) (more bool) {
	if !strings.HasPrefix(key, w.q.Prefix) || w.pager.Passed(key) {
		return true
	}
	o, err := w.b.statFolder(key)
	if err != nil {
		return true
	}
	return w.pager.Add(key, func() (objstore.Object, bool) { return o, true })
}

// folder adds what lies below dir ("" is the root), in byte order of the keys.
func (w *walk) folder(dir string) (more bool, err error) {
	if err := w.ctx.Err(); err != nil {
		return false, err
	}
	name := dir
	if name == "" {
		name = "."
	}
	d, err := w.b.root.Open(name)
	if errors.Is(err, fs.ErrNotExist) {
		return true, nil
	}
	if err != nil {
		return false, fsError(err)
	}
	defer d.Close()
	sorted, err := w.b.names.in(d, dir, w.b.now())
	if err != nil {
		return false, fsError(err)
	}
	front := ""
	if dir != "" {
		front = dir + "/"
	}
	for _, name := range span(sorted, front, w.q.Prefix, w.pager.From()) {
		if more, err := w.entry(d, front+name); err != nil || !more {
			return more, err
		}
	}
	return true, nil
}

func (w *walk) entry(d *os.File, key string) (more bool, err error) {
	if !strings.HasSuffix(key, "/") {
		return w.pager.Add(key, func() (objstore.Object, bool) {
			fi, attribute, err := statIn(d, key[strings.LastIndexByte(key, '/')+1:])
			return describe(key, fi, attribute), err == nil
		}), nil
	}
	if w.pager.PassedUnder(key) {
		return true, nil
	}
	if w.pager.Fold(key) != "" {
		return w.pager.Add(key, nil), nil
	}
	if !w.marker(key) {
		return false, nil
	}
	return w.folder(strings.TrimSuffix(key, "/"))
}
