package history_test

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

	"pasteport/domain/mounts"
	"pasteport/domain/mounts/direct"
	"pasteport/domain/mounts/history"
	"pasteport/domain/mounts/mountstest"
	"pasteport/domain/mounts/transfer"
	"pasteport/ports"
	"pasteport/ports/capacity"
	"pasteport/ports/objstore"
	"pasteport/ports/policy"
)

var admin, teamA = mountstest.Admin, mountstest.TeamA

// kept says how many contents are kept.
type kept int

func (k kept) Revisions() ports.Revisions { return ports.Revisions{Kept: int(k)} }

type world struct {
	*mountstest.WriteFixture
	files *history.Files
}

func newWorld(t *testing.T) *world {
	y := mountstest.NewWriteFixture(t)
	return &world{y, history.New(y.Tree, y.Memory.History(), kept(9))}
}

func (w *world) write(c mounts.Caller, path, content string, how mounts.Write) error {
	w.Clock.Add(time.Minute)
	how.Size, how.Overwrite, how.MakeParents = int64(len(content)), true, true
	_, _, err := w.Write(w.T.Context(), c, path, strings.NewReader(content), how)
	return err
}

func (w *world) edit(c mounts.Caller, path, content string) {
	w.T.Helper()
	if err := w.write(c, path, content, mounts.Write{Edit: true}); err != nil {
		w.T.Fatal(err)
	}
}

// shown lists what is kept of a file, as "version by content", newest first.
func (w *world) shown(path string) (all []string) {
	w.T.Helper()
	h, err := w.files.History(w.T.Context(), admin, path)
	if err != nil {
		w.T.Fatal(err)
	}
	for _, r := range h.Earlier {
		one, err := w.files.Get(w.T.Context(), admin, path, r.Version)
		if err != nil {
			w.T.Fatal(err)
		}
		all = append(all, fmt.Sprintf("%d %s %s", r.Version, r.EditedBy, one.Content))
	}
	return all
}

func (w *world) want(path string, want ...string) {
	w.T.Helper()
	if got := w.shown(path); !slices.Equal(got, want) {
		w.T.Errorf("%s keeps %q, want %q", path, got, want)
	}
}

func (w *world) content(path string) string {
	w.T.Helper()
	body, _, err := w.Open(w.T.Context(), admin, path, objstore.Range{})
	if err != nil {
		w.T.Fatal(err)
	}
	defer body.Close()
	data, err := io.ReadAll(body)
	if err != nil {
		w.T.Fatal(err)
	}
	return string(data)
}

func TestAnEditKeepsWhatItReplacesAndOneBringsItBack(t *testing.T) {
	w := newWorld(t)
	w.edit(admin, "/m/a/f.txt", "one")
	w.want("/m/a/f.txt")
	w.edit(teamA, "/m/a/f.txt", "two")
	w.edit(admin, "/m/a/f.txt", "three")
	w.want("/m/a/f.txt", "2 apikey:a two", "1  one")
	w.want("/twin/a/f.txt", "2 apikey:a two", "1  one") // the same file by another mount
	h, err := w.files.History(t.Context(), teamA, "/m/a/f.txt")
	if err != nil || h.Current.EditedBy != "admin" || h.Current.Version != 3 || h.Current.Size != 5 || h.Large || h.Off {
		t.Errorf("got %+v, %v", h, err)
	}

	if _, err := w.files.Restore(t.Context(), teamA, "/m/a/f.txt", 1, `"other"`); !ports.Is(err, ports.Precondition) {
		t.Errorf("against another version: %v", err)
	}
	w.want("/m/a/f.txt", "2 apikey:a two", "1  one")
	if _, err := w.files.Restore(t.Context(), teamA, "/m/a/f.txt", 1, `"`+h.ETag+`"`); err != nil {
		t.Fatal(err)
	}
	if got := w.content("/m/a/f.txt"); got != "one" {
		t.Errorf("got %q", got)
	}
	w.want("/m/a/f.txt", "3 admin three", "2 apikey:a two", "1  one")
	if _, err := w.files.Get(t.Context(), admin, "/m/a/f.txt", 9); !ports.Is(err, ports.NotFound) {
		t.Errorf("got %v", err)
	}
}

func TestWhoMayNotEditAFileSeesNoneOfItsEarlierContents(t *testing.T) {
	w := newWorld(t)
	w.edit(admin, "/m/b/f.txt", "secret")
	w.edit(admin, "/m/b/f.txt", "public")
	for what, err := range map[string]error{
		"list":    second(w.files.History(t.Context(), teamA, "/m/b/f.txt")),
		"read":    second(w.files.Get(t.Context(), teamA, "/m/b/f.txt", 1)),
		"restore": second(w.files.Restore(t.Context(), teamA, "/m/b/f.txt", 1, "")),
		"switch":  w.files.Switch(t.Context(), teamA, "/m/b/f.txt", false),
	} {
		if !ports.Is(err, ports.Forbidden) {
			t.Errorf("%s: %v", what, err)
		}
	}
	w.Rules.Asked = nil
	if _, err := w.files.Get(t.Context(), admin, "/m/b/f.txt", 1); err != nil {
		t.Fatal(err)
	}
	if want := []policy.Action{policy.MountEdit, policy.MountRead}; !slices.Equal(w.Rules.Asked, want) {
		t.Errorf("asked %v, want %v", w.Rules.Asked, want)
	}
	for path, want := range map[string]error{"/m/b": mounts.ErrType, "/m/b/": mounts.ErrType, "/m/b/none": ports.ErrNotFound, "/m/../x": nil} {
		_, err := w.files.History(t.Context(), admin, path)
		if err == nil || want != nil && !errors.Is(err, want) {
			t.Errorf("%s: %v", path, err)
		}
	}
}

func TestOnlyEditsAndTextsByWebDAVKeepVersions(t *testing.T) {
	w := newWorld(t)
	dav := mountstest.AdminByDAV
	for path, c := range map[string]mounts.Caller{"/m/up.txt": admin, "/m/dav.png": dav, "/m/dav.txt": dav, "/m/dav.json": dav} {
		for _, content := range []string{"one", "two"} {
			if err := w.write(c, path, content, mounts.Write{}); err != nil {
				t.Fatal(err)
			}
		}
	}
	w.want("/m/up.txt")
	w.want("/m/dav.png")
	w.want("/m/dav.txt", "1  one")
	w.want("/m/dav.json", "1  one")

	if err := w.write(admin, "/m/up.txt", "three", mounts.Write{Conditions: mounts.Conditions{IfMatch: "*"}}); err != nil {
		t.Fatal(err)
	}
	w.want("/m/up.txt", "1  two") // whoever saw what is there edits it

	large := strings.Repeat("x", history.MaxFile+1)
	if err := w.write(admin, "/m/large.txt", large, mounts.Write{}); err != nil {
		t.Fatal(err)
	}
	h, err := w.files.History(t.Context(), admin, "/m/large.txt")
	if err != nil || !h.Large {
		t.Errorf("got %v, %v", h.Large, err)
	}
	w.edit(admin, "/m/large.txt", "small")
	w.want("/m/large.txt")
}

func TestVersionsGoWithTheFile(t *testing.T) {
	w := newWorld(t)
	for _, path := range []string{"/m/d/f.txt", "/m/d/g.txt", "/m/h.txt", "/m/over.txt"} {
		w.edit(admin, path, "one")
		w.edit(admin, path, "two")
	}
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	must(second(w.Rename(t.Context(), admin, "/m/h.txt", "/m/i.txt", false)))
	w.want("/m/i.txt", "1  one")
	must(second(w.Rename(t.Context(), admin, "/m/d/", "/m/e/", false)))
	w.want("/m/e/f.txt", "1  one")
	must(second(w.Remove(t.Context(), admin, []string{"/m/e/f.txt"}, false)))
	w.edit(admin, "/m/e/f.txt", "new")
	w.want("/m/e/f.txt")
	w.want("/m/e/g.txt", "1  one")
	must(second(w.Remove(t.Context(), admin, []string{"/m/e/"}, false)))
	w.edit(admin, "/m/e/g.txt", "new")
	w.want("/m/e/g.txt")
}

func TestAFolderIntoWhichAnotherIsMovedKeepsTheVersionsOfItsFiles(t *testing.T) {
	w := newWorld(t)
	for _, path := range []string{"/m/d/f.txt", "/m/d/s/g.txt", "/m/e/f.txt", "/m/e/own.txt", "/m/e/s/own.txt"} {
		w.edit(admin, path, "one of "+path)
		w.edit(admin, path, "two")
	}
	result, err := w.Move(t.Context(), admin, transfer.CopyRequest{Items: []transfer.CopyItem{{Source: "/m/d/", Target: "/m/e"}}, Conflict: transfer.Overwrite})
	if err != nil || len(result.Failed) > 0 {
		t.Fatalf("%+v, %v", result, err)
	}
	w.want("/m/e/f.txt", "1  one of /m/d/f.txt")
	w.want("/m/e/s/g.txt", "1  one of /m/d/s/g.txt")
	w.want("/m/e/own.txt", "1  one of /m/e/own.txt")
	w.want("/m/e/s/own.txt", "1  one of /m/e/s/own.txt")
}

func TestVersionsThatHaveMovedStayWhenTheMoveIsFinishedLater(t *testing.T) {
	w := newWorld(t)
	for _, path := range []string{"/m/d/f.txt", "/m/d/g.txt"} {
		w.edit(admin, path, "one")
		w.edit(admin, path, "two")
	}
	mountstest.Fail(w.Near, func(method, key string) bool { return method == "Delete" && key == "root/d/g.txt" })
	_, err := w.Rename(t.Context(), admin, "/m/d/", "/m/e/", false)
	mountstest.WantError(t, err, ports.ErrUnavailable)
	w.Near.Fail = nil
	w.Clock.Add(2 * time.Minute)
	if err := w.Recover(t.Context(), time.Time{}); err != nil {
		t.Fatal(err)
	}
	w.want("/m/e/f.txt", "1  one")
	w.want("/m/e/g.txt", "1  one")
}

func TestANewFileShowsNoVersionsOfAFormerOneThatWasDeletedInTheBucket(t *testing.T) {
	w := newWorld(t)
	for _, how := range []mounts.Write{{}, {Edit: true}} {
		w.edit(admin, "/m/f.txt", "one")
		w.edit(admin, "/m/f.txt", "two")
		if _, err := w.Near.Delete(t.Context(), "root/f.txt"); err != nil {
			t.Fatal(err)
		}
		if err := w.write(admin, "/m/f.txt", "another", how); err != nil {
			t.Fatal(err)
		}
		w.want("/m/f.txt")
		w.edit(admin, "/m/f.txt", "edited")
		w.want("/m/f.txt", "1  another")
		if _, err := w.Remove(t.Context(), admin, []string{"/m/f.txt"}, false); err != nil {
			t.Fatal(err)
		}
	}
}

// What a client sends to storage itself is no less a new file.
func TestAFileThatIsSentToStorageShowsNoVersionsOfAFormerOne(t *testing.T) {
	for name, announce := range map[string]func(*direct.Uploads) error{
		"in one piece": func(d *direct.Uploads) error { return second(d.Presign(t.Context(), admin, "/m/f.txt", 7)) },
		"in parts": func(d *direct.Uploads) error {
			return second(d.Begin(t.Context(), admin, "/m/f.txt", direct.NewUpload{Size: 7}))
		},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.edit(admin, "/m/f.txt", "one")
			w.edit(admin, "/m/f.txt", "two")
			if err := announce(direct.New(w.Tree)); err != nil {
				t.Fatal(err)
			}
			w.want("/m/f.txt", "1  one") // it is there, and may never be replaced
			if _, err := w.Near.Delete(t.Context(), "root/f.txt"); err != nil {
				t.Fatal(err)
			}
			if err := announce(direct.New(w.Tree)); err != nil {
				t.Fatal(err)
			}
			if _, err := w.Near.Write(t.Context(), "root/f.txt", strings.NewReader("another"), objstore.WriteOptions{Size: 7}); err != nil {
				t.Fatal(err)
			}
			w.want("/m/f.txt")
		})
	}
}

func TestAFileThatKeepsNoneLosesThoseItHas(t *testing.T) {
	w := newWorld(t)
	w.edit(admin, "/m/f.txt", "one")
	w.edit(admin, "/m/f.txt", "two")
	if err := w.files.Switch(t.Context(), admin, "/m/f.txt", false); err != nil {
		t.Fatal(err)
	}
	w.edit(admin, "/m/f.txt", "three")
	w.want("/m/f.txt")
	if h, err := w.files.History(t.Context(), admin, "/m/f.txt"); err != nil || !h.Off {
		t.Errorf("got %v, %v", h.Off, err)
	}
}

func TestAWriteThatFailsLosesNeitherFileNorVersion(t *testing.T) {
	w := newWorld(t)
	w.edit(admin, "/m/f.txt", "one")
	w.edit(admin, "/m/f.txt", "two")
	failure := errors.New("the storage is away")
	w.Near.Fail = func(method, _ string) error {
		if method == "write" || method == "Write" {
			return failure
		}
		return nil
	}
	if err := w.write(admin, "/m/f.txt", "three", mounts.Write{Edit: true}); !errors.Is(err, failure) {
		t.Fatal(err)
	}
	w.Near.Fail = nil
	if got := w.content("/m/f.txt"); got != "two" {
		t.Errorf("got %q", got)
	}
	w.want("/m/f.txt", "1  one")
}

func TestOfManyEditsAtOnceNoneIsLost(t *testing.T) {
	w := newWorld(t)
	w.edit(admin, "/m/f.txt", "0")
	var all sync.WaitGroup
	for i := range 8 {
		all.Go(func() {
			text := fmt.Sprint(i + 1)
			if _, _, err := w.Write(t.Context(), admin, "/m/f.txt", strings.NewReader(text), mounts.Write{Size: 1, Overwrite: true, Edit: true}); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	found := []string{w.content("/m/f.txt")}
	for _, one := range w.shown("/m/f.txt") {
		found = append(found, one[len(one)-1:])
	}
	slices.Sort(found)
	if want := strings.Split("012345678", ""); !slices.Equal(found, want) {
		t.Errorf("got %q, want %q", found, want)
	}
}

// ledger refuses what is larger than its room.
type ledger struct {
	mounts.Ledger
	room    int64
	claimed []int64
}

func (l *ledger) Reserve(_ context.Context, c capacity.Claim) error {
	if c.Size-c.Old > l.room {
		return &ports.Error{Code: ports.Quota, Key: "quota_exceeded"}
	}
	l.claimed = append(l.claimed, c.Old)
	return nil
}
func (l *ledger) Settle(context.Context, capacity.Claim, int64) error { return nil }
func (l *ledger) Release(context.Context, string) (bool, error)       { return true, nil }
func (l *ledger) Freed(context.Context, string) error                 { return nil }

func TestVersionsNeedRoomButNoEditFailsForThem(t *testing.T) {
	w := newWorld(t)
	books := &ledger{room: 9}
	deps := w.Deps
	deps.Ledger = books
	about := deps.Storages.(mountstest.Stores).About
	near := about["near"]
	near.Capacity = 100
	about["near"] = near
	w.Build(deps)
	w.files = history.New(w.Tree, w.Memory.History(), kept(9))
	w.edit(admin, "/m/f.txt", "one")
	w.edit(admin, "/m/f.txt", "two")
	books.room = 2
	w.edit(admin, "/m/f.txt", "three")
	w.want("/m/f.txt", "1  one")
	if want := []int64{0, 0, 3}; !slices.Equal(books.claimed, want) {
		t.Errorf("the file that goes counts as %v, want %v", books.claimed, want)
	}
}

// second is the error of a call that returns something else, too.
func second[T any](_ T, err error) error { return err }
