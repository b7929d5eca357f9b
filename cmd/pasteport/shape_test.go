package main

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// What production code may come to. Tests, test support and generated files do
// not count.
const (
	maxPackageLines     = 4500 // of one package
	maxMethods          = 45   // declared on one type
	maxInterfaceMethods = 12   // of one interface, with those of the ones it embeds
	maxParameters       = 6    // of one function, without its receiver
)

// outgrown are figures that are over and wait for their split; none may grow
// beyond what stands here.
var outgrown = map[string]int{
	"interface plugins/filetree.FS": 13,
}

func TestPackagesTypesAndFunctionsKeepTheirSize(t *testing.T) {
	found := measureShape(t, filepath.Join("..", ".."))
	if len(found) == 0 {
		t.Fatal("nothing was measured")
	}
	for _, name := range slices.Sorted(maps.Keys(found)) {
		if figure := found[name]; figure.value > max(figure.limit, outgrown[name]) {
			t.Errorf("%s has %d, at most %d are wanted", name, figure.value, figure.limit)
		}
	}
}

// shape is a figure of the code and what is wanted of it.
type shape struct{ value, limit int }

// "methods of domain/shares.Files", "interface ports.Vault", "parameters of
// domain/shares.Files.Open".
type shapes struct {
	found      map[string]shape
	interfaces map[string]*ast.InterfaceType // by folder and name
	imports    map[*ast.InterfaceType]map[string]string
}

func measureShape(t *testing.T, root string) map[string]shape {
	t.Helper()
	s := &shapes{found: map[string]shape{}, interfaces: map[string]*ast.InterfaceType{}, imports: map[*ast.InterfaceType]map[string]string{}}
	err := filepath.WalkDir(root, func(file string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name := entry.Name()
		if entry.IsDir() && file != root && (strings.HasPrefix(name, ".") || name == "node_modules" || name == "testdata") {
			return filepath.SkipDir
		}
		if entry.IsDir() || !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
			return nil
		}
		rel, err := filepath.Rel(root, file)
		if err != nil {
			return err
		}
		folder := path.Dir(filepath.ToSlash(rel))
		for _, support := range testOnly {
			if within(folder, support) {
				return nil
			}
		}
		source, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		return s.file(folder, source)
	})
	if err != nil {
		t.Fatal(err)
	}
	for name, i := range s.interfaces {
		folder := name[:strings.LastIndexByte(name, '.')]
		s.found["interface "+name] = shape{len(s.methods(folder, i)), maxInterfaceMethods}
	}
	if len(s.found) < 200 {
		t.Fatalf("only %d figures were taken", len(s.found))
	}
	return s.found
}

func (s *shapes) count(what string, n, limit int) {
	s.found[what] = shape{s.found[what].value + n, limit}
}

// file takes the figures of one file.
func (s *shapes) file(folder string, source []byte) error {
	parsed, err := parser.ParseFile(token.NewFileSet(), folder, source, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil || ast.IsGenerated(parsed) {
		return err
	}
	s.count("lines of "+folder, bytes.Count(source, []byte("\n")), maxPackageLines)
	imported := map[string]string{} // folders of this module by the name in the file
	for _, spec := range parsed.Imports {
		full, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			return err
		}
		if own, ok := strings.CutPrefix(full, "pasteport/"); ok {
			imported[path.Base(own)] = own
			if spec.Name != nil {
				imported[spec.Name.Name] = own
			}
		}
	}
	for _, decl := range parsed.Decls {
		switch decl := decl.(type) {
		case *ast.FuncDecl:
			name := folder + "." + decl.Name.Name
			if decl.Recv != nil {
				owner := folder + "." + receiver(decl.Recv.List[0].Type)
				s.count("methods of "+owner, 1, maxMethods)
				name = owner + "." + decl.Name.Name
			}
			s.found["parameters of "+name] = shape{max(decl.Type.Params.NumFields(), s.found["parameters of "+name].value), maxParameters}
		case *ast.GenDecl:
			for _, spec := range decl.Specs {
				if named, ok := spec.(*ast.TypeSpec); ok {
					if i, ok := named.Type.(*ast.InterfaceType); ok {
						s.interfaces[folder+"."+named.Name.Name] = i
						s.imports[i] = imported
					}
				}
			}
		}
	}
	return nil
}

// receiver is the name of a method's type.
func receiver(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.StarExpr:
		return receiver(e.X)
	case *ast.IndexExpr:
		return receiver(e.X)
	case *ast.IndexListExpr:
		return receiver(e.X)
	case *ast.Ident:
		return e.Name
	}
	return fmt.Sprintf("%T", e)
}

// methods are the names of an interface's methods, with those of the interfaces
// of this module that it embeds.
func (s *shapes) methods(folder string, i *ast.InterfaceType) map[string]bool {
	names := map[string]bool{}
	for _, field := range i.Methods.List {
		for _, name := range field.Names {
			names[name.Name] = true
		}
		if len(field.Names) == 0 {
			if embedded := s.embedded(folder, s.imports[i], field.Type); embedded != "" {
				maps.Copy(names, s.methods(embedded[:strings.LastIndexByte(embedded, '.')], s.interfaces[embedded]))
			}
		}
	}
	return names
}

// embedded is the key of an embedded interface; empty for one of others.
func (s *shapes) embedded(folder string, imported map[string]string, e ast.Expr) string {
	name := ""
	switch e := e.(type) {
	case *ast.IndexExpr:
		return s.embedded(folder, imported, e.X)
	case *ast.IndexListExpr:
		return s.embedded(folder, imported, e.X)
	case *ast.Ident:
		name = folder + "." + e.Name
	case *ast.SelectorExpr:
		if pkg, ok := e.X.(*ast.Ident); ok {
			name = imported[pkg.Name] + "." + e.Sel.Name
		}
	}
	if s.interfaces[name] == nil {
		return ""
	}
	return name
}
