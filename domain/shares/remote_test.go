package shares_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"pasteport/domain/shares"
	"pasteport/domain/shares/remote"
	"pasteport/ports"
	"pasteport/ports/jobs"
	"pasteport/ports/objstore"
	"pasteport/ports/policy"
	"pasteport/ports/upload"
)

// web answers every address with the same five bytes.
type web struct{ calls int }

func (w *web) Look(context.Context, string) (ports.Remote, error) {
	w.calls++
	return ports.Remote{Method: "HEAD", ContentType: "text/plain", Size: 5}, nil
}

func (w *web) Open(context.Context, string) (*ports.RemoteBody, error) {
	w.calls++
	return &ports.RemoteBody{ReadCloser: io.NopCloser(strings.NewReader("hello")), Remote: ports.Remote{Size: 5}}, nil
}

// openDecider lets everybody do everything and remembers what it was asked.
type openDecider struct{ decider }

func (d *openDecider) Decide(_ context.Context, _ policy.Principal, do policy.Action, on policy.Resource) (policy.Decision, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.asked = append(d.asked, question{do, on})
	return policy.Decision{Allow: d.failure == nil, Scope: policy.Own}, d.failure
}

// noTasks takes tasks and runs none.
type noTasks struct{}

func (noTasks) Start(context.Context, jobs.Start) (string, error) { return "task", nil }

func newURLs(t *testing.T) (*world, *remote.URLs, *web, *openDecider) {
	w, site, d := newWorld(t), &web{}, &openDecider{}
	w.deps.Decider = d
	w.openFiles()
	return w, remote.New(w.deps, w.uploads, site, noTasks{}), site, d
}

func TestURLUploadsAskThePolicyBeforeTheWeb(t *testing.T) {
	w, urls, site, d := newURLs(t)
	const address = "https://Files.Example.:8443/a.zip?q=1"
	upload := remote.Upload{URL: address, NewUpload: shares.NewUpload{StorageConfigID: "public", Filename: "b.tar.gz", Size: 7, MaxViews: 3}}
	calls := map[string]func() error{
		"info":    func() error { _, err := urls.Info(from("192.0.2.1"), keyA, address); return err },
		"presign": func() error { _, _, err := urls.Presign(from("192.0.2.1"), keyA, upload); return err },
		"begin": func() error {
			_, _, err := urls.Begin(from("192.0.2.1"), keyA, remote.Parts{Upload: upload})
			return err
		},
		"fetch": func() error { _, err := urls.Start(from("192.0.2.1"), keyA, upload); return err },
		"proxy": func() error { _, err := urls.Proxy(from("192.0.2.1"), policy.Nobody, address); return err },
	}
	d.failure = errors.New("the rules are broken")
	for name, call := range calls {
		wantCode(t, call(), ports.Unavailable, "policy_unavailable")
		if site.calls != 0 {
			t.Errorf("%s asked the web first", name)
		}
	}
	d.failure, d.asked = nil, nil
	for name, want := range map[string][]policy.Action{
		"info": {policy.URLFetch}, "presign": {policy.URLFetch, policy.FileUpload}, "begin": {policy.URLFetch, policy.FileUpload}, "fetch": {policy.URLFetch, policy.FileUpload}, "proxy": {policy.URLProxy},
	} {
		d.asked = nil
		if err := calls[name](); err != nil && name != "proxy" {
			t.Fatalf("%s: %v", name, err)
		}
		if got := d.actions(); fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("%s asked %v", name, got)
		}
		if on := d.asked[0].on; on.URLHost != "files.example" {
			t.Errorf("%s: the host is %q", name, on.URLHost)
		}
	}
	d.asked = nil
	if _, _, err := urls.Presign(from("192.0.2.1"), keyA, upload); err != nil {
		t.Fatal(err)
	}
	if on := d.asked[0].on; on.Name != "b.tar.gz" || on.Extension != "gz" || on.Size != 7 || on.Share.MaxViews != 3 || on.Owner != keyA.Owner() {
		t.Errorf("url.fetch was asked with %+v", on)
	}
	if len(w.reports) != 0 {
		t.Errorf("reports: %v", w.reports)
	}
}

func TestAnAddressIsAnnouncedOnEveryNode(t *testing.T) {
	w, here, _, _ := newURLs(t)
	there := remote.New(w.deps, w.uploads, &web{}, noTasks{})
	there.Watch(t.Context())
	read := func(urls *remote.URLs, address string) error {
		body, err := urls.Proxy(from("192.0.2.1"), policy.Nobody, address)
		if err == nil {
			err = body.Close()
		}
		return err
	}
	wantCode(t, read(there, "https://a.example/x"), ports.Forbidden, "permission_denied")
	if _, err := here.Info(from("192.0.2.1"), keyA, "https://a.example/x"); err != nil {
		t.Fatal(err)
	}
	for _, event := range w.events.Published() {
		kind, id, _ := strings.Cut(event, "/")
		w.events.Arrive(kind, id)
	}
	for _, urls := range []*remote.URLs{here, there} {
		if err := read(urls, "https://a.example/x"); err != nil {
			t.Error(err)
		}
		wantCode(t, read(urls, "https://a.example/y"), ports.Forbidden, "permission_denied")
	}
	w.clock.Add(time.Hour)
	wantCode(t, read(there, "https://a.example/x"), ports.Forbidden, "permission_denied")
}

func TestAnnouncementsAreBounded(t *testing.T) {
	_, urls, _, _ := newURLs(t)
	for i := range 10_001 {
		if _, err := urls.Info(from("192.0.2.1"), keyA, fmt.Sprintf("https://a.example/%d", i)); err != nil {
			t.Fatal(err)
		}
	}
	_, err := urls.Proxy(from("192.0.2.1"), policy.Nobody, "https://a.example/0")
	wantCode(t, err, ports.Forbidden, "permission_denied")
	body, err := urls.Proxy(from("192.0.2.1"), policy.Nobody, "https://a.example/10000")
	if err != nil {
		t.Fatal(err)
	}
	body.Close()
}

func TestAnAbandonedUploadInPartsGoesAfterAWeek(t *testing.T) {
	w, urls, _, _ := newURLs(t)
	up, _, err := urls.Begin(from("192.0.2.1"), keyA, remote.Parts{Upload: remote.Upload{
		URL: "https://a.example/y.bin", NewUpload: shares.NewUpload{StorageConfigID: "public"}}})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.bucket.WritePart(t.Context(), up.File.StoragePath, up.UploadID, 1, strings.NewReader("hello"), 5); err != nil {
		t.Fatal(err)
	}
	left := func() int {
		uploads, err := w.bucket.ListUploads(t.Context(), "")
		if err != nil {
			t.Fatal(err)
		}
		return len(uploads)
	}
	w.clock.Add(6 * 24 * time.Hour)
	if _, err := w.janitor.Sweep(t.Context()); err != nil || left() != 1 {
		t.Errorf("after six days: %d uploads, %v", left(), err)
	}
	w.clock.Add(25 * time.Hour)
	if _, err := w.janitor.Sweep(t.Context()); err != nil || left() != 0 {
		t.Errorf("after a week: %d uploads, %v", left(), err)
	}
	_, _, err = w.uploads.CompleteSent(from("192.0.2.1"), keyA, up.File.ID, up.UploadID, []objstore.Part{{Number: 1, ETag: "x"}})
	wantCode(t, err, ports.NotFound, "not_found")
}

func TestContract11_5_PartsAreBoundToTheirSizeOnOurOwnDiskOnly(t *testing.T) {
	for name, c := range map[string]struct {
		announced int64
		sent      int
		part      int // index of its link
		storage   string
		refused   bool
	}{
		"as announced":                {upload.PartSize, upload.PartSize, 0, "LOCAL", false},
		"shorter":                     {upload.PartSize, 7, 0, "LOCAL", true},
		"longer":                      {upload.PartSize, upload.PartSize + 1, 0, "LOCAL", true},
		"the last one may be shorter": {upload.PartSize, 7, 1, "LOCAL", false},
		"where nothing was announced": {0, 7, 0, "LOCAL", false},
		"S3 signs the host only":      {upload.PartSize, 7, 0, "S3", false},
	} {
		t.Run(name, func(t *testing.T) {
			w, urls, _, _ := newURLs(t)
			public := w.storages.configs["public"]
			public.Type, public.OwnDisk = c.storage, c.storage == objstore.OwnDisk
			w.storages.configs["public"] = public
			up, _, err := urls.Begin(from("192.0.2.1"), keyA, remote.Parts{PartSize: c.announced, PartCount: 2, Upload: remote.Upload{
				URL: "https://a.example/y.bin", NewUpload: shares.NewUpload{StorageConfigID: "public"}}})
			if err != nil {
				t.Fatal(err)
			}
			answer := httptest.NewRecorder()
			w.bucket.ServeHTTP(answer, httptest.NewRequest(http.MethodPut, up.Links[c.part].URL, strings.NewReader(strings.Repeat("x", c.sent))))
			if refused := answer.Code != http.StatusOK; refused != c.refused {
				t.Errorf("answered %d", answer.Code)
			}
		})
	}
}
