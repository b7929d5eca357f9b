package mounts

import (
	"context"
	"strconv"
	"strings"
	"time"

	"pasteport/domain/internal/cache"
	"pasteport/ports"
	"pasteport/ports/objstore"
	"pasteport/ports/policy"
)

// Bounds of the life of links, in seconds (contract §4.9).
const (
	MinLinkSeconds     = 60
	MaxLinkSeconds     = 7 * 24 * 3600
	DefaultLinkSeconds = 3600
)

// SentWithin is how long after the end of its link an upload may still come.
const SentWithin = time.Hour

// Settings are the operator's choices that the tree obeys.
type Settings interface {
	ports.Settings
	// ProxySignAll says whether every proxy link needs a signature.
	ProxySignAll() bool
	// ProxySignExpires is the life of those signatures; zero means for ever.
	ProxySignExpires() time.Duration
	// ProxySignEpoch makes older signatures worthless when it grows; 0 signs as
	// the predecessor did.
	ProxySignEpoch() int64
}

// Links are the addresses of a file's bytes, absolute or, with "/" at the
// front, on this server.
type Links struct {
	Preview  string // shows it
	Download string // saves it
}

// Linker makes the addresses of files, and answers those that lead through this
// server. It is safe for concurrent use.
type Linker struct {
	*Reader
	signer
	signed linkCache
}

// links makes the addresses of the file at the place: through this server where
// the mount says so, else to its storage (contract §4.2, §7.6).
func (ln *Linker) links(ctx context.Context, c Caller, p *Place, o policy.Obligations) (Links, error) {
	if p.Mount.WebProxy {
		expires := ln.signatureEnd(p.Mount, o)
		return Links{Preview: ln.proxyLink(p, expires, false), Download: ln.proxyLink(p, expires, true)}, nil
	}
	ttl := LinkLife(p.Storage, 0, o)
	preview, err := ln.StorageLink(ctx, c, p, false, ttl, p.Mount.CacheTTL > 0)
	if err != nil {
		return Links{}, err
	}
	download, err := ln.StorageLink(ctx, c, p, true, ttl, p.Mount.CacheTTL > 0)
	return Links{Preview: preview.URL, Download: download.URL}, err
}

// NewLink asks for the address of a file.
type NewLink struct {
	Download bool  // saves it instead of showing it
	Seconds  int64 // how long it shall work, kept within the bounds; 0 means as the storage config says
}

// FileLink is the address of a file's bytes.
type FileLink struct {
	File    Entry
	URL     string    // absolute, or a path of this server
	Seconds int64     // how long it works at least
	Expires time.Time // when that ends
}

// Link makes an address of a file that works without a credential for a while.
// It asks mount.read (contract §4.9).
//
// Returns NotFound when there is no such file and ErrType for a folder.
func (ln *Linker) Link(ctx context.Context, c Caller, path string, in NewLink) (FileLink, error) {
	places, decision, err := ln.Enter(ctx, c, OpRead, path)
	if err != nil {
		return FileLink{}, err
	}
	p := places[0]
	f, err := ln.FileAt(ctx, p)
	if err != nil {
		return FileLink{}, err
	}
	now, ttl := ln.clock.Now(), LinkLife(p.Storage, in.Seconds, decision.Obligations)
	link := SignedLink{Expires: now.Add(ttl)}
	if p.Mount.WebProxy {
		if in.Seconds <= 0 {
			if end := ln.signatureEnd(p.Mount, decision.Obligations); !end.IsZero() && end.Before(link.Expires) {
				link.Expires = end
			}
		}
		link.URL = ln.proxyLink(p, link.Expires, in.Download)
	} else if link, err = ln.StorageLink(ctx, c, p, in.Download, ttl, in.Seconds <= 0 && p.Mount.CacheTTL > 0); err != nil {
		return FileLink{}, err
	}
	return FileLink{File: f.Entry, URL: link.URL, Seconds: int64(link.Expires.Sub(now) / time.Second), Expires: link.Expires}, nil
}

// LinkLife is how long a link works: as asked, else as the storage config says,
// and no longer than the policy allows.
func LinkLife(s objstore.Storage, asked int64, o policy.Obligations) time.Duration {
	seconds := asked
	if seconds <= 0 {
		seconds = s.LinkSeconds
	}
	if seconds <= 0 {
		seconds = DefaultLinkSeconds
	}
	seconds = min(max(seconds, MinLinkSeconds), MaxLinkSeconds)
	return time.Duration(lesser(seconds, o.LinkExpires)) * time.Second
}

// StorageLink makes a link to the storage of a place. A link that shows a file
// on a custom host needs no signature (contract §7.7).
func (ln *Linker) StorageLink(ctx context.Context, c Caller, p *Place, download bool, ttl time.Duration, cached bool) (SignedLink, error) {
	now := ln.clock.Now()
	address := p.Storage.Address()
	if p.Storage.CustomHost != "" && !download {
		return SignedLink{address.Public(p.Key()), now.Add(ttl)}, nil
	}
	id := linkID{who: c.Who, storage: p.Storage.ID, key: p.Key(), download: download, ttl: ttl}
	if cached {
		if link, ok := ln.signed.get(id, now); ok {
			return link, nil
		}
	}
	bucket, err := ln.Bucket(ctx, p)
	if err != nil {
		return SignedLink{}, err
	}
	r := objstore.SignRequest{Verb: objstore.VerbGet, Key: p.Key(), Audience: objstore.Browser, TTL: ttl}
	r.ContentType, r.Disposition = linkHeaders(Base(p.Path), download)
	if p.Storage.FixedType {
		r.ContentType = ""
	}
	signed, err := bucket.Sign(ctx, r)
	if err != nil {
		return SignedLink{}, err
	}
	link := SignedLink{signed.URL, now.Add(ttl)}
	if p.Storage.CustomHost != "" {
		_, query, _ := strings.Cut(signed.URL, "?")
		link.URL = address.Public(p.Key()) + "?" + query
	}
	if cached {
		ln.signed.put(id, link, now)
	}
	return link, nil
}

// linkHeaders are type and disposition that a storage answers a link with.
func linkHeaders(name string, download bool) (contentType, disposition string) {
	contentType, disposition = ContentTypeOf(name), "inline"
	if strings.HasPrefix(contentType, "text/") {
		contentType += "; charset=utf-8"
	}
	if download {
		disposition = "attachment"
	}
	safe := objstore.EscapeKey(name)
	safe = strings.NewReplacer("'", "%27", "(", "%28", ")", "%29", "*", "%2A", "&", "%26", "+", "%2B", "=", "%3D", ":", "%3A", "@", "%40", "$", "%24").Replace(safe)
	return contentType, disposition + `; filename="` + safe + `"; filename*=UTF-8''` + safe
}

// SignedLink is a link and when it ends.
type SignedLink struct {
	URL     string
	Expires time.Time
}

// linkID is what a link was made for. The caller is in it as it was then: when
// its rights change, the old links are not handed out any more.
type linkID struct {
	who          policy.Principal
	storage, key string
	download     bool
	ttl          time.Duration
}

// maxLinks is how many links are kept (contract §6.2).
const maxLinks = 1000

// linkCache keeps links for nine tenths of their life.
type linkCache struct {
	kept *cache.Cache[linkID, keptLink]
}

type keptLink struct {
	SignedLink
	until time.Time
}

func newLinkCache() linkCache { return linkCache{cache.New[linkID, keptLink](maxLinks, 1)} }

func (c linkCache) get(id linkID, now time.Time) (SignedLink, bool) {
	link, ok := c.kept.Get(id, func(l keptLink) bool { return now.Before(l.until) })
	return link.SignedLink, ok
}

func (c linkCache) put(id linkID, link SignedLink, now time.Time) {
	c.kept.Put(id, keptLink{link, now.Add(link.Expires.Sub(now) / 10 * 9)}, 1)
}

// forget drops the links of what has changed; of a change that does not say
// what, those of the whole storage.
func (c linkCache) forget(ch Change) {
	c.kept.DropAll(func(id linkID) bool { return id.storage == ch.Storage && ch.concerns(id.key) })
}

// forgetStorage drops the links of a storage config that has changed; an empty
// id means all.
func (c linkCache) forgetStorage(storageID string) {
	c.kept.DropAll(func(id linkID) bool { return storageID == "" || id.storage == storageID })
}

// concerns reports whether the change may have touched the object.
func (ch Change) concerns(key string) bool {
	if len(ch.Put) == 0 && len(ch.Gone) == 0 {
		return true
	}
	for _, o := range ch.Put {
		if o.Key == key {
			return true
		}
	}
	for _, gone := range ch.Gone {
		if gone == key || strings.HasSuffix(gone, "/") && strings.HasPrefix(key, gone) {
			return true
		}
	}
	return false
}

// number is n in decimal digits.
func number(n int64) string { return strconv.FormatInt(n, 10) }
