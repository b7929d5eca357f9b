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
)

// testTimeout bounds one test of a site.
const testTimeout = 5 * time.Second

// runTests runs the tests that a site keeps beside its rules. Every failure is
// in the error.
func runTests(ctx context.Context, text *ruleText, schemas *ast.SchemaSet, store storage.Store) error {
	if len(text.tests) == 0 {
		return nil
	}
	all := maps.Clone(text.rules)
	maps.Copy(all, text.tests)
	modules, err := parse(all)
	if err != nil {
		return err
	}
	txn, err := store.NewTransaction(ctx)
	if err != nil {
		return err
	}
	defer store.Abort(ctx, txn)
	results, err := tester.NewRunner().
		SetCompiler(newCompiler(schemas)).
		SetStore(store).
		SetModules(modules).
		SetTimeout(testTimeout).
		RaiseBuiltinErrors(true).
		RunTests(ctx, txn)
	if err != nil {
		return err
	}
	var failures []error
	for r := range results {
		switch {
		case r.Error != nil:
			failures = append(failures, fmt.Errorf("test %s.%s: %w", r.Package, r.Name, r.Error))
		case !r.Pass():
			failures = append(failures, fmt.Errorf("test %s.%s failed", r.Package, r.Name))
		}
	}
	return errors.Join(failures...)
}
