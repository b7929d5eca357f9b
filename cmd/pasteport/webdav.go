package main

import (
	"context"
	"net/http"
	"strings"
	"time"

	"pasteport/adapters/httpapi"
	"pasteport/adapters/httpapi/content"
	"pasteport/adapters/webdav"
	"pasteport/domain/mounts"
)

// openWebDAV puts WebDAV beside the API. Downloads are sent by the handler that
// sends all stored content.
func (a *app) openWebDAV(publicURL string) {
	h := webdav.New(webdav.Options{Tree: a.tree, Resources: a.dav, Transfers: a.transfers, Settings: a.settings.Values(), Prefix: basePath(publicURL) + "/dav", Send: sendFile, Heavy: enterHeavy, Deleted: noteDeletion})
	a.api.ServeDAV(httpapi.DAV{Ops: davOps(), Serve: h.Serve, Options: h.ServeOptions, Announce: webdav.Announce})
}

// basePath is the path of --public-url, empty when it has none.
func basePath(publicURL string) string {
	_, rest, _ := strings.Cut(publicURL, "://")
	_, path, found := strings.Cut(rest, "/")
	if path = strings.Trim(path, "/"); !found || path == "" {
		return ""
	}
	return "/" + path
}

// davOps turns the method table into operations.
func davOps() []httpapi.Op {
	var ops []httpapi.Op
	for _, m := range webdav.Methods() {
		op := httpapi.Op{Name: "dav." + strings.ToLower(m.Name), Method: m.Name, Actions: m.Actions, Challenge: webdav.Challenge}
		if m.Grows {
			op.Grows = httpapi.GrowsFiles
		}
		switch {
		case m.Body:
			op.Body, op.Class = httpapi.RawBody, httpapi.Streaming
		case m.Name == http.MethodGet:
			op.Class = httpapi.Streaming
		case m.Heavy:
			op.Class = httpapi.Heavy
		}
		ops = append(ops, op)
	}
	return ops
}

// sendFile answers GET and HEAD with a file of a mount.
func sendFile(w http.ResponseWriter, r *http.Request, f *mounts.File, elsewhere func(ctx context.Context) (string, error)) error {
	var modified time.Time
	if f.ModTime != nil {
		modified = *f.ModTime
	}
	return content.Serve(w, r, content.Content{
		Name: f.Name, Type: f.ContentType, Size: f.Size, ETag: f.ETag, ModTime: modified, SignedIn: true, AsNamed: true,
		CacheControl: "private, no-cache", Elsewhere: elsewhere, Open: f.Read,
	})
}

// enterHeavy takes a place for a call that turned out to be heavy.
func enterHeavy(ctx context.Context) (release func(), err error) {
	return httpapi.ScopeOf(ctx).EnterHeavy()
}

// noteDeletion notes what a call has deleted.
func noteDeletion(ctx context.Context, path string) error { return httpapi.ScopeOf(ctx).NoteDone(path) }
