package shareapi

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"pasteport/adapters/httpapi"
	"pasteport/adapters/httpapi/content"
	"pasteport/adapters/httpapi/edgetest"
	"pasteport/domain/domaintest"
	"pasteport/domain/keys"
	"pasteport/domain/mounts/thumbnail"
	"pasteport/domain/shares"
	"pasteport/domain/shares/collections"
	"pasteport/domain/shares/inventory"
	"pasteport/domain/shares/latch"
	"pasteport/domain/shares/remote"
	"pasteport/domain/shares/revisions"
	"pasteport/domain/shares/versions"
	"pasteport/domain/storage"
	"pasteport/ports"
	"pasteport/ports/objstore"
	"pasteport/ports/policy"
	"pasteport/ports/portstest"
)

// The callers of these tests, by credential.
const (
	asKeyA  = "ApiKey share-a"
	asKeyB  = "ApiKey share-b"
	asNoBit = "ApiKey share-none"
)

var shareCallers = map[string]policy.Principal{
	"admin-token": {Kind: policy.Admin, ID: "admin-id", Name: "admin", BasicPath: "/"},
	"share-a":     {Kind: policy.APIKey, ID: "aaaa", Name: "Key A", BasicPath: "/", Role: "GENERAL", Permissions: policy.PermText | policy.PermFileShare},
	"share-b":     {Kind: policy.APIKey, ID: "bbbb", Name: "Key B", BasicPath: "/", Permissions: policy.PermText | policy.PermFileShare},
	"share-none":  {Kind: policy.APIKey, ID: "nnnn", Name: "No bits", BasicPath: "/", Permissions: policy.PermMountView},
}

type shareAuth struct{}

func (shareAuth) Confirmed(context.Context, policy.Principal, string) error { return nil }

func (shareAuth) Authenticate(_ context.Context, c keys.Credential) (policy.Principal, error) {
	for _, token := range []string{c.Token, c.CustomKey} {
		if who, ok := shareCallers[token]; ok {
			return who, nil
		}
	}
	return policy.Principal{}, httpapi.ErrCredentials
}

// shareRules decide as spec §6 says for shares.
type shareRules struct{}

func (shareRules) Decide(_ context.Context, who policy.Principal, do policy.Action, on policy.Resource) (policy.Decision, error) {
	if who.Kind == policy.Admin {
		return policy.Decision{Allow: true, Scope: policy.All}, nil
	}
	area, verb, _ := strings.Cut(string(do), ".")
	if area == "share" || do == policy.URLProxy {
		return policy.Decision{Allow: true, Scope: policy.Own}, nil
	}
	var reasons []policy.Reason
	need := map[string]policy.Permission{"paste": policy.PermText, "file": policy.PermFileShare, "url": policy.PermFileShare}[area]
	if need == 0 || who.Permissions&need == 0 || verb == "clear_expired" {
		reasons = append(reasons, policy.Reason{Code: "permission_missing"})
	}
	if slices.Contains([]string{"read_own", "update", "delete"}, verb) && !who.Owns(on.Owner) {
		reasons = append(reasons, policy.Reason{Code: "not_owner"})
	}
	return policy.Decision{Allow: len(reasons) == 0, Reasons: reasons, Scope: policy.Own}, nil
}

type shareSettings struct {
	max    int64
	proxy  bool
	limits ports.ShareLimits
}

func (s *shareSettings) MaxUploadSize() int64           { return s.max }
func (s *shareSettings) DefaultUseProxy() bool          { return s.proxy }
func (s *shareSettings) ShareLimits() ports.ShareLimits { return s.limits }
func (s *shareSettings) Revisions() ports.Revisions     { return ports.Revisions{Kept: 3} }
func (s *shareSettings) RandomSuffix() bool             { return false }
func (s *shareSettings) PreviewTypes(string) []string   { return nil }
func (s *shareSettings) ExpiredGrace() time.Duration    { return 24 * time.Hour }

type shareStorages struct {
	portstest.Opener
	configs map[string]objstore.Storage
}

func (s shareStorages) Storage(_ context.Context, id string) (objstore.Storage, error) {
	if c, ok := s.configs[id]; ok {
		return c, nil
	}
	return objstore.Storage{}, ports.ErrNotFound
}

func (s shareStorages) Default(_ context.Context, publicOnly bool) (objstore.Storage, error) {
	if c, ok := s.configs["public"]; ok {
		return c, nil
	}
	return objstore.Storage{}, ports.ErrNotFound
}

// shareHasher lets a test look on while a password is hashed.
type shareHasher struct {
	portstest.Hasher
	during func()
}

func (h *shareHasher) Hash(ctx context.Context, password string) (string, error) {
	if h.during != nil {
		h.during()
	}
	return h.Hasher.Hash(ctx, password)
}

// site is the edge over the real use cases of shares and fakes below them.
type site struct {
	deps shares.Deps
	*httpapi.API
	edgetest.Client
	clock    *portstest.Clock
	db       *domaintest.Memory
	bucket   *portstest.Bucket
	settings *shareSettings
	storages shareStorages
	hasher   *shareHasher
	pastes   *shares.Pastes
	files    *shares.Files
	uploads  *shares.FileUploads
	sets     *collections.Collections
	web      *fakeWeb
	reports  []string
}

func newSite(t testing.TB) *site { return newSiteWith(t, func(*httpapi.Options) {}) }

// newSiteWith makes a site; change may set further options of its edge.
func newSiteWith(t testing.TB, change func(*httpapi.Options)) *site {
	s := &site{bucket: portstest.NewBucket(), settings: &shareSettings{max: 1 << 20}, hasher: &shareHasher{}}
	s.Client, s.clock = edgetest.Client{T: t}, portstest.NewClock()
	s.bucket.Clock = s.clock
	s.db = domaintest.NewMemory(s.clock)
	s.storages = shareStorages{Opener: portstest.Opener{"public": s.bucket, "private": s.bucket, "local": s.bucket}, configs: map[string]objstore.Storage{
		"public":  {ID: "public", Name: "Public store", ProviderType: "Other", Type: "S3", EndpointURL: "https://s3.example.com", BucketName: "bkt", Region: "auto", PathStyle: true, DefaultFolder: "up", Public: true},
		"private": {ID: "private", Name: "Private store", ProviderType: "Other", Type: "S3", EndpointURL: "https://s3.example.com", BucketName: "bkt"},
		"local":   {ID: "local", Name: "Local disk", ProviderType: "Local disk", Type: "LOCAL", OwnDisk: true, Public: true},
	}}
	ledger := storage.NewLedger(s.db.Ledger(), s.storages, s.clock, nil)
	deps := shares.Deps{
		Uploads: s.db.UploadSessions(s.storages, ledger, s.clock), Pastes: s.db.Pastes(), Files: s.db.Files(), FileObjects: s.db.FileObjects(), Storages: s.storages, Ledger: ledger, Decider: httpapi.Watched(shareRules{}), Hasher: s.hasher,
		Guesses: s.db.Guesses(), MAC: portstest.MAC{}, Random: &portstest.Random{}, Clock: s.clock, Settings: s.settings, Editions: s.db.Revisions(), Work: s.db,
		Report: func(doing string, err error) { s.reports = append(s.reports, doing+": "+err.Error()) },
	}
	deps.Replaced = versions.NewKeeper(deps, s.db.FileVersions())
	s.deps = deps
	s.pastes, s.files = shares.NewPastes(deps), shares.NewFiles(deps)
	s.uploads = shares.NewFileUploads(s.files)
	opts := httpapi.Options{Auth: shareAuth{}, Language: edgetest.InChinese, Clock: s.clock, Limits: httpapi.TrafficLimits{Off: true}, Idempotency: s.db.Idempotency(), Work: s.db, Decider: deps.Decider,
		Undecided: func(op string, asked []policy.Action) { t.Errorf("%s answered, but asked %v", op, asked) }}
	change(&opts)
	s.API = httpapi.New(opts)
	s.Handler = s.API
	u := UseCases{Pastes: s.pastes, Files: s.files, Visits: shares.NewFileVisits(s.files), Uploads: s.uploads, SpoolDir: t.TempDir(),
		KeyNames: func(_ context.Context, ids []string) (map[string]string, error) {
			names := map[string]string{}
			for _, who := range shareCallers {
				if slices.Contains(ids, who.ID) && who.ID != "bbbb" {
					names[who.ID] = who.Name
				}
			}
			return names, nil
		}}
	u.Revisions = revisions.New(s.pastes, s.db.Revisions())
	pasteOps(s.API, u)
	revisionOps(s.API, u)
	publicFileOps(s.API, u)
	u.Collections = collections.New(collections.Deps{Deps: s.deps, Owned: s.files, Collections: s.db.Collections(), Items: s.db.Items(), Sums: &domaintest.Sums{}, Work: s.db})
	u.CollectionVisits = collections.NewVisits(u.Collections, u.Visits)
	u.Thumbnails = thumbnail.New(nil, drawn{})
	collectionOps(s.API, u)
	s.sets = u.Collections
	publicCollectionOps(s.API, u)
	latchOps(s.API, latch.New(s.deps, s.pastes, s.files, s.db.Collections()))
	fileOps(s.API, u)
	uploadOps(s.API, u)
	u.Deletions = inventory.NewDeletions(s.pastes, s.files, portstest.MAC{})
	doorOps(s.API, u)
	deletionOps(s.API, u.Deletions)
	s.web = &fakeWeb{pages: map[string]page{}}
	u.URLs = remote.New(deps, s.uploads, s.web, nil)
	urlOps(s.API, u)
	return s
}

func (s *site) decode(a edgetest.Answer) edgetest.Object {
	s.T.Helper()
	var o edgetest.Object
	if err := json.Unmarshal(a.Body.Bytes(), &o); err != nil {
		s.T.Fatalf("status %d, body %q: %v", a.ResponseRecorder.Code, a.Body, err)
	}
	return o
}

// data is the data of an envelope that must be a success.
func (s *site) data(a edgetest.Answer) edgetest.Object {
	s.T.Helper()
	if a.ResponseRecorder.Code != 200 || !a.Success {
		s.T.Fatalf("got status %d, body %s", a.ResponseRecorder.Code, a.Body)
	}
	var o edgetest.Object
	if err := json.Unmarshal(a.Data, &o); err != nil {
		s.T.Fatalf("data %s: %v", a.Data, err)
	}
	return o
}

func (s *site) paste(body string, headers ...string) edgetest.Object {
	s.T.Helper()
	if len(headers) == 0 {
		headers = []string{"Authorization", asKeyA}
	}
	a := s.Call("POST", "/api/paste", body, headers...)
	if a.ResponseRecorder.Code != 200 {
		s.T.Fatalf("create %s: %d %s", body, a.ResponseRecorder.Code, a.Body)
	}
	return s.decode(a)
}

// wantError checks an error envelope whole (contract §1.2).
func (s *site) wantError(a edgetest.Answer, status int, key, substring string) {
	s.T.Helper()
	told := string(a.Data) == "null" || strings.HasPrefix(string(a.Data), `{"reason":`) || key == "quota_exceeded" && strings.HasPrefix(string(a.Data), `{"size":`)
	if a.ResponseRecorder.Code != status || a.Code != status || a.Success || a.Error != key || a.ID == "" || !told {
		s.T.Errorf("got status %d, body %s; want %d %s", a.ResponseRecorder.Code, a.Body, status, key)
	}
	if !strings.Contains(a.Message, substring) {
		s.T.Errorf("the message %q does not contain %q", a.Message, substring)
	}
}

func TestContract6_1_CreateAnswersBare(t *testing.T) {
	s := newSite(t)
	got := s.paste(`{"content":"hello","slug":"s1","remark":"r","expiresAt":"2027-01-01T00:00:00+01:00","maxViews":"2","password":"pw","syntax":"go","unknown":{"a":1}}`,
		"Authorization", edgetest.AsAdmin)
	id, _ := got["id"].(string)
	want := edgetest.Object{"id": id, "slug": "s1", "remark": "r", "expiresAt": "2026-12-31T23:00:00.000Z", "maxViews": 2.0, "hasPassword": true,
		"createdAt": "2026-11-21T08:00:00.000Z", "authorizedBy": "admin", "syntax": "go", "url": "http://example.com/paste/s1", "rawUrl": "http://example.com/api/raw/s1"}
	if diff := cmp.Diff(got, want); diff != "" || len(id) != 36 {
		t.Error(diff)
	}
	got = s.paste(`{"content":"x","remark":"","expiresAt":null,"maxViews":0}`)
	want = edgetest.Object{"id": got["id"], "slug": got["slug"], "remark": nil, "expiresAt": nil, "maxViews": nil, "hasPassword": false,
		"createdAt": "2026-11-21T08:00:00.000Z", "authorizedBy": "apikey",
		"url": "http://example.com/paste/" + got["slug"].(string), "rawUrl": "http://example.com/api/raw/" + got["slug"].(string)}
	if diff := cmp.Diff(got, want); diff != "" || len(got["slug"].(string)) != 10 {
		t.Error(diff)
	}
}

func TestContract6_1_CreateRefusesBadInput(t *testing.T) {
	s := newSite(t)
	s.paste(`{"content":"x","slug":"taken"}`)
	for name, c := range map[string]struct {
		body      string
		who       string
		status    int
		key       string
		substring string
	}{
		"no body":                 {"", asKeyA, 400, "invalid_argument", ""},
		"wrong JSON":              {`{"content":`, asKeyA, 400, "invalid_argument", ""},
		"an array":                {`["content"]`, asKeyA, 400, "invalid_argument", ""},
		"content of another type": {`{"content":5}`, asKeyA, 400, "invalid_argument", ""},
		"content null":            {`{"content":null}`, asKeyA, 400, "invalid_argument", ""},
		"content empty":           {`{"content":""}`, asKeyA, 400, "invalid_argument", ""},
		"content over 10 MiB":     {`{"content":"` + strings.Repeat("x", 10<<20+1) + `"}`, asKeyA, 400, "content_too_large", "内容过大"},
		"maxViews negative":       {`{"content":"x","maxViews":-1}`, asKeyA, 400, "invalid_argument", ""},
		"maxViews a word":         {`{"content":"x","maxViews":"many"}`, asKeyA, 400, "invalid_argument", ""},
		"maxViews with a point":   {`{"content":"x","maxViews":1.5}`, asKeyA, 400, "invalid_argument", ""},
		"maxViews an object":      {`{"content":"x","maxViews":{}}`, asKeyA, 400, "invalid_argument", ""},
		"an unreadable date":      {`{"content":"x","expiresAt":"tomorrow"}`, asKeyA, 400, "invalid_argument", ""},
		"a date that is a number": {`{"content":"x","expiresAt":1795000000000}`, asKeyA, 400, "invalid_argument", ""},
		"a past date":             {`{"content":"x","expiresAt":"2020-01-01T00:00:00Z"}`, asKeyA, 400, "invalid_argument", ""},
		"a slug with a slash":     {`{"content":"x","slug":"a/b"}`, asKeyA, 400, "slug_invalid", ""},
		"a slug that climbs":      {`{"content":"x","slug":".."}`, asKeyA, 400, "slug_invalid", ""},
		"an over-long slug":       {`{"content":"x","slug":"` + strings.Repeat("a", 51) + `"}`, asKeyA, 400, "slug_invalid", ""},
		"a reserved slug":         {`{"content":"x","slug":"API"}`, asKeyA, 400, "slug_reserved", "系统保留"},
		"a taken slug":            {`{"content":"x","slug":"taken"}`, asKeyA, 409, "slug_taken", "链接后缀已被占用"},
		"nobody":                  {`{"content":"x"}`, "", 401, "unauthenticated", ""},
		"a wrong key":             {`{"content":"x"}`, "ApiKey wrong", 401, "unauthenticated", ""},
		"a key without TEXT":      {`{"content":"x"}`, asNoBit, 403, "", "权限"},
	} {
		t.Run(name, func(t *testing.T) {
			for _, lang := range []string{"zh-CN", "en-US"} {
				a := s.Call("POST", "/api/paste", c.body, "Authorization", c.who, "Accept-Language", lang)
				key := c.key
				if key == "" {
					key = a.Error
				}
				s.T = t
				s.wantError(a, c.status, key, c.substring)
			}
		})
	}
	s.T = t
	if list := s.decode(s.Call("GET", "/api/pastes", "", "Authorization", edgetest.AsAdmin)); len(list["data"].([]any)) != 1 {
		t.Errorf("a refused paste was stored: %v", list)
	}
}

func TestContract1_1_BodiesOverTheTransportLimitAre413(t *testing.T) {
	s := newSite(t)
	r := httptest.NewRequest("POST", "/api/paste", io.LimitReader(edgetest.Zeros{}, 65<<20))
	r.ContentLength = 65 << 20
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Authorization", asKeyA)
	s.wantError(s.Do(r), 413, "too_large", "")
}

func TestContract6_2_ReadCountsAndShowsThePaste(t *testing.T) {
	s := newSite(t)
	s.paste(`{"content":"<b>\"你好\"\u2028</b>","slug":"s1","remark":"r","maxViews":2,"expiresAt":"2027-01-01T00:00:00.000Z"}`)
	got := s.decode(s.Call("GET", "/api/paste/s1", ""))
	ticket, _ := got["ticket"].(string)
	want := edgetest.Object{"slug": "s1", "content": "<b>\"你好\"\u2028</b>", "remark": "r", "expiresAt": "2027-01-01T00:00:00.000Z", "maxViews": 2.0, "views": 1.0,
		"createdAt": "2026-11-21T08:00:00.000Z", "updatedAt": "2026-11-21T08:00:00.000Z", "created_by": "apikey:aaaa", "hasPassword": false,
		"isLastView": false, "ticket": ticket, "url": "http://example.com/paste/s1", "rawUrl": "http://example.com/api/raw/s1"}
	if diff := cmp.Diff(got, want); diff != "" || ticket == "" {
		t.Error(diff)
	}
	if got = s.decode(s.Call("GET", "/api/paste/s1", "")); got["isLastView"] != true || got["views"] != 2.0 {
		t.Errorf("the last view: %v", got)
	}
	s.wantError(s.Call("GET", "/api/paste/s1", ""), 410, "used_up", "最大查看次数")
	if got = s.decode(s.Call("GET", "/api/paste/s1?ticket="+ticket, "")); got["content"] == nil || got["views"] != 2.0 {
		t.Errorf("with the ticket: %v", got)
	}

	s.paste(`{"content":"x","slug":"free"}`)
	for i := range 3 {
		got = s.decode(s.Call("GET", "/api/paste/free", ""))
		if _, has := got["ticket"]; has || got["views"] != float64(i+1) || got["maxViews"] != nil {
			t.Errorf("unlimited: %v", got)
		}
	}
}

func TestContract6_2_ProtectedPasteShowsNothing(t *testing.T) {
	s := newSite(t)
	s.paste(`{"content":"secret","slug":"pw1","remark":"hidden","password":"pw","maxViews":3}`)
	got := s.decode(s.Call("GET", "/api/paste/pw1", ""))
	want := edgetest.Object{"slug": "pw1", "hasPassword": true, "requiresPassword": true, "remark": nil, "expiresAt": nil, "maxViews": 3.0, "views": 0.0,
		"createdAt": "2026-11-21T08:00:00.000Z", "created_by": "apikey:aaaa", "url": "http://example.com/paste/pw1", "rawUrl": "http://example.com/api/raw/pw1"}
	if diff := cmp.Diff(got, want); diff != "" {
		t.Error(diff)
	}
}

func TestContract6_2_GoneAndUnknown(t *testing.T) {
	s := newSite(t)
	s.paste(`{"content":"x","slug":"old","expiresAt":"2026-11-21T09:00:00Z"}`)
	s.paste(`{"content":"x","slug":"oldpw","password":"pw","expiresAt":"2026-11-21T09:00:00Z"}`)
	s.clock.Add(time.Hour)
	for _, lang := range []string{"zh", "en"} {
		for _, c := range []struct {
			method, path, body string
			status             int
			key, substring     string
		}{
			{"GET", "/api/paste/old", "", 410, "expired", "文本分享已过期"},
			{"GET", "/api/paste/old?peek=1", "", 410, "expired", "文本分享已过期"},
			{"POST", "/api/paste/oldpw", `{"password":"pw"}`, 410, "expired", "文本分享已过期"},
			{"GET", "/api/paste/none", "", 404, "not_found", "不存在"},
			{"POST", "/api/paste/none", `{"password":"pw"}`, 404, "not_found", "不存在"},
			{"GET", "/api/paste/%E9%93%BE", "", 404, "not_found", "不存在"},
			{"DELETE", "/api/paste/old", "", 404, "not_found", ""},
			{"PATCH", "/api/pastes", "", 404, "not_found", ""},
			{"GET", "/api/paste/../admin", "", 400, "invalid_argument", ""},
			{"GET", "/api/paste/%2e%2e", "", 400, "invalid_argument", ""},
		} {
			a := s.Call(c.method, c.path, c.body, "Accept-Language", lang)
			s.wantError(a, c.status, c.key, c.substring)
			if c.status == 404 && (strings.Contains(a.Message, "过期") || strings.Contains(a.Message, "最大查看次数")) {
				t.Errorf("%s: the message %q looks like 410", c.path, a.Message)
			}
		}
		raw := s.Call("GET", "/api/raw/old", "", "Accept-Language", lang)
		if raw.ResponseRecorder.Code != 410 || !strings.HasPrefix(raw.Header().Get("Content-Type"), "text/plain") || !strings.Contains(raw.Body.String(), "文本分享已过期") {
			t.Errorf("raw: %d %s %q", raw.ResponseRecorder.Code, raw.Header(), raw.Body)
		}
	}
}

func TestContract6_3_Verify(t *testing.T) {
	s := newSite(t)
	s.paste(`{"content":"secret","slug":"pw1","remark":"r","password":"p\"w","maxViews":1}`)
	s.paste(`{"content":"x","slug":"open"}`)
	for _, lang := range []string{"zh", "en"} {
		s.wantError(s.Call("POST", "/api/paste/pw1", `{}`, "Accept-Language", lang), 400, "password_required", "")
		s.wantError(s.Call("POST", "/api/paste/open", `{"password":"x"}`, "Accept-Language", lang), 400, "invalid_argument", "")
		s.wantError(s.Call("POST", "/api/paste/pw1", `{"password":"no"}`, "Accept-Language", lang), 401, "password_wrong", "密码错误")
	}
	got := s.decode(s.Call("POST", "/api/paste/pw1", `{"password":"p\"w"}`))
	want := edgetest.Object{"slug": "pw1", "content": "secret", "remark": "r", "hasPassword": true, "plain_password": `p"w`, "expiresAt": nil, "maxViews": 1.0,
		"views": 1.0, "createdAt": "2026-11-21T08:00:00.000Z", "updatedAt": "2026-11-21T08:00:00.000Z", "created_by": "apikey:aaaa", "isLastView": true,
		"ticket": got["ticket"], "url": "http://example.com/paste/pw1", "rawUrl": "http://example.com/api/raw/pw1"}
	if diff := cmp.Diff(got, want); diff != "" {
		t.Error(diff)
	}
	s.wantError(s.Call("POST", "/api/paste/pw1", `{"password":"p\"w"}`), 410, "used_up", "最大查看次数")
}

func TestSecurity4_5_TooManyWrongPasswordsAre429WithRetryAfter(t *testing.T) {
	s := newSite(t)
	s.paste(`{"content":"secret","slug":"pw1","password":"pw"}`)
	for range 10 {
		s.wantError(s.Call("POST", "/api/paste/pw1", `{"password":"no"}`), 401, "password_wrong", "密码错误")
	}
	a := s.Call("POST", "/api/paste/pw1", `{"password":"pw"}`)
	s.wantError(a, 429, "rate_limited", "")
	if n, err := strconv.Atoi(a.Header().Get("Retry-After")); err != nil || n < 1 {
		t.Errorf("Retry-After is %q", a.Header().Get("Retry-After"))
	}
	if raw := s.Call("GET", "/api/raw/pw1?password=pw", ""); raw.ResponseRecorder.Code != 429 {
		t.Errorf("raw does not share the counter: %d", raw.ResponseRecorder.Code)
	}
}

func TestContract6_4_ViewsAreExactUnder100ParallelReaders(t *testing.T) {
	s := newSite(t)
	s.paste(`{"content":"x","slug":"s1","maxViews":5}`)
	var content, last, gone atomic.Int64
	var wg sync.WaitGroup
	for i := range 100 {
		wg.Go(func() {
			r := httptest.NewRequest("GET", []string{"/api/paste/s1", "/api/raw/s1"}[i%2], nil)
			w := httptest.NewRecorder()
			s.ServeHTTP(w, r)
			switch w.Code {
			case 200:
				content.Add(1)
				if strings.Contains(w.Body.String(), `"isLastView":true`) {
					last.Add(1)
				}
			case 410:
				gone.Add(1)
			default:
				t.Errorf("got %d", w.Code)
			}
		})
	}
	wg.Wait()
	if content.Load() != 5 || gone.Load() != 95 || last.Load() > 1 {
		t.Errorf("got %d with content, %d last, %d gone", content.Load(), last.Load(), gone.Load())
	}
}

func TestContract6_4_WhatTakesNoView(t *testing.T) {
	s := newSite(t)
	s.paste(`{"content":"hello","slug":"s1","maxViews":1}`)
	for range 3 {
		for _, path := range []string{"/api/paste/s1", "/api/raw/s1"} {
			a := s.Call("HEAD", path, "")
			if a.ResponseRecorder.Code != 200 || a.Body.Len() != 0 || a.Header().Get("Content-Length") == "" {
				t.Errorf("HEAD %s: %d, %q", path, a.ResponseRecorder.Code, a.Body)
			}
		}
		peek := s.decode(s.Call("GET", "/api/paste/s1?peek=1", ""))
		want := edgetest.Object{"slug": "s1", "peek": true, "hasPassword": false, "requiresPassword": false, "isLastView": true, "size": 5.0, "expiresAt": nil,
			"url": "http://example.com/paste/s1", "rawUrl": "http://example.com/api/raw/s1"}
		if diff := cmp.Diff(peek, want); diff != "" {
			t.Error(diff)
		}
		etag := s.Call("HEAD", "/api/raw/s1", "").Header().Get("ETag")
		if a := s.Call("GET", "/api/raw/s1", "", "If-None-Match", etag); a.ResponseRecorder.Code != 304 || a.Body.Len() != 0 {
			t.Errorf("If-None-Match: %d", a.ResponseRecorder.Code)
		}
	}
	if got := s.decode(s.Call("GET", "/api/paste/s1", "")); got["isLastView"] != true {
		t.Errorf("the one view was taken before: %v", got)
	}
	s.paste(`{"content":"hello","slug":"pw","password":"pw","expiresAt":"2027-01-01T00:00:00Z"}`)
	want := edgetest.Object{"slug": "pw", "peek": true, "hasPassword": true, "requiresPassword": true, "isLastView": false, "expiresAt": nil,
		"url": "http://example.com/paste/pw", "rawUrl": "http://example.com/api/raw/pw"}
	if diff := cmp.Diff(s.decode(s.Call("GET", "/api/paste/pw?peek=1", "")), want); diff != "" {
		t.Error(diff)
	}
}

func TestContract6_5_Raw(t *testing.T) {
	s := newSite(t)
	s.paste(`{"content":"<script>你好</script>","slug":"s1"}`)
	s.paste(`{"content":"secret","slug":"pw","password":"p w","maxViews":9}`)
	a := s.Call("GET", "/api/raw/s1", "")
	h := a.Header()
	if a.Body.String() != "<script>你好</script>" || h.Get("Content-Type") != "text/plain; charset=utf-8" || h.Get("Content-Disposition") != `inline; filename="s1.txt"` {
		t.Errorf("got %q %v", a.Body, h)
	}
	for name, want := range map[string]string{"X-Content-Type-Options": "nosniff", "Content-Security-Policy": content.SandboxPolicy, "Referrer-Policy": "no-referrer",
		"Cache-Control": "no-store", "X-Robots-Tag": "noindex", "Access-Control-Allow-Origin": "*"} {
		if h.Get(name) != want {
			t.Errorf("%s: got %q, want %q", name, h.Get(name), want)
		}
	}
	for _, c := range []struct {
		target string
		header string
		status int
	}{
		{"/api/raw/pw", "", 401}, {"/api/raw/pw?password=no", "", 401}, {"/api/raw/pw?password=p%20w", "", 200}, {"/api/raw/pw?password=p+w", "", 200},
		{"/api/raw/pw", "p w", 200}, {"/api/raw/pw", "no", 401}, {"/api/raw/pw?ticket=nonsense", "", 401}, {"/api/raw/none", "", 404},
	} {
		a := s.Call("GET", c.target, "", "X-Share-Password", c.header)
		if a.ResponseRecorder.Code != c.status || !strings.HasPrefix(a.Header().Get("Content-Type"), "text/plain") {
			t.Errorf("%s with header %q: %d %s", c.target, c.header, a.ResponseRecorder.Code, a.Header())
		}
		if c.status == 401 && strings.HasPrefix(a.Body.String(), "{") {
			t.Errorf("%s: the error is not plain text: %s", c.target, a.Body)
		}
	}
}

func TestContract6_6_Lists(t *testing.T) {
	s := newSite(t)
	long := strings.Repeat("文", 250)
	s.paste(`{"content":"` + long + `","slug":"one","remark":"r","password":"pw"}`)
	s.clock.Add(time.Second)
	s.paste(`{"content":"second","slug":"two"}`, "Authorization", asKeyB)
	s.clock.Add(time.Second)
	s.paste(`{"content":"third","slug":"three","maxViews":4}`, "Authorization", edgetest.AsAdmin)

	a := s.Call("GET", "/api/pastes?limit=2&page=2", "", "Authorization", edgetest.AsAdmin)
	list := s.decode(a)
	if diff := cmp.Diff(list["pagination"], map[string]any{"total": 3.0, "limit": 2.0, "offset": 2.0, "hasMore": false, "page": 2.0, "totalPages": 2.0}); diff != "" {
		t.Error(diff)
	}
	row := edgetest.Object(list["data"].([]any)[0].(map[string]any))
	want := edgetest.Object{"id": row["id"], "slug": "one", "remark": "r", "has_password": 1.0, "expires_at": nil, "max_views": nil, "views": 0.0, "view_count": 0.0,
		"created_by": "apikey:aaaa", "content_preview": strings.Repeat("文", 200) + "...", "created_at": "2026-11-21T08:00:00.000Z",
		"updated_at": "2026-11-21T08:00:00.000Z", "key_name": "Key A", "size": 750.0,
		"url": "http://example.com/paste/one", "raw_url": "http://example.com/api/raw/one"}
	if diff := cmp.Diff(row, want); diff != "" {
		t.Error(diff)
	}
	a = s.Call("GET", "/api/pastes", "", "Authorization", asKeyA)
	list = s.decode(a)
	if diff := cmp.Diff(list["pagination"], map[string]any{"total": 1.0, "limit": 30.0, "offset": 0.0, "hasMore": false}); diff != "" {
		t.Error(diff)
	}
	row = list["data"].([]any)[0].(map[string]any)
	if row["content"] != long || row["content_preview"] != nil || row["key_name"] != "Key A" {
		t.Errorf("a key's row: %v", row)
	}
	if diff := cmp.Diff(list["key_info"], map[string]any{"id": "aaaa", "name": "Key A", "basicPath": "/", "permissions": 3.0, "role": "GENERAL", "isGuest": 0.0}); diff != "" {
		t.Error(diff)
	}
	for query, want := range map[string]string{
		"": "three two one", "limit=1": "three", "limit=1&offset=1": "two", "limit=1&page=3": "one", "limit=1&page=3&offset=0": "three",
		"limit=abc&offset=x": "three two one", "limit=-5": "three", "limit=0": "three", "limit=": "three two one", "limit=99999": "three two one", "offset=-1": "three two one",
		"offset=99999999999999": "", "search=SECOND": "two", "search=%20two%20": "two", "search=%25": "", "created_by=apikey:aaaa": "one", "unknown=1": "three two one",
	} {
		var slugs []string
		for _, r := range s.decode(s.Call("GET", "/api/pastes?"+query, "", "Authorization", edgetest.AsAdmin))["data"].([]any) {
			slugs = append(slugs, r.(map[string]any)["slug"].(string))
		}
		if got := strings.Join(slugs, " "); got != want {
			t.Errorf("%q: got %q, want %q", query, got, want)
		}
	}
	s.wantError(s.Call("GET", "/api/pastes", ""), 401, "unauthenticated", "")
	if a := s.Call("GET", "/api/pastes", "", "Authorization", asNoBit); a.ResponseRecorder.Code != 403 {
		t.Errorf("without TEXT: %d", a.ResponseRecorder.Code)
	}
}

func TestContract6_7_Detail(t *testing.T) {
	s := newSite(t)
	p := s.paste(`{"content":"secret","slug":"one","remark":"r","password":"pw","maxViews":3,"syntax":"markdown"}`)
	id := p["id"].(string)
	a := s.Call("GET", "/api/pastes/"+id, "", "Authorization", asKeyA)
	want := edgetest.Object{"id": id, "slug": "one", "content": "secret", "remark": "r", "expires_at": nil, "max_views": 3.0, "views": 0.0, "created_by": "apikey:aaaa",
		"created_at": "2026-11-21T08:00:00.000Z", "updated_at": "2026-11-21T08:00:00.000Z", "has_password": true, "plain_password": nil,
		"key_name": "Key A", "syntax": "markdown", "url": "http://example.com/paste/one", "raw_url": "http://example.com/api/raw/one"}
	if diff := cmp.Diff(s.data(a), want); diff != "" || a.Header().Get("ETag") == "" {
		t.Error(diff)
	}
	for who, status := range map[string]int{edgetest.AsAdmin: 200, asKeyB: 404, asNoBit: 403, "": 401} {
		if a := s.Call("GET", "/api/pastes/"+id, "", "Authorization", who); a.ResponseRecorder.Code != status {
			t.Errorf("%q: got %d, want %d", who, a.ResponseRecorder.Code, status)
		}
	}
	s.wantError(s.Call("GET", "/api/pastes/nosuch", "", "Authorization", edgetest.AsAdmin), 404, "not_found", "不存在")
}

func TestContract6_8_Update(t *testing.T) {
	s := newSite(t)
	p := s.paste(`{"content":"one","slug":"one","remark":"r","password":"pw","maxViews":3,"expiresAt":"2027-01-01T00:00:00Z"}`)
	s.paste(`{"content":"x","slug":"taken"}`)
	id := p["id"].(string)
	s.Call("POST", "/api/paste/one", `{"password":"pw"}`)
	put := func(path, body string, headers ...string) edgetest.Answer {
		t.Helper()
		return s.Call("PUT", "/api/pastes/"+path, body, append([]string{"Authorization", asKeyA}, headers...)...)
	}
	detail := func() edgetest.Object {
		t.Helper()
		return s.data(s.Call("GET", "/api/pastes/"+id, "", "Authorization", asKeyA))
	}
	if diff := cmp.Diff(s.data(put("one", `{"content":"two","id":"x","slug":"ignored"}`)), edgetest.Object{"id": id, "slug": "one", "url": "http://example.com/paste/one", "rawUrl": "http://example.com/api/raw/one"}); diff != "" {
		t.Error(diff)
	}
	if d := detail(); d["content"] != "two" || d["remark"] != "r" || d["max_views"] != 3.0 || d["views"] != 1.0 || d["has_password"] != true || d["expires_at"] == nil {
		t.Errorf("what was absent did not stay: %v", d)
	}
	s.data(put(id, `{"content":"two","remark":null,"expiresAt":"","maxViews":null,"password":"","clearPassword":true}`))
	if d := detail(); d["remark"] != nil || d["expires_at"] != nil || d["max_views"] != nil || d["views"] != 0.0 || d["has_password"] != false {
		t.Errorf("what was null did not go: %v", d)
	}
	s.data(put(id, `{"content":"two","password":"new","clearPassword":true,"maxViews":"4","expiresAt":"2027-05-05T05:05:05.000Z","newSlug":"two"}`))
	if d := detail(); d["slug"] != "two" || d["has_password"] != true || d["max_views"] != 4.0 || d["expires_at"] != "2027-05-05T05:05:05.000Z" {
		t.Errorf("got %v", d)
	}
	if got := s.data(put(id, `{"content":"two","newSlug":"two"}`)); got["slug"] != "two" {
		t.Errorf("D21, the same slug: %v", got)
	}
	if got := s.data(put(id, `{"content":"two","newSlug":null}`)); len(got["slug"].(string)) != 10 {
		t.Errorf("a null slug: %v", got)
	}
	etag := s.Call("GET", "/api/pastes/"+id, "", "Authorization", asKeyA).Header().Get("ETag")
	s.data(put(id, `{"content":"three"}`, "If-Match", etag))
	s.wantError(put(id, `{"content":"four"}`, "If-Match", etag), 412, "precondition_failed", "")
	s.data(put(id, `{"content":"four"}`, "If-Match", "*"))
	for body, want := range map[string]struct {
		status int
		key    string
	}{
		`{}`:                                {400, "invalid_argument"},
		`{"content":""}`:                    {400, "invalid_argument"},
		`{"content":"x","maxViews":-1}`:     {400, "invalid_argument"},
		`{"content":"x","newSlug":"a b"}`:   {400, "slug_invalid"},
		`{"content":"x","newSlug":"admin"}`: {400, "slug_reserved"},
		`{"content":"x","newSlug":"taken"}`: {409, "slug_taken"},
		`{"content":"x","expiresAt":"x"}`:   {400, "invalid_argument"},
	} {
		s.wantError(put(id, body), want.status, want.key, "")
	}
	for who, status := range map[string]int{asKeyB: 404, asNoBit: 403, "": 401} {
		if a := s.Call("PUT", "/api/pastes/"+id, `{"content":"x"}`, "Authorization", who); a.ResponseRecorder.Code != status {
			t.Errorf("%q: got %d, want %d", who, a.ResponseRecorder.Code, status)
		}
	}
	s.wantError(put("nosuch", `{"content":"x"}`), 404, "not_found", "不存在")
}

func TestContract6_8_ExpiredPastesCanBeProlonged(t *testing.T) {
	s := newSite(t)
	s.paste(`{"content":"x","slug":"one","expiresAt":"2026-11-21T09:00:00Z"}`)
	s.clock.Add(2 * time.Hour)
	s.wantError(s.Call("PUT", "/api/pastes/one", `{"content":"x"}`, "Authorization", asKeyA), 410, "expired", "文本分享已过期")
	s.data(s.Call("PUT", "/api/pastes/one", `{"content":"x","expiresAt":"2026-11-22T00:00:00Z"}`, "Authorization", asKeyA))
	if a := s.Call("GET", "/api/paste/one", ""); a.ResponseRecorder.Code != 200 {
		t.Errorf("got %d", a.ResponseRecorder.Code)
	}
}

func TestContract6_9_BatchDelete(t *testing.T) {
	s := newSite(t)
	for i, c := range []struct{ method, path string }{{"DELETE", "/api/pastes/batch-delete"}, {"POST", "/api/pastes/batch-delete"}} {
		p := s.paste(`{"content":"x","slug":"one` + strconv.Itoa(i) + `"}`)
		body := `{"ids":["` + p["id"].(string) + `","nosuch"]}`
		if got := s.data(s.Call(c.method, c.path, body, "Authorization", asKeyB)); got["deletedCount"] != 0.0 {
			t.Errorf("another key deleted: %v", got)
		}
		a := s.Call(c.method, c.path, body, "Authorization", asKeyA)
		if got := s.data(a); got["deletedCount"] != 1.0 || !strings.Contains(a.Message, "1") {
			t.Errorf("D18: %v, %q", got, a.Message)
		}
		for _, bad := range []string{``, `{}`, `{"ids":[]}`, `{"ids":"x"}`, `{"ids":[1]}`, `{"ids":null}`} {
			s.wantError(s.Call(c.method, c.path, bad, "Authorization", asKeyA), 400, "invalid_argument", "")
		}
		s.wantError(s.Call(c.method, c.path, body), 401, "unauthenticated", "")
	}
}

// Pages of the predecessor send what was written offline with the prefix twice.
func TestContract13_QueuedWritesArriveUnderTheDoubledPrefix(t *testing.T) {
	s := newSite(t)
	made := s.decode(s.Call("POST", "/api/api/paste", `{"content":"x","slug":"offline"}`, "Authorization", asKeyA))
	changed := s.data(s.Call("PUT", "/api/api/pastes/offline", `{"content":"y"}`, "Authorization", asKeyA))
	if made["slug"] != "offline" || changed["id"] != made["id"] {
		t.Errorf("made %v, changed %v", made, changed)
	}
	s.wantError(s.Call("POST", "/api/api/paste", `{"content":"x","slug":"offline"}`, "Authorization", asKeyA), 409, "slug_taken", "")
	s.wantError(s.Call("POST", "/api/api/paste", `{"content":"x"}`), 401, "unauthenticated", "")
	if got := s.data(s.Call("POST", "/api/api/pastes/batch-delete", `{"ids":["`+made["id"].(string)+`"]}`, "Authorization", asKeyA)); got["deletedCount"] != 1.0 {
		t.Errorf("deleted %v", got)
	}
	s.data(s.Call("POST", "/api/api/admin/pastes/clear-expired", `{}`, "Authorization", edgetest.AsAdmin))
	s.upload("a.txt", "slug=f&password=pw", "x")
	s.data(s.Call("POST", "/api/api/public/files/f/verify", `{"password":"pw"}`))
	for _, other := range []string{"GET /api/api/pastes", "GET /api/api/paste/offline", "POST /api/api/paste/offline", "POST /api/api/admin/login", "POST /api/api/api/paste", "POST /api/api/"} {
		method, path, _ := strings.Cut(other, " ")
		s.wantError(s.Call(method, path, `{}`, "Authorization", edgetest.AsAdmin), 404, "not_found", "")
	}
}

func TestContract6_10_ClearExpired(t *testing.T) {
	s := newSite(t)
	for _, path := range []string{"/api/pastes/clear-expired", "/api/admin/pastes/clear-expired"} {
		expires := s.clock.Now().Add(time.Minute).Format(time.RFC3339)
		s.paste(`{"content":"x","expiresAt":"` + expires + `"}`)
		s.paste(`{"content":"x","maxViews":1,"slug":"used"}`)
		s.Call("GET", "/api/raw/used", "")
		s.clock.Add(time.Minute)
		if a := s.Call("POST", path, `{"clearExpired":true}`, "Authorization", asKeyA); a.ResponseRecorder.Code != 403 {
			t.Errorf("a key: %d", a.ResponseRecorder.Code)
		}
		a := s.Call("POST", path, `{"clearExpired":true}`, "Authorization", edgetest.AsAdmin)
		if got := s.data(a); got["deletedCount"] != 2.0 || !strings.Contains(a.Message, "2") {
			t.Errorf("got %v, %q", got, a.Message)
		}
	}
}

func TestReliability2_9_CreateIsReplayedByItsKey(t *testing.T) {
	s := newSite(t)
	send := func(body string) edgetest.Answer {
		return s.Call("POST", "/api/paste", body, "Authorization", asKeyA, "Idempotency-Key", "k1")
	}
	first, again := send(`{"content":"x"}`), send(`{"content":"x"}`)
	if first.Body.String() != again.Body.String() || again.Header().Get("Idempotency-Replayed") != "true" {
		t.Errorf("got %s and %s", first.Body, again.Body)
	}
	if other := send(`{"content":"y"}`); other.ResponseRecorder.Code != 422 {
		t.Errorf("another body: %d", other.ResponseRecorder.Code)
	}
	if list := s.decode(s.Call("GET", "/api/pastes", "", "Authorization", asKeyA)); len(list["data"].([]any)) != 1 {
		t.Errorf("got %v", list)
	}
}

func TestPasswordsAreHashedOutsideTheTransaction(t *testing.T) {
	s := newSite(t)
	p := s.paste(`{"content":"x","slug":"one"}`)
	f := s.upload("a.txt", "slug=f1", "x")
	hashed := 0
	s.hasher.during = func() {
		hashed++
		free := make(chan struct{})
		go func() { s.db.Pastes().Get(context.Background(), p["id"].(string)); close(free) }()
		select {
		case <-free:
		case <-time.After(edgetest.Patience):
			t.Error("the database waits for a hash")
		}
	}
	for i, c := range []struct{ method, path, body string }{
		{"POST", "/api/paste", `{"content":"x","password":"pw"}`}, {"PUT", "/api/pastes/one", `{"content":"x","password":"pw"}`},
		{"PUT", "/api/files/" + f["id"].(string), `{"password":"pw"}`},
	} {
		if a := s.Call(c.method, c.path, c.body, "Authorization", asKeyA, "Idempotency-Key", strconv.Itoa(i)); a.ResponseRecorder.Code != 200 {
			t.Errorf("%s: %d %s", c.path, a.ResponseRecorder.Code, a.Body)
		}
	}
	if hashed != 3 {
		t.Errorf("hashed %d times, want 3", hashed)
	}
}

func TestPasswordsAndHashesNeverLeave(t *testing.T) {
	s := newSite(t)
	p := s.paste(`{"content":"x","slug":"one","password":"hunter2"}`)
	for _, a := range []edgetest.Answer{
		s.Call("GET", "/api/paste/one", ""), s.Call("GET", "/api/pastes", "", "Authorization", asKeyA), s.Call("GET", "/api/pastes", "", "Authorization", edgetest.AsAdmin),
		s.Call("GET", "/api/pastes/"+p["id"].(string), "", "Authorization", edgetest.AsAdmin), s.Call("PUT", "/api/pastes/one", `{"content":"x"}`, "Authorization", asKeyA),
	} {
		if strings.Contains(a.Body.String(), "hunter2") || strings.Contains(a.Body.String(), "fake$") || strings.Contains(a.Body.String(), `"password"`) {
			t.Errorf("got %s", a.Body)
		}
	}
}

func TestFailuresOfTheDatabaseAreEnvelopesWithoutDetails(t *testing.T) {
	s := newSite(t)
	s.paste(`{"content":"x","slug":"one"}`)
	s.db.FailWith(&ports.Error{Code: ports.Internal, Cause: errors.New("SELECT secret FROM pastes")})
	for _, a := range []edgetest.Answer{s.Call("GET", "/api/paste/one", ""), s.Call("POST", "/api/paste", `{"content":"x"}`, "Authorization", asKeyA)} {
		s.wantError(a, 500, "internal", "")
		if strings.Contains(a.Body.String(), "SELECT") {
			t.Errorf("got %s", a.Body)
		}
	}
}

// quiet is a response writer that costs nothing and keeps the last status.
type quiet struct {
	header http.Header
	status int
	bytes  int
}

func (q *quiet) Header() http.Header         { return q.header }
func (q *quiet) WriteHeader(status int)      { q.status = status }
func (q *quiet) Write(p []byte) (int, error) { q.bytes += len(p); return len(p), nil }

// BenchmarkRead is a whole public read above net/http: chain, policy, cache,
// count and answer.
func BenchmarkRead(b *testing.B) {
	for _, c := range []struct {
		name, target string
		size         int
	}{
		{"json-1KiB", "/api/paste/s1", 1 << 10}, {"raw-1KiB", "/api/raw/s1", 1 << 10},
		{"json-100KiB", "/api/paste/s1", 100 << 10}, {"raw-100KiB", "/api/raw/s1", 100 << 10},
	} {
		b.Run(c.name, func(b *testing.B) {
			s := newSite(b)
			s.paste(`{"slug":"s1","content":"` + strings.Repeat("x", c.size) + `"}`)
			r := httptest.NewRequest("GET", c.target, nil)
			w := &quiet{header: http.Header{}}
			b.ReportAllocs()
			for b.Loop() {
				clear(w.header)
				w.status = 0
				s.ServeHTTP(w, r)
			}
			if w.status != 200 || w.bytes/b.N < c.size {
				b.Fatalf("status %d, %d bytes", w.status, w.bytes/b.N)
			}
		})
	}
}

// BenchmarkProtectedRead is a raw read with the same password again.
func BenchmarkProtectedRead(b *testing.B) {
	s := newSite(b)
	s.paste(`{"slug":"s1","password":"pw","content":"` + strings.Repeat("x", 1<<10) + `"}`)
	r := httptest.NewRequest("GET", "/api/raw/s1?password="+url.QueryEscape("pw"), nil)
	w := &quiet{header: http.Header{}}
	b.ReportAllocs()
	for b.Loop() {
		clear(w.header)
		w.status = 0
		s.ServeHTTP(w, r)
	}
	if w.status != 200 {
		b.Fatalf("status %d", w.status)
	}
}
