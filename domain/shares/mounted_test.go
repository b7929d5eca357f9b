package shares_test

import (
	"testing"
	"time"

	"pasteport/domain/shares"
	"pasteport/ports"
	"pasteport/ports/policy"
)

func mountedFile() shares.MountedFile {
	return shares.MountedFile{StorageConfigID: "public", StorageType: "S3", StoragePath: "docs/报告.pdf", FilePath: "/m/docs/报告.pdf", Filename: "报告.pdf", Size: 3, ETag: "e"}
}

func TestContract4_14_AMountedFileIsSharedWhereItLies(t *testing.T) {
	f := newWorld(t)
	f.bucket.Put("docs/报告.pdf", "pdf")
	file, err := f.mounted.Share(t.Context(), keyA, policy.Obligations{}, mountedFile())
	if err != nil {
		t.Fatal(err)
	}
	if len(file.Slug) != 10 || !file.UseProxy || file.Protected() || file.ExpiresAt != nil || file.MaxViews != 0 || file.CreatedBy != "apikey:a" || file.MimeType != "application/pdf" {
		t.Errorf("got %+v", file)
	}
	for _, mode := range []shares.DeleteMode{shares.DeleteRecord, shares.DeleteBoth} {
		file, err := f.mounted.Share(t.Context(), keyA, policy.Obligations{}, mountedFile())
		if err != nil {
			t.Fatal(err)
		}
		if done, err := f.files.Delete(t.Context(), keyA, []string{file.ID}, mode); err != nil || done.Done != 1 {
			t.Fatalf("got %+v, %v", done, err)
		}
		if f.bucket.Bytes("docs/报告.pdf") == nil {
			t.Fatalf("deleting the share with %s deleted the object", mode)
		}
	}
}

func TestSharesOfAFolderAreTheCallersOwn(t *testing.T) {
	f := newWorld(t)
	for _, who := range []policy.Principal{keyA, keyB, admin} {
		if _, err := f.mounted.Share(t.Context(), who, policy.Obligations{}, mountedFile()); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		createdBy, prefix string
		want              int
	}{{keyA.Owner(), "docs/", 1}, {keyB.Owner(), "docs/", 1}, {noBits.Owner(), "docs/", 0}, {"", "docs/", 3}, {"", "", 0}, {"", "doc", 0}} {
		found, err := f.mounted.SharedIn(t.Context(), c.createdBy, "public", c.prefix)
		if err != nil || len(found) != c.want {
			t.Errorf("%q in %q: got %d shares, %v, want %d", c.createdBy, c.prefix, len(found), err, c.want)
		}
		for _, file := range found {
			if c.createdBy != "" && file.CreatedBy != c.createdBy {
				t.Errorf("%s sees the share of %s", c.createdBy, file.CreatedBy)
			}
		}
	}
}

func TestContract4_14_TermsOfAMountedShareAreChecked(t *testing.T) {
	f := newWorld(t)
	for name, c := range map[string]struct {
		change func(*shares.MountedFile)
		limits policy.Obligations
		want   ports.Code
	}{
		"a slug that cannot be": {func(m *shares.MountedFile) { m.Slug = "a b" }, policy.Obligations{}, ports.Invalid},
		"negative views":        {func(m *shares.MountedFile) { m.MaxViews = -1 }, policy.Obligations{}, ports.Invalid},
		"a negative end":        {func(m *shares.MountedFile) { m.ExpiresIn = -1 }, policy.Obligations{}, ports.Invalid},
		"too long for the rule": {func(m *shares.MountedFile) { m.ExpiresIn = 3 }, policy.Obligations{ShareMaxAge: 7200}, ports.Forbidden},
	} {
		m := mountedFile()
		c.change(&m)
		if _, err := f.mounted.Share(t.Context(), keyA, c.limits, m); !ports.Is(err, c.want) {
			t.Errorf("%s: got %v", name, err)
		}
	}
	m := mountedFile()
	m.Slug, m.Password = "mine", "secret"
	file, err := f.mounted.Share(t.Context(), keyA, policy.Obligations{}, m)
	if err != nil || file.Slug != "mine" || !file.Protected() {
		t.Fatalf("got %+v, %v", file, err)
	}
	if _, err := f.mounted.Share(t.Context(), keyA, policy.Obligations{}, m); !ports.Is(err, ports.Conflict) {
		t.Errorf("a taken slug: got %v", err)
	}
}

func TestContract4_7_SharesFollowTheirFiles(t *testing.T) {
	f := newWorld(t)
	share := func(key, path string) *shares.File {
		m := mountedFile()
		m.StoragePath, m.FilePath = key, path
		file, err := f.mounted.Share(t.Context(), keyA, policy.Obligations{}, m)
		if err != nil {
			t.Fatal(err)
		}
		return file
	}
	inside, deep, beside, uploaded := share("d/x", "/m/d/x"), share("d/e/y", "/m/d/e/y"), share("dd/x", "/m/dd/x"), share("d/z", "")
	move := shares.MovedObjects{FromConfig: "public", FromKey: "d/", FromPath: "/m/d", ToConfig: "other", ToKey: "new/", ToPath: "/n/new", ToType: "LOCAL", Folder: true}
	f.storages.Opener["other"] = f.bucket
	for range 2 { // repeating it is harmless
		f.follow(move)
	}
	for _, c := range []struct {
		file              *shares.File
		config, key, path string
	}{
		{inside, "other", "new/x", "/n/new/x"}, {deep, "other", "new/e/y", "/n/new/e/y"}, {beside, "public", "dd/x", "/m/dd/x"}, {uploaded, "other", "new/z", ""},
	} {
		got, _, err := f.files.Get(t.Context(), admin, c.file.ID)
		if err != nil || got.StorageConfigID != c.config || got.StoragePath != c.key || got.FilePath != c.path {
			t.Errorf("got %s %s %s, %v; want %s %s %s", got.StorageConfigID, got.StoragePath, got.FilePath, err, c.config, c.key, c.path)
		}
	}
	one := shares.MovedObjects{FromConfig: "public", FromKey: "dd/x", FromPath: "/m/dd/x", ToConfig: "public", ToKey: "dd/y", ToPath: "/m/dd/y", ToType: "S3"}
	f.follow(one)
	if got, _, err := f.files.Get(t.Context(), admin, beside.ID); err != nil || got.StoragePath != "dd/y" || got.FilePath != "/m/dd/y" {
		t.Errorf("got %+v, %v", got, err)
	}
}

func (w *world) follow(m shares.MovedObjects) {
	w.t.Helper()
	follow, err := w.mounted.Follow(w.t.Context(), m)
	if err == nil {
		err = follow(w.t.Context())
	}
	if err != nil {
		w.t.Fatal(err)
	}
}

// What an upload link may have written under the new key of a moved object is
// not shown, however old the share is; and a copy whose ETag is another one than
// the original's is.
func TestDecision67_AMovedShareShowsItsOwnBytes(t *testing.T) {
	w := newWorld(t)
	file := w.upload(shares.NewUpload{Slug: "mine"}, "precious")
	w.clock.Add(24 * time.Hour)
	w.bucket.Put("to/b.txt", "precious as a copy with a tag of its own")
	w.follow(shares.MovedObjects{FromConfig: file.StorageConfigID, FromKey: file.StoragePath, ToConfig: "public", ToKey: "to/b.txt", ToType: "S3"})
	shows := func() error {
		t.Helper()
		o, err := w.visits.Open(from("192.0.2.1"), policy.Nobody, policy.ShareDownload, shares.Visit{Slug: "mine"})
		if err != nil {
			t.Fatal(err)
		}
		object, err := o.Stat(t.Context())
		if err != nil || object.ETag == o.File.ETag {
			return err
		}
		return o.Refresh(t.Context())
	}
	if err := shows(); err != nil {
		t.Errorf("the copy is refused: %v", err)
	}
	w.clock.Add(shares.UploadLinkLife - time.Second)
	w.bucket.Put("to/b.txt", "attacked")
	if err := shows(); !ports.Is(err, ports.NotFound) {
		t.Errorf("what a link for uploads may have written: %v", err)
	}
	w.clock.Add(2 * time.Minute)
	w.bucket.Put("to/b.txt", "of the operator")
	if err := shows(); err != nil {
		t.Errorf("what the operator has put there: %v", err)
	}
}
