package mounts_test

import (
	"context"
	"strings"
	"testing"

	"pasteport/domain/mounts"
	"pasteport/domain/mounts/mountstest"
	"pasteport/domain/mounts/transfer"
	"pasteport/ports/policy"
)

// noting allows everything and keeps the resources it was asked for.
type noting struct{ on []policy.Resource }

func (n *noting) Decide(_ context.Context, _ policy.Principal, _ policy.Action, on policy.Resource) (policy.Decision, error) {
	n.on = append(n.on, on)
	return policy.Decision{Allow: true, Scope: policy.All}, nil
}

func TestPoliciesAreToldTheMount(t *testing.T) {
	y := mountstest.NewWriteFixture(t)
	y.Put(y.Near, "f")
	seen := &noting{}
	y.Deps.Decider = seen
	y.Build(y.Deps)
	files := transfer.CopyRequest{Items: []transfer.CopyItem{{Source: "/m/f", Target: "/far/f"}}}
	for name, c := range map[string]struct {
		do   func() error
		want string
	}{
		"list": {func() error {
			_, err := y.List(t.Context(), mountstest.Admin, mounts.ListQuery{Path: "/m"})
			return err
		}, "m"},
		"above": {func() error {
			_, err := y.List(t.Context(), mountstest.Admin, mounts.ListQuery{Path: "/v"})
			return err
		}, ""},
		"get": {func() error { _, err := y.Get(t.Context(), mountstest.Admin, "/m/f"); return err }, "m"},
		"write": {func() error {
			_, _, err := y.Write(t.Context(), mountstest.Admin, "/v/deep/n", strings.NewReader(""), mounts.Write{Overwrite: true})
			return err
		}, "deep"},
		"copy": {func() error { _, err := y.Copy(t.Context(), mountstest.Admin, files); return err }, "m"},
		"dav":  {func() error { _, err := y.Browse(t.Context(), mountstest.AdminByDAV, "/twin", true); return err }, "twin"},
	} {
		seen.on = nil
		if err := c.do(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if len(seen.on) != 1 || seen.on[0].Mount != c.want || seen.on[0].ID != c.want || seen.on[0].Kind != "mount" {
			t.Errorf("%s: asked for %+v, want the mount %q", name, seen.on, c.want)
		}
	}
}
