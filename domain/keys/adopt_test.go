package keys_test

import (
	"strings"
	"testing"
	"time"

	"pasteport/domain/keys"
	"pasteport/ports"
	"pasteport/ports/portstest"
)

func TestAdoptedKeysObeyTheRulesOfNewOnes(t *testing.T) {
	ptr := func(s string) *string { return &s }
	bits := func(n int64) *int64 { return &n }
	for name, c := range map[string]struct {
		value  string
		fields keys.KeyFields
		code   ports.Code // of the error; 0 with ok for none
		ok     bool
		active bool
	}{
		"a good one":       {"Ab3dEf6hIj9k", keys.KeyFields{Name: ptr("n"), BasicPath: ptr("/docs/")}, 0, true, true},
		"a short value":    {"abc", keys.KeyFields{Name: ptr("n")}, 0, true, false},
		"a known value":    {"password", keys.KeyFields{Name: ptr("n")}, 0, true, false},
		"one character":    {"a", keys.KeyFields{Name: ptr("n")}, 0, true, false},
		"no value":         {"", keys.KeyFields{Name: ptr("n")}, ports.Invalid, false, false},
		"a blank inside":   {"Ab3dEf 6hIj9k", keys.KeyFields{Name: ptr("n")}, ports.Invalid, false, false},
		"an endless value": {strings.Repeat("a", 129), keys.KeyFields{Name: ptr("n")}, ports.Invalid, false, false},
		"no name":          {"Ab3dEf6hIj9k", keys.KeyFields{Name: ptr(" ")}, ports.Invalid, false, false},
		"an unclean path":  {"Ab3dEf6hIj9k", keys.KeyFields{Name: ptr("n"), BasicPath: ptr("/a/../b")}, ports.Invalid, false, false},
		"negative bits":    {"Ab3dEf6hIj9k", keys.KeyFields{Name: ptr("n"), Permissions: bits(-1)}, ports.Invalid, false, false},
	} {
		k, err := keys.Adopt(portstest.MAC{}, keys.Key{ID: "id", IsActive: true, ExpiresAt: keys.Never}, c.value, c.fields)
		if !c.ok {
			if !ports.Is(err, c.code) {
				t.Errorf("%s: %+v, %v", name, k, err)
			}
			continue
		}
		if err != nil || k.IsActive != c.active || k.MAC == "" || k.MAC == c.value || strings.Contains(k.Masked, c.value) {
			t.Errorf("%s: %+v, %v", name, k, err)
		}
	}
}

func TestAnAdoptedKeyIsTheOneOfItsValue(t *testing.T) {
	w := newWorld(t)
	name := "old"
	k, err := keys.Adopt(portstest.MAC{}, keys.Key{ID: "id", IsActive: true, ExpiresAt: w.clock.Now().Add(time.Hour)}, "Ab3dEf6hIj9k", keys.KeyFields{Name: &name})
	if err != nil {
		t.Fatal(err)
	}
	if err := w.memory.Keys().Insert(t.Context(), k); err != nil {
		t.Fatal(err)
	}
	if who, err := w.Authenticate(w.ctx(), keys.Credential{Scheme: "apikey", Token: "Ab3dEf6hIj9k"}); err != nil || who.Name != "old" {
		t.Errorf("%+v, %v", who, err)
	}
}
