package routes

import (
	"go/ast"
	"go/parser"
	"go/token"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"pasteport/adapters/httpapi"
	"pasteport/adapters/httpapi/edgetest"
	"pasteport/adapters/httpapi/words"
	"pasteport/ports/policy"
)

func TestEveryOperationIsWhole(t *testing.T) {
	actions := knownActions(t)
	paths := map[string]string{}
	for _, op := range registered().Ops() {
		if !regexp.MustCompile(`^[a-z]+\.[a-z_]+$`).MatchString(op.Name) {
			t.Errorf("%s: the name is not noun.verb", op.Name)
		}
		if op.Summary == "" || !strings.HasSuffix(op.Summary, ".") {
			t.Errorf("%s has no summary", op.Name)
		}
		if len(op.Actions) == 0 {
			t.Errorf("%s names no action", op.Name)
		}
		for _, do := range op.Actions {
			if !actions[do] {
				t.Errorf("%s: the action %s is unknown", op.Name, do)
			}
		}
		for _, key := range append(op.Errors, httpapi.CommonErrors...) {
			if _, ok := machineCodes[key]; !ok {
				t.Errorf("%s: the machine code %s has no row", op.Name, key)
			}
			if _, ok := words.Catalogue[key]; !ok {
				t.Errorf("%s: the machine code %s has no message", op.Name, key)
			}
		}
		if op.Idem != httpapi.NoIdem && op.Body != httpapi.JSON && op.Body != httpapi.BigJSON {
			t.Errorf("%s: an idempotency key needs a JSON body", op.Name)
		}
		for _, form := range append([]string{op.Method + " " + op.Path}, op.Aliases...) {
			inside := `^(GET|POST|PUT|DELETE) /api/`
			if op.Door {
				inside = `^(POST|PUT) /(\{[a-z]+\})?$`
			}
			if !regexp.MustCompile(inside).MatchString(form) {
				t.Errorf("%s: %q is no method and path of such an operation", op.Name, form)
			}
			if other, taken := paths[form]; taken {
				t.Errorf("%s and %s have the same address %s", op.Name, other, form)
			}
			paths[form] = op.Name
		}
	}
}

func TestSignInAndPasswordChecksKeepNoAnswers(t *testing.T) {
	found := 0
	for _, op := range registered().Ops() {
		_, verb, _ := strings.Cut(op.Name, ".")
		if op.Name != "session.open" && op.Name != "session.close" && op.Name != "account.update" && verb != "verify" && verb != "test" {
			continue
		}
		if found++; op.Idem != httpapi.NoIdem {
			t.Errorf("%s would store its answer", op.Name)
		}
	}
	if found < 6 {
		t.Errorf("only %d operations found", found)
	}
}

// What stores new content says so, or it would take the room that is kept for
// signing in and deletes.
func TestEveryOperationThatStoresContentIsRefusedOnAFullDisk(t *testing.T) {
	stores := map[policy.Action]bool{policy.PasteCreate: true, policy.PasteUpdate: true, policy.FileUpload: true, policy.URLFetch: true,
		policy.MountUpload: true, policy.MountMkdir: true, policy.MountEdit: true, policy.MountCopy: true, policy.MountShare: true, policy.RequestUpload: true}
	nothing := map[string]bool{"url.info": true, "fs.uploads": true, "fs.parts": true, "file.parts": true, "paste.keep": true, "fs.keep": true, "file.keep": true} // they only tell, or remove
	for _, ends := range []string{"abort", "cancel", "refresh"} {
		for _, noun := range []string{"fs", "file", "url", "request"} {
			nothing[noun+"."+ends] = true
		}
	}
	found := 0
	for _, op := range registered().Ops() {
		want := op.Name == "backup.restore" || op.Name == "backup.take" || slices.ContainsFunc(op.Actions, func(do policy.Action) bool { return stores[do] }) &&
			op.Method != http.MethodGet && !nothing[op.Name]
		if (op.Grows != httpapi.GrowsNothing) != want {
			t.Errorf("%s: is refused on a full disk = %t, want %t", op.Name, op.Grows != httpapi.GrowsNothing, want)
		}
		if want {
			found++
		}
		if want && !slices.Contains(op.Errors, "quota_exceeded") {
			t.Errorf("%s does not tell of quota_exceeded", op.Name)
		}
	}
	if found < 20 {
		t.Errorf("only %d operations found", found)
	}
}

// knownActions reads the closed list of actions from its source.
func knownActions(t *testing.T) map[policy.Action]bool {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), "../../../ports/policy/action.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	actions := map[policy.Action]bool{}
	ast.Inspect(file, func(n ast.Node) bool {
		if v, ok := n.(*ast.BasicLit); ok && v.Kind == token.STRING {
			text, _ := strconv.Unquote(v.Value)
			actions[policy.Action(text)] = true
		}
		return true
	})
	if len(actions) < 40 {
		t.Fatalf("only %d actions found", len(actions))
	}
	return actions
}

func TestEveryMachineCodeHasBothMessages(t *testing.T) {
	for key := range machineCodes {
		if _, ok := words.Catalogue[key]; !ok {
			t.Errorf("%s has no message", key)
		}
	}
	for key, row := range words.Catalogue {
		if row.ZH == "" || row.EN == "" {
			t.Errorf("%s lacks a language", key)
		}
		if !regexp.MustCompile(`\p{Han}`).MatchString(row.ZH) {
			t.Errorf("%s: the Chinese message is %q", key, row.ZH)
		}
		holes := func(s string) int { return strings.Count(s, "{") }
		if holes(row.ZH) != holes(row.EN) {
			t.Errorf("%s: the languages have different placeholders", key)
		}
	}
}

// Errors of the domain and its ports name their messages by Key and Text; each
// name must stand in the catalogue, or people would read "something went wrong".
func TestEveryErrorOfTheDomainHasAMessage(t *testing.T) {
	found := 0
	for _, pattern := range []string{"../../../domain/*/*.go", "../../../ports/*.go", "../../../ports/policy/*.go", "../../../ports/objstore/*.go", "../../../adapters/*/*.go", "../../../adapters/httpapi/*/*.go", "../../../plugins/local/*.go"} {
		files, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range files {
			if strings.HasSuffix(name, "_test.go") {
				continue
			}
			for _, use := range messagesUsed(t, name) {
				found++
				if _, ok := words.Catalogue[use]; !ok {
					t.Errorf("%s uses the message %q, which the catalogue lacks", name, use)
				}
			}
		}
	}
	if found < 30 {
		t.Errorf("only %d uses found; the search is broken", found)
	}
}

// messagesUsed finds the constant keys and texts of errors in a file.
func messagesUsed(t *testing.T, name string) (used []string) {
	t.Helper()
	source, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	file, err := parser.ParseFile(token.NewFileSet(), name, source, 0)
	if err != nil {
		t.Fatal(err)
	}
	add := func(e ast.Expr) {
		if v, ok := e.(*ast.BasicLit); ok && v.Kind == token.STRING {
			if text, _ := strconv.Unquote(v.Value); text != "" {
				used = append(used, text)
			}
		}
	}
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CompositeLit:
			if !strings.HasSuffix(exprText(n.Type), "Error") {
				return true
			}
			for _, e := range n.Elts {
				if kv, ok := e.(*ast.KeyValueExpr); ok && (exprText(kv.Key) == "Key" || exprText(kv.Key) == "Text") {
					add(kv.Value)
				}
			}
		case *ast.CallExpr:
			if strings.HasSuffix(exprText(n.Fun), "InvalidInput") && len(n.Args) > 0 {
				add(n.Args[0])
			}
		}
		return true
	})
	return used
}

func exprText(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.Ident:
		return e.Name
	case *ast.SelectorExpr:
		return exprText(e.X) + "." + e.Sel.Name
	case *ast.StarExpr:
		return exprText(e.X)
	}
	return ""
}

// example fills the variables of a path.
func example(path string) string {
	return braces.ReplaceAllStringFunc(path, func(v string) string {
		if strings.HasPrefix(v, "{group") {
			return "1"
		}
		return "abc"
	})
}

// The tests below walk over every operation of the product, so that one that is
// added later is covered as well. Registered without use cases, an operation
// that got as far as its use case would panic, which is a 500.

func TestEveryProtectedOperationRefusesAWrongCredential(t *testing.T) {
	f := productOf(t)
	for _, op := range f.Ops() {
		for _, form := range append([]string{op.Method + " " + op.Path}, op.Aliases...) {
			method, path, _ := strings.Cut(form, " ")
			if op.Public {
				continue
			}
			a := f.Call(method, example(path), "", "Authorization", "Bearer wrong", "Accept", "application/json")
			if a.Result().StatusCode != 401 || a.Error != "unauthenticated" || a.Success || a.ID == "" {
				t.Errorf("%s: %d %s", form, a.Result().StatusCode, a.Body)
			}
		}
	}
}

func TestEveryJSONOperationRefusesBadBodies(t *testing.T) {
	f := productOf(t)
	found := 0
	for _, op := range f.Ops() {
		if op.Body != httpapi.JSON && op.Body != httpapi.BigJSON {
			continue
		}
		found++
		for _, c := range []struct {
			name, body string
			headers    []string
			status     int
		}{
			{"broken JSON", `{"a":`, nil, 400},
			{"no object", `[1]`, nil, 400},
			{"a name twice", `{"a":1,"a":2}`, nil, 400},
			{"deep nesting", `{"a":` + strings.Repeat("[", 70) + strings.Repeat("]", 70) + `}`, nil, 400},
			{"a compressed body", `{}`, []string{"Content-Encoding", "gzip"}, 415},
		} {
			a := f.Call(op.Method, example(op.Path), c.body, append([]string{"Authorization", edgetest.AsAdmin}, c.headers...)...)
			if a.Result().StatusCode != c.status || a.Success || a.ID == "" {
				t.Errorf("%s, %s: %d %s", op.Name, c.name, a.Result().StatusCode, a.Body)
			}
		}
		r := edgetest.NewRequest(op.Method, example(op.Path), "{}")
		r.ContentLength = httpapi.BigJSONLimit + 1
		if a := f.Do(r); a.Result().StatusCode != 413 || a.Error != "too_large" {
			t.Errorf("%s, a body over the limit: %d %s", op.Name, a.Result().StatusCode, a.Body)
		}
	}
	if found < 12 {
		t.Errorf("only %d operations found", found)
	}
}

func TestEveryAddressHasOneCleanForm(t *testing.T) {
	f := productOf(t)
	for _, op := range f.Ops() {
		path := example(op.Path)
		if op.Door {
			path = "/./" + strings.TrimPrefix(path, "/")
		}
		for _, dirty := range []string{"/" + path, strings.Replace(path, "/api/", "/api/./", 1), strings.Replace(path, "/api/", "/api/x/../", 1), path + "/%2e%2e", strings.Replace(path, "/api/", "/api/%2f", 1)} {
			if a := f.Call(op.Method, dirty, "", "Authorization", edgetest.AsAdmin); a.Result().StatusCode != 400 {
				t.Errorf("%s %s: %d", op.Method, dirty, a.Result().StatusCode)
			}
		}
	}
}

func TestEveryOtherMethodIs404(t *testing.T) {
	f := productOf(t)
	known := map[string]bool{}
	for _, op := range f.Ops() {
		for _, form := range append([]string{op.Method + " " + op.Path}, op.Aliases...) {
			method, path, _ := strings.Cut(form, " ")
			known[method+" "+example(path)] = true
		}
	}
	for _, op := range f.Ops() {
		for _, method := range []string{"GET", "POST", "PUT", "DELETE", "PATCH", "TRACE", "PROPFIND"} {
			// An address with a variable may stand for another operation's.
			if path := example(op.Path); !known[method+" "+path] && !answeredByPattern(f.Ops(), method, path) {
				if a := f.Call(method, path, "", "Authorization", edgetest.AsAdmin); a.Result().StatusCode != 404 || a.Error != "not_found" {
					t.Errorf("%s %s: %d %s", method, path, a.Result().StatusCode, a.Body)
				}
			}
		}
	}
}

// answeredByPattern reports whether some operation's path matches this one.
func answeredByPattern(ops []httpapi.Op, method, path string) bool {
	for _, op := range ops {
		for _, form := range append([]string{op.Method + " " + op.Path}, op.Aliases...) {
			m, p, _ := strings.Cut(form, " ")
			pattern := "^" + braces.ReplaceAllString(p, `[^/]+`) + "$"
			if m == method && regexp.MustCompile(pattern).MatchString(path) {
				return true
			}
		}
	}
	return false
}

// BenchmarkFindingAnOperation refuses a call without a credential: of the
// operations that were registered first, in the middle, and last.
func BenchmarkFindingAnOperation(b *testing.B) {
	a := registered()
	for _, name := range []string{"file.download", "fs.list", "dashboard.stats"} {
		at := slices.IndexFunc(a.Ops(), func(op httpapi.Op) bool { return op.Name == name })
		r := httptest.NewRequest(a.Ops()[at].Method, strings.Replace(a.Ops()[at].Path, "{slug}", "AbCdEf", 1), nil)
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				a.ServeHTTP(httptest.NewRecorder(), r)
			}
		})
	}
}
