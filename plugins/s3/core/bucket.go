package core

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"

	"pasteport/ports"
	"pasteport/ports/objstore"
)

// Stat implements objstore.Bucket.
func (b *bucket) Stat(ctx context.Context, key string) (objstore.Object, error) {
	if err := errors.Join(ctx.Err(), objstore.CheckKey(key)); err != nil {
		return objstore.Object{}, err
	}
	head, err := b.client.HeadObject(ctx, &s3.HeadObjectInput{Bucket: &b.settings.bucket, Key: &key})
	if err != nil {
		return objstore.Object{}, b.failure(ctx, "stat", err)
	}
	return objstore.Object{
		Key: key, Size: aws.ToInt64(head.ContentLength), ETag: unquote(head.ETag), ContentType: aws.ToString(head.ContentType),
		ModTime: aws.ToTime(head.LastModified).UTC(),
	}, nil
}

func unquote(etag *string) string {
	return strings.Trim(strings.TrimPrefix(aws.ToString(etag), "W/"), `"`)
}

// List implements objstore.Bucket. Keys travel escaped where the storage can do
// that, because XML cannot hold every character.
func (b *bucket) List(ctx context.Context, q objstore.ListQuery) (objstore.ListPage, error) {
	if q.Limit == 0 {
		q.Limit = objstore.MaxList
	}
	if q.Limit < 1 || q.Limit > objstore.MaxList {
		return objstore.ListPage{}, objstore.ErrBadList
	}
	out, err := b.client.ListObjectsV2(ctx, &s3.ListObjectsV2Input{
		Bucket: &b.settings.bucket, Prefix: optional(q.Prefix), Delimiter: optional(q.Delimiter), ContinuationToken: optional(q.Token),
		MaxKeys: aws.Int32(int32(q.Limit)), EncodingType: types.EncodingTypeUrl,
	})
	if err != nil {
		return objstore.ListPage{}, b.failure(ctx, "list", err)
	}
	var page objstore.ListPage
	decode := decoder(out.EncodingType)
	for _, o := range out.Contents {
		page.Objects = append(page.Objects, objstore.Object{
			Key: decode(o.Key), Size: aws.ToInt64(o.Size), ETag: unquote(o.ETag), ModTime: aws.ToTime(o.LastModified).UTC(),
		})
	}
	for _, p := range out.CommonPrefixes {
		page.Prefixes = append(page.Prefixes, decode(p.Prefix))
	}
	if len(page.Objects)+len(page.Prefixes) > q.Limit {
		return objstore.ListPage{}, badAnswer("more than was asked for")
	}
	if aws.ToBool(out.IsTruncated) {
		page.Next = aws.ToString(out.NextContinuationToken)
	}
	if page.Next != "" && page.Next == q.Token {
		return objstore.ListPage{}, objstore.ErrCircle
	}
	return page, nil
}

func optional(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

// decoder undoes the escaping that the storage says it did.
func decoder(encoding types.EncodingType) func(*string) string {
	return func(s *string) string {
		if encoding == types.EncodingTypeUrl {
			if plain, err := url.QueryUnescape(aws.ToString(s)); err == nil {
				return plain
			}
		}
		return aws.ToString(s)
	}
}

// Read implements objstore.Bucket.
func (b *bucket) Read(ctx context.Context, key string, r objstore.Range) (*objstore.Body, error) {
	if err := errors.Join(ctx.Err(), objstore.CheckKey(key)); err != nil {
		return nil, err
	}
	in := &s3.GetObjectInput{Bucket: &b.settings.bucket, Key: &key, Range: optional(rangeHeader(r))}
	if r.IfMatch != "" {
		in.IfMatch = aws.String(`"` + r.IfMatch + `"`)
	}
	out, err := b.client.GetObject(ctx, in)
	if err != nil {
		return nil, b.failure(ctx, "read", err)
	}
	body, err := bodyOf(out, key, r)
	if err != nil {
		out.Body.Close()
	}
	return body, err
}

func rangeHeader(r objstore.Range) string {
	switch {
	case r.Offset < 0:
		return fmt.Sprintf("bytes=%d", r.Offset)
	case r.Length > 0:
		return fmt.Sprintf("bytes=%d-%d", r.Offset, r.Offset+r.Length-1)
	case r.Offset > 0:
		return fmt.Sprintf("bytes=%d-", r.Offset)
	}
	return ""
}

// bodyOf describes an answer and makes sure that it is what was asked for.
func bodyOf(out *s3.GetObjectOutput, key string, r objstore.Range) (*objstore.Body, error) {
	length := aws.ToInt64(out.ContentLength)
	o := objstore.Object{
		Key: key, Size: length, ETag: unquote(out.ETag), ContentType: aws.ToString(out.ContentType), ModTime: aws.ToTime(out.LastModified).UTC(),
	}
	var first int64
	if got := aws.ToString(out.ContentRange); got != "" {
		var last int64
		if _, err := fmt.Sscanf(got, "bytes %d-%d/%d", &first, &last, &o.Size); err != nil || last-first+1 != length {
			return nil, badAnswer("a bad range")
		}
	}
	if offset, want, err := r.Resolve(o.Size); err != nil {
		return nil, err
	} else if offset != first || want != length {
		return nil, badAnswer("another range")
	}
	return &objstore.Body{ReadCloser: &wholeBody{out.Body, length}, Object: o, Offset: first, Length: length}, nil
}

func badAnswer(what string) error {
	return objstore.ErrBadAnswer.With(errors.New("the storage answers with " + what))
}

// wholeBody shows a body that ends early as such.
type wholeBody struct {
	io.ReadCloser
	left int64
}

func (w *wholeBody) Read(p []byte) (int, error) {
	n, err := w.ReadCloser.Read(p)
	w.left -= int64(n)
	if err == io.EOF && w.left > 0 {
		err = io.ErrUnexpectedEOF
	}
	return n, err
}

// Write implements objstore.Bucket. A body of unknown length is held in memory
// piece by piece; so is every body that needs a checksum before it is sent.
func (b *bucket) Write(ctx context.Context, key string, body io.Reader, o objstore.WriteOptions) (objstore.Object, error) {
	if err := errors.Join(ctx.Err(), objstore.CheckKey(key)); err != nil {
		return objstore.Object{}, err
	}
	if o.Size >= 0 {
		body = objstore.Exactly(body, o.Size)
	}
	if o.Size > 0 && b.settings.private() {
		return b.putStream(ctx, key, body, o)
	}
	return b.putPieces(ctx, key, body, o)
}

// putStream sends a body of known length as it comes.
func (b *bucket) putStream(ctx context.Context, key string, body io.Reader, o objstore.WriteOptions) (objstore.Object, error) {
	if most := b.profile.Info.Limits.MaxPut; most > 0 && o.Size > most {
		return objstore.Object{}, &ports.Error{Code: ports.TooLarge, Key: "too_large"}
	}
	return b.put(ctx, key, body, o, once, unsigned)
}

func (b *bucket) put(ctx context.Context, key string, body io.Reader, o objstore.WriteOptions, how ...func(*s3.Options)) (objstore.Object, error) {
	in := &s3.PutObjectInput{
		Bucket: &b.settings.bucket, Key: &key, Body: body, ContentLength: &o.Size, ContentType: optional(o.ContentType),
	}
	if o.IfNoneMatch && b.profile.Info.Features.ConditionalWrite {
		in.IfNoneMatch = aws.String("*")
	} else if o.IfNoneMatch {
		if _, err := b.Stat(ctx, key); err == nil {
			return objstore.Object{}, objstore.ErrExists
		}
	}
	out, err := b.client.PutObject(ctx, in, how...)
	if err != nil {
		return objstore.Object{}, taken(o, b.failure(ctx, "write", err))
	}
	if out.ETag == nil {
		return b.Stat(ctx, key)
	}
	return objstore.Object{Key: key, Size: o.Size, ETag: unquote(out.ETag), ContentType: o.ContentType, ModTime: time.Now().UTC()}, nil
}

// taken tells a refused overwrite from other failed conditions.
func taken(o objstore.WriteOptions, err error) error {
	if o.IfNoneMatch && errors.Is(err, objstore.ErrChanged) {
		return objstore.ErrExists.With(err)
	}
	return err
}

// piece is how much of a body is held in memory, in bytes.
const piece = 8 * mib

// putPieces sends a body as one object when it fits into a piece, else as an
// upload in parts.
func (b *bucket) putPieces(ctx context.Context, key string, body io.Reader, o objstore.WriteOptions) (objstore.Object, error) {
	size := max(piece, b.profile.Info.Limits.MinPart)
	var buf bytes.Buffer
	more, err := fill(&buf, body, size)
	if err != nil {
		return objstore.Object{}, err
	}
	if !more {
		o.Size = int64(buf.Len())
		return b.put(ctx, key, bytes.NewReader(buf.Bytes()), o)
	}
	id, err := b.Create(ctx, key, o)
	if err != nil {
		return objstore.Object{}, err
	}
	u := upload{b, key, id}
	object, err := u.pieces(ctx, &buf, body, size, o)
	if err != nil {
		u.giveUp(ctx)
	}
	return object, err
}

// pieces sends the piece in buf and those that follow in body, and completes the
// upload.
func (u upload) pieces(ctx context.Context, buf *bytes.Buffer, body io.Reader, size int64, o objstore.WriteOptions) (objstore.Object, error) {
	var parts []objstore.Part
	for more := true; buf.Len() > 0; {
		p, err := u.put(ctx, len(parts)+1, bytes.NewReader(buf.Bytes()), int64(buf.Len()))
		if err != nil {
			return objstore.Object{}, err
		}
		parts = append(parts, p)
		buf.Reset()
		if !more {
			break
		}
		if more, err = fill(buf, body, size); err != nil {
			return objstore.Object{}, err
		}
	}
	return u.bucket.complete(ctx, u.key, u.id, parts, o)
}

// fill reads up to size bytes and reports whether the body may go on.
func fill(buf *bytes.Buffer, body io.Reader, size int64) (more bool, err error) {
	_, err = io.CopyN(buf, body, size)
	if err == io.EOF {
		return false, nil
	}
	return err == nil, err
}

// Sign implements objstore.Bucket. Only the host is signed, and the length
// when the caller binds it: a browser may send whatever content type it likes.
func (b *bucket) Sign(ctx context.Context, r objstore.SignRequest) (objstore.SignedRequest, error) {
	if err := errors.Join(ctx.Err(), objstore.CheckKey(r.Key)); err != nil {
		return objstore.SignedRequest{}, err
	}
	if r.TTL <= 0 || r.TTL > b.profile.Info.Limits.MaxLink {
		return objstore.SignedRequest{}, ports.InvalidInput("link_lifetime", "expires_in")
	}
	expires := time.Now().UTC().Add(r.TTL)
	signed, err := b.presign(ctx, r, s3.WithPresignExpires(r.TTL))
	if err != nil {
		return objstore.SignedRequest{}, b.failure(ctx, "sign", err)
	}
	header := http.Header{}
	for name, values := range signed.SignedHeader {
		if name != "Host" && name != "Content-Length" {
			header[name] = values
		}
	}
	return objstore.SignedRequest{Method: signed.Method, URL: signed.URL, Header: header, Expires: expires}, nil
}
