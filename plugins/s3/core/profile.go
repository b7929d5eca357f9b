// Package core is the driver for everything that speaks the S3 protocol. What
// makes one provider different from another is data: a Profile, picked by the
// packages plugins/aws, plugins/r2, plugins/b2 and plugins/s3.
//
// Nothing here reads the environment or the home folder, and the SDK's clients
// are made when a bucket is opened, not before.
package core

import (
	"context"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"

	"pasteport/ports/objstore"
	"pasteport/ports/outbound"
)

// Options of a storage config, by Field.Key.
const (
	OptionEndpoint    = "endpoint_url"
	OptionBucket      = "bucket_name"
	OptionRegion      = "region"
	OptionAccessKey   = "access_key_id"
	OptionSecretKey   = "secret_access_key"
	OptionPathStyle   = "path_style"  // "1" or "0"
	OptionRootPrefix  = "root_prefix" // of the server, not ours
	OptionCredentials = "credentials" // CredentialsKeys or CredentialsAmbient
	OptionDelete      = "delete_mode" // DeletePurge or DeleteHide
)

// Values of OptionCredentials: the keys of the config, or what the machine the
// server runs on has been given.
const (
	CredentialsKeys    = "keys"
	CredentialsAmbient = "ambient"
)

// Values of OptionDelete, where buckets keep old versions: remove all of them,
// or only hide the object.
const (
	DeletePurge = "purge"
	DeleteHide  = "hide"
)

// Profile is what a provider does in its own way.
type Profile struct {
	// Info describes the driver. Its Limits bound what the bucket sends.
	Info objstore.Info
	// Region is used when the config names none.
	Region string
	// Endpoint makes the address when the config names none; nil means that the
	// config must. The region is never empty.
	Endpoint func(options map[string]string, region string) string
	// RegionOf reads the region out of the host of an endpoint when the config
	// names none; nil means that it does not stand there. "" means unknown.
	RegionOf func(host string) string
	// FindRegion asks for the bucket's region when it is opened, and uses that.
	FindRegion bool
	// PathStyle puts the bucket into the path although the config does not ask
	// for it.
	PathStyle bool
	// BulkDelete removes up to 1000 keys in one call; else one key in each.
	BulkDelete bool
	// Versions removes all versions of an object unless OptionDelete hides it.
	Versions bool
	// Tries is how often a call that can be repeated is made.
	Tries int
	// Ambient gives the machine's own credentials; nil means the provider has
	// no such thing.
	Ambient func(ctx context.Context, region string) (aws.CredentialsProvider, error)
}

// Driver opens buckets of one provider.
type Driver struct {
	Profile Profile
	// Reach says where endpoints may be. Within outbound.PublicOnly there are no
	// ambient credentials either: they are the host's.
	Reach outbound.Reach
}

var _ objstore.Driver = Driver{}

// Info implements objstore.Driver.
func (d Driver) Info(context.Context) (objstore.Info, error) { return d.Profile.Info, nil }

// regionTime bounds the question for a bucket's region.
const regionTime = 5 * time.Second

// Open implements objstore.Driver. Credentials are checked by the first call,
// not here.
func (d Driver) Open(ctx context.Context, config objstore.Config) (objstore.Bucket, error) {
	if d.Reach == outbound.PublicOnly {
		d.Profile.Ambient = nil
	}
	s, err := d.Profile.settings(config.Options)
	if err != nil {
		return nil, err
	}
	credentials, err := d.Profile.credentials(ctx, s)
	if err != nil {
		return nil, err
	}
	b := &bucket{profile: d.Profile, settings: s, credentials: credentials, transport: newTransport(d.Reach, answerTime), unhurried: newTransport(d.Reach, workTime)}
	b.connect()
	if d.Profile.FindRegion {
		ctx, cancel := context.WithTimeout(ctx, regionTime)
		defer cancel()
		b.findRegion(ctx)
	}
	return b, nil
}

// Sizes that all providers share, in bytes.
const (
	mib = 1 << 20
	gib = 1 << 30
	tib = 1 << 40
)

// Limits are the bounds of S3 itself; profiles change what differs.
var Limits = objstore.Limits{
	MinPart: 5 * mib, MaxPart: 5 * gib, MaxParts: objstore.MaxPart, MaxPut: 5 * gib, MaxCopy: 5 * gib,
	MaxKey: objstore.MaxKey, MaxDeleteBatch: objstore.MaxList, MaxLink: 7 * 24 * time.Hour,
}

// Features are what S3 itself can do; profiles change what differs.
var Features = objstore.Features{
	HTTPLinks: true, Multipart: true, ServerCopy: true, PartCopy: true, Range: true, CORSAdmin: true, BrowserUpload: true,
	ConditionalWrite: true,
}
