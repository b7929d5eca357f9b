package pluginhost

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"path/filepath"
	"strings"
	"time"

	"pasteport/plugins/sdk"
	"pasteport/ports"
	"pasteport/ports/objstore"
)

// errLink is the refusal of a link that a driver has no business to give.
func errLink(format string, args ...any) error {
	return &ports.Error{Code: ports.BadGateway, Key: "storage_unavailable", Text: "driver_answer_invalid", Cause: fmt.Errorf(format, args...)}
}

// cachedLink is a link for reading that can be used again for a while.
type cachedLink struct {
	request objstore.SignedRequest
	until   time.Time
}

// link asks the driver for a link and checks it: a link is input.
func (b *remoteBucket) link(ctx context.Context, r objstore.SignRequest) (link sdk.Link, err error) {
	err = b.do(ctx, repeatable, b.p.timing.Call, func(ctx context.Context, h *sdk.Handle) (err error) {
		if link, err = h.Link(ctx, r); err != nil {
			return err
		}
		if link.Local != nil {
			return b.checkLocal(*link.Local)
		}
		return b.checkSigned(link.Signed, b.hosts(h))
	})
	return link, err
}

// leastCached is the shortest lifetime of links worth keeping.
const leastCached = time.Minute

// signed returns a signed request. Those that only read are used again for
// half their life; one that stores bytes is always new.
func (b *remoteBucket) signed(ctx context.Context, r objstore.SignRequest) (objstore.SignedRequest, error) {
	cached := (r.Verb == objstore.VerbGet || r.Verb == objstore.VerbHead) && r.TTL >= leastCached
	if known, ok := b.links.Get(r); cached && ok && time.Now().Before(known.until) {
		request := known.request
		request.Header = request.Header.Clone() // the caller's own
		return request, nil
	}
	asked := time.Now()
	link, err := b.link(ctx, r)
	if err != nil {
		return objstore.SignedRequest{}, err
	}
	if link.Signed == nil {
		return objstore.SignedRequest{}, objstore.ErrUnsupported
	}
	if cached {
		kept := *link.Signed
		kept.Header = kept.Header.Clone()
		b.links.Add(r, cachedLink{kept, asked.Add(r.TTL / 2)})
	}
	return *link.Signed, nil
}

// toRead is the request for the link by which the server reads key.
func (b *remoteBucket) toRead(key string) objstore.SignRequest {
	return objstore.SignRequest{Verb: objstore.VerbGet, Key: key, Audience: objstore.Server, TTL: b.p.timing.LinkLifetime}
}

// hosts returns the origins that links may lead to: those of the config's
// addresses and, for our own drivers, those they name.
func (b *remoteBucket) hosts(h *sdk.Handle) []origin {
	var origins []origin
	for _, f := range b.info.Fields {
		if u, err := url.Parse(b.config.Options[f.Key]); f.Type == "url" && err == nil && u.Host != "" {
			origins = append(origins, origin{u.Scheme, strings.ToLower(u.Host)})
		}
	}
	if b.p.command.Trusted {
		for _, host := range h.Endpoints {
			origins = append(origins, origin{"", strings.ToLower(host)})
		}
	}
	return origins
}

// origin is a host, and a scheme unless any will do.
type origin struct{ scheme, host string }

// covers reports whether u leads to the origin or to a bucket's name below it.
func (o origin) covers(u *url.URL) bool {
	host := strings.ToLower(u.Host)
	if o.scheme != "" && o.scheme != u.Scheme {
		return false
	}
	return host == o.host || strings.HasSuffix(host, "."+o.host)
}

// checkSigned refuses links that lead elsewhere than the config, and drops
// headers that a sender has no business to set.
func (b *remoteBucket) checkSigned(r *objstore.SignedRequest, origins []origin) error {
	u, err := url.Parse(r.URL)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || u.User != nil {
		return errLink("the link is no plain http address")
	}
	covered := false
	for _, o := range origins {
		covered = covered || o.covers(u)
	}
	if !covered {
		return errLink("the link leads to %s, which is not the config's", u.Host)
	}
	switch r.Method {
	case http.MethodGet, http.MethodHead, http.MethodPut:
	default:
		return errLink("the link's method is %q", r.Method)
	}
	r.Header = allowedHeaders(r.Header)
	return nil
}

// headerPrefixes are the headers that a link may ask its sender to set.
var headerPrefixes = []string{"Authorization", "Content-Type", "Content-Md5", "Content-Disposition", "Cache-Control", "X-Amz-", "X-Bz-", "If-"}

func allowedHeaders(h http.Header) http.Header {
	kept := http.Header{}
	for name, values := range h {
		name = http.CanonicalHeaderKey(name)
		for _, prefix := range headerPrefixes {
			if strings.HasPrefix(name, prefix) {
				kept[name] = values
			}
		}
	}
	return kept
}

// checkLocal accepts files inside the folder that the config names, from our
// own drivers only.
func (b *remoteBucket) checkLocal(f sdk.LocalFile) error {
	if !b.p.command.Trusted {
		return errLink("the driver may not name local files")
	}
	if !filepath.IsLocal(f.Path) {
		return errLink("the file's path leaves its folder")
	}
	for _, option := range b.config.Options {
		if filepath.IsAbs(option) && filepath.Clean(option) == f.Root {
			return nil
		}
	}
	return errLink("the folder is not the config's")
}

var errChangedMeanwhile = errors.New("the file changed while it was opened")
