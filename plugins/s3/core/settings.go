package core

import (
	"context"
	"net"
	"net/url"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"

	"pasteport/ports"
)

// settings is a storage config after it was read.
type settings struct {
	endpoint  *url.URL
	bucket    string
	region    string
	accessKey string
	secretKey string
	pathStyle bool
	ambient   bool
	hide      bool // delete hides
}

// settings checks the options of a config. Returns Invalid, naming the field.
func (p Profile) settings(o map[string]string) (s settings, err error) {
	option := func(key string) string { return strings.TrimSpace(o[key]) }
	s = settings{
		bucket: option(OptionBucket), region: option(OptionRegion), accessKey: option(OptionAccessKey), secretKey: option(OptionSecretKey),
		ambient: p.Ambient != nil && option(OptionCredentials) == CredentialsAmbient, hide: option(OptionDelete) == DeleteHide,
	}
	if s.bucket == "" {
		return s, ports.InvalidInput("field_required", OptionBucket)
	}
	if strings.ContainsAny(s.bucket, "/?#@: \\%") {
		return s, ports.InvalidInput("field_invalid", OptionBucket)
	}
	if !s.ambient && s.accessKey == "" {
		return s, ports.InvalidInput("field_required", OptionAccessKey)
	}
	if !s.ambient && s.secretKey == "" {
		return s, ports.InvalidInput("field_required", OptionSecretKey)
	}
	if err := p.place(&s, o, option(OptionEndpoint)); err != nil {
		return s, err
	}
	// A certificate for *.host does not fit a bucket's name with dots.
	s.pathStyle = p.PathStyle || isTrue(option(OptionPathStyle)) || isAddress(s.endpoint.Hostname()) ||
		strings.Contains(s.bucket, ".") && s.endpoint.Scheme == "https"
	return s, nil
}

// place fills in endpoint and region, of which one may follow from the other.
func (p Profile) place(s *settings, o map[string]string, endpoint string) error {
	var err error
	if s.region == "auto" && p.RegionOf != nil {
		s.region = "" // what old clients write where nothing is chosen
	}
	if endpoint != "" {
		if s.endpoint, err = parseEndpoint(endpoint); err != nil {
			return err
		}
		if s.region == "" && p.RegionOf != nil {
			s.region = p.RegionOf(strings.ToLower(s.endpoint.Hostname()))
		}
	}
	if s.region == "" {
		s.region = p.Region
	}
	if strings.ContainsAny(s.region, "/?#@:. \\%") {
		return ports.InvalidInput("field_invalid", OptionRegion)
	}
	if s.endpoint != nil {
		return nil
	}
	if p.Endpoint != nil {
		endpoint = p.Endpoint(o, s.region)
	}
	if endpoint == "" {
		return ports.InvalidInput("field_required", OptionEndpoint)
	}
	s.endpoint, err = parseEndpoint(endpoint)
	return err
}

// parseEndpoint reads an address of the form scheme://host[:port][/path].
func parseEndpoint(endpoint string) (*url.URL, error) {
	u, err := url.Parse(strings.TrimRight(endpoint, "/"))
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "" || u.User != nil || u.RawQuery != "" || u.Fragment != "" {
		return nil, ports.InvalidInput("url_invalid", OptionEndpoint)
	}
	return u, nil
}

func isTrue(option string) bool { return option == "1" || option == "true" }

func isAddress(host string) bool { return net.ParseIP(host) != nil }

// private reports whether bytes to the endpoint cannot be changed on their way:
// then bodies need no checksum in their signature.
func (s settings) private() bool {
	host := s.endpoint.Hostname()
	ip := net.ParseIP(host)
	return s.endpoint.Scheme == "https" || ip != nil && ip.IsLoopback() || host == "localhost" || strings.HasSuffix(host, ".localhost")
}

func (p Profile) credentials(ctx context.Context, s settings) (aws.CredentialsProvider, error) {
	if s.ambient {
		return p.Ambient(ctx, s.region)
	}
	return credentials.NewStaticCredentialsProvider(s.accessKey, s.secretKey, ""), nil
}
