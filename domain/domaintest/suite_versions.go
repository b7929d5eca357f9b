package domaintest

import (
	"testing"

	"pasteport/domain/shares"
	"pasteport/ports"
)

// RunFileVersions checks a repository of versions of files.
func RunFileVersions(t *testing.T, open OpenStores) {
	// file n has 3 versions, replaced at the minutes 1 to 3: testID(10*n+1) and so on.
	begin := func(t *testing.T, files ...int) Stores {
		s := open(t)
		for _, n := range files {
			must(t, s.Files.Insert(t.Context(), openFile(n, func(f *shares.File) { f.Version = 4 })))
			for v := 1; v <= 3; v++ {
				must(t, s.Files.Insert(t.Context(), version(n, v)))
			}
		}
		return s
	}
	// kept are the versions of file n, newest first.
	t.Run("they are found newest first, and by nobody else", func(t *testing.T) {
		s := begin(t, 1, 2)
		found, err := s.FileVersions.Versions(t.Context(), testID(1))
		must(t, err)
		equal(t, found, []shares.File{*version(1, 3), *version(1, 2), *version(1, 1)})
		page, err := s.Files.List(t.Context(), shares.FileFilter{Paging: ports.Paging{Limit: 10}})
		must(t, err)
		equal(t, page.Total, 2)
		equal(t, erasableOf(t, s.FileRemains, minute(50), 10), []shares.File{})
		usage, err := s.Files.Usage(t.Context())
		must(t, err)
		equal(t, usage["c1"], shares.FileUsage{Files: 8, Bytes: 800})
		found, err = s.FileVersions.Versions(t.Context(), "")
		must(t, err)
		equal(t, len(found), 0)
	})
	t.Run("files to come that count on its room are found", func(t *testing.T) {
		s := begin(t, 1)
		to := func(n int, replaces string, pending, keepNone bool) {
			must(t, s.Files.Insert(t.Context(), openFile(n, func(f *shares.File) { f.Replaces, f.Pending, f.KeepNone = replaces, pending, keepNone })))
		}
		to(2, testID(1), true, true)
		to(3, testID(1), true, false)
		to(4, testID(1), false, true)
		to(5, testID(9), true, true)
		to(6, "", true, true)
		found, err := s.FileVersions.Replacing(t.Context(), testID(1))
		must(t, err)
		equal(t, found, []shares.File{*openFile(2, func(f *shares.File) { f.Replaces, f.Pending, f.KeepNone = testID(1), true, true })})
		found, err = s.FileVersions.Replacing(t.Context(), "")
		must(t, err)
		equal(t, len(found), 0)
	})
	t.Run("a file changes with one of them", func(t *testing.T) {
		s := begin(t, 1)
		swap := func(present, former *shares.File) error {
			present.Size, present.StorageConfigID, former.Size, former.StorageConfigID = 7, "c2", 11, "c1"
			return nil
		}
		present, err := s.FileVersions.Exchange(t.Context(), testID(1), 2, swap)
		must(t, err)
		equal(t, present, openFile(1, func(f *shares.File) { f.Version, f.Size, f.StorageConfigID = 4, 7, "c2" }))
		former, err := s.Files.Get(t.Context(), testID(12))
		must(t, err)
		equal(t, former.Size, int64(11))
		usage, err := s.Files.Usage(t.Context())
		must(t, err)
		equal(t, usage, map[string]shares.FileUsage{"c1": {Files: 3, Bytes: 211}, "c2": {Files: 1, Bytes: 7}})
		_, err = s.FileVersions.Exchange(t.Context(), testID(1), 9, swap)
		wantCode(t, err, ports.NotFound, "")
		_, err = s.FileVersions.Exchange(t.Context(), testID(9), 2, swap)
		wantCode(t, err, ports.NotFound, "")
	})
	t.Run("one that is let go meanwhile is not changed", func(t *testing.T) {
		s := begin(t)
		for n := 100; n < 120; n++ {
			must(t, s.Files.Insert(t.Context(), openFile(n, func(f *shares.File) { f.Version = 4 })))
			must(t, s.Files.Insert(t.Context(), version(n, 1)))
			atOnce(2, func(who int) {
				if who == 0 {
					must(t, s.FileVersions.LetGo(t.Context(), testID(n), 0, minute(9)))
					return
				}
				_, err := s.FileVersions.Exchange(t.Context(), testID(n), 1, func(_, former *shares.File) error {
					if former.VersionOf == "" {
						t.Errorf("file %d changes with what was let go", n)
					}
					return nil
				})
				if err != nil && !ports.Is(err, ports.NotFound) {
					t.Error(err)
				}
			})
		}
	})
	t.Run("those that are let go are used-up shares", func(t *testing.T) {
		s := begin(t, 1, 2, 3, 4)
		must(t, s.FileVersions.LetGo(t.Context(), testID(1), 3, minute(9)))
		equal(t, kept(t, s, 1), []int64{3, 2, 1})
		must(t, s.FileVersions.LetGo(t.Context(), testID(1), 1, minute(4)))
		equal(t, kept(t, s, 1), []int64{3})
		n, err := s.FileVersions.LetOldGo(t.Context(), minute(3), 4, minute(10))
		must(t, err)
		equal(t, n, 4)
		n, err = s.FileVersions.LetOldGo(t.Context(), minute(3), 4, minute(10))
		must(t, err)
		equal(t, n, 2)
		equal(t, kept(t, s, 2), []int64{3})
		must(t, s.FileVersions.LetGo(t.Context(), testID(2), 0, minute(9)))
		equal(t, kept(t, s, 2), []int64(nil))
		// With their file.
		_, err = s.Files.Delete(t.Context(), testID(3))
		must(t, err)
		equal(t, kept(t, s, 3), []int64(nil))
		_, err = s.FileRemains.Erase(t.Context(), minute(11), sawFile(t, s, 4))
		must(t, err)
		equal(t, kept(t, s, 4), []int64(nil))
		// What was let go at minute 4, and what was replaced before it went with a file that was deleted.
		equal(t, len(erasableOf(t, s.FileRemains, minute(0), 10)), 3)
	})
}

// version is a version of file n.
func version(n, v int) *shares.File {
	return openFile(10*n+v, func(f *shares.File) {
		f.VersionOf, f.Version, f.UsedUpAt = testID(n), int64(v), ptr(minute(v))
	})
}

// kept are the versions of file n, newest first.
func kept(t *testing.T, s Stores, n int) (all []int64) {
	t.Helper()
	found, err := s.FileVersions.Versions(t.Context(), testID(n))
	must(t, err)
	for _, f := range found {
		all = append(all, f.Version)
	}
	return all
}
