package collections

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"strconv"
	"strings"
	"time"
)

// SumsKept is how long a checksum is kept after it was computed.
const SumsKept = 30 * 24 * time.Hour

// Sums keeps the CRC-32 of what was read once, by the name of exactly these
// bytes.
type Sums interface {
	// Of returns those of the names that are known.
	Of(ctx context.Context, names []string) (map[string]uint32, error)
	// Keep stores sums that were computed now, and drops those older than
	// SumsKept.
	Keep(ctx context.Context, sums map[string]uint32, now time.Time) error
}

// sumName names the bytes of an object in one version; empty when its storage
// does not tell versions apart.
func sumName(configID, key, etag string, size int64) string {
	if etag == "" {
		return ""
	}
	sum := sha256.Sum256([]byte(strings.Join([]string{configID, key, etag, strconv.FormatInt(size, 10)}, "\x00")))
	return hex.EncodeToString(sum[:])
}
