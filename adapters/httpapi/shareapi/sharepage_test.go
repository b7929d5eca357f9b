package shareapi

import (
	"encoding/json"
	"fmt"
	"net/http/httptest"
	"strings"
	"testing"

	"pasteport/adapters/httpapi/edgetest"
)

// signedIn lists the links to the storage in a JSON value, but for those that
// take an upload.
func signedIn(v any, under string) (links []string) {
	switch v := v.(type) {
	case map[string]any:
		for name, value := range v {
			if name != "upload_url" && name != "presigned_urls" {
				links = append(links, signedIn(value, under+"."+name)...)
			}
		}
	case []any:
		for _, value := range v {
			links = append(links, signedIn(value, under)...)
		}
	case string:
		if strings.HasPrefix(v, "https://bucket.example") || strings.Contains(v, "/api/blob/") {
			links = append(links, under+": "+v)
		}
	}
	return links
}

func TestDecision68_NoAnswerLeadsRoundTheGateOfAShare(t *testing.T) {
	gates := map[string]string{"a password": "password=pw", "a view limit": "max_views=9", "an end": "expires_in=1", "nothing": ""}
	for gate, terms := range gates {
		t.Run(gate, func(t *testing.T) {
			s := newSite(t)
			s.bucket.BaseURL = "https://bucket.example"
			s.web.pages["http://a.example/a.txt"] = onSite("text/plain", "hello")
			name, value, gated := strings.Cut(terms, "=")
			fields := func(slug string) string {
				in := map[string]any{"s3_config_id": "public", "filename": "a.txt", "slug": slug, "size": 5, "total_size": 5, "use_proxy": false, "url": "http://a.example/a.txt"}
				if gated {
					in[name] = value
				}
				body, _ := json.Marshal(in)
				return string(body)
			}
			seen := 0
			look := func(what string, a edgetest.Answer) edgetest.Object {
				t.Helper()
				o := s.decode(a)
				if a.ResponseRecorder.Code != 200 {
					t.Fatalf("%s: %d %s", what, a.ResponseRecorder.Code, a.Body)
				}
				links := signedIn(map[string]any(o), what)
				if seen += len(links); gated && len(links) > 0 {
					t.Errorf("%q", links)
				}
				if data, ok := o["data"].(map[string]any); ok {
					return data
				}
				return o
			}
			post := func(path, body string) edgetest.Object {
				return look(path, s.Call("POST", path, body, "Authorization", asKeyA))
			}
			look("PUT", s.send("PUT", "/api/upload-direct/a.txt?slug=put&use_proxy=0&"+terms, strings.NewReader("hello"), 5, "Authorization", asKeyA))
			form := []string{"slug", "form", "use_proxy", "0"}
			if gated {
				form = append(form, name, value)
			}
			look("form", s.form("a.txt", append(form, "file", "hello")...))
			for slug, calls := range map[string][2]string{"presign": {"/api/s3/presign", "/api/s3/commit"}, "address": {"/api/url/presign", "/api/url/commit"}} {
				up := post(calls[0], fields(slug))
				s.put(up["upload_url"].(string), "hello")
				post(calls[1], fmt.Sprintf(`{"file_id":%q}`, up["file_id"]))
			}
			for slug, calls := range map[string][2]string{"parts": {"/api/s3/multipart/init", "/api/s3/multipart/complete"}, "addressed-parts": {"/api/url/multipart/init", "/api/url/multipart/complete"}} {
				up := post(calls[0], fields(slug))
				w := httptest.NewRecorder()
				s.bucket.ServeHTTP(w, httptest.NewRequest("PUT", up["presigned_urls"].([]any)[0].(map[string]any)["url"].(string), strings.NewReader("hello")))
				post(calls[1], fmt.Sprintf(`{"file_id":%q,"upload_id":%q,"parts":[{"PartNumber":1,"ETag":%q}]}`, up["file_id"], up["upload_id"], w.Header().Get("ETag")))
			}
			list := look("list", s.Call("GET", "/api/files", "", "Authorization", asKeyA))["files"].([]any)
			if len(list) != 6 {
				t.Fatalf("%d files are listed", len(list))
			}
			for _, row := range list {
				id, slug := row.(map[string]any)["id"].(string), row.(map[string]any)["slug"].(string)
				look("get", s.Call("GET", "/api/files/"+id, "", "Authorization", asKeyA))
				look("update", s.Call("PUT", "/api/files/"+id, `{"remark":"new"}`, "Authorization", asKeyA))
				look("peek", s.Call("GET", "/api/public/files/"+slug+"?peek=1", ""))
				open := look("open", s.Call("GET", "/api/public/files/"+slug, ""))
				if open["requires_password"] == true {
					open = look("verify", s.Call("POST", "/api/public/files/"+slug+"/verify", `{"password":"pw"}`))
				}
				if gated {
					if a := s.Call("GET", local(open["downloadUrl"]), ""); a.Body.String() != "hello" || !strings.Contains(local(open["downloadUrl"]), "ticket=") {
						t.Errorf("%s: the link of a visit gives %d", slug, a.ResponseRecorder.Code)
					}
				}
			}
			if !gated && seen < 20 {
				t.Errorf("only %d links to the storage were found where none is guarded", seen)
			}
		})
	}
}
