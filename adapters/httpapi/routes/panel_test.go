package routes

import (
	"context"
	"encoding/json"
	"fmt"
	"testing"

	"pasteport/adapters/httpapi"
	"pasteport/adapters/httpapi/adminapi"
	"pasteport/adapters/httpapi/edgetest"
	"pasteport/domain/domaintest"
	"pasteport/domain/keys"
	"pasteport/domain/settings"
	"pasteport/domain/storage"
	"pasteport/ports"
	"pasteport/ports/objstore"
	"pasteport/ports/policy"
	"pasteport/ports/portstest"
)

// panel is every operation of the product over real accounts, keys, settings and
// storage configs in memory.
type panel struct {
	*httpapi.API
	edgetest.Client
	clock *portstest.Clock
}

const panelPassword = "a quiet river"

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

func newPanel(t testing.TB) *panel {
	t.Helper()
	clock, random, events := portstest.NewClock(), &portstest.Random{}, &portstest.Invalidation{}
	memory, decider := domaintest.NewMemory(clock), httpapi.Watched(adminOnly{})
	values := settings.New(settings.Deps{Repository: memory.Settings(), Decider: decider, Invalidation: events, Clock: clock})
	if err := values.Seed(t.Context(), 1); err != nil {
		t.Fatal(err)
	}
	access := keys.New(keys.Deps{Keys: memory.Keys(), Admins: memory.Admins(), Sessions: memory.Sessions(), Work: memory,
		Guesses: memory.Guesses(), Hasher: &portstest.Hasher{}, MAC: portstest.MAC{}, Random: random, Clock: clock, Invalidation: events,
		Decider: decider, Site: values.Values(), Shares: noShares{}})
	made, err := access.FirstAdmin(t.Context(), "admin", panelPassword)
	if err != nil {
		t.Fatal(err)
	}
	opener := storage.NewOpener(memory.StorageConfigs(), twoDrivers{}, portstest.Sealer{}, portstest.MAC{}, clock)
	t.Cleanup(func() { _ = opener.Close() })
	unused := func(context.Context, string) (int64, error) { return 0, nil }
	configs := storage.NewConfigs(storage.Deps{Configs: memory.StorageConfigs(), Drivers: twoDrivers{}, Opener: opener, Work: memory,
		Sealer: portstest.Sealer{}, Invalidation: events, Decider: decider, Prober: twoDrivers{}, Random: random, Clock: clock,
		Uses: storage.Uses{Files: unused, Mounts: unused}})
	p := &panel{Client: edgetest.Client{T: t}, clock: clock}
	p.API = httpapi.New(httpapi.Options{Auth: access, Language: edgetest.InChinese, Idempotency: memory.Idempotency(), Work: memory, Decider: decider, Clock: clock, CORSOrigins: values.Values().CORSOrigins,
		Undecided: func(op string, asked []policy.Action) { t.Errorf("%s asked %v", op, asked) }})
	p.Handler = p.API
	Register(p.API, UseCases{Admin: adminapi.UseCases{Access: access, Keys: keys.NewKeys(access), Settings: values, Storage: configs, System: &adminapi.System{Decider: decider, Settings: values.Values(), Clock: clock}}})
	for _, c := range []storage.Config{
		{ID: "public", Name: "b open", Driver: "local", ProviderType: "Local disk", StorageType: "LOCAL", Options: `{"directory":"files"}`, IsPublic: true, IsDefault: true, TotalStorageBytes: 1000},
		{ID: "private", Name: "a closed", Driver: "s3", ProviderType: "Other", StorageType: "S3", EndpointURL: "https://s3.example", BucketName: "bucket",
			Sealed: []byte("sealed-secret"), CustomHost: "https://cdn.example", AdminID: made.ID, SignatureExpiresIn: 3600},
	} {
		if err := memory.StorageConfigs().Insert(t.Context(), &c); err != nil {
			t.Fatal(err)
		}
	}
	return p
}

// signIn returns the Authorization header of a fresh session.
func (p *panel) signIn() string {
	p.T.Helper()
	a := p.Call("POST", "/api/admin/login", fmt.Sprintf(`{"username":"admin","password":%q}`, panelPassword))
	var data struct{ Token string }
	if err := json.Unmarshal(a.Data, &data); err != nil || data.Token == "" {
		p.T.Fatalf("signing in: %s, %v", a.Body, err)
	}
	return "Bearer " + data.Token
}

// want checks status, code of the envelope and machine code of an answer.
func (p *panel) want(what string, a edgetest.Answer, status int, key string) {
	p.T.Helper()
	if a.ResponseRecorder.Code != status || a.Error != key || (status >= 400 && (a.Code != status || a.Success || a.Message == "" || a.ID == "")) {
		p.T.Errorf("%s: %d %s, want %d %s", what, a.ResponseRecorder.Code, a.Body, status, key)
	}
}
