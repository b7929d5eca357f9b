// Command systems checks the types of this module's packages for other systems
// than this one, from their sources and without compiling anything: that every name
// is there and fits. What only a compiler or a linker finds, a release does.
//
//	systems FOLDER windows/amd64 darwin/arm64 linux/arm
package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"strings"
	"sync"

	"golang.org/x/tools/go/packages"
)

func main() {
	if len(os.Args) < 3 {
		fmt.Fprintln(os.Stderr, "systems FOLDER SYSTEM/ARCHITECTURE...")
		os.Exit(2)
	}
	sources := &sources{set: token.NewFileSet(), files: map[string]*parsed{}}
	wrong := 0
	for _, system := range os.Args[2:] {
		goos, arch, _ := strings.Cut(system, "/")
		found, err := sources.check(os.Args[1], goos, arch)
		if err != nil {
			fmt.Fprintf(os.Stderr, "systems: %s: %v\n", system, err)
			os.Exit(1)
		}
		for _, problem := range found {
			fmt.Printf("%s: %s\n", system, problem)
		}
		wrong += len(found)
	}
	if wrong > 0 {
		os.Exit(1)
	}
}

// sources are files that were read for one system and serve for the next.
type sources struct {
	set   *token.FileSet
	mu    sync.Mutex
	files map[string]*parsed
}

type parsed struct {
	once sync.Once
	file *ast.File
	err  error
}

// check returns what is wrong with the packages of the module in a folder.
func (s *sources) check(folder, goos, arch string) (found []string, err error) {
	all, err := packages.Load(&packages.Config{
		Dir: folder, Fset: s.set, ParseFile: s.parse,
		// With the dependencies, so that no compiled form of them is asked for.
		Mode: packages.NeedName | packages.NeedFiles | packages.NeedCompiledGoFiles | packages.NeedImports | packages.NeedDeps | packages.NeedTypes | packages.NeedSyntax | packages.NeedTypesSizes,
		Env:  append(os.Environ(), "GOOS="+goos, "GOARCH="+arch, "CGO_ENABLED=0"),
	}, "./...")
	for _, p := range all {
		for _, problem := range p.Errors {
			found = append(found, problem.Error())
		}
	}
	return found, err
}

// parse reads a file once. Of other modules only the declarations are needed.
func (s *sources) parse(set *token.FileSet, name string, text []byte) (*ast.File, error) {
	s.mu.Lock()
	one := s.files[name]
	if one == nil {
		one = &parsed{}
		s.files[name] = one
	}
	s.mu.Unlock()
	one.once.Do(func() {
		one.file, one.err = parser.ParseFile(set, name, text, parser.SkipObjectResolution)
	})
	return one.file, one.err
}
