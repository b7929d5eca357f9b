package httpapi

import (
	"strings"
	"testing"

	"pasteport/adapters/httpapi/edgetest"
	"pasteport/adapters/httpapi/words"
)

func TestAnswersToWhoNamesNoLanguageAreEnglishUnlessTheSiteSaysElse(t *testing.T) {
	said := ""
	f := newFrame(t, func(o *Options) { o.Language = func() string { return said } })
	for _, c := range []struct{ site, accept, want string }{
		{"", "", "en"}, {"en", "", "en"}, {"zh", "", "zh"}, {"", "fr, de;q=0.5, *;q=0.1", "en"}, {"zh", "fr", "zh"},
		{"", "zh-CN,zh;q=0.9", "zh"}, {"zh", "en-US,en;q=0.9", "en"}, {"zh", "de, en;q=0.3", "en"}, {"en", "en;q=0.2, zh-TW;q=0.8", "zh"},
	} {
		said = c.site
		header := []string{"Authorization", edgetest.AsAdmin}
		if c.accept != "" {
			header = append(header, "Accept-Language", c.accept)
		}
		a := f.Call("POST", "/api/note/s", `{"name":"taken"}`, header...)
		if got := map[bool]string{true: "zh", false: "en"}[a.Message == words.Catalogue["slug_taken"].ZH]; got != c.want || a.Message != map[string]string{"zh": words.Catalogue["slug_taken"].ZH, "en": words.Catalogue["slug_taken"].EN}[c.want] {
			t.Errorf("site %q, client %q: %q, want %s", c.site, c.accept, a.Message, c.want)
		}
	}
	f.opts.Language = nil
	if a := f.Call("POST", "/api/note/s", `{"name":"taken"}`, "Authorization", edgetest.AsAdmin); a.Message != words.Catalogue["slug_taken"].EN || !strings.Contains(a.Message, "链接后缀已被占用") {
		t.Errorf("where nothing is said: %q", a.Message)
	}
}
