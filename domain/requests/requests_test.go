package requests_test

import (
	"context"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"
	"time"

	"pasteport/domain/domaintest"
	"pasteport/domain/requests"
	"pasteport/ports"
	"pasteport/ports/objstore"
	"pasteport/ports/policy"
	"pasteport/ports/portstest"
	"pasteport/ports/upload"
)

// fixture is a set of requests over a memory, whose files come into an inbox that
// remembers them.
type fixture struct {
	*requests.Requests
	*requests.Senders
	t     *testing.T
	clock *portstest.Clock
	box   *box
	asked []policy.Resource // of request.upload
	gone  bool              // the owner
}

// box is an inbox in memory.
type box struct {
	fail    error
	stored  []upload.Incoming
	parts   map[string][]objstore.Part // that have come, by session
	aborted []string
}

func (b *box) Check(context.Context, policy.Principal, string) error { return b.fail }

func (b *box) Store(ctx context.Context, _ policy.Principal, in upload.Incoming, body io.Reader) (upload.Received, error) {
	data, err := io.ReadAll(body)
	if err == nil && int64(len(data)) != in.Size {
		err = io.ErrUnexpectedEOF
	}
	if err = errors.Join(err, b.fail); err != nil {
		return upload.Received{}, err
	}
	stored := upload.Received{Place: in.Folder + "/" + in.Name, Name: in.Name, Size: in.Size}
	if err := in.Came(ctx, stored); err != nil {
		return upload.Received{}, err
	}
	b.stored = append(b.stored, in)
	return stored, nil
}

func (b *box) Begin(_ context.Context, _ policy.Principal, in upload.Incoming) (upload.Underway, error) {
	cut, err := upload.CutOf(in.Size, 0, 0)
	return upload.Underway{ID: "session of " + in.Name, Place: in.Folder + "/" + in.Name, Name: in.Name, Cut: cut}, errors.Join(err, b.fail)
}

func (b *box) Links(_ context.Context, _ policy.Principal, _ upload.Underway, numbers []int) ([]upload.Link, error) {
	return make([]upload.Link, len(numbers)), nil
}

func (b *box) Parts(_ context.Context, _ policy.Principal, u upload.Underway) ([]objstore.Part, error) {
	return b.parts[u.ID], b.fail
}

func (b *box) Complete(_ context.Context, _ policy.Principal, u upload.Underway, accept upload.Accept) (upload.Received, error) {
	if b.fail != nil {
		return upload.Received{}, b.fail
	}
	return upload.Received{Place: u.Place, Name: u.Name, Size: u.Size}, accept([]byte("head"), u.Size)
}

func (b *box) Abort(_ context.Context, u upload.Underway) error {
	b.aborted = append(b.aborted, u.ID)
	return nil
}

func (f *fixture) Decide(_ context.Context, _ policy.Principal, do policy.Action, on policy.Resource) (policy.Decision, error) {
	if do == policy.RequestUpload {
		f.asked = append(f.asked, on)
	}
	return policy.Decision{Allow: true, Scope: policy.All}, nil
}

func (f *fixture) Now(_ context.Context, who policy.Principal) (policy.Principal, error) {
	if f.gone {
		return who, ports.ErrNotFound
	}
	return who, nil
}

var boss = policy.Principal{Kind: policy.Admin, ID: "admin", BasicPath: "/"}

func newFixture(t *testing.T) *fixture { return newFixtureWith(t, func(*requests.Deps) {}) }

func newFixtureWith(t *testing.T, change func(*requests.Deps)) *fixture {
	f := &fixture{t: t, clock: portstest.NewClock(), box: &box{}}
	m := domaintest.NewMemory(f.clock)
	deps := requests.Deps{Requests: m.Requests(), Files: m.RequestFiles(), Work: m, Owners: f, Tree: f.box, Shares: f.box,
		TypeOf: func(head []byte) string { return "text/" + string(head[:min(4, len(head))]) }, Decider: f, Hasher: &portstest.Hasher{}, Guesses: m.Guesses(),
		MAC: portstest.MAC{}, Random: &portstest.Random{}, Clock: f.clock, Report: func(doing string, err error) { t.Errorf("%s: %v", doing, err) }}
	change(&deps)
	f.Requests = requests.New(deps)
	f.Senders = requests.NewSenders(f.Requests)
	return f
}

// make makes a request and begins a visit at it.
func (f *fixture) make(change func(*requests.Draft)) (r *requests.Request, visit string) {
	f.t.Helper()
	in := requests.Draft{Title: "files", Folder: "/m/in", Rules: requests.Rules{Name: requests.No, Note: requests.No}}
	if change != nil {
		change(&in)
	}
	r, err := f.Create(f.t.Context(), boss, in)
	if err != nil {
		f.t.Fatal(err)
	}
	form, err := f.Enter(f.t.Context(), policy.Nobody, r.Slug, in.Password)
	if err != nil {
		f.t.Fatal(err)
	}
	return r, form.Visit
}

func (f *fixture) begin(r *requests.Request, visit, name string, size int64) (*requests.Announced, error) {
	return f.Begin(f.t.Context(), policy.Nobody, r.Slug, visit, requests.NewFile{Name: name, Size: size})
}

func (f *fixture) counted(r *requests.Request, files, bytes int64) {
	f.t.Helper()
	now, err := f.Get(f.t.Context(), boss, r.ID)
	if err != nil || now.Files != files || now.Bytes != bytes {
		f.t.Errorf("%d files with %d bytes count, %v; want %d with %d", now.Files, now.Bytes, err, files, bytes)
	}
}

func TestADeadlineHasPassedAtExactlyItsTime(t *testing.T) {
	f := newFixture(t)
	end := f.clock.Now().Add(time.Hour)
	r, visit := f.make(func(d *requests.Draft) { d.ExpiresAt = &end })
	f.clock.Set(end.Add(-time.Millisecond))
	a, err := f.begin(r, visit, "a", 4)
	if err != nil {
		t.Fatalf("a moment before: %v", err)
	}
	f.clock.Set(end)
	if _, err := f.begin(r, visit, "b", 4); !ports.Is(err, ports.Gone) {
		t.Errorf("at the time: %v", err)
	}
	if _, err := f.View(t.Context(), policy.Nobody, r.Slug, visit); !ports.Is(err, ports.Gone) {
		t.Errorf("the form at the time: %v", err)
	}
	if _, err := f.Store(t.Context(), policy.Nobody, r.Slug, visit, a.ID, requests.Content{Body: strings.NewReader("abcd"), Size: 4}); err != nil {
		t.Errorf("what was begun before may be finished: %v", err)
	}
	for _, at := range []time.Time{end, end.Add(-time.Second)} {
		if _, err := f.Create(t.Context(), boss, requests.Draft{Title: "x", ExpiresAt: &at, Rules: r.Rules}); !ports.Is(err, ports.Invalid) {
			t.Errorf("a request that ends at %s: %v", at, err)
		}
	}
}

func TestWhatNobodyFinishesGivesItsPlaceBack(t *testing.T) {
	f := newFixture(t)
	r, visit := f.make(func(d *requests.Draft) { d.MaxFiles = 3 })
	f.box.parts = map[string][]objstore.Part{"session of large": {{Number: 1}}}
	for name, size := range map[string]int64{"small": 1, "large": upload.PartSize + 1, "idle": upload.PartSize + 1} {
		if _, err := f.begin(r, visit, name, size); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := f.begin(r, visit, "more", 1); !ports.Is(err, ports.Forbidden) {
		t.Errorf("a fourth file: %v", err)
	}
	f.clock.Add(time.Hour)
	if n, err := f.Sweep(t.Context()); n != 1 || err != nil {
		t.Errorf("after an hour %d, %v", n, err)
	}
	f.counted(r, 2, 2*(upload.PartSize+1))
	f.clock.Add(23 * time.Hour)
	if n, err := f.Sweep(t.Context()); n != 1 || err != nil || !slices.Equal(f.box.aborted, []string{"session of idle"}) {
		t.Errorf("after a day %d, %v, %v", n, err, f.box.aborted)
	}
	f.counted(r, 1, upload.PartSize+1)
	f.clock.Add(upload.Kept)
	if n, err := f.Sweep(t.Context()); n != 1 || err != nil || !slices.Equal(f.box.aborted, []string{"session of idle", "session of large"}) {
		t.Errorf("after a week %d, %v, %v", n, err, f.box.aborted)
	}
	f.counted(r, 0, 0)
}

func TestOneStrangerCannotKeepARequestBusy(t *testing.T) {
	f := newFixture(t)
	r, visit := f.make(nil)
	for range 20 {
		if _, err := f.begin(r, visit, "a", 1); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := f.begin(r, visit, "a", 1); !ports.Is(err, ports.RateLimited) {
		t.Errorf("the 21st file of a visit that is on its way: %v", err)
	}
	form, err := f.Enter(t.Context(), policy.Nobody, r.Slug, "")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.begin(r, form.Visit, "a", 1); err != nil {
		t.Errorf("another visit: %v", err)
	}
}

// overtaken lets another file in before the first unit of work begins.
type overtaken struct {
	ports.UnitOfWork
	by func()
}

func (o *overtaken) Do(ctx context.Context, fn func(context.Context) error) error {
	if by := o.by; by != nil {
		o.by = nil
		by()
	}
	return o.UnitOfWork.Do(ctx, fn)
}

func TestFilesThatComeAtOnceDoNotPassTheBoundOfAVisit(t *testing.T) {
	work := &overtaken{}
	f := newFixtureWith(t, func(d *requests.Deps) {
		work.UnitOfWork = d.Work
		d.Work = work
	})
	r, visit := f.make(nil)
	for range 19 {
		if _, err := f.begin(r, visit, "a", 1); err != nil {
			t.Fatal(err)
		}
	}
	work.by = func() {
		if _, err := f.begin(r, visit, "a", 1); err != nil {
			t.Errorf("the 20th file: %v", err)
		}
	}
	if _, err := f.begin(r, visit, "a", 1); !ports.Is(err, ports.RateLimited) {
		t.Errorf("the 21st file, which came with the 20th: %v", err)
	}
	f.counted(r, 20, 20)
}

func TestASenderLearnsNothingOfTheOwner(t *testing.T) {
	for name, c := range map[string]struct {
		fail error
		want ports.Code
	}{
		"a right that is gone":   {&ports.Error{Code: ports.Forbidden, Key: "path_forbidden"}, ports.Gone},
		"a mount that is gone":   {&ports.Error{Code: ports.NotFound, Key: "mount_not_found"}, ports.Gone},
		"a full storage":         {&ports.Error{Code: ports.Quota, Key: "quota_exceeded", Params: map[string]any{"rest": 1}}, ports.Forbidden},
		"a storage that is away": {ports.ErrUnavailable, ports.Unavailable},
	} {
		f := newFixture(t)
		r, visit := f.make(nil)
		a, err := f.begin(r, visit, "a", 4)
		if err != nil {
			t.Fatal(err)
		}
		f.box.fail = c.fail
		_, small := f.Store(t.Context(), policy.Nobody, r.Slug, visit, a.ID, requests.Content{Body: strings.NewReader("abcd"), Size: 4})
		_, large := f.begin(r, visit, "b", upload.PartSize+1)
		for _, err := range []error{small, large} {
			var e *ports.Error
			if !errors.As(err, &e) || e.Code != c.want || len(e.Params) > 0 {
				t.Errorf("%s: %+v", name, err)
			}
		}
		f.counted(r, 1, 4) // the small one may be sent again
	}
}

func TestAPolicySeesEachFileAndThenItsContent(t *testing.T) {
	f := newFixture(t)
	r, visit := f.make(func(d *requests.Draft) { d.Password, d.Types = "secret", []string{"text/plai"} })
	a, err := f.begin(r, visit, "Plan.PDF", 5)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.Store(t.Context(), policy.Nobody, r.Slug, visit, a.ID, requests.Content{Body: strings.NewReader("plain"), Size: 5}); err != nil {
		t.Fatal(err)
	}
	last := f.asked[len(f.asked)-1]
	if f.asked[0].ContentType != "application/pdf" || last.ContentType != "text/plai" {
		t.Errorf("asked with the types %q and %q", f.asked[0].ContentType, last.ContentType)
	}
	if last.Name != "Plan.PDF" || last.Extension != "pdf" || last.Size != 5 || !slices.Equal(last.Paths, []string{"/m/in/Plan.PDF"}) || last.Owner != "admin" ||
		last.ID != r.ID || last.Kind != policy.KindRequest || !last.Share.HasPassword {
		t.Errorf("asked with %+v", last)
	}
}

func TestWithoutItsOwnerARequestIsClosed(t *testing.T) {
	f := newFixture(t)
	r, visit := f.make(nil)
	f.gone = true
	_, sent := f.begin(r, visit, "a", 1)
	_, seen := f.View(t.Context(), policy.Nobody, r.Slug, "")
	if !ports.Is(sent, ports.Gone) || !ports.Is(seen, ports.Gone) {
		t.Errorf("%v, %v", sent, seen)
	}
}

func TestBadRequestsAreRefused(t *testing.T) {
	f := newFixture(t)
	for name, change := range map[string]func(*requests.Draft){
		"no title":                 func(d *requests.Draft) { d.Title = " " },
		"a long title":             func(d *requests.Draft) { d.Title = strings.Repeat("题", 201) },
		"a negative number":        func(d *requests.Draft) { d.MaxFiles = -1 },
		"no answer to what to ask": func(d *requests.Draft) { d.Name = "" },
		"a type that is none":      func(d *requests.Draft) { d.Types = []string{"pdf"} },
		"any type":                 func(d *requests.Draft) { d.Types = []string{"*/*"} },
		"a type with parameters":   func(d *requests.Draft) { d.Types = []string{"text/plain; charset=utf-8"} },
		"folders without a folder": func(d *requests.Draft) { d.Folder, d.PerSender = "", true },
		"a folder above":           func(d *requests.Draft) { d.Folder = "/m/../x" },
		"a folder with a backslash": func(d *requests.Draft) {
			d.Folder = `/m\x`
		},
		"a long password": func(d *requests.Draft) { d.Password = strings.Repeat("x", 1025) },
	} {
		in := requests.Draft{Title: "t", Folder: "/m", Rules: requests.Rules{Name: requests.No, Note: requests.No}}
		change(&in)
		if _, err := f.Create(t.Context(), boss, in); !ports.Is(err, ports.Invalid) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// between lets something happen, once, when the files under way were listed.
type between struct {
	requests.FileRepository
	happens func() error
}

func (b *between) List(ctx context.Context, f requests.FileFilter) (ports.Page[requests.File], error) {
	page, err := b.FileRepository.List(ctx, f)
	if happens := b.happens; happens != nil && f.Unfinished && f.Limit == 0 && err == nil {
		b.happens = nil
		err = happens()
	}
	return page, err
}

func TestAnEndThatIsCutIsDoneWhenItIsRepeated(t *testing.T) {
	files := &between{}
	f := newFixtureWith(t, func(d *requests.Deps) {
		files.FileRepository = d.Files
		d.Files = files
	})
	r, visit := f.make(nil)
	if _, err := f.begin(r, visit, "large", upload.PartSize+1); err != nil {
		t.Fatal(err)
	}
	files.happens = func() error { return ports.ErrUnavailable }
	if _, err := f.End(t.Context(), boss, r.ID); !ports.Is(err, ports.Unavailable) {
		t.Fatalf("while the database is away: %v", err)
	}
	ended, err := f.End(t.Context(), boss, r.ID)
	if err != nil || ended.EndedAt == nil || !slices.Equal(f.box.aborted, []string{"session of large"}) {
		t.Errorf("repeated: %+v, %v; dropped %v", ended, err, f.box.aborted)
	}
	f.counted(r, 0, 0)
}

func TestAFileThatComesWhileItsRequestEndsStays(t *testing.T) {
	files := &between{}
	f := newFixtureWith(t, func(d *requests.Deps) {
		files.FileRepository = d.Files
		d.Files = files
	})
	r, visit := f.make(nil)
	a, err := f.begin(r, visit, "large", upload.PartSize+1)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.begin(r, visit, "other", upload.PartSize+1); err != nil {
		t.Fatal(err)
	}
	files.happens = func() error {
		_, err := files.Update(t.Context(), a.ID, func(f *requests.File) error {
			f.State = requests.Stored
			return nil
		})
		return err
	}
	if _, err := f.End(t.Context(), boss, r.ID); err != nil {
		t.Errorf("the end: %v", err)
	}
	if !slices.Equal(f.box.aborted, []string{"session of other"}) {
		t.Errorf("dropped %v", f.box.aborted)
	}
	f.counted(r, 1, upload.PartSize+1)
}
