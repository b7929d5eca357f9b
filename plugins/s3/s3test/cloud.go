package s3test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"

	"pasteport/ports/objstore"
)

// Providers are the names of the servers of a Cloud.
var Providers = []string{"aws", "r2", "b2", "s3"}

// regions are those of the servers.
var regions = map[string]string{"aws": "eu-central-1", "r2": "auto", "b2": "eu-central-003", "s3": "us-east-1"}

// Cloud is one server for each provider, each behind its strict proxy. Programs
// reach it through HTTP_PROXY, so that hosts look like those of the real ones.
type Cloud struct {
	front     *httptest.Server
	providers map[string]*Provider
	buckets   atomic.Int64
}

// Start starts the servers and sets HTTP_PROXY for this process and its
// children. Call it in TestMain, before anything is sent. Close ends it.
func Start(names ...string) (*Cloud, error) {
	if len(names) == 0 {
		names = Providers
	}
	c := &Cloud{providers: map[string]*Provider{}}
	for _, name := range names {
		domain := "s3." + regions[name] + "." + name + ".localhost"
		g, err := StartGateway(regions[name], domain)
		if err != nil {
			return nil, errors.Join(err, c.Close())
		}
		c.providers[name] = newProvider(name, domain, g)
	}
	c.front = httptest.NewServer(c)
	return c, os.Setenv("HTTP_PROXY", c.front.URL)
}

// Close ends the servers.
func (c *Cloud) Close() error {
	if c.front != nil {
		c.front.Close()
	}
	var errs []error
	for _, p := range c.providers {
		errs = append(errs, p.gateway.Close())
	}
	return errors.Join(errs...)
}

// Provider returns a server by the name of its driver.
func (c *Cloud) Provider(name string) *Provider { return c.providers[name] }

// direct is the front of paths of requests that do not come through
// HTTP_PROXY: /-/HOST/PATH.
const direct = "/-/"

// URL makes a signed URL one that a client without the proxy can send.
func (c *Cloud) URL(signed string) string {
	return c.front.URL + direct + strings.TrimPrefix(signed, "http://")
}

// ServeHTTP implements http.Handler: it hands a request to the provider whose
// host it names.
func (c *Cloud) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if rest, ok := strings.CutPrefix(r.RequestURI, direct); ok {
		host, path, _ := strings.Cut(rest, "/")
		u, err := url.ParseRequestURI("/" + path)
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		r.Host, r.URL = host, u
	}
	for _, p := range c.providers {
		if r.Host == p.Domain || strings.HasSuffix(r.Host, "."+p.Domain) {
			p.ServeHTTP(w, r)
			return
		}
	}
	http.Error(w, "no provider at "+r.Host, http.StatusBadGateway)
}

// NewBucket makes an empty bucket and returns its name.
func (c *Cloud) NewBucket(t testing.TB, provider string) string {
	t.Helper()
	p := c.providers[provider]
	name := fmt.Sprintf("bucket-%d", c.buckets.Add(1))
	client := p.client()
	if _, err := client.CreateBucket(context.Background(), &s3.CreateBucketInput{Bucket: &name}); err != nil {
		t.Fatalf("create bucket: %v", err)
	}
	if provider == "b2" {
		_, err := client.PutBucketVersioning(context.Background(), &s3.PutBucketVersioningInput{
			Bucket: &name, VersioningConfiguration: &types.VersioningConfiguration{Status: types.BucketVersioningStatusEnabled},
		})
		if err != nil {
			t.Fatalf("enable versions: %v", err)
		}
	}
	return name
}

// client speaks to the server behind the proxy.
func (p *Provider) client() *s3.Client { return p.gateway.client() }

// MakeBucket makes an empty bucket.
func (g *Gateway) MakeBucket(ctx context.Context, name string) error {
	_, err := g.client().CreateBucket(ctx, &s3.CreateBucketInput{Bucket: &name})
	return err
}

func (g *Gateway) client() *s3.Client {
	return s3.New(s3.Options{
		BaseEndpoint: aws.String("http://" + g.Addr), Region: g.Region, UsePathStyle: true,
		Credentials: credentials.NewStaticCredentialsProvider(AccessKey, SecretKey, ""),
	})
}

// Config is a storage config for a bucket.
func (c *Cloud) Config(provider, bucket string) objstore.Config {
	p := c.providers[provider]
	options := map[string]string{
		"endpoint_url": "http://" + p.Domain, "bucket_name": bucket, "region": p.gateway.Region, "access_key_id": AccessKey, "secret_access_key": SecretKey,
	}
	if provider == "s3" {
		options["path_style"] = "1"
	}
	return objstore.Config{ID: provider + "-" + bucket, Options: options}
}

// Folder is where a bucket's objects lie as files.
func (p *Provider) Folder(bucket string) string {
	return filepath.Join(p.gateway.dir, "objects", bucket)
}

// Keys returns the keys of the objects in a bucket, sorted.
func (p *Provider) Keys(t testing.TB, bucket string) []string {
	t.Helper()
	keys := []string{}
	pages := s3.NewListObjectsV2Paginator(p.client(), &s3.ListObjectsV2Input{Bucket: &bucket})
	for pages.HasMorePages() {
		page, err := pages.NextPage(context.Background())
		if err != nil {
			t.Fatalf("list objects: %v", err)
		}
		for _, o := range page.Contents {
			keys = append(keys, *o.Key)
		}
	}
	return keys
}

// AllowBrowsers sets the rule of a bucket that lets pages of origin read and
// upload, past the proxy that may refuse such rules.
func (p *Provider) AllowBrowsers(t testing.TB, bucket, origin string) {
	t.Helper()
	_, err := p.client().PutBucketCors(context.Background(), &s3.PutBucketCorsInput{Bucket: &bucket, CORSConfiguration: &types.CORSConfiguration{
		CORSRules: []types.CORSRule{{
			AllowedOrigins: []string{origin}, AllowedMethods: []string{"GET", "HEAD", "PUT"}, AllowedHeaders: []string{"*"}, ExposeHeaders: []string{"ETag"},
		}},
	}})
	if err != nil {
		t.Fatalf("set the rule of browsers: %v", err)
	}
}

// Versions counts the versions and delete markers of a key.
func (p *Provider) Versions(t testing.TB, bucket, key string) int {
	t.Helper()
	out, err := p.client().ListObjectVersions(context.Background(), &s3.ListObjectVersionsInput{Bucket: &bucket, Prefix: &key})
	if err != nil {
		t.Fatalf("list versions: %v", err)
	}
	n := 0
	for _, v := range out.Versions {
		if *v.Key == key {
			n++
		}
	}
	for _, m := range out.DeleteMarkers {
		if *m.Key == key {
			n++
		}
	}
	return n
}
