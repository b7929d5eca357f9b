package domaintest

import (
	"sync"
	"sync/atomic"
	"testing"

	"pasteport/domain/mounts/archive"
	"pasteport/ports"
	"pasteport/ports/policy"
)

// RunArchives checks a repository of tickets for archives. open may give the
// same one every time.
func RunArchives(t *testing.T, open func(t *testing.T) archive.Repository) {
	newTicket := func(n int) *archive.Ticket {
		return &archive.Ticket{ID: testID(n), Name: "文 件.zip", Paths: []string{"/m/a", "/m/文/"}, ExpiresAt: minute(n),
			Who: policy.Principal{Kind: policy.APIKey, ID: "k1", Name: "钥匙", Permissions: policy.PermMountView, BasicPath: "/m", Guest: true}}
	}
	t.Run("a ticket is given out once", func(t *testing.T) {
		r := open(t)
		want := newTicket(100)
		must(t, r.Insert(t.Context(), want, minute(0)))
		for range 2 { // looking leaves it
			got, err := r.Get(t.Context(), want.ID, minute(99))
			must(t, err)
			equal(t, got, want)
		}
		var all sync.WaitGroup
		var taken atomic.Int32
		for range 8 {
			all.Go(func() {
				got, err := r.Take(t.Context(), want.ID, minute(99))
				if err == nil {
					taken.Add(1)
					equal(t, got, want)
				} else if !ports.Is(err, ports.NotFound) {
					t.Errorf("take: %v", err)
				}
			})
		}
		all.Wait()
		equal(t, taken.Load(), int32(1))
		_, err := r.Get(t.Context(), want.ID, minute(99))
		equal(t, ports.Is(err, ports.NotFound), true)
	})
	t.Run("a ticket ends in time", func(t *testing.T) {
		r := open(t)
		old, next := newTicket(110), newTicket(130)
		must(t, r.Insert(t.Context(), old, minute(0)))
		for _, ask := range []func() (*archive.Ticket, error){
			func() (*archive.Ticket, error) { return r.Get(t.Context(), old.ID, minute(110)) },
			func() (*archive.Ticket, error) { return r.Take(t.Context(), old.ID, minute(110)) },
		} {
			_, err := ask()
			equal(t, ports.Is(err, ports.NotFound), true)
		}
		_, err := r.Get(t.Context(), old.ID, minute(109))
		must(t, err)
		must(t, r.Insert(t.Context(), next, minute(120))) // drops it
		_, err = r.Get(t.Context(), old.ID, minute(109))
		equal(t, ports.Is(err, ports.NotFound), true)
		_, err = r.Get(t.Context(), next.ID, minute(109))
		must(t, err)
	})
}
