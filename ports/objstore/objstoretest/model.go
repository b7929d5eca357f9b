package objstoretest

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"pasteport/ports/objstore"
)

// listingModel writes and deletes random trees and lists them by random
// queries; a map is the model. Names of folders and files differ, because some
// storages cannot hold both under one name, and surround "/" in byte order.
func (s *suite) listingModel(t *testing.T) {
	b := s.open(t)
	folder := rapid.SampledFrom([]string{"a", "a-", "a.b", "a0", "b", "中"})
	file := rapid.SampledFrom([]string{"f", "f!", "f.txt", "f0", "文"})
	key := rapid.Custom(func(t *rapid.T) string {
		folders := rapid.SliceOfN(folder, 0, 3).Draw(t, "folders")
		return strings.Join(append(folders, file.Draw(t, "file")), "/")
	})
	model := map[string]bool{}
	ctx := context.Background()
	rapid.Check(t, func(t *rapid.T) {
		for _, k := range rapid.SliceOfN(key, 0, 6).Draw(t, "written") {
			if model[k] {
				continue
			}
			if _, err := b.Write(ctx, k, strings.NewReader(k), objstore.WriteOptions{Size: int64(len(k))}); err != nil {
				t.Fatalf("Write(%q): %v", k, err)
			}
			model[k] = true
		}
		present := sortedKeys(model)
		if len(present) > 0 {
			gone := rapid.SliceOfNDistinct(rapid.SampledFrom(present), 0, min(4, len(present)), rapid.ID).Draw(t, "deleted")
			if failed, err := b.Delete(ctx, gone...); err != nil || len(failed) > 0 {
				t.Fatalf("Delete(%q) = %v, %v", gone, failed, err)
			}
			for _, k := range gone {
				delete(model, k)
			}
		}
		for range 3 {
			k := key.Draw(t, "prefix of")
			q := objstore.ListQuery{
				Prefix:    k[:rapid.IntRange(0, len(k)).Draw(t, "length")],
				Delimiter: rapid.SampledFrom([]string{"", "/"}).Draw(t, "delimiter"),
				Limit:     rapid.IntRange(1, 5).Draw(t, "limit"),
			}
			if !utf8Prefix(q.Prefix) {
				continue
			}
			want := expected(model, q)
			got := s.list(t, b, q)
			if s.want.Markers {
				got = withoutMarkers(got, want)
			}
			if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
				t.Fatalf("List(%+v) of %q (-want +got):\n%s", q, sortedKeys(model), diff)
			}
		}
	})
}

func expected(model map[string]bool, q objstore.ListQuery) []string {
	var names []string
	for k := range model {
		if !strings.HasPrefix(k, q.Prefix) {
			continue
		}
		if i := strings.Index(k[len(q.Prefix):], q.Delimiter); q.Delimiter != "" && i >= 0 {
			k = k[:len(q.Prefix)+i+1]
		}
		names = append(names, k)
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// withoutMarkers drops folder markers that want does not name.
func withoutMarkers(got, want []string) []string {
	return slices.DeleteFunc(got, func(name string) bool {
		return strings.HasSuffix(name, "/") && !slices.Contains(want, name)
	})
}

func utf8Prefix(s string) bool { return strings.ToValidUTF8(s, "") == s }

func sortedKeys(m map[string]bool) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}
