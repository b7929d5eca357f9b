package httpapi

import (
	"maps"
	"net/http/httptest"
	"testing"

	"github.com/gorilla/mux"
)

func TestTemplatesMatchAsTheRouterDoes(t *testing.T) {
	for _, path := range []string{"/", "/api/paste", "/api/paste/{slug}", "/api/paste/{slug}/{item}", "/api/{slug}/item", "/{filename}"} {
		made, plain := templateOf(path)
		if !plain {
			t.Errorf("%s is not plain", path)
			continue
		}
		route := mux.NewRouter().SkipClean(true).Path(path)
		for _, target := range []string{"/", "/x", "/x/", "/api", "/api/paste", "/api/paste/", "/api/paste/s1", "/api/paste/s1/", "/api/paste/s1/i", "/api/paste//i", "/api/s/item", "/api/a%20b/item", "/api/a%2Fb/item", "/api/{slug}/item"} {
			r := httptest.NewRequest("GET", target, nil)
			var got, want mux.RouteMatch
			if made.match(r, &got) != route.Match(r, &want) || !maps.Equal(got.Vars, want.Vars) {
				t.Errorf("%s at %s: %v, mux says %v", path, target, got.Vars, want.Vars)
			}
		}
	}
	for _, path := range []string{"/api/{path:.*}", "/api/v{version}", "/api/{a}{b}"} {
		if made, plain := templateOf(path); plain {
			t.Errorf("%s: %v", path, made)
		}
	}
}
