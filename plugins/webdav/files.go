package webdav

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"pasteport/plugins/filetree"
	"pasteport/ports"
	"pasteport/ports/objstore"
)

// files is the folder as a tree.
type files struct{ c *client }

var _ filetree.FS = files{}

// Close implements filetree.FS.
func (f files) Close() error {
	f.c.close()
	return nil
}

// Stat implements filetree.FS. Some servers want a "/" behind folders and say so
// by a redirect.
func (f files) Stat(ctx context.Context, name string) (filetree.Entry, error) {
	e, err := f.stat(ctx, name, "")
	if name == "" || errors.Is(err, errElsewhere) {
		e, err = f.stat(ctx, name, "/")
	}
	return e, err
}

func (f files) stat(ctx context.Context, name, slash string) (filetree.Entry, error) {
	var found *filetree.Entry
	err := f.c.propfind(ctx, f.c.address(name, slash), "0", func(d *described) error {
		if e, ok := d.entry(); ok && found == nil {
			e.Name = name[strings.LastIndexByte(name, '/')+1:]
			found = &e
		}
		return nil
	})
	if err == nil && found == nil {
		err = objstore.ErrBadAnswer.With(errors.New("PROPFIND: nothing is described"))
	}
	if err != nil {
		return filetree.Entry{}, err
	}
	return *found, nil
}

// List implements filetree.FS.
func (f files) List(ctx context.Context, dir string) ([]filetree.Entry, error) {
	return f.c.children(ctx, dir)
}

// Open implements filetree.FS.
func (f files) Open(ctx context.Context, name string, e filetree.Entry, offset, length int64) (io.ReadCloser, error) {
	header := map[string]string{}
	if offset > 0 || length < e.Size {
		header["Range"] = fmt.Sprintf("bytes=%d-%d", offset, offset+length-1)
	}
	resp, err := f.c.send(ctx, request{method: http.MethodGet, to: f.c.address(name, ""), header: header})
	if err != nil {
		return nil, err
	}
	if !same(resp, e) {
		resp.Body.Close()
		return nil, filetree.ErrOther
	}
	body := &body{ctx: ctx, ReadCloser: resp.Body}
	switch resp.StatusCode {
	case http.StatusPartialContent:
		if want := fmt.Sprintf("bytes %d-%d/%d", offset, offset+length-1, e.Size); resp.Header.Get("Content-Range") != want {
			resp.Body.Close()
			return nil, filetree.ErrOther
		}
	case http.StatusOK:
		if resp.ContentLength >= 0 && resp.ContentLength != e.Size {
			resp.Body.Close()
			return nil, filetree.ErrOther
		}
		if _, err := io.CopyN(io.Discard, body, offset); err != nil { // a server without ranges
			resp.Body.Close()
			return nil, lost(ctx, http.MethodGet, err)
		}
	default:
		resp.Body.Close()
		return nil, objstore.ErrBadAnswer.With(fmt.Errorf("GET: the server answered %d", resp.StatusCode))
	}
	return body, nil
}

// same reports whether an answer can be of the file that was described: some
// servers give other ETags here than there, so the time counts as well.
func same(resp *http.Response, e filetree.Entry) bool {
	tag := cleanETag(resp.Header.Get("ETag"))
	if tag == "" || e.ETag == "" || tag == e.ETag {
		return true
	}
	at, err := http.ParseTime(resp.Header.Get("Last-Modified"))
	return err == nil && at.Equal(e.ModTime)
}

// body keeps addresses out of what is said of a cut answer.
type body struct {
	ctx context.Context
	io.ReadCloser
}

func (b *body) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if err != nil && err != io.EOF {
		err = lost(b.ctx, http.MethodGet, err)
	}
	return n, err
}

// held is how much of a body of unknown length is read before it is sent, in
// bytes: what ends before goes with its length, which all servers take.
const held = 1 << 20

// Put implements filetree.FS.
func (f files) Put(ctx context.Context, name string, body io.Reader, size int64) error {
	if size < 0 {
		var front bytes.Buffer
		n, err := io.CopyN(&front, body, held)
		switch err {
		case nil:
			body = io.MultiReader(&front, body)
		case io.EOF:
			body, size = &front, n
		default:
			return err
		}
	}
	if size == 0 { // nobody else would look whether it is empty
		if _, err := io.Copy(io.Discard, body); err != nil {
			return err
		}
	}
	header := map[string]string{"Content-Type": "application/octet-stream"}
	return f.c.do(ctx, request{method: http.MethodPut, to: f.c.address(name, ""), header: header, body: body, size: size, slow: true})
}

// Copy implements filetree.FS.
func (f files) Copy(ctx context.Context, from, to string) error {
	return f.transfer(ctx, "COPY", from, to, false)
}

// Move implements filetree.FS.
func (f files) Move(ctx context.Context, from, to string, replace bool) error {
	return f.transfer(ctx, "MOVE", from, to, replace)
}

func (f files) transfer(ctx context.Context, method, from, to string, replace bool) error {
	header := map[string]string{"Destination": f.c.address(to, "").String(), "Overwrite": "F"}
	if replace {
		header["Overwrite"] = "T"
	}
	return f.c.do(ctx, request{method: method, to: f.c.address(from, ""), header: header, slow: true})
}

// Date implements filetree.FS: WebDAV cannot.
func (f files) Date(context.Context, string, time.Time) error { return objstore.ErrUnsupported }

// Mkdir implements filetree.FS.
func (f files) Mkdir(ctx context.Context, name string) error {
	err := f.c.do(ctx, request{method: "MKCOL", to: f.c.address(name, "/")})
	if err == nil || ports.Is(err, ports.NotFound) {
		return err
	}
	e, statErr := f.Stat(ctx, name)
	switch {
	case statErr != nil:
		return err
	case !e.Dir:
		return objstore.ErrFileInTheWay
	}
	return nil
}

// Remove implements filetree.FS.
func (f files) Remove(ctx context.Context, name string) error {
	return f.c.do(ctx, request{method: http.MethodDelete, to: f.c.address(name, ""), slow: true})
}

// RemoveDir implements filetree.FS. WebDAV removes folders with all that is in
// them, so we look first.
func (f files) RemoveDir(ctx context.Context, name string) error {
	inside, err := f.c.children(ctx, name)
	if err != nil {
		return err
	}
	if len(inside) > 0 {
		return filetree.ErrNotEmpty
	}
	return f.RemoveAll(ctx, name)
}

// RemoveAll implements filetree.FS.
func (f files) RemoveAll(ctx context.Context, name string) error {
	return f.c.do(ctx, request{method: http.MethodDelete, to: f.c.address(name, "/"), slow: true})
}

// Usage implements filetree.FS: few servers tell.
func (f files) Usage(context.Context) (objstore.Usage, error) {
	return objstore.Usage{}, objstore.ErrUnsupported
}
