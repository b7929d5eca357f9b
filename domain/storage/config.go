package storage

import (
	"context"
	"encoding/json"
	"net/url"
	"slices"
	"strings"
	"time"

	"pasteport/ports"
	"pasteport/ports/objstore"
)

// Config is a storage config: where objects lie and how to reach them.
type Config struct {
	ID           string
	Name         string
	Driver       string // plugin driver name: local, aws, r2, b2, s3, ...
	ProviderType string // text for people and old clients (contract §3.4)
	StorageType  string // "S3" or "LOCAL"
	EndpointURL  string
	BucketName   string
	Region       string
	PathStyle    bool
	// Sealed holds the secret options, as JSON under the master key; nil when
	// the driver has none.
	Sealed []byte
	// Options holds further driver fields that are not secret, as a JSON object.
	Options            string
	DefaultFolder      string
	IsPublic           bool  // usable by API keys
	IsDefault          bool  // one per admin
	TotalStorageBytes  int64 // capacity for shares; 0 means no bound
	CustomHost         string
	SignatureExpiresIn int64 // seconds
	AdminID            string
	CreatedAt          time.Time
	UpdatedAt          time.Time
	LastUsed           *time.Time

	// HasSecrets and AccessKeyTail are not stored: they tell the administrator
	// whether secret options are set, and the last characters of the access key.
	HasSecrets    bool
	AccessKeyTail string
	// ETag is not stored either: it identifies what the administrator can set,
	// secrets included.
	ETag string
	// Health is not stored either: how the storage is, as far as this node knows.
	Health Health
	// Tested is how the last test ended that this node made of the config as it
	// stands; nil without one. It is not stored.
	Tested *Tested
}

// tag identifies what an administrator can set of a stored config, secrets
// included; using and testing it does not change it. It is quoted.
func (c *Config) tag() string {
	return ports.TagOf(c.ID, c.Name, c.Driver, c.ProviderType, c.StorageType, c.EndpointURL, c.BucketName, c.Region, c.PathStyle, c.Sealed, c.Options,
		c.DefaultFolder, c.IsPublic, c.IsDefault, c.TotalStorageBytes, c.CustomHost, c.SignatureExpiresIn)
}

// RootPrefix is the front of all keys that mounts of the config show: "", or a
// key prefix that ends in "/". One that is no key counts as none.
func (c *Config) RootPrefix() string {
	var options map[string]string
	if c.Options == "" || json.Unmarshal([]byte(c.Options), &options) != nil {
		return ""
	}
	prefix := strings.Trim(options[OptionRootPrefix], "/")
	if prefix == "" || objstore.CheckKey(prefix) != nil {
		return ""
	}
	return prefix + "/"
}

// Storage is what those who keep objects in the storage know of the config. Home
// is left out.
func (c *Config) Storage() objstore.Storage {
	return objstore.Storage{
		ID: c.ID, Name: c.Name, Type: c.StorageType, ProviderType: c.ProviderType, Public: c.IsPublic, Capacity: c.TotalStorageBytes,
		LinkSeconds: c.SignatureExpiresIn, DefaultFolder: c.DefaultFolder, EndpointURL: c.EndpointURL, BucketName: c.BucketName,
		Region: c.Region, PathStyle: c.PathStyle, CustomHost: c.CustomHost, Prefix: c.RootPrefix(),
		OwnDisk:   c.StorageType == objstore.OwnDisk,
		FixedType: slices.ContainsFunc(providers, func(p provider) bool { return p.fixedType && p.text == c.ProviderType }),
	}
}

// Home is where the keys of the config begin, so that two configs of one folder
// or one bucket, or of a folder in the other's, are known for that. resolve
// finds the folder that the directory of a local disk leads to. Empty where
// nothing tells.
func (c *Config) Home(resolve func(directory string) (string, error)) string {
	if c.Driver == localDriver {
		var options struct {
			Directory string `json:"directory"`
		}
		if json.Unmarshal([]byte(c.Options), &options) != nil {
			return ""
		}
		dir, err := resolve(options.Directory)
		if err != nil {
			return ""
		}
		return strings.TrimSuffix(dir, "/") + "/"
	}
	if c.BucketName == "" {
		return ""
	}
	service := c.Driver + " " + c.Options // with the account; the names of buckets are unique there
	if at, err := url.Parse(c.EndpointURL); err == nil && at.Host != "" {
		host := strings.TrimSuffix(strings.ToLower(at.Host), map[string]string{"http": ":80", "https": ":443"}[at.Scheme])
		service = host + strings.TrimRight(at.Path, "/")
	}
	return service + "/" + c.BucketName + "/"
}

// ConfigFilter chooses configs for a list, by name.
type ConfigFilter struct {
	ports.Paging
	PublicOnly bool
}

// ConfigRepository stores storage configs.
type ConfigRepository interface {
	ports.Repository[Config, ConfigFilter]
	// Hold is Get, and keeps the config from being changed by Update or deleted until
	// the unit of work of ctx ends. Several may hold it.
	Hold(ctx context.Context, id string) (*Config, error)
	// SetDefault marks one config and unmarks the others, in one transaction.
	SetDefault(ctx context.Context, id string) error
	// Touch notes that configs were used; those that are gone are passed over.
	Touch(ctx context.Context, used time.Time, ids ...string) error
}
