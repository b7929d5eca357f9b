package transfer_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"pasteport/domain/mounts"
	"pasteport/domain/mounts/mountstest"
	"pasteport/domain/mounts/transfer"
	"pasteport/ports"
	"pasteport/ports/jobs"
	"pasteport/ports/objstore"
	"pasteport/ports/policy"
)

func items(pairs ...string) (r transfer.CopyRequest) {
	for i := 0; i < len(pairs); i += 2 {
		r.Items = append(r.Items, transfer.CopyItem{Source: pairs[i], Target: pairs[i+1]})
	}
	return r
}

func TestContract4_12_CopyCountsFiles(t *testing.T) {
	y := newFixture(t)
	y.Put(y.Near, "a", "d/", "d/e/", "d/x", "d/e/y", "empty/")
	r := items("/m/a", "/m/new/deep/a2", "/m/d/", "/m/d2", "/m/empty/", "/m/empty2/", "/m/none", "/m/x", "", "/m/x", "/m/a", "/twin/b", "/m/a", "/m/d2/")
	got, err := y.Copy(t.Context(), mountstest.Admin, r)
	if err != nil {
		t.Fatal(err)
	}
	if got.Success != 1+2+1+1+1 || got.Skipped != 0 || len(got.Failed) != 2 || len(got.Cross) != 0 {
		t.Errorf("got %+v", got)
	}
	y.WantFiles(y.Near, "a", "b", "d/e/y", "d/x", "d2/a", "d2/e/y", "d2/x", "new/deep/a2")
	for _, marker := range []string{"root/new/", "root/new/deep/", "root/d2/", "root/d2/e/", "root/empty2/"} {
		if _, err := y.Near.Stat(t.Context(), marker); err != nil {
			t.Errorf("%s: %v", marker, err)
		}
	}
	if len(got.Details) != 7 {
		t.Errorf("got the details %+v", got.Details)
	}
	if want := []policy.Action{policy.MountCopy}; !slices.Equal(y.Rules.Asked, want) {
		t.Errorf("the policy was asked %v, want %v", y.Rules.Asked, want)
	}
}

func TestContract4_12_Conflicts(t *testing.T) {
	for _, c := range []struct {
		name         string
		from, to     string
		skip, suffix bool
		conflict     transfer.Conflict
		target       string // as told
		status       jobs.ItemStatus
		renamed      bool
		want         string // the files afterwards, "name=content", those of the start left out
		failure      error
	}{
		{name: "file, skip", from: "/m/f", to: "/m/g", skip: true, target: "/m/g", status: jobs.Skipped},
		{name: "file, overwrite", from: "/m/f", to: "/m/g", target: "/m/g", status: jobs.Completed, want: "g=f"},
		{name: "file, random suffix", from: "/m/f.t.xt", to: "/m/g.xt", suffix: true, target: "/m/g-aaaaaf.xt", status: jobs.Completed, renamed: true, want: "g-aaaaaf.xt=f.t.xt"},
		{name: "file, nothing in the way", from: "/m/f", to: "/m/new", suffix: true, target: "/m/new", status: jobs.Completed, want: "new=f"},
		{name: "file onto itself, skip", from: "/m/f", to: "/m/f", skip: true, target: "/m/f", status: jobs.Skipped},
		{name: "file onto itself", from: "/m/f.t.xt", to: "/m/f.t.xt", target: "/m/f.t(1).xt", status: jobs.Completed, renamed: true, want: "f.t(1).xt=f.t.xt"},
		{name: "file onto itself by another mount", from: "/m/f", to: "/twin/f", target: "/twin/f(1)", status: jobs.Completed, renamed: true, want: "f(1)=f"},
		{name: "folder below itself by another mount", from: "/m/d/", to: "/twin/d/sub", target: "/twin/d/sub/", status: jobs.Completed, want: "d/sub/x=d/x"},
		{name: "folder onto the one it is in", from: "/m/o/o/", to: "/m/o", conflict: transfer.Overwrite, target: "/m/o", status: jobs.Failed, failure: mounts.ErrIntoSelf},
		{name: "file into a folder", from: "/m/f", to: "/m/d/", target: "/m/d/f", status: jobs.Completed, want: "d/f=f"},
		{name: "file onto a folder", from: "/m/f", to: "/m/d", target: "/m/d", status: jobs.Failed, failure: objstore.ErrFolderInTheWay},
		{name: "folder onto a file", from: "/m/d/", to: "/m/f", target: "/m/f", status: jobs.Failed, failure: objstore.ErrFileInTheWay},
		{name: "folder onto a folder", from: "/m/d/", to: "/m/e", target: "/m/e(1)/", status: jobs.Completed, renamed: true, want: "e(1)/x=d/x"},
		{name: "folder onto a folder, skip", from: "/m/d/", to: "/m/e", skip: true, target: "/m/e(1)/", status: jobs.Completed, renamed: true, want: "e(1)/x=d/x"},
		{name: "folder onto a numbered folder", from: "/m/d/", to: "/m/n(4)", target: "/m/n(1)/", status: jobs.Completed, renamed: true, want: "n(1)/x=d/x"},
		{name: "folder onto itself", from: "/m/d/", to: "/m/d/", target: "/m/d(1)/", status: jobs.Completed, renamed: true, want: "d(1)/x=d/x"},
		{name: "folder below itself", from: "/m/d/", to: "/m/d/sub/d", target: "/m/d/sub/d/", status: jobs.Completed, want: "d/sub/d/x=d/x"},
		{name: "folder without slash", from: "/m/d", to: "/m/new", target: "/m/new/", status: jobs.Completed, want: "new/x=d/x"},
		{name: "policy of the call: skip", from: "/m/f", to: "/m/g", conflict: transfer.Skip, target: "/m/g", status: jobs.Skipped},
		{name: "policy of the call: overwrite", from: "/m/f", to: "/m/g", skip: true, suffix: true, conflict: transfer.Overwrite, target: "/m/g", status: jobs.Completed, want: "g=f"},
		{name: "policy of the call: rename", from: "/m/f", to: "/m/g.xt", conflict: transfer.Other, target: "/m/g(1).xt", status: jobs.Completed, renamed: true, want: "g(1).xt=f"},
		{name: "policy of the call: fail", from: "/m/f", to: "/m/g", conflict: transfer.Fail, target: "/m/g", status: jobs.Failed, failure: ports.ErrConflict},
		{name: "policy of the call: folders merge", from: "/m/d/", to: "/m/e", conflict: transfer.Overwrite, target: "/m/e/", status: jobs.Completed, want: "e/x=d/x"},
		{name: "policy of the call: folder is skipped", from: "/m/d/", to: "/m/e", conflict: transfer.Skip, target: "/m/e/", status: jobs.Skipped},
		{name: "to a mount point", from: "/m/d/", to: "/far", target: "/far", status: jobs.Failed, failure: mounts.ErrVirtual},
		{name: "to a virtual folder", from: "/m/d/", to: "/v/", target: "/v/", status: jobs.Failed, failure: mounts.ErrVirtual},
		{name: "to the root", from: "/m/d/", to: "/", target: "/", status: jobs.Failed, failure: mounts.ErrRoot},
		{name: "from nowhere", from: "/nowhere/d/", to: "/m/x", target: "/m/x", status: jobs.Failed, failure: mounts.ErrNoMount},
		{name: "a whole mount", from: "/far", to: "/m/x", target: "/m/x/", status: jobs.Pending},
	} {
		t.Run(c.name, func(t *testing.T) {
			y := newFixture(t)
			start := []string{"f", "f.t.xt", "g", "g.xt", "d/x", "e/z", "n(4)/q", "o/o/f", "o/o/o/f"}
			y.Put(y.Near, start...)
			y.Put(y.Near, "d/", "e/")
			y.Put(y.Far, "one")
			y.Values.Suffix = c.suffix
			y.Random.Queue("aaaaaf")
			r := items(c.from, c.to)
			r.SkipExisting, r.Conflict = c.skip, c.conflict
			got, err := y.Copy(t.Context(), mountstest.Admin, r)
			if err != nil || len(got.Details) != 1 {
				t.Fatalf("got %+v, %v", got, err)
			}
			d := got.Details[0]
			if d.Status != c.status || d.Renamed != c.renamed || !strings.EqualFold(d.Target, c.target) {
				t.Errorf("got %+v", d)
			}
			if !errors.Is(d.Err, c.failure) {
				t.Errorf("got %v, want %v", d.Err, c.failure)
			}
			want := map[string]string{}
			for _, name := range start {
				want[name] = name
			}
			if name, content, found := strings.Cut(c.want, "="); found {
				want[name] = content
			}
			for name, content := range y.Files(y.Near) {
				if w, ok := want[strings.ToLower(name)]; !ok || w != content {
					t.Errorf("unwanted: %s=%s", name, content)
				}
				delete(want, strings.ToLower(name))
			}
			for name := range want {
				t.Errorf("%s is missing", name)
			}
			for _, name := range y.Names(y.Near) {
				if strings.HasPrefix(name, "/") {
					t.Errorf("the key %q has a leading slash", name)
				}
			}
		})
	}
}

func TestCopyRefusesTheWholeCall(t *testing.T) {
	y := newFixture(t)
	y.Put(y.Near, "a/x", "b")
	for name, r := range map[string]transfer.CopyRequest{
		"nothing": {}, "too many": {Items: make([]transfer.CopyItem, transfer.MaxBatch+1)}, "unclean": items("/m/a/x", "/m/../y"),
		"an unknown conflict": {Items: items("/m/b", "/m/c").Items, Conflict: "ask"},
	} {
		_, err := y.Copy(t.Context(), mountstest.Admin, r)
		if !ports.Is(err, ports.Invalid) {
			t.Errorf("%s: got %v", name, err)
		}
	}
	for _, r := range []transfer.CopyRequest{items("/m/a/x", "/m/a/y", "/m/b", "/m/a/z"), items("/m/a/x", "/m/ab"), items("/m/a/x", "/far/y")} {
		_, err := y.Copy(t.Context(), mountstest.TeamA, r)
		mountstest.WantCode(t, err, ports.Forbidden)
	}
	y.WantFiles(y.Near, "a/x", "b")
}

// The sibling of a key's own folder is not the key's.
func TestARenamedTargetStaysInTheBasicPath(t *testing.T) {
	y := newFixture(t)
	y.Put(y.Near, "a/d/x", "a/y")
	got, err := y.Copy(t.Context(), mountstest.TeamA, items("/m/a/d/", "/m/a/"))
	if err != nil || len(got.Failed) != 1 {
		t.Fatalf("got %+v, %v", got, err)
	}
	mountstest.WantCode(t, got.Failed[0].Err, ports.Forbidden)
	y.WantFiles(y.Near, "a/d/x", "a/y")
}

func TestCopyTellsEveryFileThatFailed(t *testing.T) {
	y := newFixture(t)
	y.Put(y.Near, "d/a", "d/b", "d/c")
	mountstest.Fail(y.Near, func(method, key string) bool { return method == "Copy" && key == "root/z/b" })
	got, err := y.Copy(t.Context(), mountstest.Admin, items("/m/d/", "/m/z/"))
	if err != nil || got.Success != 2 || len(got.Failed) != 1 || got.Failed[0].Source != "/m/d/b" || got.Failed[0].Target != "/m/z/b" {
		t.Fatalf("got %+v, %v", got, err)
	}
	y.WantFiles(y.Near, "d/a", "d/b", "d/c", "z/a", "z/c")
}

func TestContract4_12_CrossStorageIsSignedForTheCaller(t *testing.T) {
	y := newFixture(t)
	y.Put(y.Near, "a.txt", "d/", "d/x/", "d/x/b.txt", "d/c", "same")
	near, far := httptest.NewServer(y.Near), httptest.NewServer(y.Far)
	defer near.Close()
	defer far.Close()
	y.Near.BaseURL, y.Far.BaseURL = near.URL, far.URL
	y.Put(y.Far, "taken/old", "there")
	r := items("/m/same", "/m/same2", "/m/a.txt", "/far/q/a.txt", "/m/d/", "/far/taken", "/m/a.txt", "/far/there", "/m/none", "/far/none")
	r.SkipExisting = true
	got, err := y.Copy(t.Context(), mountstest.Admin, r)
	if err != nil || len(got.Cross) != 2 || got.Success != 1 || got.Skipped != 1 || len(got.Failed) != 1 {
		t.Fatalf("got %+v, %v", got, err)
	}
	file, folder := got.Cross[0], got.Cross[1]
	if file.Target != "/far/q/a.txt" || file.SourceMount != "m" || file.TargetMount != "far" || file.Files[0].TargetKey != "q/a.txt" ||
		file.Files[0].SourceKey != "root/a.txt" || !strings.HasPrefix(file.Files[0].ContentType, "text/plain") {
		t.Errorf("got %+v", file)
	}
	if folder.Target != "/far/taken(1)/" || !folder.Renamed || folder.Asked != "/far/taken/" || len(folder.Files) != 2 ||
		folder.Files[1].Dir != "x" || folder.Files[1].Name != "b.txt" || folder.Files[1].TargetKey != "taken(1)/x/b.txt" {
		t.Errorf("got %+v", folder)
	}
	// An old page does the rest.
	var carried []transfer.Carried
	for _, item := range got.Cross {
		for _, f := range item.Files {
			target := item.Target
			if item.Folder {
				target = strings.TrimSuffix(item.Target, "/") + "/" + strings.TrimPrefix(f.Dir+"/", "/") + f.Name
			}
			carryByHand(t, f)
			carried = append(carried, transfer.Carried{Path: target, Key: f.TargetKey, Size: f.Size})
		}
	}
	done, err := y.CommitCopies(t.Context(), mountstest.Admin, got.Cross[0].TargetMount, carried)
	if err != nil || len(done.Done) != 3 || len(done.Failed) != 0 {
		t.Fatalf("got %+v, %v", done, err)
	}
	y.WantFiles(y.Far, "q/a.txt", "taken(1)/c", "taken(1)/x/b.txt", "taken/old", "there")
	if _, err := y.Far.Stat(t.Context(), "q/"); err != nil {
		t.Errorf("the folder has no marker: %v", err)
	}
}

func carryByHand(t *testing.T, f transfer.CrossFile) {
	t.Helper()
	got, err := http.Get(f.Download)
	if err != nil {
		t.Fatal(err)
	}
	defer got.Body.Close()
	content, err := io.ReadAll(got.Body)
	if err != nil || got.StatusCode != http.StatusOK {
		t.Fatalf("download: %d, %v", got.StatusCode, err)
	}
	put, err := http.NewRequestWithContext(t.Context(), http.MethodPut, f.Upload, bytes.NewReader(content))
	if err != nil {
		t.Fatal(err)
	}
	answer, err := http.DefaultClient.Do(put)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		t.Fatalf("upload: %d", answer.StatusCode)
	}
}

func TestContract4_12_TheServerCopiesWhereNobodyCanSign(t *testing.T) {
	y := newFixture(t)
	y.Put(y.Near, "a.txt", "d/x/b.txt", "d/c")
	y.Far.Fail = func(method, key string) error {
		if method == "Sign" {
			return objstore.ErrUnsupported
		}
		return nil
	}
	got, err := y.Copy(t.Context(), mountstest.Admin, items("/m/a.txt", "/far/a.txt", "/m/d/", "/far/d/"))
	if err != nil || got.Success != 3 || len(got.Cross) != 0 || len(got.Failed) != 0 {
		t.Fatalf("got %+v, %v", got, err)
	}
	y.WantFiles(y.Far, "a.txt", "d/c", "d/x/b.txt")
	if got := string(y.Far.Bytes("a.txt")); got != "a.txt" {
		t.Errorf("got %q", got)
	}
}

func TestAMoveThatFailsHasMovedNoFile(t *testing.T) {
	y := newFixture(t)
	for i := range 30 {
		y.Put(y.Near, fmt.Sprintf("d/%02d", i))
	}
	mountstest.Fail(y.Far, func(method, key string) bool { return method == "Write" && key == "d/29" })
	got, err := y.Move(t.Context(), mountstest.Admin, items("/m/d/", "/far/d/"))
	if err != nil || got.Success != 0 || len(got.Failed) != 1 {
		t.Errorf("got %d moved, %d failed, %v, want none moved and one failed", got.Success, len(got.Failed), err)
	}
	y.WantFiles(y.Far)
	if left := len(y.Files(y.Near)); left != 30 {
		t.Errorf("%d files are left, want all 30", left)
	}
}

func TestContract4_12_CopyAsATask(t *testing.T) {
	y := newFixture(t)
	for i := range 30 {
		y.Put(y.Near, fmt.Sprintf("d/%02d", i))
	}
	y.Put(y.Near, "a", "d/")
	y.Put(y.Far, "d/old")
	r := items("/m/a", "/far/a", "/m/d/", "/far/d", "/m/none", "/far/none")
	r.Task = true
	got, err := y.Copy(t.Context(), mountstest.Admin, r)
	if err != nil || got.TaskID != "task-1" {
		t.Fatalf("got %+v, %v", got, err)
	}
	run := mountstest.NewRun(t, y.Tasks.Started[0])
	// It is stopped in the middle, and goes on where it was: in the folder that
	// it has chosen, not in a second one.
	run.StopAfter, run.Cause = 12, jobs.ErrStopping
	mountstest.WantError(t, y.Work(transfer.CopyTask, run), jobs.ErrStopping)
	mountstest.Fail(y.Far, func(method, key string) bool { return method == "Write" && key == "d(1)/29" })
	next := run.Retry()
	if err := y.Work(transfer.CopyTask, next); err != nil {
		t.Fatal(err)
	}
	if len(next.Failures) != 2 || next.Failures["/m/d/29"] == nil || next.Failures["/m/none"] == nil {
		t.Errorf("got the failures %v", next.Failures)
	}
	y.Far.Fail = nil
	y.Put(y.Near, "none")
	last := next.Retry()
	if err := y.Work(transfer.CopyTask, last); err != nil {
		t.Fatal(err)
	}
	if len(last.Items) != 2 || len(last.Failures) != 0 {
		t.Errorf("the retry did %+v", last.Items)
	}
	want := []string{"a"}
	for i := range 30 {
		want = append(want, fmt.Sprintf("d(1)/%02d", i))
	}
	y.WantFiles(y.Far, append(want, "d/old", "none")...)
}

func TestContract4_13_CommitBelievesNothing(t *testing.T) {
	y := newFixture(t)
	y.Put(y.Far, "a/b=123", "folder/x")
	y.Put(y.Near, "c")
	got, err := y.CommitCopies(t.Context(), mountstest.Admin, "far", []transfer.Carried{
		{Path: "/far/a/b", Key: "a/b", Size: 3}, {Path: "/m/c", Key: "c"}, {Path: "/far/a/b", Key: "a/b", Size: 4}, {Path: "/far/none", Key: "none"},
		{Path: "", Key: "x"}, {Path: "/far/a/b", Key: ""}, {Path: "/nowhere/x", Key: "x"}, {Path: "/far/folder/", Key: "folder/"}, {Path: "/far", Key: "x"},
	})
	if err != nil {
		t.Fatal(err)
	}
	if want := []string{"/far/a/b", "/m/c"}; !slices.Equal(got.Done, want) || len(got.Failed) != 7 {
		t.Errorf("got %+v", got)
	}
	file := []transfer.Carried{{Path: "/far/a/b", Key: "a/b"}}
	_, err = y.CommitCopies(t.Context(), mountstest.Admin, "", file)
	mountstest.WantCode(t, err, ports.Invalid)
	_, err = y.CommitCopies(t.Context(), mountstest.Admin, "far", nil)
	mountstest.WantCode(t, err, ports.Invalid)
	_, err = y.CommitCopies(t.Context(), mountstest.Admin, "unknown", file)
	mountstest.WantCode(t, err, ports.NotFound)
	_, err = y.CommitCopies(t.Context(), mountstest.TeamA, "far", file)
	mountstest.WantCode(t, err, ports.Forbidden)
}

func TestMoveTakesFilesAndFoldersAnywhere(t *testing.T) {
	y := newFixture(t)
	y.Put(y.Near, "a", "d/", "d/x", "d/e/y", "b", "taken", "self")
	y.Put(y.Far, "d/old")
	r := items("/m/a", "/m/d/e/a", "/m/d/", "/far/d", "/m/b", "/far/new/", "/m/self", "/m/self", "/m", "/far/m/", "/m/none", "/far/x")
	got, err := y.Move(t.Context(), mountstest.Admin, r)
	if err != nil || got.Success != 1+3+1 || got.Skipped != 1 || len(got.Failed) != 2 {
		t.Fatalf("got %+v, %v", got, err)
	}
	y.WantFiles(y.Near, "self", "taken")
	y.WantFiles(y.Far, "d(1)/e/a", "d(1)/e/y", "d(1)/x", "d/old", "new/b")
	if want := []policy.Action{policy.MountMove}; !slices.Equal(y.Rules.Asked, want) {
		t.Errorf("the policy was asked %v, want %v", y.Rules.Asked, want)
	}
	got, err = y.Move(t.Context(), mountstest.Admin, items("/far/d/", "/far/d/below"))
	if err != nil || len(got.Failed) != 1 {
		t.Fatalf("got %+v, %v", got, err)
	}
	mountstest.WantError(t, got.Failed[0].Err, mounts.ErrIntoSelf)
}

// Two mounts may show one storage: what looks like another place is not.
func TestMoveThroughAnotherMountLosesNothing(t *testing.T) {
	y := newFixture(t)
	y.Put(y.Near, "f=1", "d/x=2", "d/e/y=3")
	for _, c := range []struct {
		from, to string
		conflict transfer.Conflict
	}{
		{"/m/f", "/twin/f", transfer.Overwrite}, {"/m/f", "/twin/f", ""}, {"/m/d/", "/twin/d", transfer.Overwrite}, {"/m/d/", "/twin/d/sub", ""},
		{"/m/d/e/", "/twin/d", transfer.Overwrite}, {"/m/d/", "/twin/d", ""},
	} {
		r := items(c.from, c.to)
		r.Conflict = c.conflict
		if _, err := y.Move(t.Context(), mountstest.Admin, r); err != nil {
			t.Fatal(err)
		}
		contents := map[string]bool{}
		for _, content := range y.Files(y.Near) {
			contents[content] = true
		}
		if len(contents) != 3 || len(y.Files(y.Near)) != 3 {
			t.Errorf("%s to %s: left %v", c.from, c.to, y.Files(y.Near))
		}
		for _, o := range []transfer.Placing{{Move: true, Overwrite: true}} {
			if _, err := y.CopyTo(t.Context(), mountstest.AdminByDAV, c.from, c.to, o); err == nil && len(y.Files(y.Near)) != 3 {
				t.Errorf("%s to %s by WebDAV: left %v", c.from, c.to, y.Files(y.Near))
			}
		}
	}
}

func TestMoveObeysConflicts(t *testing.T) {
	for _, c := range []struct {
		name      string
		skip      bool
		conflict  transfer.Conflict
		near, far string
	}{
		{"skipped", true, "", "f=new", "f=old"},
		{"overwritten", false, "", "", "f=new"},
		{"renamed", false, transfer.Other, "", "f(1)=new f=old"},
		{"failed", false, transfer.Fail, "f=new", "f=old"},
	} {
		y := newFixture(t)
		y.Put(y.Near, "f=new")
		y.Put(y.Far, "f=old")
		r := items("/m/f", "/far/f")
		r.SkipExisting, r.Conflict = c.skip, c.conflict
		if _, err := y.Move(t.Context(), mountstest.Admin, r); err != nil {
			t.Fatal(err)
		}
		if got := listing(y.Files(y.Near)); got != c.near {
			t.Errorf("%s: near has %q, want %q", c.name, got, c.near)
		}
		if got := listing(y.Files(y.Far)); got != c.far {
			t.Errorf("%s: far has %q, want %q", c.name, got, c.far)
		}
	}
}

func listing(files map[string]string) string {
	var lines []string
	for name, content := range files {
		lines = append(lines, name+"="+content)
	}
	slices.Sort(lines)
	return strings.Join(lines, " ")
}

func TestMoveAsATaskGoesOnAfterAStop(t *testing.T) {
	y := newFixture(t)
	var want []string
	for i := range 30 {
		y.Put(y.Near, fmt.Sprintf("d/%02d", i))
		want = append(want, fmt.Sprintf("d(1)/%02d", i))
	}
	y.Put(y.Near, "a")
	y.Put(y.Far, "d/old")
	r := items("/m/a", "/far/a", "/m/d/", "/far/d")
	r.Task = true
	if _, err := y.Move(t.Context(), mountstest.Admin, r); err != nil {
		t.Fatal(err)
	}
	run := mountstest.NewRun(t, y.Tasks.Started[0])
	run.StopAfter, run.Cause = 9, jobs.ErrStopping
	mountstest.WantError(t, y.Work(transfer.MoveTask, run), jobs.ErrStopping)
	next := run.Retry()
	if err := y.Work(transfer.MoveTask, next); err != nil {
		t.Fatal(err)
	}
	if len(next.Failures) != 0 {
		t.Errorf("failures: %v", next.Failures)
	}
	y.WantFiles(y.Near)
	y.WantFiles(y.Far, append(append([]string{"a"}, want...), "d/old")...)
}

func TestContract8_10_CopyToNamesExactlyOneTarget(t *testing.T) {
	y := newFixture(t)
	y.Put(y.Near, "f=new", "g=old", "d/", "d/x", "e/", "e/gone", "only/", "only/z")
	for _, c := range []struct {
		name, from, to string
		o              transfer.Placing
		replaced       bool
		want           error
	}{
		{"new", "/m/f", "/m/f2", transfer.Placing{}, false, nil},
		{"taken", "/m/f", "/m/g", transfer.Placing{}, true, ports.ErrConflict},
		{"replaced", "/m/f", "/m/g", transfer.Placing{Overwrite: true}, true, nil},
		{"a folder replaces a folder", "/m/d", "/m/e", transfer.Placing{Overwrite: true}, true, nil},
		{"a folder alone", "/m/d", "/m/alone", transfer.Placing{Alone: true}, false, nil},
		{"moved to another storage", "/m/only", "/far/only", transfer.Placing{Move: true}, false, nil},
		{"parent missing", "/m/f", "/m/none/f", transfer.Placing{}, false, mounts.ErrNoParent},
		{"source missing", "/m/none", "/m/x", transfer.Placing{}, false, ports.ErrNotFound},
		{"itself", "/m/f", "/m/f", transfer.Placing{Overwrite: true}, false, mounts.ErrIntoSelf},
		{"below itself", "/m/d", "/m/d/d", transfer.Placing{}, false, mounts.ErrIntoSelf},
		{"onto the folder it is in", "/m/d/x", "/m/d", transfer.Placing{Overwrite: true}, false, mounts.ErrIntoSelf},
		{"a mount point", "/m", "/far/m", transfer.Placing{Move: true}, false, mounts.ErrVirtual},
		{"onto a mount point", "/m/f", "/far", transfer.Placing{Overwrite: true}, false, mounts.ErrVirtual},
	} {
		replaced, err := y.CopyTo(t.Context(), mountstest.AdminByDAV, c.from, c.to, c.o)
		if !errors.Is(err, c.want) || replaced != c.replaced && err == nil {
			t.Errorf("%s: got %t, %v", c.name, replaced, err)
		}
	}
	y.WantFiles(y.Near, "d/x", "e/x", "f", "f2", "g")
	y.WantFiles(y.Far, "only/z")
	if got := y.Files(y.Near)["g"]; got != "new" {
		t.Errorf("g holds %q", got)
	}
	if _, err := y.Near.Stat(t.Context(), "root/alone/"); err != nil {
		t.Error(err)
	}
}
