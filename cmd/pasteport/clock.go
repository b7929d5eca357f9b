package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"time"

	"pasteport/domain/audit"
	"pasteport/domain/shares/cleanup"
	"pasteport/ports"
)

// clockCommand holds what an operator can say about the server's time.
type clockCommand struct {
	Confirm clockConfirmCommand `cmd:"" help:"Say that the time of this machine is right, when nothing is erased because it jumped. Stop the server first when it uses SQLite."`
}

// clockConfirmCommand confirms the time.
type clockConfirmCommand struct{}

// Run stores the time of this machine as that of a sweep.
func (*clockConfirmCommand) Run(ctx context.Context, s *settings) (err error) {
	a := &app{log: slog.New(s.handler(os.Stderr, slog.LevelWarn))}
	defer func() { err = errors.Join(err, a.close()) }()
	if err := a.openStore(ctx, s); err != nil {
		return err
	}
	if err := a.openAudit(ctx, s, nil); err != nil {
		return err
	}
	now := ports.SystemClock.Now()
	if err := cleanup.TrustClock(ctx, a.store.Sweeps(), ports.SystemClock); err != nil {
		return err
	}
	if err := a.noteCommand(ctx, audit.ClockConfirmed, now.Format(time.RFC3339)); err != nil {
		return err
	}
	_, err = fmt.Printf("%s is confirmed: what is due by then is erased\n", now.Format(time.RFC3339))
	return err
}
