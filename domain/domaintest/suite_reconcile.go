package domaintest

import (
	"fmt"
	"testing"

	"pasteport/domain/shares"
	"pasteport/domain/shares/reconcile"
	"pasteport/ports/upload"
)

// RunReconcile checks how records are found by the keys of their objects.
func RunReconcile(t *testing.T, open OpenStores) {
	t.Run("records come in the order of the bytes of their keys, page by page", func(t *testing.T) {
		s := open(t)
		// Upper before lower case, "-" and "." before "/", and all of it before what lies beyond ASCII.
		want := []string{"A", "a", "a", "a-b", "a.b", "a/b", "aB", "ab", "文", "文/a"}
		for _, n := range []int{9, 0, 5, 3, 8, 1, 7, 2, 6, 4} {
			must(t, s.Files.Insert(t.Context(), openFile(n, func(f *shares.File) {
				f.StorageConfigID, f.StoragePath, f.Slug, f.Pending = "c1", want[n], fmt.Sprintf("s%d", n), n == 3
			})))
		}
		must(t, s.Files.Insert(t.Context(), openFile(20, func(f *shares.File) { f.StorageConfigID, f.StoragePath, f.Slug = "c2", "b", "other" })))
		must(t, s.Files.Insert(t.Context(), openFile(21, func(f *shares.File) {
			f.StorageConfigID, f.StoragePath, f.Slug, f.ErasedAt = "c1", "erased", "gone", ptr(minute(1))
		})))
		var got []string
		for at := (reconcile.Position{}); ; {
			page, err := s.FileKeys.ByKey(t.Context(), "c1", at, 3)
			must(t, err)
			for _, f := range page {
				got = append(got, f.StoragePath)
				at = reconcile.Position{Key: f.StoragePath, ID: f.ID}
			}
			if len(page) < 3 {
				break
			}
		}
		equal(t, got, want)
		held, err := s.FileKeys.Held(t.Context(), "c1", []string{"a", "b", "erased", "文/a", "a-b"})
		must(t, err)
		equal(t, held, map[string]bool{"a": true, "文/a": true, "a-b": true})
	})
	t.Run("the keys that unfinished uploads lead to are known", func(t *testing.T) {
		s := open(t)
		for n, u := range []upload.Session{{Key: "a"}, {Key: "done", CompletedAt: ptr(minute(1))}, {Key: "elsewhere", StorageConfigID: "c2"}} {
			u.ID, u.UploadID, u.CreatedAt = fmt.Sprint(n), fmt.Sprint(n), minute(0)
			if u.StorageConfigID == "" {
				u.StorageConfigID = "c1"
			}
			must(t, s.Uploads.Insert(t.Context(), &u))
		}
		awaited, err := s.UploadKeys.Awaited(t.Context(), "c1", []string{"a", "done", "elsewhere", "none"})
		must(t, err)
		equal(t, awaited, map[string]bool{"a": true})
	})
}
