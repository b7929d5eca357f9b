package domaintest

import (
	"testing"

	"pasteport/domain/requests"
	"pasteport/ports"
)

func newRequest(n int) *requests.Request {
	end := minute(90)
	return &requests.Request{
		ID: testID(n), Slug: "slug-" + testID(n), Title: "照片 " + testID(n), Message: "two\nlines", CreatedBy: "apikey:k1", Folder: "/m/文件",
		Rules:        requests.Rules{MaxFiles: 5, MaxBytes: 1 << 40, MaxFileBytes: 1 << 30, Types: []string{"image/*", "application/pdf"}, PerSender: true, Name: requests.Required, Note: requests.No},
		PasswordHash: "hash", ExpiresAt: &end, Files: 2, Bytes: 3, CreatedAt: minute(n), UpdatedAt: minute(n), Version: 1,
	}
}

func newSent(n int) *requests.File {
	taken := minute(n + 1)
	return &requests.File{ID: testID(n), RequestID: testID(0), Visit: "v1", Name: "图.png", Sender: "Ann", Note: "a\nb", Size: 7, Type: "image/png", State: requests.Sending,
		Place: "/m/图.png", SessionID: testID(n), PartSize: 5, PartCount: 2, CreatedAt: minute(n), Turn: 3, TakenUntil: &taken}
}

// RunRequests checks the repositories of requests and of what came through them.
func RunRequests(t *testing.T, open OpenStores) {
	RunRepository(t, func(t *testing.T) ports.Repository[requests.Request, requests.Filter] { return open(t).Requests },
		Subject[requests.Request, requests.Filter]{
			New: newRequest,
			ID:  func(r *requests.Request) string { return r.ID },
			Change: func(r *requests.Request) {
				ended := minute(9)
				r.Title, r.EndedAt, r.ExpiresAt, r.Types, r.PasswordHash, r.Files, r.Version = "other", &ended, nil, []string{"text/plain"}, "", 4, 2
			},
			Clash: func(first, second *requests.Request) { second.Slug = first.Slug },
			Key:   "slug_taken",
			Page:  func(p ports.Paging) requests.Filter { return requests.Filter{Paging: p} },
		})
	RunRepository(t, func(t *testing.T) ports.Repository[requests.File, requests.FileFilter] { return open(t).RequestFiles },
		Subject[requests.File, requests.FileFilter]{
			New: newSent,
			ID:  func(f *requests.File) string { return f.ID },
			Change: func(f *requests.File) {
				done := minute(9)
				f.State, f.StoredAt, f.Name, f.Type, f.Turn, f.TakenUntil = requests.Stored, &done, "图(1).png", "image/webp", 4, nil
			},
			Page: func(p ports.Paging) requests.FileFilter { return requests.FileFilter{Paging: p} },
		})
	t.Run("requests are found by their link and narrowed by owner, title and state", func(t *testing.T) {
		r := open(t).Requests
		for n := range 4 {
			q := newRequest(n)
			at := minute(n)
			switch n {
			case 1:
				q.CreatedBy = "admin"
			case 2:
				q.ExpiresAt = &at
			case 3:
				q.EndedAt, q.Title = &at, "Holiday 100%"
			}
			must(t, r.Insert(t.Context(), q))
		}
		got, err := r.BySlug(t.Context(), newRequest(0).Slug)
		must(t, err)
		equal(t, got, newRequest(0))
		_, err = r.BySlug(t.Context(), "nothing")
		wantCode(t, err, ports.NotFound, "not_found")
		for name, c := range map[string]struct {
			filter requests.Filter
			want   []int
		}{
			"all":                  {requests.Filter{}, []int{3, 2, 1, 0}},
			"of an owner":          {requests.Filter{CreatedBy: "admin"}, []int{1}},
			"by a part of a title": {requests.Filter{Search: "hOLIDAY 100%"}, []int{3}},
			"open":                 {requests.Filter{Open: true, Now: minute(2)}, []int{1, 0}},
		} {
			page, err := r.List(t.Context(), c.filter)
			must(t, err)
			var got, want []string
			for _, q := range page.Items {
				got = append(got, q.ID)
			}
			for _, n := range c.want {
				want = append(want, testID(n))
			}
			t.Log(name)
			equal(t, got, want)
		}
	})
	t.Run("files are narrowed by request, visit, state and age, and go with their request", func(t *testing.T) {
		r := open(t).RequestFiles
		for n := range 4 {
			f := newSent(n)
			switch n {
			case 1:
				f.RequestID = testID(9)
			case 2:
				f.Visit = "v2"
			case 3:
				f.State = requests.Stored
			}
			must(t, r.Insert(t.Context(), f))
		}
		total := func(f requests.FileFilter, want int) {
			t.Helper()
			page, err := r.List(t.Context(), f)
			must(t, err)
			equal(t, page.Total, want)
		}
		total(requests.FileFilter{RequestID: testID(0)}, 3)
		total(requests.FileFilter{RequestID: testID(0), Visit: "v2"}, 1)
		total(requests.FileFilter{Unfinished: true}, 3)
		total(requests.FileFilter{RequestID: testID(0), Unfinished: true, Paging: ports.Paging{Limit: 1}}, 2)
		total(requests.FileFilter{Stored: true}, 1)
		total(requests.FileFilter{Unfinished: true, Before: minute(1)}, 1)
		must(t, r.DeleteOf(t.Context(), testID(0)))
		total(requests.FileFilter{}, 1)
	})
}
