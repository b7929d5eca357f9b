package storage_test

import (
	"bytes"
	"testing"

	"pasteport/domain/domaintest"
	"pasteport/domain/storage"
	"pasteport/ports/portstest"
)

func TestE3_ResealTouchesOnlyWhatAnOlderKeyHasSealed(t *testing.T) {
	repo := domaintest.NewMemory(portstest.NewClock()).StorageConfigs()
	sealer := &portstest.Versioned{Current: 1}
	for _, id := range []string{"a", "b", "c"} {
		config := storage.Config{ID: id, Name: id}
		if id != "c" {
			var err error
			if config.Sealed, err = storage.SealCredentials(sealer, id, map[string]string{"secret": id}); err != nil {
				t.Fatal(err)
			}
		}
		if err := repo.Insert(t.Context(), &config); err != nil {
			t.Fatal(err)
		}
	}
	sealer.Current = 2
	if n, err := storage.Reseal(t.Context(), repo, sealer, sealer.Outdated); n != 2 || err != nil {
		t.Fatalf("%d, %v", n, err)
	}
	for _, id := range []string{"a", "b"} {
		config, err := repo.Get(t.Context(), id)
		if err != nil {
			t.Fatal(err)
		}
		plain, err := sealer.Open(config.Sealed, "storage_configs/"+id+"/credentials")
		if err != nil || sealer.Outdated(config.Sealed) || !bytes.Contains(plain, []byte(`"`+id+`"`)) {
			t.Errorf("%s: %q, %v", id, plain, err)
		}
	}
	if n, err := storage.Reseal(t.Context(), repo, sealer, sealer.Outdated); n != 0 || err != nil {
		t.Errorf("again: %d, %v", n, err)
	}
}

func TestResealStopsAtAValueThatDoesNotOpen(t *testing.T) {
	repo := domaintest.NewMemory(portstest.NewClock()).StorageConfigs()
	broken := storage.Config{ID: "a", Name: "a", Sealed: []byte("1 broken and much too short to open")}
	if err := repo.Insert(t.Context(), &broken); err != nil {
		t.Fatal(err)
	}
	sealer := &portstest.Versioned{Current: 2}
	if _, err := storage.Reseal(t.Context(), repo, sealer, sealer.Outdated); err == nil {
		t.Error("no error")
	}
	if got, err := repo.Get(t.Context(), "a"); err != nil || !bytes.Equal(got.Sealed, broken.Sealed) {
		t.Errorf("the value was changed: %v", err)
	}
}
