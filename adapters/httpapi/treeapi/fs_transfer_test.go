package treeapi

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"pasteport/adapters/httpapi"
	"pasteport/adapters/httpapi/content"
	"pasteport/adapters/httpapi/edgetest"
	"pasteport/adapters/httpapi/wire"
	"pasteport/domain/domaintest"
	"pasteport/domain/keys"
	"pasteport/domain/mounts"
	"pasteport/domain/mounts/archive"
	"pasteport/domain/mounts/dav"
	"pasteport/domain/mounts/direct"
	"pasteport/domain/mounts/history"
	"pasteport/domain/mounts/index"
	"pasteport/domain/mounts/thumbnail"
	"pasteport/domain/storage"
	"pasteport/domain/uploads"
	"pasteport/ports"
	"pasteport/ports/objstore"
	"pasteport/ports/policy"
	"pasteport/ports/portstest"
)

// forestCallers are who asks in the tests of transfers, by credential.
var forestCallers = map[string]policy.Principal{
	"admin-token": {Kind: policy.Admin, ID: "admin-id", Name: "admin", BasicPath: "/"},
	"team":        {Kind: policy.APIKey, ID: "t1", Name: "team", BasicPath: "/m/team", Permissions: policy.PermMountView | policy.PermMountUpload},
	"mate":        {Kind: policy.APIKey, ID: "t2", Name: "mate", BasicPath: "/m/team", Permissions: policy.PermMountView | policy.PermMountUpload},
	"viewer":      {Kind: policy.APIKey, ID: "v1", Name: "viewer", BasicPath: "/", Permissions: policy.PermMountView},
	"sender":      {Kind: policy.APIKey, ID: "s1", Name: "sender", BasicPath: "/", Permissions: policy.PermMountUpload},
	"other":       {Kind: policy.APIKey, ID: "o1", Name: "other", BasicPath: "/", Permissions: policy.PermText},
}

type forestAuth struct{}

func (forestAuth) Confirmed(context.Context, policy.Principal, string) error { return nil }

func (forestAuth) Authenticate(_ context.Context, c keys.Credential) (policy.Principal, error) {
	if who, ok := forestCallers[c.Token]; ok {
		return who, nil
	}
	return policy.Principal{}, httpapi.ErrCredentials
}

// forestRules decide as spec §6 says for mounts.
type forestRules struct {
	limits policy.Obligations
	heard  func(do policy.Action, on policy.Resource)
}

func (f *forestRules) Decide(_ context.Context, who policy.Principal, do policy.Action, on policy.Resource) (policy.Decision, error) {
	if f.heard != nil {
		f.heard(do, on)
	}
	need := map[policy.Action]policy.Permission{policy.MountList: policy.PermMountView, policy.MountRead: policy.PermMountView,
		policy.MountArchive: policy.PermMountView, policy.MountUpload: policy.PermMountUpload, policy.MountEdit: policy.PermMountUpload}[do]
	d := policy.Decision{Allow: true, Scope: policy.All, Obligations: f.limits}
	if who.Kind == policy.Admin || do == policy.MountProxy {
		return d, nil
	}
	if need == 0 || who.Permissions&need == 0 {
		d.Reasons = append(d.Reasons, policy.Reason{Code: "permission_missing"})
	}
	for _, p := range on.Paths {
		if !mounts.Within(who.BasicPath, p) {
			d.Reasons = append(d.Reasons, policy.Reason{Code: "outside_basic_path"})
		}
	}
	d.Allow = len(d.Reasons) == 0
	return d, nil
}

type forestSettings struct {
	maxUpload int64
	signAll   bool
	signFor   time.Duration
	epoch     int64
}

func (s *forestSettings) MaxUploadSize() int64            { return s.maxUpload }
func (s *forestSettings) DefaultUseProxy() bool           { return false }
func (s *forestSettings) ShareLimits() ports.ShareLimits  { return ports.ShareLimits{} }
func (s *forestSettings) Revisions() ports.Revisions      { return ports.Revisions{} }
func (s *forestSettings) RandomSuffix() bool              { return false }
func (s *forestSettings) PreviewTypes(string) []string    { return nil }
func (s *forestSettings) ExpiredGrace() time.Duration     { return 24 * time.Hour }
func (s *forestSettings) ProxySignAll() bool              { return s.signAll }
func (s *forestSettings) ProxySignExpires() time.Duration { return s.signFor }
func (s *forestSettings) ProxySignEpoch() int64           { return s.epoch }

// keptNine keeps nine revisions.
type keptNine struct{}

func (keptNine) Revisions() ports.Revisions { return ports.Revisions{Kept: 9} }

type forestStorages struct {
	portstest.Opener
	configs map[string]objstore.Storage
}

func (s forestStorages) Storage(_ context.Context, id string) (objstore.Storage, error) {
	if c, ok := s.configs[id]; ok {
		return c, nil
	}
	return objstore.Storage{}, ports.ErrNotFound
}

// proxySecret is the one of the test vectors in the contract.
const proxySecret = "contract-secret"

// forest is the edge over the real tree and storages in memory: /m on a public
// one, /docs on the same with a web proxy, /private on a private one and /small
// on one with little room.
type forest struct {
	files *history.Files
	*httpapi.API
	edgetest.Client
	clock    *portstest.Clock
	db       *domaintest.Memory
	bucket   *portstest.Bucket // of /m and /docs
	small    *portstest.Bucket
	rules    *forestRules
	settings *forestSettings
	storages forestStorages
	events   *portstest.Invalidation
	tree     *mounts.Tree
	locks    *dav.Resources
	uploads  *uploads.Sessions
	spool    string
	reports  []string
}

func newForest(t testing.TB) *forest {
	t.Helper()
	return newForestSigning(t, proxySecret)
}

// newForestSigning is newForest with another secret of proxy links; empty: that
// of the master key.
func newForestSigning(t testing.TB, secret string) *forest {
	t.Helper()
	f := &forest{bucket: portstest.NewBucket(), small: portstest.NewBucket(), rules: &forestRules{}, events: &portstest.Invalidation{}, spool: t.TempDir(),
		settings: &forestSettings{maxUpload: 1 << 20, signAll: true}}
	f.Client, f.clock = edgetest.Client{T: t}, portstest.NewClock()
	f.bucket.Clock, f.small.Clock = f.clock, f.clock
	f.bucket.BaseURL, f.small.BaseURL = "https://signed.example", "https://signed.example"
	f.db = domaintest.NewMemory(f.clock)
	private := portstest.NewBucket()
	f.storages = forestStorages{Opener: portstest.Opener{"open": f.bucket, "closed": private, "small": f.small}, configs: map[string]objstore.Storage{
		"open":   {ID: "open", Type: "S3", ProviderType: "Other", Public: true, EndpointURL: "https://s3.example", BucketName: "bkt", PathStyle: true, LinkSeconds: 1800},
		"closed": {ID: "closed", Type: "S3"},
		"small":  {ID: "small", Type: "LOCAL", OwnDisk: true, Public: true, Capacity: 100},
	}}
	for i, m := range []mounts.Mount{
		{ID: "id-m", Name: "m", Path: "/m", StorageConfigID: "open", StorageType: "S3", Active: true, CacheTTL: 300},
		{ID: "id-docs", Name: "docs", Path: "/docs", StorageConfigID: "open", StorageType: "S3", Active: true, WebProxy: true, CacheTTL: 300},
		{ID: "id-off", Name: "off", Path: "/off", StorageConfigID: "open", StorageType: "S3", WebProxy: true},
		{ID: "id-private", Name: "private", Path: "/private", StorageConfigID: "closed", StorageType: "S3", Active: true},
		{ID: "id-small", Name: "small", Path: "/deep/small", StorageConfigID: "small", StorageType: "LOCAL", Active: true},
	} {
		m.SortOrder, m.WebDAVPolicy = int64(i), mounts.Redirect
		if err := f.db.Mounts().Insert(t.Context(), &m); err != nil {
			t.Fatal(err)
		}
	}
	var objects *index.Index
	indexed := func(ctx context.Context, id string, exact bool) (int64, bool, error) {
		return objects.Stored(ctx, id, exact)
	}
	ledger := storage.NewLedger(f.db.Ledger(), f.storages, f.clock, indexed)
	f.uploads = f.db.UploadSessions(f.storages, ledger, f.clock)
	f.tree = mounts.NewTree(mounts.Deps{
		Ledger: ledger,
		Mounts: f.db.Mounts(), Uploads: f.uploads, Storages: f.storages,
		Decider: httpapi.Watched(f.rules), Work: f.db, Invalidation: f.events, Settings: f.settings, MAC: portstest.MAC{}, Random: &portstest.Random{}, Clock: f.clock,
		ProxySecret: secret, Report: func(doing string, err error) { f.reports = append(f.reports, doing+": "+err.Error()) },
	})
	objects = index.New(f.tree, nil)
	f.locks = dav.New(f.tree, f.db.Locks(), f.db.Properties())
	f.tree.Join(objects, f.locks)
	f.files = history.New(f.tree, f.db.History(), keptNine{})
	f.API = httpapi.New(httpapi.Options{Auth: forestAuth{}, Language: edgetest.InChinese, Clock: f.clock, Decider: httpapi.Watched(f.rules), Limits: httpapi.TrafficLimits{Off: true}, Idempotency: f.db.Idempotency(), Work: f.db,
		Undecided: func(op string, asked []policy.Action) { t.Errorf("%s answered, but asked %v", op, asked) }})
	f.Handler = f.API
	fsGetOps(f.API, f.tree)
	historyOps(f.API, f.files, func(_ context.Context, ids []string) (map[string]string, error) {
		return map[string]string{"t1": "Team " + ids[0]}, nil
	})
	fsThumbnailOps(f.API, thumbnail.New(f.tree.Reader, portstest.Thumbnailer{}))
	transferOps(f.API, Transfers{Tree: f.tree, Direct: direct.New(f.tree), Archives: archive.New(f.tree, domaintest.NewArchives()), SpoolDir: f.spool, MaxUpload: func() int64 { return f.settings.maxUpload }})
	return f
}

// The callers of these tests.
const (
	asTeam   = "ApiKey team"
	asMate   = "ApiKey mate"
	asViewer = "ApiKey viewer"
	asSender = "ApiKey sender"
	asOther  = "ApiKey other"
)

// as calls as the administrator unless headers name somebody else.
func (f *forest) as(method, target, body string, headers ...string) edgetest.Answer {
	f.T.Helper()
	if !slices.Contains(headers, "Authorization") {
		headers = append([]string{"Authorization", edgetest.AsAdmin}, headers...)
	}
	return f.Call(method, target, body, headers...)
}

// object decodes the data of a success.
func (f *forest) object(a edgetest.Answer) edgetest.Object {
	f.T.Helper()
	if a.ResponseRecorder.Code != 200 {
		f.T.Fatalf("%d %s", a.ResponseRecorder.Code, a.Body)
	}
	var out edgetest.Object
	if err := json.Unmarshal(a.Data, &out); err != nil {
		f.T.Fatalf("%v in %s", err, a.Body)
	}
	return out
}

// refused checks status and machine code of a failure.
func (f *forest) refused(what string, a edgetest.Answer, status int, key string) {
	f.T.Helper()
	if a.ResponseRecorder.Code != status || a.Error != key || a.Code != status || a.Success || a.Message == "" || strings.Contains(a.Message, "{") {
		f.T.Errorf("%s: %d %s, want %d %s", what, a.ResponseRecorder.Code, a.Body, status, key)
	}
}

func fsPath(call, path string) string { return "/api/fs/" + call + "?path=" + url.QueryEscape(path) }

func TestContractFS4_3_DownloadHeadersAndBody(t *testing.T) {
	f := newForest(t)
	o := f.bucket.Put("d/报告 1.txt", "hello world")
	a := f.as("GET", fsPath("download", "/m/d/报告 1.txt"), "")
	if a.ResponseRecorder.Code != 200 || a.Body.String() != "hello world" {
		t.Fatalf("%d %q", a.ResponseRecorder.Code, a.Body)
	}
	for name, want := range map[string]string{
		"Content-Length": "11", "Etag": `"` + o.ETag + `"`, "Last-Modified": o.ModTime.Format(http.TimeFormat), "Accept-Ranges": "bytes",
		"Cache-Control": "private, no-cache", "X-Content-Type-Options": "nosniff", "Content-Type": "text/plain; charset=utf-8",
		"Content-Disposition": `attachment; filename="%E6%8A%A5%E5%91%8A%201.txt"; filename*=UTF-8''%E6%8A%A5%E5%91%8A%201.txt`,
	} {
		if got := a.Header().Get(name); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
	head := f.as("HEAD", fsPath("download", "/m/d/报告 1.txt"), "")
	if head.ResponseRecorder.Code != 200 || head.Body.Len() != 0 {
		t.Errorf("HEAD: %d with %d bytes", head.ResponseRecorder.Code, head.Body.Len())
	}
	for _, name := range []string{"Content-Length", "Etag", "Last-Modified", "Content-Type", "Content-Disposition", "Accept-Ranges", "Cache-Control"} {
		if head.Header().Get(name) != a.Header().Get(name) {
			t.Errorf("%s of HEAD: %q, of GET %q", name, head.Header().Get(name), a.Header().Get(name))
		}
	}
}

func TestContractFS4_3_RangesAndConditions(t *testing.T) {
	f := newForest(t)
	o := f.bucket.Put("a.bin", "0123456789")
	tag, modified := `"`+o.ETag+`"`, o.ModTime.Format(http.TimeFormat)
	before := o.ModTime.Add(-time.Hour).Format(http.TimeFormat)
	for name, c := range map[string]struct {
		headers []string
		status  int
		body    string
		ranges  string
	}{
		"a range":                     {[]string{"Range", "bytes=2-4"}, 206, "234", "bytes 2-4/10"},
		"an open range":               {[]string{"Range", "bytes=7-"}, 206, "789", "bytes 7-9/10"},
		"the last bytes":              {[]string{"Range", "bytes=-3"}, 206, "789", "bytes 7-9/10"},
		"past the end":                {[]string{"Range", "bytes=10-"}, 416, "", "bytes */10"},
		"no byte range":               {[]string{"Range", "lines=1-2"}, 200, "0123456789", ""},
		"several ranges":              {[]string{"Range", "bytes=0-1,4-5"}, 200, "0123456789", ""},
		"if-range with the tag":       {[]string{"Range", "bytes=0-1", "If-Range", tag}, 206, "01", "bytes 0-1/10"},
		"if-range with another":       {[]string{"Range", "bytes=0-1", "If-Range", `"x"`}, 200, "0123456789", ""},
		"if-range with the time":      {[]string{"Range", "bytes=0-1", "If-Range", modified}, 206, "01", "bytes 0-1/10"},
		"if-none-match":               {[]string{"If-None-Match", tag}, 304, "", ""},
		"if-none-match, weak":         {[]string{"If-None-Match", `"y", W/` + tag}, 304, "", ""},
		"if-none-match, another":      {[]string{"If-None-Match", `"y"`}, 200, "0123456789", ""},
		"if-modified-since":           {[]string{"If-Modified-Since", modified}, 304, "", ""},
		"if-modified-since, older":    {[]string{"If-Modified-Since", before}, 200, "0123456789", ""},
		"if-match":                    {[]string{"If-Match", tag}, 200, "0123456789", ""},
		"if-match, another":           {[]string{"If-Match", `"y"`}, 412, "", ""},
		"if-unmodified-since":         {[]string{"If-Unmodified-Since", modified}, 200, "0123456789", ""},
		"if-unmodified-since, older":  {[]string{"If-Unmodified-Since", before}, 412, "", ""},
		"if-match beats the time":     {[]string{"If-Match", tag, "If-Unmodified-Since", before}, 200, "0123456789", ""},
		"if-none-match beats the sun": {[]string{"If-None-Match", `"y"`, "If-Modified-Since", modified}, 200, "0123456789", ""},
	} {
		t.Run(name, func(t *testing.T) {
			f.T = t
			a := f.as("GET", fsPath("download", "/m/a.bin"), "", c.headers...)
			if a.ResponseRecorder.Code != c.status || a.Header().Get("Content-Range") != c.ranges {
				t.Errorf("%d, range %q", a.ResponseRecorder.Code, a.Header().Get("Content-Range"))
			}
			if c.status < 300 && a.Body.String() != c.body {
				t.Errorf("body %q", a.Body)
			}
			switch c.status {
			case 416:
				f.refused(name, a, 416, "range_invalid")
			case 412:
				f.refused(name, a, 412, "precondition_failed")
			case 304:
				if a.Header().Get("Etag") != tag || a.Body.Len() != 0 {
					t.Errorf("304 with tag %q and %d bytes", a.Header().Get("Etag"), a.Body.Len())
				}
			}
		})
	}
}

func TestContractFS4_3_WhatIsNoFile(t *testing.T) {
	f := newForest(t)
	f.bucket.Put("d/x.txt", "x")
	for name, c := range map[string]struct {
		path, key string
		status    int
	}{
		"no path":             {"", "invalid_argument", 400},
		"a folder":            {"/m/d", "type_mismatch", 400},
		"a folder with slash": {"/m/d/", "type_mismatch", 400},
		"a mount":             {"/m", "type_mismatch", 400},
		"nothing":             {"/m/nothing", "not_found", 404},
		"no mount":            {"/nowhere/x", "mount_not_found", 404},
		"a virtual folder":    {"/deep", "mount_not_found", 404},
		"the root":            {"/", "root_forbidden", 403},
		"dots":                {"/m/d/../d/x.txt", "invalid_argument", 400},
		"an inactive mount":   {"/off/x", "mount_not_found", 404},
	} {
		f.refused(name, f.as("GET", fsPath("download", c.path), ""), c.status, c.key)
	}
	if a := f.as("GET", fsPath("download", "m/d/x.txt/"), ""); a.Body.String() != "x" {
		t.Errorf("without / at the front and with one at the end: %d %s", a.ResponseRecorder.Code, a.Body)
	}
}

// What people store must not run in the app's origin, also where it is shown.
func TestContractFS4_3_ContentIsInert(t *testing.T) {
	f := newForest(t)
	for name, c := range map[string]struct{ content, typ, disposition string }{
		"a.html": {"<script>1</script>", "text/html; charset=utf-8", "inline"},
		"a.svg":  {"<svg/>", "image/svg+xml", "inline"},
		"a.xml":  {"<x/>", "application/xml", "inline"},
		"a.js":   {"1", "text/plain; charset=utf-8", "inline"},
		"a.png":  {"\x89PNG\r\n\x1a\n", "image/png", "inline"},
		"b.png":  {"<html><script>1</script>", content.Octets, "attachment"},
		"a.md":   {"# x", "text/plain; charset=utf-8", "inline"},
		"a.xyz":  {"x", content.Octets, "inline"},
	} {
		f.bucket.Put(name, c.content)
		for _, inline := range []bool{false, true} {
			want := "attachment"
			if inline {
				want = c.disposition
			}
			a := f.as("GET", fsPath("download", "/m/"+name)+"&inline="+fmt.Sprint(inline), "")
			h := a.Header()
			if !strings.HasPrefix(h.Get("Content-Disposition"), want+";") || a.Body.String() != c.content {
				t.Errorf("%s: %q", name, h.Get("Content-Disposition"))
			}
			if inline && h.Get("Content-Type") != c.typ {
				t.Errorf("%s: type %q, want %q", name, h.Get("Content-Type"), c.typ)
			}
			if !strings.Contains(h.Get("Content-Security-Policy"), "sandbox") || strings.Contains(h.Get("Content-Security-Policy"), "allow-") ||
				h.Get("X-Content-Type-Options") != "nosniff" || h.Get("Cross-Origin-Resource-Policy") != "same-origin" {
				t.Errorf("%s is not inert: %v", name, h)
			}
		}
	}
}

// A file that changes between the look at it and the read is never mixed of
// two versions, and the reader gets the new one.
func TestContractFS4_3_ChangedFilesAreReadAnew(t *testing.T) {
	f := newForest(t)
	f.bucket.Put("a.txt", "old")
	var once sync.Once
	f.bucket.Fail = func(method, _ string) error {
		if method == "Read" {
			once.Do(func() {
				go f.bucket.Put("a.txt", "newer")
				portstest.Eventually(t, func() bool { return string(f.bucket.Bytes("a.txt")) == "newer" })
			})
		}
		return nil
	}
	a := f.as("GET", fsPath("download", "/m/a.txt"), "")
	if a.ResponseRecorder.Code != 200 || a.Body.String() != "newer" || a.Header().Get("Content-Length") != "5" {
		t.Errorf("%d %q, length %s", a.ResponseRecorder.Code, a.Body, a.Header().Get("Content-Length"))
	}
}

// part is a part of a form.
type part struct{ name, filename, value string }

func (f *forest) form(headers []string, parts ...part) edgetest.Answer {
	f.T.Helper()
	var body bytes.Buffer
	w := multipart.NewWriter(&body)
	for _, p := range parts {
		var to io.Writer
		var err error
		if p.filename != "" {
			to, err = w.CreateFormFile(p.name, p.filename)
		} else {
			to, err = w.CreateFormField(p.name)
		}
		if err == nil {
			_, err = io.WriteString(to, p.value)
		}
		if err != nil {
			f.T.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		f.T.Fatal(err)
	}
	return f.sendForm(&body, w.FormDataContentType(), headers...)
}

func (f *forest) sendForm(body io.Reader, typ string, headers ...string) edgetest.Answer {
	f.T.Helper()
	r := httptest.NewRequest("POST", "/api/fs/upload", body)
	r.Header.Set("Content-Type", typ)
	r.Header.Set("Authorization", edgetest.AsAdmin)
	for i := 0; i+1 < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	return f.Do(r)
}

func TestContractFS4_5_TheFormStoresAFile(t *testing.T) {
	f := newForest(t)
	got := f.object(f.form(nil, part{name: "path", value: "/m/d/e/"}, part{"file", "a.txt", "hello world"}))
	want := edgetest.Object{"success": true, "fileName": "a.txt", "size": 11.0, "contentType": "text/plain", "s3Path": "d/e/a.txt",
		"s3Url": "https://s3.example/bkt/d/e/a.txt", "etag": got["etag"], "message": got["message"]}
	if diff := cmp.Diff(got, want); diff != "" || got["etag"] == "" || got["message"] == "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(f.bucket.Keys(), []string{"d/", "d/e/", "d/e/a.txt"}); diff != "" {
		t.Error("markers: ", diff)
	}
	f.form(nil, part{name: "path", value: "/m/d/e/"}, part{"file", "a.txt", "new"})
	if string(f.bucket.Bytes("d/e/a.txt")) != "new" {
		t.Error("it was not overwritten")
	}
	if !slices.Contains(f.events.Published(), "listings/open") {
		t.Errorf("other nodes heard %v", f.events.Published())
	}
}

func TestContractFS4_5_TheTargetOfAForm(t *testing.T) {
	for name, c := range map[string]struct{ path, file, key string }{
		"a folder":                         {"/m/d", "a.txt", "d/a.txt"},
		"a folder with slash":              {"/m/d/", "a.txt", "d/a.txt"},
		"a mount":                          {"/m", "a.txt", "a.txt"},
		"the whole path":                   {"/m/d/a.txt", "a.txt", "d/a.txt"},
		"a folder of the name":             {"/m/a.txt/", "a.txt", "a.txt/a.txt"},
		"a folder that ends like the name": {"/m/mydata", "data", "mydata/data"},
		"without / at the front":           {"m/d", "a.txt", "d/a.txt"},
		"letters of all kinds":             {"/m/目录/", "ß? #%+&'\"<|>*:.txt", "目录/ß? #%+&'\"<|>*:.txt"},
	} {
		t.Run(name, func(t *testing.T) {
			f := newForest(t)
			body := "--b\r\nContent-Disposition: form-data; name=\"path\"\r\n\r\n" + c.path + "\r\n--b\r\nContent-Disposition: form-data; name=\"file\"; filename=\"" +
				strings.ReplaceAll(c.file, `"`, `\"`) + "\"\r\n\r\nx\r\n--b--\r\n"
			a := f.sendForm(strings.NewReader(body), "multipart/form-data; boundary=b")
			if a.ResponseRecorder.Code != 200 || string(f.bucket.Bytes(c.key)) != "x" {
				t.Errorf("%d %s; stored %q", a.ResponseRecorder.Code, a.Body, f.bucket.Keys())
			}
		})
	}
}

func TestContractFS4_5_WhatAFormMayNot(t *testing.T) {
	for name, c := range map[string]struct {
		parts  []part
		status int
		key    string
	}{
		"no file":                 {[]part{{name: "path", value: "/m/"}}, 400, "invalid_argument"},
		"no path":                 {[]part{{"file", "a.txt", "x"}}, 400, "invalid_argument"},
		"a name that climbs":      {[]part{{name: "path", value: "/m/"}, {"file", "../a.txt", "x"}}, 400, "invalid_argument"},
		"a path that climbs":      {[]part{{name: "path", value: "/m/../m/"}, {"file", "a.txt", "x"}}, 400, "invalid_argument"},
		"over a folder":           {[]part{{name: "path", value: "/m/"}, {"file", "folder", "x"}}, 409, "already_exists"},
		"a taken name":            {[]part{{name: "path", value: "/m/"}, {name: "overwrite", value: "false"}, {"file", "taken", "x"}}, 409, "already_exists"},
		"a taken name, said late": {[]part{{"file", "taken", "x"}, {name: "path", value: "/m/"}, {name: "overwrite", value: "false"}}, 409, "already_exists"},
		"a choice behind a file that flows": {[]part{{name: "path", value: "/m/"}, {"file", "new", "x"}, {name: "overwrite", value: "false"}}, 400,
			"invalid_argument"},
		"two files":         {[]part{{name: "path", value: "/m/"}, {"file", "new", "x"}, {"file", "b", "x"}}, 400, "invalid_argument"},
		"a mount":           {[]part{{name: "path", value: "/deep/small"}, {"file", "small", "x"}}, 403, "root_forbidden"},
		"a virtual folder":  {[]part{{name: "path", value: "/deep/"}, {"file", "new", "x"}}, 404, "mount_not_found"},
		"the root":          {[]part{{name: "path", value: "/"}, {"file", "new", "x"}}, 404, "mount_not_found"},
		"over the limit":    {[]part{{name: "path", value: "/m/"}, {"file", "new", strings.Repeat("x", 1<<20+1)}}, 413, "too_large"},
		"too much for room": {[]part{{name: "path", value: "/deep/small/"}, {"file", "new", strings.Repeat("x", 101)}}, 507, "quota_exceeded"},
	} {
		t.Run(name, func(t *testing.T) {
			f := newForest(t)
			f.bucket.Put("folder/x", "x")
			f.bucket.Put("taken", "old")
			f.refused(name, f.form(nil, c.parts...), c.status, c.key)
			if string(f.bucket.Bytes("taken")) != "old" || f.bucket.Bytes("new") != nil || len(f.small.Keys()) > 0 {
				t.Errorf("stored %v %v", f.bucket.Keys(), f.small.Keys())
			}
			if left, _ := os.ReadDir(f.spool); len(left) > 0 {
				t.Errorf("left %v", left)
			}
		})
	}
}

func TestContractFS4_5_AFileThatComesFirstWaitsOnDisk(t *testing.T) {
	f := newForest(t)
	got := f.object(f.form(nil, part{"file", "a.txt", "hello"}, part{name: "path", value: "/m/d"}, part{name: "use_multipart", value: "false"}))
	if got["s3Path"] != "d/a.txt" || string(f.bucket.Bytes("d/a.txt")) != "hello" {
		t.Errorf("%v, stored %v", got, f.bucket.Keys())
	}
	if left, _ := os.ReadDir(f.spool); len(left) > 0 {
		t.Errorf("left %v", left)
	}
	got = f.object(f.form(nil, part{name: "path", value: "/m/d"}, part{"file", "b.txt", "hello"}, part{name: "use_multipart", value: "false"}, part{name: "x", value: "y"}))
	if got["s3Path"] != "d/b.txt" {
		t.Errorf("fields behind that change nothing: %v", got)
	}
}

func TestContractFS4_5_AFormCanBeginAnUploadInParts(t *testing.T) {
	f := newForest(t)
	got := f.object(f.form(nil, part{name: "path", value: "/m/d"}, part{name: "use_multipart", value: "true"}, part{"file", "a.bin", "hello"}))
	if got["uploadId"] == "" || got["key"] != "d/a.bin" || got["partCount"] != 1.0 || got["path"] != "/m/d/" || len(got["presignedUrls"].([]any)) != 1 {
		t.Errorf("got %v", got)
	}
	if len(f.bucket.Keys()) > 0 {
		t.Errorf("stored %v", f.bucket.Keys())
	}
}

func TestContractFS4_5_ACutFormStoresNothing(t *testing.T) {
	f := newForest(t)
	f.bucket.Put("d/a.txt", "old")
	whole := "--b\r\nContent-Disposition: form-data; name=\"path\"\r\n\r\n/m/d/\r\n--b\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a.txt\"\r\n\r\nhello\r\n--b--\r\n"
	for n := range len(whole) - len("\r\n") {
		a := f.sendForm(strings.NewReader(whole[:n]), "multipart/form-data; boundary=b")
		if a.ResponseRecorder.Code != 400 || string(f.bucket.Bytes("d/a.txt")) != "old" || len(f.bucket.Keys()) != 1 {
			t.Fatalf("cut after %d of %d: %d, stored %v %q", n, len(whole), a.ResponseRecorder.Code, f.bucket.Keys(), f.bucket.Bytes("d/a.txt"))
		}
	}
	if a := f.sendForm(strings.NewReader(whole), "multipart/form-data; boundary=b"); a.ResponseRecorder.Code != 200 {
		t.Errorf("whole: %d %s", a.ResponseRecorder.Code, a.Body)
	}
}

// put stores content by the raw form.
func (f *forest) put(path, content string, headers ...string) edgetest.Answer {
	f.T.Helper()
	r := httptest.NewRequest("PUT", fsPath("upload", path), strings.NewReader(content))
	r.Header.Set("Authorization", edgetest.AsAdmin)
	for i := 0; i+1 < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	return f.Do(r)
}

func TestContractFS4_5_RawPut(t *testing.T) {
	f := newForest(t)
	got := f.object(f.put("/m/d/a.html", "<p>", "Content-Type", "image/png"))
	if got["s3Path"] != "d/a.html" || got["contentType"] != "text/html" || got["size"] != 3.0 || string(f.bucket.Bytes("d/a.html")) != "<p>" {
		t.Errorf("got %v", got)
	}
	tag := `"` + got["etag"].(string) + `"`
	f.refused("if-none-match *", f.put("/m/d/a.html", "x", "If-None-Match", "*"), 412, "precondition_failed")
	f.refused("if-match, another", f.put("/m/d/a.html", "x", "If-Match", `"y"`), 412, "precondition_failed")
	f.refused("if-match on nothing", f.put("/m/d/new", "x", "If-Match", `*`), 412, "precondition_failed")
	f.refused("no path", f.put("", "x"), 400, "invalid_argument")
	f.refused("a folder's path", f.put("/m/d/new/", "x"), 400, "type_mismatch")
	f.refused("a folder", f.put("/m/d", "x"), 409, "already_exists")
	f.refused("over the limit", f.put("/m/big", strings.Repeat("x", 1<<20+1)), 413, "too_large")
	if string(f.bucket.Bytes("d/a.html")) != "<p>" || len(f.bucket.Keys()) != 2 {
		t.Errorf("stored %v", f.bucket.Keys())
	}
	for _, c := range [][]string{{"If-Match", `"y", ` + tag}, {"If-None-Match", `"y"`}, nil} {
		f.object(f.put("/m/d/a.html", "<p>", c...))
	}
	f.object(f.put("/m/d/new", "x", "If-None-Match", "*"))
	r := httptest.NewRequest("PUT", fsPath("upload", "/m/chunked"), io.MultiReader(strings.NewReader("no "), strings.NewReader("length")))
	r.ContentLength = -1
	r.Header.Set("Authorization", edgetest.AsAdmin)
	if a := f.Do(r); a.ResponseRecorder.Code != 200 || string(f.bucket.Bytes("chunked")) != "no length" {
		t.Errorf("without a length: %d %s", a.ResponseRecorder.Code, a.Body)
	}
	f.object(f.put("/m/empty", ""))
	if f.bucket.Bytes("empty") == nil && !slices.Contains(f.bucket.Keys(), "empty") {
		t.Error("an empty file was not stored")
	}
}

func TestContractFS4_5_ACutPutStoresNothing(t *testing.T) {
	f := newForest(t)
	f.bucket.Put("a", "old")
	r := httptest.NewRequest("PUT", fsPath("upload", "/m/a"), strings.NewReader("half"))
	r.ContentLength = 10
	r.Header.Set("Authorization", edgetest.AsAdmin)
	if a := f.Do(r); a.ResponseRecorder.Code != 400 || string(f.bucket.Bytes("a")) != "old" {
		t.Errorf("%d %s, stored %q", a.ResponseRecorder.Code, a.Body, f.bucket.Bytes("a"))
	}
}

// Two who saw the same version and save at once: one wins.
func TestContractFS4_5_OneOfTwoConditionalWritesWins(t *testing.T) {
	for name, condition := range map[string][]string{"if-match": {"If-Match", ""}, "if-none-match": {"If-None-Match", "*"}} {
		t.Run(name, func(t *testing.T) {
			f := newForest(t)
			if name == "if-match" {
				condition[1] = `"` + f.bucket.Put("a", "first").ETag + `"`
			}
			var wg sync.WaitGroup
			var mu sync.Mutex
			var codes []int
			for n := range 8 {
				wg.Go(func() {
					r := httptest.NewRequest("PUT", fsPath("upload", "/m/a"), strings.NewReader(fmt.Sprintf("version %d", n)))
					r.Header.Set("Authorization", edgetest.AsAdmin)
					r.Header.Set(condition[0], condition[1])
					w := httptest.NewRecorder()
					f.ServeHTTP(w, r)
					mu.Lock()
					defer mu.Unlock()
					codes = append(codes, w.Code)
				})
			}
			wg.Wait()
			slices.Sort(codes)
			if diff := cmp.Diff(codes, []int{200, 412, 412, 412, 412, 412, 412, 412}); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestContractFS4_5_ListingsAreForgottenAlsoWhenAWriteFails(t *testing.T) {
	f := newForest(t)
	f.bucket.Fail = func(method, _ string) error {
		if method == "Write" {
			return &ports.Error{Code: ports.BadGateway, Key: "storage_denied", Cause: errors.New("secret endpoint")}
		}
		return nil
	}
	a := f.put("/m/a", "x")
	f.refused("a storage that refuses", a, 502, "storage_denied")
	if strings.Contains(a.Body.String(), "secret") || !slices.Contains(f.events.Published(), "listings/open") {
		t.Errorf("%s; published %v", a.Body, f.events.Published())
	}
}

func TestContractFS4_8_Update(t *testing.T) {
	f := newForest(t)
	save := func(body string, headers ...string) edgetest.Answer {
		return f.as("POST", "/api/fs/update", body, headers...)
	}
	got := f.object(save(`{"path":"/m/notes/n.md","content":"text"}`))
	want := edgetest.Object{"success": true, "path": "notes/n.md", "fsPath": "/m/notes/n.md", "etag": got["etag"], "contentType": "text/markdown",
		"message": got["message"], "isNewFile": true}
	if diff := cmp.Diff(got, want); diff != "" {
		t.Error(diff)
	}
	tag := got["etag"].(string)
	for name, c := range map[string]struct {
		body    string
		headers []string
		status  int
		key     string
	}{
		"no path":             {`{"content":"x"}`, nil, 400, "invalid_argument"},
		"no content":          {`{"path":"/m/notes/n.md"}`, nil, 400, "invalid_argument"},
		"null":                {`{"path":"/m/notes/n.md","content":null}`, nil, 400, "invalid_argument"},
		"a number":            {`{"path":"/m/notes/n.md","content":5}`, nil, 400, "invalid_argument"},
		"a folder's path":     {`{"path":"/m/notes/","content":"x"}`, nil, 400, "type_mismatch"},
		"a folder":            {`{"path":"/m/notes","content":"x"}`, nil, 409, "already_exists"},
		"over 10 MiB":         {`{"path":"/m/notes/n.md","content":"` + strings.Repeat("é", 5<<20) + `x"}`, nil, 400, "content_too_large"},
		"another tag":         {`{"path":"/m/notes/n.md","content":"x","etag":"y"}`, nil, 412, "precondition_failed"},
		"another tag, header": {`{"path":"/m/notes/n.md","content":"x"}`, []string{"If-Match", `"y"`}, 412, "precondition_failed"},
		"it exists":           {`{"path":"/m/notes/n.md","content":"x"}`, []string{"If-None-Match", `*`}, 412, "precondition_failed"},
	} {
		a := save(c.body, c.headers...)
		f.refused(name, a, c.status, c.key)
		if c.status == 412 && string(a.Data) != `{"etag":"`+tag+`"}` {
			t.Errorf("%s: data %s", name, a.Data)
		}
	}
	if string(f.bucket.Bytes("notes/n.md")) != "text" {
		t.Error("a refused save changed the file")
	}
	got = f.object(save(`{"path":"/m/notes/n.md","content":"` + strings.Repeat("é", 5<<20) + `","etag":"` + tag + `"}`))
	if got["isNewFile"] != false || len(f.bucket.Bytes("notes/n.md")) != 10<<20 {
		t.Errorf("10 MiB: %v", got)
	}
	got = f.object(save(`{"path":"/m/notes/n.md","content":""}`, "If-Match", `"`+got["etag"].(string)+`"`))
	if len(f.bucket.Bytes("notes/n.md")) != 0 || got["success"] != true {
		t.Errorf("empty: %v", got)
	}
	f.object(save(`{"path":"/m/notes/n.md","content":"a\u0000b"}`))
	if string(f.bucket.Bytes("notes/n.md")) != "a\x00b" {
		t.Error("a NUL did not come through")
	}
}

func TestContractFS8_11_LocksHoldAgainstTheExplorer(t *testing.T) {
	f := newForest(t)
	f.bucket.Put("a.txt", "old")
	client := mounts.Caller{Who: forestCallers["admin-token"], Door: mounts.WebDAV}
	f.rules.limits = policy.Obligations{}
	if _, _, err := f.locks.Lock(t.Context(), client, "/m/a.txt", dav.NewLock{}); err != nil {
		t.Fatal(err)
	}
	f.refused("update", f.as("POST", "/api/fs/update", `{"path":"/m/a.txt","content":"x"}`), 423, "locked")
	f.refused("put", f.put("/m/a.txt", "x"), 423, "locked")
	f.refused("form", f.form(nil, part{name: "path", value: "/m/"}, part{"file", "a.txt", "x"}), 423, "locked")
	f.refused("presign", f.as("POST", "/api/fs/presign", `{"path":"/m/","fileName":"a.txt"}`), 423, "locked")
	f.refused("init", f.as("POST", "/api/fs/multipart/init", `{"path":"/m/","fileName":"a.txt"}`), 423, "locked")
	if string(f.bucket.Bytes("a.txt")) != "old" {
		t.Error("a locked file changed")
	}
}

// The bits and base paths of §2.1 and §2.2, for every call of this file.
func TestContractFS2_1_BitsAndBasePaths(t *testing.T) {
	f := newForest(t)
	for _, key := range []string{"team/a.txt", "teamx/a.txt", "a.txt", "team/sub/a.txt"} {
		f.bucket.Put(key, "x")
	}
	q := func(s string) string { return string(must1(json.Marshal(s))) }
	calls := map[string]struct {
		view bool // it needs MOUNT_VIEW, else MOUNT_UPLOAD
		ask  func(path string, headers ...string) edgetest.Answer
	}{
		"download":  {true, func(p string, h ...string) edgetest.Answer { return f.as("GET", fsPath("download", p), "", h...) }},
		"file-link": {true, func(p string, h ...string) edgetest.Answer { return f.as("GET", fsPath("file-link", p), "", h...) }},
		"update": {false, func(p string, h ...string) edgetest.Answer {
			return f.as("POST", "/api/fs/update", `{"path":`+q(p)+`,"content":"x"}`, h...)
		}},
		"put": {false, func(p string, h ...string) edgetest.Answer { return f.put(p, "x", h...) }},
		"form": {false, func(p string, h ...string) edgetest.Answer {
			return f.form(h, part{name: "path", value: p[:strings.LastIndex(p, "/")+1]}, part{"file", p[strings.LastIndex(p, "/")+1:], "x"})
		}},
		"presign": {false, func(p string, h ...string) edgetest.Answer {
			return f.as("POST", "/api/fs/presign", `{"path":`+q(p[:strings.LastIndex(p, "/")+1])+`,"fileName":`+q(p[strings.LastIndex(p, "/")+1:])+`}`, h...)
		}},
		"commit": {false, func(p string, h ...string) edgetest.Answer {
			return f.as("POST", "/api/fs/presign/commit", `{"targetPath":`+q(p)+`,"mountId":"id-m"}`, h...)
		}},
	}
	for _, call := range []string{"init", "complete", "abort", "list-uploads", "list-parts", "refresh-urls"} {
		calls[call] = struct {
			view bool
			ask  func(path string, headers ...string) edgetest.Answer
		}{false, func(p string, h ...string) edgetest.Answer {
			return f.as("POST", "/api/fs/multipart/"+call, `{"path":`+q(p)+`,"fileName":`+q(mounts.Base(p))+`,"uploadId":"u","parts":[{"partNumber":1,"etag":"x"}],"partNumbers":[1]}`, h...)
		}}
	}
	for name, call := range calls {
		for _, c := range []struct {
			who, path, key string
			status         int
		}{
			{asTeam, "/m/team/a.txt", "", 200},
			{asTeam, "/m/team/sub/a.txt", "", 200},
			{asTeam, "/m/teamx/a.txt", "path_forbidden", 403},
			{asTeam, "/m/a.txt", "path_forbidden", 403},
			{asTeam, "/m/team/../a.txt", "invalid_argument", 400},
			{asTeam, "/m/team//a.txt", "invalid_argument", 400},
			{asTeam, "/m/team/./a.txt", "invalid_argument", 400},
			{asTeam, `/m/team\a.txt`, "invalid_argument", 400},
			{asTeam, "/docs/team/a.txt", "path_forbidden", 403},
			{asOther, "/m/a.txt", "permission_denied", 403},
			{asViewer, "/private/a.txt", "mount_forbidden", 403},
			{"", "/m/a.txt", "unauthenticated", 401},
		} {
			right, wrong := asViewer, asSender
			if !call.view {
				right, wrong = asSender, asViewer
			}
			who := c.who
			if c.key == "mount_forbidden" {
				who = right
			}
			a := call.ask(c.path, "Authorization", who)
			unknown := a.Error == "upload_not_found" // who may ask, and names no upload of his
			if ok := a.ResponseRecorder.Code == c.status && a.Error == c.key || c.status == 200 && unknown; !ok {
				t.Errorf("%s of %s as %q: %d %s, want %d %s", name, c.path, who, a.ResponseRecorder.Code, a.Body, c.status, c.key)
			}
			if a := call.ask("/m/a.txt", "Authorization", wrong); a.ResponseRecorder.Code != 403 || a.Error != "permission_denied" {
				t.Errorf("%s without its bit: %d %s", name, a.ResponseRecorder.Code, a.Body)
			}
		}
	}
}

// Each call asks the policy once, with what it is about, before storage.
func TestContractFS2_1_ThePolicyIsAskedOnceAndFirst(t *testing.T) {
	f := newForest(t)
	f.bucket.Put("d/a.exe", "x")
	id := f.object(f.multipart("init", edgetest.Object{"path": "/m/d", "fileName": "a.exe"}))["uploadId"]
	var steps []string
	f.rules.heard = func(do policy.Action, on policy.Resource) {
		steps = append(steps, fmt.Sprint(do, on.Paths, on.Name, on.Extension, on.Size))
	}
	f.bucket.Fail = func(string, string) error {
		if len(steps) == 0 || steps[len(steps)-1] != "storage" {
			steps = append(steps, "storage")
		}
		return nil
	}
	upload, edit, read := "mount.upload[/m/d/a.exe]a.exeexe", "mount.edit[/m/d/a.exe]a.exeexe", "mount.read[/m/d/a.exe]"
	sent := edgetest.Object{"path": "/m/d/", "fileName": "a.exe", "uploadId": id, "parts": []edgetest.Object{{"PartNumber": 1, "ETag": "x"}}, "partNumbers": []int{1}}
	for name, c := range map[string]struct {
		call func() edgetest.Answer
		want string
	}{
		"download":  {func() edgetest.Answer { return f.as("GET", fsPath("download", "/m/d/a.exe"), "") }, read + "0"},
		"file-link": {func() edgetest.Answer { return f.as("GET", fsPath("file-link", "/m/d/a.exe"), "") }, read + "0"},
		"put":       {func() edgetest.Answer { return f.put("/m/d/a.exe", "four") }, upload + "4"},
		"form": {func() edgetest.Answer {
			return f.form(nil, part{name: "path", value: "/m/d/"}, part{"file", "a.exe", "x"})
		}, upload + "0"},
		"update": {func() edgetest.Answer {
			return f.as("POST", "/api/fs/update", `{"path":"/m/d/a.exe","content":"four"}`)
		}, edit + "4"},
		"presign": {func() edgetest.Answer {
			return f.as("POST", "/api/fs/presign", `{"path":"/m/d","fileName":"a.exe","fileSize":9}`)
		}, upload + "9"},
		"commit": {func() edgetest.Answer {
			return f.as("POST", "/api/fs/presign/commit", `{"targetPath":"/m/d/a.exe","mountId":"id-m"}`)
		}, upload + "0"},
		"init": {func() edgetest.Answer {
			return f.multipart("init", edgetest.Object{"path": "/m/d", "fileName": "a.exe", "fileSize": 9})
		}, upload + "9"},
		"list-uploads": {func() edgetest.Answer { return f.multipart("list-uploads", edgetest.Object{"path": "/m/d"}) }, "mount.upload[/m/d]0"},
		"list-parts":   {func() edgetest.Answer { return f.multipart("list-parts", sent) }, "mount.upload[/m/d/a.exe]0"},
		"refresh-urls": {func() edgetest.Answer { return f.multipart("refresh-urls", sent) }, "mount.upload[/m/d/a.exe]0"},
		"complete":     {func() edgetest.Answer { return f.multipart("complete", sent) }, "mount.upload[/m/d/a.exe]0"},
		"proxy": {func() edgetest.Answer {
			return f.Call("GET", proxyURL("/docs/d/a.exe", signature(proxySecret, "/docs/d/a.exe:0", "0")), "")
		}, "mount.proxy[/docs/d/a.exe]0"},
	} {
		steps = nil
		a := c.call()
		if diff := cmp.Diff(steps, []string{c.want, "storage"}); diff != "" {
			t.Errorf("%s: %d %s", name, a.ResponseRecorder.Code, diff)
		}
	}
}

func must1[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

func TestContractFS4_9_FileLink(t *testing.T) {
	f := newForest(t)
	f.bucket.Put("todo.md", "x")
	f.bucket.Put("d/x", "x")
	link := func(path, query string, headers ...string) edgetest.Answer {
		return f.as("GET", fsPath("file-link", path)+query, "", headers...)
	}
	now := f.clock.Now()
	for query, c := range map[string]struct {
		seconds int64
		force   bool
	}{
		"":                                    {1800, false},
		"&expires_in=":                        {1800, false},
		"&expires_in=null":                    {1800, false},
		"&expires_in=600&force_download=true": {600, true},
		"&expires_in=5":                       {60, false},
		"&expires_in=0":                       {60, false},
		"&expires_in=99999999":                {604800, false},
		"&force_download=yes":                 {1800, false},
	} {
		got := f.object(link("/m/todo.md", query))
		want := edgetest.Object{"success": true, "presignedUrl": got["presignedUrl"], "name": "todo.md", "expiresIn": float64(c.seconds),
			"expiresAt": wire.ISO(now.Add(time.Duration(c.seconds) * time.Second)), "forceDownload": c.force}
		if diff := cmp.Diff(got, want); diff != "" {
			t.Errorf("%s: %s", query, diff)
		}
		w := httptest.NewRecorder()
		f.bucket.ServeHTTP(w, httptest.NewRequest("GET", got["presignedUrl"].(string), nil))
		disposition := map[bool]string{true: "attachment", false: "inline"}[c.force]
		if w.Code != 200 || w.Body.String() != "x" || !strings.HasPrefix(w.Header().Get("Content-Disposition"), disposition+`; filename="todo.md"`) ||
			w.Header().Get("Content-Type") != "text/markdown; charset=utf-8" {
			t.Errorf("%s: the link gives %d %v", query, w.Code, w.Header())
		}
	}
	f.refused("nothing", link("/m/nothing", ""), 404, "not_found")
	f.refused("a folder", link("/m/d", ""), 400, "type_mismatch")
	f.refused("no path", link("", ""), 400, "invalid_argument")
	f.refused("a word", link("/m/todo.md", "&expires_in=soon"), 400, "invalid_argument")
}

func TestContractFS4_9_ProxiedMountsGiveProxyLinks(t *testing.T) {
	f := newForest(t)
	f.bucket.Put("a b#?.txt", "x")
	got := f.object(f.as("GET", fsPath("file-link", "/docs/a b#?.txt")+"&force_download=true&expires_in=600", ""))
	link := got["presignedUrl"].(string)
	if !strings.HasPrefix(link, "http://example.com/api/p/docs/a%20b%23%3F.txt?download=true&sign=") || got["expiresIn"] != 600.0 {
		t.Fatalf("got %v", got)
	}
	target := strings.TrimPrefix(link, "http://example.com")
	if a := f.Call("GET", target, ""); a.Body.String() != "x" || !strings.HasPrefix(a.Header().Get("Content-Disposition"), "attachment") {
		t.Errorf("%d %s", a.ResponseRecorder.Code, a.Body)
	}
	f.clock.Add(601 * time.Second)
	if a := f.Call("GET", target, ""); a.ResponseRecorder.Code != 401 {
		t.Errorf("after its end: %d", a.ResponseRecorder.Code)
	}
}

func TestContractFS4_2_LinksOfAFile(t *testing.T) {
	f := newForest(t)
	f.bucket.Put("a b.txt", "x")
	got := f.object(f.as("GET", fsPath("get", "/m/a b.txt"), ""))
	for field, disposition := range map[string]string{"preview_url": "inline", "download_url": "attachment"} {
		w := httptest.NewRecorder()
		f.bucket.ServeHTTP(w, httptest.NewRequest("GET", got[field].(string), nil))
		if w.Body.String() != "x" || !strings.HasPrefix(w.Header().Get("Content-Disposition"), disposition) {
			t.Errorf("%s: %v gives %d %v", field, got[field], w.Code, w.Header())
		}
	}
	got = f.object(f.as("GET", fsPath("get", "/docs/a b.txt"), ""))
	preview := must1(url.Parse(got["preview_url"].(string)))
	download := must1(url.Parse(got["download_url"].(string)))
	if preview.Path != "/api/p/docs/a b.txt" || preview.Query().Get("ts") != fmt.Sprint(f.clock.Now().UnixMilli()) || preview.Query().Get("sign") == "" ||
		download.Query().Get("download") != "true" || download.Query().Has("ts") || download.Query().Get("sign") != preview.Query().Get("sign") {
		t.Errorf("%s\n%s", preview, download)
	}
	for _, u := range []*url.URL{preview, download} {
		if a := f.Call("GET", u.RequestURI(), ""); a.Body.String() != "x" {
			t.Errorf("%s: %d %s", u, a.ResponseRecorder.Code, a.Body)
		}
	}
	f.settings.signAll = false
	got = f.object(f.as("GET", fsPath("get", "/docs/a b.txt"), ""))
	if got["preview_url"] != "http://example.com/api/p/docs/a%20b.txt" || got["download_url"] != "http://example.com/api/p/docs/a%20b.txt?download=true" {
		t.Errorf("unsigned: %v", got)
	}
}

func TestContractFS7_7_CustomHosts(t *testing.T) {
	f := newForest(t)
	f.bucket.Put("d/a b.txt", "x")
	c := f.storages.configs["open"]
	c.CustomHost = "https://cdn.example/"
	f.storages.configs["open"] = c
	f.tree.ForgetStorage("open")
	got := f.object(f.as("GET", fsPath("get", "/m/d/a b.txt"), ""))
	if got["preview_url"] != "https://cdn.example/bkt/d/a%20b.txt" {
		t.Errorf("preview %v", got["preview_url"])
	}
	if download := got["download_url"].(string); !strings.HasPrefix(download, "https://cdn.example/bkt/d/a%20b.txt?token=") {
		t.Errorf("download %v", download)
	}
	c.PathStyle = false
	f.storages.configs["open"] = c
	f.tree.ForgetStorage("open")
	if got := f.object(f.as("GET", fsPath("get", "/m/d/a b.txt"), "")); got["preview_url"] != "https://cdn.example/d/a%20b.txt" {
		t.Errorf("without path style: %v", got["preview_url"])
	}
}

func TestContractFS6_2_LinksAreKeptForACallerAndAWhile(t *testing.T) {
	f := newForest(t)
	f.bucket.Put("a.txt", "x")
	link := func(who string) string {
		return f.object(f.as("GET", fsPath("get", "/m/a.txt"), "", "Authorization", who))["preview_url"].(string)
	}
	first := link(edgetest.AsAdmin)
	if link(edgetest.AsAdmin) != first {
		t.Error("the second link is another one")
	}
	if link(asViewer) == first {
		t.Error("another caller got the same link")
	}
	f.clock.Add(1619 * time.Second) // nine tenths of 1800
	if link(edgetest.AsAdmin) != first {
		t.Error("dropped too early")
	}
	f.clock.Add(2 * time.Second)
	second := link(edgetest.AsAdmin)
	if second == first {
		t.Error("kept too long")
	}
	short := f.object(f.as("GET", fsPath("file-link", "/m/a.txt")+"&expires_in=1800", ""))
	if short["expiresIn"] != 1800.0 || short["presignedUrl"] == second {
		t.Errorf("asked for a life, got %v", short)
	}
	f.put("/m/a.txt", "new")
	if link(edgetest.AsAdmin) == second {
		t.Error("the link outlived a write")
	}
	was := forestCallers["viewer"]
	defer func() { forestCallers["viewer"] = was }()
	before := link(asViewer)
	now := was
	now.BasicPath = "/m"
	forestCallers["viewer"] = now
	if link(asViewer) == before {
		t.Error("a caller with other rights got the old link")
	}
}

func TestContractFS1_7_PolicyLimitsHoldForUploadsAndLinks(t *testing.T) {
	f := newForest(t)
	f.bucket.Put("a.txt", "x")
	f.rules.limits = policy.Obligations{MaxSize: 3, LinkExpires: 100}
	f.refused("put", f.put("/m/b", "four"), 413, "too_large")
	f.refused("presign", f.as("POST", "/api/fs/presign", `{"path":"/m","fileName":"b","fileSize":4}`), 413, "too_large")
	f.refused("init", f.as("POST", "/api/fs/multipart/init", `{"path":"/m","fileName":"b","fileSize":4}`), 413, "too_large")
	if got := f.object(f.as("GET", fsPath("file-link", "/m/a.txt")+"&expires_in=600", "")); got["expiresIn"] != 100.0 {
		t.Errorf("link: %v", got)
	}
}
