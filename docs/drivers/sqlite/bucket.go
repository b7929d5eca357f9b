package main

import (
	"context"
	"crypto/rand"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"pasteport/ports"
	"pasteport/ports/objstore"
)

// bucket is an open database.
type bucket struct{ db *sql.DB }

func (b *bucket) Close() error { return b.db.Close() }

// Multipart and Sign are not for this storage, and its features say so.
func (b *bucket) Multipart() objstore.Multipart { return nil }

func (b *bucket) Sign(context.Context, objstore.SignRequest) (objstore.SignedRequest, error) {
	return objstore.SignedRequest{}, objstore.ErrUnsupported
}

const columns = `SELECT key, version, size, type, modified FROM objects `

// scan reads a row of columns.
func scan(row interface{ Scan(...any) error }) (o objstore.Object, err error) {
	var modified int64
	err = row.Scan(&o.Key, &o.ETag, &o.Size, &o.ContentType, &modified)
	o.ModTime = time.UnixMilli(modified).UTC()
	if errors.Is(err, sql.ErrNoRows) {
		return o, ports.ErrNotFound
	}
	if err != nil {
		return o, failed(err)
	}
	return o, nil
}

// Stat implements objstore.Bucket.
func (b *bucket) Stat(ctx context.Context, key string) (objstore.Object, error) {
	if err := objstore.CheckKey(key); err != nil {
		return objstore.Object{}, err
	}
	return scan(b.db.QueryRowContext(ctx, columns+`WHERE key = ?`, key))
}

// List implements objstore.Bucket. The pager knows about folders and pages; it
// wants the keys in the order of their bytes.
func (b *bucket) List(ctx context.Context, q objstore.ListQuery) (objstore.ListPage, error) {
	pager, err := objstore.NewPager(q)
	if err != nil {
		return objstore.ListPage{}, err
	}
	rows, err := b.db.QueryContext(ctx, columns+`WHERE key >= ? ORDER BY key`, pager.From())
	if err != nil {
		return objstore.ListPage{}, failed(err)
	}
	defer rows.Close()
	for rows.Next() {
		o, err := scan(rows)
		if err != nil {
			return objstore.ListPage{}, err
		}
		if !strings.HasPrefix(o.Key, q.Prefix) || !pager.Add(o.Key, func() (objstore.Object, bool) { return o, true }) {
			break
		}
	}
	if err := rows.Err(); err != nil {
		return objstore.ListPage{}, failed(err)
	}
	return pager.Page(), nil
}

// piece is how many bytes one row holds.
const piece = 256 << 10

// Read implements objstore.Bucket. The body's transaction keeps the version
// that was found, whatever is written meanwhile.
func (b *bucket) Read(ctx context.Context, key string, r objstore.Range) (*objstore.Body, error) {
	if err := objstore.CheckKey(key); err != nil {
		return nil, err
	}
	tx, err := b.db.BeginTx(ctx, nil)
	if err != nil {
		return nil, failed(err)
	}
	o, err := scan(tx.QueryRowContext(ctx, columns+`WHERE key = ?`, key))
	if err == nil && r.IfMatch != "" && r.IfMatch != o.ETag {
		err = objstore.ErrChanged
	}
	offset, length, rangeErr := r.Resolve(o.Size)
	if err = errors.Join(err, rangeErr); err != nil {
		return nil, errors.Join(err, tx.Rollback())
	}
	body := &body{ctx: ctx, tx: tx, version: o.ETag, next: offset / piece, skip: offset % piece, left: length}
	return &objstore.Body{ReadCloser: body, Object: o, Offset: offset, Length: length}, nil
}

// body gives the bytes of a version, one row after the other.
type body struct {
	ctx     context.Context
	tx      *sql.Tx
	version string
	next    int64 // row to read
	skip    int64 // bytes at its front that are not wanted
	left    int64 // bytes to give
	data    []byte
}

func (b *body) Read(p []byte) (int, error) {
	if b.left == 0 {
		return 0, io.EOF
	}
	if len(b.data) == 0 {
		row := b.tx.QueryRowContext(b.ctx, `SELECT data FROM pieces WHERE version = ? AND n = ?`, b.version, b.next)
		if err := row.Scan(&b.data); err != nil {
			return 0, failed(err)
		}
		b.data, b.next, b.skip = b.data[b.skip:], b.next+1, 0
	}
	n := copy(p[:min(int64(len(p)), b.left)], b.data)
	b.data, b.left = b.data[n:], b.left-int64(n)
	return n, nil
}

func (b *body) Close() error { return b.tx.Rollback() }

// newVersion names a version; names sort by time.
func newVersion(at time.Time) string { return fmt.Sprintf("%012x-%s", at.UnixMilli(), rand.Text()) }

// Write implements objstore.Bucket: first the pieces, which nobody sees; when
// all have come, the key is pointed to them.
func (b *bucket) Write(ctx context.Context, key string, body io.Reader, w objstore.WriteOptions) (objstore.Object, error) {
	now := time.Now().UTC()
	o := objstore.Object{Key: key, ETag: newVersion(now), ContentType: w.ContentType, ModTime: now}
	err := objstore.CheckKey(key)
	data := make([]byte, piece)
	for n, got := 0, 0; err == nil; n++ {
		if got, err = io.ReadFull(body, data); got > 0 {
			o.Size += int64(got)
			if _, failure := exec(ctx, b.db, `INSERT INTO pieces VALUES (?, ?, ?)`, o.ETag, n, data[:got]); failure != nil {
				err = failure
			}
		}
	}
	switch ended := err == io.EOF || err == io.ErrUnexpectedEOF; {
	case ended && w.Size >= 0 && w.Size != o.Size:
		err = objstore.ErrLength
	case ended:
		err = b.change(ctx, func(tx *sql.Tx) error { return point(ctx, tx, o, w.IfNoneMatch) })
	}
	if err != nil {
		_, dropErr := exec(context.WithoutCancel(ctx), b.db, `DELETE FROM pieces WHERE version = ?`, o.ETag)
		return objstore.Object{}, errors.Join(err, dropErr)
	}
	return o, nil
}

// change runs fn in a transaction.
func (b *bucket) change(ctx context.Context, fn func(tx *sql.Tx) error) error {
	tx, err := b.db.BeginTx(ctx, nil)
	if err != nil {
		return failed(err)
	}
	if err := fn(tx); err != nil {
		return errors.Join(err, tx.Rollback())
	}
	if err := tx.Commit(); err != nil {
		return failed(err)
	}
	return nil
}

// point makes o what readers see under its key.
func point(ctx context.Context, tx *sql.Tx, o objstore.Object, mustBeNew bool) error {
	if !mustBeNew {
		if err := remove(ctx, tx, o.Key); err != nil {
			return err
		}
	}
	n, err := exec(ctx, tx, `INSERT INTO objects VALUES (?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`,
		o.Key, o.ETag, o.Size, o.ContentType, o.ModTime.UnixMilli())
	if err == nil && n == 0 {
		err = objstore.ErrExists
	}
	return err
}

func remove(ctx context.Context, tx *sql.Tx, key string) error {
	_, err := exec(ctx, tx, `DELETE FROM pieces WHERE version = (SELECT version FROM objects WHERE key = ?)`, key)
	if err == nil {
		_, err = exec(ctx, tx, `DELETE FROM objects WHERE key = ?`, key)
	}
	return err
}

// Copy implements objstore.Bucket.
func (b *bucket) Copy(ctx context.Context, dst, src string) (objstore.Object, error) {
	o, err := b.Stat(ctx, src)
	if err = errors.Join(err, objstore.CheckKey(dst)); err != nil {
		return objstore.Object{}, err
	}
	from, now := o.ETag, time.Now().UTC()
	o.Key, o.ETag, o.ModTime = dst, newVersion(now), now
	return o, b.change(ctx, func(tx *sql.Tx) error {
		n, err := exec(ctx, tx, `INSERT INTO pieces SELECT ?, n, data FROM pieces WHERE version = ?`, o.ETag, from)
		if err == nil && n == 0 && o.Size > 0 {
			err = objstore.ErrChanged // replaced or deleted meanwhile
		}
		if err != nil {
			return err
		}
		return point(ctx, tx, o, false)
	})
}

// Delete implements objstore.Bucket.
func (b *bucket) Delete(ctx context.Context, keys ...string) (map[string]error, error) {
	refused := map[string]error{}
	return refused, b.change(ctx, func(tx *sql.Tx) error {
		for _, key := range keys {
			if err := objstore.CheckKey(key); err != nil {
				refused[key] = err
			} else if err := remove(ctx, tx, key); err != nil {
				return err
			}
		}
		return nil
	})
}

// Usage implements objstore.Bucket.
func (b *bucket) Usage(ctx context.Context) (objstore.Usage, error) {
	u := objstore.Usage{Free: -1}
	if err := b.db.QueryRowContext(ctx, `SELECT coalesce(sum(size), 0), count(*) FROM objects`).Scan(&u.Used, &u.Count); err != nil {
		return u, failed(err)
	}
	return u, nil
}
