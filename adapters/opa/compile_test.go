package opa

import (
	"context"
	"io/fs"
)

// compile reads, checks and prepares a set of rules, and runs their tests.
func compile(ctx context.Context, base, site fs.FS) (*revision, error) {
	d := &Decider{base: base, usage: noUsageSource{}}
	return d.candidate(ctx, false, func() (*ruleText, error) { return readRules(base, site) })
}
