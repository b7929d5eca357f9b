package opa

import (
	"context"
	"maps"
	"time"

	"github.com/open-policy-agent/opa/v1/ast"
	"github.com/open-policy-agent/opa/v1/storage"
	"github.com/open-policy-agent/opa/v1/tester"
	"github.com/open-policy-agent/opa/v1/topdown"
)

// testTimeout bounds one test of a site.
const testTimeout = 5 * time.Second

// testResults runs the tests; coverage may be nil.
func testResults(ctx context.Context, text *ruleText, schemas *ast.SchemaSet, store storage.Store, coverage topdown.QueryTracer) (all []*tester.Result, err error) {
	if len(text.tests) == 0 {
		return nil, nil
	}
	files := maps.Clone(text.rules)
	maps.Copy(files, text.tests)
	modules, err := parse(files)
	if err != nil {
		return nil, err
	}
	txn, err := store.NewTransaction(ctx)
	if err != nil {
		return nil, err
	}
	defer store.Abort(ctx, txn)
	runner := tester.NewRunner().
		SetCompiler(newCompiler(schemas)).
		SetStore(store).
		SetModules(modules).
		SetTimeout(testTimeout).
		RaiseBuiltinErrors(true)
	if coverage != nil {
		runner.SetCoverageQueryTracer(coverage)
	}
	results, err := runner.RunTests(ctx, txn)
	if err != nil {
		return nil, err
	}
	for r := range results {
		all = append(all, r)
	}
	return all, nil
}
