package predecessor_test

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"pasteport/adapters/predecessor"
	"pasteport/adapters/predecessor/predecessortest"
	"pasteport/domain/domaintest"
	"pasteport/domain/keys"
	"pasteport/domain/mounts"
	"pasteport/domain/settings"
	"pasteport/domain/shares"
	"pasteport/domain/storage"
	"pasteport/ports"
	"pasteport/ports/objstore"
	"pasteport/ports/policy"
	"pasteport/ports/portstest"
)

// world is an empty server in memory.
type world struct {
	t      *testing.T
	clock  *portstest.Clock
	memory *domaintest.Memory
	events *portstest.Invalidation
	target predecessor.Target
}

// catalogue has the S3 drivers, as far as checking configs needs them.
type catalogue struct{}

func (catalogue) Drivers() []string { return []string{"aws", "r2", "s3"} }
func (catalogue) Driver(name string) (objstore.Driver, error) {
	if !slices.Contains(catalogue{}.Drivers(), name) {
		return nil, ports.ErrNotFound
	}
	return s3Driver{}, nil
}

type s3Driver struct{ objstore.Driver }

func (s3Driver) Info(context.Context) (objstore.Info, error) {
	return objstore.Info{Name: "s3", StorageType: "S3", Fields: []objstore.Field{
		{Key: "endpoint_url", Type: "url", Required: true}, {Key: "bucket_name", Type: "text", Required: true}, {Key: "region", Type: "text"}, {Key: "path_style", Type: "bool"},
		{Key: "access_key_id", Type: "text", Required: true}, {Key: "secret_access_key", Type: "text", Required: true, Secret: true},
	}}, nil
}

func newWorld(t *testing.T) *world {
	clock := portstest.NewClock()
	m := domaintest.NewMemory(clock)
	w := &world{t: t, clock: clock, memory: m, events: &portstest.Invalidation{}}
	configs := storage.NewConfigs(storage.Deps{Configs: m.StorageConfigs(), Drivers: catalogue{}, Work: m, Sealer: portstest.Sealer{}, Clock: clock, Random: &portstest.Random{}})
	now := clock.Now()
	err := m.Settings().Seed(t.Context(), settings.Setting{Key: "max_upload_size", Value: "100", CreatedAt: now, UpdatedAt: now},
		settings.Setting{Key: "site_title", Value: "Pasteport", CreatedAt: now, UpdatedAt: now})
	if err != nil {
		t.Fatal(err)
	}
	w.target = predecessor.Target{
		Work: m, Admins: m.Admins(), Settings: m.Settings(), Configs: m.StorageConfigs(), Keys: m.Keys(), Mounts: m.Mounts(), Pastes: m.Pastes(), Files: m.Files(),
		Invalidation: w.events, MAC: portstest.MAC{}, Hasher: &portstest.Hasher{}, Clock: clock, PrepareConfig: configs.Adopt,
		FirstAdmin: func(ctx context.Context) (*keys.NewAdmin, error) {
			made := &keys.NewAdmin{ID: "made", Username: "admin", Password: "random"}
			return made, m.Admins().Insert(ctx, &keys.Admin{ID: made.ID, Username: made.Username, PasswordHash: "fake$random"})
		},
	}
	return w
}

// try imports a file and returns the error.
func (w *world) try(file, secret string) (*predecessor.Report, error) {
	w.t.Helper()
	src, err := predecessor.Open(w.t.Context(), file)
	if err != nil {
		w.t.Fatal(err)
	}
	defer func() {
		if err := src.Close(); err != nil {
			w.t.Error(err)
		}
	}()
	return predecessor.Import(w.t.Context(), src, w.target, secret)
}

func (w *world) run(file string) *predecessor.Report {
	w.t.Helper()
	report, err := w.try(file, predecessortest.Secret)
	if err != nil {
		w.t.Fatal(err)
	}
	return report
}

// content is all that the server holds, as text.
func (w *world) content() string {
	w.t.Helper()
	all := map[string]any{}
	keep := func(name string, value any, err error) {
		if err != nil {
			w.t.Fatal(err)
		}
		all[name] = value
	}
	ctx := w.t.Context()
	admins, err := w.memory.Admins().List(ctx, keys.AdminFilter{})
	keep("admins", admins, err)
	rows, err := w.memory.Settings().All(ctx)
	keep("settings", rows, err)
	configs, err := w.memory.StorageConfigs().List(ctx, storage.ConfigFilter{})
	keep("configs", configs, err)
	apiKeys, err := w.memory.Keys().List(ctx, keys.KeyFilter{})
	keep("keys", apiKeys, err)
	tree, err := w.memory.Mounts().List(ctx, mounts.MountFilter{})
	keep("mounts", tree, err)
	pastes, err := w.memory.Pastes().List(ctx, shares.PasteFilter{Content: shares.WholeContent})
	keep("pastes", pastes, err)
	files, err := w.memory.Files().List(ctx, shares.FileFilter{})
	keep("files", files, err)
	text, err := json.MarshalIndent(all, "", " ")
	keep("", nil, err)
	return string(text)
}

// reasons are the items of a part by label.
func reasons(items []predecessor.Item) map[string]string {
	m := map[string]string{}
	for _, item := range items {
		m[item.Label] = item.Reason
	}
	return m
}

func part(t *testing.T, r *predecessor.Report, name string) *predecessor.Part {
	t.Helper()
	for _, p := range r.Parts {
		if p.Name == name {
			return p
		}
	}
	t.Fatalf("the report says nothing of %s", name)
	return nil
}

// saysOf checks that items name exactly these records, with these words.
func saysOf(t *testing.T, what string, items []predecessor.Item, want map[string]string) {
	t.Helper()
	got := reasons(items)
	for name, words := range want {
		if !strings.Contains(got[name], words) {
			t.Errorf("%s %q: %q, want words like %q", what, name, got[name], words)
		}
	}
	for name, words := range got {
		if _, expected := want[name]; !expected {
			t.Errorf("%s %q: %q, want nothing", what, name, words)
		}
	}
}

const (
	bossID   = "11111111-1111-4111-8111-111111111111"
	bucketID = "33333333-3333-4333-8333-000000000001"
)

func TestTextsComeAsTheyWere(t *testing.T) {
	w := newWorld(t)
	report := w.run(predecessortest.Make(t, "v17", predecessortest.Away))
	p := part(t, report, "texts")
	saysOf(t, "left", p.Left, map[string]string{
		strings.Repeat("x", 51): "link is not 1 to 50", "a/b": "link is not 1 to 50", "empty": "it is empty", "broken": "content is not a text", "never": "expires_at is not a time",
		"negative": "max_views is negative", "halves": "max_views is not a whole number", "badhash": "password cannot be checked", "noid": "no id",
	})
	saysOf(t, "noted", p.Notes, map[string]string{"case": "updated_at could not be read", "chatty": "remark was cut"})
	if p.Added != 11 || p.Present != 0 || len(p.Conflicts) != 0 {
		t.Errorf("%+v", p)
	}
	day := time.Date(2025, 8, 1, 10, 0, 0, 0, time.UTC)
	end := time.Date(2099, 1, 1, 0, 0, 0, 0, time.UTC)
	for slug, check := range map[string]func(p *shares.Paste) bool{
		"plain": func(p *shares.Paste) bool {
			return string(p.Content) == "# Hello\nfrom before" && p.Size == 19 && p.Remark == "a remark" && p.Views == 7 && p.CreatedBy == bossID && p.Version == 1 &&
				p.CreatedAt.Equal(day.Add(123*time.Millisecond)) && p.UpdatedAt.Equal(time.Date(2025, 8, 2, 11, 0, 0, 0, time.UTC)) && !p.Protected() && p.ExpiresAt == nil
		},
		"locked": func(p *shares.Paste) bool {
			return len(p.PasswordHash) == 64 && p.MaxViews == 100 && p.Views == 3 && p.ExpiresAt.Equal(end) && p.CreatedBy == "apikey:22222222-2222-4222-8222-000000000001"
		},
		"Case":   func(p *shares.Paste) bool { return string(p.Content) == "upper" && p.CreatedBy == bossID },
		"case":   func(p *shares.Paste) bool { return string(p.Content) == "lower" },
		"usedup": func(p *shares.Paste) bool { return p.UsedUp() && p.UsedUpAt.Equal(day) },
		"over":   func(p *shares.Paste) bool { return p.Expired(w.clock.Now()) },
		"admin":  func(p *shares.Paste) bool { return p.Size > 0 },
		"clear":  func(p *shares.Paste) bool { return p.PasswordHash == "fake$open as day" },
		"oddid":  func(p *shares.Paste) bool { return len(p.ID) == 36 },
		"chatty": func(p *shares.Paste) bool { return len(p.Remark) == shares.MaxRemark },
		"blob":   func(p *shares.Paste) bool { return string(p.Content) == "bytes" },
	} {
		paste, err := w.memory.Pastes().BySlug(t.Context(), slug)
		if err != nil {
			t.Errorf("%s: %v", slug, err)
		} else if whole, err := w.memory.Pastes().Get(t.Context(), paste.ID); err != nil || !check(whole) {
			t.Errorf("%s: %+v, %v", slug, whole, err)
		}
	}
}

func TestFilesComeWithTheirStorage(t *testing.T) {
	w := newWorld(t)
	report := w.run(predecessortest.Make(t, "v17", predecessortest.Away))
	p := part(t, report, "files")
	saysOf(t, "left", p.Left, map[string]string{
		"lost": "storage config was not taken over", "undermined": "storage config was not taken over", "climbing": "key of its object is unclean",
		"sizeless": "size is not a whole number", "control": "filename",
	})
	saysOf(t, "noted", p.Notes, map[string]string{"late": "its object stays", "drained": "its object stays"})
	if p.Added != 5 {
		t.Errorf("%+v", p)
	}
	for _, slug := range []string{"late", "drained"} {
		if f, err := w.memory.Files().BySlug(t.Context(), slug); err != nil || f.ErasedAt == nil {
			t.Errorf("%s: the janitor would remove an object that the predecessor kept: %+v, %v", slug, f, err)
		}
	}
	report1, err := w.memory.Files().BySlug(t.Context(), "report")
	if err != nil || report1.StorageConfigID != bucketID || report1.StorageType != "S3" || report1.StoragePath != "in/report.txt" || report1.ETag != "abc" || report1.Size != 18 ||
		report1.MimeType != "text/plain" || !report1.UseProxy || report1.Pending || report1.Views != 4 {
		t.Errorf("%+v, %v", report1, err)
	}
	secret, err := w.memory.Files().BySlug(t.Context(), "secret")
	if err != nil || !secret.Protected() || secret.FilePath != "/docs/in/secret.pdf" || secret.Pending || secret.Filename != "报告 1.pdf" {
		t.Errorf("%+v, %v", secret, err)
	}
}

func TestStorageConfigsAreSealedAnew(t *testing.T) {
	w := newWorld(t)
	report := w.run(predecessortest.Make(t, "v17", predecessortest.Away))
	p := part(t, report, "storage configs")
	saysOf(t, "left", p.Left, map[string]string{"damaged": "access_key_id is damaged", "unreachable": "endpoint_url"})
	saysOf(t, "noted", p.Notes, map[string]string{"plain": "custom host"})
	c, err := w.memory.StorageConfigs().Get(t.Context(), bucketID)
	if err != nil || c.Driver != "s3" || c.EndpointURL != "http://127.0.0.1:9" || c.BucketName != "old-bucket" || !c.PathStyle || c.DefaultFolder != "in" || !c.IsPublic || !c.IsDefault ||
		c.TotalStorageBytes != 10<<30 || c.AdminID != bossID || c.SignatureExpiresIn != 3600 {
		t.Fatalf("%+v, %v", c, err)
	}
	plain, err := portstest.Sealer{}.Open(c.Sealed, "storage_configs/"+bucketID+"/credentials")
	if err != nil || !strings.Contains(string(plain), "old secret / key") || !strings.Contains(string(plain), "AKOLD") {
		t.Errorf("unsealed %q, %v", plain, err)
	}
}

func TestKeysComeWithTheirValues(t *testing.T) {
	w := newWorld(t)
	report := w.run(predecessortest.Make(t, "v17", predecessortest.Away))
	p := part(t, report, "API keys")
	saysOf(t, "left", p.Left, map[string]string{"expired": "it has expired", "climber": "basic_path", "timeless": "expires_at is not a time", "wordy": "permissions is not a whole number"})
	saysOf(t, "noted", p.Notes, map[string]string{"short": "easy to guess", "bits": "role is unknown"})
	access := keys.New(keys.Deps{Keys: w.memory.Keys(), Admins: w.memory.Admins(), Guesses: w.memory.Guesses(), MAC: portstest.MAC{}, Hasher: &portstest.Hasher{}, Clock: w.clock})
	who, err := access.Authenticate(t.Context(), keys.Credential{Scheme: "apikey", Token: "Ab3dEf6hIj9k"})
	if err != nil || who.Name != "uploader" || who.BasicPath != "/docs" || who.Permissions != 771 {
		t.Errorf("%+v, %v", who, err)
	}
	if who, err := access.Authenticate(t.Context(), keys.Credential{Scheme: "apikey", Token: "Zb3dEf6hIj9k"}); err != nil || who.Permissions != policy.PermText || !who.Guest || who.BasicPath != "/" {
		t.Errorf("unknown bits: %+v, %v", who, err)
	}
	for _, value := range []string{"abc", "Xb3dEf6hIj9k"} {
		if who, err := access.Authenticate(t.Context(), keys.Credential{Scheme: "apikey", Token: value}); !ports.Is(err, ports.Unauthenticated) {
			t.Errorf("%s lets in %+v, %v", value, who, err)
		}
	}
	if strings.Contains(w.content(), "Ab3dEf6hIj9k") {
		t.Error("the value of a key is stored")
	}
}

func TestMountsComeWithWhatGuardsThem(t *testing.T) {
	w := newWorld(t)
	report := w.run(predecessortest.Make(t, "v17", predecessortest.Away))
	p := part(t, report, "mounts")
	saysOf(t, "left", p.Left, map[string]string{"/etc": "reserved", "/none": "storage config", "/maybe": "enable_sign is neither"})
	saysOf(t, "in conflict", p.Conflicts, map[string]string{"/docs/": "path is taken"})
	got := reasons(p.Notes)
	if p.Added != 2 || got["/odd"] == "" {
		t.Errorf("%+v", p)
	}
	docs, err := w.memory.Mounts().Get(t.Context(), "44444444-4444-4444-8444-000000000001")
	if err != nil || docs.Path != "/docs" || !docs.WebProxy || !docs.EnableSign || *docs.SignExpires != 3600 || docs.CacheTTL != 60 || docs.WebDAVPolicy != mounts.Native || docs.SortOrder != 2 || docs.StorageType != "S3" {
		t.Errorf("%+v, %v", docs, err)
	}
	odd, err := w.memory.Mounts().Get(t.Context(), "44444444-4444-4444-8444-000000000005")
	if err != nil || odd.Active || odd.CacheTTL != mounts.MaxCacheTTL {
		t.Errorf("%+v, %v", odd, err)
	}
}

func TestSettingsAndTheAdministratorCome(t *testing.T) {
	w := newWorld(t)
	report := w.run(predecessortest.Make(t, "v17", predecessortest.Away))
	p := part(t, report, "settings")
	if p.Added != 5 {
		t.Errorf("%+v", p)
	}
	got := reasons(p.Left)
	for _, key := range []string{"preview_document_types", "file_naming_strategy", "schema_version", "db_initialized", "migration_17", "some_old_switch"} {
		if got[key] == "" {
			t.Errorf("nothing is said of the setting %s", key)
		}
	}
	admins := part(t, report, "administrators")
	saysOf(t, "left", admins.Left, map[string]string{"deputy": "one administrator"})
	admin, err := w.memory.Admins().Get(t.Context(), bossID)
	if err != nil || admin.Username != "boss" || len(admin.PasswordHash) != 64 || report.NewAdmin != nil {
		t.Errorf("%+v, %v", admin, err)
	}
	left := reasons(part(t, report, "other tables").Left)
	for _, table := range []string{"admin_tokens (1 rows)", "paste_passwords (1 rows)", "file_passwords (1 rows)"} {
		if left[table] == "" {
			t.Errorf("nothing is said of %s: %v", table, left)
		}
	}
}

func TestASecondRunChangesNothing(t *testing.T) {
	w := newWorld(t)
	file := predecessortest.Make(t, "v17", predecessortest.Away)
	first := w.run(file)
	before, told := w.content(), len(w.events.Published())
	w.clock.Add(time.Hour)
	again := w.run(file)
	if after := w.content(); after != before {
		t.Errorf("before:\n%s\nafter:\n%s", before, after)
	}
	if len(w.events.Published()) != told {
		t.Errorf("nothing changed, and nodes were told %v", w.events.Published()[told:])
	}
	for i, p := range again.Parts {
		if p.Added != 0 || p.Present != first.Parts[i].Added+first.Parts[i].Present {
			t.Errorf("%s: first %+v, again %+v", p.Name, first.Parts[i], p)
		}
	}
}

func TestWhatChangedHereMeanwhileStays(t *testing.T) {
	w := newWorld(t)
	file := predecessortest.Make(t, "v17", predecessortest.Away)
	w.run(file)
	ctx := t.Context()
	now := w.clock.Now().Add(time.Hour)
	if err := w.memory.Settings().Put(ctx, settings.Setting{Key: "site_title", Value: "New", CreatedAt: now, UpdatedAt: now.Add(1)}); err != nil {
		t.Fatal(err)
	}
	paste, err := w.memory.Pastes().BySlug(ctx, "plain")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.memory.Pastes().Update(ctx, paste.ID, func(p *shares.Paste) error { p.Slug = "renamed"; return nil }); err != nil {
		t.Fatal(err)
	}
	report := w.run(file)
	saysOf(t, "in conflict", part(t, report, "settings").Conflicts, map[string]string{"site_title": "set to something else"})
	if _, err := w.memory.Pastes().BySlug(ctx, "plain"); !ports.Is(err, ports.NotFound) {
		t.Errorf("the old link is back: %v", err)
	}
}

func TestWhatIsInTheWayIsAConflict(t *testing.T) {
	w := newWorld(t)
	ctx := t.Context()
	if err := w.memory.Admins().Insert(ctx, &keys.Admin{ID: "here", Username: "root", PasswordHash: "x"}); err != nil {
		t.Fatal(err)
	}
	if err := w.memory.Pastes().Insert(ctx, &shares.Paste{ID: "mine", Slug: "plain", Content: []byte("mine"), Version: 1}); err != nil {
		t.Fatal(err)
	}
	if err := w.memory.Keys().Insert(ctx, &keys.Key{ID: "mine", Name: "uploader", MAC: "m"}); err != nil {
		t.Fatal(err)
	}
	if err := w.memory.StorageConfigs().Insert(ctx, &storage.Config{ID: "mine", Name: "disk", IsDefault: true}); err != nil {
		t.Fatal(err)
	}
	report := w.run(predecessortest.Make(t, "v17", predecessortest.Away))
	saysOf(t, "in conflict", part(t, report, "texts").Conflicts, map[string]string{"plain": "link is taken"})
	saysOf(t, "in conflict", part(t, report, "API keys").Conflicts, map[string]string{"uploader": "name or its value"})
	if mine, err := w.memory.Pastes().BySlug(ctx, "plain"); err != nil || mine.ID != "mine" {
		t.Errorf("%+v, %v", mine, err)
	}
	if c, err := w.memory.StorageConfigs().Get(ctx, bucketID); err != nil || c.IsDefault || c.AdminID != "here" {
		t.Errorf("%+v, %v", c, err)
	}
	if p, err := w.memory.Pastes().BySlug(ctx, "Case"); err != nil || p.CreatedBy != "here" {
		t.Errorf("%+v, %v", p, err)
	}
	saysOf(t, "left", part(t, report, "administrators").Left, map[string]string{"boss": "one administrator", "deputy": "one administrator"})
}

func TestAnEarlyVersion(t *testing.T) {
	w := newWorld(t)
	report := w.run(predecessortest.Make(t, "v3", predecessortest.Away))
	saysOf(t, "left", part(t, report, "administrators").Left, map[string]string{"admin": "everybody knows"})
	if report.NewAdmin == nil {
		t.Error("nobody can sign in")
	}
	page, err := w.memory.Keys().List(t.Context(), keys.KeyFilter{})
	if err != nil || len(page.Items) != 1 || page.Items[0].Permissions != 1|2|256|512|1024|2048|4096 || !page.Items[0].ExpiresAt.Equal(keys.Never) || !page.Items[0].IsActive {
		t.Errorf("%+v, %v", page, err)
	}
	f, err := w.memory.Files().BySlug(t.Context(), "early")
	if err != nil || f.StorageConfigID != bucketID || !f.UseProxy || f.CreatedBy != "made" {
		t.Errorf("%+v, %v", f, err)
	}
	if c, err := w.memory.StorageConfigs().Get(t.Context(), bucketID); err != nil || c.Driver != "r2" || c.TotalStorageBytes != 10<<30 {
		t.Errorf("%+v, %v", c, err)
	}
}

func TestALaterVersion(t *testing.T) {
	w := newWorld(t)
	report := w.run(predecessortest.Make(t, "v21", predecessortest.Away))
	saysOf(t, "left", part(t, report, "storage configs").Left, map[string]string{"cloud drive": "ONEDRIVE", "garbled": "config_json cannot be read", "bucket": "newer table"})
	saysOf(t, "left", part(t, report, "texts").Left, map[string]string{"private": "private there"})
	saysOf(t, "noted", part(t, report, "texts").Notes, map[string]string{"titled": "title became its remark"})
	c, err := w.memory.StorageConfigs().Get(t.Context(), bucketID)
	if err != nil || c.Driver != "aws" || !strings.Contains(c.Options, `"root_prefix":"base/"`) || !c.PathStyle || c.TotalStorageBytes != 1000000 || c.Region != "us-east-1" {
		t.Errorf("%+v, %v", c, err)
	}
	if off, err := w.memory.StorageConfigs().Get(t.Context(), "33333333-3333-4333-8333-000000000004"); err != nil || off.IsPublic || !off.PathStyle {
		t.Errorf("%+v, %v", off, err)
	}
	active := map[string]bool{}
	page, err := w.memory.Keys().List(t.Context(), keys.KeyFilter{})
	for _, k := range page.Items {
		active[k.Name] = k.IsActive
	}
	if err != nil || len(active) != 3 || active["guest"] || active["bound"] || !active["free"] {
		t.Errorf("%v, %v", active, err)
	}
	left := reasons(part(t, report, "other tables").Left)
	if left["fs_meta (1 rows)"] == "" || left["unheard_of (2 rows)"] == "" || left["principal_storage_acl (1 rows)"] == "" {
		t.Errorf("%v", left)
	}
}

func TestAWrongSecretStopsBeforeAnythingIsWritten(t *testing.T) {
	w := newWorld(t)
	file := predecessortest.Make(t, "v17", predecessortest.Away)
	before := w.content()
	if _, err := w.try(file, "another secret"); err == nil || !strings.Contains(err.Error(), "not that of this database") {
		t.Errorf("got %v", err)
	}
	if w.content() != before {
		t.Error("something was written")
	}
	if _, err := w.try(file, ""); err != nil {
		t.Errorf("without a secret: %v", err)
	}
}

func TestACredentialOfAnotherSecretIsLeft(t *testing.T) {
	w := newWorld(t)
	file := predecessortest.Make(t, "v17", predecessortest.Away)
	change(t, file, "UPDATE s3_configs SET secret_access_key = ? WHERE name = 'bucket'", predecessortest.Seal("planted", "x"))
	saysOf(t, "left", part(t, w.run(file), "storage configs").Left, map[string]string{
		"bucket": "secret_access_key was not stored with the given encryption secret", "damaged": "damaged", "unreachable": "endpoint_url",
	})
}

// change alters an old database.
func change(t *testing.T, file, query string, args ...any) {
	t.Helper()
	db, err := sql.Open("sqlite", file)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.Exec(query, args...); err != nil {
		t.Fatal(err)
	}
}

func TestACutRunIsFinishedByTheNext(t *testing.T) {
	whole := newWorld(t)
	file := predecessortest.Make(t, "v17", predecessortest.Away)
	whole.run(file)

	w := newWorld(t)
	cut := errors.New("power loss")
	for stop := range 9 {
		w.target.Work = &cutWork{w.memory, stop, cut}
		if _, err := w.try(file, predecessortest.Secret); err != nil && !errors.Is(err, cut) {
			t.Fatal(err)
		}
	}
	w.target.Work = w.memory
	w.run(file)
	if got, want := w.content(), whole.content(); got != want {
		t.Errorf("got %s\nwant %s", got, want)
	}
}

// cutWork fails after so many units of work.
type cutWork struct {
	ports.UnitOfWork
	left int
	err  error
}

func (c *cutWork) Do(ctx context.Context, fn func(context.Context) error) error {
	if c.left--; c.left < 0 {
		return c.err
	}
	return c.UnitOfWork.Do(ctx, fn)
}

func TestOtherFilesAreRefused(t *testing.T) {
	dir := t.TempDir()
	write := func(name, content string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	ours := predecessortest.Make(t, "v17", predecessortest.Away)
	change(t, ours, "CREATE TABLE paste_contents (n INTEGER)")
	other := filepath.Join(dir, "other.db")
	change(t, other, "CREATE TABLE songs (title TEXT)")
	for name, file := range map[string]string{
		"nothing there": filepath.Join(dir, "none"), "a folder": dir, "a text": write("text", strings.Repeat("not a database ", 100)), "an empty file": write("empty", ""),
		"a database of ours": ours, "somebody else's": other,
	} {
		if src, err := predecessor.Open(t.Context(), file); err == nil {
			_ = src.Close()
			t.Errorf("%s: was opened", name)
		}
	}
}

func TestTheOldFileIsOnlyRead(t *testing.T) {
	file := predecessortest.Make(t, "v17", predecessortest.Away)
	before, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(file, 0o400); err != nil {
		t.Fatal(err)
	}
	newWorld(t).run(file)
	after, err := os.ReadFile(file)
	if err != nil || string(after) != string(before) {
		t.Errorf("the file was changed, %v", err)
	}
	if beside, _ := filepath.Glob(filepath.Join(filepath.Dir(file), "*")); len(beside) != 1 {
		t.Errorf("beside the file: %v", beside)
	}
}

func TestWhatTheOldServerHasNotMovedFromItsLogIsRead(t *testing.T) {
	file := predecessortest.Make(t, "v17", predecessortest.Away)
	db, err := sql.Open("sqlite", file+"?_pragma=journal_mode(WAL)")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.Exec("INSERT INTO pastes (id, slug, content) VALUES ('77777777-7777-4777-8777-777777777777', 'inthelog', 'x')"); err != nil {
		t.Fatal(err)
	}
	w := newWorld(t)
	w.run(file)
	if _, err := w.memory.Pastes().BySlug(t.Context(), "inthelog"); err != nil {
		t.Error(err)
	}
}

func TestTheReportNamesEveryReasonOnceAndIsSafeToPrint(t *testing.T) {
	r := &predecessor.Report{Parts: []*predecessor.Part{{Name: "texts", Added: 3}}}
	for range 25 {
		r.Parts[0].Left = append(r.Parts[0].Left, predecessor.Item{Label: "a\x1b[2J", Reason: "it is empty"})
	}
	var b strings.Builder
	if err := r.Write(&b); err != nil {
		t.Fatal(err)
	}
	if text := b.String(); strings.Contains(text, "\x1b") || strings.Count(text, "it is empty") != 1 || !strings.Contains(text, "and 5 more") || !strings.Contains(text, "3 taken over") {
		t.Errorf("%s", text)
	}
}
