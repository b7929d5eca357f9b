package mounts

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"net/url"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"pasteport/ports"
	"pasteport/ports/objstore"
	"pasteport/ports/policy"
)

// ProxyPath stands in front of the path of a file in proxy links.
const ProxyPath = "/api/p"

// maxProxyPath bounds the path of a proxy link, in characters (contract §1.7).
const maxProxyPath = 2048

// proxyPurpose names the derived key that signs proxy links.
const proxyPurpose = "proxy-link"

// maxProxyAge bounds how long an answer of the proxy may be kept.
const maxProxyAge = time.Hour

// errSign is the refusal of a signature; it does not say why.
var errSign = &ports.Error{Code: ports.Unauthenticated, Key: "unauthenticated", Text: "proxy_sign_invalid"}

// signer signs proxy links.
type signer struct {
	settings Settings
	mac      ports.MAC
	secret   string // empty: a key derived from the master key
	clock    ports.Clock
}

// Proxied is a file that a proxy link leads to.
type Proxied struct {
	*File
	// MaxAge is how long the answer may be kept; Shared says that caches
	// between here and the browser may, too.
	MaxAge time.Duration
	Shared bool
}

// Proxy opens the file that a link without a login names: path is the decoded
// path behind ProxyPath, sign its signature. It asks mount.proxy (contract §5).
//
// Returns Invalid for an unclean path, ErrRoot for the root, ErrNoMount where
// no mount with a web proxy holds the path, Unauthenticated when a signature is
// needed and sign is none, and NotFound when there is no such file.
func (ln *Linker) Proxy(ctx context.Context, who policy.Principal, path, sign string) (*Proxied, error) {
	if utf8.RuneCountInString(path) > maxProxyPath {
		return nil, ports.InvalidInput("path_too_long", "path")
	}
	clean, folder, err := Clean(path)
	if err != nil {
		return nil, err
	}
	s, err := ln.Snapshot(ctx)
	if err != nil {
		return nil, err
	}
	on := s.about(policy.Resource{Paths: []string{clean}})
	if _, err := policy.Check(ctx, ln.decider, who, policy.MountProxy, on); err != nil {
		return nil, err
	}
	m := s.proxied(clean)
	switch {
	case clean == "/":
		return nil, ErrRoot
	case m == nil:
		return nil, ErrNoMount
	}
	out := &Proxied{MaxAge: maxProxyAge, Shared: true}
	if ln.settings.ProxySignAll() || m.EnableSign {
		expires, err := ln.verify(clean, sign)
		if err != nil {
			return nil, err
		}
		if !expires.IsZero() {
			out.Shared, out.MaxAge = false, min(maxProxyAge, expires.Sub(ln.clock.Now()))
		}
	}
	p := m.Place(clean)
	if folder || len(p.Key()) > objstore.MaxKey {
		return nil, ports.ErrNotFound
	}
	ln.Touch(m.ID)
	if out.File, err = ln.FileAt(ctx, p); errors.Is(err, ErrType) {
		err = ports.ErrNotFound
	}
	return out, err
}

// proxied returns the deepest mount with a web proxy that holds the path.
func (s *Snapshot) proxied(path string) *Active {
	for _, i := range s.deep {
		if m := &s.Mounts[i]; m.WebProxy && Within(m.Path, path) {
			return m
		}
	}
	return nil
}

// proxyLink is the link to the file at the place on this server, signed where
// that is needed. A zero expires means for ever.
func (sg *signer) proxyLink(p *Place, expires time.Time, download bool) string {
	link := ProxyPath + objstore.EscapeKey(p.Path)
	query := ""
	if download {
		query = "download=true"
	}
	if sg.settings.ProxySignAll() || p.Mount.EnableSign {
		if download {
			query += "&"
		}
		query += "sign=" + url.QueryEscape(sg.sign(p.Path, expires))
		if !download {
			query += "&ts=" + number(sg.clock.Now().UnixMilli())
		}
	}
	if query == "" {
		return link
	}
	return link + "?" + query
}

// signatureEnd is when a signature made now ends: by the mount, else by the
// site; the zero time means never.
func (sg *signer) signatureEnd(m *Mount, o policy.Obligations) time.Time {
	seconds := int64(sg.settings.ProxySignExpires() / time.Second)
	if m.SignExpires != nil {
		seconds = *m.SignExpires
	}
	if seconds = lesser(seconds, o.LinkExpires); seconds <= 0 {
		return time.Time{}
	}
	return sg.clock.Now().Add(time.Duration(min(seconds, maxSignSeconds)) * time.Second)
}

// maxSignSeconds keeps times within what they can hold: a hundred years.
const maxSignSeconds = 100 * 365 * 24 * 3600

// sign makes the signature of a path: the hash and the Unix time of its end, 0
// for never, with a colon between (contract core §12.3).
func (sg *signer) sign(path string, expires time.Time) string {
	end := "0"
	if !expires.IsZero() {
		end = number(expires.Unix())
	}
	return sg.hash(path, end) + ":" + end
}

// hash is the keyed hash of a path and the end of its signature.
func (sg *signer) hash(path, end string) string {
	data := path + ":" + end
	if epoch := sg.settings.ProxySignEpoch(); epoch > 0 {
		data += ":" + number(epoch)
	}
	if sg.secret == "" {
		sum := sg.mac.Sum(proxyPurpose, []byte(data))
		return base64.StdEncoding.EncodeToString(sum[:])
	}
	h := hmac.New(sha256.New, []byte(sg.secret))
	h.Write([]byte(data))
	return base64.StdEncoding.EncodeToString(h.Sum(nil))
}

// verify returns when a signature of the path ends, the zero time for never.
// A space in it was a "+" before somebody decoded it once too often.
func (sg *signer) verify(path, sign string) (expires time.Time, err error) {
	hash, end, ok := cutLast(strings.ReplaceAll(sign, " ", "+"), ":")
	seconds, bad := strconv.ParseInt(end, 10, 64)
	if !ok || bad != nil || seconds < 0 || end != number(seconds) {
		return time.Time{}, errSign
	}
	if !hmac.Equal([]byte(hash), []byte(sg.hash(path, end))) {
		return time.Time{}, errSign
	}
	if seconds == 0 {
		return time.Time{}, nil
	}
	if sg.clock.Now().Unix() > seconds {
		return time.Time{}, errSign
	}
	return time.Unix(seconds, 0).UTC(), nil
}

// cutLast cuts s around the last sep.
func cutLast(s, sep string) (before, after string, found bool) {
	i := strings.LastIndex(s, sep)
	if i < 0 {
		return s, "", false
	}
	return s[:i], s[i+len(sep):], true
}
