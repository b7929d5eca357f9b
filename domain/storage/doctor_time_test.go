package storage_test

import (
	"context"
	"io"
	"testing"
	"testing/synctest"
	"time"

	"pasteport/domain/domaintest"
	"pasteport/domain/storage"
	"pasteport/ports"
	"pasteport/ports/objstore"
	"pasteport/ports/portstest"
)

// silent answers nothing: each call ends with its caller's patience.
type silent struct{ *portstest.Bucket }

func (silent) Stat(ctx context.Context, _ string) (objstore.Object, error) {
	<-ctx.Done()
	return objstore.Object{}, ctx.Err()
}

func (silent) List(ctx context.Context, _ objstore.ListQuery) (objstore.ListPage, error) {
	<-ctx.Done()
	return objstore.ListPage{}, ctx.Err()
}

func (silent) Read(ctx context.Context, _ string, _ objstore.Range) (*objstore.Body, error) {
	<-ctx.Done()
	return nil, ctx.Err()
}

func (silent) Write(ctx context.Context, _ string, _ io.Reader, _ objstore.WriteOptions) (objstore.Object, error) {
	<-ctx.Done()
	return objstore.Object{}, ctx.Err()
}

func (silent) Delete(ctx context.Context, _ ...string) (map[string]error, error) {
	<-ctx.Done()
	return nil, ctx.Err()
}

type silentDrivers struct{}

func (silentDrivers) Driver(string) (objstore.Driver, error) {
	return portstest.Driver{New: func(objstore.Config) (objstore.Bucket, error) { return silent{portstest.NewBucket()}, nil }}, nil
}

func (silentDrivers) Drivers() []string { return []string{"local"} }

func TestContract8_ATestOfAStorageThatHangsEndsIn25Seconds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		memory := domaintest.NewMemory(ports.SystemClock)
		h := &house{repo: memory.StorageConfigs(), decider: &decider{}}
		opener := storage.NewOpener(h.repo, silentDrivers{}, portstest.Sealer{}, portstest.MAC{}, ports.SystemClock)
		defer opener.Close()
		configs := storage.NewConfigs(storage.Deps{
			Configs: h.repo, Drivers: silentDrivers{}, Opener: opener, Work: memory, Sealer: portstest.Sealer{}, Invalidation: &h.events,
			Decider: h.decider, Prober: h, Random: &portstest.Random{}, Clock: ports.SystemClock,
			Uses: storage.Uses{Files: h.uses(&h.files), Mounts: h.uses(&h.mounts)},
		})
		h.insert(t, storage.Config{ID: "c1", Name: "one"})
		h.probe = func(ports.Probe) (ports.ProbeAnswer, error) { return ports.ProbeAnswer{}, ports.ErrUnavailable }
		begin := time.Now()
		report, err := configs.Test(t.Context(), admin, "c1", storage.Page{Origin: "https://p", Own: h})
		if took := time.Since(begin); err != nil || took > 25*time.Second || took < 10*time.Second {
			t.Errorf("%v after %v", err, took)
		}
		if report.OK() || len(report.Steps) != 10 {
			t.Errorf("got %+v", report.Steps)
		}
	})
}
