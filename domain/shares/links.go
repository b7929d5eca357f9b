package shares

import (
	"context"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"time"

	"pasteport/domain/shares/internal/shown"
	"pasteport/ports"
	"pasteport/ports/objstore"
)

// Links are addresses of a file in its storage: absolute, or paths of this
// server that begin with "/".
type Links struct {
	Preview  string
	Download string
}

// direct makes the links of a file that lead to its storage (contract §7.16).
func (f *Files) direct(ctx context.Context, file *File) (Links, error) {
	storage, err := f.d.Storages.Storage(ctx, file.StorageConfigID)
	if err != nil {
		return Links{}, storageError(err)
	}
	ttl := f.linkLife(storage, file)
	download, err := f.sign(ctx, storage, file, true, ttl)
	if err != nil {
		return Links{}, storageError(err)
	}
	if storage.CustomHost != "" {
		own := storage.Address().Public(file.StoragePath)
		return Links{Preview: own, Download: own + query(download)}, nil
	}
	preview, err := f.sign(ctx, storage, file, false, ttl)
	return Links{Preview: preview, Download: download}, storageError(err)
}

// linkLife is how long a direct link works: as the storage config says, but no
// longer than the share.
func (f *Files) linkLife(storage objstore.Storage, file *File) time.Duration {
	ttl := time.Duration(storage.LinkSeconds) * time.Second
	if ttl <= 0 {
		ttl = time.Hour
	}
	if file.ExpiresAt != nil {
		ttl = min(ttl, max(file.ExpiresAt.Sub(f.d.Clock.Now()), time.Second))
	}
	return ttl
}

func (f *Files) sign(ctx context.Context, storage objstore.Storage, file *File, download bool, ttl time.Duration) (string, error) {
	bucket, err := f.d.Storages.Bucket(ctx, storage.ID)
	if err != nil {
		return "", err
	}
	r := objstore.SignRequest{Verb: objstore.VerbGet, Key: file.StoragePath, Audience: objstore.Browser, TTL: ttl,
		Share: file.ID, ShareVersion: file.Version}
	r.ContentType, r.Disposition = shown.Headers(file.Filename, file.MimeType, download)
	if storage.FixedType {
		r.ContentType = ""
	}
	signed, err := bucket.Sign(ctx, r)
	return signed.URL, err
}

// Current reports whether a share is there, in one version, with its object
// under one key: it answers for links to that object that were given out then.
// Where the object was moved away, the key may hold another file by now.
func (f *Files) Current(ctx context.Context, id string, version int64, configID, key string) (bool, error) {
	file, err := f.repo.Get(ctx, id)
	if ports.Is(err, ports.NotFound) {
		return false, nil
	}
	if err != nil {
		return false, ports.Wrap("find the share of a link", err)
	}
	return file.ErasedAt == nil && file.VersionOf == "" && file.Version == version && file.StorageConfigID == configID && file.StoragePath == key, nil
}

// Holds reports whether the object under a key belongs to a share, or will once
// its upload has arrived. Nobody else may write it; files of mounts, and shares
// of them, are not meant.
func (f *Files) Holds(ctx context.Context, configID, key string) (bool, error) {
	holders, err := f.d.FileObjects.ObjectHolders(ctx, configID, key, "")
	return slices.ContainsFunc(holders, func(h ObjectHolder) bool { return !h.Mounted }), ports.Wrap("find the share of an object", err)
}

// query returns the query of an address, with its question mark.
func query(address string) string {
	if i := strings.IndexByte(address, '?'); i >= 0 {
		return address[i:]
	}
	return ""
}

// reachable reports whether a service outside can fetch from the storage: it
// has an endpoint, and that is not on this machine or a private network.
func reachable(s objstore.Storage) bool {
	address := s.EndpointURL
	if s.CustomHost != "" {
		address = s.CustomHost
	}
	u, err := url.Parse(address)
	if err != nil || u.Hostname() == "" {
		return false
	}
	host := u.Hostname()
	if ip, err := netip.ParseAddr(host); err == nil {
		return ip.IsGlobalUnicast() && !ip.IsPrivate()
	}
	return strings.Contains(host, ".") && !strings.HasSuffix(host, ".local") && !strings.HasSuffix(host, ".internal")
}
