package core

import (
	"context"

	"github.com/aws/aws-sdk-go-v2/aws"
	v4 "github.com/aws/aws-sdk-go-v2/aws/signer/v4"
	"github.com/aws/aws-sdk-go-v2/service/s3"

	"pasteport/ports/objstore"
)

func (b *bucket) presign(ctx context.Context, r objstore.SignRequest, how func(*s3.PresignOptions)) (*v4.PresignedHTTPRequest, error) {
	switch r.Verb {
	case objstore.VerbGet:
		return b.presigner.PresignGetObject(ctx, &s3.GetObjectInput{
			Bucket: &b.settings.bucket, Key: &r.Key,
			ResponseContentType: optional(r.ContentType), ResponseContentDisposition: optional(r.Disposition),
		}, how)
	case objstore.VerbHead:
		return b.presigner.PresignHeadObject(ctx, &s3.HeadObjectInput{Bucket: &b.settings.bucket, Key: &r.Key}, how)
	case objstore.VerbPut:
		return b.presigner.PresignPutObject(ctx, &s3.PutObjectInput{Bucket: &b.settings.bucket, Key: &r.Key, ContentLength: bound(r.Size)}, how)
	case objstore.VerbPart:
		if err := checkPart(r.UploadID, r.PartNumber); err != nil {
			return nil, err
		}
		return b.presigner.PresignUploadPart(ctx, &s3.UploadPartInput{
			Bucket: &b.settings.bucket, Key: &r.Key, UploadId: &r.UploadID, PartNumber: aws.Int32(int32(r.PartNumber)), ContentLength: bound(r.Size),
		}, how)
	}
	return nil, objstore.ErrUnsupported
}

// bound is a length that the sender must send; nil when any will do.
func bound(size int64) *int64 {
	if size <= 0 {
		return nil
	}
	return &size
}
