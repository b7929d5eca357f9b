package shares_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"pasteport/domain/shares"
	"pasteport/ports"
	"pasteport/ports/policy"
)

func TestAllSharesOfOneOwnerAreRevoked(t *testing.T) {
	w := newWorld(t)
	paste := func(who policy.Principal, slug string) {
		t.Helper()
		if _, err := w.pastes.Create(t.Context(), who, shares.NewPaste{Content: []byte("text"), Slug: slug}); err != nil {
			t.Fatal(err)
		}
	}
	file := func(who policy.Principal, name string) *shares.File {
		t.Helper()
		f, err := w.uploads.Upload(t.Context(), who, shares.NewUpload{Filename: name, Slug: strings.TrimSuffix(name, ".txt")}, strings.NewReader("x"), 1)
		if err != nil {
			t.Fatal(err)
		}
		return f
	}
	for i := range 3 {
		paste(keyA, fmt.Sprintf("paste-%d", i))
	}
	paste(keyB, "of-b")
	paste(admin, "of-admin")
	one, two, other := file(keyA, "one.txt"), file(keyA, "two.txt"), file(keyB, "other.txt")
	mounted := file(keyA, "mounted.txt")
	if _, err := w.db.Files().Update(t.Context(), mounted.ID, func(f *shares.File) error { f.FilePath = "/m/mounted.txt"; return nil }); err != nil {
		t.Fatal(err)
	}
	awaited, err := w.uploads.Presign(t.Context(), keyA, shares.NewUpload{StorageConfigID: "public", Filename: "awaited.txt", Slug: "awaited", Size: 1})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.pastes.Read(t.Context(), policy.Nobody, shares.Visit{Slug: "paste-0"}); err != nil { // it is cached now
		t.Fatal(err)
	}

	owner := keyA.Owner()
	pastes, err1 := w.pastes.CountBy(t.Context(), owner)
	files, err2 := w.files.CountBy(t.Context(), owner)
	if pastes != 3 || files != 3 || err1 != nil || err2 != nil {
		t.Errorf("counted %d pastes and %d files, %v, %v", pastes, files, err1, err2)
	}
	for round, want := range [][2]int{{3, 3}, {0, 0}} { // the second finds nothing more to do
		pastes, err1 := w.pastes.RevokeBy(t.Context(), owner)
		files, err2 := w.files.RevokeBy(t.Context(), owner)
		if pastes != want[0] || files != want[1] || err1 != nil || err2 != nil {
			t.Errorf("round %d: %d pastes and %d files, %v, %v", round, pastes, files, err1, err2)
		}
	}
	for _, slug := range []string{"paste-0", "paste-1", "paste-2"} {
		_, err := w.pastes.Read(t.Context(), policy.Nobody, shares.Visit{Slug: slug})
		wantCode(t, err, ports.NotFound, "not_found")
	}
	for _, slug := range []string{"one", "two", "mounted"} {
		_, err := w.visits.Info(t.Context(), policy.Nobody, shares.Visit{Slug: slug})
		wantCode(t, err, ports.NotFound, "not_found")
	}
	for path, want := range map[string]bool{one.StoragePath: false, two.StoragePath: false, mounted.StoragePath: true, other.StoragePath: true} {
		if _, err := w.object(path); (err == nil) != want {
			t.Errorf("%s: %v", path, err)
		}
	}
	if waits, err := w.uploads.Awaits(t.Context(), awaited.File.ID); waits || err != nil {
		t.Errorf("an upload under way goes on: %t, %v", waits, err)
	}
	for _, slug := range []string{"of-b", "of-admin"} {
		if _, err := w.pastes.Read(t.Context(), policy.Nobody, shares.Visit{Slug: slug}); err != nil {
			t.Errorf("%s: %v", slug, err)
		}
	}
	if _, err := w.visits.Info(t.Context(), policy.Nobody, shares.Visit{Slug: "other"}); err != nil {
		t.Errorf("a file of another key: %v", err)
	}
}

func TestLinksEndAlsoWhenTheStorageIsAway(t *testing.T) {
	w := newWorld(t)
	w.upload(shares.NewUpload{Filename: "a.txt", Slug: "a"}, "x")
	w.bucket.Fail = func(string, string) error { return ports.ErrUnavailable }
	if n, err := w.files.RevokeBy(t.Context(), keyA.Owner()); n != 1 || err != nil || len(w.reports) != 1 {
		t.Errorf("revoked %d, %v, reports %v", n, err, w.reports)
	}
	_, err := w.visits.Info(t.Context(), policy.Nobody, shares.Visit{Slug: "a"})
	wantCode(t, err, ports.NotFound, "not_found")
}

func TestNobodyInParticularIsNotEverybody(t *testing.T) {
	w := newWorld(t)
	w.upload(shares.NewUpload{Filename: "a.txt", Slug: "a"}, "x")
	_, err1 := w.files.RevokeBy(t.Context(), "")
	_, err2 := w.pastes.RevokeBy(t.Context(), "")
	_, err3 := w.files.CountBy(t.Context(), "")
	_, err4 := w.pastes.CountBy(t.Context(), "")
	for _, err := range []error{err1, err2, err3, err4} {
		if err == nil {
			t.Error("shares of nobody were touched")
		}
	}
	if _, err := w.visits.Info(t.Context(), policy.Nobody, shares.Visit{Slug: "a"}); err != nil {
		t.Error(err)
	}
}

// Files to come are found in the order of their age, whoever sends them.
func TestARevokedKeyLosesItsUploadsHoweverManyOthersAreOnTheirWay(t *testing.T) {
	w := newWorld(t)
	for i := range shares.MaxBatch + 1 {
		owner := keyB.Owner()
		if i == shares.MaxBatch {
			owner = keyA.Owner()
		}
		err := w.db.Files().Insert(t.Context(), &shares.File{ID: w.random.ID(), Slug: fmt.Sprint("awaited-", i), Filename: "a", StorageConfigID: "s1",
			StoragePath: fmt.Sprint("a-", i), CreatedBy: owner, CreatedAt: w.clock.Now(), Pending: true, Version: 1})
		if err != nil {
			t.Fatal(err)
		}
	}
	if _, err := w.files.RevokeBy(t.Context(), keyA.Owner()); err != nil {
		t.Fatal(err)
	}
	left, err := w.db.FileObjects().Stale(t.Context(), w.clock.Now().Add(time.Hour), "", 2*shares.MaxBatch)
	if err != nil || len(left) != shares.MaxBatch {
		t.Errorf("%d are on their way, %v; want those of the others", len(left), err)
	}
}
