package shareapi

import (
	"net/http"
	"strings"
	"testing"

	"pasteport/domain/shares"
)

// The form of a page without scripts leads to the bytes, and no address has a password.
func TestAFormWithoutScriptsOpensAShare(t *testing.T) {
	s := newSite(t)
	if _, err := s.pastes.Create(t.Context(), shareCallers["share-a"], shares.NewPaste{Content: []byte("low tide"), Slug: "locked", Terms: shares.Terms{Password: "pier & sea", MaxViews: 1}}); err != nil {
		t.Fatal(err)
	}
	send := func(path, form string) *http.Response {
		t.Helper()
		return s.Call("POST", path, form, "Content-Type", "application/x-www-form-urlencoded").Result()
	}
	for form, want := range map[string]string{
		"password=wrong": "/paste/locked?refused=1",
		"password=":      "/paste/locked?refused=1",
		"":               "/paste/locked?refused=1",
	} {
		if a := send("/api/raw/locked", form); a.StatusCode != http.StatusSeeOther || a.Header.Get("Location") != want {
			t.Errorf("%q: %d to %q, want %q", form, a.StatusCode, a.Header.Get("Location"), want)
		}
	}
	a := send("/api/raw/locked", "password=pier+%26+sea")
	to := a.Header.Get("Location")
	if a.StatusCode != http.StatusSeeOther || !strings.HasPrefix(to, "/api/raw/locked?ticket=") || strings.Contains(to, "pier") || a.Header.Get("Cache-Control") != "no-store" || a.Header.Get("Referrer-Policy") != "no-referrer" {
		t.Fatalf("%d %v", a.StatusCode, a.Header)
	}
	if got := s.Call("GET", to, "").Body.String(); got != "low tide" {
		t.Errorf("the ticket opens %q", got)
	}
	if a := send("/api/raw/locked", "password=pier+%26+sea"); a.StatusCode != http.StatusGone {
		t.Errorf("after the last view: %d", a.StatusCode)
	}
	if a := send("/api/raw/nosuch", "password=x"); a.StatusCode != http.StatusNotFound {
		t.Errorf("an unknown one: %d", a.StatusCode)
	}
	if _, err := s.pastes.Create(t.Context(), shareCallers["share-a"], shares.NewPaste{Content: []byte("x"), Slug: "open"}); err != nil {
		t.Fatal(err)
	}
	for _, form := range []string{"password=x", "password=", ""} {
		if a := send("/api/raw/open", form); a.Header.Get("Location") != "/api/raw/open" {
			t.Errorf("one that has none, %q: %d %v", form, a.StatusCode, a.Header)
		}
	}
}
