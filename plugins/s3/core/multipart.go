package core

import (
	"context"
	"errors"
	"io"
	"slices"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"

	"pasteport/ports"
	"pasteport/ports/objstore"
)

// Multipart implements objstore.Bucket.
func (b *bucket) Multipart() objstore.Multipart { return b }

// Create implements objstore.Multipart.
func (b *bucket) Create(ctx context.Context, key string, o objstore.WriteOptions) (string, error) {
	if err := errors.Join(ctx.Err(), objstore.CheckKey(key)); err != nil {
		return "", err
	}
	out, err := b.client.CreateMultipartUpload(ctx, &s3.CreateMultipartUploadInput{
		Bucket: &b.settings.bucket, Key: &key, ContentType: optional(o.ContentType),
	})
	if err != nil {
		return "", b.failure(ctx, "create upload", err)
	}
	return aws.ToString(out.UploadId), nil
}

func checkPart(uploadID string, number int) error {
	if number < 1 || number > objstore.MaxPart {
		return objstore.ErrBadPart
	}
	if uploadID == "" {
		return objstore.ErrNoUpload
	}
	return nil
}

// WritePart implements objstore.Multipart.
func (b *bucket) WritePart(ctx context.Context, key, uploadID string, number int, body io.Reader, size int64) (objstore.Part, error) {
	if err := errors.Join(ctx.Err(), objstore.CheckKey(key), checkPart(uploadID, number)); err != nil {
		return objstore.Part{}, err
	}
	body = objstore.Exactly(body, size)
	if size > 0 && b.settings.private() {
		return upload{b, key, uploadID}.put(ctx, number, body, size, once, unsigned)
	}
	whole, err := spool(body, size)
	if err != nil {
		return objstore.Part{}, err
	}
	defer whole.Close()
	return upload{b, key, uploadID}.put(ctx, number, whole, size)
}

// upload is an upload in parts that is under way.
type upload struct {
	bucket  *bucket
	key, id string
}

func (u upload) put(ctx context.Context, number int, body io.Reader, size int64, how ...func(*s3.Options)) (objstore.Part, error) {
	out, err := u.bucket.client.UploadPart(ctx, &s3.UploadPartInput{
		Bucket: &u.bucket.settings.bucket, Key: &u.key, UploadId: &u.id, PartNumber: aws.Int32(int32(number)), Body: body, ContentLength: &size,
	}, how...)
	if err != nil {
		return objstore.Part{}, uploadGone(u.bucket.failure(ctx, "write part", err))
	}
	return objstore.Part{Number: number, ETag: unquote(out.ETag), Size: size}, nil
}

// giveUp forgets an upload after a failure, also when the caller went away.
func (u upload) giveUp(ctx context.Context) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 20*time.Second)
	defer cancel()
	_ = u.bucket.Abort(ctx, u.key, u.id) // what stays is removed with other old uploads
}

// uploadGone makes the "not found" of an upload its own.
func uploadGone(err error) error {
	if ports.Is(err, ports.NotFound) {
		return objstore.ErrNoUpload.With(err)
	}
	return err
}

// maxUploads is how many unfinished uploads are told of at once: those who
// remove old ones find the others when these are gone.
const maxUploads = 10_000

// ListUploads implements objstore.Multipart.
func (b *bucket) ListUploads(ctx context.Context, prefix string) ([]objstore.Upload, error) {
	in := &s3.ListMultipartUploadsInput{Bucket: &b.settings.bucket, Prefix: optional(prefix), EncodingType: types.EncodingTypeUrl}
	var uploads []objstore.Upload
	var markers objstore.Tokens
	for {
		page, err := b.client.ListMultipartUploads(ctx, in)
		if err != nil {
			return nil, b.failure(ctx, "list uploads", err)
		}
		decode := decoder(page.EncodingType)
		for _, u := range page.Uploads {
			uploads = append(uploads, objstore.Upload{Key: decode(u.Key), ID: aws.ToString(u.UploadId), Initiated: aws.ToTime(u.Initiated).UTC()})
		}
		if !aws.ToBool(page.IsTruncated) || aws.ToString(page.NextKeyMarker) == "" || len(uploads) >= maxUploads {
			return uploads[:min(len(uploads), maxUploads)], nil
		}
		in.KeyMarker, in.UploadIdMarker = aws.String(decode(page.NextKeyMarker)), page.NextUploadIdMarker
		if err := markers.Follow(*in.KeyMarker + "\x00" + aws.ToString(in.UploadIdMarker)); err != nil {
			return nil, err
		}
	}
}

// ListParts implements objstore.Multipart.
func (b *bucket) ListParts(ctx context.Context, key, uploadID string) ([]objstore.Part, error) {
	if err := errors.Join(ctx.Err(), objstore.CheckKey(key), checkPart(uploadID, 1)); err != nil {
		return nil, err
	}
	var parts []objstore.Part
	var markers objstore.Tokens
	in := &s3.ListPartsInput{Bucket: &b.settings.bucket, Key: &key, UploadId: &uploadID}
	for {
		page, err := b.client.ListParts(ctx, in)
		if err != nil {
			return nil, uploadGone(b.failure(ctx, "list parts", err))
		}
		for _, p := range page.Parts {
			parts = append(parts, objstore.Part{Number: int(aws.ToInt32(p.PartNumber)), ETag: unquote(p.ETag), Size: aws.ToInt64(p.Size), ModTime: aws.ToTime(p.LastModified)})
		}
		if len(parts) > objstore.MaxPart {
			return nil, badAnswer("too many parts")
		}
		if in.PartNumberMarker = page.NextPartNumberMarker; !aws.ToBool(page.IsTruncated) || aws.ToString(in.PartNumberMarker) == "" {
			return parts, nil
		}
		if err := markers.Follow(*in.PartNumberMarker); err != nil {
			return nil, err
		}
	}
}

// Complete implements objstore.Multipart.
func (b *bucket) Complete(ctx context.Context, key, uploadID string, parts []objstore.Part) (objstore.Object, error) {
	return b.complete(ctx, key, uploadID, parts, objstore.WriteOptions{})
}

func (b *bucket) complete(ctx context.Context, key, uploadID string, parts []objstore.Part, o objstore.WriteOptions) (objstore.Object, error) {
	if err := errors.Join(ctx.Err(), objstore.CheckKey(key), checkPart(uploadID, 1), checkOrder(parts)); err != nil {
		return objstore.Object{}, err
	}
	in := &s3.CompleteMultipartUploadInput{Bucket: &b.settings.bucket, Key: &key, UploadId: &uploadID, MultipartUpload: &types.CompletedMultipartUpload{}}
	if o.IfNoneMatch && b.profile.Info.Features.ConditionalWrite {
		in.IfNoneMatch = aws.String("*")
	}
	for _, p := range parts {
		in.MultipartUpload.Parts = append(in.MultipartUpload.Parts, types.CompletedPart{
			PartNumber: aws.Int32(int32(p.Number)), ETag: aws.String(`"` + p.ETag + `"`),
		})
	}
	if _, err := b.client.CompleteMultipartUpload(ctx, in, b.patient); err != nil {
		return objstore.Object{}, taken(o, uploadGone(b.failure(ctx, "complete upload", err)))
	}
	object, err := b.Stat(ctx, key)
	if total, known := totalSize(parts); err == nil && known && object.Size != total {
		// Some services call an upload that they do not know complete.
		return objstore.Object{}, objstore.ErrNoUpload.With(errors.New("the object is not what the parts make"))
	}
	return object, err
}

// totalSize is the size of the object that parts make; known is false when one
// of them does not tell its own.
func totalSize(parts []objstore.Part) (total int64, known bool) {
	for _, p := range parts {
		if p.Size <= 0 {
			return 0, false
		}
		total += p.Size
	}
	return total, true
}

// checkOrder wants part numbers that rise.
func checkOrder(parts []objstore.Part) error {
	rising := slices.IsSortedFunc(parts, func(a, b objstore.Part) int {
		if a.Number == b.Number {
			return 1
		}
		return a.Number - b.Number
	})
	if len(parts) == 0 || !rising || parts[0].Number < 1 || parts[len(parts)-1].Number > objstore.MaxPart {
		return objstore.ErrBadPart
	}
	return nil
}

// Abort implements objstore.Multipart.
func (b *bucket) Abort(ctx context.Context, key, uploadID string) error {
	if err := errors.Join(ctx.Err(), objstore.CheckKey(key)); err != nil || uploadID == "" {
		return err
	}
	_, err := b.client.AbortMultipartUpload(ctx, &s3.AbortMultipartUploadInput{Bucket: &b.settings.bucket, Key: &key, UploadId: &uploadID})
	if err = b.failure(ctx, "abort upload", err); ports.Is(err, ports.NotFound) {
		return nil
	}
	return err
}
