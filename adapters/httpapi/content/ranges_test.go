package content

import (
	"testing"
)

// Whatever a Range header holds, the parts that come out lie inside the content.
func FuzzParseRanges(f *testing.F) {
	for _, seed := range []string{"bytes=0-1", "bytes=-1", "bytes=1-", "bytes=0-0,5-9,-2", "bytes=9223372036854775807-", "bytes=--1", "bytes=1-0", "x"} {
		f.Add(seed, int64(10))
	}
	f.Fuzz(func(t *testing.T, header string, size int64) {
		if size < 1 {
			return
		}
		parts, err := parseRanges(header, size)
		if err == nil && (len(parts) == 0 || len(parts) > maxRanges) {
			t.Fatalf("%d parts", len(parts))
		}
		for _, p := range parts {
			if p.Offset < 0 || p.Length < 1 || p.Offset > size-p.Length {
				t.Fatalf("%q of %d bytes gives %+v", header, size, p)
			}
		}
	})
}
