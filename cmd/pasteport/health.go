package main

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"pasteport/adapters/httpapi/listen"
)

// healthCommand asks a running server how it is.
type healthCommand struct {
	Timeout time.Duration `env:"-" help:"How long to wait for the answer." default:"5s"`
}

// Run prints what the internal listener says of each part, and fails unless the
// server is ready; without that listener it asks the public one. It is made for
// the health checks of containers.
func (c *healthCommand) Run(ctx context.Context, s *settings) error {
	ctx, cancel := context.WithTimeout(ctx, c.Timeout)
	defer cancel()
	public, err := s.publicURL()
	if err != nil {
		return err
	}
	address, path := s.Listen, basePath(public)+"/api/health"
	if s.hasInternal() {
		address, path = s.InternalListen, "/readyz?verbose"
	}
	answer, err := listen.Get(ctx, address, path)
	if err != nil {
		return fmt.Errorf("no server answers at %s: %w", address, err)
	}
	defer func() { _ = answer.Body.Close() }()
	text, err := io.ReadAll(io.LimitReader(answer.Body, 64<<10))
	if err != nil {
		return err
	}
	fmt.Println(strings.TrimSpace(string(text)))
	if answer.StatusCode != http.StatusOK {
		return fmt.Errorf("the server at %s is not ready: status %d", address, answer.StatusCode)
	}
	return nil
}
