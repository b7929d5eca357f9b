package enginetest

import (
	"encoding/json"
	"fmt"
	"testing"

	"pasteport/adapters/httpapi"
	"pasteport/adapters/httpapi/edgetest"
	"pasteport/domain/domaintest"
	"pasteport/domain/keys"
	"pasteport/domain/settings"
	"pasteport/domain/storage"
	"pasteport/ports"
	"pasteport/ports/policy"
	"pasteport/ports/portstest"
)

// Panel is an API without an operation over real accounts, keys, settings and
// storage configs in memory: "public" on the local disk and "private" on S3. Its
// answers are compared with the API description.
type Panel struct {
	*httpapi.API
	edgetest.Client
	Clock    *portstest.Clock
	Random   *portstest.Random
	Hasher   *portstest.Hasher
	Memory   *domaintest.Memory
	Decider  policy.Decider // asks the rules; to be given to use cases
	Settings *settings.Settings
	Access   *keys.Access
	Opener   *storage.Opener
	Configs  *storage.Configs
}

// PanelPassword is that of the administrator, whose name is "admin".
const PanelPassword = "a quiet river"

// PanelParts are what a panel asks.
type PanelParts struct {
	Rules   policy.Decider
	Shares  keys.Shares // of keys
	Drivers interface {
		storage.Catalogue
		ports.Prober
	}
	Uses   storage.Uses
	Change func(*httpapi.Options) // nil: none
}

// NewPanel makes a panel.
func NewPanel(t testing.TB, parts PanelParts) *Panel {
	t.Helper()
	clock, events := portstest.NewClock(), &portstest.Invalidation{}
	p := &Panel{Client: edgetest.Client{T: t}, Clock: clock, Random: &portstest.Random{}, Hasher: &portstest.Hasher{},
		Memory: domaintest.NewMemory(clock), Decider: httpapi.Watched(parts.Rules)}
	p.Settings = settings.New(settings.Deps{Repository: p.Memory.Settings(), Decider: p.Decider, Invalidation: events, Clock: clock})
	if err := p.Settings.Seed(t.Context(), 1); err != nil {
		t.Fatal(err)
	}
	p.Access = keys.New(keys.Deps{Keys: p.Memory.Keys(), Admins: p.Memory.Admins(), Sessions: p.Memory.Sessions(), Work: p.Memory,
		Guesses: p.Memory.Guesses(), Hasher: p.Hasher, MAC: portstest.MAC{}, Random: p.Random, Clock: clock, Invalidation: events,
		Decider: p.Decider, Site: p.Settings.Values(), Shares: parts.Shares})
	made, err := p.Access.FirstAdmin(t.Context(), "admin", PanelPassword)
	if err != nil {
		t.Fatal(err)
	}
	p.Opener = storage.NewOpener(p.Memory.StorageConfigs(), parts.Drivers, portstest.Sealer{}, portstest.MAC{}, clock)
	t.Cleanup(func() { _ = p.Opener.Close() })
	p.Configs = storage.NewConfigs(storage.Deps{Configs: p.Memory.StorageConfigs(), Drivers: parts.Drivers, Opener: p.Opener, Work: p.Memory,
		Sealer: portstest.Sealer{}, Invalidation: events, Decider: p.Decider, Prober: parts.Drivers, Random: p.Random, Clock: clock, Uses: parts.Uses})
	for _, c := range []storage.Config{
		{ID: "public", Name: "b open", Driver: "local", ProviderType: "Local disk", StorageType: "LOCAL", Options: `{"directory":"files"}`, IsPublic: true, IsDefault: true, TotalStorageBytes: 1000},
		{ID: "private", Name: "a closed", Driver: "s3", ProviderType: "Other", StorageType: "S3", EndpointURL: "https://s3.example", BucketName: "bucket",
			Sealed: []byte("sealed-secret"), CustomHost: "https://cdn.example", AdminID: made.ID, SignatureExpiresIn: 3600},
	} {
		if err := p.Memory.StorageConfigs().Insert(t.Context(), &c); err != nil {
			t.Fatal(err)
		}
	}
	opts := httpapi.Options{Auth: p.Access, Language: edgetest.InChinese, Idempotency: p.Memory.Idempotency(), Work: p.Memory, Decider: p.Decider, Clock: clock, CORSOrigins: p.Settings.Values().CORSOrigins,
		Undecided: func(op string, asked []policy.Action) { t.Errorf("%s asked %v", op, asked) }}
	if parts.Change != nil {
		parts.Change(&opts)
	}
	p.API = httpapi.New(opts)
	p.Handler = p.API
	return p
}

// SignIn returns the Authorization header of a fresh session.
func (p *Panel) SignIn() string {
	p.T.Helper()
	a := p.Call("POST", "/api/admin/login", fmt.Sprintf(`{"username":"admin","password":%q}`, PanelPassword))
	var data struct{ Token string }
	if err := json.Unmarshal(a.Data, &data); err != nil || data.Token == "" {
		p.T.Fatalf("signing in: %s, %v", a.Body, err)
	}
	return "Bearer " + data.Token
}

// Want checks status, code of the envelope and machine code of an answer.
func (p *Panel) Want(what string, a edgetest.Answer, status int, key string) {
	p.T.Helper()
	if a.ResponseRecorder.Code != status || a.Error != key || (status >= 400 && (a.Code != status || a.Success || a.Message == "" || a.ID == "")) {
		p.T.Errorf("%s: %d %s, want %d %s", what, a.ResponseRecorder.Code, a.Body, status, key)
	}
}
