package storage_test

import (
	"context"
	"testing"
	"time"

	"pasteport/domain/domaintest"
	"pasteport/domain/storage"
	"pasteport/ports"
	"pasteport/ports/capacity"
	"pasteport/ports/objstore"
	"pasteport/ports/portstest"
)

// countedMeanwhile is a repository on whose first refusal somebody else's count
// ends before the one who is refused hears of it.
type countedMeanwhile struct {
	storage.LedgerRepository
	held    int64 // what that count finds
	refused int
}

func (r *countedMeanwhile) Reserve(ctx context.Context, c capacity.Claim, add bool, now time.Time) error {
	err := r.LedgerRepository.Reserve(ctx, c, add, now)
	if ports.Is(err, ports.Quota) {
		if r.refused++; r.refused == 1 {
			a, failed := r.Account(ctx, c.ConfigID)
			if failed == nil {
				failed = r.Counted(ctx, c.ConfigID, r.held, a.Added)
			}
			if failed != nil {
				return failed
			}
		}
	}
	return err
}

type noBuckets struct{ objstore.Opener }

func TestRoomThatSomebodyElsesCountFoundIsTaken(t *testing.T) {
	for name, test := range map[string]struct {
		held    int64
		refused bool
	}{"room": {90, false}, "none": {91, true}} {
		t.Run(name, func(t *testing.T) {
			clock := portstest.NewClock()
			repo := &countedMeanwhile{LedgerRepository: domaintest.NewMemory(clock).Ledger(), held: test.held}
			if err := repo.Open(t.Context(), "c1"); err != nil {
				t.Fatal(err)
			}
			if err := repo.Counted(t.Context(), "c1", 100, 0); err != nil {
				t.Fatal(err)
			}
			ledger := storage.NewLedger(repo, noBuckets{}, clock, nil)
			err := ledger.Reserve(t.Context(), capacity.Claim{ID: "a", ConfigID: "c1", Capacity: 100, Size: 10})
			if test.refused != ports.Is(err, ports.Quota) || !test.refused && err != nil {
				t.Errorf("a claim of ten bytes where a count has just found %d of 100: %v", test.held, err)
			}
		})
	}
}
