package main

import (
	"context"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os"
	"os/signal"
	"sync"
	"syscall"
	"time"

	"pasteport/adapters/datadir"
	"pasteport/adapters/httpapi/adminapi"
	"pasteport/adapters/httpapi/listen"
	"pasteport/adapters/process"
	"pasteport/adapters/systemd"
	happenings "pasteport/domain/events"
	"pasteport/domain/keys"
	site "pasteport/domain/settings"
	"pasteport/ports/policy"
)

// serveCommand is the server.
type serveCommand struct{}

// Run serves until ctx ends, then lets requests end, stores what is counted
// and closes. A second signal ends the process at once.
func (*serveCommand) Run(ctx context.Context, s *settings) error {
	memory := process.Tune()
	level := new(slog.LevelVar)
	level.Set(s.level())
	log := slog.New(s.handler(os.Stderr, level))
	lines := listen.NewLogWriter(os.Stderr)
	defer lines.Close()

	if err := datadir.SweepLeftovers(s.DataDir, log); err != nil {
		log.Error("remove what killed commands left", "error", err)
	}
	if err := newKeeper(s).RestoreStaged(ctx, log); err != nil {
		return fmt.Errorf("restore a backup: %w", err)
	}
	a, err := newApp(ctx, s, log, slog.New(s.handler(lines, level)))
	if err != nil {
		return err
	}
	defer a.closeLogged()
	a.steps.Done("modules")
	proxies, err := s.trustedProxies()
	if err != nil {
		return err
	}
	public, internal, err := s.listen()
	if err != nil {
		return err
	}
	defer public.Close()
	if internal != nil {
		defer internal.Close()
	}
	if err := a.firstStart(ctx, s, os.Stdout); err != nil { // after what may fail: it tells a password once
		return err
	}
	if err := a.tellMisplaced(ctx, s); err != nil {
		return err
	}
	var server *listen.Server
	options := listen.ServerOptions{Handler: a.api, Log: log, Drain: max(s.DrainDelay, time.Nanosecond), Stop: s.StopAfter, Unbounded: proxies}
	if internal != nil {
		options.Internal = a.probes(func() bool { return server.Draining() })
	}
	server = listen.NewServer(options)

	work, finish := context.WithCancel(context.WithoutCancel(ctx))
	var loops sync.WaitGroup
	a.background(work, &loops)
	loops.Go(func() { a.index.Run(work) })
	(&upkeep{app: a, rescan: s.IndexRescan, check: s.StorageCheck}).run(work, &loops)
	if err := a.events.Start(ctx, a.store.SQLite()); err != nil {
		a.report("read who wants to hear of events", err)
	}
	if err := a.requests.Start(ctx, a.store.SQLite()); err != nil {
		a.report("free what was being sent to requests", err)
	}
	working, stopWorking := context.WithCancel(ctx) // tasks are handed back while requests end
	loops.Go(func() { a.runTasks(working) })
	go a.reloadOnHangup(work, level)
	served := make(chan error, 1)
	go func() { served <- server.Serve(public, internal) }()
	a.steps.Done("records")
	a.steps.Tell(log)
	log.Info("serving", "address", public.Addr().String(), "version", version)
	manager := systemd.Manager{Log: log}
	manager.Ready()
	go manager.Watch(work, func(ctx context.Context) error { return answersItself(ctx, public) })
	go memory.Settle(work)

	var failed error
	select {
	case failed = <-served:
	case <-ctx.Done():
		if !process.Restarting() { // else the service manager would end the new process, too
			manager.Stopping()
		}
		failed = stop(server, log)
	}
	finish()
	stopWorking()
	loops.Wait() // the last flush of counted views and last uses
	return failed
}

// hasInternal reports whether there is a listener for probes and metrics.
func (s *settings) hasInternal() bool {
	return s.InternalListen != "off" && s.InternalListen != ""
}

// listen opens both listeners. Sockets that the service manager has opened come
// before the addresses of the settings.
func (s *settings) listen() (public, internal net.Listener, err error) {
	public, internal, err = systemd.Sockets()
	if err == nil && public == nil {
		if public, err = listen.At(s.Listen); err != nil {
			err = fmt.Errorf("--listen: %w", err)
		}
	}
	if err == nil && internal == nil && s.hasInternal() {
		if internal, err = listen.At(s.InternalListen); err != nil {
			err = fmt.Errorf("--internal-listen: %w", err)
		}
	}
	return public, internal, err
}

// answersItself fails when requests to the process's own listener get no answer
// at all. What the answer says does not matter: no restart mends a database.
func answersItself(ctx context.Context, public net.Listener) error {
	answer, err := listen.Get(ctx, listen.AddressOf(public), "/api/health")
	if err != nil {
		return err
	}
	return answer.Body.Close()
}

// probes is what the internal listener serves.
func (a *app) probes(draining func() bool) http.Handler {
	return listen.NewInternal(listen.ProbeOptions{Metrics: a.metrics, Draining: draining, Doctor: adminapi.DoctorHandler(a.doctor, a.report), StorageChecks: adminapi.WithToken(a.doctor.Admitted, storageChecks(a)), Probes: []listen.Probe{
		{Name: "database", Check: a.store.Ping},
		{Name: "policies", Check: a.policiesAnswer},
		{Name: "storage", Check: a.storageOpens, Optional: true},
		{Name: "disk", Check: diskHasRoom(diskOf(a.dataDir, a.reserve)), Optional: true},
	}})
}

// policiesAnswer fails when visitors could not even read the site's title.
func (a *app) policiesAnswer(ctx context.Context) error {
	_, err := policy.Check(ctx, a.rules, policy.Nobody, policy.SiteRead, policy.Resource{Kind: policy.KindSite})
	return err
}

// storageOpens fails when uploads that name no storage have nowhere to go.
func (a *app) storageOpens(ctx context.Context) error {
	config, err := a.configs.Default(ctx, false)
	if err != nil {
		return err
	}
	_, err = a.opener.Bucket(ctx, config.ID)
	return err
}

// stop ends the server gently; a second signal ends the process at once.
func stop(server *listen.Server, log *slog.Logger) error {
	log.Info("stopping")
	ctx, cut := context.WithCancel(context.Background())
	defer cut()
	go func() {
		select {
		case <-process.Hurry():
			cut()
		case <-ctx.Done():
		}
	}()
	if err := server.Shutdown(ctx); err != nil || ctx.Err() != nil {
		log.Warn("requests were cut", "error", err)
		return errStopped
	}
	return nil
}

// follow takes changes of other nodes over as soon as they are told; and twice a minute,
// for what could not be read then or was never told.
func (a *app) follow(ctx context.Context, loops *sync.WaitGroup, kind, doing string, reload func(context.Context) error) {
	again := func() {
		if err := reload(ctx); err != nil && ctx.Err() == nil {
			a.report(doing, err)
		}
	}
	a.store.Invalidation().Subscribe(ctx, kind, func(string) { again() })
	loops.Go(func() {
		every(ctx, 30*time.Second, func(_ context.Context, last bool) {
			if !last {
				again()
			}
		})
	})
}

// background starts what follows the changes of other nodes and keeps what was
// loaded for a while; it ends with ctx.
func (a *app) background(ctx context.Context, loops *sync.WaitGroup) {
	events := a.store.Invalidation()
	events.Subscribe(ctx, keys.Changed, func(string) { a.access.Forget() })
	a.follow(ctx, loops, site.Invalidated, "reload settings", a.settings.Reload)
	a.follow(ctx, loops, happenings.Changed, "reload channels", a.events.Reload)
	a.runPolicies(ctx, loops)
	a.opener.Watch(ctx, events)
	a.configs.Watch(ctx, events)
	a.watchMounts(ctx)
	a.urls.Watch(ctx)
	loops.Go(func() { a.pastes.Run(ctx) })
	loops.Go(func() { a.files.Run(ctx) })
	loops.Go(func() { a.sets.Run(ctx) })
}

// reloadOnHangup reads log level, policies and the plugin folder again at each
// SIGHUP.
func (a *app) reloadOnHangup(ctx context.Context, level *slog.LevelVar) {
	hangup := make(chan os.Signal, 1)
	signal.Notify(hangup, syscall.SIGHUP)
	defer signal.Stop(hangup)
	for {
		select {
		case <-ctx.Done():
			return
		case <-hangup:
		}
		if err := reloadLevel(level); err != nil {
			a.report("read the settings again; the log level stays", err)
		}
		if err := a.reloadPolicies(ctx); err != nil {
			a.report("reload policies; the old ones stay", err)
		}
		a.reloadPlugins()
	}
}

// reloadLevel takes over the log level that the settings say now.
func reloadLevel(level *slog.LevelVar) error {
	var again cli
	p, err := commandLine(&again)
	if err != nil {
		return err
	}
	if _, err := p.Parse(os.Args[1:]); err != nil {
		return err
	}
	level.Set(again.level())
	return nil
}
