package shares_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/iotest"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"pasteport/domain/shares"
	"pasteport/ports"
	"pasteport/ports/capacity"
	"pasteport/ports/filetype"
	"pasteport/ports/objstore"
	"pasteport/ports/policy"
	"pasteport/ports/portstest"
)

func presign(in shares.NewUpload) shares.NewUpload {
	if in.StorageConfigID == "" {
		in.StorageConfigID = "public"
	}
	if in.Filename == "" {
		in.Filename = "a.txt"
	}
	return in
}

// put sends content to a signed upload address.
func (w *world) put(address, content string) int {
	w.t.Helper()
	r := httptest.NewRequest(http.MethodPut, address, strings.NewReader(content))
	rec := httptest.NewRecorder()
	w.bucket.ServeHTTP(rec, r)
	return rec.Code
}

func TestPresignPutCommit(t *testing.T) {
	w := newWorld(t)
	p, err := w.uploads.Presign(t.Context(), keyA, presign(shares.NewUpload{Filename: "报告.PDF", Path: "/docs//2026/", Slug: "s", Size: 5, ExpiresIn: 24, MaxViews: 3, Remark: "r", Password: "pw"}))
	if err != nil {
		t.Fatal(err)
	}
	f := p.File
	if f.StoragePath != "up/docs/2026/报告.PDF" || f.MimeType != "application/pdf" || !f.Pending || f.CreatedBy != "apikey:a" || !f.ExpiresAt.Equal(*at(24 * time.Hour)) {
		t.Errorf("got %+v", f)
	}
	if list, _, _ := w.files.List(t.Context(), keyA, shares.FileFilter{}); list.Total != 0 {
		t.Error("a pending upload is listed")
	}
	_, err = w.uploads.Commit(t.Context(), keyA, f.ID)
	wantCode(t, err, ports.Invalid, "invalid_argument")
	if code := w.put(p.URL, "hello world"); code != 200 {
		t.Fatalf("PUT: %d", code)
	}
	for range 2 {
		done, err := w.uploads.Commit(t.Context(), keyA, f.ID)
		if err != nil {
			t.Fatal(err)
		}
		if done.Pending || done.Size != 11 || done.ETag == "" {
			t.Errorf("got %+v", done)
		}
	}
	_, err = w.uploads.Commit(t.Context(), keyB, f.ID)
	wantCode(t, err, ports.Forbidden, "not_owner")
	_, err = w.uploads.Commit(t.Context(), keyA, "nosuch")
	wantCode(t, err, ports.NotFound, "not_found")
	if _, err := w.uploads.Commit(t.Context(), admin, f.ID); err != nil {
		t.Errorf("the admin: %v", err)
	}
}

func TestPresignRefuses(t *testing.T) {
	for name, c := range map[string]struct {
		who  policy.Principal
		in   shares.NewUpload
		code ports.Code
		key  string
	}{
		"no storage config":         {keyA, shares.NewUpload{Filename: "a"}, ports.Invalid, "invalid_argument"},
		"an unknown one":            {keyA, shares.NewUpload{Filename: "a", StorageConfigID: "x"}, ports.NotFound, "not_found"},
		"a private one for a key":   {keyA, shares.NewUpload{Filename: "a", StorageConfigID: "private"}, ports.Forbidden, "storage_forbidden"},
		"no name":                   {keyA, shares.NewUpload{StorageConfigID: "public"}, ports.Invalid, "invalid_argument"},
		"a name that climbs":        {keyA, presign(shares.NewUpload{Filename: "../a"}), ports.Invalid, "invalid_argument"},
		"a name of two dots":        {keyA, presign(shares.NewUpload{Filename: ".."}), ports.Invalid, "invalid_argument"},
		"a backslash in the name":   {keyA, presign(shares.NewUpload{Filename: `a\b`}), ports.Invalid, "invalid_argument"},
		"a NUL in the name":         {keyA, presign(shares.NewUpload{Filename: "a\x00"}), ports.Invalid, "invalid_argument"},
		"broken UTF-8 in the name":  {keyA, presign(shares.NewUpload{Filename: "\xff"}), ports.Invalid, "invalid_argument"},
		"a name of 256 bytes":       {keyA, presign(shares.NewUpload{Filename: strings.Repeat("a", 256)}), ports.Invalid, "invalid_argument"},
		"a path that climbs":        {keyA, presign(shares.NewUpload{Path: "a/../b"}), ports.Invalid, "invalid_argument"},
		"a path with a dot segment": {keyA, presign(shares.NewUpload{Path: "./b"}), ports.Invalid, "invalid_argument"},
		"a path too long for a key": {keyA, presign(shares.NewUpload{Path: strings.Repeat("abcdefgh/", 120)}), ports.Invalid, "invalid_argument"},
		"over the size limit":       {keyA, presign(shares.NewUpload{Size: 1001}), ports.TooLarge, "too_large"},
		"a negative size":           {keyA, presign(shares.NewUpload{Size: -1}), ports.Invalid, "invalid_argument"},
		"negative hours":            {keyA, presign(shares.NewUpload{ExpiresIn: -1}), ports.Invalid, "invalid_argument"},
		"absurd hours":              {keyA, presign(shares.NewUpload{ExpiresIn: 1 << 60}), ports.Invalid, "invalid_argument"},
		"negative views":            {keyA, presign(shares.NewUpload{MaxViews: -1}), ports.Invalid, "invalid_argument"},
		"a reserved slug":           {keyA, presign(shares.NewUpload{Slug: "file"}), ports.Invalid, "slug_reserved"},
		"a taken slug":              {keyA, presign(shares.NewUpload{Slug: "taken"}), ports.Conflict, "slug_taken"},
		"no permission":             {noBits, presign(shares.NewUpload{}), ports.Forbidden, "permission_denied"},
		"nobody":                    {policy.Nobody, presign(shares.NewUpload{}), ports.Unauthenticated, "unauthenticated"},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.upload(shares.NewUpload{Slug: "taken"}, "x")
			_, err := w.uploads.Presign(t.Context(), c.who, c.in)
			if ports.CodeOf(err) == ports.Forbidden && c.key == "permission_denied" {
				c.key = errKey(err) // the vocabulary of refusals is the policy's
			}
			wantCode(t, err, c.code, c.key)
			if usage, _ := w.files.Usage(t.Context()); usage["public"].Files != 1 {
				t.Errorf("a refused upload left a record: %+v", usage)
			}
		})
	}
}

func errKey(err error) string {
	var e *ports.Error
	errors.As(err, &e)
	return e.Key
}

func TestPresignThatCannotSignLeavesNoRecord(t *testing.T) {
	w := newWorld(t)
	w.bucket.Fail = func(method, _ string) error { return ports.ErrUnavailable }
	_, err := w.uploads.Presign(t.Context(), keyA, presign(shares.NewUpload{}))
	if !ports.Is(err, ports.Unavailable) {
		t.Fatalf("got %v", err)
	}
	if usage, _ := w.files.Usage(t.Context()); len(usage) != 0 {
		t.Errorf("got %+v", usage)
	}
}

func TestCapacityIsReservedAndCheckedAgain(t *testing.T) {
	w := newWorld(t)
	w.holds(100)
	first, err := w.uploads.Presign(t.Context(), keyA, presign(shares.NewUpload{Filename: "1", Size: 60}))
	if err != nil {
		t.Fatal(err)
	}
	_, err = w.uploads.Presign(t.Context(), keyA, presign(shares.NewUpload{Filename: "2", Size: 60}))
	wantCode(t, err, ports.Quota, "quota_exceeded")
	var e *ports.Error
	errors.As(err, &e)
	if diff := cmp.Diff(e.Params, map[string]any{"size": int64(60), "used": int64(60), "rest": int64(40), "limit": int64(100), "total": int64(100)}); diff != "" {
		t.Error(diff)
	}
	w.put(first.URL, strings.Repeat("x", 101))
	_, err = w.uploads.Commit(t.Context(), keyA, first.File.ID)
	wantCode(t, err, ports.Quota, "quota_exceeded")
	if _, err := w.object(first.File.StoragePath); !ports.Is(err, ports.NotFound) {
		t.Error("the object over capacity is still there")
	}
	if usage, _ := w.files.Usage(t.Context()); len(usage) != 0 {
		t.Errorf("the record over capacity is still there: %+v", usage)
	}
}

// A file whose reservation has ended is counted with all that lies in its storage.
func TestAVisitorOpensNothingThatIsOverTheCapacity(t *testing.T) {
	w := newWorld(t)
	w.holds(100)
	p, err := w.uploads.Presign(t.Context(), keyA, presign(shares.NewUpload{Slug: "s", Size: 60}))
	if err != nil {
		t.Fatal(err)
	}
	if n, err := w.db.Ledger().Release(t.Context(), p.File.ID); n != 1 || err != nil {
		t.Fatal(n, err)
	}
	w.put(p.URL, strings.Repeat("x", 101))
	for range 2 {
		_, err = w.visits.Info(t.Context(), policy.Nobody, shares.Visit{Slug: "s"})
		wantCode(t, err, ports.NotFound, "not_found")
	}
	if keys := w.bucket.Keys(); len(keys) > 0 {
		t.Errorf("%q are left", keys)
	}
}

func TestCommitOverTheSizeLimitRemovesTheObject(t *testing.T) {
	w := newWorld(t)
	p, err := w.uploads.Presign(t.Context(), keyA, presign(shares.NewUpload{}))
	if err != nil {
		t.Fatal(err)
	}
	w.put(p.URL, strings.Repeat("x", 1001))
	_, err = w.uploads.Commit(t.Context(), keyA, p.File.ID)
	wantCode(t, err, ports.TooLarge, "too_large")
	if _, err := w.object(p.File.StoragePath); !ports.Is(err, ports.NotFound) {
		t.Error("the object over the limit is still there")
	}
}

// A file that has arrived is not the first to obey a limit that came later.
func TestACommitThatIsRepeatedUnderALowerLimitRemovesNothing(t *testing.T) {
	w := newWorld(t)
	p, err := w.uploads.Presign(t.Context(), keyA, presign(shares.NewUpload{}))
	if err != nil {
		t.Fatal(err)
	}
	w.put(p.URL, "hello world")
	if _, err := w.uploads.Commit(t.Context(), keyA, p.File.ID); err != nil {
		t.Fatal(err)
	}
	w.settings.max = 5
	if _, err := w.uploads.Commit(t.Context(), keyA, p.File.ID); err != nil {
		t.Error(err)
	}
	if _, err := w.object(p.File.StoragePath); err != nil {
		t.Errorf("the object: %v", err)
	}
	// What became larger in place is new.
	w.put(p.URL, "hello wide world")
	_, err = w.uploads.Commit(t.Context(), keyA, p.File.ID)
	wantCode(t, err, ports.TooLarge, "too_large")
}

// A client that gives up waiting asks again while its first request is still at work; and
// a visitor may open the file meanwhile. It counts once for the day, however many
// find that it has arrived, and whoever is late removes nothing.
func TestAFileThatIsCommittedTwiceAtOnceCountsOnce(t *testing.T) {
	for name, quota := range map[string]int64{"with room": 1000, "without room for a second": 15} {
		for who, other := range map[string]func(w *world, f *shares.File) error{
			"its client": func(w *world, f *shares.File) error { _, err := w.uploads.Commit(t.Context(), keyA, f.ID); return err },
			"a visitor": func(w *world, f *shares.File) error {
				_, err := w.visits.Info(t.Context(), policy.Nobody, shares.Visit{Slug: f.Slug})
				return err
			},
		} {
			t.Run(name+", "+who, func(t *testing.T) {
				w := newWorld(t)
				w.decider.limits.Quotas.BytesDay = quota
				p, err := w.uploads.Presign(t.Context(), keyA, presign(shares.NewUpload{Size: 11}))
				if err != nil {
					t.Fatal(err)
				}
				w.put(p.URL, "hello world")
				w.decider.meanwhile = map[policy.Action]func(){policy.FileUpload: func() {
					if err := other(w, p.File); err != nil {
						t.Error(err)
					}
				}}
				if done, err := w.uploads.Commit(t.Context(), keyA, p.File.ID); err != nil || done.Pending {
					t.Errorf("%+v, %v", done, err)
				}
				if _, err := w.object(p.File.StoragePath); err != nil {
					t.Errorf("the object: %v", err)
				}
				if used, err := w.db.Ledger().Uploads(t.Context(), w.clock.Now(), keyA.Owner()); err != nil || used.BytesToday != 11 || used.FilesToday != 1 {
					t.Errorf("the day has %+v, %v", used, err)
				}
			})
		}
	}
}

// Another who may do more, or a visitor, may confirm a file at the very moment at which
// it is refused to somebody. It has its bytes then, whatever became of the refused one.
func TestWhatIsRefusedLeavesWhatAnotherHasConfirmed(t *testing.T) {
	const slug = "the-file"
	small := policy.Obligations{MaxSize: 12}
	full := policy.Obligations{Quotas: capacity.Limits{BytesStored: 5}}
	presigned := func(w *world) *shares.File {
		p, err := w.uploads.Presign(t.Context(), keyA, presign(shares.NewUpload{Slug: slug}))
		if err != nil {
			t.Fatal(err)
		}
		w.put(p.URL, "hello wide world")
		return p.File
	}
	commit := func(u *shares.FileUploads, f *shares.File) error {
		_, err := u.Commit(t.Context(), keyA, f.ID)
		return err
	}
	for name, c := range map[string]struct {
		limits policy.Obligations
		pass   int
		begin  func(w *world) *shares.File
		do     func(u *shares.FileUploads, f *shares.File) error
	}{
		"over the size limit": {small, 0, presigned, commit},
		"without room":        {full, 1, presigned, commit},
		"grown in place": {small, 0, func(w *world) *shares.File {
			f := w.upload(shares.NewUpload{Slug: slug}, "hello")
			if _, err := w.bucket.Write(t.Context(), f.StoragePath, strings.NewReader("hello wide world"), objstore.WriteOptions{Size: 16}); err != nil {
				t.Fatal(err)
			}
			return f
		}, commit},
		"through the server": {full, 0, func(*world) *shares.File { return nil }, func(u *shares.FileUploads, _ *shares.File) error {
			_, err := u.Upload(t.Context(), keyA, shares.NewUpload{Slug: slug, Filename: "a.txt"}, strings.NewReader("hello wide world"), -1)
			return err
		}},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			f, files := c.begin(w), w.deps.Files
			w.deps.Files = &arriving{FileRepository: files, pass: c.pass, then: func() {
				w.decider.limits = policy.Obligations{}
				defer func() { w.decider.limits = c.limits }()
				came, err := files.BySlug(t.Context(), slug)
				if err == nil {
					_, err = w.uploads.Commit(t.Context(), admin, came.ID)
				}
				if err != nil {
					t.Error(err)
				}
			}}
			late := shares.NewFileUploads(shares.NewFiles(w.deps))
			w.decider.limits = c.limits
			if err := c.do(late, f); err != nil {
				t.Errorf("whoever was late hears %v", err)
			}
			came, err := files.BySlug(t.Context(), slug)
			if err != nil || came.Pending {
				t.Fatalf("the file is %+v, %v", came, err)
			}
			if object, err := w.object(came.StoragePath); err != nil || object.Size != came.Size {
				t.Errorf("its object is %+v, %v", object, err)
			}
		})
	}
}

// Who gives up an upload that has arrived meanwhile is asked whether he may delete it.
func TestACancelThatComesLateIsADeletion(t *testing.T) {
	w := newWorld(t)
	p, err := w.uploads.Presign(t.Context(), keyA, presign(shares.NewUpload{}))
	if err != nil {
		t.Fatal(err)
	}
	w.put(p.URL, "hello")
	w.decider.meanwhile = map[policy.Action]func(){policy.FileUpload: func() {
		if _, err := w.uploads.Commit(t.Context(), keyA, p.File.ID); err != nil {
			t.Error(err)
		}
	}}
	if err := w.uploads.Cancel(t.Context(), keyA, p.File.ID); err != nil {
		t.Fatal(err)
	}
	if asked := w.decider.actions(); !slices.Contains(asked, policy.FileDelete) {
		t.Errorf("asked %q", asked)
	}
}

func TestUploadStoresTheBodyOrNothing(t *testing.T) {
	broken := errors.New("connection reset")
	for name, c := range map[string]struct {
		body io.Reader
		size int64
		ok   bool
		code ports.Code // unless ok
	}{
		"of known length":            {strings.NewReader("hello"), 5, true, 0},
		"of unknown length":          {strings.NewReader("hello"), -1, true, 0},
		"empty":                      {strings.NewReader(""), 0, true, 0},
		"cut short":                  {strings.NewReader("hel"), 5, false, ports.Invalid},
		"broken off":                 {io.MultiReader(strings.NewReader("hel"), iotest.ErrReader(io.ErrUnexpectedEOF)), -1, false, ports.Invalid},
		"broken in another way":      {iotest.ErrReader(broken), -1, false, ports.Internal},
		"announced over the limit":   {strings.NewReader(""), 1001, false, ports.TooLarge},
		"growing over the limit":     {bytes.NewReader(make([]byte, 1001)), -1, false, ports.TooLarge},
		"exactly at the limit":       {bytes.NewReader(make([]byte, 1000)), -1, true, 0},
		"one byte at a time, as is":  {iotest.OneByteReader(strings.NewReader("hello")), 5, true, 0},
		"data together with the end": {iotest.DataErrReader(strings.NewReader("hello")), 5, true, 0},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			older := w.upload(shares.NewUpload{Slug: "older", Filename: "same.txt"}, "older")
			f, err := w.uploads.Upload(t.Context(), keyA, shares.NewUpload{Filename: "same.txt", Slug: "s"}, c.body, c.size)
			if c.ok {
				if err != nil {
					t.Fatal(err)
				}
				if o, err := w.object(f.StoragePath); err != nil || o.Size != f.Size || f.ETag != o.ETag || f.Pending {
					t.Errorf("object %+v, record %+v, error %v", o, f, err)
				}
				return
			}
			if ports.CodeOf(err) != c.code || err == nil {
				t.Fatalf("got %v", err)
			}
			if o, err := w.object(older.StoragePath); err != nil || o.Size != 5 {
				t.Errorf("the older object of this name: %+v, %v", o, err)
			}
			_, err = w.visits.Info(t.Context(), policy.Nobody, shares.Visit{Slug: "s"})
			wantCode(t, err, ports.NotFound, "not_found")
			if len(w.reports) != 0 {
				t.Errorf("reports: %v", w.reports)
			}
		})
	}
}

func TestUploadChoosesStorageAndName(t *testing.T) {
	w := newWorld(t)
	w.random.Queue("slug000001", "slug000002")
	f := w.upload(shares.NewUpload{Filename: `a<b>:c|d?.TXT`}, "x")
	if f.StorageConfigID != "public" || f.StoragePath != "up/a_b__c_d_.TXT" {
		t.Errorf("a key's upload went to %s %s", f.StorageConfigID, f.StoragePath)
	}
	byAdmin, err := w.uploads.Upload(t.Context(), admin, shares.NewUpload{Filename: "dir/a.txt"}, strings.NewReader("x"), 1)
	if err != nil || byAdmin.StorageConfigID != "private" || byAdmin.StoragePath != "dir_a.txt" {
		t.Errorf("the admin's upload: %+v, %v", byAdmin, err)
	}
	w.settings.suffix = true
	w.random.Queue("sfx123", "slug000004")
	if f := w.upload(shares.NewUpload{Filename: "a.tar.gz"}, "x"); f.StoragePath != "up/a.tar-sfx123.gz" {
		t.Errorf("got %s", f.StoragePath)
	}
	w.random.Queue("sfx456", "slug000005")
	f = w.upload(shares.NewUpload{Filename: strings.Repeat("名", 60) + ".txt", Naming: shares.NameSuffixed}, "x")
	if want := "up/" + strings.Repeat("名", 50) + "-sfx456.txt"; f.StoragePath != want {
		t.Errorf("got %s", f.StoragePath)
	}
	if f := w.upload(shares.NewUpload{Filename: "kept.txt", Naming: shares.NameKept}, "x"); f.StoragePath != "up/kept.txt" {
		t.Errorf("got %s", f.StoragePath)
	}
	delete(w.storages.configs, "public")
	_, err = w.uploads.Upload(t.Context(), keyA, shares.NewUpload{Filename: "a"}, strings.NewReader(""), 0)
	wantCode(t, err, ports.Invalid, "invalid_argument")
}

func TestMimeTypeComesFromTheExtension(t *testing.T) {
	w := newWorld(t)
	for _, c := range []struct {
		name, told string
		trust      bool
		want       string
	}{
		{"a.md", "text/html", true, "text/markdown"},
		{"a.mp4", "", false, "video/mp4"},
		{"a.unknown", "text/html", false, "application/octet-stream"},
		{"a.unknown", "application/x-thing", true, "application/x-thing"},
		{"a", "", true, "application/octet-stream"},
		{"A.JPEG", "", false, "image/jpeg"},
	} {
		if f := w.upload(shares.NewUpload{Filename: c.name, Type: c.told, TrustType: c.trust}, "x"); f.MimeType != c.want {
			t.Errorf("%s told as %q: got %s, want %s", c.name, c.told, f.MimeType, c.want)
		}
	}
}

func TestOverrideReplacesOnesOwnFile(t *testing.T) {
	w := newWorld(t)
	old := w.upload(shares.NewUpload{Slug: "s", Filename: "old.txt", MaxViews: 7}, "old")
	_, err := w.uploads.Upload(t.Context(), keyB, shares.NewUpload{Slug: "s", Filename: "new.txt", Override: true}, strings.NewReader("new"), 3)
	wantCode(t, err, ports.Forbidden, "not_owner")
	if terms := w.decider.last().on.Share; terms.MaxViews != 0 {
		t.Errorf("for a stranger rules see the terms %+v", terms)
	}
	_, err = w.uploads.Upload(t.Context(), keyA, shares.NewUpload{Slug: "s", Filename: "new.txt"}, strings.NewReader("new"), 3)
	wantCode(t, err, ports.Conflict, "slug_taken")
	f := w.upload(shares.NewUpload{Slug: "s", Filename: "new.txt", Override: true}, "new")
	if r, err := w.visits.Info(t.Context(), policy.Nobody, shares.Visit{Slug: "s"}); err != nil || r.ID != f.ID {
		t.Errorf("got %+v, %v", r, err)
	}
	if _, err := w.object(old.StoragePath); !ports.Is(err, ports.NotFound) {
		t.Error("the old object is still there")
	}
	w.upload(shares.NewUpload{Slug: "fresh", Override: true}, "x")
}

func TestPublicCallsSettlePendingUploads(t *testing.T) {
	w := newWorld(t)
	p, err := w.uploads.Presign(t.Context(), keyA, presign(shares.NewUpload{Slug: "s", MaxViews: 1}))
	if err != nil {
		t.Fatal(err)
	}
	_, err = w.visits.Info(t.Context(), policy.Nobody, shares.Visit{Slug: "s"})
	wantCode(t, err, ports.NotFound, "not_found")
	w.put(p.URL, "hello")
	r, err := w.visits.Info(t.Context(), policy.Nobody, shares.Visit{Slug: "s"})
	if err != nil || r.Size != 5 || r.Views != 1 || !r.Last {
		t.Errorf("got %+v, %v", r, err)
	}
}

func TestAnOlderObjectUnderTheSameKeyIsNotTheUpload(t *testing.T) {
	w := newWorld(t)
	old := w.upload(shares.NewUpload{Slug: "old", Filename: "same.txt"}, "old")
	w.clock.Add(time.Hour)
	w.twin(old, "s", func(f *shares.File) { f.Pending = true })
	_, err := w.visits.Info(t.Context(), policy.Nobody, shares.Visit{Slug: "s"})
	wantCode(t, err, ports.NotFound, "not_found")
}

func TestInfoGivesLinksAndTakesAView(t *testing.T) {
	w := newWorld(t)
	w.upload(shares.NewUpload{Slug: "open"}, "hello")
	w.upload(shares.NewUpload{Slug: "direct", MaxViews: 2}, "hello")
	w.upload(shares.NewUpload{Slug: "proxied", UseProxy: shares.To(true)}, "hello")
	r, err := w.visits.Info(t.Context(), policy.Nobody, shares.Visit{Slug: "open"})
	if err != nil || r.Views != 1 || r.Last || r.Ticket == "" || r.Direct.Preview == "" || r.Direct.Download == "" {
		t.Errorf("got %+v, %v", r, err)
	}
	r, err = w.visits.Info(t.Context(), policy.Nobody, shares.Visit{Slug: "direct"})
	if err != nil || r.Views != 1 || r.Last || r.Ticket == "" {
		t.Errorf("got %+v, %v", r, err)
	}
	if r, err := w.visits.Info(t.Context(), policy.Nobody, shares.Visit{Slug: "direct", Ticket: r.Ticket}); err != nil || r.Views != 1 {
		t.Errorf("with the ticket: %+v, %v", r, err)
	}
	if r, err := w.visits.Info(t.Context(), policy.Nobody, shares.Visit{Slug: "direct", Uncounted: true}); err != nil || r.Views != 1 {
		t.Errorf("HEAD: %+v, %v", r, err)
	}
	if r, err := w.visits.Info(t.Context(), policy.Nobody, shares.Visit{Slug: "direct"}); err != nil || r.Views != 2 || !r.Last {
		t.Errorf("the last view: %+v, %v", r, err)
	}
	_, err = w.visits.Info(t.Context(), policy.Nobody, shares.Visit{Slug: "direct"})
	wantCode(t, err, ports.Gone, "used_up")
	if r, err := w.visits.Info(t.Context(), policy.Nobody, shares.Visit{Slug: "proxied"}); err != nil || r.Direct != (shares.Links{}) {
		t.Errorf("proxied: %+v, %v", r, err)
	}
}

func TestStorageThatDoesNotAnswerCostsNoView(t *testing.T) {
	w := newWorld(t)
	f := w.upload(shares.NewUpload{Slug: "s", MaxViews: 1}, "hello")
	w.bucket.Fail = func(string, string) error { return ports.ErrUnavailable }
	_, err := w.visits.Info(t.Context(), policy.Nobody, shares.Visit{Slug: "s"})
	wantCode(t, err, ports.Unavailable, "storage_unavailable")
	o, err := w.visits.Open(t.Context(), policy.Nobody, policy.ShareView, shares.Visit{Slug: "s"})
	if err == nil {
		_, err = o.Read(t.Context(), objstore.Range{})
	}
	wantCode(t, err, ports.Unavailable, "storage_unavailable")
	w.bucket.Fail = nil
	if _, err := w.bucket.Delete(t.Context(), f.StoragePath); err != nil {
		t.Fatal(err)
	}
	_, err = o.Read(t.Context(), objstore.Range{})
	wantCode(t, err, ports.NotFound, "not_found")
	if g, _ := w.deps.Files.Get(t.Context(), f.ID); g.Views != 0 {
		t.Errorf("got %d views", g.Views)
	}
}

func TestProtectedFiles(t *testing.T) {
	w := newWorld(t)
	w.upload(shares.NewUpload{Slug: "s", Password: "pw", MaxViews: 1}, "hello")
	w.upload(shares.NewUpload{Slug: "open"}, "hello")
	r, err := w.visits.Info(t.Context(), policy.Nobody, shares.Visit{Slug: "s"})
	if err != nil || !r.Locked || r.Views != 0 || r.Direct != (shares.Links{}) || r.Ticket != "" {
		t.Errorf("got %+v, %v", r, err)
	}
	open := func(password, ticket string) error {
		_, err := w.visits.Open(from("192.0.2.1"), policy.Nobody, policy.ShareDownload, shares.Visit{Slug: "s", Password: password, Ticket: ticket})
		return err
	}
	wantCode(t, open("", ""), ports.Unauthenticated, "password_required")
	wantCode(t, open("no", ""), ports.Unauthenticated, "password_wrong")
	_, err = w.visits.Verify(from("192.0.2.1"), policy.Nobody, shares.Visit{Slug: "open", Password: "x"})
	wantCode(t, err, ports.Invalid, "invalid_argument")
	_, err = w.visits.Verify(from("192.0.2.1"), policy.Nobody, shares.Visit{Slug: "s"})
	wantCode(t, err, ports.Invalid, "password_required")
	r, err = w.visits.Verify(from("192.0.2.1"), policy.Nobody, shares.Visit{Slug: "s", Password: "pw"})
	if err != nil || r.Locked || !r.Last || r.Ticket == "" {
		t.Fatalf("got %+v, %v", r, err)
	}
	if err := open("", r.Ticket); err != nil {
		t.Errorf("the ticket of the last view: %v", err)
	}
	wantCode(t, open("pw", ""), ports.Gone, "used_up")
}

func TestBytesTakeAViewOnceAndFromTheStart(t *testing.T) {
	w := newWorld(t)
	f := w.upload(shares.NewUpload{Slug: "s", MaxViews: 2}, "hello")
	read := func(r objstore.Range) (string, error) {
		t.Helper()
		o, err := w.visits.Open(t.Context(), policy.Nobody, policy.ShareView, shares.Visit{Slug: "s"})
		if err != nil {
			return "", err
		}
		body, err := o.Read(t.Context(), r)
		if err != nil {
			return "", err
		}
		defer body.Close()
		b, err := io.ReadAll(body)
		return string(b), err
	}
	for _, c := range []struct {
		r     objstore.Range
		want  string
		views int64
	}{
		{objstore.Range{Length: 2}, "he", 1},
		{objstore.Range{Length: 2}, "he", 2},
	} {
		_, err := read(objstore.Range{Offset: 1})
		wantCode(t, err, ports.Range, "range_invalid")
		got, err := read(c.r)
		if err != nil || got != c.want {
			t.Errorf("%+v: got %q, %v", c.r, got, err)
		}
		if g, _ := w.deps.Files.Get(t.Context(), f.ID); g.Views != c.views {
			t.Errorf("%+v: %d views, want %d", c.r, g.Views, c.views)
		}
	}
	_, err := read(objstore.Range{Offset: 2})
	wantCode(t, err, ports.Gone, "used_up")
}

func TestADR6_LaterPartsAreServedWithinAVisitOnlyAndTakeNoView(t *testing.T) {
	w := newWorld(t)
	limited := w.upload(shares.NewUpload{Slug: "limited", MaxViews: 100}, "hello")
	w.upload(shares.NewUpload{Slug: "other", MaxViews: 100}, "hello")
	w.upload(shares.NewUpload{Slug: "unlimited"}, "hello")
	read := func(slug, address, ticket string, offset int64) error {
		t.Helper()
		o, err := w.visits.Open(from(address), policy.Nobody, policy.ShareDownload, shares.Visit{Slug: slug, Ticket: ticket})
		if err != nil {
			t.Fatal(err)
		}
		body, err := o.Read(from(address), objstore.Range{Offset: offset})
		if err == nil {
			body.Close()
		}
		return err
	}
	served := func(slug, address, ticket string, offset int64) {
		t.Helper()
		if err := read(slug, address, ticket, offset); err != nil {
			t.Errorf("from byte %d: %v", offset, err)
		}
	}
	refused := func(slug, address, ticket string, offset int64) {
		t.Helper()
		wantCode(t, read(slug, address, ticket, offset), ports.Range, "range_invalid")
	}
	const here, there = "192.0.2.1", "192.0.2.2"
	views := int64(0)
	step := func(name string, taken int64, do func()) {
		t.Helper()
		do()
		views += taken
		if f, err := w.deps.Files.Get(t.Context(), limited.ID); err != nil || f.Views != views {
			t.Errorf("%s: %d views, want %d (%v)", name, f.Views, views, err)
		}
	}
	step("all but the first byte", 0, func() { refused("limited", here, "", 1) })
	step("from the start", 1, func() { served("limited", here, "", 0) })
	step("a later part of that visit", 0, func() { served("limited", here, "", 3) })
	step("from another address", 0, func() { refused("limited", there, "", 1) })
	step("from the start again", 1, func() { served("limited", here, "", 0) })
	w.clock.Add(shares.VisitLength)
	step("after the visit", 0, func() { refused("limited", here, "", 2) })
	step("in a visit of another share", 0, func() {
		served("other", here, "", 0)
		refused("limited", here, "", 2)
	})
	step("a visit that began with its links", 1, func() {
		if _, err := w.visits.Info(from("192.0.2.3"), policy.Nobody, shares.Visit{Slug: "limited"}); err != nil {
			t.Fatal(err)
		}
		served("limited", "192.0.2.3", "", 2)
	})
	step("with a ticket, from anywhere", 1, func() {
		r, err := w.visits.Info(from("192.0.2.4"), policy.Nobody, shares.Visit{Slug: "limited"})
		if err != nil {
			t.Fatal(err)
		}
		served("limited", "192.0.2.5", r.Ticket, 0)
		served("limited", "192.0.2.5", r.Ticket, 2)
	})
	step("without a known address", 0, func() { refused("limited", "", "", 2) })
	served("unlimited", here, "", 1)
	if err := w.files.Flush(t.Context()); err != nil {
		t.Fatal(err)
	}
	if f, err := w.deps.Files.BySlug(t.Context(), "unlimited"); err != nil || f.Views != 0 {
		t.Errorf("a later part of an unlimited file: %d views (%v)", f.Views, err)
	}
}

func TestFileViewsAreExactUnder100ParallelReaders(t *testing.T) {
	w := newWorld(t)
	w.upload(shares.NewUpload{Slug: "s", MaxViews: 7}, "hello")
	var got, refused atomic.Int64
	var wg sync.WaitGroup
	for range 100 {
		wg.Go(func() {
			o, err := w.visits.Open(t.Context(), policy.Nobody, policy.ShareView, shares.Visit{Slug: "s"})
			if err == nil {
				var body *objstore.Body
				if body, err = o.Read(t.Context(), objstore.Range{}); err == nil {
					body.Close()
					got.Add(1)
					return
				}
			}
			if !ports.Is(err, ports.Gone) {
				t.Error(err)
			}
			refused.Add(1)
		})
	}
	wg.Wait()
	if got.Load() != 7 || refused.Load() != 93 {
		t.Errorf("got %d bodies and %d refusals, want 7 and 93", got.Load(), refused.Load())
	}
}

func TestContract7_16_DirectLinks(t *testing.T) {
	w := newWorld(t)
	w.upload(shares.NewUpload{Slug: "s", Filename: "名 1.pdf"}, "hello")
	links := func() shares.Links {
		t.Helper()
		w.clock.Add(time.Minute)
		r, err := w.visits.Info(t.Context(), policy.Nobody, shares.Visit{Slug: "s"})
		if err != nil {
			t.Fatal(err)
		}
		return r.Direct
	}
	get := func(address string) http.Header {
		rec := httptest.NewRecorder()
		w.bucket.ServeHTTP(rec, httptest.NewRequest("GET", address, nil))
		if rec.Code != 200 || rec.Body.String() != "hello" {
			t.Fatalf("GET %s: %d", address, rec.Code)
		}
		return rec.Header()
	}
	signed := links()
	name := "%E5%90%8D%201.pdf"
	if got, want := get(signed.Preview).Get("Content-Disposition"), `inline; filename="`+name+`"; filename*=UTF-8''`+name; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if got := get(signed.Download).Get("Content-Disposition"); !strings.HasPrefix(got, "attachment; ") {
		t.Errorf("got %s", got)
	}
	c := w.storages.configs["public"]
	c.CustomHost = "https://cdn.example/"
	w.storages.configs["public"] = c
	custom := links()
	if want := "https://cdn.example/bkt/up/" + name; custom.Preview != want || !strings.HasPrefix(custom.Download, want) {
		t.Errorf("got %+v", custom)
	}
	c.PathStyle = false
	w.storages.configs["public"] = c
	if custom = links(); custom.Preview != "https://cdn.example/up/"+name {
		t.Errorf("got %+v", custom)
	}
}

func TestDirectLinksNeverGoRoundTheGate(t *testing.T) {
	for name, c := range map[string]struct {
		in     shares.NewUpload
		change shares.FileChange
		open   bool
	}{
		"an open share":            {open: true},
		"a password":               {in: shares.NewUpload{Password: "pw"}},
		"a view limit":             {in: shares.NewUpload{MaxViews: 9}},
		"an end":                   {in: shares.NewUpload{ExpiresIn: 1}},
		"a password that came":     {change: shares.FileChange{Password: shares.To("pw")}},
		"a view limit that came":   {change: shares.FileChange{MaxViews: shares.To[int64](9)}},
		"an end that came":         {change: shares.FileChange{ExpiresAt: shares.To(at(time.Hour))}},
		"a password that has gone": {in: shares.NewUpload{Password: "pw"}, change: shares.FileChange{Password: shares.To("")}, open: true},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			c.in.Slug = "s"
			f := w.upload(c.in, "x")
			if c.change != (shares.FileChange{}) {
				var err error
				if f, err = w.files.Update(t.Context(), keyA, f.ID, c.change); err != nil {
					t.Fatal(err)
				}
			}
			here := from("192.0.2.1")
			seen := map[string]shares.Links{"the uploader's": w.files.Links(here, f)}
			_, own, err := w.files.Get(here, keyA, f.ID)
			if seen["the owner's"] = own; err != nil {
				t.Fatal(err)
			}
			r, err := w.visits.Info(here, policy.Nobody, shares.Visit{Slug: "s"})
			if err == nil && r.Locked {
				r, err = w.visits.Verify(here, policy.Nobody, shares.Visit{Slug: "s", Password: "pw"})
			}
			if seen["the visitor's"] = r.Direct; err != nil {
				t.Fatal(err)
			}
			r, err = w.visits.Info(here, policy.Nobody, shares.Visit{Slug: "s", Ticket: r.Ticket})
			if seen["who comes again"] = r.Direct; err != nil {
				t.Fatal(err)
			}
			for whose, links := range seen {
				if got := links != (shares.Links{}); got != c.open {
					t.Errorf("%s: %+v", whose, links)
				}
			}
		})
	}
}

func TestLinksForForeignViewersDoNotOutliveTheShare(t *testing.T) {
	for name, c := range map[string]struct {
		in   shares.NewUpload
		left time.Duration // of the share's life
		want time.Duration
	}{
		"a visit":                 {shares.NewUpload{}, 0, shares.VisitLength},
		"a visit of limited ones": {shares.NewUpload{MaxViews: 3}, 0, shares.VisitLength},
		"until the expiry":        {shares.NewUpload{ExpiresIn: 1}, time.Minute, time.Minute},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			c.in.Slug, c.in.Filename = "s", "a.docx"
			w.upload(c.in, "x")
			if c.left > 0 {
				w.clock.Add(time.Hour - c.left)
			}
			p, err := w.visits.Office(t.Context(), policy.Nobody, shares.Visit{Slug: "s"})
			if err != nil || p.Expires != c.want {
				t.Fatalf("got %+v, %v", p, err)
			}
			get := func() int {
				rec := httptest.NewRecorder()
				w.bucket.ServeHTTP(rec, httptest.NewRequest("GET", p.Link, nil))
				return rec.Code
			}
			w.clock.Add(c.want - time.Second)
			if code := get(); code != 200 {
				t.Errorf("a second before: %d", code)
			}
			w.clock.Add(time.Second)
			if code := get(); code == 200 {
				t.Error("the link still works")
			}
		})
	}
}

func TestDirectLinksNeverShowActiveContentInline(t *testing.T) {
	w := newWorld(t)
	for name, want := range map[string]string{"a.html": "inline; text/plain", "a.svg": "attachment; image/svg+xml", "a.xml": "attachment; application/xml",
		"a.js": "inline; text/plain", "a.png": "inline; image/png", "a.pdf": "inline; application/pdf", "a.exe": "attachment; application/vnd.microsoft.portable-executable"} {
		w.upload(shares.NewUpload{Slug: strings.ReplaceAll(name, ".", "-"), Filename: name}, "x")
		r, err := w.visits.Info(t.Context(), policy.Nobody, shares.Visit{Slug: strings.ReplaceAll(name, ".", "-")})
		if err != nil {
			t.Fatal(err)
		}
		rec := httptest.NewRecorder()
		w.bucket.ServeHTTP(rec, httptest.NewRequest("GET", r.Direct.Preview, nil))
		kind, _, _ := strings.Cut(rec.Header().Get("Content-Disposition"), ";")
		typ, _, _ := strings.Cut(rec.Header().Get("Content-Type"), ";")
		if got := kind + "; " + typ; got != want {
			t.Errorf("%s: got %s, want %s", name, got, want)
		}
	}
}

func TestContract7_15_OfficePreview(t *testing.T) {
	w := newWorld(t)
	w.upload(shares.NewUpload{Slug: "doc", Filename: "a.docx", MaxViews: 2, Password: "pw"}, "x")
	w.upload(shares.NewUpload{Slug: "txt", Filename: "a.txt"}, "x")
	near, err := w.uploads.Upload(t.Context(), admin, shares.NewUpload{Filename: "b.xlsx", Slug: "near", StorageConfigID: "private"}, strings.NewReader("x"), 1)
	if err != nil {
		t.Fatal(err)
	}
	office := func(slug, password string) (shares.OfficePreview, error) {
		return w.visits.Office(from("192.0.2.1"), policy.Nobody, shares.Visit{Slug: slug, Password: password})
	}
	_, err = office("txt", "")
	wantCode(t, err, ports.Invalid, "invalid_argument")
	_, err = office("doc", "")
	wantCode(t, err, ports.Unauthenticated, "password_required")
	for range 2 {
		p, err := office("doc", "pw")
		if err != nil || !strings.HasPrefix(p.Link, "https://bucket.example") {
			t.Errorf("got %+v, %v", p, err)
		}
	}
	_, err = office("doc", "pw")
	wantCode(t, err, ports.Gone, "used_up")
	p, err := office("near", "")
	if err != nil || p.Link != "" || p.Ticket == "" {
		t.Errorf("storage on a private network: got %+v, %v", p, err)
	}
	if _, err := w.visits.Open(t.Context(), policy.Nobody, policy.ShareView, shares.Visit{Slug: near.Slug, Ticket: p.Ticket}); err != nil {
		t.Errorf("the ticket does not open the file: %v", err)
	}
}

func TestFileUpdate(t *testing.T) {
	w := newWorld(t)
	f := w.upload(shares.NewUpload{Slug: "s", Remark: "r", Password: "pw", MaxViews: 1}, "x")
	if _, err := w.visits.Verify(from("192.0.2.1"), policy.Nobody, shares.Visit{Slug: "s", Password: "pw"}); err != nil {
		t.Fatal(err)
	}
	got, err := w.files.Update(t.Context(), keyA, f.ID, shares.FileChange{Remark: shares.To(""), Slug: shares.To("t"), MaxViews: shares.To[int64](4),
		Password: shares.To(""), ExpiresAt: shares.To(at(time.Hour)), UseProxy: shares.To(true)})
	if err != nil {
		t.Fatal(err)
	}
	if got.Remark != "" || got.Slug != "t" || got.MaxViews != 4 || got.Views != 0 || got.UsedUp() || got.Protected() || !got.UseProxy || got.ExpiresAt == nil {
		t.Errorf("got %+v", got)
	}
	if _, err := w.visits.Info(t.Context(), policy.Nobody, shares.Visit{Slug: "t"}); err != nil {
		t.Errorf("a used-up file with a new limit: %v", err)
	}
	w.upload(shares.NewUpload{Slug: "taken"}, "x")
	for name, c := range map[string]struct {
		who  policy.Principal
		in   shares.FileChange
		code ports.Code
	}{
		"a key that changes nothing": {keyA, shares.FileChange{}, ports.Invalid},
		"a taken slug":               {keyA, shares.FileChange{Slug: shares.To("taken")}, ports.Conflict},
		"a bad slug":                 {keyA, shares.FileChange{Slug: shares.To("a b")}, ports.Invalid},
		"negative views":             {keyA, shares.FileChange{MaxViews: shares.To[int64](-2)}, ports.Invalid},
		"somebody else's":            {keyB, shares.FileChange{Remark: shares.To("x")}, ports.NotFound},
	} {
		if _, err := w.files.Update(t.Context(), c.who, f.ID, c.in); ports.CodeOf(err) != c.code {
			t.Errorf("%s: got %v", name, err)
		}
	}
	if _, err := w.files.Update(t.Context(), keyA, f.ID, shares.FileChange{Slug: shares.To("")}); err != nil {
		t.Errorf("an empty slug keeps the old one: %v", err)
	}
	if _, err := w.files.Update(t.Context(), admin, f.ID, shares.FileChange{}); err != nil {
		t.Errorf("the admin who changes nothing: %v", err)
	}
}

func TestOwnership(t *testing.T) {
	w := newWorld(t)
	f := w.upload(shares.NewUpload{Slug: "s"}, "x")
	p := w.paste(shares.NewPaste{Slug: "s"})
	for _, c := range []struct {
		name                    string
		who                     policy.Principal
		readPaste, readFile     ports.Code
		changePaste, changeFile ports.Code
	}{
		{"the owner", keyA, 0, 0, 0, 0},
		{"the admin", admin, 0, 0, 0, 0},
		{"another key", keyB, ports.NotFound, ports.Forbidden, ports.NotFound, ports.NotFound},
		{"a key without permission", noBits, ports.Forbidden, ports.Forbidden, ports.Forbidden, ports.Forbidden},
		{"nobody", policy.Nobody, ports.Unauthenticated, ports.Unauthenticated, ports.Unauthenticated, ports.Unauthenticated},
	} {
		_, rp := w.pastes.Get(t.Context(), c.who, p.ID)
		_, _, rf := w.files.Get(t.Context(), c.who, f.ID)
		_, cp := w.pastes.Update(t.Context(), c.who, p.ID, shares.PasteChange{Content: []byte("x")})
		_, cf := w.files.Update(t.Context(), c.who, f.ID, shares.FileChange{Remark: shares.To("x")})
		for i, got := range []error{rp, rf, cp, cf} {
			want := []ports.Code{c.readPaste, c.readFile, c.changePaste, c.changeFile}[i]
			if ports.CodeOf(got) != want || (want == 0) != (got == nil) {
				t.Errorf("%s, call %d: got %v, want code %d", c.name, i, got, want)
			}
		}
	}
}

func TestContract7_10_BatchDelete(t *testing.T) {
	w := newWorld(t)
	mine := w.upload(shares.NewUpload{Filename: "mine.txt"}, "x")
	kept := w.upload(shares.NewUpload{Filename: "kept.txt"}, "x")
	same1 := w.upload(shares.NewUpload{Filename: "same.txt"}, "x")
	same2 := w.twin(same1, "same2", nil)
	foreign, err := w.uploads.Upload(t.Context(), keyB, shares.NewUpload{Filename: "foreign.txt"}, strings.NewReader("x"), 1)
	if err != nil {
		t.Fatal(err)
	}
	exists := func(f *shares.File) bool { _, err := w.object(f.StoragePath); return err == nil }

	done, err := w.files.Delete(t.Context(), keyA, []string{mine.ID, foreign.ID, "nosuch"}, shares.DeleteBoth)
	if err != nil || done.Done != 1 || len(done.Failed) != 2 || done.Failed[0].ID != foreign.ID {
		t.Fatalf("got %+v, %v", done, err)
	}
	if exists(mine) || !exists(foreign) {
		t.Error("the wrong object was deleted")
	}
	if done, _ = w.files.Delete(t.Context(), keyA, []string{kept.ID}, shares.DeleteRecord); done.Done != 1 || !exists(kept) {
		t.Error("record_only touched the object")
	}
	if done, _ = w.files.Delete(t.Context(), keyA, []string{same1.ID}, shares.DeleteBoth); done.Done != 1 || !exists(same2) {
		t.Error("an object that another file uses was deleted")
	}
	w.bucket.Fail = func(method, _ string) error { return ports.ErrUnavailable }
	if done, _ = w.files.Delete(t.Context(), keyA, []string{same2.ID}, shares.DeleteBoth); done.Done != 1 || len(w.reports) != 1 {
		t.Errorf("with storage away: %+v, reports %v", done, w.reports)
	}
	_, err = w.files.Delete(t.Context(), keyA, []string{"x"}, "all")
	wantCode(t, err, ports.Invalid, "invalid_argument")
	_, err = w.files.Delete(t.Context(), keyA, nil, shares.DeleteBoth)
	wantCode(t, err, ports.Invalid, "invalid_argument")
}

func TestTypeOfUsesTheSettingsFirst(t *testing.T) {
	s := &settings{previews: map[string][]string{"text": {"foo", "pdf"}}}
	for name, want := range map[string]string{"a.foo": "text", "a.pdf": "text", "a.MP4": "video", "a": "unknown", "a.zip": "unknown", "a.docx": "office", "archive.tar.mp3": "audio"} {
		if _, got := filetype.Of(s, name); got != want {
			t.Errorf("%s: got %s, want %s", name, got, want)
		}
	}
}

// oldHashes takes passwords that equal the hash after "old$", as an imported
// database has them.
type oldHashes struct{ *portstest.Hasher }

func (h oldHashes) Verify(ctx context.Context, password, hash string) (bool, error) {
	if old, ok := strings.CutPrefix(hash, "old$"); ok {
		return old == password, nil
	}
	return h.Hasher.Verify(ctx, password, hash)
}

func TestContractW1_ImportedHashesAreReplacedAtTheFirstSuccess(t *testing.T) {
	w := newWorld(t)
	w.deps.Hasher = oldHashes{w.hasher}
	w.pastes = shares.NewPastes(w.deps)
	w.openFiles()
	p := w.paste(shares.NewPaste{Slug: "s", Terms: shares.Terms{Password: "pw"}})
	f := w.upload(shares.NewUpload{Slug: "s", Password: "pw"}, "x")
	if _, err := w.deps.Pastes.Update(t.Context(), p.ID, func(e *shares.Paste) error { e.PasswordHash = "old$pw"; return nil }); err != nil {
		t.Fatal(err)
	}
	if _, err := w.deps.Files.Update(t.Context(), f.ID, func(e *shares.File) error { e.PasswordHash = "old$pw"; return nil }); err != nil {
		t.Fatal(err)
	}
	for _, password := range []string{"no", "pw"} {
		_, perr := w.pastes.Verify(from("192.0.2.1"), policy.Nobody, shares.Visit{Slug: "s", Password: password})
		_, ferr := w.visits.Verify(from("192.0.2.1"), policy.Nobody, shares.Visit{Slug: "s", Password: password})
		if right := password == "pw"; (perr == nil) != right || (ferr == nil) != right {
			t.Fatalf("%s: %v, %v", password, perr, ferr)
		}
		gotPaste, _ := w.deps.Pastes.Get(t.Context(), p.ID)
		gotFile, _ := w.deps.Files.Get(t.Context(), f.ID)
		if renewed := password == "pw"; strings.HasPrefix(gotPaste.PasswordHash, "old$") == renewed || strings.HasPrefix(gotFile.PasswordHash, "old$") == renewed {
			t.Errorf("after %q: %s, %s", password, gotPaste.PasswordHash, gotFile.PasswordHash)
		}
	}
}

func TestAnUploadNeverTouchesAnotherObject(t *testing.T) {
	for _, tc := range []struct {
		name    string
		there   func(w *world)
		who     policy.Principal
		kept    bool // the plain name
		content string
	}{
		{"nothing there", func(*world) {}, keyB, true, ""},
		{"a file of another key", func(w *world) { w.upload(shares.NewUpload{Filename: "same.txt", Password: "pw"}, "secret") }, keyB, false, "secret"},
		{"a reservation of another key", func(w *world) {
			if _, err := w.uploads.Presign(t.Context(), keyA, presign(shares.NewUpload{Filename: "same.txt"})); err != nil {
				t.Fatal(err)
			}
		}, keyB, false, ""},
		{"an object without a share", func(w *world) {
			f := w.upload(shares.NewUpload{Filename: "same.txt"}, "kept")
			if _, err := w.files.Delete(t.Context(), keyA, []string{f.ID}, shares.DeleteRecord); err != nil {
				t.Fatal(err)
			}
		}, keyB, false, "kept"},
		{"one's own file", func(w *world) { w.upload(shares.NewUpload{Filename: "same.txt"}, "first") }, keyA, false, "first"},
		{"an upload of one's own under way", func(w *world) {
			if _, err := w.uploads.Presign(t.Context(), keyA, presign(shares.NewUpload{Filename: "same.txt"})); err != nil {
				t.Fatal(err)
			}
		}, keyA, false, ""},
		{"an upload under way, for the administrator", func(w *world) {
			if _, err := w.uploads.Presign(t.Context(), admin, presign(shares.NewUpload{Filename: "same.txt"})); err != nil {
				t.Fatal(err)
			}
		}, admin, false, ""},
		{"anybody's file, for the administrator", func(w *world) { w.upload(shares.NewUpload{Filename: "same.txt"}, "first") }, admin, false, "first"},
		{"a file of one's own that has gone with its object", func(w *world) {
			f := w.upload(shares.NewUpload{Filename: "same.txt"}, "gone")
			if _, err := w.files.Delete(t.Context(), keyA, []string{f.ID}, shares.DeleteBoth); err != nil {
				t.Fatal(err)
			}
		}, keyA, true, ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			w := newWorld(t)
			tc.there(w)
			w.clock.Add(time.Hour)
			p, err := w.uploads.Presign(t.Context(), tc.who, presign(shares.NewUpload{Filename: "same.txt", Slug: "mine"}))
			if err != nil {
				t.Fatal(err)
			}
			if kept := p.File.StoragePath == "up/same.txt"; kept != tc.kept {
				t.Errorf("the upload goes to %q", p.File.StoragePath)
			}
			if stored, err := w.db.Files().Get(t.Context(), p.File.ID); err != nil || stored.StoragePath != p.File.StoragePath {
				t.Errorf("the record says %+v, %v", stored, err)
			}
			if !tc.kept {
				if _, err := w.uploads.Commit(t.Context(), tc.who, p.File.ID); ports.CodeOf(err) != ports.Invalid {
					t.Errorf("a commit without an upload: %v", err)
				}
				w.put(p.URL, "mine")
			}
			if tc.content != "" && !tc.kept {
				body, err := w.bucket.Read(t.Context(), "up/same.txt", objstore.Range{})
				if err != nil {
					t.Fatal(err)
				}
				if got, _ := io.ReadAll(body); string(got) != tc.content {
					t.Errorf("the object that was there holds %q", got)
				}
			}
		})
	}
}

func TestAnUploadIsAwaitedUntilItIsCommittedOrGivenUp(t *testing.T) {
	w := newWorld(t)
	awaits := func() (ids [2]string, is func(string) bool) {
		for i := range ids {
			p, err := w.uploads.Presign(t.Context(), keyA, presign(shares.NewUpload{}))
			if err != nil {
				t.Fatal(err)
			}
			w.put(p.URL, "hello")
			ids[i] = p.File.ID
		}
		return ids, func(id string) bool {
			is, err := w.uploads.Awaits(t.Context(), id)
			if err != nil {
				t.Fatal(err)
			}
			return is
		}
	}
	ids, is := awaits()
	if !is(ids[0]) || !is(ids[1]) || is("nosuch") {
		t.Errorf("at first: %t %t %t", is(ids[0]), is(ids[1]), is("nosuch"))
	}
	if _, err := w.uploads.Commit(t.Context(), keyA, ids[0]); err != nil {
		t.Fatal(err)
	}
	if _, err := w.files.Delete(t.Context(), keyA, ids[1:], shares.DeleteBoth); err != nil {
		t.Fatal(err)
	}
	if is(ids[0]) || is(ids[1]) {
		t.Errorf("committed: %t, deleted: %t", is(ids[0]), is(ids[1]))
	}
}

// slowHasher takes its time, as a real one does.
type slowHasher struct{ ports.Hasher }

func (h slowHasher) Verify(ctx context.Context, password, hash string) (bool, error) {
	time.Sleep(5 * time.Millisecond)
	return h.Hasher.Verify(ctx, password, hash)
}

func TestABurstOfGuessesDoesNotPassTheLimit(t *testing.T) {
	w := newWorld(t)
	w.upload(shares.NewUpload{Slug: "s", Password: "pw"}, "x")
	w.deps.Hasher = slowHasher{w.hasher}
	w.openFiles()
	var wrong atomic.Int32
	var all sync.WaitGroup
	for i := range 60 {
		all.Go(func() {
			_, err := w.visits.Verify(from("192.0.2.1"), policy.Nobody, shares.Visit{Slug: "s", Password: fmt.Sprint("no", i)})
			if ports.CodeOf(err) == ports.Unauthenticated {
				wrong.Add(1)
			}
		})
	}
	all.Wait()
	if n := wrong.Load(); n != 10 {
		t.Errorf("%d guesses were checked, want 10", n)
	}
}

// Nothing goes on behind the back of a caller whose upload was refused.
func TestARefusedUploadLeavesNothingRunning(t *testing.T) {
	for method, ask := range map[string]func(context.Context, *shares.FileUploads) error{
		"Sign": func(ctx context.Context, u *shares.FileUploads) error {
			_, err := u.Presign(ctx, keyA, presign(shares.NewUpload{Slug: "taken"}))
			return err
		},
		"Stat": func(ctx context.Context, u *shares.FileUploads) error {
			_, err := u.Reserve(ctx, keyA, shares.NewUpload{Slug: "taken", Filename: "b.txt"})
			return err
		},
	} {
		t.Run(method, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := newWorld(t)
				w.upload(shares.NewUpload{Slug: "taken", Filename: "a.txt"}, "one")
				var running, returned atomic.Bool
				asked, goOn := make(chan struct{}), make(chan struct{})
				d := w.deps
				d.Files = later{d.Files, asked}
				uploads := shares.NewFileUploads(shares.NewFiles(d))
				w.bucket.Fail = func(called, _ string) error {
					if called == method {
						running.Store(true)
						close(asked)
						<-goOn
						running.Store(false)
					}
					return nil
				}
				go func() {
					wantCode(t, ask(t.Context(), uploads), ports.Conflict, "slug_taken")
					returned.Store(true)
				}()
				synctest.Wait()
				if !running.Load() || returned.Load() {
					t.Errorf("storage is asked: %t, and the caller is gone: %t", running.Load(), returned.Load())
				}
				close(goOn)
				synctest.Wait()
				if running.Load() || !returned.Load() {
					t.Error("somebody waits for ever")
				}
			})
		})
	}
}

// later stores a record to come once storage has been asked.
type later struct {
	shares.FileRepository
	asked <-chan struct{}
}

func (l later) Reserve(ctx context.Context, f *shares.File, most int64) error {
	<-l.asked
	return l.FileRepository.Reserve(ctx, f, most)
}
