package treedb_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"pasteport/adapters/bunstore"
	"pasteport/adapters/bunstore/bunstoretest"
	"pasteport/domain/mounts/history"
	"pasteport/domain/storage"
	"pasteport/ports"
	"pasteport/ports/capacity"
	"pasteport/ports/portstest"
	"pasteport/ports/revision"
)

func TestVersionsOfFilesCountAsHeldByTheirStorageAndGoWithIt(t *testing.T) {
	bunstoretest.OnBoth(t, func(t *testing.T, s *bunstore.Store) {
		ctx := t.Context()
		must := func(err error) {
			t.Helper()
			if err != nil {
				t.Fatal(err)
			}
		}
		for _, id := range []string{"c1", "c2"} {
			must(s.StorageConfigs().Insert(ctx, &storage.Config{ID: id, Name: id, Driver: "s3", StorageType: "S3", CreatedAt: portstest.Start, UpdatedAt: portstest.Start}))
		}
		ledger := storage.NewLedger(s.Ledger(), nil, portstest.NewClock(), func(context.Context, string, bool) (int64, bool, error) { return 100, true, nil })
		held := func(id string, want int64) {
			t.Helper()
			got, _, err := ledger.Held(ctx, id)
			must(err)
			if got != want {
				t.Errorf("%s holds %d, want %d", id, got, want)
			}
		}
		must(ledger.Reserve(ctx, capacity.Claim{ID: "r", ConfigID: "c1", Capacity: 1000, Size: 1}))
		_, err := ledger.Release(ctx, "r")
		must(err)
		keep := func(o history.Object, content, etag, then string, most int) {
			t.Helper()
			must(s.History().Keep(ctx, o, history.Kept{Revision: revision.Revision{Size: int64(len(content)), Content: []byte(content), EditedAt: portstest.Start}, ETag: etag}))
			must(s.History().Edited(ctx, o, history.Kept{Revision: revision.Revision{EditedAt: portstest.Start}, ETag: then}, history.Bounds{Most: most, Bytes: 99}))
		}
		file := history.Object{ConfigID: "c1", Key: "f"}
		keep(file, "12345", "e1", "e2", 9)
		keep(history.Object{ConfigID: "c2", Key: "f"}, "1234567", "e1", "e2", 9)
		must(ledger.Recount(ctx, "c1"))
		held("c1", 105)
		keep(file, "123", "e2", "e3", 1) // the first goes, which is seen without a scan
		held("c1", 103)
		for range 2 { // the second time it is there already, or nothing is kept
			grown := capacity.Claim{ID: "r", ConfigID: "c1", Capacity: 1000, Size: 50}
			must(ledger.Reserve(ctx, grown))
			keep(file, "123", "e2", "e3", 9)
			must(ledger.Settle(ctx, grown, 50))
			held("c1", 103)
			must(s.History().Switch(ctx, file, true))
			must(ledger.Reserve(ctx, grown))
			keep(file, "1", "e4", "e5", 9)
			must(ledger.Settle(ctx, grown, 50))
			held("c1", 100)
			must(s.History().Switch(ctx, file, false))
			keep(file, "123", "e2", "e3", 1)
			must(ledger.Recount(ctx, "c1"))
		}
		must(s.History().Remove(ctx, file))
		held("c1", 100)

		if _, err := s.StorageConfigs().Delete(ctx, "c2"); err != nil {
			t.Fatal(err)
		}
		if _, err := s.History().Get(ctx, history.Object{ConfigID: "c2", Key: "f"}, 1); !ports.Is(err, ports.NotFound) {
			t.Errorf("got %v", err)
		}
		keep(file, "1234", "e1", "e2", 9)
		if n, err := s.History().Forget(ctx, portstest.Start.Add(time.Hour), 9); err != nil || n != 1 {
			t.Errorf("%d went, %v", n, err)
		}
		held("c1", 100)
	})
}

// What a deleted folder kept goes some at a time, and other writes come in between.
func TestAFolderWithManyVersionsGoesInSteps(t *testing.T) {
	bunstoretest.OnBoth(t, func(t *testing.T, s *bunstore.Store) {
		ctx := t.Context()
		must := func(err error) {
			t.Helper()
			if err != nil {
				t.Fatal(err)
			}
		}
		must(s.StorageConfigs().Insert(ctx, &storage.Config{ID: "c1", Name: "c1", Driver: "s3", StorageType: "S3", CreatedAt: portstest.Start, UpdatedAt: portstest.Start}))
		content := make([]byte, 3<<20)
		keep := func(key string, content []byte) {
			t.Helper()
			must(s.History().Keep(ctx, history.Object{ConfigID: "c1", Key: key}, history.Kept{Revision: revision.Revision{Size: int64(len(content)), Content: content, EditedAt: portstest.Start}, ETag: "e"}))
		}
		for i := range 8 {
			keep(fmt.Sprint("gone/large", i), content)
		}
		for i := range 450 {
			keep(fmt.Sprint("gone/small", i), []byte("x"))
		}
		keep("gone0", []byte("beside"))
		keep("stays", []byte("beside"))
		count := func(table string) (n int) {
			t.Helper()
			n, err := s.Exec(ctx, "UPDATE "+table+" SET etag = etag")
			must(err)
			return n
		}
		must(s.History().Remove(ctx, history.Object{ConfigID: "c1", Key: "gone/"}))
		if files, versions := count("kept_files"), count("file_revisions"); files != 2 || versions != 2 {
			t.Errorf("%d files with %d versions are left, want 2 with 2", files, versions)
		}
		for _, key := range []string{"gone0", "stays"} {
			if _, err := s.History().Get(ctx, history.Object{ConfigID: "c1", Key: key}, 1); err != nil {
				t.Errorf("%s: %v", key, err)
			}
		}
		keep("gone/small1", []byte("anew"))
		if noted, err := s.History().Noted(ctx, history.Object{ConfigID: "c1", Key: "gone/small1"}); err != nil || len(noted.Earlier) != 1 {
			t.Errorf("made anew: %+v, %v", noted, err)
		}
	})
}

// A crash may leave what a deleted file kept, which nobody finds any more.
func TestWhatACrashLeftOfADeletedFileIsForgotten(t *testing.T) {
	bunstoretest.OnBoth(t, func(t *testing.T, s *bunstore.Store) {
		ctx := t.Context()
		must := func(n int, err error) int {
			t.Helper()
			if err != nil {
				t.Fatal(err)
			}
			return n
		}
		must(0, s.StorageConfigs().Insert(ctx, &storage.Config{ID: "c1", Name: "c1", Driver: "s3", StorageType: "S3", CreatedAt: portstest.Start, UpdatedAt: portstest.Start}))
		for _, key := range []string{"gone", "stays"} {
			must(0, s.History().Keep(ctx, history.Object{ConfigID: "c1", Key: key}, history.Kept{Revision: revision.Revision{Size: 1, Content: []byte("x"), EditedAt: portstest.Start}, ETag: "e"}))
		}
		must(s.Exec(ctx, "UPDATE kept_files SET object_key = '/1' WHERE object_key = 'gone'"))
		if n := must(s.History().Forget(ctx, time.Time{}, 100)); n != 0 {
			t.Errorf("%d revisions were forgotten for their age, want none", n)
		}
		for _, table := range []string{"kept_files", "file_revisions"} {
			if n := must(s.Exec(ctx, "UPDATE "+table+" SET etag = etag")); n != 1 {
				t.Errorf("%s has %d rows, want that of the file that stays", table, n)
			}
		}
	})
}
