package shares_test

import (
	"archive/zip"
	"bytes"
	"context"
	"encoding/base64"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"pasteport/domain/shares"
	"pasteport/domain/shares/collections"
	"pasteport/ports"
	"pasteport/ports/objstore"
	"pasteport/ports/policy"
)

// set makes a collection of keyA of files with these contents, named 0.txt,
// 1.txt and so on.
func (w *world) set(in collections.Draft, contents ...string) (*collections.Collection, []shares.File) {
	w.t.Helper()
	for i, content := range contents {
		in.Files = append(in.Files, w.upload(shares.NewUpload{Filename: fmt.Sprintf("%d.txt", i)}, content).ID)
	}
	c, items, err := w.sets.Create(context.Background(), keyA, in)
	if err != nil {
		w.t.Fatalf("make a collection: %v", err)
	}
	return c, items
}

func (w *world) setVisits() *collections.Visits {
	return collections.NewVisits(w.sets, w.visits)
}

// itemText reads an item as a visitor.
func itemText(ctx context.Context, visits *collections.Visits, v shares.Visit, item string, r objstore.Range) (string, error) {
	opened, err := visits.Open(ctx, policy.Nobody, policy.ShareDownload, v, item)
	if err != nil {
		return "", err
	}
	body, err := opened.Read(ctx, r)
	if err != nil {
		return "", err
	}
	defer body.Close()
	text, err := io.ReadAll(body)
	return string(text), err
}

func TestACollectionIsOneLinkForItsItemsAlone(t *testing.T) {
	w := newWorld(t)
	other := w.upload(shares.NewUpload{Slug: "alone"}, "alone")
	c, items := w.set(collections.Draft{Title: "Trip", Slug: "trip"}, "first", "second")
	visits, ctx := w.setVisits(), from("192.0.2.1")

	r, err := visits.Read(ctx, policy.Nobody, shares.Visit{Slug: "trip"})
	if err != nil || r.Title != "Trip" || r.Views != 1 || len(r.Items) != 2 || r.Items[0].Filename != "0.txt" || r.Items[1].Filename != "1.txt" {
		t.Fatalf("read: %+v, %v", r, err)
	}
	v := shares.Visit{Slug: "trip", Ticket: r.Ticket}
	for i, want := range []string{"first", "second"} {
		if got, err := itemText(ctx, visits, v, items[i].ID, objstore.Range{}); err != nil || got != want {
			t.Errorf("item %d reads %q, %v", i, got, err)
		}
	}
	for _, id := range []string{other.ID, c.ID, "", "x", "../" + items[0].ID, items[0].Slug} {
		_, err := itemText(ctx, visits, v, id, objstore.Range{})
		wantCode(t, err, ports.NotFound, "not_found")
	}
	second, foreign := w.set(collections.Draft{Slug: "second"}, "of another collection")
	_, err = itemText(ctx, visits, v, foreign[0].ID, objstore.Range{})
	wantCode(t, err, ports.NotFound, "not_found")
	_, err = itemText(ctx, visits, shares.Visit{Slug: second.Slug}, items[0].ID, objstore.Range{})
	wantCode(t, err, ports.NotFound, "not_found")
	if got, _, err := w.sets.Get(ctx, keyA, "trip"); err != nil || got.Views != 1 {
		t.Errorf("the owner sees %d views, %v; a visit is one", got.Views, err)
	}
}

func TestAnItemHasNoLinkAndNoGateOfItsOwn(t *testing.T) {
	w := newWorld(t)
	f := w.upload(shares.NewUpload{Slug: "once", Password: "pw", ExpiresIn: 1, MaxViews: 1}, "hello")
	if _, err := w.visits.Verify(from("192.0.2.1"), policy.Nobody, shares.Visit{Slug: "missing", Password: "pw"}); err == nil {
		t.Fatal("an unknown slug opened")
	}
	w.set(collections.Draft{Slug: "c", Files: []string{f.ID}})
	_, err := w.visits.Info(from("192.0.2.1"), policy.Nobody, shares.Visit{Slug: "once"})
	wantCode(t, err, ports.NotFound, "not_found")
	_, err = w.visits.Open(from("192.0.2.1"), policy.Nobody, policy.ShareDownload, shares.Visit{Slug: "once", Password: "pw"})
	wantCode(t, err, ports.NotFound, "not_found")
	_, err = w.files.Update(t.Context(), keyA, f.ID, shares.FileChange{Password: shares.To("new")})
	wantCode(t, err, ports.Conflict, "item_taken")
	w.clock.Add(2 * time.Hour)
	for range 2 {
		if got, err := itemText(from("192.0.2.1"), w.setVisits(), shares.Visit{Slug: "c"}, f.ID, objstore.Range{}); err != nil || got != "hello" {
			t.Errorf("got %q, %v", got, err)
		}
	}
}

func TestAPasswordHidesWhatACollectionHolds(t *testing.T) {
	w := newWorld(t)
	_, items := w.set(collections.Draft{Title: "Secret", Slug: "s", Terms: shares.Terms{Password: "pw"}}, "hidden")
	visits, ctx := w.setVisits(), from("192.0.2.1")
	r, err := visits.Read(ctx, policy.Nobody, shares.Visit{Slug: "s"})
	if err != nil || !r.Locked || len(r.Items) != 0 || r.Ticket != "" {
		t.Errorf("without the password: %+v, %v", r, err)
	}
	for _, id := range []string{items[0].ID, w.random.ID()} { // who has no password cannot ask what there is
		_, err = itemText(ctx, visits, shares.Visit{Slug: "s"}, id, objstore.Range{})
		wantCode(t, err, ports.Unauthenticated, "password_required")
		_, err = itemText(ctx, visits, shares.Visit{Slug: "s", Password: "no"}, id, objstore.Range{})
		wantCode(t, err, ports.Unauthenticated, "password_wrong")
	}
	r, err = visits.Verify(ctx, policy.Nobody, shares.Visit{Slug: "s", Password: "pw"})
	if err != nil || len(r.Items) != 1 {
		t.Fatalf("with the password: %+v, %v", r, err)
	}
	v := shares.Visit{Slug: "s", Ticket: r.Ticket}
	if got, err := itemText(ctx, visits, v, items[0].ID, objstore.Range{}); err != nil || got != "hidden" {
		t.Errorf("got %q, %v", got, err)
	}
	if _, _, err := w.sets.Update(ctx, keyA, "s", collections.Change{Password: shares.To("other")}); err != nil {
		t.Fatal(err)
	}
	_, err = itemText(ctx, visits, v, items[0].ID, objstore.Range{})
	wantCode(t, err, ports.Unauthenticated, "password_required")
}

func TestAVisitToACollectionIsOneViewWhateverIsOpened(t *testing.T) {
	w := newWorld(t)
	_, items := w.set(collections.Draft{Slug: "v", Terms: shares.Terms{MaxViews: 2}}, "0123456789", "b")
	visits, ctx := w.setVisits(), from("192.0.2.1")
	r, err := visits.Read(ctx, policy.Nobody, shares.Visit{Slug: "v"})
	if err != nil || r.Views != 1 {
		t.Fatal(r.Views, err)
	}
	for range 3 {
		for i := range items {
			if _, err := itemText(ctx, visits, shares.Visit{Slug: "v", Ticket: r.Ticket}, items[i].ID, objstore.Range{}); err != nil {
				t.Fatal(err)
			}
		}
	}
	stranger := from("198.51.100.7")
	_, err = itemText(stranger, visits, shares.Visit{Slug: "v"}, items[0].ID, objstore.Range{Offset: 1, Length: 9})
	wantCode(t, err, ports.Range, "range_invalid")
	if _, err := itemText(stranger, visits, shares.Visit{Slug: "v"}, items[0].ID, objstore.Range{}); err != nil {
		t.Fatal(err) // takes the last view
	}
	if got, err := itemText(stranger, visits, shares.Visit{Slug: "v"}, items[0].ID, objstore.Range{Offset: 1, Length: 9}); !ports.Is(err, ports.Gone) {
		t.Errorf("a used-up link gave %q, %v", got, err)
	}
	if _, err := itemText(ctx, visits, shares.Visit{Slug: "v", Ticket: r.Ticket}, items[1].ID, objstore.Range{}); err != nil {
		t.Errorf("the visit under way ended with the last view: %v", err)
	}
}

func TestViewsOfACollectionAreExactUnder100Readers(t *testing.T) {
	w := newWorld(t)
	_, items := w.set(collections.Draft{Slug: "v", Terms: shares.Terms{MaxViews: 10}}, "a", "b")
	visits := w.setVisits()
	var opened, refused atomic.Int64
	var readers sync.WaitGroup
	for n := range 100 {
		readers.Go(func() {
			ctx := from(fmt.Sprintf("192.0.2.%d", n))
			r, err := visits.Read(ctx, policy.Nobody, shares.Visit{Slug: "v"})
			if ports.Is(err, ports.Gone) {
				refused.Add(1)
				return
			}
			if err != nil {
				t.Error(err)
				return
			}
			opened.Add(1)
			for i := range items { // whatever is opened of it
				if _, err := itemText(ctx, visits, shares.Visit{Slug: "v", Ticket: r.Ticket}, items[i].ID, objstore.Range{}); err != nil {
					t.Error(err)
				}
			}
		})
	}
	readers.Wait()
	if opened.Load() != 10 || refused.Load() != 90 {
		t.Errorf("%d were let in and %d refused, want 10 and 90", opened.Load(), refused.Load())
	}
}

func TestOwnersChangeItemsAfterSharing(t *testing.T) {
	w := newWorld(t)
	c, items := w.set(collections.Draft{Slug: "c"}, "a", "b", "c")
	late := w.upload(shares.NewUpload{Filename: "late.txt"}, "late")
	foreign, err := w.uploads.Upload(t.Context(), keyB, shares.NewUpload{Filename: "x.txt"}, strings.NewReader("x"), 1)
	if err != nil {
		t.Fatal(err)
	}
	names := func() string {
		t.Helper()
		r, err := w.setVisits().Read(from("192.0.2.1"), policy.Nobody, shares.Visit{Slug: "c"})
		if err != nil {
			t.Fatal(err)
		}
		var out []string
		for i := range r.Items {
			out = append(out, r.Items[i].Filename)
		}
		return strings.Join(out, " ")
	}
	_, _, err = w.sets.Arrange(t.Context(), keyA, c.ID, "", []collections.ItemChange{{ID: items[2].ID}, {ID: late.ID, Name: "晚.md"}, {ID: items[0].ID, Name: "first.txt"}})
	if err != nil || names() != "2.txt 晚.md first.txt 1.txt" {
		t.Errorf("arranged as %q, %v", names(), err)
	}
	for name, in := range map[string][]collections.ItemChange{"of others": {{ID: foreign.ID}}, "unknown": {{ID: w.random.ID()}}, "named badly": {{ID: items[0].ID, Name: "a/../b"}}, "twice": {{ID: items[0].ID}, {ID: items[0].ID}}} {
		if _, _, err := w.sets.Arrange(t.Context(), keyA, c.ID, "", in); err == nil {
			t.Errorf("a file %s was taken", name)
		}
	}
	_, _, err = w.sets.Arrange(t.Context(), keyB, c.ID, "", []collections.ItemChange{{ID: foreign.ID}})
	wantCode(t, err, ports.NotFound, "not_found")
	second, _ := w.set(collections.Draft{}, "z")
	_, _, err = w.sets.Arrange(t.Context(), keyA, second.ID, "", []collections.ItemChange{{ID: items[1].ID}})
	wantCode(t, err, ports.Conflict, "item_taken")

	done, err := w.sets.RemoveItems(t.Context(), keyA, c.ID, []string{items[1].ID, foreign.ID})
	if err != nil || done.Done != 1 || len(done.Failed) != 1 || names() != "2.txt 晚.md first.txt" {
		t.Errorf("removed %+v, %v, left %q", done, err, names())
	}
	if _, err := w.object(items[1].StoragePath); !ports.Is(err, ports.NotFound) {
		t.Errorf("the object of a removed item: %v", err)
	}
	if _, err := w.deps.Files.Get(t.Context(), foreign.ID); err != nil {
		t.Errorf("a file of others went: %v", err)
	}
}

// Whoever edits says what was seen; what others have changed meanwhile, link or
// items, is not overwritten.
func TestAChangeOfWhatOthersHaveChangedIsRefused(t *testing.T) {
	w := newWorld(t)
	c, items := w.set(collections.Draft{Slug: "c", Title: "Trip"}, "a", "b")
	seen := c.ETag(items)
	if again, now, err := w.sets.Get(t.Context(), keyA, "c"); err != nil || again.ETag(now) != seen {
		t.Errorf("nothing was changed, and the tag is another one; %v", err)
	}
	for _, change := range []func() error{
		func() error {
			_, _, err := w.sets.Update(t.Context(), keyA, "c", collections.Change{Title: shares.To("Other")})
			return err
		},
		func() error {
			_, _, err := w.sets.Arrange(t.Context(), keyA, "c", "", []collections.ItemChange{{ID: items[0].ID, Name: "new.txt"}})
			return err
		},
		func() error {
			_, _, err := w.sets.Arrange(t.Context(), keyA, "c", "", []collections.ItemChange{{ID: items[1].ID}})
			return err
		},
		func() error {
			_, err := w.sets.RemoveItems(t.Context(), keyA, "c", []string{items[0].ID})
			return err
		},
	} {
		if err := change(); err != nil {
			t.Fatal(err)
		}
		_, _, err := w.sets.Update(t.Context(), keyA, "c", collections.Change{Title: shares.To("Mine"), IfMatch: seen})
		wantCode(t, err, ports.Precondition, "precondition_failed")
		_, _, err = w.sets.Arrange(t.Context(), keyA, "c", seen, []collections.ItemChange{{ID: items[1].ID, Name: "mine.txt"}})
		wantCode(t, err, ports.Precondition, "precondition_failed")
		now, left, err := w.sets.Get(t.Context(), keyA, "c")
		if err != nil || now.Title == "Mine" {
			t.Fatalf("it was overwritten: %+v, %v", now, err)
		}
		seen = now.ETag(left)
	}
	now, _, err := w.sets.Update(t.Context(), keyA, "c", collections.Change{Title: shares.To("Mine"), IfMatch: seen})
	if err != nil || now.Title != "Mine" {
		t.Errorf("what was seen is changed: %+v, %v", now, err)
	}
}

func TestACollectionEndsWithItsItems(t *testing.T) {
	for name, end := range map[string]func(w *world, c *collections.Collection){
		"deleted": func(w *world, c *collections.Collection) {
			if err := w.sets.Delete(w.t.Context(), keyA, c.ID); err != nil {
				w.t.Fatal(err)
			}
		},
		"expired": func(w *world, _ *collections.Collection) { w.clock.Add(9 * 24 * time.Hour); w.sweep() },
		"used up": func(w *world, _ *collections.Collection) {
			for range 2 {
				if _, err := w.setVisits().Read(from("192.0.2.1"), policy.Nobody, shares.Visit{Slug: "c"}); err != nil {
					w.t.Fatal(err)
				}
			}
			w.clock.Add(shares.VisitLength + time.Minute)
			w.sweep()
		},
		"its key gone": func(w *world, _ *collections.Collection) {
			if n, err := w.sets.RevokeBy(w.t.Context(), keyA.Owner()); err != nil || n != 0 {
				w.t.Fatal(n, err)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			c, items := w.set(collections.Draft{Slug: "c", Terms: shares.Terms{ExpiresAt: at(time.Hour), MaxViews: 2}}, "a", "b")
			alone := w.upload(shares.NewUpload{}, "alone")
			end(w, c)
			for i := range items {
				if _, err := w.object(items[i].StoragePath); !ports.Is(err, ports.NotFound) {
					t.Errorf("the object of item %d: %v", i, err)
				}
			}
			if _, err := w.object(alone.StoragePath); err != nil {
				t.Errorf("a file of its own went, too: %v", err)
			}
			if _, err := w.setVisits().Read(from("192.0.2.1"), policy.Nobody, shares.Visit{Slug: "c"}); err == nil {
				t.Error("the link still opens")
			}
			usage, err := w.files.Usage(t.Context())
			if err != nil || usage["public"].Files != 1 {
				t.Errorf("usage %v, %v, want one file", usage, err)
			}
		})
	}
}

func TestNothingIsMadeOfFilesThatCannotBeItems(t *testing.T) {
	w := newWorld(t)
	mine := w.upload(shares.NewUpload{}, "a")
	awaited, err := w.uploads.Presign(t.Context(), keyA, shares.NewUpload{StorageConfigID: "public", Filename: "b.txt", Size: 1})
	if err != nil {
		t.Fatal(err)
	}
	_, taken := w.set(collections.Draft{}, "z")
	for _, c := range []struct {
		name  string
		who   policy.Principal
		in    collections.Draft
		code  ports.Code
		error string
	}{
		{"none", keyA, collections.Draft{}, ports.Invalid, "required"},
		{"one of others", keyB, collections.Draft{Files: []string{mine.ID}}, ports.NotFound, "not_found"},
		{"one that has not arrived", keyA, collections.Draft{Files: []string{awaited.File.ID}}, ports.Invalid, "file_not_uploaded"},
		{"an item", keyA, collections.Draft{Files: []string{taken[0].ID}}, ports.Conflict, "item_taken"},
		{"one twice", keyA, collections.Draft{Files: []string{mine.ID, mine.ID}}, ports.Invalid, "item_twice"},
		{"by a key that may not", noBits, collections.Draft{Files: []string{mine.ID}}, ports.Forbidden, "permission_denied"},
		{"with a reserved slug", keyA, collections.Draft{Slug: "admin", Files: []string{mine.ID}}, ports.Invalid, "slug_reserved"},
	} {
		_, _, err := w.sets.Create(t.Context(), c.who, c.in)
		if !ports.Is(err, c.code) {
			t.Errorf("%s: %v", c.name, err)
		}
	}
	if f, err := w.deps.Files.Get(t.Context(), mine.ID); err != nil || f.Collection != "" {
		t.Errorf("a refused file is an item of %q, %v", f.Collection, err)
	}
}

// zipped reads a part of the ZIP file of a collection as a visitor.
func zipped(ctx context.Context, visits *collections.Visits, v shares.Visit, resume string, r objstore.Range) (data []byte, etag string, err error) {
	zip, err := visits.Zip(ctx, policy.Nobody, v, resume, "")
	if err != nil {
		return nil, "", err
	}
	body, err := zip.Read(ctx, r)
	if err != nil {
		return nil, "", err
	}
	defer body.Close()
	data, err = io.ReadAll(body)
	if err == nil && int64(len(data)) != body.Length {
		err = io.ErrUnexpectedEOF
	}
	return data, zip.ETag, err
}

func TestAllOfACollectionIsOneZipThatGoesOnAtAnyOffset(t *testing.T) {
	w := newWorld(t)
	texts := make([]string, 100)
	for i := range texts {
		texts[i] = strings.Repeat("x", i)
	}
	c, items := w.set(collections.Draft{Title: "Trip/2026", Slug: "trip"}, texts...)
	visits, ctx, v := w.setVisits(), from("192.0.2.1"), shares.Visit{Slug: "trip"}
	data, etag, err := zipped(ctx, visits, v, "", objstore.Range{})
	if err != nil {
		t.Fatal(err)
	}
	r, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil || len(r.File) != len(texts) {
		t.Fatalf("%d entries, %v", len(r.File), err)
	}
	for i, f := range r.File {
		body, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		if content, err := io.ReadAll(body); err != nil || string(content) != texts[i] || f.Name != items[i].Filename {
			t.Errorf("entry %d: %q, %d bytes, %v", i, f.Name, len(content), err)
		}
	}
	random := rand.New(rand.NewPCG(3, 4))
	for range 30 {
		offset := random.Int64N(int64(len(data)))
		part, tag, err := zipped(ctx, visits, v, "", objstore.Range{Offset: offset})
		if err != nil || tag != etag || !bytes.Equal(part, data[offset:]) {
			t.Fatalf("from %d on: %v", offset, err)
		}
	}
	if got, _, err := w.sets.Get(ctx, keyA, "trip"); err != nil || got.Views != 1 {
		t.Errorf("the owner sees %d views, %v; a ZIP that goes on is one", got.Views, err)
	}
	if _, _, err := w.sets.Arrange(ctx, keyA, c.ID, "", []collections.ItemChange{{ID: items[3].ID, Name: "first.txt"}}); err != nil {
		t.Fatal(err)
	}
	if _, tag, err := zipped(ctx, visits, v, "", objstore.Range{}); err != nil || tag == etag {
		t.Errorf("after a change the ZIP is the same by its ETag, %v", err)
	}
}

func TestAZipKeepsTheGateOfItsCollection(t *testing.T) {
	w := newWorld(t)
	visits, ctx := w.setVisits(), from("192.0.2.1")
	w.set(collections.Draft{Slug: "s", Terms: shares.Terms{Password: "pw", MaxViews: 2}}, "hidden", "too")
	_, _, err := zipped(ctx, visits, shares.Visit{Slug: "s"}, "", objstore.Range{})
	wantCode(t, err, ports.Unauthenticated, "password_required")
	seen, err := visits.Verify(ctx, policy.Nobody, shares.Visit{Slug: "s", Password: "pw"})
	if err != nil {
		t.Fatal(err)
	}
	begun := shares.Visit{Slug: "s", Ticket: seen.Ticket}
	data, _, err := zipped(ctx, visits, begun, seen.Resume, objstore.Range{})
	if err != nil {
		t.Fatal(err)
	}
	w.clock.Add(shares.VisitLength + time.Second) // the visit is over, the download goes on
	elsewhere := from("192.0.2.9")
	part, _, err := zipped(elsewhere, visits, begun, seen.Resume, objstore.Range{Offset: 9})
	if err != nil || !bytes.Equal(part, data[9:]) {
		t.Errorf("a download that goes on: %v", err)
	}
	_, err = itemText(elsewhere, visits, begun, seen.Items[0].ID, objstore.Range{})
	wantCode(t, err, ports.Unauthenticated, "password_required")
	_, _, err = zipped(elsewhere, visits, shares.Visit{Slug: "s", Password: "pw"}, "", objstore.Range{Offset: 9})
	wantCode(t, err, ports.Range, "range_invalid")
	if _, _, err = zipped(ctx, visits, begun, seen.Resume, objstore.Range{}); err != nil { // from the start it is a view, the last
		t.Errorf("another start: %v", err)
	}
	_, _, err = zipped(elsewhere, visits, begun, seen.Resume, objstore.Range{})
	wantCode(t, err, ports.Gone, "used_up")
	if part, _, err = zipped(elsewhere, visits, begun, seen.Resume, objstore.Range{Offset: 5}); err != nil || !bytes.Equal(part, data[5:]) {
		t.Errorf("what was begun ends: %v", err)
	}
	w.clock.Add(collections.ResumeLength)
	_, _, err = zipped(elsewhere, visits, begun, seen.Resume, objstore.Range{Offset: 5})
	wantCode(t, err, ports.Gone, "used_up")
}

func TestAZipAsksTheRulesForEachItemAndNamesWhatIsMissing(t *testing.T) {
	w := newWorld(t)
	_, items := w.set(collections.Draft{Slug: "c"}, "one", "two", "three")
	visits, ctx := w.setVisits(), from("192.0.2.1")
	w.decider.refused = items[1].ID
	data, _, err := zipped(ctx, visits, shares.Visit{Slug: "c"}, "", objstore.Range{})
	if err != nil {
		t.Fatal(err)
	}
	r, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, f := range r.File {
		names = append(names, f.Name)
	}
	if got := strings.Join(names, " "); got != "0.txt 2.txt missing.txt" {
		t.Errorf("the ZIP holds %s", got)
	}
}

func TestAZipWhoseSourceIsCutFails(t *testing.T) {
	w := newWorld(t)
	_, items := w.set(collections.Draft{Slug: "c"}, "one", "two")
	w.bucket.Put(items[1].StoragePath, "another")
	if _, _, err := zipped(from("192.0.2.1"), w.setVisits(), shares.Visit{Slug: "c"}, "", objstore.Range{}); err == nil {
		t.Error("a replaced object ends the ZIP without an error")
	}
}

// lentFolder is a folder of a mount, by the paths of its files below it.
type lentFolder struct{ texts map[string]string }

func (f lentFolder) Lend(_ context.Context, who policy.Principal, path string) (string, policy.Obligations, error) {
	if who.ID != "a" {
		return "", policy.Obligations{}, &ports.Error{Code: ports.Forbidden, Key: "permission_denied"}
	}
	return path, policy.Obligations{ShareMaxAge: 3600}, nil
}

func (f lentFolder) LendSome(ctx context.Context, who policy.Principal, paths []string) (string, []string, policy.Obligations, error) {
	root, o, err := f.Lend(ctx, who, "/team")
	return root, paths, o, err
}

func (f lentFolder) List(_ context.Context, _, rel string, from, limit int) (some []objstore.Object, all int, err error) {
	names := map[string]bool{}
	for path := range f.texts {
		if below, in := strings.CutPrefix(path, strings.TrimPrefix(rel+"/", "/")); in {
			name, _, deeper := strings.Cut(below, "/")
			if deeper {
				name += "/"
			}
			names[name] = true
		}
	}
	for _, name := range slices.Sorted(maps.Keys(names)) {
		if all++; all > from && all <= from+limit {
			object := objstore.Object{Key: name}
			if at := strings.TrimPrefix(rel+"/"+name, "/"); !strings.HasSuffix(name, "/") {
				object.Size = int64(len(f.texts[at]))
			}
			some = append(some, object)
		}
	}
	if all == 0 {
		err = ports.ErrNotFound
	}
	return some, all, err
}

func (f lentFolder) File(_ context.Context, _, rel string) (objstore.Object, objstore.Storage, error) {
	text, there := f.texts[rel]
	if !there {
		return objstore.Object{}, objstore.Storage{}, ports.ErrNotFound
	}
	return objstore.Object{Key: "lent/" + rel, Size: int64(len(text))}, objstore.Storage{ID: "public", Type: "S3"}, nil
}

func (f lentFolder) Walk(ctx context.Context, root, rel string, do func(string, objstore.Object, objstore.Storage) error) error {
	for _, path := range slices.Sorted(maps.Keys(f.texts)) {
		if !strings.HasPrefix(path, strings.TrimPrefix(rel+"/", "/")) {
			continue
		}
		object, in, err := f.File(ctx, root, path)
		if err == nil {
			err = do(path, object, in)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func TestAFolderIsACollectionOfWhatLiesInIt(t *testing.T) {
	w := newWorld(t)
	lent := lentFolder{map[string]string{"a.txt": "first", "deep/b.txt": "second", "deep/er/c.txt": "third"}}
	for path, text := range lent.texts {
		w.bucket.Put("lent/"+path, text)
	}
	w.lend(lent)
	visits, ctx := w.setVisits(), from("192.0.2.1")
	draft := collections.Draft{Folder: "/team/trip", Slug: "f", Terms: shares.Terms{Password: "pw", MaxViews: 3, ExpiresAt: at(time.Hour)}}
	_, _, err := w.sets.Create(ctx, keyB, draft)
	wantCode(t, err, ports.Forbidden, "permission_denied")
	made, _, err := w.sets.Create(ctx, keyA, draft)
	if err != nil || made.Root != "/team/trip" || made.Title != "trip" {
		t.Fatalf("made %+v, %v", made, err)
	}
	draft.Slug, draft.ExpiresAt = "long", at(2*time.Hour)
	_, _, err = w.sets.Create(ctx, keyA, draft)
	wantCode(t, err, ports.Forbidden, "policy_denied")
	locked, err := visits.Read(ctx, policy.Nobody, shares.Visit{Slug: "f"})
	if err != nil || !locked.Locked || len(locked.Items)+len(locked.Folders) > 0 {
		t.Errorf("without the password: %+v, %v", locked, err)
	}
	top, err := visits.Verify(ctx, policy.Nobody, shares.Visit{Slug: "f", Password: "pw"})
	if err != nil || len(top.Items) != 1 || len(top.Folders) != 1 || top.Total != 2 {
		t.Fatalf("the top: %+v, %v", top, err)
	}
	v := shares.Visit{Slug: "f", Ticket: top.Ticket}
	deep, err := visits.ReadFolder(ctx, policy.Nobody, v, collections.Shown{Folder: top.Folders[0].ID})
	if err != nil || len(deep.Way) != 1 || deep.Way[0].Name != "deep" || deep.Items[0].Filename != "b.txt" || deep.Views != 1 {
		t.Fatalf("a folder: %+v, %v", deep, err)
	}
	if asked := w.decider.last(); asked.do != policy.ShareList || asked.on.Paths[0] != "/team/trip/deep" || asked.on.ID != made.ID {
		t.Errorf("the rules saw %+v", asked)
	}
	if got, err := itemText(ctx, visits, v, deep.Items[0].ID, objstore.Range{}); err != nil || got != "second" {
		t.Errorf("a file: %q, %v", got, err)
	}
	if asked := w.decider.last(); asked.do != policy.ShareDownload || asked.on.Paths[0] != "/team/trip/deep/b.txt" || !asked.on.Share.HasPassword {
		t.Errorf("the rules saw %+v", asked)
	}
	for _, id := range []string{"", "p", "x", deep.Folders[0].ID, made.ID, deep.Items[0].ID + "="} {
		_, err := itemText(ctx, visits, v, id, objstore.Range{})
		wantCode(t, err, ports.NotFound, "not_found")
	}
	_, err = visits.ReadFolder(ctx, policy.Nobody, v, collections.Shown{Folder: deep.Items[0].ID})
	wantCode(t, err, ports.NotFound, "not_found")
	_, err = visits.Zip(ctx, policy.Nobody, v, top.Resume, deep.Items[0].ID)
	wantCode(t, err, ports.NotFound, "not_found")
	z, err := visits.Zip(ctx, policy.Nobody, v, top.Resume, "")
	if err != nil {
		t.Fatal(err)
	}
	body, err := z.Read(ctx, objstore.Range{})
	if err != nil {
		t.Fatal(err)
	}
	defer body.Close()
	data, err := io.ReadAll(body)
	if err != nil {
		t.Fatal(err)
	}
	r, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, f := range r.File {
		names = append(names, f.Name)
	}
	if got := strings.Join(names, " "); got != "a.txt deep/ deep/b.txt deep/er/ deep/er/c.txt" || z.Name != "trip.zip" {
		t.Errorf("%s holds %s", z.Name, got)
	}
	if _, _, err := w.sets.Arrange(ctx, keyA, "f", "", nil); !ports.Is(err, ports.Conflict) {
		t.Errorf("its items are changed: %v", err)
	}
	if got, _, err := w.sets.Get(ctx, keyA, "f"); err != nil || got.Views != 1 {
		t.Errorf("a visit took %d views, %v", got.Views, err)
	}
	for owner, want := range map[string]int{keyA.Owner(): 1, keyB.Owner(): 0} {
		if n, err := w.sets.FoldersBy(ctx, owner); err != nil || n != want {
			t.Errorf("%s has %d links for folders, %v", owner, n, err)
		}
	}
	if n, err := w.sets.RevokeBy(ctx, keyA.Owner()); err != nil || n != 1 {
		t.Fatal(n, err)
	}
	if n, err := w.sets.FoldersBy(ctx, keyA.Owner()); err != nil || n != 0 {
		t.Errorf("%d links for folders are left, %v", n, err)
	}
	if _, err := w.object("lent/a.txt"); err != nil {
		t.Errorf("ending the link deleted what lies in the folder: %v", err)
	}
}

func TestDownloadsOfACollectionAreLimitedApart(t *testing.T) {
	w := newWorld(t)
	_, items := w.set(collections.Draft{Slug: "d", MaxDownloads: 3}, "first", "second")
	visits := w.setVisits()
	read := func(n int) (shares.Visit, context.Context, collections.Reading) {
		ctx := from(fmt.Sprintf("192.0.2.%d", n))
		r, err := visits.Read(ctx, policy.Nobody, shares.Visit{Slug: "d"})
		if err != nil || r.Download == "" {
			t.Fatalf("read: %+v, %v", r, err)
		}
		return shares.Visit{Slug: "d", Ticket: r.Ticket, Download: r.Download}, ctx, r
	}
	wantLeft := func(want int64) {
		t.Helper()
		if c, _, err := w.sets.Get(t.Context(), keyA, "d"); err != nil || c.Downloads != want {
			t.Errorf("%d downloads were counted, %v, want %d", c.Downloads, err, want)
		}
	}
	v, ctx, r := read(1)
	for range 3 { // a retry is the same download, and what is shown is none
		if got, err := itemText(ctx, visits, v, items[0].ID, objstore.Range{}); err != nil || got != "first" {
			t.Fatalf("got %q, %v", got, err)
		}
		opened, err := visits.Open(ctx, policy.Nobody, policy.ShareView, v, items[1].ID)
		if err != nil || opened.Pay(ctx) != nil {
			t.Fatal(err)
		}
	}
	wantLeft(1)
	whole, tag, err := zipped(ctx, visits, v, r.Resume, objstore.Range{})
	if err != nil {
		t.Fatal(err)
	}
	w.clock.Add(time.Hour) // the visit has ended, the download goes on
	for _, offset := range []int64{1, 40, int64(len(whole)) - 3} {
		late := shares.Visit{Slug: "d", Download: v.Download}
		part, now, err := zipped(from("192.0.2.7"), visits, late, r.Resume, objstore.Range{Offset: offset})
		if err != nil || now != tag || !bytes.Equal(part, whole[offset:]) {
			t.Errorf("the ZIP file from %d: %d bytes, %v", offset, len(part), err)
		}
	}
	wantLeft(2)
	// Who leaves out the first byte pays as well.
	v, ctx, _ = read(2)
	if got, err := itemText(ctx, visits, v, items[1].ID, objstore.Range{Offset: 1}); err != nil || got != "econd" {
		t.Errorf("a later part: %q, %v", got, err)
	}
	wantLeft(3)
	v, ctx, r = read(3)
	for _, name := range []string{v.Download, "", "another"} {
		v.Download = name
		for _, offset := range []int64{0, 1} {
			_, err = itemText(ctx, visits, v, items[0].ID, objstore.Range{Offset: offset})
			wantCode(t, err, ports.Gone, "downloads_used_up")
			_, _, err = zipped(ctx, visits, v, r.Resume, objstore.Range{Offset: offset})
			wantCode(t, err, ports.Gone, "downloads_used_up")
		}
	}
	wantLeft(3)
	if _, _, err := w.sets.Update(t.Context(), keyA, r.ID, collections.Change{MaxDownloads: shares.To[int64](-1)}); !ports.Is(err, ports.Invalid) {
		t.Errorf("a negative limit: %v", err)
	}
	if c, _, err := w.sets.Update(t.Context(), keyA, r.ID, collections.Change{MaxDownloads: shares.To[int64](1)}); err != nil || c.Downloads != 0 || c.MaxDownloads != 1 {
		t.Errorf("a new limit: %+v, %v", c, err)
	}
	v, ctx, _ = read(4)
	if _, err := itemText(ctx, visits, v, items[0].ID, objstore.Range{}); err != nil {
		t.Errorf("after the limit was raised: %v", err)
	}
}

func TestOfManyReadersAtOnceAsManyDownloadAsThereAreDownloads(t *testing.T) {
	w := newWorld(t)
	_, items := w.set(collections.Draft{Slug: "d", MaxDownloads: 37}, "first")
	visits := w.setVisits()
	var got atomic.Int64
	var readers sync.WaitGroup
	for n := range 100 {
		readers.Go(func() {
			ctx := from(fmt.Sprintf("192.0.2.%d", n))
			r, err := visits.Read(ctx, policy.Nobody, shares.Visit{Slug: "d"})
			if err != nil {
				t.Error(err)
				return
			}
			for range 2 { // the second one is the same download
				_, err := itemText(ctx, visits, shares.Visit{Slug: "d", Ticket: r.Ticket, Download: r.Download}, items[0].ID, objstore.Range{})
				if err == nil {
					got.Add(1)
				} else if !strings.Contains(err.Error(), "downloads_used_up") {
					t.Error(err)
				}
			}
		})
	}
	readers.Wait()
	if got.Load() != 2*37 {
		t.Errorf("%d reads of 37 downloads", got.Load())
	}
}

func TestLinksAroundAFolderNameTheEntriesThatTheyLeadTo(t *testing.T) {
	w := newWorld(t)
	ctx := from("192.0.2.1")
	insert := func(n int, slug, owner, root string, picks ...string) {
		c := &collections.Collection{ID: w.random.ID(), Slug: slug, Root: root, Picks: picks, CreatedBy: owner, CreatedAt: *at(time.Duration(n) * time.Minute), Version: 1}
		if err := w.db.Collections().Insert(ctx, c); err != nil {
			t.Fatal(err)
		}
	}
	a := keyA.Owner()
	insert(1, "mount", a, "/team")
	insert(2, "above", a, "/")
	insert(3, "here", a, "/team/trip")
	insert(4, "child", a, "/team/trip/deep")
	insert(5, "deeper", a, "/team/trip/deep/er")
	insert(6, "some", a, "/team", "trip/a.txt", "trip/deep/b.txt", "other")
	insert(7, "whole", a, "/team", "other", "trip")
	insert(8, "beside", a, "/team", "tri", "trip2/a.txt")
	insert(9, "foreign", keyB.Owner(), "/team/trip")
	item, err := w.mounted.Share(ctx, keyA, policy.Obligations{}, mountedFile())
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := w.sets.Create(ctx, keyA, collections.Draft{Slug: "trip", Files: []string{item.ID}}); err != nil {
		t.Fatal(err)
	}
	told := func(owner, mount, folder string, files ...shares.File) string {
		leads, err := w.sets.Around(ctx, owner, mount, folder, files)
		if err != nil {
			t.Fatal(err)
		}
		var names []string
		for _, l := range leads {
			names = append(names, l.Slug+":"+l.Name)
		}
		return strings.Join(names, " ")
	}
	if got, want := told(a, "/team", "/team/trip"), "whole: some:a.txt child:deep here: mount:"; got != want {
		t.Errorf("in the folder: %q, want %q", got, want)
	}
	if got, want := told("", "/team/trip", "/team/trip"), "foreign: child:deep here:"; got != want {
		t.Errorf("of everybody, in a mount of its own: %q, want %q", got, want)
	}
	if got, want := told(a, "/team", "/team/trip/deep"), "whole: some:b.txt deeper:er child: here: mount:"; got != want {
		t.Errorf("below: %q, want %q", got, want)
	}
	in, err := w.mounted.SharedIn(ctx, a, "public", "docs/")
	if err != nil || len(in) != 1 {
		t.Fatal(in, err)
	}
	if got, want := told(a, "/m", "/m/docs", in...), "trip:报告.pdf"; got != want {
		t.Errorf("an item: %q, want %q", got, want)
	}
}

// TestWhateverIsDoneALinkGrantsExactlyWhatItSays: files come, go and change while
// links stand; by list, by id and in the ZIP file a visitor reaches what is there
// now, or, of a folder as it stood, what is as it was.
func TestWhateverIsDoneALinkGrantsExactlyWhatItSays(t *testing.T) {
	random := rand.New(rand.NewPCG(17, 7))
	ctx := from("192.0.2.1")
	for round := range 30 {
		w := newWorld(t)
		lent := lentFolder{map[string]string{}}
		put := func(path, text string) {
			lent.texts[path] = text
			w.bucket.Put("lent/"+path, text)
		}
		put("kept", "kept")
		paths := []string{"a", "a-", "d/a", "d/b", "d/e/x", "d/é", "d/e\u0301", "D/a", "d-/a", "%2e%2e", "文/z"}
		for _, p := range paths {
			if random.IntN(2) == 0 {
				put(p, p)
			}
		}
		w.lend(lent)
		visits := w.setVisits()
		was := maps.Clone(lent.texts)
		drafts := map[string]collections.Draft{
			"live": {Folder: "/team"}, "stood": {Folder: "/team", Stood: true},
			"some": {Paths: []string{"d", "kept"}}, "some-stood": {Paths: []string{"d", "kept"}, Stood: true},
		}
		for slug, d := range drafts {
			d.Slug, d.ExpiresAt = slug, at(time.Hour)
			if _, _, err := w.sets.Create(ctx, keyA, d); err != nil {
				t.Fatal(err)
			}
		}
		for step := range 8 {
			switch p := paths[random.IntN(len(paths))]; random.IntN(4) {
			case 0:
				delete(lent.texts, p)
			case 1:
				put(p, p+strings.Repeat("!", 1+step))
			default:
				put(p, p)
			}
			for slug, d := range drafts {
				granted := func(p string) bool {
					text, there := lent.texts[p]
					if d.Paths != nil && p != "kept" && !strings.HasPrefix(p, "d/") {
						return false
					}
					before, known := was[p]
					return there && (!d.Stood || known && text == before)
				}
				v, seen, lost := reach(t, ctx, visits, slug)
				for _, p := range append(paths, "kept", "", "..", "d", "d/", "d/../kept", "kept/", "./kept", "d//a", "KEPT", "kept\x00") {
					id := "p" + base64.RawURLEncoding.EncodeToString([]byte(p))
					text, err := itemText(ctx, visits, v, id, objstore.Range{})
					if (err == nil) != granted(p) || err == nil && text != lent.texts[p] {
						t.Fatalf("round %d, %s: %q reads %q, %v", round, slug, p, text, err)
					}
					if slices.Contains(seen, p) != granted(p) {
						t.Fatalf("round %d, %s: of %v it lists %q, was %v", round, slug, lent.texts, seen, was)
					}
				}
				want := 0
				for p := range was {
					if d.Stood && (d.Paths == nil || p == "kept" || strings.HasPrefix(p, "d/")) && !granted(p) {
						want++
					}
				}
				if lost != want {
					t.Fatalf("round %d, %s: %d files are told as lost, want %d", round, slug, lost, want)
				}
				if files := packed(t, ctx, visits, v); files != len(seen) {
					t.Fatalf("round %d, %s: the ZIP file holds %d of %d files", round, slug, files, len(seen))
				}
			}
		}
	}
}

// packed is how many files the ZIP file of a link holds, but for the text about
// what is not in it.
func packed(t *testing.T, ctx context.Context, visits *collections.Visits, v shares.Visit) (files int) {
	t.Helper()
	data, _, err := zipped(ctx, visits, v, "", objstore.Range{})
	if err != nil {
		t.Fatal(err)
	}
	r, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range r.File {
		if !strings.HasSuffix(f.Name, "/") && f.Name != "missing.txt" {
			files++
		}
	}
	return files
}

// reach walks through all that a link lists: the paths of the files, and how many
// files it tells as lost.
func reach(t *testing.T, ctx context.Context, visits *collections.Visits, slug string) (v shares.Visit, seen []string, lost int) {
	t.Helper()
	v.Slug = slug
	var walk func(folder, at string)
	walk = func(folder, at string) {
		r, err := visits.ReadFolder(ctx, policy.Nobody, v, collections.Shown{Folder: folder})
		if err != nil {
			t.Fatalf("%s, folder %q: %v", slug, at, err)
		}
		v.Ticket = r.Ticket
		lost += len(r.Lost)
		for i := range r.Items {
			seen = append(seen, at+r.Items[i].Filename)
		}
		for _, f := range r.Folders {
			walk(f.ID, at+f.Name+"/")
		}
	}
	walk("", "")
	return v, seen, lost
}

// TestAChoiceOfEntriesGrantsExactlyThem: whatever is chosen of a tree, a visitor
// reaches by list, by id and in the ZIP file what was chosen with all below, and
// nothing beside it, whatever its name begins with.
func TestAChoiceOfEntriesGrantsExactlyThem(t *testing.T) {
	random := rand.New(rand.NewPCG(17, 5))
	pick := func(of ...string) string { return of[random.IntN(len(of))] }
	for round := range 40 {
		w := newWorld(t)
		lent := lentFolder{map[string]string{}}
		for range 4 + random.IntN(12) {
			path := pick("", "a/", "a/", "ab/", "A/", "a/b/", "é/", "e\u0301/", "..a/") + pick("f.txt", "f.txt.bak", "x", "%2e%2e")
			lent.texts[path] = path
			w.bucket.Put("lent/"+path, path)
		}
		var picks []string
		for path := range lent.texts {
			switch random.IntN(3) {
			case 0:
				picks = append(picks, path)
			case 1:
				if dir, _, deeper := strings.Cut(path, "/"); deeper {
					picks = append(picks, dir)
				}
			}
		}
		slices.Sort(picks)
		picks = slices.Compact(picks)
		picks = slices.DeleteFunc(picks, func(p string) bool {
			return slices.ContainsFunc(picks, func(above string) bool { return strings.HasPrefix(p, above+"/") })
		})
		if len(picks) == 0 {
			continue
		}
		w.lend(lent)
		visits, ctx := w.setVisits(), from("192.0.2.1")
		made, _, err := w.sets.Create(ctx, keyA, collections.Draft{Paths: picks, Slug: "some", Terms: shares.Terms{ExpiresAt: at(time.Hour)}})
		if err != nil || made.Root != "/team" || !slices.Equal(made.Picks, picks) {
			t.Fatalf("made %+v, %v", made, err)
		}
		var want []string
		for path := range lent.texts {
			if slices.ContainsFunc(picks, func(p string) bool { return path == p || strings.HasPrefix(path, p+"/") }) {
				want = append(want, path)
			}
		}
		slices.Sort(want)
		top, err := visits.Read(ctx, policy.Nobody, shares.Visit{Slug: "some"})
		if err != nil {
			t.Fatal(err)
		}
		v, ids, got := shares.Visit{Slug: "some", Ticket: top.Ticket}, map[string]string{}, []string(nil)
		var walk func(folder string)
		walk = func(folder string) {
			r, err := visits.ReadFolder(ctx, policy.Nobody, v, collections.Shown{Folder: folder})
			if err != nil {
				t.Fatalf("round %d, of %q: %v", round, picks, err)
			}
			for i := range r.Items {
				text, err := itemText(ctx, visits, v, r.Items[i].ID, objstore.Range{})
				if err != nil {
					t.Fatal(err)
				}
				got, ids[text] = append(got, text), r.Items[i].ID
			}
			for _, f := range r.Folders {
				walk(f.ID)
			}
		}
		walk("")
		slices.Sort(got)
		if !slices.Equal(got, want) {
			t.Fatalf("of %q, picked %q, a visitor sees %q", slices.Sorted(maps.Keys(lent.texts)), picks, got)
		}
		for path := range lent.texts {
			id := "p" + base64.RawURLEncoding.EncodeToString([]byte(path))
			if text, err := itemText(ctx, visits, v, id, objstore.Range{}); (err == nil) != slices.Contains(want, path) || err == nil && text != path {
				t.Errorf("%q of %q: %q, %v", path, picks, text, err)
			}
			if dir, _, deeper := strings.Cut(path, "/"); deeper {
				reaches := slices.ContainsFunc(want, func(p string) bool { return strings.HasPrefix(p, dir+"/") })
				_, err := visits.ReadFolder(ctx, policy.Nobody, v, collections.Shown{Folder: "p" + base64.RawURLEncoding.EncodeToString([]byte(dir))})
				if (err == nil) != reaches {
					t.Errorf("the folder %q of %q: %v", dir, picks, err)
				}
			}
		}
		if files := packed(t, ctx, visits, v); files != len(want) {
			t.Errorf("of %q the ZIP holds %d of %d files", picks, files, len(want))
		}
	}
}

// A janitor may be deleting the object of what nobody can bring back.
func TestAFileThatNobodyCanBringBackBecomesNoItem(t *testing.T) {
	for name, end := range map[string]func(*shares.File){
		"used up":      func(f *shares.File) { f.UsedUpAt = at(0) },
		"past its end": func(f *shares.File) { f.ExpiresAt = at(0) },
	} {
		w := newWorld(t)
		f := w.upload(shares.NewUpload{}, "content")
		if _, err := w.deps.Files.Update(t.Context(), f.ID, func(e *shares.File) error {
			end(e)
			return nil
		}); err != nil {
			t.Fatal(err)
		}
		w.clock.Add(w.settings.grace + time.Hour)
		if _, _, err := w.sets.Create(t.Context(), keyA, collections.Draft{Files: []string{f.ID}}); !ports.Is(err, ports.NotFound) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
