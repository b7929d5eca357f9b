package storage_test

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"testing"

	"pasteport/domain/domaintest"
	"pasteport/domain/storage"
	"pasteport/ports"
	"pasteport/ports/objstore"
	"pasteport/ports/policy"
	"pasteport/ports/portstest"
)

func text(s string) *string { return &s }

func TestAChangedConfigIsForgottenHereAndElsewhere(t *testing.T) {
	h := newHouse(t, portstest.NewClock())
	h.insert(t, storage.Config{ID: "c1", Name: "one"})
	h.insert(t, storage.Config{ID: "c2", Name: "two"})
	for what, change := range map[string]func() error{
		"update": func() error {
			return errorOf(h.configs.Update(t.Context(), admin, "c1", storage.Draft{Name: text("new")}))
		},
		"default": func() error { return errorOf(h.configs.SetDefault(t.Context(), admin, "c1")) },
	} {
		h.bucket(t, "c1")
		h.bucket(t, "c2")
		opened, _ := h.disk.count()
		before := len(h.events.Published())
		if err := change(); err != nil {
			t.Fatalf("%s: %v", what, err)
		}
		published := h.events.Published()
		if len(published) != before+1 || published[before] != storage.InvalidationKind+"/c1" {
			t.Errorf("%s: the other nodes hear %v", what, published[before:])
		}
		h.bucket(t, "c2")
		if again, _ := h.disk.count(); again != opened {
			t.Errorf("%s: another config was opened anew", what)
		}
		h.bucket(t, "c1")
		if again, _ := h.disk.count(); again != opened+1 {
			t.Errorf("%s: the old bucket is still used", what)
		}
	}
	if _, err := h.configs.Delete(t.Context(), admin, "c1"); err != nil {
		t.Fatal(err)
	}
	if _, err := h.opener.Bucket(t.Context(), "c1"); !ports.Is(err, ports.NotFound) {
		t.Errorf("after delete: %v", err)
	}
}

func TestContract8_WhatUsesAConfigKeepsIt(t *testing.T) {
	h := newHouse(t, portstest.NewClock())
	h.insert(t, storage.Config{ID: "c1", Name: "one"})
	for name, n := range map[string]*int64{"files": &h.files, "mounts": &h.mounts} {
		*n = 1
		if _, err := h.configs.Delete(t.Context(), admin, "c1"); !ports.Is(err, ports.Conflict) {
			t.Errorf("%s: %v", name, err)
		}
		*n = 0
	}
	if len(h.events.Published()) != 0 {
		t.Error("a refused delete was told to the other nodes")
	}
	if _, err := h.configs.Delete(t.Context(), admin, "c1"); err != nil {
		t.Error(err)
	}
}

func TestEveryUseCaseOfConfigsAsksFirst(t *testing.T) {
	h := newHouse(t, portstest.NewClock())
	h.insert(t, storage.Config{ID: "c1", Name: "one"})
	h.decider.refuse = true
	for name, c := range map[string]struct {
		action policy.Action
		call   func(context.Context) error
	}{
		"create":  {policy.StorageWrite, func(ctx context.Context) error { _, err := h.configs.Create(ctx, key, storage.Draft{}); return err }},
		"update":  {policy.StorageWrite, func(ctx context.Context) error { return errorOf(h.configs.Update(ctx, key, "nosuch", storage.Draft{})) }},
		"delete":  {policy.StorageWrite, func(ctx context.Context) error { return errorOf(h.configs.Delete(ctx, key, "nosuch")) }},
		"default": {policy.StorageWrite, func(ctx context.Context) error { return errorOf(h.configs.SetDefault(ctx, key, "nosuch")) }},
		"test": {policy.StorageWrite, func(ctx context.Context) error {
			_, err := h.configs.Test(ctx, key, "nosuch", storage.Page{})
			return err
		}},
		"try": {policy.StorageWrite, func(ctx context.Context) error {
			_, err := h.configs.TestDraft(ctx, key, "nosuch", storage.Draft{}, storage.Page{})
			return err
		}},
		"drivers": {policy.StorageRead, func(ctx context.Context) error { _, err := h.configs.DriverList(ctx, key); return err }},
	} {
		h.decider.asked = nil
		if err := c.call(t.Context()); !ports.Is(err, ports.Forbidden) {
			t.Errorf("%s: %v", name, err)
		}
		if len(h.decider.asked) != 1 || h.decider.asked[0] != c.action {
			t.Errorf("%s asked %v", name, h.decider.asked)
		}
	}
	if opened, _ := h.disk.count(); opened != 0 {
		t.Error("a storage was opened for nobody")
	}
}

func TestATestCleansUpWhenItsCallerLeaves(t *testing.T) {
	h := newHouse(t, portstest.NewClock())
	h.insert(t, storage.Config{ID: "c1", Name: "one"})
	h.probe = func(ports.Probe) (ports.ProbeAnswer, error) {
		return ports.ProbeAnswer{Status: http.StatusOK, Header: http.Header{}}, nil
	}
	h.bucket(t, "c1")
	ctx, leave := context.WithCancel(t.Context())
	h.disk.buckets["c1"].Fail = func(method, _ string) error {
		if method == "Read" {
			leave() // the caller goes away in the middle
		}
		return nil
	}
	report, err := h.configs.Test(ctx, admin, "c1", storage.Page{Origin: "https://p", Own: h})
	if err != nil {
		t.Fatal(err)
	}
	if keys := h.disk.buckets["c1"].Keys(); len(keys) != 0 || !report.Cleaned {
		t.Errorf("the test left %v", keys)
	}
	if report.OK() || len(report.Steps) != 10 {
		t.Errorf("got %+v", report.Steps)
	}
	if c, err := h.configs.Lookup(t.Context(), "c1"); err != nil || c.LastUsed == nil {
		t.Errorf("last used: %+v, %v", c, err)
	}
}

func TestHeadersOfStrangersAreShortened(t *testing.T) {
	h := newHouse(t, portstest.NewClock())
	h.insert(t, storage.Config{ID: "c1", Name: "one"})
	h.probe = func(ports.Probe) (ports.ProbeAnswer, error) {
		return ports.ProbeAnswer{Status: http.StatusOK, Header: http.Header{
			"Access-Control-Allow-Origin": {strings.Repeat("x", 5000)}, "Access-Control-Allow-Methods": {"GET\x00\x1b[31m, \u202ePUT"},
		}}, nil
	}
	report, err := h.configs.Test(t.Context(), admin, "c1", storage.Page{Origin: "https://p", Own: h})
	if err != nil {
		t.Fatal(err)
	}
	if c := report.CORS; len(c.AllowOrigin) > 200 || c.AllowMethods != "GET[31m, PUT" {
		t.Errorf("got %q and %q", c.AllowOrigin, c.AllowMethods)
	}
}

// errorOf drops what a call returns beside its error.
func errorOf[T any](_ T, err error) error { return err }

// salted seals the same bytes in another way each time, as the real one does.
type salted struct {
	portstest.Sealer
	times byte
}

func (s *salted) Seal(plain []byte, place string) ([]byte, error) {
	s.times++
	sealed, err := s.Sealer.Seal(plain, place)
	return append([]byte{s.times}, sealed...), err
}

func (s *salted) Open(sealed []byte, place string) ([]byte, error) {
	return s.Sealer.Open(sealed[1:], place)
}

func TestASecretThatIsSavedAgainChangesNothing(t *testing.T) {
	h := newHouse(t, portstest.NewClock())
	sealer := &salted{}
	opener := storage.NewOpener(h.repo, secretive{h.disk}, sealer, portstest.MAC{}, h.clock)
	t.Cleanup(func() { _ = opener.Close() })
	configs := storage.NewConfigs(storage.Deps{
		Configs: h.repo, Drivers: secretive{h.disk}, Opener: opener, Work: domaintest.NewMemory(h.clock), Sealer: sealer, Invalidation: &h.events,
		Decider: h.decider, Prober: h, Random: &portstest.Random{}, Clock: h.clock,
	})
	made, err := configs.Create(t.Context(), admin, storage.Draft{Name: text("one"), Driver: text("local"), Options: map[string]string{"token": "first"}})
	if err != nil {
		t.Fatal(err)
	}
	tag := made.ETag
	for _, c := range []struct {
		name, token string
		same        bool
	}{{"the same", "first", true}, {"blank", "", true}, {"with spaces around it", " first ", true}, {"another", "second", false}} {
		done, err := configs.Update(t.Context(), admin, made.ID, storage.Draft{Options: map[string]string{"token": c.token}})
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		if same := done.After.ETag == tag; same != c.same || done.Before.ETag != tag {
			t.Errorf("%s: from %s to %s, was %s", c.name, done.Before.ETag, done.After.ETag, tag)
		}
		if now, err := configs.Get(t.Context(), admin, made.ID); err != nil || now.ETag != done.After.ETag || !now.HasSecrets {
			t.Errorf("%s: stored as %+v, %v", c.name, now, err)
		}
	}
}

// secretive is the local driver with a secret.
type secretive struct{ *disk }

func (d secretive) Drivers() []string { return []string{"local"} }

func (d secretive) Driver(string) (objstore.Driver, error) { return d, nil }

func (d secretive) Info(ctx context.Context) (objstore.Info, error) {
	info, err := d.disk.Info(ctx)
	info.Fields = append(info.Fields, objstore.Field{Key: "token", Type: "text", Secret: true})
	return info, err
}

// lined is the local driver with a key of several lines, secret and not.
type lined struct{ secretive }

func (d lined) Driver(string) (objstore.Driver, error) { return d, nil }

func (d lined) Info(ctx context.Context) (objstore.Info, error) {
	info, err := d.disk.Info(ctx)
	info.Fields = []objstore.Field{{Key: "private_key", Type: "textarea", Secret: true}, {Key: "known_hosts", Type: "textarea"}, {Key: "line", Type: "text"}}
	return info, err
}

func TestAFieldOfSeveralLinesKeepsThem(t *testing.T) {
	h := newHouse(t, portstest.NewClock())
	d := lined{secretive{h.disk}}
	opener := storage.NewOpener(h.repo, d, portstest.Sealer{}, portstest.MAC{}, h.clock)
	t.Cleanup(func() { _ = opener.Close() })
	configs := storage.NewConfigs(storage.Deps{
		Configs: h.repo, Drivers: d, Opener: opener, Work: domaintest.NewMemory(h.clock), Sealer: portstest.Sealer{}, Invalidation: &h.events,
		Decider: h.decider, Prober: h, Random: &portstest.Random{}, Clock: h.clock,
	})
	pem := "-----BEGIN KEY-----\n" + strings.Repeat(strings.Repeat("A", 64)+"\n", 100) + "-----END KEY-----"
	made, err := configs.Create(t.Context(), admin, storage.Draft{Name: text("one"), Driver: text("local"), Options: map[string]string{
		"private_key": strings.ReplaceAll(pem, "\n", "\r\n") + "\r\n", "known_hosts": "a ssh-rsa A\n\tb ssh-rsa B\n",
	}})
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(made.Options, "BEGIN") || !made.HasSecrets {
		t.Errorf("the key is told: %s", made.Options)
	}
	got := h.disk.opened[len(h.disk.opened)-1].Options
	if got["private_key"] != pem || got["known_hosts"] != "a ssh-rsa A\n\tb ssh-rsa B" {
		t.Errorf("the driver gets %q", got)
	}
	for field, value := range map[string]string{"line": "a\nb", "known_hosts": "a\x00b", "private_key": strings.Repeat("x", 33<<10)} {
		_, err := configs.Update(t.Context(), admin, made.ID, storage.Draft{Options: map[string]string{field: value}})
		var e *ports.Error
		if !errors.As(err, &e) || e.Params["field"] != field {
			t.Errorf("%s: %v", field, err)
		}
	}
	if _, err := configs.Update(t.Context(), admin, made.ID, storage.Draft{Options: map[string]string{"line": "x", "private_key": ""}}); err != nil {
		t.Fatal(err)
	}
	if got := h.disk.opened[len(h.disk.opened)-1].Options; got["private_key"] != pem || got["line"] != "x" {
		t.Errorf("after a change the driver gets %q", got)
	}
}
