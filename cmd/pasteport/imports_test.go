package main

import (
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// room says what the packages below a folder may import: other rooms of this
// module, and whether modules of others.
type room struct {
	folder     string
	imports    []string // folders; "*" in one stands for one path segment
	thirdParty bool
}

// rooms is the dependency rule, first match wins. docs/architecture.md
// explains it.
var rooms = []room{
	{"ports/objstore/conformance", []string{"ports"}, false},
	{"ports/objstore/objstoretest", []string{"ports"}, true},
	{"ports/portstest", []string{"ports"}, true},
	{"ports", []string{"ports"}, false},
	{"domain/domaintest", []string{"ports", "domain"}, true},
	{"domain/mounts/mountstest", []string{"ports", "domain"}, true},
	{"domain", []string{"ports", "domain/internal"}, false}, // and the module itself, see allowed
	{"adapters/bunstore/internal/db", []string{"ports", "adapters/bunstore/migrations"}, true},
	{"adapters/bunstore/internal", []string{"ports", "domain", "adapters/bunstore/internal/db"}, true},
	{"adapters/pluginhost", []string{"ports", "domain", "plugins/sdk"}, true},
	{"adapters/apiclient", nil, false}, // knows a server only by its interface
	{"adapters", []string{"ports", "domain"}, true},
	{"plugins", []string{"ports", "plugins"}, true},
	{"docs/drivers", []string{"ports", "plugins/sdk"}, true}, // what a driver author has
	{"docs", nil, false},
	{"policies", nil, false},
	{"webui", nil, false},
	{"cmd/pasteport/terminal", []string{"adapters/apiclient"}, true},
	{"cmd/pasteport/rules", []string{"ports", "domain/policies", "adapters/opa", "adapters/httpapi/wire", "policies"}, true},
	{"cmd/pasteport/usage", nil, true},
	{"cmd/pasteport/checks", []string{"adapters/httpapi"}, false},
	{"cmd", []string{"cmd/pasteport/terminal", "cmd/pasteport/rules", "cmd/pasteport/checks", "cmd/pasteport/usage", "ports", "domain", "adapters", "plugins", "docs", "policies", "webui"}, true},
}

// testOnly are packages that only tests may import, and each other.
var testOnly = []string{"domain/domaintest", "domain/mounts/mountstest", "ports/portstest", "ports/objstore/objstoretest", "adapters/predecessor/predecessortest", "adapters/bunstore/bunstoretest", "adapters/httpapi/openapitest", "adapters/httpapi/edgetest", "adapters/httpapi/enginetest", "plugins/sftp/sftptest", "plugins/webdav/davtest"}

// together are adapters whose tests need another adapter for real: mail is only
// safe with the guard that it is sent through.
var together = map[string]string{"adapters/notify": "adapters/fetch"}

// operations are the packages of the edge that hold operations. The edge knows
// none of them but in routes, and they know nothing of one another.
var operations = []string{"adapters/httpapi/adminapi", "adapters/httpapi/requestapi", "adapters/httpapi/shareapi", "adapters/httpapi/treeapi"}

func TestEveryPackageImportsOnlyWhatItsRoomMay(t *testing.T) {
	root := filepath.Join("..", "..")
	seen := 0
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name := entry.Name()
		if entry.IsDir() && path != root && (strings.HasPrefix(name, ".") || name == "node_modules" || name == "testdata") {
			return filepath.SkipDir
		}
		if entry.IsDir() || !strings.HasSuffix(name, ".go") {
			return nil
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ImportsOnly)
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(root, path)
		if err != nil {
			return err
		}
		seen++
		for _, spec := range file.Imports {
			imported, err := strconv.Unquote(spec.Path.Value)
			if err != nil {
				return err
			}
			if complaint := complain(filepath.ToSlash(rel), imported); complaint != "" {
				t.Errorf("%s imports %q: %s", rel, imported, complaint)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if seen < 20 {
		t.Fatalf("only %d Go files were looked at", seen)
	}
}

// complain returns why the file may not import the package, "" when it may.
func complain(file, imported string) string {
	folder := file[:strings.LastIndex(file, "/")]
	r, ok := roomOf(folder)
	if !ok {
		return "the folder belongs to no room"
	}
	isTest := strings.HasSuffix(file, "_test.go")
	inside := strings.Count(r.folder, "/") > 1 // a room inside a module names what of the module it may import
	if inside && isTest {
		r, _ = roomOf(strings.Join(strings.Split(folder, "/")[:2], "/")) // its tests are the module's
		inside = false
	}
	own, inModule := strings.CutPrefix(imported, "pasteport/")
	if !inModule {
		first, _, _ := strings.Cut(imported, "/")
		if strings.Contains(first, ".") && !r.thirdParty && !isTest {
			return "modules of others stay out of this room"
		}
		return ""
	}
	for _, only := range testOnly {
		if within(own, only) && !isTest && !slices.ContainsFunc(testOnly, func(other string) bool { return within(folder, other) }) {
			return "only tests may import it"
		}
	}
	if isTest && together[folder] == own {
		return ""
	}
	if isTest && (within(own, "domain/domaintest") || within(own, "ports/portstest") || within(own, "ports/objstore/objstoretest")) {
		return ""
	}
	if !isTest && within(folder, "adapters/httpapi") && folder != "adapters/httpapi/routes" && own != folder && slices.Contains(operations, own) {
		return "only routes may import operations"
	}
	if own == folder || !inside && sameModule(folder, own) {
		return ""
	}
	for _, allowed := range r.imports {
		if within(own, allowed) {
			return ""
		}
	}
	if isTest && (folder == "adapters/opa" && within(own, "policies") || folder == "adapters/pluginhost" && within(own, "plugins")) {
		return "" // what ships is what these adapters are tested with
	}
	if isTest && within(folder, "adapters/pluginhost") && within(own, "plugins") {
		return "" // the plugin host's tests run real drivers behind the boundary
	}
	return "room " + r.folder + " may import " + strings.Join(r.imports, ", ") + " only"
}

func roomOf(folder string) (room, bool) {
	for _, r := range rooms {
		if within(folder, r.folder) {
			return r, true
		}
	}
	return room{}, false
}

// sameModule reports whether both folders belong to one domain module or one
// adapter.
func sameModule(a, b string) bool {
	as, bs := strings.Split(a, "/"), strings.Split(b, "/")
	return len(as) >= 2 && len(bs) >= 2 && as[0] == bs[0] && as[1] == bs[1] && (as[0] == "domain" || as[0] == "adapters")
}

// within reports whether path is dir or lies below it.
func within(path, dir string) bool { return path == dir || strings.HasPrefix(path, dir+"/") }

func TestTheImportRuleRefusesWhatItShould(t *testing.T) {
	for _, c := range []struct {
		file, imported string
		refused        bool
	}{
		{"domain/shares/paste.go", "pasteport/ports", false},
		{"domain/shares/paste.go", "pasteport/domain/keys", true},
		{"domain/shares/paste.go", "github.com/gorilla/mux", true},
		{"domain/shares/paste_test.go", "pasteport/ports/portstest", false},
		{"domain/shares/paste_test.go", "pasteport/domain/domaintest", false},
		{"domain/shares/paste.go", "pasteport/domain/domaintest", true},
		{"domain/shares/paste.go", "pasteport/domain/internal/cache", false},
		{"ports/portstest/fakes.go", "pasteport/domain/shares", true},
		{"domain/shares/paste.go", "pasteport/ports/portstest", true},
		{"ports/errors.go", "pasteport/domain/shares", true},
		{"adapters/httpapi/shareapi/pastes.go", "pasteport/domain/shares", false},
		{"adapters/httpapi/shareapi/pastes.go", "pasteport/adapters/bunstore", true},
		{"adapters/httpapi/shareapi/pastes.go", "pasteport/adapters/httpapi/treeapi", true},
		{"adapters/httpapi/treeapi/fs.go", "pasteport/domain/mounts", false},
		{"adapters/httpapi/treeapi/fs.go", "pasteport/adapters/httpapi/wire", false},
		{"adapters/httpapi/treeapi/fs.go", "pasteport/adapters/httpapi/adminapi", true},
		{"adapters/httpapi/api.go", "pasteport/adapters/httpapi/treeapi", true},
		{"adapters/httpapi/routes/routes.go", "pasteport/adapters/httpapi/treeapi", false},
		{"adapters/httpapi/adminapi/house_test.go", "pasteport/adapters/httpapi/treeapi", false},
		{"adapters/pluginhost/host.go", "pasteport/plugins/sdk", false},
		{"adapters/pluginhost/host.go", "pasteport/plugins/local", true},
		{"adapters/pluginhost/host_test.go", "pasteport/plugins/local", false},
		{"adapters/bunstore/store.go", "pasteport/plugins/sdk", true},
		{"adapters/bunstore/store.go", "pasteport/adapters/bunstore/internal/treedb", false},
		{"adapters/bunstore/internal/treedb/index.go", "pasteport/adapters/bunstore/internal/db", false},
		{"adapters/bunstore/internal/treedb/index.go", "pasteport/adapters/bunstore/internal/sharedb", true},
		{"adapters/bunstore/internal/treedb/index.go", "pasteport/adapters/bunstore", true},
		{"adapters/bunstore/internal/db/table.go", "pasteport/domain/shares", true},
		{"adapters/bunstore/internal/db/writer_test.go", "pasteport/adapters/bunstore", false},
		{"adapters/bunstore/internal/db/writer_test.go", "pasteport/domain/shares", false},
		{"adapters/bunstore/internal/db/writer_test.go", "pasteport/adapters/httpapi", true},
		{"plugins/local/local.go", "pasteport/domain/storage", true},
		{"docs/drivers/sqlite/main.go", "pasteport/plugins/sdk", false},
		{"docs/drivers/sqlite/main.go", "pasteport/plugins/local", true},
		{"cmd/pasteport/wire.go", "pasteport/adapters/opa", false},
		{"tools/x.go", "fmt", true},
	} {
		if got := complain(c.file, c.imported) != ""; got != c.refused {
			t.Errorf("complain(%q, %q) refused = %t, want %t", c.file, c.imported, got, c.refused)
		}
	}
}
