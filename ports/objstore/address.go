package objstore

import (
	"net/url"
	"strings"
)

// Address says where a storage config has its bucket, for links without a
// signature.
type Address struct {
	EndpointURL string // empty for storages without one
	BucketName  string
	PathStyle   bool   // the bucket stands in the path, not in the host
	CustomHost  string // "https://cdn.example", in front of the endpoint; often empty
}

// Object is the address of an object at the endpoint; empty without one.
func (a Address) Object(key string) string {
	endpoint, err := url.Parse(a.EndpointURL)
	if err != nil || endpoint.Host == "" {
		return ""
	}
	if a.PathStyle {
		return strings.TrimRight(a.EndpointURL, "/") + "/" + a.BucketName + "/" + EscapeKey(key)
	}
	return endpoint.Scheme + "://" + a.BucketName + "." + endpoint.Host + "/" + EscapeKey(key)
}

// Public is the address of an object on the custom host.
func (a Address) Public(key string) string {
	base := strings.TrimRight(a.CustomHost, "/") + "/"
	if a.PathStyle && a.BucketName != "" {
		base += url.PathEscape(a.BucketName) + "/"
	}
	return base + EscapeKey(key)
}

// EscapeKey makes a key or a path part of an address, segment by segment.
func EscapeKey(key string) string {
	segments := strings.Split(key, "/")
	for i := range segments {
		segments[i] = url.PathEscape(segments[i])
	}
	return strings.Join(segments, "/")
}
