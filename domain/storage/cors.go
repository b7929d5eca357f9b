package storage

import (
	"context"
	"net/url"
	"slices"
	"strings"
	"time"

	"pasteport/ports"
	"pasteport/ports/objstore"
	"pasteport/ports/policy"
)

// corsTime bounds the setting of a rule.
const corsTime = 20 * time.Second

// maxOrigins bounds the origins of a rule.
const maxOrigins = 20

// EnsureCORS gives a config's storage the rule that lets pages of the origins
// ("https://host") upload to it. Rules of others stay, and repeating it is
// harmless. It asks admin.storage.write.
//
// Returns NotFound, Invalid for what is no origin, NotImplemented where the
// driver cannot, and the errors of storages.
func (c *Configs) EnsureCORS(ctx context.Context, who policy.Principal, id string, origins []string) error {
	if err := c.askFor(ctx, who, policy.StorageWrite, id); err != nil {
		return err
	}
	if len(origins) == 0 || len(origins) > maxOrigins || slices.ContainsFunc(origins, func(o string) bool { return !isOrigin(o) }) {
		return ports.InvalidInput("field_invalid", "origins")
	}
	bucket, err := c.Opener.Bucket(ctx, id)
	if err != nil {
		return err
	}
	setter, ok := bucket.(objstore.CORSAdmin)
	if !ok {
		return objstore.ErrUnsupported
	}
	ctx, cancel := context.WithTimeout(ctx, corsTime)
	defer cancel()
	if err := setter.EnsureCORS(ctx, origins); err != nil {
		if isContext(err) {
			return ports.ErrUnavailable.With(err)
		}
		return err
	}
	return nil
}

// isOrigin reports whether s is scheme and host and nothing else.
func isOrigin(s string) bool {
	u, err := url.Parse(s)
	return err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Hostname() != "" && s == u.Scheme+"://"+u.Host && !strings.ContainsAny(u.Host, "*, ")
}
