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
			var vars pathVars
			var want mux.RouteMatch
			fits := made.match(r.URL.Path, &vars)
			got := map[string]string{}
			for _, v := range vars.vars[:vars.n] {
				got[v.name] = v.value
			}
			if fits != route.Match(r, &want) || fits && !maps.Equal(got, want.Vars) {
				t.Errorf("%s at %s: %t %v, mux says %v", path, target, fits, got, want.Vars)
			}
		}
	}
	for _, path := range []string{"/api/{path:.*}", "/api/v{version}", "/api/{a}{b}"} {
		if made, plain := templateOf(path); plain {
			t.Errorf("%s: %v", path, made)
		}
	}
}
