package domaintest

import (
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"pasteport/domain/shares"
	"pasteport/domain/storage"
	"pasteport/ports"
	"pasteport/ports/capacity"
	"pasteport/ports/policy"
	"pasteport/ports/portstest"
)

// RunLedger checks a repository of the ledger of capacity.
func RunLedger(t *testing.T, open OpenStores) {
	counted := func(t *testing.T, held int64) (storage.LedgerRepository, Stores) {
		t.Helper()
		s := open(t)
		must(t, s.Ledger.Open(t.Context(), "c1"))
		must(t, s.Ledger.Counted(t.Context(), "c1", held, 0))
		return s.Ledger, s
	}
	claim := func(id string, size int64) capacity.Claim {
		return capacity.Claim{ID: id, ConfigID: "c1", Capacity: 100, Size: size, Owner: "apikey:k"}
	}
	account := func(t *testing.T, l storage.LedgerRepository, held, reserved int64) {
		t.Helper()
		a, err := l.Account(t.Context(), "c1")
		must(t, err)
		equal(t, [2]int64{a.Held, a.Reserved}, [2]int64{held, reserved})
	}
	settle := func(t *testing.T, l storage.LedgerRepository, c capacity.Claim, size int64) bool {
		t.Helper()
		known, err := l.Settle(t.Context(), c, size, portstest.Start)
		must(t, err)
		return known
	}
	release := func(t *testing.T, l storage.LedgerRepository, want int, ids ...string) {
		t.Helper()
		n, err := l.Release(t.Context(), ids...)
		must(t, err)
		equal(t, n, want)
	}
	t.Run("a storage that was never counted has to be", func(t *testing.T) {
		l := open(t).Ledger
		_, err := l.Account(t.Context(), "c1")
		wantCode(t, err, ports.NotFound, "not_found")
		wantCode(t, l.Reserve(t.Context(), claim("a", 1), false, portstest.Start), ports.NotFound, "not_found")
		must(t, l.Question(t.Context(), "c1", storage.Uncounted)) // of nothing
		must(t, l.Open(t.Context(), "c1"))
		wantCode(t, l.Reserve(t.Context(), claim("a", 1), false, portstest.Start), ports.NotFound, "not_found")
		must(t, l.Counted(t.Context(), "c1", 99, 0))
		must(t, l.Open(t.Context(), "c1")) // again
		must(t, l.Reserve(t.Context(), claim("a", 1), false, portstest.Start))
		account(t, l, 99, 1)
	})
	t.Run("what is reserved, held and given back adds up", func(t *testing.T) {
		l, _ := counted(t, 0)
		must(t, l.Reserve(t.Context(), claim("a", 60), false, portstest.Start))
		err := l.Reserve(t.Context(), claim("b", 41), false, portstest.Start)
		wantCode(t, err, ports.Quota, "quota_exceeded")
		wantParams(t, err, 60, 100)
		must(t, l.Reserve(t.Context(), claim("b", 20), false, portstest.Start))
		must(t, l.Reserve(t.Context(), claim("b", 30), false, portstest.Start)) // raised to
		must(t, l.Reserve(t.Context(), claim("b", 10), false, portstest.Start)) // has that already
		must(t, l.Reserve(t.Context(), claim("b", 10), true, portstest.Start))  // raised by
		account(t, l, 0, 100)
		equal(t, settle(t, l, claim("a", 60), 50), true)
		account(t, l, 50, 40)
		release(t, l, 1, "b", "unknown")
		release(t, l, 0, "b")
		account(t, l, 50, 0)
		equal(t, settle(t, l, claim("c", 0), 50), false)
		account(t, l, 100, 0)
		_, err = l.Settle(t.Context(), claim("d", 0), 1, portstest.Start)
		wantCode(t, err, ports.Quota, "quota_exceeded")
		late := claim("e", 0)
		late.Arrived = true
		equal(t, settle(t, l, late, 30), false) // may have been counted
		account(t, l, 100, 0)
	})
	t.Run("more than was reserved finds room or leaves the reservation", func(t *testing.T) {
		l, _ := counted(t, 30)
		must(t, l.Reserve(t.Context(), claim("a", 10), false, portstest.Start))
		_, err := l.Settle(t.Context(), claim("a", 10), 71, portstest.Start)
		wantCode(t, err, ports.Quota, "quota_exceeded")
		account(t, l, 30, 10)
		equal(t, settle(t, l, claim("a", 10), 70), true)
		account(t, l, 100, 0)
	})
	t.Run("what is replaced leaves its room and a doubt", func(t *testing.T) {
		l, _ := counted(t, 90)
		c := claim("a", 95)
		c.Old = 90
		must(t, l.Reserve(t.Context(), c, false, portstest.Start))
		other := claim("b", 90)
		other.Old = 90
		wantCode(t, l.Reserve(t.Context(), other, false, portstest.Start), ports.Quota, "quota_exceeded")
		settle(t, l, c, 95)
		a, err := l.Account(t.Context(), "c1")
		must(t, err)
		equal(t, a, storage.Account{Held: 185, Added: 95, Doubt: storage.Overcounted})
		must(t, l.Counted(t.Context(), "c1", 95, 95))
		account(t, l, 95, 0)
	})
	t.Run("a count keeps what was added since it began", func(t *testing.T) {
		l, _ := counted(t, 10)
		must(t, l.Reserve(t.Context(), claim("a", 5), false, portstest.Start))
		must(t, l.Reserve(t.Context(), claim("b", 7), false, portstest.Start))
		settle(t, l, claim("a", 5), 5)
		must(t, l.Counted(t.Context(), "c1", 8, 0))
		account(t, l, 13, 7)
		must(t, l.Question(t.Context(), "c1", storage.Uncounted))
		must(t, l.Question(t.Context(), "c1", storage.Overcounted)) // is less
		wantCode(t, l.Reserve(t.Context(), claim("c", 1), false, portstest.Start), ports.NotFound, "not_found")
	})
	t.Run("what a count may have found before it was settled leaves a doubt", func(t *testing.T) {
		doubt := func(l storage.LedgerRepository, want int64) {
			t.Helper()
			a, err := l.Account(t.Context(), "c1")
			must(t, err)
			equal(t, a.Doubt, want)
		}
		l, _ := counted(t, 0)
		must(t, l.Reserve(t.Context(), claim("a", 5), false, portstest.Start))
		must(t, l.Reserve(t.Context(), claim("b", 5), false, portstest.Start))
		settle(t, l, claim("a", 5), 5)
		doubt(l, storage.AsCounted)
		must(t, l.Counted(t.Context(), "c1", 5, 0)) // began before that
		account(t, l, 10, 5)
		doubt(l, storage.Overcounted)
		must(t, l.Counted(t.Context(), "c1", 10, 5)) // found a and b
		doubt(l, storage.AsCounted)
		must(t, l.Reserve(t.Context(), claim("b", 1), true, portstest.Start))
		settle(t, l, claim("b", 6), 6)
		account(t, l, 16, 0)
		doubt(l, storage.Overcounted)
		must(t, l.Counted(t.Context(), "c1", 11, 11))
		must(t, l.Reserve(t.Context(), claim("c", 5), false, portstest.Start))
		settle(t, l, claim("c", 5), 5)
		account(t, l, 16, 0)
		doubt(l, storage.AsCounted)
		equal(t, settle(t, l, claim("unknown", 0), 1), false)
		doubt(l, storage.Overcounted)
	})
	t.Run("reservations end", func(t *testing.T) {
		l, _ := counted(t, 0)
		c := claim("a", 5)
		c.Kept = time.Hour
		must(t, l.Reserve(t.Context(), c, false, portstest.Start))
		must(t, l.Reserve(t.Context(), claim("b", 5), false, portstest.Start))
		ids, configs, err := l.Expired(t.Context(), portstest.Start.Add(2*time.Hour), 10)
		must(t, err)
		equal(t, ids, []string{"a"})
		equal(t, configs, []string{"c1"})
	})
	t.Run("days and their quotas", func(t *testing.T) {
		l, s := counted(t, 0)
		uploads := func(want policy.Usage, now time.Time, owners ...string) {
			t.Helper()
			got, err := l.Uploads(t.Context(), now, owners...)
			must(t, err)
			equal(t, got, want)
		}
		settle(t, l, claim("a", 0), 10) // counts, though nothing bounds it
		limited := claim("b", 30)
		limited.Capacity, limited.Limits = 0, capacity.Limits{BytesDay: 50, FilesDay: 3}
		must(t, l.Reserve(t.Context(), limited, false, portstest.Start))
		uploads(policy.Usage{BytesToday: 40, FilesToday: 2}, portstest.Start, "apikey:k")
		over := limited
		over.ID, over.Size = "c", 11
		err := l.Reserve(t.Context(), over, false, portstest.Start)
		wantCode(t, err, ports.Quota, "quota_exceeded")
		wantParams(t, err, 40, 50)
		over.Size = 10
		must(t, l.Reserve(t.Context(), over, false, portstest.Start))
		over.ID, over.Size = "d", 0
		err = l.Reserve(t.Context(), over, false, portstest.Start)
		wantCode(t, err, ports.Quota, "quota_exceeded")
		wantParams(t, err, 3, 3)
		release(t, l, 1, "c")
		settle(t, l, limited, 35)
		uploads(policy.Usage{BytesToday: 45, FilesToday: 2}, portstest.Start, "apikey:k")
		noted := capacity.Claim{ID: "n", ConfigID: "c1", Owner: "admin", Noted: true, Size: 5}
		must(t, l.Reserve(t.Context(), noted, false, portstest.Start))
		equal(t, settle(t, l, capacity.Claim{ID: "n", ConfigID: "c1", Arrived: true}, 6), true)
		must(t, s.Files.Insert(t.Context(), openFile(1, func(f *shares.File) { f.CreatedBy, f.Size = "admin", 9 })))
		must(t, s.Files.Insert(t.Context(), openFile(2, func(f *shares.File) { f.CreatedBy, f.Size, f.FilePath = "admin", 9, "/m/x" })))
		uploads(policy.Usage{BytesToday: 6, FilesToday: 1, BytesStored: 9}, portstest.Start, "admin")
		uploads(policy.Usage{BytesToday: 51, FilesToday: 3, BytesStored: 9}, portstest.Start)
		uploads(policy.Usage{BytesStored: 9}, portstest.Start.Add(24*time.Hour))
		each, err := l.UploadsOf(t.Context(), portstest.Start, []string{"admin", "nobody", "apikey:k"})
		must(t, err)
		equal(t, each, map[string]policy.Usage{"admin": {BytesToday: 6, FilesToday: 1, BytesStored: 9}, "apikey:k": {BytesToday: 45, FilesToday: 2}})
		n, err := l.Forget(t.Context(), portstest.Start.Add(48*time.Hour))
		must(t, err)
		equal(t, n, 2)
	})
	t.Run("claims that come while a storage is counted are told to wait for the count, or find room", func(t *testing.T) {
		l := open(t).Ledger
		for storages := range 20 {
			config := fmt.Sprint("c", storages)
			must(t, l.Open(t.Context(), config))
			atOnce(9, func(n int) {
				if n == 8 {
					must(t, l.Counted(t.Context(), config, 0, 0))
					return
				}
				c := claim(fmt.Sprint(config, "-", n), 1)
				c.ConfigID = config
				err := error(ports.ErrNotFound)
				for ports.Is(err, ports.NotFound) {
					err = l.Reserve(t.Context(), c, false, portstest.Start)
				}
				must(t, err)
			})
		}
	})
	t.Run("100 parallel claims never pass a bound", func(t *testing.T) {
		l, _ := counted(t, 0)
		for name, change := range map[string]func(*capacity.Claim){
			"capacity": func(c *capacity.Claim) {},
			"bytes":    func(c *capacity.Claim) { c.Capacity, c.Owner, c.Limits.BytesDay = 0, "b", 105 },
			"files":    func(c *capacity.Claim) { c.Capacity, c.Owner, c.Limits.FilesDay = 0, "f", 10 },
		} {
			var won atomic.Int64
			var wg sync.WaitGroup
			for n := range 100 {
				wg.Go(func() {
					c := claim(fmt.Sprint(name, n), 10)
					change(&c)
					err := l.Reserve(t.Context(), c, false, portstest.Start)
					if ports.Is(err, ports.Quota) {
						return
					}
					if n%2 == 0 {
						_, failed := l.Settle(t.Context(), c, 10, portstest.Start)
						err = errors.Join(err, failed)
					}
					if won.Add(1); err != nil {
						t.Error(err)
					}
				})
			}
			wg.Wait()
			equal(t, won.Load(), int64(10))
		}
		a, err := l.Account(t.Context(), "c1")
		must(t, err)
		equal(t, a.Held+a.Reserved, int64(100))
	})
}
