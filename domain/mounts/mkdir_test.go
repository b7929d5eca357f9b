package mounts_test

import (
	"errors"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"pasteport/domain/mounts"
	"pasteport/domain/mounts/mountstest"
	"pasteport/ports"
	"pasteport/ports/objstore"
)

func TestContract4_4_MkdirMakesEveryMissingLevel(t *testing.T) {
	y := mountstest.NewWriteFixture(t)
	for range 2 { // a folder that is there is no error
		if err := y.Mkdir(t.Context(), mountstest.Admin, "/m/a/资料/c/", mounts.NewFolder{}); err != nil {
			t.Fatal(err)
		}
	}
	if got, want := y.Names(y.Near), []string{"a/", "a/资料/", "a/资料/c/"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	o, err := y.Near.Stat(t.Context(), "root/a/")
	if err != nil || o.ContentType != mounts.FolderType || o.Size != 0 {
		t.Errorf("the marker is %+v, %v", o, err)
	}
}

func TestContract4_4_MkdirRefuses(t *testing.T) {
	y := mountstest.NewWriteFixture(t)
	y.Put(y.Near, "file", "folder/x")
	for _, c := range []struct {
		path   string
		strict bool
		want   error
	}{
		{"/", false, mounts.ErrRoot},
		{"/nowhere/a", false, mounts.ErrNoMount},
		{"/v", false, mounts.ErrVirtual},
		{"/m", false, nil},
		{"/m", true, ports.ErrConflict},
		{"/m/file", false, ports.ErrConflict},
		{"/m/file/", false, ports.ErrConflict},
		{"/m/folder", false, nil},
		{"/m/folder", true, ports.ErrConflict},
		{"/m/none/new", true, mounts.ErrNoParent},
		{"/m/new", true, nil},
	} {
		mountstest.WantError(t, y.Mkdir(t.Context(), mountstest.Admin, c.path, mounts.NewFolder{Strict: c.strict}), c.want)
	}
	for _, path := range []string{"/m/../x", "/m//x", "/m/a\\b", "/m/\x01", "/m/" + strings.Repeat("x", 256)} {
		mountstest.WantCode(t, y.Mkdir(t.Context(), mountstest.Admin, path, mounts.NewFolder{}), ports.Invalid)
	}
	mountstest.WantCode(t, y.Mkdir(t.Context(), mountstest.TeamA, "/m/ab/c", mounts.NewFolder{}), ports.Forbidden)
}

func TestOfManyWhoMakeOneFolderOneHasMadeIt(t *testing.T) {
	y := mountstest.NewWriteFixture(t)
	y.Near.Fail = func(method, _ string) error {
		for n := 0; method == "Write" && n < 100; n++ {
			runtime.Gosched() // others find nothing there meanwhile
		}
		return nil
	}
	var made atomic.Int64
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			switch err := y.Mkdir(t.Context(), mountstest.Admin, "/m/new", mounts.NewFolder{Strict: true}); {
			case err == nil:
				made.Add(1)
			case !errors.Is(err, ports.ErrConflict):
				t.Error(err)
			}
		})
	}
	all.Wait()
	if made.Load() != 1 {
		t.Errorf("%d have made it", made.Load())
	}
}

func TestAFolderThatAnotherNodeHasJustMadeIsThere(t *testing.T) {
	y := mountstest.NewWriteFixture(t)
	met := false
	y.Near.Fail = func(method, key string) (err error) {
		if method == "Write" && key == "root/new/" && !met {
			met = true
			_, err = y.Near.Write(t.Context(), key, strings.NewReader(""), objstore.WriteOptions{})
		}
		return err
	}
	mountstest.WantError(t, y.Mkdir(t.Context(), mountstest.Admin, "/m/new", mounts.NewFolder{Strict: true}), ports.ErrConflict)
	mountstest.WantError(t, y.Mkdir(t.Context(), mountstest.Admin, "/m/new", mounts.NewFolder{}), nil)
}

func TestSharesOfAFolderAreAskedForWhereItLies(t *testing.T) {
	y := mountstest.NewWriteFixture(t)
	y.Put(y.Near, "a/x")
	for path, want := range map[string]string{"/m": "root/", "/m/a": "root/a/", "/m/a/": "root/a/"} {
		marks, err := y.Shares(t.Context(), mountstest.Admin, path)
		if err != nil || len(marks.Files) != 1 || marks.Files[0].Name != " near "+want {
			t.Errorf("%s: got %+v, %v, want everybody's with the prefix %s", path, marks, err, want)
		}
	}
	if marks, err := y.Shares(t.Context(), mountstest.TeamA, "/m/a"); err != nil || marks.Files[0].Name != mountstest.TeamA.Who.Owner()+" near root/a/" {
		t.Errorf("a key: got %+v, %v, want its own", marks, err)
	}
	if _, err := y.Shares(t.Context(), mountstest.Admin, "/nowhere"); !errors.Is(err, mounts.ErrNoMount) {
		t.Errorf("a folder of no mount: %v", err)
	}
	_, err := y.Shares(t.Context(), mountstest.TeamA, "/m/d")
	mountstest.WantCode(t, err, ports.Forbidden)
}
