package core

import (
	"context"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"
	smithyhttp "github.com/aws/smithy-go/transport/http"

	"pasteport/ports"
	"pasteport/ports/objstore"
)

// deleters is how many single keys are deleted at once.
const deleters = 8

// Delete implements objstore.Bucket.
func (b *bucket) Delete(ctx context.Context, keys ...string) (map[string]error, error) {
	failed := map[string]error{}
	good := make([]string, 0, len(keys))
	for _, key := range keys {
		if err := objstore.CheckKey(key); err != nil {
			failed[key] = err
			continue
		}
		good = append(good, key)
	}
	slices.Sort(good)
	good = slices.Compact(good)
	if b.profile.BulkDelete {
		for batch := range slices.Chunk(good, objstore.MaxList) {
			if err := b.deleteBatch(ctx, batch, failed); err != nil {
				return failed, err
			}
		}
		return failed, ctx.Err()
	}
	b.deleteEach(ctx, good, failed)
	return failed, ctx.Err()
}

func (b *bucket) deleteBatch(ctx context.Context, keys []string, failed map[string]error) error {
	in := &s3.DeleteObjectsInput{Bucket: &b.settings.bucket, Delete: &types.Delete{Quiet: aws.Bool(true)}}
	for _, key := range keys {
		in.Delete.Objects = append(in.Delete.Objects, types.ObjectIdentifier{Key: &key})
	}
	out, err := b.client.DeleteObjects(ctx, in, summed)
	if err != nil {
		return b.failure(ctx, "delete", err)
	}
	for _, e := range out.Errors {
		code, message := aws.ToString(e.Code), aws.ToString(e.Message)
		answer := &smithyhttp.Response{Response: &http.Response{StatusCode: http.StatusBadRequest, Header: http.Header{}}}
		if err := classify(code, message, answer); err.Code != ports.NotFound {
			failed[aws.ToString(e.Key)] = err
		}
	}
	return nil
}

func (b *bucket) deleteEach(ctx context.Context, keys []string, failed map[string]error) {
	var mu sync.Mutex
	var wait sync.WaitGroup
	free := make(chan struct{}, deleters)
	for _, key := range keys {
		free <- struct{}{}
		wait.Go(func() {
			defer func() { <-free }()
			if err := b.deleteOne(ctx, key); err != nil && !ports.Is(err, ports.NotFound) {
				mu.Lock()
				defer mu.Unlock()
				failed[key] = err
			}
		})
	}
	wait.Wait()
}

func (b *bucket) deleteOne(ctx context.Context, key string) error {
	if b.profile.Versions && !b.settings.hide {
		return b.purge(ctx, key)
	}
	_, err := b.client.DeleteObject(ctx, &s3.DeleteObjectInput{Bucket: &b.settings.bucket, Key: &key})
	return b.failure(ctx, "delete", err)
}

// purge removes every version of an object, the oldest first: while something
// is left, it is what a reader sees today.
func (b *bucket) purge(ctx context.Context, key string) error {
	versions, err := b.versions(ctx, key)
	if err != nil {
		return err
	}
	for _, id := range slices.Backward(versions) {
		_, err := b.client.DeleteObject(ctx, &s3.DeleteObjectInput{Bucket: &b.settings.bucket, Key: &key, VersionId: &id})
		if err := b.failure(ctx, "delete version", err); err != nil && !ports.Is(err, ports.NotFound) {
			return err
		}
	}
	return nil
}

// maxVersions is how many versions of one object are known at once.
const maxVersions = 100_000

// version is one version of an object, or a marker that hides it.
type version struct {
	id     string
	latest bool
	at     time.Time
}

// versions returns the ids of the versions and markers of key, newest first.
func (b *bucket) versions(ctx context.Context, key string) ([]string, error) {
	in := &s3.ListObjectVersionsInput{Bucket: &b.settings.bucket, Prefix: &key, EncodingType: types.EncodingTypeUrl}
	var found []version
	var markers objstore.Tokens
	for {
		page, err := b.client.ListObjectVersions(ctx, in)
		if err != nil {
			return nil, b.failure(ctx, "list versions", err)
		}
		decode := decoder(page.EncodingType)
		beyond := false
		for _, v := range page.Versions {
			if decode(v.Key) == key {
				found = append(found, version{aws.ToString(v.VersionId), aws.ToBool(v.IsLatest), aws.ToTime(v.LastModified)})
			} else {
				beyond = true // longer keys stand behind it
			}
		}
		for _, m := range page.DeleteMarkers {
			if decode(m.Key) == key {
				found = append(found, version{aws.ToString(m.VersionId), aws.ToBool(m.IsLatest), aws.ToTime(m.LastModified)})
			}
		}
		if beyond || !aws.ToBool(page.IsTruncated) || aws.ToString(page.NextKeyMarker) == "" {
			return newestFirst(found), nil
		}
		in.KeyMarker, in.VersionIdMarker = aws.String(decode(page.NextKeyMarker)), page.NextVersionIdMarker
		if err := markers.Follow(*in.KeyMarker + "\x00" + aws.ToString(in.VersionIdMarker)); err != nil {
			return nil, err
		}
		if len(found) > maxVersions {
			return nil, badAnswer("too many versions")
		}
	}
}

func newestFirst(versions []version) []string {
	slices.SortStableFunc(versions, func(a, b version) int {
		switch {
		case a.latest == b.latest:
			return b.at.Compare(a.at)
		case a.latest:
			return -1
		}
		return 1
	})
	ids := make([]string, len(versions))
	for i, v := range versions {
		ids[i] = v.id
	}
	return ids
}
