package domaintest

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"pasteport/domain/requests"
	"pasteport/ports"
)

type memRequests struct{ *memTable[requests.Request] }

type memSent struct{ *memTable[requests.File] }

// Requests returns the repository of requests.
func (m *Memory) Requests() requests.Repository { return &memRequests{&m.requests} }

// RequestFiles returns the repository of what was sent through requests.
func (m *Memory) RequestFiles() requests.FileRepository { return &memSent{&m.sent} }

func newRequestTables(m *Memory) (memTable[requests.Request], memTable[requests.File]) {
	return newTable(m, func(r *requests.Request) string { return r.ID }, cloneRequest,
			func(r *requests.Request) []unique { return []unique{{"slug_taken", r.Slug}} }),
		newTable(m, func(f *requests.File) string { return f.ID }, cloneSent, nil)
}

func cloneRequest(r requests.Request) requests.Request {
	r.CreatedAt, r.UpdatedAt, r.ExpiresAt, r.EndedAt = milli(r.CreatedAt), milli(r.UpdatedAt), milliPtr(r.ExpiresAt), milliPtr(r.EndedAt)
	r.Types = slices.Clone(r.Types)
	return r
}

func cloneSent(f requests.File) requests.File {
	f.CreatedAt, f.StoredAt, f.TakenUntil = milli(f.CreatedAt), milliPtr(f.StoredAt), milliPtr(f.TakenUntil)
	return f
}

func (r *memRequests) BySlug(ctx context.Context, slug string) (*requests.Request, error) {
	return r.first(ctx, func(q *requests.Request) bool { return q.Slug == slug })
}

func (r *memRequests) List(ctx context.Context, f requests.Filter) (ports.Page[requests.Request], error) {
	search := strings.ToLower(f.Search)
	fits := func(q *requests.Request) bool {
		return (f.CreatedBy == "" || q.CreatedBy == f.CreatedBy) &&
			(strings.Contains(strings.ToLower(q.Title), search) || strings.Contains(strings.ToLower(q.Folder), search)) &&
			(!f.Open || q.EndedAt == nil && !q.Expired(f.Now))
	}
	return r.list(ctx, f.Paging, fits, func(a, b requests.Request) int {
		return cmp.Or(b.CreatedAt.Compare(a.CreatedAt), cmp.Compare(b.ID, a.ID))
	})
}

func (r *memSent) List(ctx context.Context, f requests.FileFilter) (ports.Page[requests.File], error) {
	fits := func(s *requests.File) bool {
		return (f.RequestID == "" || s.RequestID == f.RequestID) && (f.Visit == "" || s.Visit == f.Visit) && (!f.Unfinished || s.State != requests.Stored) &&
			(!f.Stored || s.State == requests.Stored) && (f.Before.IsZero() || s.CreatedAt.Before(f.Before))
	}
	return r.list(ctx, f.Paging, fits, func(a, b requests.File) int {
		return cmp.Or(b.CreatedAt.Compare(a.CreatedAt), cmp.Compare(b.ID, a.ID))
	})
}

func (r *memSent) DeleteOf(ctx context.Context, requestID string) error {
	page, err := r.List(ctx, requests.FileFilter{RequestID: requestID})
	if err != nil {
		return err
	}
	for _, f := range page.Items {
		if _, err := r.Delete(ctx, f.ID); err != nil {
			return err
		}
	}
	return nil
}
