package shares_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"pasteport/domain/shares"
	"pasteport/ports"
	"pasteport/ports/objstore"
	"pasteport/ports/policy"
	"pasteport/ports/upload"
)

const twoParts = upload.PartSize + 5 // bytes

func newParts(t *testing.T) (*world, *shares.PartsBegun) {
	w := newWorld(t)
	w.settings.max = 1 << 40
	begun, err := w.uploads.Begin(t.Context(), keyA, shares.NewUpload{StorageConfigID: "public", Filename: "a.bin", Size: twoParts}, 0, 0)
	if err != nil {
		t.Fatal(err)
	}
	return w, begun
}

func (w *world) part(b *shares.PartsBegun, number int, size int) {
	w.t.Helper()
	if _, err := w.bucket.WritePart(w.t.Context(), b.File.StoragePath, b.UploadID, number, strings.NewReader(strings.Repeat("x", size)), int64(size)); err != nil {
		w.t.Fatal(err)
	}
}

func TestPartsAreFiveMiBOrTheLeastMultipleThatWillDo(t *testing.T) {
	const most = upload.PartSize * objstore.MaxPart
	for size, want := range map[int64]int64{
		0: upload.PartSize, 1: upload.PartSize, most: upload.PartSize, most + 1: 2 * upload.PartSize, 2 * most: 2 * upload.PartSize, 3*most - 1: 3 * upload.PartSize,
	} {
		if got := upload.PartSizeOf(size); got != want {
			t.Errorf("%d bytes: %d", size, got)
		}
	}
}

func TestEachCallOnPartsAsksThePolicyOnceAndFirst(t *testing.T) {
	w, b := newParts(t)
	id, uploadID := b.File.ID, b.UploadID
	w.part(b, 1, upload.PartSize)
	w.part(b, 2, 5)
	calls := []struct {
		name string
		run  func() error
	}{
		{"begin", func() error {
			_, err := w.uploads.Begin(t.Context(), keyA, shares.NewUpload{StorageConfigID: "public", Filename: "b.bin", Size: 1}, 0, 0)
			return err
		}},
		{"list", func() error { _, _, err := w.uploads.ListParts(t.Context(), keyA, id, uploadID); return err }},
		{"refresh", func() error {
			_, _, err := w.uploads.RefreshParts(t.Context(), keyA, id, uploadID, []int{1})
			return err
		}},
		{"complete", func() error { _, err := w.uploads.Complete(t.Context(), keyA, id, uploadID); return err }},
		{"abort", func() error { return w.uploads.Abort(t.Context(), keyA, id, uploadID) }},
	}
	for _, c := range calls {
		w.decider.failure, w.decider.asked = errors.New("the rules are broken"), nil
		wantCode(t, c.run(), ports.Unavailable, "policy_unavailable")
		w.decider.failure, w.decider.asked = nil, nil
		if err := c.run(); err != nil && c.name != "abort" { // which comes behind complete
			t.Errorf("%s: %v", c.name, err)
		}
		if got := w.decider.actions(); fmt.Sprint(got) != fmt.Sprint([]policy.Action{policy.FileUpload}) {
			t.Errorf("%s asked %v", c.name, got)
		}
	}
}

func TestAnUploadInPartsSurvivesWhateverFails(t *testing.T) {
	w, b := newParts(t)
	w.part(b, 1, upload.PartSize)
	w.part(b, 2, 5)
	for _, method := range []string{"ListParts", "Complete", "Stat"} {
		w.bucket.Fail = func(m, _ string) error {
			if m == method {
				return ports.ErrUnavailable
			}
			return nil
		}
		_, err := w.uploads.Complete(t.Context(), keyA, b.File.ID, b.UploadID)
		wantCode(t, err, ports.Unavailable, "storage_unavailable")
		if file, err := w.deps.Files.Get(t.Context(), b.File.ID); err != nil || !file.Pending {
			t.Fatalf("%s failed: %+v, %v", method, file, err)
		}
	}
	w.bucket.Fail = nil
	file, err := w.uploads.Complete(t.Context(), keyA, b.File.ID, b.UploadID)
	if err != nil || file.Pending || file.Size != twoParts || file.ETag == "" {
		t.Fatalf("got %+v, %v", file, err)
	}
}

func TestTheCapacityHoldsForUploadsInParts(t *testing.T) {
	w := newWorld(t)
	w.settings.max = 1 << 40
	w.holds(twoParts)
	in := shares.NewUpload{StorageConfigID: "public", Filename: "a.bin", Size: twoParts}
	if _, err := w.uploads.Begin(t.Context(), keyA, in, 0, 0); err != nil {
		t.Fatal(err)
	}
	_, err := w.uploads.Begin(t.Context(), keyB, in, 0, 0)
	wantCode(t, err, ports.Quota, "quota_exceeded")
	if uploads, err := w.bucket.ListUploads(t.Context(), ""); err != nil || len(uploads) != 1 {
		t.Errorf("uploads: %v, %v", uploads, err)
	}
}

func TestAFileInPartsThatNobodyFinishesGoesAfterAWeek(t *testing.T) {
	w, b := newParts(t)
	w.part(b, 1, upload.PartSize)
	for _, c := range []struct {
		pass time.Duration
		left int
	}{{6 * 24 * time.Hour, 1}, {25 * time.Hour, 0}} {
		w.clock.Add(c.pass)
		if _, err := w.janitor.Sweep(t.Context()); err != nil {
			t.Fatal(err)
		}
		if uploads, err := w.bucket.ListUploads(t.Context(), ""); err != nil || len(uploads) != c.left {
			t.Errorf("after %v: %v, %v", c.pass, uploads, err)
		}
	}
	_, _, err := w.uploads.ListParts(t.Context(), keyA, b.File.ID, b.UploadID)
	wantCode(t, err, ports.NotFound, "upload_not_found")
}

// arriving is a repository in which something happens right behind one look, the first
// when nothing is passed over.
type arriving struct {
	shares.FileRepository
	then func()
	pass int
}

func (r *arriving) Get(ctx context.Context, id string) (*shares.File, error) {
	f, err := r.FileRepository.Get(ctx, id)
	if r.pass--; r.pass == -1 {
		r.then()
	}
	return f, err
}

func TestTheSweepLeavesAFileThatArrivesMeanwhile(t *testing.T) {
	w, b := newParts(t)
	w.part(b, 1, upload.PartSize)
	w.part(b, 2, 5)
	deps := w.deps
	deps.Files = &arriving{FileRepository: w.deps.Files, then: func() {
		if _, err := w.uploads.Complete(t.Context(), keyA, b.File.ID, b.UploadID); err != nil {
			t.Error(err)
		}
	}}
	if err := shares.NewFileUploads(shares.NewFiles(deps)).Dropped(t.Context(), &b.Session); err != nil {
		t.Error(err)
	}
	if f, err := w.deps.Files.Get(t.Context(), b.File.ID); err != nil || f.Pending {
		t.Errorf("the file: %+v, %v", f, err)
	}
	if _, err := w.object(b.File.StoragePath); err != nil {
		t.Errorf("the object: %v", err)
	}
}
