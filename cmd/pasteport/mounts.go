package main

import (
	"context"

	"golang.org/x/text/unicode/norm"

	"pasteport/domain/mounts"
	"pasteport/domain/mounts/dav"
	"pasteport/domain/mounts/direct"
	"pasteport/domain/mounts/history"
	"pasteport/domain/mounts/index"
	"pasteport/domain/mounts/transfer"
	"pasteport/domain/storage"
	"pasteport/plugins/local"
	"pasteport/ports"
	"pasteport/ports/objstore"
	"pasteport/ports/policy"
)

// openMounts joins the tree of mounts to what it needs.
func (a *app) openMounts(s *settings, decider policy.Decider, random ports.Random) {
	a.tree = mounts.NewTree(mounts.Deps{
		Mounts: a.store.Mounts(), Tasks: a.tasks, Sharer: mountShares{a},
		Uploads: a.uploads, Ledger: a.ledger, Storages: mountStorages{a.opener, a.configs, s.DataDir}, Showable: a.configs.Placed,
		Decider: decider, Work: a.store, Invalidation: a.store.Invalidation(), Settings: a.settings.Values(), MAC: a.vault, Random: random,
		Clock: ports.SystemClock, Report: a.report, ProxySecret: s.EncryptionSecret, Forms: unicodeForms,
	})
	a.mounts = mounts.NewMounts(a.tree)
	a.index = index.New(a.tree, a.store.Index())
	a.dav = dav.New(a.tree, a.store.Locks(), a.store.Properties())
	a.tree.Join(a.index, a.dav)
	a.history = history.New(a.tree, a.store.History(), a.settings.Values())
	a.direct = direct.New(a.tree)
	a.transfers = transfer.New(a.tree, a.store.Journal())
	a.registerChanges()
}

// unicodeForms are the other normal forms of a text.
func unicodeForms(text string) []string {
	var forms []string
	for _, form := range []norm.Form{norm.NFC, norm.NFD} {
		if other := form.String(text); other != text {
			forms = append(forms, other)
		}
	}
	return forms
}

// watchMounts keeps the tree in step with the other nodes until ctx ends.
func (a *app) watchMounts(ctx context.Context) {
	events := a.store.Invalidation()
	a.tree.Watch(ctx, events)
	a.index.Watch(ctx, events)
	events.Subscribe(ctx, storage.InvalidationKind, a.tree.ForgetStorage)
}

// mountsOf counts the mounts that use a storage config.
func (a *app) mountsOf(ctx context.Context, configID string) (int64, error) {
	return a.mounts.CountByConfig(ctx, configID)
}

// mountStorages joins the storage module to what mounts need of it.
type mountStorages struct {
	*storage.Opener
	configs *storage.Configs
	dataDir string
}

var _ mounts.Storages = mountStorages{}

// Storage returns a config as the tree sees it.
func (s mountStorages) Storage(ctx context.Context, id string) (objstore.Storage, error) {
	c, err := s.configs.Lookup(ctx, id)
	if err != nil {
		return objstore.Storage{}, err
	}
	seen := c.Storage()
	seen.Home = c.Home(local.Driver{Base: s.dataDir}.Home)
	return seen, nil
}
