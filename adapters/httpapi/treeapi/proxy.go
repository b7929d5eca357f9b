package treeapi

import (
	"fmt"
	"net/http"
	"time"

	"pasteport/adapters/httpapi"
	"pasteport/adapters/httpapi/content"
	"pasteport/adapters/httpapi/wire"
	"pasteport/domain/mounts"
	"pasteport/ports/policy"
)

// proxyOps registers the mount proxy (filesystem contract §5): files of mounts
// with a web proxy, for whoever has the link.
func (c transferCalls) proxyOps(a *httpapi.API) {
	httpapi.Stream(a, httpapi.Op{Name: "proxy.read", Method: "GET", Path: mounts.ProxyPath + "/{path:.*}", Aliases: []string{"GET " + mounts.ProxyPath},
		Public: true, Actions: []policy.Action{policy.MountProxy}, Class: httpapi.Streaming, Also: httpapi.ContentStatuses,
		Errors:  []string{"root_forbidden", "mount_not_found", "range_invalid", "precondition_failed", "storage_unavailable", "storage_denied"},
		Summary: "The bytes of a file, by a link that needs no login."}, c.proxy)
	httpapi.Describe(a, "proxy.read", proxyLinkQuery{})
}

type proxyLinkQuery struct {
	Path     string    `path:"path"`
	Sign     string    `query:"sign"`
	Download wire.Flag `query:"download,lenient"`
	TS       string    `query:"ts"` // when the link was made; makes it another one for caches
}

func (c transferCalls) proxy(w http.ResponseWriter, r *http.Request, who policy.Principal) error {
	q, err := httpapi.Decode[proxyLinkQuery](r)
	if err != nil {
		return err
	}
	how := content.Content{Attachment: bool(q.Download), Active: true}
	return serveTree(w, r, how, func(c2 *content.Content) (*mounts.File, error) {
		f, err := c.Tree.Proxy(r.Context(), who, "/"+q.Path, q.Sign)
		if err != nil {
			return nil, err
		}
		c2.CacheControl = proxyAge(f)
		return f.File, nil
	})
}

// proxyAge says who may keep an answer of the proxy, and for how long. What a
// link without an end shows may be kept by anybody, who must ask each time: the
// file changes, and links end with their epoch or their mount.
func proxyAge(f *mounts.Proxied) string {
	if f.Shared {
		return "no-cache"
	}
	return fmt.Sprintf("private, max-age=%d", int64(max(f.MaxAge, 0)/time.Second))
}
