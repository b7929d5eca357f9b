package objstore

import "cmp"

// OwnDisk is the storage type of drivers whose objects are files of this server.
const OwnDisk = "LOCAL"

// Storage is what those who keep objects in a storage know of its config. It
// holds no secret.
type Storage struct {
	ID            string
	Name          string
	Type          string // "S3", OwnDisk, ...: as its driver says
	ProviderType  string // the company or product, in the words of clients
	Public        bool   // usable by API keys
	Capacity      int64  // bytes; 0 means no bound
	LinkSeconds   int64  // lifetime of signed read links; 0 means an hour
	DefaultFolder string // of uploads that name none
	EndpointURL   string
	BucketName    string
	Region        string
	PathStyle     bool
	CustomHost    string
	Prefix        string // front of all keys that mounts show: "", or a key prefix that ends in "/"
	// Home is where the keys begin: an address or a folder that ends in "/", the
	// same for all configs that lead there. Empty means unknown.
	Home string

	OwnDisk   bool // this server takes its uploads: they have the size that was announced, and are counted as they come
	FixedType bool // refuses signed links that set a content type
}

// Origin tells the storage from others, as far as is known.
func (s Storage) Origin() string { return cmp.Or(s.Home, s.ID+"\x00/") }

// Address says where the storage has its bucket.
func (s Storage) Address() Address {
	return Address{EndpointURL: s.EndpointURL, BucketName: s.BucketName, PathStyle: s.PathStyle, CustomHost: s.CustomHost}
}
