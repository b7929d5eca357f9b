package domaintest

import (
	"testing"
	"time"

	"pasteport/domain/uploads"
	"pasteport/ports"
	"pasteport/ports/upload"
)

func newUpload(n int) *upload.Session {
	return &upload.Session{
		ID: testID(n), For: upload.ForTree, StorageConfigID: "c1", UploadID: "upload " + testID(n), Path: "/m/文件.bin", Key: "root/文件.bin", Owner: "apikey:k1",
		Cut: upload.Cut{Size: 11 << 20, PartSize: 5 << 20, PartCount: 3}, CreatedAt: minute(n),
	}
}

// RunUploads checks a repository of uploads in parts.
func RunUploads(t *testing.T, open OpenStores) {
	RunRepository(t, func(t *testing.T) ports.Repository[upload.Session, uploads.Filter] { return open(t).Uploads },
		Subject[upload.Session, uploads.Filter]{
			New: newUpload,
			ID:  func(u *upload.Session) string { return u.ID },
			Change: func(u *upload.Session) {
				done := minute(9)
				u.CompletedAt, u.ETag, u.StoredSize = &done, "etag-3", 12
			},
			Clash:  func(first, second *upload.Session) { second.UploadID = first.UploadID },
			Key:    "already_exists",
			Page:   func(p ports.Paging) uploads.Filter { return uploads.Filter{Paging: p} },
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
				u.StorageConfigID, u.For = "c2", upload.ForShares
			case 2:
				u.Owner = "apikey:k2"
			case 3:
				done := minute(20)
				u.CompletedAt = &done
			}
			must(t, r.Insert(t.Context(), u))
		}
		for name, c := range map[string]struct {
			filter uploads.Filter
			want   []int
		}{
			"all":                      {uploads.Filter{}, []int{0, 1, 2, 3}},
			"of a storage":             {uploads.Filter{StorageConfigID: "c2"}, []int{1}},
			"of a destination":         {uploads.Filter{For: upload.ForShares}, []int{1}},
			"of an owner":              {uploads.Filter{Owner: "apikey:k1"}, []int{0, 1, 3}},
			"unfinished":               {uploads.Filter{Unfinished: true}, []int{0, 1, 2}},
			"finished":                 {uploads.Filter{Finished: true}, []int{3}},
			"begun before a time":      {uploads.Filter{Unfinished: true, Before: minute(2)}, []int{0, 1}},
			"finished before a time":   {uploads.Filter{Finished: true, Before: minute(20).Add(time.Millisecond)}, []int{3}},
			"finished at just a time":  {uploads.Filter{Finished: true, Before: minute(20)}, nil},
			"of an owner in a storage": {uploads.Filter{Owner: "apikey:k2", StorageConfigID: "c2"}, nil},
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
