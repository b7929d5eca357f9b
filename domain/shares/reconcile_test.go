package shares_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"pasteport/domain/shares"
	"pasteport/domain/shares/reconcile"
	"pasteport/ports"
	"pasteport/ports/jobs"
	"pasteport/ports/objstore"
	"pasteport/ports/policy"
	"pasteport/ports/portstest"
)

var boss = policy.Principal{Kind: policy.Admin, ID: "boss", BasicPath: "/"}

// site is a reconciler over a world, with tasks that run where they are started.
type site struct {
	*world
	*reconcile.Reconciler
	places []reconcile.Place
	runs   map[string]*reconcile.Run
	// stopAfter ends a run at this item; 0 lets all run.
	stopAfter int
}

func newSite(t *testing.T) *site {
	s := &site{world: newWorld(t), runs: map[string]*reconcile.Run{}}
	for _, id := range []string{"public", "private"} {
		s.places = append(s.places, reconcile.Place{Storage: s.storages.configs[id]})
		s.places[len(s.places)-1].Home = "s3.example/" + id + "/"
	}
	s.Reconciler = reconcile.New(reconcile.Deps{Shares: s.deps, Records: s.db.FileKeys(), Uploads: s.db.UploadKeys(), Tasks: s, Runs: s,
		Places: func(context.Context) ([]reconcile.Place, error) { return s.places, nil }})
	return s
}

func (s *site) Start(_ context.Context, in jobs.Start) (string, error) {
	payload, err := json.Marshal(in.Payload)
	id := fmt.Sprintf("task%d", len(s.runs))
	s.runs[id] = &reconcile.Run{ID: id, Status: "running", Payload: payload, CreatedAt: s.clock.Now()}
	return id, err
}

func (s *site) Read(_ context.Context, _ policy.Principal, id string) (reconcile.Run, error) {
	if r := s.runs[id]; r != nil {
		return *r, nil
	}
	return reconcile.Run{}, ports.ErrNotFound
}

func (s *site) Latest(context.Context, policy.Principal, int) ([]reconcile.Run, error) {
	return nil, nil
}

// errKilled is how a run ends that the test has cut.
var errKilled = errors.New("killed")

// strayRun is a run that keeps its checkpoints.
type strayRun struct {
	*reconcile.Run
	site  *site
	items int
}

func (r *strayRun) TaskID() string             { return r.ID }
func (r *strayRun) Owner() policy.Principal    { return boss }
func (r *strayRun) Payload(into any) error     { return json.Unmarshal(r.Run.Payload, into) }
func (r *strayRun) Failed() []jobs.Item        { return nil }
func (r *strayRun) Expect(int64, int64)        {}
func (r *strayRun) Moved(int64)                {}
func (r *strayRun) Sync(context.Context) error { return nil }
func (r *strayRun) State(into any) (bool, error) {
	if r.Run.State == nil {
		return false, nil
	}
	return true, json.Unmarshal(r.Run.State, into)
}
func (r *strayRun) Checkpoint(state any) (err error) {
	r.Run.State, err = json.Marshal(state)
	return err
}
func (r *strayRun) Item(jobs.Item, error) error {
	if r.items++; r.items == r.site.stopAfter {
		return errKilled
	}
	return nil
}

// run starts a plan and works it off.
func (s *site) run(p reconcile.Plan) (reconcile.Outcome, error) {
	s.t.Helper()
	if p.StorageID == "" {
		p.StorageID = "public"
	}
	id, err := s.Reconciler.Start(s.t.Context(), boss, p)
	if err != nil {
		return reconcile.Outcome{}, err
	}
	err = s.resume(id)
	out, e := s.Get(s.t.Context(), boss, id)
	return out, errors.Join(err, e)
}

func (s *site) resume(id string) error {
	r := s.runs[id]
	err := s.Work(s.t.Context(), &strayRun{Run: r, site: s})
	if err == nil {
		now := s.clock.Now()
		r.Status, r.FinishedAt = "completed", &now
	}
	return err
}

func (s *site) check(p reconcile.Plan) reconcile.Outcome {
	s.t.Helper()
	out, err := s.run(p)
	if err != nil {
		s.t.Fatal(err)
	}
	return out
}

func keysOf(f reconcile.Finding) []string {
	var keys []string
	for _, found := range f.First {
		keys = append(keys, found.Key)
	}
	return keys
}

// share makes a file share with its object.
func (s *site) share(name string) *shares.File {
	s.t.Helper()
	f, err := s.uploads.Upload(s.t.Context(), boss, shares.NewUpload{Filename: name, StorageConfigID: "public"}, strings.NewReader("hello"), 5)
	if err != nil {
		s.t.Fatal(err)
	}
	return f
}

func TestACheckTellsWhatIsAstrayAndChangesNothing(t *testing.T) {
	s := newSite(t)
	s.share("kept.txt")
	lost := s.share("lost.txt")
	if _, err := s.bucket.Delete(t.Context(), lost.StoragePath); err != nil {
		t.Fatal(err)
	}
	for _, key := range []string{"up/old.txt", "up/文/b.txt", "up/_thumbs/a", "up/.hidden", "up/folder/", "elsewhere/own.txt", "top.txt", "pasteport-backups/x"} {
		s.bucket.Put(key, "12345")
	}
	upload, err := s.bucket.Create(t.Context(), "up/parts.bin", objstore.WriteOptions{})
	if err != nil {
		t.Fatal(err)
	}
	s.clock.Add(reconcile.SafeAge + time.Hour)
	s.bucket.Put("up/new.txt", "young")
	before := s.bucket.Keys()
	got := s.check(reconcile.Plan{})
	if d := cmp.Diff(keysOf(got.Report.Orphans), []string{"up/old.txt", "up/文/b.txt"}); d != "" {
		t.Errorf("orphans: %s", d)
	}
	if d := cmp.Diff(keysOf(got.Report.Missing), []string{lost.StoragePath}); d != "" {
		t.Errorf("missing: %s", d)
	}
	if d := cmp.Diff(keysOf(got.Report.Uploads), []string{"up/parts.bin"}); d != "" {
		t.Errorf("uploads: %s", d)
	}
	if got.Report.Orphans.Bytes != 10 || got.Report.Records != 2 || got.Report.Prefix != "up/" {
		t.Errorf("report: %+v", got.Report)
	}
	if d := cmp.Diff(s.bucket.Keys(), before); d != "" {
		t.Errorf("a check changed the storage: %s", d)
	}

	did := s.check(reconcile.Plan{Report: got.ID, Objects: reconcile.Delete, Records: reconcile.Delete, Uploads: reconcile.Delete})
	if did.Report.Deleted != 4 || did.Report.Freed != 10 {
		t.Errorf("deleted: %+v", did.Report)
	}
	want := slices.DeleteFunc(before, func(key string) bool { return key == "up/old.txt" || key == "up/文/b.txt" })
	if d := cmp.Diff(s.bucket.Keys(), want); d != "" {
		t.Errorf("what is left: %s", d)
	}
	if _, err := s.db.Files().Get(t.Context(), lost.ID); !ports.Is(err, ports.NotFound) {
		t.Errorf("the record without object: %v", err)
	}
	if left, _ := s.bucket.ListUploads(t.Context(), "up/"); slices.ContainsFunc(left, func(u objstore.Upload) bool { return u.ID == upload }) {
		t.Error("the upload is still there")
	}
}

func TestAdoptedObjectsBecomeSharesOfTheAdministrator(t *testing.T) {
	s := newSite(t)
	s.bucket.Put("up/a/report.pdf", "12345")
	s.clock.Add(reconcile.SafeAge + time.Hour)
	check := s.check(reconcile.Plan{})
	did := s.check(reconcile.Plan{Report: check.ID, Objects: reconcile.Adopt})
	if did.Report.Adopted != 1 {
		t.Fatalf("adopted: %+v", did.Report)
	}
	page, _, err := s.files.List(t.Context(), boss, shares.FileFilter{})
	if err != nil || len(page.Items) != 1 {
		t.Fatalf("files: %v %v", page.Items, err)
	}
	f := page.Items[0]
	if f.Filename != "report.pdf" || f.Size != 5 || f.MimeType != "application/pdf" || len(f.Slug) < 26 || f.CreatedBy != boss.Owner() {
		t.Errorf("the share: %+v", f)
	}
	opened, err := s.visits.Open(from("192.0.2.1"), policy.Nobody, policy.ShareDownload, shares.Visit{Slug: f.Slug})
	if err != nil {
		t.Fatal(err)
	}
	body, err := opened.Read(t.Context(), objstore.Range{})
	if err != nil {
		t.Fatal(err)
	}
	defer body.Close()
	if text, _ := io.ReadAll(body); string(text) != "12345" {
		t.Errorf("content: %q", text)
	}
	if again := s.check(reconcile.Plan{}); again.Report.Orphans.Count != 0 {
		t.Errorf("still astray: %+v", again.Report.Orphans)
	}
}

func TestWhatMayBeSomebodysIsLeftAlone(t *testing.T) {
	for name, c := range map[string]struct {
		prepare func(*site)
		plan    reconcile.Plan
		want    []string
		skipped reconcile.Reason
		refusal string
	}{
		"what a mount shows whole":          {func(s *site) { s.places[0].Mounted = true }, reconcile.Plan{}, nil, reconcile.Mounted, "reconcile_kept"},
		"the part that a mount shows":       {func(s *site) { s.places[0].Mounted, s.places[0].Prefix = true, "up/m/" }, reconcile.Plan{}, []string{"up/a"}, "", ""},
		"a mount beside the shares":         {func(s *site) { s.places[0].Mounted, s.places[0].Prefix = true, "upper/" }, reconcile.Plan{}, []string{"up/a", "up/m/b"}, "", ""},
		"another config of the same place":  {func(s *site) { s.places[1].Home = s.places[0].Home }, reconcile.Plan{}, nil, reconcile.Shared, "reconcile_kept"},
		"another config of a folder in it":  {func(s *site) { s.places[1].Home = s.places[0].Home + "x/" }, reconcile.Plan{}, nil, reconcile.Shared, "reconcile_kept"},
		"places that nobody can tell apart": {func(s *site) { s.places[0].Home, s.places[1].Home = "", "" }, reconcile.Plan{}, nil, reconcile.Shared, "reconcile_kept"},
		"shares at the top of a bucket":     {func(s *site) { s.places[0].DefaultFolder = "" }, reconcile.Plan{}, []string{"mine", "up/a", "up/m/b"}, "", "reconcile_folder"},
		"a folder of shares at the top":     {func(s *site) { s.places[0].DefaultFolder = "" }, reconcile.Plan{Folder: "up/m"}, []string{"up/m/b"}, "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			s := newSite(t)
			for _, key := range []string{"mine", "up/a", "up/m/b"} {
				s.bucket.Put(key, "x")
			}
			s.clock.Add(reconcile.SafeAge + time.Hour)
			c.prepare(s)
			check := s.check(c.plan)
			if d := cmp.Diff(keysOf(check.Report.Orphans), c.want); d != "" || check.Report.Skipped != c.skipped {
				t.Errorf("skipped %q: %s", check.Report.Skipped, d)
			}
			c.plan.Report, c.plan.Objects = check.ID, reconcile.Delete
			_, err := s.run(c.plan)
			key := ""
			if e := (*ports.Error)(nil); errors.As(err, &e) {
				key = e.Key
			}
			if key != c.refusal {
				t.Errorf("got %v, want %q", err, c.refusal)
			}
			left := slices.DeleteFunc([]string{"mine", "up/a", "up/m/b"}, func(key string) bool { return c.refusal == "" && slices.Contains(c.want, key) })
			if d := cmp.Diff(s.bucket.Keys(), left); d != "" {
				t.Error(d)
			}
		})
	}
	s := newSite(t)
	if _, err := s.run(reconcile.Plan{Folder: "elsewhere"}); !ports.Is(err, ports.Invalid) {
		t.Errorf("a folder outside of that of the shares: %v", err)
	}
}

func TestOnlyWhatACheckHasToldIsDone(t *testing.T) {
	s := newSite(t)
	s.bucket.Put("up/a", "x")
	s.clock.Add(reconcile.SafeAge + time.Hour)
	check := s.check(reconcile.Plan{})
	for name, p := range map[string]reconcile.Plan{
		"no check":         {Objects: reconcile.Delete},
		"an unknown check": {Objects: reconcile.Delete, Report: "none"},
		"another folder":   {Objects: reconcile.Delete, Report: check.ID, Folder: "up/x"},
		"another storage":  {Objects: reconcile.Delete, Report: check.ID, StorageID: "private"},
	} {
		if _, err := s.run(p); !ports.Is(err, ports.Conflict) {
			t.Errorf("%s: %v", name, err)
		}
	}
	s.bucket.Put("up/b", "x") // not told of, and young
	id, err := s.Reconciler.Start(t.Context(), boss, reconcile.Plan{StorageID: "public", Report: check.ID, Objects: reconcile.Delete})
	if err != nil {
		t.Fatal(err)
	}
	s.places[0].Mounted = true // before it ran
	if err := s.resume(id); !ports.Is(err, ports.Conflict) {
		t.Errorf("a mount came in between: %v", err)
	}
	s.places[0].Mounted = false
	s.check(reconcile.Plan{Report: check.ID, Objects: reconcile.Delete})
	if d := cmp.Diff(s.bucket.Keys(), []string{"up/b"}); d != "" {
		t.Error(d)
	}
	s.clock.Add(reconcile.ReportLife + time.Hour)
	if _, err := s.run(reconcile.Plan{Report: check.ID, Objects: reconcile.Delete}); !ports.Is(err, ports.Conflict) {
		t.Errorf("an old check: %v", err)
	}
}

func TestAStorageThatLostAllIsNotBelieved(t *testing.T) {
	s := newSite(t)
	for n := range 10 {
		f := s.share(fmt.Sprint(n))
		if _, err := s.bucket.Delete(t.Context(), f.StoragePath); err != nil {
			t.Fatal(err)
		}
	}
	s.clock.Add(reconcile.SafeAge + time.Hour)
	check := s.check(reconcile.Plan{})
	if _, err := s.run(reconcile.Plan{Report: check.ID, Records: reconcile.Delete}); !ports.Is(err, ports.Conflict) {
		t.Errorf("got %v", err)
	}
}

func TestARunThatWasKilledIsFinishedByTheNext(t *testing.T) {
	for _, choice := range []reconcile.Choice{reconcile.Adopt, reconcile.Delete} {
		for after := 1; after <= 3; after++ {
			s := newSite(t)
			s.share("kept.txt")
			for _, key := range []string{"up/1", "up/2", "up/3"} {
				s.bucket.Put(key, "x")
			}
			s.clock.Add(reconcile.SafeAge + time.Hour)
			check := s.check(reconcile.Plan{})
			id, err := s.Reconciler.Start(t.Context(), boss, reconcile.Plan{StorageID: "public", Report: check.ID, Objects: choice})
			if err != nil {
				t.Fatal(err)
			}
			s.stopAfter = after
			if err := s.resume(id); !errors.Is(err, errKilled) {
				t.Fatalf("%s %d: %v", choice, after, err)
			}
			s.stopAfter = 0
			if err := s.resume(id); err != nil {
				t.Fatal(err)
			}
			page, err := s.db.Files().List(t.Context(), shares.FileFilter{})
			if err != nil {
				t.Fatal(err)
			}
			files, objects := 4, 4
			if choice == reconcile.Delete {
				files, objects = 1, 1
			}
			if len(page.Items) != files || len(s.bucket.Keys()) != objects {
				t.Errorf("%s %d: %d files, %v", choice, after, len(page.Items), s.bucket.Keys())
			}
		}
	}
}

// endless is a bucket that lists a great many objects and keeps none.
type endless struct {
	*portstest.Bucket
	n    int
	made time.Time
}

func (e endless) List(_ context.Context, q objstore.ListQuery) (objstore.ListPage, error) {
	from := 0
	if q.Token != "" {
		if _, err := fmt.Sscan(q.Token, &from); err != nil {
			return objstore.ListPage{}, err
		}
	}
	var page objstore.ListPage
	for i := from; i < min(from+1000, e.n); i++ {
		page.Objects = append(page.Objects, objstore.Object{Key: fmt.Sprintf("up/%08d", i), Size: 1, ModTime: e.made})
	}
	if from+1000 < e.n {
		page.Next = fmt.Sprint(from + 1000)
	}
	return page, nil
}

func TestAMillionObjectsAreComparedWithAPageOfThemInMemory(t *testing.T) {
	if testing.Short() {
		t.Skip("lists a million objects")
	}
	s := newSite(t)
	s.storages.Opener["public"] = endless{s.bucket, 1_000_000, s.clock.Now()}
	s.clock.Add(reconcile.SafeAge + time.Hour)
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	got := s.check(reconcile.Plan{})
	runtime.GC()
	runtime.ReadMemStats(&after)
	if got.Report.Orphans.Count != 1_000_000 || len(got.Report.Orphans.First) != reconcile.Shown {
		t.Errorf("orphans: %d, %d shown", got.Report.Orphans.Count, len(got.Report.Orphans.First))
	}
	if grown := int64(after.HeapInuse) - int64(before.HeapInuse); grown > 4<<20 {
		t.Errorf("the heap grew by %d bytes", grown)
	}
}

// notes keeps small values in memory.
type notes map[string][]byte

func (n notes) Get(_ context.Context, name string) ([]byte, error) {
	if text, known := n[name]; known {
		return text, nil
	}
	return nil, ports.ErrNotFound
}

func (n notes) Put(_ context.Context, name string, value []byte) error { n[name] = value; return nil }

func TestStoragesAreCheckedByScheduleAndNothingIsChanged(t *testing.T) {
	s := newSite(t)
	s.bucket.Put("up/old.txt", "12345")
	s.clock.Add(reconcile.SafeAge + time.Hour)
	before := s.bucket.Keys()
	var told []reconcile.Checked
	schedule := reconcile.NewSchedule(reconcile.ScheduleDeps{Reconciler: s.Reconciler, Notes: notes{}, Told: func(_ context.Context, c reconcile.Checked) error {
		told = append(told, c)
		return nil
	}})
	round := func(every time.Duration) []reconcile.Checked {
		t.Helper()
		if err := schedule.Round(t.Context(), every); err != nil {
			t.Fatal(err)
		}
		last, err := schedule.Last(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return last
	}
	if last := round(0); len(last) != 0 || len(s.runs) != 0 {
		t.Fatalf("it is off: %v", last)
	}
	const every = 24 * time.Hour
	if last := round(every); len(last) != 2 || len(s.runs) != 2 {
		t.Fatalf("each storage is checked: %v", last)
	}
	if round(every); len(s.runs) != 2 || len(told) != 0 {
		t.Fatal("a check under way is waited for")
	}
	for id, r := range s.runs {
		if strings.Contains(string(r.Payload), "private") {
			now := s.clock.Now()
			r.Status, r.FinishedAt = "failed", &now
		} else if err := s.resume(id); err != nil {
			t.Fatal(err)
		}
	}
	round(every)
	found := map[string]reconcile.Checked{}
	for _, c := range told {
		found[c.StorageID] = c
	}
	if c := found["public"]; c.Orphans != 1 || c.Astray() != 1 || c.Failed != "" || c.Ended.IsZero() {
		t.Errorf("public: %+v", c)
	}
	if c := found["private"]; c.Failed != "failed" || c.Ended.IsZero() {
		t.Errorf("private: %+v", c)
	}
	if after := s.bucket.Keys(); !slices.Equal(before, after) {
		t.Errorf("a check has changed %v into %v", before, after)
	}
	s.clock.Add(every - time.Minute)
	if round(every); len(s.runs) != 2 {
		t.Error("a check came too soon")
	}
	s.clock.Add(time.Minute)
	s.places = s.places[:1]
	if last := round(every); len(s.runs) != 3 || len(last) != 1 || last[0].Orphans != 1 || !last[0].Ended.IsZero() {
		t.Errorf("the next check, of the storage that is left: %d %+v", len(s.runs), last)
	}
}
