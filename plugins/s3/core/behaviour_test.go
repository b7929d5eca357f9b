package core_test

import (
	"bytes"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"pasteport/plugins/s3/core"
	"pasteport/plugins/s3/s3test"
	"pasteport/ports"
	"pasteport/ports/objstore"
)

type onlyReader struct{ io.Reader }

func put(t *testing.T, b objstore.Bucket, key, content string) objstore.Object {
	t.Helper()
	o, err := b.Write(t.Context(), key, strings.NewReader(content), objstore.WriteOptions{Size: int64(len(content)), ContentType: "text/plain"})
	if err != nil {
		t.Fatalf("Write(%q): %v", key, err)
	}
	return o
}

func get(t *testing.T, b objstore.Bucket, key string) string {
	t.Helper()
	body, err := b.Read(t.Context(), key, objstore.Range{})
	if err != nil {
		t.Fatalf("Read(%q): %v", key, err)
	}
	defer body.Close()
	got, err := io.ReadAll(body)
	if err != nil {
		t.Fatal(err)
	}
	return string(got)
}

func names(t *testing.T, b objstore.Bucket) string {
	t.Helper()
	page, err := b.List(t.Context(), objstore.ListQuery{})
	if err != nil {
		t.Fatal(err)
	}
	var keys []string
	for _, o := range page.Objects {
		keys = append(keys, o.Key)
	}
	return strings.Join(keys, " ")
}

// send sends a request as a browser would, past HTTP_PROXY.
func send(t *testing.T, method, signed, body string, header map[string]string) *http.Response {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, cloud.URL(signed), strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	for name, value := range header {
		req.Header.Set(name, value)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { resp.Body.Close() })
	return resp
}

func sign(t *testing.T, b objstore.Bucket, r objstore.SignRequest) objstore.SignedRequest {
	t.Helper()
	if r.TTL == 0 {
		r.TTL = time.Hour
	}
	r.Audience = objstore.Browser
	s, err := b.Sign(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestContract7_3_ASignedPutSignsTheHostOnly(t *testing.T) {
	for name, d := range drivers {
		t.Run(name, func(t *testing.T) {
			b := open(t, d)
			s := sign(t, b, objstore.SignRequest{Verb: objstore.VerbPut, Key: "dir/名 +.txt", ContentType: "text/plain"})
			u, err := url.Parse(s.URL)
			if err != nil {
				t.Fatal(err)
			}
			q := u.Query()
			if got := q.Get("X-Amz-SignedHeaders"); got != "host" {
				t.Errorf("signed headers: %q", got)
			}
			if got := q.Get("X-Amz-Expires"); got != "3600" {
				t.Errorf("lifetime %q", got)
			}
			for key := range q {
				if strings.Contains(strings.ToLower(key), "checksum") {
					t.Errorf("the link demands %s", key)
				}
			}
			if len(s.Header) != 0 {
				t.Errorf("the sender must set %v", s.Header)
			}
			resp := send(t, s.Method, s.URL, "hello", map[string]string{
				"Content-Type": "application/x-of-the-browser", "X-Bz-Content-Sha1": "do_not_verify", "X-Requested-With": "XMLHttpRequest",
			})
			if resp.StatusCode != http.StatusOK || resp.Header.Get("ETag") == "" {
				t.Fatalf("PUT gave %d", resp.StatusCode)
			}
			o, err := b.Stat(t.Context(), "dir/名 +.txt")
			if err != nil || o.Size != 5 || o.ContentType != "application/x-of-the-browser" {
				t.Errorf("Stat = %+v, %v", o, err)
			}
		})
	}
}

func TestLinksLiveNoLongerThanAWeek(t *testing.T) {
	b := open(t, drivers["s3"])
	for _, ttl := range []time.Duration{0, -time.Second, 7*24*time.Hour + time.Second} {
		if _, err := b.Sign(t.Context(), objstore.SignRequest{Verb: objstore.VerbGet, Key: "k", TTL: ttl}); !ports.Is(err, ports.Invalid) {
			t.Errorf("Sign for %v gave %v", ttl, err)
		}
	}
	if _, err := b.Sign(t.Context(), objstore.SignRequest{Verb: "DELETE", Key: "k", TTL: time.Hour}); !ports.Is(err, ports.NotImplemented) {
		t.Errorf("Sign of another verb gave %v", err)
	}
}

func TestTheBucketStandsInTheHostUnlessTheConfigSaysOtherwise(t *testing.T) {
	for _, c := range []struct {
		driver string
		change map[string]string
		want   string
	}{
		{"aws", nil, "https://bkt.s3.eu-west-2.amazonaws.com/k"},
		{"aws", map[string]string{"bucket_name": "my.bkt"}, "https://s3.eu-west-2.amazonaws.com/my.bkt/k"},
		{"aws", map[string]string{"path_style": "1"}, "https://s3.eu-west-2.amazonaws.com/bkt/k"},
		{"aws", map[string]string{"region": "cn-north-1"}, "https://bkt.s3.cn-north-1.amazonaws.com.cn/k"},
		{"aws", map[string]string{"endpoint_url": "https://s3.ap-southeast-1.amazonaws.com/", "region": ""}, "https://bkt.s3.ap-southeast-1.amazonaws.com/k"},
		{"aws", map[string]string{"region": "auto"}, "https://bkt.s3.us-east-1.amazonaws.com/k"},
		{"b2", map[string]string{"region": "auto", "endpoint_url": "https://s3.us-east-005.backblazeb2.com"}, "https://bkt.s3.us-east-005.backblazeb2.com/k"},
		{"r2", map[string]string{"account_id": "abc"}, "https://bkt.abc.r2.cloudflarestorage.com/k"},
		{"r2", map[string]string{"account_id": "abc", "jurisdiction": "eu"}, "https://bkt.abc.eu.r2.cloudflarestorage.com/k"},
		{"r2", map[string]string{"endpoint_url": "https://abc.r2.cloudflarestorage.com"}, "https://bkt.abc.r2.cloudflarestorage.com/k"},
		{"b2", map[string]string{"region": "eu-central-003"}, "https://bkt.s3.eu-central-003.backblazeb2.com/k"},
		{"b2", map[string]string{"endpoint_url": "https://s3.us-east-005.backblazeb2.com", "region": ""}, "https://bkt.s3.us-east-005.backblazeb2.com/k"},
		{"s3", map[string]string{"endpoint_url": "https://minio.example/base/"}, "https://bkt.minio.example/base/k"},
		{"s3", map[string]string{"endpoint_url": "http://10.1.2.3:9000"}, "http://10.1.2.3:9000/bkt/k"},
		{"s3", map[string]string{"endpoint_url": "https://minio.example", "path_style": "1"}, "https://minio.example/bkt/k"},
	} {
		options := map[string]string{"bucket_name": "bkt", "region": "eu-west-2", "access_key_id": "a", "secret_access_key": "s"}
		for key, value := range c.change {
			options[key] = value
		}
		d := drivers[c.driver]
		d.Profile.FindRegion = false // nothing is asked here
		b, err := d.Open(t.Context(), objstore.Config{Options: options})
		if err != nil {
			t.Errorf("%s %v: %v", c.driver, c.change, err)
			continue
		}
		s := sign(t, b, objstore.SignRequest{Verb: objstore.VerbGet, Key: "k"})
		got, query, _ := strings.Cut(s.URL, "?")
		if got != c.want {
			t.Errorf("%s %v: the link leads to %s, want %s", c.driver, c.change, got, c.want)
		}
		if c.driver == "b2" && !strings.Contains(query, strings.Split(c.want, ".")[2]) {
			t.Errorf("%s %v: signed for another region: %s", c.driver, c.change, query)
		}
		if host := b.(interface{ Endpoints() []string }).Endpoints(); len(host) != 1 || !strings.Contains(c.want, host[0]) {
			t.Errorf("%s %v: Endpoints = %v", c.driver, c.change, host)
		}
		b.Close()
	}
}

func TestConfigsThatCannotWorkAreRefused(t *testing.T) {
	good := map[string]string{"endpoint_url": "https://s3.example", "bucket_name": "b", "access_key_id": "a", "secret_access_key": "s"}
	for _, c := range []struct{ driver, option, value, field string }{
		{"s3", "endpoint_url", "", "endpoint_url"},
		{"s3", "endpoint_url", "s3.example", "endpoint_url"},
		{"s3", "endpoint_url", "ftp://s3.example", "endpoint_url"},
		{"s3", "endpoint_url", "https://user:pass@s3.example", "endpoint_url"},
		{"s3", "endpoint_url", "https://s3.example/?x=1", "endpoint_url"},
		{"s3", "bucket_name", " ", "bucket_name"},
		{"s3", "bucket_name", "a/b", "bucket_name"},
		{"s3", "region", "eu/../x", "region"},
		{"aws", "region", "evil.example/", "region"},
		{"r2", "endpoint_url", "", "endpoint_url"}, // and no account
		{"b2", "access_key_id", "", "access_key_id"},
		{"s3", "secret_access_key", "", "secret_access_key"},
		{"s3", "credentials", "ambient", ""}, // not for this provider: the keys are used
	} {
		options := map[string]string{}
		for key, value := range good {
			options[key] = value
		}
		options[c.option] = c.value
		d := drivers[c.driver]
		d.Profile.FindRegion = false
		b, err := d.Open(t.Context(), objstore.Config{Options: options})
		if c.field == "" {
			if err != nil {
				t.Errorf("%s with %s=%q: %v", c.driver, c.option, c.value, err)
			} else {
				b.Close()
			}
			continue
		}
		e, ok := err.(*ports.Error)
		if !ok || e.Code != ports.Invalid || e.Params["field"] != c.field {
			t.Errorf("%s with %s=%q gave %v, want Invalid for %s", c.driver, c.option, c.value, err, c.field)
		}
	}
}

func TestAmazonsRegionIsFoundWhenTheBucketIsOpened(t *testing.T) {
	b := open(t, drivers["aws"], func(c objstore.Config) { c.Options["region"] = "us-west-2" })
	found := cloud.Provider("aws").Violations() // the one question in the wrong region
	if len(found) != 1 || !strings.HasPrefix(found[0], "HEAD ") {
		t.Errorf("asked in the wrong region: %v", found)
	}
	put(t, b, "k", "x")
	if s := sign(t, b, objstore.SignRequest{Verb: objstore.VerbGet, Key: "k"}); !strings.Contains(s.URL, "eu-central-1") {
		t.Error("links are signed for another region")
	}
}

func TestPartsOfUnequalSizeAreRefusedByR2(t *testing.T) {
	b := open(t, drivers["r2"])
	m := b.Multipart()
	id, err := m.Create(t.Context(), "k", objstore.WriteOptions{Size: -1})
	if err != nil {
		t.Fatal(err)
	}
	var parts []objstore.Part
	for i, size := range []int{5 << 20, 6 << 20, 1} {
		p, err := m.WritePart(t.Context(), "k", id, i+1, bytes.NewReader(make([]byte, size)), int64(size))
		if err != nil {
			t.Fatal(err)
		}
		parts = append(parts, p)
	}
	if _, err := m.Complete(t.Context(), "k", id, parts); !ports.Is(err, ports.Invalid) {
		t.Errorf("Complete gave %v, want Invalid", err)
	}
	if !drivers["r2"].Profile.Info.Limits.EqualParts {
		t.Error("the driver does not say that parts must be equal")
	}
}

func TestPartsBelowTheLeastSizeAreRefused(t *testing.T) {
	b := open(t, drivers["s3"])
	m := b.Multipart()
	id, err := m.Create(t.Context(), "k", objstore.WriteOptions{Size: -1})
	if err != nil {
		t.Fatal(err)
	}
	var parts []objstore.Part
	for i := range 2 {
		p, err := m.WritePart(t.Context(), "k", id, i+1, strings.NewReader("tiny"), 4)
		if err != nil {
			t.Fatal(err)
		}
		parts = append(parts, p)
	}
	if _, err := m.Complete(t.Context(), "k", id, parts); !ports.Is(err, ports.Invalid) {
		t.Errorf("Complete gave %v, want Invalid", err)
	}
}

func TestABodyOfUnknownLengthGoesInParts(t *testing.T) {
	for name, d := range drivers {
		t.Run(name, func(t *testing.T) {
			b := open(t, d)
			const size = 20<<20 + 7
			o, err := b.Write(t.Context(), "big", onlyReader{io.LimitReader(zeros{}, size)}, objstore.WriteOptions{Size: -1, ContentType: "application/x-big"})
			if err != nil || o.Size != size || o.ContentType != "application/x-big" {
				t.Fatalf("Write = %+v, %v", o, err)
			}
			if left, err := b.Multipart().ListUploads(t.Context(), ""); err != nil || len(left) != 0 {
				t.Errorf("ListUploads = %v, %v", left, err)
			}
		})
	}
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) { clear(p); return len(p), nil }

func TestWhatIsTooLargeForOneCopyIsCopiedInParts(t *testing.T) {
	for name, d := range drivers {
		t.Run(name, func(t *testing.T) {
			d.Profile.Info.Limits.MaxCopy = 5 << 20
			b := open(t, d)
			content := strings.Repeat("0123456789abcde\n", 11<<20/16) + "end"
			put(t, b, "from +%中", content)
			o, err := b.Copy(t.Context(), "to", "from +%中")
			if err != nil || o.Size != int64(len(content)) || o.ContentType != "text/plain" {
				t.Fatalf("Copy = %+v, %v", o, err)
			}
			if get(t, b, "to") != content {
				t.Error("the copy differs")
			}
		})
	}
}

func TestACopyOfAnObjectOntoItselfChangesNothing(t *testing.T) {
	b := open(t, drivers["aws"])
	before := put(t, b, "k", "x")
	if o, err := b.Copy(t.Context(), "k", "k"); err != nil || o.ETag != before.ETag {
		t.Errorf("Copy = %+v, %v", o, err)
	}
}

func TestB2RemovesAllVersionsOrOnlyHides(t *testing.T) {
	for _, c := range []struct {
		mode string
		left int // versions and markers
	}{{core.DeletePurge, 0}, {core.DeleteHide, 3}, {"", 0}} {
		t.Run("mode "+c.mode, func(t *testing.T) {
			var bucket string
			b := open(t, drivers["b2"], func(config objstore.Config) {
				config.Options[core.OptionDelete] = c.mode
				bucket = config.Options["bucket_name"]
			})
			put(t, b, "k", "one")
			put(t, b, "k", "two")
			put(t, b, "kk", "other")
			if failed, err := b.Delete(t.Context(), "k"); err != nil || len(failed) > 0 {
				t.Fatalf("Delete = %v, %v", failed, err)
			}
			if got := names(t, b); got != "kk" {
				t.Errorf("left: %q", got)
			}
			if got := cloud.Provider("b2").Versions(t, bucket, "k"); got != c.left {
				t.Errorf("%d versions and markers are left, want %d", got, c.left)
			}
			if get(t, b, "kk") != "other" {
				t.Error("a key that only begins alike was touched")
			}
		})
	}
}

func TestAmazonDeletesInBatchesOthersOneByOne(t *testing.T) {
	for name, d := range drivers {
		b := open(t, d)
		for _, key := range []string{"a", "b", "c"} {
			put(t, b, key, "x")
		}
		before := cloud.Provider(name).Requests()
		if failed, err := b.Delete(t.Context(), "a", "b", "c", "a"); err != nil || len(failed) > 0 {
			t.Errorf("%s: Delete = %v, %v", name, failed, err)
		}
		sent := cloud.Provider(name).Requests() - before
		want := map[string]int{"aws": 1, "r2": 3, "s3": 3, "b2": 6}[name]
		if sent != want {
			t.Errorf("%s: %d requests, want %d", name, sent, want)
		}
	}
}

func TestListingsWorkWhereKeysAreNotEscaped(t *testing.T) {
	b := open(t, drivers["s3"])
	defer cloud.Provider("s3").Switch(s3test.Switches{PlainListings: true})()
	put(t, b, "a+b %20中", "x")
	if got := names(t, b); got != "a+b %20中" {
		t.Errorf("listed as %q", got)
	}
}

func TestBrowsersMayUploadOnceTheRuleIsSet(t *testing.T) {
	for name, d := range drivers {
		t.Run(name, func(t *testing.T) {
			b := open(t, d)
			s := sign(t, b, objstore.SignRequest{Verb: objstore.VerbPut, Key: "k"})
			preflight := func() *http.Response {
				return send(t, http.MethodOptions, s.URL, "", map[string]string{
					"Origin": "https://paste.example", "Access-Control-Request-Method": "PUT", "Access-Control-Request-Headers": "content-type",
				})
			}
			if got := preflight().Header.Get("Access-Control-Allow-Origin"); got != "" {
				t.Fatalf("before the rule the origin allowed is %q", got)
			}
			admin := b.(objstore.CORSAdmin)
			for range 2 {
				err := admin.EnsureCORS(t.Context(), []string{"https://paste.example"})
				if !d.Profile.Info.Features.CORSAdmin {
					if !ports.Is(err, ports.NotImplemented) {
						t.Errorf("EnsureCORS gave %v", err)
					}
					return
				}
				if err != nil {
					t.Fatal(err)
				}
			}
			resp := preflight()
			if resp.StatusCode/100 != 2 || resp.Header.Get("Access-Control-Allow-Origin") != "https://paste.example" ||
				!strings.Contains(resp.Header.Get("Access-Control-Allow-Methods"), "PUT") {
				t.Errorf("the preflight gave %d %v", resp.StatusCode, resp.Header)
			}
			resp = send(t, http.MethodPut, s.URL, "x", map[string]string{"Origin": "https://paste.example", "Content-Type": "text/x"})
			if resp.StatusCode != http.StatusOK || !strings.Contains(resp.Header.Get("Access-Control-Expose-Headers"), "ETag") {
				t.Errorf("the PUT gave %d %v", resp.StatusCode, resp.Header)
			}
		})
	}
}
