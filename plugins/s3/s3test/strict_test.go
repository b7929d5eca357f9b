package s3test_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"
	"github.com/aws/smithy-go"

	"pasteport/plugins/s3/s3test"
)

var cloud *s3test.Cloud

func TestMain(m *testing.M) {
	var err error
	if cloud, err = s3test.Start(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	code := m.Run()
	if err := cloud.Close(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = 1
	}
	os.Exit(code)
}

// client is the SDK with settings of its own choice, as careless code uses it.
func client(provider string, change ...func(*s3.Options)) *s3.Client {
	config := cloud.Config(provider, "")
	return s3.New(s3.Options{
		BaseEndpoint: aws.String(config.Options["endpoint_url"]), Region: config.Options["region"], UsePathStyle: provider == "s3",
		Credentials: credentials.NewStaticCredentialsProvider(s3test.AccessKey, s3test.SecretKey, ""), RetryMaxAttempts: 1,
		RequestChecksumCalculation: aws.RequestChecksumCalculationWhenSupported,
	}, change...)
}

func careful(o *s3.Options) {
	o.RequestChecksumCalculation = aws.RequestChecksumCalculationWhenRequired
}

func code(err error) string {
	var api smithy.APIError
	if errors.As(err, &api) {
		return api.ErrorCode()
	}
	return fmt.Sprint(err)
}

func TestTheProxiesRefuseWhatTheProvidersRefuse(t *testing.T) {
	ctx := context.Background()
	for _, c := range []struct {
		name, provider, want string
		call                 func(bucket string) error
	}{
		{"a checksum header on B2", "b2", "InvalidArgument", func(bucket string) error {
			_, err := client("b2").PutObject(ctx, &s3.PutObjectInput{Bucket: &bucket, Key: aws.String("k"), Body: strings.NewReader("x")})
			return err
		}},
		{"a checksum header on R2", "r2", "NotImplemented", func(bucket string) error {
			_, err := client("r2").PutObject(ctx, &s3.PutObjectInput{Bucket: &bucket, Key: aws.String("k"), Body: strings.NewReader("x")})
			return err
		}},
		{"a checksum wanted from B2", "b2", "InvalidArgument", func(bucket string) error {
			_, err := client("b2", careful).GetObject(ctx, &s3.GetObjectInput{Bucket: &bucket, Key: aws.String("k"), ChecksumMode: types.ChecksumModeEnabled})
			return err
		}},
		{"an ACL on R2", "r2", "NotImplemented", func(bucket string) error {
			_, err := client("r2", careful).PutObject(ctx, &s3.PutObjectInput{Bucket: &bucket, Key: aws.String("k"), ACL: types.ObjectCannedACLPublicRead, Body: strings.NewReader("x")})
			return err
		}},
		{"tags on B2", "b2", "InvalidArgument", func(bucket string) error {
			_, err := client("b2", careful).PutObject(ctx, &s3.PutObjectInput{Bucket: &bucket, Key: aws.String("k"), Tagging: aws.String("a=b"), Body: strings.NewReader("x")})
			return err
		}},
		{"a bulk delete on B2", "b2", "InvalidArgument", func(bucket string) error {
			_, err := client("b2", careful).DeleteObjects(ctx, &s3.DeleteObjectsInput{Bucket: &bucket, Delete: &types.Delete{Objects: []types.ObjectIdentifier{{Key: aws.String("k")}}}})
			return err
		}},
		{"another region on R2", "r2", "InvalidRegionName", func(bucket string) error {
			_, err := client("r2", func(o *s3.Options) { o.Region = "eu-west-1" }).ListObjectsV2(ctx, &s3.ListObjectsV2Input{Bucket: &bucket})
			return err
		}},
		{"another region on AWS", "aws", "PermanentRedirect", func(bucket string) error {
			_, err := client("aws", func(o *s3.Options) { o.Region = "eu-west-1" }).ListObjectsV2(ctx, &s3.ListObjectsV2Input{Bucket: &bucket})
			return err
		}},
		{"the bucket in the path on AWS", "aws", "InvalidRequest", func(bucket string) error {
			_, err := client("aws", func(o *s3.Options) { o.UsePathStyle = true }).ListObjectsV2(ctx, &s3.ListObjectsV2Input{Bucket: &bucket})
			return err
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			err := c.call(cloud.NewBucket(t, c.provider))
			if got := code(err); got != c.want {
				t.Errorf("gave %v, want %s", err, c.want)
			}
			if v := cloud.Provider(c.provider).Violations(); len(v) != 1 {
				t.Errorf("recorded %q", v)
			}
		})
	}
}

func TestCarefulSettingsAreTakenByAll(t *testing.T) {
	ctx := context.Background()
	for _, provider := range s3test.Providers {
		bucket := cloud.NewBucket(t, provider)
		_, err := client(provider, careful).PutObject(ctx, &s3.PutObjectInput{Bucket: &bucket, Key: aws.String("a +中"), Body: strings.NewReader("x")})
		if err != nil {
			t.Errorf("%s: %v", provider, err)
		}
	}
}

func TestUnknownHostsGetNoAnswer(t *testing.T) {
	resp, err := http.Get(cloud.URL("http://elsewhere.example/x"))
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	if resp.StatusCode != http.StatusBadGateway {
		t.Errorf("gave %d", resp.StatusCode)
	}
}
