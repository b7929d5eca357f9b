package httpapi

import (
	"net/http"
	"regexp"
	"strings"
	"testing"

	"pasteport/adapters/httpapi/edgetest"
	"pasteport/adapters/httpapi/words"
	"pasteport/ports"
)

func TestContract1_1_UnknownPathsAndWrongMethodsAre404(t *testing.T) {
	f := newFrame(t, nil)
	for _, c := range []struct{ method, target string }{
		{"GET", "/api"}, {"GET", "/api/"}, {"GET", "/api/nothing"}, {"POST", "/api/nothing"}, {"DELETE", "/api/paste/x"},
		{"GET", "/api/note/x"}, {"PATCH", "/api/note/x"}, {"GET", "/api/paste/a/b"}, {"GET", "/api/paste/a/"}, {"GET", "/nothing"},
		{"GET", "/api/api/paste/x"}, {"GET", "/dav/x"}, {"POST", "/"},
	} {
		a := f.Call(c.method, c.target, "")
		if a.Result().StatusCode != 404 || a.Code != 404 || a.Success || string(a.Data) != "null" || a.Error != "not_found" {
			t.Errorf("%s %s: %d %s", c.method, c.target, a.Result().StatusCode, a.Body)
		}
		if !strings.Contains(a.Message, "不存在") {
			t.Errorf("%s %s: message %q", c.method, c.target, a.Message)
		}
		if got := a.Header().Get("X-Content-Type-Options"); got != "nosniff" {
			t.Errorf("%s %s: X-Content-Type-Options %q", c.method, c.target, got)
		}
	}
}

func TestContract1_1_HeadIsAnsweredWhereverGetIs(t *testing.T) {
	f := newFrame(t, nil)
	get, head := f.Call("GET", "/api/paste/x", ""), f.Call("HEAD", "/api/paste/x", "")
	if head.Result().StatusCode != 200 || head.Body.Len() != 0 {
		t.Errorf("HEAD: %d with %d bytes", head.Result().StatusCode, head.Body.Len())
	}
	for _, name := range []string{"Content-Length", "Content-Type", "Cache-Control"} {
		if got, want := head.Header().Get(name), get.Header().Get(name); got != want || got == "" {
			t.Errorf("%s: HEAD %q, GET %q", name, got, want)
		}
	}
	if a := f.Call("HEAD", "/api/paste/gone", ""); a.Result().StatusCode != 410 || a.Body.Len() != 0 {
		t.Errorf("HEAD of an error: %d with %d bytes", a.Result().StatusCode, a.Body.Len())
	}
}

func TestContract1_1_BodiesThatAreNotJSONCountAsEmpty(t *testing.T) {
	f := newFrame(t, nil)
	for _, c := range []struct{ typ, body string }{
		{"", `{"name":"x"}`}, {"text/plain", `{"name":"x"}`}, {"application/x-www-form-urlencoded", "name=x"},
		{"multipart/form-data; boundary=b", "--b--"}, {"application/json", ""}, {"application/json", " \n"}, {"application/json", `{}`},
	} {
		a := f.Call("POST", "/api/note/s", c.body, "Authorization", edgetest.AsAdmin, "Content-Type", c.typ)
		if a.Result().StatusCode != 200 || strings.Contains(a.Body.String(), `"name":"x"`) {
			t.Errorf("%q %q: %d %s", c.typ, c.body, a.Result().StatusCode, a.Body)
		}
	}
	for _, typ := range []string{"application/json", "application/json; charset=utf-8", "Application/JSON", "application/vnd.api+json"} {
		a := f.Call("POST", "/api/note/s", `{"name":"x"}`, "Authorization", edgetest.AsAdmin, "Content-Type", typ)
		if !strings.Contains(a.Body.String(), `"name":"x"`) {
			t.Errorf("%q is JSON: %s", typ, a.Body)
		}
	}
}

func TestContract1_1_WrongJSONIs400(t *testing.T) {
	f := newFrame(t, nil)
	deep := strings.Repeat("[", 80) + strings.Repeat("]", 80)
	for _, c := range []struct{ body, names string }{
		{`{`, ""}, {`{"name":}`, ""}, {`nonsense`, ""}, {`{"name":"x"} x`, ""}, {"{\"name\":\"\xff\x00\"", ""}, {"{\"name\":\"\xff\"}", ""},
		{`[]`, "body"}, {`"text"`, "body"}, {`null`, "body"}, {`5`, "body"},
		{`{"name":5}`, "name"}, {`{"name":{}}`, "name"}, {`{"size":"many"}`, "size"}, {`{"size":1.5}`, "size"}, {`{"size":[1]}`, "size"},
		{`{"use_proxy":"maybe"}`, "use_proxy"}, {`{"parts":5}`, "parts"}, {`{"parts":[{"PartNumber":"x"}]}`, "parts"}, {`{"until":5}`, "until"},
		{`{"name":"a","name":"b"}`, "name"}, {`{"x":` + deep + `}`, ""},
	} {
		a := f.Call("POST", "/api/note/s", c.body, "Authorization", edgetest.AsAdmin, "Accept-Language", "en")
		if a.Result().StatusCode != 400 || a.Code != 400 || a.Error != "invalid_argument" || !strings.Contains(a.Message, c.names) {
			t.Errorf("%.60s: %d %s", c.body, a.Result().StatusCode, a.Body)
		}
	}
	if f.calls.Load() != 0 {
		t.Errorf("the use case ran %d times", f.calls.Load())
	}
}

func TestContract1_1_UnknownFieldsAreIgnored(t *testing.T) {
	f := newFrame(t, nil)
	a := f.Call("POST", "/api/note/s?surprise=1&page=2", `{"surprise":{"deep":[1,{"a":"]}"}]},"NAME":"no","name":"yes","slug":"evil"}`, "Authorization", edgetest.AsAdmin)
	for _, want := range []string{`"name":"yes"`, `"slug":"s"`, `"page":2`} {
		if !strings.Contains(string(a.Data), want) {
			t.Errorf("%s is missing in %s", want, a.Body)
		}
	}
}

func TestContract1_1_BodiesOverTheLimitAre413(t *testing.T) {
	f := newFrame(t, nil)
	big := `{"name":"` + strings.Repeat("x", jsonLimit) + `"}`
	for name, length := range map[string]int64{"announced": int64(len(big)), "not announced": -1} {
		r := edgetest.NewRequest("POST", "/api/note/s", big)
		r.ContentLength = length
		a := f.Do(r)
		if a.Result().StatusCode != 413 || a.Error != "too_large" {
			t.Errorf("%s: %d %s", name, a.Result().StatusCode, a.Body)
		}
	}
	if a := f.Do(edgetest.NewRequest("POST", "/api/big", big)); a.Result().StatusCode != 200 {
		t.Errorf("a paste of 1 MiB: %d", a.Result().StatusCode)
	}
	r := edgetest.NewRequest("POST", "/api/big", "{}")
	r.ContentLength = BigJSONLimit + 1
	if a := f.Do(r); a.Result().StatusCode != 413 {
		t.Errorf("a paste over 64 MiB: %d", a.Result().StatusCode)
	}
	r = edgetest.NewRequest("PUT", "/api/upload-direct/x", "")
	r.Body, r.ContentLength = http.NoBody, streamLimit+1
	r.Body = &edgetest.CutBody{}
	if a := f.Do(r); a.Result().StatusCode != 413 {
		t.Errorf("raw bytes over 5 GiB: %d", a.Result().StatusCode)
	}
}

func TestContract1_1_CutAndEncodedBodiesAreRefused(t *testing.T) {
	f := newFrame(t, nil)
	r := edgetest.NewRequest("POST", "/api/note/s", `{"name":"x"}`)
	r.ContentLength = 500
	if a := f.Do(r); a.Result().StatusCode != 400 || a.Error != "invalid_argument" {
		t.Errorf("cut: %d %s", a.Result().StatusCode, a.Body)
	}
	r = edgetest.NewRequest("POST", "/api/note/s", "\x1f\x8b")
	r.Header.Set("Content-Encoding", "gzip")
	if a := f.Do(r); a.Result().StatusCode != 415 || a.Error != "unsupported_media" {
		t.Errorf("gzip: %d %s", a.Result().StatusCode, a.Body)
	}
	r = edgetest.NewRequest("PUT", "/api/upload-direct/x", "")
	r.Body, r.ContentLength = &edgetest.CutBody{Data: "abc"}, 10
	if a := f.Do(r); a.Result().StatusCode != 400 {
		t.Errorf("a cut stream: %d %s", a.Result().StatusCode, a.Body)
	}
}

func TestContract1_2_Envelopes(t *testing.T) {
	f := newFrame(t, nil)
	for _, c := range []struct {
		method, target string
		code           int
		success        bool
	}{
		{"POST", "/api/note/s", 200, true},
		{"PUT", "/api/note/s", 201, true},
		{"POST", "/api/partial", 202, false},
	} {
		a := f.Call(c.method, c.target, "{}", "Authorization", edgetest.AsAdmin)
		if a.Result().StatusCode != 200 || a.Code != c.code || a.Success != c.success || a.Message == "" || len(a.Data) == 0 {
			t.Errorf("%s %s: %d %s", c.method, c.target, a.Result().StatusCode, a.Body)
		}
	}
	if a := f.Call("POST", "/api/undecided", "{}", "Authorization", edgetest.AsAdmin); a.Data != nil || !a.Success {
		t.Errorf("no data: %s", a.Body)
	}
	if a := f.Call("POST", "/api/big", "{}", "Authorization", edgetest.AsAdmin); a.Code != 0 || !strings.HasPrefix(a.Body.String(), `{"slug"`) {
		t.Errorf("bare: %s", a.Body)
	}
	if a := f.Call("POST", "/api/partial", "{}", "Authorization", edgetest.AsAdmin); !strings.Contains(a.Body.String(), `"pagination":{"total":4}`) {
		t.Errorf("top-level fields: %s", a.Body)
	}
}

func TestContract1_3_RawErrorsArePlainText(t *testing.T) {
	f := newFrame(t, nil)
	a := f.Call("GET", "/api/raw/x", "")
	if a.Result().StatusCode != 401 || a.Header().Get("Content-Type") != "text/plain; charset=utf-8" || a.Body.String() != "密码错误" {
		t.Errorf("%d %q %q", a.Result().StatusCode, a.Header().Get("Content-Type"), a.Body)
	}
}

// The rows of contract §1.4: what each message must hold in both languages,
// and what it must not.
func TestContract1_4_MessagesHoldTheWordsThatClientsTest(t *testing.T) {
	earlier := []string{"密码错误", "密码不正确", "文本分享已过期", "最大查看次数", "已过期"}
	for _, c := range []struct {
		key     string
		holds   string
		holdsNo []string
	}{
		{"password_wrong", "密码错误", nil},
		{"file.password_wrong", "密码不正确", nil},
		{"paste.expired", "文本分享已过期", nil},
		{"paste.used_up", "最大查看次数", nil},
		{"file.expired", "已过期", nil},
		{"file.used_up", "已过期", nil},
		{"not_found", "不存在", earlier},
		{"paste.not_found", "不存在", earlier},
		{"file.not_found", "不存在", earlier},
		{"slug_taken", "链接后缀已被占用", nil},
		{"slug_reserved", "系统保留", nil},
		{"quota_exceeded", "存储空间不足", nil},
		{"storage_forbidden", "没有权限使用此存储配置", nil},
		{"content_too_large", "内容过大", nil},
		{"permission_denied", "权限", nil},
		{"policy_denied", "权限", nil},
		{"in_use", "有文件正在使用", nil},
	} {
		row, ok := words.Catalogue[c.key]
		if !ok {
			t.Errorf("%s has no message", c.key)
		}
		for lang, message := range map[string]string{"zh": row.ZH, "en": row.EN} {
			if !strings.Contains(message, c.holds) {
				t.Errorf("%s in %s: %q lacks %q", c.key, lang, message, c.holds)
			}
			for _, no := range c.holdsNo {
				if strings.Contains(message, no) {
					t.Errorf("%s in %s: %q holds %q", c.key, lang, message, no)
				}
			}
		}
	}
}

func TestContract1_4_TheQuotaMessageHoldsItsThreeSizes(t *testing.T) {
	params := map[string]any{"size": int64(5 << 20), "used": int64(3 << 30), "total": int64(4 << 30)}
	for lang, want := range map[string][]string{
		"zh": {"存储空间不足", "文件大小(5.00 MB)", "剩余空间(1.00 GB)", "总容量限制为4.00 GB。"},
		"en": {"存储空间不足", "file size(5.00 MB)", "remaining space(1.00 GB)", "capacity limit is 4.00 GB."},
	} {
		got := words.Render(words.Catalogue["quota_exceeded"], lang, params)
		for _, part := range want {
			if !strings.Contains(got, part) {
				t.Errorf("%s: %q lacks %q", lang, got, part)
			}
		}
	}
}

func TestSizesForPeopleHaveNoEmptyDecimals(t *testing.T) {
	for n, want := range map[int64]string{
		0: "0 B", 1023: "1023 B", 1024: "1 KB", 1536: "1.5 KB", 2000: "1.95 KB", 3 << 20: "3 MB", 3<<20 + 1: "3 MB", 150<<20 + 1: "150 MB", 1<<20 - 1: "1 MB", 5 << 40: "5 TB",
	} {
		if got := words.Size(n); got != want {
			t.Errorf("%d bytes: %q, want %q", n, got, want)
		}
	}
	params := map[string]any{"limit": int64(3 << 20)}
	for lang, want := range map[string]string{"zh": "单个文件最多 3 MB", "en": "at most 3 MB)"} {
		if got := words.Render(words.Catalogue["file.too_large"], lang, params); !strings.HasSuffix(got, want) {
			t.Errorf("%s: %q, want … %q", lang, got, want)
		}
	}
}

// What is over a limit by a byte is not said to have just as much.
func TestASizeOverItsLimitReadsOtherwiseThanTheLimit(t *testing.T) {
	for size, want := range map[int64]string{1<<20 + 1: "(1048577 B)|1 MB", 2 << 20: "(2 MB)|1 MB", 1<<20 + 1<<13: "(1.01 MB)|1 MB"} {
		held, limit, _ := strings.Cut(want, "|")
		got := words.Render(words.Catalogue["file.too_large_of"], "en", map[string]any{"size": size, "limit": int64(1 << 20)})
		if !strings.Contains(got, held) || !strings.HasSuffix(got, "at most "+limit) {
			t.Errorf("%d: %q", size, got)
		}
	}
}

// Figures and Latin words stand off from Chinese ones, whose brackets are full-width, as on the pages. What clients
// take apart (contract §1.4) does not.
func TestChineseMessagesSetFiguresAndLatinWordsOff(t *testing.T) {
	glued := regexp.MustCompile(`\p{Han}[0-9A-Za-z{(]|[0-9A-Za-z}%)]\p{Han}`)
	for key, row := range words.Catalogue {
		if key != "quota_exceeded" && glued.MatchString(row.ZH) {
			t.Errorf("%s: %q", key, row.ZH)
		}
	}
}

func TestContract1_5_NumbersAndFlagsComeInManyForms(t *testing.T) {
	f := newFrame(t, nil)
	for _, c := range []struct{ body, want string }{
		{`{"size":5}`, `"size":5`}, {`{"size":"5"}`, `"size":5`}, {`{"size":" 5 "}`, `"size":5`}, {`{"size":5.0}`, `"size":5`},
		{`{"size":-1}`, `"size":-1`}, {`{"size":null}`, `"size":0`}, {`{"size":""}`, `"size":0`}, {`{"size":9007199254740993}`, `"size":9007199254740993`},
		{`{"use_proxy":true}`, `"use_proxy":1`}, {`{"use_proxy":1}`, `"use_proxy":1`}, {`{"use_proxy":"true"}`, `"use_proxy":1`}, {`{"use_proxy":"1"}`, `"use_proxy":1`},
		{`{"use_proxy":false}`, `"use_proxy":0`}, {`{"use_proxy":0}`, `"use_proxy":0`}, {`{"use_proxy":"0"}`, `"use_proxy":0`},
		{`{}`, `"until":"absent"`}, {`{"until":null}`, `"until":"null"`}, {`{"until":""}`, `"until":"value "`}, {`{"until":"x"}`, `"until":"value x"`},
		{`{"name":null}`, `"name":""`}, {`{"parts":[{"PartNumber":1}]}`, `"size":0`},
	} {
		a := f.Call("POST", "/api/note/s", c.body, "Authorization", edgetest.AsAdmin)
		if a.Result().StatusCode != 200 || !strings.Contains(string(a.Data), c.want) {
			t.Errorf("%s: %d %s", c.body, a.Result().StatusCode, a.Body)
		}
	}
}

func TestContract1_6_UnreadablePagesFallBack(t *testing.T) {
	f := newFrame(t, nil)
	if a := f.Call("POST", "/api/note/s?page=many", "{}", "Authorization", edgetest.AsAdmin); !strings.Contains(string(a.Data), `"page":0`) {
		t.Errorf("lenient: %s", a.Body)
	}
	if a := f.Call("POST", "/api/note/s?exact=many", "{}", "Authorization", edgetest.AsAdmin); a.Result().StatusCode != 400 || !strings.Contains(a.Message, "exact") {
		t.Errorf("exact: %d %s", a.Result().StatusCode, a.Body)
	}
}

func TestContract1_8_EveryAnswerIsReadableFromOtherOrigins(t *testing.T) {
	f := newFrame(t, nil)
	for _, c := range []struct {
		method, target string
		status         int
	}{
		{"GET", "/api/paste/x", 200}, {"GET", "/api/paste/gone", 410}, {"GET", "/api/nothing", 404}, {"GET", "/api//x", 400},
		{"POST", "/api/note/s", 401}, {"GET", "/api/raw/x", 401},
	} {
		a := f.Call(c.method, c.target, "", "Origin", "https://other.example")
		h := a.Header()
		if a.Result().StatusCode != c.status {
			t.Errorf("%s %s: %d, want %d", c.method, c.target, a.Result().StatusCode, c.status)
		}
		if h.Get("Access-Control-Allow-Origin") != "*" || h.Get("Access-Control-Allow-Credentials") != "" {
			t.Errorf("%s %s: %v", c.method, c.target, h)
		}
		for _, name := range []string{"ETag", "Content-Length", "Content-Disposition", "Content-Range", "Accept-Ranges", "X-Request-Id", "Idempotency-Replayed", "Retry-After"} {
			if !strings.Contains(h.Get("Access-Control-Expose-Headers"), name) {
				t.Errorf("%s is not exposed", name)
			}
		}
	}
}

func TestContract1_8_PreflightsEchoTheHeadersAskedFor(t *testing.T) {
	f := newFrame(t, nil)
	a := f.Call("OPTIONS", "/api/anything/at/all", "", "Origin", "https://o.example", "Access-Control-Request-Headers", "x-one, x-two", "Access-Control-Request-Method", "PUT")
	h := a.Header()
	if a.Result().StatusCode != 204 || a.Body.Len() != 0 || h.Get("Access-Control-Allow-Headers") != "x-one, x-two" ||
		h.Get("Access-Control-Max-Age") != "86400" || !strings.Contains(h.Get("Access-Control-Allow-Methods"), "DELETE") {
		t.Errorf("%d %v", a.Result().StatusCode, h)
	}
	if f.auth.Asked.Load() != 0 {
		t.Error("a preflight was authenticated")
	}
}

func TestContract1_8_AListNarrowsTheOrigins(t *testing.T) {
	f := newFrame(t, func(o *Options) { o.CORSOrigins = func() []string { return []string{"https://good.example"} } })
	for origin, want := range map[string]string{"https://good.example": "https://good.example", "https://evil.example": "", "null": "", "": ""} {
		a := f.Call("GET", "/api/paste/x", "", "Origin", origin)
		if got := a.Header().Get("Access-Control-Allow-Origin"); got != want {
			t.Errorf("origin %q: got %q", origin, got)
		}
		if a.Header().Get("Vary") != "Origin" {
			t.Errorf("origin %q: no Vary", origin)
		}
	}
}

func TestContract1_9_OriginsFollowTrustedProxiesOnly(t *testing.T) {
	for _, c := range []struct {
		name, public, peer, proto, want string
	}{
		{"as asked", "", "203.0.113.7:1", "", "http://host.example:8787"},
		{"a stranger's header", "", "203.0.113.7:1", "https", "http://host.example:8787"},
		{"a trusted proxy", "", "10.0.0.1:1", "https", "https://host.example:8787"},
		{"configured", "https://paste.example/pp/", "203.0.113.7:1", "", "https://paste.example/pp"},
	} {
		f := newFrame(t, func(o *Options) { o.PublicURL, o.TrustedProxies = c.public, prefixes("10.0.0.0/8") })
		r := edgetest.NewRequest("GET", "/api/paste/x", "")
		r.Host, r.RemoteAddr = "host.example:8787", c.peer
		if c.proto != "" {
			r.Header.Set("X-Forwarded-Proto", c.proto)
		}
		if got := f.origin(&exchange{api: f.API, r: r, client: f.clientOf(r)}); got != c.want {
			t.Errorf("%s: got %q, want %q", c.name, got, c.want)
		}
	}
}

func TestContract2_1_CredentialsDecideByKindOfCall(t *testing.T) {
	f := newFrame(t, nil)
	for _, c := range []struct {
		name, header, value string
		protected, public   int
	}{
		{"none", "", "", 401, 200},
		{"an admin's token", "Authorization", "Bearer admin-token", 200, 200},
		{"in other letters", "Authorization", "bEaReR admin-token", 200, 200},
		{"an API key", "Authorization", "ApiKey key-a", 200, 200},
		{"an unknown token", "Authorization", "Bearer nope", 401, 200},
		{"two blanks", "Authorization", "Bearer  admin-token", 401, 200},
		{"three words", "Authorization", "Bearer admin-token x", 401, 200},
		{"no value", "Authorization", "Bearer", 401, 200},
		{"another scheme", "Authorization", "Digest admin-token", 401, 200},
		{"a broken Basic", "Authorization", "Basic !!!", 401, 200},
		{"a custom header", "X-Custom-Auth-Key", "key-a", 200, 200},
	} {
		if a := f.Call("POST", "/api/note/s", "{}", c.header, c.value); a.Result().StatusCode != c.protected {
			t.Errorf("%s on a protected call: %d", c.name, a.Result().StatusCode)
		}
		if a := f.Call("GET", "/api/paste/x", "", c.header, c.value); a.Result().StatusCode != c.public {
			t.Errorf("%s on a public call: %d", c.name, a.Result().StatusCode)
		}
	}
}

func TestReliability_ArchivesCountAmongTheHeavyCallsOfTheirCaller(t *testing.T) {
	f := newFrame(t, func(o *Options) { o.Limits.HeavyCalls = 1 })
	x := &exchange{r: edgetest.NewRequest("POST", "/", ""), api: f.API, who: edgetest.Tokens["key-a"]}
	if _, err := f.enter(x, Heavy); err != nil {
		t.Fatal(err)
	}
	if _, err := f.enter(x, Packing); !ports.Is(err, ports.RateLimited) {
		t.Errorf("an archive beside as many heavy calls as one caller may have: %v", err)
	}
}

// An old client keeps a key that it should forget when a 401 on files holds
// one of these words.
func TestContract1_4_CredentialsThatFitNobodySignTheClientOut(t *testing.T) {
	for _, message := range []string{words.Catalogue["auth.credential"].ZH, words.Catalogue["auth.credential"].EN} {
		for _, keeps := range []string{"未授权访问", "无权访问"} {
			if strings.Contains(message, keeps) {
				t.Errorf("%q holds %q", message, keeps)
			}
		}
	}
}

// Signed links have long tokens; they must pass below a base path too.
func TestContract1_9_SignedLinksWorkBelowABasePath(t *testing.T) {
	token := strings.Repeat("t", 600)
	for _, c := range []struct {
		public, target string
		status         int
	}{
		{"", "/api/blob/" + token + "/a.txt", 404},
		{"", "/api/paste/" + token, 400},
		{"https://paste.example/pp", "/pp/api/blob/" + token + "/a.txt", 404},
		{"https://paste.example/pp", "/pp/api/paste/" + token, 400},
		{"https://paste.example/pp", "/api/blob/" + token + "/a.txt", 404},
		{"https://paste.example/pp", "/pp/x/" + token, 400},
	} {
		f := newFrame(t, func(o *Options) { o.PublicURL = c.public })
		if a := f.Call("GET", c.target, ""); a.Result().StatusCode != c.status {
			t.Errorf("%q %.30s: %d, want %d", c.public, c.target, a.Result().StatusCode, c.status)
		}
	}
}
