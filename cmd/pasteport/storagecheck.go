package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"time"

	"pasteport/adapters/httpapi/adminapi"
	"pasteport/adapters/secrets"
	"pasteport/cmd/pasteport/checks"
	"pasteport/domain/audit"
	"pasteport/domain/doctor"
	"pasteport/domain/keys"
	"pasteport/domain/storage"
	"pasteport/ports"
	"pasteport/ports/policy"
)

// storagesCommand holds what an operator does with storages.
type storagesCommand struct {
	Check storagesCheckCommand `cmd:"" settings:"+internal-listen" help:"Compare storages with the records of shares: files without a share, shares without a file, unfinished uploads. Ends with status 1 when something is left astray, 2 when a check failed."`
}

// storagesCheckCommand compares storages with records.
type storagesCheckCommand struct{ checks.Command }

// Run has the server that runs here compare; without one it opens the database
// itself.
func (c *storagesCheckCommand) Run(ctx context.Context, s *settings) error {
	by, done, err := openChecks(ctx, s)
	if err != nil {
		end(err, checks.Fails)
	}
	status, err := c.All(ctx, by)
	done()
	if err != nil {
		end(err, checks.Fails)
	}
	os.Exit(status)
	return nil
}

func openChecks(ctx context.Context, s *settings) (checks.Server, func(), error) {
	if s.hasInternal() {
		vault, err := secrets.Open(s.keyFile())
		if err != nil {
			return nil, nil, fmt.Errorf("%s: %w", s.keyFile(), err)
		}
		running := checks.Running{Address: s.InternalListen, Token: func() string { return doctor.TokenAt(vault, time.Now()) }}
		if _, err = running.Storages(ctx); !errors.Is(err, checks.ErrNobody) {
			return running, func() {}, err
		}
	}
	a, err := newApp(ctx, s, slog.New(s.handler(os.Stderr, slog.LevelError)), nil)
	if err != nil {
		return nil, nil, fmt.Errorf("the server does not open here: %w", err)
	}
	return ownChecks{storageChecks(a), a}, a.closeLogged, nil
}

// storageChecks compares storages for those who have the master key.
func storageChecks(a *app) adminapi.StorageChecks {
	return adminapi.StorageChecks{Reconciler: a.strays,
		Storages: func(ctx context.Context) (map[string]string, error) {
			configs, err := a.store.StorageConfigs().List(ctx, storage.ConfigFilter{})
			names := map[string]string{}
			for _, c := range configs.Items {
				names[c.ID] = c.Name
			}
			return names, err
		},
		Admin: func(ctx context.Context) (policy.Principal, error) {
			admins, err := a.store.Admins().List(ctx, keys.AdminFilter{})
			if err == nil && len(admins.Items) == 0 {
				err = &ports.Error{Code: ports.NotFound, Key: "not_found", Text: "account.none"}
			}
			if err != nil {
				return policy.Principal{}, err
			}
			return policy.Principal{Kind: policy.Admin, ID: admins.Items[0].ID, Name: admins.Items[0].Username, BasicPath: "/"}, nil
		},
		Note: func(ctx context.Context, target string) error {
			return a.noteCommand(ctx, audit.StorageChecked, target)
		},
	}
}

// ownChecks compare in this process.
type ownChecks struct {
	checks adminapi.StorageChecks
	app    *app
}

func (o ownChecks) Storages(ctx context.Context) (map[string]string, error) {
	return o.checks.Storages(ctx)
}

func (o ownChecks) Start(ctx context.Context, in adminapi.StorageCheck) ([]byte, error) {
	id, err := o.checks.Start(ctx, in)
	if err == nil {
		err = o.app.tasks.Execute(ctx, id)
	}
	if err != nil {
		return nil, err
	}
	return o.checks.Get(ctx, id)
}

func (o ownChecks) Get(ctx context.Context, id string) ([]byte, error) { return o.checks.Get(ctx, id) }
