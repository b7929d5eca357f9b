package shares_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"pasteport/domain/shares"
	"pasteport/ports"
	"pasteport/ports/objstore"
	"pasteport/ports/policy"
)

// keeping is a world whose shares keep versions, and whose share "s" had the
// files "one", "second" and, at present, "the third".
func keeping(t *testing.T) (w *world, present *shares.File) {
	w = newWorld(t)
	w.settings.revisions = ports.Revisions{Kept: 5, Age: 24 * time.Hour}
	w.upload(shares.NewUpload{Slug: "s", Filename: "1.txt", MaxViews: 9}, "one")
	w.replace("2.txt", "second")
	return w, w.replace("3.txt", "the third")
}

func (w *world) replace(name, content string) *shares.File {
	w.t.Helper()
	w.clock.Add(time.Hour)
	return w.upload(shares.NewUpload{Slug: "s", Filename: name, Override: true}, content)
}

// kept lists what is kept of a file, as "version by name content", newest first.
func (w *world) kept(id string) (all []string) {
	w.t.Helper()
	h, err := w.versions.History(w.t.Context(), keyA, id)
	if err != nil {
		w.t.Fatal(err)
	}
	for _, v := range h.Earlier {
		all = append(all, fmt.Sprintf("%d %s %s %s", v.Version, v.EditedBy, v.Filename, w.version(id, v.Version)))
	}
	return all
}

func (w *world) version(id string, version int64) string {
	w.t.Helper()
	o, err := w.versions.Open(w.t.Context(), keyA, id, version)
	if err != nil {
		w.t.Fatal(err)
	}
	return w.content(o.Read)
}

func (w *world) wantKept(id string, want ...string) {
	w.t.Helper()
	if got := w.kept(id); !slices.Equal(got, want) {
		w.t.Errorf("kept are %q, want %q", got, want)
	}
}

// opens is what a visitor downloads from "s".
func (w *world) opens() string {
	w.t.Helper()
	o, err := w.visits.Open(w.t.Context(), policy.Nobody, policy.ShareDownload, shares.Visit{Slug: "s"})
	if err != nil {
		w.t.Fatal(err)
	}
	return w.content(o.Read)
}

func (w *world) content(read func(context.Context, objstore.Range) (*objstore.Body, error)) string {
	w.t.Helper()
	body, err := read(w.t.Context(), objstore.Range{})
	if err != nil {
		w.t.Fatal(err)
	}
	defer body.Close()
	content, err := io.ReadAll(body)
	if err != nil {
		w.t.Fatal(err)
	}
	return string(content)
}

func (w *world) sweepTwice() {
	w.t.Helper()
	for range 2 { // what is let go by one sweep goes with the next
		w.clock.Add(time.Hour)
		if _, err := w.janitor.Sweep(w.t.Context()); err != nil {
			w.t.Fatal(err)
		}
	}
}

func TestAReplacedFileIsKeptAsAVersionThatNoVisitorFinds(t *testing.T) {
	w, f := keeping(t)
	w.wantKept(f.ID, "2 apikey:a 2.txt second", "1 apikey:a 1.txt one")
	if got := w.opens(); got != "the third" {
		t.Errorf("visitors get %q", got)
	}
	page, _, err := w.files.List(t.Context(), keyA, shares.FileFilter{Paging: ports.Paging{Limit: 9}})
	if err != nil || page.Total != 1 {
		t.Errorf("listed are %d, %v", page.Total, err)
	}
	old, err := w.db.FileVersions().Versions(t.Context(), f.ID)
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range old {
		_, err := w.visits.Info(t.Context(), policy.Nobody, shares.Visit{Slug: v.Slug})
		wantCode(t, err, ports.NotFound, "not_found")
		_, _, err = w.files.Get(t.Context(), keyA, v.ID)
		wantCode(t, err, ports.NotFound, "not_found")
		_, err = w.files.Update(t.Context(), keyA, v.ID, shares.FileChange{MaxViews: shares.To(int64(9))})
		wantCode(t, err, ports.NotFound, "not_found")
		wantCode(t, w.files.DeleteOne(t.Context(), keyA, v.ID, shares.DeleteBoth), ports.NotFound, "not_found")
	}
	w.sweepTwice()
	w.wantKept(f.ID, "2 apikey:a 2.txt second", "1 apikey:a 1.txt one")
}

func TestAVersionComesBackAndWhatItReplacesIsOne(t *testing.T) {
	w, f := keeping(t)
	w.clock.Add(time.Hour)
	back, err := w.versions.Restore(t.Context(), keyA, f.ID, 1)
	if err != nil || back.ID != f.ID || back.Slug != "s" || back.Filename != "1.txt" || back.Version != 4 {
		t.Fatalf("got %+v, %v", back, err)
	}
	if got := w.opens(); got != "one" {
		t.Errorf("visitors get %q", got)
	}
	w.wantKept(f.ID, "3 apikey:a 3.txt the third", "2 apikey:a 2.txt second")
	next := w.replace("4.txt", "four")
	w.wantKept(next.ID, "4 apikey:a 1.txt one", "3 apikey:a 3.txt the third", "2 apikey:a 2.txt second")
	_, err = w.versions.Restore(t.Context(), keyA, next.ID, 1)
	wantCode(t, err, ports.NotFound, "not_found")
}

func TestVersionsAreForTheOwnerOfTheShare(t *testing.T) {
	w, f := keeping(t)
	_, err := w.versions.History(t.Context(), keyB, f.ID)
	wantCode(t, err, ports.Forbidden, "not_owner")
	_, err = w.versions.Open(t.Context(), keyB, f.ID, 1)
	wantCode(t, err, ports.Forbidden, "not_owner")
	_, err = w.versions.Restore(t.Context(), keyB, f.ID, 1)
	wantCode(t, err, ports.NotFound, "not_found")
	wantCode(t, w.versions.Switch(t.Context(), keyB, f.ID, shares.To(false)), ports.NotFound, "not_found")
	_, err = w.versions.Open(t.Context(), keyA, f.ID, 3) // that is the present one
	wantCode(t, err, ports.NotFound, "not_found")
	wantCode(t, w.versions.Switch(t.Context(), keyA, f.ID, shares.Field[bool]{}), ports.Invalid, "invalid_argument")
	w.wantKept(f.ID, "2 apikey:a 2.txt second", "1 apikey:a 1.txt one")
}

func TestVersionsGoWithTheirShare(t *testing.T) {
	for name, end := range map[string]func(*world, *shares.File) error{
		"deleted": func(w *world, f *shares.File) error {
			return w.files.DeleteOne(t.Context(), keyA, f.ID, shares.DeleteBoth)
		},
		"revoked with its owner": func(w *world, _ *shares.File) error {
			_, err := w.files.RevokeBy(t.Context(), "apikey:a")
			return err
		},
		"expired": func(w *world, f *shares.File) error {
			soon := w.clock.Now().Add(time.Minute)
			_, err := w.files.Update(t.Context(), keyA, f.ID, shares.FileChange{ExpiresAt: shares.To(&soon)})
			w.clock.Add(8 * 24 * time.Hour)
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			w, f := keeping(t)
			if err := end(w, f); err != nil {
				t.Fatal(err)
			}
			w.sweepTwice()
			if keys := w.bucket.Keys(); len(keys) > 0 {
				t.Errorf("%q are left", keys)
			}
			usage, err := w.files.Usage(t.Context())
			if err != nil || usage["public"].Bytes+usage["private"].Bytes != 0 {
				t.Errorf("%v are counted, %v", usage, err)
			}
		})
	}
}

func TestAsManyVersionsAreKeptAsTheSettingsSayAndForSoLong(t *testing.T) {
	w, _ := keeping(t)
	w.settings.revisions.Kept = 2
	f := w.replace("4.txt", "four")
	w.wantKept(f.ID, "3 apikey:a 3.txt the third", "2 apikey:a 2.txt second")
	w.sweepTwice()
	if n := len(w.bucket.Keys()); n != 3 {
		t.Errorf("%d objects are there", n)
	}
	w.clock.Add(19*time.Hour + 30*time.Minute)
	w.sweepTwice()
	w.wantKept(f.ID, "3 apikey:a 3.txt the third") // replaced later than a day ago
	w.clock.Add(24 * time.Hour)
	w.sweepTwice()
	w.wantKept(f.ID)
	if n := len(w.bucket.Keys()); n != 1 {
		t.Errorf("%d objects are there", n)
	}
	w.settings.revisions.Kept = 0
	w.wantKept(w.replace("5.txt", "five").ID)
}

func TestAShareMayKeepNoVersions(t *testing.T) {
	w, f := keeping(t)
	if err := w.versions.Switch(t.Context(), keyA, f.ID, shares.To(false)); err != nil {
		t.Fatal(err)
	}
	w.wantKept(f.ID)
	w.replace("4.txt", "four")
	f = w.replace("5.txt", "five") // it stays so
	w.wantKept(f.ID)
	if h, err := w.versions.History(t.Context(), keyA, f.ID); err != nil || !h.Off {
		t.Errorf("got %+v, %v", h, err)
	}
	w.sweepTwice()
	if n := len(w.bucket.Keys()); n != 1 {
		t.Errorf("%d objects are there", n)
	}
}

// The link changes hands with the commit, and not with whoever comes first.
func TestUntilTheCommitVisitorsGetWhatIsReplaced(t *testing.T) {
	for name, kept := range map[string]int{"versions": 5, "none": 0} {
		t.Run(name, func(t *testing.T) {
			w, f := keeping(t)
			w.settings.revisions.Kept = kept
			p, err := w.uploads.Presign(t.Context(), keyA, presign(shares.NewUpload{Slug: "s", Filename: "4.txt", Override: true}))
			if err != nil || p.File.Slug != "s" || p.File.MaxViews != 9 || p.File.ID == f.ID {
				t.Fatalf("%+v, %v", p, err)
			}
			if got := w.opens(); got != "the third" {
				t.Errorf("while nothing has come visitors get %q", got)
			}
			w.put(p.URL, "four")
			if got := w.opens(); got != "the third" {
				t.Errorf("before the commit visitors get %q", got)
			}
			if shown, _, err := w.files.Get(t.Context(), keyA, p.File.ID); err != nil || shown.Slug != "s" {
				t.Errorf("its owner sees %+v, %v", shown, err)
			}
			for range 2 { // it may be repeated
				done, err := w.uploads.Commit(t.Context(), keyA, p.File.ID)
				if err != nil || done.ID != f.ID || done.Slug != "s" || done.Filename != "4.txt" || done.Size != 4 || done.Views != 2 {
					t.Fatalf("got %+v, %v", done, err)
				}
			}
			wantCode(t, w.uploads.Cancel(t.Context(), keyA, p.File.ID), ports.NotFound, "not_found")
			if got := w.opens(); got != "four" {
				t.Errorf("visitors get %q", got)
			}
			if kept == 0 {
				w.wantKept(f.ID)
				if keys := w.bucket.Keys(); len(keys) != 1 {
					t.Errorf("%q are left", keys)
				}
				return
			}
			w.wantKept(f.ID, "3 apikey:a 3.txt the third", "2 apikey:a 2.txt second", "1 apikey:a 1.txt one")
		})
	}
}

// Whoever commits last wins, and all others are versions.
func TestOfManyReplacementsTheLastCommitWins(t *testing.T) {
	w, f := keeping(t)
	w.settings.revisions.Kept = 99
	var ids []string
	for i := range 16 {
		p, err := w.uploads.Presign(t.Context(), keyA, presign(shares.NewUpload{Slug: "s", Filename: fmt.Sprint(i, ".txt"), Override: true}))
		if err != nil {
			t.Fatal(err)
		}
		w.put(p.URL, fmt.Sprint("number ", i))
		ids = append(ids, p.File.ID)
	}
	var wg sync.WaitGroup
	for _, id := range ids[1:] {
		for range 2 {
			wg.Go(func() {
				if _, err := w.uploads.Commit(t.Context(), keyA, id); err != nil {
					t.Error(err)
				}
			})
		}
	}
	wg.Wait()
	if _, err := w.uploads.Commit(t.Context(), keyA, ids[0]); err != nil {
		t.Fatal(err)
	}
	if got := w.opens(); got != "number 0" {
		t.Errorf("visitors get %q", got)
	}
	seen := map[string]bool{}
	for _, v := range w.kept(f.ID) {
		if _, name, _ := strings.Cut(v, ".txt "); seen[name] {
			t.Errorf("%q is kept twice", name)
		} else {
			seen[name] = true
		}
	}
	if len(seen) != 18 {
		t.Errorf("%d versions are kept", len(seen))
	}
}

func TestWhatWasDeletedMeanwhileIsNotReplaced(t *testing.T) {
	w, f := keeping(t)
	p, err := w.uploads.Presign(t.Context(), keyA, presign(shares.NewUpload{Slug: "s", Filename: "4.txt", Override: true}))
	if err != nil {
		t.Fatal(err)
	}
	w.put(p.URL, "four")
	if err := w.files.DeleteOne(t.Context(), keyA, f.ID, shares.DeleteBoth); err != nil {
		t.Fatal(err)
	}
	_, err = w.uploads.Commit(t.Context(), keyA, p.File.ID)
	wantCode(t, err, ports.NotFound, "not_found")
	if keys := w.bucket.Keys(); len(keys) > 0 {
		t.Errorf("%q are left", keys)
	}
}

func TestWhatComesWhileItsShareIsDeletedGoesWithIt(t *testing.T) {
	w, f := keeping(t)
	p, err := w.uploads.Presign(t.Context(), keyA, presign(shares.NewUpload{Slug: "s", Filename: "4.txt", Override: true}))
	if err != nil {
		t.Fatal(err)
	}
	w.put(p.URL, "four")
	w.decider.meanwhile = map[policy.Action]func(){policy.FileDelete: func() {
		if _, err := w.uploads.Commit(t.Context(), keyA, p.File.ID); err != nil {
			t.Error(err)
		}
	}}
	if err := w.files.DeleteOne(t.Context(), keyA, f.ID, shares.DeleteBoth); err != nil {
		t.Fatal(err)
	}
	if keys := w.bucket.Keys(); len(keys) > 0 {
		t.Errorf("%q are left", keys)
	}
}

// What the owner has changed while the file was on its way stands.
func TestAGateThatWasChangedMeanwhileStands(t *testing.T) {
	w, f := keeping(t)
	p, err := w.uploads.Presign(t.Context(), keyA, presign(shares.NewUpload{Slug: "s", Filename: "4.txt", Override: true}))
	if err != nil {
		t.Fatal(err)
	}
	w.put(p.URL, "four")
	if _, err := w.files.Update(t.Context(), keyA, f.ID, shares.FileChange{Password: shares.To("secret"), Slug: shares.To("other")}); err != nil {
		t.Fatal(err)
	}
	done, err := w.uploads.Commit(t.Context(), keyA, p.File.ID)
	if err != nil || !done.Protected() || done.Slug != "other" {
		t.Fatalf("got %+v, %v", done, err)
	}
}

// An item of a collection stays one.
func TestAnItemOfACollectionIsReplacedInItsPlace(t *testing.T) {
	w := newWorld(t)
	f := w.upload(shares.NewUpload{Slug: "s", Filename: "1.txt"}, "one")
	if _, err := w.db.Files().Update(t.Context(), f.ID, func(e *shares.File) error { e.Collection, e.Position = "c", 3; return nil }); err != nil {
		t.Fatal(err)
	}
	next := w.replace("2.txt", "second")
	if next.ID != f.ID || next.Collection != "c" || next.Position != 3 || next.Filename != "2.txt" {
		t.Errorf("got %+v", next)
	}
	if keys := w.bucket.Keys(); len(keys) != 1 {
		t.Errorf("%q are left", keys)
	}
}

func TestAnUploadThatFailsLeavesTheShareAsItWas(t *testing.T) {
	failure := errors.New("the storage is away")
	for name, fail := range map[string]func(*world) error{
		"cut short": func(w *world) error {
			_, err := w.uploads.Upload(t.Context(), keyA, shares.NewUpload{Slug: "s", Filename: "4.txt", Override: true}, io.MultiReader(strings.NewReader("fo"), failing{failure}), 4)
			return err
		},
		"never sent": func(w *world) error {
			_, err := w.uploads.Presign(t.Context(), keyA, presign(shares.NewUpload{Slug: "s", Filename: "4.txt", Override: true}))
			if err != nil {
				w.t.Fatal(err)
			}
			w.clock.Add(25 * time.Hour)
			w.settings.revisions.Age = 0
			w.sweepTwice()
			return failure
		},
		"cancelled": func(w *world) error {
			p, err := w.uploads.Presign(t.Context(), keyA, presign(shares.NewUpload{Slug: "s", Filename: "4.txt", Override: true}))
			if err != nil {
				w.t.Fatal(err)
			}
			pending := p.File.ID
			if err := w.files.DeleteOne(t.Context(), keyA, pending, shares.DeleteBoth); err != nil {
				w.t.Fatal(err)
			}
			return failure
		},
		"replaced itself": func(w *world) error {
			for range 2 {
				p, err := w.uploads.Presign(t.Context(), keyA, presign(shares.NewUpload{Slug: "s", Filename: "4.txt", Override: true}))
				if err != nil {
					w.t.Fatal(err)
				}
				if err := w.uploads.Cancel(t.Context(), keyA, p.File.ID); err != nil {
					w.t.Fatal(err)
				}
			}
			return failure
		},
	} {
		t.Run(name, func(t *testing.T) {
			w, f := keeping(t)
			w.settings.revisions.Kept = 2 // as many as there are
			if err := fail(w); !errors.Is(err, failure) {
				t.Fatal(err)
			}
			if got := w.opens(); got != "the third" {
				t.Errorf("visitors get %q", got)
			}
			w.wantKept(f.ID, "2 apikey:a 2.txt second", "1 apikey:a 1.txt one")
		})
		t.Run(name+", of a share that keeps no versions", func(t *testing.T) {
			w, f := keeping(t)
			if err := w.versions.Switch(t.Context(), keyA, f.ID, shares.To(false)); err != nil {
				t.Fatal(err)
			}
			if err := fail(w); !errors.Is(err, failure) {
				t.Fatal(err)
			}
			if got := w.opens(); got != "the third" {
				t.Errorf("visitors get %q", got)
			}
		})
	}
}

func TestNoUploadFailsForTheSakeOfVersions(t *testing.T) {
	w, f := keeping(t)
	w.decider.limits.Quotas.BytesStored = int64(len("one"+"second"+"the third") + 2)
	next := w.replace("4.txt", "four")
	if got := w.opens(); got != "four" {
		t.Errorf("visitors get %q", got)
	}
	w.wantKept(next.ID)
	if n := len(w.bucket.Keys()); n != 1 {
		t.Errorf("%d objects are there", n)
	}
	if f.ID != next.ID {
		t.Error("another share")
	}
	w.decider.limits.Quotas.BytesStored = 8
	_, err := w.uploads.Upload(t.Context(), keyA, shares.NewUpload{Slug: "s", Filename: "5.txt", Override: true}, strings.NewReader("four more"), 9)
	if !ports.Is(err, ports.Quota) {
		t.Errorf("got %v", err)
	}
	if got := w.opens(); got != "four" {
		t.Errorf("after one that is too large visitors get %q", got)
	}
}

// Of two files to come, for both of which there is no room, the later one takes the
// place of the other; one that finds no room even so takes nothing.
func TestWhatFindsNoRoomTakesNothingAway(t *testing.T) {
	for name, bound := range map[string]func(w *world){
		"of the owner":   func(w *world) { w.decider.limits.Quotas.BytesStored = int64(len("onesecondthe third") + 2) },
		"of the day":     func(w *world) { w.decider.limits.Quotas.BytesStored, w.decider.limits.Quotas.BytesDay = 20, 42 },
		"of the storage": func(w *world) { w.holds(int64(len("onesecondthe third") + 2)) },
	} {
		t.Run(name, func(t *testing.T) {
			w, _ := keeping(t)
			bound(w)
			announce := func(name string, size int64) (*shares.Presigned, error) {
				return w.uploads.Presign(t.Context(), keyA, presign(shares.NewUpload{Slug: "s", Filename: name, Size: size, Override: true}))
			}
			first, err := announce("4.txt", 18)
			if err != nil {
				t.Fatal(err)
			}
			w.put(first.URL, "four, which is long")
			if _, err = announce("5.txt", 25); !ports.Is(err, ports.Quota) {
				t.Errorf("got %v", err)
			}
			second, err := announce("6.txt", 20) // has room without the first
			if err != nil {
				t.Fatal(err)
			}
			_, err = w.uploads.Commit(t.Context(), keyA, first.File.ID)
			wantCode(t, err, ports.NotFound, "not_found")
			w.put(second.URL, "six")
			if _, err = announce("7.txt", 25); !ports.Is(err, ports.Quota) {
				t.Errorf("got %v", err)
			}
			if _, err := w.uploads.Commit(t.Context(), keyA, second.File.ID); err != nil {
				t.Fatal(err)
			}
			if got := w.opens(); got != "six" {
				t.Errorf("visitors get %q", got)
			}
			if keys := w.bucket.Keys(); len(keys) != 1 {
				t.Errorf("%q are left", keys)
			}
		})
	}
}

func TestAShareThatKeepsNoneDoesSoWithoutRoomForBoth(t *testing.T) {
	w, f := keeping(t)
	if err := w.versions.Switch(t.Context(), keyA, f.ID, shares.To(false)); err != nil {
		t.Fatal(err)
	}
	w.sweepTwice()
	w.holds(int64(len("the third") + 2))
	next := w.replace("4.txt", "four")
	if got := w.opens(); got != "four" {
		t.Errorf("visitors get %q", got)
	}
	if h, err := w.versions.History(t.Context(), keyA, next.ID); err != nil || !h.Off {
		t.Errorf("got %+v, %v", h, err)
	}
}

func TestALinkOfStorageToAFileEndsWhenTheFileIsReplaced(t *testing.T) {
	w, f := keeping(t)
	current := func() bool {
		t.Helper()
		yes, err := w.files.Current(t.Context(), f.ID, f.Version, f.StorageConfigID, f.StoragePath)
		if err != nil {
			t.Fatal(err)
		}
		return yes
	}
	if !current() {
		t.Error("the link is dead before")
	}
	w.replace("4.txt", "four")
	if current() {
		t.Error("the link to what was replaced lives")
	}
}

// failing is a body that breaks off.
type failing struct{ err error }

func (f failing) Read([]byte) (int, error) { return 0, f.err }

func TestWhatReplacesAFileKeepsTheGateOfItsShare(t *testing.T) {
	w := newWorld(t)
	day := 24 * time.Hour
	for name, keep := range map[string]int{"versions": 5, "none": 0} {
		t.Run(name, func(t *testing.T) {
			w.settings.revisions = ports.Revisions{Kept: keep, Age: day}
			slug := "s" + name
			put := func(in shares.NewUpload) *shares.File {
				t.Helper()
				in.Slug, in.Override = slug, true
				return w.upload(in, "x")
			}
			first := put(shares.NewUpload{Password: "secret", ExpiresIn: 48, MaxViews: 3, Latch: shares.Latch{KeyOnly: true, SlideBy: day, SlideUntil: at(96 * time.Hour)}})
			read := func(password string) error {
				o, err := w.visits.Open(t.Context(), keyB, policy.ShareDownload, shares.Visit{Slug: slug, Password: password})
				if err != nil {
					return err
				}
				body, err := o.Read(t.Context(), objstore.Range{})
				if err != nil {
					return err
				}
				return body.Close()
			}
			if err := read("secret"); err != nil {
				t.Fatal(err)
			}
			// Rules and limits see what is kept.
			w.settings.limits = ports.ShareLimits{MaxAge: 200 * time.Hour, MaxViews: 50, Password: true}
			defer func() { w.settings.limits = ports.ShareLimits{} }()
			next := put(shares.NewUpload{})
			if got, want := w.decider.last().on.Share, (policy.ShareTerms{HasPassword: true, KeyOnly: true, MaxViews: 3, ExpiresIn: 96 * 3600}); got != want {
				t.Errorf("rules see %+v, want %+v", got, want)
			}
			if next.ID != first.ID || next.PasswordHash != first.PasswordHash || !next.ExpiresAt.Equal(*at(48 * time.Hour)) || next.MaxViews != 3 || next.Views != 1 || !next.KeyOnly || next.SlideBy != day || !next.SlideUntil.Equal(*at(96 * time.Hour)) {
				t.Errorf("got %+v of %+v", next.Gate, first.Gate)
			}
			wantCode(t, read(""), ports.Unauthenticated, "password_required")

			given := put(shares.NewUpload{Password: "other", ExpiresIn: 1, MaxViews: 2})
			if given.PasswordHash == next.PasswordHash || !given.ExpiresAt.Equal(*at(time.Hour)) || given.SlideBy != 0 || given.MaxViews != 2 || given.Views != 0 || !given.KeyOnly {
				t.Errorf("what is given anew: %+v", given.Gate)
			}
			w.clock.Add(2 * time.Hour)
			w.settings.limits.MaxAge = 0
			late := put(shares.NewUpload{})
			if late.PasswordHash != given.PasswordHash || late.ExpiresAt != nil || late.MaxViews != 2 || late.Views != 0 {
				t.Errorf("of one that has ended: %+v", late.Gate)
			}
			w.clock.Add(-2 * time.Hour)
		})
	}
}
