package storage_test

import (
	"errors"
	"testing"

	"pasteport/domain/storage"
	"pasteport/ports"
	"pasteport/ports/objstore"
	"pasteport/ports/portstest"
)

func TestTheListOfDriversTellsOfProgramsOfOthersAndOfHealth(t *testing.T) {
	h := newHouse(t, portstest.NewClock())
	refused, ill := errors.New("not approved"), errors.New("out of service")
	web := objstore.Info{Name: "web", StorageType: "WEB", Version: "2", Label: map[string]string{"en": "Web"}}
	list := func() map[string]storage.DriverInfo {
		t.Helper()
		all, err := h.configs.DriverList(t.Context(), admin)
		if err != nil {
			t.Fatal(err)
		}
		byName := map[string]storage.DriverInfo{}
		for i, d := range all {
			if byName[d.Name] = d; i > 0 && all[i-1].Name >= d.Name {
				t.Errorf("%s comes after %s", d.Name, all[i-1].Name)
			}
		}
		if len(byName) != len(all) {
			t.Errorf("a driver is listed twice: %+v", all)
		}
		return byName
	}
	if d := list()["local"]; d.State != storage.DriverBuiltIn || d.Err != nil || d.Digest != "" {
		t.Errorf("a built-in driver: %+v", d)
	}
	h.configs.Foreign = func() []storage.ForeignDriver {
		return []storage.ForeignDriver{
			{Name: "web", State: storage.DriverPending, Digest: "d1", Info: web},
			{Name: "found", State: storage.DriverNotApproved, Digest: "d2", Err: refused},
			{Name: "gone", State: storage.DriverMissing, Info: web, Err: refused},
		}
	}
	all := list()
	var told *ports.Error
	if d := all["web"]; d.State != storage.DriverPending || d.Digest != "d1" || d.Version != "2" || d.Provider != "Web" || !errors.As(d.Err, &told) || told.Text != "driver_pending" {
		t.Errorf("approved while the server runs: %+v", d)
	}
	if d := all["found"]; d.State != storage.DriverNotApproved || d.Digest != "d2" || !errors.Is(d.Err, refused) {
		t.Errorf("found: %+v", d)
	}
	if d := all["gone"]; d.Name != "gone" || d.State != storage.DriverMissing || d.StorageType != "WEB" || !errors.Is(d.Err, refused) {
		t.Errorf("gone: %+v", d)
	}
	h.configs.Foreign = func() []storage.ForeignDriver {
		return []storage.ForeignDriver{{Name: "local", State: storage.DriverApproved, Digest: "d3"}}
	}
	if d := list()["local"]; d.State != storage.DriverApproved || d.Digest != "d3" || d.Err != nil {
		t.Errorf("approved and loaded: %+v", d)
	}
	h.configs.Health = func(name string) error {
		if name == "local" {
			return ill
		}
		return nil
	}
	if d := list()["local"]; !errors.Is(d.Err, ill) || d.State != storage.DriverApproved {
		t.Errorf("out of service: %+v", d)
	}
}
