package domaintest

import (
	"fmt"
	"testing"

	"pasteport/domain/mounts/transfer"
	"pasteport/domain/shares"
	"pasteport/ports"
)

// RunJournal checks the journal of moves, and how file shares are found that
// have to follow one.
func RunJournal(t *testing.T, open OpenStores) {
	later := minute(1000)
	RunRepository(t, func(t *testing.T) ports.Repository[transfer.MoveRecord, transfer.MoveFilter] { return open(t).Journal },
		Subject[transfer.MoveRecord, transfer.MoveFilter]{
			New: newJourney,
			ID:  func(j *transfer.MoveRecord) string { return j.ID },
			Change: func(j *transfer.MoveRecord) {
				j.Phase, j.Worker, j.Held, j.BeatAt = transfer.Deleting, "another", false, minute(9)
			},
			Page:   func(p ports.Paging) transfer.MoveFilter { return transfer.MoveFilter{Paging: p, IdleSince: later} },
			Oldest: true,
		})
	t.Run("lists hold what nobody works on", func(t *testing.T) {
		r := open(t).Journal
		for n := range 4 {
			must(t, r.Insert(t.Context(), newJourney(n)))
		}
		page, err := r.List(t.Context(), transfer.MoveFilter{IdleSince: minute(2)})
		must(t, err)
		equal(t, page.Total, 3)
		equal(t, page.Items[2].ID, testID(2))
	})
	runInFolder(t, open)
	t.Run("files are found by their object or the folder of it", func(t *testing.T) {
		s := open(t)
		r, objects := s.Files, s.FileObjects
		keys := []string{"a/文/1", "a/文/b/2", "a/文x", "a/文", "a/文/pending", "a/文/erased", "a/文/elsewhere", "a/_/x"}
		for n, key := range keys {
			must(t, r.Insert(t.Context(), openFile(n, func(f *shares.File) {
				f.StorageConfigID, f.StoragePath, f.Slug = "c1", key, fmt.Sprintf("s%d", n)
				switch n {
				case 4:
					f.Pending = true
				case 5:
					f.ErasedAt = ptr(minute(1))
				case 6:
					f.StorageConfigID = "c2"
				}
			})))
		}
		for _, c := range []struct {
			key    string
			folder bool
			limit  int
			want   []string
		}{
			{"a/文/", true, 10, []string{"a/文/1", "a/文/b/2"}},
			{"a/文/", true, 1, []string{"a/文/1"}},
			{"a/文", false, 10, []string{"a/文"}},
			{"a/_/", true, 10, []string{"a/_/x"}},
			{"", true, 10, []string{"a/文/1", "a/文/b/2", "a/文x", "a/文", "a/_/x"}},
			{"none/", true, 10, nil},
		} {
			files, err := objects.AtObjects(t.Context(), "c1", c.key, c.folder, "", c.limit)
			must(t, err)
			var got []string
			for _, f := range files {
				got = append(got, f.StoragePath)
			}
			equal(t, got, c.want)
			if len(files) > 0 {
				behind, err := objects.AtObjects(t.Context(), "c1", c.key, c.folder, files[0].ID, c.limit+1)
				must(t, err)
				for _, f := range behind {
					if f.ID <= files[0].ID {
						t.Errorf("%s does not come after %s", f.ID, files[0].ID)
					}
				}
				if c.limit > 1 {
					equal(t, len(behind), len(files)-1)
				}
			}
		}
	})
}

// runInFolder checks how the open shares of one folder are found.
func runInFolder(t *testing.T, open OpenStores) {
	t.Run("files of one folder are found while their share is open", func(t *testing.T) {
		s := open(t)
		r, objects := s.Files, s.FileObjects
		for n, key := range []string{"a/x", "a/文", "a/b/y", "ab/x", "a0", "x", "a/gone", "a/pending", "a/used", "a/late", "a/other", "文/z", "a/"} {
			must(t, r.Insert(t.Context(), openFile(n, func(f *shares.File) {
				f.StorageConfigID, f.StoragePath, f.Slug, f.CreatedBy, f.CreatedAt = "c1", key, fmt.Sprintf("s%d", n), "apikey:a", minute(n)
				switch key {
				case "a/gone":
					f.ErasedAt = ptr(minute(1))
				case "a/pending":
					f.Pending = true
				case "a/used":
					f.UsedUpAt = ptr(minute(1))
				case "a/late":
					f.ExpiresAt = ptr(minute(30))
				case "a/other":
					f.StorageConfigID = "c2"
				case "x":
					f.CreatedBy = "root"
				}
			})))
		}
		for _, c := range []struct {
			prefix, owner string
			at, limit     int
			want          []string
		}{
			{"a/", "", 29, 10, []string{"a/late", "a/文", "a/x"}},
			{"a/", "", 30, 10, []string{"a/文", "a/x"}},
			{"a/", "", 30, 1, []string{"a/文"}},
			{"文/", "apikey:a", 30, 10, []string{"文/z"}},
			{"", "", 30, 10, []string{"x", "a0"}},
			{"", "apikey:a", 30, 10, []string{"a0"}},
			{"a/", "apikey:b", 30, 10, nil},
			{"none/", "", 30, 10, nil},
		} {
			files, err := objects.InFolder(t.Context(), "c1", c.prefix, c.owner, minute(c.at), c.limit)
			must(t, err)
			var got []string
			for _, f := range files {
				got = append(got, f.StoragePath)
			}
			equal(t, got, c.want)
		}
	})
}

func newJourney(n int) *transfer.MoveRecord {
	return &transfer.MoveRecord{ID: testID(n), FromConfig: "c1", FromKey: "a/文/", FromPath: "/m/a/文", ToConfig: "c2", ToKey: "b/", ToPath: "/n/b", ToType: "S3",
		Folder: true, Replacing: true, Phase: transfer.Copying, Worker: "w", Held: true, CreatedAt: minute(n), BeatAt: minute(n)}
}
