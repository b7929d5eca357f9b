package opa

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"time"

	"github.com/open-policy-agent/opa/v1/ast"
	"github.com/open-policy-agent/opa/v1/rego"
	"github.com/open-policy-agent/opa/v1/storage"
	"github.com/open-policy-agent/opa/v1/storage/inmem"

	"pasteport/ports/policy"
)

// compileTimeout bounds what is asked of rules while they are made ready.
const compileTimeout = 10 * time.Second

// prepareSet checks and prepares rules that were read.
func prepareSet(ctx context.Context, base fs.FS, text *ruleText) (*revision, *ast.SchemaSet, error) {
	schemas, err := readSchema(base)
	if err != nil {
		return nil, nil, err
	}
	compiler, err := compileText(text.rules, schemas)
	if err != nil {
		return nil, nil, err
	}
	r := &revision{id: text.hash(), compiler: compiler, decisions: newDecisionCache(), kept: newKept(compiler), timeout: DefaultTimeout, catalogue: rulesOf(text)}
	r.constants = &constants{rules: r, text: text.rules, schemas: schemas}
	r.readsUsage = readsUsage(compiler.Modules)
	if r.siteRules, err = checkSite(compiler.Modules); err != nil {
		return nil, nil, err
	}
	if err := r.load(ctx, text.data); err != nil {
		return nil, nil, err
	}
	if err := r.prepare(ctx); err != nil {
		return nil, nil, err
	}
	return r, schemas, nil
}

// compileText parses and compiles rules, strictly.
func compileText(texts map[string]string, schemas *ast.SchemaSet) (*ast.Compiler, error) {
	modules, err := parse(texts)
	if err != nil {
		return nil, err
	}
	compiler := newCompiler(schemas)
	if compiler.Compile(modules); compiler.Failed() {
		return nil, compiler.Errors
	}
	return compiler, nil
}

func newCompiler(schemas *ast.SchemaSet) *ast.Compiler {
	return ast.NewCompiler().
		WithStrict(true).
		WithDefaultRegoVersion(ast.RegoV1).
		WithCapabilities(capabilities()).
		WithSchemas(schemas)
}

// parse parses files for compilation. Package annotations are checked and then
// left out: the compiler takes one per package, and a package of site rules has
// as many files as its authors like. The schema applies without them.
func parse(texts map[string]string) (map[string]*ast.Module, error) {
	modules, err := parseAnnotated(texts)
	if err != nil {
		return nil, err
	}
	for _, m := range modules {
		m.Annotations = slices.DeleteFunc(m.Annotations, func(a *ast.Annotations) bool { return a.Scope == "package" })
	}
	return modules, nil
}

func parseAnnotated(texts map[string]string) (map[string]*ast.Module, error) {
	options := ast.ParserOptions{ProcessAnnotation: true, RegoVersion: ast.RegoV1, Capabilities: capabilities()}
	modules := make(map[string]*ast.Module, len(texts))
	for name, text := range texts {
		m, err := ast.ParseModuleWithOpts(name, text, options)
		if err != nil {
			return nil, err
		}
		for _, a := range m.Annotations {
			if len(a.Schemas) > 0 { // they may refer to files
				return nil, ast.NewError("rules", a.Location, "schemas cannot be named here: the input has one already")
			}
		}
		modules[name] = m
	}
	return modules, nil
}

// readSchema reads the schema of the input. It stands at the root, so that it
// holds for rules with and without a schema annotation.
func readSchema(base fs.FS) (*ast.SchemaSet, error) {
	text, err := fs.ReadFile(base, "schemas/input.json")
	if err != nil {
		return nil, err
	}
	var schema any
	if err := json.Unmarshal(text, &schema); err != nil {
		return nil, fmt.Errorf("read schemas/input.json: %w", err)
	}
	set := ast.NewSchemaSet()
	set.Put(ast.SchemaRootRef, schema)
	return set, nil
}

// load makes the store of the site's data, at data.site.
func (r *revision) load(ctx context.Context, data map[string]any) error {
	r.store = inmem.NewFromObjectWithOpts(data, inmem.OptReturnASTValuesOnRead(true))
	var err error
	r.txn, err = r.store.NewTransaction(ctx, storage.TransactionParams{})
	return err
}

func (r *revision) prepare(ctx context.Context) error {
	var err error
	if r.answerQuery, err = r.query(r.compiler, queryAnswer).PrepareForEval(ctx); err != nil {
		return err
	}
	if r.reasonsQuery, err = r.query(r.compiler, queryReasons).PrepareForEval(ctx); err != nil {
		return err
	}
	public, err := r.names(ctx, queryPublic)
	if err != nil {
		return fmt.Errorf("read the public actions: %w", err)
	}
	for _, name := range public {
		r.public = append(r.public, policy.Action(name))
	}
	if r.actions, err = r.names(ctx, queryActions); err != nil {
		return fmt.Errorf("read the actions: %w", err)
	}
	return nil
}

func (r *revision) query(compiler *ast.Compiler, text string) *rego.Rego {
	return rego.New(rego.Compiler(compiler), rego.Store(r.store), rego.Transaction(r.txn),
		rego.Query(text), rego.StrictBuiltinErrors(true))
}

// names asks the shipped rules for a set of texts.
func (r *revision) names(ctx context.Context, text string) (names []string, err error) {
	query, err := r.query(r.compiler, text).PrepareForEval(ctx)
	if err != nil {
		return nil, err
	}
	limit := newDeadline(ctx, compileTimeout)
	defer limit.release()
	value, err := r.eval(ctx, query, ast.NewObject(), limit)
	if err != nil {
		return nil, err
	}
	set, ok := value.(ast.Set)
	if !ok {
		return nil, errors.New("the answer is not a set")
	}
	set.Foreach(func(name *ast.Term) { names = append(names, textOf(name)) })
	return names, nil
}

var usageRef = ast.MustParseRef("input.subject.usage")

// readsUsage reports whether a rule reads the usage counters, or a whole that
// holds them.
func readsUsage(modules map[string]*ast.Module) bool {
	reads := false
	for _, m := range modules {
		ast.WalkRefs(m, func(ref ast.Ref) bool {
			if ref = ref.ConstantPrefix(); ref.HasPrefix(usageRef) || ref.HasPrefix(ast.InputRootRef) && usageRef.HasPrefix(ref) {
				reads = true
			}
			return reads
		})
		if reads {
			return true
		}
	}
	return false
}
