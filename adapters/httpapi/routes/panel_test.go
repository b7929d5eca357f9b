package routes

import (
	"context"
	"testing"

	"pasteport/adapters/httpapi/adminapi"
	"pasteport/adapters/httpapi/enginetest"
	"pasteport/domain/keys"
	"pasteport/domain/storage"
	"pasteport/ports"
	"pasteport/ports/objstore"
	"pasteport/ports/policy"
	"pasteport/ports/portstest"
)

// adminOnly allows everything to the administrator, and to everybody to sign in
// and to read about the site.
type adminOnly struct{}

func (adminOnly) Decide(_ context.Context, who policy.Principal, do policy.Action, _ policy.Resource) (policy.Decision, error) {
	return policy.Decision{Allow: who.Kind == policy.Admin || do == policy.SessionOpen || do == policy.SiteRead, Scope: policy.All}, nil
}

// noShares has nothing that a key has shared.
type noShares struct{}

func (noShares) CountShares(context.Context, string) (keys.Shared, error) { return keys.Shared{}, nil }

func (noShares) RevokeShares(context.Context, string) (keys.Shared, error) { return keys.Shared{}, nil }

// twoDrivers are those of the storages of panel.
type twoDrivers struct{}

func (twoDrivers) Drivers() []string { return []string{"local", "s3"} }

func (twoDrivers) Driver(name string) (objstore.Driver, error) {
	about := objstore.Info{Name: name, StorageType: "S3", Features: portstest.MemoryFeatures}
	switch name {
	case "local":
		about.StorageType = "LOCAL"
		about.Features.HTTPLinks, about.Features.LocalLinks = false, true
	case "s3":
	default:
		return nil, ports.ErrNotFound
	}
	return portstest.Driver{About: about, New: func(objstore.Config) (objstore.Bucket, error) { return portstest.NewBucket(), nil }}, nil
}

// Probe reaches nothing.
func (twoDrivers) Probe(context.Context, ports.Probe) (ports.ProbeAnswer, error) {
	return ports.ProbeAnswer{}, ports.ErrUnavailable
}

// newPanel is every operation of the product over real accounts, keys, settings
// and storage configs in memory.
func newPanel(t testing.TB) *enginetest.Panel {
	t.Helper()
	unused := func(context.Context, string) (int64, error) { return 0, nil }
	p := enginetest.NewPanel(t, enginetest.PanelParts{Rules: adminOnly{}, Shares: noShares{}, Drivers: twoDrivers{}, Uses: storage.Uses{Files: unused, Mounts: unused}})
	Register(p.API, UseCases{Admin: adminapi.UseCases{Access: p.Access, Keys: keys.NewKeys(p.Access), Settings: p.Settings, Storage: p.Configs,
		System: &adminapi.System{Decider: p.Decider, Settings: p.Settings.Values(), Clock: p.Clock}}})
	return p
}
