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
	"pasteport/adapters/httpapi/enginetest"
	"pasteport/adapters/httpapi/shareapi"
	"pasteport/adapters/httpapi/treeapi"
	"pasteport/domain/audit"
	"pasteport/domain/keys"
	"pasteport/domain/shares"
	"pasteport/domain/shares/revisions"
	"pasteport/domain/shares/versions"
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

// house is the operations of the panel, of shares and of the tree, over the real
// modules and a database in memory.
type house struct {
	*enginetest.Panel
	audit   auditTo // where changes are noted
	log     bytes.Buffer
	rules   *houseRules
	usable  error
	drivers houseDrivers
	uses    map[string]int64 // files by storage config
	// mountUses are mounts by storage config.
	mountUses map[string]int64
	pastes    *shares.Pastes
	files     *shares.Files
}

func newHouse(t testing.TB) *house {
	t.Helper()
	h := &house{rules: &houseRules{}, uses: map[string]int64{}, mountUses: map[string]int64{}}
	h.Panel = enginetest.NewPanel(t, enginetest.PanelParts{Rules: h.rules, Shares: houseShares{h}, Drivers: &h.drivers,
		Uses: storage.Uses{Files: func(_ context.Context, id string) (int64, error) { return h.uses[id], nil },
			Mounts: func(_ context.Context, id string) (int64, error) { return h.mountUses[id], nil }},
		Change: func(o *httpapi.Options) { o.Audit, o.Log = &h.audit, slog.New(slog.NewTextHandler(&h.log, nil)) }})
	deps := shares.Deps{Uploads: h.Memory.UploadSessions(h.Opener, nil, h.Clock), Pastes: h.Memory.Pastes(), Files: h.Memory.Files(), FileObjects: h.Memory.FileObjects(), Storages: noStorages{}, Decider: h.Decider, Hasher: h.Hasher,
		Guesses: h.Memory.Guesses(), MAC: portstest.MAC{}, Random: h.Random, Clock: h.Clock, Settings: h.Settings.Values(), Work: h.Memory}
	deps.Replaced = versions.NewKeeper(deps, h.Memory.FileVersions())
	h.pastes, h.files = shares.NewPastes(deps), shares.NewFiles(deps)
	shareapi.Register(h.API, shareapi.UseCases{Pastes: h.pastes, Revisions: revisions.New(h.pastes, h.Memory.Revisions()), Files: h.files, Visits: shares.NewFileVisits(h.files), Uploads: shares.NewFileUploads(h.files),
		Blobs: storage.NewBlobs(h.Opener, func() int64 { return 1 << 20 }, nil, nil)})
	treeapi.Register(h.API, treeapi.UseCases{})
	Register(h.API, UseCases{Access: h.Access, Keys: keys.NewKeys(h.Access), Settings: h.Settings, Storage: h.Configs, Pastes: h.pastes, Files: h.files,
		System: &System{Decider: h.Decider, Advisor: h.rules, Settings: h.Settings.Values(), Clock: h.Clock, Version: "1.2.3", Environment: "Go", Storage: "SQLite",
			Started: h.Clock.Now(), Usable: func(context.Context) error { return h.usable },
			Caches: map[string]Cache{"pastes": h.pastes, "files": h.files}}})
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
func (noStorages) Storage(context.Context, string) (objstore.Storage, error) {
	return objstore.Storage{}, ports.ErrNotFound
}
func (noStorages) Default(context.Context, bool) (objstore.Storage, error) {
	return objstore.Storage{}, ports.ErrNotFound
}

// key makes an API key and returns its header and id.
func (h *house) key(admin string, permissions int) (header, id string) {
	h.T.Helper()
	a := h.Call("POST", "/api/admin/api-keys", fmt.Sprintf(`{"name":"key %s","permissions":%d,"expires_at":"never"}`, h.Random.ID(), permissions), "Authorization", admin)
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
