package domaintest

import (
	"testing"
	"time"

	"pasteport/domain/mounts"
	"pasteport/ports"
	"pasteport/ports/upload"
)

func newUpload(n int) *mounts.Upload {
	return &mounts.Upload{
		ID: testID(n), StorageConfigID: "c1", UploadID: "upload " + testID(n), Path: "/m/文件.bin", Key: "root/文件.bin", Owner: "apikey:k1",
		Cut: upload.Cut{Size: 11 << 20, PartSize: 5 << 20, PartCount: 3}, CreatedAt: minute(n),
	}
}

// RunUploads checks a repository of uploads in parts.
func RunUploads(t *testing.T, open OpenStores) {
	RunRepository(t, func(t *testing.T) ports.Repository[mounts.Upload, mounts.UploadFilter] { return open(t).Uploads },
		Subject[mounts.Upload, mounts.UploadFilter]{
			New: newUpload,
			ID:  func(u *mounts.Upload) string { return u.ID },
			Change: func(u *mounts.Upload) {
				done := minute(9)
				u.CompletedAt, u.ETag, u.StoredSize = &done, "etag-3", 12
			},
			Clash:  func(first, second *mounts.Upload) { second.UploadID = first.UploadID },
			Key:    "already_exists",
			Page:   func(p ports.Paging) mounts.UploadFilter { return mounts.UploadFilter{Paging: p} },
			Oldest: true,
		})
	t.Run("an upload is found by the name that its storage gave it", func(t *testing.T) {
		r := open(t).Uploads
		one, other := newUpload(1), newUpload(2)
		other.StorageConfigID, other.UploadID = "c2", one.UploadID
		must(t, r.Insert(t.Context(), one))
		must(t, r.Insert(t.Context(), other))
		got, err := r.ByUpload(t.Context(), "c2", one.UploadID)
		must(t, err)
		equal(t, got, other)
		_, err = r.ByUpload(t.Context(), "c3", one.UploadID)
		wantCode(t, err, ports.NotFound, "not_found")
	})
	t.Run("lists are narrowed by storage, owner, state and age", func(t *testing.T) {
		r := open(t).Uploads
		for n := range 4 {
			u := newUpload(n)
			switch n {
			case 1:
				u.StorageConfigID = "c2"
			case 2:
				u.Owner = "apikey:k2"
			case 3:
				done := minute(20)
				u.CompletedAt = &done
			}
			must(t, r.Insert(t.Context(), u))
		}
		for name, c := range map[string]struct {
			filter mounts.UploadFilter
			want   []int
		}{
			"all":                      {mounts.UploadFilter{}, []int{0, 1, 2, 3}},
			"of a storage":             {mounts.UploadFilter{StorageConfigID: "c2"}, []int{1}},
			"of an owner":              {mounts.UploadFilter{Owner: "apikey:k1"}, []int{0, 1, 3}},
			"unfinished":               {mounts.UploadFilter{Unfinished: true}, []int{0, 1, 2}},
			"finished":                 {mounts.UploadFilter{Finished: true}, []int{3}},
			"begun before a time":      {mounts.UploadFilter{Unfinished: true, Before: minute(2)}, []int{0, 1}},
			"finished before a time":   {mounts.UploadFilter{Finished: true, Before: minute(20).Add(time.Millisecond)}, []int{3}},
			"finished at just a time":  {mounts.UploadFilter{Finished: true, Before: minute(20)}, nil},
			"of an owner in a storage": {mounts.UploadFilter{Owner: "apikey:k2", StorageConfigID: "c2"}, nil},
		} {
			page, err := r.List(t.Context(), c.filter)
			must(t, err)
			var got, want []string
			for _, u := range page.Items {
				got = append(got, u.ID)
			}
			for _, n := range c.want {
				want = append(want, testID(n))
			}
			if len(got) != len(want) || page.Total != len(want) {
				t.Errorf("%s: %v of %d, want %v", name, got, page.Total, want)
				continue
			}
			equal(t, got, want)
		}
	})
}
