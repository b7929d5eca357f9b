package domaintest

import (
	"testing"

	"pasteport/ports/portstest"
)

func TestMemoryPassesTheSuites(t *testing.T) {
	RunAll(t, func(t *testing.T) Stores {
		clock := portstest.NewClock()
		return NewMemory(clock).Stores(clock)
	})
}

func TestSealerOpensForItsPlaceOnly(t *testing.T) {
	sealed, err := portstest.Sealer{}.Seal([]byte("secret"), "a")
	must(t, err)
	plain, err := portstest.Sealer{}.Open(sealed, "a")
	must(t, err)
	equal(t, string(plain), "secret")
	if _, err := (portstest.Sealer{}).Open(sealed, "b"); err == nil {
		t.Error("opened for another place")
	}
}

func TestRandomNeverRepeats(t *testing.T) {
	var r portstest.Random
	seen := map[string]bool{}
	last := ""
	for range 1000 {
		id := r.ID()
		if seen[id] || id <= last {
			t.Fatalf("id %s repeats or is out of order", id)
		}
		last = id
		text := r.Text(10)
		if len(text) != 10 || seen[text] {
			t.Fatalf("text %q repeats or has the wrong length", text)
		}
		seen[id], seen[text] = true, true
	}
	r.Queue("taken")
	equal(t, r.Text(10), "taken")
}
