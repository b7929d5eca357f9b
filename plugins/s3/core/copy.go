package core

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"

	"pasteport/ports/objstore"
)

// Copy implements objstore.Bucket. What is too large for one copy is copied in
// parts.
func (b *bucket) Copy(ctx context.Context, dst, src string) (objstore.Object, error) {
	if err := errors.Join(ctx.Err(), objstore.CheckKey(dst), objstore.CheckKey(src)); err != nil {
		return objstore.Object{}, err
	}
	from, err := b.Stat(ctx, src)
	if err != nil || dst == src {
		return from, err
	}
	if most := b.profile.Info.Limits.MaxCopy; most > 0 && from.Size > most {
		return b.copyParts(ctx, dst, from)
	}
	_, err = b.client.CopyObject(ctx, &s3.CopyObjectInput{Bucket: &b.settings.bucket, Key: &dst, CopySource: b.source(src)}, b.patient)
	if err != nil {
		return objstore.Object{}, b.failure(ctx, "copy", err)
	}
	return b.Stat(ctx, dst)
}

// source names an object of this bucket, every byte escaped but the harmless:
// a "+" left as it is would be read as a space.
func (b *bucket) source(key string) *string {
	var s strings.Builder
	for _, c := range []byte(b.settings.bucket + "/" + key) {
		if c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || strings.IndexByte("-_.~/", c) >= 0 {
			s.WriteByte(c)
		} else {
			fmt.Fprintf(&s, "%%%02X", c)
		}
	}
	return aws.String(s.String())
}

// copyPart is the size of the parts of a copy unless there would be too many,
// in bytes; copiers is how many are made at once.
const (
	copyPart = 256 * mib
	copiers  = 4
)

// copyParts copies in parts of equal size. The source is looked at again before
// the parts are joined: parts of two versions are never mixed.
func (b *bucket) copyParts(ctx context.Context, dst string, from objstore.Object) (objstore.Object, error) {
	id, err := b.Create(ctx, dst, objstore.WriteOptions{ContentType: from.ContentType})
	if err != nil {
		return objstore.Object{}, err
	}
	u := upload{b, dst, id}
	parts, err := u.copyAll(ctx, from)
	if err == nil {
		var now objstore.Object
		if now, err = b.Stat(ctx, from.Key); err == nil && now.ETag != from.ETag {
			err = objstore.ErrChanged
		}
	}
	var to objstore.Object
	if err == nil {
		to, err = b.Complete(ctx, dst, id, parts)
	}
	if err != nil {
		u.giveUp(ctx)
	}
	return to, err
}

func (u upload) copyAll(ctx context.Context, from objstore.Object) ([]objstore.Part, error) {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	size := partSize(from.Size, u.bucket.profile.Info.Limits)
	parts := make([]objstore.Part, (from.Size+size-1)/size)
	free := make(chan struct{}, copiers)
	var wait sync.WaitGroup
	for i := range parts {
		free <- struct{}{}
		wait.Go(func() {
			defer func() { <-free }()
			first := int64(i) * size
			part, err := u.copyRange(ctx, i+1, from, first, min(first+size, from.Size))
			if err != nil {
				stop(err)
			}
			parts[i] = part
		})
	}
	wait.Wait()
	return parts, context.Cause(ctx)
}

// partSize is the size of the parts of an object of total bytes.
func partSize(total int64, l objstore.Limits) int64 {
	size := max(copyPart, l.MinPart)
	if l.MaxCopy > 0 {
		size = max(min(size, l.MaxCopy), l.MinPart)
	}
	if most := int64(l.MaxParts); most > 0 && total > most*size {
		size = (total/most/mib + 1) * mib
	}
	return size
}

func (u upload) copyRange(ctx context.Context, number int, from objstore.Object, first, end int64) (objstore.Part, error) {
	if err := ctx.Err(); err != nil {
		return objstore.Part{}, err
	}
	out, err := u.bucket.client.UploadPartCopy(ctx, &s3.UploadPartCopyInput{
		Bucket: &u.bucket.settings.bucket, Key: &u.key, UploadId: &u.id, PartNumber: aws.Int32(int32(number)), CopySource: u.bucket.source(from.Key),
		CopySourceRange: aws.String(fmt.Sprintf("bytes=%d-%d", first, end-1)),
	}, u.bucket.patient)
	if err != nil {
		return objstore.Part{}, uploadGone(u.bucket.failure(ctx, "copy part", err))
	}
	if out.CopyPartResult == nil {
		return objstore.Part{}, badAnswer("no result of a copy")
	}
	return objstore.Part{Number: number, ETag: unquote(out.CopyPartResult.ETag), Size: end - first}, nil
}
