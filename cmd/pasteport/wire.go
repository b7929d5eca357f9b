package main

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"go.opentelemetry.io/otel/trace"

	"pasteport/adapters/bunstore"
	"pasteport/adapters/datadir"
	"pasteport/adapters/fetch"
	"pasteport/adapters/httpapi"
	"pasteport/adapters/httpapi/adminapi"
	"pasteport/adapters/httpapi/requestapi"
	"pasteport/adapters/httpapi/routes"
	"pasteport/adapters/httpapi/shareapi"
	"pasteport/adapters/httpapi/treeapi"
	"pasteport/adapters/httpapi/webapp"
	"pasteport/adapters/notify"
	"pasteport/adapters/opa"
	"pasteport/adapters/pluginhost"
	"pasteport/adapters/probe"
	"pasteport/adapters/process"
	"pasteport/adapters/riverqueue"
	"pasteport/adapters/roundtrip"
	"pasteport/adapters/secrets"
	"pasteport/adapters/sniff"
	drawer "pasteport/adapters/thumbnail"
	"pasteport/adapters/tracing"
	"pasteport/cmd/pasteport/rules"
	"pasteport/docs"
	"pasteport/domain/audit"
	"pasteport/domain/backup"
	"pasteport/domain/doctor"
	"pasteport/domain/events"
	"pasteport/domain/keys"
	"pasteport/domain/mounts"
	"pasteport/domain/mounts/archive"
	"pasteport/domain/mounts/dav"
	"pasteport/domain/mounts/direct"
	"pasteport/domain/mounts/history"
	"pasteport/domain/mounts/index"
	"pasteport/domain/mounts/lent"
	"pasteport/domain/mounts/thumbnail"
	"pasteport/domain/mounts/transfer"
	rulebook "pasteport/domain/policies"
	"pasteport/domain/requests"
	site "pasteport/domain/settings"
	"pasteport/domain/shares"
	"pasteport/domain/shares/cleanup"
	"pasteport/domain/shares/collections"
	"pasteport/domain/shares/inventory"
	"pasteport/domain/shares/latch"
	"pasteport/domain/shares/openings"
	"pasteport/domain/shares/reconcile"
	"pasteport/domain/shares/remote"
	"pasteport/domain/shares/revisions"
	"pasteport/domain/shares/versions"
	"pasteport/domain/shares/visitlog"
	"pasteport/domain/storage"
	"pasteport/domain/tasks"
	"pasteport/domain/uploads"
	"pasteport/policies"
	"pasteport/ports"
	"pasteport/ports/policy"
	"pasteport/ports/upload"
	"pasteport/webui"
)

// app is the whole program, wired. Whoever makes it closes it.
type app struct {
	log     *slog.Logger
	metrics *prometheus.Registry
	traces  *tracing.Tracing // nil: none

	store    *bunstore.Store
	vault    *secrets.Vault
	rules    *opa.Decider
	recorder lateRecorder

	decisions *rulebook.Log
	audit     *audit.Audit
	streams   []*audit.Stream // of the audit log, to elsewhere
	policies  *rulebook.Policies
	settings  *site.Settings
	access    *keys.Access
	keys      *keys.Keys
	configs   *storage.Configs
	opener    *storage.Opener
	ledger    *storage.Ledger
	uploads   *uploads.Sessions
	tree      *mounts.Tree
	index     *index.Index
	dav       *dav.Resources
	history   *history.Files
	transfers *transfer.Transfers
	direct    *direct.Uploads
	mounts    *mounts.Mounts
	drivers   *pluginhost.Host
	plugins   *pluginhost.Folder
	pastes    *shares.Pastes
	files     *shares.Files
	visits    *shares.FileVisits
	received  *shares.FileUploads
	mounted   *shares.MountedFiles
	sets      *collections.Collections
	urls      *remote.URLs
	requests  *requests.Requests
	senders   *requests.Senders
	janitor   *cleanup.Janitor
	queue     *riverqueue.Queue
	reserve   *datadir.Reserve // nil on PostgreSQL, whose disk is its own matter
	tasks     *tasks.Tasks
	schedule  *backup.Schedule
	doctor    *doctor.Doctor
	events    *events.Events
	openings  *openings.Openings
	visitors  *visitlog.Log
	latches   *latch.Latches
	versions  *versions.Versions
	strays    *reconcile.Reconciler
	checks    *reconcile.Schedule
	api       *httpapi.API
	dataDir   string
	spool     string // folder of files of forms

	steps *process.Steps // of the start

	closers []func() error // in the order of opening
}

// newApp opens the database and the master key, compiles the policies and
// introduces the modules to each other. accessLog gets a line per request; nil
// for none.
func newApp(ctx context.Context, s *settings, log, accessLog *slog.Logger) (_ *app, err error) {
	a := &app{log: log, metrics: prometheus.NewRegistry(), steps: process.NewSteps()}
	defer func() {
		if err != nil {
			err = errors.Join(err, a.close())
		}
	}()
	if a.traces, err = tracing.Open(ctx, tracing.Options{Endpoint: s.TraceEndpoint, Ratio: s.TraceRatio, MAC: lateMAC{a}, Version: version, Log: log}); err != nil {
		return nil, fmt.Errorf("--trace-endpoint: %w", err)
	}
	a.closers = append(a.closers, a.traces.Close)
	rules := a.compile(ctx, s) // takes as long as all the rest together
	if err := a.openStore(ctx, s); err != nil {
		return nil, err
	}
	a.steps.Done("database")
	clock, random := ports.SystemClock, secrets.Random{}
	hasher := secrets.NewHasher(a.vault, clock)
	if a.rules, err = rules(); err != nil {
		return nil, fmt.Errorf("policies: %w", err)
	}
	a.closers = append(a.closers, a.rules.Close)
	a.steps.Done("policies")
	decider := httpapi.Watched(a.traces.Decider(a.rules))
	a.decisions = rulebook.NewLog(a.store.Decisions(), random, clock, opa.Document)
	a.recorder.set(a.decisions)
	a.openPolicies(s, decider)
	web, err := fetch.New(s.FetchAllow)
	if err != nil {
		return nil, fmt.Errorf("--fetch-allow: %w", err)
	}
	a.events = events.New(events.Deps{
		Channels: a.store.Channels(), Deliveries: a.store.Deliveries(), Watches: a.store.Watches(), Shares: a.store.Watches(), Notes: a.store.Secrets(), Account: func(ctx context.Context, who policy.Principal) (policy.Principal, error) {
			return a.access.Now(ctx, who)
		}, Endings: a.store.Endings(), Lead: func() time.Duration { return a.settings.Values().ExpiryNotice() }, Work: a.store, Sender: notify.New(web, web.DialMail, notify.Site{Title: func() string { return a.settings.Values().SiteTitle() }, Address: strings.TrimRight(s.PublicURL, "/")}), Sealer: a.vault, Decider: decider, Random: random, Clock: clock,
		Invalidation: a.store.Invalidation(), Wake: func() { a.queue.Soon(eventRound) }, Report: a.report,
	})
	if err := a.openAudit(ctx, s, decider); err != nil {
		return nil, err
	}
	if err := a.openAuditStreams(s); err != nil {
		return nil, err
	}
	if err := a.policies.Start(ctx); err != nil {
		return nil, err
	}
	guesses := a.guesses(s)
	if err := a.openTasks(ctx, s, decider); err != nil {
		return nil, err
	}

	a.settings = site.New(site.Deps{
		Repository: a.store.Settings(), Decider: decider, Invalidation: a.store.Invalidation(), Clock: clock, NoCustomCode: s.CustomCode == "off",
	})
	if err := a.settings.Seed(ctx, 0); err != nil {
		return nil, err
	}
	values := a.settings.Values()
	a.access = keys.New(keys.Deps{
		Keys: a.store.Keys(), Admins: a.store.Admins(), Sessions: a.store.Sessions(), Work: a.store, Guesses: guesses,
		Hasher: hasher, MAC: a.vault, Random: random, Clock: clock, Invalidation: a.store.Invalidation(), Decider: decider, Site: values, Shares: sharesOfKeys{a}, TOTP: a.store.TOTP(), Sealer: a.vault, Notes: a.store.Secrets(), Outbox: a.events, Gone: a.events.Own().Left, Guessed: a.noteGuess,
		Limits: keys.Limits{LoginsPerName: s.LimitLogins, LoginsPerAddress: s.LimitLoginsByAddress, KeysPerAddress: s.LimitWrongKeys, WebDAVPerAddress: s.LimitWebDAVLogins},
	})
	a.keys = keys.NewKeys(a.access)
	if err := s.check(); err != nil {
		return nil, err
	}
	a.plugins = pluginFolder(s, a.log)
	host := pluginhost.New(pluginhost.Options{InProcess: builtIn(s.disk()), Processes: processes(), Programs: a.programs(), Logger: a.log, Reach: s.storageReach()})
	a.drivers = host
	a.opener = storage.NewOpener(a.store.StorageConfigs(), a.traces.Drivers(host), a.vault, a.vault, clock)
	a.watchStorages()
	a.watchWork()
	a.closers = append(a.closers, host.Close, a.opener.Close)
	a.ledger = storage.NewLedger(a.store.Ledger(), a.opener, clock, func(ctx context.Context, id string, exact bool) (int64, bool, error) {
		return a.index.Stored(ctx, id, exact)
	})
	a.uploads = uploads.New(uploads.Deps{Sessions: a.store.Uploads(), Buckets: a.opener, Ledger: a.ledger, Clock: clock, Report: a.report})
	a.configs = storage.NewConfigs(storage.Deps{
		Configs: a.store.StorageConfigs(), Drivers: host, Opener: a.opener, Work: a.store, Sealer: a.vault, Invalidation: a.store.Invalidation(),
		Decider: decider, Prober: probe.New(s.storageReach()), Random: random, Clock: clock, Uses: storage.Uses{Files: a.store.Files().Retire, Mounts: a.mountsOf},
		Changed: a.storageChanged,
		Place:   s.place, Health: host.Health, Foreign: a.foreign,
	})
	a.openMounts(s, decider, random)
	a.visitors = visitlog.New(a.store.Visits(), values, decider, clock)
	a.openings = openings.New(a.events, a.visitors, a.store)
	deps := shares.Deps{
		Openings: a.openings,
		Uploads:  a.uploads, Pastes: a.store.Pastes(), Files: a.store.Files(), FileObjects: a.store.Files(), Storages: storages{a.opener, a.configs}, Ledger: a.ledger, Decider: decider, Hasher: hasher, Guesses: guesses, MAC: a.vault,
		Random: random, Clock: clock, Settings: values, Invalidation: a.store.Invalidation(), Report: a.report, Changed: a.tree.StorageChanged, Editions: a.store.Revisions(), Work: a.store, UnknownSlugsPerMinute: unlimited(s, s.LimitUnknownLinks),
	}
	kept := versions.NewKeeper(deps, a.store.Files())
	deps.Replaced = kept
	a.pastes = shares.NewPastes(deps)
	a.files = shares.NewFiles(deps)
	a.versions = versions.New(a.files, kept)
	a.visits, a.received, a.mounted = shares.NewFileVisits(a.files), shares.NewFileUploads(a.files), shares.NewMountedFiles(a.files)
	a.sets = collections.New(collections.Deps{Deps: deps, Owned: a.files, Collections: a.store.Collections(), Items: a.store.Files(), Sums: a.store.Sums(), Folders: lent.New(a.tree), Work: a.store})
	a.uploads.Serve(upload.ForShares, a.received)
	a.requests = requests.New(requests.Deps{
		Requests: a.store.Requests(), Files: a.store.RequestFiles(), Work: a.store, Owners: a.access, Tree: a.direct.Inbox(), Shares: a.received.Inbox(),
		TypeOf: sniff.TypeOf, Decider: decider, Hasher: hasher, Guesses: guesses, MAC: a.vault, Random: random, Clock: clock, Outbox: a.events, Refusals: a.store.Refusals(), Report: a.report,
	})
	a.senders = requests.NewSenders(a.requests)
	a.latches = latch.New(deps, a.pastes, a.files, a.store.Collections())
	a.urls = remote.New(deps, a.received, web, a.tasks)
	a.tasks.Register(remote.Task, tasks.Kind{Run: a.urls.Work, Allowed: a.urls.Allowed, Dropped: a.urls.Dropped})
	a.janitor = cleanup.New(deps, cleanup.Records{Pastes: a.store.Pastes(), Files: a.store.Files(), Collections: a.store.Collections(), Sweeps: a.store.Sweeps(), Revisions: []cleanup.Revisions{a.store.Revisions(), a.store.History(), kept}})
	a.openReconciler(s, deps)
	a.schedule = openSchedule(a, s, decider)
	if a.doctor, err = openDoctor(a, s, decider, roundtrip.Client{}); err != nil {
		return nil, err
	}
	a.watchSite()
	return a, a.openAPI(s, decider, accessLog)
}

// compile begins to compile the policies and returns how to wait for them.
func (a *app) compile(ctx context.Context, s *settings) func() (*opa.Decider, error) {
	type result struct {
		rules *opa.Decider
		err   error
	}
	done := make(chan result, 1)
	go func() {
		made, err := opa.New(ctx, opa.Options{Base: policies.Files, Site: rules.Folder(s.PolicyDir), Trials: rules.Trials(), Logger: a.log, Metrics: a.metrics, Record: &a.recorder, Usage: usageOf{a}})
		done <- result{made, err}
	}()
	return func() (*opa.Decider, error) {
		r := <-done
		return r.rules, r.err
	}
}

// openDatabase opens the database. One that does not answer yet, as when both are
// started at the same time, is tried again until --database-wait is over.
func openDatabase(ctx context.Context, s *settings, log *slog.Logger, fullDisk func() bool, traces trace.TracerProvider) (*bunstore.Store, error) {
	const pause = time.Second
	end := time.Now().Add(s.DatabaseWait)
	for try := 1; ; try++ {
		store, err := bunstore.Open(ctx, bunstore.Options{URL: s.databaseURL(), Logger: log, FullDisk: fullDisk, Traces: traces})
		left := time.Until(end)
		if err == nil || left <= 0 || bunstore.IsSQLite(s.databaseURL()) || !bunstore.Away(err) {
			return store, err
		}
		log.Warn("the database does not answer; waiting for it", "try", try, "left", left.Round(time.Second).String(), "cause", err)
		select {
		case <-time.After(min(pause, left)):
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// openStore opens the database and the master key that fits it.
func (a *app) openStore(ctx context.Context, s *settings) (err error) {
	if err := os.MkdirAll(s.DataDir, 0o700); err != nil {
		return fmt.Errorf("create the data folder: %w", err)
	}
	var fullDisk func() bool
	if bunstore.IsSQLite(s.databaseURL()) {
		dir := filepath.Dir(strings.TrimPrefix(s.databaseURL(), "sqlite:"))
		a.reserve = datadir.OpenReserve(dir, a.log)
		fullDisk = a.reserve.LetGo
	}
	if a.store, err = openDatabase(ctx, s, a.log, fullDisk, a.traces.Provider()); err != nil {
		return fmt.Errorf("open the database: %w", err)
	}
	a.closers = append(a.closers, a.store.Close)
	a.vault, err = openVault(ctx, a.store.Secrets(), s.keyFile(), a.log)
	return err
}

// openAPI registers every operation at the edge.
func (a *app) openAPI(s *settings, decider policy.Decider, accessLog *slog.Logger) error {
	publicURL, err := s.publicURL()
	if err != nil {
		return err
	}
	proxies, err := s.trustedProxies()
	if err != nil {
		return err
	}
	web, err := a.web(s)
	if err != nil {
		return err
	}
	if a.spool, err = datadir.OpenSpool(s.DataDir); err != nil {
		return err
	}
	values := a.settings.Values()
	var room func(ctx context.Context, kind httpapi.Growth, size int64) error
	if a.reserve != nil {
		room = roomFor(a.reserve, a.store.Reusable)
	}
	a.api = httpapi.New(httpapi.Options{
		Auth: a.access, Pages: web, Language: values.DefaultLanguage,
		Targets: logTargets[s.LogTarget], TargetHash: a.targetHash, Idempotency: a.store.Idempotency(), Work: a.store, Decider: decider, Log: a.log, Access: accessLog, Metrics: a.metrics, Tracer: a.traces.Tracer(),
		PublicURL: publicURL, TrustedProxies: proxies, CORSOrigins: values.CORSOrigins, Refused: a.decisions.Refused, Audit: a.audit, Room: room,
		Limits:      httpapi.TrafficLimits{Off: s.RateLimits == "off", AnonymousReads: s.LimitAnonymousReads, NewShares: s.LimitNewShares, URLFetches: s.LimitURLFetches, RequestFiles: s.LimitRequestFiles, HeavyCalls: s.LimitHeavyCalls},
		Concurrency: httpapi.Concurrency{Streams: s.LimitStreams, StreamsPerAddress: s.LimitStreamsByAddress},
	})
	database := "PostgreSQL"
	if a.store.SQLite() {
		database = "SQLite"
	}
	pictures := thumbnail.New(a.tree.Reader, drawer.New())
	routes.Register(a.api, routes.UseCases{
		Shares: shareapi.UseCases{Pastes: a.pastes, Revisions: revisions.New(a.pastes, a.store.Revisions()), VisitLog: a.visitors, Latches: a.latches, Files: a.files, Visits: a.visits, Uploads: a.received, FileVersions: a.versions, URLs: a.urls, Collections: a.sets, CollectionVisits: collections.NewVisits(a.sets, a.visits), Thumbnails: pictures, KeyNames: a.keys.KeyNames, SpoolDir: a.spool,
			Blobs: storage.NewBlobs(a.opener, values.MaxUploadSize, a.received.Awaits, a.ledger).WithShares(a.files), Inventory: inventory.New(a.store.Shares(), a.pastes, a.files, a.sets, decider), Deletions: inventory.NewDeletions(a.pastes, a.files, a.vault)},
		Tree: treeapi.UseCases{Thumbnails: pictures, Mounts: a.mounts, Index: a.index, Moves: a.transfers, Tasks: a.tasks, History: a.history, KeyNames: a.keys.KeyNames,
			Transfers: treeapi.Transfers{Tree: a.tree, Direct: a.direct, Archives: archive.New(a.tree, a.store.Archives()), SpoolDir: a.spool, MaxUpload: values.MaxUploadSize}},
		Requests: requestapi.UseCases{Requests: a.requests, Senders: a.senders},
		Admin: adminapi.UseCases{Access: a.access, Keys: a.keys, Usage: a.ledger, Settings: a.settings, Policies: a.policies, Audit: a.audit, Backups: backup.New(decider, newKeeper(s), process.Restart), Schedule: a.schedule, Doctor: a.doctor, Events: a.events, Reconciler: a.strays,
			Storage: a.configs, Pastes: a.pastes, Files: a.files,
			System: &adminapi.System{Decider: decider, Advisor: a.rules, Settings: values, Clock: ports.SystemClock, Version: version, Commit: commit, Date: date, Description: docs.OpenAPI, Environment: "Go", Storage: database,
				Started: time.Now(), Usable: a.usable,
				Caches: map[string]adminapi.Cache{"pastes": a.pastes, "files": a.files}, Listings: a.tree, Janitor: a.janitor, Disk: diskOf(s.DataDir, a.reserve)}},
	})
	a.openWebDAV(publicURL)
	return nil
}

// usable returns an error when the database does not answer within two seconds.
func (a *app) usable(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, 2*time.Second)
	defer cancel()
	return a.store.Ping(ctx)
}

// web is the built web UI and what its pages tell.
func (a *app) web(s *settings) (*webapp.Web, error) {
	dist, err := fs.Sub(webui.Dist, "dist")
	if err != nil {
		return nil, err
	}
	values := a.settings.Values()
	code := func() (head, body string) { return values.Text("site_custom_head"), values.Text("site_custom_body") }
	if s.CustomCode == "off" {
		code = nil
	}
	return webapp.New(webapp.Options{
		Files: dist, Version: version, SourceURL: s.SourceURL, Tracing: a.traces != nil, Code: code, Frames: values.OfficeFrames,
		Storages: (&storageSchemes{configs: a.store.StorageConfigs(), report: a.report}).List,
		Site:     func() (title, icon string) { return values.SiteTitle(), values.Text("site_favicon_url") },
		Brand:    func() webapp.Brand { return webapp.BrandOf(values) },
		Rules:    func() webapp.PageRules { return pageRules(values) },
		Peek:     webapp.PreviewsOf(a.pastes, a.visits, collections.NewVisits(a.sets, a.visits), a.senders, values.SiteTitle),
	})
}

// pageRules are the settings that pages obey from the start.
func pageRules(v *site.Values) webapp.PageRules {
	limits := v.ShareLimits()
	return webapp.PageRules{EditorMode: v.EditorMode(), Privacy: v.PrivacyMode(), DefaultHours: int64(v.ShareDefaultAge() / time.Hour),
		MaxHours: int64(limits.MaxAge / time.Hour), MaxViews: limits.MaxViews, Password: limits.Password}
}

// report logs errors of work that nobody waits for.
func (a *app) report(doing string, err error) { a.log.Error(doing, "error", err) }

// close closes everything, the last opened first.
func (a *app) close() error {
	var errs []error
	for i := len(a.closers) - 1; i >= 0; i-- {
		errs = append(errs, a.closers[i]())
	}
	a.closers = nil
	return errors.Join(errs...)
}

// guesses counts failed guesses, unless limits are off.
func (a *app) guesses(s *settings) ports.Guesses {
	if s.RateLimits == "off" {
		a.log.Warn("rate limits are off: passwords and keys can be guessed without end")
		return uncounted{}
	}
	return a.store.Guesses()
}

// unlimited is the limit, or none when limits are off.
func unlimited(s *settings, limit int) int {
	if s.RateLimits == "off" {
		return -1
	}
	return limit
}

// lateMAC is the master key, which is opened after the traces.
type lateMAC struct{ *app }

func (l lateMAC) Sum(purpose string, data []byte) [32]byte { return l.vault.Sum(purpose, data) }

// uncounted lets everybody guess, for load tests.
type uncounted struct{}

func (uncounted) Check(context.Context, ...ports.GuessLimit) (time.Duration, error) { return 0, nil }
func (uncounted) Fail(context.Context, ...ports.GuessLimit) error                   { return nil }
func (uncounted) Forget(context.Context, ...ports.GuessLimit) error                 { return nil }

// logTargets are the words of --log-target.
var logTargets = map[string]httpapi.LogTargets{"none": httpapi.NoTargets, "hash": httpapi.HashTargets, "plain": httpapi.PlainTargets}

// targetHash names a slug or path in the log so that nobody who has not the
// master key can find it out by trying.
func (a *app) targetHash(text string) string {
	sum := a.vault.Sum("log target", []byte(text))
	var name [12]byte
	hex.Encode(name[:], sum[:6])
	return string(name[:])
}
