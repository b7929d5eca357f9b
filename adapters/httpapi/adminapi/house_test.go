package adminapi

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"testing"

	"pasteport/adapters/httpapi"
	"pasteport/adapters/httpapi/edgetest"
	"pasteport/adapters/httpapi/shareapi"
	"pasteport/adapters/httpapi/treeapi"
	"pasteport/domain/audit"
	"pasteport/domain/domaintest"
	"pasteport/domain/keys"
	"pasteport/domain/settings"
	"pasteport/domain/shares"
	"pasteport/domain/storage"
	"pasteport/ports"
	"pasteport/ports/objstore"
	"pasteport/ports/policy"
	"pasteport/ports/portstest"
)

// asking is what a decider was asked.
type asking struct {
	Do policy.Action
	On policy.Resource
}

// houseRules are the shipped rules as far as the tests of accounts, keys,
// settings and storage need them.
type houseRules struct {
	failure  error
	foreseen []asking
}

func (h *houseRules) Decide(_ context.Context, who policy.Principal, do policy.Action, _ policy.Resource) (policy.Decision, error) {
	allow := who.Kind == policy.Admin
	switch do {
	case policy.SiteRead, policy.SessionOpen, policy.SessionClose, policy.ShareView:
		allow = true
	case policy.PasteCreate:
		allow = allow || who.Permissions&policy.PermText != 0
	case policy.KeySelf:
		allow = allow || who.Kind == policy.APIKey
	case policy.StorageList:
		allow = allow || who.Permissions&policy.PermFileShare != 0
	}
	return policy.Decision{Allow: allow, Scope: policy.All}, h.failure
}

// Would is asked by hints only.
func (h *houseRules) Would(ctx context.Context, who policy.Principal, do policy.Action, on policy.Resource) (policy.Decision, error) {
	h.foreseen = append(h.foreseen, asking{do, on})
	d, err := h.Decide(ctx, who, do, on)
	if err != nil {
		err = &ports.Error{Code: ports.Unavailable, Key: "policy_unavailable", Cause: err}
	}
	return d, err
}

// house is the edge over the real modules and a database in memory.
type house struct {
	*httpapi.API
	edgetest.Client
	audit    auditTo // where changes are noted
	log      bytes.Buffer
	clock    *portstest.Clock
	memory   *domaintest.Memory
	rules    *houseRules
	hasher   *portstest.Hasher
	random   *portstest.Random
	settings *settings.Settings
	usable   error
	opener   *storage.Opener
	drivers  houseDrivers
	events   *portstest.Invalidation
	uses     map[string]int64 // files by storage config
	// mountUses are mounts by storage config.
	mountUses map[string]int64
	pastes    *shares.Pastes
	files     *shares.Files
}

const housePassword = "a quiet river"

func newHouse(t testing.TB) *house {
	t.Helper()
	clock := portstest.NewClock()
	h := &house{Client: edgetest.Client{T: t}, clock: clock, memory: domaintest.NewMemory(clock), rules: &houseRules{}, hasher: &portstest.Hasher{}, random: &portstest.Random{}}
	decider, events := httpapi.Watched(h.rules), &portstest.Invalidation{}
	h.events, h.uses, h.mountUses = events, map[string]int64{}, map[string]int64{}
	h.settings = settings.New(settings.Deps{Repository: h.memory.Settings(), Decider: decider, Invalidation: events, Clock: clock})
	if err := h.settings.Seed(t.Context(), 1); err != nil {
		t.Fatal(err)
	}
	access := keys.New(keys.Deps{Keys: h.memory.Keys(), Admins: h.memory.Admins(), Sessions: h.memory.Sessions(), Work: h.memory,
		Guesses: h.memory.Guesses(), Hasher: h.hasher, MAC: portstest.MAC{}, Random: h.random, Clock: clock, Invalidation: events,
		Decider: decider, Site: h.settings.Values(), Shares: houseShares{h}})
	made, err := access.FirstAdmin(t.Context(), "admin", housePassword)
	if err != nil {
		t.Fatal(err)
	}
	h.opener = storage.NewOpener(h.memory.StorageConfigs(), &h.drivers, portstest.Sealer{}, portstest.MAC{}, clock)
	t.Cleanup(func() { _ = h.opener.Close() })
	configs := storage.NewConfigs(storage.Deps{Configs: h.memory.StorageConfigs(), Drivers: &h.drivers, Opener: h.opener, Work: h.memory,
		Sealer: portstest.Sealer{}, Invalidation: events, Decider: decider, Prober: &h.drivers, Random: h.random, Clock: clock,
		Uses: storage.Uses{Files: func(_ context.Context, id string) (int64, error) { return h.uses[id], nil },
			Mounts: func(_ context.Context, id string) (int64, error) { return h.mountUses[id], nil }}})
	deps := shares.Deps{Uploads: h.memory.UploadSessions(h.opener, nil, clock), Pastes: h.memory.Pastes(), PasteRemains: h.memory.PasteRemains(), Files: h.memory.Files(), FileObjects: h.memory.FileObjects(), FileRemains: h.memory.FileRemains(), Storages: noStorages{}, Decider: decider, Hasher: h.hasher,
		Guesses: h.memory.Guesses(), MAC: portstest.MAC{}, Random: h.random, Clock: clock, Settings: h.settings.Values()}
	h.API = httpapi.New(httpapi.Options{Auth: access, Language: edgetest.InChinese, Idempotency: h.memory.Idempotency(), Work: h.memory, Decider: decider, Clock: clock, CORSOrigins: h.settings.Values().CORSOrigins,
		Audit: &h.audit, Log: slog.New(slog.NewTextHandler(&h.log, nil)),
		Undecided: func(op string, asked []policy.Action) { t.Errorf("%s asked %v", op, asked) }})
	h.Handler = h.API
	pastes, files := shares.NewPastes(deps), shares.NewFiles(deps)
	h.pastes, h.files = pastes, files
	shareapi.Register(h.API, shareapi.UseCases{Pastes: pastes, Files: files, Visits: shares.NewFileVisits(files), Uploads: shares.NewFileUploads(files),
		Blobs: storage.NewBlobs(h.opener, func() int64 { return 1 << 20 }, nil, nil)})
	treeapi.Register(h.API, treeapi.UseCases{})
	Register(h.API, UseCases{Access: access, Keys: keys.NewKeys(access), Settings: h.settings, Storage: configs, Pastes: pastes, Files: files,
		System: &System{Decider: decider, Advisor: h.rules, Settings: h.settings.Values(), Clock: clock, Version: "1.2.3", Environment: "Go", Storage: "SQLite",
			Started: clock.Now(), Usable: func(context.Context) error { return h.usable },
			Caches: map[string]Cache{"pastes": pastes, "files": files}}})
	for _, c := range []storage.Config{
		{ID: "public", Name: "b open", Driver: "local", ProviderType: "Local disk", StorageType: "LOCAL", Options: `{"directory":"files"}`, IsPublic: true, IsDefault: true, TotalStorageBytes: 1000},
		{ID: "private", Name: "a closed", Driver: "s3", ProviderType: "Other", StorageType: "S3", EndpointURL: "https://s3.example", BucketName: "bucket",
			Sealed: []byte("sealed-secret"), CustomHost: "https://cdn.example", AdminID: made.ID, SignatureExpiresIn: 3600},
	} {
		if err := h.memory.StorageConfigs().Insert(t.Context(), &c); err != nil {
			t.Fatal(err)
		}
	}
	return h
}

// auditTo notes in an audit log that may change; without one nothing is noted.
type auditTo struct{ httpapi.AuditLog }

func (a *auditTo) Add(ctx context.Context, e audit.Entry) error {
	if a.AuditLog == nil {
		return nil
	}
	return a.AuditLog.Add(ctx, e)
}

// houseShares are the shares of keys.
type houseShares struct{ *house }

func (s houseShares) CountShares(ctx context.Context, owner string) (keys.Shared, error) {
	pastes, err := s.pastes.CountBy(ctx, owner)
	return keys.Shared{Pastes: pastes}, err
}

func (s houseShares) RevokeShares(ctx context.Context, owner string) (keys.Shared, error) {
	pastes, err := s.pastes.RevokeBy(ctx, owner)
	return keys.Shared{Pastes: pastes}, err
}

// noStorages has no storage to upload to.
type noStorages struct{}

func (noStorages) Bucket(context.Context, string) (objstore.Bucket, error) {
	return nil, ports.ErrUnavailable
}
func (noStorages) Storage(context.Context, string) (shares.Storage, error) {
	return shares.Storage{}, ports.ErrNotFound
}
func (noStorages) Default(context.Context, bool) (shares.Storage, error) {
	return shares.Storage{}, ports.ErrNotFound
}

// signIn returns the Authorization header of a fresh session.
func (h *house) signIn() string {
	h.T.Helper()
	a := h.Call("POST", "/api/admin/login", fmt.Sprintf(`{"username":"admin","password":%q}`, housePassword))
	var data struct{ Token string }
	h.data(a, &data)
	return "Bearer " + data.Token
}

// key makes an API key and returns its header and id.
func (h *house) key(admin string, permissions int) (header, id string) {
	h.T.Helper()
	a := h.Call("POST", "/api/admin/api-keys", fmt.Sprintf(`{"name":"key %s","permissions":%d,"expires_at":"never"}`, h.random.ID(), permissions), "Authorization", admin)
	var data struct{ ID, Key string }
	h.data(a, &data)
	return "ApiKey " + data.Key, data.ID
}

// data decodes the data of a success.
func (h *house) data(a edgetest.Answer, v any) {
	h.T.Helper()
	if a.ResponseRecorder.Code != 200 {
		h.T.Fatalf("%d %s", a.ResponseRecorder.Code, a.Body)
	}
	if err := json.Unmarshal(a.Data, v); err != nil {
		h.T.Fatalf("%v in %s", err, a.Body)
	}
}

// want checks status, code of the envelope and machine code of an answer.
func (h *house) want(what string, a edgetest.Answer, status int, key string) {
	h.T.Helper()
	if a.ResponseRecorder.Code != status || a.Error != key || (status >= 400 && (a.Code != status || a.Success || a.Message == "" || a.ID == "")) {
		h.T.Errorf("%s: %d %s, want %d %s", what, a.ResponseRecorder.Code, a.Body, status, key)
	}
}
