package opa

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"time"

	"github.com/open-policy-agent/opa/v1/ast"
	"github.com/open-policy-agent/opa/v1/storage"
	"github.com/open-policy-agent/opa/v1/tester"
	"github.com/open-policy-agent/opa/v1/topdown"
)

// testTimeout bounds one test of a site.
const testTimeout = 5 * time.Second

// runTests runs the tests that a site keeps beside its rules. Every failure is
// in the error.
func runTests(ctx context.Context, text *ruleText, schemas *ast.SchemaSet, store storage.Store) error {
	results, err := testResults(ctx, text, schemas, store, nil)
	if err != nil {
		return err
	}
	var failures []error
	for _, r := range results {
		switch {
		case r.Error != nil:
			failures = append(failures, fmt.Errorf("test %s.%s: %w", r.Package, r.Name, r.Error))
		case !r.Pass():
			failures = append(failures, fmt.Errorf("test %s.%s failed", r.Package, r.Name))
		}
	}
	return errors.Join(failures...)
}

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
