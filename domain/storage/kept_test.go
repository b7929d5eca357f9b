package storage_test

import (
	"context"
	"sync/atomic"
	"testing"

	"pasteport/domain/storage"
	"pasteport/ports"
	"pasteport/ports/policy"
)

// counting counts how often a config is read.
type counting struct {
	storage.ConfigRepository
	reads atomic.Int64
}

func (c *counting) Get(ctx context.Context, id string) (*storage.Config, error) {
	c.reads.Add(1)
	return c.ConfigRepository.Get(ctx, id)
}

func TestAConfigIsReadOnceUntilOneChanges(t *testing.T) {
	h := newHouse(t, ports.SystemClock)
	h.insert(t, storage.Config{ID: "c1", Name: "first", IsPublic: true, IsDefault: true, Sealed: []byte("x")})
	h.insert(t, storage.Config{ID: "c2", Name: "second", IsPublic: true})
	repo := &counting{ConfigRepository: h.repo}
	deps := h.configs.Deps
	deps.Configs = repo
	configs := storage.NewConfigs(deps)
	configs.Watch(t.Context(), &h.events)
	name := func() string {
		t.Helper()
		c, err := configs.Lookup(t.Context(), "c1")
		if err != nil || c.Sealed != nil {
			t.Fatalf("%+v, %v", c, err)
		}
		shown := c.Name
		c.Name = "a caller's own copy"
		return shown
	}
	if a, b := name(), name(); a != "first" || b != "first" || repo.reads.Load() != 1 {
		t.Errorf("two look-ups: %q, %q after %d reads", a, b, repo.reads.Load())
	}
	renamed := "renamed"
	if _, err := configs.Update(t.Context(), admin, "c1", storage.Draft{Name: &renamed}); err != nil {
		t.Fatal(err)
	}
	if got := name(); got != renamed {
		t.Errorf("after a change here it is %q", got)
	}
	if _, err := h.repo.Update(t.Context(), "c1", func(c *storage.Config) error { c.Name = "elsewhere"; return nil }); err != nil {
		t.Fatal(err)
	}
	h.events.Arrive(storage.InvalidationKind, "c1")
	if got := name(); got != "elsewhere" {
		t.Errorf("after a change on another node it is %q", got)
	}
	if d, err := configs.Default(t.Context(), true); err != nil || d.ID != "c1" {
		t.Fatalf("%+v, %v", d, err)
	}
	if _, err := configs.SetDefault(t.Context(), admin, "c2"); err != nil {
		t.Fatal(err)
	}
	if d, err := configs.Default(t.Context(), true); err != nil || d.ID != "c2" {
		t.Errorf("the default is %+v, %v", d, err)
	}
	if _, err := configs.Delete(t.Context(), policy.Principal{Kind: policy.Admin, ID: "admin-1"}, "c1"); err != nil {
		t.Fatal(err)
	}
	if _, err := configs.Lookup(t.Context(), "c1"); !ports.Is(err, ports.NotFound) {
		t.Errorf("a deleted config: %v", err)
	}
}
