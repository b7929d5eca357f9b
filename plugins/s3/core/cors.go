package core

import (
	"context"
	"slices"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"

	"pasteport/ports/objstore"
)

// corsRule is the id of the rule that is ours.
const corsRule = "pasteport"

// EnsureCORS implements objstore.CORSAdmin.
func (b *bucket) EnsureCORS(ctx context.Context, origins []string) error {
	if !b.profile.Info.Features.CORSAdmin {
		return objstore.ErrUnsupported
	}
	rules, err := b.corsRules(ctx)
	if err != nil {
		return err
	}
	rules = slices.DeleteFunc(rules, func(r types.CORSRule) bool { return aws.ToString(r.ID) == corsRule })
	rules = append(rules, types.CORSRule{
		ID: aws.String(corsRule), AllowedOrigins: origins, AllowedMethods: []string{"GET", "HEAD", "PUT"}, AllowedHeaders: []string{"*"},
		ExposeHeaders: []string{"ETag"}, MaxAgeSeconds: aws.Int32(3600),
	})
	_, err = b.client.PutBucketCors(ctx, &s3.PutBucketCorsInput{
		Bucket: &b.settings.bucket, CORSConfiguration: &types.CORSConfiguration{CORSRules: rules},
	}, summed)
	return b.failure(ctx, "set cors", err)
}

func (b *bucket) corsRules(ctx context.Context) ([]types.CORSRule, error) {
	out, err := b.client.GetBucketCors(ctx, &s3.GetBucketCorsInput{Bucket: &b.settings.bucket})
	if err == nil {
		return out.CORSRules, nil
	}
	if code, _, _ := describe(err); code == "NoSuchCORSConfiguration" {
		return nil, nil
	}
	return nil, b.failure(ctx, "get cors", err)
}
